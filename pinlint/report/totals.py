"""What an audit adds up to."""

from __future__ import annotations

from collections.abc import Sequence

from pinlint.trace.events import CopyEvent, Verdict


def totals(copies: Sequence[CopyEvent]) -> list[tuple[Verdict, int]]:
    """Return how often each verdict was given, in the verdicts' own order."""
    return [(verdict, sum(copy.verdict is verdict for copy in copies)) for verdict in Verdict]


def decided(copies: Sequence[CopyEvent]) -> float:
    """Return the share of copies whose verdict is not unknown, to three places; 1.0 when there are none."""
    if not copies:
        return 1.0
    return round(sum(copy.verdict is not Verdict.UNKNOWN for copy in copies) / len(copies), 3)
