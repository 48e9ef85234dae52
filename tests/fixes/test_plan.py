"""What is pinned, where, under which condition, and how safe that is.

In the sources `«…»` marks the steps to the copy in the order in which the marks end; the last one is the copying call.
"""

from __future__ import annotations

import textwrap
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pinlint.findings.finding import Applicability, Confidence, Fix, Role, Step
from pinlint.fixes import FixSettings, plan_fix
from pinlint.ir import Module, Span
from pinlint.lower import lower
from pinlint.trace.events import (
    CopyEvent,
    Direction,
    DiscardEvent,
    EarlyReadEvent,
    Hazards,
    Site,
    UncalledEvent,
    Verdict,
)

if TYPE_CHECKING:
    from tests.fixes.conftest import Fixer

SAFE, UNSAFE, DISPLAY = Applicability.SAFE, Applicability.UNSAFE, Applicability.DISPLAY
PATH = "engine/train.py"
ZEROS = (Role.ALLOCATED, "torch.zeros")
CAT = (Role.COMPUTED, "torch.cat")
PRODUCT = (Role.COMPUTED, "*")
FROM_NUMPY = (Role.ALLOCATED, "torch.from_numpy")
REPEAT = (Role.COMPUTED, "numpy.repeat")
LOADER = (Role.LOADED, "torch.utils.data.DataLoader")
PROVEN = Hazards(accelerator_proven=True)


class Planner:
    def __init__(self, fixer: Fixer) -> None:
        self.fixer = fixer
        self.text = ""

    def module(self, text: str) -> Module:
        module = lower(text.encode())
        assert isinstance(module, Module)
        return module

    def event(self, marked: str, *steps: tuple[Role, str], source: str = "", **others: object) -> CopyEvent:
        self.text, spans = self.fixer.split(textwrap.dedent(marked))
        assert len(spans) == len(steps) + 1
        made = [
            Step(PATH, span, (span[0], span[2]), role, "", callee)
            for span, (role, callee) in zip(spans, (*steps, (Role.COPIED, "")), strict=True)
        ]
        copy = spans[-1]
        site = Site(PATH, copy, copy[0], copy[1], (copy[0], copy[2]), "f")
        return CopyEvent(
            site=site,
            place=site,
            form=".to",
            direction=others.pop("direction", Direction.H2D),
            verdict=others.pop("verdict", Verdict.PAGEABLE),
            steps=tuple(made),
            reason="",
            source=self.span_of(source, copy) if source else None,
            source_name=others.pop("name", "x"),
            **others,
        )

    def span_of(self, expression: str, within: Span) -> Span:
        line = self.text.splitlines()[within[0] - 1]
        column = line.index(expression, within[1])
        return (within[0], column, within[0], column + len(expression))

    def __call__(
        self, marked: str, *steps: tuple[Role, str], settings: FixSettings | None = None, **others: object
    ) -> Fix:
        event = self.event(marked, *steps, **others)
        fix = plan_fix(event, settings or FixSettings(), lambda _path: self.module(self.text))
        assert fix is not None
        return fix

    def target(self, fix: Fix) -> str:
        first, start, last, end = fix.target
        lines = self.text.splitlines()[first - 1 : last]
        lines[-1] = lines[-1][:end]
        return "\n".join([lines[0][start:], *lines[1:]])


@pytest.fixture
def plan(fix: Fixer) -> Planner:
    return Planner(fix)


def summary(fix: Fix) -> tuple[str, str, Applicability, str]:
    return fix.kind, fix.replacement, fix.applicability, fix.reason


ALLOCATED = """\
    import torch

    def f(n, d):
        x = «torch.zeros(n)»
        return «x.to(d, non_blocking=True)»
    """

COMPUTED = """\
    import torch

    def f(a, b, d):
        x = «torch.cat([a, b])»
        return «x.to(d, non_blocking=True)»
    """

# --- under which condition --------------------------------------------------------------------------------------------


def test_a_factory_is_told_to_pin_if_there_is_an_accelerator(plan: Planner) -> None:
    fix = plan(ALLOCATED, ZEROS)
    assert summary(fix) == ("pin-at-allocation", "torch.cuda.is_available()", SAFE, "")
    assert fix.imports == (("torch", ""),)
    assert plan.target(fix) == "torch.zeros(n)"
    assert fix.description == "pass `pin_memory=torch.cuda.is_available()` to `torch.zeros` at line 4"


