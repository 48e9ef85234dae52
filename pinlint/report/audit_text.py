"""`text` of `pinlint audit`: a table of all copies, and the totals."""

from __future__ import annotations

from pinlint.findings.finding import Role, Step
from pinlint.report.data import AuditReport
from pinlint.report.style import Style
from pinlint.report.summary import counted
from pinlint.report.table import align
from pinlint.report.totals import decided, totals
from pinlint.rules.wording import callee
from pinlint.trace.events import CopyEvent

_GAP = 2


def render(report: AuditReport, style: Style) -> str:
    """Return one line a copy (place, form, direction, verdict, why) and the line of totals."""
    rows = [_row(event) for event in report.copies]
    counts = ", ".join(f"{count} {verdict.value}" for verdict, count in totals(report.copies) if count)
    total = counted(len(rows), "non-blocking copy", "non-blocking copies")
    if not rows:
        return f"{total}\n"
    last = f"{total}: {counts}; {decided(report.copies):.1%} decided"
    return "\n".join([*align(rows, _GAP), "", style.bold(last)]) + "\n"


def _row(event: CopyEvent) -> tuple[str, ...]:
    site = event.site
    place = f"{site.path}:{site.line}:{site.column + 1}"
    return place, event.form, event.direction.value, event.verdict.value, event.reason or _why(event)


def _why(event: CopyEvent) -> str:
    steps = [_step(step, event) for step in event.steps if step.role is not Role.COPIED]
    called = "" if event.place == event.site else f"called at {_place(event.place.path, event.place.line, event)}"
    return ", ".join([*steps, called] if called else steps)


def _step(step: Step, event: CopyEvent) -> str:
    what = callee(step)
    by = f" by {what}" if what else ""
    return f"{step.role.value}{by} at {_place(step.path, step.span[0], event)}"


def _place(path: str, line: int, event: CopyEvent) -> str:
    return f"line {line}" if path == event.site.path else f"{path}:{line}"
