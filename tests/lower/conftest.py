"""Shows IR so that a test can be read."""

from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from pinlint import ir
from pinlint.lower import LowerError, lower

HIDDEN = {"span", "name_line", "name_column"}


def _shape(value: object) -> str:
    if isinstance(value, tuple):
        return f"[{', '.join(map(_shape, value))}]"
    if isinstance(value, ir.Name):
        return value.identifier
    if isinstance(value, ir.Constant):
        return repr(value.value)
    if isinstance(value, ir.Attribute):
        return f"{_shape(value.value)}.{value.name}"
    if isinstance(value, msgspec.Struct):
        fields = [getattr(value, name) for name in value.__struct_fields__ if name not in HIDDEN]
        return f"{type(value).__name__}({', '.join(map(_shape, fields))})"
    return str(value)


@pytest.fixture
def shape() -> Callable[[object], str]:
    """Render IR without places: names and constants as in the source, tuples as lists, structures with their fields."""
    return _shape


@pytest.fixture
def module() -> Callable[[str | bytes], ir.Module]:
    """Lower a source that must be accepted."""

    def lowered(source: str | bytes) -> ir.Module:
        result = lower(source.encode() if isinstance(source, str) else source)
        assert not isinstance(result, LowerError), result
        return result

    return lowered


@pytest.fixture
def error() -> Callable[[str | bytes], LowerError]:
    """Lower a source that must be refused."""

    def refused(source: str | bytes) -> LowerError:
        result = lower(source.encode() if isinstance(source, str) else source)
        assert isinstance(result, LowerError), result
        return result

    return refused
