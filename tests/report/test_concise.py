"""One line a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint.findings.finding import Applicability, Fix, Severity
from pinlint.report.concise import render
from pinlint.report.data import CheckReport
from pinlint.report.style import Style
from pinlint.report.summary import summary

if TYPE_CHECKING:
    from pinlint.findings.finding import Finding
    from tests.conftest import Builders


def shown(*findings: Finding, files: int = 1) -> str:
    return render(CheckReport(findings, (), files, lambda _path: []), Style())


def offering(build: Builders, applicability: Applicability) -> Finding:
    return build.finding(fix=Fix("pin", "train.py", (1, 0, 1, 1), applicability, "pin"))


def test_a_finding_is_one_line_with_place_code_and_message(build: Builders) -> None:
    assert shown(build.finding(message="`a` is pageable"), build.finding(code="PIN104", message="thrown away")) == (
        "train.py:41:15 PIN101 `a` is pageable\ntrain.py:41:15 PIN104 thrown away\n2 findings (2 warnings) in 1 file.\n"
    )


def test_the_summary_counts_by_severity(build: Builders) -> None:
    severities = [Severity.NOTE, Severity.ERROR, Severity.WARNING, Severity.NOTE]
    findings = [build.finding(severity=severity) for severity in severities]
    assert summary(findings, 2) == "4 findings (1 error, 1 warning, 2 notes) in 2 files."


def test_the_summary_says_what_fix_would_fix(build: Builders) -> None:
    safe = offering(build, Applicability.SAFE)
    unsafe = offering(build, Applicability.UNSAFE)
    shown_only = offering(build, Applicability.DISPLAY)
    assert summary([safe, shown_only], 1).endswith("in 1 file; `pinlint fix` fixes 1.")
    assert summary([unsafe], 1).endswith("in 1 file; `pinlint fix --unsafe-fixes` fixes 1.")
    assert summary([safe, unsafe], 1).endswith("in 1 file; `pinlint fix` fixes 1, with `--unsafe-fixes` 2.")
    assert summary([shown_only], 1).endswith("in 1 file.")
