"""One trace of a project: entry points, what they are found to copy, and the answers that are remembered."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace

from pinlint import ir
from pinlint.findings.finding import Step
from pinlint.models.model import Effect, Models
from pinlint.trace import assignments, binding, calls, classes, functions, statements
from pinlint.trace.arguments import Arguments
from pinlint.trace.changes import changes_between
from pinlint.trace.declarations import ClassDeclaration, Declaration, FunctionDeclaration, ModuleDeclaration
from pinlint.trace.events import CopyEvent, Event, Site
from pinlint.trace.frame import Frame
from pinlint.trace.joins import join, summarised, union
from pinlint.trace.log import Log
from pinlint.trace.modules import Modules
from pinlint.trace.names import Names
from pinlint.trace.observations import Observations
from pinlint.trace.project import Project
from pinlint.trace.questions import Questions
from pinlint.trace.relevance import EVENTS, relevant, relevant_names
from pinlint.trace.state import InFlight, State, join_states
from pinlint.trace.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Device,
    Function,
    Instance,
    Memory,
    Origin,
    Sequence,
    Tensor,
    Value,
)

MAX_RUNS = 600
"""Function evaluations that one entry point may cause."""
MAX_NAMED = 4
"""A method called on something unknown is looked up by name where the project has no more than this many."""
ARGUMENTS = "<arguments>"


@dataclass(frozen=True, slots=True)
class Outcome:
    """What evaluating a function gives its caller."""

    result: Value
    writes: tuple[tuple[str, Value], ...]
    receiver: Value | None
    changes: tuple[Callable[[Value], Value], ...]
    inflight: frozenset[InFlight]


class Tracer(Modules):
    """Evaluates functions of a project and logs their copies."""

    def __init__(self, project: Project) -> None:
        super().__init__(project)
        self.project = project
        self.models: Models = project.models
        self.log = Log()
        self.followed: set[Declaration] = set()
        self.followed_names: frozenset[str] = frozenset()
        self.statistics: dict[str, int] = {}
        self.questions = Questions(self.count)
        self.observations = Observations()
        self.names = Names()
        self.linearisations: dict[ClassDeclaration, tuple[ClassDeclaration, ...]] = {}
        self.class_bases: dict[ClassDeclaration, list[Value]] = {}
        self.attribute_values: dict[tuple[ClassDeclaration, str, bool], Value] = {}
        self.wanted_callers: dict[Declaration, set[FunctionDeclaration | None]] = {}
        self._constructed: dict[tuple[ClassDeclaration, str, tuple[tuple[str, Value], ...]], Value] = {}
        self._memo: dict[object, Outcome] = {}
        self._chosen: dict[tuple[object, frozenset[str], frozenset[str]], frozenset[int]] = {}
        self._runs = 0
        self.outside_writes: dict[tuple[ClassDeclaration, str], Value] = {}
        self.stream_methods = frozenset(
            name.rsplit(".", 1)[-1] for name, model in self.models.functions.items() if model.effect is Effect.RECORD
        )
        self.muted = 0
        """Above 0 in code that is expected to raise: what it would copy is not said."""
        self._set_outside: set[tuple[ModuleDeclaration, str]] = set()

    # --- entry points -------------------------------------------------------------------------------------------------

    def enter(self, declaration: FunctionDeclaration) -> None:
        """Evaluate a function for its copies, without a caller."""
        self._runs = 0
        self.questions.start()
        receiver: Value | None = None
        if declaration.owner is not None and declaration.receiver_name:
            receiver = classes.own_instance(declaration.owner)
            if declaration.kind == "class":
                receiver = UNKNOWN
        bound = binding.entry(self, declaration, receiver)
        self.run(Function(declaration), bound, None, frozenset({EVENTS}))

    def enter_module(self, module: ModuleDeclaration) -> None:
        """Evaluate a module's top level for its copies."""
        self._runs = 0
        self.questions.start()
        deps = self.module_dependences(module)
        chosen = relevant(deps, frozenset({EVENTS}), "", self.followed_names)
        frame = Frame(self, module, None, State(), chosen=chosen, wants=frozenset({EVENTS}))
        statements.run(frame, module.tree.body)
        self._evaluate_nested(frame)

    def exhausted(self) -> bool:
        return self._runs > MAX_RUNS

    # --- running functions --------------------------------------------------------------------------------------------

    def run(self, function: Function, bound: dict[str, Value], caller: Frame | None, wants: frozenset[str]) -> Outcome:
        """Evaluate a function with its parameters bound, for `wants`."""
        declaration = function.declaration
        state = self._entry_state(declaration, caller)
        key = None
        if function.scope is None:
            circumstances = (state.inflight, state.captured, state.default_device, state.accelerator)
            once = caller is not None and caller.one_shot
            key = (declaration, tuple(bound.items()), wants, circumstances, once, self.followed_names)
            known = self._memo.get(key)
            if known is not None:
                return known
        self._runs += 1
        outcome = self._evaluate(function, bound, caller, wants, state)
        if key is not None:
            self.questions.remember(self._memo, key, outcome)
        return outcome

    def _entry_state(self, declaration: FunctionDeclaration, caller: Frame | None) -> State:
        default = self.default_device(declaration.module)
        in_init = declaration.name in ("__init__", "__post_init__")
        if caller is not None:
            now = caller.live
            default = now.default_device if now.default_device is not Device.HOST else default
        if in_init and declaration.owner is not None and classes.may_be_module(self, declaration.owner):
            # A module may be built under a device context.
            default = Device.UNKNOWN
        if caller is None:
            return State(default_device=default)
        return State({}, now.inflight, now.captured, default, now.accelerator)

    def _evaluate(
        self,
        function: Function,
        bound: dict[str, Value],
        caller: Frame | None,
        wants: frozenset[str],
        state: State,
    ) -> Outcome:
        declaration = function.declaration
        chosen = self.chosen(declaration, wants)
        frame = Frame(
            self,
            declaration.module,
            declaration,
            state,
            chosen=chosen,
            wants=wants,
            parent=function.scope,
            caller=caller,
        )
        state.names.update(bound)
        given = tuple(bound.values())
        state.names[ARGUMENTS] = Sequence("tuple", given)
        statements.run(frame, declaration.body)
        fell_through = frame.state is not None
        frame.state = join_states(frame.exits, frame.state)
        result = frame.result
        if fell_through and isinstance(declaration.node, ir.FunctionDef):
            result = join(result, NONE)
        if isinstance(declaration.node, ir.FunctionDef) and declaration.node.generator:
            result = Sequence("iterator", None, frame.yields)
        if frame.state is None:
            # Every path raises.
            frame.state = State(dict(bound))
            frame.state.names[ARGUMENTS] = Sequence("tuple", given)
        self._evaluate_nested(frame)
        final = frame.live
        receiver = final.names.get(declaration.receiver_name) if declaration.receiver_name else None
        if EVENTS in wants and caller is None:
            self.log.escaping(result)
        return Outcome(
            result,
            tuple(sorted(frame.writes.items(), key=lambda item: item[0])),
            receiver,
            tuple(changes_between(Sequence("tuple", given), final.names.get(ARGUMENTS, NOTHING))),
            final.inflight,
        )

    def _evaluate_nested(self, frame: Frame) -> None:
        """Functions and lambdas defined in a function are evaluated for their copies, as anybody may call them."""
        if EVENTS not in frame.wants:
            return
        for function in list(frame.nested.values()):
            if self.may_copy(function.declaration):
                bound = binding.entry(self, function.declaration, None)
                self.run(function, bound, None, frozenset({EVENTS}))

    def chosen(self, declaration: FunctionDeclaration, wants: frozenset[str]) -> frozenset[int]:
        """The statements of a function that matter to `wants`."""
        followed = self.followed_names if EVENTS in wants else frozenset()
        key = (declaration, wants, followed)
        found = self._chosen.get(key)
        if found is None:
            found = relevant(declaration.dependences, wants, declaration.receiver_name, followed)
            self._chosen[key] = found
        return found

    def may_copy(self, declaration: FunctionDeclaration) -> bool:
        """Whether a function has copies of its own or calls one that copies what it is given."""
        deps = declaration.dependences
        return deps.copies or not self.followed_names.isdisjoint(deps.calls)

    def call(self, frame: Frame, callee: Value, positional: list[Value], node: ir.Expression) -> Value:
        """Call a value with positional arguments, as a library function does with a callback."""
        arguments = Arguments(node.span, list(positional), [node.span] * len(positional))
        return calls.call_value(frame, node, callee, arguments)

    def call_method(
        self, frame: Frame, instance: Instance, name: str, positional: list[Value], node: ir.Expression
    ) -> Value:
        declaration = classes.find_method(self, instance.declaration, name)
        if declaration is None:
            return UNKNOWN
        return self.call(frame, classes.attribute(frame, instance, name), positional, node)

    def call_property(self, frame: Frame, instance: Instance, declaration: FunctionDeclaration) -> Value:
        node = ir.Name(declaration.node.span, declaration.name)
        return functions.call_function(
            frame, node, Function(declaration, None, instance), Arguments(declaration.node.span)
        )

    # --- attributes ---------------------------------------------------------------------------------------------------

    def _question(self, function: Function, bound: dict[str, Value], wants: frozenset[str]) -> Outcome:
        """Evaluate a function for an answer that is remembered: with a budget of its own, whoever asks first."""
        runs, self._runs = self._runs, 0
        outcome = self.run(function, bound, None, wants)
        self._runs = runs
        return outcome

    def attribute_written(self, method: FunctionDeclaration, owner: ClassDeclaration, name: str) -> Value:
        """What a method assigns to an attribute of `self`, whoever calls it."""
        receiver = classes.own_instance(owner)
        bound = binding.entry(self, method, receiver)
        outcome = self._question(Function(method), bound, frozenset({name}))
        found = dict(outcome.writes).get(name, NOTHING)
        if isinstance(outcome.receiver, Instance):
            found = join(found, outcome.receiver.get(name) or NOTHING)
        return found

    def constructed_attribute(self, instance: Instance, name: str) -> Value:
        """What the constructor of a built instance sets an attribute to."""
        init = classes.find_method(self, instance.declaration, "__init__")
        if init is None:
            return NOTHING
        key = (instance.declaration, name, instance.arguments)
        return self.questions.ask(self._constructed, key, lambda: self._construct(instance, init, name))

    def _construct(self, instance: Instance, init: FunctionDeclaration, name: str) -> Value:
        bare = replace(instance, attributes=(), exact=True)
        bound = {**dict(instance.arguments), init.receiver_name: bare}
        ordered = {item.name: bound[item.name] for item in init.parameters if item.name in bound}
        outcome = self._question(Function(init), ordered, frozenset({name}))
        found = outcome.receiver.get(name) if isinstance(outcome.receiver, Instance) else None
        return found if found is not None else dict(outcome.writes).get(name, NOTHING)

    def after_post_init(self, frame: Frame, node: ir.Expression, instance: Instance) -> Value:
        """A dataclass instance after its `__post_init__`."""
        declaration = classes.find_method(self, instance.declaration, "__post_init__")
        if declaration is None:
            return instance
        wants = frozenset(declaration.dependences.attributes)
        outcome = self.run(Function(declaration), {declaration.receiver_name: instance}, frame, wants)
        return outcome.receiver if isinstance(outcome.receiver, Instance) else instance

    def written_from_outside(self, declaration: ClassDeclaration, name: str) -> Value:
        """What functions that are no methods of the class assign to an attribute of its objects."""
        for path in self.project.setting(name, declaration.module.path):
            module = self.project.module(path)
            if module is not None and (module, name) not in self._set_outside:
                self._set_outside.add((module, name))
                self.evaluate_setters(module, name)
        found = [
            value
            for (owner, attribute), value in self.outside_writes.items()
            if attribute == name and (owner is declaration or declaration in classes.linearised(self, owner))
        ]
        return union(found)

    def set_from_outside(self, declaration: ClassDeclaration, name: str, value: Value) -> None:
        """An attribute of an object of the class is set by code that is no method of it."""
        key = (declaration, name)
        self.outside_writes[key] = summarised(join(self.outside_writes.get(key, NOTHING), value))

    def never_set(self, declaration: ClassDeclaration, name: str) -> bool:
        """Whether no class of the hierarchy, all of it in the project, ever sets the attribute."""
        if classes.may_be_module(self, declaration):
            return False
        for item in classes.linearised(self, declaration):
            if name in item.fields or any(name in m.dependences.attributes for ms in item.methods.values() for m in ms):
                return False
        return not self.project.sets_attribute(name)

    def grow(self, frame: Frame, target: ir.Expression, container: Value) -> None:
        """A method puts something into an attribute of `self` whose value it does not know."""
        if not isinstance(target, ir.Attribute) or not isinstance(target.value, ir.Name):
            return
        if target.value.identifier == frame.receiver_name:
            frame.writes[target.name] = join(frame.writes.get(target.name, NOTHING), container)

    def set_buffer(self, frame: Frame, instance: Instance, name: str, value: Value) -> None:
        assignments.set_buffer(frame, instance, name, value)

    def methods_named(self, name: str) -> list[FunctionDeclaration]:
        """The followed methods of a name, for a call on something unknown; none where there are many of that name."""
        found = [item for item in self.project.functions_by_name.get(name, []) if item.owner is not None]
        if not found or len(found) > MAX_NAMED:
            return []
        return [item for item in found if item in self.followed]

    # --- what is found ------------------------------------------------------------------------------------------------

    def record(self, event: Event) -> None:
        self.log.add(event)

    def record_copy(self, event: CopyEvent, frame: Frame, origins: frozenset[Origin]) -> tuple[object, ...]:
        """Log a copy; the parameters that would decide it are asked of the callers."""
        root, wanted = frame, EVENTS in frame.wants
        while root.caller is not None:
            root = root.caller
            wanted = wanted and EVENTS in root.wants
        if not wanted or self.muted:
            # Evaluated for something else: the function is, or will be, evaluated for its copies too.
            return (event.site.path, event.site.span, event.form)
        for origin in sorted(origins, key=lambda item: (repr(item.function), item.parameter)):
            self.wanted_callers.setdefault(origin.function, set()).add(root.declaration)
            if root.declaration is not None and _builds(origin.function, root.declaration):
                # Which object it is depends on who calls the method.
                self.wanted_callers.setdefault(root.declaration, set()).add(root.declaration)
        return self.log.add_copy(event, origins, root.declaration)

    def written_in_flight(self, item: InFlight, tensor: Tensor, step: Step) -> None:
        self.log.written(item.copy, tensor, step)

    def read_in_flight(self, item: InFlight, tensor: Tensor, step: Step) -> None:
        self.log.read(item.copy, tensor.memory is Memory.PINNED, step)

    def remember_site(self, step: Step, site: Site) -> None:
        self.log.sites[(step.path, step.span)] = site

    def site_of(self, step: Step) -> Site:
        return self.log.sites[(step.path, step.span)]

    def at_module_level(self, step: Step) -> bool:
        for module in self.project.loaded():
            if module.display == step.path:
                line = step.span[0]
                return not any(
                    isinstance(function.node, ir.FunctionDef)
                    and function.node.span[0] <= line <= function.node.body_end
                    for function in module.functions
                )
        return False

    # --- callers ------------------------------------------------------------------------------------------------------

    def count(self, reason: str) -> None:
        """Count that a limit was reached."""
        self.statistics[reason] = self.statistics.get(reason, 0) + 1

    def follow(self, declarations: Iterable[Declaration]) -> None:
        """Follow calls of these functions from now on: what their callers pass decides their copies."""
        self.followed.update(declarations)
        names = set()
        for declaration in self.followed:
            if isinstance(declaration, ClassDeclaration) or declaration.name != "__init__":
                names.add(declaration.name)
            elif declaration.owner is not None:
                names.add(declaration.owner.name)
        self.followed_names = frozenset(names)

    def forget_attributes(self) -> None:
        """Answers that new callers may change are evaluated again."""
        self.attribute_values.clear()
        self._constructed.clear()
        self._memo.clear()

    def global_written(self, function: FunctionDeclaration, name: str) -> Value:
        """What a function assigns to a global name."""
        chosen = relevant_names(function.dependences, frozenset({name}))
        state = self._entry_state(function, None)
        receiver = classes.own_instance(function.owner) if function.owner is not None else None
        state.names.update(binding.entry(self, function, receiver))
        frame = Frame(self, function.module, function, state, chosen=chosen, wants=frozenset())
        statements.run(frame, function.body)
        return union(self.global_writes.pop((function.module, name), []))

    def evaluate_setters(self, module: ModuleDeclaration, name: str) -> None:
        """Evaluate the functions of a module that set an attribute of this name on something they are given."""
        for function in module.functions:
            if function.parent is None and name in function.dependences.hung:
                receiver = classes.own_instance(function.owner) if function.owner is not None else None
                state = self._entry_state(function, None)
                state.names.update(binding.entry(self, function, receiver))
                wanted = frozenset({f"{root}.{name}" for root in function.dependences.hung[name]})
                chosen = relevant_names(function.dependences, wanted)
                frame = Frame(self, module, function, state, chosen=chosen, wants=frozenset())
                statements.run(frame, function.body)


def _builds(constructor: Declaration, method: FunctionDeclaration) -> bool:
    """Whether `constructor` builds the objects that `method` is called on."""
    if method.owner is None or method is constructor:
        return False
    owner = constructor if isinstance(constructor, ClassDeclaration) else constructor.owner
    return owner is not None and (owner is method.owner or constructor.name == "__init__")
