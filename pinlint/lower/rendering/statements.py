"""Rendering the statements that make up nearly all of a file."""

from __future__ import annotations

from typing import Any

import libcst as cst

from pinlint.lower.operators import AUGMENTED
from pinlint.lower.rendering.expressions import arguments, leaf
from pinlint.lower.rendering.state import (
    Rendering,
    Table,
    blank,
    by_libcst,
    closing,
    line_end,
    lines,
    opening,
    render_node,
    token,
)

# --- simple statements ------------------------------------------------------------------------------------------------


def _simple_line(state: Rendering, node: cst.SimpleStatementLine) -> None:
    lines(state, node.leading_lines)
    state.tokens.extend(state.indent_tokens)
    _simple_statements(state, node)


def _simple_suite(state: Rendering, node: cst.SimpleStatementSuite) -> None:
    blank(state, node.leading_whitespace)
    start = len(state.tokens)
    _simple_statements(state, node)
    state.records[id(node)] = (node, start, len(state.tokens))


def _simple_statements(state: Rendering, node: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> None:
    for statement in node.body:
        render_node(state, statement)
    line_end(state, node.trailing_whitespace)


def _expression_statement(state: Rendering, node: cst.Expr) -> None:
    start = len(state.tokens)
    render_node(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    token(state, node.semicolon, ";")


def _assign(state: Rendering, node: cst.Assign) -> None:
    start = len(state.tokens)
    for target in node.targets:
        render_node(state, target.target)
        blank(state, target.whitespace_before_equal)
        state.tokens.append("=")
        blank(state, target.whitespace_after_equal)
    render_node(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    token(state, node.semicolon, ";")


def _annotated_assign(state: Rendering, node: cst.AnnAssign) -> None:
    start = len(state.tokens)
    render_node(state, node.target)
    _annotation(state, node.annotation, ":")
    if node.value is not None:
        token(state, node.equal, "=")
        render_node(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    token(state, node.semicolon, ";")


def _augmented_assign(state: Rendering, node: cst.AugAssign) -> None:
    start = len(state.tokens)
    render_node(state, node.target)
    token(state, node.operator, AUGMENTED[type(node.operator)] + "=")
    render_node(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    token(state, node.semicolon, ";")


def _return(state: Rendering, node: cst.Return) -> None:
    start = len(state.tokens)
    state.tokens.append("return")
    blank(state, node.whitespace_after_return)
    if node.value is not None:
        render_node(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    token(state, node.semicolon, ";")


def _annotation(state: Rendering, node: cst.Annotation, indicator: str) -> None:
    blank(state, node.whitespace_before_indicator)
    state.tokens.append(indicator)
    blank(state, node.whitespace_after_indicator)
    start = len(state.tokens)
    render_node(state, node.annotation)
    state.records[id(node)] = (node, start, len(state.tokens))


# --- compound statements ----------------------------------------------------------------------------------------------


def _block(state: Rendering, node: cst.IndentedBlock) -> None:
    line_end(state, node.header)
    indent = state.default_indent if node.indent is None else node.indent
    state.indent_tokens.append(indent)
    start = len(state.tokens)
    for statement in node.body:
        render_node(state, statement)
    state.records[id(node)] = (node, start, len(state.tokens))
    lines(state, node.footer)
    state.indent_tokens.pop()


def _header(state: Rendering, node: Any, keyword: str) -> int:  # noqa: ANN401  # any node with leading lines
    """The lines before a compound statement and its keyword; where the keyword stands."""
    lines(state, node.leading_lines)
    state.tokens.extend(state.indent_tokens)
    start = len(state.tokens)
    state.tokens.append(keyword)
    return start


def _body(state: Rendering, node: Any, start: int) -> None:  # noqa: ANN401  # any node with a body
    """The colon and the body of a compound statement that starts at `start`."""
    state.tokens.append(":")
    render_node(state, node.body)
    state.records[id(node)] = (node, start, len(state.tokens))


def _if(state: Rendering, node: cst.If) -> None:
    keyword = "if"
    link: cst.If | cst.Else | None = node
    while isinstance(link, cst.If):
        start = _header(state, link, keyword)
        blank(state, link.whitespace_before_test)
        render_node(state, link.test)
        blank(state, link.whitespace_after_test)
        _body(state, link, start)
        keyword, link = "elif", link.orelse
    _clause(state, link, "else")


def _clause(state: Rendering, node: cst.Else | cst.Finally | None, keyword: str) -> None:
    if node is not None:
        start = _header(state, node, keyword)
        blank(state, node.whitespace_before_colon)
        _body(state, node, start)


def _while(state: Rendering, node: cst.While) -> None:
    start = _header(state, node, "while")
    blank(state, node.whitespace_after_while)
    render_node(state, node.test)
    blank(state, node.whitespace_before_colon)
    _body(state, node, start)
    _clause(state, node.orelse, "else")


def _asynchronous(state: Rendering, node: Any, keyword: str) -> int:  # noqa: ANN401  # any node that may be `async`
    if node.asynchronous is None:
        return _header(state, node, keyword)
    start = _header(state, node, "async")
    blank(state, node.asynchronous.whitespace_after)
    state.tokens.append(keyword)
    return start


def _for(state: Rendering, node: cst.For) -> None:
    start = _asynchronous(state, node, "for")
    blank(state, node.whitespace_after_for)
    render_node(state, node.target)
    blank(state, node.whitespace_before_in)
    state.tokens.append("in")
    blank(state, node.whitespace_after_in)
    render_node(state, node.iter)
    blank(state, node.whitespace_before_colon)
    _body(state, node, start)
    _clause(state, node.orelse, "else")


def _with(state: Rendering, node: cst.With) -> None:
    start = _asynchronous(state, node, "with")
    blank(state, node.whitespace_after_with)
    if isinstance(node.lpar, cst.LeftParen):
        opening(state, [node.lpar])
    for item in node.items:
        render_node(state, item.item)
        if item.asname is not None:
            by_libcst(state, item.asname)
        token(state, item.comma, ",")
    if isinstance(node.rpar, cst.RightParen):
        closing(state, [node.rpar])
    blank(state, node.whitespace_before_colon)
    _body(state, node, start)


def _try(state: Rendering, node: cst.Try | cst.TryStar) -> None:
    start = _header(state, node, "try")
    blank(state, node.whitespace_before_colon)
    _body(state, node, start)
    for handler in node.handlers:
        _handler(state, handler)
    _clause(state, node.orelse, "else")
    _clause(state, node.finalbody, "finally")


def _handler(state: Rendering, node: cst.ExceptHandler | cst.ExceptStarHandler) -> None:
    start = _header(state, node, "except")
    blank(state, node.whitespace_after_except)
    if isinstance(node, cst.ExceptStarHandler):
        state.tokens.append("*")
        blank(state, node.whitespace_after_star)
    if node.type is not None:
        render_node(state, node.type)
    if node.name is not None:
        by_libcst(state, node.name)
    blank(state, node.whitespace_before_colon)
    _body(state, node, start)


def _decorators(state: Rendering, node: cst.FunctionDef | cst.ClassDef) -> None:
    lines(state, node.leading_lines)
    for decorator in node.decorators:
        by_libcst(state, decorator)


def _function(state: Rendering, node: cst.FunctionDef) -> None:
    _decorators(state, node)
    lines(state, node.lines_after_decorators)
    state.tokens.extend(state.indent_tokens)
    start = len(state.tokens)
    if node.asynchronous is not None:
        state.tokens.append("async")
        blank(state, node.asynchronous.whitespace_after)
    state.tokens.append("def")
    blank(state, node.whitespace_after_def)
    leaf(state, node.name)
    blank(state, node.whitespace_after_name)
    if node.type_parameters is not None:
        by_libcst(state, node.type_parameters)
    blank(state, node.whitespace_after_type_parameters)
    state.tokens.append("(")
    blank(state, node.whitespace_before_params)
    _parameters(state, node.params)
    state.tokens.append(")")
    if node.returns is not None:
        _annotation(state, node.returns, "->")
    blank(state, node.whitespace_before_colon)
    _body(state, node, start)


def _parameters(state: Rendering, node: cst.Parameters) -> None:
    if node.posonly_params or not node.params:
        by_libcst(state, node)
        return
    for parameter in node.params:
        _parameter(state, parameter)
    if isinstance(node.star_arg, cst.ParamStar):
        state.tokens.append("*")
        token(state, node.star_arg.comma, ",")
    elif isinstance(node.star_arg, cst.Param):
        _parameter(state, node.star_arg)
    for parameter in node.kwonly_params:
        _parameter(state, parameter)
    if node.star_kwarg is not None:
        _parameter(state, node.star_kwarg)


def _parameter(state: Rendering, node: cst.Param) -> None:
    if isinstance(node.star, str) and node.star:
        state.tokens.append(node.star)
    blank(state, node.whitespace_after_star)
    leaf(state, node.name)
    if node.annotation is not None:
        _annotation(state, node.annotation, ":")
    if node.default is not None:
        token(state, node.equal, "=")
        render_node(state, node.default)
    token(state, node.comma, ",")
    blank(state, node.whitespace_after_param)


def _class(state: Rendering, node: cst.ClassDef) -> None:
    _decorators(state, node)
    lines(state, node.lines_after_decorators)
    state.tokens.extend(state.indent_tokens)
    start = len(state.tokens)
    state.tokens.append("class")
    blank(state, node.whitespace_after_class)
    leaf(state, node.name)
    blank(state, node.whitespace_after_name)
    if node.type_parameters is not None:
        by_libcst(state, node.type_parameters)
    blank(state, node.whitespace_after_type_parameters)
    if isinstance(node.lpar, cst.LeftParen):
        opening(state, [node.lpar])
    arguments(state, node.bases)
    arguments(state, node.keywords)
    if isinstance(node.rpar, cst.RightParen):
        closing(state, [node.rpar])
    blank(state, node.whitespace_before_colon)
    _body(state, node, start)


STATEMENTS: Table = {
    cst.AnnAssign: _annotated_assign,
    cst.Assign: _assign,
    cst.AugAssign: _augmented_assign,
    cst.ClassDef: _class,
    cst.Expr: _expression_statement,
    cst.For: _for,
    cst.FunctionDef: _function,
    cst.If: _if,
    cst.IndentedBlock: _block,
    cst.Return: _return,
    cst.SimpleStatementLine: _simple_line,
    cst.SimpleStatementSuite: _simple_suite,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.While: _while,
    cst.With: _with,
}
