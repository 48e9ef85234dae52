"""Which slices of pinned memory are dense, as measured: a gapped one is copied by way of pageable memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pinlint.findings.finding import Confidence
from pinlint.trace.events import Verdict

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

MATRIX = "p = torch.zeros(64, 32, pin_memory=True)"
VECTOR = "p = torch.zeros(64, pin_memory=True)"
CUBE = "p = torch.zeros(8, 16, 32, pin_memory=True)"


def copied(programs: Programs, allocation: str, view: str) -> str:
    """The verdict on the copy of a view."""
    program = f"""
    def step(n, k):
        {allocation}
        for i in range(8):
            yield ({view}).to("cuda", non_blocking=True)
    """
    ((_, _, verdict),) = programs.verdicts(program)
    return verdict


@pytest.mark.parametrize(
    "view",
    [
        "p",
        "p[:n]",
        "p[n:]",
        "p[1:]",
        "p[2:9]",
        "p[1:, :]",
        "p[0]",
        "p[i]",
        "p[-1]",
        "p[i, :]",
        "p[0, :n]",
        "p[0, n:]",
        "p[1:2, :n]",
        "p[i:i + 1, :n]",
        "p[:1, :7]",
        "p[:, :32]",
        "p[:, 0:32]",
        "p[:, :]",
        "p[:]",
        "p[...]",
        "p[..., :]",
        "p[None]",
        "p[:n, None]",
        "p[5:9, ...]",
        "p[:n][:k]",
        "p[:n].view(-1)",
        "p.unsqueeze(0)",
        "p.flatten()",
        "p.reshape(-1)",
        "p.view(-1)[:n]",
        "p.detach()",
        "p.data[:n]",
        "p.narrow(0, 0, n)",
        "p.select(0, 1)",
        "p.split(8)[0]",
        "p.chunk(2)[1]",
        "p.unbind(0)[1]",
    ],
)
def test_a_view_of_whole_rows_is_dense(programs: Programs, view: str) -> None:
    assert copied(programs, MATRIX, view) == "pinned"


@pytest.mark.parametrize(
    "view",
    [
        "p[::2]",
        "p[:, :31]",
        "p[:, 1:]",
        "p[:, :7]",
        "p[:, 0]",
        "p[:, i]",
        "p[:, ::2]",
        "p[:n, 1:5]",
        "p[..., :4]",
        "p[..., 0]",
        "p[2:9, 0:4]",
        "p[:n][:, 1:]",
        "p[:1].expand(64, 32)",
        "p.diagonal()",
    ],
)
def test_a_view_that_leaves_out_columns_or_rows_is_gapped(programs: Programs, view: str) -> None:
    assert copied(programs, MATRIX, view) == "gapped"


@pytest.mark.parametrize("view", ["p.narrow(1, 0, 7)", "p.select(1, 0)", "p.split(8, 1)[0]", "p.unbind(1)[0]"])
@pytest.mark.xfail(reason="a selection along another dimension than the first is left unknown")
def test_a_selection_along_the_second_dimension_is_gapped(programs: Programs, view: str) -> None:
    assert copied(programs, MATRIX, view) == "gapped"


@pytest.mark.parametrize("view", ["p.t()", "p.T", "p.permute(1, 0)", "p.transpose(0, 1)", "p.mT"])
def test_a_permuted_view_is_dense(programs: Programs, view: str) -> None:
    assert copied(programs, MATRIX, view) == "pinned"


@pytest.mark.parametrize("view", ["p[:n]", "p[3:]", "p[n:k]", "p[-5:]", "p[5]", "p[None, :n]", "p[:n].unsqueeze(1)"])
def test_a_range_of_a_vector_is_dense(programs: Programs, view: str) -> None:
    assert copied(programs, VECTOR, view) == "pinned"


@pytest.mark.parametrize("view", ["p[::2]", "p[1::3]", "p[:n:2]", "p[:1].expand(64)"])
def test_steps_over_a_vector_are_gapped(programs: Programs, view: str) -> None:
    assert copied(programs, VECTOR, view) == "gapped"


@pytest.mark.parametrize(
    ("view", "verdict"),
    [
        ("p[1]", "pinned"),
        ("p[1, 2]", "pinned"),
        ("p[1, :5]", "pinned"),
        ("p[1, 2, :5]", "pinned"),
        ("p[:5, :16, :32]", "pinned"),
        ("p[:5, :4]", "gapped"),
        ("p[1, :, :4]", "gapped"),
        ("p[:, 3]", "gapped"),
        ("p[:, :, 3]", "gapped"),
        ("p[0][:5]", "pinned"),
        ("p[0][:, :5]", "gapped"),
    ],
)
def test_every_dimension_after_the_first_open_one_must_be_whole(programs: Programs, view: str, verdict: str) -> None:
    assert copied(programs, CUBE, view) == verdict


@pytest.mark.parametrize("view", ["p[:, :n]", "p[:k, :n]", "p[..., :n]"])
def test_a_range_that_may_be_the_full_width_is_gapped_with_less_confidence(programs: Programs, view: str) -> None:
    """`p[:, :n]` is dense when n is the full width, which cannot be seen."""
    copy = programs.only_copy(f"""
    def step(n, k):
        {MATRIX}
        return {view}.to("cuda", non_blocking=True)
    """)
    assert (copy.verdict, copy.confidence) == (Verdict.GAPPED, Confidence.MEDIUM)


def test_a_constant_range_is_gapped_for_certain(programs: Programs) -> None:
    copy = programs.only_copy(f"""
    def step():
        {MATRIX}
        return p[:, :7].to("cuda", non_blocking=True)
    """)
    assert (copy.verdict, copy.confidence) == (Verdict.GAPPED, Confidence.HIGH)


def test_an_index_that_may_be_a_tensor_is_not_judged(programs: Programs) -> None:
    programs.check("""
    def step(index):
        p = torch.zeros(64, 32, pin_memory=True)
        return p[index].to("cuda", non_blocking=True)  # unknown
    """)


def test_a_range_named_as_the_size_is_the_full_width(programs: Programs) -> None:
    assert copied(programs, "p = torch.zeros(n, k, pin_memory=True)", "p[:i, :k]") == "pinned"


def test_a_one_row_matrix_is_dense_in_any_range(programs: Programs) -> None:
    assert copied(programs, "p = torch.zeros(1, 32, pin_memory=True)", "p[:, :n]") == "pinned"


def test_an_index_that_starts_past_the_first_column_is_gapped_whatever_the_size(programs: Programs) -> None:
    assert copied(programs, "p = torch.zeros(n, k, pin_memory=True)", "p[:, 1:]") == "gapped"


@pytest.mark.xfail(reason="`expand` is gapped whatever its arguments; expanding one row to one row keeps it dense")
def test_expanding_to_the_same_size_stays_dense(programs: Programs) -> None:
    assert copied(programs, "p = torch.zeros(1, pin_memory=True)", "p.expand(1)") == "pinned"


@pytest.mark.parametrize("index", ["idx", "p > 0", "[0, 1]", "torch.tensor([0])", "np.arange(3)", "True", "(0, [1])"])
def test_advanced_indexing_gathers_into_new_pageable_memory(programs: Programs, index: str) -> None:
    program = f"""
    def step():
        p = torch.zeros(64, 32, pin_memory=True)
        idx = torch.arange(4)
        x = p[{index}]
        return x.to("cuda", non_blocking=True)  # pageable
    """
    programs.check(program)


@pytest.mark.parametrize(
    ("destination", "verdict"),
    [
        ("p", "D2H pinned"),
        ("p[:n]", "D2H pinned"),
        ("p[0]", "D2H pinned"),
        ("p[:, :7]", "D2H gapped"),
        ("p[::2]", "D2H gapped"),
        ("p[:, 0]", "D2H gapped"),
        ("torch.zeros(64, 32)", "D2H pageable"),
        ("torch.zeros(64, 32)[:, :7]", "D2H pageable"),
    ],
)
def test_a_device_to_host_copy_needs_a_dense_pinned_destination(
    programs: Programs, destination: str, verdict: str
) -> None:
    program = f"""
    def step(n):
        p = torch.zeros(64, 32, pin_memory=True)
        ({destination}).copy_(torch.ones(n, device="cuda"), non_blocking=True)  # {verdict}
    """
    programs.check(program)


def test_a_gapped_source_of_a_destination_with_gaps_is_known_only_by_its_own_layout(programs: Programs) -> None:
    """`dst[:, :k].copy_(dense pinned)` never stalls."""
    programs.check("""
    def step(k):
        p = torch.zeros(64, 32, pin_memory=True)
        d = torch.zeros(64, 64, device="cuda")
        d[:, :32].copy_(p, non_blocking=True)  # pinned
        d.copy_(p[:, :7], non_blocking=True)  # gapped
    """)


@pytest.mark.parametrize("call", ["contiguous()", "reshape(-1)", "flatten()"])
def test_making_a_gapped_view_dense_allocates_pageable_memory(programs: Programs, call: str) -> None:
    assert copied(programs, MATRIX, f"p[:, :7].{call}") == "pageable"


@pytest.mark.parametrize("call", ["contiguous()", "reshape(-1)", "flatten()", "view(-1)"])
def test_making_a_dense_tensor_dense_keeps_its_memory(programs: Programs, call: str) -> None:
    assert copied(programs, MATRIX, f"p.{call}") == "pinned"


def test_making_a_permuted_tensor_dense_allocates_pageable_memory(programs: Programs) -> None:
    assert copied(programs, MATRIX, "p.t().contiguous()") == "pageable"
