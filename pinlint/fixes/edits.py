"""Replacements of text, which is all that a fix does to a file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, order=True)
class Edit:
    """Replaces the characters from `start` to `end` (exclusive) by `text`."""

    start: int
    end: int
    text: str

    def overlaps(self, other: Edit) -> bool:
        """Whether the two cannot both be applied: they replace common text, or insert at one place."""
        if self.start == other.start:
            return True
        first, second = (self, other) if self.start < other.start else (other, self)
        return second.start < first.end


class CannotFix(Exception):  # noqa: N818  # an answer, not a failure: caught where the fix was asked for
    """A fixer or the planner found that an edit would be wrong or is not possible; says why in one clause."""


def conflict(edits: Iterable[Edit], others: Sequence[Edit]) -> bool:
    """Whether any of `edits` overlaps any of `others`."""
    return any(edit.overlaps(other) for edit in edits for other in others)


def apply_edits(text: str, edits: Iterable[Edit]) -> str:
    """Return `text` with `edits`, which must not overlap, applied."""
    for edit in sorted(edits, reverse=True):
        text = text[: edit.start] + edit.text + text[edit.end :]
    return text
