"""Applies fixes to the bytes of one file.

A fix becomes replacements of text at offsets that the file's LibCST tree gives, so everything else stays byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from pinlint import ir
from pinlint.findings.finding import Fix
from pinlint.fixes import (
    assign_result,
    call_is_pinned,
    pin_after_assignment,
    pin_array,
    pin_at_allocation,
    pin_expression,
    pin_loader,
)
from pinlint.fixes.edits import CannotFix, Edit, apply_edits, conflict
from pinlint.fixes.imports import add_import
from pinlint.fixes.layout import line_limit
from pinlint.fixes.lookup import find
from pinlint.fixes.names import imports_module, spell
from pinlint.fixes.request import Request
from pinlint.fixes.source import Source
from pinlint.fixes.splitting import split_long_lines

FIXERS: Mapping[str, Callable[[Request], list[Edit]]] = {
    "pin-at-allocation": pin_at_allocation.edits,
    "pin-expression": pin_expression.edits,
    "pin-snapshot": pin_expression.edits,
    "pin-after-assignment": pin_after_assignment.edits,
    "pin-array": pin_array.edits,
    "pin-loader": pin_loader.edits,
    "assign-result": assign_result.edits,
    "call-is-pinned": call_is_pinned.edits,
}
"""By the `kind` of a fix."""

ImportProblem = Callable[[str], "str | None"]
"""Says why a module must not be imported into the file at hand, None when it may."""

_NEWLINE = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class FixedSource:
    """A file after fixing. `applied`, `refused` and `deferred` are together the fixes that were asked for."""

    data: bytes
    applied: tuple[Fix, ...]
    refused: tuple[tuple[Fix, str], ...]
    """Fixes that cannot be applied, each with the reason."""
    deferred: tuple[Fix, ...]
    """Fixes that change the same text as one that was applied: to be planned anew."""


def may_import(_module: str) -> str | None:
    """Let every module be imported."""
    return None


def fix_source(
    path: str, data: bytes, fixes: Sequence[Fix], import_problem: ImportProblem = may_import
) -> FixedSource | str:
    """Return the file `path`, which holds `data`, with `fixes` applied, or why none of them can be.

    All fixes are for this file; equal ones are applied once.
    """
    try:
        return _fix(Source(path, data), data, fixes, import_problem)
    except CannotFix as reason:
        return str(reason)


def _fix(source: Source, data: bytes, fixes: Sequence[Fix], import_problem: ImportProblem) -> FixedSource:
    limit = line_limit(source.text)
    edits: list[Edit] = []
    missing: dict[tuple[str, str], None] = {}
    applied: list[Fix] = []
    refused: list[tuple[Fix, str]] = []
    deferred: list[Fix] = []
    for same in _equal_ones(fixes):
        try:
            wanted, imports = _edits(source, same[0], limit, import_problem)
        except CannotFix as reason:
            refused += [(fix, str(reason)) for fix in same]
            continue
        if conflict(wanted, edits):
            deferred += same
            continue
        edits += wanted
        missing.update(dict.fromkeys(imports))
        applied += same
    if applied:
        data = _import_all(source, _rewrite(source, edits, limit), sorted(missing), limit)
    return FixedSource(data, tuple(applied), tuple(refused), tuple(deferred))


def _equal_ones(fixes: Sequence[Fix]) -> list[list[Fix]]:
    """Return the fixes in lists of those that write the same."""
    found: dict[tuple[object, ...], list[Fix]] = {}
    for fix in fixes:
        found.setdefault((fix.kind, fix.target, fix.replacement), []).append(fix)
    return list(found.values())


def _edits(
    source: Source, fix: Fix, limit: int, import_problem: ImportProblem
) -> tuple[list[Edit], list[tuple[str, str]]]:
    """Return the edits of one fix, and the `(module, name)` pairs that they need imported."""
    replacement, missing = fix.replacement, []
    for wanted in fix.imports:
        found = find(source.module, fix.target, ir.Node)
        if found is None:
            raise CannotFix(f"line {fix.target[0]} holds no such expression")
        spelling = spell(source.module, fix.path, found, replacement, wanted)
        replacement = spelling.expression
        if spelling.missing is not None:
            missing.append(spelling.missing)
            problem = None if imports_module(source.module, fix.path, wanted[0]) else import_problem(wanted[0])
            if problem is not None:
                raise CannotFix(problem)
    return FIXERS[fix.kind](Request(source, fix, replacement, limit)), missing


def _rewrite(source: Source, edits: list[Edit], limit: int) -> str:
    """Return the text with `edits` applied, and with the lines split that they made too long."""
    changed: set[int] = set()
    shift = 0
    for edit in sorted(edits):
        first = len(_NEWLINE.findall(source.text, 0, edit.start)) + shift
        added = len(_NEWLINE.findall(edit.text))
        if source.line_end(edit.start) - source.line_start(edit.start) <= limit:
            changed.update(range(first, first + added + 1))
        shift += added - len(_NEWLINE.findall(source.text, edit.start, edit.end))
    return split_long_lines(apply_edits(source.text, edits), changed, limit, source.unit)


def _import_all(source: Source, text: str, missing: Sequence[tuple[str, str]], limit: int) -> bytes:
    """Return the bytes of `text` with imports added; raises CannotFix when the result is not Python any more."""
    changed = Source(source.path, source.encode(text))
    for module, name in missing:
        edits = add_import(changed, module, name, limit)
        changed = Source(source.path, source.encode(apply_edits(changed.text, edits)))
    return source.encode(changed.text)
