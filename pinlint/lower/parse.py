"""From bytes to a LibCST tree, with nothing that could crash or stall LibCST let through."""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable
from typing import TypeVar

import libcst as cst

from pinlint.files.source import DecodeError, decode
from pinlint.lower.errors import LowerError
from pinlint.lower.gate import Depth, measure
from pinlint.lower.stack import NoDeepStackError, call_with_deep_stack

_ResultT = TypeVar("_ResultT")

_LIBCST_PLACE = re.compile(r"error at (\d+):\d+")


def parse(data: bytes) -> cst.Module | LowerError:
    """The tree of a Python file, for rewriting it, or why there is none.

    A file that is nested so deeply that LibCST could not render its tree on an ordinary stack is refused.
    """
    text = decode(data)
    if isinstance(text, DecodeError):
        return LowerError(text.line, text.message)
    depth = measure(text)
    module = _guarded(data, text, depth, lambda module, _: module)
    if isinstance(module, LowerError) or depth.is_shallow:
        return module
    return LowerError(None, "nested too deeply to be rewritten")


def parse_and(data: bytes, use: Callable[[cst.Module, str], _ResultT]) -> _ResultT | LowerError:
    """What `use` makes of the tree and the text of a Python file, or why there is no tree.

    For a deeply nested file both the parse and `use` run in a thread with a large stack.
    """
    text = decode(data)
    if isinstance(text, DecodeError):
        return LowerError(text.line, text.message)
    return _guarded(data, text, measure(text), use)


def _guarded(data: bytes, text: str, depth: Depth, use: Callable[[cst.Module, str], _ResultT]) -> _ResultT | LowerError:
    if depth.refusal is not None:
        refusal = LowerError(*depth.refusal)
        # What is refused for one statement may be no Python at all: a bracket is never closed, say.
        return refusal if refusal.line is None else _deeply(lambda: _python_error(text) or refusal)
    if depth.is_shallow:
        try:
            return _parse_and(data, text, use)
        except RecursionError:  # called from deep inside something else
            pass
    return _deeply(lambda: _parse_and(data, text, use))


def _deeply(function: Callable[[], _ResultT]) -> _ResultT | LowerError:
    try:
        return call_with_deep_stack(function)
    except (NoDeepStackError, RecursionError) as error:
        return LowerError(None, f"nested too deeply to be read ({error})")


def _parse_and(data: bytes, text: str, use: Callable[[cst.Module, str], _ResultT]) -> _ResultT | LowerError:
    try:
        module = cst.parse_module(data)
    except (cst.ParserSyntaxError, cst.CSTLogicError, cst.CSTValidationError) as error:
        return _python_error(text) or _libcst_error(error)
    return use(module, text)


def _python_error(text: str) -> LowerError | None:
    """What Python itself says of a file that LibCST cannot parse, None when it has no objection."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(text)
    except SyntaxError as error:
        if "too many" not in error.msg:  # nested parentheses, levels of indentation: the gate says it better
            return LowerError(error.lineno, f"syntax error: {error.msg}")
    except (MemoryError, RecursionError, ValueError, OverflowError):  # too deep, or an integer too long, for Python
        pass
    return None


def _libcst_error(error: Exception) -> LowerError:
    message = error.message if isinstance(error, cst.ParserSyntaxError) else str(error)
    if "too many indentation levels" in message:
        return LowerError(None, "nested too deeply to be read (more than 100 blocks within blocks)")
    place = _LIBCST_PLACE.search(message)
    return LowerError(int(place[1]) if place else None, f"syntax that LibCST cannot read: {message.splitlines()[0]}")
