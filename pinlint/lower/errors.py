"""Why a file could not be lowered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class LowerError:
    """A file that cannot be read as Python; `line` counts from 1, None when the error has no place."""

    line: int | None
    message: str
