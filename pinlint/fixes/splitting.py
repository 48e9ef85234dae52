"""Splits a line that an edit made too long, as black and ruff would.

A line between two brackets of its own is split at its commas, or else before its operators; any other line at its last
brackets. Everything else stays as it is.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from pinlint.fixes.tokens import CLOSING, OPENING, ends_operand, tokens_of

_LINE = re.compile(r"[^\r\n]*(?:\r\n?|\n|\Z)")
_UNTOUCHED = re.compile(r"^\s*#\s*(?:fmt|yapf):\s*(off|on|disable|enable)\b")
_SKIPPED = re.compile(r"#\s*fmt:\s*skip\b")

_OPERATORS = (
    ("for",),
    (",",),
    ("if", "else"),
    ("and", "or"),
    ("<", ">", "==", ">=", "<=", "!=", "in", "is"),
    ("|",),
    ("^",),
    ("&",),
    ("<<", ">>"),
    ("+", "-"),
    ("*", "/", "//", "%", "@"),
)
"""What a line is split at: only the first group that it has, outside all brackets."""


def split_long_lines(text: str, changed: Collection[int], limit: int, unit: str) -> str:
    """Return `text` with those of its lines in `changed` (from 0) split that are longer than `limit`.

    A line is left alone where formatters are told to leave it, where it has no place to be split, and where the split
    would change what the code means.
    """
    lines = _lines(text)
    left_alone = _left_alone(lines)
    for changed_line in sorted(changed, reverse=True):
        pending = [] if changed_line in left_alone else [changed_line]
        while pending:
            number = pending.pop()
            split = _split(lines, number, unit, limit) if len(lines[number].rstrip("\r\n")) > limit else None
            if split is not None and _same_code("".join(lines), "".join(split.apply(lines))):
                lines = split.apply(lines)
                pending += range(number, number + len(split.pieces))
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
class _Split:
    """Lines in place of `count` lines from `number` on."""

    number: int
    count: int
    pieces: Sequence[str]

    def apply(self, lines: list[str]) -> list[str]:
        return [*lines[: self.number], *self.pieces, *lines[self.number + self.count :]]


def _split(lines: list[str], number: int, unit: str, limit: int) -> _Split | None:
    """Return the line `number` in pieces, or None when there is no place to split it."""
    line, count = _joined(lines, number)
    tokens = _tokens_of_line([*lines[:number], line, *lines[number + count :]], number)
    if not tokens:
        return None
    content = line.rstrip("\r\n")
    ending = line[len(content) :]
    comment = f"  {tokens.pop().text}" if tokens[-1].text.startswith("#") else ""
    if not tokens:
        return None
    content = content[: tokens[-1].end]
    pieces = _at_operators(content, tokens) if count == 1 and _stands_within_brackets(lines, number) else None
    if count == 1 and _is_chain(_value_of(tokens)):
        pieces = pieces or _in_parentheses(content, tokens, unit)
    pieces = pieces or _at_brackets(content, tokens, limit, unit) or _in_parentheses(content, tokens, unit)
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


def _tokens_of_line(lines: list[str], number: int) -> list[_Token] | None:
    """Return the tokens of one line, None when one of them spans lines or the text has no tokens."""
    found = []
    for token in tokens_of("".join(lines)) or ():
        first, last = token.start[0] - 1, token.end[0] - 1
        if first <= number <= last and token.string.strip():
            if first != last:
                return None
            found.append(_Token(token.string, token.start[1], token.end[1]))
    return found


def _stands_within_brackets(lines: list[str], number: int) -> bool:
    """Whether the line is one or more whole elements of brackets that are opened above and closed below."""
    above = lines[number - 1].rstrip()[-1:] if number else ""
    below = lines[number + 1].lstrip()[:1] if number + 1 < len(lines) else ""
    ends = lines[number].rstrip().endswith(",") or below in CLOSING
    return ends and (above == "," or above in OPENING)


def _at_operators(content: str, tokens: Sequence[_Token]) -> list[str] | None:
    """Return the line split at its loosest operators, None when it has none but a comma at its end."""
    if tokens[-1].text == "," and len(tokens) > 1:
        pieces = _at_operators(content[: tokens[-1].start], tokens[:-1])
        return pieces and [*pieces[:-1], f"{pieces[-1].removesuffix(',')},"]
    outside = list(_outside_brackets(tokens))
    for group in _OPERATORS:
        found = [token for token, previous in outside if token.text in group and ends_operand(previous)]
        if found:
            return _pieces(content, found, _indent(content))
    return _pieces(content, _chained_calls(tokens), _indent(content)) if _is_chain(tokens) else None


def _outside_brackets(tokens: Sequence[_Token]) -> Iterator[tuple[_Token, str]]:
    """Yield the tokens outside the brackets of a line, each with the text of the token before it."""
    depth = 0
    previous = ""
    for token in tokens:
        depth -= token.text in CLOSING
        if depth == 0:
            yield token, previous
        depth += token.text in OPENING
        previous = token.text


def _pieces(content: str, operators: Sequence[_Token], indent: str) -> list[str]:
    """Return what stands between commas, each with a comma behind it, or before other operators as it is."""
    if operators[0].text != ",":
        starts = [0, *(operator.start for operator in operators)]
        return [indent + content[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]
    starts = [0, *(operator.end for operator in operators)]
    ends = [*(operator.start for operator in operators), len(content)]
    return [f"{indent}{content[start:end].strip()}," for start, end in zip(starts, ends, strict=True)]


def _chained_calls(tokens: Sequence[_Token]) -> list[_Token]:
    """Return the dots outside brackets that follow a call or an index."""
    return [token for token, previous in _outside_brackets(tokens) if token.text == "." and previous in CLOSING]


def _is_chain(tokens: Sequence[_Token]) -> bool:
    """Whether tokens are one value with methods called on the results of methods: written one a line when too long."""
    outside = [token.text for token, _ in _outside_brackets(tokens)]
    one_value = all(ends_operand(text) or text == "." or text in OPENING for text in outside)
    return one_value and len(_chained_calls(tokens)) > 1


def _value_of(tokens: Sequence[_Token]) -> Sequence[_Token]:
    """Return the tokens after `=` in an assignment to one target or after `return`, none in other lines."""
    if tokens[0].text == "return":
        return tokens[1:]
    equals = [token for token, _ in _outside_brackets(tokens) if token.text == "="]
    return tokens[tokens.index(equals[0]) + 1 :] if len(equals) == 1 else ()


def _in_parentheses(content: str, tokens: Sequence[_Token], unit: str) -> list[str] | None:
    """Return an assignment or `return` with its value in parentheses on a line of its own; None for other lines."""
    value = _value_of(tokens)
    if not value or value[0].text == "(":
        return None
    outer = _indent(content)
    return [f"{content[: value[0].start].rstrip()} (", outer + unit + content[value[0].start :], f"{outer})"]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two brackets outside the other brackets of a line, and the tokens between them."""

    opening: _Token
    closing: _Token
    inner: Sequence[_Token]
    displays: bool
    """The brackets make a tuple, list, set or dict, or group; they neither call nor index."""


