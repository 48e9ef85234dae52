"""PIN105: `x.is_pinned` is tested without being called."""

from __future__ import annotations

from pinlint.findings.finding import Confidence, Role, Severity, Step
from pinlint.rules.base import Problem, Rule
from pinlint.trace.events import Event, UncalledEvent


class UncalledIsPinned(Rule):
    """`is_pinned` is tested without being called, which is always true.

    ## What it does

    Finds tests of `x.is_pinned` where `x.is_pinned()` was meant.

    ## Why it hurts

    `is_pinned` is a method, and a method is always true. The branch for pageable memory never runs: a tensor that
    should have been pinned there stays pageable, and its copies wait.

    ## Example

    ```python
    if not batch.is_pinned:
        batch = batch.pin_memory()
    ```

    ## Use instead

    ```python
    if not batch.is_pinned():
        batch = batch.pin_memory()
    ```

    ## Fix safety

    Unsafe: with the parentheses the other branch runs for the first time.

    ## Exceptions

    Only what is known to be a tensor is reported: an attribute of the project's own that is called `is_pinned` and
    holds a bool is not.
    """

    code = "PIN105"
    name = "uncalled-is-pinned"

    def judge(self, event: Event) -> Problem | None:
        if not isinstance(event, UncalledEvent):
            return None
        site = event.site
        step = Step(site.path, site.span, site.statement, Role.READ, "the method is tested, not its result")
        message = "`is_pinned` is a method and is not called here: the test is always true"
        return Problem(message, Severity.WARNING, Confidence.HIGH, site, site, (step,))
