"""Sources in which `«…»` marks the expression that a fix is about."""

from __future__ import annotations

import textwrap

import pytest

from pinlint.findings.finding import Applicability, Fix
from pinlint.fixes.apply import FixedSource, fix_source
from pinlint.ir import Span


class Fixer:
    """Applies one kind of fix to every marked expression of a source."""

    def split(self, marked: str) -> tuple[str, list[Span]]:
        """Return a source without its marks, and the spans that they enclose, in the order in which they end."""
        text, opened, spans = "", [], []
        for character in marked:
            place = (text.count("\n") + 1, len(text) - text.rfind("\n") - 1)
            if character == "«":
                opened.append(place)
            elif character == "»":
                spans.append((*opened.pop(), *place))
            else:
                text += character
        return text, spans

    def run(self, marked: str, kind: str, replacement: str = "True", **others: object) -> FixedSource | str:
        text, spans = self.split(marked)
        path = str(others.pop("path", "train.py"))
        encoding = str(others.pop("encoding", "utf-8"))
        problem = others.pop("import_problem", None)
        given = {"applicability": Applicability.SAFE, "description": "", "replacement": replacement}
        fixes = [Fix(kind=kind, path=path, target=span, **(given | others)) for span in spans]
        arguments = (path, text.encode(encoding), fixes)
        return fix_source(*arguments) if problem is None else fix_source(*arguments, problem)

    def __call__(self, marked: str, kind: str, replacement: str = "True", **others: object) -> str:
        """Return the fixed source; both are written indented in the tests."""
        result = self.run(textwrap.dedent(marked), kind, replacement, **others)
        assert isinstance(result, FixedSource), result
        assert not result.refused, result.refused
        assert not result.deferred
        return result.data.decode(str(others.get("encoding", "utf-8")))

    def refusal(self, marked: str, kind: str, replacement: str = "True", **others: object) -> str:
        """Return why the fix was refused, after making sure that the source is as it was."""
        result = self.run(textwrap.dedent(marked), kind, replacement, **others)
        if isinstance(result, str):
            return result
        assert result.data.decode() == self.split(textwrap.dedent(marked))[0]
        (refused,) = result.refused
        return refused[1]


@pytest.fixture
def fix() -> Fixer:
    return Fixer()
