"""The tokens of a text, and what a few of them mean."""

from __future__ import annotations

import io
import keyword
import re
import tokenize
from dataclasses import dataclass

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(OPENING.values())


_TOKEN = re.compile(
    r"""
    (?:[rRbBuUfFtT]{0,3}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'))
    | \#.* | \w+ | \*\*|//|<<|>>|[=!<>:+*/%@&|^-]=|->  | [^\s\w]
    """,
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A token of one line with its columns."""

    text: str
    start: int
    end: int


def line_tokens(line: str) -> list[Token]:
    """Return the tokens of a line that neither starts nor ends within a string."""
    return [Token(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(line)]


def brackets_of(text: str) -> dict[int, int]:
    """Return how many brackets are open where each line of `text` (from 0) starts.

    Lines that a string of several lines touches are left out, and all lines when the text cannot be read.
    """
    depth, line = 0, -1
    found: dict[int, int] = {}
    within_strings: set[int] = set()
    for token in tokens_of(text) or ():
        first, last = token.start[0] - 1, token.end[0] - 1
        found.update((number, depth) for number in range(line + 1, first + 1))
        line = max(line, first)
        if "STRING" in tokenize.tok_name[token.type] and first != last:
            within_strings.update(range(first, last + 1))
        depth += (token.string in OPENING) - (token.string in CLOSING)
    return {number: depth for number, depth in found.items() if number not in within_strings}


def tokens_of(text: str) -> list[tokenize.TokenInfo] | None:
    """Return the tokens of a text, None when the running Python cannot read it."""
    try:
        return list(tokenize.generate_tokens(io.StringIO(text, newline="").readline))
    except (tokenize.TokenError, SyntaxError):
        return None


def ends_operand(text: str) -> bool:
    """Whether an operator after the token `text` has two operands, and a bracket after it calls or indexes."""
    if text in CLOSING or text in ("True", "False", "None"):
        return True
    return (text[-1:].isalnum() or text[-1:] in "_\"'") and not keyword.iskeyword(text)
