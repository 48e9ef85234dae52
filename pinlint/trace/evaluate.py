"""Evaluating expressions to abstract values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from pinlint import ir
from pinlint.trace import assignments, attributes, calls, comprehensions, conditions, indexing
from pinlint.trace.arguments import KEYWORD_STARS, POSITIONAL_STARS, Arguments
from pinlint.trace.joins import elements, join, union
from pinlint.trace.loaders import batch
from pinlint.trace.memory import computed
from pinlint.trace.syntax import has_calls, sized_factory
from pinlint.trace.values import (
    NONE,
    NOTHING,
    PLAIN,
    UNKNOWN,
    Constant,
    Function,
    Instance,
    Loader,
    Mapping,
    Sequence,
    Tensor,
    Union,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pinlint.trace.frame import Frame

MAX_ITEMS = 32
"""Displays longer than this are joined into one element."""


def evaluate(frame: Frame, node: ir.Expression) -> Value:
    """The value of an expression in the frame's current state."""
    return _EVALUATORS[type(node)](frame, node)


def evaluate_all(frame: Frame, nodes: tuple[ir.Expression, ...]) -> None:
    for node in nodes:
        evaluate(frame, node)


def _constant(frame: Frame, node: ir.Constant) -> Value:
    return Constant(node.value)


def _opaque(frame: Frame, node: ir.Opaque) -> Value:
    evaluate_all(frame, node.parts)
    return PLAIN


def _plain(frame: Frame, node: ir.Ellipsis) -> Value:
    return PLAIN


def _slice(frame: Frame, node: ir.Slice) -> Value:
    for part in (node.lower, node.upper, node.step):
        if part is not None and has_calls(part):
            evaluate(frame, part)
    return PLAIN


def _name(frame: Frame, node: ir.Name) -> Value:
    return lookup(frame, node.identifier)


def lookup(frame: Frame, name: str) -> Value:
    """The value of a name: local, of an enclosing function, of the module, or a builtin."""
    scope: Frame | None = frame
    while scope is not None:
        if scope.state is not None and name in scope.state.names and name not in scope.globals:
            return scope.state.names[name]
        if scope.declaration is not None and name in scope.tracer.names.local(scope.declaration):
            # Not bound on this path: there is no value.
            return NOTHING
        scope = scope.parent
    declaration = frame.declaration
    while declaration is not None:
        # Enclosing functions that are not running: a nested function evaluated for itself.
        if name in frame.tracer.names.local(declaration):
            return UNKNOWN
        declaration = declaration.parent
    return frame.tracer.module_name(frame.module, name)


def _attribute(frame: Frame, node: ir.Attribute) -> Value:
    receiver = evaluate(frame, node.value)
    return attributes.read(frame, receiver, node)


def _subscript(frame: Frame, node: ir.Subscript) -> Value:
    base = evaluate(frame, node.value)
    return indexing.read(frame, base, node)


def _call(frame: Frame, node: ir.Call) -> Value:
    return calls.evaluate_call(frame, node)


def evaluate_arguments(frame: Frame, node: ir.Call) -> Arguments:
    """The arguments of a call, `*` and `**` of known values spread out."""
    arguments = Arguments(node.span)
    sized = sized_factory(node)
    for argument in node.arguments:
        if sized and argument.keyword is None and not argument.stars and not has_calls(argument.value):
            arguments.positional.append(PLAIN)
            arguments.spans.append(argument.value.span)
            continue
        value = evaluate(frame, argument.value)
        span = argument.value.span
        if argument.stars == POSITIONAL_STARS:
            _spread(arguments, value)
        elif argument.stars == KEYWORD_STARS:
            _spread_keywords(arguments, value)
        elif argument.keyword is not None:
            arguments.keywords[argument.keyword] = value
            arguments.keyword_spans[argument.keyword] = span
        else:
            arguments.positional.append(value)
            arguments.spans.append(span)
    return arguments


def _spread(arguments: Arguments, value: Value) -> None:
    if isinstance(value, Sequence) and value.items is not None and value.rest is None:
        arguments.positional.extend(value.items)
        arguments.spans.extend([arguments.span] * len(value.items))
        return
    arguments.unknown_positional = True


def _spread_keywords(arguments: Arguments, value: Value) -> None:
    if not isinstance(value, Mapping):
        arguments.unknown_keywords = True
        return
    for key, item in value.items:
        if isinstance(key, str):
            arguments.keywords[key] = item
    if value.rest is not None:
        arguments.unknown_keywords = True


def _unary(frame: Frame, node: ir.Unary) -> Value:
    if node.operator == "not":
        return conditions.negate(conditions.truth_value(frame, node.operand))
    value = evaluate(frame, node.operand)
    if isinstance(value, Constant):
        return _fold_unary(node.operator, value)
    return computed(frame, node, [value], node.operator)


def _fold_unary(operator: str, value: Constant) -> Value:
    if operator == "-" and isinstance(value.value, int | float):
        return Constant(-value.value)
    return PLAIN


def _binary(frame: Frame, node: ir.Binary) -> Value:
    left = evaluate(frame, node.left)
    right = evaluate(frame, node.right)
    if isinstance(left, Constant) and isinstance(right, Constant):
        return _fold(node.operator, left, right)
    sequences = _sequence_operator(frame, node, left, right)
    if sequences is not None:
        return sequences
    return computed(frame, node, [left, right], node.operator)


def _fold(operator: str, left: Constant, right: Constant) -> Value:
    if operator == "+" and isinstance(left.value, str) and isinstance(right.value, str):
        return Constant(left.value + right.value)
    if isinstance(left.value, int) and isinstance(right.value, int) and operator in ("+", "-", "*"):
        result = {"+": left.value + right.value, "-": left.value - right.value, "*": left.value * right.value}[operator]
        return Constant(result)
    return PLAIN


