"""What a test says of the values it looks at, on the path where it holds and on the one where it does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.trace import assignments, conditions
from pinlint.trace import evaluate as evaluation
from pinlint.trace.declarations import dotted
from pinlint.trace.joins import union
from pinlint.trace.memory import ACCELERATORS, unknown_tensor
from pinlint.trace.values import (
    NONE,
    NOTHING,
    Availability,
    Constant,
    Device,
    DeviceValue,
    External,
    Instance,
    Memory,
    Plain,
    Sequence,
    Tensor,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def narrow(frame: Frame, test: ir.Expression, truth: bool, value: Value | None = None) -> None:
    """Change the frame's state to one in which `test` has the given truth; the state is None where it can't have.

    `value` is the test's value where it has been evaluated already.
    """
    if frame.state is None:
        return
    frame.shallow += 1
    _narrow(frame, test, truth, value)
    frame.shallow -= 1


def _narrow(frame: Frame, test: ir.Expression, truth: bool, value: Value | None) -> None:
    if isinstance(test, ir.Unary) and test.operator == "not":
        narrow(frame, test.operand, not truth)
        return
    if isinstance(test, ir.Boolean):
        _narrow_boolean(frame, test, truth)
        return
    if value is None:
        value = conditions.truth_value(frame, test)
    known = conditions.known_truth(value)
    if known is not None and known != truth:
        frame.state = None
        return
    _narrow_availability(frame, value, truth)
    if isinstance(test, ir.Walrus):
        test = test.target
    if isinstance(test, ir.Name | ir.Attribute):
        _narrow_truth(frame, test, truth)
    elif isinstance(test, ir.Compare) and len(test.operators) == 1:
        _narrow_comparison(frame, test, truth)
    elif isinstance(test, ir.Call):
        _narrow_call(frame, test, truth)


def _narrow_boolean(frame: Frame, test: ir.Boolean, truth: bool) -> None:
    """`a and b` true: both are; false: one of them is, which says something only when the others are known."""
    if truth == (test.operator == "and"):
        for operand in test.values:
            narrow(frame, operand, truth)
        return
    undecided = [
        operand
        for operand in test.values
        if conditions.known_truth(conditions.truth_value(frame, operand)) is not (test.operator == "and")
    ]
    if len(undecided) == 1:
        narrow(frame, undecided[0], truth)
    elif not undecided:
        frame.state = None
    elif test.operator == "and":
        # `available and x` false: where every part speaks of the accelerator, there is none.
        values = [conditions.truth_value(frame, operand) for operand in undecided]
        if all(isinstance(value, Availability) for value in values):
            frame.live.accelerator = False


def _narrow_availability(frame: Frame, value: Value, truth: bool) -> None:
    found = [item for item in alternatives(value) if isinstance(item, Availability)]
    if found and len(found) == len(alternatives(value)):
        frame.live.accelerator = truth != found[0].negated


def _narrow_truth(frame: Frame, test: ir.Name | ir.Attribute, truth: bool) -> None:
    if isinstance(test, ir.Attribute) and test.name in ("is_cuda", "is_xpu", "is_cpu"):
        on_host = (test.name == "is_cpu") == truth
        if test.name == "is_cpu" or truth:
            _set_device(frame, test.value, Device.HOST if on_host else Device.ACCELERATOR)
        return

    def keep(item: Value) -> Value:
        if isinstance(item, Constant) and item.assumed:
            return Constant(item.value) if bool(item.value) == truth else Constant(truth)
        known = conditions.known_truth(item)
        if known is not None and known != truth:
            return NOTHING
        if not truth and isinstance(item, Tensor | Instance):
            return NOTHING if isinstance(item, Instance) else item
        return item

    _change(frame, test, keep)


def _narrow_comparison(frame: Frame, test: ir.Compare, truth: bool) -> None:
    operator, right = test.operators[0], test.comparators[0]
    if operator in ("is", "is not") and isinstance(right, ir.Constant) and right.value is None:
        is_none = (operator == "is") == truth

        def keep(item: Value) -> Value:
            if isinstance(item, Constant) and item.value is None:
                return item if is_none else NOTHING
            if is_none:
                return NONE if isinstance(item, Unknown) else NOTHING
            return item

        _change(frame, test.left, keep)
    elif operator in ("==", "!=", "is", "is not", "in", "not in"):
        equal = (operator in ("==", "is", "in")) == truth
        _narrow_device_test(frame, test.left, right, equal, operator in ("in", "not in"))


def _narrow_device_test(frame: Frame, left: ir.Expression, right: ir.Expression, equal: bool, contained: bool) -> None:
    """`device.type == "cpu"`, `x.device == torch.device("cpu")`, `"cuda" in device`."""
    if isinstance(left, ir.Constant):
        left, right = right, left
    value = evaluation.evaluate(frame, right)
    named = _device_in(value)
    if named is None:
        return
    subject = left
    while isinstance(subject, ir.Attribute) and subject.name == "type":
        subject = subject.value
    if not contained and not _is_device(frame, subject):
        return
    accelerator = equal if named is Device.ACCELERATOR else not equal
    if named is Device.ACCELERATOR and not equal:
        # Not this accelerator: another one, or none.
        device = Device.HOST
    else:
        device = Device.ACCELERATOR if accelerator else Device.HOST
    if isinstance(subject, ir.Attribute) and subject.name == "device" and not _is_receiver(frame, subject.value):
        _set_device(frame, subject.value, device)
        return

    def keep(item: Value) -> Value:
        known = _device_in(item)
        if known is not None and known is not device:
            return NOTHING
        return DeviceValue(device) if _may_be_device(item) else item

    _change(frame, subject, keep)
    if frame.state is not None:
        frame.state.accelerator = device is Device.ACCELERATOR


def _is_receiver(frame: Frame, node: ir.Expression) -> bool:
    """`self.device` is the program's device, not a tensor's."""
    value = evaluation.evaluate(frame, node)
    return isinstance(value, Instance)


def _device_in(value: Value) -> Device | None:
    if isinstance(value, Constant) and isinstance(value.value, str):
        kind = value.value.split(":")[0]
        if kind == "cpu":
            return Device.HOST
        return Device.ACCELERATOR if kind in ACCELERATORS else None
    if isinstance(value, DeviceValue) and value.device in (Device.HOST, Device.ACCELERATOR):
        return value.device
    return None


def _is_device(frame: Frame, subject: ir.Expression) -> bool:
    value = evaluation.evaluate(frame, subject)
    return any(_may_be_device(item) for item in alternatives(value))


def _may_be_device(item: Value) -> bool:
    return isinstance(item, DeviceValue | Unknown | Plain) or (
        isinstance(item, Constant) and isinstance(item.value, str)
    )


def _set_device(frame: Frame, node: ir.Expression, device: Device) -> None:
    """A tensor is known to be on this device from here on."""

    def keep(item: Value) -> Value:
        if isinstance(item, Tensor):
            if item.device in (Device.UNKNOWN, Device.CHOSEN):
                return replace(item, device=device)
            return item if item.device is device else NOTHING
        if isinstance(item, Unknown):
            return Tensor(
                device,
                Memory.UNKNOWN,
                frame.storage(node.span),
                origins=item.origins,
                reason=item.reason or "its memory is not known",
            )
        return item

    _change(frame, node, keep)


def _narrow_call(frame: Frame, test: ir.Call, truth: bool) -> None:
    function = test.function
    if isinstance(function, ir.Attribute) and function.name == "is_pinned" and not test.arguments:
        _narrow_pinned(frame, function.value, truth)
    elif isinstance(function, ir.Name) and function.identifier == "isinstance":
        match test.arguments:
            case (tested, expected):
                _narrow_class(frame, tested.value, expected.value, truth)


def _narrow_pinned(frame: Frame, node: ir.Expression, truth: bool) -> None:
    def keep(item: Value) -> Value:
        if not isinstance(item, Tensor) or item.array:
            return item
        if truth:
            return NOTHING if item.memory is Memory.PAGEABLE else replace(item, memory=Memory.PINNED)
        return NOTHING if item.memory is Memory.PINNED else item

    _change(frame, node, keep, thorough=True)


def _narrow_class(frame: Frame, node: ir.Expression, of: ir.Expression, truth: bool) -> None:
    value = evaluation.evaluate(frame, of)
    items = value.items if isinstance(value, Sequence) and value.items is not None else (value,)
    names = {item.name for item in items if isinstance(item, External)}
    if len(names) != len(items):
        return

    def keep(item: Value) -> Value:
        kind = _class_of(item)
        if kind is None:
            if truth and names == {"torch.Tensor"} and isinstance(item, Unknown):
                return unknown_tensor(frame, node.span, item)
            return item
        return item if (kind in names) == truth else NOTHING

    _change(frame, node, keep)


def is_instance(frame: Frame, value: Value, of: Value) -> Value:
    """The result of `isinstance(value, of)`: a constant where the classes are known."""
    items = of.items if isinstance(of, Sequence) and of.items is not None else (of,)
    names = {item.name for item in items if isinstance(item, External)}
    results = set()
    for item in alternatives(value):
        kind = _class_of(item)
        if kind is None or len(names) != len(items) or not all(name in _KNOWN_CLASSES for name in names):
            return Plain()
        results.add(kind in names)
    return Constant(results.pop()) if len(results) == 1 else Plain()


_KNOWN_CLASSES = frozenset(
    {"torch.Tensor", "numpy.ndarray", "builtins.list", "builtins.tuple", "builtins.set", "builtins.str"}
    | {"builtins.int", "builtins.float"}
)
"""Classes of which an instance is recognised for what it is."""


def _class_of(item: Value) -> str | None:
    if isinstance(item, Tensor):
        return "numpy.ndarray" if item.array else "torch.Tensor"
    if isinstance(item, Sequence) and item.kind in ("list", "tuple", "set"):
        return f"builtins.{item.kind}"
    if isinstance(item, Constant) and item.value is not None:
        return f"builtins.{type(item.value).__name__}"
    return None


def _change(frame: Frame, node: ir.Expression, keep: Callable[[Value], Value], *, thorough: bool = False) -> None:
    """Apply `keep` to the possibilities of a name or attribute; without any left, the path is not taken.

    `thorough` evaluates an attribute as far as a copy would, where the test is about its memory.
    """
    if isinstance(node, ir.Walrus):
        node = node.target
    path = dotted(node)
    if not path or frame.state is None:
        return
    if isinstance(node, ir.Attribute) and not _narrowable(frame, node):
        return
    shallow, frame.shallow = frame.shallow, 0 if thorough else frame.shallow
    value = evaluation.evaluate(frame, node)
    frame.shallow = shallow
    kept = union(keep(item) for item in alternatives(value))
    if kept == NOTHING and value != NOTHING:
        frame.state = None
    elif kept != value:
        assignments.narrow_name(frame, node, kept)


def _narrowable(frame: Frame, node: ir.Attribute) -> bool:
    return bool(dotted(node.value)) and isinstance(evaluation.evaluate(frame, node.value), Instance | Unknown | Tensor)
