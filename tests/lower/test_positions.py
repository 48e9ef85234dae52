"""Spans agree with those of `ast`, whose columns count bytes; comments and names have their places."""

from __future__ import annotations

import ast
import re

import libcst as cst
import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinlint import ir
from pinlint.lower import lower
from pinlint.lower.parse import parse
from pinlint.lower.positions import Places
from pinlint.lower.rendering import render, render_with_libcst

SAME = {
    ast.Call: ir.Call,
    ast.Attribute: ir.Attribute,
    ast.Name: ir.Name,
    ast.Subscript: ir.Subscript,
    ast.BinOp: ir.Binary,
    ast.UnaryOp: ir.Unary,
    ast.BoolOp: ir.Boolean,
    ast.Compare: ir.Compare,
    ast.IfExp: ir.Conditional,
    ast.Lambda: ir.Lambda,
    ast.arg: ir.Parameter,
    ast.Starred: ir.Starred,
    ast.NamedExpr: ir.Walrus,
    ast.Await: ir.Await,
    ast.Yield: ir.Yield,
    ast.YieldFrom: ir.YieldFrom,
    ast.Slice: ir.Slice,
    ast.Tuple: ir.Display,
    ast.List: ir.Display,
    ast.Set: ir.Display,
    ast.Dict: ir.DictDisplay,
    ast.ListComp: ir.Comprehension,
    ast.SetComp: ir.Comprehension,
    ast.DictComp: ir.Comprehension,
    ast.GeneratorExp: ir.Comprehension,
    ast.Assign: ir.Assign,
    ast.AnnAssign: ir.AnnotatedAssign,
    ast.AugAssign: ir.AugmentedAssign,
    ast.Expr: ir.ExpressionStatement,
    ast.Return: ir.Return,
    ast.Raise: ir.Raise,
    ast.Assert: ir.Assert,
    ast.Delete: ir.Delete,
    ast.Break: ir.Break,
    ast.Continue: ir.Continue,
    ast.Pass: ir.Pass,
    ast.Global: ir.Global,
    ast.Nonlocal: ir.Nonlocal,
    ast.Import: ir.Import,
    ast.ImportFrom: ir.ImportFrom,
}
HEADERS = {
    ast.If: ir.If,
    ast.For: ir.For,
    ast.AsyncFor: ir.For,
    ast.While: ir.While,
    ast.With: ir.With,
    ast.AsyncWith: ir.With,
    ast.Try: ir.Try,
    ast.Match: ir.Match,
    ast.FunctionDef: ir.FunctionDef,
    ast.AsyncFunctionDef: ir.FunctionDef,
    ast.ClassDef: ir.ClassDef,
}


def lines_of(source: str) -> list[str]:
    return re.split(r"\r\n?|\n", source)


def spans_by_ast(source: str) -> set[tuple[object, ...]]:
    lines = lines_of(source)

    def column(line: int, offset: int) -> int:
        return len(lines[line - 1].encode()[:offset].decode())

    found: set[tuple[object, ...]] = set()
    tree = ast.parse(source)
    left_out = {id(child) for node in ast.walk(tree) for child in other_in_ir(node)}
    for node in ast.walk(tree):
        if id(node) in left_out:
            continue
        if type(node) in SAME:
            start = node.lineno, column(node.lineno, node.col_offset)
            end = node.end_lineno, column(node.end_lineno, node.end_col_offset)
            found.add((SAME[type(node)], *start, *end))
        elif type(node) in HEADERS:
            found.add((HEADERS[type(node)], node.lineno, column(node.lineno, node.col_offset)))
    return found


def other_in_ir(node: ast.AST) -> list[ast.AST]:
    """What IR has no node for: an index of several parts, starred arguments, the parentheses of a lone generator."""
    if isinstance(node, ast.Subscript):
        return [node.slice] if isinstance(node.slice, ast.Tuple) else []
    if isinstance(node, ast.Call):
        lone = len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.GeneratorExp)
        return [arg for arg in node.args if lone or isinstance(arg, ast.Starred)]
    return []


