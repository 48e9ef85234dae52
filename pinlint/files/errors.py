"""A file that could not be read, as a value."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class FileError:
    """One clear line about one file; `line` counts from 1, None when the error has no place."""

    path: str
    line: int | None
    message: str
