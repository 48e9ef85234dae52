"""Adds an import where isort would put it."""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pinlint import ir
from pinlint.fixes.edits import Edit
from pinlint.fixes.items import Items, insert
from pinlint.fixes.source import Source

_Import = ir.Import | ir.ImportFrom

_IMPORT_TOKEN = re.compile(r"#[^\r\n]*|\w+|[().,]")

FUTURE, STANDARD, THIRD_PARTY, FIRST_PARTY, LOCAL = range(5)
"""isort's sections, in order."""


def add_import(source: Source, module: str, name: str, limit: int) -> list[Edit]:
    """Return the edits that import `name` from `module` at module level, or `module` itself when `name` is empty."""
    if name:
        present = next((each for run in _leading(source) for each in run if _is_from(each, module)), None)
        if present is not None:
            return _extend(source, present, name, limit)
    statement = f"from {module} import {name}" if name else f"import {module}"
    return [_new_statement(source, statement, _Rank.of(source, module, is_from=bool(name)))]


def _leading(source: Source) -> list[list[_Import]]:
    """Return the imports at module level before the first function or class, a list for each unbroken run."""
    runs: list[list[_Import]] = [[]]
    for statement in source.module.body:
        if isinstance(statement, ir.FunctionDef | ir.ClassDef):
            break
        if isinstance(statement, ir.Import | ir.ImportFrom):
            runs[-1].append(statement)
        elif runs[-1]:
            runs.append([])
    return [run for run in runs if run]


def _is_from(statement: _Import, module: str) -> bool:
    if not isinstance(statement, ir.ImportFrom) or statement.level or statement.module != module:
        return False
    return all(each.name != "*" for each in statement.names)


def _extend(source: Source, statement: _Import, name: str, limit: int) -> list[Edit]:
    """Return the edits that add `name` to a `from ... import ...` statement."""
    names = [each.name for each in statement.names]
    index = len(names)
    if names == sorted(names, key=_member_key):
        index = next((i for i, each in enumerate(names) if _member_key(each) > _member_key(name)), index)
    listed = _names_of(source, statement)
    start, end = source.range(statement.span)
    if listed.closing != end:
        return insert(source, listed, index, name, limit)
    if end - source.line_start(start) + len(f", {name}") > limit and "\\" not in source.text[start:end]:
        return [_in_parentheses(source, listed.items, index, name)]
    if index == len(names):
        return [Edit(end, end, f", {name}")]
    place = listed.items[index][0]
    return [Edit(place, place, f"{name}, ")]


def _names_of(source: Source, statement: _Import) -> Items:
    """Return where the imported names stand in a `from ... import ...` statement.

    Without parentheses the list closes where the statement ends.
    """
    base, end = source.range(statement.span)
    words = [match for match in _IMPORT_TOKEN.finditer(source.text, base, end) if not match.group().startswith("#")]
    words = words[[word.group() for word in words].index("import") + 1 :]
    brackets = [word for word in words if word.group() in "()"]
    items: list[tuple[int, int]] = []
    for word, previous in zip(words, [None, *words], strict=False):
        if word.group() in "(),":
            continue
        if previous is None or previous.group() in "(,":
            items.append(word.span())
        else:  # `as alias`
            items[-1] = (items[-1][0], word.end())
    return Items(items[0][0], brackets[-1].start() if brackets else end, items)


def _in_parentheses(source: Source, ranges: Sequence[tuple[int, int]], index: int, name: str) -> Edit:
    """Return the edit that writes the names of a one-line import one a line, with `name` among them."""
    names = [source.text[start:end] for start, end in ranges]
    names.insert(index, name)
    newline = source.newline(ranges[0][0])
    lines = "".join(f"{source.unit}{each},{newline}" for each in names)
    return Edit(ranges[0][0], ranges[-1][1], f"({newline}{lines})")


def _member_key(name: str) -> tuple[int, str]:
    """Order imported names as isort does: constants, classes, then the rest."""
    bare = name.strip("_")
    if bare.isupper() and len(bare) > 1:
        return 0, name.lower()
    return (1 if bare[:1].isupper() else 2), name.lower()


