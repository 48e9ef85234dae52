"""Modules, classes and functions of the project, found by one walk over each module's IR."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from pinlint import ir
from pinlint.trace.relevance import Dependences, dependences_of


@dataclass(eq=False, slots=True)
class ModuleDeclaration:
    """A module of the project; compared by identity, one object a file."""

    path: str
    """Absolute path."""
    display: str
    """The path as reported."""
    qualified_name: str
    """Dotted import name."""
    package: bool
    """The file is an `__init__`."""
    tree: ir.Module
    functions: list[FunctionDeclaration] = field(default_factory=list)
    """Every function in it, methods and nested ones included, in source order."""
    classes: list[ClassDeclaration] = field(default_factory=list)
    bindings: dict[str, list[ir.Statement]] = field(default_factory=dict)
    """For each module-level name the statements that bind it, in source order."""

    def __hash__(self) -> int:
        return id(self)


class FunctionDeclaration:
    """A function, method or lambda; compared by identity."""

    def __init__(
        self,
        module: ModuleDeclaration,
        node: ir.FunctionDef | ir.Lambda,
        qualified_name: str,
        owner: ClassDeclaration | None,
        parent: FunctionDeclaration | None,
    ) -> None:
        self.module = module
        self.node = node
        self.qualified_name = qualified_name
        self.owner = owner
        self.parent = parent

    def __repr__(self) -> str:
        return f"<{self.module.display}:{self.node.span[0]} {self.qualified_name}>"

    @property
    def name(self) -> str:
        return self.node.name if isinstance(self.node, ir.FunctionDef) else "<lambda>"

    @property
    def parameters(self) -> tuple[ir.Parameter, ...]:
        return self.node.parameters

    @cached_property
    def body(self) -> tuple[ir.Statement, ...]:
        if isinstance(self.node, ir.FunctionDef):
            return self.node.body
        return (ir.Return(self.node.body.span, self.node.body),)

    @cached_property
    def decorator_names(self) -> tuple[str, ...]:
        """The dotted texts of the decorators, without their arguments."""
        if not isinstance(self.node, ir.FunctionDef):
            return ()
        return tuple(dotted(item.function if isinstance(item, ir.Call) else item) for item in self.node.decorators)

    @cached_property
    def kind(self) -> str:
        """`static`, `class`, `property`, `method` (bound to its instance) or `function`."""
        if self.owner is None:
            return "function"
        for name in self.decorator_names:
            last = name.rsplit(".", 1)[-1]
            if last == "staticmethod":
                return "static"
            if last == "classmethod":
                return "class"
            if last in ("property", "cached_property", "getter", "abstractproperty"):
                return "property"
        if self.name == "__new__":
            return "static"
        if self.name in ("__init_subclass__", "__class_getitem__"):
            return "class"
        return "method"

    @cached_property
    def dependences(self) -> Dependences:
        names = frozenset(parameter.name for parameter in self.parameters)
        return dependences_of(self.body, self.receiver_name, names)

    @cached_property
    def receiver_name(self) -> str:
        """The name of the first parameter of a method (usually `self`), "" for other functions."""
        bound = self.kind in ("method", "property", "class")
        return self.parameters[0].name if bound and self.parameters else ""


class ClassDeclaration:
    """A class; compared by identity."""

    def __init__(
        self, module: ModuleDeclaration, node: ir.ClassDef, qualified_name: str, parent: FunctionDeclaration | None
    ) -> None:
        self.module = module
        self.node = node
        self.qualified_name = qualified_name
        self.parent = parent
        self.methods: dict[str, list[FunctionDeclaration]] = {}
        self.setters: set[str] = set()

    def __repr__(self) -> str:
        return f"<{self.module.display}:{self.node.span[0]} class {self.qualified_name}>"

    @property
    def name(self) -> str:
        return self.node.name

    @cached_property
    def fields(self) -> dict[str, tuple[ir.Expression | None, ir.Expression | None]]:
        """Names assigned or annotated in the class body: `(annotation, value)`, in source order."""
        found: dict[str, tuple[ir.Expression | None, ir.Expression | None]] = {}
        for statement in simple_statements(self.node.body):
            if isinstance(statement, ir.AnnotatedAssign) and isinstance(statement.target, ir.Name):
                found[statement.target.identifier] = (statement.annotation, statement.value)
            elif isinstance(statement, ir.Assign):
                for target in statement.targets:
                    if isinstance(target, ir.Name):
                        found[target.identifier] = (None, statement.value)
        return found

    @cached_property
    def decorator_names(self) -> tuple[str, ...]:
        return tuple(dotted(item.function if isinstance(item, ir.Call) else item) for item in self.node.decorators)


Declaration: TypeAlias = FunctionDeclaration | ClassDeclaration


def dotted(expression: ir.Expression) -> str:
    """The text of a name or dotted name, "" for any other expression."""
    parts: list[str] = []
    while isinstance(expression, ir.Attribute):
        parts.append(expression.name)
        expression = expression.value
    if not isinstance(expression, ir.Name):
        return ""
    parts.append(expression.identifier)
    return ".".join(reversed(parts))


def declare(path: str, display: str, qualified_name: str, package: bool, tree: ir.Module) -> ModuleDeclaration:
    """The declarations of a module from its IR."""
    module = ModuleDeclaration(path, display, qualified_name, package, tree)
    _declare_block(module, tree.body, "", None, None)
    for statement in simple_statements(tree.body):
        for name in bound_names(statement):
            module.bindings.setdefault(name, []).append(statement)
    return module


def _declare_block(
    module: ModuleDeclaration,
    body: Sequence[ir.Statement],
    prefix: str,
    owner: ClassDeclaration | None,
    parent: FunctionDeclaration | None,
) -> None:
    for statement in simple_statements(body):
        if isinstance(statement, ir.FunctionDef):
            function = FunctionDeclaration(module, statement, prefix + statement.name, owner, parent)
            module.functions.append(function)
            if owner is not None:
                if any(name.endswith((".setter", ".deleter")) for name in function.decorator_names):
                    owner.setters.add(statement.name)
                else:
                    owner.methods.setdefault(statement.name, []).append(function)
            _declare_block(module, statement.body, f"{prefix}{statement.name}.", None, function)
        elif isinstance(statement, ir.ClassDef):
            declared = ClassDeclaration(module, statement, prefix + statement.name, parent)
            module.classes.append(declared)
            _declare_block(module, statement.body, f"{prefix}{statement.name}.", declared, parent)


def simple_statements(body: Sequence[ir.Statement]) -> Iterator[ir.Statement]:
    """Every statement of a block and of the blocks of its compound statements, functions and classes not entered."""
    for statement in body:
        yield statement
        for block in blocks(statement):
            yield from simple_statements(block)


def blocks(statement: ir.Statement) -> tuple[Sequence[ir.Statement], ...]:
    """The blocks of a compound statement that run where it stands."""
    if isinstance(statement, ir.If | ir.While | ir.For):
        return (statement.body, statement.orelse)
    if isinstance(statement, ir.Try):
        return (
            statement.body,
            *(handler.body for handler in statement.handlers),
            statement.orelse,
            statement.finalbody,
        )
    if isinstance(statement, ir.With):
        return (statement.body,)
    if isinstance(statement, ir.Match):
        return tuple(case.body for case in statement.cases)
    return ()


def bound_names(statement: ir.Statement) -> Iterator[str]:
    """The names that a statement's own header binds."""
    if isinstance(statement, ir.FunctionDef | ir.ClassDef):
        yield statement.name
    elif isinstance(statement, ir.Import):
        for item in statement.names:
            yield item.alias or item.name.split(".")[0]
    elif isinstance(statement, ir.ImportFrom):
        for item in statement.names:
            yield item.alias or item.name
    elif isinstance(statement, ir.Assign):
        for target in statement.targets:
            yield from target_names(target)
    elif isinstance(statement, ir.AnnotatedAssign | ir.AugmentedAssign | ir.For):
        yield from target_names(statement.target)
    elif isinstance(statement, ir.With):
        for entered in statement.items:
            if entered.target is not None:
                yield from target_names(entered.target)


def target_names(target: ir.Expression) -> Iterator[str]:
    if isinstance(target, ir.Name):
        yield target.identifier
    elif isinstance(target, ir.Display):
        for element in target.elements:
            yield from target_names(element)
    elif isinstance(target, ir.Starred):
        yield from target_names(target.value)
