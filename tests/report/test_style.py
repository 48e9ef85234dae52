"""When output is coloured."""

from __future__ import annotations

import io

import pytest

from pinlint.findings.finding import Severity
from pinlint.report.style import Style, wants_colour


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [
        ({}, True),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
        ({"TERM": "dumb"}, False),
        ({"TERM": "dumb", "FORCE_COLOR": "1"}, True),
    ],
)
def test_on_a_terminal(environment: dict[str, str], *, coloured: bool) -> None:
    assert wants_colour(Terminal(), environment) is coloured


@pytest.mark.parametrize(("environment", "coloured"), [({}, False), ({"FORCE_COLOR": "1"}, True)])
def test_in_a_pipe(environment: dict[str, str], *, coloured: bool) -> None:
    assert wants_colour(io.StringIO(), environment) is coloured


def test_without_colour_text_stays_as_it_is() -> None:
    assert Style().severity(Severity.ERROR, "error") == Style().bold("error") == "error"


def test_severities_differ_in_colour() -> None:
    assert len({Style(colour=True).severity(severity, "x") for severity in Severity}) == len(Severity)
