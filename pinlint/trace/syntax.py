"""What an expression or a block of the IR says by its form alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from pinlint import ir


def names_host(value: ir.Expression) -> bool:
    """`"cpu"` or `torch.device("cpu")`."""
    if isinstance(value, ir.Call) and len(value.arguments) == 1:
        value = value.arguments[0].value
    return isinstance(value, ir.Constant) and value.value == "cpu"


def leaves(body: Sequence[ir.Statement]) -> bool:
    return bool(body) and isinstance(body[-1], ir.Return | ir.Raise | ir.Break | ir.Continue)


def assigns_attribute(target: ir.Expression) -> bool:
    """`x.a = v` and `x.a[key] = v`; a range or several indices write a tensor, which stays the one it is."""
    while isinstance(target, ir.Subscript):
        if len(target.index) > 1 or isinstance(target.index[0], ir.Slice | ir.Ellipsis):
            return False
        target = target.value
    return isinstance(target, ir.Name) or (isinstance(target, ir.Attribute) and isinstance(target.value, ir.Name))


def tested_names(test: ir.Expression) -> Iterator[str]:
    """Local names whose truth decides a condition."""
    if isinstance(test, ir.Name):
        yield test.identifier
    elif isinstance(test, ir.Unary):
        yield from tested_names(test.operand)
    elif isinstance(test, ir.Boolean):
        for value in test.values:
            yield from tested_names(value)


def changed_path(expression: ir.Expression) -> tuple[str, ...]:
    """The name that an in-place change of `expression` changes: `x` for `x[0].y`... or `x.a` for `x.a.b[1]`."""
    attribute = ""
    while True:
        if isinstance(expression, ir.Attribute):
            attribute = expression.name
            expression = expression.value
        elif isinstance(expression, ir.Subscript):
            attribute = ""
            expression = expression.value
            if isinstance(expression, ir.Attribute):
                continue
        elif isinstance(expression, ir.Call):
            function = expression.function
            if not isinstance(function, ir.Attribute):
                return ()
            attribute = ""
            expression = function.value
        elif isinstance(expression, ir.Starred | ir.Await):
            expression = expression.value
        else:
            break
    if not isinstance(expression, ir.Name):
        return ()
    return (f"{expression.identifier}.{attribute}",) if attribute else (expression.identifier,)


_FIELDS: dict[type, tuple[str, ...]] = {}


def children(node: object) -> Iterator[ir.Expression]:
    """The IR structures directly in a node, in source order."""
    names = _FIELDS.get(type(node))
    if names is None:
        skipped = {"span", "identifier", "operator", "operators", "keyword", "stars", "name_line", "name_column"}
        names = tuple(name for name in getattr(node, "__struct_fields__", ()) if name not in skipped)
        _FIELDS[type(node)] = names
    for name in names:
        item = getattr(node, name)
        if isinstance(item, msgspec.Struct):
            yield item  # type: ignore[misc] # every structure in the IR is walked alike
        elif isinstance(item, tuple):
            for element in item:
                if isinstance(element, msgspec.Struct):
                    yield element  # type: ignore[misc] # as above


def read_nodes(node: object) -> Iterator[object]:
    """A node and all that is in it."""
    stack: list[object] = [node]
    while stack:
        current = stack.pop()
        yield current
        if isinstance(current, ir.Attribute) and isinstance(current.value, ir.Name):
            # `x` in `x.a` is read for that attribute alone.
            continue
        if isinstance(current, ir.Slice):
            # A range's bounds say nothing of the memory.
            stack.extend(bound for bound in children(current) if has_calls(bound))
        elif isinstance(current, ir.Call) and sized_factory(current):
            stack.append(current.function)
            stack.extend(
                item.value
                for item in current.arguments
                if item.keyword is not None or item.stars or has_calls(item.value)
            )
        else:
            stack.extend(children(current))


_SIZED = frozenset(
    {"zeros", "ones", "empty", "full", "arange", "rand", "randn", "randint", "randperm", "linspace", "eye"}
)
"""Factories of torch and numpy whose positional arguments are sizes and numbers."""


def sized_factory(call: ir.Call) -> bool:
    """Whether a call's positional arguments are numbers only: `torch.zeros(n)`, `np.empty((n, m))`."""
    function = call.function
    return (
        isinstance(function, ir.Attribute)
        and function.name in _SIZED
        and isinstance(function.value, ir.Name)
        and function.value.identifier in ("torch", "np", "numpy")
    )


def has_calls(node: object) -> bool:
    """Whether evaluating an expression calls or binds something."""
    stack: list[object] = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, ir.Call | ir.Walrus | ir.Await | ir.Yield | ir.YieldFrom):
            return True
        stack.extend(children(current))
    return False
