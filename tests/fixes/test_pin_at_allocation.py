"""`pin_memory=` is written into a call as the person who wrote the call would have."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fixes.conftest import Fixer

KIND = "pin-at-allocation"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = «torch.zeros(n)»", "x = torch.zeros(n, pin_memory=True)"),
        ("x = «torch.zeros(n, )»", "x = torch.zeros(n, pin_memory=True, )"),
        ("x = «torch.zeros(n,)»", "x = torch.zeros(n, pin_memory=True,)"),
        ("x = «torch.zeros( n )»", "x = torch.zeros( n, pin_memory=True )"),
        ("x = «torch.zeros((n))»", "x = torch.zeros((n), pin_memory=True)"),
        ("x = «torch.zeros((n, m))»", "x = torch.zeros((n, m), pin_memory=True)"),
        ("x = «torch.zeros()»", "x = torch.zeros(pin_memory=True)"),
        ("x = «torch.zeros (n)»", "x = torch.zeros (n, pin_memory=True)"),
        ("x = «(torch.zeros)(n)»", "x = (torch.zeros)(n, pin_memory=True)"),
        ("x = «torch.zeros(*shape)»", "x = torch.zeros(*shape, pin_memory=True)"),
        ("x = «torch.zeros(n, **options)»", "x = torch.zeros(n, pin_memory=True, **options)"),
        ("x = «torch.zeros(**options)»", "x = torch.zeros(pin_memory=True, **options)"),
        ("x = «torch.tensor(a for a in b)»", "x = torch.tensor((a for a in b), pin_memory=True)"),
        ("x = «torch.tensor((a for a in b))»", "x = torch.tensor((a for a in b), pin_memory=True)"),
        ("x = «torch.zeros(n)».to(d)", "x = torch.zeros(n, pin_memory=True).to(d)"),
        ("x = («torch.zeros(n)»)", "x = (torch.zeros(n, pin_memory=True))"),
        ("f(«torch.zeros(n)», 1)", "f(torch.zeros(n, pin_memory=True), 1)"),
        ("x = [«torch.zeros(n)» for n in sizes]", "x = [torch.zeros(n, pin_memory=True) for n in sizes]"),
        ("x = lambda n: «torch.zeros(n)»", "x = lambda n: torch.zeros(n, pin_memory=True)"),
        ("x = «torch.zeros(n)»; y = 1", "x = torch.zeros(n, pin_memory=True); y = 1"),
        ("if n: x = «torch.zeros(n)»", "if n: x = torch.zeros(n, pin_memory=True)"),
        ("x = «torch.zeros(n)»  # why", "x = torch.zeros(n, pin_memory=True)  # why"),
    ],
)
def test_a_call_on_one_line_gets_the_keyword_behind_the_others(fix: Fixer, before: str, after: str) -> None:
    assert fix(before + "\n", KIND) == after + "\n"


@pytest.mark.parametrize("literal", ["False", "None"])
def test_a_literal_that_does_not_pin_is_replaced(fix: Fixer, literal: str) -> None:
    before = f"x = «torch.zeros(n, pin_memory={literal}, dtype=d)»\n"
    assert fix(before, KIND) == "x = torch.zeros(n, pin_memory=True, dtype=d)\n"


def test_a_literal_in_parentheses_is_replaced_within_them(fix: Fixer) -> None:
    assert fix("x = «torch.zeros(n, pin_memory = (False))»\n", KIND) == "x = torch.zeros(n, pin_memory = (True))\n"


@pytest.mark.parametrize("value", ["True", "PIN", "self.pin"])
def test_a_keyword_that_somebody_thought_of_is_left_alone(fix: Fixer, value: str) -> None:
    assert f"`pin_memory={value}` is passed there already" in fix.refusal(
        f"x = «torch.zeros(n, pin_memory={value})»\n", KIND
    )


def test_a_place_without_a_call_is_refused(fix: Fixer) -> None:
    assert fix.refusal("x = «y»\n", KIND) == "line 1 holds no call here"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            """\
            x = «torch.zeros(
                n,
                dtype=torch.int32,
            )»
            """,
            """\
            x = torch.zeros(
                n,
                dtype=torch.int32,
                pin_memory=True,
            )
            """,
            id="one argument a line, trailing comma",
        ),
        pytest.param(
            """\
            x = «torch.zeros(
                n,
                dtype=torch.int32
            )»
            """,
            """\
            x = torch.zeros(
                n,
                dtype=torch.int32,
                pin_memory=True
            )
            """,
            id="one argument a line, no trailing comma",
        ),
        pytest.param(
            """\
            x = «torch.zeros(
                n,  # rows
                dtype=torch.int32,  # for the kernel
                # the end
            )»
            """,
            """\
            x = torch.zeros(
                n,  # rows
                dtype=torch.int32,  # for the kernel
                pin_memory=True,
                # the end
            )
            """,
            id="comments behind arguments",
        ),
        pytest.param(
            """\
            x = «torch.zeros(
                n,  # rows
                dtype=torch.int32  # for the kernel
            )»
            """,
            """\
            x = torch.zeros(
                n,  # rows
                dtype=torch.int32,  # for the kernel
                pin_memory=True
            )
            """,
            id="a comment behind the last argument and no comma",
        ),
        pytest.param(
            """\
            x = «torch.zeros(n,
                            dtype=torch.int32)»
            """,
            """\
            x = torch.zeros(n,
                            dtype=torch.int32,
                            pin_memory=True)
            """,
            id="arguments under each other",
        ),
        pytest.param(
            """\
            x = «torch.zeros(
                n, dtype=torch.int32
            )»
            """,
            """\
            x = torch.zeros(
                n, dtype=torch.int32, pin_memory=True
            )
            """,
            id="all arguments on one line of their own",
        ),
        pytest.param(
            """\
            x = «torch.zeros(
                n, dtype=torch.int32)»
            """,
            """\
            x = torch.zeros(
                n, dtype=torch.int32, pin_memory=True)
            """,
            id="closed on the arguments' line",
        ),
        pytest.param(
            """\
            x = «torch.tensor(
                rows,
            )»
            """,
            """\
            x = torch.tensor(
                rows,
                pin_memory=True,
            )
            """,
            id="a single argument with a comma",
        ),
        pytest.param(
            """\
            x = «torch.tensor(
                rows
            )»
            """,
            """\
            x = torch.tensor(
                rows, pin_memory=True
            )
            """,
            id="a single argument without a comma",
        ),
        pytest.param(
            """\
            x = «torch.tensor([
                1,
                2,
            ])»
            """,
            """\
            x = torch.tensor([
                1,
                2,
            ], pin_memory=True)
            """,
            id="a hugged list",
        ),
        pytest.param(
            """\
            x = «torch.tensor(
                [
                    1,
                    2,
                ]
            )»
            """,
            """\
            x = torch.tensor(
                [
                    1,
                    2,
                ],
                pin_memory=True,
            )
            """,
            id="a list on lines of its own",
        ),
        pytest.param(
            """\
            x = «torch.zeros(
                n,
                **options,
            )»
            """,
            """\
            x = torch.zeros(
                n,
                pin_memory=True,
                **options,
            )
            """,
            id="keywords from a dict",
        ),
        pytest.param(
            """\
            x = (
                «torch.zeros(
                    n,
                    dtype=torch.int32,
                )»
                .view(-1)
            )
            """,
            """\
            x = (
                torch.zeros(
                    n,
                    dtype=torch.int32,
                    pin_memory=True,
                )
                .view(-1)
            )
            """,
            id="the start of a chain",
        ),
        pytest.param(
            """\
            x = «torch.zeros(n, \\
                dtype=torch.int32)»
            """,
            """\
            x = torch.zeros(n, \\
                dtype=torch.int32,
                pin_memory=True)
            """,
            id="continued with a backslash, which brackets do not need",
        ),
    ],
)
def test_a_call_on_several_lines_keeps_its_style(fix: Fixer, before: str, after: str) -> None:
    assert fix(before, KIND) == textwrap.dedent(after)


def test_a_comment_that_would_swallow_the_keyword_is_kept_with_its_argument(fix: Fixer) -> None:
    before = """\
        x = «torch.zeros(
            n, m  # rows and columns
        )»
        """
    after = """\
        x = torch.zeros(
            n, m,  # rows and columns
            pin_memory=True
        )
        """
    assert fix(before, KIND) == textwrap.dedent(after)


def test_tabs_stay_tabs(fix: Fixer) -> None:
    before = "def f():\n\tx = «torch.zeros(\n\t\tn,\n\t\tdtype=d,\n\t)»\n"
    assert fix(before, KIND) == "def f():\n\tx = torch.zeros(\n\t\tn,\n\t\tdtype=d,\n\t\tpin_memory=True,\n\t)\n"


def test_nested_calls_are_fixed_together(fix: Fixer) -> None:
    before = "x = «torch.full_like(«torch.empty(n)», 1)»\n"
    assert fix(before, KIND) == "x = torch.full_like(torch.empty(n, pin_memory=True), 1, pin_memory=True)\n"


def test_equal_fixes_are_applied_once(fix: Fixer) -> None:
    before = "x = ««torch.zeros(n)»»\n"
    assert fix(before, KIND) == "x = torch.zeros(n, pin_memory=True)\n"
