"""Running statements: how each changes what is known."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as AbstractSequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pinlint import ir
from pinlint.models.model import Effect
from pinlint.trace import conditions, inflight, narrowing
from pinlint.trace import evaluate as evaluation
from pinlint.trace.assignments import assign, run_annotated, run_assignment, run_augmented
from pinlint.trace.calls import RAISES
from pinlint.trace.declarations import simple_statements
from pinlint.trace.inflight import may_wait
from pinlint.trace.joins import elements, join
from pinlint.trace.state import State, join_states, same_state
from pinlint.trace.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Class,
    DeviceValue,
    External,
    Function,
    Instance,
    Memory,
    Sequence,
    Tensor,
    Value,
    tensors,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame

MAX_ROUNDS = 5
"""A loop is evaluated until nothing changes, but no more often than this."""
MAX_UNROLLED = 12


def run(frame: Frame, body: AbstractSequence[ir.Statement]) -> None:
    """Run a block from the frame's state; the state is None afterwards when no path leaves the block."""
    for statement in body:
        if frame.state is None:
            return
        if id(statement) not in frame.chosen:
            if frame.state.inflight and may_wait(frame, statement):
                inflight.wait(frame)
            _leave(frame, statement)
            continue
        frame.statement = statement
        _RUNNERS[type(statement)](frame, statement)


def _leave(frame: Frame, statement: ir.Statement) -> None:
    """A statement that does not matter may still end the path."""
    if isinstance(statement, ir.Break):
        _break(frame, statement)
    elif isinstance(statement, ir.Continue):
        _continue(frame, statement)
    elif isinstance(statement, ir.Raise):
        frame.state = None
    elif isinstance(statement, ir.Return) or _always_ends(statement):
        _end(frame)
    elif isinstance(statement, ir.If | ir.With | ir.Try):
        _may_leave_loop(frame, statement)


def _may_leave_loop(frame: Frame, statement: ir.Statement) -> None:
    """A condition that does not matter may guard a `break` or `continue`."""
    inner = list(simple_statements([statement]))
    if frame.breaks and frame.state is not None and not any(isinstance(item, ir.For | ir.While) for item in inner):
        if any(isinstance(item, ir.Break) for item in inner):
            frame.breaks[-1].append(frame.state.fork())
        if any(isinstance(item, ir.Continue) for item in inner):
            frame.continues[-1].append(frame.state.fork())


def _always_ends(statement: ir.Statement) -> bool:
    """Whether a compound statement that does not matter is never left at its end, as far as its text says."""
    if isinstance(statement, ir.If):
        return _block_ends(statement.body) and _block_ends(statement.orelse)
    if isinstance(statement, ir.With):
        return _block_ends(statement.body)
    if isinstance(statement, ir.Try):
        if _block_ends(statement.finalbody):
            return True
        handled = all(_block_ends(handler.body) for handler in statement.handlers)
        return handled and (_block_ends(statement.body) or _block_ends(statement.orelse))
    return False


def _block_ends(body: AbstractSequence[ir.Statement]) -> bool:
    return any(isinstance(item, ir.Return | ir.Raise | ir.Break | ir.Continue) or _always_ends(item) for item in body)


def _end(frame: Frame) -> None:
    if frame.state is not None:
        frame.exits = join_states(frame.exits, frame.state)
    frame.state = None


def _expression(frame: Frame, node: ir.ExpressionStatement) -> None:
    evaluation.evaluate(frame, node.value)


def _return(frame: Frame, node: ir.Return) -> None:
    value = NONE if node.value is None else evaluation.evaluate(frame, node.value)
    frame.result = join(frame.result, value)
    _end(frame)


def _raise(frame: Frame, node: ir.Raise) -> None:
    # What an exception carries elsewhere is not followed.
    frame.state = None


def _assert(frame: Frame, node: ir.Assert) -> None:
    narrowing.narrow(frame, node.test, True)


def _delete(frame: Frame, node: ir.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ir.Name):
            frame.live.names.pop(target.identifier, None)


def _break(frame: Frame, node: ir.Break) -> None:
    if frame.breaks and frame.state is not None:
        frame.breaks[-1].append(frame.state)
    frame.state = None


def _continue(frame: Frame, node: ir.Continue) -> None:
    if frame.continues and frame.state is not None:
        frame.continues[-1].append(frame.state)
    frame.state = None


