"""Which value each parameter of a function gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.trace.annotations import annotated
from pinlint.trace.arguments import Arguments
from pinlint.trace.declarations import FunctionDeclaration
from pinlint.trace.joins import join
from pinlint.trace.values import (
    NONE,
    NOTHING,
    UNKNOWN,
    Constant,
    Function,
    Mapping,
    Origin,
    Sequence,
    Storage,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame
    from pinlint.trace.tracer import Tracer


def bind(frame: Frame, function: Function, arguments: Arguments) -> dict[str, Value]:
    """The parameters of `function` in a call that is in view; parameters not given have their defaults."""
    declaration, tracer = function.declaration, frame.tracer
    positional = [*function.arguments, *arguments.positional]
    if function.receiver is not None:
        positional.insert(0, function.receiver)
    keywords = {**dict(function.keywords), **arguments.keywords}
    bound: dict[str, Value] = {}
    index = 0
    for parameter in declaration.parameters:
        name = parameter.name
        if parameter.kind == "var-positional":
            rest = positional[index:]
            unknown = UNKNOWN if arguments.unknown_positional else None
            bound[name] = Sequence("tuple", tuple(rest)) if unknown is None else Sequence("tuple", None, unknown)
            index = len(positional)
        elif parameter.kind == "var-keyword":
            continue
        elif parameter.kind != "keyword" and index < len(positional):
            bound[name] = positional[index]
            index += 1
        elif name in keywords and parameter.kind != "positional-only":
            bound[name] = keywords.pop(name)
        elif arguments.unknown_positional or arguments.unknown_keywords:
            bound[name] = UNKNOWN
        else:
            bound[name] = UNKNOWN if parameter.default is None else tracer.default_value(declaration, parameter)
    for parameter in declaration.parameters:
        if parameter.kind == "var-keyword":
            left = tuple((key, value) for key, value in keywords.items() if key not in bound)
            others = UNKNOWN if arguments.unknown_keywords else None
            bound[parameter.name] = Mapping(left, others, _fresh(declaration, parameter))
    return bound


def entry(tracer: Tracer, declaration: FunctionDeclaration, receiver: Value | None) -> dict[str, Value]:
    """The parameters of a function that is evaluated without a caller.

    They are what its callers agree on, or what its annotations or its defaults say.
    """
    bound: dict[str, Value] = {}
    for index, parameter in enumerate(declaration.parameters):
        if index == 0 and receiver is not None and declaration.receiver_name:
            bound[parameter.name] = receiver
        elif parameter.kind == "var-positional":
            bound[parameter.name] = Sequence("tuple", None, _unknown(declaration, parameter))
        elif parameter.kind == "var-keyword":
            bound[parameter.name] = Mapping((), _unknown(declaration, parameter), _fresh(declaration, parameter))
        else:
            bound[parameter.name] = _parameter(tracer, declaration, parameter)
    return bound


def _fresh(declaration: FunctionDeclaration, parameter: ir.Parameter) -> Storage:
    """The identity of the dict that `**parameter` makes at each call."""
    return Storage(declaration.module.display, parameter.span)


def _unknown(declaration: FunctionDeclaration, parameter: ir.Parameter) -> Unknown:
    reason = f"parameter `{parameter.name}` of `{declaration.name}`"
    return Unknown(reason, frozenset({Origin(declaration, parameter.name)}), direct=True)


def _parameter(tracer: Tracer, declaration: FunctionDeclaration, parameter: ir.Parameter) -> Value:
    observed = tracer.observations.observed_value(declaration, parameter.name)
    if observed is not None:
        return observed
    unknown = _unknown(declaration, parameter)
    value: Value = unknown
    if parameter.annotation is not None:
        value = annotated(tracer, declaration.module, parameter.annotation, unknown.reason, unknown.origins)
    if parameter.default is None:
        return value
    default = tracer.default_value(declaration, parameter)
    if isinstance(default, Constant) and default.value is not None:
        return Constant(default.value, assumed=True, origins=unknown.origins)
    if default == NONE:
        return join(value, Constant(None))
    return value if default in (NOTHING, UNKNOWN) else join(value, default) if value is unknown else value
