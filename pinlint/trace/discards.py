"""Moves and pins whose result is thrown away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.trace.declarations import dotted
from pinlint.trace.events import DiscardEvent
from pinlint.trace.memory import MAYBE_MODULE
from pinlint.trace.values import Tensor, Value, alternatives

if TYPE_CHECKING:
    from pinlint.trace.uses import Use


def _is_tensor(value: Value) -> bool:
    return isinstance(value, Tensor) and not value.array and not value.loader and value.reason != MAYBE_MODULE


def discard(use: Use, form: str) -> None:
    """A tensor's `.pin_memory()`, `.to(...)` or `.cuda()` as a statement: the result is thrown away."""
    frame, node = use.frame, use.node
    statement = frame.statement
    if not isinstance(statement, ir.ExpressionStatement) or statement.value is not node:
        return
    if not isinstance(node, ir.Call) or not isinstance(node.function, ir.Attribute):
        return
    found = alternatives(use.source)
    if not found or not all(_is_tensor(item) for item in found):
        return
    receiver = node.function.value
    assignable = bool(dotted(receiver))
    site = frame.site(node, node.function.name_line, node.function.name_column)
    frame.tracer.record(DiscardEvent(site, form, receiver.span, assignable))
