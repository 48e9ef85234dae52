"""The abstract domain: what the tracer knows of a value, and how two possibilities are joined.

Values are immutable and compared by content. Mutable Python objects (lists, dicts, instances) carry an `identity`: an
update in place replaces the value wherever that identity stands (see `pinlint.trace.state`).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from collections.abc import Mapping as AbstractMapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from pinlint.findings.finding import Confidence, Step
from pinlint.ir import Span

if TYPE_CHECKING:
    from pinlint.models.model import FunctionModel
    from pinlint.trace.declarations import ClassDeclaration, Declaration, FunctionDeclaration, ModuleDeclaration
    from pinlint.trace.frame import Frame

MAX_ALTERNATIVES = 8
"""More possibilities than this degrade to unknown."""
MAX_CONSTANTS = 4
"""More numbers and strings than this are just numbers and strings."""


class Device(enum.Enum):
    HOST = "host"
    ACCELERATOR = "accelerator"
    CHOSEN = "chosen"
    """Given by an expression that the tracer can't resolve (`device=dev`): an accelerator where there is one."""
    META = "meta"
    """No memory at all: nothing is ever copied there."""
    UNKNOWN = "unknown"


class Memory(enum.Enum):
    PAGEABLE = "pageable"
    PINNED = "pinned"
    CONDITIONAL = "conditional"
    """Pinned under a condition that the author wrote; never reported."""
    UNKNOWN = "unknown"


class Layout(enum.Enum):
    DENSE = "dense"
    PERMUTED = "permuted"
    """Dense, in another order of strides than its shape."""
    GAPPED = "gapped"
    MAYBE_GAPPED = "maybe-gapped"
    """Gapped unless a range that the tracer can't compare with the full width covers it."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Storage:
    """An allocation: the expression that makes it and the calls through which it was reached."""

    path: str
    span: Span
    through: tuple[Span, ...] = ()


@dataclass(frozen=True, slots=True)
class Origin:
    """Why a value is unknown: a parameter of a function, or a field of a dataclass, which callers may decide."""

    function: Declaration
    parameter: str


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything: never reported. `origins` are the parameters that, if known, might decide it."""

    reason: str = ""
    origins: frozenset[Origin] = frozenset()
    taints: frozenset[Storage] = frozenset()
    """Allocations that unread code was given and may have returned, pinned or not."""
    direct: bool = False
    """The parameter itself or an element of it, rather than something computed from it or an attribute."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A value that is no tensor and no container of tensors: a number, a string, a shape."""


@dataclass(frozen=True, slots=True)
class Constant:
    """A Python constant; `assumed` when it is a parameter's default that an unseen caller may override."""

    value: bool | int | float | str | None
    assumed: bool = False
    origins: frozenset[Origin] = frozenset()


@dataclass(frozen=True, slots=True)
class Availability:
    """Whether there is an accelerator (`torch.cuda.is_available()`), or its negation."""

    negated: bool = False


@dataclass(frozen=True, slots=True)
class DeviceValue:
    device: Device
    of: str = ""
    """The text of the expression that it was read from, for narrowing."""


@dataclass(frozen=True, slots=True)
class DtypeValue:
    name: str


@dataclass(frozen=True, slots=True)
class Tensor:
    """A tensor, or a numpy array (`array`), with its provenance."""

    device: Device
    memory: Memory
    storage: Storage
    steps: tuple[Step, ...] = ()
    array: bool = False
    layout: Layout = Layout.DENSE
    dtype: str = ""
    shape: tuple[int | str | None, ...] | None = None
    """Per dimension a number, the text of a stable expression, or None; None as a whole when the rank is unknown."""
    scalar: bool = False
    """May have no dimension, so that an operator with an accelerator's tensor gives one there."""
    derived: frozenset[Storage] = frozenset()
    """Allocations whose data this pinned tensor holds: `x.pin_memory()`, `empty(pin_memory=True).copy_(x)`."""
    reason: str = ""
    origins: frozenset[Origin] = frozenset()
    confidence: Confidence = Confidence.HIGH
    persistent: bool = False
    """Kept in an attribute, a global or a cache."""
    escaped: bool = False
    """Handed to code that the tracer could not read."""
    loader: bool = False
    """Comes out of a data loader."""
    batch_type: str = ""


@dataclass(frozen=True, slots=True)
class Sequence:
    """A tuple, list, set or iterator: `items` where each is known, otherwise `rest` for all of them."""

    kind: str
    items: tuple[Value, ...] | None
    rest: Value | None = None
    identity: Storage | None = None


@dataclass(frozen=True, slots=True)
class Mapping:
    """A dict: values by constant key, and `rest` for keys that are not constant."""

    items: tuple[tuple[str | int | bool | float | None, Value], ...]
    rest: Value | None = None
    identity: Storage | None = None


@dataclass(frozen=True, slots=True)
class External:
    """A function, class, module or attribute outside the project, by dotted name (`torch.zeros`)."""

    name: str


@dataclass(frozen=True, slots=True)
class ModelMethod:
    """A modelled method bound to its receiver."""

    model: FunctionModel
    receiver: Value
    receiver_span: Span


