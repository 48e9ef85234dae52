"""Batches of data loaders, and what is made of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pinlint.findings.finding import Role
from pinlint.trace.events import Verdict

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

TAKING_A_BATCH = {
    "iteration": """
        for x in loader:
            x.to(dev, non_blocking=True)  # {mark}
    """,
    "pairs": """
        for x, y in loader:
            a = x.to(dev, non_blocking=True)  # {mark}
            b = y.to(dev, non_blocking=True)  # {mark}
    """,
    "enumerate": """
        for i, (x, y) in enumerate(loader):
            a = x.to(dev, non_blocking=True)  # {mark}
    """,
    "tqdm": """
        for x, _ in tqdm(loader):
            a = x.to(dev, non_blocking=True)  # {mark}
    """,
    "enumerate of tqdm": """
        for i, x in enumerate(tqdm(loader, desc="train"), start=1):
            a = x.to(dev, non_blocking=True)  # {mark}
    """,
    "next of iter": """
        x = next(iter(loader))
        return x.to(dev, non_blocking=True)  # {mark}
    """,
    "an iterator kept": """
        stream = iter(loader)
        while True:
            x, y = next(stream)
            a = x.to(dev, non_blocking=True)  # {mark}
    """,
    "a dict batch": """
        for batch in loader:
            a = batch["x"].to(dev, non_blocking=True)  # {mark}
    """,
    "a dict batch moved by comprehension": """
        for batch in loader:
            a = {{k: v.to(dev, non_blocking=True) for k, v in batch.items()}}  # {mark}
    """,
    "a list batch moved by comprehension": """
        for batch in loader:
            a = [x.to(dev, non_blocking=True) for x in batch]  # {mark}
    """,
    "tree_map": """
        for batch in loader:
            a = tree_map(lambda x: x.to(dev, non_blocking=True), batch)  # {mark}
    """,
    "islice and zip": """
        for x, other in zip(loader, range(8)):
            a = x.to(dev, non_blocking=True)  # {mark}
    """,
    "a batch of a batch": """
        for batch in loader:
            a = batch[0]["x"][1].to(dev, non_blocking=True)  # {mark}
    """,
    "cuda": """
        for x in loader:
            a = x.cuda(non_blocking=True)  # {mark}
    """,
    "a helper": """
        def push(x):
            return x.to(dev, non_blocking=True)
        for x in loader:
            a = push(x)  # {mark}
    """,
}
LOADERS = {
    "DataLoader(data)": "pageable",
    "DataLoader(data, batch_size=8, shuffle=True, num_workers=4)": "pageable",
    "DataLoader(data, pin_memory=False)": "pageable",
    "DataLoader(data, pin_memory=True)": "pinned",
    "torch.utils.data.DataLoader(data, 8, False, pin_memory=True)": "pinned",
    "DataLoader(data, pin_memory=flag)": "conditional",
    "DataLoader(data, pin_memory=torch.cuda.is_available())": "conditional",
    "DataLoader(data, **options)": "unknown",
    "DataLoader(data, **{'pin_memory': True})": "pinned",
    "DataLoader(data, **dict(batch_size=8))": "pageable",
    "StatefulDataLoader(data)": "pageable",
    "StatefulDataLoader(data, pin_memory=True)": "pinned",
    "library_loader(data)": "unknown",
}
HEADER = """
from library import library_loader
from torch.utils._pytree import tree_map
from torch.utils.data import DataLoader
from torchdata.stateful_dataloader import StatefulDataLoader
from tqdm import tqdm

def step(data, flag, options):
    loader = {loader}
