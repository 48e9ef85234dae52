"""Files are read and decoded as Python does; what cannot be is said in one line."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from pinlint.files.errors import FileError
from pinlint.files.source import LARGEST_FILE, DecodeError, Source, decode, read_source


def test_a_file_is_read_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\xef\xbb\xbfx = 1\r\n")
    assert read_source(path, "a.py") == Source(path, "a.py", b"\xef\xbb\xbfx = 1\r\n")


def test_a_file_that_is_not_there_is_said_so(tmp_path: Path) -> None:
    assert read_source(tmp_path / "no.py", "no.py") == FileError("no.py", None, "no such file")


def test_a_directory_is_said_so(tmp_path: Path) -> None:
    assert read_source(tmp_path, "src") == FileError("src", None, "is a directory")


def test_a_name_that_no_file_can_have_is_said_so() -> None:
    error = read_source(Path("a\0b.py"), "a?b.py")
    assert isinstance(error, FileError)
    assert error.message in {"no such file", "cannot be read: embedded null byte"}


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is unreadable here")
def test_a_file_without_permission_is_said_so(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.touch(mode=0)
    assert read_source(path, "a.py") == FileError("a.py", None, "cannot be read: permission denied")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    assert read_source(tmp_path / "a.py", "a.py") == FileError("a.py", None, "is not a regular file")


def test_a_file_too_large_for_a_person_to_have_written_is_not_read(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    with path.open("wb") as stream:
        stream.truncate(LARGEST_FILE + 1)
    assert read_source(path, "a.py") == FileError("a.py", None, "is larger than 20 MiB")


@pytest.mark.parametrize(
    ("data", "text"),
    [
        (b"", ""),
        (b"x = '\xc3\xa9'\r\n", "x = 'é'\r\n"),
        (b"\xef\xbb\xbfx", "x"),
        (b"# -*- coding: latin-1 -*-\nx = '\xe9'", "# -*- coding: latin-1 -*-\nx = 'é'"),
        (b"#!x\n# vim: set fileencoding=cp1252 :\n'\x80'", "#!x\n# vim: set fileencoding=cp1252 :\n'€'"),
        (b"\n\n# coding: no-such", "\n\n# coding: no-such"),
    ],
)
def test_text_is_decoded_by_its_mark_or_declaration(data: bytes, text: str) -> None:
    assert decode(data) == text


@pytest.mark.parametrize(
    ("data", "line", "message"),
    [
        (b"a\nb\0", 2, "binary file (NUL byte)"),
        (b"a\r\nb\r'\xff'", 3, "not valid UTF-8 at line 3"),
        (b"\xef\xbb\xbfa\n\xff", 2, "not valid UTF-8 at line 2"),
        (b"# coding: ascii\n\n'\xff'", 3, "not valid ascii at line 3"),
        (b"# coding: foo\n", None, "unknown encoding 'foo'"),
        (b"# coding: hex\n", None, "unknown encoding 'hex'"),
        (b"\xef\xbb\xbf# coding: ascii\n", None, "the encoding declaration contradicts the byte order mark"),
    ],
)
def test_what_is_no_text_is_said_with_its_line(data: bytes, line: int | None, message: str) -> None:
    assert decode(data) == DecodeError(line, message)
