"""Columns of text."""

from __future__ import annotations

from collections.abc import Sequence


def align(rows: Sequence[Sequence[str]], gap: int) -> list[str]:
    """Return one line for each row, every column as wide as its widest cell, `gap` blanks between columns."""
    if not rows:
        return []
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return ["".join(cell.ljust(width + gap) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows]
