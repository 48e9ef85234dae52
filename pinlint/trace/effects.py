"""Applying a model: what a known torch or numpy function does to the values it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pinlint import ir
from pinlint.findings.finding import Role
from pinlint.models.model import Effect, FunctionModel
from pinlint.trace import copies, discards, inflight
from pinlint.trace.allocations import allocate, load
from pinlint.trace.arguments import Arguments
from pinlint.trace.foreign import query, register
from pinlint.trace.loaders import collated, loader
from pinlint.trace.memory import PARAMETER, allocated, computed, device_of, pinned
from pinlint.trace.trees import map_tree
from pinlint.trace.uses import Use, each, short_name
from pinlint.trace.values import (
    NONE,
    PLAIN,
    UNKNOWN,
    Availability,
    Constant,
    Device,
    DeviceValue,
    External,
    Function,
    Instance,
    Layout,
    Memory,
    Partial,
    Sequence,
    Tensor,
    Union,
    Value,
    alternatives,
    tensors,
)
from pinlint.trace.views import bridge_of, cast_of, converted, dense_of, view_of
from pinlint.trace.writes import write_in_place, write_only, write_out

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def apply(
    frame: Frame, node: ir.Expression, model: FunctionModel, receiver: Value | None, arguments: Arguments
) -> Value:
    """The result of calling a modelled function; copies, writes and waits are recorded."""
    use = Use(frame, node, model, receiver, arguments)
    value = _EFFECTS[model.effect](use)
    if model.several and isinstance(value, Tensor):
        return Sequence("tuple", None, value)
    return value


def read_attribute(frame: Frame, node: ir.Attribute, model: FunctionModel, receiver: Value) -> Value:
    """The value of a modelled attribute (`Tensor.T`)."""
    return apply(frame, node, model, receiver, Arguments(node.span))


def _compute(use: Use) -> Value:
    out = use.find("out")
    if out is not None and out not in (NONE, UNKNOWN):
        return write_out(use, out)
    array = use.model.result == "array"
    for operand in use.operands:
        for tensor in tensors(operand):
            inflight.read(use.frame, tensor, use.node.span, "read here")
    reduces = use.model.name.rsplit(".", 1)[-1] in _REDUCTIONS and not use.arguments.positional[_first(use) :]
    value = computed(use.frame, use.node, use.operands, short_name(use.callee), array=array, scalar=reduces)
    if array and not any(isinstance(item, Tensor) for item in alternatives(value)):
        # Whatever a numpy function is given, it returns a new array.
        return allocated(use.frame, use.node.span, use.callee, array=True)
    return value


_REDUCTIONS = frozenset({"sum", "max", "min", "mean", "prod", "any", "all", "norm", "std", "var", "argmax", "argmin"})


def _first(use: Use) -> int:
    return 0 if use.receiver is not None else 1


def _pin(use: Use) -> Value:
    discards.discard(use, ".pin_memory")

    def pin(value: Value) -> Value:
        if isinstance(value, Tensor):
            return pinned(use.frame, use.node.span, value)
        if isinstance(value, Instance):
            return use.frame.tracer.call_method(use.frame, value, "pin_memory", [], use.node)
        taints = frozenset(tensor.storage for tensor in tensors(value))
        if use.frame.live.accelerator is None:
            use.frame.live.pins = True
        step = use.frame.step(use.node.span, Role.PINNED, "copied to pinned memory here", "torch.Tensor.pin_memory")
        storage = use.frame.storage(use.node.span)
        return Tensor(Device.HOST, Memory.PINNED, storage, (step,), layout=Layout.DENSE, derived=taints)

    return each(use, pin)


def _map_tree(use: Use) -> Value:
    function = use.find(use.model.parameters[0]) if use.model.parameters else None
    if function is None:
        return UNKNOWN
    return map_tree(use.source, lambda leaf: use.frame.tracer.call(use.frame, function, [leaf], use.node))


def _loader(use: Use) -> Value:
    return loader(use.frame, use.node, use.model, use.arguments)


def _collate(use: Use) -> Value:
    return collated(use.frame, use.node, use.source, use.callee)


def _read(use: Use) -> Value:
    source = use.source
    for tensor in tensors(source):
        inflight.read(use.frame, tensor, use.node.span, "read here")
        if tensor.device is not Device.HOST:
            inflight.wait(use.frame)
    return PLAIN


def _is_pinned(use: Use) -> Value:
    """What is known of `x.is_pinned()`; a flag that depends on it is the author's condition."""
    found = list(tensors(use.source))
    if len(found) == 1 and not isinstance(use.source, Union) and found[0].device is Device.HOST:
        if found[0].memory is Memory.PINNED:
            return Constant(True)
        if found[0].memory is Memory.PAGEABLE:
            return Constant(False)
    return PLAIN


