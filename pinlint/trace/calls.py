"""Calls: who is called with what, and what comes back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Role, Step
from pinlint.models.model import Effect, FunctionModel
from pinlint.trace import attributes, binding, classes, containers, copies, effects, foreign, python_builtins, uses
from pinlint.trace import evaluate as evaluation
from pinlint.trace.arguments import Arguments
from pinlint.trace.declarations import ClassDeclaration, FunctionDeclaration
from pinlint.trace.frame import bounded
from pinlint.trace.loaders import batch, batch_method
from pinlint.trace.memory import allocated, known_plain
from pinlint.trace.relevance import EVENTS, RESULT, registered_attribute
from pinlint.trace.state import transform
from pinlint.trace.values import (
    NONE,
    NOTHING,
    PLAIN,
    UNKNOWN,
    Class,
    Device,
    External,
    Function,
    Instance,
    Loader,
    Mapping,
    Memory,
    Method,
    ModelMethod,
    Network,
    Partial,
    Sequence,
    Storage,
    Tensor,
    Union,
    Unknown,
    Value,
    elements,
    tensors,
    union,
    walk,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame

MAX_DEPTH = 10
"""Calls nested deeper than this are unknown."""
MAX_THROUGH = 4
RAISES = "pytest.raises"
"""The context whose body is expected not to reach its end."""
MAX_SHALLOW = 3
"""Functions with more statements are not followed for a condition."""


def evaluate_call(frame: Frame, node: ir.Call) -> Value:
    function = node.function
    if isinstance(function, ir.Attribute):
        if _is_super(function.value):
            return _call_super(frame, node, function.name)
        receiver = evaluation.evaluate(frame, function.value)
        arguments = evaluation.evaluate_arguments(frame, node)
        return call_attribute(frame, node, receiver, function, arguments)
    callee = evaluation.evaluate(frame, function)
    arguments = evaluation.evaluate_arguments(frame, node)
    return call_value(frame, node, callee, arguments)


def call_attribute(frame: Frame, node: ir.Call, receiver: Value, function: ir.Attribute, arguments: Arguments) -> Value:
    """`receiver.name(...)`."""
    if receiver == NOTHING and function.name in ("append", "add", "insert", "appendleft") and arguments.positional:
        frame.tracer.grow(frame, function.value, Sequence("list", None, arguments.positional[-1]))
        return NONE
    if isinstance(receiver, Union):
        model = _copy_model(frame, receiver, function.name)
        if model is not None:
            # One copy, whichever of the possibilities it is: one verdict.
            return effects.apply(frame, node, model, receiver, arguments)
        return union(
            call_attribute(frame, node, item, function, arguments) for item in receiver.alternatives if item != NONE
        )
    if isinstance(receiver, Sequence | Mapping):
        return containers.call_method(frame, node, receiver, function.name, arguments)
    if isinstance(receiver, Tensor) and receiver.loader:
        part = batch_method(receiver, function.name)
        if part is not None:
            return part
    if isinstance(receiver, Network):
        return _call_network(frame, node, receiver, function.name, arguments)
    if isinstance(receiver, Loader):
        return receiver if function.name == "__iter__" else UNKNOWN
    if isinstance(receiver, Unknown):
        return _call_unknown(frame, node, receiver, function, arguments)
    if known_plain(receiver):
        return python_builtins.plain_method(function.name)
    callee = attributes.read_name(frame, receiver, function.name, function)
    if isinstance(receiver, Instance) and isinstance(callee, Unknown):
        return _call_unseen_method(frame, node, receiver, function, arguments, callee)
    return call_value(frame, node, callee, arguments)


_COPIES = (Effect.TO, Effect.MOVE, Effect.COPY, Effect.TYPE)


def _copy_model(frame: Frame, receiver: Union, name: str) -> FunctionModel | None:
    """The model of a copying method where every possibility of the receiver is a tensor or unknown."""
    if not all(isinstance(item, Tensor | Unknown) or item == NONE for item in receiver.alternatives):
        return None
    model = frame.tracer.models.method("torch.Tensor", name)
    return model if model is not None and model.effect in _COPIES else None


def _call_unknown(
    frame: Frame, node: ir.Call, receiver: Unknown, function: ir.Attribute, arguments: Arguments
) -> Value:
    """A method of something unknown: a tensor's method says what it returns all the same."""
    callee = attributes.read_name(frame, receiver, function.name, function)
    if isinstance(callee, ModelMethod):
        return effects.apply(frame, node, callee.model, receiver, arguments)
    if not isinstance(callee, Unknown):
        return call_value(frame, node, callee, arguments)
    dynamic = frame.tracer.methods_named(function.name)
    for declaration in dynamic:
        # The class of the receiver is unknown; the few methods of that name in the project are the candidates.
        call_function(frame, node, Function(declaration, None, UNKNOWN), arguments)
    foreign.hand_over(frame, arguments)
    return unread(receiver, arguments)


