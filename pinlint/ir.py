"""The intermediate representation (IR) that the tracer reads.

IR is a pure function of a file's bytes. It holds what a value's flow depends on and nothing of the formatting, in plain
`msgspec` structures that can be written to disk and read back without executing anything.

Positions are `Span` tuples: `(line, column, end_line, end_column)`; lines count from 1, columns from 0 in characters,
the end is exclusive and parentheses around an expression do not belong to it.
"""

from __future__ import annotations

from typing import TypeAlias

import msgspec

Span: TypeAlias = tuple[int, int, int, int]


class Node(msgspec.Struct, frozen=True, array_like=True, tag=True, gc=False):
    """Anything that stands somewhere in the source."""

    span: Span


# --- expressions ------------------------------------------------------------------------------------------------------


class Constant(Node, frozen=True):
    """None, a bool, an int that fits 64 bits, a float or a str (adjacent literals joined)."""

    value: bool | int | float | str | None


class Ellipsis(Node, frozen=True):
    """`...`, which matters in an index."""


class Opaque(Node, frozen=True):
    """An expression whose own value is not tracked (f-string, bytes, complex number), with the parts it evaluates."""

    parts: tuple[Expression, ...]


class Name(Node, frozen=True):
    identifier: str


class Attribute(Node, frozen=True):
    """`value.name`; the name's own place is where a copy is reported."""

    value: Expression
    name: str
    name_line: int
    name_column: int


class Slice(Node, frozen=True):
    lower: Expression | None
    upper: Expression | None
    step: Expression | None


class Subscript(Node, frozen=True):
    """`value[index]`; `x[a, b]` has two indices, `x[(a, b)]` one tuple."""

    value: Expression
    index: tuple[Expression, ...]


