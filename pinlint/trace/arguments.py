"""The evaluated arguments of a call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from pinlint.ir import Span
from pinlint.trace.values import UNKNOWN, Value

POSITIONAL_STARS, KEYWORD_STARS = 1, 2
"""`ir.Argument.stars` of `*value` and of `**value`."""


@dataclass(slots=True)
class Arguments:
    """Positional and keyword values with the places they were written at."""

    span: Span
    """The whole call."""
    positional: list[Value] = field(default_factory=list)
    spans: list[Span] = field(default_factory=list)
    keywords: dict[str, Value] = field(default_factory=dict)
    keyword_spans: dict[str, Span] = field(default_factory=dict)
    unknown_positional: bool = False
    """A `*value` of unknown length was passed: positions after it are not known."""
    unknown_keywords: bool = False
    """A `**value` with unknown keys was passed: a keyword not seen may have been given."""

    def find(self, name: str, parameters: Iterable[str] = ()) -> Value | None:
        """The argument for the parameter `name`, given the callee's positional parameters; None when not given.

        An argument that may or may not have been given is `UNKNOWN`.
        """
        if name in self.keywords:
            return self.keywords[name]
        for index, parameter in enumerate(parameters):
            if parameter == name and index < len(self.positional):
                return self.positional[index]
        return UNKNOWN if self.unknown_keywords or self.unknown_positional else None

    def span_of(self, name: str, parameters: Iterable[str] = ()) -> Span:
        """Where the argument was written; the whole call when it was passed through `*` or `**` or not given."""
        if name in self.keyword_spans:
            return self.keyword_spans[name]
        for index, parameter in enumerate(parameters):
            if parameter == name and index < len(self.spans):
                return self.spans[index]
        return self.span

    def values(self) -> list[Value]:
        return [*self.positional, *self.keywords.values()]
