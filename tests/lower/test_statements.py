"""Each kind of statement keeps its parts."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pinlint import ir

CASES = {
    "x = y": "Assign([x], y)",
    "x = y = z": "Assign([x, y], z)",
    "a, *b = c": "Assign([Display(tuple, [a, Starred(b)])], c)",
    "x.y[z] = w": "Assign([Subscript(x.y, [z])], w)",
    "x: int": "AnnotatedAssign(x, int, None)",
    "x.y: int = z": "AnnotatedAssign(x.y, int, z)",
    "x += y": "AugmentedAssign(x, +, y)",
    "x @= y": "AugmentedAssign(x, @, y)",
    "x **= y": "AugmentedAssign(x, **, y)",
    "x //= y": "AugmentedAssign(x, //, y)",
    "x >>= y": "AugmentedAssign(x, >>, y)",
    "type X = int": "Assign([X], int)",
    "type X[T] = list[T]": "Assign([X], Subscript(list, [T]))",
    "f(x)": "ExpressionStatement(Call(f, [Argument(x, None, 0)]))",
    "raise": "Raise(None, None)",
    "raise A from b": "Raise(A, b)",
    "assert x": "Assert(x, None)",
    "assert x, y": "Assert(x, y)",
    "del x": "Delete([x])",
    "del x, y[z]": "Delete([x, Subscript(y, [z])])",
    "del (x, y)": "Delete([Display(tuple, [x, y])])",
    "pass": "Pass()",
    "global x, y": "Global([x, y])",
    "nonlocal x": "Nonlocal([x])",
    "import a.b, c as d": "Import([ImportedName(a.b, None), ImportedName(c, d)])",
    "from a.b import c, d as e": "ImportFrom(a.b, 0, [ImportedName(c, None), ImportedName(d, e)])",
    "from .. import (a,\n b,)": "ImportFrom(, 2, [ImportedName(a, None), ImportedName(b, None)])",
    "from ...a import *": "ImportFrom(a, 3, [ImportedName(*, None)])",
    "lazy import a": "Import([ImportedName(a, None)])",
    "lazy from a import b": "ImportFrom(a, 0, [ImportedName(b, None)])",
    "if a: b": "If(a, [ExpressionStatement(b)], [])",
    "if a:\n  pass\nelif b:\n  pass\nelif c:\n  pass\nelse:\n  x": (
        "If(a, [Pass()], [If(b, [Pass()], [If(c, [Pass()], [ExpressionStatement(x)])])])"
    ),
    "while a:\n  break\nelse:\n  pass": "While(a, [Break()], [Pass()])",
    "for a, b in c:\n  continue\nelse:\n  pass": "For(Display(tuple, [a, b]), c, [Continue()], [Pass()])",
    "try:\n  a\nexcept B as c:\n  d\nexcept (E, F):\n  pass\nexcept:\n  pass\nelse:\n  g\nfinally:\n  h": (
        "Try([ExpressionStatement(a)], [Handler(B, c, [ExpressionStatement(d)]), "
        "Handler(Display(tuple, [E, F]), None, [Pass()]), Handler(None, None, [Pass()])], "
        "[ExpressionStatement(g)], [ExpressionStatement(h)])"
    ),
    "try:\n  pass\nexcept* A as b:\n  pass": "Try([Pass()], [Handler(A, b, [Pass()])], [], [])",
    "try:\n  pass\nexcept A, B:\n  pass": "Try([Pass()], [Handler(Display(tuple, [A, B]), None, [Pass()])], [], [])",
    "with a, b as c: pass": "With([WithItem(a, None), WithItem(b, c)], [Pass()])",
    "with (\n  a as (b, c),\n  d,\n): pass": "With([WithItem(a, Display(tuple, [b, c])), WithItem(d, None)], [Pass()])",
    "@a\n@b.c(d)\nclass A(B, *C, metaclass=D, **e): pass": (
        "ClassDef(A, [Argument(B, None, 0), Argument(C, None, 1), Argument(D, metaclass, 0), Argument(e, None, 2)], "
        "[Pass()], [a, Call(b.c, [Argument(d, None, 0)])], 3)"
    ),
    "class A[T: int, *Ts, **P]: x = 1": "ClassDef(A, [], [Assign([x], 1)], [], 1)",
    "def f(): return": "FunctionDef(f, [], [Return(None)], [], None, False, False, 1)",
    "@a\ndef f[T](x: T = y, *z: *Ts) -> T:\n  return x": (
        "FunctionDef(f, [Parameter(x, positional, T, y), Parameter(z, var-positional, Starred(Ts), None)], "
        "[Return(x)], [a], T, False, False, 3)"
    ),
    "async def f():\n  async with a as b: yield b": (
        "FunctionDef(f, [], [With([WithItem(a, b)], [ExpressionStatement(Yield(b))])], [], None, True, True, 2)"
    ),
    "async def f():\n  async for a in b: await c": (
        "FunctionDef(f, [], [For(a, b, [ExpressionStatement(Await(c))], [])], [], None, True, False, 2)"
    ),
}


@pytest.mark.parametrize(("source", "expected"), CASES.items(), ids=[source[:40] for source in CASES])
def test_a_statement_keeps_its_parts(
    source: str, expected: str, module: Callable[[str], ir.Module], shape: Callable[[object], str]
) -> None:
    (statement,) = module(f"{source}\n").body
    assert shape(statement) == expected


def test_statements_in_one_line_follow_one_another(
    module: Callable[[str], ir.Module], shape: Callable[[object], str]
) -> None:
    assert shape(module("a; b;\nif c: d; e\n").body) == (
        "[ExpressionStatement(a), ExpressionStatement(b), If(c, [ExpressionStatement(d), ExpressionStatement(e)], [])]"
    )


def test_only_the_function_that_yields_is_a_generator(module: Callable[[str], ir.Module]) -> None:
    (outer,) = module("def outer():\n    def inner():\n        yield 1\n    return inner\n").body
    assert not outer.generator
    assert outer.body[0].generator


def test_a_default_that_yields_belongs_to_the_function_around(module: Callable[[str], ir.Module]) -> None:
    (outer,) = module("def outer():\n    def inner(x=(yield)): pass\n").body
    assert outer.generator
    assert not outer.body[0].generator


@pytest.mark.parametrize(
    ("source", "last"),
    [
        ("def f():\n    a\n    # a comment\n\n# another\nx = 1\n", 2),
        ("def f():\n    a = '''one\n    two'''  # why\n\n", 3),
        ("def f():\n    if a:\n        b\n    else:\n        c\n        # d\n    # e\n", 5),
        ("def f():\n    a(\n        b,\n    )", 4),
        ("def f(): a; b;", 1),
        ("def f():\n    a \\\n\n\nx\n", 2),
    ],
)
def test_a_body_ends_with_its_last_statement(source: str, last: int, module: Callable[[str], ir.Module]) -> None:
    assert module(source).body[0].body_end == last


PATTERNS = {
    "_": "Case(None, [], [], None, [Pass()], True)",
    "_ if a": "Case(None, [], [], a, [Pass()], False)",
    "x": "Case(x, [], [], None, [Pass()], True)",
    "(x)": "Case(x, [], [], None, [Pass()], True)",
    "x if x > 1": "Case(x, [], [], Compare(x, [>], [1]), [Pass()], False)",
    "(a, *b)": "Case(Display(tuple, [a, Starred(b)]), [], [], None, [Pass()], False)",
    "a, [_, *_]": "Case(Display(list, [a, Display(list, [_, Starred(_)])]), [], [], None, [Pass()], False)",
    "[]": "Case(Display(list, []), [], [], None, [Pass()], False)",
    "1": "Case(None, [], [1], None, [Pass()], False)",
    "-1": "Case(None, [], [Unary(-, 1)], None, [Pass()], False)",
    "None": "Case(None, [], [None], None, [Pass()], False)",
    "a.b": "Case(None, [], [a.b], None, [Pass()], False)",
    "1 | 'x'": "Case(None, [], [1, 'x'], None, [Pass()], False)",
    "[1, x, *rest]": "Case(None, [x, rest], [1], None, [Pass()], False)",
    "(1, x) | (x, 2)": "Case(None, [x], [1, 2], None, [Pass()], False)",
    "{'k': v, **rest}": "Case(None, [v, rest], ['k'], None, [Pass()], False)",
    "A(x, y=B(z))": "Case(None, [x, z], [A, B], None, [Pass()], False)",
    "int() as x": "Case(None, [x], [int], None, [Pass()], False)",
    "(x, y) as z": "Case(None, [x, y, z], [], None, [Pass()], False)",
}


@pytest.mark.parametrize(("pattern", "expected"), PATTERNS.items())
def test_a_case_keeps_what_it_binds_and_what_it_compares_with(
    pattern: str, expected: str, module: Callable[[str], ir.Module], shape: Callable[[object], str]
) -> None:
    (statement,) = module(f"match x:\n    case {pattern}: pass\n").body
    assert shape(statement) == f"Match(x, [{expected}])"
