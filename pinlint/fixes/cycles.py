"""Whether a new import would make an import cycle: which files importing a module runs."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path


class ImportGraph:
    """The imports at module level between the files around those that are fixed.

    `read` returns the bytes of a file; files that cannot be read or parsed import nothing.
    """

    def __init__(self, read: Callable[[Path], bytes]) -> None:
        self._read = read
        self._imports: dict[Path, tuple[str, ...]] = {}

    def reaches(self, module: str, path: Path) -> bool:
        """Whether importing `module` runs the file at `path`, which would then import it half-made.

        The packages around `path` do not count: they are being imported whenever the file is.
        """
        path = path.absolute()
        root = next((folder for folder in path.parents if _file_of(folder, module)), None)
        if root is None:
            return False
        own = _dotted(root, path)
        running = set(_with_parents(own)) - {own}
        pending, seen = list(_with_parents(module)), set(running)
        while pending:
            each = pending.pop()
            if each in seen:
                continue
            seen.add(each)
            file = _file_of(root, each)
            if file == path:
                return True
            if file is not None:
                pending.extend(self._imported_by(root, each, file))
        return False

    def _imported_by(self, root: Path, module: str, file: Path) -> tuple[str, ...]:
        if file not in self._imports:
            package = module if file.stem == "__init__" else module.rpartition(".")[0]
            self._imports[file] = tuple(
                parent for name in self._names(root, file, package) for parent in _with_parents(name)
            )
        return self._imports[file]

    def _names(self, root: Path, file: Path, package: str) -> Iterator[str]:
        try:
            tree = ast.parse(self._read(file))
        except (OSError, SyntaxError, ValueError, RecursionError):
            return
        for node in _module_level(tree.body):
            if isinstance(node, ast.Import):
                yield from (alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                base = _absolute(package, node)
                yield base
                yield from (
                    f"{base}.{alias.name}" for alias in node.names if _file_of(root, f"{base}.{alias.name}") is not None
                )


def _module_level(block: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Yield the statements that run when a module is imported, except under `if TYPE_CHECKING:`."""
    for statement in block:
        yield statement
        if isinstance(statement, ast.If):
            if "TYPE_CHECKING" not in ast.dump(statement.test):
                yield from _module_level(statement.body)
            yield from _module_level(statement.orelse)
        elif isinstance(statement, ast.Try):
            for part in (statement.body, *(each.body for each in statement.handlers), statement.orelse):
                yield from _module_level(part)
            yield from _module_level(statement.finalbody)
        elif isinstance(statement, ast.With | ast.ClassDef):
            yield from _module_level(statement.body)


def _absolute(package: str, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    base = package.split(".")
    base = base[: len(base) - (node.level - 1)]
    return ".".join([*base, *filter(None, [node.module])])


def _with_parents(module: str) -> Iterator[str]:
    parts = module.split(".")
    for count in range(1, len(parts) + 1):
        yield ".".join(parts[:count])


def _file_of(root: Path, module: str) -> Path | None:
    base = root.joinpath(*module.split("."))
    package = base / "__init__.py"
    if package.is_file():
        return package
    file = base.with_name(f"{base.name}.py")
    return file if file.is_file() else None


def _dotted(root: Path, path: Path) -> str:
    parts = path.relative_to(root).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
