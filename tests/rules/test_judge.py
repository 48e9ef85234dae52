"""From the tracer's events to findings."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint.findings.finding import Applicability, Confidence, Fix, Location, Role, Severity
from pinlint.rules.judge import findings_of
from pinlint.trace.events import Direction, Event, Verdict

if TYPE_CHECKING:
    from pinlint.findings.finding import Finding
    from tests.conftest import Builders

FIX = Fix("pin", "train.py", (33, 8, 33, 20), Applicability.SAFE, "pass `pin_memory=True`")


def find(*events: Event, text: str = "") -> list[Finding]:
    return findings_of(events, plan=lambda _event: None, lines=lambda _path: text.split("\n"))


def test_a_finding_carries_everything_that_reports_need(build: Builders) -> None:
    allocation = build.step(Role.ALLOCATED, 2, statement=(2, 3))
    event = build.copy(allocation, line=5)
    text = "import torch\n\n\n\n    x = batch.to(dev)  # why\n"
    [finding] = findings_of([event], plan=lambda _event: FIX, lines=lambda _path: text.split("\n"))
    assert (finding.code, finding.name) == ("PIN101", "pageable-h2d-copy")
    assert finding.location == finding.copy == Location("train.py", 5, 15)
    assert finding.steps == event.steps
    assert finding.fix == FIX
    assert finding.qualified_name == "Trainer.step"
    assert finding.text == "x = batch.to(dev)  # why"
    assert finding.statements == (("train.py", 5, 5), ("train.py", 2, 3))


def test_a_copy_in_a_helper_is_shown_at_the_call_and_keeps_its_own_place(build: Builders) -> None:
    event = build.copy(site=build.site(5, path="helper.py"), place=build.site(2, qualified_name="main"))
    [finding] = find(event, text="a\ncall(x)\n")
    assert finding.location == Location("train.py", 2, 15)
    assert finding.copy == Location("helper.py", 5, 15)
    assert finding.qualified_name == "main"
    assert finding.text == "call(x)"
    assert finding.statements == (("helper.py", 5, 5), ("train.py", 2, 2))


def test_a_suppression_counts_where_memory_is_made_and_not_where_it_passes(build: Builders) -> None:
    steps = (
        build.step(Role.PINNED, 3),
        build.step(Role.COMPUTED, 4),
        build.step(Role.PASSED, 6),
        build.step(Role.VIEWED, 7),
    )
    [finding] = find(build.copy(*steps, line=9))
    assert finding.statements == (("train.py", 9, 9), ("train.py", 4, 4))


def test_findings_are_sorted_by_place_and_code(build: Builders) -> None:
    events = [
        build.copy(line=9),
        build.copy(line=4, direction=Direction.D2H),
        build.copy(line=4),
        build.copy(site=build.site(50, path="a.py")),
    ]
    found = [(finding.location.path, finding.location.line, finding.code) for finding in find(*events)]
    expected = [("a.py", 50, "PIN101"), ("train.py", 4, "PIN101"), ("train.py", 4, "PIN201"), ("train.py", 9, "PIN101")]
    assert found == expected


def test_chains_to_one_copy_from_one_place_give_one_finding_the_gravest(build: Builders) -> None:
    captured = build.copy(captured=True, confidence=Confidence.MEDIUM)
    [finding] = find(build.copy(), captured, build.copy())
    assert finding.severity is Severity.ERROR


def test_of_equally_grave_chains_the_surest_is_kept(build: Builders) -> None:
    guessed = build.copy(build.step(Role.ALLOCATED, 3), confidence=Confidence.MEDIUM)
    proven = build.copy(build.step(Role.ALLOCATED, 8))
    [finding] = find(guessed, proven)
    assert "line 8" in finding.message


def test_two_copies_reached_from_one_call_are_two_findings(build: Builders) -> None:
    place = build.site(2)
    found = find(build.copy(line=7, place=place), build.copy(line=8, place=place))
    assert [finding.copy.line for finding in found] == [7, 8]


def test_a_file_that_cannot_be_read_any_more_has_no_text(build: Builders) -> None:
    assert find(build.copy(line=5), text="one line")[0].text == ""


def test_no_fix_is_planned_for_an_event_without_a_problem(build: Builders) -> None:
    def plan(event: Event) -> Fix | None:
        raise AssertionError(event)

    assert findings_of([build.copy(verdict=Verdict.UNKNOWN)], plan, lambda _path: []) == []
