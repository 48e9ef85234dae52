"""Splits one line as black and ruff would: at commas, before operators, at brackets, or in new parentheses."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pinlint.fixes.tokens import CLOSING, OPENING, Token, ends_operand

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


_LINE_BREAK = re.compile(r"(\S)[ \t]*(?:\r\n?|\n)\s*(\S)")


def joined_line(text: str) -> str | None:
    """Return an expression on one line; None when a comment or a comma at the end of its items keeps it on several."""
    if "\n" not in text and "\r" not in text:
        return text
    if "#" in text or "\\" in text or re.search(r",\s*[)\]}]", text):
        return None
    return _LINE_BREAK.sub(_without_break, text)


def _without_break(match: re.Match[str]) -> str:
    before, after = match.groups()
    return before + ("" if before in "([{" or after in ")]}." else " ") + after


def at_operators(content: str, tokens: Sequence[Token]) -> list[str] | None:
    """Return the line split at its loosest operators, None when it has none but a comma at its end."""
    if tokens[-1].text == "," and len(tokens) > 1:
        pieces = at_operators(content[: tokens[-1].start], tokens[:-1])
        return pieces and [*pieces[:-1], f"{pieces[-1].removesuffix(',')},"]
    outside = list(_outside_brackets(tokens))
    for group in _OPERATORS:
        found = [token for token, previous in outside if token.text in group and ends_operand(previous)]
        if found:
            return _pieces(content, found, _indent(content))
    return _pieces(content, _chained_calls(tokens), _indent(content)) if is_chain(tokens) else None


def _outside_brackets(tokens: Sequence[Token]) -> Iterator[tuple[Token, str]]:
    """Yield the tokens outside the brackets of a line, each with the text of the token before it."""
    depth = 0
    previous = ""
    for token in tokens:
        depth -= token.text in CLOSING
        if depth == 0:
            yield token, previous
        depth += token.text in OPENING
        previous = token.text


def _pieces(content: str, operators: Sequence[Token], indent: str) -> list[str]:
    """Return what stands between commas, each with a comma behind it, or before other operators as it is."""
    if operators[0].text != ",":
        starts = [0, *(operator.start for operator in operators)]
        return [indent + content[start:end].strip() for start, end in zip(starts, [*starts[1:], None], strict=True)]
    starts = [0, *(operator.end for operator in operators)]
    ends = [*(operator.start for operator in operators), len(content)]
    return [f"{indent}{content[start:end].strip()}," for start, end in zip(starts, ends, strict=True)]


def _chained_calls(tokens: Sequence[Token]) -> list[Token]:
    """Return the dots outside brackets that follow a call or an index."""
    return [token for token, previous in _outside_brackets(tokens) if token.text == "." and previous in CLOSING]


def is_chain(tokens: Sequence[Token]) -> bool:
    """Whether tokens are one value with methods called on the results of methods: written one a line when too long."""
    outside = [token.text for token, _ in _outside_brackets(tokens)]
    one_value = all(ends_operand(text) or text == "." or text in OPENING for text in outside)
    return one_value and len(_chained_calls(tokens)) > 1


def belongs_in_parentheses(value: Sequence[Token]) -> bool:
    """Whether a long value is written on lines of its own in parentheses.

    That is a chain, a tuple, a conditional, or an operation that does not end in a bracket.
    """
    outside = [token.text for token, previous in _outside_brackets(value) if ends_operand(previous)]
    operates = any(text in group for group in _OPERATORS for text in outside)
    return is_chain(value) or "," in outside or "if" in outside or (operates and value[-1].text not in CLOSING)


def value_of(tokens: Sequence[Token]) -> Sequence[Token]:
    """Return the tokens after `=` in an assignment to one target or after `return`, none in other lines."""
    if tokens[0].text == "return":
        return tokens[1:]
    equals = [token for token, _ in _outside_brackets(tokens) if token.text == "="]
    return tokens[tokens.index(equals[0]) + 1 :] if len(equals) == 1 else ()


def in_parentheses(content: str, tokens: Sequence[Token], unit: str) -> list[str] | None:
    """Return an assignment or `return` with its value in parentheses on a line of its own; None for other lines."""
    value = value_of(tokens)
    if not value or value[0].text == "(":
        return None
    outer, start = _indent(content), value[0].start
    body = [outer + unit + content[start:]]
    if any(token.text == "," for token, _ in _outside_brackets(value)):
        body = [outer + unit + line.strip() for line in at_operators(" " * start + content[start:], value) or body]
    return [f"{content[:start].rstrip()} (", *body, f"{outer})"]


@dataclass(frozen=True, slots=True)
class _Pair:
    """Two brackets outside the other brackets of a line, and the tokens between them."""

    opening: Token
    closing: Token
    inner: Sequence[Token]
    displays: bool
    """The brackets make a tuple, list, set or dict, or group; they neither call nor index."""


def _pairs(tokens: Sequence[Token]) -> list[_Pair]:
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


def at_brackets(content: str, tokens: Sequence[Token], limit: int, unit: str) -> list[str] | None:
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
    lines = at_operators(blank + content[pair.opening.end : pair.closing.start], pair.inner)
    return None if lines is None else [indent + line.strip() for line in lines]


def _indent(content: str) -> str:
    return content[: len(content) - len(content.lstrip())]
