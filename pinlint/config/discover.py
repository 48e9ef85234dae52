"""Finds and reads the file that configures pinlint for a directory."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pinlint.config.errors import ConfigError
from pinlint.config.table import Table, read_table

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OWN_FILE = "pinlint.toml"
SHARED_FILE = "pyproject.toml"
MARKERS = ((".git", ".hg"), (SHARED_FILE, "setup.py", "setup.cfg"))
"""What stands in the top directory of a project, the surest first."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A file with settings."""

    path: Path
    display: str
    """Its path in messages."""
    table: Table
    keys: tuple[str, ...]
    """The keys that it has, in its order."""


def find_config(directory: Path, base: Path, known: dict[Path, ConfigFile | None]) -> ConfigFile | None:
    """Return the nearest configuration of `directory` (absolute) or above it, or None.

    A pyproject.toml without `[tool.pinlint]` is passed over; pinlint.toml wins over a pyproject.toml beside it. `known`
    remembers the answers. Messages name files relative to `base`. Raises ConfigError when a file cannot be read or is
    wrong.
    """
    if directory not in known:
        found = _config_in(directory, base)
        if found is None and directory.parent != directory:
            found = find_config(directory.parent, base, known)
        known[directory] = found
    return known[directory]


def _config_in(folder: Path, base: Path) -> ConfigFile | None:
    if (folder / OWN_FILE).is_file():
        return read_config(folder / OWN_FILE, base)
    shared = folder / SHARED_FILE
    if not shared.is_file():
        return None
    display = _display(shared, base)
    document = _load(shared, display)
    return _from_document(shared, document, base) if "pinlint" in _tool(document, display) else None


def read_config(path: Path, base: Path) -> ConfigFile:
    """Return the settings in `path`: those of `[tool.pinlint]` in a pyproject.toml, in any other file all there is.

    Raises ConfigError when the file cannot be read or is wrong.
    """
    return _from_document(path, _load(path, _display(path, base)), base)


def project_root(directory: Path) -> Path:
    """Return the top directory of the project that `directory` (absolute) belongs to.

    Without any marker above it, that is the directory which holds the top package, or `directory` itself.
    """
    for names in MARKERS:
        for folder in (directory, *directory.parents):
            if any((folder / name).exists() for name in names):
                return folder
    while (directory / "__init__.py").is_file() and directory.parent != directory:
        directory = directory.parent
    return directory


def _from_document(path: Path, document: dict[str, Any], base: Path) -> ConfigFile:
    display = _display(path, base)
    if path.name == SHARED_FILE:
        raw, place = _tool(document, display).get("pinlint", {}), f"{display}: tool.pinlint."
    else:
        raw, place = document, f"{display}: "
    if not isinstance(raw, dict):
        raise ConfigError(f"{display}: tool.pinlint: expected a table")
    return ConfigFile(path, display, read_table(raw, place), tuple(raw))


def _tool(document: dict[str, Any], display: str) -> dict[str, Any]:
    tool = document.get("tool", {})
    if not isinstance(tool, dict):
        raise ConfigError(f"{display}: tool: expected a table")
    return tool


def _load(path: Path, display: str) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_bytes().decode("utf-8-sig"))
    except OSError as error:
        raise ConfigError(f"{display}: cannot be read: {(error.strerror or str(error)).lower()}") from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"{display}: not valid UTF-8") from error
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{display}: not valid TOML: {error}") from error


def _display(path: Path, base: Path) -> str:
    return (path.relative_to(base) if path.is_relative_to(base) else path).as_posix()
