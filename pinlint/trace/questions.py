"""Questions that may depend on each other in a circle, and their remembered answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pinlint.trace.joins import join
from pinlint.trace.values import NOTHING, UNKNOWN, Device, Memory, Value, tensors

MAX_QUESTIONS = 5
"""Attributes and names that depend on each other further than this are unknown."""
_NO_CIRCLE = 1 << 30
_K = TypeVar("_K")
_V = TypeVar("_V")


class Questions:
    """The questions being answered now; the answers are kept by those who ask."""

    def __init__(self, count: Callable[[str], None]) -> None:
        self._count = count
        self._open: dict[object, int] = {}
        self._met_again: set[object] = set()
        self._circle = _NO_CIRCLE
        self._provisional: list[tuple[dict[Any, Any], Any]] = []

    def ask(self, known: dict[_K, Value], key: _K, answer: Callable[[], Value]) -> Value:
        """The remembered answer to a question, or a new one.

        A question that is met again while it is being answered has no value yet (`NOTHING`). Answers that were found
        while relying on that are remembered for the current entry point only, except the one that closes the circle.
        """
        found = known.get(key)
        if found is not None:
            if key in self._open:
                self._circle = min(self._circle, self._open[key])
                self._met_again.add(key)
            return found
        depth = len(self._open)
        if depth >= MAX_QUESTIONS:
            self._count("questions nested too deeply")
            self._circle = -1
            return UNKNOWN
        outer, self._circle = self._circle, _NO_CIRCLE
        self._open[key] = depth
        known[key] = NOTHING
        mark = len(self._provisional)
        value = answer()
        if key in self._met_again and _may_be_pinned(value):
            # What depends on the answer itself (`self.x = self.x.pin_memory()`) is added in a second round.
            self._forget(mark)
            known[key] = value
            value = join(value, answer())
        self._met_again.discard(key)
        del self._open[key]
        known[key] = value
        if self._circle < depth:
            if value == NOTHING:
                # Nothing but the circle itself: asked again from elsewhere, there may be an answer.
                del known[key]
            else:
                self._provisional.append((known, key))
            self._circle = min(self._circle, outer)
        else:
            self._circle = outer
        return value

    def is_open(self, key: object) -> bool:
        """Whether a question is being answered right now."""
        return key in self._open

    def start(self) -> None:
        """Begin with a new entry point: what was remembered for the one before only is forgotten."""
        self._forget(0)

    def _forget(self, mark: int) -> None:
        """Forget the answers for this entry point only, from `mark` on; those of open questions stay."""
        for known, key in self._provisional[mark:]:
            if key not in self._open:
                known.pop(key, None)
        del self._provisional[mark:]

    def remember(self, known: dict[_K, _V], key: _K, answer: _V) -> None:
        """Keep an answer: for the current entry point only, where it relies on a question that is still open."""
        known[key] = answer
        if self._circle != _NO_CIRCLE:
            self._provisional.append((known, key))


def _may_be_pinned(value: Value) -> bool:
    """Whether a value is, or holds, memory that the rest of the answer may pin."""
    return any(item.device is Device.HOST and item.memory is Memory.PAGEABLE for item in tensors(value))
