"""Copies between host and accelerators: what they return, and the verdict on each."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Role
from pinlint.trace import inflight
from pinlint.trace.discards import discard
from pinlint.trace.events import Direction, Verdict
from pinlint.trace.joins import elements, union
from pinlint.trace.memory import computed, device_of, moved, on_host
from pinlint.trace.state import changing_storage
from pinlint.trace.trees import map_tree
from pinlint.trace.values import (
    NONE,
    UNKNOWN,
    Constant,
    Device,
    DtypeValue,
    Instance,
    Memory,
    Network,
    Origin,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
    alternatives,
    tensors,
)
from pinlint.trace.verdicts import AWAY, Judgement, judge_copy, judge_move, report

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame
    from pinlint.trace.uses import Use


def asynchronous(value: Value | None, default: bool = False) -> bool | None:
    """Whether `non_blocking=value` asks for an asynchronous copy; None when that is not known."""
    if value is None:
        return default
    if isinstance(value, Union):
        found = {asynchronous(item) for item in value.alternatives}
        return found.pop() if len(found) == 1 else None
    if isinstance(value, Constant):
        return bool(value.value)
    return None


def cast(frame: Frame, node: ir.Expression, value: Value, dtype: str, callee: str) -> Value:
    """The value in another dtype: itself where it has that dtype already, otherwise new pageable memory."""
    if not isinstance(value, Tensor):
        return replace(value, direct=False) if isinstance(value, Unknown) else value
    if value.dtype and dtype and value.dtype == dtype:
        return value
    if value.device is not Device.HOST:
        return replace(value, dtype=dtype)
    if value.memory is Memory.PAGEABLE or (value.dtype and dtype):
        result = computed(frame, node, [value], callee, array=value.array)
        return replace(result, dtype=dtype) if isinstance(result, Tensor) else result
    if value.memory is Memory.CONDITIONAL:
        return replace(value, dtype=dtype)
    return replace(value, memory=Memory.UNKNOWN, dtype=dtype, reason="a cast that copies unless the dtype is the same")


# --- `.to`, `.cuda`, `.cpu`, `.type` ----------------------------------------------------------------------------------


@dataclass(slots=True)
class Request:
    """What a `.to` call asks for."""

    device: Device | None
    """None when only the dtype changes."""
    dtype: str
    non_blocking: Value | None
    unknown: bool = False
    """The arguments can't be read."""
    may_be_host: bool = False
    """The device is the host on some path and not known on another."""


def to(use: Use) -> Value:
    """`Tensor.to` in all its signatures."""
    request = _request(use)
    if request.unknown:
        return UNKNOWN
    return _transfer(use, request, ".to")


def _request(use: Use) -> Request:
    arguments = use.arguments
    positional = list(arguments.positional)
    find = arguments.keywords.get
    device, dtype, non_blocking = find("device"), find("dtype"), find("non_blocking")
    other = find("other")
    if positional:
        first, rest = positional[0], positional[1:]
        if any(isinstance(item, DtypeValue) for item in alternatives(first)):
            dtype = first
            non_blocking = rest[0] if rest else non_blocking
        elif any(isinstance(item, Tensor) for item in alternatives(first)):
            other = first
            non_blocking = rest[0] if rest else non_blocking
        else:
            device = first
            if rest and _is_flag(rest[0]):
                non_blocking = rest[0]
            elif rest:
                dtype = rest[0]
                non_blocking = rest[1] if len(rest) > 1 else non_blocking
    if other is not None:
        held = next(tensors(other), None)
        return Request(
            Device.UNKNOWN if held is None else held.device, "" if held is None else held.dtype, non_blocking
        )
    if device is None and (arguments.unknown_keywords or arguments.unknown_positional):
        return Request(None, "", None, unknown=True)
    if arguments.unknown_keywords and non_blocking is None:
        non_blocking = UNKNOWN
    name = dtype.name if isinstance(dtype, DtypeValue) else ""
    target = None if device is None or device == NONE else device_of(device, Device.CHOSEN)
    if isinstance(device, Unknown) and len(positional) == 1 and non_blocking is None and not arguments.keywords:
        # `x.to(y)`: a device, a dtype or another tensor.
        target = Device.CHOSEN
    named = {device_of(item, Device.CHOSEN) for item in alternatives(device)} if device is not None else set()
    return Request(target, name, non_blocking, may_be_host={Device.HOST, Device.UNKNOWN} <= named)


