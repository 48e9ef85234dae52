"""The keys of `[tool.pinlint]`, their types, and what is said when a value is of another type."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_type_hints

import msgspec

from pinlint.config.errors import ConfigError, nearest
from pinlint.config.selectors import check_selectors
from pinlint.fixes.settings import FixSettings

Strings: TypeAlias = tuple[str, ...]
FailLevel: TypeAlias = Literal["error", "warning", "note"]


class Table(msgspec.Struct, rename="kebab", forbid_unknown_fields=True, frozen=True, kw_only=True):
    """`[tool.pinlint]` of pyproject.toml, or the whole of pinlint.toml, with the defaults of what is not written."""

    select: Strings | None = None
    """The rules to report: codes, beginnings of codes, or "ALL"; without it, those that are on by default."""
    extend_select: Strings = ()
    ignore: Strings = ()
    exclude: Strings | None = None
    """Patterns as in a .gitignore; without it, the folders that never hold a project's own code."""
    extend_exclude: Strings = ()
    respect_gitignore: bool = True
    src: Strings = ()
    """Directories that absolute imports start from, relative to the file's own."""
    per_file_ignores: dict[str, Strings] = {}
    fail_level: FailLevel = "warning"
    pin_memory: str | None = None
    pin_array: str | None = None
    models: tuple[dict[str, Any], ...] = ()


_EXPECTED: Mapping[object, str] = {
    Strings: "an array of strings",
    Strings | None: "an array of strings",
    bool: "true or false",
    str | None: "a string",
    FailLevel: '"error", "warning" or "note"',
    dict[str, Strings]: "a table of arrays of strings",
    tuple[dict[str, Any], ...]: "an array of tables",
}
_LONGEST_VALUE = 60


def read_table(raw: Mapping[str, object], place: str) -> Table:
    """Return the settings in `raw`, a table as read from TOML.

    `place` stands in front of a key in messages, such as "pyproject.toml: tool.pinlint.".
    Raises ConfigError for a key or code that is not known and for a value of another type.
    """
    types = get_type_hints(Table)
    fields = {field.encode_name: field.name for field in msgspec.structs.fields(Table)}
    values: dict[str, Any] = {}
    for key, value in raw.items():
        if key not in fields:
            raise ConfigError(f"{place}{key}: unknown key{nearest(key, fields)}")
        name = fields[key]
        try:
            values[name] = msgspec.convert(value, types[name])
        except msgspec.ValidationError as error:
            raise ConfigError(f"{place}{key}: expected {_EXPECTED[types[name]]}, not {_shown(value)}") from error
    table = Table(**values)
    _check(table, place)
    return table


def _check(table: Table, place: str) -> None:
    check_selectors(table.select or (), f"{place}select")
    check_selectors(table.extend_select, f"{place}extend-select")
    check_selectors(table.ignore, f"{place}ignore")
    for pattern, selectors in table.per_file_ignores.items():
        check_selectors(selectors, f'{place}per-file-ignores."{pattern}"')
    try:
        FixSettings(table.pin_memory, table.pin_array)
    except ValueError as error:
        raise ConfigError(f"{place}{error}") from error


def _shown(value: object) -> str:
    text = json.dumps(value, default=str, ensure_ascii=False)
    return text if len(text) <= _LONGEST_VALUE else f"{text[:_LONGEST_VALUE]}..."
