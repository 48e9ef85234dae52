"""Nested containers of tensors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pinlint.trace.joins import union
from pinlint.trace.values import Mapping, Sequence, Tensor, Union, Unknown, Value


def map_tree(value: Value, function: Callable[[Value], Value]) -> Value:
    """The container with `function` applied to each tensor (and to what is unknown) in it."""
    if isinstance(value, Union):
        return union(map_tree(item, function) for item in value.alternatives)
    if isinstance(value, Tensor | Unknown):
        return function(value)
    if isinstance(value, Sequence):
        items = None if value.items is None else tuple(map_tree(item, function) for item in value.items)
        rest = None if value.rest is None else map_tree(value.rest, function)
        return replace(value, items=items, rest=rest, identity=None)
    if isinstance(value, Mapping):
        pairs = tuple((key, map_tree(item, function)) for key, item in value.items)
        rest = None if value.rest is None else map_tree(value.rest, function)
        return replace(value, items=pairs, rest=rest, identity=None)
    return value
