"""Gives a call `pin_memory=...`."""

from __future__ import annotations

import libcst as cst

from pinlint.fixes.edits import CannotFix, Edit
from pinlint.fixes.items import Items, insert
from pinlint.fixes.source import Source

KEYWORD = "pin_memory"


def pass_pin_memory(source: Source, call: cst.Call, value: str, limit: int) -> list[Edit]:
    """Return the edits that make `call` pass `pin_memory=value`.

    A literal `False` or `None` that it passes now is replaced. Raises CannotFix when it passes anything else.
    """
    present = next((arg for arg in call.args if arg.keyword is not None and arg.keyword.value == KEYWORD), None)
    if present is not None:
        return [_replace(source, present, value)]
    item = f"{KEYWORD}={value}"
    if len(call.args) == 1 and isinstance(call.args[0].value, cst.GeneratorExp) and not call.args[0].value.lpar:
        start, end = source.node_range(call.args[0].value)
        return [Edit(start, start, "("), Edit(end, end, f"), {item}")]
    first_double_star = next((i for i, arg in enumerate(call.args) if arg.star == "**"), len(call.args))
    return insert(source, _items(source, call), first_double_star, item, limit)


def _replace(source: Source, arg: cst.Arg, value: str) -> Edit:
    start, end = source.node_range(arg.value)
    text = source.text[start:end]
    if text not in ("False", "None"):
        raise CannotFix(f"`{KEYWORD}={text}` is passed there already")
    return Edit(start, end, value)


def _items(source: Source, call: cst.Call) -> Items:
    opening = source.after_trivia(source.end_of(call.func)) + 1
    start, ranges = opening, []
    for arg in call.args:
        start = source.after_trivia(start)
        end = source.end_of(arg.value)
        ranges.append((start, end))
        start = source.after_trivia(end) + 1  # after the comma
    return Items(opening, source.node_range(call)[1] - 1, ranges)
