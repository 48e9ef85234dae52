"""PIN201: a device-to-host copy with `non_blocking=True` into pageable memory."""

from __future__ import annotations

from pinlint.rules.base import Problem, Rule, copy_problem
from pinlint.rules.wording import d2h_wait, pageable
from pinlint.trace.events import CopyEvent, Direction, Event, Verdict


class PageableD2HCopy(Rule):
    """Non-blocking device-to-host copy into pageable memory.

    ## What it does

    Finds copies from an accelerator into pageable host memory that say `non_blocking=True`:
    `host.copy_(gpu, non_blocking=True)` with a `host` that is not pinned.

    ## Why it hurts

    Such a copy always makes the host wait until the work queued on the stream before it and the copy itself are done,
    even for 4 bytes (measured on an NVIDIA H200 with torch 2.11). Into pinned memory it never waits. While a CUDA graph
    is captured torch raises instead; such findings are errors.

    ## Example

    ```python
    self.host = torch.empty(n, dtype=torch.int64)
    self.host.copy_(sampled, non_blocking=True)
    ```

    ## Use instead

    ```python
    self.host = torch.empty(n, dtype=torch.int64, pin_memory=True)
    self.host.copy_(sampled, non_blocking=True)
    done.record()
    ...
    done.synchronize()  # before the host reads it
    ```

    Or let torch allocate the result: `sampled.to("cpu", non_blocking=True)` returns pinned memory and never waits.

    ## Fix safety

    Today the copy is complete when the call returns. After pinning it is not, so a read of the buffer before a
    synchronize gets garbage. The fix is safe only if no such read can follow. `pin_memory=True` raises on a machine
    without an accelerator: it is written plainly only where the device is certainly one.

    ## Exceptions

    If the next line reads the result anyway, leave out `non_blocking=True`: the wait is then meant and visible.
    """

    code = "PIN201"
    name = "pageable-d2h-copy"

    def judge(self, event: Event) -> Problem | None:
        if not isinstance(event, CopyEvent) or event.direction is not Direction.D2H:
            return None
        if event.verdict is not Verdict.PAGEABLE:
            return None
        return copy_problem(event, f"{pageable(event, 'the destination')}: {d2h_wait(event)}")
