"""What `--statistics` prints."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from pinlint.findings.finding import Finding
from pinlint.report.table import align


def statistics(findings: Iterable[Finding], counts: Iterable[tuple[str, int]]) -> str:
    """Return one line for each rule that reports, with how often it does, and one for each of the tracer's counts."""
    reported = Counter((finding.code, finding.name) for finding in findings)
    rules = [(str(count), code, name) for (code, name), count in sorted(reported.items())]
    return "\n".join([*align(rules, 2), *(f"{name}: {count}" for name, count in counts)])
