"""How a condition, a helper or torch itself is spelled at a place: through the imports that the file has already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec

from pinlint import ir
from pinlint.fixes.edits import CannotFix
from pinlint.fixes.lookup import Found
from pinlint.fixes.scope import bindings, local_binders, module_binders

_Import = ir.Import | ir.ImportFrom


@dataclass(frozen=True, slots=True)
class Spelling:
    """An expression as it must be written at a place, and the `(module, name)` that must be imported for it."""

    expression: str
    missing: tuple[str, str] | None = None


def spell(module: ir.Module, path: str, found: Found, expression: str, wanted: tuple[str, str]) -> Spelling:
    """Return how `expression`, which starts with the imported `wanted`, is written at `found` in the file `path`.

    `wanted` is a `(module, name)` pair, with an empty name for the module itself. An import that the file has is reused
    under its own name, and a name that the module binds wins over an import. Raises CannotFix where the name means
    something else, and where the import would be circular.
    """
    canonical = wanted[1] or wanted[0]
    rest = expression.removeprefix(canonical)
    for statement, local in _visible_imports(module, found):
        spelled = _imported_as(statement, wanted, path)
        if spelled is not None and _reaches(module, found, spelled, local=local):
            return Spelling(spelled + rest)
    root = canonical.partition(".")[0]
    if local_binders(found, root):
        raise CannotFix(f"`{root}` is a local name there")
    if wanted[1] and _bound_at_run_time(module, root):
        return Spelling(expression)
    if module_binders(module, root):
        raise CannotFix(f"`{root}` already means something else in this file")
    _check_import(path, wanted)
    return Spelling(expression, wanted)


def imports_module(module: ir.Module, path: str, wanted: str) -> bool:
    """Whether importing the file `path` imports the module `wanted` already, so that one more name changes nothing."""
    for statement in _at_run_time(module.body):
        if isinstance(statement, ir.ImportFrom) and _imports_from(statement, wanted, path):
            return True
        if isinstance(statement, ir.Import) and any(_imports(each.name, wanted) for each in statement.names):
            return True
    return False


def _visible_imports(module: ir.Module, found: Found) -> Iterator[tuple[_Import, bool]]:
    """Yield the imports that have run when the expression runs, innermost first, and whether each is local."""
    in_function = found.function is not None
    for block in reversed(found.blocks[1:] if in_function else found.blocks):
        for statement in block.before:
            if isinstance(statement, ir.Import | ir.ImportFrom):
                yield statement, in_function
    if in_function:
        for node in _at_run_time(module.body):
            if isinstance(node, ir.Import | ir.ImportFrom):
                yield node, False


def _at_run_time(block: tuple[ir.Statement, ...]) -> Iterator[ir.Statement]:
    """Yield the statements of a scope with those inside compound ones, except under `if TYPE_CHECKING:`."""
    for statement in block:
        yield statement
        if isinstance(statement, ir.If):
            if not _is_type_checking(statement.test):
                yield from _at_run_time(statement.body)
            yield from _at_run_time(statement.orelse)
        elif isinstance(statement, ir.Try):
            yield from _at_run_time(statement.body)
            for handler in statement.handlers:
                yield from _at_run_time(handler.body)
            yield from _at_run_time(statement.orelse)
            yield from _at_run_time(statement.finalbody)
        elif isinstance(statement, ir.With):
            yield from _at_run_time(statement.body)


def _is_type_checking(test: ir.Expression) -> bool:
    if isinstance(test, ir.Attribute):
        return test.name == "TYPE_CHECKING"
    return isinstance(test, ir.Name) and test.identifier == "TYPE_CHECKING"


def _imported_as(statement: _Import, wanted: tuple[str, str], path: str) -> str | None:
    """Return the local spelling of `wanted` that an import statement makes possible, or None."""
    module, name = wanted
    parent, _, tail = module.rpartition(".")
    dotted = f".{name}" if name else ""
    for each in statement.names:
        if isinstance(statement, ir.Import):
            if each.name == module and each.alias:
                return each.alias + dotted
            if each.alias is None and _imports(each.name, module):
                return module + dotted
        elif name and each.name == name and _imports_from(statement, module, path):
            return each.alias or name
        elif parent and each.name == tail and _imports_from(statement, parent, path):
            return (each.alias or tail) + dotted
    return None


def _imports_from(statement: ir.ImportFrom, module: str, path: str) -> bool:
    """Whether `from ... import` in the file `path` reads from `module`."""
    if statement.level == 0:
        return statement.module == module
    package = Path(path).absolute().parts[: -statement.level]
    return ends_with((*package, *filter(None, statement.module.split("."))), module)


def _imports(name: str, module: str) -> bool:
    """Whether importing the dotted `name` imports `module`: it is that module or within it."""
    return f"{name}.".startswith(f"{module}.")


def ends_with(parts: tuple[str, ...], module: str) -> bool:
    """Whether the last of `parts` are the parts of a dotted name."""
    wanted = tuple(module.split("."))
    return parts[-len(wanted) :] == wanted


def _reaches(module: ir.Module, found: Found, spelled: str, *, local: bool) -> bool:
    """Whether the first name of `spelled`, read at `found`, is what an import bound and nothing else."""
    root = spelled.partition(".")[0]
    inner = local_binders(found, root)
    if local or inner:
        return local and bool(inner) and all(isinstance(binder, ir.Import | ir.ImportFrom) for binder in inner)
    return all(_is_import_or_fallback(binder) for binder in module_binders(module, root))


def _is_import_or_fallback(binder: msgspec.Struct) -> bool:
    """Whether a binder is an import, or the `torch = None` of a failed one."""
    if isinstance(binder, ir.Assign):
        return isinstance(binder.value, ir.Constant)
    return isinstance(binder, ir.Import | ir.ImportFrom)


def _bound_at_run_time(module: ir.Module, name: str) -> bool:
    simple = (each for each in _at_run_time(module.body) if not isinstance(each, ir.If | ir.Try | ir.With))
    return any(bound == name for statement in simple for bound, _ in bindings(statement))


def _check_import(path: str, wanted: tuple[str, str]) -> None:
    """Raise CannotFix where importing `wanted` into the file `path` would import the file into itself."""
    module, name = wanted
    location = Path(path).absolute()
    if location.stem == "__init__":
        parents = [module.rsplit(".", count)[0] for count in range(module.count(".") + 1)]
        if any(ends_with(location.parent.parts, package) for package in parents):
            raise CannotFix(f"importing {module} in its own package's `__init__` would make an import cycle")
    elif ends_with((*location.parent.parts, location.stem), module):
        raise CannotFix(f"this file is {module} and does not define `{name}`")


def qualified_name(module: ir.Module, expression: ir.Expression) -> str:
    """Return the dotted name of a function as its library calls it, through the file's imports; "" when it has none."""
    parts: list[str] = []
    while isinstance(expression, ir.Attribute):
        parts.append(expression.name)
        expression = expression.value
    if not isinstance(expression, ir.Name):
        return ""
    parts.append(_import_of(module, expression.identifier))
    return ".".join(reversed(parts))


def _import_of(module: ir.Module, name: str) -> str:
    """Return what a name of the module was imported as, or the name itself."""
    for binder in module_binders(module, name):
        if not isinstance(binder, ir.Import | ir.ImportFrom):
            continue
        prefix = f"{binder.module}." if isinstance(binder, ir.ImportFrom) else ""
        return next((prefix + each.name for each in binder.names if (each.alias or each.name) == name), name)
    return name
