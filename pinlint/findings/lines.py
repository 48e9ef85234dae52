"""The lines of source files, as people count them, for whoever shows or fingerprints them."""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence

from pinlint.files.source import DecodeError, decode


class SourceLines:
    """Gives the lines of a file by its path as reported; each file is decoded once."""

    def __init__(self, sources: Mapping[str, bytes]) -> None:
        """`sources` holds the bytes of each file."""
        self._sources = sources
        self._decoded: dict[str, Sequence[str]] = {}

    def __call__(self, path: str) -> Sequence[str]:
        """Return the lines of `path` without their ends; none when it is no text or not among the sources."""
        if path not in self._decoded:
            self._decoded[path] = _lines(self._sources.get(path, b""))
        return self._decoded[path]


def _lines(data: bytes) -> Sequence[str]:
    text = decode(data)
    if isinstance(text, DecodeError):
        return ()
    # As Python counts them: `str.splitlines` also breaks at form feeds and other separators.
    return [line.rstrip("\n") for line in io.StringIO(text, newline=None)]