@pytest.mark.parametrize("hazards", [PROVEN])
@pytest.mark.parametrize("settings", [FixSettings(), FixSettings(pin_memory="engine.memory.PIN")])
def test_a_literal_is_written_where_pinning_cannot_fail(plan: Planner, hazards: Hazards, settings: FixSettings) -> None:
    fix = plan(ALLOCATED, ZEROS, hazards=hazards, settings=settings)
    assert (fix.replacement, fix.imports, fix.applicability) == ("True", (), SAFE)


@pytest.mark.parametrize(
    ("setting", "replacement", "imports"),
    [
        ("True", "True", ()),
        ("engine.memory.PIN", "PIN", (("engine.memory", "PIN"),)),
        ("engine.memory.can_pin()", "can_pin()", (("engine.memory", "can_pin"),)),
    ],
)
def test_the_condition_of_the_project_is_written(
    plan: Planner, setting: str, replacement: str, imports: tuple[tuple[str, str], ...]
) -> None:
    fix = plan(ALLOCATED, ZEROS, settings=FixSettings(pin_memory=setting))
    assert (fix.replacement, fix.imports, fix.applicability) == (replacement, imports, SAFE)


def test_torch_is_named_as_the_file_names_it(plan: Planner) -> None:
    fix = plan(ALLOCATED.replace("import torch", "import torch as th").replace("torch.zeros", "th.zeros"), ZEROS)
    assert fix.description == "pass `pin_memory=th.cuda.is_available()` to `torch.zeros` at line 4"


@pytest.mark.parametrize(
    ("sibling", "replacement"),
    [
        ("PIN = decide()\ndef g(): return torch.ones(1, pin_memory=PIN)\n", "PIN"),
        ("def can_pin(): ...\ndef g(): return torch.ones(1, pin_memory=can_pin())\n", "can_pin()"),
        ("def g(pin): return torch.ones(1, pin_memory=pin)\n", "torch.cuda.is_available()"),
        ("def g(self): return torch.ones(1, pin_memory=self.pin)\n", "torch.cuda.is_available()"),
        ("def g(): return torch.ones(1, pin_memory=True)\n", "torch.cuda.is_available()"),
    ],
)
def test_the_condition_that_the_file_uses_is_followed_where_it_means_the_same(
    plan: Planner, sibling: str, replacement: str
) -> None:
    source = f"import torch\n{sibling}def f(n, d):\n    x = «torch.zeros(n)»\n    return «x.to(d, True)»\n"
    assert plan(source, ZEROS).replacement == replacement


@pytest.mark.parametrize(
    ("first", "second", "replacement"),
    [
        ("torch.ones(1, pin_memory=self.pin)", "", "self.pin"),
        ("torch.ones(1, pin_memory=pin)", "", "pin"),
        ("torch.ones(1, pin_memory=pin)", "pin = n", "torch.cuda.is_available()"),
    ],
)
def test_the_condition_of_the_same_function_is_followed(
    plan: Planner, first: str, second: str, replacement: str
) -> None:
    source = f"""\
        import torch

        class Model:
            def f(self, n, d, pin):
                {first}
                {second or "pass"}
                x = «torch.zeros(n)»
                return «x.to(d, non_blocking=True)»
        """
    assert plan(source, ZEROS).replacement == replacement


def test_an_attribute_is_not_relied_on_while_the_instance_is_made(plan: Planner) -> None:
    source = """\
        import torch

        class Model:
            def __init__(self, n, d):
                self.x = «torch.zeros(n)»
                self.y = «self.x.to(d, non_blocking=True)»

            def g(self):
                return torch.ones(1, pin_memory=self.pin)
        """
    assert plan(source, ZEROS).replacement == "torch.cuda.is_available()"


def test_a_condition_that_means_something_else_there_is_only_shown(plan: Planner) -> None:
    source = ALLOCATED.replace("f(n, d)", "f(n, d, PIN)")
    fix = plan(source, ZEROS, settings=FixSettings(pin_memory="engine.memory.PIN"))
    assert summary(fix) == ("pin-at-allocation", "PIN", DISPLAY, "`PIN` is a local name there")


