"""Puts `.pin_memory()` behind an expression, with the parentheses that it needs."""

from __future__ import annotations

import re

import libcst as cst

from pinlint import ir
from pinlint.fixes.chains import append_to_chain
from pinlint.fixes.edits import CannotFix, Edit
from pinlint.fixes.line import at_operators, joined_line
from pinlint.fixes.lookup import find
from pinlint.fixes.request import Request
from pinlint.fixes.source import Source
from pinlint.fixes.tokens import line_tokens

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
    found = find(request.source.module, request.fix.target, ir.Node)
    if found is not None and found.is_annotation:
        raise CannotFix("an annotation is no value that could be pinned")
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
    return [Edit(start, end, _in_parentheses(request, start, end))]


def _chained(source: Source, node: cst.BaseExpression, end: int) -> str:
    """Return the text to append: on its own line where the chain has one method a line."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return PIN
    dot = source.node_range(node.func.attr)[0]
    line = source.line_start(dot)
    starts_line = source.text[line:dot].strip() == "." and not source.text[:line].rstrip("\r\n").endswith("\\")
    ends_line = not source.text[end : source.line_end(end)].strip(" \t,)")
    return source.newline(end) + source.indentation(dot) + PIN if starts_line and ends_line else PIN


def _in_parentheses(request: Request, start: int, end: int) -> str:
    """Return an expression of several lines in new parentheses, on lines of its own where it needs them."""
    source, text = request.source, request.source.text[start:end]
    if source.has_long_string(start, end) or re.search(r"\\\r?\n", text):
        return f"({text}){PIN}"
    newline, outer = source.newline(start), source.indentation(start)
    before = source.text[source.line_start(start) : start]
    after = source.text[end : source.line_end(end)]
    joined = joined_line(text)
    if joined is not None and len(f"{before}({joined}){PIN}{after}") <= request.limit:
        return f"({joined}){PIN}"
    lines = _lines(source, text, joined, request.limit - len(outer + source.unit))
    inner = "".join(f"{newline}{outer}{source.unit}{line}" for line in lines)
    return f"({inner}{newline}{outer}){PIN}"


def _lines(source: Source, text: str, joined: str | None, room: int) -> list[str]:
    """Return the lines of an expression in parentheses: one, or one an operand, or the lines that it has."""
    if joined is not None and len(joined) <= room:
        return [joined]
    operands = at_operators(joined, line_tokens(joined)) if joined is not None else None
    if operands and max(map(len, operands)) <= room:
        return operands
    return [re.sub(r"(\r\n?|\n)(?=[^\r\n])", lambda match: match.group() + source.unit, text)]
