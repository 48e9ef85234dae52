"""Fixes a whole project: applies what may be applied, checks again, and keeps only what mended something.

Nothing is written before the project, as it would be, has been checked: the findings that were to be fixed are gone and
there is none that was not there before. What fails is tried again apart, file by file and then fix by fix.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from pinlint.findings.finding import Applicability, Finding, Fix
from pinlint.fixes.cycles import ImportGraph
from pinlint.fixes.diff import unified_diff
from pinlint.fixes.replace_file import replace_file

Check = Callable[[Mapping[Path, bytes]], Sequence[Finding]]
"""Checks the project with the content of some files replaced, by every rule; suppressed findings are left out.

The keys are `Path(path)` of the paths in the findings.
"""

MOST_STEPS = 8
"""A copy may have several allocations, which are found one after the other; more than this many are given up."""


@dataclass(frozen=True, slots=True)
class Skipped:
    """A finding whose fix was to be applied and was not."""

    finding: Finding
    reason: str


@dataclass(frozen=True, slots=True)
class FixReport:
    """What a run of fixes did."""

    fixed: tuple[Finding, ...]
    """In the order in which they were mended, with the places that they had then."""
    skipped: tuple[Skipped, ...]
    remaining: tuple[Finding, ...]
    """What the check finds in the end, the skipped ones too."""
    contents: Mapping[str, bytes]
    """The new content of each changed file, by its path as reported."""
    unwritten: Mapping[str, str]
    """Why a changed file could not be written, by its path as reported."""
    diff: str
    """The unified diff of all changed files, sorted by path."""


def fix_project(
    check: Check,
    findings: Sequence[Finding],
    *,
    unsafe: bool = False,
    write: bool = True,
    wanted: Callable[[Finding], bool] = lambda _finding: True,
    editable: Callable[[str], bool] = lambda _path: True,
    read: Callable[[Path], bytes] = Path.read_bytes,
) -> FixReport:
    """Apply the fixes of `findings`, which are what `check` returns for no replacements, and write the files.

    Safe fixes are applied, with `unsafe` the unsafe ones too, of those findings that are `wanted`, and only in files
    that are `editable`, by their path as reported. Without `write` no file is changed and the report shows what would
    be. Whatever `check` and `read` raise is not caught.
    """
    applicable = (Applicability.SAFE, Applicability.UNSAFE) if unsafe else (Applicability.SAFE,)
    run = _Run(check, findings, applicable, read, wanted=wanted, editable=editable)
    run.to_the_end()
    changed = {path: run.contents[path] for path in sorted(run.contents) if run.contents[path] != run.originals[path]}
    unwritten: dict[str, str] = {}
    if write:
        for path, data in changed.items():
            problem = replace_file(Path(path), run.originals[path], data)
            if problem is not None:
                unwritten[path] = problem
    return FixReport(
        fixed=tuple(run.fixed),
        skipped=tuple(run.skipped.values()),
        remaining=tuple(run.findings),
        contents=changed,
        unwritten=unwritten,
        diff="".join(unified_diff(path, run.originals[path], data) for path, data in changed.items()),
    )


_Key = tuple[str, ...]


class _Run:
    """The state of one run: the accepted contents, and the findings in them."""

    def __init__(
        self,
        check: Check,
        findings: Sequence[Finding],
        applicable: tuple[Applicability, ...],
        read: Callable[[Path], bytes],
        *,
        wanted: Callable[[Finding], bool],
        editable: Callable[[str], bool],
    ) -> None:
        self._check = check
        self._applicable = applicable
        self._wanted = wanted
        self._read = read
        self._editable = editable
        self._imports = ImportGraph(read)
        self.findings = list(findings)
        self.originals: dict[str, bytes] = {}
        self.contents: dict[str, bytes] = {}
        self.fixed: list[Finding] = []
        self.skipped: dict[_Key, Skipped] = {}

    def to_the_end(self) -> None:
        """Fix until nothing is left to try; each turn mends a finding or gives one up."""
        while batch := self._to_try(self.findings):
            if self._try(batch) is None:
                continue
            files = list(dict.fromkeys(_path(finding) for finding in batch))
            for path in files:
                here = [_key(finding) for finding in batch if _path(finding) == path]
                if len(files) == 1 or self._try(self._again(here)) is not None:
                    self._one_by_one(here)

    def _one_by_one(self, keys: Sequence[_Key]) -> None:
        failed: dict[Fix | None, str] = {}
        for key in keys:
            for finding in self._again([key]):
                # Until something is accepted, a fix that failed for one finding fails for another.
                reason = failed.get(finding.fix) or self._try([finding])
                if reason is None:
                    failed.clear()
                else:
                    failed[finding.fix] = reason
                    self._skip(finding, reason)

    def _to_try(self, findings: Sequence[Finding]) -> list[Finding]:
        for finding in filter(self._is_asked_for, findings):
            if not self._editable(_path(finding)):
                self._skip(finding, f"its fix is in {_path(finding)}, which was not asked about")
        return [each for each in findings if self._is_asked_for(each) and _key(each) not in self.skipped]

    def _is_asked_for(self, finding: Finding) -> bool:
        return finding.fix is not None and finding.fix.applicability in self._applicable and self._wanted(finding)

    def _again(self, keys: Sequence[_Key]) -> list[Finding]:
        """Return the findings of these keys as they stand now."""
        return [finding for finding in self._to_try(self.findings) if _key(finding) in keys]

    def _skip(self, finding: Finding, reason: str) -> None:
        self.skipped[_key(finding)] = Skipped(finding, reason)

    def _try(self, batch: Sequence[Finding]) -> str | None:
        """Apply the fixes of `batch` and accept the result if it is better; return why it is not.

        None also when there was nothing to apply any more, and the findings without an edit are given up.
        """
        contents, applied = self._apply(self.contents, batch)
        targets = Counter(_group(finding) for finding in applied)
        if not targets:
            return None
        before = Counter(_group(finding) for finding in self.findings)
        others = {_identity(finding) for finding in self.findings if finding not in applied}
        for _ in range(MOST_STEPS):
            findings = list(self._check({Path(path): data for path, data in contents.items()}))
            after = Counter(_group(finding) for finding in findings)
            worse = next((finding for finding in findings if after[_group(finding)] > before[_group(finding)]), None)
            if worse is not None:
                return f"{worse.code} would be found at {worse.location.path}:{worse.location.line} instead"
            left = {group for group in targets if after[group] > before[group] - targets[group]}
            same = [finding for finding in findings if _identity(finding) not in others and _group(finding) in targets]
            if not left and not any(_identity(finding) in map(_identity, applied) for finding in same):
                self._accept(contents, findings, applied)
                return None
            # The copy may have another allocation, which the check shows now that the first is mended.
            changed, more = self._apply(contents, self._to_try(same))
            if not more or changed == contents:
                break
            contents = changed
        return "the copy would be found again with the fix"

    def _accept(self, contents: dict[str, bytes], findings: list[Finding], applied: Sequence[Finding]) -> None:
        self.contents = contents
        self.findings = findings
        self.fixed += applied

    def _apply(self, contents: Mapping[str, bytes], batch: Sequence[Finding]) -> tuple[dict[str, bytes], list[Finding]]:
        """Return the contents with the fixes of `batch` in them, and the findings whose fixes could be applied."""
        from pinlint.fixes.apply import fix_source  # noqa: PLC0415  # imports LibCST, which a check never needs

        changed = dict(contents)
        applied: list[Finding] = []
        for path in dict.fromkeys(_path(finding) for finding in batch):
            here = [finding for finding in batch if _path(finding) == path]
            fixes = [finding.fix for finding in here if finding.fix is not None]
            result = fix_source(path, self._content(contents, path), fixes, partial(self._problem, path))
            if isinstance(result, str):
                for finding in here:
                    self._skip(finding, result)
                continue
            changed[path] = result.data
            reasons = dict(result.refused)
            for finding in here:
                if finding.fix in result.applied:
                    applied.append(finding)
                elif finding.fix in reasons:
                    self._skip(finding, reasons[finding.fix])
        return changed, applied

    def _problem(self, path: str, module: str) -> str | None:
        cycle = self._imports.reaches(module, Path(path))
        return f"importing {module} there would make an import cycle" if cycle else None

    def _content(self, contents: Mapping[str, bytes], path: str) -> bytes:
        if path not in self.originals:
            self.originals[path] = self._read(Path(path))
        return contents.get(path, self.originals[path])


def _path(finding: Finding) -> str:
    return "" if finding.fix is None else finding.fix.path


def _key(finding: Finding) -> _Key:
    """Identify a finding's fix while other edits move it."""
    return *_identity(finding), "" if finding.fix is None else finding.fix.kind


def _identity(finding: Finding) -> _Key:
    """Identify a finding, whatever its fix, as long as no edit is made where it stands."""
    return finding.code, finding.fingerprint, finding.location.path, finding.qualified_name, finding.text


def _group(finding: Finding) -> _Key:
    """Identify findings that are counted together: edits change the lines and texts of those in one function."""
    return finding.code, finding.location.path, finding.qualified_name
