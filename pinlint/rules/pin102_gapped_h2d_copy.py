"""PIN102: a host-to-device copy with `non_blocking=True` from a pinned tensor whose layout needs a temporary."""

from __future__ import annotations

from pinlint.rules.base import Problem, Rule, copy_problem
from pinlint.rules.wording import h2d_wait, layout, tensor
from pinlint.trace.events import CopyEvent, Direction, Event, Verdict


class GappedH2DCopy(Rule):
    """Non-blocking host-to-device copy from pinned memory that needs a pageable temporary.

    ## What it does

    Finds copies from the host to an accelerator that say `non_blocking=True` and read pinned memory in a layout that
    cannot be copied in one piece: a view with gaps (`pinned[:, :n]`, `pinned[::2]`, `expand`), or a layout that differs
    from the destination's (`destination.copy_(pinned.t())`, a broadcast of one row to a matrix).

    ## Why it hurts

    Torch first makes a dense temporary, and the temporary is pageable. The copy then behaves as one from pageable
    memory (PIN101): the host waits for the stream, though the buffer was pinned. A small copy can hide in the
    driver's staging until enough of them are in flight.

    These layouts are copied straight from pinned memory and never wait: a leading slice (`pinned[:n]`), one row
    (`pinned[0, :n]`), a slice of the full width, and `pinned.t().to(device, non_blocking=True)`, whose result keeps the
    permuted layout.

    ## Example

    ```python
    table = torch.empty(rows, width, dtype=torch.int32, pin_memory=True)
    return table[:, :used].to(device, non_blocking=True)
    ```

    ## Use instead

    Copy through a dense pinned staging tensor:

    ```python
    staging = torch.empty(rows, used, dtype=torch.int32, pin_memory=True)
    staging.copy_(table[:, :used])
    return staging.to(device, non_blocking=True)
    ```

    Or copy row by row, since one row is dense:

    ```python
    for row in range(rows):
        destination[row, :used].copy_(table[row, :used], non_blocking=True)
    ```

    Or copy the whole buffer and take the view on the device: `table.to(device, non_blocking=True)[:, :used]`.

    ## Fix safety

    The fix is shown and never applied: which of the three is best depends on the sizes.

    ## Exceptions

    A slice that always spans the full width, or a single row, is dense. Where pinlint cannot see that, the finding has
    medium confidence: suppress it with the reason on the line.
    """

    code = "PIN102"
    name = "gapped-h2d-copy"

    def judge(self, event: Event) -> Problem | None:
        if not isinstance(event, CopyEvent) or event.direction is not Direction.H2D:
            return None
        if event.verdict is not Verdict.GAPPED:
            return None
        source = tensor(event, "what is copied")
        message = f"{source} is pinned, but {layout(event, 'destination')}: torch makes a pageable temporary and "
        return copy_problem(event, message + h2d_wait(event))
