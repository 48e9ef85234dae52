"""What a project configures about fixes."""

from __future__ import annotations

import re
from dataclasses import dataclass

_DOTTED = re.compile(r"(?P<module>[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*)\.(?P<name>[A-Za-z_]\w*)(?P<call>\(\))?")


@dataclass(frozen=True, slots=True)
class Condition:
    """What decides whether to pin: an expression, and the `(module, name)` that it needs imported.

    An empty name imports the module itself. The expression starts with the name, or with the module when there is none.
    """

    expression: str
    imports: tuple[tuple[str, str], ...] = ()


ALWAYS = Condition("True")
ACCELERATOR_PRESENT = Condition("torch.cuda.is_available()", (("torch", ""),))


@dataclass(frozen=True, slots=True)
class FixSettings:
    """`pin-memory` and `pin-array` of the configuration.

    `pin_memory` is "True", or the dotted name of a project's constant or, with "()" behind it, of a function without
    arguments. `pin_array` is the dotted name of a function that turns an array into a pinned tensor.
    Raises ValueError for anything else.
    """

    pin_memory: str | None = None
    pin_array: str | None = None

    def __post_init__(self) -> None:
        if self.pin_memory is not None:
            _condition(self.pin_memory)
        if self.pin_array is not None:
            _helper(self.pin_array)

    @property
    def condition(self) -> Condition | None:
        """The configured condition, None without one."""
        return None if self.pin_memory is None else _condition(self.pin_memory)

    @property
    def array_helper(self) -> Condition | None:
        """The configured helper's local name with its import, None without one."""
        return None if self.pin_array is None else _helper(self.pin_array)


def _condition(text: str) -> Condition:
    if text == "True":
        return ALWAYS
    match = _DOTTED.fullmatch(text)
    if match is None:
        raise ValueError(f'pin-memory must be "True" or a dotted name like "package.module.PIN_MEMORY", not {text!r}')
    return Condition(match["name"] + (match["call"] or ""), ((match["module"], match["name"]),))


def _helper(text: str) -> Condition:
    match = _DOTTED.fullmatch(text)
    if match is None or match["call"]:
        raise ValueError(f'pin-array must be a dotted name such as "package.module.pinned_tensor", not {text!r}')
    return Condition(match["name"], ((match["module"], match["name"]),))
