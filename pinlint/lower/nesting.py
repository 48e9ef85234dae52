"""How deeply one statement is nested, by a scan of its tokens that neither recurses nor fails.

Depth is counted in levels of the syntax tree. A *run* is a stretch of code between separators: an operator or a keyword
adds a level to all of it; `.name`, `(...)`, `[...]` and a string literal add one to the operand they belong to. On text
that is no Python the numbers are merely meaningless.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from pinlint.lower.tokens import CODE, INSIDE


class Nesting(NamedTuple):
    """The levels of a statement's deepest expression, and the brackets (and strings with code) within one another."""

    levels: int
    brackets: int
    head_brackets: int
    """The brackets before the statement's first colon outside brackets, such as those of a `case` pattern."""


def nesting(statement: str) -> Nesting:
    """Measure one statement, or several simple ones in one line."""
    scan = _Scan(statement)
    position = 0
    while position < len(statement):
        position = scan.step(position)
    return scan.result()


def end_of_string(text: str, start: int) -> int:
    """Where the string literal ends whose prefix or quote stands at `start`, with the code it holds."""
    scan = _Scan(text)
    position = scan.step(start)
    while scan.frames and position < len(text):
        position = scan.step(position)
    return position


class _Frame(NamedTuple):
    """What a bracket, a string or a replacement field interrupts: how to go on, and the run at that place."""

    quote: str
    """Of the string that this is, or whose replacement field this is; "" for a bracket."""
    resume: re.Pattern[str]
    operators: int
    deepest: int
    operand: int
    finished: int


class _Scan:
    def __init__(self, text: str) -> None:
        self.frames: list[_Frame] = []
        self._text = text
        self._pattern = CODE
        self._brackets = 0
        self._head_brackets: int | None = None
        # The run at hand: its operators, its deepest operand, the operand at hand; and the deepest run before it.
        self._operators = self._deepest = self._operand = self._finished = 0
        self._handlers = {
            "link": self._link,
            "open": self._open,
            "close": self._close,
            "separator": self._separator,
            "colon": self._colon,
            "operator": self._operator,
            "string": self._link,
            "string_start": self._string_start,
            "string_end": self._string_end,
        }

    def step(self, position: int) -> int:
        """Take in the token at `position`; where the next one starts."""
        match = self._pattern.match(self._text, position)
        if match is None:
            raise AssertionError(f"the patterns match everywhere, but not at {position}")
        if match.lastgroup is not None:
            self._handlers[match.lastgroup](match)
        return match.end()

    def result(self) -> Nesting:
        """The nesting of all that was taken in; brackets left open are closed."""
        while self.frames:
            self._pop()
        self._finish_run()
        head = self._brackets if self._head_brackets is None else self._head_brackets
        return Nesting(self._finished, self._brackets, head)

    # --- runs ---------------------------------------------------------------------------------------------------------

    def _link(self, _: re.Match[str]) -> None:
        self._operand += 1

    def _operator(self, _: re.Match[str]) -> None:
        self._operators += 1
        self._deepest = max(self._deepest, self._operand)
        self._operand = 0

    def _separator(self, _: re.Match[str]) -> None:
        self._finish_run()

    def _finish_run(self) -> None:
        depth = self._operators + max(self._deepest, self._operand)
        self._finished = max(self._finished, depth)
        self._operators = self._deepest = self._operand = 0

    # --- brackets and strings -----------------------------------------------------------------------------------------

    def _push(self, quote: str, pattern: re.Pattern[str]) -> None:
        run = self._operators, self._deepest, self._operand, self._finished
        self.frames.append(_Frame(quote, self._pattern, *run))
        self._pattern = pattern
        self._operators = self._deepest = self._operand = self._finished = 0
        self._brackets = max(self._brackets, len(self.frames))

    def _pop(self) -> _Frame:
        self._finish_run()
        inner = self._finished
        frame = self.frames.pop()
        _, self._pattern, self._operators, self._deepest, self._operand, self._finished = frame
        self._operand = max(self._operand, inner) + 1
        return frame

    def _open(self, _: re.Match[str]) -> None:
        in_string = self._pattern is not CODE
        self._push(self.frames[-1].quote if in_string else "", CODE)

    def _close(self, match: re.Match[str]) -> None:
        # A replacement field is closed by a brace only; a bracket by any, as the text may be no Python.
        if self.frames and (not self.frames[-1].quote or match["close"] == "}"):
            self._pop()
            if self._pattern is not CODE:  # the fields of an f-string stand beside one another
                self._finish_run()

    def _colon(self, _: re.Match[str]) -> None:
        if not self.frames:
            if self._head_brackets is None:
                self._head_brackets = self._brackets
        elif self.frames[-1].quote:
            self._pattern = INSIDE[self.frames[-1].quote].specification

    def _string_start(self, match: re.Match[str]) -> None:
        opening = match["string_start"]
        quote = opening[-3:] if opening[-3:] in INSIDE else opening[-1]
        prefix = opening[: -len(quote)].lower()
        inside = INSIDE[quote]
        self._push(quote, inside.formatted if "f" in prefix or "t" in prefix else inside.plain)

    def _string_end(self, _: re.Match[str]) -> None:
        while self._pop().resume is not CODE:  # out of a format specification that the string's end cuts off
            pass
