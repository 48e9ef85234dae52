"""The shape that a factory call gives, as far as its text says it."""

from __future__ import annotations

from pinlint import ir
from pinlint.models.model import FunctionModel
from pinlint.trace.arguments import POSITIONAL_STARS
from pinlint.trace.layout import Shape, text_of

_ONE_DIMENSION = frozenset({"arange", "linspace", "logspace", "randperm", "range"})


def factory_shape(node: ir.Expression, model: FunctionModel) -> Shape | None:
    """The shape of `torch.zeros(3, n)`, `torch.empty((3, n))`, `torch.arange(n)`; None when it can't be read."""
    if not isinstance(node, ir.Call):
        return None
    name = model.name.rsplit(".", 1)[-1]
    if name in _ONE_DIMENSION:
        return (None,)
    if model.device_from or not model.name.startswith("torch."):
        return None
    sizes = [argument.value for argument in node.arguments if argument.keyword is None and not argument.stars]
    sizes += [argument.value for argument in node.arguments if argument.keyword == "size"]
    if any(argument.stars == POSITIONAL_STARS for argument in node.arguments) or not sizes:
        return None
    if isinstance(sizes[0], ir.Display):
        elements = sizes[0].elements
        return None if any(isinstance(item, ir.Starred) for item in elements) else tuple(map(_size, elements))
    if name not in ("zeros", "ones", "empty", "rand", "randn"):
        return None
    if len(sizes) == 1 and not isinstance(sizes[0], ir.Constant):
        # A name may hold a number or a whole shape.
        return None
    return tuple(map(_size, sizes))


def _size(expression: ir.Expression) -> int | str | None:
    if isinstance(expression, ir.Constant) and isinstance(expression.value, int):
        return expression.value
    return text_of(expression) or None
