"""What `pinlint config` prints: the settings as TOML, each with where it comes from."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import msgspec

from pinlint.config.settings import Overrides, Settings
from pinlint.config.table import Table
from pinlint.files.discover import DEFAULT_EXCLUDES

SELECTING = ("select", "extend-select", "ignore")
"""Shown as the rules that they add up to."""
_WIDEST = 60
"""A longer setting does not push the comments of the others to the right."""


def show(settings: Settings, overrides: Overrides, base: Path) -> str:
    """Return one line a setting, its value first and then, as a comment, the file or option that it comes from."""
    rows = [(_assignment(key, value), origin) for key, value, origin in _values(settings, overrides, base)]
    width = max(len(text) for text, _ in rows if len(text) <= _WIDEST)
    return "".join(f"{text:{width}}  # {origin}\n" for text, origin in rows)


def _values(settings: Settings, overrides: Overrides, base: Path) -> Iterator[tuple[str, object, str]]:
    name = settings.file.display if settings.file else "default"
    given = settings.file.keys if settings.file else ()
    yield "root", _relative(settings.root, base), "the project's top directory"
    yield "rules", sorted(settings.codes), _origin_of_rules(given, name, overrides)
    for field in msgspec.structs.fields(Table):
        key = field.encode_name
        if key == "fail-level" and overrides.fail_level:
            yield key, overrides.fail_level, "command line"
        elif key == "exclude" and settings.table.exclude is None:
            yield key, DEFAULT_EXCLUDES, "default"
        elif key not in SELECTING:
            yield key, getattr(settings.table, field.name), name if key in given else "default"


def _origin_of_rules(given: tuple[str, ...], name: str, overrides: Overrides) -> str:
    in_file = [name] if set(given) & set(SELECTING) and overrides.select is None else []
    said = overrides.select is not None or overrides.extend_select or overrides.ignore
    return ", ".join([*in_file, *(["command line"] if said else [])]) or "default"


def _assignment(key: str, value: object) -> str:
    return f"{key} = {_toml(value)}" if value is not None else f"# {key} is not set"


def _toml(value: object) -> str:
    if isinstance(value, dict):
        inside = ", ".join(f"{_toml(str(key))} = {_toml(item)}" for key, item in value.items())
        return f"{{ {inside} }}" if inside else "{}"
    if isinstance(value, (list, tuple)):
        return f"[{', '.join(map(_toml, value))}]"
    return json.dumps(value, default=str, ensure_ascii=False)


def _relative(path: Path, base: Path) -> str:
    return (path.relative_to(base) if path.is_relative_to(base) else path).as_posix()
