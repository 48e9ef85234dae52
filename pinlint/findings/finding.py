"""What a run reports: findings, the steps that lead to them, and the fixes they offer."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from pinlint.ir import Span


class Severity(enum.Enum):
    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class Confidence(enum.Enum):
    """`high`: proven on every path or a named path; `medium`: through a guess such as an annotation; `low`: hidden."""

    HIGH = "high"
    MEDIUM = "medium"
    LOW = "low"


class Role(enum.Enum):
    """What a step does to the memory that the copy reads or writes."""

    ALLOCATED = "allocated"
    """New memory: the step's expression is the allocating call."""
    PINNED = "pinned"
    COMPUTED = "computed"
    """New pageable memory from an operator, a cast, an index or a concatenation."""
    VIEWED = "viewed"
    STORED = "stored"
    """Kept in an attribute or a container that outlives the function."""
    PASSED = "passed"
    """Passed to a function of the project: the step's expression is the call."""
    RETURNED = "returned"
    LOADED = "loaded"
    """A batch comes out of a data loader: the step's expression builds the loader."""
    COPIED = "copied"
    """The copy itself, always the last step before WRITTEN or READ."""
    WRITTEN = "written"
    READ = "read"


@dataclass(frozen=True, slots=True)
class Location:
    """A place in a file: the path as reported (forward slashes, relative to the working directory where it can be)."""

    path: str
    line: int
    """From 1."""
    column: int
    """From 1, in characters."""


@dataclass(frozen=True, slots=True)
class Step:
    """One step on the way from the allocation to the copy."""

    path: str
    span: Span
    """The expression that does the step (see `pinlint.ir` for spans)."""
    statement: tuple[int, int]
    """First and last line of the statement (of its header, when compound) that holds the expression."""
    role: Role
    message: str
    """A short sentence without a full stop, such as "pageable memory is allocated here"."""
    callee: str = ""
    """The model's name of what was called ("torch.zeros", "Tensor.half"), the operator, or ""."""

    @property
    def location(self) -> Location:
        return Location(self.path, self.span[0], self.span[1] + 1)


class Applicability(enum.Enum):
    SAFE = "safe"
    """Applied by `pinlint fix`."""
    UNSAFE = "unsafe"
    """Applied with `--unsafe-fixes`."""
    DISPLAY = "display-only"
    """Shown, never applied."""


@dataclass(frozen=True, slots=True)
class Fix:
    """A remedy that a finding offers.

    `kind` names the fixer in `pinlint.fixes` and `target` the expression in `path` that it changes.
    """

    kind: str
    path: str
    target: Span
    applicability: Applicability
    description: str
    """What it writes, such as "pass `pin_memory=True` to `torch.zeros` at line 12"."""
    reason: str = ""
    """Why it is not safe, "" when it is."""
    replacement: str = ""
    """The expression that the fixer writes for the pinning condition or helper."""
    imports: tuple[tuple[str, str], ...] = ()
    """`(module, name)` pairs that the replacement needs imported."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem at one place.

    `location` is the copy, or the call in the frame that owns the allocation when the copy is inside a helper; `copy`
    is always the copy itself. `steps` run from the allocation to the copy.
    """

    code: str
    name: str
    message: str
    severity: Severity
    confidence: Confidence
    location: Location
    copy: Location
    steps: tuple[Step, ...]
    fix: Fix | None
    qualified_name: str
    """Dotted name of the function that holds `location`, "" at module level."""
    text: str
    """The source text of the statement's line at `location`, stripped; part of the fingerprint."""
    fingerprint: str
    statements: tuple[tuple[str, int, int], ...]
    """`(path, first, last line)` of the statements on whose lines a suppression counts: copy, allocation, place."""
