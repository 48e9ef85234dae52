"""Pins that the author wrote: where one runs without a condition, another beside it cannot newly fail."""

from __future__ import annotations

from collections.abc import Iterator

from pinlint import ir
from pinlint.fixes.lookup import find, walk
from pinlint.fixes.names import qualified_name
from pinlint.fixes.provenance import Place
from pinlint.fixes.reach import comes_after, leads_to
from pinlint.models.model import Models, Pin


def pinned_beside(models: Models, place: Place) -> bool:
    """Whether a pin without a condition, in the same function, runs whenever the expression at `place` runs."""
    function = place.found.function
    for call in () if function is None else _pins(models, place.module, function.body):
        found = find(place.module, call.span, ir.Call)
        if found is not None and (leads_to(place.found, found) or comes_after(place.found, found)):
            return True
    return False


def _pins(models: Models, module: ir.Module, body: object) -> Iterator[ir.Call]:
    for node in walk(body):
        if isinstance(node, ir.Call) and _pins_here(models, module, node):
            yield node


def _pins_here(models: Models, module: ir.Module, call: ir.Call) -> bool:
    function = call.function
    if isinstance(function, ir.Attribute) and function.name == "pin_memory":
        return True
    if not any(each.keyword == "pin_memory" and _is_true(each.value) for each in call.arguments):
        return False
    model = models.function(qualified_name(module, function))
    if model is None and isinstance(function, ir.Attribute):
        model = models.method("torch.Tensor", function.name)
    return model is not None and model.pin is Pin.ACCEPTED


def _is_true(value: ir.Expression) -> bool:
    return isinstance(value, ir.Constant) and value.value is True
