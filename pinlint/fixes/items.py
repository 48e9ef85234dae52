"""Adds an item to a list of items separated by commas (arguments, imported names), in the way the list is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pinlint.fixes.edits import Edit
from pinlint.fixes.source import Source

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Items:
    """The offsets of a list: of its items, without commas, and of what is between its brackets."""

    opening: int
    """Just after the opening bracket, or where the list starts when it has no brackets."""
    closing: int
    """The closing bracket, or where the list ends."""
    items: Sequence[Range]


def insert(source: Source, listed: Items, index: int, item: str, limit: int) -> list[Edit]:
    """Return the edits that put `item` before the item at `index`, or at the end when `index` is their number.

    One item a line stays one item a line, a trailing comma stays, comments stay with their items. `limit` is the
    length above which a line is too long to append to.
    """
    if not listed.items:
        return [Edit(listed.opening, listed.opening, item)]
    if index < len(listed.items):
        return [_before(source, listed.items[index][0], item)]
    last_start, last_end = listed.items[-1]
    if _own_lines(source, listed) or _needs_own_line(source, listed, item, limit):
        return _on_next_line(source, listed, _item_indent(source, listed, last_start), item)
    return [Edit(last_end, last_end, f", {item}")]


def _before(source: Source, start: int, item: str) -> Edit:
    if source.starts_line(start):
        return Edit(start, start, f"{item},{source.newline(start)}{source.indentation(start)}")
    return Edit(start, start, f"{item}, ")


def _own_lines(source: Source, listed: Items) -> bool:
    """Whether the list is written with one item a line."""
    rest = listed.items[1:]
    if rest:
        return all(source.starts_line(start) for start, _ in rest)
    start, end = listed.items[0]
    several_lines = source.line_start(start) != source.line_start(end)
    return source.starts_line(start) and (several_lines or _trailing_comma(source, listed, end) is not None)


def _needs_own_line(source: Source, listed: Items, item: str, limit: int) -> bool:
    """Whether a list with several items a line continues on a new one: for a comment's sake, or for its length."""
    end = listed.items[-1][1]
    comma = _trailing_comma(source, listed, end)
    line_end = source.line_end(end)
    if source.text[end if comma is None else comma + 1 : line_end].lstrip().startswith("#"):
        return True
    too_long = line_end - source.line_start(end) + len(f", {item}") > limit
    return too_long and any(source.starts_line(start) for start, _ in listed.items[1:])


def _trailing_comma(source: Source, listed: Items, end: int) -> int | None:
    """Return the offset of the comma after the last item, which ends at `end`, or None."""
    after = source.after_trivia(end)
    return after if after < listed.closing and source.text[after] == "," else None


def _item_indent(source: Source, listed: Items, last_start: int) -> str:
    """Return the white space that puts a new line's item under the others."""
    aligned = [start for start, _ in listed.items if source.starts_line(start)]
    return source.indentation(aligned[-1] if aligned else last_start)


def _on_next_line(source: Source, listed: Items, indent: str, item: str) -> list[Edit]:
    last_end = listed.items[-1][1]
    comma = _trailing_comma(source, listed, last_end)
    done = last_end if comma is None else comma + 1
    line_end = source.line_end(done)
    closes_later = line_end < listed.closing
    trailing = comma is not None or (closes_later and len(listed.items) == 1)
    line = f"{source.newline(done)}{indent}{item}{',' if trailing else ''}"
    place = line_end if closes_later else done
    if comma is not None:
        return [Edit(place, place, line)]
    if place == done:
        return [Edit(done, done, f",{line}")]
    return [Edit(done, done, ","), Edit(place, place, line)]
