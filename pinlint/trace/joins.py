"""The join: one value that stands for several possibilities."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from pinlint.findings.finding import Confidence, Step
from pinlint.ir import Span
from pinlint.trace.values import (
    NOTHING,
    PLAIN,
    Constant,
    Device,
    DeviceValue,
    Instance,
    Layout,
    Mapping,
    Memory,
    Network,
    Plain,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    alternatives,
    order,
)

MAX_ALTERNATIVES = 8
"""More possibilities than this degrade to unknown."""
MAX_CONSTANTS = 4
"""More numbers and strings than this are just numbers and strings."""


def union(values: Iterable[Value]) -> Value:
    """The join of any number of values."""
    distinct = dict.fromkeys(values)
    if len(distinct) > MAX_CONSTANTS and all(_is_scalar(value) for value in distinct):
        return PLAIN
    result: Value = NOTHING
    for value in distinct:
        result = join(result, value)
    return result


def _is_scalar(value: Value) -> bool:
    """A number or a string, which stands for one of many when there are many."""
    return isinstance(value, Constant) and value.value is not None and not isinstance(value.value, bool)


def join(left: Value, right: Value) -> Value:
    """The value that stands for either: commutative, idempotent, with `NOTHING` as identity."""
    if right in (left, NOTHING):
        return left
    if left == NOTHING:
        return right
    merged: list[Value] = []
    for value in (*alternatives(left), *alternatives(right)):
        _insert(merged, value)
    if len(merged) > MAX_CONSTANTS and sum(map(_is_scalar, merged)) > MAX_CONSTANTS:
        merged = [value for value in merged if not _is_scalar(value) and value != PLAIN]
        _insert(merged, PLAIN)
    if len(merged) == 1:
        return merged[0]
    if len(merged) > MAX_ALTERNATIVES:
        merged = _fewer_tensors(merged)
    if len(merged) > MAX_ALTERNATIVES:
        return _too_many(merged)
    return Union(tuple(sorted(merged, key=order)))


def _insert(merged: list[Value], value: Value) -> None:
    """Add `value`, merging it with the possibilities that it can be told apart from no longer."""
    index = 0
    while index < len(merged):
        both = _merge(merged[index], value)
        if both is None:
            index += 1
        else:
            # What has merged may now merge with an earlier possibility: start over with it.
            del merged[index]
            value = both
            index = 0
    merged.append(value)


def _too_many(values: list[Value]) -> Value:
    origins = frozenset(origin for value in values if isinstance(value, Unknown | Tensor) for origin in value.origins)
    taints = frozenset(value.storage for value in values if isinstance(value, Tensor))
    return Unknown("too many possibilities", origins, taints)


def _merge(left: Value, right: Value) -> Value | None:
    """One value for both where they need not be kept apart, otherwise None."""
    if left == right:
        return left
    if isinstance(left, Unknown) and isinstance(right, Unknown):
        return Unknown(
            min(left.reason, right.reason, key=lambda text: (not text, text)),
            left.origins | right.origins,
            left.taints | right.taints,
            left.direct and right.direct,
        )
    if isinstance(left, Tensor) and isinstance(right, Tensor):
        return _merge_tensors(left, right)
    if isinstance(left, Tensor) and isinstance(right, Unknown):
        left, right = right, left
    if isinstance(left, Unknown) and isinstance(right, Tensor):
        return left if right.storage in left.taints else None
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _merge_constants(left, right)
    if isinstance(left, Plain) and isinstance(right, Constant):
        return left if right.value is not None and not isinstance(right.value, bool) else None
    if isinstance(left, Constant) and isinstance(right, Plain):
        return _merge(right, left)
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        return _merge_sequences(left, right)
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return _merge_mappings(left, right)
    if isinstance(left, Instance) and isinstance(right, Instance):
        return _merge_instances(left, right)
    if isinstance(left, Network) and isinstance(right, Network) and left.identity == right.identity:
        device = left.device if left.device is right.device else Device.UNKNOWN
        memory = left.memory if left.memory is right.memory else Memory.UNKNOWN
        return Network(device, memory, _shorter(left.steps, right.steps), left.identity)
    if isinstance(left, DeviceValue) and isinstance(right, DeviceValue):
        if Device.UNKNOWN in (left.device, right.device):
            return None if left.device is not right.device else DeviceValue(Device.UNKNOWN)
        return DeviceValue(join_devices(left.device, right.device), left.of if left.of == right.of else "")
    return None


def _merge_constants(left: Constant, right: Constant) -> Value | None:
    if type(left.value) is type(right.value) and left.value == right.value:
        return replace(left, assumed=True, origins=left.origins | right.origins)
    if isinstance(left.value, str) and isinstance(right.value, str):
        return None
    numbers = (int, float)
    if isinstance(left.value, numbers) and isinstance(right.value, numbers):
        return None if isinstance(left.value, bool) or isinstance(right.value, bool) else PLAIN
    return None


def _merge_tensors(left: Tensor, right: Tensor) -> Tensor | None:
    if left.array != right.array or left.device is not right.device:
        return None
    if left.memory is right.memory and left.storage == right.storage:
        return _merge_views(left, right)
    return _merge_pinning(left, right) or _merge_pinning(right, left)


def _merge_views(left: Tensor, right: Tensor) -> Tensor:
    """Two views of one allocation in the same kind of memory."""
    first = left if _steps_order(left.steps) <= _steps_order(right.steps) else right
    return replace(
        first,
        layout=left.layout if left.layout is right.layout else Layout.UNKNOWN,
        dtype=left.dtype if left.dtype == right.dtype else "",
        shape=left.shape if left.shape == right.shape else None,
        scalar=left.scalar or right.scalar,
        derived=left.derived | right.derived,
        reason=min(left.reason, right.reason),
        origins=left.origins | right.origins,
        confidence=max(left.confidence, right.confidence, key=_CONFIDENCE_ORDER.index),
        persistent=left.persistent or right.persistent,
        escaped=left.escaped or right.escaped,
        loader=left.loader and right.loader,
        batch_type=left.batch_type if left.batch_type == right.batch_type else "",
    )


def _merge_pinning(pinned: Tensor, other: Tensor) -> Tensor | None:
    """`x` or `x.pin_memory()`: the author pins it under a condition, so neither is reported."""
    if pinned.memory not in (Memory.PINNED, Memory.CONDITIONAL):
        return None
    if other.memory not in (Memory.PAGEABLE, Memory.CONDITIONAL):
        return None
    if other.storage not in pinned.derived and pinned.storage != other.storage:
        return None
    derived = pinned.derived | other.derived | {other.storage}
    return replace(pinned, memory=Memory.CONDITIONAL, derived=derived, persistent=pinned.persistent or other.persistent)


def _merge_sequences(left: Sequence, right: Sequence) -> Value | None:
    if left.kind != right.kind:
        return None
    identity = left.identity if left.identity == right.identity else None
    if left.items is not None and right.items is not None and len(left.items) == len(right.items):
        items = tuple(join(a, b) for a, b in zip(left.items, right.items, strict=True))
        return Sequence(left.kind, items, None, identity)
    if left.kind == "tuple" and left.items is not None and right.items is not None:
        return None
    return Sequence(left.kind, None, join(elements(left), elements(right)), identity)


def _merge_mappings(left: Mapping, right: Mapping) -> Mapping:
    found = dict(left.items)
    for key, value in right.items:
        found[key] = join(found[key], value) if key in found else value
    rest = right.rest if left.rest is None else left.rest if right.rest is None else join(left.rest, right.rest)
    items = tuple(sorted(found.items(), key=lambda item: (type(item[0]).__name__, str(item[0]))))
    return Mapping(items, rest, left.identity if left.identity == right.identity else None)


def _merge_instances(left: Instance, right: Instance) -> Instance | None:
    if left.declaration is not right.declaration or left.identity != right.identity:
        return None
    if left.built and right.built and left.arguments != right.arguments:
        return None
    names = {name for name, _ in left.attributes} | {name for name, _ in right.attributes}
    attributes = []
    for name in sorted(names):
        first, second = left.get(name), right.get(name)
        if first is not None and second is not None:
            attributes.append((name, join(first, second)))
        elif left.exact and right.exact:
            # Built in view: where only one side has the attribute, the other side has not set it yet.
            attributes.append((name, first if first is not None else second or NOTHING))
    confidence = max(left.confidence, right.confidence, key=_CONFIDENCE_ORDER.index)
    return Instance(
        left.declaration,
        left.identity,
        tuple(attributes),
        left.exact and right.exact,
        confidence,
        left.built and right.built,
        left.arguments if left.arguments == right.arguments else (),
    )


_CONFIDENCE_ORDER = [Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW]


def join_devices(left: Device, right: Device) -> Device:
    """Host on one path and an accelerator on another is how a program chooses its device."""
    if left is right:
        return left
    if Device.UNKNOWN in (left, right) or Device.META in (left, right):
        return Device.UNKNOWN
    return Device.CHOSEN


def _shorter(left: tuple[Step, ...], right: tuple[Step, ...]) -> tuple[Step, ...]:
    return min(left, right, key=_steps_order)


def _steps_order(steps: tuple[Step, ...]) -> tuple[int, list[tuple[str, Span, str]]]:
    return len(steps), [(step.path, step.span, step.role.value) for step in steps]


def elements(value: Sequence) -> Value:
    """What iterating over a sequence gives; `NOTHING` for an empty one."""
    known = union(value.items) if value.items is not None else NOTHING
    return known if value.rest is None else join(known, value.rest)


def mapping_values(value: Mapping) -> Value:
    known = union(item for _, item in value.items)
    return known if value.rest is None else join(known, value.rest)


def summarised(value: Value) -> Value:
    """The possibilities of a value with one tensor for each kind of device and memory, the shortest path of each."""
    return union(_fewer_tensors(list(value.alternatives))) if isinstance(value, Union) else value


def _fewer_tensors(values: list[Value]) -> list[Value]:
    """The values with one tensor for each kind of device and memory, the one with the shortest path."""
    kept: dict[object, Tensor] = {}
    others: list[Value] = []
    for item in values:
        if not isinstance(item, Tensor):
            others.append(item)
            continue
        key = (item.array, item.device, item.memory, item.layout, item.reason)
        if key not in kept or _steps_order(item.steps) < _steps_order(kept[key].steps):
            kept[key] = item
    return [*others, *kept.values()]