# --- whether the factory can be told ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "applicability", "reason"),
    [
        ("torch.zeros(n, device='cpu')", SAFE, ""),
        ("torch.zeros(n, device=torch.device('cpu'))", SAFE, ""),
        ("torch.zeros(n, device=None)", SAFE, ""),
        ("torch.zeros(n, device=HOST)", SAFE, ""),
        ("torch.zeros(n, pin_memory=False)", SAFE, ""),
        (
            "torch.zeros(n, device=d)",
            UNSAFE,
            "`device=` there may be on an accelerator, whose memory cannot be pinned",
        ),
        ("torch.zeros(n, **options)", UNSAFE, "the `**` argument there may hold `pin_memory` or `device`"),
        ("torch.zeros(n, pin_memory=flag)", DISPLAY, "`pin_memory=` is passed there already"),
        ("torch.zeros(n, out=buffer)", DISPLAY, "`out=` gives the memory there"),
    ],
)
def test_what_the_factory_is_passed_decides(
    plan: Planner, call: str, applicability: Applicability, reason: str
) -> None:
    source = ALLOCATED.replace("torch.zeros(n)", call).replace("import torch", "import torch; HOST = 'cpu'")
    fix = plan(source, ZEROS)
    assert (fix.kind, fix.applicability, fix.reason) == ("pin-at-allocation", applicability, reason)


@pytest.mark.parametrize(
    ("call", "callee", "applicability"),
    [
        ("torch.zeros_like(n)", "torch.zeros_like", UNSAFE),
        ("torch.zeros_like(g(n))", "torch.zeros_like", SAFE),
        ("n.new_zeros(1)", "torch.Tensor.new_zeros", UNSAFE),
        ("n.new_zeros(1, device='cpu')", "torch.Tensor.new_zeros", SAFE),
    ],
)
def test_a_factory_that_follows_a_parameter_may_be_on_the_device(
    plan: Planner, call: str, callee: str, applicability: Applicability
) -> None:
    fix = plan(ALLOCATED.replace("torch.zeros(n)", call), (Role.ALLOCATED, callee))
    assert (fix.kind, fix.applicability) == ("pin-at-allocation", applicability)


def test_a_file_that_cannot_be_read_is_never_safe(plan: Planner) -> None:
    fix = plan_fix(plan.event(ALLOCATED, ZEROS), FixSettings(), lambda _path: None)
    assert fix is not None
    assert (fix.applicability, fix.reason) == (UNSAFE, "the call could not be read")


# --- computed values --------------------------------------------------------------------------------------------------


def test_a_computed_value_with_a_name_is_pinned_in_the_next_statement(plan: Planner) -> None:
    fix = plan(COMPUTED, CAT)
    assert summary(fix) == ("pin-after-assignment", "torch.cuda.is_available()", SAFE, "")
    assert fix.description == "pin it after line 4 if `torch.cuda.is_available()`"


def test_a_view_of_a_computed_value_is_pinned_by_its_name(plan: Planner) -> None:
    fix = plan(COMPUTED.replace("b])»", "b])».view(-1)"), CAT)
    assert (fix.kind, fix.applicability, plan.target(fix)) == (
        "pin-after-assignment",
        SAFE,
        "torch.cat([a, b]).view(-1)",
    )


def test_a_view_with_gaps_is_not(plan: Planner) -> None:
    fix = plan(COMPUTED.replace("b])»", "b])».expand(4, 4)"), CAT)
    assert (fix.kind, fix.applicability) == ("pin-expression", UNSAFE)


@pytest.mark.parametrize("hazards", [PROVEN])
def test_a_computed_value_is_pinned_as_it_is_where_that_cannot_fail(plan: Planner, hazards: Hazards) -> None:
    fix = plan(COMPUTED.replace("torch.cat([a, b])", "a * b"), PRODUCT, hazards=hazards)
    assert summary(fix) == ("pin-expression", "", SAFE, "")
    assert plan.target(fix) == "a * b"


def test_a_computed_value_without_a_name_is_unsafe(plan: Planner) -> None:
    source = "import torch\ndef f(a, b, d):\n    return ««torch.cat([a, b])».to(d, non_blocking=True)»\n"
    fix = plan(source, CAT)
    assert (fix.kind, fix.applicability) == ("pin-expression", UNSAFE)
    assert (
        fix.reason
        == "`.pin_memory()` raises without an accelerator, and the value has no name to pin it under a condition"
    )


