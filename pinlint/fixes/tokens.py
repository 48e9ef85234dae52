"""The tokens of a text, and what a few of them mean."""

from __future__ import annotations

import io
import keyword
import tokenize

OPENING = {"(": ")", "[": "]", "{": "}"}
CLOSING = frozenset(OPENING.values())


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
