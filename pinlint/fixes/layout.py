"""How long the lines of a file may be, and how a line that an edit made too long is split.

The split is the one that black and ruff make of the last brackets on the line; everything else on it stays as it is.
"""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

LIMITS = (79, 88, 100, 120)
"""The usual limits; a file's own is the least that nearly all of its lines keep."""

_EXCEPTIONS = 0.01
"""The share of lines (long strings and links) that may be longer than a file's limit."""

_ENOUGH_LINES = 200
"""A file with fewer lines does not show that it keeps to 79."""

_OPENING = {"(": ")", "[": "]", "{": "}"}
_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_UNTOUCHED = re.compile(r"^\s*#\s*(?:fmt|yapf):\s*(off|on|disable|enable)\b")
_SKIPPED = re.compile(r"#\s*fmt:\s*skip\b")


def line_limit(text: str) -> int:
    """Return the length that the lines of `text` keep, or a length that no line has when they keep to none."""
    lengths = [len(line) for line in text.splitlines()]
    for limit in LIMITS if len(lengths) >= _ENOUGH_LINES else LIMITS[1:]:
        if sum(length > limit for length in lengths) <= _EXCEPTIONS * len(lengths):
            return limit
    return max(lengths, default=0) + 1_000


def split_long_lines(text: str, changed: Collection[int], limit: int, unit: str) -> str:
    """Return `text` with those of its lines in `changed` (from 0) split that are longer than `limit`.

    A line is left alone where formatters are told to leave it, where it has no place to be split, and where the split
    would change what the code means.
    """
    lines = _lines(text)
    left_alone = _left_alone(lines)
    for number in sorted(changed, reverse=True):
        if len(lines[number].rstrip("\r\n")) <= limit or number in left_alone:
            continue
        split = _split(lines, number, limit, unit)
        if split is not None and _same_code("".join(lines), split):
            lines = _lines(split)
    return "".join(lines)


def _lines(text: str) -> list[str]:
    return [line for line in _LINE.findall(text) if line]


def _left_alone(lines: list[str]) -> set[int]:
    """Return the numbers of the lines that a comment tells formatters to leave alone."""
    found: set[int] = set()
    off = False
    for number, line in enumerate(lines):
        switch = _UNTOUCHED.match(line)
        off = switch.group(1) in ("off", "disable") if switch else off
        if off or _SKIPPED.search(line):
            found.add(number)
    return found


def _same_code(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except (SyntaxError, ValueError, RecursionError):  # newer syntax than the running Python's, or a split gone wrong
        return False


@dataclass(frozen=True, slots=True)
class _Token:
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two brackets on one line at the depth of the line, with the commas directly between them."""

    opening: int
    closing: int
    commas: tuple[int, ...]


def _split(lines: list[str], number: int, limit: int, unit: str) -> str | None:
    """Return the text with the line `number` split, or None when there is no place for it."""
    tokens = _tokens_of(lines, number)
    if tokens is None or any(token.text.startswith("#") for token in tokens):
        return None
    content = lines[number].rstrip("\r\n")
    ending = lines[number][len(content) :]
    pieces = _items_of_hugged(content, tokens) if _is_hugged(lines, number) else None
    pieces = pieces or _at_brackets(content, _pairs(tokens), limit, unit)
    if pieces is None:
        return None
    return "".join([*lines[:number], (ending or "\n").join(pieces) + ending, *lines[number + 1 :]])


def _tokens_of(lines: list[str], number: int) -> list[_Token] | None:
    """Return the tokens of one line, None when one of them spans lines or the text has no tokens."""
    found = []
    try:
        for token in tokenize.generate_tokens(io.StringIO("".join(lines), newline="").readline):
            first, last = token.start[0] - 1, token.end[0] - 1
            if first <= number <= last and token.string.strip():
                if first != last:
                    return None
                found.append(_Token(token.string, token.start[1], token.end[1]))
            if first > number:
                break
    except (tokenize.TokenError, SyntaxError):
        return None
    return found


def _is_hugged(lines: list[str], number: int) -> bool:
    """Whether the line is all that stands between a bracket that ends the line above and one that starts the next."""
    above = lines[number - 1].rstrip()[-1:] if number else ""
    below = lines[number + 1].lstrip()[:1] if number + 1 < len(lines) else ""
    return above in _OPENING and _OPENING[above] == below


def _items_of_hugged(content: str, tokens: list[_Token]) -> list[str] | None:
    """Return the items of a line, each on its own line with a comma behind it; None for less than two items."""
    depth = 0
    commas = []
    for token in tokens:
        depth += (token.text in _OPENING) - (token.text in _OPENING.values())
        if token.text == "," and depth == 0:
            commas.append(token.start)
    items = _items(content, 0, len(content), commas)
    return [f"{_indent(content)}{item}," for item in items] if len(items) > 1 else None


def _pairs(tokens: list[_Token]) -> Iterator[_Pair]:
    """Yield the pairs of brackets at the depth of the line that are not empty, the last first."""
    stack: list[tuple[_Token, list[int]]] = []
    found = []
    for token in tokens:
        if token.text in _OPENING:
            stack.append((token, []))
        elif token.text in _OPENING.values():
            if not stack:
                return
            opening, commas = stack.pop()
            if not stack and opening.end < token.start:
                found.append(_Pair(opening.start, token.start, tuple(commas)))
        elif token.text == "," and stack:
            stack[-1][1].append(token.start)
    if not stack:
        yield from reversed(found)


def _at_brackets(content: str, pairs: Iterator[_Pair], limit: int, unit: str) -> list[str] | None:
    """Return the line split at the last pair of brackets before which it fits, None when it fits before none."""
    outer = _indent(content)
    for pair in pairs:
        head, tail = content[: pair.opening + 1], outer + content[pair.closing :]
        if len(head) > limit or len(tail) > limit:
            continue
        inner = content[pair.opening + 1 : pair.closing].strip()
        items = _items(content, pair.opening + 1, pair.closing, pair.commas)
        if len(items) > 1 and (inner.endswith(",") or len(outer + unit + inner) > limit):
            return [head, *(f"{outer}{unit}{item}," for item in items), tail]
        return [head, outer + unit + inner, tail]
    return None


def _items(content: str, start: int, end: int, commas: Sequence[int]) -> list[str]:
    """Return what stands between the commas of a list from `start` to `end`, without an empty last item."""
    starts = [start, *(comma + 1 for comma in commas)]
    items = [content[first:last].strip() for first, last in zip(starts, [*commas, end], strict=True)]
    return items if items[-1] else items[:-1]


def _indent(content: str) -> str:
    return content[: len(content) - len(content.lstrip())]
