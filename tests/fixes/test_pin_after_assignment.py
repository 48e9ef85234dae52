"""A computed value that has a name is pinned under a condition in the next statement."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fixes.conftest import Fixer

KIND = "pin-after-assignment"
GUARD = "torch.cuda.is_available()"
TORCH = (("torch", ""),)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            """\
            import torch

            def f(a, b):
                x = «torch.cat([a, b])»
                return x
            """,
            """\
            import torch

            def f(a, b):
                x = torch.cat([a, b])
                if torch.cuda.is_available():
                    x = x.pin_memory()
                return x
            """,
            id="after the assignment",
        ),
        pytest.param(
            """\
            import torch as th

            def f(a):
                x: th.Tensor = (
                    «a
                    * 2»
                )  # doubled
            """,
            """\
            import torch as th

            def f(a):
                x: th.Tensor = (
                    a
                    * 2
                )  # doubled
                if th.cuda.is_available():
                    x = x.pin_memory()
            """,
            id="after an annotated assignment on several lines, with torch's own name",
        ),
    ],
)
def test_the_name_is_pinned_in_the_next_statement(fix: Fixer, before: str, after: str) -> None:
    assert fix(before, KIND, GUARD, imports=TORCH) == textwrap.dedent(after)


def test_the_last_line_of_a_file_needs_no_newline(fix: Fixer) -> None:
    before = "import torch\ndef f(a):\n\tx = «a * 2»"
    after = "import torch\ndef f(a):\n\tx = a * 2\n\tif torch.cuda.is_available():\n\t\tx = x.pin_memory()"
    assert fix(before, KIND, GUARD, imports=TORCH) == after


@pytest.mark.parametrize("line", ["y = 1; x = «a * 2»", "x = «a * 2»; y = x", "if a: x = «a * 2»"])
def test_a_line_with_another_statement_is_refused(fix: Fixer, line: str) -> None:
    assert fix.refusal(f"{line}\n", KIND, "PIN") == "another statement stands on the same line"


@pytest.mark.parametrize(
    "line", ["x = y = «a * 2»", "self.x = «a * 2»", "x, y = «a * 2»", "x = f(«a * 2»)", "f(«a * 2»)"]
)
def test_a_value_without_one_name_is_refused(fix: Fixer, line: str) -> None:
    assert fix.refusal(f"{line}\n", KIND, "PIN") == "the value is not assigned to one name there"
