"""Classes of the project and their instances: bases, methods, and what an attribute may hold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.findings.finding import Confidence
from pinlint.trace.annotations import annotated
from pinlint.trace.declarations import ClassDeclaration, FunctionDeclaration
from pinlint.trace.joins import join, union
from pinlint.trace.state import transform
from pinlint.trace.values import (
    NONE,
    NOTHING,
    Class,
    Device,
    External,
    Function,
    Instance,
    Mapping,
    Origin,
    Sequence,
    Storage,
    Tensor,
    Unknown,
    Value,
    alternatives,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame
    from pinlint.trace.tracer import Tracer

MAX_BASES = 40
MAX_OVERRIDES = 12
"""More overriding subclasses than this make a method call unknown."""

PLAIN_BASES = frozenset(
    {
        "builtins.object",
        "abc.ABC",
        "typing.Generic",
        "typing.Protocol",
        "typing.NamedTuple",
        "typing.TypedDict",
        "typing_extensions.Protocol",
        "typing_extensions.TypedDict",
        "enum.Enum",
        "enum.IntEnum",
        "enum.StrEnum",
        "torch.utils.data.Dataset",
        "torch.utils.data.IterableDataset",
        "torch.utils.data.Sampler",
        "threading.Thread",
        "builtins.Exception",
        "builtins.dict",
        "builtins.list",
        "builtins.tuple",
        "builtins.str",
        "builtins.int",
    }
)
"""Bases from outside the project that are no `torch.nn.Module`."""


def linearised(tracer: Tracer, declaration: ClassDeclaration) -> tuple[ClassDeclaration, ...]:
    """The class and its bases within the project, nearest first."""
    known = tracer.linearisations.get(declaration)
    if known is None:
        tracer.linearisations[declaration] = (declaration,)
        found: dict[ClassDeclaration, None] = {declaration: None}
        for base in bases(tracer, declaration):
            if isinstance(base, Class) and len(found) < MAX_BASES:
                found.update(dict.fromkeys(linearised(tracer, base.declaration)))
        known = tuple(found)
        tracer.linearisations[declaration] = known
    return known


def bases(tracer: Tracer, declaration: ClassDeclaration) -> list[Value]:
    known = tracer.class_bases.get(declaration)
    if known is None:
        tracer.class_bases[declaration] = []
        known = []
        for argument in declaration.node.arguments:
            if argument.keyword is None:
                expression = argument.value
                if isinstance(expression, ir.Subscript):
                    expression = expression.value
                known.extend(alternatives(tracer.static_value(declaration.module, expression)))
        tracer.class_bases[declaration] = known
    return known


def may_be_module(tracer: Tracer, declaration: ClassDeclaration) -> bool:
    """Whether the class may be a `torch.nn.Module`, which may be built under a device context."""
    for item in linearised(tracer, declaration):
        for base in bases(tracer, item):
            if isinstance(base, Class):
                continue
            if not isinstance(base, External) or base.name not in PLAIN_BASES:
                return True
    return False


def find_method(tracer: Tracer, declaration: ClassDeclaration, name: str) -> FunctionDeclaration | None:
    for item in linearised(tracer, declaration):
        found = item.methods.get(name)
        if found:
            return found[-1]
    return None


def overrides(tracer: Tracer, declaration: ClassDeclaration, name: str) -> list[FunctionDeclaration]:
    """Definitions of a method in the known subclasses of a class."""
    found = []
    for function in tracer.project.functions_by_name.get(name, []):
        owner = function.owner
        if owner is not None and owner is not declaration and declaration in linearised(tracer, owner):
            found.append(function)
    return found


def class_attribute(tracer: Tracer, declaration: ClassDeclaration, name: str) -> Value:
    """`Class.name`."""
    function = find_method(tracer, declaration, name)
    if function is not None:
        receiver: Value | None = Class(declaration) if function.kind == "class" else None
        return Function(function, None, receiver)
    for item in linearised(tracer, declaration):
        field = item.fields.get(name)
        if field is not None and field[1] is not None:
            return tracer.class_field(item, name, field[1])
        for nested in tracer.project.classes_by_name.get(name, []):
            if nested.module is item.module and nested.qualified_name == f"{item.qualified_name}.{name}":
                return Class(nested)
    return Unknown(f"attribute `{name}` of class `{declaration.name}`")


def attribute(frame: Frame, instance: Instance, name: str) -> Value:
    """`instance.name`: what it was built with, what methods assign, a bound method, or a class attribute."""
    tracer = frame.tracer
    own = instance.get(name)
    if own is None and instance.built and not frame.shallow:
        constructed = tracer.constructed_attribute(instance, name)
        own = None if constructed == NOTHING else constructed
    if own is not None and (instance.exact or not instance.built):
        # Built in view, or set earlier in the method that is being evaluated.
        return own
    if frame.shallow:
        known = tracer.attribute_values.get((instance.declaration, name, instance.built))
        if known is None:
            function = find_method(tracer, instance.declaration, name)
            if function is not None and function.kind != "property":
                return _method(frame, instance, function)
            return Unknown(f"attribute `{name}` of `{instance.declaration.name}`") if own is None else own
    function = find_method(tracer, instance.declaration, name)
    if function is not None and own is None:
        return _method(frame, instance, function)
    assigned = _assigned(tracer, instance, name)
    value = assigned if own is None else join(own, assigned)
    if value == NOTHING:
        value = _declared(frame, instance, name)
    elif value == NONE and not instance.built:
        # Starts as None and is set where the tracer does not see it; an annotation may say what it is then.
        value = join(value, _declared(frame, instance, name))
    if value == NOTHING and not tracer.questions.is_open((instance.declaration, name, instance.built)):
        value = Unknown(f"attribute `{name}` of `{instance.declaration.name}`")
    return lower_confidence(loosened(opened(value, name)), instance.confidence)


def _method(frame: Frame, instance: Instance, function: FunctionDeclaration) -> Value:
    tracer = frame.tracer
    found = [function]
    if not instance.built:
        more = overrides(tracer, instance.declaration, function.name)
        if len(more) > MAX_OVERRIDES:
            return Unknown(f"method `{function.name}` has {len(more)} overrides")
        found += more
    if function.kind == "property":
        return union(tracer.call_property(frame, instance, item) for item in found)
    return union(bound(item, instance) for item in found)


def bound(function: FunctionDeclaration, instance: Instance) -> Function:
    if function.kind == "static":
        return Function(function)
    if function.kind == "class":
        return Function(function, None, Class(instance.declaration))
    return Function(function, None, instance)


def _assigned(tracer: Tracer, instance: Instance, name: str) -> Value:
    """What the class's methods assign to the attribute; for a built instance all but its `__init__`."""
    key = (instance.declaration, name, instance.built)
    return tracer.questions.ask(tracer.attribute_values, key, lambda: _written(tracer, instance, name))


