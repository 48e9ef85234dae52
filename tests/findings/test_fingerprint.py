"""A fingerprint stays the same while its finding does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint.findings.fingerprint import with_fingerprints

if TYPE_CHECKING:
    from pinlint.findings.finding import Finding
    from tests.conftest import Builders


def prints(*findings: Finding) -> list[str]:
    return [finding.fingerprint for finding in with_fingerprints(findings, lambda path: path)]


def test_it_does_not_depend_on_the_line_or_the_spacing(build: Builders) -> None:
    before = build.finding(41, text="x = batch.to(device)")
    after = build.finding(90, text="x  =  batch.to(device)")
    assert prints(before) == prints(after)


def test_it_depends_on_code_path_function_and_text(build: Builders) -> None:
    findings = [
        build.finding(),
        build.finding(code="PIN103"),
        build.finding(path="other.py"),
        build.finding(qualified_name="Trainer.evaluate"),
        build.finding(text="y = batch.to(device)"),
    ]
    assert len({prints(finding)[0] for finding in findings}) == len(findings)


def test_equal_findings_are_told_apart_by_their_order(build: Builders) -> None:
    first, second = prints(build.finding(41), build.finding(42))
    assert first != second
    assert prints(build.finding(7), build.finding(300)) == [first, second]


def test_it_does_not_depend_on_where_pinlint_is_started(build: Builders) -> None:
    [here] = with_fingerprints([build.finding(path="src/train.py")], lambda path: path.removeprefix("src/"))
    [there] = with_fingerprints([build.finding(path="train.py")], lambda path: path)
    assert here.fingerprint == there.fingerprint


def test_a_file_name_that_is_not_unicode_has_one_too(build: Builders) -> None:
    [fingerprint] = prints(build.finding(path="bad\udcff.py"))
    assert len(fingerprint) == 16


def test_it_is_the_same_in_every_version(build: Builders) -> None:
    """Baselines hold fingerprints: a changed one would bring every known finding back."""
    assert prints(build.finding()) == ["61fd6ffd69902874"]
