"""The machine-readable reports keep what docs/json.md promises."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import pinlint
from pinlint.files.errors import FileError
from pinlint.findings.finding import Applicability, Fix, Location, Role
from pinlint.report import audit_json
from pinlint.report.data import AuditReport, CheckReport
from pinlint.report.json import render
from pinlint.report.style import Style
from pinlint.trace.events import Direction, Verdict

if TYPE_CHECKING:
    from pinlint.findings.finding import Finding
    from pinlint.trace.events import CopyEvent
    from tests.conftest import Builders

PAGE = (Path(__file__).parents[2] / "docs" / "json.md").read_text(encoding="utf-8")


def document(*findings: Finding, errors: tuple[FileError, ...] = ()) -> dict[str, Any]:
    return json.loads(render(CheckReport(findings, errors, 1, lambda _path: []), Style()))


def audit(*copies: CopyEvent) -> dict[str, Any]:
    return json.loads(audit_json.render(AuditReport(copies, (), 1), Style()))


def test_a_finding_has_every_promised_field(build: Builders) -> None:
    steps = (build.step(Role.ALLOCATED, 33), build.step(Role.COPIED, 7, path="helper.py"))
    fix = Fix("pin", "train.py", (33, 8, 33, 20), Applicability.UNSAFE, "pass `pin_memory=True`", "written at line 44")
    [finding] = document(build.finding(steps=steps, fix=fix, copy=Location("helper.py", 8, 6)))["findings"]
    assert finding == {
        "code": "PIN101",
        "name": "pageable-h2d-copy",
        "message": "`batch` is in pageable memory: this copy waits for the stream instead of overlapping",
        "severity": "warning",
        "confidence": "high",
        "path": "train.py",
        "line": 41,
        "column": 15,
        "location": {"path": "train.py", "line": 41, "column": 15},
        "copy": {"path": "helper.py", "line": 8, "column": 6},
        "steps": [
            {
                "path": "train.py",
                "line": 33,
                "column": 9,
                "role": "allocated",
                "message": "pageable memory is allocated here",
            },
            {
                "path": "helper.py",
                "line": 8,
                "column": 6,
                "role": "copied",
                "message": "copied to an accelerator here",
            },
        ],
        "fix": {
            "applicability": "unsafe",
            "description": "pass `pin_memory=True`",
            "reason": "written at line 44",
        },
        "fingerprint": "0123456789abcdef",
    }


def test_a_finding_without_a_fix_has_null(build: Builders) -> None:
    assert document(build.finding())["findings"][0]["fix"] is None


def test_errors_are_listed(build: Builders) -> None:
    report = document(build.finding(), errors=(FileError("a.py", 3, "bad"), FileError("b.py", None, "gone")))
    assert report["errors"] == [
        {"path": "a.py", "line": 3, "message": "bad"},
        {"path": "b.py", "line": None, "message": "gone"},
    ]


def test_an_empty_report_has_its_versions() -> None:
    assert document() == {"version": 1, "pinlint": pinlint.__version__, "findings": [], "errors": []}


def test_a_report_is_ascii_even_of_a_file_name_that_is_not_unicode(build: Builders) -> None:
    text = render(CheckReport((build.finding(path="b\udcff\u00e9.py"),), (), 1, lambda _path: []), Style())
    assert text.isascii()
    assert text.endswith("}\n")


def test_an_audit_lists_copies_with_their_verdict_and_why(build: Builders) -> None:
    known = build.copy(build.step(Role.ALLOCATED, 33), place=build.site(35))
    unknown = build.copy(
        verdict=Verdict.UNKNOWN, direction=Direction.UNKNOWN, steps=(), reason="parameter `x` of `f`", form=".cuda"
    )
    report = audit(known, unknown)
    assert [step["role"] for step in report["copies"][0].pop("steps")] == ["allocated", "copied"]
    assert report["copies"] == [
        {
            "path": "train.py",
            "line": 41,
            "column": 15,
            "location": {"path": "train.py", "line": 35, "column": 15},
            "form": ".to",
            "direction": "H2D",
            "verdict": "pageable",
            "reason": "",
        },
        {
            "path": "train.py",
            "line": 41,
            "column": 15,
            "location": {"path": "train.py", "line": 41, "column": 15},
            "form": ".cuda",
            "direction": "unknown",
            "verdict": "unknown",
            "steps": [],
            "reason": "parameter `x` of `f`",
        },
    ]


def test_an_audit_counts_verdicts(build: Builders) -> None:
    copies = [build.copy(verdict=verdict) for verdict in (Verdict.PINNED, Verdict.PINNED, Verdict.UNKNOWN)]
    totals = audit(*copies)["totals"]
    assert totals["copies"] == 3
    assert totals["decided"] == 0.667
    assert {name: count for name, count in totals["verdicts"].items() if count} == {"pinned": 2, "unknown": 1}
    assert set(totals["verdicts"]) == {verdict.value for verdict in Verdict}


def test_an_audit_of_no_copies_has_nothing_undecided() -> None:
    assert audit()["totals"]["decided"] == 1.0


@pytest.mark.parametrize("kind", ["check", "audit"])
def test_every_field_is_documented(build: Builders, kind: str) -> None:
    steps = (build.step(Role.COPIED, 41),)
    fix = Fix("pin", "train.py", (1, 0, 1, 1), Applicability.SAFE, "pin")
    reports = {
        "check": document(build.finding(steps=steps, fix=fix), errors=(FileError("a.py", 1, "bad"),)),
        "audit": audit(build.copy()),
    }
    for name in names(reports[kind]):
        assert f"`{name}`" in PAGE, name


def names(document: object) -> set[str]:
    """Every key of a JSON document, at any depth."""
    if isinstance(document, list):
        return set().union(*map(names, document))
    if isinstance(document, dict):
        return set(document).union(*map(names, document.values()))
    return set()
