"""Passes `pin_memory=True` where a data loader is built."""

from __future__ import annotations

import libcst as cst

from pinlint.fixes.call_arguments import pass_pin_memory
from pinlint.fixes.edits import CannotFix, Edit
from pinlint.fixes.request import Request

POSITION = 7
"""Of `pin_memory` among the positional parameters of `torch.utils.data.DataLoader`."""


def edits(request: Request) -> list[Edit]:
    """Return the edits that make the loader built at the fix's target pin what it yields."""
    call = request.source.node(request.fix.target, cst.Call, "loader's construction")
    positional = [arg for arg in call.args if arg.keyword is None and arg.star != "**"]
    if len(positional) > POSITION or any(arg.star == "*" for arg in positional):
        raise CannotFix("`pin_memory` may be passed there by position already")
    return pass_pin_memory(request.source, call, request.replacement, request.limit)
