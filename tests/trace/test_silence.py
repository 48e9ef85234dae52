"""Programs in which nothing may be called pageable or gapped, because nothing proves it: a finding here is false."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pinlint.trace.events import CopyEvent, Verdict

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

PROGRAMS = {
    "a dict pinned key by key": """
    def step():
        batch = {"a": torch.zeros(8), "b": torch.zeros(8)}
        for key, value in batch.items():
            batch[key] = value.pin_memory()
        return batch["a"].to(dev, non_blocking=True)
    """,
    "a list pinned index by index": """
    def step():
        rows = [torch.zeros(8), torch.zeros(8)]
        for i, row in enumerate(rows):
            rows[i] = row.pin_memory()
        return rows[0].to(dev, non_blocking=True)
    """,
    "an attribute pinned on demand": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def push(self):
            if not self.host.is_pinned():
                self.host = self.host.pin_memory()
            return self.host.to(dev, non_blocking=True)
    """,
    "an attribute given to unread code that returns it": """
    from library import prepare

    class Stage:
        def __init__(self):
            self.host = prepare(torch.zeros(8))

        def push(self):
            return self.host.to(dev, non_blocking=True)
    """,
    "a helper that pins where it can": """
    def maybe_pin(x):
        if torch.cuda.is_available():
            return x.pin_memory()
        return x

    def step():
        return maybe_pin(torch.zeros(8)).to(dev, non_blocking=True)
    """,
    "a helper that pins where it is told": """
    def maybe_pin(x, pin):
        return x.pin_memory() if pin else x

    def step(pin):
        return maybe_pin(torch.zeros(8), pin).to(dev, non_blocking=True)
    """,
    "pinning by the device": """
    def step(where):
        x = torch.zeros(8, pin_memory=where.type == "cuda")
        return x.to(where, non_blocking=True)
    """,
    "pinning by a setting": """
    from settings import options

    def step():
        x = torch.zeros(8, pin_memory=options["pin"] and not options.debug)
        return x.to(dev, non_blocking=True)
    """,
    "options that are not known": """
    def step(options, *sizes):
        a = torch.zeros(8, **options)
        b = torch.zeros(*sizes, **options)
        return a.to(dev, non_blocking=True), b.to(dev, non_blocking=True)
    """,
    "options pinned on one path": """
    def step(flag):
        options = {}
        if flag:
            options["pin_memory"] = True
        return torch.zeros(8, **options).to(dev, non_blocking=True)
    """,
    "a device that is not known": """
    def step(where):
        x = torch.zeros(8, device=where)
        return x.to("cuda", non_blocking=True)
    """,
    "a copy to the host of a host tensor": """
    def step():
        x = torch.zeros(8)
        return x.to("cpu", non_blocking=True), x.to(torch.device("cpu"), non_blocking=True)
    """,
    "the host device in a variable": """
    class Stage:
        def __init__(self):
            self.device = torch.device("cpu")

        def push(self):
            return torch.zeros(8).to(self.device, non_blocking=True)
    """,
    "the meta device": """
    def step():
        x = torch.zeros(8, device="meta")
        return x.to("cuda", non_blocking=True), torch.zeros(8).to("meta", non_blocking=True)
    """,
    "an empty tensor": """
    def step():
        a = torch.empty(0).to(dev, non_blocking=True)
        b = torch.tensor([]).to(dev, non_blocking=True)
        return a, b
    """,
    "only a type annotation": """
    def step(x: torch.Tensor, y: "torch.Tensor | None" = None):
        return x.to(dev, non_blocking=True), y.to(dev, non_blocking=True)
    """,
    "a tensor of the network": """
    def step(network, x):
        y = network(x)
        return y.to(dev, non_blocking=True), y.logits[0].to(dev, non_blocking=True)
    """,
    "a tensor like an unknown one": """
    def step(x):
        a = torch.zeros_like(x).to(dev, non_blocking=True)
        b = x.new_zeros(8).to(dev, non_blocking=True)
        return a, b, torch.empty_like(x).to(dev, non_blocking=True)
    """,
    "a tensor computed from an unknown one": """
    def step(x):
        a = (x + 1).to(dev, non_blocking=True)
        b = torch.cat([x, x]).to(dev, non_blocking=True)
        return a, b, x[x > 0].to(dev, non_blocking=True)
    """,
    "a tensor on the device of an unknown one": """
    def step(x):
        y = torch.arange(8, device=x.device)
        return y.to("cuda", non_blocking=True)
    """,
    "pinned by map": """
    def step():
        rows = list(map(torch.Tensor.pin_memory, [torch.zeros(8)]))
        return rows[0].to(dev, non_blocking=True)
    """,
    "pinned in a comprehension": """
    def step():
        batch = {"a": torch.zeros(8)}
        batch = {key: value.pin_memory() for key, value in batch.items()}
        return batch["a"].to(dev, non_blocking=True)
    """,
    "pinned and kept in a cache": """
    CACHE = {}

    def get(name):
        if name not in CACHE:
            CACHE[name] = torch.zeros(8).pin_memory()
        return CACHE[name]

    def step(name):
        return get(name).to(dev, non_blocking=True)
    """,
    "a copy into pinned memory": """
    def step():
        x = torch.zeros(8)
        p = torch.empty_like(x, pin_memory=True)
        p.copy_(x)
        return p.to(dev, non_blocking=True)
    """,
    "a test of is_pinned in a variable": """
    def step(flag):
        x = torch.zeros(8, pin_memory=True) if flag else torch.zeros(8)
        pinned = x.is_pinned()
        return x.to(dev, non_blocking=pinned)
    """,
    "a test of is_pinned that is compared": """
    def step():
        x = torch.zeros(8)
        if x.is_pinned() is False:
            x = x.pin_memory()
        return x.to(dev, non_blocking=True)
    """,
    "a flag that says both": """
    def step(where):
        x = torch.zeros(8)
        pin = where.type != "cpu"
        if pin:
            x = x.pin_memory()
        return x.to(where, non_blocking=pin)
    """,
    "a loop that pins until it is pinned": """
    def step():
        x = torch.zeros(8)
        for _ in range(2):
            x = x.pin_memory()
        return x.to(dev, non_blocking=True)
    """,
    "page-locked in place": """
    def step():
        x = torch.zeros(8)
        torch.cuda.cudart().cudaHostRegister(x.data_ptr(), x.numel() * 4, 0)
        return x.to(dev, non_blocking=True)
    """,
    "an exit on machines without an accelerator": """
    def step():
        x = torch.zeros(8)
        if torch.cuda.is_available():
            x = x.pin_memory()
        else:
            return x
        return x.to("cuda", non_blocking=True)
    """,
    "where there is no accelerator": """
    def step():
        x = torch.zeros(8)
        if not torch.cuda.is_available():
            return x.to(dev, non_blocking=True)
        return x
    """,
    "a method of that name in the project": """
    class Table:
        def to(self, where, non_blocking=False):
            return self

        def copy_(self, other, non_blocking=False):
            return self

    def step():
        return Table().copy_(torch.zeros(8), non_blocking=True).to("cuda", non_blocking=True)
    """,
    "a function of torch's name in the project": """
    class torch_like:
        @staticmethod
        def zeros(n):
            return object()

    def step():
        return torch_like.zeros(8).to("cuda", non_blocking=True)
    """,
    "a name that hides torch": """
    def step(torch):
        return torch.zeros(8).to("cuda", non_blocking=True)
    """,
    "a subclass that pins what the base class declares": """
    class Base:
        def push(self):
            return self.make().to(dev, non_blocking=True)

        def make(self):
            raise NotImplementedError

    class Pinned(Base):
        def make(self):
            return torch.zeros(8, pin_memory=True)
    """,
    "a property that pins": """
    class Stage:
        def __init__(self):
            self._host = torch.zeros(8)

        @property
        def host(self):
            return self._host.pin_memory()

        def push(self):
            return self.host.to(dev, non_blocking=True)
    """,
    "__getattr__": """
    class Stage:
        def __getattr__(self, name):
            return torch.zeros(8).pin_memory()

        def push(self):
            return self.host.to(dev, non_blocking=True)
    """,
    "a decorator of the project that pins the arguments": """
    def pinning(function):
        def wrapper(*tensors):
            return function(*[x.pin_memory() for x in tensors])
        return wrapper

    @pinning
    def push(x):
        return x.to(dev, non_blocking=True)

    def step():
        return push(torch.zeros(8))
    """,
    "a default that is taken from the settings": """
    from settings import PIN

    def make(pin=PIN):
        return torch.zeros(8, pin_memory=pin)

    def step():
        return make().to(dev, non_blocking=True)
    """,
    "an unpickled batch": """
    import pickle

    def step(data):
        return pickle.loads(data).to(dev, non_blocking=True)
    """,
    "a function that exits": """
    import sys

    def step():
        x = torch.zeros(8)
        if not torch.cuda.is_available():
            sys.exit(1)
        x = x.pin_memory()
        return x.to("cuda", non_blocking=True)
    """,
    "a queue": """
    import queue

    def step(waiting: queue.Queue):
        return waiting.get().to(dev, non_blocking=True)
    """,
    "tree_map that pins": """
    from torch.utils._pytree import tree_map

    def step():
        batch = {"a": torch.zeros(8), "b": [torch.zeros(8)]}
        batch = tree_map(lambda x: x.pin_memory() if isinstance(x, torch.Tensor) else x, batch)
        return batch["b"][0].to(dev, non_blocking=True)
    """,
    "moved in place of itself": """
    class Batch:
        def __init__(self, x: torch.Tensor):
            self.x = x

        def to(self, where):
            self.x = self.x.to(where, non_blocking=True)
            return self
    """,
    "a one-row matrix": """
    def step(n):
        p = torch.zeros(1, n, pin_memory=True)
        return p[:, :4].to(dev, non_blocking=True), p[0, :4].to(dev, non_blocking=True)
    """,
    "two tensors pinned or not": """
    def step(pin):
        x, y = torch.zeros(8), torch.zeros(8)
        a, b = (x.pin_memory(), y.pin_memory()) if pin else (x, y)
        return a.to(dev, non_blocking=True), b.to(dev, non_blocking=True)
    """,
    "a list pinned or not": """
    def step(pin):
        rows = [torch.zeros(8), torch.ones(8)]
        rows = [row.pin_memory() for row in rows] if pin else rows
        return [row.to(dev, non_blocking=True) for row in rows]
    """,
    "a dict pinned or not": """
    def step(pin):
        batch = {"a": torch.zeros(8), "b": torch.ones(8)}
        if pin:
            batch = {key: value.pin_memory() for key, value in batch.items()}
        return {key: value.to(dev, non_blocking=True) for key, value in batch.items()}
    """,
    "one key pinned or not": """
    def step(pin):
        batch = {"a": torch.zeros(8)}
        if pin:
            batch["a"] = batch["a"].pin_memory()
        return batch["a"].to(dev, non_blocking=True)
    """,
    "a pin that may fail": """
    from contextlib import suppress

    def step():
        x = torch.zeros(8)
        with suppress(RuntimeError):
            x = x.pin_memory()
        return x.to(dev, non_blocking=True)
    """,
    "a helper whose pin may fail": """
    def pin(x):
        try:
            return x.pin_memory()
        except RuntimeError:
            return x

    def step():
        return pin(torch.zeros(8)).to(dev, non_blocking=True)
    """,
    "a numpy view that is filled": """
    def step(values):
        p = torch.empty(8, pin_memory=True)
        p.numpy()[:] = values
        np.copyto(p.numpy(), values)
        return p.to(dev, non_blocking=True)
    """,
    "a range that is filled": """
    def step(values, n):
        p = torch.empty(8, pin_memory=True)
        p[:n] = torch.tensor(values)
        p[n:].fill_(0)
        return p.to(dev, non_blocking=True), p[:n].to(dev, non_blocking=True)
    """,
    "a buffer and its mirrors": """
    class CpuGpuBuffer:
        def __init__(self, *size, device, pin_memory):
            self.cpu = torch.zeros(*size, device="cpu", pin_memory=pin_memory)
            self.gpu = torch.zeros_like(self.cpu, device=device)
            self.np = self.cpu.numpy()

        def copy_to_gpu(self, n=None):
            if n is None:
                return self.gpu.copy_(self.cpu, non_blocking=True)
            return self.gpu[:n].copy_(self.cpu[:n], non_blocking=True)

    class Runner:
        def __init__(self, where, pin):
            self.ids = CpuGpuBuffer(8, device=where, pin_memory=pin)

        def step(self, n):
            self.ids.np[:n] = 1
            return self.ids.copy_to_gpu(n), torch.from_numpy(self.ids.np[:n]).to(dev, non_blocking=True)
    """,
    "a device chosen at run time": """
    def step(cuda):
        x = torch.arange(8, device="cuda" if cuda else "cpu")
        return x.to("cuda", non_blocking=True)
    """,
    "a device by default argument": """
    def step(device=None):
        if device is None:
            device = torch.cuda.current_device()
        x = torch.zeros(8, device=device)
        return x.to("cuda:1", non_blocking=True)
    """,
    "a tensor that was moved before": """
    def step(x):
        x = x.to(dev)
        y = (x * 2).sum()
        return y.to("cuda", non_blocking=True), torch.zeros_like(y).to("cuda", non_blocking=True)
    """,
    "a tensor moved under a condition": """
    def step(flag):
        x = torch.zeros(8)
        if flag:
            x = x.cuda()
            return x.to("cuda:1", non_blocking=True)
        return x
    """,
    "moved unless it is there": """
    def step(x):
        if x.device != torch.device("cuda"):
            x = x.to("cuda")
        return x.to("cuda", non_blocking=True)
    """,
    "an attribute by getattr with a default": """
    class Stage:
        def push(self):
            host = getattr(self, "host", None)
            if host is None:
                host = self.host = torch.zeros(8, pin_memory=True)
            return host.to(dev, non_blocking=True)
    """,
    "an attribute made on first use": """
    class Stage:
        host = None

        def push(self, n):
            if self.host is None or self.host.numel() < n:
                self.host = torch.zeros(n, pin_memory=True)
            return self.host[:n].to(dev, non_blocking=True)
    """,
    "a destination pinned under a condition": """
    from settings import pin_available

    class Stage:
        def __init__(self, n):
            self.out = torch.empty(n, pin_memory=pin_available())

        def fetch(self, n):
            g = torch.zeros(n, device="cuda")
            self.out[:n].copy_(g, non_blocking=True)
            return self.out
    """,
    "buffers of layers": """
    class Offload:
        def __init__(self, layers):
            self.hosts = [torch.empty(8, pin_memory=True) for _ in range(layers)]
            self.there = [torch.empty(8, device="cuda") for _ in range(layers)]

        def swap(self, i):
            for host, there in zip(self.hosts, self.there):
                host.copy_(there, non_blocking=True)
                there.copy_(host, non_blocking=True)
            return self.hosts[i].to("cuda", non_blocking=True)
    """,
    "a parameter with several callers, all pinned": """
    def push(x, n):
        return x[:n].to(dev, non_blocking=True)

    def first(n):
        return push(torch.zeros(8, pin_memory=True), n)

    def second(n):
        return push(torch.zeros(8).pin_memory(), n)
    """,
    "a flag set by a method": """
    class Stage:
        def __init__(self):
            self.pin = False

        def enable(self):
            self.pin = True

        def push(self):
            return torch.zeros(8, pin_memory=self.pin).to(dev, non_blocking=True)
    """,
    "a flag in a module that a function sets": """
    PIN = False

    def enable():
        global PIN
        PIN = True

    def push():
        return torch.zeros(8, pin_memory=PIN).to(dev, non_blocking=True)
    """,
    "a flag that says whether the copy waits, set by a method": """
    class Stage:
        def __init__(self, pin):
            self.pin = pin

        def push(self):
            x = torch.zeros(8)
            if self.pin:
                x = x.pin_memory()
            return x.to(dev, non_blocking=self.pin)
    """,
    "a star argument that is pinned": """
    def push(*rows):
        rows = [row.pin_memory() for row in rows]
        return [row.to(dev, non_blocking=True) for row in rows]

    def step():
        return push(torch.zeros(8))
    """,
    "a generator that pins": """
    def pinned(rows):
        for row in rows:
            yield row.pin_memory()

    def step():
        return [row.to(dev, non_blocking=True) for row in pinned([torch.zeros(8)])]
    """,
    "a thread that pins": """
    from queue import Queue

    def step():
        waiting = Queue()
        waiting.put(torch.zeros(8).pin_memory())
        return waiting.get().to(dev, non_blocking=True)
    """,
    "a match that pins": """
    def step(kind):
        x = torch.zeros(8)
        match kind:
            case "pin":
                x = x.pin_memory()
            case _:
                pass
        return x.to(dev, non_blocking=True)
    """,
    "a walrus that pins": """
    def step():
        if (x := torch.zeros(8).pin_memory()) is not None:
            return x.to(dev, non_blocking=True)
    """,
    "a stack into pinned memory": """
    def step(rows):
        p = torch.empty((4, 8), pin_memory=True)
        return torch.stack([torch.zeros(8)] * 4, out=p).to(dev, non_blocking=True)
    """,
    "a narrow along the first dimension": """
    def step(n):
        p = torch.zeros(64, 32, pin_memory=True)
        return p.narrow(0, 0, n).to(dev, non_blocking=True), p[:n].t().to(dev, non_blocking=True)
    """,
    "a dict pinned by a function": """
    def pin_all(batch):
        for key in batch:
            batch[key] = batch[key].pin_memory()

    def step():
        batch = {"a": torch.zeros(8)}
        pin_all(batch)
        return batch["a"].to(dev, non_blocking=True)
    """,
    "a list pinned by a function": """
    def pin_all(rows):
        for i in range(len(rows)):
            rows[i] = rows[i].pin_memory()

    def step():
        rows = [torch.zeros(8), torch.zeros(8)]
        pin_all(rows)
        return rows[0].to(dev, non_blocking=True)
    """,
    "an object pinned by a function": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

    def pin(stage):
        stage.host = stage.host.pin_memory()

    def step():
        stage = Stage()
        pin(stage)
        return stage.host.to(dev, non_blocking=True)
    """,
    "an object pinned by its method": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def pin(self):
            self.host = self.host.pin_memory()

    def step():
        stage = Stage()
        stage.pin()
        return stage.host.to(dev, non_blocking=True)
    """,
    "an attribute pinned in another method": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def pin(self):
            self.host = self.host.pin_memory()

        def push(self):
            return self.host.to(dev, non_blocking=True)
    """,
    "an attribute pinned by a method that is called first": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def pin(self):
            self.host = self.host.pin_memory()

        def push(self):
            self.pin()
            return self.host.to(dev, non_blocking=True)
    """,
    "a batch that pins itself": """
    class Batch:
        def __init__(self):
            self.x = torch.zeros(8)
            self.y = torch.zeros(8)

        def pin_memory(self):
            self.x = self.x.pin_memory()
            self.y = self.y.pin_memory()
            return self

        def to(self, where):
            self.x = self.x.to(where, non_blocking=True)
            self.y = self.y.to(where, non_blocking=True)
            return self

    def step():
        return Batch().pin_memory().to("cuda")
    """,
    "an attribute replaced by a function that is given": """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def apply(self, function):
            self.host = function(self.host)

        def push(self):
            return self.host.to(dev, non_blocking=True)
    """,
    "a global pinned by a function": """
    TABLE = torch.zeros(8)

    def prepare():
        global TABLE
        TABLE = TABLE.pin_memory()

    def step():
        return TABLE.to(dev, non_blocking=True)
    """,
    "pinned data of a parameter": """
    def step(weights):
        weight = torch.nn.Parameter(torch.zeros(8))
        weight.data = weight.data.pin_memory()
        return weight.to(dev, non_blocking=True)
    """,
    "a keyword that is overridden": """
    def make(**options):
        options["pin_memory"] = True
        return torch.zeros(8, **options)

    def step():
        return make(pin_memory=False).to(dev, non_blocking=True)
    """,
    "an option that is set after a test": """
    def make(**options):
        if "pin_memory" not in options:
            options["pin_memory"] = torch.cuda.is_available()
        return torch.zeros(8, **options)

    def step():
        return make().to(dev, non_blocking=True)
    """,
    "a setdefault that pins": """
    def make(**options):
        options.setdefault("pin_memory", True)
        return torch.zeros(8, **options)

    def step():
        return make().to(dev, non_blocking=True)
    """,
    "a pinned allocation that is tried several times": """
    def step():
        for _ in range(3):
            try:
                x = torch.empty(8, pin_memory=True)
                break
            except RuntimeError:
                x = torch.empty(8)
        return x.to(dev, non_blocking=True)
    """,
}