def test_a_value_that_may_be_an_array_is_unsafe(plan: Planner) -> None:
    source = """\
        import torch

        def f(a, d):
            b = «a * 2»
            c = b
            x = torch.from_numpy(c)
            return «x.to(d, non_blocking=True)»
        """
    fix = plan(source, PRODUCT)
    assert (fix.applicability, fix.reason) == (
        UNSAFE,
        "whether the value is a tensor or an array there could not be told",
    )


def test_a_factory_whose_keyword_does_nothing_is_pinned_as_an_expression(plan: Planner) -> None:
    fix = plan(ALLOCATED.replace("torch.zeros", "torch.blackman_window"), (Role.ALLOCATED, "torch.blackman_window"))
    assert fix.kind == "pin-after-assignment"


# --- arrays -----------------------------------------------------------------------------------------------------------

ARRAY = """\
    import numpy as np
    import torch

    def f(a, d):
        x = «torch.from_numpy(a)»
        return «x.to(d, non_blocking=True)»
    """


def test_an_array_is_pinned_where_it_becomes_a_tensor(plan: Planner) -> None:
    fix = plan(ARRAY, FROM_NUMPY)
    assert summary(fix) == ("pin-after-assignment", "torch.cuda.is_available()", SAFE, "")


def test_the_helper_of_the_project_takes_the_array(plan: Planner) -> None:
    fix = plan(ARRAY, FROM_NUMPY, settings=FixSettings(pin_array="engine.tensors.pinned"))
    assert summary(fix) == ("pin-array", "pinned", SAFE, "")
    assert fix.imports == (("engine.tensors", "pinned"),)
    assert fix.description == "call `pinned` instead of `torch.from_numpy` at line 5"


@pytest.mark.parametrize(
    "source",
    [
        """\
        import numpy as np, torch
        def f(a, n, d):
            return «d.copy_(torch.from_numpy(«np.repeat(a, n)»), non_blocking=True)»
        """,
        """\
        import numpy as np, torch
        def f(a, n, d):
            rows = «np.repeat(a, n)»
            return «d.copy_(torch.from_numpy(rows[:n]), non_blocking=True)»
        """,
        """\
        import numpy as np, torch as t
        def f(a, n, d):
            rows = «np.repeat(a, n)»
            x = t.from_numpy(rows)
            return «d.copy_(x, non_blocking=True)»
        """,
    ],
)
def test_the_bridge_after_a_numpy_function_is_found(plan: Planner, source: str) -> None:
    fix = plan(source, REPEAT, settings=FixSettings(pin_array="engine.tensors.pinned"))
    assert (fix.kind, fix.applicability) == ("pin-array", SAFE)
    assert "from_numpy(" in plan.target(fix)


def test_a_recorded_bridge_is_preferred(plan: Planner) -> None:
    source = ARRAY.replace("«torch.from_numpy(a)»", "«torch.from_numpy(«a * 2»)»")
    fix = plan(source, PRODUCT, (Role.VIEWED, "torch.from_numpy"))
    assert (fix.kind, plan.target(fix)) == ("pin-after-assignment", "torch.from_numpy(a * 2)")


def test_a_tensor_that_was_an_array_meanwhile_is_pinned_where_it_is_allocated(plan: Planner) -> None:
    source = """\
        import torch

        def f(n, d):
            x = «torch.zeros(n)»
            a = «x.numpy()»
            return ««torch.from_numpy(a)».to(d, non_blocking=True)»
        """
    views = (Role.VIEWED, "torch.Tensor.numpy"), (Role.VIEWED, "torch.from_numpy")
    fix = plan(source, ZEROS, *views)
    assert (fix.kind, fix.applicability, plan.target(fix)) == ("pin-at-allocation", SAFE, "torch.zeros(n)")


def test_an_array_that_becomes_a_tensor_elsewhere_is_pinned_at_the_copy(plan: Planner) -> None:
    source = """\
        import numpy as np

        def f(a, n, d):
            rows = «np.repeat(a, n)»
            return «d.copy_(g(rows), non_blocking=True)»
        """
    fix = plan(source, REPEAT, source="g(rows)")
    assert (fix.kind, fix.applicability, plan.target(fix)) == ("pin-expression", UNSAFE, "g(rows)")