def _written(tracer: Tracer, instance: Instance, name: str) -> Value:
    value: Value = NOTHING
    for item in linearised(tracer, instance.declaration):
        for method in _methods(item):
            if name not in method.dependences.attributes:
                continue
            if instance.built and method.name == "__init__":
                continue
            value = join(value, tracer.attribute_written(method, instance.declaration, name))
    if value in (NOTHING, NONE) or any(
        isinstance(item, Unknown) or _undetermined(item) for item in alternatives(value)
    ):
        value = join(value, tracer.written_from_outside(instance.declaration, name))
    return persistent(value)


def _undetermined(value: Value) -> bool:
    return isinstance(value, Tensor) and value.device is Device.UNKNOWN


def _methods(declaration: ClassDeclaration) -> Iterator[FunctionDeclaration]:
    for functions in declaration.methods.values():
        yield from functions


def _declared(frame: Frame, instance: Instance, name: str) -> Value:
    """The class attribute of that name, or what the attribute's annotation says."""
    tracer = frame.tracer
    for item in linearised(tracer, instance.declaration):
        field = item.fields.get(name)
        if field is None:
            continue
        annotation, value = field
        known: Value = NOTHING
        if value is not None and not _is_field_call(value):
            known = tracer.class_field(item, name, value)
        if annotation is not None and known in (NOTHING, NONE):
            known = join(known, _annotated_field(tracer, instance.declaration, item, name, annotation))
        return lower_confidence(persistent(known), Confidence.MEDIUM) if annotation is not None else persistent(known)
    return NOTHING


