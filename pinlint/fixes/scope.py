"""Which names are bound where, so that what a fix writes means what it should at its place."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import msgspec

from pinlint import ir
from pinlint.fixes.lookup import Found, walk

_SCOPES = (ir.FunctionDef, ir.ClassDef, ir.Lambda)


def bindings(block: object) -> Iterator[tuple[str, msgspec.Struct]]:
    """Yield each name that the statements of one scope bind, with the structure that binds it.

    Nested functions, classes and lambdas bind their own name here and nothing else; the targets of a comprehension are
    its own.
    """
    for node in walk(block, opaque=_SCOPES):
        for name in _bound_by(node):
            yield name, node


def _bound_by(node: msgspec.Struct) -> Iterable[str]:
    binder = _BOUND.get(type(node))
    return binder(node) if binder else ()


def target_names(target: ir.Expression | None) -> list[str]:
    """Return the plain names that an assignment to `target` binds."""
    if isinstance(target, ir.Name):
        return [target.identifier]
    if isinstance(target, ir.Starred):
        return target_names(target.value)
    if isinstance(target, ir.Display):
        return [name for element in target.elements for name in target_names(element)]
    return []


def _targets(node: ir.Assign | ir.Delete) -> list[str]:
    return [name for target in node.targets for name in target_names(target)]


def _target(node: ir.AnnotatedAssign | ir.AugmentedAssign | ir.For | ir.Walrus | ir.WithItem) -> list[str]:
    return target_names(node.target)


_BOUND: dict[type, Callable[[Any], list[str]]] = {
    ir.Assign: _targets,
    ir.Delete: _targets,
    ir.AnnotatedAssign: _target,
    ir.AugmentedAssign: _target,
    ir.For: _target,
    ir.Walrus: _target,
    ir.WithItem: _target,
    ir.Case: lambda node: [*target_names(node.target), *node.captures],
    ir.Import: lambda node: [each.alias or each.name.partition(".")[0] for each in node.names],
    ir.ImportFrom: lambda node: [each.alias or each.name for each in node.names],
    ir.FunctionDef: lambda node: [node.name],
    ir.ClassDef: lambda node: [node.name],
    ir.Handler: lambda node: [node.name] if node.name else [],
}
"""The names that each kind of structure binds."""


def declared_elsewhere(function: ir.FunctionDef) -> set[str]:
    """Return the names that a function declares `global` or `nonlocal`."""
    found: set[str] = set()
    for node in walk(function.body, opaque=_SCOPES):
        if isinstance(node, ir.Global | ir.Nonlocal):
            found.update(node.names)
    return found


def local_binders(found: Found, name: str) -> list[msgspec.Struct]:
    """Return what binds `name` in the functions, lambdas and comprehensions around an expression.

    Empty when the name, read there, is the module's or a builtin.
    """
    binders: list[msgspec.Struct] = []
    for position, node in enumerate(found.chain):
        if isinstance(node, ir.FunctionDef | ir.Lambda):
            binders += [each for each in node.parameters if each.name == name]
        if isinstance(node, ir.FunctionDef) and name not in declared_elsewhere(node):
            binders += _binders_in(node.body, name)
        if isinstance(node, ir.Comprehension):
            binders += [each for each in node.generators if name in target_names(each.target)]
        if isinstance(node, ir.ClassDef) and _is_class_level(found, position):
            binders += _binders_in(node.body, name)
    return binders


def module_binders(module: ir.Module, name: str) -> list[msgspec.Struct]:
    """Return what binds `name` at module level."""
    return _binders_in(module.body, name)


def _binders_in(block: object, name: str) -> list[msgspec.Struct]:
    return [binder for bound, binder in bindings(block) if bound == name]


def _is_class_level(found: Found, position: int) -> bool:
    """Whether the expression stands in the class at `position` itself and not in one of its methods."""
    return not any(isinstance(node, ir.FunctionDef | ir.Lambda) for node in found.chain[position + 1 :])
