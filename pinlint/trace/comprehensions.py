"""Comprehensions and generator expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pinlint import ir
from pinlint.trace import assignments, conditions, narrowing
from pinlint.trace import evaluate as evaluation
from pinlint.trace.joins import join
from pinlint.trace.values import NOTHING, Constant, Mapping, Sequence, Value

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def comprehension(frame: Frame, node: ir.Comprehension) -> Value:
    """A comprehension: its targets are local to it, the rest of the state is the frame's."""
    before = frame.live
    frame.state = before.fork()
    exact = _unrolled(frame, node)
    element: Value = NOTHING
    key: Value = NOTHING
    if exact is None:
        frame.state = before.fork()
        _run_generators(frame, node)
        if frame.state is not None:
            if node.key is not None:
                key = evaluation.evaluate(frame, node.key)
            element = evaluation.evaluate(frame, node.element)
    inflight = before.inflight if frame.state is None else frame.state.inflight
    frame.state = before
    before.inflight = inflight
    if exact is not None:
        return exact
    if node.kind == "dict":
        if isinstance(key, Constant):
            return Mapping(((key.value, element),), element, frame.storage(node.span))
        return Mapping((), element, frame.storage(node.span))
    kind = "iterator" if node.kind == "generator" else node.kind
    return Sequence(kind, None, element, frame.storage(node.span))


def _run_generators(frame: Frame, node: ir.Comprehension) -> None:
    """Bind the targets of a comprehension; no state is left when its conditions are never met."""
    for generator in node.generators:
        assignments.assign(
            frame, generator.target, evaluation.iterate(frame, evaluation.evaluate(frame, generator.iterable))
        )
        for test in generator.conditions:
            conditions.truth_value(frame, test)
            narrowing.narrow(frame, test, True)
            if frame.state is None:
                return


def _unrolled(frame: Frame, node: ir.Comprehension) -> Value | None:
    """A comprehension over one short known sequence or dict, element by element; None when it is not one."""
    if len(node.generators) != 1 or node.generators[0].conditions:
        return None
    generator = node.generators[0]
    source = evaluation.evaluate(frame, generator.iterable)
    if not isinstance(source, Sequence) or source.items is None or not 0 < len(source.items) <= evaluation.MAX_ITEMS:
        return None
    items: list[Value] = []
    pairs: dict[Any, Value] = {}
    rest: Value | None = None
    for item in source.items:
        assignments.assign(frame, generator.target, item)
        if node.key is not None:
            key = evaluation.evaluate(frame, node.key)
            value = evaluation.evaluate(frame, node.element)
            if isinstance(key, Constant):
                pairs[key.value] = value
            else:
                rest = value if rest is None else join(rest, value)
        else:
            items.append(evaluation.evaluate(frame, node.element))
    identity = frame.storage(node.span)
    if node.kind == "dict":
        return Mapping(tuple(pairs.items()), rest, identity)
    kind = "iterator" if node.kind == "generator" else node.kind
    return Sequence(kind, tuple(items), None, identity)
