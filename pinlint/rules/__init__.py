"""The rules: one file each, listed here, and the words by which users select them."""

from __future__ import annotations

from collections.abc import Iterable

from pinlint.rules.base import Problem, Rule
from pinlint.rules.pin101_pageable_h2d_copy import PageableH2DCopy
from pinlint.rules.pin102_gapped_h2d_copy import GappedH2DCopy
from pinlint.rules.pin103_unpinned_loader_batch import UnpinnedLoaderBatch
from pinlint.rules.pin104_discarded_pin import DiscardedPin
from pinlint.rules.pin105_uncalled_is_pinned import UncalledIsPinned
from pinlint.rules.pin201_pageable_d2h_copy import PageableD2HCopy
from pinlint.rules.pin202_gapped_d2h_copy import GappedD2HCopy
from pinlint.rules.pin301_overwritten_in_flight import OverwrittenInFlight
from pinlint.rules.pin302_read_before_sync import ReadBeforeSync

__all__ = ["ALL", "RULES", "Problem", "Rule", "codes_of", "find_rule"]

RULES: tuple[Rule, ...] = (
    PageableH2DCopy(),
    GappedH2DCopy(),
    UnpinnedLoaderBatch(),
    DiscardedPin(),
    UncalledIsPinned(),
    PageableD2HCopy(),
    GappedD2HCopy(),
    OverwrittenInFlight(),
    ReadBeforeSync(),
)
"""Every rule, by code."""

ALL = "ALL"
"""Selects every rule, those that are off by default too."""


def find_rule(word: str) -> Rule | None:
    """Return the rule whose code (in any case) or name is `word`, or None."""
    return next((rule for rule in RULES if word.upper() == rule.code or word.lower() == rule.name), None)


def codes_of(selectors: Iterable[str]) -> frozenset[str]:
    """Return the codes that `selectors` stand for: each a code, the beginning of codes ("PIN1"), or "ALL".

    A selector that stands for nothing adds nothing; `selector_error` in the configuration refuses it before.
    """
    prefixes = tuple("" if selector == ALL else selector for selector in selectors)
    return frozenset(rule.code for rule in RULES if rule.code.startswith(prefixes))
