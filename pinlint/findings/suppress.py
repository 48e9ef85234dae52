"""Suppressions: the comments that silence findings.

    # pinlint: ignore[PIN101, PIN103] reason     these codes, on any line of the copy's or the allocation's statement
    # pinlint: ignore reason                     every code
    # noqa: PIN101    or a bare  # noqa          as in other linters, on the same lines
    # pinlint: off[PIN101]  ...  # pinlint: on   what is reported, or copied, on the lines between
    # pinlint: ignore-file[PIN101] reason        what is reported, or copied, anywhere in the file

Only real comments count, wherever in a comment the words stand.
"""

from __future__ import annotations

import enum
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from pinlint.findings.finding import Finding
from pinlint.ir import Comment

_DIRECTIVE = re.compile(
    r"#\s*pinlint:\s*(?P<verb>ignore-file|ignore|off|on)(?:\s*\[(?P<codes>[^\]#]*)\]|(?!\s*\[|[\w-]))(?P<reason>[^#]*)",
    re.IGNORECASE,
)
_NOQA = re.compile(
    r"#\s*noqa(?:\s*:\s*(?P<codes>[A-Z]+[0-9]+(?:[\s,]+[A-Z]+[0-9]+)*)|(?!\s*:|[\w-]))(?P<reason>[^#]*)", re.IGNORECASE
)


class Scope(enum.Enum):
    STATEMENT = "statement"
    """Counts on any line of a statement that the finding is about."""
    LINES = "lines"
    """Counts for what is reported, or copied, on its lines: a block or a whole file."""


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment that silences findings."""

    path: str
    line: int
    column: int
    """From 0, of the comment."""
    scope: Scope
    first: int
    last: int
    codes: tuple[str, ...] | None
    """None for all codes."""
    reason: str

    def covers(self, finding: Finding) -> bool:
        """Return whether this comment silences `finding`."""
        if self.codes is not None and finding.code not in self.codes:
            return False
        if self.scope is Scope.STATEMENT:
            return any(self._overlaps(*statement) for statement in finding.statements)
        places = (finding.location, finding.copy)
        return any(self._overlaps(place.path, place.line, place.line) for place in places)

    def _overlaps(self, path: str, first: int, last: int) -> bool:
        return self.path == path and self.first <= last and first <= self.last


@dataclass(frozen=True, slots=True)
class Sifted:
    """Findings, parted by what the comments say of them."""

    kept: tuple[Finding, ...]
    suppressed: tuple[Finding, ...]
    used: frozenset[tuple[Suppression, str]]
    """Each suppression that silenced something, with a code that it silenced."""


def sift(findings: Iterable[Finding], suppressions_of: Callable[[str], Sequence[Suppression]]) -> Sifted:
    """Part `findings` into the kept and the suppressed; `suppressions_of` gives a file's suppressions by its path."""
    kept: list[Finding] = []
    suppressed: list[Finding] = []
    used: set[tuple[Suppression, str]] = set()
    for finding in findings:
        paths = dict.fromkeys([finding.location.path, finding.copy.path, *(path for path, _, _ in finding.statements)])
        silencers = [s for path in paths for s in suppressions_of(path) if s.covers(finding)]
        used.update((silencer, finding.code) for silencer in silencers)
        (suppressed if silencers else kept).append(finding)
    return Sifted(tuple(kept), tuple(suppressed), frozenset(used))


def suppressions_in(path: str, comments: Iterable[Comment]) -> list[Suppression]:
    """Return the suppressions among the comments of the file `path`, in the order of their lines.

    A block that is never switched on again reaches to the end of the file.
    """
    found: list[Suppression] = []
    opened: list[tuple[Comment, re.Match[str]]] = []
    for comment in comments:
        for match in _DIRECTIVE.finditer(comment.text):
            verb = match["verb"].lower()
            if verb == "off":
                opened.append((comment, match))
            elif verb == "on":
                found += [_block(path, *off, comment.line) for off in opened if _switches_on(match, off[1])]
                opened = [off for off in opened if not _switches_on(match, off[1])]
            else:
                found.append(_ignore(path, comment, match))
        found += [_statement(path, comment, match) for match in _NOQA.finditer(comment.text)]
    found += [_block(path, *off, sys.maxsize) for off in opened]
    return sorted(found, key=lambda suppression: (suppression.line, suppression.column))


def _ignore(path: str, comment: Comment, match: re.Match[str]) -> Suppression:
    if match["verb"].lower() == "ignore":
        return _statement(path, comment, match)
    return _suppression(path, comment, match, Scope.LINES, (1, sys.maxsize))


def _statement(path: str, comment: Comment, match: re.Match[str]) -> Suppression:
    return _suppression(path, comment, match, Scope.STATEMENT, (comment.line, comment.line))


def _block(path: str, comment: Comment, match: re.Match[str], last: int) -> Suppression:
    return _suppression(path, comment, match, Scope.LINES, (comment.line, last))


def _suppression(
    path: str, comment: Comment, match: re.Match[str], scope: Scope, lines: tuple[int, int]
) -> Suppression:
    reason = match["reason"].strip().removeprefix(":").strip()
    return Suppression(path, comment.line, comment.column, scope, *lines, _codes(match), reason)


def _codes(match: re.Match[str]) -> tuple[str, ...] | None:
    if match["codes"] is None:
        return None
    return tuple(code.upper() for code in re.split(r"[\s,]+", match["codes"].strip()) if code)


def _switches_on(on: re.Match[str], off: re.Match[str]) -> bool:
    """Return whether `on` ends the block of `off`: a bare `on` ends all, `on[CODES]` the block of the same codes."""
    return on["codes"] is None or _codes(on) == _codes(off)
