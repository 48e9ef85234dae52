"""The helper for arrays, the loader, and the two mistakes that are no copies."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fixes.conftest import Fixer

HELPER = (("engine.tensors", "pinned"),)


def test_from_numpy_becomes_the_helper_of_the_project(fix: Fixer) -> None:
    before = """\
        import torch

        def f(buffer, rows):
            buffer[: rows.shape[0]].copy_(
                «torch.from_numpy(rows)», non_blocking=True
            )
        """
    after = """\
        import torch
        from engine.tensors import pinned

        def f(buffer, rows):
            buffer[: rows.shape[0]].copy_(
                pinned(rows), non_blocking=True
            )
        """
    assert fix(before, "pin-array", "pinned", imports=HELPER) == textwrap.dedent(after)


@pytest.mark.parametrize("call", ["«from_numpy(*rows)»", "«from_numpy(rows, 1)»", "«from_numpy(ndarray=rows)»"])
def test_a_call_that_is_not_of_one_array_is_refused(fix: Fixer, call: str) -> None:
    assert fix.refusal(f"{call}\n", "pin-array", "pinned") == "`from_numpy` is not called with one array there"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("x = «DataLoader(ds, 8, shuffle=True)»", "x = DataLoader(ds, 8, shuffle=True, pin_memory=True)"),
        ("x = «DataLoader(ds, pin_memory=False)»", "x = DataLoader(ds, pin_memory=True)"),
        ("x = «DataLoader(ds, **options)»", "x = DataLoader(ds, pin_memory=True, **options)"),
    ],
)
def test_a_loader_is_built_with_pinning(fix: Fixer, before: str, after: str) -> None:
    assert fix(before + "\n", "pin-loader") == after + "\n"


@pytest.mark.parametrize("arguments", ["a, b, c, d, e, f, g, True", "*arguments"])
def test_a_loader_that_may_be_told_by_position_is_refused(fix: Fixer, arguments: str) -> None:
    reason = fix.refusal(f"x = «DataLoader({arguments})»\n", "pin-loader")
    assert reason == "`pin_memory` may be passed there by position already"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("def f(x):\n    «x.pin_memory()»\n", "def f(x):\n    x = x.pin_memory()\n"),
        ("def f(x):\n    («x.pin_memory()»)\n", "def f(x):\n    x = (x.pin_memory())\n"),
        ("def f(self):\n    «self.x.to(d)»; g()\n", "def f(self):\n    self.x = self.x.to(d); g()\n"),
        ("if x: «x.cuda()»\n", "if x: x = x.cuda()\n"),
        ("x = 1\n«x.to(\n    d,\n)»  # moved\n", "x = 1\nx = x.to(\n    d,\n)  # moved\n"),
    ],
)
def test_a_result_thrown_away_is_assigned_to_its_receiver(fix: Fixer, before: str, after: str) -> None:
    assert fix(before, "assign-result", "") == after


def test_a_name_of_the_module_is_not_assigned_within_a_function(fix: Fixer) -> None:
    reason = fix.refusal("x = 1\ndef f():\n    «x.pin_memory()»\n", "assign-result", "")
    assert reason == "`x` is not a name of this function, so assigning it would hide it"


@pytest.mark.parametrize(
    ("statement", "reason"),
    [
        ("«g().pin_memory()»", "the tensor has no name to assign to"),
        ("y = «x.pin_memory()»", "the call is not a statement of its own"),
    ],
)
def test_other_results_are_left_alone(fix: Fixer, statement: str, reason: str) -> None:
    assert fix.refusal(f"{statement}\n", "assign-result", "") == reason


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("if «x.is_pinned»:\n    f()\n", "if x.is_pinned():\n    f()\n"),
        ("y = a if not («self.x.is_pinned») else b\n", "y = a if not (self.x.is_pinned()) else b\n"),
    ],
)
def test_a_method_that_was_only_named_is_called(fix: Fixer, before: str, after: str) -> None:
    assert fix(before, "call-is-pinned", "") == after
