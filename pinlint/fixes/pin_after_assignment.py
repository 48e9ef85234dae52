"""Pins a computed value under a condition, in a statement after the one that names it.

After `x = torch.cat(parts)` it writes `if torch.cuda.is_available():` and, under it, `x = x.pin_memory()`.
"""

from __future__ import annotations

from pinlint import ir
from pinlint.fixes.edits import CannotFix, Edit
from pinlint.fixes.lookup import Found, find
from pinlint.fixes.request import Request


def edits(request: Request) -> list[Edit]:
    """Return the edit that pins, if the condition holds, the name to which the value at the target is assigned."""
    source = request.source
    found = find(source.module, request.fix.target, ir.Node)
    name = None if found is None else assigned_name(found)
    if found is None or name is None:
        raise CannotFix("the value is not assigned to one name there")
    start, end = source.range(found.statement.span)
    line_end = source.line_end(end)
    rest = source.text[end:line_end].strip()
    if not source.starts_line(start) or (rest and not rest.startswith("#")):
        raise CannotFix("another statement stands on the same line")
    line_start = source.newline(end) + source.indentation(start)
    lines = (f"if {request.replacement}:", f"{source.unit}{name} = {name}.pin_memory()")
    return [Edit(line_end, line_end, "".join(line_start + line for line in lines))]


def assigned_name(found: Found) -> str | None:
    """Return the one plain name to which a statement assigns the expression as a whole, or None."""
    statement = found.statement
    if isinstance(statement, ir.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
    elif isinstance(statement, ir.AnnotatedAssign) and statement.value is not None:
        target, value = statement.target, statement.value
    else:
        return None
    return target.identifier if isinstance(target, ir.Name) and value is found.node else None