KNOWN_GAPS = {
    "a list pinned by a slice": (
        "a slice that is assigned to changes no element of a list",
        """
    def step():
        rows = [torch.zeros(8), torch.zeros(8)]
        rows[:] = [row.pin_memory() for row in rows]
        return rows[0].to(dev, non_blocking=True)
    """,
    ),
    "an object pinned from outside": (
        "an assignment through another object does not count for the attribute",
        """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)

        def push(self):
            return self.host.to(dev, non_blocking=True)

    def prepare(stage: Stage):
        stage.host = stage.host.pin_memory()
    """,
    ),
    "attributes pinned by name": (
        "`setattr` changes nothing, though it may set any attribute",
        """
    class Stage:
        def __init__(self):
            self.host = torch.zeros(8)
            for name in ("host",):
                setattr(self, name, getattr(self, name).pin_memory())

        def push(self):
            return self.host.to(dev, non_blocking=True)
    """,
    ),
    "fields pinned by name": (
        "`setattr` changes nothing, though it may set any attribute",
        """
    from dataclasses import dataclass, fields

    @dataclass
    class Batch:
        host: torch.Tensor

        def pin_memory(self):
            for field in fields(self):
                setattr(self, field.name, getattr(self, field.name).pin_memory())
            return self

    def step():
        batch = Batch(torch.zeros(8)).pin_memory()
        return batch.host.to(dev, non_blocking=True)
    """,
    ),
    "attributes pinned through __dict__": (
        "`__dict__` is not known to hold the attributes",
        """
    class Batch:
        def __init__(self):
            self.host = torch.zeros(8)

        def pin_memory(self):
            for name, value in self.__dict__.items():
                self.__dict__[name] = value.pin_memory()
            return self

    def step():
        return Batch().pin_memory().host.to(dev, non_blocking=True)
    """,
    ),
    "attributes pinned through vars": (
        "`vars` is not known to hold the attributes",
        """
    class Batch:
        def __init__(self):
            self.host = torch.zeros(8)

    def step():
        batch = Batch()
        vars(batch).update({k: v.pin_memory() for k, v in vars(batch).items()})
        return batch.host.to(dev, non_blocking=True)
    """,
    ),
    "a nonlocal name pinned by a nested function": (
        "a nested function that is called does not rebind `nonlocal` names",
        """
    def step():
        x = torch.zeros(8)
        def pin():
            nonlocal x
            x = x.pin_memory()
        pin()
        return x.to(dev, non_blocking=True)
    """,
    ),
    "a setter that pins": (
        "a property's setter is not called",
        """
    class Stage:
        @property
        def host(self):
            return self._host

        @host.setter
        def host(self, value):
            self._host = value.pin_memory()

        def push(self):
            self.host = torch.zeros(8)
            return self.host.to(dev, non_blocking=True)
    """,
    ),
    "__setattr__ that pins": (
        "`__setattr__` is not called",
        """
    class Stage:
        def __setattr__(self, name, value):
            super().__setattr__(name, value.pin_memory())

        def push(self):
            self.host = torch.zeros(8)
            return self.host.to(dev, non_blocking=True)
    """,
    ),
    "an overridden flag": (
        "a class attribute that a subclass overrides is not joined",
        """
    class Base:
        pin = False

        def push(self):
            return torch.zeros(8, pin_memory=self.pin).to(dev, non_blocking=True)

    class Pinned(Base):
        pin = True
    """,
    ),
    "a class attribute that a caller sets": (
        "an assignment to a class attribute from outside is not joined",
        """
    class Stage:
        pin = False

        def push(self):
            return torch.zeros(8, pin_memory=self.pin).to(dev, non_blocking=True)

    def main():
        Stage.pin = True
        return Stage().push()
    """,
    ),
}


def test_nothing_is_reported(programs: Programs, program: str) -> None:
    found = [event for event in programs.trace(program).events if isinstance(event, CopyEvent)]
    assert [event for event in found if event.verdict in (Verdict.PAGEABLE, Verdict.GAPPED)] == []