@dataclass(frozen=True, slots=True, order=True)
class _Rank:
    """Where a statement belongs among the imports."""

    section: int
    is_from: bool
    module: str

    @classmethod
    def of(cls, source: Source, module: str, *, is_from: bool, level: int = 0) -> _Rank:
        return cls(_section(source, module, level), is_from, module.lower())

    @classmethod
    def of_statement(cls, source: Source, statement: _Import) -> _Rank:
        if isinstance(statement, ir.ImportFrom):
            return cls.of(source, statement.module, is_from=True, level=statement.level)
        return cls.of(source, statement.names[0].name, is_from=False)


def _section(source: Source, module: str, level: int) -> int:
    top = module.partition(".")[0]
    if level:
        return LOCAL
    if top == "__future__":
        return FUTURE
    if top in sys.stdlib_module_names:
        return STANDARD
    return FIRST_PARTY if top in Path(source.path).absolute().parent.parts else THIRD_PARTY


def _new_statement(source: Source, statement: str, rank: _Rank) -> Edit:
    """Return the edit that adds an import statement at its rank, with the blank lines between sections."""
    runs = _leading(source)
    for run in reversed(runs):
        section = [each for each in run if _Rank.of_statement(source, each).section == rank.section]
        if section:
            return _in_section(source, statement, rank, section)
    imports = runs[0] if runs else []
    earlier = [each for each in imports if _Rank.of_statement(source, each) < rank]
    if earlier:
        offset = source.line_end(source.range(earlier[-1].span)[1])
        newline = source.newline(offset)
        return Edit(offset, offset, f"{newline}{newline}{statement}{_gap(source, offset, newline)}")
    return _first_import(source, statement, imports)


def _in_section(source: Source, statement: str, rank: _Rank, section: list[_Import]) -> Edit:
    ranks = [_Rank.of_statement(source, each) for each in section]
    if ranks == sorted(ranks):
        later = next((each for each, its in zip(section, ranks, strict=True) if its > rank), None)
        if later is not None and source.starts_line(source.range(later.span)[0]):
            start = _with_comments(source, section, later)
            return Edit(start, start, statement + source.newline(start))
    offset = source.line_end(source.range(section[-1].span)[1])
    return Edit(offset, offset, source.newline(offset) + statement)


def _with_comments(source: Source, section: list[_Import], statement: _Import) -> int:
    """Return the offset of the first of the comment lines directly above a statement.

    The comments above the first import of a section are a heading, not the import's.
    """
    start = source.line_start(source.range(statement.span)[0])
    if statement is section[0]:
        return start
    while start and source.text[source.line_start(start - 1) : start].lstrip().startswith("#"):
        start = source.line_start(start - 1)
    return start


def _gap(source: Source, offset: int, newline: str) -> str:
    """Return the newline that puts a blank line before what follows at the end of a line, "" when it has one."""
    following = source.text[offset + len(newline) :]
    return "" if not following.strip() or re.match(r"[ \t]*(\r\n?|\n)", following) else newline


def _first_import(source: Source, statement: str, imports: list[_Import]) -> Edit:
    """Return the edit for an import before all others, or in a file without imports."""
    if imports:
        start = source.line_start(source.range(imports[0].span)[0])
        newline = source.newline(start)
        return Edit(start, start, f"{statement}{newline}{newline}")
    first = source.module.body[0]
    if isinstance(first, ir.ExpressionStatement) and isinstance(first.value, ir.Constant):
        offset = source.line_end(source.range(first.span)[1])
        newline = source.newline(offset)
        return Edit(offset, offset, f"{newline}{newline}{statement}{_gap(source, offset, newline)}")
    decorators = first.decorators if isinstance(first, ir.FunctionDef | ir.ClassDef) else ()
    start = source.line_start(source.range(decorators[0].span if decorators else first.span)[0])
    newline = source.newline(start)
    return Edit(start, start, f"{statement}{newline}{newline}")
