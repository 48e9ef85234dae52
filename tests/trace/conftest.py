"""Programs as tests: the verdict of each copy stands as a comment at the end of its line.

    x = torch.zeros(8)
    y = x.to("cuda", non_blocking=True)  # pageable

The line is the one where the copy is reported: that of its method's name or, when the copy is in a helper, of the call
in the frame that owns the memory. A line without such a comment has no non-blocking copy. `# pinned, D2H pageable` are
two copies; a direction may stand before a verdict that could have several. `torch`, `np` and `dev` (an unknown device)
are there without being imported.

A test with a `program` argument runs for each of its module's `PROGRAMS`, and for its `KNOWN_GAPS`: programs whose
comments say what should be found and is not yet, with the reason.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from pathlib import Path

import pytest

from pinlint.models.load import load_models
from pinlint.models.model import Models
from pinlint.trace import TraceResult, trace
from pinlint.trace.events import CopyEvent, Direction, Event, Verdict
from pinlint.trace.project import Project

PRELUDE = "import numpy as np; import torch; from settings import dev\n"
WORDS = "|".join(verdict.value for verdict in Verdict if verdict is not Verdict.NOT_ASYNC)
MARK = re.compile(rf"#\s((?:D2H )?(?:{WORDS})(?:, (?:D2H )?(?:{WORDS}))*)$")
ONE_DIRECTION = (Verdict.DEVICE, Verdict.HOST, Verdict.UNKNOWN)

Program = str | Mapping[str, str]
"""The source of one module, or the modules of a project by path."""


class Programs:
    """Traces programs and compares what is found with the comments on their lines."""

    def __init__(self, folder: Path, models: Models) -> None:
        self.folder = folder
        self.models = models

    def modules(self, program: Program) -> dict[str, str]:
        given = {"program.py": program} if isinstance(program, str) else program
        return {name: PRELUDE + textwrap.dedent(source).lstrip("\n") for name, source in given.items()}

    def trace(self, program: Program, *targets: str) -> TraceResult:
        """Trace a program for the copies in `targets`, by default in all its modules."""
        modules = self.modules(program)
        contents = {self.folder / name: source.encode() for name, source in modules.items()}
        if len(contents) > 1:
            for path, data in contents.items():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(data)
        project = Project(contents, self.models, overlay=contents, base=self.folder)
        return trace(project, [str(self.folder / name) for name in targets or modules])

    def copies(self, program: Program) -> list[CopyEvent]:
        return [event for event in self.trace(program).events if isinstance(event, CopyEvent)]

    def only_copy(self, program: Program) -> CopyEvent:
        """The one copy of a program."""
        (event,) = self.copies(program)
        return event

    def others(self, program: Program) -> list[Event]:
        """The mistakes that are no copies."""
        return [event for event in self.trace(program).events if not isinstance(event, CopyEvent)]

    def verdicts(self, program: Program, *targets: str) -> list[tuple[str, int, str]]:
        """The path, line and verdict of each non-blocking copy."""
        events = self.trace(program, *targets).events
        found = {
            (event.place.path, event.place.line - 1, described(event))
            for event in events
            if isinstance(event, CopyEvent) and event.verdict is not Verdict.NOT_ASYNC
        }
        return sorted(found)

    def check(self, program: Program) -> None:
        """The copies of a program have the verdicts that stand on their lines."""
        result = self.trace(program)
        assert result.errors == ()
        expected = []
        for name, source in self.modules(program).items():
            for line, text in enumerate(source.splitlines()):
                mark = MARK.search(text)
                if mark is not None:
                    expected += [(name, line, word) for word in set(mark.group(1).split(", "))]
        assert self.verdicts(program) == sorted(expected)


def described(event: CopyEvent) -> str:
    """The verdict as the comments write it."""
    if event.direction is Direction.D2H and event.verdict not in ONE_DIRECTION:
        return f"D2H {event.verdict.value}"
    return event.verdict.value


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "program" in metafunc.fixturenames:
        right: dict[str, Program] = metafunc.module.PROGRAMS
        gaps: dict[str, tuple[str, Program]] = getattr(metafunc.module, "KNOWN_GAPS", {})
        marked = [
            pytest.param(program, marks=pytest.mark.xfail(reason=why, strict=True)) for why, program in gaps.values()
        ]
        metafunc.parametrize("program", [*right.values(), *marked], ids=[*right, *gaps])


@pytest.fixture(scope="session")
def models() -> Models:
    return load_models()


@pytest.fixture
def programs(tmp_path: Path, models: Models) -> Programs:
    return Programs(tmp_path, models)
