"""What a run goes by: the settings in the configuration file, with the command line's on top."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from pinlint.config.discover import ConfigFile, find_config, project_root, read_config
from pinlint.config.errors import ConfigError, nearest
from pinlint.config.table import Table
from pinlint.findings.finding import Severity
from pinlint.fixes.settings import FixSettings
from pinlint.rules import ALL, RULES, codes_of

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


def settings_for(directory: Path, base: Path, overrides: Overrides) -> Settings:
    """Return the settings for the files in `directory` (absolute).

    Messages name files relative to `base`. Raises ConfigError when a setting or an option is wrong.
    """
    _check_command_line(overrides)
    if overrides.config is None:
        file = find_config(directory, base)
        root = file.path.parent if file else project_root(directory)
    else:
        file = read_config(overrides.config, base)
        root = project_root(directory)
    if file:
        _check_file(file)
    table = file.table if file else Table()
    return Settings(
        root=root,
        file=file,
        table=table,
        codes=_selected(table, overrides),
        fail_level=Severity(overrides.fail_level or table.fail_level),
        fixes=_fix_settings(file),
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
    for option, selectors in (
        ("--select", overrides.select),
        ("--extend-select", overrides.extend_select),
        ("--ignore", overrides.ignore),
    ):
        _check_selectors(selectors or (), option)


def _check_file(file: ConfigFile) -> None:
    table = file.table
    for key, selectors in (
        ("select", table.select),
        ("extend-select", table.extend_select),
        ("ignore", table.ignore),
        *((f'per-file-ignores."{pattern}"', codes) for pattern, codes in table.per_file_ignores.items()),
    ):
        _check_selectors(selectors or (), f"{file.place}{key}")


def _check_selectors(selectors: Iterable[str], place: str) -> None:
    for selector in selectors:
        if not selector or not codes_of([selector]):
            known = [ALL, *(rule.code for rule in RULES)]
            raise ConfigError(f'{place}: unknown code "{selector}"{nearest(selector, known)}')


def _fix_settings(file: ConfigFile | None) -> FixSettings:
    if file is None:
        return FixSettings()
    try:
        return FixSettings(file.table.pin_memory, file.table.pin_array)
    except ValueError as error:
        raise ConfigError(f"{file.place}{error}") from error
