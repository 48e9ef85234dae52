"""Where a trace starts, whom it asks, and that nothing but the sources decides its answer."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import pinlint
from pinlint.trace.entries import MAX_CALLING_FILES, ROUNDS

if TYPE_CHECKING:
    from tests.trace.conftest import Programs


def chain(length: int) -> str:
    """Functions of which each passes its parameter on, the first to a copy; the last is given pageable memory."""
    functions = "".join(f"def f{n}(x):\n    return f{n - 1}(x)\n\n" for n in range(1, length + 1))
    return (
        f"def f0(x):\n    return x.to('cuda', non_blocking=True)\n\n{functions}"
        f"def run():\n    return f{length}(torch.zeros(8))\n"
    )


@pytest.mark.parametrize("length", range(ROUNDS))
def test_callers_are_asked_over_several_levels(programs: Programs, length: int) -> None:
    copy = programs.only_copy(chain(length))
    assert copy.verdict.value == "pageable"
    assert copy.place.qualified_name == "run"


def test_callers_further_away_leave_the_copy_unknown(programs: Programs) -> None:
    assert programs.only_copy(chain(ROUNDS + 3)).verdict.value == "unknown"


def test_a_caller_of_each_kind_has_its_own_finding(programs: Programs) -> None:
    programs.check("""
    def push(x):
        return x.to("cuda", non_blocking=True)

    def first():
        return push(torch.zeros(8))  # pageable

    def second():
        return push(np.zeros(8))

    class Third:
        def run(self):
            return push(torch.ones(8))  # pageable

    push(torch.rand(8))  # pageable
    """)


def test_a_parameter_that_callers_outside_the_project_may_give_stays_unknown(programs: Programs) -> None:
    copy = programs.only_copy("""
    def push(x):
        return x.to("cuda", non_blocking=True)

    def run(y):
        return push(y)
    """)
    assert copy.verdict.value == "unknown"
    assert copy.reason


def test_a_method_is_asked_by_its_name(programs: Programs) -> None:
    programs.check("""
    class Pusher:
        def push(self, x):
            return x.to("cuda", non_blocking=True)

    def run():
        pusher = Pusher()
        return pusher.push(torch.zeros(8))  # pageable
    """)


def test_a_method_of_another_class_with_that_name_is_not_meant(programs: Programs) -> None:
    programs.check("""
    class Pusher:
        def push(self, x):
            return x.to("cuda", non_blocking=True)  # unknown

    class Queue:
        def push(self, x):
            return [x]

    def run():
        return Queue().push(torch.zeros(8))
    """)


@pytest.mark.xfail(reason="a copy in a constructor is reported there, not at the call that owns the memory")
def test_a_constructor_is_asked_by_its_class(programs: Programs) -> None:
    programs.check("""
    class Pusher:
        def __init__(self, host):
            self.there = host.to("cuda", non_blocking=True)

    def run():
        return Pusher(torch.zeros(8))  # pageable
    """)


def test_a_constructor_argument_kept_in_an_attribute(programs: Programs) -> None:
    programs.check("""
    class Pusher:
        def __init__(self, host):
            self.host = host

        def push(self):
            return self.host.to("cuda", non_blocking=True)  # pageable

    def run():
        return Pusher(torch.zeros(8)).push()
    """)


def test_a_name_that_too_many_files_call_is_not_followed(programs: Programs) -> None:
    modules = {"host.py": "def run(x):\n    return x.to('cuda', non_blocking=True)"}
    for number in range(MAX_CALLING_FILES + 1):
        modules[f"use_{number}.py"] = f"from host import run\n\ndef f{number}():\n    return run(torch.zeros(8))"
    result = programs.trace(modules)
    assert [event.verdict.value for event in result.events if hasattr(event, "verdict")] == ["unknown"]
    assert dict(result.statistics)["names too common to follow"] == 1


def test_a_project_without_copies_has_no_events(programs: Programs) -> None:
    result = programs.trace({"a.py": "x = torch.zeros(8)", "b.py": "def f():\n    return 1"})
    assert (result.events, result.errors, dict(result.statistics)["files parsed"]) == ((), (), 0)


def test_no_targets_no_events(programs: Programs) -> None:
    modules = {"a.py": "x = torch.zeros(8).to('cuda', non_blocking=True)", "b.py": ""}
    assert programs.verdicts(modules, "b.py") == []


@pytest.mark.parametrize("source", ["", "\n", "# nothing\n", "pass", "non_blocking = 1"])
def test_a_file_in_which_nothing_happens(programs: Programs, source: str) -> None:
    result = programs.trace(source)
    assert (result.events, result.errors) == ((), ())


def test_deeply_chained_calls_are_traced(programs: Programs) -> None:
    source = f"y = torch.zeros(8){'.detach()' * 120}.to('cuda', non_blocking=True)"
    assert programs.only_copy(source).verdict.value == "pageable"


def test_a_long_function_is_traced(programs: Programs) -> None:
    source = "def step():\n    x = torch.zeros(8)\n" + "    x = x + 1\n" * 400
    assert programs.only_copy(source + "    return x.to('cuda', non_blocking=True)").verdict.value == "pageable"


def test_many_branches_end(programs: Programs) -> None:
    branches = "".join(f"    if a[{n}]:\n        x = torch.full((8,), {n})\n" for n in range(40))
    source = (
        f"def step(a):\n    x = torch.zeros(8, pin_memory=True)\n{branches}    return x.to('cuda', non_blocking=True)"
    )
    assert programs.verdicts(source) == [("program.py", 83, "pageable")]


SCRIPT = """
import sys
from pathlib import Path
from pinlint.models.load import load_models
from pinlint.trace import trace
from pinlint.trace.project import Project

