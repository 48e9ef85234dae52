"""The lines of a file as people count them."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinlint.findings.lines import SourceLines


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    "data",
    [b"a = 1\nb = 2\n", b"a = 1\r\nb = 2", b"a = 1\rb = 2\r", b"\xef\xbb\xbfa = 1\nb = 2\n"],
    ids=["lf", "crlf", "cr", "byte-order-mark"],
)
def test_lines_have_no_ends(here: Path, data: bytes) -> None:
    (here / "a.py").write_bytes(data)
    assert SourceLines()("a.py") == ["a = 1", "b = 2"]


def test_only_line_ends_end_a_line(here: Path) -> None:
    (here / "a.py").write_bytes("a = '\x0c\x1c\u2028'\nb\n".encode())
    assert SourceLines()("a.py") == ["a = '\x0c\x1c\u2028'", "b"]


def test_the_declared_encoding_is_used(here: Path) -> None:
    (here / "a.py").write_bytes("# coding: latin-1\n# é\n".encode("latin-1"))
    assert SourceLines()("a.py")[1] == "# é"


def test_a_file_that_cannot_be_read_or_decoded_has_no_lines(here: Path) -> None:
    (here / "binary.py").write_bytes(b"\0\xff")
    assert SourceLines()("missing.py") == ()
    assert SourceLines()("binary.py") == ()


def test_the_overlay_wins_over_the_disk(here: Path) -> None:
    (here / "a.py").write_text("old\n")
    assert SourceLines({"a.py": b"new\n"})("a.py") == ["new"]
