"""Where a trace starts: functions with copies, then the callers that decide what those copy."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection

from pinlint.files.prefilter import enclosing_definitions, may_copy
from pinlint.trace.declarations import ClassDeclaration, Declaration, FunctionDeclaration, ModuleDeclaration
from pinlint.trace.project import Project
from pinlint.trace.tracer import Tracer

_CALLED = re.compile(rb"([A-Za-z_]\w*)\(")
ROUNDS = 4
"""How many levels of callers are asked for what they pass."""
MAX_HELPERS = 4
"""A name that copying functions of more files have says nothing of which of them a file calls."""
MAX_CALLING_FILES = 40
"""A name that more files call is too common to follow."""


def trace_entries(project: Project, targets: Collection[str]) -> Tracer:
    """Evaluate every function that copies and, level by level, the callers whose arguments decide the copies."""
    tracer = Tracer(project)
    for path in targets:
        project.check_text(path)
    entered: dict[FunctionDeclaration, frozenset[str]] = {}
    for path in _seeds(project, targets):
        module = project.module(path)
        if module is not None:
            _enter_module(tracer, module, entered)
    asked: set[Declaration] = set()
    for _ in range(ROUNDS):
        wanted = [item for item in tracer.wanted_callers if item not in asked]
        if not wanted:
            break
        asked.update(wanted)
        _ask_callers(tracer, wanted, entered)
    return tracer


def _seeds(project: Project, targets: Collection[str]) -> list[str]:
    """The files whose bytes may hold a copy that concerns a target.

    They are the targets themselves and, elsewhere, the files with copying functions whose names a target calls,
    directly or through functions that call them.
    """
    holding: dict[str, bytes] = {}
    for path in project.files:
        source = project.source(path)
        if source is not None and may_copy(source.data):
            holding[path] = source.data
    asked = [path for path in targets if path in project.files]
    if len(asked) == len(project.files):
        return list(holding)
    found = {path for path in asked if path in holding}
    called = _called_by(project, asked)
    names = {path: enclosing_definitions(data) for path, data in holding.items() if path not in found}
    counts = Counter(name for each in names.values() for name in each)
    telling = frozenset(name for name in called if counts[name] <= MAX_HELPERS)
    found.update(path for path, each in names.items() if not telling.isdisjoint(each))
    return sorted(found)


def _called_by(project: Project, targets: Collection[str]) -> frozenset[str]:
    """The names that the targets call, by a search of their bytes."""
    names: set[str] = set()
    for path in targets:
        source = project.source(path)
        if source is not None:
            names.update(name.decode("utf-8", "replace") for name in _CALLED.findall(source.data))
    return frozenset(names)


def _enter_module(
    tracer: Tracer, module: ModuleDeclaration, entered: dict[FunctionDeclaration, frozenset[str]]
) -> None:
    if tracer.module_dependences(module).copies:
        tracer.enter_module(module)
    for function in module.functions:
        if function.parent is None and function.dependences.copies:
            entered[function] = frozenset()
            tracer.enter(function)


def _ask_callers(tracer: Tracer, wanted: list[Declaration], entered: dict[FunctionDeclaration, frozenset[str]]) -> None:
    """Evaluate the functions that call one of `wanted`, and again those that a constructor's arguments may decide."""
    project = tracer.project
    calling: dict[str, set[str]] = {}
    for declaration in sorted(wanted, key=lambda item: (item.module.path, item.node.span)):
        name = _called_name(declaration)
        if name is None:
            continue
        files = project.calling(name)
        if len(files) > MAX_CALLING_FILES:
            tracer.count("names too common to follow")
            continue
        tracer.follow([declaration])
        for path in files:
            calling.setdefault(path, set()).add(name)
    for path in sorted(calling):
        module = project.module(path)
        if module is not None:
            _enter_callers(tracer, module, frozenset(calling[path]), entered)
    built = [
        item
        for item in wanted
        if item in tracer.followed and (isinstance(item, ClassDeclaration) or item.name == "__init__")
    ]
    if built:
        tracer.forget_attributes()
        again = {root for item in built for root in tracer.wanted_callers[item] if root is not None}
        for function in sorted(again, key=lambda item: (item.module.path, item.node.span)):
            tracer.enter(function)


def _enter_callers(
    tracer: Tracer,
    module: ModuleDeclaration,
    names: frozenset[str],
    entered: dict[FunctionDeclaration, frozenset[str]],
) -> None:
    """Evaluate the functions of a module that call one of the names and have not been evaluated with it followed."""
    for function in module.functions:
        if function.parent is None:
            called = names & function.dependences.calls
            if called - entered.get(function, frozenset()):
                entered[function] = entered.get(function, frozenset()) | called
                tracer.enter(function)
    if not tracer.module_dependences(module).calls.isdisjoint(names):
        tracer.enter_module(module)


def _called_name(declaration: Declaration) -> str | None:
    """The name by which a function or class is called; None where calls can't be found by name."""
    if isinstance(declaration, ClassDeclaration):
        return declaration.name
    if declaration.name in ("__init__", "__post_init__", "__call__"):
        return None if declaration.owner is None else declaration.owner.name
    if declaration.name.startswith("__") or declaration.name == "<lambda>":
        return None
    return declaration.name
