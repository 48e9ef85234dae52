"""`full`: each finding with its path through the source, nothing to look up."""

from __future__ import annotations

from pinlint.findings.finding import Applicability, Finding, Fix
from pinlint.report.data import CheckReport, Lines, shown_location
from pinlint.report.style import Style
from pinlint.report.summary import summary
from pinlint.report.table import align

_WIDEST_SOURCE = 80
"""Longer source lines are cut, so that what is said of them stays in sight."""
_GAP = 4


def render(report: CheckReport, style: Style) -> str:
    """Return the findings, each followed by a blank line, and the summary."""
    blocks = [_finding(finding, report.lines, style) for finding in report.findings]
    return "\n".join([*blocks, summary(report.findings, report.files) + "\n"])


def _finding(finding: Finding, lines: Lines, style: Style) -> str:
    place = finding.location
    where = style.bold(f"{place.path}:{place.line}:{place.column}")
    severity = style.severity(finding.severity, finding.severity.value)
    parts = [
        f"{where}  {style.bold(finding.code)} {finding.name}  {severity}",
        finding.message,
        "",
        *_path(finding, lines),
        "",
        *(_fix(finding.fix, style) if finding.fix else []),
        style.dim(f"  pinlint explain {finding.code}"),
    ]
    return "\n".join(parts) + "\n"


def _path(finding: Finding, lines: Lines) -> list[str]:
    rows = []
    for step in finding.steps:
        place = shown_location(step, finding.copy)
        source = _source(lines, place.path, place.line)
        rows.append((f"  {place.path}:{place.line}", source, step.message))
    return align(rows, _GAP)


def _source(lines: Lines, path: str, number: int) -> str:
    file = lines(path)
    text = file[number - 1].strip().replace("\t", " ") if number <= len(file) else ""
    return text if len(text) <= _WIDEST_SOURCE else text[: _WIDEST_SOURCE - 3] + "..."


def _fix(fix: Fix, style: Style) -> list[str]:
    applicability = fix.applicability
    shown = applicability.value
    title = style.good(f"fix ({shown})") if applicability is Applicability.SAFE else f"fix ({shown})"
    lines = [f"  {title}: {fix.description}"]
    if fix.reason:
        lines.append(f"  {shown}: {fix.reason}")
    return lines