def _annotated_field(
    tracer: Tracer, declaration: ClassDeclaration, item: ClassDeclaration, name: str, annotation: ir.Expression
) -> Value:
    """A field that only its annotation describes: what the project's constructions put there, or the annotation."""
    generated = field_names(tracer, declaration) is not None
    observed = tracer.observations.observed_field(declaration, name) if generated else None
    if observed is not None:
        return observed
    origins = frozenset({Origin(declaration, name)}) if generated else frozenset()
    if generated:
        origins |= tracer.observations.missing_origins(declaration, name)
    value = annotated(tracer, item.module, annotation, f"field `{name}` of `{item.name}`", origins)
    return replace(value, direct=False) if isinstance(value, Unknown) else value


def _is_field_call(value: ir.Expression) -> bool:
    return isinstance(value, ir.Call)


def persistent(value: Value) -> Value:
    """The value as found in an attribute: its memory outlives the function."""

    def change(item: Value) -> Value:
        return replace(item, persistent=True) if isinstance(item, Tensor) and not item.persistent else item

    return transform(value, change)


def opened(value: Value, name: str) -> Value:
    """A container that is built empty and kept: something that is not seen fills it."""
    unseen = Unknown(f"an element of `{name}`")
    if isinstance(value, Sequence) and value.kind != "tuple" and not value.items and value.rest is None:
        return replace(value, items=None, rest=unseen)
    if isinstance(value, Mapping) and not value.items and value.rest is None:
        return replace(value, rest=unseen)
    return value


def loosened(value: Value) -> Value:
    """Objects read from an attribute: other methods may have changed them since they were built."""

    def change(item: Value) -> Value:
        if isinstance(item, Instance) and item.exact:
            return replace(
                item, exact=False, attributes=tuple((name, loosened(value)) for name, value in item.attributes)
            )
        return item

    return transform(value, change)


def lower_confidence(value: Value, confidence: Confidence) -> Value:
    """The value as known through something of no more than `confidence`."""
    if confidence is Confidence.HIGH:
        return value

    def change(item: Value) -> Value:
        if isinstance(item, Tensor | Instance) and item.confidence is Confidence.HIGH:
            return replace(item, confidence=confidence)
        return item

    return transform(value, change)


def own_instance(declaration: ClassDeclaration) -> Instance:
    """`self` of a method that is evaluated without a caller."""
    return Instance(declaration, Storage(declaration.module.display, declaration.node.span, ((0, 0, 0, 0),)))


def field_names(tracer: Tracer, declaration: ClassDeclaration) -> list[str] | None:
    """The constructor's parameters of a dataclass, NamedTuple or attrs class in order; None for other classes."""
    data = False
    names: dict[str, None] = {}
    for item in reversed(linearised(tracer, declaration)):
        if _generates_init(tracer, item):
            data = True
        for name, (annotation, value) in item.fields.items():
            if annotation is not None and not _is_class_variable(annotation) and not _excluded(value):
                names[name] = None
    return list(names) if data else None


def _generates_init(tracer: Tracer, declaration: ClassDeclaration) -> bool:
    for base in bases(tracer, declaration):
        if isinstance(base, External) and base.name.rsplit(".", 1)[-1] in ("NamedTuple", "BaseModel", "Struct"):
            return True
    for decorator in declaration.node.decorators:
        function = decorator.function if isinstance(decorator, ir.Call) else decorator
        found = tracer.static_value(declaration.module, function)
        if isinstance(found, External) and found.name in DATA_DECORATORS:
            return True
    return False


DATA_DECORATORS = frozenset(
    {
        "dataclasses.dataclass",
        "attr.s",
        "attr.attrs",
        "attr.dataclass",
        "attr.define",
        "attrs.define",
        "attrs.frozen",
        "attrs.mutable",
        "pydantic.dataclasses.dataclass",
    }
)


def _is_class_variable(annotation: ir.Expression) -> bool:
    base = annotation.value if isinstance(annotation, ir.Subscript) else annotation
    name = base.name if isinstance(base, ir.Attribute) else base.identifier if isinstance(base, ir.Name) else ""
    return name == "ClassVar"


def _excluded(value: ir.Expression | None) -> bool:
    """`field(init=False)`."""
    return isinstance(value, ir.Call) and any(
        argument.keyword == "init" and isinstance(argument.value, ir.Constant) and argument.value.value is False
        for argument in value.arguments
    )