folder = Path(sys.argv[1])
files = sorted(folder.rglob("*.py"))
result = trace(Project(files, load_models(), base=folder), [str(path) for path in files])
for event in result.events:
    print(event)
print(result.statistics)
"""
MIXED = {
    "pkg/__init__.py": "",
    "pkg/host.py": """
    class Base:
        def make(self):
            return torch.zeros(8)

    class A(Base):
        def make(self):
            return torch.ones(8, pin_memory=True)

    class B(Base):
        def make(self):
            return torch.rand(8)

    def push(x, where="cuda"):
        return x.to(where, non_blocking=True)
    """,
    "pkg/use.py": """
    from .host import A, B, Base, push

    def first(base: Base, flag):
        tables = {"a": torch.zeros(8), "b": torch.zeros(8, pin_memory=True), "c": None, flag: torch.ones(4)}
        for name in {"a", "b", "c"}:
            push(tables[name])
        return base.make().to("cuda", non_blocking=True)

    def second(flag, other):
        made = A() if flag else B() if other else Base()
        push(made.make())
        p = torch.zeros(8, pin_memory=True)
        push(p)
        p.fill_(1)
        q = push(p).to("cpu", non_blocking=True)
        return q.tolist()
    """,
}


@pytest.fixture
def project(programs: Programs, tmp_path: Path) -> Path:
    programs.trace(MIXED)
    return tmp_path


def run(project: Path, seed: str) -> str:
    """The printed events of a process with that hash seed."""
    root = str(Path(pinlint.__file__).parent.parent)
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root, "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, "-c", SCRIPT, str(project)]
    return subprocess.run(command, env=environment, capture_output=True, check=True, encoding="utf-8").stdout


def test_the_answer_does_not_depend_on_the_hash_seed(project: Path) -> None:
    first = run(project, "1")
    assert "Verdict.PAGEABLE" in first
    assert run(project, "2") == first


def test_the_answer_is_the_same_twice(programs: Programs) -> None:
    assert programs.trace(MIXED).events == programs.trace(MIXED).events


def test_events_are_sorted_by_place(programs: Programs) -> None:
    places = [(path, line) for path, line, _ in programs.verdicts(MIXED)]
    found = [
        (event.place.path, event.place.line - 1) for event in programs.trace(MIXED).events if hasattr(event, "verdict")
    ]
    assert sorted(set(found)) == sorted(set(places))
    assert found == sorted(found)


def test_paths_are_relative_with_forward_slashes(programs: Programs) -> None:
    assert {path for path, _, _ in programs.verdicts(MIXED)} <= {"pkg/host.py", "pkg/use.py"}
