"""Modelled functions that allocate new memory."""

from __future__ import annotations

from dataclasses import replace

from pinlint.models.model import Pin
from pinlint.trace.memory import allocated, device_of, flag_origins, known_plain, pinning
from pinlint.trace.shapes import factory_shape
from pinlint.trace.uses import Use, dtype_name
from pinlint.trace.values import (
    NONE,
    UNKNOWN,
    Constant,
    Device,
    Layout,
    Mapping,
    Memory,
    Sequence,
    Tensor,
    Value,
    alternatives,
    tensors,
)
from pinlint.trace.writes import write_out


def allocate(use: Use) -> Value:
    frame, model = use.frame, use.model
    out = use.find("out")
    if out is not None and out not in (NONE, UNKNOWN):
        return write_out(use, out)
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
    dtype = dtype_name(use.find("dtype")) or model.dtype
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
    if data is not None:
        sized = isinstance(data, Sequence | Tensor)
        plain = known_plain(data) and not isinstance(data, Sequence)
        return (() if plain and isinstance(data, Constant) else None), not sized
    return factory_shape(use.node, use.model), False


def load(use: Use) -> Value:
    """A mapping of tensors read from a file."""
    where = use.find("map_location") or use.find("device")
    default = Device.HOST if "safetensors" in use.model.name else Device.UNKNOWN
    device = device_of(where, default)
    made = allocated(use.frame, use.node.span, use.callee, device=device)
    return Mapping((), replace(made, layout=Layout.UNKNOWN), use.frame.storage(use.node.span))