def nodes_in(value: object) -> list[ir.Node]:
    if isinstance(value, tuple):
        return [node for each in value for node in nodes_in(each)]
    if not isinstance(value, msgspec.Struct):
        return []
    inner = [node for name in value.__struct_fields__ if name != "span" for node in nodes_in(getattr(value, name))]
    return [value, *inner] if isinstance(value, ir.Node) else inner


def spans_by_ir(source: str) -> set[tuple[object, ...]]:
    module = lower(source.encode())
    assert isinstance(module, ir.Module), module
    lines = lines_of(source)
    found: set[tuple[object, ...]] = set()
    for node in nodes_in(module):
        if type(node) in HEADERS.values():
            assert lines[node.span[2] - 1][: node.span[3]].endswith(":"), "a header ends with its colon"
            found.add((type(node), *node.span[:2]))
        elif type(node) in SAME.values():
            found.add((type(node), *node.span))
        if isinstance(node, ir.Attribute):
            assert lines[node.name_line - 1][node.name_column :].startswith(node.name)
    return found


def assert_same_spans(source: str) -> None:
    expected, actual = spans_by_ast(source), spans_by_ir(source)
    assert expected <= actual, expected - actual
    # The other way round only generators that are a lone argument and tuples that are an index have spans of their own.
    assert {kind for kind, *_ in actual - expected} <= {ir.Comprehension, ir.Display}


SNIPPETS = [
    "x = f(a.b[c], *d, e=-f, **g)",
    "(((x)))  .  y  (  (z)  )  [  w  ]",
    "((a, b)), (c), ()",
    "for a, in b: pass",
    "a, = b ,",
    "x[a:b, ::c, :, d:, (e), *f, ...]",
    "x[ a : ] + y[ : b ] + z[ a , ]",
    "(a if b else c) if not d else (lambda x=1, *y: (z))",
    "é = 'üñ' + naïve.größe(ß).x",
    "x = (a\n  .b()  # one\n  # two\n  .c(\n    d,\n  )\n)",
    "x = a \\\n  + b \\\n  .c",
    "if a: b; c\nelif d :\n  e\nelse:\n  f",
    "while (a): pass\nelse: pass",
    "def f(a, b: int = 1, * , c = 2, ** d): pass\ndef g(a, * b: (c), d): pass",
    "async def f(a: int = 1, /, *b: (c), d, **e) -> (g):\n  async with a as b, (c): pass\n  async for x in y: await z",
    "@a.b(c)\n@d\n\n# comment\nclass A(B, metaclass=C):\n  x: int = 1\n  y: (str)",
    "with (a as b, c as (d)): pass",
    "with (a), (b): pass",
    "with (a, b): pass",
    "try:\n  pass\nexcept (A): raise B from (C)\nexcept (D, E) as f: pass\nelse: assert (a), b\nfinally: del (a), b[c]",
    "match (a, b):\n  case 1 if c: pass\n  case _: d",
    "match a, b:\n  case _: pass",
    "match a  :\n  # comment\n  case _  : pass",
    "global a, b; nonlocal_ = 1 ;",
    "import a.b as c, d\nfrom . import (e,\n  f as g,\n)\nfrom h import *",
    "[x for x in (y) if (z)] + [{a: b for a, b in c}] + [{*d} for e in f for g in h]",
    "f((x for x in y)), f(x for x in y), f((x for x in y), z)",
    "x = yield_ = (a := b)\ny += (c)\nz @= d",
    "def f():\n  yield\n  x = yield (a)\n  yield from (b)\n  return (c), d",
    "print(not a, ~ b, - (c), + d)",
    "a < b > (c) in d not in e is not (f)",
    "a or (b) and not c or d",
    "{**a, 'b': (c), d: e,}, {a, *b}, [a, *b,], {}",
    "x = '''one\ntwo''' ; y = a",
    "\tx\n" if False else "if a:\n\tx = b\n\tif c:\n\t\ty = d",
    "x = a\r\nif b:\r\n  y = '''c\r\nd'''.e(\r\n  f)\r\n",
    "x = a\ry = b\r",
    "x = a",
    "def f(): pass",
    "class A:\n  def f(self): return self.x",
    "if a:\n  pass\n# comment",
]


