"""Python's own functions, as far as tensors pass through them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from pinlint import ir
from pinlint.trace import attributes, inflight, narrowing
from pinlint.trace import evaluate as evaluation
from pinlint.trace.arguments import Arguments
from pinlint.trace.joins import join, union
from pinlint.trace.memory import computed
from pinlint.trace.values import (
    NOTHING,
    PLAIN,
    UNKNOWN,
    Constant,
    External,
    Function,
    Instance,
    Loader,
    Mapping,
    Partial,
    Sequence,
    Union,
    Unknown,
    Value,
    tensors,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame

Builtin: TypeAlias = "Callable[[Frame, ir.Expression, Arguments], Value]"


def plain_method(name: str) -> Value:
    """A method of a number or string."""
    return Sequence("list", None, PLAIN) if name in ("split", "splitlines", "rsplit", "partition") else PLAIN


def _plain(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    for value in arguments.positional:
        for tensor in tensors(value):
            inflight.read(frame, tensor, node.span, "read here")
    return PLAIN


def _length(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    value = arguments.positional[0] if arguments.positional else UNKNOWN
    if isinstance(value, Sequence) and value.items is not None:
        return Constant(len(value.items))
    return PLAIN


def _first(arguments: Arguments) -> Value:
    return arguments.positional[0] if arguments.positional else UNKNOWN


def _sequence(kind: str) -> Builtin:
    def build(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
        if not arguments.positional:
            return Sequence(kind, (), None, frame.storage(node.span))
        value = _first(arguments)
        if isinstance(value, Sequence):
            return Sequence(kind, value.items, value.rest, frame.storage(node.span))
        if isinstance(value, Union):
            return union(build(frame, node, replace(arguments, positional=[item])) for item in value.alternatives)
        return Sequence(kind, None, evaluation.iterate(frame, value), frame.storage(node.span))

    return build


def _dict(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    made = Mapping((), None, frame.storage(node.span))
    if arguments.positional and not isinstance(_first(arguments), Mapping):
        pairs = evaluation.iterate(frame, _first(arguments))
        made = replace(made, rest=_second(pairs))
        arguments = replace(arguments, positional=[])
    items: dict[Any, Value] = dict(made.items)
    rest = made.rest
    for value in arguments.positional:
        if isinstance(value, Mapping):
            items.update(value.items)
            rest = value.rest
    items.update(arguments.keywords)
    if arguments.unknown_keywords:
        rest = UNKNOWN
    return replace(made, items=tuple(items.items()), rest=rest)


def _second(pair: Value) -> Value:
    """The second of two, where the value is known to be a pair."""
    items = pair.items if isinstance(pair, Sequence) else None
    _, *others = items or (UNKNOWN,)
    return others[0] if len(others) == 1 else UNKNOWN


def _default_dict(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    factory = _first(arguments)
    rest: Value = NOTHING
    if isinstance(factory, External) and factory.name in ("builtins.list", "builtins.dict"):
        identity = frame.storage((*node.span[:2], node.span[2], node.span[3] + 1))
        rest = Sequence("list", (), None, identity) if factory.name == "builtins.list" else Mapping((), None, identity)
    elif arguments.positional:
        rest = frame.tracer.call(frame, factory, [], node)
    return Mapping((), rest, frame.storage(node.span))


def _zip(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    sources = arguments.positional
    known = [item.items if isinstance(item, Sequence) else None for item in sources]
    if known and all(items is not None for items in known) and not arguments.unknown_positional:
        rows = zip(*(items for items in known if items is not None), strict=False)
        return Sequence("iterator", tuple(Sequence("tuple", row) for row in rows))
    row = Sequence("tuple", tuple(evaluation.iterate(frame, item) for item in sources))
    return Sequence("iterator", None, UNKNOWN if arguments.unknown_positional else row)


def _enumerate(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    value = _first(arguments)
    if isinstance(value, Sequence) and value.items is not None:
        rows = tuple(Sequence("tuple", (Constant(index), item)) for index, item in enumerate(value.items))
        return Sequence("iterator", rows)
    return Sequence("iterator", None, Sequence("tuple", (PLAIN, evaluation.iterate(frame, value))))


def _map(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    function, *sources = arguments.positional or (UNKNOWN,)
    if not sources:
        return UNKNOWN
    row = [evaluation.iterate(frame, item) for item in sources]
    return Sequence("iterator", None, frame.tracer.call(frame, function, row, node))


def _filter(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    _, *sources = arguments.positional or (UNKNOWN,)
    return Sequence("iterator", None, evaluation.iterate(frame, sources[0])) if sources else UNKNOWN


def _iterator(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    value = _first(arguments)
    if isinstance(value, Sequence):
        return replace(value, kind="iterator", identity=None)
    if isinstance(value, Loader | Unknown):
        return value
    return Sequence("iterator", None, evaluation.iterate(frame, value))


def _next(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    value = evaluation.iterate(frame, _first(arguments))
    return join(value, arguments.positional[1]) if len(arguments.positional) > 1 else value


def _reordered(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    value = _first(arguments)
    return Sequence("list", None, evaluation.iterate(frame, value), frame.storage(node.span))


def _extreme(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    """`max(a, b)` of tensors gives one of them; of one iterable an element."""
    if len(arguments.positional) == 1:
        value = evaluation.iterate(frame, _first(arguments))
        return value if any(True for _ in tensors(value)) else PLAIN
    return union(arguments.positional) if any(True for v in arguments.positional for _ in tensors(v)) else PLAIN


def _sum(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    value = evaluation.iterate(frame, _first(arguments))
    found = list(tensors(value))
    for tensor in found:
        inflight.read(frame, tensor, node.span, "read here")
    return computed(frame, node, [value], "sum") if found or isinstance(value, Unknown) else PLAIN


def _isinstance(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    """`isinstance(x, C)` where the class of `x` is known."""
    value, *classes = arguments.positional or (UNKNOWN,)
    return narrowing.is_instance(frame, value, classes[0]) if len(classes) == 1 else PLAIN


def _getattr(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    """`getattr(x, "name", default)`: the attribute where some class sets it, otherwise the default."""
    receiver, *rest = arguments.positional or (UNKNOWN,)
    name = rest[0] if rest else None
    if not isinstance(name, Constant):
        return UNKNOWN
    text = str(name.value)
    attribute = ir.Attribute(node.span, ir.Name(node.span, ""), text, node.span[0], node.span[1])
    value = attributes.read(frame, receiver, attribute)
    if len(rest) == 1:
        return value
    default = rest[1]
    if (
        isinstance(value, Unknown)
        and isinstance(receiver, Instance)
        and frame.tracer.never_set(receiver.declaration, text)
    ):
        return default
    return join(value, default)


def _super(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    return UNKNOWN


def _partial(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    if not arguments.positional:
        return UNKNOWN
    function, rest = arguments.positional[0], tuple(arguments.positional[1:])
    keywords = tuple(arguments.keywords.items())
    if isinstance(function, Function):
        merged = {**dict(function.keywords), **dict(keywords)}
        return replace(function, arguments=(*function.arguments, *rest), keywords=tuple(merged.items()))
    return Partial(function, rest, keywords)


def _chain(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    return Sequence("iterator", None, union(evaluation.iterate(frame, item) for item in arguments.positional))


def _chain_iterable(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    outer = evaluation.iterate(frame, _first(arguments))
    return Sequence("iterator", None, evaluation.iterate(frame, outer))


def _replace(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    """`dataclasses.replace(x, field=...)`."""
    value = _first(arguments)
    if not isinstance(value, Instance):
        return UNKNOWN
    for name, item in arguments.keywords.items():
        value = value.with_attribute(name, item)
    return replace(value, identity=frame.storage(node.span))


def _read(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    """`print(x)`, `float(x)`: reads the values."""
    for value in arguments.positional:
        for tensor in tensors(value):
            inflight.read(frame, tensor, node.span, "read here")
    return PLAIN


def _vars(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    value = _first(arguments)
    if isinstance(value, Instance) and value.built:
        return Mapping(value.attributes, None)
    return UNKNOWN


_PLAIN = (
    "all",
    "any",
    "bin",
    "callable",
    "chr",
    "divmod",
    "format",
    "hasattr",
    "hash",
    "hex",
    "id",
    "issubclass",
    "ord",
    "pow",
    "round",
    "type",
)

FUNCTIONS: dict[str, Builtin] = {
    "builtins.len": _length,
    "builtins.slice": lambda frame, node, arguments: External("builtins.slice"),
    "builtins.range": lambda frame, node, arguments: Sequence("iterator", None, PLAIN),
    "builtins.list": _sequence("list"),
    "builtins.tuple": _sequence("tuple"),
    "builtins.set": _sequence("set"),
    "builtins.frozenset": _sequence("set"),
    "collections.deque": _sequence("list"),
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "collections.defaultdict": _default_dict,
    "builtins.zip": _zip,
    "itertools.zip_longest": _zip,
    "itertools.product": _zip,
    "builtins.enumerate": _enumerate,
    "builtins.map": _map,
    "builtins.filter": _filter,
    "builtins.iter": _iterator,
    "builtins.aiter": _iterator,
    "builtins.next": _next,
    "builtins.anext": _next,
    "itertools.islice": _iterator,
    "itertools.cycle": _iterator,
    "builtins.sorted": _reordered,
    "builtins.reversed": _reordered,
    "builtins.max": _extreme,
    "builtins.min": _extreme,
    "builtins.sum": _sum,
    "builtins.isinstance": _isinstance,
    "builtins.getattr": _getattr,
    "builtins.super": _super,
    "builtins.vars": _vars,
    "functools.partial": _partial,
    "itertools.chain": _chain,
    "itertools.chain.from_iterable": _chain_iterable,
    "dataclasses.replace": _replace,
    "builtins.print": _read,
    "builtins.float": _read,
    "builtins.int": _read,
    "builtins.bool": _read,
    "builtins.str": _read,
    "builtins.repr": _read,
    **{f"builtins.{name}": _plain for name in _PLAIN},
    "math.ceil": _plain,
    "math.floor": _plain,
    "math.prod": _plain,
    "math.sqrt": _plain,
    "time.time": _plain,
    "time.perf_counter": _plain,
}