def _is_flag(value: Value) -> bool:
    return isinstance(value, Constant) and isinstance(value.value, bool)


def move(use: Use) -> Value:
    """`Tensor.cuda(device, non_blocking)` and its kin, `Tensor.cpu()`."""
    name = use.model.name.rsplit(".", 1)[-1]
    device = {"host": Device.HOST, "accelerator": Device.ACCELERATOR}[use.model.device]
    return _transfer(use, Request(device, "", use.find("non_blocking")), f".{name}")


def convert_type(use: Use) -> Value:
    """`Tensor.type(dtype, non_blocking)`, where a name such as `torch.cuda.FloatTensor` names a device too."""
    wanted = use.find("dtype")
    name = wanted.value if isinstance(wanted, Constant) else getattr(wanted, "name", "")
    on_device = isinstance(name, str) and (".cuda." in name or ".xpu." in name)
    if wanted is None:
        return UNKNOWN
    dtype = wanted.name if isinstance(wanted, DtypeValue) else ""
    return _transfer(use, Request(Device.ACCELERATOR if on_device else None, dtype, use.find("non_blocking")), ".type")


def _transfer(use: Use, request: Request, form: str) -> Value:
    source = use.source
    frame, node = use.frame, use.node
    flag = asynchronous(request.non_blocking, use.model.non_blocking)
    if request.device is None:
        return _each(source, lambda value: cast(frame, node, value, request.dtype, form))
    discard(use, form)
    if flag is not False:
        judgements = [judge_move(value, request.device) for value in alternatives(source) if value != NONE]
        if request.may_be_host:
            reason = "the device may be the host"
            judgements = [Judgement(Verdict.UNKNOWN, Direction.UNKNOWN, None, reason) for _ in judgements]
        report(use, form, judgements, flag, request.device, source)
    else:
        _blocking(frame, source, request.device)
    return _each(source, lambda value: _moved(use, value, request, flag))


def _each(source: Value, function: Callable[[Value], Value]) -> Value:
    if isinstance(source, Union):
        return union(function(item) for item in source.alternatives if item != NONE)
    return function(source)


def _moved(use: Use, value: Value, request: Request, flag: bool | None) -> Value:
    """The result of moving one possibility to the requested device."""
    frame, span, device = use.frame, use.node.span, request.device
    if isinstance(value, Instance | Network) or not isinstance(value, Tensor | Unknown):
        return value
    source = value if isinstance(value, Tensor) else None
    if device is Device.HOST:
        return _to_host(use, value, request, flag)
    if device is Device.UNKNOWN or device is None:
        origins = value.origins if isinstance(value, Unknown | Tensor) else frozenset()
        return Tensor(
            Device.UNKNOWN, Memory.UNKNOWN, frame.storage(span), origins=origins, reason="moved to an unknown device"
        )
    if source is not None and source.device is Device.ACCELERATOR:
        return replace(source, dtype=request.dtype or source.dtype)
    return moved(frame, span, device, source, request.dtype)


def _to_host(use: Use, value: Value, request: Request, flag: bool | None) -> Value:
    """`.to("cpu", non_blocking=True)` of an accelerator's tensor gives pinned memory; where it blocks, pageable."""
    frame, span = use.frame, use.node.span
    source = value if isinstance(value, Tensor) else None
    if source is not None and source.device is Device.HOST:
        return cast(frame, use.node, source, request.dtype, "to") if request.dtype else source
    certain = source is not None and source.device in AWAY
    memory = Memory.PAGEABLE if flag is False else Memory.PINNED
    if flag is None or (flag and not certain):
        memory = Memory.UNKNOWN
    made = on_host(frame, span, memory, source, "torch.Tensor.cpu" if flag is False else "torch.Tensor.to")
    message = {
        Memory.PAGEABLE: "copied to pageable host memory here",
        Memory.PINNED: "copied to pinned host memory here",
    }.get(memory, "copied to host memory here")
    step = frame.step(span, Role.ALLOCATED, message, "torch.Tensor.cpu")
    origins: frozenset[Origin] = frozenset()
    if memory is not Memory.PAGEABLE and isinstance(value, Unknown | Tensor):
        origins = value.origins
    made = replace(made, steps=(step,), origins=origins)
    if flag and certain:
        inflight.start(frame, made, frame.last_copy, reads_host=False)
    return made