def _call_unseen_method(
    frame: Frame,
    node: ir.Call,
    receiver: Instance,
    function: ir.Attribute,
    arguments: Arguments,
    callee: Unknown,
) -> Value:
    """A method that a base class outside the project must have: `Module.to` returns the module."""
    named = registered_attribute(node)
    if named:
        value = arguments.find("tensor", ("name", "tensor")) or arguments.find("param", ("name", "param")) or UNKNOWN
        frame.tracer.set_attribute(frame, receiver, named, value)
        return NONE
    model = frame.tracer.models.method("torch.nn.Module", function.name)
    if model is not None and model.effect in (Effect.TO, Effect.MOVE):
        return effects.apply(frame, node, model, Unknown("a module whose parameters' memory is not known"), arguments)
    return unread(callee, arguments)


def unread(callee: Unknown, arguments: Arguments) -> Unknown:
    """The result of code that can't be read: it may be, or may hold, any of its arguments."""
    taints = frozenset(tensor.storage for value in arguments.values() for tensor in tensors(value))
    origins = frozenset(
        origin
        for value in arguments.values()
        for item in walk(value)
        if isinstance(item, Unknown | Tensor)
        for origin in item.origins
    )
    return Unknown(callee.reason or "the result of a call that pinlint can't read", callee.origins | origins, taints)


def call_value(frame: Frame, node: ir.Expression, callee: Value, arguments: Arguments) -> Value:
    """Call any value."""
    if isinstance(callee, Union):
        return union(call_value(frame, node, item, arguments) for item in callee.alternatives if item != NONE)
    if isinstance(callee, Function):
        return call_function(frame, node, callee, arguments)
    if isinstance(callee, ModelMethod):
        return effects.apply(frame, node, callee.model, callee.receiver, arguments)
    if isinstance(callee, External):
        return call_external(frame, node, callee.name, arguments)
    if isinstance(callee, Class):
        return construct(frame, node, callee.declaration, arguments)
    if isinstance(callee, Partial):
        return call_value(frame, node, callee.function, _with_leading(arguments, callee))
    if isinstance(callee, Method):
        if isinstance(callee.receiver, Sequence | Mapping):
            return containers.call_method(frame, node, callee.receiver, callee.name, arguments)
        return UNKNOWN
    if isinstance(callee, Instance):
        return _call_instance(frame, node, callee, arguments)
    if isinstance(callee, Unknown):
        return unread(callee, arguments)
    return UNKNOWN


def _with_leading(arguments: Arguments, partial: Partial) -> Arguments:
    return replace(
        arguments,
        positional=[*partial.arguments, *arguments.positional],
        spans=[*([arguments.span] * len(partial.arguments)), *arguments.spans],
        keywords={**dict(partial.keywords), **arguments.keywords},
    )


def _call_instance(frame: Frame, node: ir.Expression, callee: Instance, arguments: Arguments) -> Value:
    for name in ("__call__", "forward"):
        declaration = classes.find_method(frame.tracer, callee.declaration, name)
        if declaration is not None:
            method = classes.attribute(frame, callee, name)
            return call_value(frame, node, method, arguments)
    return unread(UNKNOWN, arguments)


