"""Reading a file and decoding it as Python does (PEP 263 and byte order marks); whatever fails is a value."""

from __future__ import annotations

import io
import tokenize
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pinlint.files.errors import FileError

if TYPE_CHECKING:
    from pathlib import Path

LARGEST_FILE = 20 * 1024 * 1024
"""Bytes; nobody writes a larger source file by hand, and LibCST would need minutes and gigabytes for one."""


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes of one file; `display` is its path as reported."""

    path: Path
    display: str
    data: bytes


@dataclass(frozen=True, slots=True)
class DecodeError:
    """Bytes that are no Python text; `line` counts from 1, None when the error has no place."""

    line: int | None
    message: str


def read_source(path: Path, display: str) -> Source | FileError:
    """The file at `path`, or one line that says why it cannot be read."""
    try:
        if path.is_dir():
            return FileError(display, None, "is a directory")
        if not path.is_file() and path.exists():
            return FileError(display, None, "is not a regular file")
        with path.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        return FileError(display, None, "no such file")
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        return FileError(display, None, f"cannot be read: {_reason(error)}")
    if len(data) > LARGEST_FILE:
        return FileError(display, None, f"is larger than {LARGEST_FILE // 1024**2} MiB")
    return Source(path, display, data)


def decode(data: bytes) -> str | DecodeError:
    """The text of a Python file without its byte order mark, or why there is none."""
    nul = data.find(b"\0")
    if nul >= 0:
        return DecodeError(_line_at(data, nul), "binary file (NUL byte)")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
    except SyntaxError as error:
        return _undecodable(data, "utf-8") or DecodeError(None, _encoding_problem(str(error)))
    try:
        return data.decode(encoding)
    except UnicodeDecodeError:
        return _undecodable(data, encoding) or DecodeError(None, f"not valid {encoding}")
    except (LookupError, ValueError):  # a codec that is not for text, such as `rot13`
        return DecodeError(None, f"unknown encoding {encoding!r}")


def _undecodable(data: bytes, encoding: str) -> DecodeError | None:
    """The place of the first byte that is not valid in `encoding`, None when all of them are."""
    try:
        data.decode(encoding)
    except UnicodeDecodeError as error:
        line = _line_at(error.object, error.start)  # `object` is without the byte order mark
        return DecodeError(line, f"not valid {_spoken(encoding)} at line {line}")
    return None


def _encoding_problem(message: str) -> str:
    """What `tokenize` says of an encoding declaration, said to a person."""
    name = message.removeprefix("unknown encoding: ")
    if name != message:
        return f"unknown encoding {name!r}"
    return "the encoding declaration contradicts the byte order mark"


def _spoken(encoding: str) -> str:
    return "UTF-8" if encoding in {"utf-8", "utf-8-sig"} else encoding


def _line_at(data: bytes, offset: int) -> int:
    before = data[:offset].replace(b"\r\n", b"\n")
    return 1 + before.count(b"\n") + before.count(b"\r")


def _reason(error: Exception) -> str:
    return (getattr(error, "strerror", None) or str(error)).lower()
