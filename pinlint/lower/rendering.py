"""Rendering a parsed tree to its tokens, noting the tokens between which each node stands.

`Rendering` is a LibCST codegen state, so LibCST itself can render any node into it. For the node types that make up
nearly all of a file the functions below do the same without its context managers, three times as fast; they expect a
tree as the parser makes it, and whoever calls `render` compares the result with the source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

import libcst as cst
from libcst._nodes.internal import CodegenState

from pinlint.lower.operators import AUGMENTED, BINARY, COMPARISON, UNARY

if TYPE_CHECKING:
    from types import TracebackType

Record: TypeAlias = tuple[cst.CSTNode, int, int]
"""A node, its first token and the one after its last."""


class Rendering(CodegenState):
    """The tokens rendered so far, the records by the identity of their node, and which tokens are comments."""

    def __init__(self, module: cst.Module) -> None:
        super().__init__(default_indent=module.default_indent, default_newline=module.default_newline)
        self.records: dict[int, Record] = {}
        self.comments: list[int] = []
        self._open: list[tuple[cst.CSTNode, int]] = []
        # The list's own method instead of a Python one that calls it: this is called for every token.
        self.__dict__["add_token"] = self.tokens.append

    def pop_trailing_newline(self) -> None:
        """Empty the last token, as records count it."""
        if self.tokens:
            self.tokens[-1] = ""

    def before_codegen(self, node: cst.CSTNode) -> None:
        """Note comments that LibCST renders."""
        if type(node) is cst.Comment:
            self.comments.append(len(self.tokens))

    def record_syntactic_position(  # type: ignore[override]  # any context manager does, a generator is slow
        self,
        node: cst.CSTNode,
        *,
        start_node: cst.CSTNode | None = None,  # noqa: ARG002  # LibCST passes both; the tokens say the same
        end_node: cst.CSTNode | None = None,  # noqa: ARG002
    ) -> Rendering:
        """Note where `node` starts, and where it ends when the returned context is left."""
        self._open.append((node, len(self.tokens)))
        return self

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        node, start = self._open.pop()
        self.records[id(node)] = (node, start, len(self.tokens))


def render(module: cst.Module) -> Rendering:
    """The rendering of a tree that comes from the parser unchanged."""
    state = Rendering(module)
    _lines(state, module.header)
    for statement in module.body:
        _render(state, statement)
    _lines(state, module.footer)
    if not module.has_trailing_newline:
        state.pop_trailing_newline()
    elif not state.tokens:
        state.tokens.append(state.default_newline)
    return state


def render_with_libcst(module: cst.Module) -> Rendering:
    """The rendering of any tree, by LibCST's own code."""
    state = Rendering(module)
    _by_libcst(state, module)
    return state


def _by_libcst(state: Rendering, node: cst.CSTNode) -> None:
    node._codegen(state)  # noqa: SLF001  # as LibCST's own position provider does; there is no public way


def _render(state: Rendering, node: cst.CSTNode) -> None:
    _TABLE.get(type(node), _by_libcst)(state, node)


# --- white space and punctuation --------------------------------------------------------------------------------------


def _blank(state: Rendering, node: Any) -> None:  # noqa: ANN401  # white space of any kind, or LibCST's "not there"
    if type(node) is cst.SimpleWhitespace:
        if node.value:
            state.tokens.append(node.value)
    elif type(node) is cst.ParenthesizedWhitespace:
        _line_end(state, node.first_line)
        _lines(state, node.empty_lines)
        if node.indent:
            state.tokens.extend(state.indent_tokens)
        _blank(state, node.last_line)


def _line_end(state: Rendering, node: cst.TrailingWhitespace | cst.EmptyLine) -> None:
    tokens = state.tokens
    if node.whitespace.value:
        tokens.append(node.whitespace.value)
    if node.comment is not None:
        state.comments.append(len(tokens))
        tokens.append(node.comment.value)
    tokens.append(node.newline.value or state.default_newline)


def _lines(state: Rendering, nodes: Sequence[cst.EmptyLine]) -> None:
    for node in nodes:
        if node.indent:
            state.tokens.extend(state.indent_tokens)
        _line_end(state, node)


