"""Turns `torch.from_numpy(array)` into the project's helper that makes a pinned tensor of an array."""

from __future__ import annotations

import libcst as cst

from pinlint.fixes.edits import CannotFix, Edit
from pinlint.fixes.request import Request


def edits(request: Request) -> list[Edit]:
    """Return the edit that makes the call at the fix's target call the helper instead."""
    call = request.source.node(request.fix.target, cst.Call, "call")
    if len(call.args) != 1 or call.args[0].star or call.args[0].keyword is not None:
        raise CannotFix("`from_numpy` is not called with one array there")
    start, end = request.source.node_range(call.func)
    return [Edit(start, end, request.replacement)]
