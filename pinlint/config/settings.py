"""What a run goes by: the settings in the configuration file, with the command line's on top."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pinlint.config.discover import ConfigFile, find_config, project_root, read_config
from pinlint.config.selectors import check_selectors
from pinlint.config.table import Table
from pinlint.findings.finding import Severity
from pinlint.fixes.settings import FixSettings
from pinlint.rules import RULES, codes_of

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

DEFAULT_CODES = frozenset(rule.code for rule in RULES if rule.default)


@dataclass(frozen=True, slots=True)
class Overrides:
    """What the command line says; None and () where it says nothing."""

    config: Path | None = None
    """The file to take instead of the nearest one."""
    select: tuple[str, ...] | None = None
    extend_select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_level: str | None = None


@dataclass(frozen=True)
class Settings:
    """The settings for the files of one project."""

    root: Path
    """The project's top directory (absolute), which patterns and `src` are relative to."""
    file: ConfigFile | None
    table: Table
    codes: frozenset[str]
    """The rules that are reported."""
    fail_level: Severity
    """The mildest severity that makes a run fail."""
    fixes: FixSettings

    def reports(self, code: str, path: Path) -> bool:
        """Return whether findings of `code` are wanted in the file `path` (absolute)."""
        if code not in self.codes:
            return False
        if not self.table.per_file_ignores or not path.is_relative_to(self.root):
            return True
        relative = path.relative_to(self.root).as_posix()
        return not any(code in codes and spec.match_file(relative) for spec, codes in self._per_file)

    @cached_property
    def _per_file(self) -> list[tuple[GitIgnoreSpec, frozenset[str]]]:
        from pathspec import GitIgnoreSpec  # noqa: PLC0415 # most projects have no such setting

        ignores = self.table.per_file_ignores
        return [(GitIgnoreSpec.from_lines([pattern]), codes_of(words)) for pattern, words in ignores.items()]


class SettingsFinder:
    """Finds the settings of directories; each file with settings is read once."""

    def __init__(self, base: Path, overrides: Overrides) -> None:
        """Messages name files relative to `base`. Raises ConfigError when the command line or its file is wrong."""
        _check_command_line(overrides)
        self._base = base
        self._overrides = overrides
        self._files: dict[Path, ConfigFile | None] = {}
        self._named = None if overrides.config is None else read_config(base / overrides.config, base)

    def file_for(self, directory: Path) -> ConfigFile | None:
        """Return the file that configures `directory` (absolute), the same object for the same file.

        Raises ConfigError when it is wrong.
        """
        return self._named or find_config(directory, self._base, self._files)

    def settings_for(self, directory: Path) -> Settings:
        """Return the settings for the files in `directory` (absolute). Raises ConfigError when one is wrong."""
        file = self.file_for(directory)
        table = file.table if file else Table()
        return Settings(
            root=project_root(directory) if file is None or self._named else file.path.parent,
            file=file,
            table=table,
            codes=_selected(table, self._overrides),
            fail_level=Severity(self._overrides.fail_level or table.fail_level),
            fixes=FixSettings(table.pin_memory, table.pin_array),
        )


def _selected(table: Table, overrides: Overrides) -> frozenset[str]:
    """Return the codes to report; `select` on the command line replaces all that the file says of it."""
    codes = DEFAULT_CODES
    for select, extend_select, ignore in (
        (table.select, table.extend_select, table.ignore),
        (overrides.select, overrides.extend_select, overrides.ignore),
    ):
        if select is not None:
            codes = codes_of(select)
        codes = (codes | codes_of(extend_select)) - codes_of(ignore)
    return codes


def _check_command_line(overrides: Overrides) -> None:
    check_selectors(overrides.select or (), "--select")
    check_selectors(overrides.extend_select, "--extend-select")
    check_selectors(overrides.ignore, "--ignore")
