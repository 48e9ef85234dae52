"""Where reports go."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pinlint.config.errors import ConfigError
from pinlint.report.output import Output, parse_outputs, write_outputs, write_text
from pinlint.report.statistics import statistics

if TYPE_CHECKING:
    from pinlint.report.style import Style
    from tests.conftest import Builders

FORMATS = {"full": object(), "json": object()}


def shout(report: str, style: Style) -> str:
    return style.bold(report.upper())


def test_an_output_is_a_format_and_perhaps_a_file() -> None:
    assert parse_outputs(["json:a/b.json", "full"], FORMATS) == (Output("json", Path("a/b.json")), Output("full", None))


def test_a_file_name_may_hold_a_colon() -> None:
    assert parse_outputs([r"json:C:\out.json"], FORMATS) == (Output("json", Path(r"C:\out.json")),)


def test_the_first_format_is_the_default() -> None:
    assert parse_outputs([], FORMATS) == (Output("full", None),)


def test_one_format_may_go_to_two_places() -> None:
    assert len(parse_outputs(["json", "json:out.json"], FORMATS)) == 2


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["xml"], '--output: unknown format "xml"'),
        (["ful"], '--output: unknown format "ful", did you mean "full"?'),
        (["json:"], '--output: no file after "json:"'),
        (["json", "full"], "--output: two formats for standard output (name a file: FORMAT:FILE)"),
        (["json:out", "full:out"], "--output: two formats for out"),
    ],
)
def test_what_makes_no_sense_is_refused(words: list[str], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_outputs(words, FORMATS)
    assert str(caught.value) == message


def test_each_output_is_written(tmp_path: Path) -> None:
    stream = io.StringIO()
    write_outputs("text\n", [Output("shout", None), Output("shout", tmp_path / "a.txt")], {"shout": shout}, stream)
    assert stream.getvalue() == "TEXT\n"
    assert (tmp_path / "a.txt").read_bytes() == b"TEXT\n"


def test_a_file_is_utf_8_with_unix_line_ends(tmp_path: Path) -> None:
    write_outputs("é\udcff\n", [Output("shout", tmp_path / "a.txt")], {"shout": shout})
    assert (tmp_path / "a.txt").read_bytes() == "É\\udcff\n".encode()


def test_a_stream_that_lacks_a_character_gets_an_escape() -> None:
    raw = io.BytesIO()
    stream = io.TextIOWrapper(raw, encoding="ascii", newline="\n")
    write_text(stream, "x = 'é'\n")
    stream.flush()
    assert raw.getvalue() == b"x = '\\xe9'\n"


def test_statistics_count_by_rule_and_what_the_tracer_counted(build: Builders) -> None:
    findings = [*[build.finding()] * 11, build.finding(code="PIN201", name="pageable-d2h-copy")]
    assert statistics(findings, [("files parsed", 3)]) == (
        "11  PIN101  pageable-h2d-copy\n1   PIN201  pageable-d2h-copy\nfiles parsed: 3"
    )
