"""PIN103: a `non_blocking=True` copy of a batch from a data loader that does not pin it."""

from __future__ import annotations

from pinlint.rules.base import Problem, Rule, copy_problem
from pinlint.rules.wording import h2d_wait, line_of, origin, tensor
from pinlint.trace.events import CopyEvent, Direction, Event, Verdict


class UnpinnedLoaderBatch(Rule):
    """Non-blocking copy of a batch from a data loader that does not pin it.

    ## What it does

    Finds batches of a `DataLoader` built without `pin_memory=True` that are copied to an accelerator with
    `non_blocking=True`, and batches of a type of the project's own that the loader cannot pin.

    ## Why it hurts

    Without `pin_memory=True` the batch is in pageable memory, and the copy makes the host wait for the stream, as
    PIN101 explains. With it the loader's pinning thread prepares the next batch while the device computes, and the
    copy overlaps.

    The loader pins tensors inside dictionaries, lists and tuples. A batch of another type is pinned only if that type
    has a method `pin_memory()` that returns the pinned batch.

    ## Example

    ```python
    loader = DataLoader(dataset, batch_size=64, num_workers=4)
    for images, labels in loader:
        images = images.to(device, non_blocking=True)
    ```

    ## Use instead

    ```python
    loader = DataLoader(dataset, batch_size=64, num_workers=4, pin_memory=True)
    for images, labels in loader:
        images = images.to(device, non_blocking=True)
    ```

    For a batch type of your own, add the method:

    ```python
    @dataclass
    class Batch:
        nodes: torch.Tensor

        def pin_memory(self):
            return Batch(self.nodes.pin_memory())
    ```

    ## Fix safety

    Safe: each batch is new memory, and a loader told to pin on a machine without an accelerator only warns. Nothing is
    offered for a batch type without a `pin_memory` method.

    ## Exceptions

    A loader whose `pin_memory` is decided at run time (`pin_memory=args.pin`) is never reported. A batch that is
    computed on the host after it left the loader is PIN101's: pinning the loader would not help.
    """

    code = "PIN103"
    name = "unpinned-loader-batch"

    def judge(self, event: Event) -> Problem | None:
        if not isinstance(event, CopyEvent) or not event.from_loader:
            return None
        if event.direction is not Direction.H2D or event.verdict is not Verdict.PAGEABLE:
            return None
        return copy_problem(event, f"{_batch(event)}: {h2d_wait(event)}")


def _batch(event: CopyEvent) -> str:
    loader = origin(event.steps)
    built = f" built at {line_of(loader, event)}" if loader else ""
    path = "" if event.every_path else " on the path shown"
    if event.batch_type:
        return (
            f"{tensor(event, 'the batch')} is pageable{path}: the data loader{built} cannot pin a "
            f"`{event.batch_type}`, which has no `pin_memory` method"
        )
    return f"{tensor(event, 'the batch')} comes from the data loader{built} without `pin_memory=True`{path}"
