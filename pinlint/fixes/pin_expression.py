"""Puts `.pin_memory()` behind an expression, with the parentheses that it needs."""

from __future__ import annotations

import re

import libcst as cst

from pinlint.fixes.chains import append_to_chain
from pinlint.fixes.edits import Edit
from pinlint.fixes.request import Request
from pinlint.fixes.source import Source

PIN = ".pin_memory()"

_PRIMARY = (
    cst.Name,
    cst.Attribute,
    cst.Call,
    cst.Subscript,
    cst.List,
    cst.Dict,
    cst.Set,
    cst.ListComp,
    cst.SetComp,
    cst.DictComp,
)
"""What a trailing `.name` binds to as a whole."""


def edits(request: Request) -> list[Edit]:
    """Return the edits that pin the expression at the fix's target."""
    node = request.source.expression(request.fix.target)
    start, end = request.source.range(request.fix.target)
    if isinstance(node, _PRIMARY):
        in_chain = append_to_chain(request, PIN)
        return [in_chain or Edit(end, end, _chained(request.source, node, end))]
    if node.lpar:
        closing = request.source.after_trivia(end) + 1
        return [Edit(closing, closing, PIN)]
    text = request.source.text[start:end]
    if "\n" not in text and "\r" not in text:
        return [Edit(start, start, "("), Edit(end, end, f"){PIN}")]
    return [Edit(start, end, _on_lines_of_its_own(request.source, start, text))]


def _chained(source: Source, node: cst.BaseExpression, end: int) -> str:
    """Return the text to append: on its own line where the chain has one method a line."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return PIN
    dot = source.node_range(node.func.attr)[0]
    line = source.line_start(dot)
    starts_line = source.text[line:dot].strip() == "." and not source.text[:line].rstrip("\r\n").endswith("\\")
    ends_line = not source.text[end : source.line_end(end)].strip(" \t,)")
    return source.newline(end) + source.indentation(dot) + PIN if starts_line and ends_line else PIN


def _on_lines_of_its_own(source: Source, start: int, text: str) -> str:
    """Return an expression of several lines in new parentheses, each bracket on a line of its own."""
    if source.has_long_string(start, start + len(text)) or re.search(r"\\\r?\n", text):
        return f"({text}){PIN}"
    newline, outer = source.newline(start), source.indentation(start)
    inner = re.sub(r"(\r\n?|\n)(?=[^\r\n])", lambda match: match.group() + source.unit, text)
    return f"({newline}{outer}{source.unit}{inner}{newline}{outer}){PIN}"
