"""Reads the models: the TOML files beside this module, and the tables that a project adds in the same form.

A file holds any of

    dtypes = ["torch.float16", ...]     names of dtypes

    [aliases]                           another dotted name = the name that is described
    "torch.utils.data.dataloader.DataLoader" = "torch.utils.data.DataLoader"

    [[functions]]                       one table says the same of all its names
    owners = ["torch", "torch.Tensor"]  put before each name; optional
    names = ["add", "mul"]
    effect = "compute"                  the other keys are the fields of `FunctionModel`
"""

from __future__ import annotations

import difflib
import enum
import functools
import sys
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from typing import Any, TypeVar

from pinlint.models.model import Effect, FunctionModel, Layout, Models, Pin

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

E = TypeVar("E", bound=enum.Enum)

FLAGS = ("several", "default_device", "non_blocking", "random", "attribute")
STRINGS = ("source", "result", "device", "device_from", "dtype")
LISTS = ("owners", "names", "parameters")
ENUMS: tuple[tuple[str, type[enum.Enum]], ...] = (("effect", Effect), ("layout", Layout), ("pin", Pin))
KEYS = (*LISTS, *(key for key, _ in ENUMS), *STRINGS, *FLAGS)

CHOICES = {
    "result": ("same", "tensor", "array"),
    "device": ("", "host", "accelerator", "argument"),
}
"""The keys whose string is one of a few words."""

DEVICE_EFFECTS = (Effect.MOVE, Effect.MOVE_TREE, Effect.DEVICE, Effect.LOAD)
"""The effects that `device` says something about."""


class ModelError(ValueError):
    """A table of models is wrong; the message names the file, the table and the key."""


def load_models(extra: Sequence[Mapping[str, object]] = ()) -> Models:
    """Return the built-in models together with the function tables in `extra`, which win over built-in ones.

    `extra` are the `[[tool.pinlint.models]]` tables of a project, as read from TOML.
    Raises ModelError for a table that is not well formed.
    """
    builtin = _builtin_models()
    if not extra:
        return builtin
    added: dict[str, FunctionModel] = {}
    for index, table in enumerate(extra):
        _add_functions(added, table, f"tool.pinlint.models[{index}]")
    # An alias that a project describes itself is no alias any more.
    aliases = {name: target for name, target in builtin.aliases.items() if name not in added}
    return Models({**builtin.functions, **added}, aliases, builtin.dtypes)


@functools.cache
def _builtin_models() -> Models:
    files = sorted(
        (entry for entry in resources.files(__package__).iterdir() if entry.name.endswith(".toml")),
        key=lambda entry: entry.name,
    )
    return read_models((entry.name, entry.read_text(encoding="utf-8")) for entry in files)


def read_models(files: Iterable[tuple[str, str]]) -> Models:
    """Return the models in `files`, pairs of a file's name and its TOML text.

    Raises ModelError for text that is not TOML, for a table that is not well formed, for a name that is described
    twice, and for an alias of something that is not described.
    """
    functions: dict[str, FunctionModel] = {}
    aliases: dict[str, str] = {}
    dtypes: set[str] = set()
    for file, text in files:
        document = _parse(text, file)
        _check_keys(document, ("aliases", "dtypes", "functions"), file)
        for index, table in enumerate(_tables(document.get("functions", []), f"{file}: functions")):
            _add_functions(functions, table, f"{file}: functions[{index}]")
        aliases.update(_aliases(document.get("aliases", {}), f"{file}: aliases"))
        dtypes.update(_strings(document.get("dtypes", []), f"{file}: dtypes"))
    _check_aliases(aliases, functions)
    return Models(functions, aliases, frozenset(dtypes))


