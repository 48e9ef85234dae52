"""Objects of the project's classes as their constructors build them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.trace import binding, classes
from pinlint.trace.arguments import Arguments
from pinlint.trace.declarations import ClassDeclaration
from pinlint.trace.relevance import EVENTS
from pinlint.trace.values import NOTHING, UNKNOWN, Function, Instance, Value

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame


def construct(frame: Frame, node: ir.Expression, declaration: ClassDeclaration, arguments: Arguments) -> Value:
    """An instance of a project's class, with what its constructor sets (evaluated when it is read)."""
    tracer = frame.tracer
    identity = frame.storage(node.span)
    fields = classes.field_names(tracer, declaration)
    init = classes.find_method(tracer, declaration, "__init__")
    if init is None and fields is not None:
        return _construct_data(frame, node, declaration, arguments, fields)
    instance = Instance(declaration, identity, (), exact=True, built=True)
    if init is None:
        return instance
    bound = binding.bind(frame, Function(init, None, instance), arguments)
    if init in tracer.followed:
        tracer.observations.observe(init, bound)
    given = tuple((name, value) for name, value in sorted(bound.items()) if name != init.receiver_name)
    instance = replace(instance, arguments=given)
    if tracer.may_copy(init):
        bound[init.receiver_name] = instance
        tracer.run(Function(init, None, instance), bound, frame, frozenset({EVENTS}))
    return instance


def _construct_data(
    frame: Frame, node: ir.Expression, declaration: ClassDeclaration, arguments: Arguments, fields: list[str]
) -> Value:
    """An instance of a dataclass or NamedTuple: its fields are its arguments."""
    tracer = frame.tracer
    found: dict[str, Value] = {}
    for index, name in enumerate(fields):
        value = arguments.keywords.get(name)
        if value is None and index < len(arguments.positional):
            value = arguments.positional[index]
        if value is None:
            if arguments.unknown_keywords or arguments.unknown_positional:
                value = UNKNOWN
            else:
                value = tracer.field_default(declaration, name)
        if value != NOTHING:
            found[name] = value
    if declaration in tracer.followed:
        tracer.observations.observe(declaration, found)
    instance = Instance(
        declaration, frame.storage(node.span), tuple(sorted(found.items())), exact=True, built=True, arguments=()
    )
    if classes.find_method(tracer, declaration, "__post_init__") is None:
        return instance
    return tracer.after_post_init(frame, node, instance)
