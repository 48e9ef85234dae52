"""Checks the files of one project: trace, rules, fingerprints, suppressions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from pinlint.config import ConfigError
from pinlint.findings.fingerprint import with_fingerprints
from pinlint.findings.lines import SourceLines
from pinlint.findings.suppress import Suppression, sift, suppressions_in
from pinlint.models.load import ModelError, load_models
from pinlint.rules.judge import findings_of
from pinlint.targets import Group, project_files

if TYPE_CHECKING:
    from pinlint.files.errors import FileError
    from pinlint.findings.finding import Finding, Fix
    from pinlint.ir import Module
    from pinlint.models.model import Models
    from pinlint.trace.events import Event
    from pinlint.trace.project import Project


@dataclass(frozen=True, slots=True)
class GroupResult:
    """What is found in the files of one group."""

    events: tuple[Event, ...]
    """Sorted by place."""
    findings: tuple[Finding, ...]
    """By every rule, sorted, without the suppressed ones."""
    sources: Mapping[str, bytes]
    """The content of every file that a finding may lead through, by its path as reported."""
    errors: tuple[FileError, ...]
    statistics: tuple[tuple[str, int], ...]


class GroupChecker:
    """Checks a group of files, as they are or with other contents."""

    def __init__(self, group: Group, base: Path) -> None:
        """`base` is the directory that reported paths are relative to."""
        self.group = group
        self._base = base
        self._trees: dict[bytes, Module] = {}
        """The IR of what has been parsed: a fix checks the same files again, all but one unchanged."""

    def run(self, contents: Mapping[Path, bytes] | None = None) -> GroupResult:
        """Check the group with `contents` in place of what those files hold; paths may be relative to `base`.

        Raises ConfigError when the project's models are wrong.
        """
        from pinlint.trace import trace  # noqa: PLC0415 # a run without files never needs the tracer

        project = self._project(contents or {})
        traced = trace(project, [str(path) for path in self.group.files])
        modules = {module.display: module.tree for module in project.loaded()}
        sources = {s.display: s.data for module in project.loaded() if (s := project.source(module.path))}
        found = findings_of(traced.events, partial(self._plan, modules), SourceLines(sources))
        found = with_fingerprints(found, self._relative)
        kept = sift(found, partial(_suppressions, modules)).kept
        return GroupResult(traced.events, kept, sources, traced.errors, traced.statistics)

    def _project(self, contents: Mapping[Path, bytes]) -> Project:
        from pinlint.trace.project import Project  # noqa: PLC0415 # as above

        settings = self.group.settings
        return Project(
            self._files,
            self._models,
            roots=[settings.root / directory for directory in settings.table.src],
            overlay=self.group.overlay | {self._base / path: data for path, data in contents.items()},
            base=self._base,
            trees=self._trees,
        )

    @cached_property
    def _files(self) -> list[Path]:
        return project_files(self.group)

    @cached_property
    def _models(self) -> Models:
        settings = self.group.settings
        try:
            return load_models(settings.table.models)
        except ModelError as error:
            raise ConfigError(f"{settings.file.display}: {error}" if settings.file else str(error)) from error

    def _plan(self, modules: Mapping[str, Module], event: Event) -> Fix | None:
        from pinlint.fixes import plan_fix  # noqa: PLC0415 # only a finding needs a fix

        return plan_fix(event, self.group.settings.fixes, modules.get, self._models)

    def _relative(self, path: str) -> str:
        absolute, root = self._base / path, self.group.settings.root
        return absolute.relative_to(root).as_posix() if absolute.is_relative_to(root) else path


def _suppressions(modules: Mapping[str, Module], path: str) -> Sequence[Suppression]:
    module = modules.get(path)
    return suppressions_in(path, module.comments) if module else ()
