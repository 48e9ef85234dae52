"""One use of a modelled function, and what all effects ask of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.models.model import FunctionModel
from pinlint.trace.arguments import Arguments
from pinlint.trace.joins import union
from pinlint.trace.values import NONE, UNKNOWN, DtypeValue, Union, Unknown, Value, tensors

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


class Use:
    """One use of a modelled function: the frame, the call, the model, the receiver (for a method) and the arguments."""

    __slots__ = ("arguments", "frame", "model", "node", "receiver")

    def __init__(
        self, frame: Frame, node: ir.Expression, model: FunctionModel, receiver: Value | None, arguments: Arguments
    ) -> None:
        self.frame = frame
        self.node = node
        self.model = model
        self.receiver = receiver
        self.arguments = arguments

    @property
    def callee(self) -> str:
        """The name as a reader would say it."""
        return self.model.name

    def find(self, name: str) -> Value | None:
        return self.arguments.find(name, self.model.parameters)

    @property
    def source(self) -> Value:
        if self.model.source == "self" and self.receiver is not None:
            return self.receiver
        found = self.find(self.model.source)
        if found is None and self.arguments.positional and self.receiver is None:
            found = self.arguments.positional[0]
        return UNKNOWN if found is None else found

    @property
    def operands(self) -> list[Value]:
        """All that may hold tensors: the receiver and the arguments but `out`."""
        values = [] if self.receiver is None else [self.receiver]
        values += self.arguments.positional
        values += [item for name, item in self.arguments.keywords.items() if name not in _NO_OPERANDS]
        return values


_NO_OPERANDS = frozenset({"out", "device", "dtype", "dim", "axis", "keepdim", "keepdims", "size"})


def each(use: Use, function: Callable[[Value], Value]) -> Value:
    """Apply an effect to every possibility of its source."""
    source = use.source
    if isinstance(source, Union):
        return union(function(item) for item in source.alternatives if item != NONE)
    return function(source)


def unknown_like(value: Value) -> Unknown:
    """Unknown because `value` is."""
    if isinstance(value, Unknown):
        return replace(value, direct=False)
    origins = frozenset(origin for tensor in tensors(value) for origin in tensor.origins)
    return Unknown("", origins, frozenset(tensor.storage for tensor in tensors(value)))


def dtype_name(value: Value | None) -> str:
    return value.name if isinstance(value, DtypeValue) else ""


def short_name(callee: str) -> str:
    return callee.replace("torch.Tensor.", "").replace("numpy.ndarray.", "")
