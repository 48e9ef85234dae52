"""What keeps hostile input away from LibCST.

LibCST parses by recursion in native code: what is nested deeply enough ends the whole process, and long before that
takes time that grows with the square of a chain's length (exponentially in the patterns of a `match`). So a file's text
is surveyed first. The survey costs a few percent of the parse: it only finds where statements end, and looks closely at
the few that are long or nested.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from pinlint.lower.nesting import Nesting, end_of_string, nesting
from pinlint.lower.tokens import FORMATTED_PREFIX, OUTLINE

MOST_TOKENS = 800_000
"""Words and punctuation marks of a file: LibCST needs up to 4 KB and 40 microseconds for each."""
MOST_LEVELS = 1000
"""Levels of one expression, or `elif`s of one `if`: LibCST needs about a second for so many."""
MOST_BRACKETS = 200
"""Brackets within brackets: as many as CPython allows."""
MOST_PATTERN_BRACKETS = 8
"""Brackets within brackets in the pattern of a `case`; each makes LibCST up to four times slower."""
MOST_DELETED_BRACKETS = 16
"""The same for the targets of a `del`; each makes LibCST twice as slow."""
MOST_WORK = 30_000_000
"""Microseconds, roughly, that a file's deep statements may cost beyond what their length costs."""

_ORDINARY_LEVELS = 100
"""A statement of so many levels costs what its length costs, and fits the usual recursion limit."""
_ORDINARY_BRACKETS = 4
_DIRECT_WEIGHT = 100
"""What fits a small stack: measured, a block takes 25 KB, a bracket 7 KB and another level 1.3 KB."""

_PUNCTUATION = bytes(code for code in range(33, 127) if not chr(code).isalnum() and chr(code) not in "_,;")
_BLOCK = re.compile(
    r"^[ \t\f]*(?=(?:async|case|class|def|elif|else|except|finally|for|if|match|try|while|with)\b)", re.MULTILINE
)
_BRANCH = re.compile(r"^([ \t\f]*)(elif|if)\b", re.MULTILINE)
_CASE = re.compile(r"\s*case\b")
_DELETE = re.compile(r"\bdel\b")


class Depth(NamedTuple):
    """What the survey found."""

    is_shallow: bool
    """Whether a small stack and the usual recursion limit are enough, with a large margin."""
    refusal: tuple[int | None, str] | None
    """Why LibCST must not see the file, and the line of the statement where it is one statement's fault."""


def measure(text: str) -> Depth:
    """Survey the text of a file."""
    if len(text) > MOST_TOKENS and _count_tokens(text) > MOST_TOKENS:
        too_large = f"too large to be parsed (more than {MOST_TOKENS} words and punctuation marks)"
        return Depth(is_shallow=False, refusal=(None, too_large))
    text = "\n" + text.replace("\r\n", "\n").replace("\r", "\n") + "\n"
    levels, longest = _longest_elif_chain(text)
    if levels > MOST_LEVELS:
        return _refused(text, longest, f"more than {MOST_LEVELS} elif clauses in a row")
    brackets = _ORDINARY_BRACKETS
    work = 0
    for start, end in _suspects(text):
        statement = text[start:end]
        found = nesting(statement)
        reason = _objection(statement, found)
        work += _cost(statement, found)
        if reason is None and work > MOST_WORK:
            reason = "too many deep statements in one file"
        if reason is not None:
            return _refused(text, start, reason)
        levels, brackets = max(levels, found.levels), max(brackets, found.brackets)
    weight = 5 * len(set(_BLOCK.findall(text))) + 2 * brackets
    return Depth(is_shallow=weight <= _DIRECT_WEIGHT and levels <= _ORDINARY_LEVELS, refusal=None)


def _refused(text: str, statement: int, reason: str) -> Depth:
    # The survey put one line end before the text, and a statement starts with the line end before it.
    line = text.count("\n", 0, statement + 1)
    return Depth(is_shallow=False, refusal=(line, f"nested too deeply to be read ({reason})"))


