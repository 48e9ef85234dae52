"""`concise`: one line a finding, for editors and `grep`."""

from __future__ import annotations

from pinlint.report.data import CheckReport
from pinlint.report.style import Style
from pinlint.report.summary import summary


def render(report: CheckReport, style: Style) -> str:
    """Return `path:line:column CODE message` for each finding, and the summary."""
    lines = []
    for finding in report.findings:
        place = finding.location
        code = style.severity(finding.severity, finding.code)
        lines.append(f"{style.bold(place.path)}:{place.line}:{place.column} {code} {finding.message}")
    return "\n".join([*lines, summary(report.findings, report.files)]) + "\n"
