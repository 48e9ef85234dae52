"""What is known at one point of a running function, and how two such states join."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from pinlint.trace.joins import join, union
from pinlint.trace.values import NOTHING, Device, Instance, Mapping, Sequence, Storage, Tensor, Union, Value


@dataclass(frozen=True, slots=True)
class InFlight:
    """A non-blocking copy that may not be complete: the host memory it uses and the copy's key in the tracer's log."""

    storage: Storage
    copy: tuple[object, ...]
    reads_host: bool
    """The copy reads the host memory (host to device); otherwise it writes it."""


@dataclass(slots=True)
class State:
    """Names and the circumstances at one point of a function."""

    names: dict[str, Value] = field(default_factory=dict)
    inflight: frozenset[InFlight] = frozenset()
    captured: bool = False
    """A CUDA graph is being captured."""
    default_device: Device = Device.HOST
    """Where a factory without `device=` allocates."""
    accelerator: bool | None = None
    """Whether a test on this path says that there is an accelerator; None without such a test."""
    pins: bool = False
    """The function has pinned unconditionally on every path to this point."""

    def fork(self) -> State:
        return State(dict(self.names), self.inflight, self.captured, self.default_device, self.accelerator, self.pins)

    def change(self, function: Callable[[Value], Value]) -> None:
        """Apply a change to every value, wherever it stands; `function` returns those that are not meant unchanged."""
        for name, value in self.names.items():
            changed = transform(value, function)
            if changed is not value:
                self.names[name] = changed


def join_states(left: State | None, right: State | None) -> State | None:
    """The state where two paths meet; None is a path that is not taken."""
    if left is None or right is None:
        return left if right is None else right
    names: dict[str, Value] = {}
    for name in (*left.names, *(name for name in right.names if name not in left.names)):
        first, second = left.names.get(name, NOTHING), right.names.get(name, NOTHING)
        names[name] = first if first is second else join(first, second)
    return State(
        names,
        left.inflight | right.inflight,
        left.captured and right.captured,
        left.default_device if left.default_device is right.default_device else Device.UNKNOWN,
        left.accelerator if left.accelerator == right.accelerator else None,
        left.pins and right.pins,
    )


def same_state(left: State, right: State) -> bool:
    """Whether a loop has reached its fixpoint."""
    return (
        left.names == right.names
        and left.inflight == right.inflight
        and left.default_device is right.default_device
        and left.accelerator == right.accelerator
    )


def transform(value: Value, function: Callable[[Value], Value], depth: int = 5) -> Value:
    """The value with `function` applied to everything in it, outermost first."""
    changed = function(value)
    if changed is not value or depth == 0:
        return changed
    if isinstance(value, Union):
        parts = [transform(item, function, depth - 1) for item in value.alternatives]
        return union(parts) if _differ(parts, value.alternatives) else value
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(transform(item, function, depth - 1) for item in value.items)
        rest = None if value.rest is None else transform(value.rest, function, depth - 1)
        same = rest is value.rest and (items is None or not _differ(items, value.items or ()))
        return value if same else replace(value, items=items, rest=rest)
    if isinstance(value, Mapping):
        pairs = tuple((key, transform(item, function, depth - 1)) for key, item in value.items)
        rest = None if value.rest is None else transform(value.rest, function, depth - 1)
        same = rest is value.rest and all(a[1] is b[1] for a, b in zip(pairs, value.items, strict=True))
        return value if same else replace(value, items=pairs, rest=rest)
    if isinstance(value, Instance):
        pairs = tuple((key, transform(item, function, depth - 1)) for key, item in value.attributes)
        same = all(a[1] is b[1] for a, b in zip(pairs, value.attributes, strict=True))
        return value if same else replace(value, attributes=pairs)  # type: ignore[arg-type] # keys are strings
    return value


def _differ(left: tuple[Value, ...] | list[Value], right: tuple[Value, ...]) -> bool:
    return any(a is not b for a, b in zip(left, right, strict=True))


def replacing(identity: Storage, new: Value) -> Callable[[Value], Value]:
    """A change that puts `new` wherever the object `identity` stands."""

    def change(value: Value) -> Value:
        if isinstance(value, Sequence | Mapping | Instance) and value.identity == identity:
            return new
        return value

    return change


def changing_storage(storage: Storage, function: Callable[[Tensor], Tensor]) -> Callable[[Value], Value]:
    """A change to every tensor over the allocation `storage`."""

    def change(value: Value) -> Value:
        if isinstance(value, Tensor) and value.storage == storage:
            new = function(value)
            return value if new == value else new
        return value

    return change
