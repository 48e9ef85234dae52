"""Which files a run is about: what was named, and what a walk finds below the directories that were named."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from pinlint.files.errors import FileError

if TYPE_CHECKING:
    from pinlint.config import Settings
    from pinlint.files.ignore import Rules

DEFAULT_EXCLUDES = (
    ".bzr",
    ".direnv",
    ".eggs",
    ".git",
    ".git-rewrite",
    ".hg",
    ".ipynb_checkpoints",
    ".mypy_cache",
    ".nox",
    ".pants.d",
    ".pinlint_cache",
    ".pyenv",
    ".pytest_cache",
    ".pytype",
    ".ruff_cache",
    ".svn",
    ".tox",
    ".venv",
    ".vscode",
    "__pycache__",
    "__pypackages__",
    "_build",
    "buck-out",
    "build",
    "dist",
    "node_modules",
    "site-packages",
    "venv",
)
"""What never holds a project's own code."""

_PROJECT_MARKERS = ("pyproject.toml", "setup.py", "setup.cfg", ".git")


class Found(NamedTuple):
    """What there is to read, sorted and each file once (absolute paths), and what could not be looked at."""

    files: list[Path]
    errors: list[FileError]


def python_files(paths: Iterable[Path], settings: Settings) -> Found:
    """The files in `paths` under the settings of their project."""
    table = settings.table
    return discover(
        paths,
        exclude=DEFAULT_EXCLUDES if table.exclude is None else table.exclude,
        extend_exclude=table.extend_exclude,
        respect_gitignore=table.respect_gitignore,
        force_exclude=False,
        root=settings.root,
    )


def discover(
    paths: Iterable[Path],
    *,
    exclude: Sequence[str] = DEFAULT_EXCLUDES,
    extend_exclude: Sequence[str] = (),
    respect_gitignore: bool = True,
    force_exclude: bool = False,
    root: Path,
) -> Found:
    """The files named in `paths`, and the `*.py` and `*.pyi` below the directories named there.

    `exclude` and `extend_exclude` are patterns as in a .gitignore, relative to the directory `root`. With
    `respect_gitignore` the .gitignore files below a directory count, and those above it in the same repository. A path
    that is named is taken even if it is excluded, unless `force_exclude`. Links are followed where they are named and
    nowhere else.
    """
    walk = _Walk(_rules((*exclude, *extend_exclude)), _absolute(root), respect_gitignore)
    for path in paths:
        named = _absolute(path)
        if force_exclude and walk.is_excluded_or_below(named):
            continue
        if Path(named).is_dir():
            walk.below(named)
        elif os.path.lexists(named):
            walk.files.add(named)
        else:
            walk.errors.append(FileError(_shown(named), None, "no such file or directory"))
    return Found([Path(file) for file in sorted(walk.files)], walk.errors)


def import_root(path: Path) -> Path:
    """The directory from which the module in the file `path` is imported: the one that holds its top package."""
    directory = path.parent
    while (directory / "__init__.py").is_file() and directory.parent != directory:
        directory = directory.parent
    return directory


def project_directory(path: Path) -> Path:
    """The nearest directory above the file `path` that looks like a project's top, otherwise its import root."""
    for directory in path.parents:
        if any((directory / marker).exists() for marker in _PROJECT_MARKERS):
            return directory
    return import_root(path)


class _Scope(NamedTuple):
    """Rules, and how many characters of a path come before the part that they look at."""

    rules: Rules
    skipped: int


