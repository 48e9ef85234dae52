"""Which statements of a function matter to a question: the lines of those that do end in `# matters`."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

import pytest

from pinlint import ir
from pinlint.lower import LowerError, lower
from pinlint.trace.relevance import (
    EVENTS,
    RESULT,
    Dependences,
    dependences_of,
    registered_attribute,
    relevant,
    relevant_names,
)


def function_in(source: str) -> ir.FunctionDef:
    tree = lower(textwrap.dedent(source).lstrip("\n").encode())
    assert not isinstance(tree, LowerError)
    (function,) = tree.body
    assert isinstance(function, ir.FunctionDef)
    return function


def dependences(source: str) -> Dependences:
    function = function_in(source)
    receiver = function.parameters[0].name if function.parameters else ""
    return dependences_of(function.body, receiver if receiver == "self" else "")


def statements(found: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    for statement in found:
        yield statement
        for block in ("body", "orelse", "finalbody"):
            yield from statements(getattr(statement, block, ()))
        for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
            yield from statements(part.body)


def check(source: str, *wants: str, followed: frozenset[str] = frozenset()) -> None:
    """The statements on the marked lines are those that matter."""
    function = function_in(source)
    receiver = "self" if function.parameters and function.parameters[0].name == "self" else ""
    chosen = relevant(dependences_of(function.body, receiver), frozenset(wants), receiver, followed)
    lines = textwrap.dedent(source).lstrip("\n").splitlines()
    marked = [number for number, line in enumerate(lines, start=1) if line.endswith("# matters")]
    assert sorted({item.span[0] for item in statements(function.body) if id(item) in chosen}) == marked


def test_a_copy_matters_with_what_leads_to_it() -> None:
    check(
        """
        def step(a, b):
            size = len(a)
            x = torch.zeros(8)  # matters
            label = f"{b}"
            y = x + 1  # matters
            print(label, size)
            z = y.to("cuda", non_blocking=True)  # matters
            return z
        """,
        EVENTS,
    )


def test_without_a_copy_nothing_matters() -> None:
    check(
        """
        def step(a):
            x = torch.zeros(8)
            x = x + a
            return x
        """,
        EVENTS,
    )


def test_the_result_matters_when_it_is_asked_for() -> None:
    check(
        """
        def make(a):
            print(a)
            x = torch.zeros(8)  # matters
            y = torch.ones(8)
            return x  # matters
        """,
        RESULT,
    )


def test_the_copies_matter_to_the_result_only_if_it_needs_them() -> None:
    check(
        """
        def make(x, y):
            a = x.to("cuda", non_blocking=True)
            b = y.to("cuda", non_blocking=True)  # matters
            return b  # matters
        """,
        RESULT,
    )


def test_an_attribute_matters_when_it_is_asked_for() -> None:
    check(
        """
        def __init__(self, n):
            self.size = n
            host = torch.zeros(n)  # matters
            self.host = host  # matters
            self.other = torch.ones(n)
        """,
        "host",
    )


def test_the_block_around_what_matters_matters() -> None:
    check(
        """
        def step(flag, xs):
            for x in xs:  # matters
                log("x")
                if flag:  # matters
                    with lock:  # matters
                        x.to("cuda", non_blocking=True)  # matters
        """,
        EVENTS,
    )


@pytest.mark.parametrize(
    "change",
    [
        "x.fill_(1)",
        "x[0] = 1",
        "x += 1",
        "torch.add(a, b, out=x)",
        "fill(x)",
        "x[0].append(a)",
        "x, y = a, b",
        "*x, y = a",
        "for x in a: pass",
        "with a as x: pass",
        "import x",
        "from a import b as x",
        "def x(): pass",
        "class x: pass",
        "del x",
        "y = (x := a)",
        "assert x.is_cpu",
    ],
)
def test_every_way_to_change_a_name_matters_to_it(change: str) -> None:
    source = f"def step(a, b, x):\n    {change}\n    return x.to(a, non_blocking=True)\n"
    function = function_in(source)
    chosen = relevant(dependences_of(function.body, ""), frozenset({EVENTS}), "", frozenset())
    assert id(function.body[0]) in chosen


@pytest.mark.parametrize(
    "call",
    [
        "x.to(a, non_blocking=True)",
        "x.to(a, b, True)",
        "y.copy_(x, True)",
        "x.cuda(0, True)",
        "x.to(**a)",
        "torch._foreach_copy_(a, b, True)",
        "x.pin_memory()",
    ],
)
def test_every_form_of_a_copy_is_seen(call: str) -> None:
    assert dependences(f"def step(a, b, x, y):\n    {call}\n").copies


@pytest.mark.parametrize("call", ["x.to(a)", "x.copy_(y)", "x.size(0)", "x.tofile(a, b)"])
def test_what_cannot_be_a_non_blocking_copy_is_not(call: str) -> None:
    assert not dependences(f"def step(a, b, x, y):\n    z = {call}\n").copies


def test_a_followed_call_matters() -> None:
    source = """
        def step(x):
            log("x")
            push(x)  # matters
            self.push(x)  # matters
    """
    check(source, EVENTS, followed=frozenset({"push"}))


def test_what_a_condition_only_chooses_by_does_not_pull_in_how_it_was_computed() -> None:
    check(
        """
        def step(a):
            n = expensive(a)
            if n.size > 3:  # matters
                x = torch.zeros(8)  # matters
            else:
                x = torch.ones(8)  # matters
            return x.to("cuda", non_blocking=True)  # matters
        """,
        EVENTS,
    )


def test_a_flag_that_a_condition_tests_matters() -> None:
    check(
        """
        def step(a):
            flag = True  # matters
            if flag:  # matters
                x = torch.zeros(8)  # matters
                x.to("cuda", non_blocking=True)  # matters
        """,
        EVENTS,
    )


def test_nested_functions_use_what_their_bodies_use() -> None:
    check(
        """
        def step():
            x = torch.zeros(8)  # matters
            y = torch.zeros(8)
            def push():  # matters
                return x.to("cuda", non_blocking=True)
            return push()
        """,
        EVENTS,
    )


def test_a_call_that_is_given_a_name_may_change_it() -> None:
    check(
        """
        def step(x):
            log("x")
            log(x)  # matters
            x.to("cuda", non_blocking=True)  # matters
        """,
        EVENTS,
    )


def test_names_alone() -> None:
    function = function_in("def step(a):\n    x = a\n    y = x\n    z = a\n")
    found = relevant_names(dependences_of(function.body, ""), frozenset({"y"}))
    assert [id(item) in found for item in function.body] == [True, True, False]


def test_the_attributes_that_a_method_sets() -> None:
    found = dependences(
        """
        def prepare(self, other):
            self.a = 1
            self.b[0] = 2
            self.c.append(3)
            self.d, (self.e, f) = 4, (5, 6)
            self.register_buffer("g", x)
            self.h[:] = 7
            other.i = 8
            if other:
                self.j = 9
        """
    )
    assert sorted(found.attributes) == ["a", "b", "c", "d", "e", "g", "j"]
    assert found.hung == {"i": ("other",)}


def test_the_functions_that_are_called() -> None:
    found = dependences("def step(x):\n    a(b(x).c(), d=e[f()])\n    return [g(y) for y in x if (lambda: h())()]\n")
    assert found.calls >= {"a", "b", "c", "f", "g", "h"}


@pytest.mark.parametrize(
    ("call", "name"),
    [
        ('self.register_buffer("table", x)', "table"),
        ('self.register_parameter(name="weight", param=x)', "weight"),
        ("self.register_buffer(name, x)", ""),
        ('self.register_hook("table", x)', ""),
        ('register_buffer("table", x)', ""),
    ],
)
def test_the_attribute_that_a_registration_sets(call: str, name: str) -> None:
    (statement,) = function_in(f"def step(self, x, name):\n    {call}\n").body
    assert isinstance(statement, ir.ExpressionStatement)
    assert isinstance(statement.value, ir.Call)
    assert registered_attribute(statement.value) == name
