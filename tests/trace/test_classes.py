"""Objects: attributes, methods, constructors and the classes that stand behind them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

PROGRAMS = {
    "an attribute set in the constructor": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)
            self.pinned = torch.zeros(8, pin_memory=True)

        def push(self):
            a = self.host.to(dev, non_blocking=True)  # pageable
            return a, self.pinned.to(dev, non_blocking=True)  # pinned
    """,
    "a constructor argument kept per instance": """
    class HostTable:
        def __init__(self, size, pin=False):
            self.rows = torch.zeros(size, pin_memory=pin)

    def step():
        a = HostTable(8).rows.to(dev, non_blocking=True)  # pageable
        return a, HostTable(8, pin=True).rows.to(dev, non_blocking=True)  # pinned
    """,
    "instances told apart by their arguments in one function": """
    class HostTable:
        def __init__(self, size, pin=False):
            self.rows = torch.zeros(size, pin_memory=pin)

        def push(self):
            return self.rows.to(dev, non_blocking=True)  # pageable

    def step():
        plain, pinned = HostTable(8), HostTable(8, pin=True)
        pinned.push()
        return plain.push()
    """,
    "instances kept in attributes": """
    class HostTable:
        def __init__(self, size, pin=False):
            self.rows = torch.zeros(size, pin_memory=pin)

    class Runner:
        def __init__(self):
            self.plain = HostTable(8)
            self.pinned = HostTable(8, pin=True)

        def step(self):
            a = self.plain.rows.to(dev, non_blocking=True)  # pageable
            return a, self.pinned.rows.to(dev, non_blocking=True)  # pinned
    """,
    "a flag kept in an attribute": """
    class Stage:
        def __init__(self, pin):
            self.pin = pin

        def push(self):
            return torch.zeros(8, pin_memory=self.pin).to(dev, non_blocking=True)  # conditional
    """,
    "a constant flag in an attribute": """
    class Stage:
        def __init__(self):
            self.pin = True

        def push(self):
            return torch.zeros(8, pin_memory=self.pin).to(dev, non_blocking=True)  # pinned
    """,
    "a class attribute": """
    class Stage:
        host = torch.zeros(8)

        def push(self):
            return Stage.host.to(dev, non_blocking=True)  # pageable
    """,
    "an attribute that starts as None": """
    class Stage:
        def __init__(self):
            self.host = None

        def prepare(self):
            self.host = torch.zeros(8)

        def push(self):
            if self.host is None:
                self.prepare()
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    "a buffer replaced later": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8, pin_memory=True)

        def grow(self, n):
            self.host = torch.zeros(n)

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    "an attribute replaced in this method": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def push(self):
            self.host = torch.zeros(8, pin_memory=True)
            return self.host.to(dev, non_blocking=True)  # pinned
    """,
    "an attribute pinned on every path": """
    class Stage:
        def __init__(self, n):
            self.host = torch.zeros(n, pin_memory=True)

        def grow(self, n):
            self.host = torch.zeros(n).pin_memory()

        def push(self):
            return self.host[:4].to(dev, non_blocking=True)  # pinned
    """,
    "a base class sets the attribute": """
    class Base:
        def __init__(self):
            self.host = torch.zeros(8)

    class Stage(Base):
        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    "super of a method": """
    class Base:
        def make(self):
            return torch.zeros(8)

    class Stage(Base):
        def make(self):
            return super().make().pin_memory()

        def push(self):
            return self.make().to(dev, non_blocking=True)  # pinned
    """,
    "a subclass overrides what the base class calls": """
    class Base:
        def make(self):
            return torch.zeros(8, pin_memory=True)

        def push(self):
            return self.make().to(dev, non_blocking=True)  # pageable

    class Plain(Base):
        def make(self):
            return torch.zeros(8)
    """,
    "an abstract method": """
    class Base:
        def make(self):
            raise NotImplementedError

        def push(self):
            return self.make().to(dev, non_blocking=True)  # pageable

    class Plain(Base):
        def make(self):
            return torch.zeros(8)
    """,
    "methods that return": """
    class Stage:
        def make(self, n):
            return torch.zeros(n)

        def push(self):
            return self.make(8).to(dev, non_blocking=True)  # pageable
    """,
    "a property": """
    class Stage:
        def __init__(self):
            self._host = torch.zeros(8)

        @property
        def host(self):
            return self._host

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    "a cached property": """
    from functools import cached_property

    class Stage:
        @cached_property
        def host(self):
            return torch.zeros(8)

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    "a static method": """
    class Stage:
        @staticmethod
        def make():
            return torch.zeros(8)

        def push(self):
            a = self.make().to(dev, non_blocking=True)  # pageable
            return a, Stage.make().to(dev, non_blocking=True)  # pageable
    """,
    "a class method that builds": """
    class Stage:
        def __init__(self, pin):
            self.host = torch.zeros(8, pin_memory=pin)

        @classmethod
        def pinned(cls):
            return cls(True)

        @classmethod
        def plain(cls):
            return cls(False)

    def step():
        a = Stage.pinned().host.to(dev, non_blocking=True)  # pinned
        return a, Stage.plain().host.to(dev, non_blocking=True)  # pageable
    """,
    "__call__": """
    class Make:
        def __call__(self, n):
            return torch.zeros(n)

    def step():
        return Make()(8).to(dev, non_blocking=True)  # pageable
    """,
    "forward of a torch module": """
    class Layer(torch.nn.Module):
        def forward(self, n):
            return torch.from_numpy(np.zeros(n))

    class Model(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.layer = Layer()

        def forward(self, n):
            return self.layer(n).to("cuda", non_blocking=True)  # pageable
    """,
    "__getitem__": """
    class Rows:
        def __getitem__(self, index):
            return torch.zeros(8)

    def step():
        return Rows()[0].to(dev, non_blocking=True)  # pageable
    """,
    "__iter__": """
    class Rows:
        def __iter__(self):
            yield torch.zeros(8)

    def step():
        for x in Rows():
            yield x.to(dev, non_blocking=True)  # pageable
    """,
    "__enter__": """
    class Buffer:
        def __enter__(self):
            return torch.zeros(8)

        def __exit__(self, *error):
            pass

    def step():
        with Buffer() as x:
            return x.to(dev, non_blocking=True)  # pageable
    """,
    "__enter__ that returns the object": """
    class Buffer:
        def __init__(self):
            self.host = torch.zeros(8)

        def __enter__(self):
            return self

        def __exit__(self, *error):
            pass

    def step():
        with Buffer() as buffer:
            return buffer.host.to(dev, non_blocking=True)  # pageable
    """,
    "a dataclass": """
    from dataclasses import dataclass

    @dataclass
    class Batch:
        host: torch.Tensor
        size: int = 0

    def step():
        batch = Batch(torch.zeros(8), size=3)
        return batch.host.to(dev, non_blocking=True)  # pageable
    """,
    "a dataclass by keyword": """
    from dataclasses import dataclass

    @dataclass(frozen=True)
    class Batch:
        a: torch.Tensor
        b: torch.Tensor

    def step():
        batch = Batch(b=torch.zeros(8), a=torch.zeros(8, pin_memory=True))
        x = batch.a.to(dev, non_blocking=True)  # pinned
        return x, batch.b.to(dev, non_blocking=True)  # pageable
    """,
    "a dataclass with a factory": """
    from dataclasses import dataclass, field

    @dataclass
    class Batch:
        host: torch.Tensor = field(default_factory=lambda: torch.zeros(8))

    def step():
        return Batch().host.to(dev, non_blocking=True)  # pageable
    """,
    "__post_init__": """
    from dataclasses import dataclass

    @dataclass
    class Batch:
        size: int

        def __post_init__(self):
            self.host = torch.zeros(self.size)

    def step():
        return Batch(8).host.to(dev, non_blocking=True)  # pageable
    """,
    "dataclasses.replace": """
    import dataclasses

    @dataclasses.dataclass
    class Batch:
        host: torch.Tensor

    def step():
        batch = Batch(torch.zeros(8, pin_memory=True))
        other = dataclasses.replace(batch, host=torch.zeros(8))
        return other.host.to(dev, non_blocking=True)  # pageable
    """,
    "a NamedTuple": """
    from typing import NamedTuple

    class Batch(NamedTuple):
        a: torch.Tensor
        b: torch.Tensor

    def step():
        batch = Batch(torch.zeros(8), torch.zeros(8, pin_memory=True))
        x = batch.a.to(dev, non_blocking=True)  # pageable
        return x, batch.b.to(dev, non_blocking=True)  # pinned
    """,
    "a NamedTuple unpacked": """
    from typing import NamedTuple

    class Batch(NamedTuple):
        a: torch.Tensor
        b: torch.Tensor

    def step():
        a, b = Batch(torch.zeros(8), torch.zeros(8, pin_memory=True))
        x = a.to(dev, non_blocking=True)  # pageable
        return x, b.to(dev, non_blocking=True)  # pinned
    """,
    "an annotation of a parameter gives the class": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

    def step(stage: Stage):
        return stage.host.to(dev, non_blocking=True)  # pageable
    """,
    "an annotation as text": """
    def step(stage: "Stage"):
        return stage.host.to(dev, non_blocking=True)  # pageable

    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)
    """,
    "an optional annotation": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

    def step(stage: Stage | None):
        if stage is not None:
            return stage.host.to(dev, non_blocking=True)  # pageable
    """,
    "an annotation of an attribute": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

    class Runner:
        stage: Stage

        def step(self):
            return self.stage.host.to(dev, non_blocking=True)  # pageable
    """,
    "a list of objects by annotation": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

    def step(stages: list[Stage]):
        return [stage.host.to(dev, non_blocking=True) for stage in stages]  # pageable
    """,
    "an attribute of an attribute": """
    class Inner:
        def __init__(self):
            self.host = torch.zeros(8)

    class Outer:
        def __init__(self):
            self.inner = Inner()

        def push(self):
            return self.inner.host.to(dev, non_blocking=True)  # pageable
    """,
    "a list of buffers filled in the constructor": """
    class Stage:
        def __init__(self, n):
            self.buffers = []
            for _ in range(n):
                self.buffers.append(torch.zeros(8))

        def push(self, i):
            return self.buffers[i].to(dev, non_blocking=True)  # pageable
    """,
    "a dict of buffers filled in the constructor": """
    class Stage:
        def __init__(self, names):
            self.buffers = {}
            for name in names:
                self.buffers[name] = torch.zeros(8, pin_memory=True)

        def push(self, name):
            return self.buffers[name].to(dev, non_blocking=True)  # pinned
    """,
    "a dict filled in another method": """
    class Stage:
        def __init__(self):
            self.buffers = {}

        def add(self, name):
            self.buffers[name] = torch.zeros(8)

        def push(self, name):
            return self.buffers[name].to(dev, non_blocking=True)  # pageable
    """,
    "a numpy view kept in an attribute": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8, pin_memory=True)
            self.array = self.host.numpy()

        def push(self):
            return torch.from_numpy(self.array).to(dev, non_blocking=True)  # pinned
    """,
    "a numpy buffer kept in an attribute": """
    class Stage:
        def __init__(self):
            self.array = np.zeros(8)

        def push(self, n):
            return torch.from_numpy(self.array[:n]).to(dev, non_blocking=True)  # pageable
    """,
    "getattr by a constant name": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def push(self):
            return getattr(self, "host").to(dev, non_blocking=True)  # pageable
    """,
    "an attribute hung on a parameter": """
    def prepare(batch):
        batch.host = torch.zeros(8)
        return batch.host.to(dev, non_blocking=True)  # pageable
    """,
    "a helper method that copies": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def _push(self, x):
            return x.to(dev, non_blocking=True)  # pageable

        def push(self):
            return self._push(self.host)
    """,
    "an enum of devices": """
    from enum import Enum

    class Where(Enum):
        GPU = "cuda"

    def step():
        return torch.zeros(8).to(Where.GPU.value, non_blocking=True)  # pageable
    """,
    "a class from outside": """
    from library import Base

    class Stage(Base):
        def push(self):
            return self.host.to(dev, non_blocking=True)  # unknown
    """,
    "a generic class": """
    from typing import Generic, TypeVar

    T = TypeVar("T")

    class Stage(Generic[T]):
        def __init__(self):
            self.host = torch.zeros(8)

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    "a singleton in a module": """
    class Stage:
        def __init__(self, pin):
            self.host = torch.zeros(8, pin_memory=pin)

    STAGE = Stage(pin=True)

    def push():
        return STAGE.host.to(dev, non_blocking=True)  # pinned
    """,
    "a method passed as a function": """
    class Stage:
        def make(self):
            return torch.zeros(8)

        def push(self):
            make = self.make
            return make().to(dev, non_blocking=True)  # pageable
    """,
    "a class inside a function": """
    def step():
        class Stage:
            def __init__(self):
                self.host = torch.zeros(8)

        return Stage().host.to(dev, non_blocking=True)  # pageable
    """,
    "a tensor subclass is no instance of the project's classes": """
    class Mine(torch.Tensor):
        pass

    def step(x: Mine):
        return x.to(dev, non_blocking=True)  # unknown
    """,
    "slots and annotations without values": """
    class Stage:
        __slots__ = ("host",)
        host: torch.Tensor

        def __init__(self):
            self.host = torch.zeros(8)

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    "a chain that returns self": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def pin(self):
            self.host = self.host.pin_memory()
            return self

    def step():
        return Stage().pin().host.to(dev, non_blocking=True)  # pinned
    """,
    "register_buffer": """
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("table", torch.zeros(8, device="cpu"))

        def forward(self):
            return self.table.to("cuda", non_blocking=True)  # unknown
    """,
    "a parameter of a torch module": """
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(torch.zeros(8, device="cpu"))

        def forward(self):
            return self.weight.to("cuda", non_blocking=True)  # unknown
    """,
}

KNOWN_GAPS = {
    "a class attribute through an instance": (
        "a tensor assigned in the class body is unknown through `self`",
        """
    class Stage:
        host = torch.zeros(8)

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    ),
    "super": (
        "what `super().__init__(pin=True)` passes is not seen when the attribute is read",
        """
    class Base:
        def __init__(self, pin):
            self.host = torch.zeros(8, pin_memory=pin)

    class Stage(Base):
        def __init__(self):
            super().__init__(pin=True)

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pinned
    """,
    ),
    "a mixin": (
        "the attributes that subclasses set are not seen in a base class",
        """
    class Pusher:
        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable

    class Stage(Pusher):
        def __init__(self):
            self.host = torch.zeros(8)
    """,
    ),
    "__iter__ and __next__": (
        "an iterator that is an object of its own class is unknown",
        """
    class Rows:
        def __iter__(self):
            return self

        def __next__(self):
            return torch.zeros(8)

    def step():
        for x in Rows():
            yield x.to(dev, non_blocking=True)  # pageable
    """,
    ),
    "a namedtuple made by a call": (
        "`namedtuple(...)` makes no known class",
        """
    from collections import namedtuple

    Batch = namedtuple("Batch", ["a", "b"])

    def step():
        batch = Batch(torch.zeros(8), torch.zeros(8, pin_memory=True))
        x = batch.a.to(dev, non_blocking=True)  # pageable
        return x, batch.b.to(dev, non_blocking=True)  # pinned
    """,
    ),
    "an annotation of a result": (
        "the annotated class of an unknown result is not used",
        """
    from library import lookup

    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

    def find(name) -> Stage:
        return lookup(name)

    def step():
        return find("x").host.to(dev, non_blocking=True)  # pageable
    """,
    ),
    "setattr by a constant name": (
        "`setattr` with a constant name sets nothing",
        """
    class Stage:
        def __init__(self):
            setattr(self, "host", torch.zeros(8))

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    ),
    "an attribute that another object sets": (
        "an assignment through another object does not count for the attribute",
        """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8, pin_memory=True)

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable

    class Owner:
        def __init__(self, stage: Stage):
            self.stage = stage

        def replace(self):
            self.stage.host = torch.zeros(8)
    """,
    ),
    "__new__": (
        "`__new__` is not followed",
        """
    class Stage:
        def __new__(cls):
            made = super().__new__(cls)
            made.host = torch.zeros(8)
            return made

        def push(self):
            return self.host.to(dev, non_blocking=True)  # pageable
    """,
    ),
}


def test_class(programs: Programs, program: str) -> None:
    programs.check(program)
