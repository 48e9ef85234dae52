"""Deep nesting is read as far as a person could have written it; what could crash LibCST gets one clear line."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable

import pytest

from pinlint import ir
from pinlint.lower import LowerError, lower
from pinlint.lower.gate import measure
from pinlint.lower.nesting import nesting
from pinlint.lower.parse import parse
from pinlint.lower.stack import STACK_BYTES, NoDeepStackError, call_with_deep_stack

DEEP = {
    "chained calls": "x = a" + ".b()" * 300,
    "chained calls, one a line": "x = (a" + "\n    .b(c.d, e=f)" * 300 + "\n)",
    "attributes": "x = a" + ".b" * 500,
    "subscripts": "x = a" + "[0]" * 300,
    "calls of calls": "x = a" + "()" * 300,
    "elif": "if a:\n    pass\n" + "elif b:\n    pass\n" * 500 + "else:\n    pass",
    "sum": "x = 1" + " + a.b" * 500,
    "brackets": "x = " + "[" * 190 + "]" * 190,
    "nested calls": "x = " + "f(" * 190 + ")" * 190,
    "unary": "x = " + "- " * 500 + "1",
    "not": "x = " + "not " * 500 + "1",
    "lambda": "x = " + "lambda: " * 500 + "1",
    "conditional": "x = " + "a if b else " * 300 + "c",
    "and": "x = a" + " and b" * 500,
    "comparison": "x = a" + " < b" * 500,
    "strings": "x = (" + "'a'\n" * 500 + ")",
    "power": "x = 2" + " ** 2" * 500,
    "f-strings": "x = " + "f'{f\"{" * 20 + "a" + "}\"}'" * 20 if sys.version_info >= (3, 12) else "x = f'{a:{b}}'",
    "blocks": "".join(" " * depth + "if a:\n" for depth in range(95)) + " " * 95 + "pass",
    "decorators": "@a\n" * 2000 + "def f(): pass",
    "elements": "x = [" + "a.b, -c, " * 2000 + "]",
}


@pytest.mark.parametrize("source", DEEP.values(), ids=DEEP)
def test_deep_code_is_read(source: str, module: Callable[[str], ir.Module]) -> None:
    assert len(module(f"{source}\n").body) == 1


BRACKETS = "nested too deeply to be read (more than 200 brackets within brackets)"
LEVELS = "nested too deeply to be read (more than 1000 levels in one expression)"
HOSTILE = {
    "brackets": ("x = " + "[" * 3000 + "]" * 3000, BRACKETS),
    "calls": ("x = " + "f(" * 3000 + ")" * 3000, BRACKETS),
    "f-strings": ("x = " + "f'{f\"{" * 3000 + "a" + "}\"}'" * 3000, BRACKETS),
    "chained calls": ("x = a" + ".b()" * 20_000, LEVELS),
    "sum": ("x = 1" + " + 1" * 20_000, LEVELS),
    "sum without blanks": ("x=1" + "+1" * 20_000, LEVELS),
    "not": ("x = " + "not " * 20_000 + "1", LEVELS),
    "unary": ("x = " + "-" * 20_000 + "1", LEVELS),
    "lambda": ("x = " + "lambda:" * 20_000 + "1", LEVELS),
    "conditional": ("x = " + "1if 1else " * 20_000 + "1", LEVELS),
    "strings": ("x = " + "'a'" * 20_000, LEVELS),
    "inside an f-string": ("x = f'''{1" + "\n+ 1" * 20_000 + "}'''", LEVELS),
    "behind strings": ("x = a + '''\n'''" + ".b" * 20_000, LEVELS),
    "elif": (
        "if a: pass\n" + "elif a: pass\n" * 20_000,
        "nested too deeply to be read (more than 1000 elif clauses in a row)",
    ),
    "patterns": (
        "match a:\n    case " + "(" * 30 + "b" + ")" * 30 + ": pass",
        "nested too deeply to be read (more than 8 brackets within brackets in a pattern)",
    ),
    "broken patterns": (
        "match a:\n    case " + "{1: " * 30 + "b c" + "}" * 30 + ": pass",
        "nested too deeply to be read (more than 8 brackets within brackets in a pattern)",
    ),
    "del": (
        "if a: del " + "(" * 40 + "b" + ", c)" * 40,
        "nested too deeply to be read (more than 16 brackets within brackets in a del statement)",
    ),
    "blocks": (
        "".join(" " * depth + "if a:\n" for depth in range(300)) + " " * 300 + "pass",
        "nested too deeply to be read (more than 100 blocks within blocks)",
    ),
    "many": (
        ("x = a" + "[0]" * 900 + "\n") * 100,
        "nested too deeply to be read (too many deep statements in one file)",
    ),
}


@pytest.mark.parametrize(("source", "message"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_code_gets_one_line(source: str, message: str, error: Callable[[str], LowerError]) -> None:
    found = error(f"{source}\n").message
    # Python may say first that it is no Python, as `f"` within `f'` is none to the older ones.
    assert found == message or found.startswith("syntax error: ")
    assert measure(f"{source}\n").refusal is not None or "blocks" in message


def test_a_file_that_libcst_needs_minutes_for_is_refused_at_once(error: Callable[[str], LowerError]) -> None:
    message = "too large to be parsed (more than 800000 words and punctuation marks)"
    assert error("x = [" + "1, " * 1_000_000 + "]\n") == LowerError(None, message)


def test_a_long_text_is_not_a_large_file(module: Callable[[str], ir.Module]) -> None:
    assert len(module(f"x = '{'long' * 500_000}'\n").body) == 1


def test_the_line_is_that_of_the_deep_statement(error: Callable[[str], LowerError]) -> None:
    source = "# one\n\ndef f():\n    x = '''\n'''\n    return " + "[" * 500 + "]" * 500 + "\n"
    assert error(source).line == 6


def test_a_bracket_that_is_never_closed_is_a_syntax_error_and_not_deep(error: Callable[[str], LowerError]) -> None:
    source = "x = (\n" + "y = a.b + c.d\n" * 2000
    assert error(source) == LowerError(1, "syntax error: '(' was never closed")


@pytest.mark.parametrize(
    ("statement", "levels", "brackets"),
    [
        ("a", 0, 0),
        ("a.b.c", 2, 0),
        ("a.b(c)[d]", 3, 1),
        ("f(g(h(a)))", 3, 3),
        ("f(a, b.c.d, e)", 3, 1),
        ("[a.b, -c, d]", 2, 1),
        ("a + b + c", 2, 0),
        ("a.b.c + d.e", 3, 0),
        ("not a if b else c", 3, 0),
        ("x = 'a' 'b' 'c'", 3, 0),
        ("x = 'a.b.c((('", 1, 0),
        ("x = f'{a.b}'", 3, 2),
        ("x = f'{{a.b}}'", 1, 1),
        ("x = f'''{a:{b.c}}'''", 4, 3),
        ("x = f\"{a['b']}\"", 4, 3),
        ("x = rf'\\{a}'", 2, 2),
        ("x = f'{a!r:>{w}} {b}{c}'", 3, 3),
        ("1if 2else 3", 2, 0),
        ("# a.b.c.d\na", 0, 0),
        ("a \\\n.b", 1, 0),
        (")]}", 0, 0),
    ],
)
def test_levels_and_brackets_are_counted(statement: str, levels: int, brackets: int) -> None:
    found = nesting(statement)
    assert (found.levels, found.brackets) == (levels, brackets)


def test_a_long_string_is_one_token_however_it_is_written() -> None:
    body = "\\'[" * 5000
    assert nesting(f"x = '{body}'.a").levels == 2
    assert nesting(f"x = f'''{body}'''.a").levels == 2
    assert measure(f"x = '{body}'\ny = \"{body}\"\nz = '''{body}\n'''\n").is_shallow


@pytest.mark.parametrize(
    "source",
    [
        "",
        "\n",
        "x",
        "'",
        '"""',
        "f'",
        "f'{",
        "f'{a:",
        "\\",
        "#",
        "(",
        ")",
        "x = '\n(",
        "\r",
        "f'''{'''",
        "rb'\\'",
        "\x0c",
    ],
)
def test_any_text_can_be_measured(source: str) -> None:
    assert measure(source).refusal is None


