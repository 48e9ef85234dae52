"""The condition under which a file pins already: what its other allocations pass as `pin_memory=`."""

from __future__ import annotations

from collections.abc import Iterator

from pinlint import ir
from pinlint.fixes.lookup import Found, find, walk
from pinlint.fixes.scope import local_binders, module_binders


def convention(module: ir.Module, place: Found) -> str | None:
    """Return the expression that other calls of the file pass as `pin_memory=` and that means the same at `place`.

    That is a name of the module, a call of one without arguments, an attribute of `self` in the same class, or a
    parameter of the same function. The nearest call above wins, then the nearest below.
    """
    line = place.node.span[0]
    values = sorted(_passed(module), key=lambda value: (value.span[0] > line, abs(value.span[0] - line)))
    return next(filter(None, (_at(module, value, place) for value in values)), None)


def _passed(module: ir.Module) -> Iterator[ir.Node]:
    for node in walk(module.body):
        if isinstance(node, ir.Call):
            yield from (each.value for each in node.arguments if each.keyword == "pin_memory")


def _at(module: ir.Module, value: ir.Node, place: Found) -> str | None:
    """Return how `value` is written at `place`, or None where it would mean something else."""
    origin = find(module, value.span, type(value))
    if origin is None:
        return None
    if isinstance(value, ir.Name):
        name = value.identifier
        pins = not any(map(_is_off, local_binders(origin, name) or module_binders(module, name)))
        return name if pins and _same_name(module, name, origin, place) else None
    if isinstance(value, ir.Call) and isinstance(value.function, ir.Name) and not value.arguments:
        name = value.function.identifier
        return f"{name}()" if not local_binders(origin, name) and _same_name(module, name, origin, place) else None
    if isinstance(value, ir.Attribute) and isinstance(value.value, ir.Name) and value.value.identifier == "self":
        off = _is_off_attribute(origin, value.name)
        return f"self.{value.name}" if not off and _same_instance(origin, place) else None
    return None


def _is_off(binder: object) -> bool:
    """Whether a name may be False because nobody said otherwise: following it would pin nothing."""
    if isinstance(binder, ir.Parameter):
        return _says_no(binder.default)
    return isinstance(binder, ir.Assign | ir.AnnotatedAssign) and _says_no(binder.value)


def _is_off_attribute(origin: Found, name: str) -> bool:
    """Whether an attribute of `self` is set to False, or to a parameter that is False when it is not given."""
    outer = _class_of(origin)
    for method in outer.body if outer is not None else ():
        off = {each.name for each in getattr(method, "parameters", ()) if _says_no(each.default)}
        for node in walk(method):
            targets = node.targets if isinstance(node, ir.Assign) else (getattr(node, "target", None),)
            if not isinstance(node, ir.Assign | ir.AnnotatedAssign) or not any(
                _is_called(each, name) for each in targets
            ):
                continue
            if _says_no(node.value) or (isinstance(node.value, ir.Name) and node.value.identifier in off):
                return True
    return False


def _is_called(target: object, name: str) -> bool:
    """Whether an assignment's target is `self.name`, or `name` in the class itself."""
    if isinstance(target, ir.Attribute):
        return target.name == name and isinstance(target.value, ir.Name) and target.value.identifier == "self"
    return isinstance(target, ir.Name) and target.identifier == name


def _says_no(value: ir.Expression | None) -> bool:
    return isinstance(value, ir.Constant) and value.value in (False, None)


def _same_name(module: ir.Module, name: str, origin: Found, place: Found) -> bool:
    here, there = local_binders(place, name), local_binders(origin, name)
    if not here and not there:
        return place.function is not None and bool(module_binders(module, name))
    one_parameter = len(here) == 1 and isinstance(here[0], ir.Parameter)
    return one_parameter and place.function is origin.function and here == there


def _same_instance(origin: Found, place: Found) -> bool:
    """Whether `self` is an instance of one class at both places, and made when the fixed place runs."""
    method = place.function
    return (
        method is not None
        and method.name != "__init__"
        and _class_of(origin) is not None
        and _class_of(origin) is _class_of(place)
        and all(each.function is not None and _takes_self(each.function) for each in (origin, place))
    )


def _takes_self(function: ir.FunctionDef) -> bool:
    return bool(function.parameters) and function.parameters[0].name == "self"


def _class_of(found: Found) -> ir.ClassDef | None:
    """Return the class whose method holds the expression."""
    for outer, inner in zip(reversed(found.chain[:-1]), reversed(found.chain[1:]), strict=True):
        if isinstance(inner, ir.FunctionDef):
            return outer if isinstance(outer, ir.ClassDef) else None
    return None
