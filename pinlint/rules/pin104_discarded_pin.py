"""PIN104: the result of `.pin_memory()`, `.to(...)` or `.cuda()` is thrown away."""

from __future__ import annotations

from pinlint.findings.finding import Confidence, Role, Severity, Step
from pinlint.rules.base import Problem, Rule
from pinlint.trace.events import DiscardEvent, Event


class DiscardedPin(Rule):
    """The result of `.pin_memory()`, `.to(...)` or `.cuda()` is thrown away.

    ## What it does

    Finds statements that call `.pin_memory()`, `.to(...)` or `.cuda()` on a tensor and drop the result.

    ## Why it hurts

    None of these methods changes the tensor in place: each returns another tensor. The statement spends the time for a
    copy and leaves the tensor in pageable memory, or on the host, as it was.

    ## Example

    ```python
    buffer = torch.zeros(n)
    buffer.pin_memory()
    ```

    ## Use instead

    ```python
    buffer = torch.zeros(n)
    buffer = buffer.pin_memory()
    ```

    Or, without the copy: `buffer = torch.zeros(n, pin_memory=True)`.

    ## Fix safety

    Assigning the result is unsafe, since it changes what the program does: it really pins or moves from then on.
    Nothing is offered where the tensor is no plain name or attribute.

    ## Exceptions

    `nn.Module.to(...)` and `nn.Module.cuda()` move a module in place, and are never reported.
    """

    code = "PIN104"
    name = "discarded-pin"

    def judge(self, event: Event) -> Problem | None:
        if not isinstance(event, DiscardEvent):
            return None
        method = event.form if event.form.startswith(".") else f".{event.form}"
        pins = method == ".pin_memory"
        unchanged = "the tensor stays in the memory it was in" if pins else "the tensor stays where it was"
        message = f"`{method}()` does not work in place: its result is thrown away and {unchanged}"
        site = event.site
        told = "the pinned copy is made and thrown away here" if pins else "the copy is made and thrown away here"
        step = Step(site.path, site.span, site.statement, Role.COPIED, told)
        return Problem(message, Severity.WARNING, Confidence.HIGH, site, site, (step,))
