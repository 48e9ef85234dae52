"""Statements and whole modules: one small function per LibCST node type, found through the tables at the end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import libcst as cst

from pinlint import ir
from pinlint.lower.expressions import Context, arguments, elements, expression, optional, parameters
from pinlint.lower.operators import AUGMENTED
from pinlint.lower.patterns import case
from pinlint.lower.positions import Places

_Lower: TypeAlias = Callable[[Context, Any], ir.Statement]


def module(node: cst.Module, text: str) -> ir.Module:
    """Lower a whole file; `text` is its decoded source."""
    places = Places(node, text)
    return ir.Module(_block(Context(places), node.body), places.comments())


def _block(context: Context, nodes: Sequence[cst.CSTNode]) -> tuple[ir.Statement, ...]:
    found = []
    for node in nodes:
        if isinstance(node, cst.SimpleStatementLine):
            found += [_TABLE[type(small)](context, small) for small in node.body]
        else:
            found.append(_TABLE[type(node)](context, node))
    return tuple(found)


def _suite(context: Context, node: cst.BaseSuite) -> tuple[ir.Statement, ...]:
    return _block(context, node.body)


def _orelse(context: Context, node: cst.If | cst.For | cst.While | cst.Try | cst.TryStar) -> tuple[ir.Statement, ...]:
    return () if node.orelse is None else _suite(context, node.orelse.body)


def _assign(context: Context, node: cst.Assign) -> ir.Statement:
    targets = tuple([expression(context, each.target) for each in node.targets])
    return ir.Assign(context.span(node), targets, expression(context, node.value))


def _annotated_assign(context: Context, node: cst.AnnAssign) -> ir.Statement:
    target, annotation = expression(context, node.target), expression(context, node.annotation.annotation)
    return ir.AnnotatedAssign(context.span(node), target, annotation, optional(context, node.value))


def _augmented_assign(context: Context, node: cst.AugAssign) -> ir.Statement:
    target, value = expression(context, node.target), expression(context, node.value)
    return ir.AugmentedAssign(context.span(node), target, AUGMENTED[type(node.operator)], value)


def _type_alias(context: Context, node: cst.TypeAlias) -> ir.Statement:
    """`type X = value` binds a name, as an assignment does."""
    return ir.Assign(context.places.span(node), (expression(context, node.name),), expression(context, node.value))


def _expression_statement(context: Context, node: cst.Expr) -> ir.Statement:
    return ir.ExpressionStatement(context.span(node), expression(context, node.value))


def _return(context: Context, node: cst.Return) -> ir.Statement:
    return ir.Return(context.span(node), optional(context, node.value))


def _raise(context: Context, node: cst.Raise) -> ir.Statement:
    cause = None if node.cause is None else expression(context, node.cause.item)
    return ir.Raise(context.span(node), optional(context, node.exc), cause)


def _assert(context: Context, node: cst.Assert) -> ir.Statement:
    return ir.Assert(context.span(node), expression(context, node.test), optional(context, node.msg))


def _delete(context: Context, node: cst.Del) -> ir.Statement:
    target = node.target
    if isinstance(target, cst.Tuple) and not target.lpar:
        return ir.Delete(context.span(node), elements(context, target.elements))
    return ir.Delete(context.span(node), (expression(context, target),))


def _break(context: Context, node: cst.Break) -> ir.Statement:
    return ir.Break(context.span(node))


def _continue(context: Context, node: cst.Continue) -> ir.Statement:
    return ir.Continue(context.span(node))


def _pass(context: Context, node: cst.Pass) -> ir.Statement:
    return ir.Pass(context.span(node))


def _global(context: Context, node: cst.Global) -> ir.Statement:
    return ir.Global(context.span(node), tuple([each.name.value for each in node.names]))


def _nonlocal(context: Context, node: cst.Nonlocal) -> ir.Statement:
    return ir.Nonlocal(context.span(node), tuple([each.name.value for each in node.names]))


def _import(context: Context, node: cst.Import | cst.LazyImport) -> ir.Statement:
    return ir.Import(context.span(node), _imported(node.names))


def _import_from(context: Context, node: cst.ImportFrom | cst.LazyImportFrom) -> ir.Statement:
    names = (ir.ImportedName("*", None),) if isinstance(node.names, cst.ImportStar) else _imported(node.names)
    source = "" if node.module is None else _dotted(node.module)
    return ir.ImportFrom(context.span(node), source, len(node.relative), names)


def _imported(nodes: Sequence[cst.ImportAlias]) -> tuple[ir.ImportedName, ...]:
    return tuple([ir.ImportedName(_dotted(each.name), each.evaluated_alias) for each in nodes])


def _dotted(node: cst.BaseExpression) -> str:
    names: list[str] = []
    while isinstance(node, cst.Attribute):
        names.append(node.attr.value)
        node = node.value
    if isinstance(node, cst.Name):
        names.append(node.value)
    return ".".join(reversed(names))


def _if(context: Context, node: cst.If) -> ir.Statement:
    """`if` with its `elif`s: from the first to the last, then put together from the end."""
    heads = []
    link: cst.If | cst.Else | None = node
    while isinstance(link, cst.If):
        heads.append((context.places.span(link), expression(context, link.test), _suite(context, link.body)))
        link = link.orelse
    orelse: tuple[ir.Statement, ...] = () if link is None else _suite(context, link.body)
    for span, test, body in reversed(heads[1:]):
        orelse = (ir.If(span, test, body, orelse),)
    return ir.If(*heads[0], orelse)


def _while(context: Context, node: cst.While) -> ir.Statement:
    test, body = expression(context, node.test), _suite(context, node.body)
    return ir.While(context.places.span(node), test, body, _orelse(context, node))


def _for(context: Context, node: cst.For) -> ir.Statement:
    target, iterable = expression(context, node.target), expression(context, node.iter)
    body = _suite(context, node.body)
    return ir.For(context.places.span(node), target, iterable, body, _orelse(context, node))


def _try(context: Context, node: cst.Try | cst.TryStar) -> ir.Statement:
    body = _suite(context, node.body)
    handlers = tuple([_handler(context, each) for each in node.handlers])
    orelse = _orelse(context, node)
    finalbody = () if node.finalbody is None else _suite(context, node.finalbody.body)
    return ir.Try(context.places.span(node), body, handlers, orelse, finalbody)


def _handler(context: Context, node: cst.ExceptHandler | cst.ExceptStarHandler) -> ir.Handler:
    name = node.name.name.value if node.name is not None and isinstance(node.name.name, cst.Name) else None
    return ir.Handler(optional(context, node.type), name, _suite(context, node.body))


def _with(context: Context, node: cst.With) -> ir.Statement:
    items = tuple([_with_item(context, each) for each in node.items])
    return ir.With(context.places.span(node), items, _suite(context, node.body))


def _with_item(context: Context, node: cst.WithItem) -> ir.WithItem:
    target = None if node.asname is None else expression(context, node.asname.name)
    return ir.WithItem(expression(context, node.item), target)


def _match(context: Context, node: cst.Match) -> ir.Statement:
    subject = expression(context, node.subject)
    cases = tuple([case(context, each, _suite(context, each.body)) for each in node.cases])
    return ir.Match(context.places.span(node), subject, cases)


def _decorators(context: Context, node: cst.FunctionDef | cst.ClassDef) -> tuple[ir.Expression, ...]:
    return tuple([expression(context, each.decorator) for each in node.decorators])


def _function(context: Context, node: cst.FunctionDef) -> ir.Statement:
    decorators, found = _decorators(context, node), parameters(context, node.params)
    returns = None if node.returns is None else expression(context, node.returns.annotation)
    outer, context.yields = context.yields, False
    body = _suite(context, node.body)
    generator, context.yields = context.yields, outer
    return ir.FunctionDef(
        context.places.span(node),
        node.name.value,
        found,
        body,
        decorators,
        returns,
        node.asynchronous is not None,
        generator,
        context.places.last_line(node.body),
    )


def _class(context: Context, node: cst.ClassDef) -> ir.Statement:
    decorators, bases = _decorators(context, node), arguments(context, (*node.bases, *node.keywords))
    body = _suite(context, node.body)
    last = context.places.last_line(node.body)
    return ir.ClassDef(context.places.span(node), node.name.value, bases, body, decorators, last)


_TABLE: dict[type[cst.CSTNode], _Lower] = {
    cst.AnnAssign: _annotated_assign,
    cst.Assert: _assert,
    cst.Assign: _assign,
    cst.AugAssign: _augmented_assign,
    cst.Break: _break,
    cst.ClassDef: _class,
    cst.Continue: _continue,
    cst.Del: _delete,
    cst.Expr: _expression_statement,
    cst.For: _for,
    cst.FunctionDef: _function,
    cst.Global: _global,
    cst.If: _if,
    cst.Import: _import,
    cst.ImportFrom: _import_from,
    cst.LazyImport: _import,
    cst.LazyImportFrom: _import_from,
    cst.Match: _match,
    cst.Nonlocal: _nonlocal,
    cst.Pass: _pass,
    cst.Raise: _raise,
    cst.Return: _return,
    cst.Try: _try,
    cst.TryStar: _try,
    cst.TypeAlias: _type_alias,
    cst.While: _while,
    cst.With: _with,
}
