"""Making tensor values: allocations, computed results, views, pinned copies."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Confidence, Role
from pinlint.trace import inflight
from pinlint.trace.frame import bounded
from pinlint.trace.joins import union
from pinlint.trace.values import (
    NONE,
    PLAIN,
    Availability,
    Constant,
    Device,
    DeviceValue,
    Layout,
    Mapping,
    Memory,
    Origin,
    Plain,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    alternatives,
    tensors,
    walk,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame

ACCELERATORS = ("cuda", "xpu", "npu", "hpu", "mps", "mlu", "musa", "ipu", "xla", "hip", "mtia", "privateuseone")
"""Device types whose memory is not the host's (https://pytorch.org/docs/stable/tensor_attributes.html#torch-device)."""

PAGEABLE_HERE = "pageable memory is allocated here"


def device_of(value: Value | None, default: Device) -> Device:
    """The device that a `device=` argument names; `default` where it is absent or None."""
    if value is None or value == NONE:
        return default
    if isinstance(value, Union):
        found = {device_of(item, default) for item in value.alternatives}
        if len(found) == 1:
            return found.pop()
        return Device.UNKNOWN if Device.UNKNOWN in found else Device.CHOSEN
    if isinstance(value, DeviceValue):
        return value.device
    if isinstance(value, Constant):
        # A default that an unseen caller may override says no more than that there is a choice.
        return Device.CHOSEN if value.assumed else device_named(value.value)
    if isinstance(value, Tensor):
        return value.device
    return Device.CHOSEN


def device_named(name: object) -> Device:
    """The device of a `torch.device` string or index."""
    if isinstance(name, str):
        kind = name.split(":")[0]
        if kind in ("cpu", "meta"):
            return Device.HOST if kind == "cpu" else Device.META
        return Device.ACCELERATOR if kind in ACCELERATORS else Device.UNKNOWN
    return Device.ACCELERATOR if isinstance(name, int) else Device.CHOSEN


def pinning(value: Value | None) -> Memory:
    """The memory that `pin_memory=value` gives: a flag that is no constant is the author's condition."""
    if value is None:
        return Memory.PAGEABLE
    if isinstance(value, Union):
        found = {pinning(item) for item in value.alternatives}
        return found.pop() if len(found) == 1 else Memory.CONDITIONAL
    if isinstance(value, Constant) and not value.assumed:
        return Memory.PINNED if value.value else Memory.PAGEABLE
    return Memory.CONDITIONAL


def flag_origins(value: Value | None) -> frozenset[Origin]:
    """The parameters that a flag depends on."""
    found: frozenset[Origin] = frozenset()
    for item in () if value is None else alternatives(value):
        if isinstance(item, Unknown | Constant):
            found |= item.origins
    return found


def allocated(
    frame: Frame,
    span: ir.Span,
    callee: str,
    *,
    device: Device = Device.HOST,
    memory: Memory = Memory.PAGEABLE,
    array: bool = False,
    dtype: str = "",
    shape: tuple[int | str | None, ...] | None = None,
    scalar: bool = False,
    sources: Iterable[Tensor] = (),
) -> Tensor:
    """New memory, allocated by the expression at `span`."""
    storage = frame.storage(span)
    state = frame.live
    # The same expression allocates anew: copies of what it allocated before no longer concern this memory.
    state.inflight = frozenset(item for item in state.inflight if item.storage != storage)
    if device is not Device.HOST:
        steps = (frame.step(span, Role.ALLOCATED, "memory is allocated here", callee),)
        return Tensor(device, Memory.UNKNOWN, storage, steps, array, Layout.DENSE, dtype, shape, scalar)
    if memory is Memory.PAGEABLE and state.accelerator is False:
        # On a path without an accelerator nothing can be pinned, and nothing waits.
        memory = Memory.CONDITIONAL
    message = {
        Memory.PAGEABLE: PAGEABLE_HERE,
        Memory.PINNED: "pinned memory is allocated here",
        Memory.CONDITIONAL: "memory is allocated here, pinned under a condition",
        Memory.UNKNOWN: "memory is allocated here",
    }[memory]
    role = Role.PINNED if memory is Memory.PINNED else Role.ALLOCATED
    steps = (frame.step(span, role, message, callee),)
    derived = frozenset(source.storage for source in sources)
    return Tensor(device, memory, storage, steps, array, Layout.DENSE, dtype, shape, scalar, derived)


def computed(
    frame: Frame, node: ir.Expression, operands: list[Value], callee: str, *, array: bool = False, scalar: bool = False
) -> Value:
    """The result of an operator or function that computes into new memory on its operands' device."""
    combinations = _single(operands)
    if combinations is None:
        first = next(item for item in operands if isinstance(item, Union))
        index = next(i for i, item in enumerate(operands) if item is first)
        return union(
            computed(frame, node, [*operands[:index], item, *operands[index + 1 :]], callee, array=array, scalar=scalar)
            for item in first.alternatives
            if item != NONE
        )
    found = [tensor for operand in combinations for tensor in tensors(operand)]
    # Unread containers may hold tensors of any device.
    unknown = [item for operand in combinations for item in walk(operand) if isinstance(item, Unknown)]
    if not found:
        if unknown:
            return _uncertain(unknown)
        return PLAIN
    device = _common_device(found, bool(unknown))
    if device is Device.UNKNOWN:
        blame = [item for item in found if item.device is Device.UNKNOWN] or found
        origins = frozenset(o for item in blame for o in item.origins) | frozenset(
            o for item in unknown for o in item.origins
        )
        reason = next((item.reason for item in blame if item.reason), "") or next((u.reason for u in unknown), "")
        return _undecided(frame, node, found, origins, reason, array=array)
    empty = device is Device.HOST and not unknown and all(item.shape is not None and 0 in item.shape for item in found)
    base = _provenance(found, device)
    message = f"`{callee}` computes into new pageable memory"
    if device is not Device.HOST:
        message = f"`{callee}` computes on the accelerator"
    for item in found:
        inflight.read(frame, item, node.span, "read here")
    made = allocated(
        frame,
        node.span,
        callee,
        device=device,
        # What is computed from nothing is empty: never pinned, and its copy never waits.
        memory=Memory.CONDITIONAL if empty else Memory.PAGEABLE,
        shape=(0,) if empty else None,
        array=array or all(item.array for item in found),
        scalar=scalar or (all(item.scalar for item in found) and not unknown),
    )
    step = frame.step(node.span, Role.COMPUTED, message, callee)
    return replace(
        made,
        steps=bounded((*base.steps, step)),
        confidence=max((item.confidence for item in found), key=_confidence_rank),
        origins=base.origins if base.device is device else frozenset(),
    )


