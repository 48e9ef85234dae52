"""A discarded `x.pin_memory()` that was meant to pin what is copied: assigning its result is the remedy."""

from __future__ import annotations

from pinlint import ir
from pinlint.fixes.lookup import Found, walk


def discarded_pin(made: Found, copy: Found | None) -> ir.Call | None:
    """Return the discarded `.pin_memory()` call on the name that the value at `made` is given, or None.

    In the function of `copy` only what stands before the copy counts.
    """
    statement = made.statement
    target = statement.targets[0] if isinstance(statement, ir.Assign) and len(statement.targets) == 1 else None
    name = _dotted(target)
    if name is None:
        return None
    before = copy.statement.span if copy is not None and copy.function == made.function else None
    for node in walk(_where(made, name)):
        call = node.value if isinstance(node, ir.ExpressionStatement) else None
        if not isinstance(call, ir.Call) or not isinstance(call.function, ir.Attribute):
            continue
        in_order = call.span > statement.span and (before is None or call.span < before)
        if in_order and call.function.name == "pin_memory" and _dotted(call.function.value) == name:
            return call
    return None


def _where(made: Found, name: str) -> object:
    """Return what the name means the same in: the function, or for an attribute of `self` the class."""
    outer = next((node for node in reversed(made.chain) if isinstance(node, ir.ClassDef)), None)
    if "." in name and outer is not None:
        return outer.body
    return made.blocks[0].statements if made.function is None else made.function.body


def _dotted(expression: ir.Expression | None) -> str | None:
    if isinstance(expression, ir.Name):
        return expression.identifier
    if isinstance(expression, ir.Attribute):
        outer = _dotted(expression.value)
        return None if outer is None else f"{outer}.{expression.name}"
    return None
