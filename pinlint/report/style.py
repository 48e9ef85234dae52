"""Colour, where the output is a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

from pinlint.findings.finding import Severity

_SEVERITY_COLOURS = {Severity.ERROR: 31, Severity.WARNING: 33, Severity.NOTE: 36}


@dataclass(frozen=True, slots=True)
class Style:
    """Marks parts of a text, or leaves them as they are when `colour` is false."""

    colour: bool = False

    def bold(self, text: str) -> str:
        return self._escape(1, text)

    def dim(self, text: str) -> str:
        return self._escape(2, text)

    def good(self, text: str) -> str:
        return self._escape(32, text)

    def severity(self, severity: Severity, text: str) -> str:
        """Return `text` in the colour of `severity`."""
        return self._escape(_SEVERITY_COLOURS[severity], text)

    def _escape(self, code: int, text: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text


def wants_colour(stream: TextIO, environment: Mapping[str, str]) -> bool:
    """Return whether `stream` gets colour: `NO_COLOR`, then `FORCE_COLOR` decide, then whether it is a terminal."""
    if environment.get("NO_COLOR"):
        return False
    if environment.get("FORCE_COLOR"):
        return True
    return stream.isatty() and environment.get("TERM") != "dumb"