def _pairs(tokens: Sequence[_Token]) -> list[_Pair]:
    """Return the pairs of brackets that are not empty; none when the line has a bracket without its partner."""
    stack: list[int] = []
    found = []
    for index, token in enumerate(tokens):
        if token.text in OPENING:
            stack.append(index)
        elif token.text in CLOSING:
            if not stack:
                return []
            opening = stack.pop()
            if not stack and opening + 1 < index:
                before = tokens[opening - 1].text if opening else ""
                found.append(_Pair(tokens[opening], token, tokens[opening + 1 : index], not ends_operand(before)))
    return [] if stack else found


def _at_brackets(content: str, tokens: Sequence[_Token], limit: int, unit: str) -> list[str] | None:
    """Return the line split at the last pair of brackets before which it fits, None when it fits before none."""
    outer = _indent(content)
    for pair in reversed(_pairs(tokens)):
        head, tail = content[: pair.opening.end], outer + content[pair.closing.start :]
        if len(head) > limit or len(tail) > limit:
            continue
        body = outer + unit + content[pair.opening.end : pair.closing.start].strip()
        commas = [token for token, _ in _outside_brackets(pair.inner) if token.text == ","]
        ends_in_comma = bool(commas) and commas[-1] is pair.inner[-1]
        if len(body) <= limit and not ends_in_comma and not (commas and pair.displays):
            return [head, body, tail]
        return [head, *(_body(content, pair, outer + unit) or [body]), tail]
    return None


def _body(content: str, pair: _Pair, indent: str) -> list[str] | None:
    """Return what stands between two brackets, split at its loosest operators."""
    blank = " " * pair.opening.end
    lines = _at_operators(blank + content[pair.opening.end : pair.closing.start], pair.inner)
    return None if lines is None else [indent + line.strip() for line in lines]


def _indent(content: str) -> str:
    return content[: len(content) - len(content.lstrip())]
