"""PIN302: the host result of a `non_blocking=True` copy is read before anything waited for the copy."""

from __future__ import annotations

from pinlint.findings.finding import Severity
from pinlint.rules.base import Problem, Rule
from pinlint.rules.wording import copy, line_of
from pinlint.trace.events import EarlyReadEvent, Event


class ReadBeforeSync(Rule):
    """The result of a non-blocking device-to-host copy is read before anything waited for it.

    ## What it does

    Finds results of device-to-host copies with `non_blocking=True` whose values are read (`.item()`, `.tolist()`,
    arithmetic, a condition, printing) before anything waited for the copy. Reading the shape or the dtype is no read of
    the values, and neither is `.numpy()`, which makes a view.

    ## Why it hurts

    `gpu.to("cpu", non_blocking=True)` and `pinned.copy_(gpu, non_blocking=True)` return before the values have arrived.
    What is read then is garbage: whatever was in the memory before. Nothing raises, and on an idle device it often
    works.

    ## Example

    ```python
    tokens = sampled.to("cpu", non_blocking=True)
    return tokens.tolist()
    ```

    ## Use instead

    ```python
    tokens = sampled.to("cpu", non_blocking=True)
    done = torch.cuda.Event()
    done.record()
    ...
    done.synchronize()
    return tokens.tolist()
    ```

    With nothing to do in between, a blocking copy says the same in one line: `sampled.cpu().tolist()`.

    ## Fix safety

    No fix is offered: where to wait is the program's design.

    ## Exceptions

    A wait that pinlint cannot see, such as one inside a compiled extension: suppress the finding and name the wait as
    the reason.
    """

    code = "PIN302"
    name = "read-before-sync"

    def judge(self, event: Event) -> Problem | None:
        if not isinstance(event, EarlyReadEvent):
            return None
        copied = event.copy
        read = line_of(event.read, copied)
        message = f"the result of {copy(copied)} is read at {read} before anything waited for it: it may be garbage"
        return Problem(message, Severity.WARNING, copied.confidence, copied.place, copied.site, copied.steps)
