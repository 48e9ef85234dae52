"""The tokens rendered so far, and what is the same for all nodes: white space, punctuation, and how to go on."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import libcst as cst
from libcst._nodes.internal import CodegenState

if TYPE_CHECKING:
    from types import TracebackType

Record: TypeAlias = tuple[cst.CSTNode, int, int]
"""A node, its first token and the one after its last."""


class Rendering(CodegenState):
    """The tokens rendered so far, the records by the identity of their node, and which tokens are comments."""

    def __init__(self, module: cst.Module, table: Table) -> None:
        """Start with nothing; `table` says how to render nodes other than by LibCST."""
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.table = table
        self.records: dict[int, Record] = {}
        self.comments: list[int] = []
        self._open: list[tuple[cst.CSTNode, int]] = []
        # The list's own method instead of a Python one that calls it: this is called for every token.
        self.__dict__["add_token"] = self.tokens.append

    def pop_trailing_newline(self) -> None:
        """Empty the last token, as records count it."""
        if self.tokens:
            self.tokens[-1] = ""

    def before_codegen(self, node: cst.CSTNode) -> None:
        """Note comments that LibCST renders."""
        if type(node) is cst.Comment:
            self.comments.append(len(self.tokens))

    def record_syntactic_position(  # type: ignore[override]  # any context manager does, a generator is slow
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,  # noqa: ARG002  # LibCST passes both; the tokens say the same
        end_node: cst.CSTNode | None = None,  # noqa: ARG002
    ) -> Rendering:
        """Note where `node` starts, and where it ends when the returned context is left."""
        self._open.append((node, len(self.tokens)))
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        node, start = self._open.pop()
        self.records[id(node)] = (node, start, len(self.tokens))


Table: TypeAlias = Mapping[type[cst.CSTNode], Callable[[Rendering, Any], None]]


def by_libcst(state: Rendering, node: cst.CSTNode) -> None:
    """Render a node and all below it by LibCST's own code."""
    node._codegen(state)  # noqa: SLF001  # as LibCST's own position provider does; there is no public way


def render_node(state: Rendering, node: cst.CSTNode) -> None:
    """Render a node of any type."""
    state.table.get(type(node), by_libcst)(state, node)


def blank(state: Rendering, node: Any) -> None:  # noqa: ANN401  # white space of any kind, or LibCST's "not there"
    if type(node) is cst.SimpleWhitespace:
        if node.value:
            state.tokens.append(node.value)
    elif type(node) is cst.ParenthesizedWhitespace:
        line_end(state, node.first_line)
        lines(state, node.empty_lines)
        if node.indent:
            state.tokens.extend(state.indent_tokens)
        blank(state, node.last_line)


def line_end(state: Rendering, node: cst.TrailingWhitespace | cst.EmptyLine) -> None:
    tokens = state.tokens
    if node.whitespace.value:
        tokens.append(node.whitespace.value)
    if node.comment is not None:
        state.comments.append(len(tokens))
        tokens.append(node.comment.value)
    tokens.append(node.newline.value or state.default_newline)


def lines(state: Rendering, nodes: Sequence[cst.EmptyLine]) -> None:
    for node in nodes:
        if node.indent:
            state.tokens.extend(state.indent_tokens)
        line_end(state, node)


def token(state: Rendering, node: Any, text: str) -> None:  # noqa: ANN401  # a comma, a dot, ..., or "not there"
    """A token with the white space on both sides of it."""
    if node is not cst.MaybeSentinel.DEFAULT:
        blank(state, node.whitespace_before)
        state.tokens.append(text)
        blank(state, node.whitespace_after)


def opening(state: Rendering, nodes: Sequence[cst.LeftParen]) -> None:
    for node in nodes:
        state.tokens.append("(")
        blank(state, node.whitespace_after)


def closing(state: Rendering, nodes: Sequence[cst.RightParen]) -> None:
    for node in nodes:
        blank(state, node.whitespace_before)
        state.tokens.append(")")
