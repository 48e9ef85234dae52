"""What an annotation says of a value."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Confidence, Role, Step
from pinlint.trace.joins import join, union
from pinlint.trace.values import (
    NONE,
    PLAIN,
    Class,
    Device,
    DeviceValue,
    DtypeValue,
    External,
    Instance,
    Layout,
    Mapping,
    Memory,
    Origin,
    Sequence,
    Storage,
    Tensor,
    Union,
    Unknown,
    Value,
    walk,
)

if TYPE_CHECKING:
    from pinlint.trace.declarations import ModuleDeclaration
    from pinlint.trace.tracer import Tracer

MAX_DEPTH = 6
"""What annotations hold deeper than this is unknown."""

_PAIR = 2
"""A mapping's key and value, or the item and the ellipsis of `tuple[int, ...]`."""
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
_PLAIN = frozenset({"builtins.int", "builtins.float", "builtins.bool", "builtins.str", "builtins.bytes"})
_SEQUENCES = {
    "builtins.list": "list",
    "typing.List": "list",
    "typing.Sequence": "list",
    "typing.Iterable": "iterator",
    "typing.Iterator": "iterator",
    "typing.Generator": "iterator",
    "collections.abc.Sequence": "list",
    "collections.abc.Iterable": "iterator",
    "collections.abc.Iterator": "iterator",
    "collections.abc.Generator": "iterator",
    "collections.abc.Collection": "list",
    "builtins.set": "set",
    "typing.Set": "set",
    "collections.deque": "list",
}
_MAPPINGS = frozenset(
    {"builtins.dict", "typing.Dict", "typing.Mapping", "collections.abc.Mapping", "collections.OrderedDict"}
    | {"typing.MutableMapping", "collections.abc.MutableMapping", "collections.defaultdict", "typing.DefaultDict"}
)
_TUPLES = frozenset({"builtins.tuple", "typing.Tuple"})
_OPTIONAL = frozenset({"typing.Optional"})
_UNION = frozenset({"typing.Union"})
_WRAPPERS = frozenset({"typing.Annotated", "typing.Final", "typing.ClassVar", "dataclasses.InitVar", "typing.Required"})


def annotated(
    tracer: Tracer,
    module: ModuleDeclaration,
    annotation: ir.Expression,
    reason: str,
    origins: frozenset[Origin] = frozenset(),
) -> Value:
    """The value of something annotated so: of a known kind where the annotation says it, otherwise unknown."""
    unknown = Unknown(reason, origins, direct=bool(origins))
    return _read(tracer, module, annotation, unknown, 0)


def _read(tracer: Tracer, module: ModuleDeclaration, node: ir.Expression, unknown: Unknown, depth: int) -> Value:
    if depth > MAX_DEPTH:
        return unknown
    if isinstance(node, ir.Constant):
        if node.value is None:
            return NONE
        return _quoted(tracer, module, node, unknown, depth)
    if isinstance(node, ir.Binary) and node.operator == "|":
        left = _read(tracer, module, node.left, unknown, depth + 1)
        return join(left, _read(tracer, module, node.right, unknown, depth + 1))
    if isinstance(node, ir.Subscript):
        return _generic(tracer, module, node, unknown, depth)
    if isinstance(node, ir.Name | ir.Attribute):
        return _named(tracer, module, node, unknown)
    return unknown


def _quoted(tracer: Tracer, module: ModuleDeclaration, node: ir.Constant, unknown: Unknown, depth: int) -> Value:
    """A string annotation: a dotted name, perhaps `| None`; anything longer is unknown."""
    text = str(node.value).strip()
    optional = text.endswith("| None")
    text = text.removesuffix("| None").strip()
    if not _DOTTED.fullmatch(text):
        return unknown
    parts = text.split(".")
    expression: ir.Expression = ir.Name(node.span, parts[0])
    for part in parts[1:]:
        expression = ir.Attribute(node.span, expression, part, node.span[0], node.span[1])
    value = _read(tracer, module, expression, unknown, depth + 1)
    return join(NONE, value) if optional else value


def _named(tracer: Tracer, module: ModuleDeclaration, node: ir.Expression, unknown: Unknown) -> Value:
    found = tracer.static_value(module, node)
    if isinstance(found, Class):
        return Instance(found.declaration, confidence=Confidence.MEDIUM)
    if not isinstance(found, External):
        return unknown
    if found.name in ("torch.Tensor", "torch.nn.Parameter", "torch.LongTensor", "torch.FloatTensor"):
        return _tensor(module, node, unknown, array=False)
    if found.name in ("numpy.ndarray", "numpy.typing.NDArray"):
        return _tensor(module, node, unknown, array=True)
    if found.name == "torch.device":
        return DeviceValue(Device.CHOSEN)
    if found.name == "torch.dtype":
        return DtypeValue("")
    if found.name in _PLAIN:
        return PLAIN
    return unknown


def _tensor(module: ModuleDeclaration, node: ir.Expression, unknown: Unknown, *, array: bool) -> Tensor:
    storage = Storage(module.display, node.span)
    if not array:
        return Tensor(
            Device.UNKNOWN,
            Memory.UNKNOWN,
            storage,
            layout=Layout.UNKNOWN,
            origins=unknown.origins,
            reason=unknown.reason,
        )
    span = node.span
    step = Step(
        module.display,
        span,
        (span[0], span[2]),
        Role.ALLOCATED,
        "a numpy array, in pageable memory unless it views a pinned tensor",
    )
    return Tensor(
        Device.HOST,
        Memory.PAGEABLE if unknown.direct else Memory.UNKNOWN,
        storage,
        (step,),
        array=True,
        layout=Layout.UNKNOWN,
        origins=unknown.origins,
        reason=unknown.reason,
    )


def _generic(tracer: Tracer, module: ModuleDeclaration, node: ir.Subscript, unknown: Unknown, depth: int) -> Value:
    base = tracer.static_value(module, node.value)
    if isinstance(base, Class):
        return Instance(base.declaration, confidence=Confidence.MEDIUM)
    name = base.name if isinstance(base, External) else ""
    arguments = node.index
    if len(arguments) == 1 and isinstance(arguments[0], ir.Display):
        arguments = arguments[0].elements

    def element(item: ir.Expression) -> Value:
        return _read(tracer, module, item, unknown, depth + 1)

    if name in _SEQUENCES:
        return Sequence(_SEQUENCES[name], None, element(arguments[0]))
    if name in _MAPPINGS and len(arguments) == _PAIR:
        return Mapping((), element(arguments[1]))
    if name in _TUPLES:
        if len(arguments) == _PAIR and isinstance(arguments[1], ir.Ellipsis):
            return Sequence("tuple", None, element(arguments[0]))
        return Sequence("tuple", tuple(element(item) for item in arguments))
    if name in _OPTIONAL:
        return join(NONE, element(arguments[0]))
    if name in _UNION:
        return union(element(item) for item in arguments)
    if name in _WRAPPERS:
        return element(arguments[0])
    if name in ("numpy.ndarray", "numpy.typing.NDArray"):
        return _tensor(module, node, unknown, array=True)
    return unknown


def refined(tracer: Tracer, module: ModuleDeclaration, annotation: ir.Expression, value: Value) -> Value:
    """An unknown value as its variable's annotation describes it."""
    if not isinstance(value, Unknown):
        return value
    declared = annotated(tracer, module, annotation, value.reason, value.origins)
    if isinstance(declared, Unknown) or any(isinstance(item, Unknown) for item in walk(declared)):
        return value
    if isinstance(declared, Tensor | Sequence | Union):
        return value
    return declared
