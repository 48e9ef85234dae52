"""Every fixture says on its own lines what pinlint must find there, and beside it what `pinlint fix` must write.

A mark stands at the end of the line of the copy's method name (or of the test or statement that is the mistake), or
alone on the line above:

    # expect: PIN101            found here
    # expect: PIN101, PIN104    both found here
    # MISSING: PIN101           should be found and is not yet: a known gap
    # SPURIOUS: PIN101          found and should not be: a known false alarm
    # place: PIN101             a finding is shown here, though its copy is in a helper elsewhere

A line without a mark has no finding. `name.fixed.py` is what `pinlint fix` makes of `name.py`, and
`name.unsafe.fixed.py` what `--unsafe-fixes` makes of it. Each folder in `fixtures/` is checked in one run; so is each
in `fixtures/projects/`, where imports resolve as in the project it stands for.
"""

from __future__ import annotations

import difflib
import functools
import json
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from pinlint.cli import main

FIXTURES = Path(__file__).parent.parent / "fixtures"
CODE = r"PIN\d{3}"
MARK = re.compile(rf"(expect|MISSING|SPURIOUS|place): ({CODE}(?:, {CODE})*)")
FOUND_MARKS = ("expect", "SPURIOUS")


@dataclass(frozen=True)
class Expectation:
    """What the marks of one file say."""

    found: frozenset[tuple[int, str]]
    missing: frozenset[tuple[int, str]]
    placed: frozenset[tuple[int, str]]


def folders() -> list[Path]:
    """The folders that are checked in one run each."""
    top = sorted(path for path in FIXTURES.iterdir() if path.is_dir() and path.name != "projects")
    return top + sorted(path for path in (FIXTURES / "projects").iterdir() if path.is_dir())


def sources(folder: Path) -> Iterator[Path]:
    """The fixtures of a folder, without the files that show a fix."""
    return (path for path in sorted(folder.rglob("*.py")) if not path.name.endswith(".fixed.py"))


def cases() -> list[tuple[Path, str]]:
    return [(folder, path.relative_to(folder).as_posix()) for folder in folders() for path in sources(folder)]


def fixed_cases() -> list[tuple[Path, str]]:
    return [
        (folder, path.relative_to(folder).as_posix())
        for folder in folders()
        for path in sorted(folder.rglob("*.fixed.py"))
    ]


def name_of(value: object) -> str:
    return value.relative_to(FIXTURES).as_posix() if isinstance(value, Path) else str(value)


def expectation(source: str) -> Expectation:
    marks: dict[str, set[tuple[int, str]]] = {"found": set(), "MISSING": set(), "place": set()}
    for number, line in enumerate(source.splitlines(), 1):
        marked = number + line.lstrip().startswith("#")
        for kind, codes in MARK.findall(line.partition("#")[2]):
            marks["found" if kind in FOUND_MARKS else kind] |= {(marked, code) for code in codes.split(", ")}
    return Expectation(frozenset(marks["found"]), frozenset(marks["MISSING"]), frozenset(marks["place"]))


def run_pinlint(folder: Path, *arguments: str) -> Result:
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        return CliRunner().invoke(main, arguments, catch_exceptions=False)


@functools.cache
def report_on(folder: Path) -> tuple[dict[str, Any], ...]:
    """All findings in a folder, as `--output json` gives them."""
    result = run_pinlint(folder, "check", "--output", "json", ".")
    assert result.exit_code in (0, 1), result.output
    report = json.loads(result.stdout)
    assert report["errors"] == []
    return tuple(report["findings"])


def place(location: dict[str, Any]) -> tuple[str, int]:
    return location["path"], location["line"]


def copies_in(folder: Path, name: str) -> set[tuple[int, str]]:
    return {(f["copy"]["line"], f["code"]) for f in report_on(folder) if f["copy"]["path"] == name}


def places_in(folder: Path, name: str) -> set[tuple[int, str]]:
    """Where findings are shown whose copy is elsewhere."""
    return {(f["line"], f["code"]) for f in report_on(folder) if f["path"] == name and place(f) != place(f["copy"])}


