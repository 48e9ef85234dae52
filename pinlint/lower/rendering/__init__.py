"""Rendering a parsed tree to its tokens, noting the tokens between which each node stands.

`Rendering` is a LibCST codegen state, so LibCST itself can render any node into it. For the node types that make up
nearly all of a file the functions here do the same without its context managers, three times as fast; they expect a
tree as the parser makes it, and whoever calls `render` compares the result with the source.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint.lower.rendering.expressions import EXPRESSIONS
from pinlint.lower.rendering.state import Rendering, by_libcst, lines, render_node
from pinlint.lower.rendering.statements import STATEMENTS

if TYPE_CHECKING:
    import libcst as cst

__all__ = ["Rendering", "render", "render_with_libcst"]

_TABLE = {**EXPRESSIONS, **STATEMENTS}


def render(module: cst.Module) -> Rendering:
    """The rendering of a tree that comes from the parser unchanged."""
    state = Rendering(module, _TABLE)
    lines(state, module.header)
    for statement in module.body:
        render_node(state, statement)
    lines(state, module.footer)
    if not module.has_trailing_newline:
        state.pop_trailing_newline()
    return state


def render_with_libcst(module: cst.Module) -> Rendering:
    """The rendering of any tree, by LibCST's own code."""
    state = Rendering(module, {})
    by_libcst(state, module)
    return state
