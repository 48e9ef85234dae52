"""Whether a factory's call can be given `pin_memory=` as it stands."""

from __future__ import annotations

from pinlint import ir
from pinlint.fixes.doubts import Doubt, display_only, unsafe
from pinlint.fixes.lookup import Found, root_name
from pinlint.fixes.scope import local_binders, module_binders
from pinlint.models.model import FunctionModel


def doubt_about_keyword(place: Found) -> Doubt | None:
    """Return why the call at `place` may not be given `pin_memory=`."""
    call = place.node
    if not isinstance(call, ir.Call):
        return display_only("there is no call to pass it to")
    present = next((each.value for each in call.arguments if each.keyword == "pin_memory"), None)
    if present is not None and not (isinstance(present, ir.Constant) and present.value in (False, None)):
        return display_only("`pin_memory=` is passed there already")
    if any(each.keyword == "out" for each in call.arguments):
        return display_only("`out=` gives the memory there")
    if any(each.stars > 1 for each in call.arguments):
        return unsafe("the `**` argument there may hold `pin_memory` or `device`")
    return None


def doubt_about_device(module: ir.Module, place: Found, model: FunctionModel) -> Doubt | None:
    """Return why the memory of the factory's call at `place` may not be the host's on every path."""
    call = place.node
    if not isinstance(call, ir.Call):
        return None
    device = next((each.value for each in call.arguments if each.keyword == "device"), None)
    if device is not None:
        return None if _is_host(module, place, device) else _elsewhere("`device=`")
    source = _device_source(call, model) if model.device_from else None
    if source is not None and _is_parameter(place, source):
        return _elsewhere(f"`{root_name(source)}`")
    return None


def _elsewhere(what: str) -> Doubt:
    return unsafe(f"{what} there may be on an accelerator, whose memory cannot be pinned")


def _is_host(module: ir.Module, found: Found, device: ir.Expression) -> bool:
    """Whether a device expression can only be the host: the constant, or a name that is nothing else."""
    if isinstance(device, ir.Name):
        binders = local_binders(found, device.identifier) or module_binders(module, device.identifier)
        return bool(binders) and all(isinstance(each, ir.Assign) and _names_host(each.value) for each in binders)
    return _names_host(device)


def _names_host(device: ir.Expression) -> bool:
    if isinstance(device, ir.Call) and device.arguments:
        function = device.function
        name = function.name if isinstance(function, ir.Attribute) else getattr(function, "identifier", "")
        return name == "device" and _names_host(device.arguments[0].value)
    if not isinstance(device, ir.Constant):
        return False
    return device.value is None or (isinstance(device.value, str) and device.value.partition(":")[0] == "cpu")


def _device_source(call: ir.Call, model: FunctionModel) -> ir.Expression:
    """Return the tensor whose device a `*_like` or `new_*` factory takes."""
    if model.device_from == "self" and isinstance(call.function, ir.Attribute):
        return call.function.value
    named = [each.value for each in call.arguments if each.keyword == model.device_from]
    positional = [each.value for each in call.arguments if each.keyword is None]
    return (named or positional or [call.function])[0]


def _is_parameter(found: Found, source: ir.Expression) -> bool:
    """Whether a tensor comes from a parameter, so that another caller may pass one on an accelerator."""
    name = root_name(source)
    return name is not None and any(isinstance(each, ir.Parameter) for each in local_binders(found, name))
