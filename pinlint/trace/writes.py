"""Modelled functions that write tensors in place."""

from __future__ import annotations

from pinlint.trace import inflight
from pinlint.trace.uses import Use, short_name
from pinlint.trace.values import NONE, Value, tensors


def write_out(use: Use, out: Value) -> Value:
    """`out=` gives that tensor back, written."""
    for tensor in tensors(out):
        inflight.write(use.frame, tensor, use.node.span, "written through `out=` here")
    return out


def write_in_place(use: Use) -> Value:
    source = use.source
    for tensor in tensors(source):
        inflight.write(use.frame, tensor, use.node.span, f"`{short_name(use.callee)}` writes it here")
    return source


def write_only(use: Use) -> Value:
    write_in_place(use)
    return NONE
