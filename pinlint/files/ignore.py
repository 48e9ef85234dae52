"""Patterns as in a .gitignore, for a walk that never enters what is ignored.

A walk asks about each name it meets, when it knows already that nothing above is ignored. So most patterns are a matter
of the last name alone, and a whole file of patterns becomes a set of names and two regular expressions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import groupby
from typing import NamedTuple

from pathspec.patterns.gitignore.spec import GitIgnoreSpecPattern

_GROUP_NAME = re.compile(r"\(\?P<\w+>")
_LITERAL = re.compile(r"[\w.-]+/?", re.ASCII)


class _Pattern(NamedTuple):
    text: str
    """Without the `!`."""
    ignores: bool
    """False for a pattern that starts with `!`."""
    expression: str


class _Run:
    """Neighbouring patterns that all ignore, or all do the opposite."""

    def __init__(self, ignores: bool, patterns: list[_Pattern]) -> None:  # noqa: FBT001  # a property of the patterns
        self.ignores = ignores
        names = [pattern.text for pattern in patterns if _LITERAL.fullmatch(pattern.text)]
        self.names = frozenset([*names, *(f"{name}/" for name in names if not name.endswith("/"))])
        others = [pattern for pattern in patterns if not _LITERAL.fullmatch(pattern.text)]
        self.by_name = _union(pattern for pattern in others if "/" not in pattern.text.rstrip("/"))
        self.by_path = _union(pattern for pattern in others if "/" in pattern.text.rstrip("/"))


class Rules:
    """The patterns of one file or setting, relative to one directory."""

    def __init__(self, lines: Iterable[str]) -> None:
        """Take the lines of a .gitignore; a line that is no pattern is passed over, as git does."""
        patterns = [pattern for line in lines if (pattern := _compile(line)) is not None]
        runs = [_Run(ignores, list(run)) for ignores, run in groupby(patterns, key=lambda pattern: pattern.ignores)]
        self._runs = runs[::-1]

    def verdict(self, name: str, relative: str) -> bool | None:
        """Whether a path is ignored; None when no pattern says anything of it.

        `name` is its last name and `relative` the whole from the rules' directory, with forward slashes; both end with
        a slash for a directory. The last pattern that matches decides.
        """
        for run in self._runs:
            if name in run.names:
                return run.ignores
            if run.by_name is not None and run.by_name.match(name):
                return run.ignores
            if run.by_path is not None and run.by_path.match(relative):
                return run.ignores
        return None


def _compile(line: str) -> _Pattern | None:
    try:
        expression, ignores = GitIgnoreSpecPattern.pattern_to_regex(line)
    except ValueError:
        return None
    if expression is None or ignores is None:
        return None
    return _Pattern(line.strip().removeprefix("!"), ignores, expression)


def _union(patterns: Iterable[_Pattern]) -> re.Pattern[str] | None:
    # The named groups of several expressions would clash in one.
    expressions = [f"(?:{_GROUP_NAME.sub('(?:', pattern.expression)})" for pattern in patterns]
    return re.compile("|".join(expressions)) if expressions else None
