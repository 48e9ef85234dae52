"""The line that sums up a run."""

from __future__ import annotations

from collections.abc import Sequence

from pinlint.findings.finding import Applicability, Finding, Severity


def summary(findings: Sequence[Finding], files: int) -> str:
    """Return how many findings there are, of which severity, and how many of them `pinlint fix` removes."""
    where = counted(files, "file")
    if not findings:
        return f"No findings in {where}."
    by_severity = [(sum(finding.severity is severity for finding in findings), severity.value) for severity in Severity]
    kinds = ", ".join(counted(count, kind) for count, kind in by_severity if count)
    return f"{counted(len(findings), 'finding')} ({kinds}) in {where}{_fixable(findings)}."


def counted(count: int, noun: str, plural: str = "") -> str:
    """Return "1 file" or "2 files"; `plural` is for nouns that take more than an "s"."""
    return f"{count} {noun}" if count == 1 else f"{count} {plural or noun + 's'}"


def _fixable(findings: Sequence[Finding]) -> str:
    safe = sum(_offers(finding, Applicability.SAFE) for finding in findings)
    unsafe = sum(_offers(finding, Applicability.UNSAFE) for finding in findings)
    if safe and unsafe:
        return f"; `pinlint fix` fixes {safe}, with `--unsafe-fixes` {safe + unsafe}"
    if safe:
        return f"; `pinlint fix` fixes {safe}"
    return f"; `pinlint fix --unsafe-fixes` fixes {unsafe}" if unsafe else ""


def _offers(finding: Finding, applicability: Applicability) -> bool:
    return finding.fix is not None and finding.fix.applicability is applicability