def _available(use: Use) -> Value:
    return Availability()


def _device(use: Use) -> Value:
    if use.model.device == "argument":
        value = use.arguments.positional[0] if use.arguments.positional else use.find("type") or use.find("device")
        return DeviceValue(device_of(value, Device.CHOSEN))
    return DeviceValue({"host": Device.HOST, "accelerator": Device.ACCELERATOR}.get(use.model.device, Device.CHOSEN))


def _default_device(use: Use) -> Value:
    value = use.arguments.positional[0] if use.arguments.positional else use.find("device")
    use.frame.live.default_device = device_of(value, Device.HOST)
    return NONE


def _wait(use: Use) -> Value:
    inflight.wait(use.frame)
    return NONE


def _nothing(use: Use) -> Value:
    return NONE


def _external(use: Use) -> Value:
    """A call whose result matters only as a context or an event."""
    return External(use.model.name)


def _pass_through(use: Use) -> Value:
    source = use.source
    if use.model.name == "torch.nn.Parameter" and isinstance(source, Tensor):
        return replace(source, reason=PARAMETER)
    return source if source != UNKNOWN or not use.arguments.positional else use.arguments.positional[0]


def _wrap(use: Use) -> Value:
    """A decorator: `wrap(function)` is the function, `wrap(options)` a decorator again."""
    for value in use.arguments.positional[:1]:
        if isinstance(value, Function | Partial | Instance):
            return value
    return External("pinlint.identity")


Applier: TypeAlias = Callable[[Use], Value]

_EFFECTS: dict[Effect, Applier] = {
    Effect.ALLOCATE: allocate,
    Effect.COMPUTE: _compute,
    Effect.VIEW: view_of,
    Effect.DENSE: dense_of,
    Effect.CAST: cast_of,
    Effect.IN_PLACE: write_in_place,
    Effect.WRITE: write_only,
    Effect.BRIDGE: bridge_of,
    Effect.CONVERT: converted,
    Effect.PIN: _pin,
    Effect.TO: copies.to,
    Effect.MOVE: copies.move,
    Effect.COPY: copies.copy,
    Effect.COPY_LISTS: copies.copy_lists,
    Effect.TYPE: copies.convert_type,
    Effect.MOVE_TREE: copies.move_tree,
    Effect.MAP_TREE: _map_tree,
    Effect.LOADER: _loader,
    Effect.COLLATE: _collate,
    Effect.LOAD: load,
    Effect.QUERY: query,
    Effect.READ: _read,
    Effect.IS_PINNED: _is_pinned,
    Effect.AVAILABLE: _available,
    Effect.DEVICE: _device,
    Effect.DEFAULT_DEVICE: _default_device,
    Effect.WAIT: _wait,
    Effect.RECORD: _nothing,
    Effect.CAPTURE: _external,
    Effect.REGISTER: register,
    Effect.PASS_THROUGH: _pass_through,
    Effect.WRAP: _wrap,
    Effect.NOTHING: _nothing,
}
