"""The annotated path, as people read it."""

from __future__ import annotations

import re
from textwrap import dedent
from typing import TYPE_CHECKING

from pinlint.findings.finding import Applicability, Fix, Location, Role, Severity
from pinlint.report.data import CheckReport
from pinlint.report.full import render
from pinlint.report.style import Style

if TYPE_CHECKING:
    from pinlint.findings.finding import Finding
    from tests.conftest import Builders

TRAIN = [
    "",
    "batch = torch.from_numpy(frame)",
    "batch = normalise(batch)",
    "",
    "    x = batch.to(device, non_blocking=True)",
]
NORM = ["", "", "    return (x - mean) * scale"]


def lines(path: str) -> list[str]:
    return {"train.py": TRAIN, "ops/norm.py": NORM}.get(path, [])


def shown(*findings: Finding, style: Style | None = None) -> str:
    return render(CheckReport(findings, (), 3, lines), style or Style())


def finding(build: Builders, **changes: object) -> Finding:
    steps = (
        build.step(Role.ALLOCATED, 2),
        build.step(Role.COMPUTED, 3, path="ops/norm.py", message="`*` computes into new pageable memory"),
        build.step(Role.COPIED, 5),
    )
    return build.finding(5, steps=steps, **changes)


def fix(applicability: Applicability, reason: str = "") -> Fix:
    return Fix("pin-expression", "train.py", (3, 8, 3, 24), applicability, "append `.pin_memory()` at line 3", reason)


def test_a_finding_shows_its_path_in_the_source(build: Builders) -> None:
    assert shown(finding(build, fix=fix(Applicability.SAFE))) == dedent("""\
        train.py:5:15  PIN101 pageable-h2d-copy  warning
        `batch` is in pageable memory: this copy waits for the stream instead of overlapping

          train.py:2       batch = torch.from_numpy(frame)            pageable memory is allocated here
          ops/norm.py:3    return (x - mean) * scale                  `*` computes into new pageable memory
          train.py:5       x = batch.to(device, non_blocking=True)    copied to an accelerator here

          fix (safe): append `.pin_memory()` at line 3
          pinlint explain PIN101

        1 finding (1 warning) in 3 files; `pinlint fix` fixes 1.
        """)


def test_a_finding_without_a_fix_offers_none(build: Builders) -> None:
    assert "fix" not in shown(finding(build))


def test_a_fix_that_is_not_applied_by_itself_says_why(build: Builders) -> None:
    unsafe = shown(finding(build, fix=fix(Applicability.UNSAFE, "`batch` is written again at line 7")))
    assert (
        "\n  fix (unsafe): append `.pin_memory()` at line 3\n  unsafe: `batch` is written again at line 7\n" in unsafe
    )
    displayed = shown(finding(build, fix=fix(Applicability.DISPLAY, "the best form depends on the sizes")))
    assert "\n  display-only: the best form depends on the sizes\n" in displayed


def test_the_copy_in_a_chain_over_lines_is_shown_at_the_methods_name(build: Builders) -> None:
    """The chain starts at line 2, `.to` stands at line 5."""
    text = shown(build.finding(5, steps=(build.step(Role.COPIED, 2),)))
    assert "  train.py:5    x = batch.to(device, non_blocking=True)    copied to an accelerator here\n" in text


def test_the_copy_in_a_helper_is_shown_in_the_helper(build: Builders) -> None:
    steps = (build.step(Role.COPIED, 3, path="ops/norm.py"),)
    text = shown(build.finding(5, steps=steps, copy=Location("ops/norm.py", 3, 12)))
    assert text.startswith("train.py:5:15  PIN101")
    assert "  ops/norm.py:3    return (x - mean) * scale    copied to an accelerator here\n" in text


def test_a_long_source_line_is_cut(build: Builders) -> None:
    report = CheckReport((build.finding(1, steps=(build.step(Role.ALLOCATED, 1),)),), (), 1, lambda _path: ["x" * 500])
    [row] = [line for line in render(report, Style()).splitlines() if "xxx" in line]
    assert "x" * 77 + "...    pageable" in row


def test_a_file_that_is_gone_leaves_the_source_empty(build: Builders) -> None:
    text = shown(build.finding(9, path="gone.py", steps=(build.step(Role.ALLOCATED, 9, path="gone.py"),)))
    assert "  gone.py:9        pageable memory is allocated here\n" in text


def test_findings_are_parted_by_a_blank_line(build: Builders) -> None:
    text = shown(finding(build), finding(build, severity=Severity.NOTE))
    assert "explain PIN101\n\ntrain.py:5:15" in text
    assert text.endswith("explain PIN101\n\n2 findings (1 warning, 1 note) in 3 files.\n")


def test_a_clean_run_says_so() -> None:
    assert shown() == "No findings in 3 files.\n"


def test_colour_changes_no_character(build: Builders) -> None:
    coloured = shown(finding(build, fix=fix(Applicability.SAFE)), style=Style(colour=True))
    assert "\x1b[33mwarning\x1b[0m" in coloured
    assert re.sub(r"\x1b\[\d+m", "", coloured) == shown(finding(build, fix=fix(Applicability.SAFE)))