def _pass(frame: Frame, node: ir.Statement) -> None:
    return


def _import(frame: Frame, node: ir.Import | ir.ImportFrom) -> None:
    for name, value in frame.tracer.imported(frame.module, node):
        frame.bind(name, value)


def _if(frame: Frame, node: ir.If) -> None:
    test = conditions.condition(frame, node.test)
    decided = conditions.known_truth(test)
    before = frame.live
    outcomes: list[State | None] = []
    for body, truth in ((node.body, True), (node.orelse, False)):
        if decided is not None and decided != truth:
            continue
        frame.state = before.fork()
        narrowing.narrow(frame, node.test, truth, test)
        run(frame, body)
        outcomes.append(frame.state)
    frame.state = _meet(outcomes)


def _meet(outcomes: AbstractSequence[State | None]) -> State | None:
    result: State | None = None
    for outcome in outcomes:
        result = join_states(result, outcome)
    return result


def _while(frame: Frame, node: ir.While) -> None:
    def enter() -> None:
        test = conditions.condition(frame, node.test)
        narrowing.narrow(frame, node.test, True, test)

    def leave() -> None:
        narrowing.narrow(frame, node.test, False, conditions.condition(frame, node.test))

    _loop(frame, enter, node.body, node.orelse, leave)


def _for(frame: Frame, node: ir.For) -> None:
    value = evaluation.evaluate(frame, node.iterable)
    items = value.items if isinstance(value, Sequence) and value.rest is None else None
    if items is not None and len(items) <= MAX_UNROLLED:
        _unroll(frame, node, items)
        return

    def enter() -> None:
        element = evaluation.iterate(frame, value)
        inflight.another(frame, element)
        assign(frame, node.target, element)

    element = evaluation.iterate(frame, value)
    if element == NOTHING:
        run(frame, node.orelse)
        return
    _loop(frame, enter, node.body, node.orelse, None)


def _unroll(frame: Frame, node: ir.For, items: tuple[Value, ...]) -> None:
    """A loop over a few known values, one after the other."""
    exits: list[State | None] = []
    for item in items:
        if frame.state is None:
            break
        frame.breaks.append([])
        frame.continues.append([])
        assign(frame, node.target, item)
        run(frame, node.body)
        exits.extend(frame.breaks.pop())
        frame.state = _meet([frame.state, *frame.continues.pop()])
    if frame.state is not None:
        run(frame, node.orelse)
    frame.state = _meet([frame.state, *exits])


def _loop(
    frame: Frame,
    enter: Callable[[], None],
    body: tuple[ir.Statement, ...],
    orelse: tuple[ir.Statement, ...],
    leave: Callable[[], None] | None,
) -> None:
    """Run a loop's body until the state at its head no longer changes."""
    head = frame.live
    exits: list[State | None] = []
    for _ in range(MAX_ROUNDS):
        frame.breaks.append([])
        frame.continues.append([])
        frame.state = head.fork()
        enter()
        run(frame, body)
        exits.extend(frame.breaks.pop())
        again = _meet([frame.state, *frame.continues.pop()])
        joined = join_states(head.fork(), again)
        if joined is None or same_state(joined, head):
            break
        head = joined
    frame.state = head.fork()
    if leave is not None:
        leave()
    if frame.state is not None:
        run(frame, orelse)
    frame.state = _meet([frame.state, *exits])


def _try(frame: Frame, node: ir.Try) -> None:
    before = frame.live.fork()
    left = len(frame.breaks[-1]) if frame.breaks else 0
    run(frame, node.body)
    after = frame.state
    leaving = frame.breaks[-1][left:] if frame.breaks else []
    if frame.state is not None:
        run(frame, node.orelse)
    outcomes: list[State | None] = [frame.state]
    for handler in node.handlers:
        # An exception may come before the first or after the last statement of the body.
        frame.state = join_states(before.fork(), None if after is None else after.fork())
        if handler.name is not None and frame.state is not None:
            frame.state.names[handler.name] = UNKNOWN
        run(frame, handler.body)
        for main in (outcomes[0], *leaving):
            if frame.state is not None and main is not None:
                _mark_fallback(main, frame.state)
        outcomes.append(frame.state)
    frame.state = _meet(outcomes)
    if not node.finalbody:
        return
    if frame.state is None:
        # Every path has left already; the clean-up still runs, for its own copies.
        frame.state = before
        run(frame, node.finalbody)
        frame.state = None
    else:
        run(frame, node.finalbody)