@pytest.mark.parametrize("source", SNIPPETS)
def test_spans_agree_with_ast(source: str) -> None:
    assert_same_spans(source)


@pytest.mark.parametrize(
    "source", ["\fx = a.b\n\f\f  \ny = c(d)\n", "if a:\n  pass\n\f\ndef f():\n  pass\n", "x = a\f+ b\n"]
)
def test_a_form_feed_counts_as_a_character(source: str) -> None:
    assert_same_spans(source)


def test_a_byte_order_mark_counts_as_nothing() -> None:
    assert lower(b"\xef\xbb\xbfx = y # z") == lower(b"x = y # z")


def test_columns_count_characters_in_any_encoding() -> None:
    in_latin_1 = lower("# coding: latin-1\nx = 'é', y\n".encode("latin-1"))
    in_utf_8 = lower("# coding: utf-8\nx = 'é', y\n".encode())
    assert in_latin_1.body == in_utf_8.body
    assert in_utf_8.body[0].value.elements[1].span == (2, 9, 2, 10)


def test_parts_of_an_f_string_have_their_places() -> None:
    (statement,) = lower(b"f'a{x}' f'{y.z:>{w}}'\n").body
    assert [part.span for part in statement.value.parts] == [(1, 4, 1, 5), (1, 11, 1, 14), (1, 17, 1, 18)]


def test_a_type_alias_ends_before_its_semicolon() -> None:
    first, second = lower(b"type X = (int) ; y = 1\n").body
    assert first.span == (1, 0, 1, 14)
    assert second.span == (1, 17, 1, 22)


def test_every_comment_has_its_place_and_nothing_else_is_one() -> None:
    source = (
        "#!first\n"
        "x = 1# second\n"
        "if a:  # third\n"
        "    # fourth\n"
        "    f(  # fifth\n"
        "        # sixth é # same\n"
        "    )\n"
        "    y = '# no' + f'# no {x}# no' \\\n"
        "        '''# no\n"
        "# no'''\n"
        "# seventh"
    )
    comments = [(comment.line, comment.column, comment.text) for comment in lower(source.encode()).comments]
    assert comments == [
        (1, 0, "#!first"),
        (2, 5, "# second"),
        (3, 7, "# third"),
        (4, 4, "# fourth"),
        (5, 8, "# fifth"),
        (6, 8, "# sixth é # same"),
        (11, 0, "# seventh"),
    ]


# --- finding nodes again ----------------------------------------------------------------------------------------------


def places_of(source: str) -> tuple[cst.Module, Places]:
    tree = parse(source.encode())
    assert isinstance(tree, cst.Module)
    return tree, Places(tree, source)


def test_a_node_is_found_by_its_span_and_kind() -> None:
    tree, places = places_of("x = (a.b)(c)\n")
    call = places.locate((1, 4, 1, 12), cst.Call)
    assert tree.code_for_node(call) == "(a.b)(c)"
    assert tree.code_for_node(places.locate((1, 5, 1, 8), cst.Attribute)) == "(a.b)"
    assert places.locate((1, 5, 1, 8), cst.Call) is None
    assert places.locate((1, 5, 1, 9), cst.Attribute) is None


def test_every_node_of_the_ir_is_found_in_the_tree() -> None:
    source = "@a\ndef f(x, *y):\n  with (b) as c, d:\n    return [x[1:2, (e,)] for z in (g, h) if -x], (i for j in k)\n"
    _, places = places_of(source)
    for node in nodes_in(lower(source.encode())):
        if not isinstance(node, ir.Parameter):
            assert places.locate(node.span, cst.CSTNode) is not None, node


