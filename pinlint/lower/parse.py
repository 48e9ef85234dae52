"""From bytes to a LibCST tree."""

from __future__ import annotations

import libcst as cst

from pinlint.lower.errors import LowerError


def parse(data: bytes) -> cst.Module | LowerError:
    """The tree of a Python file, or why there is none."""
    try:
        return cst.parse_module(data)
    except cst.ParserSyntaxError as error:
        return LowerError(error.raw_line, f"invalid syntax: {error.message}")
    except (RecursionError, cst.CSTLogicError, UnicodeDecodeError, SyntaxError) as error:
        return LowerError(None, f"cannot be read: {error}")
