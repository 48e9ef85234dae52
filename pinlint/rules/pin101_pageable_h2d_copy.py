"""PIN101: a host-to-device copy with `non_blocking=True` from pageable memory."""

from __future__ import annotations

from pinlint.rules.base import Problem, Rule, copy_problem
from pinlint.rules.wording import h2d_wait, pageable
from pinlint.trace.events import CopyEvent, Direction, Event, Verdict


class PageableH2DCopy(Rule):
    """Non-blocking host-to-device copy from pageable memory.

    ## What it does

    Finds copies from the host to an accelerator that say `non_blocking=True` and read pageable (not page-locked)
    memory: `x.to(device, non_blocking=True)`, `x.cuda(non_blocking=True)`, `buffer.copy_(x, non_blocking=True)` and
    their kin. The report shows where the memory was allocated, and what lost the pin if the tensor once had one.

    ## Why it hurts

    The accelerator can fetch only page-locked memory by itself. From pageable memory the driver stages the copy,
    and the host waits until the work queued on the stream before it is done: `non_blocking=True` then promises an
    overlap that does not happen. Measured on an NVIDIA H200 with torch 2.11:

    | a pageable copy of | waits |
    |---|---|
    | 3 MiB and more | always |
    | 128 KiB to 1 MiB | the third one in flight |
    | 16 KiB to 64 KiB | once about 4 MiB of such copies are in flight |
    | 4 KiB and less | not in 900 copies in a row |

    While a CUDA graph is captured torch raises instead, for a copy of any size; such findings are errors.
    `torch.cuda.set_sync_debug_mode("error")` is silent about all of these copies.

    A computed tensor is new pageable memory even if its inputs were pinned: arithmetic, `cat`, `stack`, a cast, an
    advanced index, `clone`, `zeros_like`. A view (`x[1:]`, `x.view(-1)`, `x.numpy()`) keeps the memory that it views.

    ## Example

    ```python
    lengths = torch.tensor(lengths_list, dtype=torch.int32)
    offsets = lengths.cumsum(0)
    return lengths.to(device, non_blocking=True), offsets.to(device, non_blocking=True)
    ```

    ## Use instead

    ```python
    lengths = torch.tensor(lengths_list, dtype=torch.int32, pin_memory=True)
    offsets = lengths.cumsum(0).pin_memory()
    return lengths.to(device, non_blocking=True), offsets.to(device, non_blocking=True)
    ```

    Or build the tensor on the device (`torch.zeros(n, device=device)`), which is never slower than copying it there.

    ## Fix safety

    Pinning lets the copy run later than the call, so memory that is written after the call would reach the device
    with the wrong values. The fix is safe only if nothing writes the tensor after the copy can have started. It is
    unsafe if the tensor is written again, is kept where other code may write it, or is allocated while its module
    is imported, and it is never applied by itself to code that runs once. `pin_memory=True` raises on a machine
    without an accelerator: it is written plainly only where the copy's device is certainly an accelerator or the
    function pins already; elsewhere the fix writes the project's own condition (`pin-memory` in the configuration)
    or `torch.cuda.is_available()`.

    ## Exceptions

    Code that runs once, such as loading weights, is reported as a note: a first pinned allocation of 256 MiB took
    188 ms, more than the wait that it saves. If a wait does no harm, leave out `non_blocking=True`: the code then
    says what it does, and nothing is reported.
    """

    code = "PIN101"
    name = "pageable-h2d-copy"

    def judge(self, event: Event) -> Problem | None:
        if not isinstance(event, CopyEvent) or event.from_loader:
            return None
        if event.direction is not Direction.H2D or event.verdict is not Verdict.PAGEABLE:
            return None
        return copy_problem(event, f"{pageable(event, 'what is copied')}: {h2d_wait(event)}")
