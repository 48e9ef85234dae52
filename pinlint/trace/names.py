"""Which names belong to a function, and the functions that have none."""

from __future__ import annotations

from pinlint import ir
from pinlint.trace.declarations import FunctionDeclaration, bound_names, simple_statements, target_names
from pinlint.trace.frame import Frame


class Names:
    """The names that functions bind, read once for each."""

    def __init__(self) -> None:
        self._local: dict[FunctionDeclaration, frozenset[str]] = {}
        self._lambdas: dict[tuple[str, ir.Span], FunctionDeclaration] = {}

    def local(self, declaration: FunctionDeclaration) -> frozenset[str]:
        """The names that are local to a function."""
        found = self._local.get(declaration)
        if found is None:
            names = {parameter.name for parameter in declaration.parameters}
            shared: set[str] = set()
            for statement in simple_statements(declaration.body):
                names.update(bound_names(statement))
                if isinstance(statement, ir.Global | ir.Nonlocal):
                    shared.update(statement.names)
                if isinstance(statement, ir.Match):
                    for case in statement.cases:
                        names.update(case.captures)
                        if case.target is not None:
                            names.update(target_names(case.target))
            found = frozenset(names - shared)
            self._local[declaration] = found
        return found

    def shared(self, declaration: FunctionDeclaration) -> tuple[set[str], set[str]]:
        """The names that a function declares global, and those it declares nonlocal."""
        names: tuple[set[str], set[str]] = (set(), set())
        for statement in simple_statements(declaration.body):
            if isinstance(statement, ir.Global):
                names[0].update(statement.names)
            elif isinstance(statement, ir.Nonlocal):
                names[1].update(statement.names)
        return names

    def lambda_declaration(self, frame: Frame, node: ir.Lambda) -> FunctionDeclaration:
        key = (frame.module.path, node.span)
        if key not in self._lambdas:
            name = f"{frame.qualified_name}.<lambda>" if frame.qualified_name else "<lambda>"
            self._lambdas[key] = FunctionDeclaration(frame.module, node, name, None, frame.declaration)
        return self._lambdas[key]
