"""Expressions: one small function per LibCST node type, found through the table at the end.

Chains that grow to the left (`a + b + c`, `a.b().c()`) are unrolled in a loop, so an ordinary long one needs no deep
recursion.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import libcst as cst

from pinlint import ir
from pinlint.lower.literals import float_constant, integer_constant, string_constant
from pinlint.lower.operators import BINARY, COMPARISON, UNARY
from pinlint.lower.positions import Places


class Context:
    """What lowering carries along: the places of nodes, and whether the function at hand has yielded."""

    __slots__ = ("places", "span", "yields")

    def __init__(self, places: Places) -> None:
        self.places = places
        self.span = places.plain_span
        self.yields = False


_Lower: TypeAlias = Callable[[Context, Any], ir.Expression]

_KEYWORD_CONSTANTS = {"None": None, "True": True, "False": False}


def expression(context: Context, node: cst.CSTNode) -> ir.Expression:
    """Lower any LibCST expression."""
    return _TABLE[type(node)](context, node)


def optional(context: Context, node: cst.CSTNode | None) -> ir.Expression | None:
    return None if node is None else _TABLE[type(node)](context, node)


def arguments(context: Context, nodes: Sequence[cst.Arg]) -> tuple[ir.Argument, ...]:
    """Lower the arguments of a call or of a class statement."""
    return tuple(
        [
            ir.Argument(
                _TABLE[type(node.value)](context, node.value),
                None if node.keyword is None else node.keyword.value,
                len(node.star),
            )
            for node in nodes
        ]
    )


def parameters(context: Context, node: cst.Parameters) -> tuple[ir.Parameter, ...]:
    """Lower the parameters of a function or a lambda, in order."""
    found = [_parameter(context, each, "positional-only") for each in node.posonly_params]
    found += [_parameter(context, each, "positional") for each in node.params]
    if isinstance(node.star_arg, cst.Param):
        found.append(_parameter(context, node.star_arg, "var-positional"))
    found += [_parameter(context, each, "keyword") for each in node.kwonly_params]
    if node.star_kwarg is not None:
        found.append(_parameter(context, node.star_kwarg, "var-keyword"))
    return tuple(found)


def _parameter(context: Context, node: cst.Param, kind: str) -> ir.Parameter:
    span = context.span(node.name)
    annotation = None
    if node.annotation is not None:
        annotation = expression(context, node.annotation.annotation)
        span = span[:2] + context.span(node.annotation)[2:]
    return ir.Parameter(span, node.name.value, kind, annotation, optional(context, node.default))


def _name(context: Context, node: cst.Name) -> ir.Expression:
    if node.value in _KEYWORD_CONSTANTS:
        return ir.Constant(context.span(node), _KEYWORD_CONSTANTS[node.value])
    return ir.Name(context.span(node), node.value)


def _ellipsis(context: Context, node: cst.Ellipsis) -> ir.Expression:
    return ir.Ellipsis(context.span(node))


def _integer(context: Context, node: cst.Integer) -> ir.Expression:
    return integer_constant(context.span(node), node.value)


def _float(context: Context, node: cst.Float) -> ir.Expression:
    return float_constant(context.span(node), node.value)


def _imaginary(context: Context, node: cst.Imaginary) -> ir.Expression:
    return ir.Opaque(context.span(node), ())


def _string(context: Context, node: cst.SimpleString) -> ir.Expression:
    return string_constant(context.span(node), node.value)


def _concatenated(context: Context, node: cst.ConcatenatedString) -> ir.Expression:
    span = context.span(node)
    pieces = []
    rest: cst.BaseExpression = node
    while isinstance(rest, cst.ConcatenatedString):
        pieces.append(expression(context, rest.left))
        rest = rest.right
    pieces.append(expression(context, rest))
    texts = [piece.value for piece in pieces if isinstance(piece, ir.Constant) and isinstance(piece.value, str)]
    if len(texts) == len(pieces):
        return ir.Constant(span, "".join(texts))
    return ir.Opaque(span, tuple(part for piece in pieces if isinstance(piece, ir.Opaque) for part in piece.parts))


def _formatted(context: Context, node: cst.FormattedString | cst.TemplatedString) -> ir.Expression:
    return ir.Opaque(context.span(node), tuple(_replacement_fields(context, node.parts)))


def _replacement_fields(context: Context, parts: Sequence[cst.CSTNode]) -> list[ir.Expression]:
    found = []
    for part in parts:
        if isinstance(part, cst.FormattedStringExpression | cst.TemplatedStringExpression):
            found.append(expression(context, part.expression))
            found += _replacement_fields(context, part.format_spec or ())
    return found


def _compare(context: Context, node: cst.Comparison) -> ir.Expression:
    return ir.Compare(
        context.span(node),
        expression(context, node.left),
        tuple([COMPARISON[type(target.operator)] for target in node.comparisons]),
        tuple([expression(context, target.comparator) for target in node.comparisons]),
    )


def _unary(context: Context, node: cst.UnaryOperation) -> ir.Expression:
    return ir.Unary(context.span(node), UNARY[type(node.operator)], expression(context, node.expression))


def _binary(context: Context, node: cst.BinaryOperation) -> ir.Expression:
    chain = []
    left: cst.BaseExpression = node
    while isinstance(left, cst.BinaryOperation):
        chain.append(left)
        left = left.left
    lowered = expression(context, left)
    for each in reversed(chain):
        right = expression(context, each.right)
        lowered = ir.Binary(context.span(each), BINARY[type(each.operator)], lowered, right)
    return lowered


def _boolean(context: Context, node: cst.BooleanOperation) -> ir.Expression:
    kind = type(node.operator)
    values = [expression(context, node.right)]
    left = node.left
    while isinstance(left, cst.BooleanOperation) and type(left.operator) is kind and not left.lpar:
        values.append(expression(context, left.right))
        left = left.left
    values.append(expression(context, left))
    return ir.Boolean(context.span(node), "and" if kind is cst.And else "or", tuple(reversed(values)))


def _trailer(context: Context, node: cst.Attribute | cst.Call | cst.Subscript) -> ir.Expression:
    """`.name`, `(...)` and `[...]` after a value: from the innermost value outwards."""
    chain: list[cst.BaseExpression] = []
    value: cst.BaseExpression = node
    while isinstance(value, cst.Attribute | cst.Subscript | cst.Call):
        chain.append(value)
        value = value.func if isinstance(value, cst.Call) else value.value
    lowered = expression(context, value)
    for each in reversed(chain):
        lowered = _APPLY[type(each)](context, each, lowered)
    return lowered


def _attribute(context: Context, node: cst.Attribute, value: ir.Expression) -> ir.Expression:
    line, column = context.places.start(node.attr)
    return ir.Attribute(context.span(node), value, node.attr.value, line, column)


def _call(context: Context, node: cst.Call, function: ir.Expression) -> ir.Expression:
    return ir.Call(context.span(node), function, arguments(context, node.args))


def _subscript(context: Context, node: cst.Subscript, value: ir.Expression) -> ir.Expression:
    index = tuple([_index(context, element) for element in node.slice])
    if len(index) == 1 and isinstance(node.slice[0].comma, cst.Comma):
        index = (ir.Display(context.span(node.slice[0]), "tuple", index),)  # x[a,] indexes with a tuple of one
    return ir.Subscript(context.span(node), value, index)


def _index(context: Context, element: cst.SubscriptElement) -> ir.Expression:
    part = element.slice
    if isinstance(part, cst.Index):
        value = expression(context, part.value)
        return ir.Starred(context.span(element), value) if part.star else value
    bounds = cst.ensure_type(part, cst.Slice)
    return ir.Slice(
        context.places.span(element),
        optional(context, bounds.lower),
        optional(context, bounds.upper),
        optional(context, bounds.step),
    )


def _conditional(context: Context, node: cst.IfExp) -> ir.Expression:
    chain = []
    last: cst.BaseExpression = node
    while isinstance(last, cst.IfExp):
        chain.append(last)
        last = last.orelse
    lowered = expression(context, last)
    for each in reversed(chain):
        test, body = expression(context, each.test), expression(context, each.body)
        lowered = ir.Conditional(context.span(each), test, body, lowered)
    return lowered


def _lambda(context: Context, node: cst.Lambda) -> ir.Expression:
    found = parameters(context, node.params)
    outer, context.yields = context.yields, False  # a yield in its body makes the lambda a generator, not the function
    body = expression(context, node.body)
    context.yields = outer
    return ir.Lambda(context.span(node), found, body)


def _starred(context: Context, node: cst.StarredElement) -> ir.Expression:
    return ir.Starred(context.span(node), expression(context, node.value))


def elements(context: Context, nodes: Sequence[cst.BaseElement]) -> tuple[ir.Expression, ...]:
    """Lower the elements of a tuple, list or set."""
    return tuple([expression(context, each if isinstance(each, cst.StarredElement) else each.value) for each in nodes])


def _tuple(context: Context, node: cst.Tuple) -> ir.Expression:
    return ir.Display(context.places.span(node), "tuple", elements(context, node.elements))


def _list(context: Context, node: cst.List) -> ir.Expression:
    return ir.Display(context.span(node), "list", elements(context, node.elements))


def _set(context: Context, node: cst.Set) -> ir.Expression:
    return ir.Display(context.span(node), "set", elements(context, node.elements))


def _dict(context: Context, node: cst.Dict) -> ir.Expression:
    return ir.DictDisplay(
        context.span(node),
        tuple([expression(context, each.key) if isinstance(each, cst.DictElement) else None for each in node.elements]),
        tuple([expression(context, each.value) for each in node.elements]),
    )


def _generator(context: Context, node: cst.GeneratorExp) -> ir.Expression:
    element = expression(context, node.elt)
    return ir.Comprehension(context.places.span(node), "generator", None, element, _clauses(context, node.for_in))


def _list_comprehension(context: Context, node: cst.ListComp) -> ir.Expression:
    element = expression(context, node.elt)
    return ir.Comprehension(context.span(node), "list", None, element, _clauses(context, node.for_in))


def _set_comprehension(context: Context, node: cst.SetComp) -> ir.Expression:
    element = expression(context, node.elt)
    return ir.Comprehension(context.span(node), "set", None, element, _clauses(context, node.for_in))


def _dict_comprehension(context: Context, node: cst.DictComp | cst.StarredDictComp) -> ir.Expression:
    key = expression(context, node.key) if isinstance(node, cst.DictComp) else None
    element = expression(context, node.value)
    return ir.Comprehension(context.span(node), "dict", key, element, _clauses(context, node.for_in))


def _clauses(context: Context, node: cst.CompFor) -> tuple[ir.Generator, ...]:
    found = []
    clause: cst.CompFor | None = node
    while clause is not None:
        target, iterable = expression(context, clause.target), expression(context, clause.iter)
        conditions = tuple([expression(context, each.test) for each in clause.ifs])
        found.append(ir.Generator(target, iterable, conditions))
        clause = clause.inner_for_in
    return tuple(found)


def _walrus(context: Context, node: cst.NamedExpr) -> ir.Expression:
    return ir.Walrus(context.span(node), expression(context, node.target), expression(context, node.value))


def _await(context: Context, node: cst.Await) -> ir.Expression:
    return ir.Await(context.span(node), expression(context, node.expression))


def _yield(context: Context, node: cst.Yield) -> ir.Expression:
    context.yields = True
    if isinstance(node.value, cst.From):
        return ir.YieldFrom(context.span(node), expression(context, node.value.item))
    return ir.Yield(context.span(node), optional(context, node.value))


_APPLY: dict[type[cst.CSTNode], Callable[[Context, Any, ir.Expression], ir.Expression]] = {
    cst.Attribute: _attribute,
    cst.Call: _call,
    cst.Subscript: _subscript,
}

_TABLE: dict[type[cst.CSTNode], _Lower] = {
    cst.Attribute: _trailer,
    cst.Await: _await,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.Call: _trailer,
    cst.Comparison: _compare,
    cst.ConcatenatedString: _concatenated,
    cst.Dict: _dict,
    cst.DictComp: _dict_comprehension,
    cst.Ellipsis: _ellipsis,
    cst.Float: _float,
    cst.FormattedString: _formatted,
    cst.GeneratorExp: _generator,
    cst.IfExp: _conditional,
    cst.Imaginary: _imaginary,
    cst.Integer: _integer,
    cst.Lambda: _lambda,
    cst.List: _list,
    cst.ListComp: _list_comprehension,
    cst.Name: _name,
    cst.NamedExpr: _walrus,
    cst.Set: _set,
    cst.SetComp: _set_comprehension,
    cst.SimpleString: _string,
    cst.StarredDictComp: _dict_comprehension,
    cst.StarredElement: _starred,
    cst.Subscript: _trailer,
    cst.TemplatedString: _formatted,
    cst.Tuple: _tuple,
    cst.UnaryOperation: _unary,
    cst.Yield: _yield,
}
