"""The abstract domain: what the tracer knows of a value.

Values are immutable and compared by content. Mutable Python objects (lists, dicts, instances) carry an `identity`: an
update in place replaces the value wherever that identity stands (see `pinlint.trace.state`).
"""

from __future__ import annotations

import enum
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from pinlint.findings.finding import Confidence, Step
from pinlint.ir import Span

if TYPE_CHECKING:
    from pinlint.models.model import FunctionModel
    from pinlint.trace.declarations import ClassDeclaration, Declaration, FunctionDeclaration, ModuleDeclaration
    from pinlint.trace.frame import Frame


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
