"""Methods of Python's lists, tuples, sets and dicts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from pinlint import ir
from pinlint.trace import evaluate as evaluation
from pinlint.trace.arguments import Arguments
from pinlint.trace.joins import elements, join, mapping_values
from pinlint.trace.state import replacing
from pinlint.trace.values import NONE, NOTHING, PLAIN, UNKNOWN, Constant, Mapping, Sequence, Tensor, Value

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame

MAX_LENGTH = 32
"""Longer lists are joined into one element."""


def call_method(
    frame: Frame, node: ir.Expression, receiver: Sequence | Mapping, name: str, arguments: Arguments
) -> Value:
    """`receiver.name(...)`; changes in place are made wherever the container stands."""
    if isinstance(receiver, Sequence):
        method = _SEQUENCE_METHODS.get(name)
        if method is not None:
            return method(frame, receiver, arguments)
        return PLAIN if name in ("index", "count") else UNKNOWN
    found = _MAPPING_METHODS.get(name)
    return UNKNOWN if found is None else found(frame, receiver, arguments)


def field_of(receiver: Sequence, name: str) -> Value:
    """An attribute of a result with named fields (`x.sort().values`): one of its elements."""
    found = elements(receiver)
    return found if isinstance(found, Tensor) else UNKNOWN


def _update(frame: Frame, old: Sequence | Mapping, new: Value) -> None:
    if old.identity is not None:
        frame.change(replacing(old.identity, new))


def _first(arguments: Arguments) -> Value:
    return arguments.positional[0] if arguments.positional else UNKNOWN


def _append(frame: Frame, receiver: Sequence, arguments: Arguments) -> Value:
    value = _first(arguments)
    if receiver.items is not None and len(receiver.items) < MAX_LENGTH:
        _update(frame, receiver, replace(receiver, items=(*receiver.items, value)))
    else:
        _update(frame, receiver, replace(receiver, items=None, rest=join(elements(receiver), value)))
    return NONE


def _extend(frame: Frame, receiver: Sequence, arguments: Arguments) -> Value:
    more = _first(arguments)
    known = isinstance(more, Sequence) and more.items is not None and receiver.items is not None
    if known and isinstance(more, Sequence) and len(receiver.items or ()) + len(more.items or ()) <= MAX_LENGTH:
        _update(frame, receiver, replace(receiver, items=(receiver.items or ()) + (more.items or ())))
    else:
        rest = join(elements(receiver), evaluation.iterate(frame, more))
        _update(frame, receiver, replace(receiver, items=None, rest=rest))
    return NONE


def _insert(frame: Frame, receiver: Sequence, arguments: Arguments) -> Value:
    value = arguments.positional[1] if len(arguments.positional) > 1 else UNKNOWN
    _update(frame, receiver, replace(receiver, items=None, rest=join(elements(receiver), value)))
    return NONE


def _pop(frame: Frame, receiver: Sequence, arguments: Arguments) -> Value:
    if receiver.items:
        given = arguments.positional[0] if arguments.positional else None
        index = given.value if isinstance(given, Constant) else -1
        if isinstance(index, int) and -len(receiver.items) <= index < len(receiver.items):
            kept = list(receiver.items)
            value = kept.pop(index)
            _update(frame, receiver, replace(receiver, items=tuple(kept)))
            return value
    return elements(receiver)


def _clear(frame: Frame, receiver: Sequence, arguments: Arguments) -> Value:
    _update(frame, receiver, replace(receiver, items=(), rest=None))
    return NONE


def _copy(frame: Frame, receiver: Sequence, arguments: Arguments) -> Value:
    return replace(receiver, identity=None)


def _reorder(frame: Frame, receiver: Sequence, arguments: Arguments) -> Value:
    _update(frame, receiver, replace(receiver, items=None, rest=elements(receiver)))
    return NONE


def _forget_one(frame: Frame, receiver: Sequence, arguments: Arguments) -> Value:
    _update(frame, receiver, replace(receiver, items=None, rest=elements(receiver)))
    return NONE


def _get(frame: Frame, receiver: Mapping, arguments: Arguments) -> Value:
    default = arguments.positional[1] if len(arguments.positional) > 1 else NONE
    key = _first(arguments)
    if isinstance(key, Constant):
        for name, value in receiver.items:
            if name == key.value:
                return value
        return default if receiver.rest is None else join(receiver.rest, default)
    return join(mapping_values(receiver), default)


def _keys(frame: Frame, receiver: Mapping, arguments: Arguments) -> Value:
    keys = tuple(Constant(key) for key, _ in receiver.items)
    return Sequence("iterator", keys if receiver.rest is None else None, None if receiver.rest is None else UNKNOWN)


def _values(frame: Frame, receiver: Mapping, arguments: Arguments) -> Value:
    if receiver.rest is None:
        return Sequence("iterator", tuple(value for _, value in receiver.items))
    return Sequence("iterator", None, mapping_values(receiver))


def _items(frame: Frame, receiver: Mapping, arguments: Arguments) -> Value:
    pairs = tuple(Sequence("tuple", (Constant(key), value)) for key, value in receiver.items)
    if receiver.rest is None:
        return Sequence("iterator", pairs)
    return Sequence("iterator", None, Sequence("tuple", (UNKNOWN, mapping_values(receiver))))


def _pop_key(frame: Frame, receiver: Mapping, arguments: Arguments) -> Value:
    return (
        _get(frame, receiver, arguments)
        if len(arguments.positional) > 1
        else join(_get(frame, receiver, arguments), NOTHING)
    )


def _mapping_update(frame: Frame, receiver: Mapping, arguments: Arguments) -> Value:
    items: dict[Any, Value] = dict(receiver.items)
    rest = receiver.rest
    for value in arguments.positional:
        if isinstance(value, Mapping):
            items.update(value.items)
            rest = rest if value.rest is None else join(rest or NOTHING, value.rest)
        else:
            rest = join(rest or NOTHING, UNKNOWN)
    items.update(arguments.keywords)
    _update(frame, receiver, replace(receiver, items=tuple(items.items()), rest=rest))
    return NONE


def _setdefault(frame: Frame, receiver: Mapping, arguments: Arguments) -> Value:
    key = _first(arguments)
    default = arguments.positional[1] if len(arguments.positional) > 1 else NONE
    if isinstance(key, Constant):
        found: dict[Any, Value] = dict(receiver.items)
        value = join(found[key.value], default) if key.value in found else default
        found[key.value] = value
        _update(frame, receiver, replace(receiver, items=tuple(found.items())))
        return value
    value = join(receiver.rest or NOTHING, default)
    _update(frame, receiver, replace(receiver, rest=value))
    return value


def _mapping_clear(frame: Frame, receiver: Mapping, arguments: Arguments) -> Value:
    _update(frame, receiver, replace(receiver, items=(), rest=None))
    return NONE


def _mapping_copy(frame: Frame, receiver: Mapping, arguments: Arguments) -> Value:
    return replace(receiver, identity=None)


SequenceMethod: TypeAlias = "Callable[[Frame, Sequence, Arguments], Value]"
MappingMethod: TypeAlias = "Callable[[Frame, Mapping, Arguments], Value]"

_SEQUENCE_METHODS: dict[str, SequenceMethod] = {
    "append": _append,
    "add": _append,
    "appendleft": _insert,
    "extend": _extend,
    "update": _extend,
    "insert": _insert,
    "pop": _pop,
    "popleft": _pop,
    "clear": _clear,
    "copy": _copy,
    "sort": _reorder,
    "reverse": _reorder,
    "remove": _forget_one,
    "discard": _forget_one,
}

_MAPPING_METHODS: dict[str, MappingMethod] = {
    "get": _get,
    "keys": _keys,
    "values": _values,
    "items": _items,
    "pop": _pop_key,
    "update": _mapping_update,
    "setdefault": _setdefault,
    "clear": _mapping_clear,
    "copy": _mapping_copy,
}
