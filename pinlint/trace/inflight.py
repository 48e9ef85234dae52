"""Copies between their call and their completion: what may be written or read meanwhile."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint.findings.finding import Role
from pinlint.ir import Span
from pinlint.trace.state import InFlight
from pinlint.trace.values import Tensor

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def start(frame: Frame, tensor: Tensor, copy: tuple[object, ...], *, reads_host: bool) -> None:
    """A non-blocking copy over `tensor`'s host memory is under way."""
    frame.live.inflight |= {InFlight(tensor.storage, copy, reads_host)}


def wait(frame: Frame) -> None:
    """Everything queued before is complete."""
    frame.live.inflight = frozenset()


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