def call_external(frame: Frame, node: ir.Expression, name: str, arguments: Arguments) -> Value:
    """A function or class outside the project."""
    tracer = frame.tracer
    if name == "pinlint.identity":
        return arguments.positional[0] if arguments.positional else UNKNOWN
    model = tracer.models.function(name)
    if model is not None:
        receiver = None
        if model.source == "self" and name.startswith(("torch.Tensor.", "numpy.ndarray.")) and arguments.positional:
            receiver, arguments = arguments.positional[0], _without_first(arguments)
        return effects.apply(frame, node, model, receiver, arguments)
    builtin = python_builtins.FUNCTIONS.get(name)
    if builtin is not None:
        return builtin(frame, node, arguments)
    if name.startswith("torch.nn.") and name.rsplit(".", 1)[-1][:1].isupper():
        return _network(frame, node, arguments)
    if tracer.has_members(name) or name == RAISES:
        # `torch.cuda.Event()`: its methods are modelled under the name of what was called.
        return External(name)
    if name.startswith("numpy.") and name.count(".") == 1:
        return allocated(frame, node.span, name, array=True)
    foreign.hand_over(frame, arguments)
    result = unread(UNKNOWN, arguments)
    return replace(result, reason=f"the result of `{name}`, which pinlint has no model of")


def _without_first(arguments: Arguments) -> Arguments:
    return replace(arguments, positional=arguments.positional[1:], spans=arguments.spans[1:])


