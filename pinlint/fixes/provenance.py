"""Which expression on the way to a copy has to be pinned, and what the statements around it do with it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pinlint import ir
from pinlint.findings.finding import Role, Step
from pinlint.fixes.lookup import Found, mentions, root_name, walk
from pinlint.fixes.names import qualified_name
from pinlint.fixes.scope import target_names
from pinlint.models.model import Effect, FunctionModel, Layout, Models


@dataclass(frozen=True, slots=True)
class Place:
    """An expression in the IR of its file."""

    path: str
    span: ir.Span
    module: ir.Module
    found: Found


NEW_MEMORY = (Role.ALLOCATED, Role.COMPUTED, Role.LOADED)
_TO_TENSOR = (Effect.BRIDGE, Effect.CONVERT)


def new_memory(steps: Sequence[Step]) -> int | None:
    """Return the index of the last step before the copy that is new memory: the value to be pinned."""
    found = None
    for index, step in enumerate(steps):
        if step.role is Role.COPIED:
            break
        if step.role in NEW_MEMORY:
            found = index
    return found


def model_of(models: Models, callee: str) -> FunctionModel | None:
    """Return the model of a step's callee, whose name may lack the library's."""
    return models.function(callee) or models.function(f"torch.{callee}")


def recorded_bridge(models: Models, steps: Sequence[Step]) -> Step | None:
    """Return the first of `steps` that turns an array into a tensor, unless one turns a tensor into an array before."""
    for step in steps:
        model = model_of(models, step.callee) if step.callee else None
        if model is not None and model.effect in _TO_TENSOR:
            return step if model.result == "tensor" else None
    return None


def bridges(models: Models, module: ir.Module, value: object) -> Iterator[ir.Call]:
    """Yield the calls in `value` that turn an array into a tensor."""
    for node in walk(value):
        if isinstance(node, ir.Call) and is_bridge(models, module, node):
            yield node


def is_bridge(models: Models, module: ir.Module, node: ir.Node) -> bool:
    """Whether a node is a call that turns an array into a tensor, such as `torch.from_numpy(array)`."""
    model = models.function(qualified_name(module, node.function)) if isinstance(node, ir.Call) else None
    return model is not None and model.effect in _TO_TENSOR and model.result == "tensor"


def bridge_after(models: Models, module: ir.Module, found: Found) -> ir.Call | None:
    """Return the call that turns the value at `found` into a tensor: around it, or on the name it is assigned to."""
    for node in reversed(found.chain[:-1]):
        if isinstance(node, ir.Call) and is_bridge(models, module, node):
            return node
    if found.function is None or not isinstance(found.statement, ir.Assign):
        return None
    names = [name for target in found.statement.targets for name in target_names(target)]
    for call in bridges(models, module, found.function.body):
        argument = call.arguments[0].value if call.arguments else None
        if argument is not None and call.span > found.node.span and root_name(argument) in names:
            return call
    return None


def assigned_value(models: Models, found: Found) -> ir.Expression | None:
    """Return the whole value of a statement that assigns the expression, or dense views of it, to one plain name."""
    statement = found.statement
    if isinstance(statement, ir.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
    elif isinstance(statement, ir.AnnotatedAssign) and statement.value is not None:
        target, value = statement.target, statement.value
    else:
        return None
    return value if isinstance(target, ir.Name) and _views(models, value, found.node) else None


def _views(models: Models, value: ir.Expression, viewed: ir.Node) -> bool:
    """Whether `value` is `viewed`, or a chain of methods on it that view its memory without gaps."""
    while value is not viewed:
        if not isinstance(value, ir.Call) or not isinstance(value.function, ir.Attribute):
            return False
        model = models.method("torch.Tensor", value.function.name)
        if model is None or model.effect is not Effect.VIEW or model.layout in (Layout.GAP, Layout.SELECT):
            return False
        value = value.function.value
    return True


def is_awaited(models: Models, copy: Place) -> bool:
    """Whether a wait follows a `destination.copy_(...)` before anything else can read the destination.

    Only other copies, event records and allocations may stand between, and none that reads the destination.
    """
    copying = copy.found.node
    destination = root_name(copying.function) if isinstance(copying, ir.Call) else None
    used: object
    for statement in copy.found.blocks[-1].after:
        call = getattr(statement, "value", None)
        if destination is None or not isinstance(call, ir.Call):
            return False
        if _is_method(call, "synchronize"):
            return True
        allocates = _effect(models, copy.module, call) is Effect.ALLOCATE
        if _is_method(call, "copy_") and _written_path(call) != _written_path(copying):
            allowed, used = True, call.arguments
        else:
            allowed, used = allocates or _is_method(call, "copy_") or _is_method(call, "record"), call
        if not allowed or mentions(used, destination):
            return False
    return False


def _written_path(call: ir.Node) -> tuple[str, ...]:
    """Return the name and the attributes that lead to what a `.copy_(...)` writes, without indices and views."""
    path: list[str] = []
    node = call.function.value if isinstance(call, ir.Call) and isinstance(call.function, ir.Attribute) else None
    while node is not None and not isinstance(node, ir.Name):
        if isinstance(node, ir.Attribute):
            path.append(node.name)
            node = node.value
        elif isinstance(node, ir.Subscript):
            node = node.value
        else:
            node = (
                node.function.value if isinstance(node, ir.Call) and isinstance(node.function, ir.Attribute) else None
            )
    return (*path, "" if node is None else node.identifier)


def _is_method(call: ir.Call, name: str) -> bool:
    return isinstance(call.function, ir.Attribute) and call.function.name == name


def _effect(models: Models, module: ir.Module, call: ir.Call) -> Effect | None:
    model = models.function(qualified_name(module, call.function))
    return None if model is None else model.effect
