"""The lines of a file as people count them."""

from __future__ import annotations

import pytest

from pinlint.findings.lines import SourceLines


@pytest.mark.parametrize(
    "data",
    [b"a = 1\nb = 2\n", b"a = 1\r\nb = 2", b"a = 1\rb = 2\r", b"\xef\xbb\xbfa = 1\nb = 2\n"],
    ids=["lf", "crlf", "cr", "byte-order-mark"],
)
def test_lines_have_no_ends(data: bytes) -> None:
    assert SourceLines({"a.py": data})("a.py") == ["a = 1", "b = 2"]


def test_only_line_ends_end_a_line() -> None:
    assert SourceLines({"a.py": "a = '\x0c\x1c\u2028'\nb\n".encode()})("a.py") == ["a = '\x0c\x1c\u2028'", "b"]


def test_the_declared_encoding_is_used() -> None:
    assert SourceLines({"a.py": "# coding: latin-1\n# é\n".encode("latin-1")})("a.py")[1] == "# é"


def test_what_is_no_text_or_not_known_has_no_lines() -> None:
    lines = SourceLines({"binary.py": b"\0\xff"})
    assert list(lines("binary.py")) == list(lines("missing.py")) == []