def _network(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    given = arguments.keywords.get("device")
    device = frame.live.default_device if given is None else Device.UNKNOWN
    for value in arguments.positional:
        if any(isinstance(item, Unknown | Network | Instance) for item in walk(value)):
            # It may hold modules that are somewhere else already.
            device = Device.UNKNOWN
    step = frame.step(node.span, Role.ALLOCATED, "the module's parameters are allocated in pageable memory here")
    return Network(device, Memory.PAGEABLE, (step,), frame.storage(node.span))


def _call_network(frame: Frame, node: ir.Call, receiver: Network, name: str, arguments: Arguments) -> Value:
    """A module moves in place."""
    model = frame.tracer.models.method("torch.nn.Module", name)
    if model is not None and model.effect in (Effect.TO, Effect.MOVE):
        before = effects.apply(frame, node, model, receiver, arguments)
        use = uses.Use(frame, node, model, receiver, arguments)
        device = copies.target_device(use)
        if device is not None:
            moved = _moved_network(frame, node, receiver, device)
            frame.change(
                lambda value: moved if isinstance(value, Network) and value.identity == receiver.identity else value
            )
            return moved
        return before
    if name in ("eval", "train", "requires_grad_", "float", "half", "bfloat16", "double", "apply", "share_memory"):
        return receiver
    if name in ("parameters", "buffers", "children", "modules"):
        return Sequence("iterator", None, _parameter(receiver))
    return UNKNOWN


def _moved_network(frame: Frame, node: ir.Call, receiver: Network, device: Device) -> Network:
    message = "the module's parameters are moved to pageable memory here"
    if device is not Device.HOST:
        message = "the module's parameters are moved to the device here"
    step = frame.step(node.span, Role.ALLOCATED, message)
    memory = Memory.PAGEABLE if device is Device.HOST else Memory.UNKNOWN
    return replace(receiver, device=device, memory=memory, steps=(step,))


def _parameter(receiver: Network) -> Tensor:
    return Tensor(receiver.device, receiver.memory, receiver.identity, receiver.steps, persistent=True)


# --- functions of the project -----------------------------------------------------------------------------------------


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
    if declaration in tracer.followed:
        tracer.observe(declaration, bound)
    passed = _passed(frame, node, function, bound) if may_copy else bound
    outcome = tracer.run(function, passed, frame, frozenset(wants))
    for change in outcome.changes:
        frame.change(change)
    frame.live.inflight = outcome.inflight
    return _returned(frame, node, outcome.result, bound)


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


def construct(frame: Frame, node: ir.Expression, declaration: ClassDeclaration, arguments: Arguments) -> Value:
    """An instance of a project's class, with what its constructor sets (evaluated when it is read)."""
    tracer = frame.tracer
    identity = frame.storage(node.span)
    fields = classes.field_names(tracer, declaration)
    init = classes.find_method(tracer, declaration, "__init__")
    if init is None and fields is not None:
        return _construct_data(frame, node, declaration, arguments, fields)
    instance = Instance(declaration, identity, (), exact=True, built=True)
    if init is None:
        return instance
    bound = binding.bind(frame, Function(init, None, instance), arguments)
    if init in tracer.followed:
        tracer.observe(init, bound)
    given = tuple((name, value) for name, value in sorted(bound.items()) if name != init.receiver_name)
    instance = replace(instance, arguments=given)
    if tracer.may_copy(init):
        bound[init.receiver_name] = instance
        tracer.run(Function(init, None, instance), bound, frame, frozenset({EVENTS}))
    return instance


def _construct_data(
    frame: Frame, node: ir.Expression, declaration: ClassDeclaration, arguments: Arguments, fields: list[str]
) -> Value:
    """An instance of a dataclass or NamedTuple: its fields are its arguments."""
    tracer = frame.tracer
    found: dict[str, Value] = {}
    for index, name in enumerate(fields):
        value = arguments.keywords.get(name)
        if value is None and index < len(arguments.positional):
            value = arguments.positional[index]
        if value is None:
            if arguments.unknown_keywords or arguments.unknown_positional:
                value = UNKNOWN
            else:
                value = tracer.field_default(declaration, name)
        if value != NOTHING:
            found[name] = value
    if declaration in tracer.followed:
        tracer.observe(declaration, found)
    instance = Instance(
        declaration, frame.storage(node.span), tuple(sorted(found.items())), exact=True, built=True, arguments=()
    )
    if classes.find_method(tracer, declaration, "__post_init__") is None:
        return instance
    return tracer.after_post_init(frame, node, instance)


def _is_super(node: ir.Expression) -> bool:
    return isinstance(node, ir.Call) and isinstance(node.function, ir.Name) and node.function.identifier == "super"


def _call_super(frame: Frame, node: ir.Call, name: str) -> Value:
    """`super().name(...)`: the next definition in the order of the receiver's class."""
    arguments = evaluation.evaluate_arguments(frame, node)
    declaration = frame.declaration
    while declaration is not None and declaration.owner is None:
        declaration = declaration.parent
    if declaration is None or declaration.owner is None:
        return UNKNOWN
    receiver = evaluation.lookup(frame, declaration.receiver_name) if declaration.receiver_name else UNKNOWN
    owner = receiver.declaration if isinstance(receiver, Instance | Class) else declaration.owner
    order = classes.linearised(frame.tracer, owner)
    start = order.index(declaration.owner) + 1 if declaration.owner in order else 1
    for item in order[start:]:
        if item.methods.get(name):
            method = item.methods[name][-1]
            bound_to = None if method.kind == "static" else receiver
            return call_function(frame, node, Function(method, None, bound_to), arguments)
    return UNKNOWN


def iterate_instance(frame: Frame, instance: Instance) -> Value:
    """What iterating over an object gives: `__iter__`, `__next__` or `__getitem__` of its class."""
    fields = classes.field_names(frame.tracer, instance.declaration)
    if fields is not None and instance.built:
        return union(value for _, value in instance.attributes)
    node = ir.Name(frame.statement.span if frame.statement is not None else (1, 0, 1, 0), "")
    for name in ("__iter__", "__getitem__"):
        if classes.find_method(frame.tracer, instance.declaration, name) is not None:
            positional: list[Value] = [PLAIN] if name == "__getitem__" else []
            value = frame.tracer.call_method(frame, instance, name, positional, node)
            if name == "__getitem__":
                return value
            if isinstance(value, Sequence):
                return elements(value)
            if isinstance(value, Loader):
                return batch(frame, value)
            return UNKNOWN
    return UNKNOWN