def test_a_container_is_not_pinned_but_the_tensor_from_it(plan: Planner) -> None:
    source = """\
        import torch

        def f(f, x, d):
            parts = «x.split(2)»
            return [«v.to(d, non_blocking=True)» for v in parts]
        """
    fix = plan(source, (Role.ALLOCATED, "torch.Tensor.split"), source="v")
    assert (fix.kind, fix.applicability, plan.target(fix)) == ("pin-expression", UNSAFE, "v")


def test_what_is_loaded_from_a_file_is_left(plan: Planner) -> None:
    source = """\
        import torch

        def f(f, x, d):
            state = «torch.load(f, map_location='cpu')»
            return [«v.to(d, non_blocking=True)» for v in state]
        """
    event = plan.event(source, (Role.ALLOCATED, "torch.load"), source="v")
    assert plan_fix(event, FixSettings(), lambda _path: plan.module(plan.text)) is None


def test_an_annotation_is_never_what_is_pinned(plan: Planner) -> None:
    source = """\
        import numpy as np, torch

        def f(a: «np.ndarray», d):
            return «g(a).to(d, non_blocking=True)»
        """
    fix = plan(source, (Role.ALLOCATED, ""), source="g(a)", confidence=Confidence.MEDIUM)
    assert (fix.kind, fix.applicability, plan.target(fix)) == ("pin-expression", UNSAFE, "g(a)")


@pytest.mark.parametrize(
    ("array", "then", "reason"),
    [
        ("a", "a[0] = 1", "`a`, used again at line 6, would not share its memory any more"),
        ("a", "x[0] = 1", "`a` would not see what is written at line 6 any more"),
        ("a", "x.add_(1)", "`a` would not see what is written at line 6 any more"),
        ("a", "x += 1", "`a` would not see what is written at line 6 any more"),
        ("a", "torch.add(d, d, out=x[:2])", "`a` would not see what is written at line 6 any more"),
        ("a", "y = x[:2].view(-1)", "`a` would not see what is written at line 6 any more"),
        ("a.reshape(-1)", "a.fill(0)", "`a`, used again at line 6, would not share its memory any more"),
        ("np.asarray(a)", "pass", "what else holds the memory that it shares could not be told"),
        ("g(a)", "pass", "what else holds the memory that it shares could not be told"),
        ("(kind * n).from_address(a)", "pass", "what else holds the memory that it shares could not be told"),
    ],
)
def test_an_array_that_somebody_may_hold_is_unsafe(plan: Planner, array: str, then: str, reason: str) -> None:
    source = ARRAY.replace("(a)»", f"({array})»").replace("        return", f"        {then}\n        return")
    fix = plan(source, FROM_NUMPY)
    assert (fix.applicability, fix.reason) == (UNSAFE, reason)


@pytest.mark.parametrize(
    ("array", "then"),
    [
        ("a", "y = x.shape[0]"),
        ("np.repeat(a, 2)", "x[0] = 1"),
        ("a.copy()", "a[0] = 1"),
        ("a + 1", "a[0] = 1"),
        ("np.array([1, 2])", "x.add_(1)"),
    ],
)
def test_an_array_that_nobody_else_holds_is_safe(plan: Planner, array: str, then: str) -> None:
    source = ARRAY.replace("(a)»", f"({array})»").replace("        return", f"        {then}\n        return")
    assert plan(source, FROM_NUMPY).applicability is SAFE


def test_an_array_used_after_the_statement_that_copies_it_is_safe(plan: Planner) -> None:
    source = """\
        import torch

        def f(a, d):
            «d.copy_(«torch.from_numpy(a)», non_blocking=True)»
            a[0] = 1
        """
    fix = plan(source, FROM_NUMPY, hazards=PROVEN)
    assert summary(fix) == ("pin-expression", "", SAFE, "")


# --- memory that must not be pinned itself ----------------------------------------------------------------------------

KEPT = """\
    import torch

    class Plan:
        def __init__(self, n):
            self.host = «torch.zeros(n)»

        def step(self, n):
            «self.dev[:n].copy_(self.host[:n], non_blocking=True)»
    """


