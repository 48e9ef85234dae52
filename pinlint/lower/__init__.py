"""From the bytes of a file to its IR."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint.lower.errors import LowerError

if TYPE_CHECKING:
    from pinlint import ir

__all__ = ["LowerError", "lower"]


def lower(data: bytes) -> ir.Module | LowerError:
    """The IR of a Python file, or one line that says why it cannot be read.

    LibCST is imported here and not before: most files of a project never need it.
    """
    from pinlint.lower.parse import parse_and  # noqa: PLC0415  # see above
    from pinlint.lower.statements import module  # noqa: PLC0415

    return parse_and(data, module)
