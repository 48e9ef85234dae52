"""The phrases that messages are made of."""

from __future__ import annotations

from collections.abc import Sequence

from pinlint.findings.finding import Role, Step
from pinlint.trace.events import CopyEvent, Direction

_NEW_MEMORY = (Role.ALLOCATED, Role.COMPUTED, Role.LOADED)
_METHOD_OWNERS = ("torch.Tensor.", "numpy.ndarray.", "Tensor.", "ndarray.")


def tensor(event: CopyEvent, otherwise: str) -> str:
    """Return what the host tensor is called where the finding is shown: its name, or `otherwise` when it has none."""
    if event.place != event.site:
        return "what is passed here"
    # The name is the source's: the host's side of a copy to the device only.
    named = event.source_name and event.direction is Direction.H2D
    return f"`{event.source_name}`" if named else otherwise


def copy(event: CopyEvent) -> str:
    """Return what the copy is called where the finding is shown."""
    site = event.site
    if event.place == site:
        return "this copy"
    return f"the copy at line {site.line}" if site.path == event.place.path else f"the copy at {site.path}:{site.line}"


def line_of(step: Step, event: CopyEvent) -> str:
    """Return where `step` is, seen from where the finding stands: "line 12", or "ops/norm.py:12" in another file."""
    line = step.span[0]
    return f"line {line}" if step.path == event.place.path else f"{step.path}:{line}"


def callee(step: Step) -> str:
    """Return what was called at `step` as it is written: "`+`", "`.half()`", "`torch.cat`", or "" when not known."""
    for owner in _METHOD_OWNERS:
        if step.callee.startswith(owner):
            return f"`.{step.callee.removeprefix(owner)}()`"
    return f"`{step.callee}`" if step.callee else ""


def origin(steps: Sequence[Step]) -> Step | None:
    """Return the step that made the memory which is copied: the last one that is new memory."""
    return next((step for step in reversed(steps) if step.role in _NEW_MEMORY), None)


def lost_pin(steps: Sequence[Step]) -> tuple[Step, Step] | None:
    """Return the last step that pinned and the step after it that made pageable memory again, or None."""
    pinned = next((index for index in reversed(range(len(steps))) if _pins(steps[index])), None)
    if pinned is None:
        return None
    loser = next((step for step in steps[pinned + 1 :] if step.role in _NEW_MEMORY), None)
    return (steps[pinned], loser) if loser else None


def _pins(step: Step) -> bool:
    # A factory called with `pin_memory=True` is an allocation: only its sentence tells it from a pageable one.
    return step.role is Role.PINNED or (step.role is Role.ALLOCATED and step.message.startswith("pinned"))


def pageable(event: CopyEvent, otherwise: str) -> str:
    """Return the clause that says what is in pageable memory, since which line, and what lost the pin if it had one."""
    path = "" if event.every_path else " on the path shown"
    lost = lost_pin(event.steps)
    if lost:
        pinned, loser = lost
        what = callee(loser) or "what is computed"
        return (
            f"{tensor(event, otherwise)} was pinned at {line_of(pinned, event)}, "
            f"but {what} at {line_of(loser, event)} allocates pageable memory{path}"
        )
    made = origin(event.steps)
    since = f" ({_how_made(made)} at {line_of(made, event)})" if made else ""
    return f"{tensor(event, otherwise)} is in pageable memory{path}{since}"


def _how_made(step: Step) -> str:
    if step.role is Role.LOADED:
        return "out of the data loader built"
    if step.role is Role.COMPUTED:
        what = callee(step)
        return f"computed by {what}" if what else "computed"
    return "allocated"


def h2d_wait(event: CopyEvent) -> str:
    """Return what a host-to-device copy from pageable memory does where it stands."""
    if event.captured:
        return f"torch raises at {copy(event)}, because a CUDA graph is being captured"
    return f"{copy(event)} waits for the stream instead of overlapping"


def d2h_wait(event: CopyEvent) -> str:
    """Return what a device-to-host copy into pageable memory does where it stands."""
    if event.captured:
        return f"torch raises at {copy(event)}, because a CUDA graph is being captured"
    return f"{copy(event)} always waits for the stream"


def layout(event: CopyEvent, other_side: str) -> str:
    """Return the clause that says why a pinned tensor cannot be copied in one piece."""
    path = "" if event.every_path else " on the path shown"
    view = next((step for step in reversed(event.steps) if step.role is Role.VIEWED), None)
    if view is None:
        return f"its layout has gaps or differs from the {other_side}'s{path}"
    what = callee(view) or "the view"
    return f"{what} at {line_of(view, event)} has gaps or another layout than the {other_side}{path}"
