"""The table of every copy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint.findings.finding import Role
from pinlint.report.audit_text import render
from pinlint.report.data import AuditReport
from pinlint.report.style import Style
from pinlint.trace.events import Direction, Verdict

if TYPE_CHECKING:
    from pinlint.trace.events import CopyEvent
    from tests.conftest import Builders


def shown(*copies: CopyEvent) -> str:
    return render(AuditReport(copies, (), 1), Style())


def test_each_copy_has_a_line_with_its_verdict_and_why(build: Builders) -> None:
    pageable = build.copy(
        build.step(Role.ALLOCATED, 33, "torch.zeros"), build.step(Role.COMPUTED, 12, "*", path="ops/norm.py")
    )
    helper = build.copy(build.step(Role.PINNED, 7), verdict=Verdict.PINNED, line=45, place=build.site(9))
    unknown = build.copy(
        verdict=Verdict.UNKNOWN,
        direction=Direction.UNKNOWN,
        line=101,
        form=".copy_",
        steps=(),
        reason="parameter `x` of `f`",
    )
    assert shown(pageable, helper, unknown) == (
        "train.py:41:15   .to     H2D      pageable  "
        "allocated by `torch.zeros` at line 33, computed by `*` at ops/norm.py:12\n"
        "train.py:45:15   .to     H2D      pinned    pinned at line 7, called at line 9\n"
        "train.py:101:15  .copy_  unknown  unknown   parameter `x` of `f`\n"
        "\n"
        "3 non-blocking copies: 1 pageable, 1 pinned, 1 unknown; 66.7% decided\n"
    )


def test_nothing_to_audit_is_said_in_one_line() -> None:
    assert shown() == "0 non-blocking copies\n"
