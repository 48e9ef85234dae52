"""Which statements of a function matter to a question, so that the tracer evaluates only those.

A question is a set of wants: the copies in the function, its result, or an attribute that it sets. Names stand for what
flows: `x` for a local name, `x.a` for an attribute of one, `x.*` for all of them. The analysis is flow-insensitive and
errs on the side of relevance.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache

from pinlint import ir
from pinlint.models.load import load_models
from pinlint.models.model import Effect
from pinlint.trace.arguments import KEYWORD_STARS
from pinlint.trace.syntax import assigns_attribute, changed_path, children, leaves, names_host, read_nodes, tested_names

EVENTS = "<events>"
RESULT = "<result>"
CHANGES = "<changes>"
"""What a function changes of its arguments in place."""
_ATTRIBUTES = "<attributes>"

_MOVERS = frozenset(
    {"to", "cuda", "cpu", "xpu", "npu", "hpu", "mps", "ipu", "musa", "mlu", "type", "copy_", "_foreach_copy_"}
)
_WAITS = frozenset({"synchronize", "item", "tolist", "cpu", "wait", "query"})
_NEVER_READ = frozenset({"pin_memory", "to", "cuda"})
"""Methods whose result must be used: as a statement they are mistakes (or moves of a module)."""


_GROWERS = frozenset({"append", "extend", "insert", "add", "update", "setdefault", "appendleft"})
"""Methods that put something into a container."""


@cache
def _unasked_movers() -> frozenset[str]:
    """The names of modelled functions that copy without blocking where nothing in the call says so."""
    return frozenset(
        name.rsplit(".", 1)[-1]
        for name, model in load_models().functions.items()
        if model.effect is Effect.MOVE_TREE and model.non_blocking
    )


def registered_attribute(call: ir.Call) -> str:
    """The attribute that `self.register_buffer("name", ...)` sets, "" for other calls."""
    if not isinstance(call.function, ir.Attribute) or call.function.name not in (
        "register_buffer",
        "register_parameter",
    ):
        return ""
    for argument in call.arguments:
        if argument.keyword in (None, "name") and isinstance(argument.value, ir.Constant):
            return argument.value.value if isinstance(argument.value.value, str) else ""
    return ""


@dataclass(slots=True, eq=False)
class Record:
    """One statement: what it may change, what that depends on, and the names of the functions it calls."""

    statement: ir.Statement
    definitions: frozenset[str]
    uses: frozenset[str]
    calls: frozenset[str]
    copies: bool
    waits: bool
    """It may wait for the copies before it."""
    landings: frozenset[str]
    """Names over host memory that a copy in it may write."""
    narrows: frozenset[str]
    """Names that a condition tests whose block leaves: after it, the condition does not hold."""
    returns: bool
    writes: frozenset[str]
    """What it assigns, or puts something into: the definitions without what a call may change of its arguments."""
    inner: tuple[Record, ...]


@dataclass(slots=True, eq=False)
class Dependences:
    records: tuple[Record, ...]
    attributes: frozenset[str]
    """Attributes of the receiver that the function sets."""
    calls: frozenset[str]
    copies: bool
    parameters: frozenset[str]
    """The names of the parameters."""
    changes: bool
    """It assigns to parts of a parameter, or puts something into one."""
    hung: dict[str, tuple[str, ...]]
    """Attributes that the function may set on other objects than its receiver, with the names of those."""


def dependences_of(
    body: Sequence[ir.Statement], receiver: str, parameters: frozenset[str] = frozenset()
) -> Dependences:
    """The dependences of a function body with these parameters.

    `receiver` is the first of them where it is the method's object, otherwise "".
    """
    records = tuple(_record(statement, receiver) for statement in body)
    everything = list(_flatten(records))
    _spread_nonlocals(everything)
    prefix = f"{receiver}."
    attributes = frozenset(
        name[len(prefix) :] for record in everything for name in record.writes if receiver and name.startswith(prefix)
    )
    calls = frozenset(name for record in everything for name in record.calls)
    hung: dict[str, tuple[str, ...]] = {}
    for record in everything:
        for name in sorted(record.definitions):
            root, dot, attribute = name.partition(".")
            if dot and root != receiver and isinstance(record.statement, ir.Assign | ir.AnnotatedAssign):
                hung[attribute] = tuple(dict.fromkeys((*hung.get(attribute, ()), root)))
    changes = any(
        name.partition(".")[0] in parameters
        for record in everything
        for name in record.writes
        if not isinstance(record.statement, ir.Assign) or not _rebinds(record.statement, name)
    )
    copies = any(record.copies for record in everything)
    return Dependences(records, attributes, calls, copies, parameters, changes, hung)


def _rebinds(statement: ir.Assign, name: str) -> bool:
    """`x = v` binds the name `x` itself, which no caller sees."""
    return any(isinstance(target, ir.Name) and target.identifier == name for target in statement.targets)


def relevant(
    dependences: Dependences, wants: frozenset[str], receiver: str, followed: frozenset[str]
) -> frozenset[int]:
    """The `id`s of the statements that matter to `wants` (EVENTS, RESULT, or names of the receiver's attributes)."""
    needed: set[str] = {f"{receiver}.{want}" for want in wants if not want.startswith("<")}
    if needed:
        needed.add(_ATTRIBUTES)
    if CHANGES in wants:
        needed |= dependences.parameters | {f"{name}.*" for name in dependences.parameters}
    chosen: set[int] = set()
    events, result = EVENTS in wants, RESULT in wants
    everything = list(_flatten(dependences.records)) if events else []
    landings = frozenset(name for record in everything for name in record.landings)
    for record in everything:
        if record.waits or not landings.isdisjoint(record.uses):
            # It may wait for a copy, or read what a copy brings to the host.
            _take(record, needed, chosen)
    changed = True
    while changed:
        changed = False
        for record in dependences.records:
            changed |= _choose(record, needed, chosen, events, result, followed)
    return frozenset(chosen)


def relevant_names(dependences: Dependences, names: frozenset[str]) -> frozenset[int]:
    """The `id`s of the statements that matter to the values of some names."""
    needed = set(names)
    chosen: set[int] = set()
    changed = True
    while changed:
        changed = False
        for record in dependences.records:
            changed |= _choose(record, needed, chosen, False, False, frozenset())
    return frozenset(chosen)


def _spread_nonlocals(records: Sequence[Record]) -> None:
    """A call of a nested function changes the names that it declares nonlocal."""
    changed = {
        record.statement.name: frozenset(
            name for node in read_nodes(record.statement) if isinstance(node, ir.Nonlocal) for name in node.names
        )
        for record in records
        if isinstance(record.statement, ir.FunctionDef)
    }
    for record in records:
        for name in record.calls & changed.keys():
            record.definitions |= changed[name]


def _choose(
    record: Record, needed: set[str], chosen: set[int], events: bool, result: bool, followed: frozenset[str]
) -> bool:
    """Choose the record and what is in it where it is needed; whether anything new was chosen."""
    changed = False
    for inner in record.inner:
        changed |= _choose(inner, needed, chosen, events, result, followed)
    key = id(record.statement)
    if key in chosen:
        return changed
    wanted = (
        (events and (record.copies or not followed.isdisjoint(record.calls)))
        or (result and record.returns)
        or any(_matches(name, needed) for name in record.definitions)
        or any(id(inner.statement) in chosen for inner in record.inner)
    )
    if not record.narrows.isdisjoint(needed):
        chosen.add(key)
        return True
    if wanted:
        _take(record, needed, chosen)
        return True
    return changed


def _take(record: Record, needed: set[str], chosen: set[int]) -> None:
    chosen.add(id(record.statement))
    needed |= record.uses


def _matches(name: str, needed: set[str]) -> bool:
    root, dot, _ = name.partition(".")
    return name in needed or (bool(dot) and f"{root}.*" in needed)


def _flatten(records: Sequence[Record]) -> Iterator[Record]:
    for record in records:
        yield record
        yield from _flatten(record.inner)


def _record(statement: ir.Statement, receiver: str) -> Record:
    reader = _Reader(receiver)
    inner: tuple[Record, ...] = ()
    returns = isinstance(statement, ir.Return)
    if isinstance(statement, ir.Assign):
        for target in statement.targets:
            reader.define(target)
        reader.read(statement.value)
    elif isinstance(statement, ir.AugmentedAssign | ir.AnnotatedAssign):
        reader.define(statement.target)
        if statement.value is not None:
            reader.read(statement.value)
        if isinstance(statement, ir.AugmentedAssign):
            reader.read(statement.target)
    elif isinstance(statement, ir.ExpressionStatement):
        reader.read_statement(statement.value)
    elif isinstance(statement, ir.FunctionDef | ir.ClassDef):
        reader.read_definition(statement)
    elif isinstance(statement, ir.Import | ir.ImportFrom):
        for item in statement.names:
            reader.definitions.add(item.alias or item.name.split(".")[0])
    elif isinstance(statement, ir.Delete):
        for target in statement.targets:
            reader.define(target)
    else:
        inner = _compound(statement, reader)
    returns = returns or reader.yields
    if reader.lands:
        reader.landings.update(reader.definitions)
    return Record(
        statement,
        frozenset(reader.definitions),
        frozenset(reader.uses),
        frozenset(reader.calls),
        reader.copies,
        reader.waits,
        frozenset(reader.landings),
        frozenset(reader.narrows),
        returns,
        frozenset(reader.writes),
        inner,
    )


def _compound(statement: ir.Statement, reader: _Reader) -> tuple[Record, ...]:
    """Read the header of a compound statement (or a simple statement that binds nothing); the records of its blocks."""
    bodies: list[ir.Statement] = []
    if isinstance(statement, ir.If | ir.While):
        reader.read_test(statement.test)
        if isinstance(statement, ir.If) and (leaves(statement.body) or leaves(statement.orelse)):
            inner_reader = _Reader(reader.receiver)
            inner_reader.read(statement.test)
            reader.narrows = {name for name in inner_reader.uses if name.split(".")[0] != reader.receiver}
        bodies += [*statement.body, *statement.orelse]
    elif isinstance(statement, ir.For):
        reader.define(statement.target)
        reader.read(statement.iterable)
        bodies += [*statement.body, *statement.orelse]
    elif isinstance(statement, ir.Try):
        bodies += [*statement.body, *(s for h in statement.handlers for s in h.body)]
        bodies += [*statement.orelse, *statement.finalbody]
    elif isinstance(statement, ir.With):
        for item in statement.items:
            reader.read(item.context)
            if item.target is not None:
                reader.define(item.target)
        bodies += statement.body
    elif isinstance(statement, ir.Match):
        reader.read(statement.subject)
        for case in statement.cases:
            if case.target is not None:
                reader.define(case.target)
            reader.definitions.update(case.captures)
            if case.guard is not None:
                reader.read(case.guard)
            bodies += case.body
    else:
        for child in children(statement):
            reader.read(child)
        if isinstance(statement, ir.Assert):
            # An assertion narrows what it tests.
            reader.definitions |= reader.uses
    return tuple(_record(inner, reader.receiver) for inner in bodies)


class _Reader:
    """Collects what one statement defines, uses and calls."""

    def __init__(self, receiver: str) -> None:
        self.receiver = receiver
        self.definitions: set[str] = set()
        self.uses: set[str] = set()
        self.calls: set[str] = set()
        self.writes: set[str] = set()
        self.copies = False
        self.waits = False
        self.landings: set[str] = set()
        self.narrows: set[str] = set()
        self.lands = False
        """The value of the statement holds the host result of a copy."""
        self.yields = False

    def define(self, target: ir.Expression) -> None:
        if isinstance(target, ir.Display):
            for element in target.elements:
                self.define(element)
        elif isinstance(target, ir.Starred):
            self.define(target.value)
        else:
            path = changed_path(target)
            self.definitions.update(path)
            if isinstance(target, ir.Attribute) and target.name == "data":
                # The tensor itself takes other memory.
                self.definitions.update(changed_path(target.value))
            if assigns_attribute(target):
                self.writes.update(path)
            if isinstance(target, ir.Subscript):
                for index in target.index:
                    self.read(index)

    def read_statement(self, value: ir.Expression) -> None:
        """An expression statement: a call may change its receiver and its arguments in place."""
        self.read(value)
        call = value.value if isinstance(value, ir.Await) else value
        if not isinstance(call, ir.Call):
            return
        if isinstance(call.function, ir.Attribute):
            self.copies |= call.function.name in _NEVER_READ
            path = changed_path(call.function.value)
            if call.function.name in _GROWERS:
                self.writes.update(path)
            named = registered_attribute(call)
            if named and path:
                self.writes.add(f"{path[0]}.{named}")
                self.definitions.add(f"{path[0]}.{named}")
            if self.receiver and path in ((self.receiver,), ("super",)):
                # `self.prepare()` may set attributes of an object that is being built.
                self.definitions.add(_ATTRIBUTES)
            else:
                self.definitions.update(path)
        for argument in call.arguments:
            self.definitions.update(changed_path(argument.value))

    def read_definition(self, statement: ir.FunctionDef | ir.ClassDef) -> None:
        """A nested function or class: it uses all that its body uses."""
        self.definitions.add(statement.name)
        for child in read_nodes(statement):
            self.read_shallow(child)
        self.yields = False

    def read(self, expression: ir.Expression) -> None:
        for child in read_nodes(expression):
            self.read_shallow(child)

    def read_test(self, test: ir.Expression) -> None:
        """A condition: its calls and assignments count, and the local names that it tests for themselves.

        What is needed for another reason is narrowed all the same; the rest only says which way to go, and both are
        taken.
        """
        inner = _Reader(self.receiver)
        inner.read(test)
        self.calls |= inner.calls
        self.copies |= inner.copies
        self.waits |= inner.waits
        self.definitions |= inner.definitions
        self.uses |= inner.uses if inner.definitions or inner.copies else frozenset(tested_names(test))

    def read_shallow(self, node: object) -> None:
        if isinstance(node, ir.Attribute):
            self.uses.update(changed_path(node))
            self.copies |= node.name == "is_pinned"
            if isinstance(node.value, ir.Name):
                self.uses.add(node.value.identifier)
        elif isinstance(node, ir.Name):
            self.uses.add(node.identifier)
            self.uses.add(f"{node.identifier}.*")
        elif isinstance(node, ir.Call):
            self._read_call(node)
        elif isinstance(node, ir.Walrus):
            self.define(node.target)
        elif isinstance(node, ir.Comprehension):
            for generator in node.generators:
                self.define(generator.target)
        elif isinstance(node, ir.Yield | ir.YieldFrom):
            self.yields = True

    def _read_call(self, node: ir.Call) -> None:
        function = node.function
        name = function.name if isinstance(function, ir.Attribute) else ""
        if isinstance(function, ir.Name):
            name = function.identifier
        if name:
            self.calls.add(name)
        keywords = {argument.keyword for argument in node.arguments}
        if "out" in keywords:
            for argument in node.arguments:
                if argument.keyword == "out":
                    self.definitions.update(changed_path(argument.value))
        starred = any(argument.stars == KEYWORD_STARS for argument in node.arguments)
        positional = sum(1 for argument in node.arguments if argument.keyword is None)
        self.waits |= name in _WAITS
        if "non_blocking" in keywords and isinstance(function, ir.Attribute):
            if name == "copy_":
                self.landings.update(changed_path(function.value))
            elif name == "to":
                self.lands |= any(names_host(argument.value) for argument in node.arguments)
        mover = name in _MOVERS
        self.copies |= "non_blocking" in keywords or (mover and (starred or positional > 1))
        self.copies |= name in _unasked_movers()
