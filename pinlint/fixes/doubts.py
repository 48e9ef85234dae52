"""Why a fix is not safe."""

from __future__ import annotations

from dataclasses import dataclass

from pinlint.findings.finding import Applicability


@dataclass(frozen=True, slots=True)
class Doubt:
    """The most that a fix can be, and the reason as it is printed."""

    applicability: Applicability
    reason: str


def unsafe(reason: str) -> Doubt:
    """Return the doubt of a fix that is only applied when asked for."""
    return Doubt(Applicability.UNSAFE, reason)


def display_only(reason: str) -> Doubt:
    """Return the doubt of a fix that is never applied."""
    return Doubt(Applicability.DISPLAY, reason)


def worst(*doubts: Doubt | None) -> Doubt | None:
    """Return the doubt that allows least, the first of equal ones; None when there is none."""
    order = (Applicability.UNSAFE, Applicability.DISPLAY)
    found = [each for each in doubts if each is not None]
    return max(found, key=lambda doubt: order.index(doubt.applicability), default=None)
