"""What a fixer is given."""

from __future__ import annotations

from dataclasses import dataclass

from pinlint.findings.finding import Fix
from pinlint.fixes.source import Source


@dataclass(frozen=True, slots=True)
class Request:
    """One fix to be turned into edits of one file."""

    source: Source
    fix: Fix
    replacement: str
    """`fix.replacement` as it is spelled at the fix's place."""
    limit: int
    """The length above which a line of this file is too long."""
