"""Which comments silence which findings."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from pinlint.findings.finding import Location
from pinlint.findings.suppress import Sifted, Suppression, sift, suppressions_in
from pinlint.ir import Comment

if TYPE_CHECKING:
    from pinlint.findings.finding import Finding
    from tests.conftest import Builders


def comments(source: str) -> list[Comment]:
    """The comments of `source`, in which nothing but comments has a `#`."""
    return [
        Comment(number, line.index("#"), line[line.index("#") :])
        for number, line in enumerate(source.splitlines(), 1)
        if "#" in line
    ]


def sifted(source: str, *findings: Finding) -> Sifted:
    return sift(findings, lambda path: suppressions_in(path, comments(source)) if path == "train.py" else [])


def parsed(text: str) -> list[Suppression]:
    return suppressions_in("train.py", [Comment(1, 0, text)])


@pytest.mark.parametrize(
    ("comment", "silences"),
    [
        ("# pinlint: ignore[PIN101] the batch is tiny", True),
        ("# pinlint: ignore[PIN101]", True),
        ("#pinlint:ignore[pin101]", True),
        ("# pinlint: ignore [PIN101]", True),
        ("# pinlint: ignore[PIN103, PIN101] reason", True),
        ("# pinlint: ignore[PIN103 PIN101]", True),
        ("# pinlint: ignore", True),
        ("# pinlint: ignore the batch is tiny", True),
        ("# pinlint: ignore: the batch is tiny", True),
        ("# type: ignore # pinlint: ignore[PIN101] # nosec", True),
        ("# noqa", True),
        ("# noqa: PIN101", True),
        ("# noqa:PIN101", True),
        ("# noqa : PIN101", True),
        ("# NOQA: E501, PIN101", True),
        ("# noqa: E501 PIN101 because", True),
        ("# pinlint: ignore[PIN103]", False),
        ("# pinlint: ignore[]", False),
        ("# pinlint: ignore[PIN101", False),
        ("# pinlint: ignore [PIN101", False),
        ("# pinlint: ignored", False),
        ("# pinlint: ignore-files", False),
        ("# noqa: E501", False),
        ("# noqa:", False),
        ("# noqa: because", False),
        ("# noqa-file", False),
        ("# see pinlint ignore", False),
        ("# pinlint: on", False),
    ],
)
def test_a_comment_on_the_copys_line(build: Builders, comment: str, *, silences: bool) -> None:
    result = sifted(f"x = batch.to(dev)  {comment}", build.finding(1))
    assert bool(result.suppressed) is silences
    assert bool(result.kept) is not silences


def test_the_reason_is_what_follows() -> None:
    assert [s.reason for s in parsed("# pinlint: ignore[PIN101] the batch is tiny")] == ["the batch is tiny"]
    assert [s.reason for s in parsed("# pinlint: ignore: tiny # other")] == ["tiny"]
    assert [s.reason for s in parsed("# noqa: PIN101 tiny")] == ["tiny"]
    assert [s.reason for s in parsed("# noqa")] == [""]


def test_a_comment_counts_on_any_line_of_the_statements(build: Builders) -> None:
    finding = build.finding(5, statements=(("train.py", 4, 6), ("train.py", 1, 1)))
    for line in (1, 4, 5, 6):
        assert sifted("\n" * (line - 1) + "# noqa: PIN101", finding).suppressed
    for line in (2, 3, 7):
        assert sifted("\n" * (line - 1) + "# noqa: PIN101", finding).kept


def test_a_comment_counts_in_the_file_where_the_memory_is_made(build: Builders) -> None:
    finding = build.finding(9, path="main.py", statements=(("main.py", 9, 9), ("train.py", 2, 2)))
    assert sifted("\n# pinlint: ignore[PIN101]", finding).suppressed
    assert sifted("# pinlint: ignore[PIN101]", finding).kept


def test_a_block_silences_what_is_reported_between_off_and_on(build: Builders) -> None:
    source = "a\n# pinlint: off[PIN101]\nb\n# pinlint: on\nc"
    result = sifted(source, build.finding(1), build.finding(3), build.finding(3, code="PIN103"), build.finding(5))
    assert [finding.location.line for finding in result.suppressed] == [3]


def test_a_block_without_an_end_reaches_to_the_end_of_the_file(build: Builders) -> None:
    result = sifted("a\n# pinlint: off known\nb", build.finding(1), build.finding(9000))
    assert [finding.location.line for finding in result.suppressed] == [9000]


def test_on_with_codes_ends_only_the_block_of_these_codes(build: Builders) -> None:
    source = "# pinlint: off[PIN101]\n# pinlint: off[PIN201]\n# pinlint: on[PIN101]\nx\n# pinlint: on"
    result = sifted(source, build.finding(4), build.finding(4, code="PIN201"))
    assert [finding.code for finding in result.suppressed] == ["PIN201"]


def test_a_block_or_file_does_not_silence_copies_elsewhere_of_memory_made_in_it(build: Builders) -> None:
    finding = build.finding(9, path="main.py", statements=(("main.py", 9, 9), ("train.py", 2, 2)))
    assert sifted("# pinlint: off", finding).kept
    assert sifted("# pinlint: ignore-file", finding).kept


def test_a_block_around_the_copy_in_a_helper_silences_every_call_of_it(build: Builders) -> None:
    finding = replace(build.finding(9, path="main.py"), copy=Location("train.py", 2, 5))
    assert sifted("# pinlint: off\n", finding).suppressed


@pytest.mark.parametrize("line", [1, 400])
def test_a_file_is_ignored_from_any_line(build: Builders, line: int) -> None:
    source = "\n" * (line - 1) + "# pinlint: ignore-file[PIN101] generated"
    result = sifted(source, build.finding(7), build.finding(8, code="PIN201"))
    assert [finding.code for finding in result.suppressed] == ["PIN101"]


def test_what_was_used_is_known(build: Builders) -> None:
    source = "a  # pinlint: ignore[PIN101, PIN103]\nb  # noqa: PIN101"
    used = sifted(source, build.finding(1)).used
    assert [(suppression.line, code) for suppression, code in used] == [(1, "PIN101")]


def test_two_comments_that_silence_one_finding_are_both_used(build: Builders) -> None:
    source = "# pinlint: ignore-file\na  # noqa: PIN101"
    used = sifted(source, build.finding(2)).used
    assert {suppression.line for suppression, _ in used} == {1, 2}


def test_the_order_of_findings_is_kept(build: Builders) -> None:
    result = sifted("a\n# noqa\nc", build.finding(1), build.finding(2), build.finding(3))
    assert [finding.location.line for finding in result.kept] == [1, 3]
