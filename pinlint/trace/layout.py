"""Dense and gapped: what slicing does to a tensor's layout."""

from __future__ import annotations

from typing import TypeAlias

from pinlint import ir
from pinlint.trace.values import Layout, Tensor

Dimension: TypeAlias = int | str | None
Shape: TypeAlias = tuple[Dimension, ...]


def sliced(base: Tensor, indices: tuple[ir.Expression, ...]) -> tuple[Layout, Shape | None]:
    """The layout and shape of a dense tensor under a basic index.

    The result is dense when every dimension after the first one that keeps more than one row is taken whole; integers
    and ranges in front of that only choose where the dense block starts.
    """
    parts = _flat(indices)
    expanded = _expand(parts, base.shape)
    if expanded is None:
        return Layout.UNKNOWN, None
    layout, shape, open_ended = Layout.DENSE, [], False
    for part, size in expanded:
        if part is None:
            shape.append(size)
            open_ended |= size != 1
            continue
        if _is_new_axis(part):
            shape.append(1)
            continue
        kept, whole, steps = _range(part, size)
        if steps and kept != 1:
            layout = Layout.GAPPED
        if open_ended and whole is False:
            layout = Layout.GAPPED
        elif open_ended and whole is None and layout is Layout.DENSE:
            layout = Layout.MAYBE_GAPPED
        if isinstance(part, ir.Slice):
            shape.append(kept)
            open_ended |= kept != 1
    if base.shape is None:
        return layout, None
    return layout, tuple(shape)


def _flat(indices: tuple[ir.Expression, ...]) -> tuple[ir.Expression, ...]:
    if len(indices) == 1 and isinstance(indices[0], ir.Display) and indices[0].kind == "tuple":
        return indices[0].elements
    return indices


def _is_new_axis(part: ir.Expression) -> bool:
    return isinstance(part, ir.Constant) and part.value is None


def _expand(
    parts: tuple[ir.Expression, ...], shape: Shape | None
) -> list[tuple[ir.Expression | None, Dimension]] | None:
    """Each index with the size of its dimension; None for a dimension that is taken whole."""
    used = sum(1 for part in parts if not isinstance(part, ir.Ellipsis) and not _is_new_axis(part))
    if shape is not None and used > len(shape):
        return None
    result: list[tuple[ir.Expression | None, Dimension]] = []
    position = 0
    for part in parts:
        if isinstance(part, ir.Ellipsis):
            if shape is None:
                # An unknown number of whole dimensions: more than one row, as far as can be seen.
                result.append((None, None))
                continue
            whole = len(shape) - used
            result.extend((None, size) for size in shape[position : position + whole])
            position += whole
        elif _is_new_axis(part):
            result.append((part, 1))
        else:
            result.append((part, shape[position] if shape is not None else None))
            position += 1
    if shape is not None:
        result.extend((None, size) for size in shape[position:])
    return result


def _range(part: ir.Expression, size: Dimension) -> tuple[Dimension, bool | None, bool]:
    """What a part keeps of a dimension: how many rows, whether all (None: not known), whether it steps over some."""
    if not isinstance(part, ir.Slice):
        return 1, size == 1, False
    step = part.step.value if isinstance(part.step, ir.Constant) else None
    steps = part.step is not None and step != 1
    lower = 0 if part.lower is None else _number(part.lower)
    upper = size if part.upper is None else _number(part.upper)
    if part.lower is None and part.upper is None:
        return (size if not steps else None), not steps, steps
    if isinstance(lower, int) and isinstance(upper, int) and 0 <= lower <= upper:
        kept: Dimension = upper - lower
        if isinstance(size, int):
            return min(upper, size) - lower, lower == 0 and upper >= size, steps
        return kept, None if lower == 0 else False, steps
    if size is not None and upper == size and lower == 0:
        return size, True, steps
    if part.upper is not None and part.lower is not None and _one_row(part.lower, part.upper):
        return 1, size == 1 if isinstance(size, int) else None, steps
    if lower != 0 and isinstance(lower, int):
        return None, False, steps
    return None, None, steps


def _one_row(lower: ir.Expression, upper: ir.Expression) -> bool:
    """`i : i + 1`."""
    return (
        isinstance(upper, ir.Binary)
        and upper.operator == "+"
        and isinstance(upper.right, ir.Constant)
        and upper.right.value == 1
        and text_of(upper.left) == text_of(lower) != ""
    )


def _number(part: ir.Expression) -> Dimension:
    if isinstance(part, ir.Constant) and isinstance(part.value, int):
        return part.value
    return text_of(part) or None


def text_of(expression: ir.Expression) -> str:
    """A stable text for a name, an attribute path or simple arithmetic of them, "" for other expressions."""
    if isinstance(expression, ir.Name):
        return expression.identifier
    if isinstance(expression, ir.Constant):
        return repr(expression.value)
    if isinstance(expression, ir.Attribute):
        base = text_of(expression.value)
        return f"{base}.{expression.name}" if base else ""
    if isinstance(expression, ir.Binary):
        left, right = text_of(expression.left), text_of(expression.right)
        return f"({left} {expression.operator} {right})" if left and right else ""
    return ""
