"""Everything outside the edit keeps its bytes: encodings, newlines, marks, tabs; and the result is Python."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pinlint import ir
from pinlint.findings.finding import Applicability, Fix
from pinlint.fixes.apply import FixedSource, fix_source
from pinlint.fixes.lookup import walk
from pinlint.lower import LowerError, lower

if TYPE_CHECKING:
    from tests.fixes.conftest import Fixer

ALLOCATION = "pin-at-allocation"


def fixed(data: bytes, *fixes: Fix) -> bytes:
    result = fix_source("train.py", data, fixes)
    assert isinstance(result, FixedSource), result
    assert len(result.applied) == len(fixes)
    return result.data


def allocation(line: int, start: int, end: int) -> Fix:
    return Fix(ALLOCATION, "train.py", (line, start, line, end), Applicability.SAFE, "", replacement="True")


def test_carriage_returns_stay_and_are_written(fix: Fixer) -> None:
    before = "import torch\r\nx = «torch.zeros(\r\n    n,\r\n    dtype=d,\r\n)»\r\n"
    after = "import torch\r\nx = torch.zeros(\r\n    n,\r\n    dtype=d,\r\n    pin_memory=True,\r\n)\r\n"
    assert fix(before, ALLOCATION) == after


def test_a_file_with_both_newlines_keeps_each_where_it_is(fix: Fixer) -> None:
    before = "a = 1\nx = «torch.zeros(\r\n    n,\r\n    dtype=d,\r\n)»\nb = 2\r\n"
    after = "a = 1\nx = torch.zeros(\r\n    n,\r\n    dtype=d,\r\n    pin_memory=True,\r\n)\nb = 2\r\n"
    assert fix(before, ALLOCATION) == after


def test_a_byte_order_mark_stays() -> None:
    data = b"\xef\xbb\xbfx = torch.zeros(n)  # \xc3\xa9\n"
    assert fixed(data, allocation(1, 4, 18)) == b"\xef\xbb\xbfx = torch.zeros(n, pin_memory=True)  # \xc3\xa9\n"


def test_a_declared_encoding_stays() -> None:
    data = b"# -*- coding: latin-1 -*-\nname = '\xe9'; x = torch.zeros(n)  # \xfc\n"
    after = b"# -*- coding: latin-1 -*-\nname = '\xe9'; x = torch.zeros(n, pin_memory=True)  # \xfc\n"
    assert fixed(data, allocation(2, 16, 30)) == after


def test_wide_characters_before_the_edit_do_not_shift_it() -> None:
    data = "x = f('\N{GRINNING FACE}\N{COMBINING ACUTE ACCENT}', torch.zeros(n))\n".encode()
    start = data.decode().index("torch")
    assert fixed(data, allocation(1, start, start + 14)) == data.replace(b"(n)", b"(n, pin_memory=True)")


def test_a_form_feed_that_the_parser_keeps_stays() -> None:
    data = b"a = 1\n# page\x0c\nx = torch.zeros(n)\n"
    assert fixed(data, allocation(3, 4, 18)) == data.replace(b"(n)", b"(n, pin_memory=True)")


def test_a_file_that_the_parser_does_not_keep_is_left_alone() -> None:
    reason = fix_source("train.py", b"a = 1\n\x0cx = torch.zeros(n)\n", [allocation(2, 5, 19)])
    assert reason == "LibCST does not keep this file byte for byte"


def test_a_file_that_cannot_be_parsed_is_left_alone() -> None:
    reason = fix_source("train.py", b"x = (\n", [allocation(1, 0, 1)])
    assert isinstance(reason, str)
    assert "syntax" in reason


def test_a_file_without_fixes_is_what_it_was() -> None:
    data = b"x = 1  \n\n\n"
    result = fix_source("train.py", data, [])
    assert isinstance(result, FixedSource)
    assert result.data == data


# --- generated programs -----------------------------------------------------------------------------------------------

NAMES = st.sampled_from(["a", "b", "self.rows", "n"])
BLANK = st.sampled_from(["", " ", "  "])
COMMENT = st.sampled_from(["", "  # why", "  # (not, a, call"])


@st.composite
def arguments(draw: st.DrawFn, indent: str) -> str:
    """Return what stands between the brackets of a call, in one of the ways in which people write it."""
    given_ = draw(st.lists(NAMES | st.sampled_from(["(a, b)", "[a, b]", "f(a)(b)", "'x, y'"]), min_size=1, max_size=2))
    given_ += draw(st.lists(st.sampled_from(["dtype=d", "device='cpu'", "*rest"]), max_size=2, unique=True))
    comma = draw(st.sampled_from(["", ","]))
    style = draw(st.sampled_from(["flat", "hugged", "lines", "aligned"]))
    if style == "flat":
        return draw(BLANK) + ", ".join(given_) + comma + draw(BLANK)
    if style == "hugged":
        return f"\n{indent}    {', '.join(given_)}{comma}\n{indent}"
    if style == "aligned":
        return f",\n{indent}        ".join(given_) + comma
    lines = "".join(f"\n{indent}    {each},{draw(COMMENT)}" for each in given_[:-1])
    return f"{lines}\n{indent}    {given_[-1]}{comma}{draw(COMMENT)}\n{indent}"


@st.composite
def expressions(draw: st.DrawFn, indent: str) -> str:
    call = f"torch.{draw(st.sampled_from(['zeros', 'tensor', 'cat']))}({draw(arguments(indent))})"
    call += draw(st.sampled_from(["", ".view(-1)", "[0]", ".T"]))
    operation = f"{call} {draw(st.sampled_from(['+', '*', '@', '<']))} {draw(NAMES)}"
    return draw(st.sampled_from([call, operation, f"({operation})", f"({operation}).to(d)", f"f({operation}, {call})"]))


@st.composite
def programs(draw: st.DrawFn) -> str:
    newline = draw(st.sampled_from(["\n", "\r\n"]))
    unit = draw(st.sampled_from(["    ", "  ", "\t"]))
    lines = ["import torch", "", "def f(self, a, b, n, d, rest):"]
    for _ in range(draw(st.integers(1, 4))):
        lines += f"{unit}x = {draw(expressions(unit))}{draw(COMMENT)}".split("\n")
    return newline.join([*lines, f"{unit}return x", ""])


KINDS = {"pin-at-allocation": (ir.Call,), "pin-expression": (ir.Call, ir.Binary, ir.Compare, ir.Subscript)}


def fixes_of(module: ir.Module, kind: str) -> list[Fix]:
    nodes = [node for node in walk(module.body) if isinstance(node, KINDS[kind])]
    return [Fix(kind, "train.py", node.span, Applicability.SAFE, "", replacement="True") for node in nodes]


def without_pins(tree: ast.AST) -> str:
    """Return a tree as text, without the keywords and calls that the fixes write."""

    class Without(ast.NodeTransformer):
        def visit_Call(self, node: ast.Call) -> ast.AST:
            self.generic_visit(node)
            node.keywords = [each for each in node.keywords if each.arg != "pin_memory"]
            if isinstance(node.func, ast.Attribute) and node.func.attr == "pin_memory":
                return node.func.value
            return node

    return ast.dump(Without().visit(tree))


@pytest.mark.parametrize("kind", list(KINDS))
@settings(max_examples=150, deadline=None, derandomize=True)
@given(text=programs(), data=st.data())
def test_a_fix_adds_what_it_says_and_changes_nothing_else(kind: str, text: str, data: st.DataObject) -> None:
    module = lower(text.encode())
    assert not isinstance(module, LowerError)
    fix = data.draw(st.sampled_from(fixes_of(module, kind)))
    result = fix_source("train.py", text.encode(), [fix])
    assert isinstance(result, FixedSource)
    after = result.data.decode()
    assert after.count("pin_memory") == text.count("pin_memory") + 1
    assert without_pins(ast.parse(after)) == without_pins(ast.parse(text))
    comments = [line.partition("  #")[2] for line in text.splitlines() if "  #" in line]
    assert [line.partition("  #")[2] for line in after.splitlines() if "  #" in line] == comments
    first, last = fix.target[0] - 1, fix.target[2]
    assert after.splitlines(keepends=True)[:first] == text.splitlines(keepends=True)[:first]
    rest = text.splitlines(keepends=True)[last:]
    assert after.splitlines(keepends=True)[-len(rest) :] == rest
    assert after.count("\r\n") == (after.count("\n") if "\r\n" in text else 0)
