"""Copies between their call and their completion: what may be written or read meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Role
from pinlint.ir import Span
from pinlint.models.model import Effect
from pinlint.trace.declarations import dotted
from pinlint.trace.state import InFlight
from pinlint.trace.syntax import read_nodes
from pinlint.trace.values import Tensor, Value, tensors

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def start(frame: Frame, tensor: Tensor, copy: tuple[object, ...], *, reads_host: bool) -> None:
    """A non-blocking copy over `tensor`'s host memory is under way."""
    frame.live.inflight |= {InFlight(tensor.storage, copy, reads_host)}


def wait(frame: Frame) -> None:
    """Everything queued before is complete."""
    frame.live.inflight = frozenset()


def another(frame: Frame, value: Value) -> None:
    """Another element, or another allocation at the same place: copies of the one before do not concern its memory."""
    fresh = {tensor.storage for tensor in tensors(value) if not tensor.persistent}
    if frame.live.inflight and fresh:
        frame.live.inflight = frozenset(item for item in frame.live.inflight if item.storage not in fresh)


def may_wait(frame: Frame, statement: ir.Statement) -> bool:
    """Whether a statement that is not evaluated calls something that may wait for the copies before it."""
    return any(isinstance(node, ir.Call) and calls_unknown(frame, node) for node in read_nodes(statement))


def calls_unknown(frame: Frame, call: ir.Call) -> bool:
    """Whether a call's name says nothing of it: functions of torch, numpy and Python are known not to wait."""
    function = call.function
    if isinstance(function, ir.Name):
        return f"builtins.{function.identifier}" not in HARMLESS
    if not isinstance(function, ir.Attribute):
        return True
    if function.name in frame.tracer.stream_methods:
        # They order streams; the host goes on.
        return False
    model = frame.tracer.models.method("torch.Tensor", function.name) or frame.tracer.models.method(
        "numpy.ndarray", function.name
    )
    if model is None:
        model = frame.tracer.models.function(dotted(function))
    return model is None or model.effect in (Effect.WAIT, Effect.READ)


HARMLESS = frozenset(
    {f"builtins.{name}" for name in ("len", "range", "enumerate", "zip", "isinstance", "min", "max", "print", "int")}
    | {f"builtins.{name}" for name in ("list", "tuple", "dict", "set", "sorted", "reversed", "float", "str", "bool")}
)
"""Functions that do not wait for an accelerator unless they are given its tensors."""


def write(frame: Frame, tensor: Tensor, span: Span, message: str) -> None:
    """Host memory is written: a copy of it in flight may carry the new values, or overwrite them."""
    for item in sorted(frame.live.inflight, key=lambda item: str(item.copy)):
        if item.storage == tensor.storage:
            frame.tracer.written_in_flight(item, tensor, frame.step(span, Role.WRITTEN, message))


def read(frame: Frame, tensor: Tensor, span: Span, message: str) -> None:
    """Host memory is read: a copy into it that is in flight may not have arrived."""
    for item in sorted(frame.live.inflight, key=lambda item: str(item.copy)):
        if item.storage == tensor.storage and not item.reads_host:
            frame.tracer.read_in_flight(item, tensor, frame.step(span, Role.READ, message))