def _parse(text: str, file: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ModelError(f"{file}: not valid TOML: {error}") from error


def _add_functions(functions: dict[str, FunctionModel], table: Mapping[str, object], place: str) -> None:
    for model in _function_models(table, place):
        if model.name in functions:
            raise ModelError(f"{place}.names: `{model.name}` is described twice")
        functions[model.name] = model


def _function_models(table: Mapping[str, object], place: str) -> list[FunctionModel]:
    """Return one model for each name of a `[[functions]]` table."""
    _check_keys(table, KEYS, place)
    for key in ("names", "effect"):
        if key not in table:
            raise ModelError(f"{place}: `{key}` is missing")
    fields: dict[str, Any] = {key: _choice(kind, table[key], f"{place}.{key}") for key, kind in ENUMS if key in table}
    fields["parameters"] = tuple(_strings(table.get("parameters", []), f"{place}.parameters"))
    fields.update((key, _string(table[key], key, place)) for key in STRINGS if key in table)
    fields.update((key, _flag(table[key], f"{place}.{key}")) for key in FLAGS if key in table)
    models = [FunctionModel(name, **fields) for name in _qualified_names(table, place)]
    _check_parameters(models[0], place)
    _check_device(models[0], place)
    return models


def _qualified_names(table: Mapping[str, object], place: str) -> list[str]:
    names = _strings(table["names"], f"{place}.names")
    if "owners" in table:
        names = [f"{owner}.{name}" for owner in _strings(table["owners"], f"{place}.owners") for name in names]
    if not names:
        raise ModelError(f"{place}: names no function")
    return names


def _check_parameters(model: FunctionModel, place: str) -> None:
    for key, name in (("source", model.source), ("device_from", model.device_from or "self")):
        if name != "self" and name not in model.parameters:
            hint = _hint(name, model.parameters)
            raise ModelError(f"{place}.{key}: `{name}` is neither `self` nor one of `parameters`{hint}")


def _check_device(model: FunctionModel, place: str) -> None:
    if model.effect in (Effect.MOVE, Effect.DEVICE) and not model.device:
        raise ModelError(
            f"{place}: `device` is missing: effect `{model.effect.value}` needs `host`, `accelerator` or `argument`"
        )
    if model.device and model.effect not in DEVICE_EFFECTS:
        allowed = ", ".join(f"`{each.value}`" for each in DEVICE_EFFECTS)
        raise ModelError(f"{place}.device: has no meaning for effect `{model.effect.value}`, only for {allowed}")


def _check_aliases(aliases: Mapping[str, str], functions: Mapping[str, FunctionModel]) -> None:
    for name, target in aliases.items():
        if name in functions:
            raise ModelError(f"aliases: `{name}` is also described as a function")
        if target not in functions:
            raise ModelError(f"aliases: `{name}` stands for `{target}`, which is not described")


def _check_keys(table: Mapping[str, object], known: Sequence[str], place: str) -> None:
    for key in table:
        if key not in known:
            hint = _hint(key, known) or f" (known keys: {', '.join(known)})"
            raise ModelError(f"{place}: unknown key `{key}`{hint}")


def _tables(value: object, place: str) -> list[Mapping[str, object]]:
    if not isinstance(value, list) or not all(isinstance(table, Mapping) for table in value):
        raise ModelError(f"{place}: must be an array of tables")
    return value


def _aliases(value: object, place: str) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise ModelError(f"{place}: must be a table of names")
    return {name: _string(target, name, place) for name, target in value.items()}


def _strings(value: object, place: str) -> list[str]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ModelError(f"{place}: must be a list of strings, not {_shown(value)}")
    return value


def _string(value: object, key: str, place: str) -> str:
    if not isinstance(value, str):
        raise ModelError(f"{place}.{key}: must be a string, not {_shown(value)}")
    choices = CHOICES.get(key)
    if choices is not None and value not in choices:
        raise ModelError(f"{place}.{key}: `{value}` is not known{_hint(value, choices) or _one_of(choices)}")
    return value


def _flag(value: object, place: str) -> bool:
    if not isinstance(value, bool):
        raise ModelError(f"{place}: must be true or false, not {_shown(value)}")
    return value


def _choice(kind: type[E], value: object, place: str) -> E:
    words = [str(member.value) for member in kind]
    if not isinstance(value, str):
        raise ModelError(f"{place}: must be a string, not {_shown(value)}")
    if value not in words:
        raise ModelError(f"{place}: `{value}` is not known{_hint(value, words) or _one_of(words)}")
    return kind(value)


def _hint(word: str, known: Sequence[str]) -> str:
    nearest = difflib.get_close_matches(word, known, n=1)
    return f"; did you mean `{nearest[0]}`?" if nearest else ""


def _one_of(words: Sequence[str]) -> str:
    return f" (one of: {', '.join(word for word in words if word)})"


def _shown(value: object) -> str:
    return f"`{str(value).lower()}`" if isinstance(value, bool) else f"`{value!r}`"
