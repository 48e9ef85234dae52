"""Which copies the rules report, how gravely, and in which words."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pinlint.findings.finding import Confidence, Role, Severity
from pinlint.rules import RULES, find_rule
from pinlint.rules.base import Problem
from pinlint.trace.events import CopyEvent, Direction, EarlyReadEvent, Event, Hazards, RaceEvent, Verdict

if TYPE_CHECKING:
    from tests.conftest import Builders

WAITS = "this copy waits for the stream instead of overlapping"
ALWAYS_WAITS = "this copy always waits for the stream"


def judge(code: str, event: Event) -> Problem:
    rule = find_rule(code)
    assert rule is not None
    problem = rule.judge(event)
    assert problem is not None, f"{code} is silent"
    return problem


def reporting(event: Event) -> list[str]:
    return [rule.code for rule in RULES if rule.judge(event)]


# --- who reports what -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("direction", "verdict", "from_loader", "code"),
    [
        (Direction.H2D, Verdict.PAGEABLE, False, "PIN101"),
        (Direction.H2D, Verdict.GAPPED, False, "PIN102"),
        (Direction.H2D, Verdict.GAPPED, True, "PIN102"),
        (Direction.H2D, Verdict.PAGEABLE, True, "PIN103"),
        (Direction.D2H, Verdict.PAGEABLE, False, "PIN201"),
        (Direction.D2H, Verdict.GAPPED, False, "PIN202"),
    ],
)
def test_each_bad_copy_is_reported_by_one_rule(
    build: Builders, direction: Direction, verdict: Verdict, code: str, *, from_loader: bool
) -> None:
    event = build.copy(direction=direction, verdict=verdict, from_loader=from_loader)
    assert reporting(event) == [code]


@pytest.mark.parametrize("direction", list(Direction))
@pytest.mark.parametrize("verdict", [verdict for verdict in Verdict if verdict.value not in ("pageable", "gapped")])
def test_no_rule_reports_a_copy_that_is_fine_or_unknown(
    build: Builders, direction: Direction, verdict: Verdict
) -> None:
    assert reporting(build.copy(direction=direction, verdict=verdict)) == []


@pytest.mark.parametrize("direction", [Direction.D2D, Direction.HOST, Direction.UNKNOWN])
def test_no_rule_reports_a_copy_that_does_not_cross_the_bus(build: Builders, direction: Direction) -> None:
    assert reporting(build.copy(direction=direction)) == []


# --- how gravely ------------------------------------------------------------------------------------------------------


def test_a_copy_in_per_step_code_is_a_warning(build: Builders) -> None:
    assert judge("PIN101", build.copy()).severity is Severity.WARNING


def test_a_copy_in_code_that_runs_once_is_a_note(build: Builders) -> None:
    assert judge("PIN101", build.copy(hazards=Hazards(one_shot=True))).severity is Severity.NOTE


@pytest.mark.parametrize("hazards", [Hazards(), Hazards(one_shot=True)])
def test_a_copy_while_a_graph_is_captured_is_an_error_and_says_that_torch_raises(
    build: Builders, hazards: Hazards
) -> None:
    for code, direction in (("PIN101", Direction.H2D), ("PIN201", Direction.D2H)):
        problem = judge(code, build.copy(direction=direction, captured=True, hazards=hazards))
        assert problem.severity is Severity.ERROR
        assert problem.message.endswith("torch raises at this copy, because a CUDA graph is being captured")


def test_confidence_is_the_tracers(build: Builders) -> None:
    assert judge("PIN101", build.copy(confidence=Confidence.MEDIUM)).confidence is Confidence.MEDIUM


# --- in which words ---------------------------------------------------------------------------------------------------


def test_the_message_names_the_tensor_and_the_line_of_its_allocation(build: Builders) -> None:
    event = build.copy(build.step(Role.ALLOCATED, 33, "torch.from_numpy"))
    assert judge("PIN101", event).message == f"`batch` is in pageable memory (allocated at line 33): {WAITS}"


def test_a_tensor_without_a_name_is_what_is_copied(build: Builders) -> None:
    event = build.copy(build.step(Role.ALLOCATED, 33), source_name="")
    assert judge("PIN101", event).message == f"what is copied is in pageable memory (allocated at line 33): {WAITS}"


def test_a_line_of_another_file_carries_its_path(build: Builders) -> None:
    event = build.copy(build.step(Role.ALLOCATED, 7, path="ops/host.py"))
    assert "(allocated at ops/host.py:7)" in judge("PIN101", event).message


@pytest.mark.parametrize(("path", "where"), [("helper.py", "helper.py:5"), ("train.py", "line 5")])
def test_a_finding_at_a_call_speaks_of_what_is_passed_and_names_the_copy(
    build: Builders, path: str, where: str
) -> None:
    """The copy is in a helper, the finding at the call beside the allocation."""
    event = build.copy(build.step(Role.ALLOCATED, 33), site=build.site(5, path=path), place=build.site(35))
    assert judge("PIN101", event).message == (
        f"what is passed here is in pageable memory (allocated at line 33): the copy at {where} waits for the stream "
        "instead of overlapping"
    )


def test_the_message_names_the_operator_that_lost_the_pin(build: Builders) -> None:
    event = build.copy(build.step(Role.PINNED, 12, "torch.zeros"), build.step(Role.COMPUTED, 15, "+"))
    expected = f"`batch` was pinned at line 12, but `+` at line 15 allocates pageable memory: {WAITS}"
    assert judge("PIN101", event).message == expected


def test_a_factory_that_pinned_counts_as_a_pin(build: Builders) -> None:
    factory = build.step(Role.ALLOCATED, 12, "torch.zeros", message="pinned memory is allocated here")
    event = build.copy(factory, build.step(Role.COMPUTED, 15, "+"))
    assert "`batch` was pinned at line 12, but `+` at line 15" in judge("PIN101", event).message


@pytest.mark.parametrize(
    ("callee", "shown"),
    [("torch.Tensor.half", "`.half()`"), ("numpy.ndarray.astype", "`.astype()`"), ("torch.cat", "`torch.cat`")],
)
def test_a_call_that_lost_the_pin_is_named_as_it_is_written(build: Builders, callee: str, shown: str) -> None:
    event = build.copy(build.step(Role.PINNED, 12), build.step(Role.COMPUTED, 15, callee))
    assert f"but {shown} at line 15 allocates pageable memory" in judge("PIN101", event).message


def test_a_view_between_does_not_lose_the_pin(build: Builders) -> None:
    event = build.copy(
        build.step(Role.PINNED, 12), build.step(Role.VIEWED, 13), build.step(Role.COMPUTED, 15, "torch.cat")
    )
    assert "pinned at line 12, but `torch.cat` at line 15" in judge("PIN101", event).message


def test_the_memory_that_is_copied_is_the_last_that_was_made(build: Builders) -> None:
    event = build.copy(build.step(Role.ALLOCATED, 33), build.step(Role.COMPUTED, 36, "*"))
    assert "`batch` is in pageable memory (computed by `*` at line 36)" in judge("PIN101", event).message


def test_a_batch_that_was_computed_after_the_loader_says_so(build: Builders) -> None:
    event = build.copy(build.step(Role.LOADED, 20), build.step(Role.COMPUTED, 25, "torch.Tensor.float"))
    assert "(computed by `.float()` at line 25)" in judge("PIN101", event).message


@pytest.mark.parametrize(
    ("code", "changes"),
    [
        ("PIN101", {}),
        ("PIN102", {"verdict": Verdict.GAPPED}),
        ("PIN103", {"from_loader": True}),
        ("PIN201", {"direction": Direction.D2H}),
        ("PIN202", {"direction": Direction.D2H, "verdict": Verdict.GAPPED}),
    ],
)
def test_a_finding_of_one_path_says_on_the_path_shown(build: Builders, code: str, changes: dict[str, object]) -> None:
    step = build.step(Role.ALLOCATED, 33)
    assert "on the path shown" not in judge(code, build.copy(step, **changes)).message
    assert "on the path shown" in judge(code, build.copy(step, every_path=False, **changes)).message


def test_a_device_to_host_copy_always_waits(build: Builders) -> None:
    event = build.copy(build.step(Role.ALLOCATED, 20), direction=Direction.D2H, source_name="logits")
    expected = f"the destination is in pageable memory (allocated at line 20): {ALWAYS_WAITS}"
    assert judge("PIN201", event).message == expected


def test_a_loaders_batch_names_the_line_where_the_loader_is_built(build: Builders) -> None:
    event = build.copy(build.step(Role.LOADED, 20), from_loader=True)
    expected = f"`batch` comes from the data loader built at line 20 without `pin_memory=True`: {WAITS}"
    assert judge("PIN103", event).message == expected


def test_a_batch_type_that_cannot_be_pinned_is_named(build: Builders) -> None:
    event = build.copy(build.step(Role.LOADED, 20), from_loader=True, batch_type="GraphBatch")
    assert judge("PIN103", event).message == (
        "`batch` is pageable: the data loader built at line 20 cannot pin a `GraphBatch`, "
        f"which has no `pin_memory` method: {WAITS}"
    )


def test_a_gapped_copy_names_the_view(build: Builders) -> None:
    steps = (build.step(Role.PINNED, 12), build.step(Role.VIEWED, 14, "torch.Tensor.t"))
    h2d = build.copy(*steps, verdict=Verdict.GAPPED)
    assert judge("PIN102", h2d).message == (
        "`batch` is pinned, but `.t()` at line 14 has gaps or another layout than the destination: "
        f"torch makes a pageable temporary and {WAITS}"
    )
    d2h = build.copy(*steps, verdict=Verdict.GAPPED, direction=Direction.D2H)
    assert judge("PIN202", d2h).message == (
        f"the destination is pinned, but `.t()` at line 14 has gaps or another layout than the source: {ALWAYS_WAITS}"
    )


def test_a_gapped_copy_without_a_view_blames_the_layout(build: Builders) -> None:
    message = judge("PIN102", build.copy(verdict=Verdict.GAPPED)).message
    assert "its layout has gaps or differs from the destination's" in message


# --- races and early reads --------------------------------------------------------------------------------------------


def race(build: Builders, **changes: object) -> RaceEvent:
    write = build.step(Role.WRITTEN, 44)
    copy: CopyEvent = build.copy(build.step(Role.PINNED, 12), verdict=Verdict.PINNED, **changes)
    return RaceEvent(copy, write)


def test_a_write_in_flight_names_the_line_of_the_write(build: Builders) -> None:
    problem = judge("PIN301", race(build))
    assert problem.message == (
        "`batch` is written at line 44 while this copy may still be reading it: wrong values may reach the device"
    )
    assert problem.site.line == 41


def test_a_host_destination_written_in_flight_is_filled_by_the_copy(build: Builders) -> None:
    assert "may still be filling it" in judge("PIN301", race(build, direction=Direction.D2H)).message


def test_wrong_data_is_a_warning_in_code_that_runs_once_too(build: Builders) -> None:
    assert judge("PIN301", race(build, hazards=Hazards(one_shot=True))).severity is Severity.WARNING


def test_an_early_read_names_the_line_of_the_read(build: Builders) -> None:
    event = EarlyReadEvent(build.copy(verdict=Verdict.PINNED, direction=Direction.D2H), build.step(Role.READ, 43))
    assert judge("PIN302", event).message == (
        "the result of this copy is read at line 43 before anything waited for it: it may be garbage"
    )
    assert reporting(event) == ["PIN302"]


def test_messages_are_one_sentence_without_a_full_stop(build: Builders) -> None:
    for event in (build.copy(), race(build), build.copy(verdict=Verdict.GAPPED)):
        for rule in RULES:
            problem = rule.judge(event)
            if problem:
                assert not re.search(r"\.$|\n", problem.message)