@dataclass(frozen=True, slots=True)
class Method:
    """An attribute of an unmodelled value that is about to be called."""

    receiver: Value
    name: str


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the project, perhaps bound to `self` and to leading or keyword arguments (`functools.partial`)."""

    declaration: FunctionDeclaration
    scope: Frame | None = None
    receiver: Value | None = None
    arguments: tuple[Value, ...] = ()
    keywords: tuple[tuple[str, Value], ...] = ()


@dataclass(frozen=True, slots=True)
class Partial:
    """`functools.partial` of something that is no function of the project."""

    function: Value
    arguments: tuple[Value, ...]
    keywords: tuple[tuple[str, Value], ...]


@dataclass(frozen=True, slots=True)
class Class:
    declaration: ClassDeclaration


@dataclass(frozen=True, slots=True)
class Module:
    declaration: ModuleDeclaration


@dataclass(frozen=True, slots=True)
class Instance:
    """An object of a project's class.

    `exact` when it was built in view and nothing unseen can have changed it: its `attributes` are then all there are
    besides the class's. Otherwise what other methods assign is joined in when an attribute is read.
    """

    declaration: ClassDeclaration
    identity: Storage | None = None
    attributes: tuple[tuple[str, Value], ...] = ()
    exact: bool = False
    confidence: Confidence = Confidence.HIGH
    built: bool = False
    """Built by a call in view, rather than an unknown object of the class."""
    arguments: tuple[tuple[str, Value], ...] = ()
    """For a built one: the parameters of its `__init__`, from which its attributes are evaluated when they are read."""

    def get(self, name: str) -> Value | None:
        for key, value in self.attributes:
            if key == name:
                return value
        return None

    def with_attribute(self, name: str, value: Value) -> Instance:
        kept = [(key, old) for key, old in self.attributes if key != name]
        return replace(self, attributes=tuple(sorted([*kept, (name, value)], key=lambda item: item[0])))


@dataclass(frozen=True, slots=True)
class Network:
    """A `torch.nn` module from outside the project: its parameters move together."""

    device: Device
    memory: Memory
    steps: tuple[Step, ...]
    identity: Storage


@dataclass(frozen=True, slots=True)
class Loader:
    """A data loader. `memory` says how its batches are pinned."""

    memory: Memory
    steps: tuple[Step, ...]
    storage: Storage
    batch: Value | None = None
    """What `collate_fn` returns where it is known."""


@dataclass(frozen=True, slots=True)
class Union:
    """One of several possibilities, none of them a union; never just one. No possibility at all is `NOTHING`."""

    alternatives: tuple[Value, ...] = field(default=())


Value: TypeAlias = (
    Unknown
    | Plain
    | Constant
    | Availability
    | DeviceValue
    | DtypeValue
    | Tensor
    | Sequence
    | Mapping
    | External
    | ModelMethod
    | Method
    | Function
    | Partial
    | Class
    | Module
    | Instance
    | Network
    | Loader
    | Union
)

NOTHING = Union()
"""No value yet: the identity of `join`, met where a recursion is still being evaluated."""

UNKNOWN = Unknown()
PLAIN = Plain()
NONE = Constant(None)


def alternatives(value: Value) -> tuple[Value, ...]:
    """The possibilities of a value; a value that is no union is its only one."""
    return value.alternatives if isinstance(value, Union) else (value,)


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


def walk(value: Value, depth: int = 4) -> Iterator[Value]:
    """The value and everything in it, to a bounded depth."""
    yield value
    if depth == 0:
        return
    for child in _children(value):
        yield from walk(child, depth - 1)


def _children(value: Value) -> Iterable[Value]:
    if isinstance(value, Union):
        return value.alternatives
    if isinstance(value, Sequence):
        return (*(value.items or ()), *(() if value.rest is None else (value.rest,)))
    if isinstance(value, Mapping):
        return (*(item for _, item in value.items), *(() if value.rest is None else (value.rest,)))
    if isinstance(value, Instance):
        return tuple(item for _, item in value.attributes)
    return ()


def tensors(value: Value) -> Iterator[Tensor]:
    """Every tensor in a value, in order."""
    for item in walk(value):
        if isinstance(item, Tensor):
            yield item


def order(value: Value) -> tuple[str, str]:
    """A stable order of possibilities, independent of the order in which they were found."""
    if isinstance(value, Tensor):
        storage = value.storage
        return ("Tensor", f"{storage.path}{storage.span}{storage.through}{value.memory.value}{value.device.value}")
    if isinstance(value, Instance):
        return ("Instance", f"{value.declaration.qualified_name}{value.identity}")
    if isinstance(value, Function):
        return ("Function", f"{value.declaration.module.display}{value.declaration.node.span}{value.receiver is None}")
    if isinstance(value, Class | Module):
        return (type(value).__name__, value.declaration.qualified_name)
    if isinstance(value, Constant):
        return ("Constant", f"{type(value.value).__name__}{value.value!r}")
    return (type(value).__name__, str(getattr(value, "identity", "") or getattr(value, "name", "")))


Attributes: TypeAlias = AbstractMapping[str, Value]
