"""`json`: everything a finding knows, in the form that docs/json.md describes."""

from __future__ import annotations

import json
from collections.abc import Iterable

from pinlint import __version__
from pinlint.files.errors import FileError
from pinlint.findings.finding import Finding, Fix, Location, Step
from pinlint.report.data import CheckReport, shown_location
from pinlint.report.style import Style

SCHEMA_VERSION = 1
"""Grows when a field changes its meaning or goes away, not when one is added."""


def render(report: CheckReport, _style: Style) -> str:
    """Return the report as one JSON object in ASCII."""
    return dump(
        {
            "version": SCHEMA_VERSION,
            "pinlint": __version__,
            "findings": [_finding(finding) for finding in report.findings],
            "errors": errors(report.errors),
        }
    )


def dump(document: object) -> str:
    """Return `document` as indented JSON in ASCII, which also carries file names that are not Unicode."""
    return json.dumps(document, indent=2) + "\n"


def errors(found: Iterable[FileError]) -> list[object]:
    """Return the `errors` of a report."""
    return [{"path": error.path, "line": error.line, "message": error.message} for error in found]


def place(location: Location) -> dict[str, object]:
    """Return the three fields of a place."""
    return {"path": location.path, "line": location.line, "column": location.column}


def steps(found: Iterable[Step], copy: Location) -> list[object]:
    """Return the `steps` that lead to `copy`."""
    return [{**place(shown_location(step, copy)), "role": step.role.value, "message": step.message} for step in found]


def _finding(finding: Finding) -> dict[str, object]:
    return {
        "code": finding.code,
        "name": finding.name,
        "message": finding.message,
        "severity": finding.severity.value,
        "confidence": finding.confidence.value,
        **place(finding.location),
        "location": place(finding.location),
        "copy": place(finding.copy),
        "steps": steps(finding.steps, finding.copy),
        "fix": _fix(finding.fix) if finding.fix else None,
        "fingerprint": finding.fingerprint,
    }


def _fix(fix: Fix) -> dict[str, object]:
    return {"applicability": fix.applicability.value, "description": fix.description, "reason": fix.reason}
