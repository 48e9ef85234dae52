"""Names at module level: imports, definitions and assignments, evaluated when they are read."""

from __future__ import annotations

import builtins
from collections.abc import Iterator
from typing import TYPE_CHECKING

from pinlint import ir
from pinlint.models.model import Effect
from pinlint.trace import calls, classes, statements
from pinlint.trace import evaluate as evaluation
from pinlint.trace.annotations import annotated
from pinlint.trace.arguments import Arguments
from pinlint.trace.declarations import (
    ClassDeclaration,
    FunctionDeclaration,
    ModuleDeclaration,
    dotted,
    simple_statements,
)
from pinlint.trace.frame import Frame
from pinlint.trace.joins import join, union
from pinlint.trace.relevance import Dependences, dependences_of, relevant_names
from pinlint.trace.state import State
from pinlint.trace.values import (
    NOTHING,
    PLAIN,
    UNKNOWN,
    Class,
    Constant,
    Device,
    DtypeValue,
    External,
    Function,
    Instance,
    Module,
    Partial,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from pinlint.models.model import Models
    from pinlint.trace.project import Project
    from pinlint.trace.tracer import Tracer

_BUILTINS = frozenset(dir(builtins))
_PLAIN_NAMES = frozenset({"__name__", "__file__", "__doc__", "__package__", "__debug__"})
_DEFINITIONS = (ir.FunctionDef, ir.ClassDef, ir.Import, ir.ImportFrom)
_NO_DECORATORS = frozenset(
    {"staticmethod", "classmethod", "property", "cached_property", "setter", "getter", "deleter", "overload"}
    | {"abstractmethod", "override", "final", "wraps"}
)


class Modules:
    """What module-level names stand for. `Tracer` builds on it."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self.models: Models = project.models
        self.global_writes: dict[tuple[ModuleDeclaration, str], list[Value]] = {}
        self._names: dict[tuple[ModuleDeclaration, str], Value] = {}
        self._static: dict[tuple[ModuleDeclaration, ir.Span], Value] = {}
        self._dependences: dict[ModuleDeclaration, Dependences] = {}
        self._functions: dict[ModuleDeclaration, dict[int, FunctionDeclaration]] = {}
        self._classes: dict[ModuleDeclaration, dict[int, ClassDeclaration]] = {}
        self._default_devices: dict[ModuleDeclaration, Device] = {}
        self._decorated: dict[FunctionDeclaration, Value] = {}
        self._hung: dict[tuple[ModuleDeclaration, str], Value] = {}
        self._members: frozenset[str] = frozenset()

    @property
    def tracer(self) -> Tracer:
        return self  # type: ignore[return-value] # the tracer is the only subclass

    # --- names --------------------------------------------------------------------------------------------------------

    def module_name(self, module: ModuleDeclaration, name: str) -> Value:
        """The value of a module-level name or a builtin."""
        return self.tracer.questions.ask(self._names, (module, name), lambda: self._module_name(module, name))

    def _module_name(self, module: ModuleDeclaration, name: str) -> Value:
        found = module.bindings.get(name)
        if found is None:
            return self._unbound(module, name)
        if all(isinstance(statement, _DEFINITIONS) for statement in found):
            imports = [item for item in found if not isinstance(item, ir.FunctionDef)]
            # Of several definitions of a function the last one counts; the others are overloads.
            chosen = imports if imports and len(imports) == len(found) else found[-1:] if not imports else found
            return union(self._defined(module, statement, name) for statement in chosen)
        value = self._assigned_name(module, name)
        return join(classes.persistent(value), self._written_globally(module, name))

    def _unbound(self, module: ModuleDeclaration, name: str) -> Value:
        for statement in module.bindings.get("*", []):
            if isinstance(statement, ir.ImportFrom):
                absolute = self.project.absolute_name(statement.module, statement.level, module)
                target = self.project.import_module(absolute, module)
                if target is not None and name in target.bindings:
                    return self.module_name(target, name)
        if name in _BUILTINS:
            return External(f"builtins.{name}")
        if name in _PLAIN_NAMES:
            return PLAIN
        return Unknown(f"the name `{name}`")

    def _defined(self, module: ModuleDeclaration, statement: ir.Statement, name: str) -> Value:
        if isinstance(statement, ir.FunctionDef):
            declaration = self.declaration_of(module, statement)
            if declaration is None:
                return UNKNOWN
            return self.decorated(self.module_frame(module), declaration, Function(declaration))
        if isinstance(statement, ir.ClassDef):
            declared = self.class_of(module, statement)
            return UNKNOWN if declared is None else Class(declared)
        if isinstance(statement, ir.Import | ir.ImportFrom):
            return dict(self.imported(module, statement)).get(name, UNKNOWN)
        return UNKNOWN

    def _assigned_name(self, module: ModuleDeclaration, name: str) -> Value:
        """A name that module-level statements assign: they are run as far as they matter to it."""
        chosen = relevant_names(self.module_dependences(module), frozenset({name}))
        frame = Frame(self.tracer, module, None, self._module_state(module), chosen=chosen, wants=frozenset())
        statements.run(frame, module.tree.body)
        return UNKNOWN if frame.state is None else frame.state.names.get(name, UNKNOWN)

    def _written_globally(self, module: ModuleDeclaration, name: str) -> Value:
        """What functions of the module assign to a name that they declare global."""
        value: Value = NOTHING
        for function in module.functions:
            declares = any(
                isinstance(item, ir.Global) and name in item.names for item in simple_statements(function.body)
            )
            if declares:
                value = join(value, classes.persistent(self.tracer.global_written(function, name)))
        return value

    def module_attribute(self, module: ModuleDeclaration, name: str) -> Value:
        """`module.name`: one of its names or a module below it."""
        if name in module.bindings or module.bindings.get("*"):
            value = self.module_name(module, name)
            if not isinstance(value, Unknown) and value != External(f"builtins.{name}"):
                return value
            if name in module.bindings:
                return value
        below = self.project.import_module(f"{module.qualified_name}.{name}", module)
        return Unknown(f"`{module.qualified_name}.{name}`") if below is None else Module(below)

    def imported(self, module: ModuleDeclaration, node: ir.Import | ir.ImportFrom) -> Iterator[tuple[str, Value]]:
        """The names that an import binds, with their values."""
        if isinstance(node, ir.Import):
            for item in node.names:
                if item.alias is not None:
                    yield item.alias, self._module_value(module, item.name)
                else:
                    root = item.name.split(".")[0]
                    yield root, self._module_value(module, root)
            return
        absolute = self.project.absolute_name(node.module, node.level, module)
        for item in node.names:
            if item.name != "*":
                yield item.alias or item.name, self._from(module, absolute, item.name)

    def _module_value(self, importer: ModuleDeclaration, name: str) -> Value:
        target = self.project.import_module(name, importer)
        return External(name) if target is None else Module(target)

    def _from(self, importer: ModuleDeclaration, absolute: str, name: str) -> Value:
        target = self.project.import_module(absolute, importer)
        if target is not None:
            return self.module_attribute(target, name)
        below = self.project.import_module(f"{absolute}.{name}", importer)
        return self.external(f"{absolute}.{name}") if below is None else Module(below)

    def external(self, name: str) -> Value:
        """A name outside the project; a dtype where the models know it as one."""
        name = self.models.aliases.get(name, name)
        if name in self.models.dtypes:
            return DtypeValue(name.rsplit(".", 1)[-1])
        namespace = self.project.namespace_module(name)
        if namespace is not None:
            return Module(namespace)
        model = self.models.functions.get(name)
        if model is not None and model.attribute and model.effect is Effect.AVAILABLE:
            return PLAIN
        return External(name)

    def has_members(self, name: str) -> bool:
        """Whether something is modelled below the dotted name, as methods are below their class."""
        if not self._members:
            self._members = frozenset(item.rsplit(".", 1)[0] for item in self.models.functions)
        return name in self._members

    # --- static evaluation --------------------------------------------------------------------------------------------

    def module_frame(self, module: ModuleDeclaration) -> Frame:
        return Frame(self.tracer, module, None, self._module_state(module), chosen=frozenset(), wants=frozenset())

    def _module_state(self, module: ModuleDeclaration) -> State:
        return State(default_device=self.default_device(module))

    def module_dependences(self, module: ModuleDeclaration) -> Dependences:
        if module not in self._dependences:
            self._dependences[module] = dependences_of(module.tree.body, "")
        return self._dependences[module]

    def static_value(self, module: ModuleDeclaration, node: ir.Expression) -> Value:
        """The value of an expression at module level (a base class, a decorator, an annotation's name)."""
        key = (module, node.span)
        found = self._static.get(key)
        if found is None or (found == NOTHING):
            found = evaluation.evaluate(self.module_frame(module), node)
            self._static[key] = found
        return found

    def default_value(self, declaration: FunctionDeclaration, parameter: ir.Parameter) -> Value:
        """A parameter's default."""
        if parameter.default is None:
            return UNKNOWN
        if isinstance(parameter.default, ir.Constant):
            return Constant(parameter.default.value)
        if declaration.owner is not None and isinstance(parameter.default, ir.Name):
            field = declaration.owner.fields.get(parameter.default.identifier)
            if field is not None and field[1] is not None:
                return self.class_field(declaration.owner, parameter.default.identifier, field[1])
        return self.static_value(declaration.module, parameter.default)

    def class_field(self, declaration: ClassDeclaration, name: str, value: ir.Expression) -> Value:
        """The value of a class attribute."""
        return self.static_value(declaration.module, value)

    def field_default(self, declaration: ClassDeclaration, name: str) -> Value:
        """The default of a dataclass field; what its annotation says when there is none to evaluate."""
        for item in classes.linearised(self.tracer, declaration):
            field = item.fields.get(name)
            if field is None:
                continue
            annotation, value = field
            if value is None:
                return UNKNOWN if annotation is None else annotated(self.tracer, item.module, annotation, "")
            if isinstance(value, ir.Call):
                return self._field_call(item, value)
            return self.class_field(item, name, value)
        return UNKNOWN

    def _field_call(self, declaration: ClassDeclaration, call: ir.Call) -> Value:
        """`field(default=..., default_factory=...)`."""
        for argument in call.arguments:
            if argument.keyword == "default":
                return self.static_value(declaration.module, argument.value)
            if argument.keyword in ("default_factory", "factory"):
                frame = self.module_frame(declaration.module)
                factory = evaluation.evaluate(frame, argument.value)
                return calls.call_value(frame, call, factory, Arguments(call.span))
        return UNKNOWN

    def decorated(self, frame: Frame, declaration: FunctionDeclaration, function: Function) -> Value:
        """A function as its decorators leave it."""
        node = declaration.node
        if not isinstance(node, ir.FunctionDef) or not node.decorators:
            return function
        if function.scope is None and declaration in self._decorated:
            return self._decorated[declaration]
        if function.scope is None:
            self._decorated[declaration] = function
        value: Value = function
        for decorator in reversed(node.decorators):
            value = self._decorate(frame, decorator, value)
        if function.scope is None:
            self._decorated[declaration] = value
        return value

    def _decorate(self, frame: Frame, decorator: ir.Expression, value: Value) -> Value:
        name = dotted(decorator.function if isinstance(decorator, ir.Call) else decorator).rsplit(".", 1)[-1]
        if name in _NO_DECORATORS:
            return value
        wrapper = evaluation.evaluate(frame, decorator)
        if not isinstance(wrapper, Function | Class | Partial):
            # A decorator that can't be read is taken to keep the function.
            return value
        arguments = Arguments(decorator.span, [value], [decorator.span])
        result = calls.call_value(frame, decorator, wrapper, arguments)
        if isinstance(result, Function | Instance | Partial):
            return result
        return value

    # --- definitions --------------------------------------------------------------------------------------------------

    def declaration_of(self, module: ModuleDeclaration, node: ir.FunctionDef) -> FunctionDeclaration | None:
        if module not in self._functions:
            self._functions[module] = {id(item.node): item for item in module.functions}
        return self._functions[module].get(id(node))

    def class_of(self, module: ModuleDeclaration, node: ir.ClassDef) -> ClassDeclaration | None:
        if module not in self._classes:
            self._classes[module] = {id(item.node): item for item in module.classes}
        return self._classes[module].get(id(node))

    def default_device(self, module: ModuleDeclaration) -> Device:
        """The default device that a module sets when it is imported (`torch.set_default_device`)."""
        known = self._default_devices.get(module)
        if known is not None:
            return known
        self._default_devices[module] = Device.HOST
        for statement in simple_statements(module.tree.body):
            if not isinstance(statement, ir.ExpressionStatement) or not isinstance(statement.value, ir.Call):
                continue
            name = dotted(statement.value.function)
            if name.rsplit(".", 1)[-1].startswith("set_default"):
                frame = Frame(self.tracer, module, None, State(), chosen=frozenset(), wants=frozenset())
                frame.statement = statement
                evaluation.evaluate(frame, statement.value)
                self._default_devices[module] = frame.live.default_device
        return self._default_devices[module]

    # --- attributes of unknown objects --------------------------------------------------------------------------------

    def hang(self, frame: Frame, name: str, value: Value) -> None:
        """An attribute is set on an object of unknown class."""
        key = (frame.module, name)
        self._hung[key] = join(self._hung.get(key, NOTHING), classes.persistent(value))

    def hung_attribute(self, frame: Frame, name: str) -> Value | None:
        """What functions of the module set an attribute of objects of unknown class to, None when none does.

        Only names that no class of the module has: there, the object may be of that class.
        """
        for declaration in frame.module.classes:
            if name in declaration.fields or name in declaration.methods:
                return None
        if (frame.module, name) not in self._hung:
            self._hung[(frame.module, name)] = NOTHING
            self.tracer.evaluate_setters(frame.module, name)
        value = self._hung[(frame.module, name)]
        return None if value == NOTHING else value
