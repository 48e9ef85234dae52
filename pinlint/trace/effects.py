"""Applying a model: what a known torch or numpy function does to the values it is given."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

from pinlint import ir
from pinlint.findings.finding import Role
from pinlint.models.model import Effect, FunctionModel, Pin
from pinlint.models.model import Layout as ViewLayout
from pinlint.trace import copies, discards, inflight
from pinlint.trace.arguments import Arguments
from pinlint.trace.loaders import collated, loader
from pinlint.trace.memory import (
    allocated,
    computed,
    device_of,
    flag_origins,
    known_plain,
    pinned,
    pinning,
)
from pinlint.trace.state import changing_storage
from pinlint.trace.trees import map_tree
from pinlint.trace.values import (
    NONE,
    PLAIN,
    UNKNOWN,
    Availability,
    Constant,
    Device,
    DeviceValue,
    DtypeValue,
    External,
    Instance,
    Layout,
    Mapping,
    Memory,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    alternatives,
    tensors,
    union,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame

_LAYOUTS = {ViewLayout.PERMUTE: Layout.PERMUTED, ViewLayout.GAP: Layout.GAPPED, ViewLayout.SELECT: Layout.UNKNOWN}


class Use:
    """One use of a modelled function: the frame, the call, the model, the receiver (for a method) and the arguments."""

    __slots__ = ("arguments", "frame", "model", "node", "receiver")

    def __init__(
        self, frame: Frame, node: ir.Expression, model: FunctionModel, receiver: Value | None, arguments: Arguments
    ) -> None:
        self.frame = frame
        self.node = node
        self.model = model
        self.receiver = receiver
        self.arguments = arguments

    @property
    def callee(self) -> str:
        """The name as a reader would say it."""
        return self.model.name

    def find(self, name: str) -> Value | None:
        return self.arguments.find(name, self.model.parameters)

    @property
    def source(self) -> Value:
        if self.model.source == "self" and self.receiver is not None:
            return self.receiver
        found = self.find(self.model.source)
        if found is None and self.arguments.positional and self.receiver is None:
            found = self.arguments.positional[0]
        return UNKNOWN if found is None else found

    @property
    def operands(self) -> list[Value]:
        """All that may hold tensors: the receiver and the arguments but `out`."""
        values = [] if self.receiver is None else [self.receiver]
        values += self.arguments.positional
        values += [item for name, item in self.arguments.keywords.items() if name not in _NO_OPERANDS]
        return values


_NO_OPERANDS = frozenset({"out", "device", "dtype", "dim", "axis", "keepdim", "keepdims", "size"})


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


def _each(use: Use, function: Callable[[Value], Value]) -> Value:
    """Apply an effect to every possibility of its source."""
    source = use.source
    if isinstance(source, Union):
        return union(function(item) for item in source.alternatives if item != NONE)
    return function(source)


def _unknown_like(value: Value) -> Unknown:
    """Unknown because `value` is."""
    if isinstance(value, Unknown):
        return replace(value, direct=False)
    origins = frozenset(origin for tensor in tensors(value) for origin in tensor.origins)
    return Unknown("", origins, frozenset(tensor.storage for tensor in tensors(value)))


def _allocate(use: Use) -> Value:
    frame, model = use.frame, use.model
    out = use.find("out")
    if out is not None and out not in (NONE, UNKNOWN):
        return _into(use, out)
    device = _allocation_device(use)
    if model.device == "host":
        device = Device.HOST
    flag = use.find("pin_memory")
    memory = pinning(flag) if model.pin is not Pin.REFUSED else Memory.PAGEABLE
    if model.pin is Pin.IGNORED:
        memory = Memory.PAGEABLE
    if memory is Memory.PINNED and frame.live.accelerator is None:
        frame.live.pins = True
    array = model.result == "array"
    dtype = _dtype(use.find("dtype")) or model.dtype
    data = _data_of(use)
    if data is not None and model.result != "array" and "device" not in use.arguments.keywords:
        # `torch.tensor(t)` keeps the device of the tensor that it copies.
        held = [item for item in alternatives(data) if isinstance(item, Tensor) and not item.array]
        if held:
            device = held[0].device
    shape, scalar = _shape(use, data)
    if memory is Memory.PAGEABLE and (0 in (shape or ()) or (isinstance(data, Sequence) and data.items == ())):
        # An empty tensor is never pinned and its copy never waits.
        memory = Memory.CONDITIONAL
    made = allocated(
        frame,
        use.node.span,
        use.callee,
        device=device,
        memory=memory,
        array=array,
        dtype=dtype,
        shape=shape,
        scalar=scalar,
    )
    if memory is Memory.CONDITIONAL and device is Device.HOST:
        return replace(made, origins=flag_origins(flag))
    return made


def _allocation_device(use: Use) -> Device:
    default = use.frame.live.default_device if use.model.default_device else Device.HOST
    if use.model.device_from:
        found = use.receiver if use.model.device_from == "self" else use.find(use.model.device_from)
        default = _device_of_tensors(found)
    given = use.find("device")
    if given is UNKNOWN and use.arguments.unknown_keywords:
        return Device.UNKNOWN
    return device_of(given, default)


def _device_of_tensors(value: Value | None) -> Device:
    if value is not None and known_plain(value):
        return Device.HOST
    found = {item.device for item in tensors(value)} if value is not None else set()
    return found.pop() if len(found) == 1 else Device.UNKNOWN


def _data_of(use: Use) -> Value | None:
    """The data argument of a factory that copies data (`torch.tensor(data)`), None for the others."""
    return use.find("data") if "data" in use.model.parameters else None


def _shape(use: Use, data: Value | None) -> tuple[tuple[int | str | None, ...] | None, bool]:
    """The shape that a factory's arguments give, and whether the result may have no dimension."""
    from pinlint.trace.shapes import factory_shape  # noqa: PLC0415 # shapes reads calls, which this module makes

    if data is not None:
        sized = isinstance(data, Sequence | Tensor)
        plain = known_plain(data) and not isinstance(data, Sequence)
        return (() if plain and isinstance(data, Constant) else None), not sized
    return factory_shape(use.node, use.model), False


