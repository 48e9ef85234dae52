"""Passes `pin_memory=...` to the factory that allocates the tensor."""

from __future__ import annotations

import libcst as cst

from pinlint.fixes.call_arguments import pass_pin_memory
from pinlint.fixes.edits import Edit
from pinlint.fixes.request import Request


def edits(request: Request) -> list[Edit]:
    """Return the edits that make the call at the fix's target pass `pin_memory=...`."""
    call = request.source.node(request.fix.target, cst.Call, "call")
    return pass_pin_memory(request.source, call, request.replacement, request.limit)