def _mark_fallback(main: State, handler: State) -> None:
    """Pageable memory in a handler of code that pins: pinning is not possible there."""
    for name, value in main.names.items():
        other = handler.names.get(name)
        if other is None or other == value or not isinstance(value, Tensor):
            continue
        if value.memory in (Memory.PINNED, Memory.CONDITIONAL):
            fallback = {item.storage for item in tensors(other) if item.memory is Memory.PAGEABLE}
            if fallback:
                main.names[name] = replace(value, derived=value.derived | fallback)


def _with(frame: Frame, node: ir.With) -> None:
    before = (frame.live.captured, frame.live.default_device)
    for item in node.items:
        value = evaluation.evaluate(frame, item.context)
        if frame.state is None:
            return
        entered = _entered(frame, item.context, value)
        if item.target is not None:
            assign(frame, item.target, entered)
    raises = any(
        isinstance(item.context, ir.Call) and evaluation.evaluate(frame, item.context.function) == External(RAISES)
        for item in node.items
    )
    frame.tracer.muted += raises
    run(frame, node.body)
    frame.tracer.muted -= raises
    if frame.state is not None:
        frame.state.captured, frame.state.default_device = before


def _entered(frame: Frame, context: ir.Expression, value: Value) -> Value:
    """What `with value as x` binds, and what the context changes."""
    if isinstance(value, DeviceValue):
        frame.live.default_device = value.device
        return value
    if isinstance(value, External):
        model = frame.tracer.models.function(value.name)
        if model is not None and model.effect is Effect.CAPTURE:
            frame.live.captured = True
        return value
    if isinstance(value, Sequence) and value.kind == "iterator":
        # A generator function under `contextmanager`: what it yields.
        return elements(value)
    if isinstance(value, Instance):
        return frame.tracer.call_method(frame, value, "__enter__", [], context)
    return value


def _match(frame: Frame, node: ir.Match) -> None:
    subject = evaluation.evaluate(frame, node.subject)
    before = frame.live
    outcomes: list[State | None] = []
    complete = False
    for case in node.cases:
        frame.state = before.fork()
        for name in case.captures:
            frame.bind(name, UNKNOWN)
        for value in case.values:
            evaluation.evaluate(frame, value)
        if case.target is not None:
            assign(frame, case.target, subject)
        if case.guard is not None:
            narrowing.narrow(frame, case.guard, True)
        if frame.state is not None:
            run(frame, case.body)
        outcomes.append(frame.state)
        complete |= case.irrefutable
    if not complete:
        outcomes.append(before)
    frame.state = _meet(outcomes)


def _function(frame: Frame, node: ir.FunctionDef) -> None:
    declaration = frame.tracer.declaration_of(frame.module, node)
    if declaration is None:
        frame.bind(node.name, UNKNOWN)
        return
    function = Function(declaration, None if frame.declaration is None else frame)
    if frame.declaration is not None:
        frame.nested[id(node)] = function
    frame.bind(node.name, frame.tracer.decorated(frame, declaration, function))


def _class(frame: Frame, node: ir.ClassDef) -> None:
    declaration = frame.tracer.class_of(frame.module, node)
    frame.bind(node.name, UNKNOWN if declaration is None else Class(declaration))


_RUNNERS: dict[type, Callable[[Frame, Any], None]] = {
    ir.Assign: run_assignment,
    ir.AnnotatedAssign: run_annotated,
    ir.AugmentedAssign: run_augmented,
    ir.ExpressionStatement: _expression,
    ir.Return: _return,
    ir.Raise: _raise,
    ir.Assert: _assert,
    ir.Delete: _delete,
    ir.Break: _break,
    ir.Continue: _continue,
    ir.Pass: _pass,
    ir.Global: _pass,
    ir.Nonlocal: _pass,
    ir.Import: _import,
    ir.ImportFrom: _import,
    ir.If: _if,
    ir.While: _while,
    ir.For: _for,
    ir.Try: _try,
    ir.With: _with,
    ir.Match: _match,
    ir.FunctionDef: _function,
    ir.ClassDef: _class,
}
