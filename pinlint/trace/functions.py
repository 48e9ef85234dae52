"""Calls of the project's own functions: which are followed, with what, and what comes back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Role, Step
from pinlint.trace import binding, inflight
from pinlint.trace.arguments import Arguments
from pinlint.trace.declarations import FunctionDeclaration
from pinlint.trace.foreign import unread
from pinlint.trace.frame import bounded
from pinlint.trace.relevance import CHANGES, EVENTS, RESULT
from pinlint.trace.state import transform
from pinlint.trace.values import (
    Device,
    Function,
    Instance,
    Mapping,
    Sequence,
    Storage,
    Tensor,
    Unknown,
    Value,
    tensors,
    walk,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


MAX_DEPTH = 10
"""Calls nested deeper than this are unknown."""
MAX_THROUGH = 4
"""Of the calls that an allocation was reached through, no more are told apart."""
MAX_SHALLOW = 3
"""Functions with more statements are not followed for a condition."""


def call_function(frame: Frame, node: ir.Expression, function: Function, arguments: Arguments) -> Value:
    """Evaluate a function of the project with these arguments."""
    declaration, tracer = function.declaration, frame.tracer
    reason = _refusal(frame, declaration)
    if reason:
        tracer.count(reason)
        return unread(Unknown(reason), arguments)
    bound = binding.bind(frame, function, arguments)
    wants = {RESULT}
    may_copy = tracer.may_copy(declaration)
    if may_copy:
        wants.add(EVENTS)
    if frame.receiver_name and _is_own_receiver(frame, function):
        wants |= {want for want in frame.wants if not want.startswith("<")}
    if declaration.dependences.changes and _changeable(bound):
        wants.add(CHANGES)
    if declaration in tracer.followed:
        tracer.observations.observe(declaration, bound)
    passed = _passed(frame, node, function, bound) if may_copy else bound
    outcome = tracer.run(function, passed, frame, frozenset(wants))
    for change in outcome.changes:
        frame.change(change)
    frame.live.inflight = outcome.inflight
    if EVENTS not in wants and frame.live.inflight and not _waits_never(frame, declaration):
        # Only what matters to the result was evaluated; the rest may wait.
        inflight.wait(frame)
    result = _returned(frame, node, outcome.result, bound)
    inflight.another(frame, _only_fresh(result, bound))
    return result


def _waits_never(frame: Frame, declaration: FunctionDeclaration) -> bool:
    return not any(inflight.may_wait(frame, statement) for statement in declaration.body)


def _only_fresh(result: Value, bound: dict[str, Value]) -> Value:
    """The tensors of a result that the callee allocated."""
    given = {item.storage for value in bound.values() for item in tensors(value)}
    return Sequence("tuple", tuple(item for item in tensors(result) if item.storage not in given))


def _changeable(bound: dict[str, Value]) -> bool:
    """Whether an argument is an object that the callee can change in place."""
    return any(
        isinstance(item, Sequence | Mapping | Instance) and item.identity is not None
        for value in bound.values()
        for item in walk(value, 2)
    )


def _refusal(frame: Frame, declaration: FunctionDeclaration) -> str:
    """Why a call is not followed, "" when it is."""
    if frame.depth >= MAX_DEPTH:
        return "calls nested too deeply"
    if _replaces_code(frame):
        return "a test that replaces functions"
    if frame.shallow and len(declaration.body) > MAX_SHALLOW:
        return "a call in a condition"
    current: Frame | None = frame
    while current is not None:
        if current.declaration is declaration:
            return "a recursive call"
        current = current.caller
    if frame.tracer.exhausted():
        return "too many calls from one function"
    return ""


def _replaces_code(frame: Frame) -> bool:
    """Whether a test replaces functions (`monkeypatch` or `mocker`): what is called is not what stands there."""
    root = frame
    while root.caller is not None:
        root = root.caller
    return root.declaration is not None and any(
        parameter.name in ("monkeypatch", "mocker") for parameter in root.declaration.parameters
    )


def _is_own_receiver(frame: Frame, function: Function) -> bool:
    own = frame.live.names.get(frame.receiver_name)
    return (
        isinstance(function.receiver, Instance)
        and isinstance(own, Instance)
        and own.identity is not None
        and own.identity == function.receiver.identity
    )


def _passed(frame: Frame, node: ir.Expression, function: Function, bound: dict[str, Value]) -> dict[str, Value]:
    """The arguments with a step that says where they were passed."""
    name = function.declaration.name
    step = frame.step(node.span, Role.PASSED, f"passed to `{name}`", name)
    frame.tracer.remember_site(step, frame.site(node, *_name_place(node)))

    def change(value: Value) -> Value:
        if isinstance(value, Tensor) and value.device is Device.HOST and not value.persistent:
            return replace(value, steps=bounded((*value.steps, step)))
        return value

    receiver = function.declaration.receiver_name
    return {key: value if key == receiver else transform(value, change, 3) for key, value in bound.items()}


def _name_place(node: ir.Expression) -> tuple[int, int]:
    if isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute):
        return node.function.name_line, node.function.name_column
    return 0, -1


def _returned(frame: Frame, node: ir.Expression, result: Value, bound: dict[str, Value]) -> Value:
    """A callee's result in the caller: what the callee allocated is told apart by this call."""
    given = {item.storage for value in bound.values() for item in tensors(value)}
    display = frame.module.display

    def tag(storage: Storage) -> Storage:
        return replace(storage, through=(node.span, *storage.through)[:MAX_THROUGH])

    def change(value: Value) -> Value:
        if isinstance(value, Tensor):
            steps = _unpassed(value.steps, display, node.span)
            fresh = value.storage not in given and not value.persistent
            storage = tag(value.storage) if fresh else value.storage
            return value if steps is value.steps and not fresh else replace(value, steps=steps, storage=storage)
        return value

    return transform(result, change)


def _unpassed(steps: tuple[Step, ...], display: str, span: ir.Span) -> tuple[Step, ...]:
    """Steps without the one that passed the value into the call that has now returned."""
    if not any(step.role is Role.PASSED for step in steps):
        return steps
    return tuple(
        step for step in steps if not (step.role is Role.PASSED and step.span == span and step.path == display)
    )