"""


def taken(taking: str, loader: str, mark: str) -> str:
    body = "\n".join(line[4:] for line in taking.format(mark=mark).splitlines())
    return HEADER.format(loader=loader) + body


@pytest.mark.parametrize("mark", ["pageable", "pinned"])
@pytest.mark.parametrize("way", TAKING_A_BATCH)
def test_a_batch_has_the_memory_of_its_loader(programs: Programs, way: str, mark: str) -> None:
    programs.check(taken(TAKING_A_BATCH[way], f"DataLoader(data, pin_memory={mark == 'pinned'})", mark))


@pytest.mark.parametrize(("loader", "mark"), LOADERS.items(), ids=LOADERS)
def test_the_construction_decides(programs: Programs, loader: str, mark: str) -> None:
    programs.check(taken(TAKING_A_BATCH["pairs"], loader, mark))


def test_a_batch_says_that_it_comes_from_a_loader(programs: Programs) -> None:
    (copy,) = programs.copies(taken(TAKING_A_BATCH["iteration"], "DataLoader(data)", "pageable"))
    assert copy.from_loader
    assert [step.role for step in copy.steps] == [Role.LOADED, Role.COPIED]


def test_a_blocking_move_of_a_batch_is_no_copy_to_judge(programs: Programs) -> None:
    programs.check(taken("        for x in loader:\n            x = x.to(dev)\n", "DataLoader(data)", ""))


PROGRAMS = {
    "a loader in an attribute": """
    from torch.utils.data import DataLoader

    class Trainer:
        def __init__(self, data):
            self.loader = DataLoader(data)

        def run(self):
            for x in self.loader:
                a = x.to(dev, non_blocking=True)  # pageable
    """,
    "a loader made by a function": """
    from torch.utils.data import DataLoader

    def make(data, pin):
        return DataLoader(data, pin_memory=pin)

    def run(data):
        for x in make(data, True):
            a = x.to(dev, non_blocking=True)  # pinned
        for x in make(data, False):
            a = x.to(dev, non_blocking=True)  # pageable
    """,
    "a loader from a parameter": """
    from torch.utils.data import DataLoader

    def run(loader):
        for x in loader:
            a = x.to(dev, non_blocking=True)  # pageable

    def main(data):
        run(DataLoader(data))
    """,
    "a loader annotated only": """
    from torch.utils.data import DataLoader

    def run(loader: DataLoader):
        for x in loader:
            a = x.to(dev, non_blocking=True)  # unknown
    """,
    "a batch pinned by hand": """
    from torch.utils.data import DataLoader

    def run(data):
        for x in DataLoader(data):
            a = x.pin_memory().to(dev, non_blocking=True)  # pinned
    """,
    "a batch computed on the host": """
    from torch.utils.data import DataLoader

    def run(data):
        for x in DataLoader(data, pin_memory=True):
            a = (x / 255).to(dev, non_blocking=True)  # pageable
    """,
    "a batch collated again": """
    from torch.utils.data import DataLoader

    def run(data):
        for xs in DataLoader(data, pin_memory=True):
            a = torch.cat(list(xs)).to(dev, non_blocking=True)  # pageable
    """,
    "a collate function of the project": """
    from torch.utils.data import DataLoader

    def collate(samples):
        return {"x": torch.tensor(samples), "n": len(samples)}

    def run(data):
        for batch in DataLoader(data, collate_fn=collate):
            a = batch["x"].to(dev, non_blocking=True)  # pageable
        for batch in DataLoader(data, collate_fn=collate, pin_memory=True):
            a = batch["x"].to(dev, non_blocking=True)  # pinned
    """,
    "a collate function that pins": """
    from torch.utils.data import DataLoader

    def collate(samples):
        return torch.stack(samples).pin_memory()

    def run(data):
        for x in DataLoader(data, collate_fn=collate):
            a = x.to(dev, non_blocking=True)  # pinned
    """,
    "a batch of a class without pin_memory": """
    from torch.utils.data import DataLoader

    class Batch:
        def __init__(self, samples):
            self.x = torch.stack(samples)

    def run(data):
        for batch in DataLoader(data, collate_fn=Batch, pin_memory=True):
            a = batch.x.to(dev, non_blocking=True)  # pageable
    """,
    "a batch of a class with pin_memory": """
    from torch.utils.data import DataLoader

    class Batch:
        def __init__(self, samples):
            self.x = torch.stack(samples)

        def pin_memory(self):
            self.x = self.x.pin_memory()
            return self

    def run(data):
        for batch in DataLoader(data, collate_fn=Batch, pin_memory=True):
            a = batch.x.to(dev, non_blocking=True)  # conditional
    """,
    "a collate function from outside": """
    from library import collate
    from torch.utils.data import DataLoader

    def run(data):
        for x in DataLoader(data, collate_fn=collate):
            a = x.to(dev, non_blocking=True)  # unknown
    """,
    "a generator over a loader": """
    from torch.utils.data import DataLoader

    def cycle(loader):
        while True:
            for batch in loader:
                yield batch

    def run(data):
        for x in cycle(DataLoader(data)):
            a = x.to(dev, non_blocking=True)  # pageable
    """,
    "default_collate": """
    from torch.utils.data import default_collate

    def run():
        samples = [{"x": torch.zeros(8, pin_memory=True)}]
        return default_collate(samples)["x"].to(dev, non_blocking=True)  # pageable
    """,
    "loaders by split": """
    from torch.utils.data import DataLoader

    def run(data):
        loaders = {split: DataLoader(data[split]) for split in ("train", "test")}
        for x in loaders["train"]:
            a = x.to(dev, non_blocking=True)  # pageable
    """,
}

KNOWN_GAPS = {
    "a subclass of a loader": (
        "a batch of a subclass of a loader is unknown",
        """
    from torch.utils.data import DataLoader

    class Mine(DataLoader):
        pass

    def step(data):
        for x in Mine(data):
            a = x.to(dev, non_blocking=True)  # pageable
        for x in Mine(data, pin_memory=True):
            a = x.to(dev, non_blocking=True)  # pinned
    """,
    ),
    "a subclass that passes its arguments on": (
        "a batch of a subclass of a loader is unknown",
        """
    from torch.utils.data import DataLoader

    class Mine(DataLoader):
        def __init__(self, data, **options):
            super().__init__(data, pin_memory=True, **options)

    def step(data):
        for x in Mine(data):
            a = x.to(dev, non_blocking=True)  # pinned
    """,
    ),
    "a collate function that stacks what the dataset gives": (
        "the samples are unknown, so what is stacked from them is",
        """
    from torch.utils.data import DataLoader

    def collate(samples):
        return torch.stack(samples)

    def run(data):
        for x in DataLoader(data, collate_fn=collate):
            a = x.to(dev, non_blocking=True)  # pageable
    """,
    ),
}


def test_loader(programs: Programs, program: str) -> None:
    programs.check(program)


def test_the_type_of_a_batch_that_cannot_be_pinned_is_named(programs: Programs) -> None:
    (copy,) = programs.copies(PROGRAMS["a batch of a class without pin_memory"])
    assert (copy.verdict, copy.batch_type) == (Verdict.PAGEABLE, "Batch")
