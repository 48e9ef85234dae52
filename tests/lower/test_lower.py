"""Whatever a file holds, it is lowered or gets one clear line."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest

from pinlint import ir
from pinlint.lower import LowerError, lower


@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n  \n", b"\xef\xbb\xbf", b"\x0c\n"])
def test_a_file_without_code_has_an_empty_body(data: bytes) -> None:
    assert lower(data) == ir.Module((), ())


def test_a_file_of_comments_has_only_comments() -> None:
    assert lower(b"# a\n\n  # b") == ir.Module((), (ir.Comment(1, 0, "# a"), ir.Comment(3, 2, "# b")))


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"x = 1\nx = (\n", 2, "syntax error: '(' was never closed"),
        (b"x = 1\n\ndef f(:\n", 3, "syntax error: invalid syntax"),
        (b"if x:\ny = 1\n", 2, "syntax error: expected an indented block after 'if' statement on line 1"),
        (b"x = 08\n", 1, "syntax error: leading zeros in decimal integer literals are not permitted"),
        (b"x = 1\n\0\n", 2, "binary file (NUL byte)"),
        (b"x = 1\r\ny = '\xff'\r\n", 2, "not valid UTF-8 at line 2"),
        (b"# coding: ascii\n\nx = '\xe9'\n", 3, "not valid ascii at line 3"),
        (b"# coding: no-such\nx = 1\n", None, "unknown encoding 'no-such'"),
        (b"# coding: rot13\nx = 1\n", None, "unknown encoding 'rot13'"),
        (b"\xef\xbb\xbf# coding: latin-1\n", None, "the encoding declaration contradicts the byte order mark"),
    ],
)
def test_a_file_that_is_no_python_gets_one_line(data: bytes, line: int | None, message: str) -> None:
    error = lower(data)
    assert isinstance(error, LowerError)
    assert error.line == line
    assert error.message.startswith(message)
    assert "\n" not in error.message


def test_adjacent_t_strings_get_one_line_from_any_python() -> None:
    error = lower(b"x = t'a' t'b'\n")
    assert isinstance(error, LowerError)
    assert error.message.startswith(("syntax error: ", "syntax that LibCST cannot read: "))


def test_syntax_that_python_has_and_libcst_lacks_is_named_so() -> None:
    error = lower(b"for x in y:\n  pass\nelse:\n  \\\na\n")
    assert error == LowerError(5, "syntax that LibCST cannot read: parser error: error at 5:1: expected INDENT")


def test_no_warning_comes_out() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert isinstance(lower(rb"x = '\d' is 1" + b"\n"), ir.Module)
        assert isinstance(lower(rb"x = '\d' is 1 (" + b"\n"), LowerError)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_line_ends_do_not_matter(newline: bytes) -> None:
    source = [b"if a:", b"\tb = '''c", b"d'''", b"", b"\te(", b"\t\tf)", b""]
    assert lower(newline.join(source)) == lower(b"\n".join(source))


def test_a_file_of_twenty_thousand_lines_is_lowered() -> None:
    source = b"def f(a):\n    b = a.c(1)\n    return [b, d]\n\n" * 5000
    module = lower(source)
    assert isinstance(module, ir.Module)
    assert len(module.body) == 5000
    assert module.body[-1].body_end == 19_999


def test_libcst_is_imported_only_when_something_is_lowered() -> None:
    code = (
        "import sys, pinlint.lower; assert 'libcst' not in sys.modules; "
        "pinlint.lower.lower(b''); assert 'libcst' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
