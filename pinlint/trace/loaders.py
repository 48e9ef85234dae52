"""Data loaders and the batches that come out of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Role
from pinlint.models.model import FunctionModel
from pinlint.trace.arguments import Arguments
from pinlint.trace.frame import bounded
from pinlint.trace.memory import allocated, pinning
from pinlint.trace.trees import map_tree
from pinlint.trace.values import (
    NONE,
    UNKNOWN,
    Class,
    Device,
    Function,
    Instance,
    Layout,
    Loader,
    Mapping,
    Memory,
    Sequence,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def loader(frame: Frame, node: ir.Expression, model: FunctionModel, arguments: Arguments) -> Value:
    """A `DataLoader(...)`: `pin_memory` decides the memory of its batches."""
    if arguments.unknown_keywords and "pin_memory" not in arguments.keywords:
        memory = Memory.UNKNOWN
    else:
        memory = pinning(arguments.find("pin_memory", model.parameters))
    if frame.live.accelerator is False and memory is Memory.PAGEABLE:
        memory = Memory.CONDITIONAL
    message = {
        Memory.PAGEABLE: "the loader is built without `pin_memory=True`: its batches are in pageable memory",
        Memory.PINNED: "the loader pins its batches",
    }.get(memory, "the loader is built here")
    step = frame.step(node.span, Role.LOADED, message, model.name)
    collate = arguments.find("collate_fn", model.parameters)
    return Loader(memory, (step,), frame.storage(node.span), _collated_by(frame, node, collate))


def _collated_by(frame: Frame, node: ir.Expression, collate: Value | None) -> Value | None:
    """What a `collate_fn` of the project returns; None for the default, unknown for others."""
    if collate is None or collate == NONE:
        return None
    if isinstance(collate, Function | Class | Instance):
        return frame.tracer.call(frame, collate, [UNKNOWN], node)
    return UNKNOWN


def batch(frame: Frame, value: Loader) -> Value:
    """One batch of a loader.

    The tensors in dicts, lists and tuples are pinned by `pin_memory=True`, a custom type only by its own `pin_memory`
    method. What a batch holds is not known unless its `collate_fn` is: it stands for a tensor, or a container of them.
    """
    if value.batch is None:
        return _tensor(value, value.memory)
    if isinstance(value.batch, Unknown):
        # An unread `collate_fn` may return anything, tensors that are pinned included.
        return UNKNOWN if value.memory is Memory.PAGEABLE else _tensor(value, value.memory)
    if isinstance(value.batch, Instance):
        return _custom(frame, value, value.batch)
    return map_tree(value.batch, lambda leaf: _loaded(value, leaf))


def batch_method(value: Tensor, name: str) -> Value | None:
    """A dict's method of a batch: what it holds are tensors of the same batch; None for a tensor's methods."""
    if name == "items":
        return Sequence("iterator", None, Sequence("tuple", (UNKNOWN, value)))
    if name == "values":
        return Sequence("iterator", None, value)
    if name == "keys":
        return Sequence("iterator", None, UNKNOWN)
    return value if name in ("get", "pop") else None


def _tensor(value: Loader, memory: Memory) -> Tensor:
    return Tensor(
        Device.HOST, memory, value.storage, value.steps, layout=Layout.UNKNOWN, loader=True, reason="a loader's batch"
    )


def _loaded(value: Loader, leaf: Value) -> Value:
    """A tensor in a batch, as the loader hands it out."""
    if not isinstance(leaf, Tensor) or leaf.device is not Device.HOST:
        return leaf
    if value.memory is Memory.PINNED:
        return replace(leaf, memory=Memory.PINNED, steps=bounded((*leaf.steps, *value.steps)))
    if value.memory is not Memory.PAGEABLE:
        return replace(leaf, memory=value.memory)
    return replace(leaf, loader=leaf.memory is Memory.PAGEABLE, steps=bounded((*leaf.steps, *value.steps)))


def _custom(frame: Frame, value: Loader, made: Instance) -> Value:
    """A batch of a project's class: pinned only by its own `pin_memory`."""
    from pinlint.trace.classes import find_method  # noqa: PLC0415 # classes evaluates methods, which may iterate loaders

    if value.memory is not Memory.PAGEABLE and find_method(frame.tracer, made.declaration, "pin_memory") is not None:
        return _tensor(value, Memory.CONDITIONAL)
    if value.memory in (Memory.CONDITIONAL, Memory.UNKNOWN):
        return _tensor(value, value.memory)
    return replace(_tensor(value, Memory.PAGEABLE), batch_type=made.declaration.name)


def collated(frame: Frame, node: ir.Expression, samples: Value, callee: str) -> Value:
    """`default_collate(samples)`: new pageable tensors in the structure of one sample."""
    made = replace(allocated(frame, node.span, callee), layout=Layout.DENSE)
    if isinstance(samples, Sequence):
        sample = samples.rest if samples.items is None else (samples.items[0] if samples.items else None)
        if isinstance(sample, Mapping | Sequence):
            return map_tree(sample, lambda _: made)
    return made
