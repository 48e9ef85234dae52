"""Conditions: what decides which way to go, and what comes of `and`, `or`, comparisons and `x if y else z`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.trace import evaluate as evaluation
from pinlint.trace import narrowing
from pinlint.trace.events import UncalledEvent
from pinlint.trace.joins import join, union
from pinlint.trace.memory import computed
from pinlint.trace.values import (
    NONE,
    NOTHING,
    PLAIN,
    UNKNOWN,
    Availability,
    Class,
    Constant,
    External,
    Function,
    Instance,
    Module,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def negate(value: Value) -> Value:
    """`not value`."""
    if isinstance(value, Union):
        return union(negate(item) for item in value.alternatives)
    if isinstance(value, Constant):
        return Constant(not value.value, value.assumed)
    if isinstance(value, Availability):
        return Availability(not value.negated)
    if isinstance(value, Sequence) and value.items is not None:
        return Constant(not value.items)
    if isinstance(value, Unknown):
        return Unknown(value.reason, value.origins)
    return PLAIN


def condition(frame: Frame, node: ir.Expression) -> Value:
    """The value of a condition, which only says which way to go: nothing far away is evaluated for it."""
    frame.shallow += 1
    value = truth_value(frame, node)
    frame.shallow -= 1
    return value


def truth_value(frame: Frame, node: ir.Expression) -> Value:
    """An expression in a boolean context: a method that is not called there is a mistake."""
    value = evaluation.evaluate(frame, node)
    if isinstance(node, ir.Attribute) and node.name == "is_pinned":
        receiver = evaluation.evaluate(frame, node.value)
        if any(isinstance(item, Tensor) and not item.array for item in alternatives(receiver)):
            frame.tracer.record(UncalledEvent(frame.site(node, node.name_line, node.name_column)))
            return Constant(True)
    return value


def boolean(frame: Frame, node: ir.Boolean) -> Value:
    """`and`/`or`: each operand is evaluated where the ones before it have decided nothing."""
    result: Value = NOTHING
    entry = frame.live.fork()
    for index, operand in enumerate(node.values):
        value = truth_value(frame, operand)
        last = index == len(node.values) - 1
        stops = known_truth(value)
        if last:
            result = join(result, value)
        elif stops is None:
            result = join(result, _falsy(value) if node.operator == "and" else _truthy(value))
            narrowing.narrow(frame, operand, node.operator == "and")
        elif stops == (node.operator == "or"):
            result = join(result, value)
            break
        if frame.state is None:
            break
    frame.state = entry
    return result


def known_truth(value: Value) -> bool | None:
    """Whether a value is certainly true or false; None when that depends on something unseen."""
    if isinstance(value, Union):
        found = {known_truth(item) for item in value.alternatives}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, Constant):
        return None if value.assumed else bool(value.value)
    if isinstance(value, Function | Class | Module | Instance | External):
        return True if not isinstance(value, Instance | External) else None
    return None


def _falsy(value: Value) -> Value:
    """What `value and ...` gives when it stops at `value`."""
    kept = [item for item in alternatives(value) if known_truth(item) is not True]
    return union(item for item in kept if not isinstance(item, Tensor | Instance))


def _truthy(value: Value) -> Value:
    """What `value or ...` gives when it stops at `value`."""
    return union(item for item in alternatives(value) if known_truth(item) is not False)


def compare(frame: Frame, node: ir.Compare) -> Value:
    values = [evaluation.evaluate(frame, node.left), *(evaluation.evaluate(frame, item) for item in node.comparators)]
    if len(node.operators) == 1:
        decided = _decide(node.operators[0], values[0], values[1])
        if decided is not None:
            return decided
    if node.operators[0] in ("is", "is not", "in", "not in"):
        return UNKNOWN if any(isinstance(value, Unknown) for value in values) else PLAIN
    return computed(frame, node, values, node.operators[0])


def _decide(operator: str, left: Value, right: Value) -> Value | None:
    """The result of a comparison that the values decide."""
    if operator in ("is", "is not") and right == NONE:
        possible = {item == NONE for item in alternatives(left)}
        if any(isinstance(item, Unknown) for item in alternatives(left)) or len(possible) != 1:
            return None
        same = possible.pop()
        assumed = isinstance(left, Constant) and left.assumed
        return Constant(same == (operator == "is"), assumed)
    if isinstance(left, Constant) and isinstance(right, Constant):
        if operator == "==":
            return Constant(left.value == right.value, left.assumed or right.assumed)
        if operator == "!=":
            return Constant(left.value != right.value, left.assumed or right.assumed)
    return None


def conditional(frame: Frame, node: ir.Conditional) -> Value:
    test = condition(frame, node.test)
    decided = known_truth(test)
    if decided is not None:
        return evaluation.evaluate(frame, node.body if decided else node.orelse)
    before = frame.live
    results: list[Value] = []
    states = []
    for branch, truth in ((node.body, True), (node.orelse, False)):
        frame.state = before.fork()
        narrowing.narrow(frame, node.test, truth, test)
        if frame.state is not None:
            results.append(evaluation.evaluate(frame, branch))
            states.append(frame.state)
    # A value's condition leaves nothing narrowed after it.
    frame.state = before
    for state in states:
        before.inflight |= state.inflight
    return union(results)
