"""Writes a chain of method calls that a fix has made longer with one method a line, as formatters do."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pinlint import ir
from pinlint.fixes.edits import Edit
from pinlint.fixes.line import joined_line
from pinlint.fixes.lookup import Found, find
from pinlint.fixes.request import Request
from pinlint.fixes.source import Source
from pinlint.fixes.splitting import left_alone
from pinlint.fixes.tokens import CLOSING


def append_to_chain(request: Request, method: str) -> Edit | None:
    """Return the edit that appends `method` to the target in an assignment or `return` of several lines.

    None where the statement is no chain of at least two methods on results of calls, and where its lines must stay.
    """
    source = request.source
    found = find(source.module, request.fix.target, ir.Node)
    value = None if found is None else _value_of(found.statement)
    if found is None or value is None:
        return None
    start, end = source.range(value.span)
    target_end = source.range(request.fix.target)[1]
    dots = _dots(source, value, found)
    following = next((dot for dot in dots or () if dot >= target_end), end)
    if not dots or source.text[target_end:following].strip() or not _may_be_moved(source, found, start, end):
        return None
    segments = [source.text[first:last].strip() for first, last in zip([start, *dots], [*dots, end], strict=True)]
    place = sum(dot < target_end for dot in dots) + 1
    return _written(request, start, end, [*segments[:place], method, *segments[place:]])


def _value_of(statement: ir.Statement) -> ir.Expression | None:
    return statement.value if isinstance(statement, ir.Assign | ir.AnnotatedAssign | ir.Return) else None


def _dots(source: Source, value: ir.Expression, found: Found) -> list[int] | None:
    """Return the offsets of the dots in a chain that follow a bracket, None when the target is not in it."""
    dots = []
    node: ir.Expression = value
    reached = False
    while True:
        reached |= node is found.node
        if isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute):
            dot = source.text.rindex(".", 0, source.offset(node.function.name_line, node.function.name_column))
            if source.text[:dot].rstrip()[-1:] in CLOSING:
                dots.append(dot)
            node = node.function.value
        elif isinstance(node, ir.Attribute | ir.Subscript):
            node = node.value
        else:
            return dots[::-1] if reached else None


def _may_be_moved(source: Source, found: Found, start: int, end: int) -> bool:
    """Whether the value stands on several lines, without parentheses around it, and may be indented anew."""
    text = source.text[start:end]
    before = source.text[source.line_start(start) : start].rstrip()
    return (
        ("\n" in text or "\r" in text)
        and re.search(r"\\\r?\n", text) is None
        and before.endswith(("=", "return"))
        and source.starts_line(source.range(found.statement.span)[0])
        and found.statement.span[0] - 1 not in left_alone(source.text)
        and not source.has_long_string(start, end)
    )


def _written(request: Request, start: int, end: int, segments: list[str]) -> Edit:
    source = request.source
    newline, outer = source.newline(start), source.indentation(start)
    indent = outer + source.unit
    joined = [joined_line(segment) for segment in segments]
    on_one_line = indent + "".join(each or "" for each in joined)
    if all(joined) and len(on_one_line) <= request.limit:
        lines = [on_one_line]
    else:
        lines = [indent + line for line in _lines(source, segments, joined, request.limit - len(indent))]
    return Edit(start, end, f"({newline}{newline.join(lines)}{newline}{outer})")


def _lines(source: Source, segments: list[str], joined: list[str | None], room: int) -> Iterator[str]:
    for segment, short in zip(segments, joined, strict=True):
        if short is not None and len(short) <= room:
            yield short
        else:
            yield re.sub(r"(\r\n?|\n)(?=[^\r\n])", lambda match: match.group() + source.unit, segment)
