"""What the tracer tells the rules: every copy with its verdict, and the few mistakes that are no copies."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from pinlint.findings.finding import Confidence, Step
from pinlint.ir import Span


class Direction(enum.Enum):
    H2D = "H2D"
    D2H = "D2H"
    D2D = "D2D"
    HOST = "host"
    UNKNOWN = "unknown"


class Verdict(enum.Enum):
    PAGEABLE = "pageable"
    GAPPED = "gapped"
    PINNED = "pinned"
    CONDITIONAL = "conditional"
    DEVICE = "device"
    HOST = "host"
    NOT_ASYNC = "not-async"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Site:
    """Where something happens: an expression within a statement within a function of a file."""

    path: str
    span: Span
    """The whole expression (for a copy, the call)."""
    line: int
    """The line of the method's name, from 1: a copy in a chain of several lines is reported there."""
    column: int
    """Its column, from 0."""
    statement: tuple[int, int]
    """First and last line of the statement (of its header when compound)."""
    qualified_name: str
    """Dotted name of the enclosing function or class, "" at module level."""


@dataclass(frozen=True, slots=True)
class Hazards:
    """What would go wrong if the memory were pinned, and where the code runs, as far as known; a fix must be safe."""

    written_after: Step | None = None
    """A write to the memory that may happen while the copy is in flight."""
    persistent: bool = False
    """The memory outlives the function (an attribute, a global, a cache): later calls may write it."""
    escapes: bool = False
    """The memory is handed to code that the tracer could not read, which may keep and write it."""
    one_shot: bool = False
    """Runs once: module level, `__init__`, loading weights."""
    at_import: bool = False
    """The allocation runs when its module is imported."""
    accelerator_proven: bool = False
    """The copy's device is provably an accelerator, so a literal pin cannot fail where the code runs today."""
    pins_already: bool = False
    """The same function pins unconditionally on every path to this copy."""


@dataclass(frozen=True, slots=True)
class CopyEvent:
    """One copy, as one chain of calls reaches it."""

    site: Site
    place: Site
    """The call in the frame that owns the memory when the copy is in a helper, otherwise `site`."""
    form: str
    """How the copy is written: `.to`, `.cuda`, `.copy_`, `torch._foreach_copy_`, ..."""
    direction: Direction
    verdict: Verdict
    steps: tuple[Step, ...]
    """From the allocation to the copy; empty when the verdict is unknown."""
    reason: str
    """For an unknown verdict: what was not known, such as "parameter `x` of `f`"; otherwise ""."""
    confidence: Confidence = Confidence.HIGH
    from_loader: bool = False
    """The memory comes out of a data loader."""
    batch_type: str = ""
    """For a loader's batch of a custom type without `pin_memory`: the name of that type."""
    every_path: bool = True
    """The verdict holds on every path; otherwise on the path that the steps show."""
    captured: bool = False
    """A CUDA graph is being captured at the copy."""
    source: Span | None = None
    """For a host-to-device copy: the span, in `site.path`, of the expression that is copied."""
    source_name: str = ""
    """The source text's root as a person names it (`batch`, `self.host`), "" when it has no name."""
    hazards: Hazards = Hazards()


@dataclass(frozen=True, slots=True)
class DiscardEvent:
    """The result of `.pin_memory()`, `.to(...)` or `.cuda()` of a tensor is thrown away."""

    site: Site
    form: str
    source: Span
    """The receiver's span: `x` in `x.pin_memory()`."""
    assignable: bool
    """The receiver is a name or an attribute, so `x = x.pin_memory()` is the remedy."""


@dataclass(frozen=True, slots=True)
class UncalledEvent:
    """`x.is_pinned` is tested without being called."""

    site: Site
    """The attribute expression."""


@dataclass(frozen=True, slots=True)
class RaceEvent:
    """Pinned memory is written while its copy may be in flight; `copy.steps` end with COPIED and WRITTEN steps."""

    copy: CopyEvent
    write: Step


@dataclass(frozen=True, slots=True)
class EarlyReadEvent:
    """The host result of a device-to-host copy is read before any wait; `copy.steps` end with COPIED and READ steps."""

    copy: CopyEvent
    read: Step


Event = CopyEvent | DiscardEvent | UncalledEvent | RaceEvent | EarlyReadEvent
