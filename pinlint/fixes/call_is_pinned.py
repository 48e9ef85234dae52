"""Calls a method that was only named: `x.is_pinned` becomes `x.is_pinned()`."""

from __future__ import annotations

import libcst as cst

from pinlint.fixes.edits import Edit
from pinlint.fixes.request import Request


def edits(request: Request) -> list[Edit]:
    """Return the edit that calls the attribute at the fix's target."""
    request.source.node(request.fix.target, cst.Attribute, "attribute")
    end = request.source.range(request.fix.target)[1]
    return [Edit(end, end, "()")]
