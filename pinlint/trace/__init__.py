"""The whole-program tracer: it follows tensors from where they are allocated to where they are copied."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pinlint.files.errors import FileError
from pinlint.trace.events import CopyEvent, Event

if TYPE_CHECKING:
    from pinlint.trace.project import Project

STACK_BYTES = 512 * 1024 * 1024
RECURSION_LIMIT = 200_000

_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class TraceResult:
    """What a trace found in the files it was asked about."""

    events: tuple[Event, ...]
    errors: tuple[FileError, ...]
    statistics: tuple[tuple[str, int], ...]
    """How often something was left unknown because a limit was reached, and what was read."""


def trace(project: Project, targets: Collection[str]) -> TraceResult:
    """Trace a project for the copies in some of its files.

    `targets` are absolute paths of files of the project. Events are those whose copy, or whose call in the frame that
    owns the memory, lies in a target; sorted by place.
    """
    return _deep(lambda: _trace(project, targets))


def _trace(project: Project, targets: Collection[str]) -> TraceResult:
    from pinlint.trace.entries import trace_entries  # noqa: PLC0415 # the interpreter is loaded when something is traced

    tracer = trace_entries(project, targets)
    wanted = {project.display(path) for path in targets}
    found = [event for event in tracer.log.events() if _concerns(event, wanted)]
    errors = tuple(project.errors[path] for path in sorted(project.errors) if path in targets)
    statistics = {"files parsed": project.parsed, **tracer.statistics}
    return TraceResult(tuple(sorted(found, key=_order)), errors, tuple(sorted(statistics.items())))


def _concerns(event: Event, wanted: set[str]) -> bool:
    copy = event if isinstance(event, CopyEvent) else getattr(event, "copy", None)
    if isinstance(copy, CopyEvent):
        return copy.place.path in wanted or copy.site.path in wanted
    return event.site.path in wanted  # type: ignore[union-attr] # the events that are no copies have a site


def _order(event: Event) -> tuple[object, ...]:
    copy = event if isinstance(event, CopyEvent) else getattr(event, "copy", None)
    site = copy.place if isinstance(copy, CopyEvent) else event.site  # type: ignore[union-attr] # as above
    return (site.path, site.line, site.column, type(event).__name__, str(event))


def _deep(function: Callable[[], _T]) -> _T:
    """Run with a stack that deeply nested code does not exhaust; exceptions are raised here."""
    result: list[_T] = []
    failure: list[BaseException] = []

    def target() -> None:
        try:
            result.append(function())
        except BaseException as error:  # noqa: BLE001 # raised again in the caller's thread
            failure.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(STACK_BYTES)
    sys.setrecursionlimit(RECURSION_LIMIT)
    try:
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if failure:
        raise failure[0]
    return result[0]
