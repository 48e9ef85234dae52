"""Where an expression stands in the IR: the nodes and the blocks of statements around it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from pinlint import ir

_COMPOUND = (ir.If, ir.While, ir.For, ir.Try, ir.With, ir.Match, ir.FunctionDef, ir.ClassDef)
_STATEMENT = (
    *_COMPOUND,
    ir.Assign,
    ir.AnnotatedAssign,
    ir.AugmentedAssign,
    ir.ExpressionStatement,
    ir.Return,
    ir.Raise,
    ir.Assert,
    ir.Delete,
    ir.Break,
    ir.Continue,
    ir.Pass,
    ir.Global,
    ir.Nonlocal,
    ir.Import,
    ir.ImportFrom,
)

_NodeT = TypeVar("_NodeT", bound=ir.Node)


@dataclass(frozen=True, slots=True)
class Block:
    """Statements that run one after the other, and which of them leads to the expression."""

    statements: tuple[ir.Statement, ...]
    index: int

    @property
    def before(self) -> tuple[ir.Statement, ...]:
        return self.statements[: self.index]

    @property
    def after(self) -> tuple[ir.Statement, ...]:
        return self.statements[self.index + 1 :]


@dataclass(frozen=True, slots=True)
class Found:
    """An expression with what is around it, from the outermost inwards."""

    chain: tuple[ir.Node, ...]
    """Statements, then expressions; the last is the expression itself."""
    blocks: tuple[Block, ...]
    """One for each statement in `chain`."""

    @property
    def node(self) -> ir.Node:
        """The expression."""
        return self.chain[-1]

    @property
    def statement(self) -> ir.Statement:
        """The innermost statement around the expression."""
        block = self.blocks[-1]
        return block.statements[block.index]

    @property
    def is_annotation(self) -> bool:
        """Whether the expression is an annotation or part of one: never evaluated where the annotated value is used."""
        for outer, inner in zip(self.chain, self.chain[1:], strict=False):
            if isinstance(outer, ir.Parameter | ir.AnnotatedAssign) and inner is outer.annotation:
                return True
            if isinstance(outer, ir.FunctionDef) and inner is outer.returns:
                return True
        return False

    @property
    def function(self) -> ir.FunctionDef | None:
        """The innermost function around the expression, None at module and class level."""
        return next((node for node in reversed(self.chain) if isinstance(node, ir.FunctionDef)), None)


def find(module: ir.Module, span: ir.Span, kind: type[_NodeT] | tuple[type[_NodeT], ...]) -> Found | None:
    """Return the node of class `kind` that stands exactly at `span`, or None."""
    return _in_block(module.body, span, kind)


def _in_block(block: tuple[ir.Statement, ...], span: ir.Span, kind: Any) -> Found | None:  # noqa: ANN401  # as find
    for index, statement in enumerate(block):
        if statement.span[:2] > span[:2]:
            return None
        if not isinstance(statement, _COMPOUND) and not _within(span, statement.span):
            continue
        found = _in_node(statement, span, kind)
        if found is not None:
            return Found(found.chain, (Block(block, index), *found.blocks))
    return None


def _in_node(node: Any, span: ir.Span, kind: Any) -> Found | None:  # noqa: ANN401  # any msgspec structure of the IR
    """Search a statement, an expression, or a part of one that has no span of its own."""
    deeper = None
    for value in fields(node):
        if isinstance(value, tuple) and value and isinstance(value[0], _STATEMENT):
            deeper = _in_block(value, span, kind)
        else:
            deeper = _in_parts(value, span, kind)
        if deeper is not None:
            break
    here = (node,) if isinstance(node, ir.Node) else ()
    if deeper is not None:
        return Found((*here, *deeper.chain), deeper.blocks)
    if here and node.span == span and isinstance(node, kind):
        return Found(here, ())
    return None


def _in_parts(value: object, span: ir.Span, kind: Any) -> Found | None:  # noqa: ANN401  # as find
    for part in value if isinstance(value, tuple) else (value,):
        if not isinstance(part, msgspec.Struct):
            continue
        if isinstance(part, ir.Node) and not isinstance(part, _COMPOUND) and not _within(span, part.span):
            continue
        found = _in_node(part, span, kind)
        if found is not None:
            return found
    return None


def _within(inner: ir.Span, outer: ir.Span) -> bool:
    return outer[:2] <= inner[:2] and inner[2:] <= outer[2:]


def fields(node: msgspec.Struct) -> Iterator[object]:
    """Yield the values of a structure's fields, the span too."""
    for name in node.__struct_fields__:
        yield getattr(node, name)


def walk(value: object, opaque: tuple[type, ...] = ()) -> Iterator[msgspec.Struct]:
    """Yield every structure in `value`, itself first, without descending into instances of `opaque`."""
    pending = [value]
    while pending:
        each = pending.pop()
        if isinstance(each, tuple):
            pending.extend(reversed(each))
        elif isinstance(each, msgspec.Struct):
            yield each
            if not isinstance(each, opaque):
                pending.extend(reversed(list(fields(each))))


def mentions(value: object, name: str) -> ir.Name | None:
    """Return the first place in `value` that reads or binds the plain name `name`, or None."""
    return next((each for each in walk(value) if isinstance(each, ir.Name) and each.identifier == name), None)


def root_name(expression: ir.Expression) -> str | None:
    """Return the name that a chain of attributes, indices and method calls starts from, None when it has none."""
    while True:
        if isinstance(expression, ir.Attribute | ir.Subscript):
            expression = expression.value
        elif isinstance(expression, ir.Call) and isinstance(expression.function, ir.Attribute):
            expression = expression.function.value
        else:
            return expression.identifier if isinstance(expression, ir.Name) else None