def _dtype(value: Value | None) -> str:
    return value.name if isinstance(value, DtypeValue) else ""


def _compute(use: Use) -> Value:
    out = use.find("out")
    if out is not None and out not in (NONE, UNKNOWN):
        return _into(use, out)
    array = use.model.result == "array"
    for operand in use.operands:
        for tensor in tensors(operand):
            inflight.read(use.frame, tensor, use.node.span, "read here")
    reduces = use.model.name.rsplit(".", 1)[-1] in _REDUCTIONS and not use.arguments.positional[_first(use) :]
    value = computed(use.frame, use.node, use.operands, _short(use.callee), array=array, scalar=reduces)
    if array and not any(isinstance(item, Tensor) for item in alternatives(value)):
        # Whatever a numpy function is given, it returns a new array.
        return allocated(use.frame, use.node.span, use.callee, array=True)
    return value


_REDUCTIONS = frozenset({"sum", "max", "min", "mean", "prod", "any", "all", "norm", "std", "var", "argmax", "argmin"})


def _first(use: Use) -> int:
    return 0 if use.receiver is not None else 1


def _short(callee: str) -> str:
    return callee.replace("torch.Tensor.", "").replace("numpy.ndarray.", "")


def _into(use: Use, out: Value) -> Value:
    """`out=` gives that tensor back, written."""
    for tensor in tensors(out):
        inflight.write(use.frame, tensor, use.node.span, "written through `out=` here")
    return out


def _view(use: Use) -> Value:
    layout = _LAYOUTS.get(use.model.layout)

    def view(value: Value) -> Value:
        if isinstance(value, Tensor):
            shape = value.shape if value.shape is not None and 0 in value.shape else None
            if value.layout is not Layout.DENSE and layout is None:
                return replace(value, shape=shape)
            return replace(value, layout=layout or value.layout, shape=shape, scalar=False)
        return _unknown_like(value)

    return _each(use, view)


