"""Events and findings made by hand, as the tracer and the rules would make them."""

from __future__ import annotations

from dataclasses import replace

import pytest

from pinlint.findings.finding import Confidence, Finding, Location, Role, Severity, Step
from pinlint.trace.events import CopyEvent, Direction, Site, Verdict

MESSAGES = {
    Role.ALLOCATED: "pageable memory is allocated here",
    Role.PINNED: "pinned here",
    Role.COMPUTED: "computes into new pageable memory",
    Role.VIEWED: "a view of the same memory",
    Role.LOADED: "a batch comes out of this loader",
    Role.COPIED: "copied to an accelerator here",
    Role.WRITTEN: "written here",
    Role.READ: "read here",
}


class Builders:
    """Makes events, steps and findings in which only what a test is about needs to be said."""

    def step(self, role: Role, line: int, callee: str = "", path: str = "train.py", **others: object) -> Step:
        given = {"span": (line, 8, line, 20), "statement": (line, line), "message": MESSAGES.get(role, role.value)}
        return Step(path=path, role=role, callee=callee, **(given | others))

    def site(self, line: int, path: str = "train.py", **others: object) -> Site:
        given = {"column": 14, "span": (line, 8, line, 30), "statement": (line, line), "qualified_name": "Trainer.step"}
        return Site(path=path, line=line, **(given | others))

    def copy(self, *steps: Step, line: int = 41, **others: object) -> CopyEvent:
        """A host-to-device copy of `batch` in pageable memory at `train.py:41`."""
        site = others.pop("site", self.site(line))
        given = {
            "place": site,
            "form": ".to",
            "direction": Direction.H2D,
            "verdict": Verdict.PAGEABLE,
            "steps": (*steps, self.step(Role.COPIED, site.line, path=site.path)),
            "reason": "",
            "source_name": "batch",
        }
        return CopyEvent(site=site, **(given | others))

    def finding(self, line: int = 41, code: str = "PIN101", path: str = "train.py", **others: object) -> Finding:
        location = Location(path, line, 15)
        finding = Finding(
            code=code,
            name="pageable-h2d-copy",
            message="`batch` is in pageable memory: this copy waits for the stream instead of overlapping",
            severity=Severity.WARNING,
            confidence=Confidence.HIGH,
            location=location,
            copy=location,
            steps=(),
            fix=None,
            qualified_name="Trainer.step",
            text="x = batch.to(device, non_blocking=True)",
            fingerprint="0123456789abcdef",
            statements=((path, line, line),),
        )
        return replace(finding, **others)


@pytest.fixture
def build() -> Builders:
    return Builders()
