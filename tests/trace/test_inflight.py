"""What happens to host memory between a copy and its completion: writes, reads and waits.

The lines of the writes end in `# written`, those of the reads in `# read`.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from pinlint.trace.events import EarlyReadEvent, RaceEvent

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

MARK = re.compile(r"# (written|read)$")
PROGRAMS = {
    # --- writes ---
    "an index writes the source": """
    def step(n):
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        p[0] = n  # written
        return g
    """,
    "a range writes the source": """
    def step(n):
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        p[:n] = 1  # written
        return g
    """,
    "an in-place method": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        p.fill_(1)  # written
        return g
    """,
    "an in-place method of a view": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        p[:4].zero_()  # written
        return g
    """,
    "copy_ into the source": """
    def step(x):
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        p.copy_(torch.ones(8))  # written
        return g
    """,
    "an augmented assignment": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        p += 1  # written
        return g
    """,
    "out=": """
    def step(x):
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        torch.add(x, 1, out=p)  # written
        return g
    """,
    "the next turn of a loop that copies host data": """
    def step(chunks: list[np.ndarray]):
        p = torch.zeros(8, pin_memory=True)
        for chunk in chunks:
            p.copy_(torch.from_numpy(chunk))  # written
            yield p.to("cuda", non_blocking=True)
    """,
    "copy_ of the buffer in a loop": """
    def step(chunks):
        p = torch.zeros(8, pin_memory=True)
        g = torch.zeros(8, device="cuda")
        for chunk in chunks:
            p[:] = chunk  # written
            g.copy_(p, non_blocking=True)
        return g
    """,
    "a write before the copy is none": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        p.fill_(1)
        return p.to("cuda", non_blocking=True)
    """,
    "another tensor's write is none": """
    def step():
        p, q = torch.zeros(8, pin_memory=True), torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        q.fill_(1)
        return g
    """,
    "rebinding is no write": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        p = torch.ones(8, pin_memory=True)
        p.fill_(1)
        return g
    """,
    "a pageable source may be written": """
    def step():
        p = torch.zeros(8)
        g = p.to("cuda", non_blocking=True)
        p.fill_(1)
        return g
    """,
    "a blocking copy is complete": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda")
        p.fill_(1)
        return g
    """,
    "a new buffer on every turn": """
    def step(chunks):
        for chunk in chunks:
            p = torch.empty(8, pin_memory=True)
            p.copy_(chunk)
            yield p.to("cuda", non_blocking=True)
    """,
    "a pinned snapshot of a reused buffer": """
    def step(chunks):
        p = torch.zeros(8)
        for chunk in chunks:
            p.copy_(chunk)
            yield p.pin_memory().to("cuda", non_blocking=True)
    """,
    "a write on another branch": """
    def step(flag):
        p = torch.zeros(8, pin_memory=True)
        if flag:
            g = p.to("cuda", non_blocking=True)
        else:
            p.fill_(1)
            g = None
        return g
    """,
    "a write to the device copy": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        g.fill_(1)
        return g
    """,
    # --- waits ---
    "synchronize": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        torch.cuda.synchronize()
        p.fill_(1)
        return g
    """,
    "a stream's synchronize": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        torch.cuda.current_stream().synchronize()
        p.fill_(1)
        return g
    """,
    "an event's synchronize": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        done = torch.cuda.Event()
        g = p.to("cuda", non_blocking=True)
        done.record()
        done.synchronize()
        p.fill_(1)
        return g
    """,
    "item waits": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        n = g.sum().item()
        p.fill_(n)
        return g
    """,
    "cpu waits": """
    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        h = g.cpu()
        p.fill_(1)
        return h
    """,
    "a wait in the loop": """
    def step(chunks):
        p = torch.zeros(8, pin_memory=True)
        for chunk in chunks:
            torch.cuda.synchronize()
            p.copy_(chunk)
            yield p.to("cuda", non_blocking=True)
    """,
    "a wait on one path only": """
    def step(flag):
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        if flag:
            torch.cuda.synchronize()
        p.fill_(1)  # written
        return g
    """,
    "two buffers in turn with an event each": """
    def step(n):
        hosts = [torch.empty(8, pin_memory=True) for _ in range(2)]
        events = [torch.cuda.Event() for _ in range(2)]
        for i in range(n):
            events[i % 2].synchronize()
            hosts[i % 2].fill_(i)
            yield hosts[i % 2].to("cuda", non_blocking=True)
            events[i % 2].record()
    """,
    "an event in an attribute": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8, pin_memory=True)
            self.done = torch.cuda.Event()

        def push(self, n):
            self.done.synchronize()
            self.host.fill_(n)
            g = self.host.to("cuda", non_blocking=True)
            self.done.record()
            return g
    """,
    "a read in a later method": """
    class Stage:
        def fetch(self, n):
            self.h = torch.zeros(n, device="cuda").to("cpu", non_blocking=True)

        def result(self):
            torch.cuda.synchronize()
            return self.h.tolist()
    """,
    "a wait in finally": """
    def step(n):
        h = torch.zeros(n, device="cuda").to("cpu", non_blocking=True)
        try:
            print(n)
        finally:
            torch.cuda.synchronize()
        return h.tolist()
    """,
    "a wait at the end of each turn": """
    def step(n):
        p = torch.zeros(8, pin_memory=True)
        for i in range(n):
            p.fill_(i)
            g = p.to("cuda", non_blocking=True)
            torch.cuda.synchronize()
        return g
    """,
    "one of two results is waited for by the other's blocking copy": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        a = g.to("cpu", non_blocking=True)
        b = g.to("cpu")
        return a.tolist(), b.tolist()
    """,
    # --- reads ---
    "tolist": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = g.to("cpu", non_blocking=True)
        return h.tolist()  # read
    """,
    "item": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = g.to("cpu", non_blocking=True)
        return h[0].item()  # read
    """,
    "arithmetic": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = g.to("cpu", non_blocking=True)
        return h + 1  # read
    """,
    "an argument of a function": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = g.to("cpu", non_blocking=True)
        return torch.cat([h, h])  # read
    """,
    "a pinned destination": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        p = torch.empty(n, pin_memory=True)
        p.copy_(g, non_blocking=True)
        return p.tolist()  # read
    """,
    "int and float": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = g.to("cpu", non_blocking=True)
        return int(h[0])  # read
    """,
    "after a wait": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = g.to("cpu", non_blocking=True)
        torch.cuda.synchronize()
        return h.tolist()
    """,
    "after a blocking copy": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = g.to("cpu", non_blocking=True)
        k = g.cpu()
        return h.tolist(), k
    """,
    "the shape is no read": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = g.to("cpu", non_blocking=True)
        return h.shape, h.dtype, h.numel(), h.size(0), h.is_pinned()
    """,
    "a view is no read": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = g.to("cpu", non_blocking=True)
        return h[:2].view(-1)
    """,
    "a pageable destination has arrived": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        h = torch.empty(n)
        h.copy_(g, non_blocking=True)
        return h.tolist()
    """,
    "a blocking move has arrived": """
    def step(n):
        return torch.zeros(n, device="cuda").to("cpu").tolist()
    """,
    "reading the source is no hazard": """
    def step(n):
        p = torch.zeros(n, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        return p.tolist(), g
    """,
    "the device tensor may be used at once": """
    def step(n):
        p = torch.zeros(n, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        return g + 1
    """,
    "two copies into one buffer are in order": """
    def step(n):
        g = torch.zeros(n, device="cuda")
        p = torch.empty(n, pin_memory=True)
        p.copy_(g, non_blocking=True)
        p.copy_(g + 1, non_blocking=True)
    """,
    # --- waits in calls, and memory that differs from turn to turn ---
    "a wait in a helper": """
    def wait():
        torch.cuda.synchronize()

    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        wait()
        p.fill_(1)
        return g
    """,
    "a buffer for each turn": """
    def step(chunks: list[np.ndarray]):
        hosts = [torch.empty(8, pin_memory=True) for _ in range(4)]
        for host, chunk in zip(hosts, chunks):
            host.copy_(torch.from_numpy(chunk))
            yield host.to("cuda", non_blocking=True)
    """,
    "a buffer for each key": """
    def step(chunks: dict[str, np.ndarray]):
        hosts = {key: torch.empty(8, pin_memory=True) for key in chunks}
        for key, host in hosts.items():
            host.fill_(1)
            yield host.to("cuda", non_blocking=True)
    """,
    "a new buffer from a function": """
    def make():
        return torch.empty(8, pin_memory=True)

    def step(n):
        for i in range(n):
            p = make()
            p.fill_(i)
            yield p.to("cuda", non_blocking=True)
    """,
    "a wait for a query": """
    def step(done):
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        done = torch.cuda.Event()
        done.record()
        while not done.query():
            pass
        p.fill_(1)
        return g
    """,
    "a wait in a method": """
    class Stage:
        def wait(self):
            torch.cuda.synchronize()

        def push(self):
            p = torch.zeros(8, pin_memory=True)
            g = p.to("cuda", non_blocking=True)
            self.wait()
            p.fill_(1)
            return g
    """,
    "a read after a wait in a helper": """
    def wait():
        torch.cuda.synchronize()

    def step(n):
        h = torch.zeros(n, device="cuda").to("cpu", non_blocking=True)
        wait()
        return h.tolist()
    """,
    "a read after unread code, which may wait": """
    from library import finish

    def step(n):
        h = torch.zeros(n, device="cuda").to("cpu", non_blocking=True)
        finish()
        return h.tolist()
    """,
}

KNOWN_GAPS = {
    "a wait of another stream does not make the host wait": (
        "nothing says that `current_stream()` does not wait, so it is taken for unread code: a missed finding",
        """
    def step(stream):
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        torch.cuda.current_stream().wait_stream(stream)
        p.fill_(1)  # written
        return g
    """,
    ),
    "a numpy view": (
        "a write through a NumPy view is not seen",
        """
    def step():
        p = torch.zeros(8, pin_memory=True)
        a = p.numpy()
        g = p.to("cuda", non_blocking=True)
        a[0] = 1  # written
        return g
    """,
    ),
    "the next turn of a loop": (
        "a blocking `copy_` from an unknown source is taken for a wait",
        """
    def step(g, chunks):
        p = torch.zeros(8, pin_memory=True)
        for chunk in chunks:
            p.copy_(chunk)  # written
            g = p.to("cuda", non_blocking=True)
        return g
    """,
    ),
    "a write in a helper": (
        "a write inside a called function is not seen",
        """
    def clear(x):
        x.zero_()  # written

    def step():
        p = torch.zeros(8, pin_memory=True)
        g = p.to("cuda", non_blocking=True)
        clear(p)
        return g
    """,
    ),
}


def hazards(programs: Programs, source: str) -> set[tuple[int, str]]:
    """The line and kind of each hazard."""
    found = set()
    for event in programs.others(source):
        if isinstance(event, RaceEvent):
            found.add((event.write.span[0], "written"))
        elif isinstance(event, EarlyReadEvent):
            found.add((event.read.span[0], "read"))
    return found


def test_hazard(programs: Programs, program: str) -> None:
    lines = programs.modules(program)["program.py"].splitlines()
    marks = {number: MARK.search(text) for number, text in enumerate(lines, start=1)}
    assert hazards(programs, program) == {(number, mark.group(1)) for number, mark in marks.items() if mark}


def test_the_write_is_the_last_step_of_the_copy_it_races_with(programs: Programs) -> None:
    (race,) = programs.others(PROGRAMS["an in-place method"])
    assert isinstance(race, RaceEvent)
    assert race.copy.steps[-1] == race.write
    assert race.copy.site.line == 4


@pytest.mark.parametrize(
    ("after", "line"),
    [("x.fill_(1)", 5), ("x[0] = 1", 5), ("x += 1", 5), ("y = x + 1", None), ("x = x + 1", None), ("print(x)", None)],
)
def test_a_write_after_a_pageable_copy_is_remembered_for_its_fix(
    programs: Programs, after: str, line: int | None
) -> None:
    """Pinning that memory would make a race."""
    copy = programs.only_copy(f"""
    def step():
        x = torch.zeros(8)
        g = x.to("cuda", non_blocking=True)
        {after}
        return g
    """)
    written = copy.hazards.written_after
    assert (written and written.span[0]) == line


def test_an_attribute_outlives_the_function(programs: Programs) -> None:
    copy = programs.only_copy("""
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def push(self):
            return self.host.to("cuda", non_blocking=True)
    """)
    assert copy.hazards.persistent


def test_a_local_tensor_does_not(programs: Programs) -> None:
    copy = programs.only_copy("""
    def step():
        x = torch.zeros(8)
        return x.to("cuda", non_blocking=True)
    """)
    assert not copy.hazards.persistent
    assert not copy.hazards.escapes
    assert not copy.hazards.one_shot


def test_a_tensor_that_is_returned_escapes(programs: Programs) -> None:
    copy = programs.only_copy("""
    def step():
        x = torch.zeros(8)
        return x, x.to("cuda", non_blocking=True)
    """)
    assert copy.hazards.escapes


def test_a_tensor_given_to_unread_code_escapes(programs: Programs) -> None:
    copy = programs.only_copy("""
    from library import keep

    def step():
        x = torch.zeros(8)
        keep(x)
        return x.to("cuda", non_blocking=True)
    """)
    assert copy.hazards.escapes


@pytest.mark.parametrize(
    "source",
    [
        "y = torch.zeros(8).to('cuda', non_blocking=True)",
        "class S:\n    def __init__(self):\n        self.y = torch.zeros(8).to('cuda', non_blocking=True)",
        pytest.param(
            "def load_weights():\n    return torch.zeros(8).to('cuda', non_blocking=True)",
            marks=pytest.mark.xfail(reason="only module level and constructors count as code that runs once"),
        ),
    ],
)
def test_code_that_runs_once_is_marked(programs: Programs, source: str) -> None:
    assert programs.only_copy(source).hazards.one_shot


def test_a_module_constant_is_allocated_at_import(programs: Programs) -> None:
    copy = programs.only_copy("""
    TABLE = torch.zeros(8)

    def step():
        return TABLE.to("cuda", non_blocking=True)
    """)
    assert copy.hazards.at_import


@pytest.mark.parametrize(("where", "proven"), [('"cuda"', True), ("g.device", True), ("dev", False)])
def test_whether_the_device_is_provably_an_accelerator(programs: Programs, where: str, *, proven: bool) -> None:
    copy = programs.only_copy(f"""
    def step():
        g = torch.zeros(8, device="cuda")
        x = torch.zeros(8)
        y = x.to({where}, non_blocking=True)
        return g, y
    """)
    assert copy.hazards.accelerator_proven is proven


def test_a_function_that_pins_already_is_known_to_run_where_pinning_works(programs: Programs) -> None:
    first, second = programs.copies("""
    def step():
        p = torch.zeros(8, pin_memory=True)
        a = p.to(dev, non_blocking=True)
        x = torch.zeros(8)
        return a, x.to(dev, non_blocking=True)
    """)
    assert first.verdict.value == "pinned"
    assert second.hazards.pins_already


def test_a_conditional_pin_does_not_say_that_pinning_works(programs: Programs) -> None:
    copy = programs.copies("""
    def step(flag):
        if flag:
            p = torch.zeros(8, pin_memory=True)
        x = torch.zeros(8)
        return x.to(dev, non_blocking=True)
    """)[-1]
    assert not copy.hazards.pins_already