def test_an_ordinary_file_is_shallow() -> None:
    source = "class A:\n    def f(self, a):\n        return self.b(a, [c for c in a.d(1)[2:]], e={'f': -1})\n" * 500
    assert measure(source).is_shallow


# --- fixers and threads -----------------------------------------------------------------------------------------------


def test_what_is_too_deep_to_be_rendered_is_not_given_to_a_fixer() -> None:
    source = b"x = a" + b".b()" * 300 + b"\n"
    assert isinstance(lower(source), ir.Module)
    assert parse(source) == LowerError(None, "nested too deeply to be rewritten")
    assert parse(b"x = '\xff'\n") == LowerError(1, "not valid UTF-8 at line 1")


def test_a_deep_call_leaves_the_interpreter_as_it_was() -> None:
    limit, size = sys.getrecursionlimit(), threading.stack_size()

    def depth(left: int) -> int:
        return 0 if left == 0 else 1 + depth(left - 1)

    assert call_with_deep_stack(lambda: depth(10_000)) == 10_000
    assert (sys.getrecursionlimit(), threading.stack_size()) == (limit, size)


def test_a_deep_call_raises_what_the_function_raises() -> None:
    with pytest.raises(ZeroDivisionError):
        call_with_deep_stack(lambda: 1 // 0)


def test_without_a_large_stack_a_deep_file_gets_one_line(
    monkeypatch: pytest.MonkeyPatch, error: Callable[[str], LowerError]
) -> None:
    def refuse(size: int = 0) -> int:
        if size == STACK_BYTES:
            raise ValueError("size not valid")
        return 0

    monkeypatch.setattr(threading, "stack_size", refuse)
    assert "no thread with a stack of 64 MiB: size not valid" in error("x = a" + ".b()" * 300 + "\n").message
    with pytest.raises(NoDeepStackError):
        call_with_deep_stack(lambda: None)


def test_a_shallow_file_is_read_even_from_deep_inside_another_call(module: Callable[[str], ir.Module]) -> None:
    source = "x = " + "f(" * 45 + ")" * 45 + "\n"
    assert measure(source).is_shallow

    def inside(left: int) -> int:
        return len(module(source).body) if left == 0 else inside(left - 1)

    assert inside(sys.getrecursionlimit() - 100 - len_of_stack()) == 1


def len_of_stack() -> int:
    frame, length = sys._getframe(), 0
    while frame is not None:
        frame, length = frame.f_back, length + 1
    return length
