"""Rendering the expressions that make up nearly all of a file."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from pinlint.lower.operators import BINARY, COMPARISON, UNARY
from pinlint.lower.rendering.state import Rendering, Table, blank, by_libcst, closing, opening, render_node, token


def leaf(state: Rendering, node: cst.Name | cst.Integer | cst.Float | cst.SimpleString) -> None:
    if node.lpar:
        by_libcst(state, node)
        return
    start = len(state.tokens)
    state.tokens.append(node.value)
    state.records[id(node)] = (node, start, start + 1)


def _attribute(state: Rendering, node: cst.Attribute) -> None:
    opening(state, node.lpar)
    start = len(state.tokens)
    render_node(state, node.value)
    token(state, node.dot, ".")
    leaf(state, node.attr)
    state.records[id(node)] = (node, start, len(state.tokens))
    closing(state, node.rpar)


def _call(state: Rendering, node: cst.Call) -> None:
    opening(state, node.lpar)
    start = len(state.tokens)
    render_node(state, node.func)
    blank(state, node.whitespace_after_func)
    state.tokens.append("(")
    blank(state, node.whitespace_before_args)
    arguments(state, node.args)
    state.tokens.append(")")
    state.records[id(node)] = (node, start, len(state.tokens))
    closing(state, node.rpar)


def arguments(state: Rendering, nodes: Sequence[cst.Arg]) -> None:
    for node in nodes:
        if node.star:
            state.tokens.append(node.star)
            blank(state, node.whitespace_after_star)
        if node.keyword is not None:
            state.tokens.append(node.keyword.value)
            token(state, node.equal, "=")
        render_node(state, node.value)
        token(state, node.comma, ",")
        blank(state, node.whitespace_after_arg)


def _subscript(state: Rendering, node: cst.Subscript) -> None:
    opening(state, node.lpar)
    start = len(state.tokens)
    render_node(state, node.value)
    blank(state, node.whitespace_after_value)
    state.tokens.append("[")
    blank(state, node.lbracket.whitespace_after)
    for element in node.slice:
        first = len(state.tokens)
        part = element.slice
        if isinstance(part, cst.Index) and not part.star:
            render_node(state, part.value)
        else:
            by_libcst(state, part)
        state.records[id(element)] = (element, first, len(state.tokens))
        token(state, element.comma, ",")
    blank(state, node.rbracket.whitespace_before)
    state.tokens.append("]")
    state.records[id(node)] = (node, start, len(state.tokens))
    closing(state, node.rpar)


def _binary(state: Rendering, node: cst.BinaryOperation) -> None:
    opening(state, node.lpar)
    start = len(state.tokens)
    render_node(state, node.left)
    token(state, node.operator, BINARY[type(node.operator)])
    render_node(state, node.right)
    state.records[id(node)] = (node, start, len(state.tokens))
    closing(state, node.rpar)


def _boolean(state: Rendering, node: cst.BooleanOperation) -> None:
    opening(state, node.lpar)
    start = len(state.tokens)
    render_node(state, node.left)
    token(state, node.operator, "and" if type(node.operator) is cst.And else "or")
    render_node(state, node.right)
    state.records[id(node)] = (node, start, len(state.tokens))
    closing(state, node.rpar)


def _unary(state: Rendering, node: cst.UnaryOperation) -> None:
    opening(state, node.lpar)
    start = len(state.tokens)
    state.tokens.append(UNARY[type(node.operator)])
    blank(state, node.operator.whitespace_after)
    render_node(state, node.expression)
    state.records[id(node)] = (node, start, len(state.tokens))
    closing(state, node.rpar)


def _comparison(state: Rendering, node: cst.Comparison) -> None:
    opening(state, node.lpar)
    start = len(state.tokens)
    render_node(state, node.left)
    for target in node.comparisons:
        if isinstance(target.operator, cst.IsNot | cst.NotIn | cst.NotEqual):
            by_libcst(state, target.operator)
        else:
            token(state, target.operator, COMPARISON[type(target.operator)])
        render_node(state, target.comparator)
    state.records[id(node)] = (node, start, len(state.tokens))
    closing(state, node.rpar)


def _elements(state: Rendering, nodes: Sequence[cst.BaseElement]) -> None:
    for node in nodes:
        if isinstance(node, cst.Element):
            render_node(state, node.value)
            token(state, node.comma, ",")
        else:
            by_libcst(state, node)


def _tuple(state: Rendering, node: cst.Tuple) -> None:
    opening(state, node.lpar)
    start = len(state.tokens)
    _elements(state, node.elements)
    state.records[id(node)] = (node, start, len(state.tokens))
    closing(state, node.rpar)


def _list(state: Rendering, node: cst.List) -> None:
    opening(state, node.lpar)
    start = len(state.tokens)
    state.tokens.append("[")
    blank(state, node.lbracket.whitespace_after)
    _elements(state, node.elements)
    blank(state, node.rbracket.whitespace_before)
    state.tokens.append("]")
    state.records[id(node)] = (node, start, len(state.tokens))
    closing(state, node.rpar)


EXPRESSIONS: Table = {
    cst.Attribute: _attribute,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.Call: _call,
    cst.Comparison: _comparison,
    cst.Float: leaf,
    cst.Integer: leaf,
    cst.List: _list,
    cst.Name: leaf,
    cst.SimpleString: leaf,
    cst.Subscript: _subscript,
    cst.Tuple: _tuple,
    cst.UnaryOperation: _unary,
}
