"""What a trace has found: copies as each chain of calls reaches them, and what happens to their memory meanwhile."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from pinlint.findings.finding import Step
from pinlint.ir import Span
from pinlint.trace.declarations import FunctionDeclaration
from pinlint.trace.events import CopyEvent, EarlyReadEvent, Event, RaceEvent, Site, Verdict
from pinlint.trace.values import Memory, Origin, Tensor, Value, tensors

Key = tuple[object, ...]
POSITIVE = (Verdict.PAGEABLE, Verdict.GAPPED)


@dataclass(frozen=True, slots=True)
class Context:
    """A copy as one chain of calls reaches it."""

    event: CopyEvent
    origins: frozenset[Origin]
    """Parameters without which the verdict would be another (for an unknown one: which are missing)."""
    root: FunctionDeclaration | None
    """The function at the start of the chain."""


class Log:
    """Everything found so far; `events()` draws the conclusions."""

    def __init__(self) -> None:
        self.contexts: dict[Key, dict[CopyEvent, Context]] = {}
        self.others: dict[Event, None] = {}
        self.sites: dict[tuple[str, Span], Site] = {}
        self._written: dict[tuple[str, Span], list[Step]] = {}
        self._races: dict[Key, list[Step]] = {}
        self._reads: dict[Key, list[Step]] = {}
        self._escaped: set[tuple[str, Span]] = set()

    def add(self, event: Event) -> None:
        self.others[event] = None

    def add_copy(self, event: CopyEvent, origins: frozenset[Origin], root: FunctionDeclaration | None) -> Key:
        key = (event.site.path, event.site.span, event.form)
        self.contexts.setdefault(key, {}).setdefault(event, Context(event, origins, root))
        return key

    def written(self, key: Key, tensor: Tensor, step: Step) -> None:
        """Host memory is written while the copy may be in flight."""
        self._written.setdefault((tensor.storage.path, tensor.storage.span), []).append(step)
        if tensor.memory is Memory.PINNED:
            steps = self._races.setdefault(key, [])
            if step not in steps:
                steps.append(step)

    def read(self, key: Key, pinned: bool, step: Step) -> None:
        """The destination of a device-to-host copy is read before it has arrived."""
        if pinned:
            steps = self._reads.setdefault(key, [])
            if step not in steps:
                steps.append(step)

    def escaping(self, result: Value) -> None:
        """A value leaves the function that was evaluated for itself: its callers may write it."""
        for tensor in tensors(result):
            self._escaped.add((tensor.storage.path, tensor.storage.span))

    def events(self) -> Iterator[Event]:
        """All events, each copy with the verdicts that its contexts leave."""
        yield from self.others
        for key in sorted(self.contexts, key=str):
            for context in self._conclude(list(self.contexts[key].values())):
                yield from self._finish(key, context.event)

    def _conclude(self, contexts: list[Context]) -> list[Context]:
        positive = [item for item in contexts if item.event.verdict in POSITIVE]
        proven = [item for item in positive if not item.origins]
        if proven:
            return _distinct(proven)
        decided = [item for item in contexts if item.event.verdict is not Verdict.UNKNOWN and not item.origins]
        unknown = [item for item in contexts if item.event.verdict is Verdict.UNKNOWN]
        if positive and not decided:
            # Nobody in the project passes something else: what the parameter's annotation says stands.
            return _distinct(positive)
        if decided and (positive or not unknown or all(item.origins for item in unknown)):
            return decided[:1]
        return unknown[:1] or decided[:1] or contexts[:1]

    def _finish(self, key: Key, event: CopyEvent) -> Iterator[Event]:
        if event.verdict in POSITIVE and event.steps:
            memory = [(step.path, step.span) for step in event.steps[:-1]]
            escapes = event.hazards.escapes or any(place in self._escaped for place in memory)
            writes = [step for place in memory for step in self._written.get(place, [])]
            written = min(writes, key=_place, default=None)
            event = replace(event, hazards=replace(event.hazards, written_after=written, escapes=escapes))
        yield event
        for step in sorted(self._races.get(key, []), key=_place)[:1]:
            yield RaceEvent(replace(event, steps=(*event.steps, step)), step)
        for step in sorted(self._reads.get(key, []), key=_place)[:1]:
            yield EarlyReadEvent(replace(event, steps=(*event.steps, step)), step)


def _place(step: Step) -> tuple[str, Span]:
    return step.path, step.span


def _distinct(contexts: list[Context]) -> list[Context]:
    """One context for each place and allocation, the shortest path first."""
    found: dict[object, Context] = {}
    for item in sorted(contexts, key=lambda context: (len(context.event.steps), str(context.event.steps))):
        event = item.event
        allocation = event.steps[0] if event.steps else None
        found.setdefault((event.place.path, event.place.line, allocation), item)
    return list(found.values())
