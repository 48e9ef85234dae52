"""PIN301: pinned memory is written while a copy of it may be in flight."""

from __future__ import annotations

from pinlint.findings.finding import Severity
from pinlint.rules.base import Problem, Rule
from pinlint.rules.wording import copy, line_of, tensor
from pinlint.trace.events import Direction, Event, RaceEvent


class OverwrittenInFlight(Rule):
    """Pinned memory is written while a non-blocking copy of it may be in flight.

    ## What it does

    Finds pinned host memory that is written after a `non_blocking=True` copy of it, with nothing in between that waits
    for the copy: by an index, an in-place method, `out=` or a NumPy view, on the next turn of a loop, or on the next
    call of the method.

    ## Why it hurts

    The call returns before the copy has run. A write that comes too early reaches the device in place of the values
    that were meant: measured on an NVIDIA H200 with torch 2.11, 10 of 10 such copies were corrupted, from 64 bytes
    up. Nothing raises. (From *pageable* memory 0 of 10 were: that copy has left the memory when the call returns.
    Pinning a buffer that is reused turns a slow program into a wrong one.)

    ## Example

    ```python
    stage = torch.empty(n, pin_memory=True)
    for chunk, target in zip(chunks, targets):
        stage.copy_(chunk)
        target.copy_(stage, non_blocking=True)
    ```

    ## Use instead

    A new pinned tensor for each copy. It may be dropped at once, since torch keeps pinned memory until its copies are
    done, and from the second time on it costs a few microseconds:

    ```python
    for chunk, target in zip(chunks, targets):
        target.copy_(chunk.pin_memory(), non_blocking=True)
    ```

    Or wait before the write, with an event recorded after the copy (`done.synchronize()`), or take turns between two
    buffers with an event each.

    ## Fix safety

    No fix is offered: where to wait, and for what, is the program's design.

    ## Exceptions

    A wait that pinlint cannot see, such as one inside a compiled extension: suppress the finding and name the wait as
    the reason.
    """

    code = "PIN301"
    name = "overwritten-in-flight"

    def judge(self, event: Event) -> Problem | None:
        if not isinstance(event, RaceEvent):
            return None
        copied = event.copy
        if copied.direction is Direction.D2H:
            harm = "may still be filling it: the host may find a mixture of both"
        else:
            harm = "may still be reading it: wrong values may reach the device"
        written = f"{tensor(copied, 'the pinned memory')} is written at {line_of(event.write, copied)}"
        message = f"{written} while {copy(copied)} {harm}"
        return Problem(message, Severity.WARNING, copied.confidence, copied.place, copied.site, copied.steps)
