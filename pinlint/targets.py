"""What a run is about: the files that were asked about, in groups that share a project and its settings."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pinlint.config import Settings, SettingsFinder
from pinlint.files.discover import python_files
from pinlint.files.errors import FileError

STDIN = "-"
"""The path that stands for standard input."""


@dataclass(slots=True)
class Group:
    """Files of one project."""

    settings: Settings
    files: dict[Path, None] = field(default_factory=dict)
    """Absolute paths, in the order found."""
    overlay: dict[Path, bytes] = field(default_factory=dict)
    """Contents that are taken instead of what is on disk."""


@dataclass(frozen=True, slots=True)
class Targets:
    """All that was asked about."""

    groups: tuple[Group, ...]
    errors: tuple[FileError, ...]

    @property
    def count(self) -> int:
        """The number of files."""
        return sum(len(group.files) for group in self.groups)


def find_targets(paths: Sequence[str], stdin: tuple[str, bytes] | None, base: Path, finder: SettingsFinder) -> Targets:
    """Return the files in `paths`, which may be relative to `base`; none stands for `base` itself.

    `stdin` is the name and content of the path "-". Files are sorted within a group. Paths that cannot be read are
    errors of the result. Raises ConfigError when a setting is wrong.
    """
    groups: dict[tuple[Path, int], Group] = {}
    errors: list[FileError] = []
    for path in paths or (".",):
        if path == STDIN and stdin is not None:
            file = _absolute(stdin[0], base)
            group = _group(groups, file, finder.settings_for(file.parent), finder)
            group.overlay[file] = stdin[1]
            continue
        location = _absolute(path, base)
        settings = finder.settings_for(location if location.is_dir() else location.parent)
        found = python_files([location], settings)
        errors += found.errors
        for file in found.files:
            _group(groups, file, settings, finder)
    return Targets(tuple(groups.values()), tuple(dict.fromkeys(errors)))


def project_files(group: Group) -> list[Path]:
    """Return every Python file of the project that `group` is a part of."""
    return sorted({*python_files([group.settings.root], group.settings).files, *group.files})


def _absolute(path: str, base: Path) -> Path:
    # Not `resolve`: a file reached through a link is reported under the name that was given.
    return Path(os.path.abspath(base / path))  # noqa: PTH100 # see above


def _group(groups: dict[tuple[Path, int], Group], file: Path, around: Settings, finder: SettingsFinder) -> Group:
    """Put `file` into its group and return that; `around` are the settings of the path that led to it."""
    nearest = finder.file_for(file.parent)
    settings = around if nearest is around.file else finder.settings_for(file.parent)
    group = groups.setdefault((settings.root, id(settings.file)), Group(settings))
    group.files[file] = None
    return group