def _sequence_operator(frame: Frame, node: ir.Binary, left: Value, right: Value) -> Value | None:
    """`list + list` and `list * n`, which build Python lists."""
    if node.operator == "+" and isinstance(left, Sequence) and isinstance(right, Sequence):
        if left.items is not None and right.items is not None and len(left.items) + len(right.items) <= MAX_ITEMS:
            return Sequence(left.kind, left.items + right.items, None, frame.storage(node.span))
        return Sequence(left.kind, None, join(elements(left), elements(right)), frame.storage(node.span))
    if node.operator == "*":
        sequence = left if isinstance(left, Sequence) else right
        if isinstance(sequence, Sequence):
            return Sequence(sequence.kind, None, elements(sequence), frame.storage(node.span))
    if node.operator == "|" and isinstance(left, Mapping) and isinstance(right, Mapping):
        return Mapping(tuple(dict([*left.items, *right.items]).items()), left.rest or right.rest)
    return None


def _lambda(frame: Frame, node: ir.Lambda) -> Value:
    declaration = frame.tracer.names.lambda_declaration(frame, node)
    function = Function(declaration, frame)
    frame.nested[id(node)] = function
    return function


def _starred(frame: Frame, node: ir.Starred) -> Value:
    return evaluate(frame, node.value)


def _display(frame: Frame, node: ir.Display) -> Value:
    items: list[Value] = []
    rest: Value | None = None
    for element in node.elements:
        value = evaluate(frame, element)
        if not isinstance(element, ir.Starred):
            items.append(value)
        elif isinstance(value, Sequence) and value.items is not None and value.rest is None:
            items.extend(value.items)
        else:
            spread = iterate(frame, value)
            rest = spread if rest is None else join(rest, spread)
    identity = None if node.kind == "tuple" else frame.storage(node.span)
    if rest is not None or len(items) > MAX_ITEMS or node.kind == "set":
        return Sequence(node.kind, None, union([*items, rest or NOTHING]), identity)
    return Sequence(node.kind, tuple(items), None, identity)


def _dict(frame: Frame, node: ir.DictDisplay) -> Value:
    items: dict[Any, Value] = {}
    rest: Value | None = None
    for key, item in zip(node.keys, node.values, strict=True):
        value = evaluate(frame, item)
        if key is None:
            if isinstance(value, Mapping):
                items.update(value.items)
                rest = value.rest if rest is None else join(rest, value.rest or NOTHING)
            else:
                rest = join(rest or NOTHING, UNKNOWN)
            continue
        name = evaluate(frame, key)
        if isinstance(name, Constant):
            items[name.value] = value
        else:
            rest = value if rest is None else join(rest, value)
    return Mapping(tuple(items.items()), rest, frame.storage(node.span))


def _walrus(frame: Frame, node: ir.Walrus) -> Value:
    value = evaluate(frame, node.value)
    assignments.assign(frame, node.target, value)
    return value


def _await(frame: Frame, node: ir.Await) -> Value:
    return evaluate(frame, node.value)


def _yield(frame: Frame, node: ir.Yield) -> Value:
    value = NONE if node.value is None else evaluate(frame, node.value)
    frame.yields = join(frame.yields, value)
    return UNKNOWN


def _yield_from(frame: Frame, node: ir.YieldFrom) -> Value:
    frame.yields = join(frame.yields, iterate(frame, evaluate(frame, node.value)))
    return UNKNOWN


def iterate(frame: Frame, value: Value) -> Value:
    """What one step of iterating over a value gives."""
    if isinstance(value, Union):
        return union(iterate(frame, item) for item in value.alternatives if item != NONE)
    if isinstance(value, Sequence):
        return elements(value)
    if isinstance(value, Mapping):
        keys = union(Constant(key) for key, _ in value.items)
        return keys if value.rest is None else join(keys, UNKNOWN)
    if isinstance(value, Tensor):
        return indexing.row(frame, value)
    if isinstance(value, Unknown):
        return Unknown(value.reason, value.origins, value.taints, value.direct)
    if isinstance(value, Instance):
        return calls.iterate_instance(frame, value)
    return batch(frame, value) if isinstance(value, Loader) else UNKNOWN


def _boolean(frame: Frame, node: ir.Boolean) -> Value:
    return conditions.boolean(frame, node)


def _compare(frame: Frame, node: ir.Compare) -> Value:
    return conditions.compare(frame, node)


def _conditional(frame: Frame, node: ir.Conditional) -> Value:
    return conditions.conditional(frame, node)


def _comprehension(frame: Frame, node: ir.Comprehension) -> Value:
    return comprehensions.comprehension(frame, node)


_EVALUATORS: dict[type, Callable[[Frame, Any], Value]] = {
    ir.Constant: _constant,
    ir.Ellipsis: _plain,
    ir.Opaque: _opaque,
    ir.Name: _name,
    ir.Attribute: _attribute,
    ir.Slice: _slice,
    ir.Subscript: _subscript,
    ir.Call: _call,
    ir.Unary: _unary,
    ir.Binary: _binary,
    ir.Boolean: _boolean,
    ir.Compare: _compare,
    ir.Conditional: _conditional,
    ir.Lambda: _lambda,
    ir.Starred: _starred,
    ir.Display: _display,
    ir.DictDisplay: _dict,
    ir.Comprehension: _comprehension,
    ir.Walrus: _walrus,
    ir.Await: _await,
    ir.Yield: _yield,
    ir.YieldFrom: _yield_from,
}