def _token(state: Rendering, node: Any, text: str) -> None:  # noqa: ANN401  # a comma, a dot, ..., or "not there"
    """A token with the white space on both sides of it."""
    if node is not cst.MaybeSentinel.DEFAULT:
        _blank(state, node.whitespace_before)
        state.tokens.append(text)
        _blank(state, node.whitespace_after)


def _opening(state: Rendering, nodes: Sequence[cst.LeftParen]) -> None:
    for node in nodes:
        state.tokens.append("(")
        _blank(state, node.whitespace_after)


def _closing(state: Rendering, nodes: Sequence[cst.RightParen]) -> None:
    for node in nodes:
        _blank(state, node.whitespace_before)
        state.tokens.append(")")


# --- expressions ------------------------------------------------------------------------------------------------------


def _leaf(state: Rendering, node: cst.Name | cst.Integer | cst.Float | cst.SimpleString) -> None:
    if node.lpar:
        _by_libcst(state, node)
        return
    start = len(state.tokens)
    state.tokens.append(node.value)
    state.records[id(node)] = (node, start, start + 1)


def _attribute(state: Rendering, node: cst.Attribute) -> None:
    _opening(state, node.lpar)
    start = len(state.tokens)
    _render(state, node.value)
    _token(state, node.dot, ".")
    _leaf(state, node.attr)
    state.records[id(node)] = (node, start, len(state.tokens))
    _closing(state, node.rpar)


def _call(state: Rendering, node: cst.Call) -> None:
    _opening(state, node.lpar)
    start = len(state.tokens)
    _render(state, node.func)
    _blank(state, node.whitespace_after_func)
    state.tokens.append("(")
    _blank(state, node.whitespace_before_args)
    _arguments(state, node.args)
    state.tokens.append(")")
    state.records[id(node)] = (node, start, len(state.tokens))
    _closing(state, node.rpar)


def _arguments(state: Rendering, nodes: Sequence[cst.Arg]) -> None:
    for node in nodes:
        if node.star:
            state.tokens.append(node.star)
            _blank(state, node.whitespace_after_star)
        if node.keyword is not None:
            state.tokens.append(node.keyword.value)
            _token(state, node.equal, "=")
        _render(state, node.value)
        _token(state, node.comma, ",")
        _blank(state, node.whitespace_after_arg)


def _subscript(state: Rendering, node: cst.Subscript) -> None:
    _opening(state, node.lpar)
    start = len(state.tokens)
    _render(state, node.value)
    _blank(state, node.whitespace_after_value)
    state.tokens.append("[")
    _blank(state, node.lbracket.whitespace_after)
    for element in node.slice:
        first = len(state.tokens)
        part = element.slice
        if isinstance(part, cst.Index) and not part.star:
            _render(state, part.value)
        else:
            _by_libcst(state, part)
        state.records[id(element)] = (element, first, len(state.tokens))
        _token(state, element.comma, ",")
    _blank(state, node.rbracket.whitespace_before)
    state.tokens.append("]")
    state.records[id(node)] = (node, start, len(state.tokens))
    _closing(state, node.rpar)


def _binary(state: Rendering, node: cst.BinaryOperation) -> None:
    _opening(state, node.lpar)
    start = len(state.tokens)
    _render(state, node.left)
    _token(state, node.operator, BINARY[type(node.operator)])
    _render(state, node.right)
    state.records[id(node)] = (node, start, len(state.tokens))
    _closing(state, node.rpar)


def _boolean(state: Rendering, node: cst.BooleanOperation) -> None:
    _opening(state, node.lpar)
    start = len(state.tokens)
    _render(state, node.left)
    _token(state, node.operator, "and" if type(node.operator) is cst.And else "or")
    _render(state, node.right)
    state.records[id(node)] = (node, start, len(state.tokens))
    _closing(state, node.rpar)


def _unary(state: Rendering, node: cst.UnaryOperation) -> None:
    _opening(state, node.lpar)
    start = len(state.tokens)
    state.tokens.append(UNARY[type(node.operator)])
    _blank(state, node.operator.whitespace_after)
    _render(state, node.expression)
    state.records[id(node)] = (node, start, len(state.tokens))
    _closing(state, node.rpar)


