"""The lines of source files, as people count them, for whoever shows or fingerprints them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from pathlib import Path

from pinlint.files.errors import FileError
from pinlint.files.source import DecodeError, decode, read_source


class SourceLines:
    """Gives the lines of a file by its path as reported; each file is read once."""

    def __init__(self, overlay: Mapping[str, bytes] | None = None) -> None:
        """`overlay` has the bytes to take for some paths instead of what is on disk."""
        self._overlay = overlay or {}
        self._read: dict[str, Sequence[str]] = {}

    def __call__(self, path: str) -> Sequence[str]:
        """Return the lines of `path` without their ends; none when it cannot be read (the run reports that itself)."""
        if path not in self._read:
            self._read[path] = self._lines(path)
        return self._read[path]

    def _lines(self, path: str) -> Sequence[str]:
        data = self._overlay.get(path)
        if data is None:
            source = read_source(Path(path), path)
            if isinstance(source, FileError):
                return ()
            data = source.data
        text = decode(data)
        if isinstance(text, DecodeError):
            return ()
        # As Python counts them: `str.splitlines` also breaks at form feeds and other separators.
        return [line.rstrip("\r\n") for line in io.StringIO(text, newline=None)]