def _dense(use: Use) -> Value:
    def dense(value: Value) -> Value:
        if not isinstance(value, Tensor):
            return _unknown_like(value)
        if value.layout is Layout.DENSE or value.device is not Device.HOST:
            return replace(value, shape=None)
        if value.layout in (Layout.GAPPED, Layout.PERMUTED) or value.memory is Memory.PAGEABLE:
            return computed(use.frame, use.node, [value], _short(use.callee), array=value.array)
        return replace(
            value, memory=Memory.UNKNOWN, layout=Layout.UNKNOWN, shape=None, reason="a view or a copy, by its layout"
        )

    return _each(use, dense)


def _cast(use: Use) -> Value:
    wanted = use.model.dtype or _dtype(use.find("dtype"))
    return _each(use, lambda value: copies.cast(use.frame, use.node, value, wanted, _short(use.callee)))


def _in_place(use: Use) -> Value:
    source = use.source
    for tensor in tensors(source):
        inflight.write(use.frame, tensor, use.node.span, f"`{_short(use.callee)}` writes it here")
    return source


def _write(use: Use) -> Value:
    _in_place(use)
    return NONE


def _bridge(use: Use) -> Value:
    """The same memory as a tensor or as an array."""
    array = use.model.result == "array"

    def bridge(value: Value) -> Value:
        if isinstance(value, Tensor):
            if value.device is Device.HOST or value.array == array:
                if array:
                    inflight.read(use.frame, value, use.node.span, "read here")
                return replace(value, array=array, device=Device.HOST if array else value.device)
            return Tensor(
                Device.HOST, Memory.UNKNOWN, value.storage, value.steps, array, Layout.UNKNOWN, origins=value.origins
            )
        if isinstance(value, Unknown) and not array and value.direct:
            # An array that a caller passes: host memory, pageable unless it views a pinned tensor.
            made = allocated(use.frame, use.node.span, use.callee)
            return replace(made, origins=value.origins)
        if isinstance(value, Unknown):
            return Tensor(
                Device.HOST,
                Memory.UNKNOWN,
                use.frame.storage(use.node.span),
                array=array,
                layout=Layout.UNKNOWN,
                origins=value.origins,
                reason=value.reason or "an array of unknown memory",
            )
        if array:
            return _unknown_like(value)
        if isinstance(value, Sequence):
            return allocated(use.frame, use.node.span, use.callee)
        # A buffer over memory that somebody else owns.
        return Tensor(
            Device.HOST, Memory.UNKNOWN, use.frame.storage(use.node.span), reason="a buffer over foreign memory"
        )

    return _each(use, bridge)


def _convert(use: Use) -> Value:
    """`as_tensor`, `numpy.asarray`: tensors and arrays are shared, Python data is copied."""
    array = use.model.result == "array"
    given = use.find("device")
    device = device_of(given, Device.HOST)

    def convert(value: Value) -> Value:
        if isinstance(value, Tensor):
            if given is not None and device is not Device.HOST:
                return allocated(use.frame, use.node.span, use.callee, device=device)
            dtype = _dtype(use.find("dtype"))
            shared = replace(value, array=array) if value.device is Device.HOST else value
            return copies.cast(use.frame, use.node, shared, dtype, use.callee) if dtype else shared
        if isinstance(value, Unknown) and not array and not given:
            return _unknown_like(value)
        if isinstance(value, Unknown) and array:
            return Tensor(
                Device.HOST,
                Memory.PAGEABLE if value.direct else Memory.UNKNOWN,
                use.frame.storage(use.node.span),
                (use.frame.step(use.node.span, Role.ALLOCATED, "pageable memory is allocated here", use.callee),),
                array=True,
                layout=Layout.UNKNOWN,
                origins=value.origins,
                reason=value.reason,
            )
        default = use.frame.live.default_device if use.model.default_device and not array else Device.HOST
        return allocated(use.frame, use.node.span, use.callee, device=device_of(given, default), array=array)

    return _each(use, convert)


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

    return _each(use, pin)


def _map_tree(use: Use) -> Value:
    function = use.find(use.model.parameters[0]) if use.model.parameters else None
    if function is None:
        return UNKNOWN
    return map_tree(use.source, lambda leaf: use.frame.tracer.call(use.frame, function, [leaf], use.node))


