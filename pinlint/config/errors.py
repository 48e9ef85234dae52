"""What is wrong with how pinlint was asked, as opposed to with the code it was asked about."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class ConfigError(Exception):
    """A setting, or an option, is wrong: one line that names the file or option, the key, and what was expected."""


def nearest(word: str, known: Iterable[str]) -> str:
    """Return `, did you mean "..."?` with the known word that is most like `word`, or "" when none is."""
    words = list(known)
    by_lower = {candidate.lower(): candidate for candidate in words}
    matches = difflib.get_close_matches(word.lower(), by_lower, n=1)
    return f', did you mean "{by_lower[matches[0]]}"?' if matches else ""