def _single(operands: list[Value]) -> list[Value] | None:
    return None if any(isinstance(item, Union) and item.alternatives for item in operands) else operands


def _common_device(found: list[Tensor], unknown: bool) -> Device:
    """The device that operands share; a host tensor without dimensions may join an accelerator's."""
    certain = any(item.device is Device.HOST and not item.scalar and not item.array for item in found)
    for device in (Device.ACCELERATOR, Device.CHOSEN):
        if any(item.device is device for item in found):
            # Devices do not mix: where it does not raise, both are on one that is not known.
            return Device.UNKNOWN if certain else device
    if certain or any(item.array and not item.scalar for item in found):
        return Device.HOST
    if unknown or any(item.device is Device.UNKNOWN for item in found):
        return Device.UNKNOWN
    return Device.HOST


def _provenance(found: list[Tensor], device: Device) -> Tensor:
    """The operand whose history explains the result best: one that was pinned, otherwise the first."""
    same = [item for item in found if item.device is device] or found
    for item in same:
        if item.memory in (Memory.PINNED, Memory.CONDITIONAL):
            return item
    return same[0]


def _uncertain(unknown: list[Unknown]) -> Unknown:
    first = next((item for item in unknown if item.origins or item.reason), unknown[0])
    origins = frozenset(origin for item in unknown for origin in item.origins)
    return Unknown(first.reason, origins, frozenset(taint for item in unknown for taint in item.taints))


def _undecided(
    frame: Frame,
    node: ir.Expression,
    found: list[Tensor],
    origins: frozenset[object],
    reason: str,
    *,
    array: bool,
) -> Tensor:
    steps = (frame.step(node.span, Role.COMPUTED, "computed here"),)
    return Tensor(
        Device.UNKNOWN,
        Memory.UNKNOWN,
        frame.storage(node.span),
        steps,
        array or all(item.array for item in found),
        origins=origins,  # type: ignore[arg-type] # origins of the operands
        reason=reason,
    )


def _confidence_rank(confidence: Confidence) -> int:
    return [Confidence.HIGH, Confidence.MEDIUM, Confidence.LOW].index(confidence)


def pinned(frame: Frame, span: ir.Span, source: Tensor) -> Tensor:
    """`source.pin_memory()`: a pinned copy, or the tensor itself where it is pinned already."""
    if source.memory is Memory.PINNED or source.device is Device.ACCELERATOR:
        return source
    step = frame.step(span, Role.PINNED, "copied to pinned memory here", "torch.Tensor.pin_memory")
    storage = frame.storage(span)
    state = frame.live
    state.inflight = frozenset(item for item in state.inflight if item.storage != storage)
    if state.accelerator is None:
        state.pins = True
    return replace(
        source,
        device=Device.HOST,
        memory=Memory.PINNED,
        storage=storage,
        steps=bounded((*source.steps, step)),
        layout=Layout.DENSE,
        derived=source.derived | {source.storage},
        persistent=False,
        escaped=False,
    )


def moved(frame: Frame, span: ir.Span, device: Device, source: Tensor | None, dtype: str = "") -> Tensor:
    """A tensor on a device that is not the host, moved there by the expression at `span`."""
    step = frame.step(span, Role.ALLOCATED, "moved to the device here")
    shape = None if source is None else source.shape
    return Tensor(
        device,
        Memory.UNKNOWN,
        frame.storage(span),
        (step,),
        dtype=dtype or ("" if source is None else source.dtype),
        shape=shape,
        scalar=source is not None and source.scalar,
        reason="" if source is not None else MAYBE_MODULE,
    )


PARAMETER = "a parameter moves with its module"
MAYBE_MODULE = "it may be a module, which moves in place"


def on_host(frame: Frame, span: ir.Span, memory: Memory, source: Tensor | None, callee: str) -> Tensor:
    """A copy in host memory, made by the expression at `span`."""
    made = allocated(frame, span, callee, memory=memory)
    if source is None:
        return made
    return replace(made, dtype=source.dtype, shape=source.shape, scalar=source.scalar)


def known_plain(value: Value) -> bool:
    """Whether a value is certainly no tensor and holds none."""
    return isinstance(value, Plain | Constant | DeviceValue | Availability) or (
        isinstance(value, Sequence | Mapping) and all(not isinstance(item, Tensor | Unknown) for item in walk(value))
    )


def unknown_tensor(frame: Frame, span: ir.Span, value: Unknown) -> Tensor:
    """Something unknown that is used as a tensor."""
    return Tensor(
        Device.UNKNOWN,
        Memory.UNKNOWN,
        frame.storage(span),
        layout=Layout.UNKNOWN,
        origins=value.origins,
        reason=value.reason,
    )
