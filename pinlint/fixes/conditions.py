"""Under which condition a fix pins: pinning raises on a machine without an accelerator."""

from __future__ import annotations

from pinlint.fixes.convention import convention
from pinlint.fixes.doubts import Doubt, display_only
from pinlint.fixes.edits import CannotFix
from pinlint.fixes.names import spell
from pinlint.fixes.provenance import Place
from pinlint.fixes.settings import ACCELERATOR_PRESENT, ALWAYS, Condition, FixSettings


def choose(settings: FixSettings, place: Place | None, *, cannot_fail: bool) -> Condition:
    """Return what decides whether to pin at `place`.

    Nothing where pinning cannot fail, otherwise what the project configures or the file does already, otherwise whether
    there is an accelerator.
    """
    if cannot_fail:
        return ALWAYS
    if settings.condition is not None:
        return settings.condition
    usual = None if place is None else convention(place.module, place.found)
    return Condition(usual) if usual else ACCELERATOR_PRESENT


def spelled(condition: Condition, place: Place | None) -> tuple[str, Doubt | None]:
    """Return a condition as it is written at a place, and a doubt where it cannot be."""
    text = condition.expression
    if place is None:
        return text, None
    try:
        for wanted in condition.imports:
            text = spell(place.module, place.path, place.found, text, wanted).expression
    except CannotFix as reason:
        return condition.expression, display_only(str(reason))
    return text, None