class _Walk:
    def __init__(self, excludes: Rules, root: str, respect_gitignore: bool) -> None:  # noqa: FBT001  # a setting
        self.files: set[str] = set()
        self.errors: list[FileError] = []
        self._root = root
        self._excludes = excludes
        self._respect_gitignore = respect_gitignore
        self._entered: set[tuple[int, int]] = set()

    def is_excluded_or_below(self, path: str) -> bool:
        """Whether a path, or a directory around it below the root, is excluded."""
        relative = os.path.relpath(path, self._root).replace(os.sep, "/")
        names = [name for name in relative.split("/") if name not in {"", ".", ".."}]
        is_directory = Path(path).is_dir()
        for end, name in enumerate(names, 1):
            slash = "/" if is_directory or end < len(names) else ""
            if self._excludes.verdict(name + slash, "/".join(names[:end]) + slash):
                return True
        return False

    def below(self, start: str) -> None:
        """Take all Python files below the directory `start`."""
        pending = [(start, self._scopes_above(start))]
        while pending:
            directory, scopes = pending.pop()
            entries = self._entries(directory)
            if self._respect_gitignore and any(entry.name == ".gitignore" for entry in entries):
                scopes = self._with_gitignore(directory, scopes)
            for entry in entries:
                if entry.is_dir(follow_symlinks=False):
                    if not _is_ignored(entry.path, f"{entry.name}/", scopes):
                        pending.append((entry.path, scopes))
                elif (
                    entry.name.endswith((".py", ".pyi"))
                    and entry.is_file(follow_symlinks=False)
                    and not _is_ignored(entry.path, entry.name, scopes)
                ):
                    self.files.add(entry.path)

    def _entries(self, directory: str) -> list[os.DirEntry[str]]:
        """What a directory holds; nothing when it cannot be read, or was entered before (a junction, a mount)."""
        try:
            status = Path(directory).stat()
            if (status.st_dev, status.st_ino) in self._entered:
                return []
            self._entered.add((status.st_dev, status.st_ino))
            with os.scandir(directory) as entries:
                return list(entries)
        except OSError as error:
            self._unreadable(directory, error)
            return []

    def _scopes_above(self, start: str) -> tuple[_Scope, ...]:
        """The rules that hold in `start`, the nearest first."""
        inside = start == self._root or start.startswith(self._root.rstrip(os.sep) + os.sep)
        # Outside the project only names can be looked at; the whole path is the next best.
        skipped = len(self._root.rstrip(os.sep)) + 1 if inside else len(start.rstrip(os.sep)) + 1
        scopes: tuple[_Scope, ...] = (_Scope(self._excludes, skipped),)
        if self._respect_gitignore:
            around: tuple[_Scope, ...] = ()
            for directory in _repository_above(start):
                around = self._with_gitignore(directory, around)
            # Whoever names an ignored directory wants to see what is in it.
            if not _is_ignored(start, f"{Path(start).name}/", around):
                scopes = (*around, *scopes)
        return scopes

    def _with_gitignore(self, directory: str, scopes: tuple[_Scope, ...]) -> tuple[_Scope, ...]:
        path = Path(directory, ".gitignore")
        try:
            lines = path.read_text("utf-8-sig", errors="replace").splitlines()
        except FileNotFoundError:
            return scopes
        except OSError as error:
            self._unreadable(str(path), error)
            return scopes
        return (_Scope(_rules(lines), len(directory.rstrip(os.sep)) + 1), *scopes)

    def _unreadable(self, path: str, error: OSError) -> None:
        reason = (error.strerror or str(error)).lower()
        self.errors.append(FileError(_shown(path), None, f"cannot be read: {reason}"))


def _rules(lines: Iterable[str]) -> Rules:
    # Files that are named need no patterns, and those need `pathspec`.
    from pinlint.files.ignore import Rules  # noqa: PLC0415  # see above

    return Rules(lines)


def _is_ignored(path: str, name: str, scopes: tuple[_Scope, ...]) -> bool:
    """Whether the rules ignore a path; `name` is its last name, with a slash at the end for a directory."""
    for rules, skipped in scopes:
        relative = path[skipped:].replace(os.sep, "/") + ("/" if name[-1] == "/" else "")
        verdict = rules.verdict(name, relative)
        if verdict is not None:
            return verdict
    return False


def _repository_above(directory: str) -> list[str]:
    """The directories from the top of the repository that holds `directory` down to the one above it."""
    chain = [Path(directory), *Path(directory).parents]
    for depth, folder in enumerate(chain):
        if (folder / ".git").exists():
            return [str(above) for above in chain[depth:0:-1]]
    return []


def _absolute(path: Path) -> str:
    # Not `resolve`: a file reached through a link is reported under the name that was given.
    return os.path.abspath(path)  # noqa: PTH100  # see above


def _shown(path: str) -> str:
    """A path as reported: relative to the working directory where it lies below it."""
    working = Path.cwd()
    shown = Path(path)
    return (shown.relative_to(working) if shown.is_relative_to(working) else shown).as_posix()