def written(line: int = 8) -> Step:
    return Step(PATH, (line, 4, line, 8), (line, line), Role.WRITTEN, "written here")


@pytest.mark.parametrize(
    ("hazards", "reason"),
    [
        (Hazards(persistent=True), "`self.host` outlives the call and may be written while a copy is in flight"),
        (Hazards(written_after=written()), "`self.host` is written at line 8 while the copy may be in flight"),
        (
            Hazards(at_import=True),
            "`self.host` is allocated when its module is imported, where pinning would start CUDA",
        ),
    ],
)
def test_a_snapshot_is_copied_instead(plan: Planner, hazards: Hazards, reason: str) -> None:
    proven = replace(hazards, accelerator_proven=True)
    fix, same = (
        plan(KEPT, ZEROS, source="self.host[:n]", name="self.host", hazards=each) for each in (hazards, proven)
    )
    assert fix == same
    assert summary(fix) == ("pin-snapshot", "", UNSAFE, reason)
    assert plan.target(fix) == "self.host[:n]"
    assert fix.description == "copy a pinned snapshot: `.pin_memory()` on `self.host` at line 8"


def test_a_snapshot_of_what_has_no_expression_is_only_shown(plan: Planner) -> None:
    fix = plan(KEPT, ZEROS, name="self.host", hazards=Hazards(persistent=True))
    assert (fix.kind, fix.applicability) == ("pin-snapshot", DISPLAY)


def test_a_snapshot_of_an_array_is_made_by_the_helper(plan: Planner) -> None:
    source = KEPT.replace("«torch.zeros(n)»", "«np.zeros(n)»").replace("self.host[:n]", "torch.from_numpy(self.host)")
    fix = plan(
        source,
        (Role.ALLOCATED, "numpy.zeros"),
        source="torch.from_numpy(self.host)",
        hazards=Hazards(persistent=True),
        settings=FixSettings(pin_array="engine.tensors.pinned"),
    )
    assert (fix.kind, fix.applicability) == ("pin-array", UNSAFE)


def test_memory_handed_to_unread_code_is_unsafe(plan: Planner) -> None:
    fix = plan(ALLOCATED, ZEROS, hazards=Hazards(escapes=True))
    assert (fix.kind, fix.applicability) == ("pin-at-allocation", UNSAFE)
    assert fix.reason == "`x` is handed to code that cannot be read and may write it later"


def test_a_guess_is_unsafe(plan: Planner) -> None:
    fix = plan(ALLOCATED, ZEROS, confidence=Confidence.MEDIUM)
    assert (fix.applicability, fix.reason) == (UNSAFE, "the finding rests on a guess, such as an annotation")


def test_code_that_runs_once_is_not_fixed(plan: Planner) -> None:
    event = plan.event(ALLOCATED, ZEROS, hazards=Hazards(one_shot=True))
    assert plan_fix(event, FixSettings(), lambda _path: plan.module(plan.text)) is None


@pytest.mark.parametrize("verdict", [Verdict.PINNED, Verdict.CONDITIONAL, Verdict.UNKNOWN, Verdict.NOT_ASYNC])
def test_other_verdicts_need_no_fix(plan: Planner, verdict: Verdict) -> None:
    event = plan.event(ALLOCATED, ZEROS, verdict=verdict)
    assert plan_fix(event, FixSettings(), lambda _path: plan.module(plan.text)) is None


@pytest.mark.parametrize("direction", [Direction.H2D, Direction.D2H])
def test_a_gapped_copy_is_only_shown(plan: Planner, direction: Direction) -> None:
    fix = plan(ALLOCATED, ZEROS, verdict=Verdict.GAPPED, direction=direction, source="x")
    assert (fix.kind, fix.applicability) == ("dense-copy", DISPLAY)


# --- loaders ----------------------------------------------------------------------------------------------------------

BATCHES = """\
    def f(ds, d):
        loader = «DataLoader(ds)»
        for x in loader:
            «x.to(d, non_blocking=True)»
    """


def test_a_loader_is_told_to_pin_because_it_only_warns(plan: Planner) -> None:
    fix = plan(BATCHES, LOADER)
    assert summary(fix) == ("pin-loader", "True", SAFE, "")
    assert fix.description == "pass `pin_memory=True` to the loader built at line 2"