def _blocking(frame: Frame, source: Value, target: Device) -> None:
    """A copy that blocks waits for what was queued before it on its stream."""
    other_side = AWAY if target is Device.HOST else (Device.HOST,)
    if any(isinstance(item, Tensor) and item.device in other_side for item in alternatives(source)):
        inflight.wait(frame)


# --- `copy_` ----------------------------------------------------------------------------------------------------------


def copy(use: Use) -> Value:
    """`destination.copy_(source, non_blocking)`; it returns the destination."""
    destination = use.receiver if use.receiver is not None else UNKNOWN
    source = use.find("source")
    if source is None:
        source = use.find("src") or use.find("other") or UNKNOWN
    copy_one(use, destination, source, use.find("non_blocking"), ".copy_")
    return use.receiver if use.receiver is not None else UNKNOWN


def copy_one(use: Use, destination: Value, source: Value, non_blocking: Value | None, form: str) -> None:
    flag = asynchronous(non_blocking, use.model.non_blocking)
    frame = use.frame
    for item in alternatives(destination):
        if isinstance(item, Tensor):
            _filled(frame, item, source)
            if any(isinstance(other, Tensor) and other.device is Device.HOST for other in alternatives(source)):
                # What comes from an accelerator is written in the stream's order.
                inflight.write(frame, item, use.node.span, "`copy_` writes it here")
    if flag is False:
        _blocking_copy(frame, destination, source)
        return
    judgements = [
        judge_copy(left, right)
        for left in alternatives(destination)
        for right in alternatives(source)
        if NONE not in (left, right)
    ]
    report(use, form, judgements, flag, _device_of(destination), source)


def _device_of(value: Value) -> Device:
    found = {item.device for item in tensors(value)}
    return found.pop() if len(found) == 1 else Device.UNKNOWN


def _filled(frame: Frame, destination: Tensor, source: Value) -> None:
    """A pinned buffer that is filled from a tensor holds its data: choosing one of the two is optional pinning."""
    if destination.memory not in (Memory.PINNED, Memory.CONDITIONAL):
        return
    held = frozenset(item.storage for item in alternatives(source) if isinstance(item, Tensor))
    taints = frozenset(taint for item in alternatives(source) if isinstance(item, Unknown) for taint in item.taints)
    derived = destination.derived | held | taints
    if derived != destination.derived:
        frame.change(changing_storage(destination.storage, lambda item: replace(item, derived=item.derived | derived)))


def _blocking_copy(frame: Frame, destination: Value, source: Value) -> None:
    for left in alternatives(destination):
        for right in alternatives(source):
            if isinstance(left, Tensor) and isinstance(right, Tensor) and left.device is not right.device:
                inflight.wait(frame)


def copy_lists(use: Use) -> Value:
    """`torch._foreach_copy_(destinations, sources, non_blocking)`: pairs of the two lists."""
    left, right = use.find(use.model.parameters[0]), use.find(use.model.parameters[1])
    flag = use.find("non_blocking")
    pairs: list[tuple[Value, Value]]
    if isinstance(left, Sequence) and isinstance(right, Sequence):
        if left.items is not None and right.items is not None and len(left.items) == len(right.items):
            pairs = list(zip(left.items, right.items, strict=True))
        else:
            pairs = [(elements(left), elements(right))]
    else:
        pairs = [(left or UNKNOWN, right or UNKNOWN)]
    for destination, source in pairs:
        copy_one(use, destination, source, flag, "torch._foreach_copy_")
    return NONE


def move_tree(use: Use) -> Value:
    """A function that moves every tensor in a container."""
    device = device_of(use.find("device"), Device.CHOSEN)
    flag = asynchronous(use.find("non_blocking"), use.model.non_blocking)
    form = use.model.name.rsplit(".", 1)[-1]
    source = use.source
    request = Request(device, "", None)
    if flag is not False:
        leaves: list[Value] = list(tensors(source))
        if not leaves or any(isinstance(item, Unknown) for item in alternatives(source)):
            leaves.append(source if isinstance(source, Unknown) else UNKNOWN)
        report(use, form, [judge_move(leaf, device) for leaf in leaves], flag, device, source)
    return map_tree(source, lambda leaf: _moved(use, leaf, request, flag))


def target_device(use: Use) -> Device | None:
    """The device that a module is moved to; None when only its dtype changes or the arguments can't be read."""
    if use.model.device:
        return Device.HOST if use.model.device == "host" else Device.ACCELERATOR
    request = _request(use)
    return None if request.unknown else request.device
