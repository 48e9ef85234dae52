"""The project that the checked files belong to: its modules, read when the trace first needs them."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from pinlint import ir
from pinlint.files.errors import FileError
from pinlint.files.source import DecodeError, Source, decode, read_source
from pinlint.models.model import Models
from pinlint.trace.declarations import ClassDeclaration, FunctionDeclaration, ModuleDeclaration, declare

MAX_SETTING_FILES = 3
"""An attribute that more files set from outside its class is not followed there."""


class Project:
    """Files, and the modules they hold.

    `files` are all Python files of the project (absolute paths), those to check among them; `roots` are directories
    that imports are looked up in besides each file's own import root; `overlay` holds contents that replace those on
    disk; reported paths are relative to `base` where they can be; `trees` keeps the IR of contents between projects.
    """

    def __init__(
        self,
        files: Iterable[Path],
        models: Models,
        *,
        roots: Iterable[Path] = (),
        overlay: Mapping[Path, bytes] | None = None,
        base: Path | None = None,
        trees: dict[bytes, ir.Module] | None = None,
    ) -> None:
        self.models = models
        self.overlay = dict(overlay or {})
        self.base = base or Path.cwd()
        self.files = {str(path): path for path in sorted({*files, *self.overlay})}
        self.roots = tuple(str(root) for root in roots)
        self.errors: dict[str, FileError] = {}
        self.parsed = 0
        self._trees = {} if trees is None else trees
        self._sources: dict[str, Source | None] = {}
        self._modules: dict[str, ModuleDeclaration | None] = {}
        self._import_roots: dict[str, str] = {}
        self._imports: dict[tuple[str, str], ModuleDeclaration | None] = {}
        self._namespace_names: frozenset[str] | None = None
        self._calling: dict[str, list[str]] = {}
        self._setting: dict[tuple[str, str], list[str]] = {}
        self._set_attributes: dict[str, bool] = {}
        self.functions_by_name: dict[str, list[FunctionDeclaration]] = {}
        self.classes_by_name: dict[str, list[ClassDeclaration]] = {}

    def display(self, path: str) -> str:
        """The path as reported: relative to the base directory where it lies below it, with forward slashes."""
        try:
            return Path(path).relative_to(self.base).as_posix()
        except ValueError:
            return Path(path).as_posix()

    def source(self, path: str) -> Source | None:
        """The file's bytes, or None when it can't be read (the error is kept)."""
        if path not in self._sources:
            location = Path(path)
            if location in self.overlay:
                found: Source | FileError = Source(location, self.display(path), self.overlay[location])
            else:
                found = read_source(location, self.display(path))
            if isinstance(found, FileError):
                self.errors[path] = found
                self._sources[path] = None
            else:
                self._sources[path] = found
        return self._sources[path]

    def check_text(self, path: str) -> None:
        """Keep an error for a file that is no text, even where nothing in it would have to be parsed."""
        source = self.source(path)
        problem = None if source is None else decode(source.data)
        if isinstance(problem, DecodeError):
            self.errors[path] = FileError(self.display(path), problem.line, problem.message)

    def module(self, path: str) -> ModuleDeclaration | None:
        """The module in a file, parsed at the first call; None when it can't be read or parsed (the error is kept)."""
        if path not in self._modules:
            self._modules[path] = None
            self._modules[path] = self._load(path)
        return self._modules[path]

    def loaded(self) -> list[ModuleDeclaration]:
        """The modules parsed so far, by path."""
        return [module for _, module in sorted(self._modules.items()) if module is not None]

    def _load(self, path: str) -> ModuleDeclaration | None:
        from pinlint.lower import LowerError, lower  # noqa: PLC0415 # LibCST is imported only when a file is parsed

        source = self.source(path)
        if source is None:
            return None
        tree = self._trees.get(source.data)
        if tree is None:
            lowered = lower(source.data)
            if isinstance(lowered, LowerError):
                self.errors[path] = FileError(source.display, lowered.line, lowered.message)
                return None
            tree = self._trees[source.data] = lowered
        self.parsed += 1
        root = self.import_root(path)
        relative = Path(path).relative_to(root).with_suffix("")
        package = relative.name == "__init__"
        parts = relative.parts[:-1] if package else relative.parts
        module = declare(path, source.display, ".".join(parts), package, tree)
        for function in module.functions:
            self.functions_by_name.setdefault(function.name, []).append(function)
        for declared in module.classes:
            self.classes_by_name.setdefault(declared.name, []).append(declared)
        return module

    def import_root(self, path: str) -> str:
        """The directory that absolute imports of the file's own package start from."""
        directory = os.path.dirname(path)
        known = self._import_roots.get(directory)
        if known is None:
            known = directory
            while os.path.isfile(os.path.join(known, "__init__.py")) and os.path.dirname(known) != known:
                known = os.path.dirname(known)
            for root in self.roots:
                if directory == root or directory.startswith(root + os.sep):
                    known = root
                    break
            self._import_roots[directory] = known
        return known

    def import_module(self, name: str, importer: ModuleDeclaration) -> ModuleDeclaration | None:
        """The project's module `name`, absolute, as `importer` would import it; None when it is outside the project."""
        root = self.import_root(importer.path)
        key = (root, name)
        if key not in self._imports:
            path = self._find(name, root)
            self._imports[key] = None if path is None else self.module(path)
        return self._imports[key]

    def _find(self, name: str, root: str) -> str | None:
        relative = name.replace(".", os.sep)
        # A file outside a package has its own folder as its root; the project's folders above it are tried too.
        candidates = [root, *self.roots, str(self.base), str(self.base / "src")]
        for directory in dict.fromkeys(candidates):
            for suffix in (".py", os.sep + "__init__.py"):
                path = os.path.join(directory, relative + suffix)
                if path in self.files:
                    return path
        return None

    def namespace_module(self, name: str) -> ModuleDeclaration | None:
        """A module below a package without `__init__`, by its dotted name from the base directory or a root."""
        if name.partition(".")[0] not in self._namespaces():
            return None
        path = self._find(name, str(self.base))
        return None if path is None else self.module(path)

    def _namespaces(self) -> frozenset[str]:
        """The first names of packages without `__init__` in the base directory and the roots."""
        if self._namespace_names is None:
            found = set()
            for root in dict.fromkeys([str(self.base), str(self.base / "src"), *self.roots]):
                prefix = root + os.sep
                for path in self.files:
                    if path.startswith(prefix):
                        first, slash, _ = path[len(prefix) :].partition(os.sep)
                        if slash and os.path.join(root, first, "__init__.py") not in self.files:
                            found.add(first)
            self._namespace_names = frozenset(found)
        return self._namespace_names

    def sets_attribute(self, name: str) -> bool:
        """Whether the project assigns to an attribute of this name anywhere, by a search of its bytes."""
        if name not in self._set_attributes:
            needle = name.encode()
            pattern = re.compile(rb"\.%b\s*(?::[^=\n]+)?=(?!=)|setattr\([^)\n]*[\"']%b[\"']" % (needle, needle))
            self._set_attributes[name] = any(pattern.search(data) for data in self._holding(needle))
        return self._set_attributes[name]

    def setting(self, name: str, near: str) -> list[str]:
        """The files that assign to an attribute of this name of something other than `self`, by a search of bytes.

        Only those beside or below the file `near` are searched: what sets an object's attributes stands near its class.
        """
        directory = os.path.dirname(near) + os.sep
        key = (name, directory)
        if key not in self._setting:
            needle = name.encode()
            pattern = re.compile(rb"(?<!self)(?<!cls)\.%b[ \t]*=(?!=)" % needle)
            self._setting[key] = [
                path
                for path in self.files
                if path.startswith(directory)
                and (source := self.source(path)) is not None
                and b"." + needle in source.data
                and pattern.search(source.data)
            ]
        found = self._setting[key]
        return found if len(found) <= MAX_SETTING_FILES else []

    def _holding(self, needle: bytes) -> Iterator[bytes]:
        """The contents of the files in which a text occurs."""
        for path in self.files:
            source = self.source(path)
            if source is not None and needle in source.data:
                yield source.data

    def absolute_name(self, module: str, level: int, importer: ModuleDeclaration) -> str:
        """The absolute name that a relative import means."""
        if level == 0:
            return module
        parts = importer.qualified_name.split(".") if importer.qualified_name else []
        if not importer.package:
            parts = parts[:-1]
        parts = parts[: len(parts) - (level - 1)]
        return ".".join([*parts, module] if module else parts)

    def calling(self, name: str) -> list[str]:
        """The files in which `name` followed by a parenthesis occurs, sorted."""
        if name not in self._calling:
            needle = name.encode() + b"("
            self._calling[name] = [
                path
                for path in self.files
                if (source := self.source(path)) is not None and _occurs(source.data, needle)
            ]
        return self._calling[name]


def _occurs(data: bytes, needle: bytes) -> bool:
    """Whether a text occurs that does not continue a longer name."""
    position = data.find(needle)
    while position >= 0:
        before = data[position - 1 : position]
        if not (before.isalnum() or before == b"_"):
            return True
        position = data.find(needle, position + 1)
    return False