def test_the_places_of_a_changed_tree_are_those_of_its_code() -> None:
    tree, _ = places_of("x = f(a)\n")
    changed = tree.deep_replace(tree.body[0].body[0].value.args[0].value, cst.parse_expression("[a, b]"))
    places = Places(changed)
    assert changed.code_for_node(places.locate((1, 4, 1, 13), cst.Call)) == "f([a, b])"


# --- any source -------------------------------------------------------------------------------------------------------

BLANK = st.sampled_from(["", "", " ", "  ", "\t", " \\\n "])
INSIDE = st.sampled_from(["", "", " ", "\n", "\n\t ", " # é\n", "\n\n  # a\n  # b\n"])
ATOMS = st.sampled_from(["a", "é", "x1", "12", "1.5", "'s'", '"""t\n#"""', "...", "None", "self.x", "()", "[]", "{}"])
# `~` is white space as anywhere, `^` as between brackets, `_` at least one blank.
FORMS = [
    "(^{0}^)",
    "[^{0}^,^{1}^]",
    "(^{0}^,^)",
    "{{^{0}^:^{1}^,^**({2})^}}",
    "{{^{0}^,^*({1})^}}",
    "f~(^{0}^,^k^=^{1}^,^*({2})^)",
    "f(^{0}_for_z_in_({1})_if_({2})^)",
    "[^{0}_for_z,_in_({1})^]",
    "({0})~.~b",
    "({0})~.~b~(^{1}^)",
    "({0})~[^{1}^:^{2}^]",
    "({0})~[^{1}^,^:^]",
    "({0})~[^{1}^,^]",
    "({0})~+~({1})",
    "({0})~**~-~({1})",
    "({0})_and_not_({1})",
    "({0})~<~({1})_not_in_({2})",
    "({0})_if_({1})_else_({2})",
    "(lambda_q~,~*r~:~{0})",
    "(w~:=~{0})",
    "'a'~'b'",
]


@st.composite
def expressions(draw: st.DrawFn, depth: int = 3) -> str:
    if depth == 0:
        return draw(ATOMS)
    form = draw(st.sampled_from(FORMS))
    spaced = "".join(draw(BLANK) if c == "~" else draw(INSIDE) if c == "^" else c for c in form)
    parts = [draw(expressions(depth - 1 if draw(st.booleans()) else 0)) for _ in range(3)]
    return spaced.replace("_", " ").format(*parts)


STATEMENTS = [
    "{0}",
    "x = y, = {0}",
    "x: {0} = {1}",
    "x[{0}] += {1}",
    "del x, ({0}).y",
    "assert {0}, {1}",
    "if {0}: pass\nelif {1}: x\nelse: y",
    "for x, in {0}:\n\ty",
    "with {0} as x, {1}: pass",
    "@f({0})\ndef f(a: {1} = {2}): return {0}",
    "class A({0}, b={1}):\n  x = {2}",
    "try: {0}\nexcept ({1}): raise\nfinally: {2}",
    "{0};{1} ; {2};",
    "\f{0}",
]


@st.composite
def sources(draw: st.DrawFn) -> str:
    statement = draw(st.sampled_from(STATEMENTS)).format(*[draw(expressions()) for _ in range(3)])
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    return (statement + draw(st.sampled_from(["", "\n", " # é", "\n# é\n"]))).replace("\n", newline)


@settings(deadline=None)
@given(sources())
def test_spans_agree_with_ast_whatever_the_white_space(source: str) -> None:
    assert_same_spans(source)


@settings(deadline=None)
@given(sources())
def test_the_fast_rendering_is_that_of_libcst(source: str) -> None:
    tree = parse(source.encode())
    assert isinstance(tree, cst.Module)
    fast, slow = render(tree), render_with_libcst(tree)
    assert "".join(fast.tokens) == "".join(slow.tokens)
    assert [fast.tokens[index] for index in fast.comments] == [slow.tokens[index] for index in slow.comments]
