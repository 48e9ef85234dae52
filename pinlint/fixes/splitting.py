"""Splits the lines that an edit made too long, as black and ruff would; everything else stays as it is."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from pinlint.fixes.line import at_brackets, at_operators, belongs_in_parentheses, in_parentheses, value_of
from pinlint.fixes.tokens import CLOSING, OPENING, brackets_of, line_tokens

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_UNTOUCHED = re.compile(r"^\s*#\s*(?:fmt|yapf):\s*(off|on|disable|enable)\b")
_PRAGMA = re.compile(r"#\s*(?:fmt:\s*skip|type:|noqa|pinlint|pragma|pylint|pyright|mypy|ruff|nosec|isort)(?!\w)")
"""A comment about its line, which would be about another one after a split."""


def split_long_lines(text: str, changed: Collection[int], limit: int, unit: str) -> str:
    """Return `text` with those of its lines in `changed` (from 0) split that are longer than `limit`.

    A line is left alone where formatters are told to leave it, where it has no place to be split, and where the split
    would change what the code means.
    """
    all_split = _split_lines(text, changed, limit, unit, lambda _before, _after: True)
    if _same_code(text, all_split):
        return all_split
    return _split_lines(text, changed, limit, unit, _same_code)


def _split_lines(
    text: str, changed: Collection[int], limit: int, unit: str, may_split: Callable[[str, str], bool]
) -> str:
    lines = _lines(text)
    brackets = brackets_of(text)
    untouched = left_alone(text)
    for changed_line in sorted(changed, reverse=True):
        pending = [changed_line]
        if changed_line in untouched or changed_line not in brackets:
            continue
        is_statement = brackets[changed_line] == 0
        while pending:
            number = pending.pop()
            split = _split(lines, number, unit, limit, is_statement=is_statement)
            if split is not None and may_split("".join(lines), "".join(split.apply(lines))):
                lines = split.apply(lines)
                pending += range(number, number + len(split.pieces))
                is_statement = False
    return "".join(lines)


def _lines(text: str) -> list[str]:
    return [line for line in _LINE.findall(text) if line]


def left_alone(text: str) -> set[int]:
    """Return the numbers (from 0) of the lines that a comment tells formatters to leave alone, or is about."""
    found: set[int] = set()
    off = False
    for number, line in enumerate(_lines(text)):
        switch = _UNTOUCHED.match(line)
        off = switch.group(1) in ("off", "disable") if switch else off
        if off or _PRAGMA.search(line):
            found.add(number)
    return found


def _same_code(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError):  # newer syntax than the running Python's, or a split gone wrong
        return False


@dataclass(frozen=True, slots=True)
class _Split:
    """Lines in place of `count` lines from `number` on."""

    number: int
    count: int
    pieces: Sequence[str]

    def apply(self, lines: list[str]) -> list[str]:
        return [*lines[: self.number], *self.pieces, *lines[self.number + self.count :]]


def _split(lines: list[str], number: int, unit: str, limit: int, *, is_statement: bool) -> _Split | None:
    """Return the line `number` in pieces, or None when it is short enough or has no place to be split.

    A line that ends in a bracket counts with the next two, which it is joined with.
    """
    if len(lines[number].rstrip("\r\n")) <= limit:
        return None
    text, count = _joined(lines, number)
    content = text.rstrip("\r\n")
    ending = text[len(content) :]
    tokens = line_tokens(content)
    comment = f"  {tokens.pop().text}" if tokens and tokens[-1].text.startswith("#") else ""
    if not tokens:
        return None
    content = content[: tokens[-1].end]
    pieces = None
    if is_statement and belongs_in_parentheses(value_of(tokens)):
        pieces = in_parentheses(content, tokens, unit)
    elif count == 1 and _stands_within_brackets(lines, number):
        pieces = at_operators(content, tokens)
    pieces = pieces or at_brackets(content, tokens, limit, unit)
    if pieces is None and is_statement:
        pieces = in_parentheses(content, tokens, unit)
    if pieces is None:
        return None
    pieces[-1] += comment
    return _Split(number, count, [*(piece + (ending or "\n") for piece in pieces[:-1]), pieces[-1] + ending])


def _joined(lines: list[str], number: int) -> tuple[str, int]:
    """Return the line `number`, joined with the next two where they fill and close its last bracket; and how many."""
    line, opening = lines[number], lines[number].rstrip()[-1:]
    body, closing = ("".join(lines[each : each + 1]).strip() for each in (number + 1, number + 2))
    if opening not in OPENING or not closing.startswith(OPENING[opening]):
        return line, 1
    if body.endswith((",", *OPENING)) or "#" in body or not body:
        return line, 1
    return line.rstrip() + body + lines[number + 2].lstrip(), 3


def _stands_within_brackets(lines: list[str], number: int) -> bool:
    """Whether the line is one or more whole elements of brackets that are opened above and closed below."""
    above = lines[number - 1].rstrip()[-1:] if number else ""
    below = lines[number + 1].lstrip()[:1] if number + 1 < len(lines) else ""
    ends = lines[number].rstrip().endswith(",") or below in CLOSING
    return ends and (above == "," or above in OPENING)