def _loader(use: Use) -> Value:
    return loader(use.frame, use.node, use.model, use.arguments)


def _collate(use: Use) -> Value:
    return collated(use.frame, use.node, use.source, use.callee)


def _load(use: Use) -> Value:
    """A mapping of tensors read from a file."""
    where = use.find("map_location") or use.find("device")
    default = Device.HOST if "safetensors" in use.model.name else Device.UNKNOWN
    device = device_of(where, default)
    made = allocated(use.frame, use.node.span, use.callee, device=device)
    return Mapping((), replace(made, layout=Layout.UNKNOWN), use.frame.storage(use.node.span))


def _query(use: Use) -> Value:
    if use.model.name.endswith(".data_ptr"):
        return Unknown(POINTER, taints=frozenset(tensor.storage for tensor in tensors(use.source)))
    return PLAIN


POINTER = "a pointer"


def hand_over(frame: Frame, arguments: Arguments) -> None:
    """Code that can't be read is given pointers: it may page-lock the memory they point to."""
    for value in arguments.values():
        for item in alternatives(value):
            if isinstance(item, Unknown) and item.reason == POINTER:
                for storage in item.taints:
                    frame.change(changing_storage(storage, _locked))


def _locked(tensor: Tensor) -> Tensor:
    return replace(tensor, memory=Memory.CONDITIONAL)


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


def _register(use: Use) -> Value:
    """`cudaHostRegister(t.data_ptr(), ...)` page-locks memory in place."""
    hand_over(use.frame, use.arguments)
    return UNKNOWN


def _pass_through(use: Use) -> Value:
    source = use.source
    return source if source != UNKNOWN or not use.arguments.positional else use.arguments.positional[0]


def _wrap(use: Use) -> Value:
    """A decorator: `wrap(function)` is the function, `wrap(options)` a decorator again."""
    from pinlint.trace.values import Function, Partial  # noqa: PLC0415

    for value in use.arguments.positional[:1]:
        if isinstance(value, Function | Partial | Instance):
            return value
    return External("pinlint.identity")


def _to(use: Use) -> Value:
    return copies.to(use)


def _move(use: Use) -> Value:
    return copies.move(use)


def _copy(use: Use) -> Value:
    return copies.copy(use)


def _copy_lists(use: Use) -> Value:
    return copies.copy_lists(use)


def _type(use: Use) -> Value:
    return copies.convert_type(use)


def _move_tree(use: Use) -> Value:
    return copies.move_tree(use)


Applier: TypeAlias = Callable[[Use], Value]

_EFFECTS: dict[Effect, Applier] = {
    Effect.ALLOCATE: _allocate,
    Effect.COMPUTE: _compute,
    Effect.VIEW: _view,
    Effect.DENSE: _dense,
    Effect.CAST: _cast,
    Effect.IN_PLACE: _in_place,
    Effect.WRITE: _write,
    Effect.BRIDGE: _bridge,
    Effect.CONVERT: _convert,
    Effect.PIN: _pin,
    Effect.TO: _to,
    Effect.MOVE: _move,
    Effect.COPY: _copy,
    Effect.COPY_LISTS: _copy_lists,
    Effect.TYPE: _type,
    Effect.MOVE_TREE: _move_tree,
    Effect.MAP_TREE: _map_tree,
    Effect.LOADER: _loader,
    Effect.COLLATE: _collate,
    Effect.LOAD: _load,
    Effect.QUERY: _query,
    Effect.READ: _read,
    Effect.IS_PINNED: _is_pinned,
    Effect.AVAILABLE: _available,
    Effect.DEVICE: _device,
    Effect.DEFAULT_DEVICE: _default_device,
    Effect.WAIT: _wait,
    Effect.RECORD: _nothing,
    Effect.CAPTURE: _external,
    Effect.REGISTER: _register,
    Effect.PASS_THROUGH: _pass_through,
    Effect.WRAP: _wrap,
    Effect.NOTHING: _nothing,
}
