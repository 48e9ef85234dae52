"""One run, top to bottom: which files, what is found in them, what of it is reported, and what is fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from pinlint.checker import GroupChecker, GroupResult
from pinlint.config import Overrides, SettingsFinder
from pinlint.files.errors import FileError
from pinlint.findings.finding import Confidence, Finding, Severity
from pinlint.findings.lines import SourceLines
from pinlint.report.data import AuditReport, CheckReport
from pinlint.rules.judge import sort_key
from pinlint.targets import Group, Targets, find_targets
from pinlint.trace.events import CopyEvent

if TYPE_CHECKING:
    from pinlint.fixes import FixReport

GRAVITY = tuple(Severity)
SURENESS = tuple(Confidence)


@dataclass(frozen=True, slots=True)
class Request:
    """What is asked on the command line."""

    paths: tuple[str, ...]
    stdin: tuple[str, bytes] | None = None
    """The name and the content of standard input, when it is among the paths."""
    overrides: Overrides = field(default_factory=Overrides)
    min_confidence: Confidence = Confidence.MEDIUM


@dataclass(frozen=True, slots=True)
class Checked:
    """The result of a check."""

    report: CheckReport
    failing: bool
    """Whether a finding is as grave as its project's `fail-level`."""
    statistics: tuple[tuple[str, int], ...]
    """What the tracer counted."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """The result of fixing."""

    checked: Checked
    """What is left."""
    reports: tuple[FixReport, ...]
    """What was done, for each project."""


def check(request: Request) -> Checked:
    """Check the files that are asked about. Raises ConfigError when the configuration is wrong."""
    base = Path.cwd()
    targets = _targets(request, base)
    results = [(group, GroupChecker(group, base).run()) for group in targets.groups]
    return _checked(request, targets, results)


def audit(request: Request) -> AuditReport:
    """Return every copy in the files that are asked about. Raises ConfigError when the configuration is wrong."""
    base = Path.cwd()
    targets = _targets(request, base)
    results = [(group, GroupChecker(group, base).run()) for group in targets.groups]
    copies = [event for _, result in results for event in result.events if isinstance(event, CopyEvent)]
    return AuditReport(tuple(sorted(copies, key=_copy_order)), _errors(targets, results), targets.count)


def fix(request: Request, *, unsafe: bool, write: bool) -> Fixed:
    """Fix the files that are asked about, and no others, and check them again.

    Raises ConfigError when the configuration is wrong. Without `write`, and for standard input, the reports hold what
    would be written.
    """
    from pinlint.fixes import fix_project  # noqa: PLC0415 # a check never needs it

    base = Path.cwd()
    targets = _targets(request, base)
    results: list[tuple[Group, GroupResult]] = []
    reports: list[FixReport] = []
    named = {file for group in targets.groups for file in group.files}
    for group in targets.groups:
        checker = GroupChecker(group, base)
        first = checker.run()
        report = fix_project(
            partial(_findings, checker),
            first.findings,
            unsafe=unsafe,
            write=write and not group.overlay,
            wanted=partial(_is_wanted, request, group, base),
            editable=lambda path: base / path in named,
            read=partial(_read, group, base),
        )
        left = {Path(path): data for path, data in report.contents.items() if path not in report.unwritten}
        results.append((group, checker.run(left) if left else first))
        reports.append(report)
    return Fixed(_checked(request, targets, results), tuple(reports))


def _targets(request: Request, base: Path) -> Targets:
    return find_targets(request.paths, request.stdin, base, SettingsFinder(base, request.overrides))


def _checked(request: Request, targets: Targets, results: Sequence[tuple[Group, GroupResult]]) -> Checked:
    base = Path.cwd()
    findings: list[Finding] = []
    sources: dict[str, bytes] = {}
    statistics: Counter[str] = Counter()
    failing = False
    for group, result in results:
        wanted = [finding for finding in result.findings if _is_wanted(request, group, base, finding)]
        failing |= any(_fails(finding, group) for finding in wanted)
        findings += wanted
        sources |= result.sources
        statistics.update(dict(result.statistics))
    ordered = tuple(sorted(findings, key=sort_key))
    report = CheckReport(ordered, _errors(targets, results), targets.count, SourceLines(sources))
    return Checked(report, failing, tuple(sorted(statistics.items())))


def _is_wanted(request: Request, group: Group, base: Path, finding: Finding) -> bool:
    sure = SURENESS.index(finding.confidence) <= SURENESS.index(request.min_confidence)
    return sure and group.settings.reports(finding.code, base / finding.location.path)


def _fails(finding: Finding, group: Group) -> bool:
    return GRAVITY.index(finding.severity) <= GRAVITY.index(group.settings.fail_level)


def _findings(checker: GroupChecker, contents: Mapping[Path, bytes]) -> Sequence[Finding]:
    return checker.run(contents).findings


def _read(group: Group, base: Path, path: Path) -> bytes:
    location = base / path
    return group.overlay[location] if location in group.overlay else location.read_bytes()


def _errors(targets: Targets, results: Sequence[tuple[Group, GroupResult]]) -> tuple[FileError, ...]:
    errors = [*targets.errors, *(error for _, result in results for error in result.errors)]
    return tuple(sorted(errors, key=lambda error: (error.path, error.line or 0, error.message)))


def _copy_order(event: CopyEvent) -> tuple[str, int, int, str, int, int]:
    site, place = event.site, event.place
    return site.path, site.line, site.column, place.path, place.line, place.column
