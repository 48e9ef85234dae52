"""A run applies what mends something, leaves what does not, and writes nothing half."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from pinlint import ir
from pinlint.findings.finding import Applicability, Finding, Fix, Location
from pinlint.fixes import FixReport, fix_project
from pinlint.fixes.lookup import walk
from pinlint.lower import lower

if TYPE_CHECKING:
    from tests.conftest import Builders

Rule = Callable[[ir.Call, str, str], "Fix | None"]


def unpinned(call: ir.Call, path: str, _text: str) -> Fix | None:
    """Every `zeros(...)` without the keyword is wrong and can be told."""
    function = call.function
    if not isinstance(function, ir.Name) or function.identifier != "zeros":
        return None
    if any(each.keyword == "pin_memory" for each in call.arguments):
        return None
    return Fix("pin-at-allocation", path, call.span, Applicability.SAFE, "", replacement="True")


@dataclass
class Checker:
    """Stands for the whole analysis: a finding for each call that a rule answers with a fix."""

    build: Builders
    folder: Path
    rule: Rule = unpinned
    runs: int = 0
    also: Callable[[str, str], Sequence[str]] = field(default=lambda _path, _text: ())
    """Codes of further findings in a file."""

    def __call__(self, overlay: Mapping[Path, bytes]) -> Sequence[Finding]:
        self.runs += 1
        found = []
        for file in sorted(self.folder.glob("*.py")):
            text = overlay.get(file, file.read_bytes()).decode()
            found += self.of_file(file.as_posix(), text)
        return found

    def of_file(self, path: str, text: str) -> list[Finding]:
        module = lower(text.encode())
        assert isinstance(module, ir.Module)
        calls = [node for node in walk(module.body) if isinstance(node, ir.Call)]
        found = [self.finding(call, fix, path) for call in calls if (fix := self.rule(call, path, text))]
        return found + [self.build.finding(1, code, path) for code in self.also(path, text)]

    def finding(self, call: ir.Call, fix: Fix, path: str) -> Finding:
        found = self.build.finding(call.span[0], path=path, fingerprint=str(call.arguments[0].value.span))
        return replace(found, fix=fix, location=Location(path, call.span[0], 1))

    def fix(self, **options: object) -> FixReport:
        return fix_project(self, self({}), **options)


@pytest.fixture
def checker(build: Builders, tmp_path: Path) -> Checker:
    return Checker(build, tmp_path)


def write(folder: Path, **files: str) -> None:
    for name, text in files.items():
        (folder / f"{name}.py").write_bytes(text.encode())


def read(folder: Path, name: str) -> str:
    return (folder / f"{name}.py").read_bytes().decode()


def test_all_files_are_fixed_and_one_check_suffices(checker: Checker) -> None:
    write(checker.folder, a="x = zeros(1)\ny = zeros(2)\n", b="z = zeros(3)\n", c="pass\n")
    report = checker.fix()
    assert read(checker.folder, "a") == "x = zeros(1, pin_memory=True)\ny = zeros(2, pin_memory=True)\n"
    assert read(checker.folder, "b") == "z = zeros(3, pin_memory=True)\n"
    assert [Path(path).name for path in report.contents] == ["a.py", "b.py"]
    assert len(report.fixed) == 3
    assert report.remaining == report.skipped == ()
    assert checker.runs == 2


def test_a_second_run_changes_nothing(checker: Checker) -> None:
    write(checker.folder, a="x = zeros(zeros(1))\n")
    checker.fix()
    once = read(checker.folder, "a")
    report = checker.fix()
    assert (read(checker.folder, "a"), report.diff, report.contents) == (once, "", {})


def test_nothing_is_written_for_a_diff(checker: Checker) -> None:
    write(checker.folder, a="x = 1\r\ny = zeros(2)\r\nz = 3")
    report = checker.fix(write=False)
    path = (checker.folder / "a.py").as_posix()
    assert read(checker.folder, "a") == "x = 1\r\ny = zeros(2)\r\nz = 3"
    assert report.diff == (
        f"--- a/{path}\n+++ b/{path}\n@@ -1,3 +1,3 @@\n x = 1\r\n-y = zeros(2)\r\n"
        "+y = zeros(2, pin_memory=True)\r\n z = 3\n\\ No newline at end of file\n"
    )


@pytest.mark.parametrize(
    ("applicability", "unsafe", "changed"),
    [
        (Applicability.SAFE, False, True),
        (Applicability.UNSAFE, False, False),
        (Applicability.UNSAFE, True, True),
        (Applicability.DISPLAY, True, False),
    ],
)
def test_only_what_may_be_applied_is(
    checker: Checker, applicability: Applicability, *, unsafe: bool, changed: bool
) -> None:
    def rule(call: ir.Call, path: str, text: str) -> Fix | None:
        fix = unpinned(call, path, text)
        return fix and replace(fix, applicability=applicability)

    checker.rule = rule
    write(checker.folder, a="x = zeros(1)\n")
    report = checker.fix(unsafe=unsafe)
    assert bool(report.contents) is changed
    assert len(report.remaining) == (not changed)


def test_a_file_that_was_not_asked_about_is_left_with_the_reason(checker: Checker) -> None:
    (checker.folder / "a.py").write_text("x = zeros(1)\n")
    (checker.folder / "b.py").write_text("y = zeros(2)\n")
    report = checker.fix(editable=lambda path: path.endswith("/a.py"))
    assert (checker.folder / "a.py").read_text() == "x = zeros(1, pin_memory=True)\n"
    assert (checker.folder / "b.py").read_text() == "y = zeros(2)\n"
    (skipped,) = report.skipped
    assert skipped.reason == f"its fix is in {(checker.folder / 'b.py').as_posix()}, which was not asked about"


def test_only_what_is_wanted_is_fixed(checker: Checker) -> None:
    write(checker.folder, a="x = zeros(1)\ny = zeros(2)\n")
    report = checker.fix(wanted=lambda finding: finding.location.line == 2)
    assert read(checker.folder, "a") == "x = zeros(1)\ny = zeros(2, pin_memory=True)\n"
    assert [finding.location.line for finding in report.remaining] == [1]


def test_a_fix_that_leaves_its_finding_is_taken_back(checker: Checker) -> None:
    def rule(call: ir.Call, path: str, text: str) -> Fix | None:
        """`zeros(0)` is found whatever it is passed, and fixed once."""
        fix = unpinned(call, path, text)
        stubborn = isinstance(call.arguments[0].value, ir.Constant) and call.arguments[0].value.value == 0
        if stubborn and fix is None:
            return Fix("pin-at-allocation", path, call.span, Applicability.DISPLAY, "", replacement="True")
        return fix

    checker.rule = rule
    write(checker.folder, a="x = zeros(1)\ny = zeros(0)\nz = zeros(2)\n", b="w = zeros(3)\n")
    report = checker.fix()
    assert read(checker.folder, "a") == "x = zeros(1, pin_memory=True)\ny = zeros(0)\nz = zeros(2, pin_memory=True)\n"
    assert read(checker.folder, "b") == "w = zeros(3, pin_memory=True)\n"
    assert [(each.finding.location.line, each.reason) for each in report.skipped] == [
        (2, "the copy would be found again with the fix")
    ]


def test_a_fix_that_brings_another_finding_is_taken_back(checker: Checker) -> None:
    checker.also = lambda _path, text: ["PIN301"] if "zeros(2, pin" in text else []
    write(checker.folder, a="x = zeros(1)\ny = zeros(2)\n")
    report = checker.fix()
    assert read(checker.folder, "a") == "x = zeros(1, pin_memory=True)\ny = zeros(2)\n"
    (skipped,) = report.skipped
    assert skipped.reason == f"PIN301 would be found at {(checker.folder / 'a.py').as_posix()}:1 instead"
    assert [finding.location.line for finding in report.remaining] == [2]


def test_a_finding_in_another_file_counts_too(checker: Checker) -> None:
    checker.also = lambda path, _text: ["PIN301"] if path.endswith("b.py") and "pin" in read_new(checker) else []
    write(checker.folder, a="x = zeros(1)\n", b="pass\n")
    report = checker.fix()
    assert read(checker.folder, "a") == "x = zeros(1)\n"
    assert len(report.skipped) == 1


def read_new(checker: Checker) -> str:
    """Return what the run that is going on gives `a.py`: it is only there for the checks after the first."""
    return "pin" if checker.runs > 1 else ""


def test_several_allocations_of_one_copy_are_all_fixed(checker: Checker) -> None:
    def rule(call: ir.Call, path: str, text: str) -> Fix | None:
        """One copy of either of two allocations, of which the check shows the first that is not pinned."""
        fix = unpinned(call, path, text)
        return fix if fix and text.index("zeros(1)" if "zeros(1)" in text else "zeros(2)") == call.span[1] else None

    checker.rule = rule
    write(checker.folder, a="x = zeros(1) if c else zeros(2)\n")
    report = checker.fix()
    assert read(checker.folder, "a") == "x = zeros(1, pin_memory=True) if c else zeros(2, pin_memory=True)\n"
    assert len(report.fixed) == 1


def test_or_none_of_them(checker: Checker) -> None:
    def rule(call: ir.Call, path: str, text: str) -> Fix | None:
        first = "zeros(1)" in text
        fix = unpinned(call, path, text)
        if fix is None or text.index("zeros(1)" if first else "zeros(2)") != call.span[1]:
            return None
        return fix if first else replace(fix, applicability=Applicability.UNSAFE)

    checker.rule = rule
    write(checker.folder, a="x = zeros(1) if c else zeros(2)\n")
    report = checker.fix()
    assert read(checker.folder, "a") == "x = zeros(1) if c else zeros(2)\n"
    assert len(report.skipped) == 1


def test_a_refused_fix_does_not_hold_up_the_others(checker: Checker) -> None:
    def rule(call: ir.Call, path: str, text: str) -> Fix | None:
        fix = unpinned(call, path, text)
        return fix and replace(fix, replacement="PIN", imports=(("engine.memory", "PIN"),))

    checker.rule = rule
    write(checker.folder, a="from engine.memory import PIN\ndef f(PIN): return zeros(1)\nx = zeros(2)\n")
    report = checker.fix()
    assert read(checker.folder, "a").endswith("def f(PIN): return zeros(1)\nx = zeros(2, pin_memory=PIN)\n")
    assert [each.reason for each in report.skipped] == ["`PIN` is a local name there"]


def test_edits_at_one_place_are_made_one_after_the_other(checker: Checker) -> None:
    def rule(call: ir.Call, path: str, text: str) -> Fix | None:
        """`zeros(1)` wants the whole sum pinned, `zeros(2)` itself."""
        fix = unpinned(call, path, text)
        module = lower(text.encode())
        assert isinstance(module, ir.Module)
        first = text[call.span[1] :].startswith("zeros(1)")
        done = "(zeros(1)" in text if first else "zeros(2).pin" in text
        target = module.body[0].value.span if first else call.span
        return None if fix is None or done else replace(fix, kind="pin-expression", target=target, replacement="")

    checker.rule = rule
    write(checker.folder, a="x = zeros(1) + zeros(2)\n")
    report = checker.fix()
    assert read(checker.folder, "a") == "x = (zeros(1) + zeros(2).pin_memory()).pin_memory()\n"
    assert len(report.fixed) == 2


def test_an_import_that_would_be_circular_is_never_added(checker: Checker, tmp_path: Path) -> None:
    package = tmp_path / "engine"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "memory.py").write_text("from engine.runner import Runner\nPIN = True\n")
    (package / "runner.py").write_text("x = zeros(1)\n")

    def rule(call: ir.Call, path: str, text: str) -> Fix | None:
        fix = unpinned(call, path, text)
        return fix and replace(fix, replacement="PIN", imports=(("engine.memory", "PIN"),))

    checker.rule, checker.folder = rule, package
    report = checker.fix()
    assert [each.reason for each in report.skipped] == ["importing engine.memory there would make an import cycle"]
    assert (package / "runner.py").read_text() == "x = zeros(1)\n"


def test_a_file_that_changes_meanwhile_is_left(checker: Checker) -> None:
    write(checker.folder, a="x = zeros(1)\n", b="y = zeros(2)\n")
    findings = checker({})

    def check(overlay: Mapping[Path, bytes]) -> Sequence[Finding]:
        found = checker(overlay)
        write(checker.folder, a="x = zeros(1)  # edited\n")
        return found

    report = fix_project(check, findings)
    path = (checker.folder / "a.py").as_posix()
    assert report.unwritten == {path: "it was changed meanwhile"}
    assert read(checker.folder, "a") == "x = zeros(1)  # edited\n"
    assert read(checker.folder, "b") == "y = zeros(2, pin_memory=True)\n"


def test_what_the_check_raises_leaves_every_file(checker: Checker) -> None:
    write(checker.folder, a="x = zeros(1)\n")
    findings = checker({})

    def interrupted(_overlay: Mapping[Path, bytes]) -> Sequence[Finding]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fix_project(interrupted, findings)
    assert read(checker.folder, "a") == "x = zeros(1)\n"
