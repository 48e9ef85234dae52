"""A file that is being fixed: its text, its trees, and the way from spans to offsets."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import TypeVar

import libcst as cst

from pinlint import ir
from pinlint.fixes.edits import CannotFix
from pinlint.fixes.tokens import brackets_of
from pinlint.lower.errors import LowerError
from pinlint.lower.parse import parse
from pinlint.lower.positions import Places
from pinlint.lower.statements import module as lower_module

_NEWLINE = re.compile(r"\r\n?|\n")
_TRIVIA = re.compile(r"(?:[ \t\f\r\n]|\\\r?\n|#[^\r\n]*)*")
_BLANKS = re.compile(r"[ \t\f]*")

_NodeT = TypeVar("_NodeT", bound=cst.CSTNode)


class Source:
    """One file's text with its LibCST tree and its IR.

    Offsets count characters of `text`, which is the file without its byte order mark. Raises CannotFix for bytes that
    LibCST cannot parse, or whose tree does not render to exactly the same bytes.
    """

    def __init__(self, path: str, data: bytes) -> None:
        tree = parse(data)
        if isinstance(tree, LowerError):
            raise CannotFix(tree.message)
        if tree.bytes != data:
            raise CannotFix("LibCST does not keep this file byte for byte")
        self.path = path
        self.encoding = tree.encoding
        self.text = data.decode(tree.encoding)
        self.tree = tree
        self.module = lower_module(tree, self.text)
        self._places = Places(tree, self.text)
        self._lines = [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    def encode(self, text: str) -> bytes:
        """Return the bytes of a changed text in this file's encoding, with its byte order mark if it has one."""
        return text.encode(self.encoding)

    @property
    def unit(self) -> str:
        """One level of indentation as this file writes it."""
        return self.tree.default_indent

    def offset(self, line: int, column: int) -> int:
        """Return the offset of a line (from 1) and column (from 0)."""
        return self._lines[line - 1] + column

    def range(self, span: ir.Span) -> tuple[int, int]:
        """Return the offsets of the first character of `span` and of the one after its last."""
        return self.offset(span[0], span[1]), self.offset(span[2], span[3])

    def text_of(self, span: ir.Span) -> str:
        """Return the source text of `span`."""
        start, end = self.range(span)
        return self.text[start:end]

    def node(self, span: ir.Span, kind: type[_NodeT], what: str) -> _NodeT:
        """Return the tree's node of class `kind` at `span`; raises CannotFix when there is none, calling it `what`."""
        found = self._places.locate(span, kind)
        if found is None:
            raise CannotFix(f"line {span[0]} holds no {what} here")
        return found

    def expression(self, span: ir.Span) -> cst.BaseExpression:
        """Return the tree's expression at `span`; raises CannotFix when there is none."""
        return self.node(span, cst.BaseExpression, "expression")  # type: ignore[type-abstract]  # only for isinstance

    def node_range(self, node: cst.BaseExpression) -> tuple[int, int]:
        """Return the offsets of an expression without its parentheses, as `range` does for its span."""
        return self.range(self._places.span(node))

    def end_of(self, node: cst.BaseExpression) -> int:
        """Return the offset after an expression and all its parentheses."""
        end = self.node_range(node)[1]
        inside = isinstance(node, cst.Tuple | cst.GeneratorExp)  # the innermost parentheses belong to the span already
        for _ in node.rpar[1:] if inside else node.rpar:
            end = self.after_trivia(end) + 1
        return end

    def line_start(self, offset: int) -> int:
        """Return the offset of the first character of the line that holds `offset`."""
        return self._lines[bisect_right(self._lines, offset) - 1]

    def line_end(self, offset: int) -> int:
        """Return the offset of the newline that ends the line that holds `offset`, or of the end of the file."""
        match = _NEWLINE.search(self.text, offset)
        return match.start() if match else len(self.text)

    def indentation(self, offset: int) -> str:
        """Return the white space at the start of the line that holds `offset`."""
        match = _BLANKS.match(self.text, self.line_start(offset))
        return match.group() if match else ""

    def starts_line(self, offset: int) -> bool:
        """Whether only white space stands before `offset` on its line."""
        return not self.text[self.line_start(offset) : offset].strip()

    def newline(self, offset: int) -> str:
        """Return the newline of the line that holds `offset`, or the file's own where that line is the last."""
        match = _NEWLINE.match(self.text, self.line_end(offset))
        return match.group() if match else self.tree.default_newline

    def has_long_string(self, start: int, end: int) -> bool:
        """Whether a string of several lines stands between two offsets, so that lines there must not be indented."""
        first = len(_NEWLINE.findall(self.text, 0, start))
        last = first + len(_NEWLINE.findall(self.text, start, end))
        return any(number not in self._brackets for number in range(first, last + 1))

    @cached_property
    def _brackets(self) -> dict[int, int]:
        return brackets_of(self.text)

    def after_trivia(self, offset: int) -> int:
        """Return the first offset from `offset` on that is no white space, newline or comment."""
        match = _TRIVIA.match(self.text, offset)
        return match.end() if match else offset
