"""Calls: who is called with what, and what comes back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.models.model import Effect, FunctionModel
from pinlint.trace import attributes, classes, containers, effects, foreign, python_builtins
from pinlint.trace import evaluate as evaluation
from pinlint.trace.arguments import Arguments
from pinlint.trace.constructors import construct
from pinlint.trace.foreign import unread
from pinlint.trace.functions import call_function
from pinlint.trace.joins import elements, union
from pinlint.trace.loaders import batch, batch_method
from pinlint.trace.memory import allocated, known_plain
from pinlint.trace.networks import call_network, network
from pinlint.trace.relevance import registered_attribute
from pinlint.trace.values import (
    NONE,
    NOTHING,
    PLAIN,
    UNKNOWN,
    Class,
    External,
    Function,
    Instance,
    Loader,
    Mapping,
    Method,
    ModelMethod,
    Network,
    Partial,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame

RAISES = "pytest.raises"
"""The context whose body is expected not to reach its end."""


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
        return call_network(frame, node, receiver, function.name, arguments)
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
    foreign.let_go(frame, arguments)
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
        frame.tracer.set_buffer(frame, receiver, named, value)
        return NONE
    model = frame.tracer.models.method("torch.nn.Module", function.name)
    if model is not None and model.effect in (Effect.TO, Effect.MOVE):
        return effects.apply(frame, node, model, Unknown("a module whose parameters' memory is not known"), arguments)
    return unread(callee, arguments)


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
        foreign.let_go(frame, arguments)
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
        return network(frame, node, arguments)
    if tracer.has_members(name) or name == RAISES:
        # `torch.cuda.Event()`: its methods are modelled under the name of what was called.
        return External(name)
    if name.startswith("numpy.") and name.count(".") == 1:
        return allocated(frame, node.span, name, array=True)
    foreign.hand_over(frame, arguments)
    foreign.let_go(frame, arguments)
    result = unread(UNKNOWN, arguments)
    return replace(result, reason=f"the result of `{name}`, which pinlint has no model of")


def _without_first(arguments: Arguments) -> Arguments:
    return replace(arguments, positional=arguments.positional[1:], spans=arguments.spans[1:])


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
