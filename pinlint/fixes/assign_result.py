"""Assigns a result that was thrown away: `x.pin_memory()` becomes `x = x.pin_memory()`."""

from __future__ import annotations

from pinlint import ir
from pinlint.fixes.edits import CannotFix, Edit
from pinlint.fixes.lookup import Found, find
from pinlint.fixes.request import Request
from pinlint.fixes.scope import local_binders


def edits(request: Request) -> list[Edit]:
    """Return the edit that assigns the call at the target, a statement of its own, to its receiver."""
    found = find(request.source.module, request.fix.target, ir.Call)
    statement = None if found is None else found.statement
    if found is None or not isinstance(statement, ir.ExpressionStatement) or statement.value is not found.node:
        raise CannotFix("the call is not a statement of its own")
    receiver = _receiver(found)
    if isinstance(receiver, ir.Name) and found.function and not local_binders(found, receiver.identifier):
        raise CannotFix(f"`{receiver.identifier}` is not a name of this function, so assigning it would hide it")
    start = request.source.range(statement.span)[0]
    return [Edit(start, start, f"{request.source.text_of(receiver.span)} = ")]


def _receiver(found: Found) -> ir.Expression:
    call = found.node
    receiver = call.function.value if isinstance(call, ir.Call) and isinstance(call.function, ir.Attribute) else None
    if not isinstance(receiver, ir.Name | ir.Attribute):
        raise CannotFix("the tensor has no name to assign to")
    return receiver
