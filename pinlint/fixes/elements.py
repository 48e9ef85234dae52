"""Calls that return several tensors: `.pin_memory()` belongs behind the one that is copied."""

from __future__ import annotations

from pinlint import ir
from pinlint.fixes.lookup import Found
from pinlint.models.model import FunctionModel

_SEVERAL_WITH_DIMENSION = frozenset({"max", "min", "median", "nanmedian"})
"""One tensor of a whole tensor, values and indices along a dimension."""
_FIELDS = frozenset({"values", "indices"})


def returns_several(model: FunctionModel | None, found: Found) -> bool:
    """Whether the expression may be a sequence of tensors, which has no `.pin_memory()`."""
    call = found.node
    if not isinstance(call, ir.Call):
        return False
    if (model is not None and model.several) or element_field(found) is not None or _is_unpacked(found):
        return True
    keywords = [each.keyword for each in call.arguments if each.keyword and not _is_off(each.value)]
    if "as_tuple" in keywords or any(keyword.startswith("return_") for keyword in keywords):
        return True
    name = _last_name(call.function)
    return name in _SEVERAL_WITH_DIMENSION and bool(call.arguments) and (len(call.arguments) > 1 or _is_method(model))


def element(found: Found) -> ir.Node | None:
    """Return the expression that takes one tensor out of the call's result, if it stands around the call."""
    parent = found.chain[-2]
    if isinstance(parent, ir.Subscript) and parent.value is found.node and len(parent.index) == 1:
        index = parent.index[0]
        return parent if isinstance(index, ir.Constant | ir.Unary) else None
    return element_field(found)


def element_field(found: Found) -> ir.Node | None:
    """Return the `.values` or `.indices` of the call's result, which is not called, around the call."""
    parent, outer = found.chain[-2], next(iter(found.chain[-3:-2]), None)
    is_field = isinstance(parent, ir.Attribute) and parent.value is found.node and parent.name in _FIELDS
    is_called = isinstance(outer, ir.Call) and outer.function is parent
    return parent if is_field and not is_called else None


def _is_unpacked(found: Found) -> bool:
    statement = found.statement
    if not isinstance(statement, ir.Assign) or statement.value is not found.node:
        return False
    return any(isinstance(target, ir.Display) for target in statement.targets)


def _is_off(value: ir.Expression) -> bool:
    return isinstance(value, ir.Constant) and not value.value


def _is_method(model: FunctionModel | None) -> bool:
    return model is not None and model.source == "self"


def _last_name(function: ir.Expression) -> str:
    return function.name if isinstance(function, ir.Attribute) else getattr(function, "identifier", "")
