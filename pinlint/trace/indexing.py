"""Reading and writing `base[index]`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from pinlint import ir
from pinlint.trace import classes, inflight
from pinlint.trace import evaluate as evaluation
from pinlint.trace.joins import elements, join, mapping_values, union
from pinlint.trace.layout import sliced
from pinlint.trace.memory import computed
from pinlint.trace.state import replacing
from pinlint.trace.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Class,
    Constant,
    Device,
    External,
    Instance,
    Layout,
    Mapping,
    Memory,
    Plain,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    tensors,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def read(frame: Frame, base: Value, node: ir.Subscript) -> Value:
    """The value of `base[index]`."""
    indices = [evaluation.evaluate(frame, item) for item in node.index]
    return _read(frame, base, node, indices)


def _read(frame: Frame, base: Value, node: ir.Subscript, indices: list[Value]) -> Value:
    if isinstance(base, Union):
        return union(_read(frame, item, node, indices) for item in base.alternatives if item != NONE)
    if isinstance(base, Tensor):
        return _tensor(frame, base, node, indices)
    if isinstance(base, Sequence):
        return _sequence(base, node, indices)
    if isinstance(base, Mapping):
        return _mapping(base, indices)
    if isinstance(base, Unknown):
        return Unknown(base.reason, base.origins, base.taints, base.direct)
    if isinstance(base, Instance):
        fields = classes.field_names(frame.tracer, base.declaration)
        position = indices[0]
        if (
            fields
            and isinstance(position, Constant)
            and isinstance(position.value, int)
            and position.value < len(fields)
        ):
            # A NamedTuple's fields are its elements.
            return classes.attribute(frame, base, fields[position.value])
        return frame.tracer.call_method(frame, base, "__getitem__", indices[:1], node)
    if isinstance(base, External | Class):
        # `List[int]`, `Cache[K, V]`: a generic class stays itself.
        return base
    return UNKNOWN


def _sequence(base: Sequence, node: ir.Subscript, indices: list[Value]) -> Value:
    index = node.index[0]
    if isinstance(index, ir.Slice):
        return _slice_of(base, index, indices)
    position = indices[0]
    if base.items is not None and isinstance(position, Constant) and isinstance(position.value, int):
        if -len(base.items) <= position.value < len(base.items):
            return base.items[position.value]
        return NOTHING if base.rest is None else base.rest
    return elements(base)


def _slice_of(base: Sequence, index: ir.Slice, indices: list[Value]) -> Value:
    parts = (index.lower, index.upper, index.step)
    bounds = [part.value if isinstance(part, ir.Constant) else part for part in parts]
    known = [bound for bound in bounds if bound is None or isinstance(bound, int)]
    if base.items is not None and len(known) == len(parts):
        start, stop, step = known
        return Sequence(base.kind, base.items[start:stop:step], base.rest)
    return Sequence(base.kind, None, elements(base))


def _mapping(base: Mapping, indices: list[Value]) -> Value:
    key = indices[0]
    if isinstance(key, Constant):
        for name, value in base.items:
            if name == key.value:
                return value
        return UNKNOWN if base.rest is None else base.rest
    values = mapping_values(base)
    return UNKNOWN if values == NOTHING else values


def _tensor(frame: Frame, base: Tensor, node: ir.Subscript, indices: list[Value]) -> Value:
    """Basic indexing gives a view; indexing by a list, an array or a tensor gathers into new memory."""
    if base.loader and base.layout is Layout.UNKNOWN and len(indices) == 1 and not isinstance(node.index[0], ir.Slice):
        # A batch may be a dict or a tuple: its elements are its tensors.
        return base
    kinds = {_kind(expression, value) for expression, value in zip(node.index, indices, strict=True)}
    if "gather" in kinds:
        return computed(frame, node, [base], "advanced indexing", array=base.array)
    if "unknown" in kinds and base.memory in (Memory.PINNED, Memory.CONDITIONAL) and base.device is Device.HOST:
        memory = Memory.CONDITIONAL if base.memory is Memory.CONDITIONAL else Memory.UNKNOWN
        reason = "an index of unknown type: a view or a gathered copy"
        return replace(base, memory=memory, layout=Layout.UNKNOWN, shape=None, reason=reason)
    layout, shape = layout_of(base, node.index)
    scalar = shape == () or (shape is None and all(kind in ("integer", "unknown") for kind in kinds))
    return replace(base, layout=layout, shape=shape, scalar=base.scalar or scalar)


def _kind(expression: ir.Expression, value: Value) -> str:
    if isinstance(expression, ir.Slice | ir.Ellipsis) or value == NONE:
        return "basic"
    if isinstance(value, Union):
        found = {_kind(expression, item) for item in value.alternatives}
        return found.pop() if len(found) == 1 else "unknown"
    if isinstance(value, Tensor):
        # A tensor without dimensions counts as an integer.
        return "unknown" if value.scalar else "gather"
    if isinstance(value, Sequence):
        if value.kind == "tuple":
            inner = {_kind(expression, item) for item in value.items or ()}
            return "gather" if "gather" in inner else "basic" if inner <= {"basic", "integer"} else "unknown"
        return "gather"
    if value == External("builtins.slice"):
        return "basic"
    if isinstance(value, Constant):
        return "gather" if isinstance(value.value, bool) else "integer"
    return "integer" if isinstance(value, Plain) else "unknown"


def layout_of(base: Tensor, indices: tuple[ir.Expression, ...]) -> tuple[Layout, tuple[int | str | None, ...] | None]:
    """The layout and shape of a basic index of `base`."""
    if base.layout is not Layout.DENSE:
        return (base.layout if base.layout is Layout.GAPPED else Layout.UNKNOWN), None
    return sliced(base, indices)


def row(frame: Frame, value: Tensor) -> Value:
    """One element of iterating over a tensor: a view of its first dimension."""
    shape = None if not value.shape else value.shape[1:]
    return replace(value, shape=shape, scalar=shape == () or (shape is None and value.scalar))


def write(frame: Frame, target: ir.Subscript, value: Value) -> None:
    """`target = value`, for a subscript."""
    base = evaluation.evaluate(frame, target.value)
    indices = [evaluation.evaluate(frame, item) for item in target.index]
    strong = not isinstance(base, Union)
    if base == NOTHING:
        # The attribute's own value is being asked for: this is what the method puts into it.
        frame.tracer.grow(frame, target.value, Mapping((), value))
    if isinstance(base, Unknown):
        return
    for item in base.alternatives if isinstance(base, Union) else (base,):
        if isinstance(item, Tensor):
            if not any(source.device in (Device.ACCELERATOR, Device.CHOSEN) for source in tensors(value)):
                # What comes from an accelerator is written in the stream's order.
                inflight.write(frame, item, target.span, "written here")
            for source in tensors(value):
                inflight.read(frame, source, target.span, "read here")
        elif isinstance(item, Mapping) and item.identity is not None:
            updated = _with_key(item, indices[0], value, strong)
            frame.change(replacing(item.identity, updated))
        elif isinstance(item, Sequence) and item.identity is not None:
            frame.change(replacing(item.identity, _with_item(item, indices[0], value, strong)))
        elif isinstance(item, Instance):
            frame.tracer.call_method(frame, item, "__setitem__", [indices[0], value], target)


def _with_key(mapping: Mapping, key: Value, value: Value, strong: bool) -> Mapping:
    if not isinstance(key, Constant):
        rest = value if mapping.rest is None else join(mapping.rest, value)
        return replace(mapping, rest=rest)
    found: dict[Any, Value] = dict(mapping.items)
    if not strong and key.value in found:
        value = join(found[key.value], value)
    found[key.value] = value
    return replace(mapping, items=tuple(found.items()))


def _with_item(sequence: Sequence, index: Value, value: Value, strong: bool) -> Sequence:
    if sequence.items is None:
        return replace(sequence, rest=join(sequence.rest or NOTHING, value))
    items = list(sequence.items)
    if isinstance(index, Constant) and isinstance(index.value, int) and -len(items) <= index.value < len(items):
        items[index.value] = value if strong else join(items[index.value], value)
        return replace(sequence, items=tuple(items))
    return replace(sequence, items=tuple(join(item, value) for item in items))
