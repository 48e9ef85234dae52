"""From a source to its fixed form, through the tracer, the rules, the plan and the edits."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from pinlint import app


def fixed(folder: Path, source: str, *, unsafe: bool = False, settings: str = "") -> str:
    """Return what `pinlint fix` makes of a file, after making sure that a second run changes nothing."""
    (folder / "pyproject.toml").write_text(f"[tool.pinlint]\n{settings}\n")
    file = folder / "train.py"
    file.write_text(textwrap.dedent(source))
    request = app.Request(("train.py",))
    app.fix(request, unsafe=unsafe, write=True)
    once = file.read_text()
    app.fix(request, unsafe=unsafe, write=True)
    assert file.read_text() == once
    return once


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_a_function_that_pins_already_gets_literals(folder: Path) -> None:
    source = """\
        import torch


        def build(num_chunks, num_prefills, step, device):
            chunk_starts = (
                torch.arange(num_chunks, dtype=torch.int32)
                .unsqueeze(1)
                .expand(-1, num_prefills)
                * step
            )
            cu_seq_lens = torch.zeros(num_chunks, num_prefills + 1, pin_memory=True)
            token_to_seq = torch.zeros(
                [num_chunks, max_token_num_over_chunk()], dtype=torch.int32
            )
            return (
                cu_seq_lens.to(device, non_blocking=True),
                chunk_starts.to(device, non_blocking=True),
                token_to_seq.to(device, non_blocking=True),
            )
        """
    after = source.replace("* step\n            )", "* step\n            ).pin_memory()").replace(
        "dtype=torch.int32\n            )\n            return",
        "dtype=torch.int32, pin_memory=True\n            )\n            return",
    )
    assert fixed(folder, source) == textwrap.dedent(after)


GUARDED = """\
    import torch


    def step(values, more, device):
        ids = torch.tensor(values)
        rows = torch.cat([torch.tensor(more), ids])
        return ids.to(device, non_blocking=True), rows.to(device, non_blocking=True)
    """


def test_other_functions_are_guarded(folder: Path) -> None:
    after = """\
        import torch


        def step(values, more, device):
            ids = torch.tensor(values, pin_memory=torch.cuda.is_available())
            rows = torch.cat([torch.tensor(more), ids])
            if torch.cuda.is_available():
                rows = rows.pin_memory()
            return ids.to(device, non_blocking=True), rows.to(device, non_blocking=True)
        """
    assert fixed(folder, GUARDED) == textwrap.dedent(after)


def test_the_condition_of_the_project_is_imported(folder: Path) -> None:
    settings = 'pin-memory = "engine.memory.PIN_MEMORY"'
    after = fixed(folder, GUARDED, settings=settings)
    assert after.startswith("import torch\nfrom engine.memory import PIN_MEMORY\n")
    assert "    ids = torch.tensor(values, pin_memory=PIN_MEMORY)\n" in after


SPARSE = """\
    import numpy as np
    import torch


    class Builder:
        def build(self, lengths, n):
            rows = np.repeat(np.arange(n, dtype=np.int32), lengths)
            self.buffer[: rows.shape[0]].copy_(
                torch.from_numpy(rows), non_blocking=True
            )
    """


def test_an_array_in_a_copy_is_pinned_when_asked_for(folder: Path) -> None:
    assert fixed(folder, SPARSE) == textwrap.dedent(SPARSE)
    after = SPARSE.replace("from_numpy(rows)", "from_numpy(rows).pin_memory()")
    assert fixed(folder, SPARSE, unsafe=True) == textwrap.dedent(after)


def test_an_array_goes_through_the_helper_of_the_project(folder: Path) -> None:
    after = SPARSE.replace("torch.from_numpy(rows)", "pinned(rows)").replace(
        "import torch\n", "import torch\n    from engine.tensors import pinned\n"
    )
    assert fixed(folder, SPARSE, settings='pin-array = "engine.tensors.pinned"') == textwrap.dedent(after)


def test_a_buffer_that_is_refilled_is_never_pinned_itself(folder: Path) -> None:
    source = """\
        import torch


        class Plan:
            def __init__(self, cap, dev):
                self.host = torch.zeros(cap, dtype=torch.int32)
                self.dev = torch.zeros(cap, dtype=torch.int32, device=dev)

            def step(self, values):
                n = len(values)
                self.host[:n] = torch.tensor(values)
                self.dev[:n].copy_(self.host[:n], non_blocking=True)
        """
    assert fixed(folder, source) == textwrap.dedent(source)
    after = source.replace("self.host[:n], non", "self.host[:n].pin_memory(), non")
    assert fixed(folder, source, unsafe=True) == textwrap.dedent(after)


def body(source: str) -> str:
    """Return a module that imports torch and holds `source`."""
    return "import torch\n\n\n" + textwrap.dedent(source)


def both(folder: Path, source: str) -> tuple[str, str]:
    """Return the file without the import as fixed with the safe fixes, and then with the unsafe ones too."""
    start = len(body(""))
    return fixed(folder, body(source))[start:], fixed(folder, body(source), unsafe=True)[start:]


def test_memory_that_is_written_after_an_earlier_copy_is_not_pinned(folder: Path) -> None:
    source = """\
        def f(dev, n):
            x = torch.empty(n)
            return x.fill_(1).to(dev, non_blocking=True), x.zero_().to(dev, non_blocking=True)
        """
    safe, unsafe = both(folder, source)
    assert safe == textwrap.dedent(source)
    assert "x = torch.empty(n)\n" in unsafe
    assert unsafe.count("_(1).pin_memory()") == unsafe.count("x.zero_().pin_memory()") == 1


def test_an_array_that_is_copied_into_is_left(folder: Path) -> None:
    source = """\
        import numpy as np


        def f(live: torch.Tensor, out: np.ndarray, rows: np.ndarray):
            live = live.cuda()
            torch.from_numpy(out).copy_(live, non_blocking=True)
            other = torch.from_numpy(np.zeros(3))
            other.copy_(live, non_blocking=True)
            third = torch.zeros(3) + 1
            third.copy_(live, non_blocking=True)
            torch.cuda.synchronize()
        """
    assert both(folder, source) == (textwrap.dedent(source),) * 2


@pytest.mark.parametrize(
    ("call", "pinned"),
    [
        ("(host == 3).nonzero(as_tuple=True)[0]", "(host == 3).nonzero(as_tuple=True)[0].pin_memory()"),
        ("host.max(dim=0)[1]", "host.max(dim=0)[1].pin_memory()"),
        ("torch.sort(host).values", "torch.sort(host).values.pin_memory()"),
        ("host.unique(return_counts=True)[1]", "host.unique(return_counts=True)[1].pin_memory()"),
    ],
)
def test_the_one_of_several_results_that_is_copied_is_pinned(folder: Path, call: str, pinned: str) -> None:
    source = f"""\
        def f(ids, dev):
            host = torch.tensor(ids)
            return {call}.to(dev, non_blocking=True)
        """
    assert both(folder, source) == (textwrap.dedent(source), textwrap.dedent(source.replace(call, pinned)))


@pytest.mark.parametrize("call", ["torch.sort(host)", "host.max(dim=0)", "torch.unique(host, return_counts=True)"])
def test_unpacked_results_are_pinned_where_they_are_copied(folder: Path, call: str) -> None:
    source = f"""\
        def f(ids, dev):
            host = torch.tensor(ids)
            values, others = {call}
            return values.to(dev, non_blocking=True)
        """
    assert both(folder, source)[1] == textwrap.dedent(source.replace("values.to", "values.pin_memory().to"))


@pytest.mark.parametrize(
    "source",
    [
        """\
        PIN = False


        def f(n, dev):
            p = torch.zeros(n, pin_memory=PIN)
            return torch.zeros(n).to(dev, non_blocking=True), p
        """,
        """\
        def f(n, dev, pin=False):
            p = torch.zeros(n, pin_memory=pin)
            return torch.zeros(n).to(dev, non_blocking=True), p
        """,
        """\
        class A:
            def __init__(self, pin=False):
                self.pin = pin

            def f(self, n, dev):
                p = torch.zeros(n, pin_memory=self.pin)
                return torch.zeros(n).to(dev, non_blocking=True), p
        """,
    ],
)
def test_a_convention_that_does_not_pin_is_not_followed(folder: Path, source: str) -> None:
    assert "torch.zeros(n, pin_memory=torch.cuda.is_available()).to(" in both(folder, source)[0]


def test_a_pin_beside_the_copy_says_nothing_of_another_function(folder: Path) -> None:
    source = """\
        def make(n):
            return torch.zeros(n)


        def f(n, dev):
            p = torch.zeros(n, pin_memory=True)
            make2 = lambda size: torch.ones(size)
            return make(n).to(dev, non_blocking=True), make2(n).to(dev, non_blocking=True), p
        """
    safe, _ = both(folder, source)
    assert "return torch.zeros(n, pin_memory=torch.cuda.is_available())\n" in safe
    assert "torch.ones(size, pin_memory=torch.cuda.is_available())\n" in safe


def test_a_literal_is_not_written_where_the_host_leaves_before_the_copy(folder: Path) -> None:
    source = """\
        def f(n, dev: torch.device):
            x = torch.zeros(n)
            if dev.type == "cpu":
                return x
            y = torch.ones(n)
            return x.to(dev, non_blocking=True), y.to(dev, non_blocking=True)
        """
    safe, _ = both(folder, source)
    assert "x = torch.zeros(n, pin_memory=torch.cuda.is_available())\n" in safe
    assert "y = torch.ones(n, pin_memory=True)\n" in safe


@pytest.mark.parametrize("check", ['if dev.type == "cpu":\n                return x\n            ', ""])
def test_a_literal_is_written_for_a_helper_that_always_copies(folder: Path, check: str) -> None:
    source = f"""\
        def send(x, dev):
            {check}return x.to("cuda", non_blocking=True)


        def f(n, dev):
            return send(torch.zeros(n), dev)
        """
    condition = "torch.cuda.is_available()" if check else "True"
    assert f"send(torch.zeros(n, pin_memory={condition}), dev)" in both(folder, source)[1 if check else 0]


def test_a_container_that_is_moved_as_a_whole_is_left(folder: Path) -> None:
    source = """\
        from accelerate.utils import send_to_device
        from torch.utils.data import default_collate


        def f(samples, dev):
            batch = default_collate(samples)
            weights = torch.load("weights.pt")
            return send_to_device(batch, dev, non_blocking=True), weights["x"].half().to(dev, non_blocking=True)
        """
    assert both(folder, source) == (textwrap.dedent(source),) * 2


@pytest.mark.parametrize("copy", ['x.to("cuda", non_blocking=True)', "x[:2].to(dev, non_blocking=True)"])
def test_a_discarded_pin_is_assigned_and_nothing_else_is_pinned(folder: Path, copy: str) -> None:
    source = f"""\
        def f(n, dev):
            x = torch.zeros(n)
            x.pin_memory()
            return {copy}
        """
    after = source.replace("x.pin_memory()", "x = x.pin_memory()")
    assert both(folder, source) == (textwrap.dedent(source), textwrap.dedent(after))


def test_a_discarded_pin_of_an_attribute_is_assigned_and_nothing_else_is_pinned(folder: Path) -> None:
    source = """\
        class Holder:
            def __init__(self, n):
                self.flat = torch.zeros(n)
                self.flat.pin_memory()

            def push(self, dev):
                return self.flat.to(dev, non_blocking=True)
        """
    after = source.replace("self.flat.pin_memory()", "self.flat = self.flat.pin_memory()")
    assert both(folder, source) == (textwrap.dedent(source), textwrap.dedent(after))


def test_only_the_named_file_is_changed(folder: Path) -> None:
    (folder / "pyproject.toml").write_text("[tool.pinlint]\n")
    make = body("def make(n):\n    return torch.zeros(n)\n")
    (folder / "make.py").write_text(make)
    (folder / "use.py").write_text(
        "from make import make\n\n\ndef f(n, d):\n    return make(n).to(d, non_blocking=True)\n"
    )
    done = app.fix(app.Request(("use.py",)), unsafe=True, write=True)
    assert (folder / "make.py").read_text() == make
    assert [skipped.reason for skipped in done.reports[0].skipped] == [
        "its fix is in make.py, which was not asked about"
    ]
    assert [finding.code for finding in done.checked.report.findings] == ["PIN101"]
    app.fix(app.Request(("use.py", "make.py")), unsafe=True, write=True)
    assert "pin_memory=" in (folder / "make.py").read_text()


def test_copies_into_the_fields_of_one_object_are_awaited_together(folder: Path) -> None:
    source = """\
        def f(out, live, more):
            out.ids = torch.empty(3)
            out.values = torch.empty(3)
            out.ids[:2].copy_(live.cuda(), non_blocking=True)
            out.values[:2].copy_(more.cuda(), non_blocking=True)
            torch.cuda.synchronize()
        """
    safe, _ = both(folder, source)
    assert safe.count("torch.empty(3, pin_memory=torch.cuda.is_available())") == 2


def test_a_pin_on_one_branch_says_nothing_of_what_runs_before_it(folder: Path) -> None:
    source = """\
        def f(n, dev, plain):
            x = torch.zeros(n)
            if plain:
                return x
            y = torch.zeros(n, pin_memory=True)
            if n:
                z = torch.ones(n)
                return z.to(dev, non_blocking=True)
            return x.to(dev, non_blocking=True), y
        """
    safe, unsafe = both(folder, source)
    assert "z = torch.ones(n, pin_memory=True)\n" in safe
    assert "x = torch.zeros(n, pin_memory=torch.cuda.is_available())\n" in unsafe