def _comparison(state: Rendering, node: cst.Comparison) -> None:
    _opening(state, node.lpar)
    start = len(state.tokens)
    _render(state, node.left)
    for target in node.comparisons:
        if isinstance(target.operator, cst.IsNot | cst.NotIn | cst.NotEqual):
            _by_libcst(state, target.operator)
        else:
            _token(state, target.operator, COMPARISON[type(target.operator)])
        _render(state, target.comparator)
    state.records[id(node)] = (node, start, len(state.tokens))
    _closing(state, node.rpar)


def _elements(state: Rendering, nodes: Sequence[cst.BaseElement]) -> None:
    for node in nodes:
        if isinstance(node, cst.Element):
            _render(state, node.value)
            _token(state, node.comma, ",")
        else:
            _by_libcst(state, node)


def _tuple(state: Rendering, node: cst.Tuple) -> None:
    _opening(state, node.lpar)
    start = len(state.tokens)
    _elements(state, node.elements)
    state.records[id(node)] = (node, start, len(state.tokens))
    _closing(state, node.rpar)


def _list(state: Rendering, node: cst.List) -> None:
    _opening(state, node.lpar)
    start = len(state.tokens)
    state.tokens.append("[")
    _blank(state, node.lbracket.whitespace_after)
    _elements(state, node.elements)
    _blank(state, node.rbracket.whitespace_before)
    state.tokens.append("]")
    state.records[id(node)] = (node, start, len(state.tokens))
    _closing(state, node.rpar)


# --- simple statements ------------------------------------------------------------------------------------------------


def _simple_line(state: Rendering, node: cst.SimpleStatementLine) -> None:
    _lines(state, node.leading_lines)
    state.tokens.extend(state.indent_tokens)
    _simple_statements(state, node)


def _simple_suite(state: Rendering, node: cst.SimpleStatementSuite) -> None:
    _blank(state, node.leading_whitespace)
    start = len(state.tokens)
    _simple_statements(state, node)
    state.records[id(node)] = (node, start, len(state.tokens))