def _objection(statement: str, found: Nesting) -> str | None:
    """Why LibCST must not see a statement, None if it may."""
    if found.brackets > MOST_BRACKETS:
        return f"more than {MOST_BRACKETS} brackets within brackets"
    if found.levels > MOST_LEVELS:
        return f"more than {MOST_LEVELS} levels in one expression"
    if found.head_brackets > MOST_PATTERN_BRACKETS and _CASE.match(statement):
        return f"more than {MOST_PATTERN_BRACKETS} brackets within brackets in a pattern"
    if found.brackets > MOST_DELETED_BRACKETS and _DELETE.search(statement):
        return f"more than {MOST_DELETED_BRACKETS} brackets within brackets in a del statement"
    return None


def _cost(statement: str, found: Nesting) -> int:
    """What the depth of a statement costs LibCST, in microseconds."""
    cost = found.levels**2 if found.levels > _ORDINARY_LEVELS else 0
    if _CASE.match(statement):
        cost += 2 * 4 ** min(found.head_brackets, MOST_PATTERN_BRACKETS)
    elif _DELETE.search(statement):
        cost += 2 ** min(found.brackets, MOST_DELETED_BRACKETS)
    return cost


def _suspects(text: str) -> Iterator[tuple[int, int]]:
    """The statements that are not certainly ordinary, each from the line end before it to its own."""
    start = depth = most = position = 0
    while position < len(text):
        match = OUTLINE.match(text, position)
        if match is None or match.lastgroup is None:
            raise AssertionError(f"the pattern matches everywhere, but not at {position}")
        kind = match.lastgroup
        token = match.start(kind)
        if depth == 0 and (line_end := text.find("\n", position, token)) >= 0:
            if _is_suspect(text, start, line_end, most):
                yield start, line_end
            start, most = text.rfind("\n", line_end, token), 0
            yield from _long_lines(text, line_end, start)
        position = match.end()
        if kind == "open":
            depth += 1
            most = max(most, depth)
            if depth == MOST_BRACKETS + 1:
                yield start, position  # it is refused already, unless the brackets turn out to be none
        elif kind == "flat":
            most = max(most, depth + 1)
        elif kind == "close":
            depth = max(depth - 1, 0)
        elif kind in {"string", "string_start"}:
            position = _string_end(text, match, kind)
    if depth or _is_suspect(text, start, len(text), most):
        yield start, len(text)


def _is_suspect(text: str, start: int, end: int, brackets: int) -> bool:
    """Whether a statement is nested, or has more words and punctuation than an ordinary one has levels.

    Each level takes a word or a punctuation mark. Strings are counted as if they were code: some hold code.
    """
    if brackets > _ORDINARY_BRACKETS:
        return True
    if end - start <= _ORDINARY_LEVELS:
        return False
    return _count_tokens(text[start:end]) > _ORDINARY_LEVELS


def _count_tokens(text: str) -> int:
    data = text.encode(errors="replace")
    return len(data) - len(data.translate(None, _PUNCTUATION)) + len(data.split())


def _long_lines(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The suspects among whole lines that hold neither brackets nor strings."""
    if end - start <= _ORDINARY_LEVELS or max(map(len, text[start:end].split("\n"))) <= _ORDINARY_LEVELS:
        return
    while start < end:
        line_end = text.find("\n", start + 1, end + 1)
        if _is_suspect(text, start, line_end, 0):
            yield start, line_end
        start = line_end


def _string_end(text: str, match: re.Match[str], kind: str) -> int:
    """Where the string ends that an outline's token is, or is the start of."""
    quote = match.start(kind)
    if kind == "string" and "{" not in match[kind]:
        return match.end()
    prefix = FORMATTED_PREFIX.search(text, max(quote - 3, 0), quote)
    if prefix is not None:
        return end_of_string(text, prefix.start())
    return match.end() if kind == "string" else end_of_string(text, quote)


def _longest_elif_chain(text: str) -> tuple[int, int]:
    """The most `elif`s that stand within one another in the syntax tree, and where the last of them is.

    An `elif` is part of its `if`'s `else`, and so is all that stands in its body.
    """
    most, place = 0, 0
    if text.count("elif") <= _ORDINARY_LEVELS:
        return most, place
    chains: list[tuple[int, int]] = []  # the column and the `elif`s so far of each `if` around the line at hand
    total = 0
    for match in _BRANCH.finditer(text):
        column, count = len(match[1]), 0
        while chains and chains[-1][0] >= column:
            popped, length = chains.pop()
            total -= length
            count = length if popped == column else count
        count = count + 1 if match[2] == "elif" else 0
        chains.append((column, count))
        total += count
        if total > most:
            most, place = total, match.start()
    return most, place
