"""One running function, as the interpreter sees it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Role, Step
from pinlint.trace.events import Site
from pinlint.trace.state import State
from pinlint.trace.values import NOTHING, Function, Storage, Value

if TYPE_CHECKING:
    from pinlint.trace.declarations import FunctionDeclaration, ModuleDeclaration
    from pinlint.trace.log import Key
    from pinlint.trace.tracer import Tracer


class Frame:
    """The interpreter's view of a function (or a module's top level) while it is evaluated."""

    def __init__(
        self,
        tracer: Tracer,
        module: ModuleDeclaration,
        declaration: FunctionDeclaration | None,
        state: State,
        *,
        chosen: frozenset[int],
        wants: frozenset[str],
        parent: Frame | None = None,
        caller: Frame | None = None,
    ) -> None:
        self.tracer = tracer
        self.module = module
        self.declaration = declaration
        self.state: State | None = state
        self.chosen = chosen
        self.wants = wants
        self.parent = parent
        self.caller = caller
        self.depth: int = 0 if caller is None else caller.depth + 1
        self.qualified_name = "" if declaration is None else declaration.qualified_name
        self.statement: ir.Statement | None = None
        self.result: Value = NOTHING
        self.exits: State | None = None
        self.yields: Value = NOTHING
        self.breaks: list[list[State]] = []
        self.continues: list[list[State]] = []
        self.receiver: Value | None = None
        self.receiver_name = "" if declaration is None else declaration.receiver_name
        self.writes: dict[str, Value] = {}
        self.nested: dict[int, Function] = {}
        self.globals: set[str] = set()
        self.nonlocals: set[str] = set()
        if declaration is not None:
            self.globals, self.nonlocals = tracer.names.shared(declaration)
        self.last_copy: Key = ()
        """The copy that was recorded last, as the log knows it."""
        self.shallow = 0
        """Above 0 while a condition is evaluated."""

    @property
    def live(self) -> State:
        """The current state; callers only ask on a path that is taken."""
        if self.state is None:
            raise AssertionError("no path is taken here")
        return self.state

    @property
    def one_shot(self) -> bool:
        """Whether the code runs once: at module level, or while an object is built."""
        frame: Frame | None = self
        while frame is not None:
            if frame.declaration is None or frame.declaration.name in ("__init__", "__post_init__", "__new__"):
                return True
            frame = frame.caller
        return False

    @property
    def lines(self) -> tuple[int, int]:
        """First and last line of the statement that is being evaluated."""
        if self.statement is None:
            return (1, 1)
        span = self.statement.span
        return (span[0], span[2])

    def step(self, span: ir.Span, role: Role, message: str, callee: str = "") -> Step:
        return Step(self.module.display, span, self.lines, role, message, callee)

    def storage(self, span: ir.Span) -> Storage:
        return Storage(self.module.display, span)

    def site(self, node: ir.Expression, line: int = 0, column: int = -1) -> Site:
        return Site(
            self.module.display,
            node.span,
            line or node.span[0],
            column if column >= 0 else node.span[1],
            self.lines,
            self.qualified_name,
        )

    def change(self, function: Callable[[Value], Value]) -> None:
        """Apply a change in place to every value that this function and those around it can reach."""
        frame: Frame | None = self
        while frame is not None:
            if frame.state is not None:
                frame.state.change(function)
            frame = frame.parent

    def bind(self, name: str, value: Value) -> None:
        if name in self.globals:
            self.tracer.global_writes.setdefault((self.module, name), []).append(value)
        if name in self.nonlocals:
            scope = self.parent
            while scope is not None:
                if scope.state is not None and name in scope.state.names:
                    scope.state.names[name] = value
                    return
                scope = scope.parent
        self.live.names[name] = value

    def __repr__(self) -> str:
        return f"<frame {self.module.display} {self.qualified_name}>"


MAX_STEPS = 12


def bounded(steps: tuple[Step, ...]) -> tuple[Step, ...]:
    """At most MAX_STEPS steps: the first ones and the last ones, and none that views the same memory in between."""
    if len(steps) <= MAX_STEPS:
        return steps
    for index in range(1, len(steps) - 1):
        if steps[index].role is Role.VIEWED:
            return bounded(steps[:index] + steps[index + 1 :])
    return steps[:4] + steps[len(steps) - (MAX_STEPS - 4) :]
