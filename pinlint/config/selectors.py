"""The words by which users select rules."""

from __future__ import annotations

from collections.abc import Iterable

from pinlint.config.errors import ConfigError, nearest
from pinlint.rules import ALL, RULES, codes_of


def check_selectors(selectors: Iterable[str], place: str) -> None:
    """Raise ConfigError when one of `selectors` stands for no rule; `place` says where they are written."""
    for selector in selectors:
        if not selector or not codes_of([selector]):
            known = [ALL, *(rule.code for rule in RULES)]
            raise ConfigError(f'{place}: unknown code "{selector}"{nearest(selector, known)}')
