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
