"""Modules of `torch.nn`: their parameters are allocated, and move, together."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Role
from pinlint.models.model import Effect
from pinlint.trace import copies, effects, uses
from pinlint.trace.arguments import Arguments
from pinlint.trace.values import UNKNOWN, Device, Instance, Memory, Network, Sequence, Tensor, Unknown, Value, walk

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def network(frame: Frame, node: ir.Expression, arguments: Arguments) -> Value:
    given = arguments.keywords.get("device")
    device = frame.live.default_device if given is None else Device.UNKNOWN
    for value in arguments.positional:
        if any(isinstance(item, Unknown | Network | Instance) for item in walk(value)):
            # It may hold modules that are somewhere else already.
            device = Device.UNKNOWN
    step = frame.step(node.span, Role.ALLOCATED, "the module's parameters are allocated in pageable memory here")
    return Network(device, Memory.PAGEABLE, (step,), frame.storage(node.span))


def call_network(frame: Frame, node: ir.Call, receiver: Network, name: str, arguments: Arguments) -> Value:
    """A module moves in place."""
    model = frame.tracer.models.method("torch.nn.Module", name)
    if model is not None and model.effect in (Effect.TO, Effect.MOVE):
        before = effects.apply(frame, node, model, receiver, arguments)
        use = uses.Use(frame, node, model, receiver, arguments)
        device = copies.target_device(use)
        if device is not None:
            moved = _moved_network(frame, node, receiver, device)
            frame.change(
                lambda value: moved if isinstance(value, Network) and value.identity == receiver.identity else value
            )
            return moved
        return before
    if name in ("eval", "train", "requires_grad_", "float", "half", "bfloat16", "double", "apply", "share_memory"):
        return receiver
    if name in ("parameters", "buffers", "children", "modules"):
        return Sequence("iterator", None, _parameter(receiver))
    return UNKNOWN


def _moved_network(frame: Frame, node: ir.Call, receiver: Network, device: Device) -> Network:
    message = "the module's parameters are moved to pageable memory here"
    if device is not Device.HOST:
        message = "the module's parameters are moved to the device here"
    step = frame.step(node.span, Role.ALLOCATED, message)
    memory = Memory.PAGEABLE if device is Device.HOST else Memory.UNKNOWN
    return replace(receiver, device=device, memory=memory, steps=(step,))


def _parameter(receiver: Network) -> Tensor:
    return Tensor(receiver.device, receiver.memory, receiver.identity, receiver.steps, persistent=True)