def with_codes(source: str, found: set[tuple[int, str]]) -> list[str]:
    """The source with the codes found in place of the marks: what a failed test shows as a diff."""
    lines = [MARK.sub("", line).rstrip(" #") for line in source.splitlines()]
    for number, code in sorted(found):
        lines[number - 1] += f"  # {code}"
    return lines


@pytest.mark.parametrize(("folder", "name"), cases(), ids=name_of)
def test_finds_what_the_marks_say(folder: Path, name: str) -> None:
    source = (folder / name).read_text(encoding="utf-8")
    wanted, found = expectation(source), copies_in(folder, name)
    closed = wanted.missing & found
    assert not closed, f"found now, so the mark is no longer `MISSING`: {sorted(closed)}"
    difference = difflib.unified_diff(
        with_codes(source, set(wanted.found)), with_codes(source, found), "as marked", "as found", lineterm="", n=1
    )
    assert found == wanted.found, "\n" + "\n".join(difference)
    assert wanted.placed <= places_in(folder, name), "no finding is shown where a `place` mark says"


@pytest.mark.parametrize(
    ("folder", "name"), [case for case in cases() if case[0].parent.name == "projects"], ids=name_of
)
def test_a_file_of_a_project_has_the_same_findings_alone(folder: Path, name: str) -> None:
    report = json.loads(run_pinlint(folder, "check", "--output", "json", name).stdout)
    assert report["findings"] == [f for f in report_on(folder) if name in (f["path"], f["copy"]["path"])]


@pytest.mark.parametrize("folder", folders(), ids=name_of)
def test_finds_nothing_outside_the_folder(folder: Path) -> None:
    names = {path.relative_to(folder).as_posix() for path in folder.rglob("*.py")}
    assert {f["path"] for f in report_on(folder)} | {f["copy"]["path"] for f in report_on(folder)} <= names


@pytest.mark.parametrize("folder", folders(), ids=name_of)
def test_a_fixed_file_has_nothing_left_to_fix(folder: Path) -> None:
    for finding in report_on(folder):
        if finding["path"].endswith(".fixed.py") and finding["fix"]:
            applied = ("safe", "unsafe") if finding["path"].endswith(".unsafe.fixed.py") else ("safe",)
            assert finding["fix"]["applicability"] not in applied, finding


def original_of(fixed: str) -> str:
    """The name of the fixture whose fix a file shows."""
    return fixed.removesuffix(".fixed.py").removesuffix(".unsafe") + ".py"


def copy_to_fix(folder: Path, tree: Path) -> None:
    """Copy a project as it is, and of a rule's folder, to save time, only the fixtures that show their fix."""
    shown = {original_of(path.name) for path in folder.rglob("*.fixed.py")}
    for path in sources(folder):
        if path.name in shown or folder.parent.name == "projects":
            target = tree / path.relative_to(folder)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(path, target)
    for path in folder.glob("*.toml"):
        shutil.copy(path, tree)


@pytest.fixture(scope="session")
def fixed_tree(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Path]:
    """Makes, once for each folder and options, a copy of a folder after `pinlint fix`."""

    @functools.cache
    def make(folder: Path, *options: str) -> Path:
        tree = tmp_path_factory.mktemp(folder.name)
        copy_to_fix(folder, tree)
        result = run_pinlint(tree, "fix", *options, ".")
        assert result.exit_code in (0, 1), result.output
        return tree

    return make


@pytest.mark.parametrize(("folder", "name"), fixed_cases(), ids=name_of)
def test_fix_writes_what_stands_beside(folder: Path, name: str, fixed_tree: Callable[..., Path]) -> None:
    tree = fixed_tree(folder, "--unsafe-fixes") if name.endswith(".unsafe.fixed.py") else fixed_tree(folder)
    assert (tree / original_of(name)).read_bytes().decode() == (folder / name).read_bytes().decode()
