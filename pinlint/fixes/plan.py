"""Decides how a copy is mended: what is pinned, where, under which condition, and whether that is safe."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from pinlint import ir
from pinlint.findings.finding import Applicability, Confidence, Fix, Role, Step
from pinlint.fixes.allocation import doubt_about_device, doubt_about_keyword
from pinlint.fixes.conditions import choose, spelled
from pinlint.fixes.discards import discarded_pin
from pinlint.fixes.doubts import Doubt, display_only, unsafe, worst
from pinlint.fixes.elements import element, returns_several
from pinlint.fixes.lookup import find
from pinlint.fixes.names import qualified_name
from pinlint.fixes.pins import pinned_beside
from pinlint.fixes.provenance import (
    Place,
    assigned_value,
    bridge_after,
    bridges,
    is_awaited,
    is_bridge,
    model_of,
    new_memory,
    recorded_bridge,
)
from pinlint.fixes.reach import always_runs, leads_to
from pinlint.fixes.settings import ALWAYS, Condition, FixSettings
from pinlint.fixes.sharing import why_sharing_matters
from pinlint.models.load import load_models
from pinlint.models.model import Effect, Models, Pin
from pinlint.rules.wording import callee, line_of
from pinlint.trace.events import CopyEvent, Direction, DiscardEvent, Event, Site, UncalledEvent, Verdict

Modules = Callable[[str], "ir.Module | None"]
"""The IR of a file, by its path as reported; None when it cannot be had."""

_NO_CONDITION = Condition("")


def plan_fix(event: Event, settings: FixSettings, modules: Modules, models: Models | None = None) -> Fix | None:
    """Return the remedy for what the tracer found, or None when there is none to offer.

    `modules` must give the IR of the files that the tracer read. `models` are the built-in ones when not given.
    """
    if isinstance(event, CopyEvent):
        return _Copy(event, settings, modules, models or load_models()).fix()
    if isinstance(event, DiscardEvent):
        return _assign_result(event)
    if isinstance(event, UncalledEvent):
        return _call_is_pinned(event)
    return None


def _assign_result(event: DiscardEvent) -> Fix | None:
    if not event.assignable:
        return None
    reason = "what follows then uses the result, which it did not before"
    return _at_site(event.site, "assign-result", f"assign the result of `{event.form}(...)` to the tensor", reason)


def _call_is_pinned(event: UncalledEvent) -> Fix:
    return _at_site(event.site, "call-is-pinned", "call `is_pinned()`", "the test was always true and is not any more")


def _at_site(site: Site, kind: str, what: str, reason: str) -> Fix:
    return Fix(kind, site.path, site.span, Applicability.UNSAFE, f"{what} at line {site.line}", reason)


class _Copy:
    """The decision for one copy: a method for each row of the table in the design."""

    def __init__(self, event: CopyEvent, settings: FixSettings, modules: Modules, models: Models) -> None:
        self.event = event
        self.settings = settings
        self.modules = modules
        self.models = models

    def fix(self) -> Fix | None:
        event = self.event
        if event.direction not in (Direction.H2D, Direction.D2H):
            return None
        if event.verdict is Verdict.GAPPED:
            return self._gapped()
        index = new_memory(event.steps)
        if event.verdict is not Verdict.PAGEABLE or event.hazards.one_shot or index is None or self._is_loaded():
            return None
        fix = self._pageable(index)
        return None if fix is None else self._besides_a_discarded_pin(fix, event.steps[index])

    def _besides_a_discarded_pin(self, fix: Fix, step: Step) -> Fix:
        """Leave the copy to the fix of a discarded pin, which assigns what its author meant to pin with."""
        made, copy = self._place(step.path, step.span), self._copy()
        if made is None:
            return fix
        discarded = discarded_pin(made.found, copy.found if copy is not None and copy.path == made.path else None)
        if discarded is None:
            return fix
        reason = f"assigning the result of `.pin_memory()` at line {discarded.span[0]} is the remedy"
        return replace(fix, applicability=Applicability.DISPLAY, reason=reason)

    def _pageable(self, index: int) -> Fix | None:
        step = self.event.steps[index]
        if step.role is Role.LOADED:
            return self._loader(step)
        if self.event.direction is Direction.D2H:
            return self._destination(step)
        reason = self._why_not_itself()
        return self._snapshot(reason) if reason else self._value(index)

    # --- the rows of the table --------------------------------------------------------------------------------------

    def _gapped(self) -> Fix:
        what = "copy a dense tensor, and index or permute it on the device"
        if self.event.direction is Direction.D2H:
            what = "copy into a dense pinned tensor of the source's layout"
        reason = "which way keeps the meaning is for its author to choose"
        target = self.event.source or self.event.site.span
        return Fix("dense-copy", self.event.site.path, target, Applicability.DISPLAY, what, reason)

    def _loader(self, step: Step) -> Fix:
        written = self.event.hazards.written_after
        custom = self.event.batch_type
        place = self._place(step.path, step.span)
        doubt = worst(
            display_only(f"a loader cannot pin `{custom}`, which has no `pin_memory` method") if custom else None,
            unsafe(self._written(written)) if written else None,
            doubt_about_keyword(place.found) if place else unsafe("the construction could not be read"),
        )
        what = f"pass `pin_memory=True` to the loader built at {line_of(step, self.event)}"
        return _fix("pin-loader", step.path, step.span, what, doubt, ALWAYS)

    def _destination(self, step: Step) -> Fix:
        """Pinning the destination makes a device-to-host copy return before the values have arrived.

        Only the memory itself can be pinned: `.pin_memory()` on it would be a copy that is filled and thrown away.
        """
        hazards, site = self.event.hazards, self.event.site
        if step.role is not Role.ALLOCATED or not self._accepts_pin(step):
            reason = display_only("what it copies into now is not made by a call that takes `pin_memory`")
            return _fix("pin-destination", site.path, site.span, "copy into a pinned tensor", reason, _NO_CONDITION)
        copy = self._copy()
        waits = copy is not None and is_awaited(self.models, copy)
        doubt = worst(
            display_only(self._at_import()) if hazards.at_import else None,
            unsafe(self._written(hazards.written_after)) if hazards.written_after else None,
            None if waits else unsafe("the copy would not wait any more: its result must not be read before a wait"),
            self._guessed(),
        )
        return self._at_allocation(step, doubt)

    def _why_not_itself(self) -> str:
        """Return why the memory must not be pinned where it is made, "" when it may be."""
        hazards = self.event.hazards
        if hazards.at_import:
            return self._at_import()
        if hazards.written_after:
            return self._written(hazards.written_after)
        if hazards.persistent:
            return f"{self._name()} outlives the call and may be written while a copy is in flight"
        return ""

    def _snapshot(self, reason: str) -> Fix:
        """`.pin_memory()` on what is copied: fresh pinned memory for each copy."""
        event = self.event
        doubt = unsafe(reason)
        place = None if event.source is None else self._place(event.site.path, event.source)
        if place is None:
            what = "copy a pinned snapshot of it"
            return _fix("pin-snapshot", event.site.path, event.site.span, what, display_only(reason), _NO_CONDITION)
        helper = self._helper(place)
        if helper is not None:
            return self._with_helper(place, helper, doubt)
        what = f"copy a pinned snapshot: `.pin_memory()` on {self._name()} at {self._line(place)}"
        return _fix("pin-snapshot", place.path, place.span, what, doubt, _NO_CONDITION)

    def _value(self, index: int) -> Fix | None:
        """Memory that nothing writes after the copy: pinned where it is made, or becomes a tensor."""
        step = self.event.steps[index]
        escapes = unsafe(f"{self._name()} is handed to code that cannot be read and may write it later")
        doubt = worst(escapes if self.event.hazards.escapes else None, self._guessed())
        bridge = recorded_bridge(self.models, self.event.steps[index + 1 :])
        place = self._place(step.path, step.span)
        call = None if place is None else bridge_after(self.models, place.module, place.found)
        if bridge is not None:
            return self._on_expression(bridge.path, bridge.span, doubt)
        if call is not None and not self._accepts_pin(step):
            return self._on_expression(step.path, call.span, doubt)
        if self._is_no_tensor(step) or (place is not None and place.found.is_annotation):
            return self._on_source(doubt)
        if step.role is Role.ALLOCATED and self._accepts_pin(step):
            return self._at_allocation(step, doubt)
        span = step.span
        if place is not None and returns_several(model_of(self.models, step.callee), place.found):
            part = element(place.found)
            if part is None:
                return self._on_source(doubt)
            span = part.span
        return self._on_expression(step.path, span, worst(doubt, self._maybe_an_array(step)))

    def _on_source(self, doubt: Doubt | None) -> Fix | None:
        """Pin what the copying call names, where that is one tensor."""
        source = self.event.source
        return None if source is None else self._on_expression(self.event.site.path, source, doubt)

    # --- what is written --------------------------------------------------------------------------------------------

    def _at_allocation(self, step: Step, doubt: Doubt | None) -> Fix:
        place = self._place(step.path, step.span)
        condition = choose(self.settings, place, cannot_fail=self._cannot_fail(place))
        text, misspelled = spelled(condition, place)
        model = model_of(self.models, step.callee)
        if place is None or model is None:
            doubt = worst(doubt, unsafe("the call could not be read"))
        else:
            about_device = doubt_about_device(place.module, place.found, model)
            doubt = worst(doubt, doubt_about_keyword(place.found), about_device, misspelled)
        what = f"pass `pin_memory={text}` to {callee(step)} at {line_of(step, self.event)}"
        return _fix("pin-at-allocation", step.path, step.span, what, doubt, condition)

    def _on_expression(self, path: str, span: ir.Span, doubt: Doubt | None) -> Fix:
        place = self._place(path, span)
        if place is None:
            what = "pin the value with `.pin_memory()`"
            reason = display_only("the expression could not be read")
            return _fix("pin-expression", path, span, what, worst(doubt, reason), _NO_CONDITION)
        doubt = worst(doubt, self._shared_with_array(place))
        helper = self._helper(place)
        if helper is not None:
            return self._with_helper(place, helper, doubt)
        condition = choose(self.settings, place, cannot_fail=self._cannot_fail(place))
        value = assigned_value(self.models, place.found)
        if condition != ALWAYS and value is not None:
            text, misspelled = spelled(condition, place)
            what = f"pin it after {self._line(place)} if `{text}`"
            return _fix("pin-after-assignment", path, value.span, what, worst(doubt, misspelled), condition)
        reason = unsafe(
            "`.pin_memory()` raises without an accelerator, and the value has no name to pin it under a condition"
        )
        what = f"pin the value with `.pin_memory()` at {self._line(place)}"
        return _fix(
            "pin-expression", path, span, what, doubt if condition == ALWAYS else worst(doubt, reason), _NO_CONDITION
        )

    def _with_helper(self, place: Place, helper: Condition, doubt: Doubt | None) -> Fix:
        text, misspelled = spelled(helper, place)
        what = f"call `{text}` instead of `torch.from_numpy` at {self._line(place)}"
        return _fix("pin-array", place.path, place.span, what, worst(doubt, misspelled), helper)

    # --- facts ------------------------------------------------------------------------------------------------------

    def _place(self, path: str, span: ir.Span) -> Place | None:
        module = self.modules(path)
        found = None if module is None else find(module, span, ir.Node)
        return None if module is None or found is None else Place(path, span, module, found)

    def _copy(self) -> Place | None:
        return self._place(self.event.site.path, self.event.site.span)

    def _is_loaded(self) -> bool:
        """Whether the memory is read from a file, which is done once, at start-up."""
        models = [model_of(self.models, step.callee) for step in self.event.steps]
        return any(model is not None and model.effect is Effect.LOAD for model in models)

    def _cannot_fail(self, place: Place | None) -> bool:
        """Whether pinning at `place` fails only where the copy, or another pin beside it, fails today."""
        event, copy = self.event, self._copy()
        if place is None or copy is None:
            return False
        if copy.path == place.path and event.hazards.pins_already and pinned_beside(self.models, place):
            return True
        if copy.path == place.path and leads_to(place.found, copy.found):
            return event.hazards.accelerator_proven
        caller = self._place(event.place.path, event.place.span)
        if caller is None or caller.path != place.path or event.place == event.site:
            return False
        calls = sum(step.role is Role.PASSED for step in event.steps)
        direct = calls <= 1 and always_runs(copy.found) and leads_to(place.found, caller.found)
        return event.hazards.accelerator_proven and direct

    def _name(self) -> str:
        return f"`{self.event.source_name}`" if self.event.source_name else "the memory"

    def _line(self, place: Place) -> str:
        line = place.span[2]
        return f"line {line}" if place.path == self.event.place.path else f"{place.path}:{line}"

    def _at_import(self) -> str:
        return f"{self._name()} is allocated when its module is imported, where pinning would start CUDA"

    def _written(self, step: Step) -> str:
        verb = "read" if step.role is Role.READ else "written"
        return f"{self._name()} is {verb} at {line_of(step, self.event)} while the copy may be in flight"

    def _guessed(self) -> Doubt | None:
        high = self.event.confidence is Confidence.HIGH
        return None if high else unsafe("the finding rests on a guess, such as an annotation")

    def _accepts_pin(self, step: Step) -> bool:
        model = model_of(self.models, step.callee)
        return model is not None and model.pin is Pin.ACCEPTED

    def _is_no_tensor(self, step: Step) -> bool:
        """Whether the step's value is an array, or a container that holds the tensor."""
        model = model_of(self.models, step.callee)
        if model is None:
            return step.callee.startswith("numpy.")
        return model.result == "array" or model.effect is Effect.COLLATE

    def _maybe_an_array(self, step: Step) -> Doubt | None:
        """An operator or a method may compute an array, which has no `.pin_memory()`."""
        if step.callee.startswith("torch."):
            return None
        place = self._place(step.path, step.span)
        copy = self._copy()
        if place is not None and copy is not None and copy.path == place.path:
            function = copy.found.function
            if function is None or (
                function == place.found.function and not any(bridges(self.models, place.module, function.body))
            ):
                return None
        return unsafe("whether the value is a tensor or an array there could not be told")

    def _shared_with_array(self, place: Place) -> Doubt | None:
        copy = self._copy()
        same_statement = copy is not None and (copy.path, copy.found.statement) == (place.path, place.found.statement)
        if same_statement or not is_bridge(self.models, place.module, place.found.node):
            return None
        reason = why_sharing_matters(self.models, place)
        return unsafe(reason) if reason else None

    def _helper(self, place: Place) -> Condition | None:
        """Return the configured helper where an array becomes a tensor by `torch.from_numpy`."""
        node = place.found.node
        if isinstance(node, ir.Call) and qualified_name(place.module, node.function) == "torch.from_numpy":
            return self.settings.array_helper
        return None


def _fix(kind: str, path: str, target: ir.Span, what: str, doubt: Doubt | None, condition: Condition) -> Fix:  # noqa: PLR0917  # the fields of a Fix in order
    applicability, reason = (doubt.applicability, doubt.reason) if doubt else (Applicability.SAFE, "")
    return Fix(kind, path, target, applicability, what, reason, condition.expression, condition.imports)
