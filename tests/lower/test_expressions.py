"""Each kind of expression keeps its parts, in the order in which they are evaluated."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from pinlint import ir

CASES = {
    # constants
    "None": "None",
    "True": "True",
    "12": "12",
    "1_000": "1000",
    "0x_ff": "255",
    "0b11": "3",
    "0o17": "15",
    "00": "0",
    "9223372036854775807": "9223372036854775807",
    "9223372036854775808": "Opaque([])",
    "0x" + "f" * 5000: "Opaque([])",
    "1.5e3": "1500.0",
    "1_0.5": "10.5",
    "2j": "Opaque([])",
    "...": "Ellipsis()",
    # strings
    "'a'": "'a'",
    "u'a'": "'a'",
    r"r'\n'": r"'\\n'",
    r"'\x41\n'": r"'A\n'",
    r"'\d'": r"'\\d'",
    "'''a\r\nb'''": r"'a\nb'",
    "b'a'": "Opaque([])",
    "Rb'a'": "Opaque([])",
    r"'\ud800'": "Opaque([])",
    r"'\N{NO SUCH NAME}'": "Opaque([])",
    "'a' \"b\" '''c'''": "'abc'",
    "('a'\n 'b')": "'ab'",
    "b'a' b'b'": "Opaque([])",
    "f'{x}{y.z!r:>{w}}'": "Opaque([x, y.z, w])",
    "f'{x=}'": "Opaque([x])",
    "f'plain'": "Opaque([])",
    "'a' f'{x}' 'b' f'{y}'": "Opaque([x, y])",
    "t'{x}'": "Opaque([x])",
    # names and what follows them
    "x": "x",
    "(x)": "x",
    "x.y.z": "x.y.z",
    "f()": "Call(f, [])",
    "f(a, *b)": "Call(f, [Argument(a, None, 0), Argument(b, None, 1)])",
    "f(k=c, **d)": "Call(f, [Argument(c, k, 0), Argument(d, None, 2)])",
    "f(a := b)": "Call(f, [Argument(Walrus(a, b), None, 0)])",
    "a.b(c).d[e]": "Subscript(Call(a.b, [Argument(c, None, 0)]).d, [e])",
    "x[a]": "Subscript(x, [a])",
    "x[a, b]": "Subscript(x, [a, b])",
    "x[(a, b)]": "Subscript(x, [Display(tuple, [a, b])])",
    "x[a,]": "Subscript(x, [Display(tuple, [a])])",
    "x[()]": "Subscript(x, [Display(tuple, [])])",
    "x[:]": "Subscript(x, [Slice(None, None, None)])",
    "x[a:b:c]": "Subscript(x, [Slice(a, b, c)])",
    "x[::c, ..., *d]": "Subscript(x, [Slice(None, None, c), Ellipsis(), Starred(d)])",
    # operators
    "-x": "Unary(-, x)",
    "not x": "Unary(not, x)",
    "~+x": "Unary(~, Unary(+, x))",
    "a + b * c": "Binary(+, a, Binary(*, b, c))",
    "a - b - c": "Binary(-, Binary(-, a, b), c)",
    "a - (b - c)": "Binary(-, a, Binary(-, b, c))",
    "a ** b ** c": "Binary(**, a, Binary(**, b, c))",
    "a @ b // c % d": "Binary(%, Binary(//, Binary(@, a, b), c), d)",
    "a << b >> c & d | e ^ f": "Binary(|, Binary(&, Binary(>>, Binary(<<, a, b), c), d), Binary(^, e, f))",
    "a / b": "Binary(/, a, b)",
    "a and b and c": "Boolean(and, [a, b, c])",
    "a or b and c or d": "Boolean(or, [a, Boolean(and, [b, c]), d])",
    "(a and b) and c": "Boolean(and, [Boolean(and, [a, b]), c])",
    "a < b <= c > d >= e == f != g": "Compare(a, [<, <=, >, >=, ==, !=], [b, c, d, e, f, g])",
    "a in b": "Compare(a, [in], [b])",
    "a not   in b": "Compare(a, [not in], [b])",
    "a is b is  not c": "Compare(a, [is, is not], [b, c])",
    "a if b else c": "Conditional(b, a, c)",
    "a if b else c if d else e": "Conditional(b, a, Conditional(d, c, e))",
    # functions
    "lambda: x": "Lambda([], x)",
    "lambda a, /, b=1, *c, d, e=2, **f: x": (
        "Lambda([Parameter(a, positional-only, None, None), Parameter(b, positional, None, 1), "
        "Parameter(c, var-positional, None, None), Parameter(d, keyword, None, None), Parameter(e, keyword, None, 2), "
        "Parameter(f, var-keyword, None, None)], x)"
    ),
    "lambda *, a: x": "Lambda([Parameter(a, keyword, None, None)], x)",
    "(await x)": "Await(x)",
    "(yield)": "Yield(None)",
    "(yield x, y)": "Yield(Display(tuple, [x, y]))",
    "(yield from x)": "YieldFrom(x)",
    "(a := b)": "Walrus(a, b)",
    # displays and comprehensions
    "()": "Display(tuple, [])",
    "a,": "Display(tuple, [a])",
    "(a, *b)": "Display(tuple, [a, Starred(b)])",
    "[a, *b]": "Display(list, [a, Starred(b)])",
    "{a, *b}": "Display(set, [a, Starred(b)])",
    "{}": "DictDisplay([], [])",
    "{a: b, **c, 'd': e}": "DictDisplay([a, None, 'd'], [b, c, e])",
    "[x for x in y]": "Comprehension(list, None, x, [Generator(x, y, [])])",
    "{x for x in y if a if b}": "Comprehension(set, None, x, [Generator(x, y, [a, b])])",
    "{a: b for a, b in c}": "Comprehension(dict, a, b, [Generator(Display(tuple, [a, b]), c, [])])",
    "(x for y in z for x in y)": "Comprehension(generator, None, x, [Generator(y, z, []), Generator(x, y, [])])",
    "f(x for x in y)": "Call(f, [Argument(Comprehension(generator, None, x, [Generator(x, y, [])]), None, 0)])",
    "[x async for x in y]": "Comprehension(list, None, x, [Generator(x, y, [])])",
    "[*x for x in y]": "Comprehension(list, None, Starred(x), [Generator(x, y, [])])",
    "{**x for x in y}": "Comprehension(dict, None, x, [Generator(x, y, [])])",
}


@pytest.mark.parametrize(("source", "expected"), CASES.items(), ids=[source[:40] for source in CASES])
def test_an_expression_keeps_its_parts(
    source: str, expected: str, module: Callable[[str], ir.Module], shape: Callable[[object], str]
) -> None:
    (statement,) = module(f"{source}\n").body
    assert shape(statement) == f"ExpressionStatement({expected})"


def test_comments_and_line_ends_inside_an_expression_do_not_matter(
    module: Callable[[str], ir.Module], shape: Callable[[object], str]
) -> None:
    (statement,) = module("x = (a  # one\n  .b(  # two\n    c,\n\n    # three\n    d=\\\n    e,  # four\n  )\n)\n").body
    assert shape(statement) == "Assign([x], Call(a.b, [Argument(c, None, 0), Argument(e, d, 0)]))"


def test_a_yield_in_a_lambda_does_not_make_the_function_a_generator(module: Callable[[str], ir.Module]) -> None:
    (function,) = module("def f():\n    return lambda: (yield)\n").body
    assert not function.generator
