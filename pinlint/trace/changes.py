"""What a callee changed in place of what it was given."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from pinlint.trace.state import changing_storage, replacing
from pinlint.trace.values import Instance, Mapping, Sequence, Tensor, Value, tensors, walk

_OBJECTS = (Instance, Sequence, Mapping)


def changes_between(old: Value, new: Value) -> Iterable[Callable[[Value], Value]]:
    """The changes in place that turn what a callee was given into what it left behind."""
    if old == new:
        return
    before = {item.identity: item for item in walk(old) if isinstance(item, _OBJECTS) and item.identity}
    for item in walk(new):
        if isinstance(item, _OBJECTS) and item.identity is not None:
            known = before.get(item.identity)
            if known is not None and known != item:
                yield replacing(item.identity, item)
    memories = {item.storage: item for item in tensors(old)}
    for tensor in tensors(new):
        first = memories.get(tensor.storage)
        if first is not None and (first.memory, first.derived) != (tensor.memory, tensor.derived):
            yield changing_storage(tensor.storage, _takes(tensor))


def _takes(changed: Tensor) -> Callable[[Tensor], Tensor]:
    return lambda item: replace(item, memory=changed.memory, derived=item.derived | changed.derived)
