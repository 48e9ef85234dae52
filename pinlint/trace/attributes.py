"""Reading `value.name`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.trace import classes, containers, effects
from pinlint.trace.declarations import dotted
from pinlint.trace.joins import union
from pinlint.trace.memory import known_plain
from pinlint.trace.values import (
    NONE,
    PLAIN,
    UNKNOWN,
    Class,
    Constant,
    Device,
    DeviceValue,
    DtypeValue,
    External,
    Instance,
    Mapping,
    Method,
    ModelMethod,
    Module,
    Network,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def read(frame: Frame, receiver: Value, node: ir.Attribute) -> Value:
    """The value of an attribute of `receiver`."""
    if isinstance(receiver, Unknown | Tensor | Network):
        # An attribute that this function has hung on an object of unknown class.
        hung = frame.live.names.get(dotted(node))
        if hung is not None:
            return hung
    if isinstance(receiver, Union):
        return union(read(frame, item, node) for item in receiver.alternatives if item != NONE)
    return read_name(frame, receiver, node.name, node)


def read_name(frame: Frame, receiver: Value, name: str, node: ir.Attribute) -> Value:
    """The attribute `name` of a value that is no union."""
    tracer = frame.tracer
    if isinstance(receiver, Tensor):
        return _of_tensor(frame, receiver, name, node)
    if isinstance(receiver, External):
        return tracer.external(f"{receiver.name}.{name}")
    if isinstance(receiver, Module):
        return tracer.module_attribute(receiver.declaration, name)
    if isinstance(receiver, Class):
        return classes.class_attribute(tracer, receiver.declaration, name)
    if isinstance(receiver, Instance):
        return classes.attribute(frame, receiver, name)
    if isinstance(receiver, DeviceValue):
        return _of_device(receiver, name)
    if isinstance(receiver, Sequence) and isinstance(containers.field_of(receiver, name), Tensor):
        return containers.field_of(receiver, name)
    if isinstance(receiver, Sequence | Mapping):
        return Method(receiver, name)
    if isinstance(receiver, Unknown):
        return _of_unknown(frame, receiver, name, node)
    if known_plain(receiver):
        return PLAIN
    return UNKNOWN


def _of_tensor(frame: Frame, receiver: Tensor, name: str, node: ir.Attribute) -> Value:
    if name == "device":
        return DeviceValue(receiver.device, dotted(node.value))
    if name == "dtype":
        return DtypeValue(receiver.dtype)
    owner = "numpy.ndarray" if receiver.array else "torch.Tensor"
    model = frame.tracer.models.method(owner, name)
    if model is None and receiver.loader:
        # A batch may be any object: its attributes are its tensors.
        return receiver
    if model is None:
        return Unknown(f"attribute `{name}` of a tensor", receiver.origins)
    if model.attribute:
        return effects.read_attribute(frame, node, model, receiver)
    return ModelMethod(model, receiver, node.value.span)


def _of_device(receiver: DeviceValue, name: str) -> Value:
    if name == "type":
        if receiver.device is Device.HOST:
            return Constant("cpu")
        return DeviceValue(receiver.device, receiver.of)
    return PLAIN


def _of_unknown(frame: Frame, receiver: Unknown, name: str, node: ir.Attribute) -> Value:
    if name == "device":
        return DeviceValue(Device.UNKNOWN, dotted(node.value))
    if name == "dtype":
        return DtypeValue("")
    if name in ("shape", "ndim"):
        return PLAIN
    hung = frame.tracer.hung_attribute(frame, name)
    if hung is not None:
        return hung
    model = frame.tracer.models.method("torch.Tensor", name)
    if model is not None and not model.attribute:
        return ModelMethod(model, receiver, node.value.span)
    text = dotted(node)
    reason = receiver.reason or (f"attribute `{text}`" if text else f"attribute `{name}`")
    return replace(receiver, reason=reason, direct=False)
