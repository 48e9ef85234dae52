"""Turns the tracer's events into findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from pinlint.findings.finding import Confidence, Finding, Fix, Location, Severity
from pinlint.rules import RULES
from pinlint.rules.base import SUPPRESSIBLE, Problem, Rule
from pinlint.trace.events import Event, Site

Lines = Callable[[str], Sequence[str]]
"""The lines of a file, by its path as reported."""

Plan = Callable[[Event], "Fix | None"]
"""The fix for an event, or None."""

_SEVERITIES = tuple(Severity)
_CONFIDENCES = tuple(Confidence)


def findings_of(events: Iterable[Event], plan: Plan, lines: Lines) -> list[Finding]:
    """Return what the rules find in `events`, sorted, without fingerprints.

    Every rule is asked, selected or not, so that a finding is the same whatever is selected. Several chains of calls
    that lead to one copy from one place give one finding: the gravest, then the surest.
    """
    found: dict[tuple[str, Location, Location], Finding] = {}
    for event in events:
        for rule in RULES:
            problem = rule.judge(event)
            if problem is None:
                continue
            finding = _finding(rule, problem, plan(event), lines)
            key = (finding.code, finding.location, finding.copy)
            found[key] = min(found.get(key, finding), finding, key=_gravity)
    return sorted(found.values(), key=sort_key)


def sort_key(finding: Finding) -> tuple[str, int, int, str, str, int, int]:
    """Return what findings are sorted by: place, then code, then the copy."""
    location, copy = finding.location, finding.copy
    return location.path, location.line, location.column, finding.code, copy.path, copy.line, copy.column


def _gravity(finding: Finding) -> tuple[int, int]:
    return _SEVERITIES.index(finding.severity), _CONFIDENCES.index(finding.confidence)


def _finding(rule: Rule, problem: Problem, fix: Fix | None, lines: Lines) -> Finding:
    location = _location(problem.place)
    return Finding(
        code=rule.code,
        name=rule.name,
        message=problem.message,
        severity=problem.severity,
        confidence=problem.confidence,
        location=location,
        copy=_location(problem.site),
        steps=problem.steps,
        fix=fix,
        qualified_name=problem.place.qualified_name,
        text=_line(lines(location.path), location.line),
        fingerprint="",
        statements=_statements(problem),
    )


def _location(site: Site) -> Location:
    return Location(site.path, site.line, site.column + 1)


def _line(lines: Sequence[str], number: int) -> str:
    return lines[number - 1].strip() if number <= len(lines) else ""


def _statements(problem: Problem) -> tuple[tuple[str, int, int], ...]:
    sites = [(site.path, *site.statement) for site in (problem.site, problem.place)]
    steps = [(step.path, *step.statement) for step in problem.steps if step.role in SUPPRESSIBLE]
    return tuple(dict.fromkeys([*sites, *steps]))
