"""What the output formats are given."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from pinlint.files.errors import FileError
from pinlint.findings.finding import Finding, Location, Role, Step
from pinlint.trace.events import CopyEvent

Lines = Callable[[str], Sequence[str]]
"""The lines of a file, by its path as reported."""


@dataclass(frozen=True, slots=True)
class CheckReport:
    """The result of `pinlint check`."""

    findings: tuple[Finding, ...]
    """Sorted by place and code."""
    errors: tuple[FileError, ...]
    files: int
    """How many files were asked about."""
    lines: Lines


@dataclass(frozen=True, slots=True)
class AuditReport:
    """The result of `pinlint audit`."""

    copies: tuple[CopyEvent, ...]
    """Sorted by place."""
    errors: tuple[FileError, ...]
    files: int
    """How many files were asked about."""


def shown_location(step: Step, copy: Location) -> Location:
    """Return where `step` is shown: the copy's own step at the name of the method, every other where it begins."""
    if step.role is Role.COPIED and step.path == copy.path:
        return copy
    return step.location
