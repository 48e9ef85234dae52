"""The patterns of a `match` statement, reduced to what the flow of values needs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import libcst as cst

from pinlint import ir
from pinlint.lower.expressions import Context, expression


@dataclass(slots=True)
class _Parts:
    """What a pattern binds and what it compares with."""

    captures: list[str] = field(default_factory=list)
    values: list[ir.Expression] = field(default_factory=list)


def case(context: Context, node: cst.MatchCase, body: tuple[ir.Statement, ...]) -> ir.Case:
    """Lower one `case` whose body is lowered already."""
    pattern = node.pattern
    guard = None if node.guard is None else expression(context, node.guard)
    irrefutable = guard is None and isinstance(pattern, cst.MatchAs) and pattern.pattern is None
    if isinstance(pattern, cst.MatchAs) and pattern.pattern is None and pattern.name is None:
        return ir.Case(None, (), (), guard, body, irrefutable)
    target = _target(context, pattern)
    if target is not None:
        return ir.Case(target, (), (), guard, body, irrefutable)
    parts = _Parts()
    _collect(context, pattern, parts)
    return ir.Case(None, tuple(parts.captures), tuple(parts.values), guard, body, irrefutable)


def _target(context: Context, node: cst.CSTNode) -> ir.Expression | None:
    """The pattern as an assignment target, None when it does more than capture; `_` is a target named `_`."""
    if isinstance(node, cst.MatchAs) and node.pattern is None:
        if node.name is None:
            return ir.Name(context.span(node), "_")
        return ir.Name(context.span(node.name), node.name.value)
    if isinstance(node, cst.MatchStar):
        name = ir.Name(context.span(node), "_") if node.name is None else expression(context, node.name)
        return ir.Starred(context.span(node), name)
    if isinstance(node, cst.MatchTuple | cst.MatchList):
        elements = [
            _target(context, each.value if isinstance(each, cst.MatchSequenceElement) else each)
            for each in node.patterns
        ]
        known = tuple([each for each in elements if each is not None])
        if len(known) == len(elements):
            return ir.Display(context.places.span(node), "tuple" if isinstance(node, cst.MatchTuple) else "list", known)
    return None


def _collect(context: Context, node: cst.CSTNode, parts: _Parts) -> None:
    """Gather the captures and the compared values of a pattern, in the order of the source."""
    if isinstance(node, cst.MatchValue | cst.MatchSingleton):
        parts.values.append(expression(context, node.value))
    elif isinstance(node, cst.MatchAs):
        if node.pattern is not None:
            _collect(context, node.pattern, parts)
        _capture(node.name, parts)
    elif isinstance(node, cst.MatchStar):
        _capture(node.name, parts)
    elif isinstance(node, cst.MatchClass):
        parts.values.append(expression(context, node.cls))
        _collect_all(context, [*(each.value for each in node.patterns), *(each.pattern for each in node.kwds)], parts)
    elif isinstance(node, cst.MatchMapping):
        for element in node.elements:
            parts.values.append(expression(context, element.key))
            _collect(context, element.pattern, parts)
        _capture(node.rest, parts)
    else:
        _collect_all(context, _subpatterns(node), parts)


def _collect_all(context: Context, nodes: Iterable[cst.CSTNode], parts: _Parts) -> None:
    for node in nodes:
        _collect(context, node, parts)


def _subpatterns(node: cst.CSTNode) -> Sequence[cst.CSTNode]:
    if isinstance(node, cst.MatchOr):
        return [each.pattern for each in node.patterns]
    if isinstance(node, cst.MatchTuple | cst.MatchList):
        return [each.value if isinstance(each, cst.MatchSequenceElement) else each for each in node.patterns]
    raise TypeError(f"unknown pattern {type(node).__name__}")


def _capture(name: cst.Name | None, parts: _Parts) -> None:
    if name is not None and name.value not in parts.captures:  # both sides of `|` bind the same names
        parts.captures.append(name.value)
