"""PIN202: a device-to-host copy with `non_blocking=True` into a pinned tensor whose layout needs a temporary."""

from __future__ import annotations

from pinlint.rules.base import Problem, Rule, copy_problem
from pinlint.rules.wording import d2h_wait, layout, tensor
from pinlint.trace.events import CopyEvent, Direction, Event, Verdict


class GappedD2HCopy(Rule):
    """Non-blocking device-to-host copy into pinned memory that needs a temporary.

    ## What it does

    Finds copies from an accelerator into pinned host memory that say `non_blocking=True` and whose destination
    cannot be filled in one piece: a view with gaps (`pinned[:, :n]`, `pinned[::2]`), or a layout that differs from
    the source's (`pinned.t().copy_(gpu)`).

    ## Why it hurts

    Torch copies into a dense temporary and from there into the destination, which takes a wait: measured on an NVIDIA
    H200 with torch 2.11, such a copy always makes the host wait for the stream, at 4 x 4 elements too.

    The layout of the *source* does not matter for `gpu[:, :n].to("cpu", non_blocking=True)`, and
    `pinned.t().copy_(gpu.t(), non_blocking=True)` has the same layout on both sides: neither waits.

    ## Example

    ```python
    results = torch.empty(rows, width, pin_memory=True)
    results[:, :used].copy_(logits, non_blocking=True)
    ```

    ## Use instead

    Copy into a dense pinned tensor, or one row at a time:

    ```python
    staging = torch.empty(rows, used, pin_memory=True)
    staging.copy_(logits, non_blocking=True)
    ```

    Or let torch allocate the pinned result: `logits.to("cpu", non_blocking=True)`.

    ## Fix safety

    The fix is shown and never applied: where the result is wanted decides which form is best.

    ## Exceptions

    A slice that always spans the full width, or a single row, is dense. Where pinlint cannot see that, the finding has
    medium confidence: suppress it with the reason on the line.
    """

    code = "PIN202"
    name = "gapped-d2h-copy"

    def judge(self, event: Event) -> Problem | None:
        if not isinstance(event, CopyEvent) or event.direction is not Direction.D2H:
            return None
        if event.verdict is not Verdict.GAPPED:
            return None
        destination = tensor(event, "the destination")
        return copy_problem(event, f"{destination} is pinned, but {layout(event, 'source')}: {d2h_wait(event)}")