class Argument(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One argument of a call; `stars` is 1 for `*value`, 2 for `**value`."""

    value: Expression
    keyword: str | None
    stars: int


class Call(Node, frozen=True):
    function: Expression
    arguments: tuple[Argument, ...]


class Unary(Node, frozen=True):
    """`operator` is one of `+ - ~ not`."""

    operator: str
    operand: Expression


class Binary(Node, frozen=True):
    """`operator` is the token: `+ - * @ / // % ** << >> & | ^`."""

    operator: str
    left: Expression
    right: Expression


class Boolean(Node, frozen=True):
    """`operator` is `and` or `or`; a chain of one operator has all its values in order."""

    operator: str
    values: tuple[Expression, ...]


class Compare(Node, frozen=True):
    """`left op0 comparators[0] op1 ...`; operators are the source tokens, `is not` and `not in` with one blank."""

    left: Expression
    operators: tuple[str, ...]
    comparators: tuple[Expression, ...]


class Conditional(Node, frozen=True):
    """`body if test else orelse`."""

    test: Expression
    body: Expression
    orelse: Expression


class Lambda(Node, frozen=True):
    parameters: tuple[Parameter, ...]
    body: Expression


class Starred(Node, frozen=True):
    value: Expression


class Display(Node, frozen=True):
    """A tuple, list or set display; `kind` is `tuple`, `list` or `set`."""

    kind: str
    elements: tuple[Expression, ...]


class DictDisplay(Node, frozen=True):
    """A dict display; the key is None for `**value`."""

    keys: tuple[Expression | None, ...]
    values: tuple[Expression, ...]


class Generator(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One `for target in iterable if ...` of a comprehension."""

    target: Expression
    iterable: Expression
    conditions: tuple[Expression, ...]


class Comprehension(Node, frozen=True):
    """`kind` is `list`, `set`, `dict` or `generator`; `key` is set for a dict only."""

    kind: str
    key: Expression | None
    element: Expression
    generators: tuple[Generator, ...]


class Walrus(Node, frozen=True):
    target: Expression
    value: Expression


class Await(Node, frozen=True):
    value: Expression


class Yield(Node, frozen=True):
    value: Expression | None


class YieldFrom(Node, frozen=True):
    value: Expression


Expression: TypeAlias = (
    Constant
    | Ellipsis
    | Opaque
    | Name
    | Attribute
    | Slice
    | Subscript
    | Call
    | Unary
    | Binary
    | Boolean
    | Compare
    | Conditional
    | Lambda
    | Starred
    | Display
    | DictDisplay
    | Comprehension
    | Walrus
    | Await
    | Yield
    | YieldFrom
)

# --- statements -------------------------------------------------------------------------------------------------------
# The span of a compound statement is its header, from the first keyword (`def`, `with`, not a decorator) to the colon.


class Assign(Node, frozen=True):
    """`targets[0] = targets[1] = value`."""

    targets: tuple[Expression, ...]
    value: Expression


class AnnotatedAssign(Node, frozen=True):
    target: Expression
    annotation: Expression
    value: Expression | None


class AugmentedAssign(Node, frozen=True):
    """`target operator= value`; the operator without the `=`."""

    target: Expression
    operator: str
    value: Expression


class ExpressionStatement(Node, frozen=True):
    value: Expression


class Return(Node, frozen=True):
    value: Expression | None


class Raise(Node, frozen=True):
    value: Expression | None
    cause: Expression | None


class Assert(Node, frozen=True):
    test: Expression
    message: Expression | None


class Delete(Node, frozen=True):
    targets: tuple[Expression, ...]


class Break(Node, frozen=True):
    pass


class Continue(Node, frozen=True):
    pass


class Pass(Node, frozen=True):
    pass


class Global(Node, frozen=True):
    names: tuple[str, ...]


class Nonlocal(Node, frozen=True):
    names: tuple[str, ...]


class ImportedName(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`name as alias`; in `import a.b` the name is dotted and the alias is None."""

    name: str
    alias: str | None


class Import(Node, frozen=True):
    names: tuple[ImportedName, ...]


class ImportFrom(Node, frozen=True):
    """`from ..module import names`: `level` counts the dots, `module` is "" when absent, a star is the name `*`."""

    module: str
    level: int
    names: tuple[ImportedName, ...]


class If(Node, frozen=True):
    """`elif` is an If alone in `orelse`."""

    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


class While(Node, frozen=True):
    test: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


class For(Node, frozen=True):
    target: Expression
    iterable: Expression
    body: tuple[Statement, ...]
    orelse: tuple[Statement, ...]


class Handler(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """`except type as name:`."""

    type: Expression | None
    name: str | None
    body: tuple[Statement, ...]


class Try(Node, frozen=True):
    body: tuple[Statement, ...]
    handlers: tuple[Handler, ...]
    orelse: tuple[Statement, ...]
    finalbody: tuple[Statement, ...]


class WithItem(msgspec.Struct, frozen=True, array_like=True, gc=False):
    context: Expression
    target: Expression | None


class With(Node, frozen=True):
    items: tuple[WithItem, ...]
    body: tuple[Statement, ...]


class Case(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """One `case` of a match.

    `target` is an assignable expression where the pattern only captures (`case x`, `case (a, *b)`); otherwise the names
    it binds are in `captures`. `values` are the expressions it compares with or the classes it names.
    `irrefutable` is true for `case _` and `case name` without a guard.
    """

    target: Expression | None
    captures: tuple[str, ...]
    values: tuple[Expression, ...]
    guard: Expression | None
    body: tuple[Statement, ...]
    irrefutable: bool


class Match(Node, frozen=True):
    subject: Expression
    cases: tuple[Case, ...]


class Parameter(Node, frozen=True):
    """`kind` is `positional-only`, `positional`, `var-positional`, `keyword` or `var-keyword`."""

    name: str
    kind: str
    annotation: Expression | None
    default: Expression | None


class FunctionDef(Node, frozen=True):
    """`generator` is true when the body itself yields; `body_end` is the last line of the body."""

    name: str
    parameters: tuple[Parameter, ...]
    body: tuple[Statement, ...]
    decorators: tuple[Expression, ...]
    returns: Expression | None
    is_async: bool
    generator: bool
    body_end: int


class ClassDef(Node, frozen=True):
    """`arguments` are the bases and class keywords."""

    name: str
    arguments: tuple[Argument, ...]
    body: tuple[Statement, ...]
    decorators: tuple[Expression, ...]
    body_end: int


Statement: TypeAlias = (
    Assign
    | AnnotatedAssign
    | AugmentedAssign
    | ExpressionStatement
    | Return
    | Raise
    | Assert
    | Delete
    | Break
    | Continue
    | Pass
    | Global
    | Nonlocal
    | Import
    | ImportFrom
    | If
    | While
    | For
    | Try
    | With
    | Match
    | FunctionDef
    | ClassDef
)


class Comment(msgspec.Struct, frozen=True, array_like=True, gc=False):
    """A real comment token with its text, `#` included."""

    line: int
    column: int
    text: str


class Module(msgspec.Struct, frozen=True, array_like=True, gc=False):
    body: tuple[Statement, ...]
    comments: tuple[Comment, ...]
