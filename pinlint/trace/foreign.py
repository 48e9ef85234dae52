"""Code that can't be read: what it may do to the tensors that it is given, and what it may return."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint.trace import inflight
from pinlint.trace.arguments import Arguments
from pinlint.trace.state import changing_storage
from pinlint.trace.uses import Use
from pinlint.trace.values import PLAIN, UNKNOWN, Memory, Tensor, Unknown, Value, alternatives, tensors, walk

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def query(use: Use) -> Value:
    if use.model.name.endswith(".data_ptr"):
        return Unknown(POINTER, taints=frozenset(tensor.storage for tensor in tensors(use.source)))
    return PLAIN


POINTER = "a pointer"


def hand_over(frame: Frame, arguments: Arguments) -> None:
    """Code that can't be read is given pointers: it may page-lock the memory they point to."""
    for value in arguments.values():
        for item in alternatives(value):
            if isinstance(item, Unknown) and item.reason == POINTER:
                for storage in item.taints:
                    frame.change(changing_storage(storage, _locked))


def _locked(tensor: Tensor) -> Tensor:
    return replace(tensor, memory=Memory.CONDITIONAL)


def let_go(frame: Frame, arguments: Arguments) -> None:
    """Code that can't be read is given tensors: it may keep and write them, and it may wait for copies."""
    for value in arguments.values():
        frame.tracer.log.escaping(value)
    inflight.wait(frame)


def register(use: Use) -> Value:
    """`cudaHostRegister(t.data_ptr(), ...)` page-locks memory in place."""
    hand_over(use.frame, use.arguments)
    return UNKNOWN


def unread(callee: Unknown, arguments: Arguments) -> Unknown:
    """The result of code that can't be read: it may be, or may hold, any of its arguments."""
    taints = frozenset(tensor.storage for value in arguments.values() for tensor in tensors(value))
    origins = frozenset(
        origin
        for value in arguments.values()
        for item in walk(value)
        if isinstance(item, Unknown | Tensor)
        for origin in item.origins
    )
    return Unknown(callee.reason or "the result of a call that pinlint can't read", callee.origins | origins, taints)
