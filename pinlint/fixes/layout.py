"""How long the lines of a file may be."""

from __future__ import annotations

import tokenize
from collections.abc import Iterator

from pinlint.fixes.tokens import tokens_of

LIMITS = (88, 100, 120)
"""The usual limits; a file's own is the least that nearly all of its lines keep."""

STRICTEST = 79
"""The limit of a long file without any longer line."""

_EXCEPTIONS = 0.005
"""The share of lines that may be longer than a file's limit."""

_ENOUGH_LINES = 200
"""A file with fewer lines does not show that it keeps to the strictest limit."""

_UNSPLITTABLE = (tokenize.COMMENT, tokenize.STRING)


def line_limit(text: str) -> int:
    """Return the length that the lines of `text` keep, or one that no line has when they keep to none.

    Lines with strings or comments do not count: no formatter splits those.
    """
    lengths = list(_code_lengths(text))
    if len(lengths) >= _ENOUGH_LINES and max(lengths) <= STRICTEST:
        return STRICTEST
    for limit in LIMITS:
        if sum(length > limit for length in lengths) <= _EXCEPTIONS * len(lengths):
            return limit
    return max(lengths, default=0) + 1_000


def _code_lengths(text: str) -> Iterator[int]:
    lengths: dict[int, int] = {}
    unsplittable: set[int] = set()
    for token in tokens_of(text) or ():
        if token.type in _UNSPLITTABLE or "STRING" in tokenize.tok_name[token.type]:
            unsplittable.update(range(token.start[0], token.end[0] + 1))
        elif token.string.strip():
            lengths[token.end[0]] = token.end[1]
    yield from (length for line, length in lengths.items() if line not in unsplittable)
