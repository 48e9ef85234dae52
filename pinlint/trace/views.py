"""Modelled functions that give the same memory, seen otherwise, or a copy where they must."""

from __future__ import annotations

from dataclasses import replace

from pinlint.findings.finding import Role
from pinlint.models.model import Layout as ViewLayout
from pinlint.trace import copies
from pinlint.trace.memory import allocated, computed, device_of
from pinlint.trace.uses import Use, dtype_name, each, short_name, unknown_like
from pinlint.trace.values import Device, Layout, Memory, Sequence, Tensor, Unknown, Value

_LAYOUTS = {ViewLayout.PERMUTE: Layout.PERMUTED, ViewLayout.GAP: Layout.GAPPED, ViewLayout.SELECT: Layout.UNKNOWN}


def view_of(use: Use) -> Value:
    layout = _LAYOUTS.get(use.model.layout)

    def view(value: Value) -> Value:
        if isinstance(value, Tensor):
            shape = value.shape if value.shape is not None and 0 in value.shape else None
            if value.layout is not Layout.DENSE and layout is None:
                return replace(value, shape=shape)
            return replace(value, layout=layout or value.layout, shape=shape, scalar=False)
        return unknown_like(value)

    return each(use, view)


def dense_of(use: Use) -> Value:
    def dense(value: Value) -> Value:
        if not isinstance(value, Tensor):
            return unknown_like(value)
        if value.layout is Layout.DENSE or value.device is not Device.HOST:
            return replace(value, shape=None)
        if value.layout in (Layout.GAPPED, Layout.PERMUTED) or value.memory is Memory.PAGEABLE:
            return computed(use.frame, use.node, [value], short_name(use.callee), array=value.array)
        return replace(
            value, memory=Memory.UNKNOWN, layout=Layout.UNKNOWN, shape=None, reason="a view or a copy, by its layout"
        )

    return each(use, dense)


def cast_of(use: Use) -> Value:
    wanted = use.model.dtype or dtype_name(use.find("dtype"))
    return each(use, lambda value: copies.cast(use.frame, use.node, value, wanted, short_name(use.callee)))


def bridge_of(use: Use) -> Value:
    """The same memory as a tensor or as an array."""
    array = use.model.result == "array"

    def bridge(value: Value) -> Value:
        if isinstance(value, Tensor):
            if value.device is Device.HOST or value.array == array:
                # `.numpy()` only makes a view: what is read of it later counts.
                return replace(value, array=array, device=Device.HOST if array else value.device)
            return Tensor(
                Device.HOST, Memory.UNKNOWN, value.storage, value.steps, array, Layout.UNKNOWN, origins=value.origins
            )
        if isinstance(value, Unknown) and not array and value.direct:
            # An array that a caller passes: host memory, pageable unless it views a pinned tensor.
            made = allocated(use.frame, use.node.span, use.callee)
            return replace(made, origins=value.origins)
        if isinstance(value, Unknown):
            return Tensor(
                Device.HOST,
                Memory.UNKNOWN,
                use.frame.storage(use.node.span),
                array=array,
                layout=Layout.UNKNOWN,
                origins=value.origins,
                reason=value.reason or "an array of unknown memory",
            )
        if array:
            return unknown_like(value)
        if isinstance(value, Sequence):
            return allocated(use.frame, use.node.span, use.callee)
        # A buffer over memory that somebody else owns.
        return Tensor(
            Device.HOST, Memory.UNKNOWN, use.frame.storage(use.node.span), reason="a buffer over foreign memory"
        )

    return each(use, bridge)


def converted(use: Use) -> Value:
    """`as_tensor`, `numpy.asarray`: tensors and arrays are shared, Python data is copied."""
    array = use.model.result == "array"
    given = use.find("device")
    device = device_of(given, Device.HOST)

    def convert(value: Value) -> Value:
        if isinstance(value, Tensor):
            if given is not None and device is not Device.HOST:
                return allocated(use.frame, use.node.span, use.callee, device=device)
            dtype = dtype_name(use.find("dtype"))
            shared = replace(value, array=array) if value.device is Device.HOST else value
            return copies.cast(use.frame, use.node, shared, dtype, use.callee) if dtype else shared
        if isinstance(value, Unknown) and not array and not given:
            return unknown_like(value)
        if isinstance(value, Unknown) and array:
            return Tensor(
                Device.HOST,
                Memory.PAGEABLE if value.direct else Memory.UNKNOWN,
                use.frame.storage(use.node.span),
                (use.frame.step(use.node.span, Role.ALLOCATED, "pageable memory is allocated here", use.callee),),
                array=True,
                layout=Layout.UNKNOWN,
                origins=value.origins,
                reason=value.reason,
            )
        default = use.frame.live.default_device if use.model.default_device and not array else Device.HOST
        return allocated(use.frame, use.node.span, use.callee, device=device_of(given, default), array=array)

    return each(use, convert)
