"""Judging a copy: the verdict on each possibility, and the event that says what matters most of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Confidence, Role
from pinlint.trace import inflight
from pinlint.trace.declarations import dotted
from pinlint.trace.events import CopyEvent, Direction, Hazards, Site, Verdict
from pinlint.trace.frame import bounded
from pinlint.trace.values import (
    Class,
    Device,
    External,
    Function,
    Layout,
    Memory,
    Module,
    Network,
    Origin,
    Tensor,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame
    from pinlint.trace.uses import Use


MAX_CERTAIN_CALLS = 2
"""A copy that is reached through more calls than this is of low confidence: hidden unless asked for."""
AWAY = (Device.ACCELERATOR, Device.CHOSEN)
"""Devices that are not the host, or only on a machine without an accelerator."""


@dataclass(slots=True)
class Judgement:
    """The verdict on one possibility of a copy."""

    verdict: Verdict
    direction: Direction
    tensor: Tensor | None = None
    """The host memory that the copy uses."""
    reason: str = ""
    origins: frozenset[Origin] = frozenset()


def judge_move(value: Value, target: Device) -> Judgement:
    """The verdict on moving a value to a device with `non_blocking=True`."""
    if target is Device.META or (isinstance(value, Tensor) and value.device is Device.META):
        return Judgement(Verdict.HOST, Direction.HOST)
    if isinstance(value, Network):
        return _judge_network(value, target)
    if not isinstance(value, Tensor):
        if target is Device.HOST and isinstance(value, Unknown):
            # From an accelerator the destination is allocated pinned; from the host nothing is copied.
            return Judgement(Verdict.PINNED, Direction.D2H, reason="")
        if isinstance(value, Unknown):
            return Judgement(
                Verdict.UNKNOWN, Direction.UNKNOWN, None, value.reason or "the source is not known", value.origins
            )
        return Judgement(Verdict.UNKNOWN, Direction.UNKNOWN, None, "the receiver is no tensor that pinlint knows")
    if value.device is Device.HOST:
        if target is Device.HOST:
            return Judgement(Verdict.HOST, Direction.HOST, value)
        return _judge_host(value, Direction.H2D)
    if target is Device.HOST:
        return Judgement(Verdict.PINNED, Direction.D2H)
    if value.device in AWAY:
        return Judgement(Verdict.DEVICE, Direction.D2D)
    return Judgement(Verdict.UNKNOWN, Direction.UNKNOWN, None, value.reason or "its device is not known", value.origins)


def _judge_network(value: Network, target: Device) -> Judgement:
    if value.device is Device.HOST and target in (*AWAY, Device.UNKNOWN) and value.memory is Memory.PAGEABLE:
        held = Tensor(Device.HOST, Memory.PAGEABLE, value.identity, value.steps)
        return Judgement(Verdict.PAGEABLE, Direction.H2D, held)
    if value.device in AWAY and target in AWAY:
        return Judgement(Verdict.DEVICE, Direction.D2D)
    return Judgement(Verdict.UNKNOWN, Direction.UNKNOWN, None, "a module whose parameters' memory is not known")


def _judge_host(value: Tensor, direction: Direction) -> Judgement:
    """The verdict on host memory as one end of a transfer."""
    if value.memory is Memory.PAGEABLE:
        return Judgement(Verdict.PAGEABLE, direction, value, origins=value.origins)
    if value.memory is Memory.UNKNOWN:
        return Judgement(Verdict.UNKNOWN, direction, value, value.reason or "its memory is not known", value.origins)
    if value.layout in (Layout.GAPPED, Layout.MAYBE_GAPPED):
        return Judgement(Verdict.GAPPED, direction, value)
    verdict = Verdict.PINNED if value.memory is Memory.PINNED else Verdict.CONDITIONAL
    return Judgement(verdict, direction, value, origins=value.origins)


def judge_copy(destination: Value, source: Value) -> Judgement:
    """The verdict on copying `source` into `destination` without blocking."""
    to_host = isinstance(destination, Tensor) and destination.device is Device.HOST
    from_host = isinstance(source, Tensor) and source.device is Device.HOST
    away = isinstance(destination, Tensor) and destination.device in AWAY
    from_away = isinstance(source, Tensor) and source.device in AWAY
    meta = any(isinstance(item, Tensor) and item.device is Device.META for item in (destination, source))
    if meta or (to_host and from_host):
        return Judgement(Verdict.HOST, Direction.HOST)
    if isinstance(source, Tensor) and from_host:
        return _judge_host(source, Direction.H2D)
    if isinstance(destination, Tensor) and to_host:
        judged = _judge_host(destination, Direction.D2H)
        if from_away or judged.verdict in (Verdict.PINNED, Verdict.CONDITIONAL):
            return judged
        return _unknown_copy(source, "the device of the source is not known")
    if away and from_away:
        return Judgement(Verdict.DEVICE, Direction.D2D)
    if from_away:
        return _unknown_copy(destination, "the device of the destination is not known")
    return _unknown_copy(source, "the source is not known")


def _unknown_copy(value: Value, reason: str) -> Judgement:
    if isinstance(value, Unknown | Tensor):
        return Judgement(Verdict.UNKNOWN, Direction.UNKNOWN, None, value.reason or reason, value.origins)
    return Judgement(Verdict.UNKNOWN, Direction.UNKNOWN, None, reason)


_RANK = [
    Verdict.PAGEABLE,
    Verdict.GAPPED,
    Verdict.UNKNOWN,
    Verdict.CONDITIONAL,
    Verdict.PINNED,
    Verdict.DEVICE,
    Verdict.HOST,
    Verdict.NOT_ASYNC,
]


def report(use: Use, form: str, judgements: list[Judgement], flag: bool | None, target: Device, source: Value) -> None:
    """Record the copy with the verdict that matters most among its possibilities."""
    frame = use.frame
    if not judgements:
        return
    if frame.live.accelerator is False and target is not Device.ACCELERATOR:
        judgements = [Judgement(Verdict.HOST, Direction.HOST)]
    if flag is None:
        judgements = [_flag_unknown(use, judgements)]
    ordered = sorted(enumerate(judgements), key=lambda pair: (_RANK.index(pair[1].verdict), pair[0]))
    worst = ordered[0][1]
    event = _event(use, form, worst, judgements, target)
    if worst.verdict in (Verdict.PAGEABLE, Verdict.GAPPED):
        for other in _distinct(judgements, worst):
            frame.tracer.record_copy(_event(use, form, other, judgements, target), frame, other.origins)
    origins = worst.origins
    key = frame.tracer.record_copy(event, frame, origins)
    frame.last_copy = key
    for judged in judgements:
        if judged.tensor is not None and judged.direction in (Direction.H2D, Direction.D2H):
            inflight.start(frame, judged.tensor, key, reads_host=judged.direction is Direction.H2D)


def _flag_unknown(use: Use, judgements: list[Judgement]) -> Judgement:
    """`non_blocking` is not a constant: a copy that would not wait anyway is decided all the same."""
    value = use.arguments.find("non_blocking", use.model.parameters)
    harmless = (Verdict.DEVICE, Verdict.HOST, Verdict.PINNED, Verdict.CONDITIONAL)
    if all(item.verdict in harmless for item in judgements):
        return judgements[0]
    origins = value.origins if isinstance(value, Unknown) else frozenset()
    reason = "`non_blocking` is not known"
    return Judgement(Verdict.UNKNOWN, judgements[0].direction, judgements[0].tensor, reason, origins)


def _distinct(judgements: Iterable[Judgement], first: Judgement) -> list[Judgement]:
    """Further allocations for which the verdict is the same."""
    seen = {first.tensor.storage} if first.tensor is not None else set()
    found = []
    for item in judgements:
        if item.verdict is first.verdict and item.tensor is not None and item.tensor.storage not in seen:
            seen.add(item.tensor.storage)
            found.append(item)
    return found


def _event(use: Use, form: str, judged: Judgement, judgements: list[Judgement], target: Device) -> CopyEvent:
    frame, node = use.frame, use.node
    site = _site(frame, node)
    tensor = judged.tensor
    steps = () if tensor is None else tensor.steps
    place = site
    to_accelerator = judged.direction is Direction.H2D
    message = "copied to an accelerator here" if to_accelerator else "copied to the host here"
    if judged.verdict is Verdict.UNKNOWN:
        message = "copied here"
    passed = [step for step in steps if step.role is Role.PASSED]
    if passed:
        place = frame.tracer.site_of(passed[0])
    copied = frame.step(node.span, Role.COPIED, message)
    copied = replace(copied, span=(site.line, site.column, node.span[2], node.span[3]))
    confidence = Confidence.HIGH if tensor is None else tensor.confidence
    if tensor is not None and tensor.layout is Layout.MAYBE_GAPPED and judged.verdict is Verdict.GAPPED:
        confidence = Confidence.MEDIUM
    if len(passed) > MAX_CERTAIN_CALLS:
        # Each function on the way tests things that the trace does not decide; so many are hardly passed by chance.
        confidence = Confidence.LOW
    source = source_expression(node)
    named = _destination(node) if judged.direction is Direction.D2H else source
    return CopyEvent(
        site,
        place,
        form,
        judged.direction,
        judged.verdict,
        bounded((*steps, copied)) if judged.verdict is not Verdict.UNKNOWN else (),
        judged.reason if judged.verdict is Verdict.UNKNOWN else "",
        confidence,
        tensor is not None and tensor.loader,
        "" if tensor is None else tensor.batch_type,
        all(item.verdict is judged.verdict for item in judgements),
        frame.live.captured,
        None if source is None else source.span,
        "" if named is None else _name_of(frame, named),
        Hazards(
            persistent=tensor is not None and tensor.persistent,
            escapes=tensor is not None and tensor.escaped,
            one_shot=frame.one_shot,
            at_import=_at_import(frame, tensor),
            accelerator_proven=frame.live.accelerator is True or target is Device.ACCELERATOR,
            pins_already=frame.live.pins,
        ),
    )


def _at_import(frame: Frame, tensor: Tensor | None) -> bool:
    if tensor is None or not tensor.steps:
        return False
    return frame.tracer.at_module_level(tensor.steps[0])


def _site(frame: Frame, node: ir.Expression) -> Site:
    if isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute):
        return frame.site(node, node.function.name_line, node.function.name_column)
    return frame.site(node)


def source_expression(node: ir.Expression) -> ir.Expression | None:
    """The expression whose memory a copy reads, as far as the call names it."""
    if not isinstance(node, ir.Call):
        return None
    if isinstance(node.function, ir.Attribute) and node.function.name == "copy_":
        positional = [item.value for item in node.arguments if item.keyword is None and not item.stars]
        return positional[0] if positional else None
    if isinstance(node.function, ir.Attribute) and node.function.name != "_foreach_copy_":
        return node.function.value
    return None


def _destination(node: ir.Expression) -> ir.Expression | None:
    """The expression that a `copy_` writes into."""
    if isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute) and node.function.name == "copy_":
        return node.function.value
    return None


def _name_of(frame: Frame, expression: ir.Expression) -> str:
    """What a reader calls the value of an expression: `batch` for `batch[:n].view(-1)`, "" for `torch.zeros(n)`."""
    root = _root(expression)
    name = dotted(root)
    first = root
    while isinstance(first, ir.Attribute):
        first = first.value
    if not name or not isinstance(first, ir.Name):
        return ""
    from pinlint.trace.evaluate import lookup  # noqa: PLC0415 # evaluate applies effects, which copy

    value = lookup(frame, first.identifier)
    return "" if isinstance(value, External | Module | Class | Function) else name


def _root(expression: ir.Expression) -> ir.Expression:
    """`x` of `x[:n].view(-1)`."""
    while True:
        if isinstance(expression, ir.Subscript):
            expression = expression.value
        elif isinstance(expression, ir.Call) and isinstance(expression.function, ir.Attribute):
            expression = expression.function.value
        else:
            return expression