@pytest.mark.parametrize(
    ("source", "others", "applicability", "reason"),
    [
        (BATCHES, {"batch_type": "Batch"}, DISPLAY, "a loader cannot pin `Batch`, which has no `pin_memory` method"),
        (
            BATCHES.replace("(ds)»", "(ds, pin_memory=args.pin)»"),
            {},
            DISPLAY,
            "`pin_memory=` is passed there already",
        ),
        (
            BATCHES.replace("(ds)»", "(ds, **options)»"),
            {},
            UNSAFE,
            "the `**` argument there may hold `pin_memory` or `device`",
        ),
        (
            BATCHES,
            {"hazards": Hazards(written_after=written())},
            UNSAFE,
            "`x` is written at line 8 while the copy may be in flight",
        ),
    ],
)
def test_a_loader_is_not_always_told(
    plan: Planner, source: str, others: dict[str, object], applicability: Applicability, reason: str
) -> None:
    fix = plan(source, LOADER, **others)
    assert (fix.kind, fix.applicability, fix.reason) == ("pin-loader", applicability, reason)


# --- device to host ---------------------------------------------------------------------------------------------------


def to_host(*after: str) -> str:
    lines = "".join(f"    {line}\n" for line in after)
    return f"import torch\ndef f(n, g, e):\n    x = «torch.empty(n)»\n    «x.copy_(g, non_blocking=True)»\n{lines}"


EMPTY = (Role.ALLOCATED, "torch.empty")


@pytest.mark.parametrize(
    "after",
    [
        ("torch.cuda.synchronize()", "return x"),
        ("e.record()", "e.synchronize()", "return x"),
        ("y = torch.empty(n)", "y.copy_(h, non_blocking=True)", "torch.cuda.synchronize()"),
        ("y.copy_(h, non_blocking=True)", "torch.cuda.current_stream().synchronize()"),
    ],
)
def test_a_destination_that_is_waited_for_at_once_is_safe(plan: Planner, after: tuple[str, ...]) -> None:
    fix = plan(to_host(*after), EMPTY, direction=Direction.D2H)
    assert summary(fix) == ("pin-at-allocation", "torch.cuda.is_available()", SAFE, "")


@pytest.mark.parametrize(
    "after",
    [
        (),
        ("return x",),
        ("y = x.sum()", "torch.cuda.synchronize()"),
        ("y.copy_(x)", "torch.cuda.synchronize()"),
        ("y = torch.zeros_like(x)", "torch.cuda.synchronize()"),
        ("if n: torch.cuda.synchronize()",),
    ],
)
def test_a_destination_that_may_be_read_before_a_wait_is_unsafe(plan: Planner, after: tuple[str, ...]) -> None:
    fix = plan(to_host(*after), EMPTY, direction=Direction.D2H)
    assert (fix.kind, fix.applicability) == ("pin-at-allocation", UNSAFE)
    assert fix.reason == "the copy would not wait any more: its result must not be read before a wait"


# --- no copies --------------------------------------------------------------------------------------------------------


def test_a_result_thrown_away_is_assigned() -> None:
    site = Site(PATH, (3, 4, 3, 18), 3, 6, (3, 3), "f")
    event = DiscardEvent(site, ".pin_memory", source=(3, 4, 3, 5), assignable=True)
    fix = plan_fix(event, FixSettings(), lambda _path: None)
    assert fix is not None
    assert (fix.kind, fix.target, fix.applicability) == ("assign-result", (3, 4, 3, 18), UNSAFE)
    assert plan_fix(replace(event, assignable=False), FixSettings(), lambda _path: None) is None


def test_a_method_that_was_only_named_is_called() -> None:
    site = Site(PATH, (3, 4, 3, 15), 3, 6, (3, 3), "f")
    fix = plan_fix(UncalledEvent(site), FixSettings(), lambda _path: None)
    assert fix is not None
    assert (fix.kind, fix.applicability) == ("call-is-pinned", UNSAFE)


def test_a_result_that_is_read_too_early_has_no_fix(plan: Planner) -> None:
    event = EarlyReadEvent(plan.event(ALLOCATED, ZEROS), written())
    assert plan_fix(event, FixSettings(), lambda _path: None) is None
