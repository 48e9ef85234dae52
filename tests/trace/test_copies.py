"""Every form in which a copy can be written, and what each returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pinlint.trace.events import DiscardEvent, UncalledEvent

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

H2D_FORMS = [
    'x.to("cuda", non_blocking=True)',
    'x.to("cuda:1", non_blocking=True)',
    'x.to(device="cuda", non_blocking=True)',
    'x.to(torch.device("cuda"), non_blocking=True)',
    'x.to(torch.device("cuda", 0), non_blocking=True)',
    'x.to(device=torch.device("cuda:0"), dtype=torch.float16, non_blocking=True)',
    'x.to("cuda", torch.float16, non_blocking=True)',
    'x.to("cuda", torch.float16, True)',
    'x.to("cuda", torch.float16, True, False)',
    'x.to("cuda", None, True)',
    "x.to(0, non_blocking=True)",
    "x.to(g, non_blocking=True)",
    "x.to(g, True)",
    "x.to(other=g, non_blocking=True)",
    "x.to(g.device, non_blocking=True)",
    "x.to(dev, non_blocking=True)",
    "x.to(non_blocking=True, device=dev)",
    'x.to(**{"device": "cuda", "non_blocking": True})',
    pytest.param(
        'x.to(*("cuda", torch.float16, True))',
        marks=pytest.mark.xfail(reason="relevance sees a copy in `**arguments` only, not in `*arguments`"),
    ),
    "x.cuda(non_blocking=True)",
    "x.cuda(0, True)",
    "x.cuda(device=0, non_blocking=True)",
    "x.xpu(non_blocking=True)",
    "x.npu(non_blocking=True)",
    "x.hpu(non_blocking=True)",
    'x.type("torch.cuda.FloatTensor", non_blocking=True)',
    "x.type(torch.cuda.FloatTensor, non_blocking=True)",
    "g.copy_(x, non_blocking=True)",
    "g.copy_(x, True)",
    "g.copy_(src=x, non_blocking=True)",
    "g[:4].copy_(x, non_blocking=True)",
    "g.data.copy_(x, non_blocking=True)",
    "g.view(-1).copy_(x, non_blocking=True)",
    "torch._foreach_copy_([g], [x], non_blocking=True)",
    "torch._foreach_copy_([g], [x], True)",
    "g.untyped_storage().copy_(x.untyped_storage(), True)",
    "g.untyped_storage().copy_(x.untyped_storage(), non_blocking=True)",
    "torch.Tensor.to(x, 'cuda', non_blocking=True)",
    "torch.Tensor.copy_(g, x, non_blocking=True)",
    "getattr(x, 'to')('cuda', non_blocking=True)",
]


@pytest.mark.parametrize("form", H2D_FORMS)
@pytest.mark.parametrize("memory", ["pageable", "pinned"])
def test_a_host_to_device_copy_has_the_verdict_of_its_source(programs: Programs, form: str, memory: str) -> None:
    programs.check(f"""
    def step():
        x = torch.zeros(8, pin_memory={memory == "pinned"})
        g = torch.zeros(8, device="cuda")
        y = {form}  # {memory}
        return y
    """)


@pytest.mark.parametrize(
    "form",
    [
        'x.to("cuda")',
        'x.to("cuda", non_blocking=False)',
        'x.to("cuda", torch.float16)',
        'x.to("cuda", torch.float16, False)',
        "x.cuda()",
        "x.cuda(0, False)",
        "x.to(g)",
        "g.copy_(x)",
        "g.copy_(x, False)",
        "torch._foreach_copy_([g], [x])",
        "x.to(torch.float16, non_blocking=True)",
        "x.to(dtype=torch.float16, non_blocking=True)",
        "x.to(torch.float16, True)",
        "x.type(torch.float16, non_blocking=True)",
        "x.half()",
    ],
)
def test_a_copy_that_blocks_or_only_casts_is_no_copy_to_judge(programs: Programs, form: str) -> None:
    programs.check(f"""
    def step():
        x = torch.zeros(8)
        g = torch.zeros(8, device="cuda")
        return {form}
    """)


@pytest.mark.parametrize(
    ("source", "destination", "mark"),
    [
        ("gpu", "pageable", "D2H pageable"),
        ("gpu", "pinned", "D2H pinned"),
        ("gpu", "gpu", "device"),
        ("pageable", "pinned", "host"),
        ("pinned", "pageable", "host"),
        ("pageable", "gpu", "pageable"),
        ("pinned", "gpu", "pinned"),
    ],
)
def test_the_direction_is_that_of_source_and_destination(
    programs: Programs, source: str, destination: str, mark: str
) -> None:
    allocation = {
        "gpu": 'torch.zeros(8, device="cuda")',
        "pageable": "torch.zeros(8)",
        "pinned": "torch.zeros(8, pin_memory=True)",
    }
    programs.check(f"""
    def step():
        source = {allocation[source]}
        destination = {allocation[destination]}
        destination.copy_(source, non_blocking=True)  # {mark}
    """)


@pytest.mark.parametrize(
    "form", ['.to("cpu", non_blocking=True)', '.to(device="cpu", non_blocking=True)', '.to("cpu", torch.int8, True)']
)
def test_a_non_blocking_move_to_the_host_lands_in_pinned_memory(programs: Programs, form: str) -> None:
    programs.check(f"""
    def step():
        g = torch.zeros(8, device="cuda")
        h = g{form}  # D2H pinned
        torch.cuda.synchronize()
        return h.to("cuda", non_blocking=True)  # pinned
    """)


@pytest.mark.parametrize(
    "form", [".cpu()", '.to("cpu")', '.to("cpu", non_blocking=False)', ".detach().cpu()", ".to(torch.device('cpu'))"]
)
def test_a_blocking_move_to_the_host_lands_in_pageable_memory(programs: Programs, form: str) -> None:
    programs.check(f"""
    def step():
        h = torch.zeros(8, device="cuda"){form}
        return h.to("cuda", non_blocking=True)  # pageable
    """)


def test_a_slice_of_the_device_tensor_may_have_any_layout(programs: Programs) -> None:
    programs.check("""
    def step(k):
        g = torch.zeros(8, 8, device="cuda")
        a = g[:, :4].to("cpu", non_blocking=True)  # D2H pinned
        b = g.t().to("cpu", non_blocking=True)  # D2H pinned
        return a, b
    """)


def test_copies_in_a_chain_are_told_apart(programs: Programs) -> None:
    programs.check("""
    def step():
        return (
            torch.zeros(8)
            .to("cuda", non_blocking=True)  # pageable
            .to("cpu", non_blocking=True)  # D2H pinned
            .to("cuda:1", non_blocking=True)  # pinned
        )
    """)


def test_copy_returns_its_destination(programs: Programs) -> None:
    programs.check("""
    def step():
        p = torch.empty(8, pin_memory=True).copy_(torch.zeros(8))
        return p.to("cuda", non_blocking=True)  # pinned
    """)


def test_what_was_moved_is_on_the_device(programs: Programs) -> None:
    programs.check("""
    def step():
        g = torch.zeros(8).cuda()
        return g.to("cuda:1", non_blocking=True)  # device
    """)


def test_the_lists_of_a_foreach_copy_are_judged_element_by_element(programs: Programs) -> None:
    programs.check("""
    def step():
        g, h = torch.zeros(8, device="cuda"), torch.zeros(8, device="cuda")
        x, p = torch.zeros(8), torch.zeros(8, pin_memory=True)
        torch._foreach_copy_([g, h], [p, p], non_blocking=True)  # pinned
        torch._foreach_copy_([g, h], [p, x], non_blocking=True)  # pageable
    """)


@pytest.mark.parametrize(
    ("flag", "mark"), [("True", "# pageable"), ("1", "# pageable"), ("False", ""), ("0", ""), ("None", "")]
)
def test_the_flag_is_followed_through_a_variable(programs: Programs, flag: str, mark: str) -> None:
    programs.check(f"""
    def step():
        flag = {flag}
        return torch.zeros(8).to("cuda", non_blocking=flag)  {mark}
    """)


def test_a_module_constant_is_a_flag(programs: Programs) -> None:
    programs.check("""
    NON_BLOCKING = True

    def step():
        return torch.zeros(8).to("cuda", non_blocking=NON_BLOCKING)  # pageable
    """)


def test_methods_of_other_classes_are_no_copies(programs: Programs) -> None:
    programs.check("""
    class Unit:
        def to(self, unit, non_blocking=False):
            return self

    def convert():
        return Unit().to("cuda", non_blocking=True)
    """)


def test_a_module_from_torch_has_pageable_parameters(programs: Programs) -> None:
    programs.check("""
    def build():
        layer = torch.nn.Linear(8, 8)
        return layer.to("cuda", non_blocking=True)  # pageable
    """)


# --- the mistakes that are no copies ----------------------------------------------------------------------------------


IN_A_FILE_OF_ITS_OWN = pytest.mark.xfail(reason="a file without `non_blocking` or `pin_memory()` is not parsed")
BEFORE_A_BLOCK = pytest.mark.xfail(reason="the prefilter takes `is_pinned:` before an indented block for an annotation")


@pytest.mark.parametrize(
    "call",
    [
        "x.pin_memory()",
        'x.to("cuda", non_blocking=True)',
        pytest.param('x.to("cuda")', marks=IN_A_FILE_OF_ITS_OWN),
        pytest.param("x.cuda()", marks=IN_A_FILE_OF_ITS_OWN),
    ],
)
def test_a_result_that_is_thrown_away_is_told(programs: Programs, call: str) -> None:
    (event,) = programs.others(f"""
    def step():
        x = torch.zeros(8)
        {call}
        return x
    """)
    assert isinstance(event, DiscardEvent)
    assert (event.site.line, event.assignable) == (4, True)


@pytest.mark.parametrize(
    "statement",
    ["x = x.pin_memory()", "return x.pin_memory()", "keep(x.pin_memory())", "x.fill_(1)", "y.copy_(x)", "m.to('cuda')"],
)
def test_a_result_that_is_used_or_in_place_is_not(programs: Programs, statement: str) -> None:
    found = programs.others(f"""
    def step(keep, y):
        x = torch.zeros(8)
        m = torch.nn.Linear(8, 8)
        {statement}
    """)
    assert found == []


@pytest.mark.parametrize("call", ['x.to("cuda")', "x.cuda()"])
def test_a_blocking_move_that_is_thrown_away_is_told_beside_other_copies(programs: Programs, call: str) -> None:
    (event,) = programs.others(f"""
    def step():
        x = torch.zeros(8)
        {call}
        return x.to("cuda", non_blocking=True)
    """)
    assert isinstance(event, DiscardEvent)


@pytest.mark.parametrize(
    "test",
    [
        "x.is_pinned and other",
        pytest.param("x.is_pinned", marks=BEFORE_A_BLOCK),
        pytest.param("not x.is_pinned", marks=BEFORE_A_BLOCK),
        pytest.param("other or x.is_pinned", marks=BEFORE_A_BLOCK),
    ],
)
def test_an_uncalled_is_pinned_is_told(programs: Programs, test: str) -> None:
    (event,) = programs.others(f"""
    def step(other):
        x = torch.zeros(8)
        if {test}:
            return x
    """)
    assert isinstance(event, UncalledEvent)
    assert event.site.line == 4


def test_a_called_is_pinned_is_not(programs: Programs) -> None:
    assert (
        programs.others("""
    def step():
        x = torch.zeros(8)
        check = x.is_pinned
        return check() and x.is_pinned()
    """)
        == []
    )


# --- graph capture ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "context", ["torch.cuda.graph(graph)", "torch.cuda.graph(graph, pool=pool)", "torch.cuda.graph(graph) as captured"]
)
def test_a_copy_under_capture_is_marked(programs: Programs, context: str) -> None:
    copy = programs.only_copy(f"""
    def capture(graph, pool):
        x = torch.zeros(8)
        with {context}:
            return x.to("cuda", non_blocking=True)
    """)
    assert copy.captured


def test_a_copy_in_a_helper_called_under_capture_is_marked(programs: Programs) -> None:
    copy = programs.only_copy("""
    def push(x):
        return x.to("cuda", non_blocking=True)

    def capture(graph):
        x = torch.zeros(8)
        with torch.cuda.graph(graph):
            push(x)
    """)
    assert copy.captured


def test_a_copy_before_or_after_the_capture_is_not_marked(programs: Programs) -> None:
    copies = programs.copies("""
    def capture(graph):
        a = torch.zeros(8).to("cuda", non_blocking=True)
        with torch.cuda.graph(graph):
            pass
        b = torch.zeros(8).to("cuda", non_blocking=True)
        return a, b
    """)
    assert [copy.captured for copy in copies] == [False, False]
