"""What a rule is, and how a problem that it sees in an event becomes a finding's parts."""

from __future__ import annotations

import abc
import inspect
from dataclasses import dataclass
from typing import ClassVar

from pinlint.findings.finding import Confidence, Role, Severity, Step
from pinlint.trace.events import CopyEvent, Event, Site

HEADINGS = ("What it does", "Why it hurts", "Example", "Use instead", "Fix safety", "Exceptions")
"""The headings of every explanation page, in order."""

SUPPRESSIBLE = (Role.ALLOCATED, Role.COMPUTED, Role.LOADED, Role.WRITTEN, Role.READ)
"""The steps on whose statements a suppression counts, besides the copy's own: where somebody would mend the problem."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What a rule says of one event."""

    message: str
    """One sentence that names the tensor and the lines that matter, without a full stop."""
    severity: Severity
    confidence: Confidence
    place: Site
    """Where it is reported."""
    site: Site
    """The copy itself, or whatever stands for it in a rule that is not about copies."""
    steps: tuple[Step, ...]


class Rule(abc.ABC):
    """One kind of mistake.

    The docstring of each rule is its explanation page, in Markdown: a one-line summary, then a section under each of
    `HEADINGS`. Where Python runs without docstrings there is no page.
    """

    code: ClassVar[str]
    name: ClassVar[str]
    """Names the problem, and reads well after "allow"."""
    default: ClassVar[bool] = True
    """Whether it is on without being selected."""

    @abc.abstractmethod
    def judge(self, event: Event) -> Problem | None:
        """Return the problem that this rule sees in `event`, or None."""

    @property
    def summary(self) -> str:
        """One line for lists of rules, without a full stop."""
        return self._page().partition("\n")[0].removesuffix(".")

    @property
    def explanation(self) -> str:
        """The sections of the explanation page."""
        return self._page().partition("\n")[2].strip()

    def _page(self) -> str:
        return inspect.cleandoc(type(self).__doc__ or "")


def copy_problem(event: CopyEvent, message: str) -> Problem:
    """Return the problem of a copy that waits: worse where torch raises, milder where the code runs once."""
    return Problem(message, stall_severity(event), event.confidence, event.place, event.site, event.steps)


def stall_severity(event: CopyEvent) -> Severity:
    """Return how much a copy that waits for the stream matters where it stands."""
    if event.captured:
        return Severity.ERROR
    return Severity.NOTE if event.hazards.one_shot else Severity.WARNING
