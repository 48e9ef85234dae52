"""Assignments: to names, attributes, elements and several targets at once."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.trace import classes, indexing, inflight
from pinlint.trace import evaluate as evaluation
from pinlint.trace.annotations import refined
from pinlint.trace.declarations import dotted
from pinlint.trace.joins import elements, join, union
from pinlint.trace.memory import PARAMETER, computed
from pinlint.trace.state import replacing, transform
from pinlint.trace.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Device,
    Instance,
    Memory,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def run_assignment(frame: Frame, node: ir.Assign) -> None:
    value = evaluation.evaluate(frame, node.value)
    for target in node.targets:
        assign(frame, target, value)


def run_annotated(frame: Frame, node: ir.AnnotatedAssign) -> None:
    if node.value is not None:
        value = evaluation.evaluate(frame, node.value)
        assign(frame, node.target, refined(frame.tracer, frame.module, node.annotation, value))


def assign(frame: Frame, target: ir.Expression, value: Value) -> None:
    """`target = value`."""
    if frame.state is None:
        return
    if isinstance(target, ir.Name):
        _forget(frame, target.identifier)
        frame.bind(target.identifier, value)
    elif isinstance(target, ir.Attribute):
        _assign_attribute(frame, target, value)
    elif isinstance(target, ir.Subscript):
        indexing.write(frame, target, value)
    elif isinstance(target, ir.Display):
        _unpack(frame, target.elements, value)
    elif isinstance(target, ir.Starred):
        assign(frame, target.value, value)


def _forget(frame: Frame, path: str) -> None:
    """What was narrowed of the attributes of a name no longer holds."""
    names = frame.live.names
    for key in [key for key in names if key.startswith(path + ".")]:
        del names[key]


def _assign_attribute(frame: Frame, target: ir.Attribute, value: Value) -> None:
    path = dotted(target)
    if path:
        _forget(frame, path)
        frame.live.names.pop(path, None)
    base = evaluation.evaluate(frame, target.value)
    for item in alternatives(base):
        if isinstance(item, Instance):
            parameter = isinstance(value, Tensor) and value.reason == PARAMETER
            (set_buffer if parameter else set_attribute)(frame, item, target.name, value)
        elif isinstance(item, Tensor) and target.name == "data":
            # The tensor lets go of its memory and takes the other's.
            if dotted(target.value):
                narrow_name(frame, target.value, value)
        elif isinstance(item, Unknown | Tensor) and path:
            frame.live.names[path] = value
            frame.tracer.hang(frame, target.name, value)


def set_buffer(frame: Frame, instance: Instance, name: str, value: Value) -> None:
    """A buffer or parameter of a module moves with the module, wherever it was made."""

    def change(item: Value) -> Value:
        if isinstance(item, Tensor):
            return replace(item, device=Device.UNKNOWN, memory=Memory.UNKNOWN, reason="it moves with its module")
        return item

    set_attribute(frame, instance, name, transform(value, change, 1))


def set_attribute(frame: Frame, instance: Instance, name: str, value: Value) -> None:
    own = frame.live.names.get(frame.receiver_name) if frame.receiver_name else None
    if isinstance(own, Instance) and own.identity == instance.identity:
        frame.writes[name] = join(frame.writes.get(name, NOTHING), value)
    elif not instance.exact:
        frame.tracer.set_from_outside(instance.declaration, name, value)
    if instance.identity is not None:
        frame.change(replacing(instance.identity, instance.with_attribute(name, value)))


def narrow_name(frame: Frame, node: ir.Expression, value: Value) -> None:
    """Put a narrowed value where the name or attribute path is read from."""
    if isinstance(node, ir.Name):
        frame.live.names[node.identifier] = value
    else:
        frame.live.names[dotted(node)] = value


def _unpack(frame: Frame, targets: tuple[ir.Expression, ...], value: Value) -> None:
    items = unpacked(frame, value, len(targets), [isinstance(target, ir.Starred) for target in targets])
    for target, item in zip(targets, items, strict=True):
        assign(frame, target, item)


def unpacked(frame: Frame, value: Value, count: int, starred: list[bool]) -> list[Value]:
    """The values that `count` targets get from unpacking one value."""
    if isinstance(value, Union):
        rows = [unpacked(frame, item, count, starred) for item in value.alternatives if item != NONE]
        return [union(column) for column in zip(*rows, strict=True)] if rows else [UNKNOWN] * count
    if isinstance(value, Instance) and value.built:
        fields = [item for _, item in value.attributes]
        names = classes.field_names(frame.tracer, value.declaration)
        if names is not None:
            fields = [value.get(name) or UNKNOWN for name in names]
        value = Sequence("tuple", tuple(fields))
    if isinstance(value, Sequence) and value.items is not None and value.rest is None:
        return _spread(value, count, starred)
    element = evaluation.iterate(frame, value)
    return [Sequence("list", None, element) if star else element for star in starred]


def _spread(value: Sequence, count: int, starred: list[bool]) -> list[Value]:
    items = list(value.items or ())
    if True not in starred:
        if len(items) == count:
            return items
        return [elements(value) if items else UNKNOWN] * count
    position = starred.index(True)
    after = count - position - 1
    if len(items) < count - 1:
        return [UNKNOWN] * count
    middle = items[position : len(items) - after]
    return [*items[:position], Sequence("list", tuple(middle)), *items[len(items) - after :]]


def run_augmented(frame: Frame, node: ir.AugmentedAssign) -> None:
    """`x += y`: a tensor or array is changed in place, everything else is computed anew."""
    current = evaluation.evaluate(frame, node.target)
    operand = evaluation.evaluate(frame, node.value)
    results: list[Value] = []
    for item in alternatives(current):
        if isinstance(item, Tensor):
            inflight.write(frame, item, node.span, f"`{node.operator}=` writes it here")
            results.append(item)
        elif isinstance(item, Sequence) and node.operator == "+":
            more = evaluation.iterate(frame, operand)
            grown = replace(item, items=None, rest=join(elements(item), more))
            if isinstance(operand, Sequence) and operand.items is not None and item.items is not None:
                grown = replace(item, items=(*item.items, *operand.items))
            if item.identity is not None:
                frame.change(replacing(item.identity, grown))
            results.append(grown)
        else:
            results.append(computed(frame, node.value, [item, operand], node.operator))
    if isinstance(node.target, ir.Name | ir.Attribute):
        assign(frame, node.target, union(results))
