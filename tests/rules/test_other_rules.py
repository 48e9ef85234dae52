"""The rules about mistakes that are no copies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pinlint.findings.finding import Severity
from pinlint.rules import RULES
from pinlint.trace.events import DiscardEvent, UncalledEvent

if TYPE_CHECKING:
    from tests.conftest import Builders


def judged(event: DiscardEvent | UncalledEvent) -> dict[str, str]:
    problems = {rule.code: rule.judge(event) for rule in RULES}
    return {code: problem.message for code, problem in problems.items() if problem}


def test_a_discarded_pin_leaves_the_memory_as_it_was(build: Builders) -> None:
    event = DiscardEvent(build.site(8), ".pin_memory", (8, 4, 8, 5), assignable=True)
    assert judged(event) == {
        "PIN104": "`.pin_memory()` does not work in place: its result is thrown away and the tensor stays in the "
        "memory it was in"
    }


@pytest.mark.parametrize("form", [".to", ".cuda"])
def test_a_discarded_move_leaves_the_tensor_where_it_was(build: Builders, form: str) -> None:
    event = DiscardEvent(build.site(8), form, (8, 4, 8, 5), assignable=False)
    assert judged(event) == {
        "PIN104": f"`{form}()` does not work in place: its result is thrown away and the tensor stays where it was"
    }


def test_an_uncalled_is_pinned_is_always_true(build: Builders) -> None:
    event = UncalledEvent(build.site(9))
    assert judged(event) == {"PIN105": "`is_pinned` is a method and is not called here: the test is always true"}


def test_each_shows_its_own_line_as_the_only_step(build: Builders) -> None:
    site = build.site(8)
    for event in (DiscardEvent(site, ".to", (8, 4, 8, 5), assignable=True), UncalledEvent(site)):
        [problem] = filter(None, (rule.judge(event) for rule in RULES))
        assert problem.severity is Severity.WARNING
        assert [(step.path, step.span) for step in problem.steps] == [(site.path, site.span)]
