"""What would go wrong if a tensor did not share an array's memory any more, as a pinned copy of it does not."""

from __future__ import annotations

from collections.abc import Iterator

from pinlint import ir
from pinlint.fixes.lookup import Block, Found, mentions, root_name, walk
from pinlint.fixes.names import qualified_name
from pinlint.fixes.provenance import Place, assigned_value
from pinlint.fixes.scope import local_binders, module_binders, target_names
from pinlint.models.model import Effect, Models

_NEW = (Effect.ALLOCATE, Effect.COMPUTE, Effect.COLLATE)
_VALUES = (ir.Display, ir.Comprehension, ir.Constant, ir.Binary, ir.Compare, ir.Unary)


def why_sharing_matters(models: Models, place: Place) -> str:
    """Return what may rely on the tensor made at `place` sharing its array's memory, "" when nothing can.

    Something can if the array is used again, or if the tensor is written while somebody else holds the array.
    """
    call = place.found.node
    argument = call.arguments[0].value if isinstance(call, ir.Call) and call.arguments else None
    if argument is None or _is_new(models, place, argument):
        return ""
    name = root_name(argument)
    binders = [] if name is None else local_binders(place.found, name) or module_binders(place.module, name)
    if name is None or all(isinstance(each, ir.Import | ir.ImportFrom) for each in binders):
        return "what else holds the memory that it shares could not be told"
    later = list(_later_statements(place.found))
    use = next(filter(None, (mentions(each, name) for each in later)), None)
    if use is not None:
        return f"`{name}`, used again at line {use.span[0]}, would not share its memory any more"
    written = next((each for tensor in _names_of_value(models, place) for each in _writes(models, later, tensor)), None)
    return "" if written is None else f"`{name}` would not see what is written at line {written.span[0]} any more"


def _is_new(models: Models, place: Place, argument: ir.Expression) -> bool:
    """Whether an array is made by the expression itself, so that nobody else holds it."""
    if not isinstance(argument, ir.Call):
        return isinstance(argument, _VALUES)
    model = models.function(qualified_name(place.module, argument.function))
    if model is None and isinstance(argument.function, ir.Attribute):
        model = models.method("numpy.ndarray", argument.function.name)
    return model is not None and model.effect in _NEW


def _names_of_value(models: Models, place: Place) -> list[str]:
    """Return the name that the tensor is given, as a list of at most one."""
    statement = place.found.statement
    if assigned_value(models, place.found) is None:
        return []
    targets = statement.targets if isinstance(statement, ir.Assign) else (getattr(statement, "target", None),)
    return [name for target in targets for name in target_names(target)]


def _later_statements(found: Found) -> Iterator[ir.Statement]:
    """Yield the statements after the expression's own within its function, with those that compound ones hold."""
    own: list[Block] = []
    for block in found.blocks:
        own = [*own, block]
        if isinstance(block.statements[block.index], ir.FunctionDef):
            own = []
    for block in reversed(own):
        yield from block.after


def _writes(models: Models, statements: list[ir.Statement], name: str) -> Iterator[ir.Node]:
    """Yield where the tensor `name`, or a view of it that is given another name, is written."""
    for node in walk(tuple(statements)):
        if isinstance(node, ir.Call):
            yield from _written_by_call(node, name)
        elif (isinstance(node, ir.AugmentedAssign) and root_name(node.target) == name) or (
            isinstance(node, ir.Assign) and (_assigns_into(node, name) or _is_view(models, node.value, name))
        ):
            yield node


def _assigns_into(statement: ir.Assign, name: str) -> bool:
    return any(isinstance(each, ir.Subscript) and root_name(each) == name for each in statement.targets)


def _written_by_call(call: ir.Call, name: str) -> Iterator[ir.Node]:
    function = call.function
    in_place = isinstance(function, ir.Attribute) and function.name.endswith("_") and not function.name.startswith("_")
    if in_place and root_name(function) == name:
        yield call
    yield from (each.value for each in call.arguments if each.keyword == "out" and root_name(each.value) == name)


def _is_view(models: Models, value: ir.Expression, name: str) -> bool:
    """Whether a value is the tensor `name` or a view of it, through which it may be written unseen."""
    while not isinstance(value, ir.Name):
        if isinstance(value, ir.Subscript):
            value = value.value
            continue
        if not isinstance(value, ir.Call) or not isinstance(value.function, ir.Attribute):
            return False
        model = models.method("torch.Tensor", value.function.name)
        if model is None or model.effect not in (Effect.VIEW, Effect.DENSE, Effect.BRIDGE):
            return False
        value = value.function.value
    return value.identifier == name