def _simple_statements(state: Rendering, node: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> None:
    for statement in node.body:
        _render(state, statement)
    _line_end(state, node.trailing_whitespace)


def _expression_statement(state: Rendering, node: cst.Expr) -> None:
    start = len(state.tokens)
    _render(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    _token(state, node.semicolon, ";")


def _assign(state: Rendering, node: cst.Assign) -> None:
    start = len(state.tokens)
    for target in node.targets:
        _render(state, target.target)
        _blank(state, target.whitespace_before_equal)
        state.tokens.append("=")
        _blank(state, target.whitespace_after_equal)
    _render(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    _token(state, node.semicolon, ";")


def _annotated_assign(state: Rendering, node: cst.AnnAssign) -> None:
    start = len(state.tokens)
    _render(state, node.target)
    _annotation(state, node.annotation, ":")
    if node.value is not None:
        _token(state, node.equal, "=")
        _render(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    _token(state, node.semicolon, ";")


def _augmented_assign(state: Rendering, node: cst.AugAssign) -> None:
    start = len(state.tokens)
    _render(state, node.target)
    _token(state, node.operator, AUGMENTED[type(node.operator)] + "=")
    _render(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    _token(state, node.semicolon, ";")


def _return(state: Rendering, node: cst.Return) -> None:
    start = len(state.tokens)
    state.tokens.append("return")
    _blank(state, node.whitespace_after_return)
    if node.value is not None:
        _render(state, node.value)
    state.records[id(node)] = (node, start, len(state.tokens))
    _token(state, node.semicolon, ";")


def _annotation(state: Rendering, node: cst.Annotation, indicator: str) -> None:
    _blank(state, node.whitespace_before_indicator)
    state.tokens.append(indicator)
    _blank(state, node.whitespace_after_indicator)
    start = len(state.tokens)
    _render(state, node.annotation)
    state.records[id(node)] = (node, start, len(state.tokens))


# --- compound statements ----------------------------------------------------------------------------------------------


def _block(state: Rendering, node: cst.IndentedBlock) -> None:
    _line_end(state, node.header)
    indent = state.default_indent if node.indent is None else node.indent
    state.indent_tokens.append(indent)
    start = len(state.tokens)
    for statement in node.body:
        _render(state, statement)
    state.records[id(node)] = (node, start, len(state.tokens))
    _lines(state, node.footer)
    state.indent_tokens.pop()


def _header(state: Rendering, node: Any, keyword: str) -> int:  # noqa: ANN401  # any node with leading lines
    """The lines before a compound statement and its keyword; where the keyword stands."""
    _lines(state, node.leading_lines)
    state.tokens.extend(state.indent_tokens)
    start = len(state.tokens)
    state.tokens.append(keyword)
    return start


def _body(state: Rendering, node: Any, start: int) -> None:  # noqa: ANN401  # any node with a body
    """The colon and the body of a compound statement that starts at `start`."""
    state.tokens.append(":")
    _render(state, node.body)
    state.records[id(node)] = (node, start, len(state.tokens))


def _if(state: Rendering, node: cst.If) -> None:
    keyword = "if"
    link: cst.If | cst.Else | None = node
    while isinstance(link, cst.If):
        start = _header(state, link, keyword)
        _blank(state, link.whitespace_before_test)
        _render(state, link.test)
        _blank(state, link.whitespace_after_test)
        _body(state, link, start)
        keyword, link = "elif", link.orelse
    _clause(state, link, "else")


def _clause(state: Rendering, node: cst.Else | cst.Finally | None, keyword: str) -> None:
    if node is not None:
        start = _header(state, node, keyword)
        _blank(state, node.whitespace_before_colon)
        _body(state, node, start)


def _while(state: Rendering, node: cst.While) -> None:
    start = _header(state, node, "while")
    _blank(state, node.whitespace_after_while)
    _render(state, node.test)
    _blank(state, node.whitespace_before_colon)
    _body(state, node, start)
    _clause(state, node.orelse, "else")


def _asynchronous(state: Rendering, node: Any, keyword: str) -> int:  # noqa: ANN401  # any node that may be `async`
    if node.asynchronous is None:
        return _header(state, node, keyword)
    start = _header(state, node, "async")
    _blank(state, node.asynchronous.whitespace_after)
    state.tokens.append(keyword)
    return start


def _for(state: Rendering, node: cst.For) -> None:
    start = _asynchronous(state, node, "for")
    _blank(state, node.whitespace_after_for)
    _render(state, node.target)
    _blank(state, node.whitespace_before_in)
    state.tokens.append("in")
    _blank(state, node.whitespace_after_in)
    _render(state, node.iter)
    _blank(state, node.whitespace_before_colon)
    _body(state, node, start)
    _clause(state, node.orelse, "else")


def _with(state: Rendering, node: cst.With) -> None:
    start = _asynchronous(state, node, "with")
    _blank(state, node.whitespace_after_with)
    if isinstance(node.lpar, cst.LeftParen):
        _opening(state, [node.lpar])
    for item in node.items:
        _render(state, item.item)
        if item.asname is not None:
            _by_libcst(state, item.asname)
        _token(state, item.comma, ",")
    if isinstance(node.rpar, cst.RightParen):
        _closing(state, [node.rpar])
    _blank(state, node.whitespace_before_colon)
    _body(state, node, start)


def _try(state: Rendering, node: cst.Try | cst.TryStar) -> None:
    start = _header(state, node, "try")
    _blank(state, node.whitespace_before_colon)
    _body(state, node, start)
    for handler in node.handlers:
        _handler(state, handler)
    _clause(state, node.orelse, "else")
    _clause(state, node.finalbody, "finally")


def _handler(state: Rendering, node: cst.ExceptHandler | cst.ExceptStarHandler) -> None:
    start = _header(state, node, "except")
    _blank(state, node.whitespace_after_except)
    if isinstance(node, cst.ExceptStarHandler):
        state.tokens.append("*")
        _blank(state, node.whitespace_after_star)
    if node.type is not None:
        _render(state, node.type)
    if node.name is not None:
        _by_libcst(state, node.name)
    _blank(state, node.whitespace_before_colon)
    _body(state, node, start)


def _decorators(state: Rendering, node: cst.FunctionDef | cst.ClassDef) -> None:
    _lines(state, node.leading_lines)
    for decorator in node.decorators:
        _by_libcst(state, decorator)


def _function(state: Rendering, node: cst.FunctionDef) -> None:
    _decorators(state, node)
    _lines(state, node.lines_after_decorators)
    state.tokens.extend(state.indent_tokens)
    start = len(state.tokens)
    if node.asynchronous is not None:
        state.tokens.append("async")
        _blank(state, node.asynchronous.whitespace_after)
    state.tokens.append("def")
    _blank(state, node.whitespace_after_def)
    _leaf(state, node.name)
    _blank(state, node.whitespace_after_name)
    if node.type_parameters is not None:
        _by_libcst(state, node.type_parameters)
    _blank(state, node.whitespace_after_type_parameters)
    state.tokens.append("(")
    _blank(state, node.whitespace_before_params)
    _parameters(state, node.params)
    state.tokens.append(")")
    if node.returns is not None:
        _annotation(state, node.returns, "->")
    _blank(state, node.whitespace_before_colon)
    _body(state, node, start)


def _parameters(state: Rendering, node: cst.Parameters) -> None:
    if node.posonly_params or not node.params:
        _by_libcst(state, node)
        return
    for parameter in node.params:
        _parameter(state, parameter)
    if isinstance(node.star_arg, cst.ParamStar):
        state.tokens.append("*")
        _token(state, node.star_arg.comma, ",")
    elif isinstance(node.star_arg, cst.Param):
        _parameter(state, node.star_arg)
    for parameter in node.kwonly_params:
        _parameter(state, parameter)
    if node.star_kwarg is not None:
        _parameter(state, node.star_kwarg)


def _parameter(state: Rendering, node: cst.Param) -> None:
    if isinstance(node.star, str) and node.star:
        state.tokens.append(node.star)
    _blank(state, node.whitespace_after_star)
    _leaf(state, node.name)
    if node.annotation is not None:
        _annotation(state, node.annotation, ":")
    if node.default is not None:
        _token(state, node.equal, "=")
        _render(state, node.default)
    _token(state, node.comma, ",")
    _blank(state, node.whitespace_after_param)


def _class(state: Rendering, node: cst.ClassDef) -> None:
    _decorators(state, node)
    _lines(state, node.lines_after_decorators)
    state.tokens.extend(state.indent_tokens)
    start = len(state.tokens)
    state.tokens.append("class")
    _blank(state, node.whitespace_after_class)
    _leaf(state, node.name)
    _blank(state, node.whitespace_after_name)
    if node.type_parameters is not None:
        _by_libcst(state, node.type_parameters)
    _blank(state, node.whitespace_after_type_parameters)
    if isinstance(node.lpar, cst.LeftParen):
        _opening(state, [node.lpar])
    _arguments(state, node.bases)
    _arguments(state, node.keywords)
    if isinstance(node.rpar, cst.RightParen):
        _closing(state, [node.rpar])
    _blank(state, node.whitespace_before_colon)
    _body(state, node, start)


_TABLE: dict[type[cst.CSTNode], Callable[[Rendering, Any], None]] = {
    cst.AnnAssign: _annotated_assign,
    cst.Assign: _assign,
    cst.Attribute: _attribute,
    cst.AugAssign: _augmented_assign,
    cst.BinaryOperation: _binary,
    cst.BooleanOperation: _boolean,
    cst.Call: _call,
    cst.ClassDef: _class,
    cst.Comparison: _comparison,
    cst.Expr: _expression_statement,
    cst.Float: _leaf,
    cst.For: _for,
    cst.FunctionDef: _function,
    cst.If: _if,
    cst.IndentedBlock: _block,
    cst.Integer: _leaf,
    cst.List: _list,
    cst.Name: _leaf,
    cst.Return: _return,
    cst.SimpleStatementLine: _simple_line,
    cst.SimpleStatementSuite: _simple_suite,
    cst.SimpleString: _leaf,
    cst.Subscript: _subscript,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.Tuple: _tuple,
    cst.UnaryOperation: _unary,
    cst.While: _while,
    cst.With: _with,
}
