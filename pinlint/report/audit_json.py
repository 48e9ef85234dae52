"""`json` of `pinlint audit`, in the form that docs/json.md describes."""

from __future__ import annotations

from pinlint import __version__
from pinlint.findings.finding import Location
from pinlint.report.data import AuditReport
from pinlint.report.json import SCHEMA_VERSION, dump, errors, place, steps
from pinlint.report.style import Style
from pinlint.report.totals import decided, totals
from pinlint.trace.events import CopyEvent, Site


def render(report: AuditReport, _style: Style) -> str:
    """Return the report as one JSON object in ASCII."""
    return dump(
        {
            "version": SCHEMA_VERSION,
            "pinlint": __version__,
            "copies": [_copy(event) for event in report.copies],
            "totals": {
                "copies": len(report.copies),
                "decided": decided(report.copies),
                "verdicts": {verdict.value: count for verdict, count in totals(report.copies)},
            },
            "errors": errors(report.errors),
        }
    )


def _copy(event: CopyEvent) -> dict[str, object]:
    copy = _location(event.site)
    return {
        **place(copy),
        "location": place(_location(event.place)),
        "form": event.form,
        "direction": event.direction.value,
        "verdict": event.verdict.value,
        "steps": steps(event.steps, copy),
        "reason": event.reason,
    }


def _location(site: Site) -> Location:
    return Location(site.path, site.line, site.column + 1)
