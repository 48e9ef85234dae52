"""The settings of fixes are dotted names."""

from __future__ import annotations

import pytest

from pinlint.fixes import FixSettings


@pytest.mark.parametrize("text", ["PIN", "False", "engine.PIN and x", "engine.memory.f(1)", "engine..PIN", "", "1.x"])
def test_anything_but_a_dotted_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match='pin-memory must be "True" or a dotted name'):
        FixSettings(pin_memory=text)


@pytest.mark.parametrize("text", ["pinned", "engine.pinned()", "True"])
def test_a_helper_is_named_without_calling_it(text: str) -> None:
    with pytest.raises(ValueError, match="pin-array must be a dotted name"):
        FixSettings(pin_array=text)
