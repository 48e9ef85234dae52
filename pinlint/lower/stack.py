"""Room for deep recursion: LibCST and the walks over its trees recurse as deeply as the source is nested."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import TypeVar

_ResultT = TypeVar("_ResultT")

STACK_BYTES = 64 * 1024 * 1024
"""Ten times what the deepest source takes that the gate lets through; only what is touched becomes real memory."""
RECURSION_LIMIT = 20_000
"""Five times what that source takes."""

_one_at_a_time = threading.Lock()


class NoDeepStackError(Exception):
    """The system does not give a thread a stack of the size that is needed."""


def call_with_deep_stack(function: Callable[[], _ResultT]) -> _ResultT:
    """What `function` returns, called in a thread with a large stack and under a high recursion limit.

    Raises what `function` raises, and `NoDeepStackError` where no such thread can be had.
    """
    results: list[_ResultT] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001  # raised again below, in the caller's thread
            errors.append(error)

    # The limit and the stack's size belong to the whole interpreter.
    with _one_at_a_time:
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, RECURSION_LIMIT))
        try:
            _start(work).join()
        finally:
            sys.setrecursionlimit(limit)
    if errors:
        raise errors[0]
    return results[0]


def _start(work: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=work, name="pinlint-deep-stack", daemon=True)
    size = threading.stack_size()
    try:
        threading.stack_size(STACK_BYTES)
        thread.start()
    except (RuntimeError, ValueError) as error:  # no such size, or no memory for one more thread
        raise NoDeepStackError(f"no thread with a stack of {STACK_BYTES >> 20} MiB: {error}") from error
    finally:
        threading.stack_size(size)
    return thread
