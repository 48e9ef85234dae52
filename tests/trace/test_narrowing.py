"""What a condition says of the values it tests, on both of its paths."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

PROGRAMS = {
    # --- is_pinned ---
    "is_pinned guards the fast path": """
    def step(flag):
        x = torch.zeros(8) if flag else torch.ones(8, pin_memory=True)
        if x.is_pinned():
            return x.to(dev, non_blocking=True)  # pinned
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "is_pinned of what is pageable is false": """
    def step():
        x = torch.zeros(8)
        if x.is_pinned():
            return x.to(dev, non_blocking=True)
        return x.to(dev)
    """,
    "not is_pinned pins": """
    def step(flag):
        x = torch.zeros(8) if flag else torch.ones(8, pin_memory=True)
        if not x.is_pinned():
            x = x.pin_memory()
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "assert is_pinned": """
    def step(flag):
        x = torch.zeros(8) if flag else torch.ones(8, pin_memory=True)
        assert x.is_pinned()
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "is_pinned as the flag": """
    def step(flag):
        x = torch.zeros(8) if flag else torch.ones(8, pin_memory=True)
        return x.to(dev, non_blocking=x.is_pinned())  # unknown
    """,
    "is_pinned and something else": """
    def step(flag, other):
        x = torch.zeros(8) if flag else torch.ones(8, pin_memory=True)
        if other and x.is_pinned():
            return x.to(dev, non_blocking=True)  # pinned
        return x.to(dev)
    """,
    "is_pinned in a conditional expression": """
    def step(flag):
        x = torch.zeros(8) if flag else torch.ones(8, pin_memory=True)
        x = x if x.is_pinned() else x.pin_memory()
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "is_pinned of an unknown tensor": """
    def step(x):
        if x.is_pinned():
            return x.to(dev, non_blocking=True)  # unknown
        return x.to(dev)
    """,
    # --- availability ---
    "pinned where there is an accelerator": """
    def step():
        x = torch.zeros(8)
        if torch.cuda.is_available():
            x = x.pin_memory()
        return x.to(dev, non_blocking=True)  # conditional
    """,
    "pin_memory says whether there is an accelerator": """
    def step():
        x = torch.zeros(8, pin_memory=torch.cuda.is_available())
        return x.to(dev, non_blocking=True)  # conditional
    """,
    "different allocations by availability": """
    def step():
        if torch.cuda.is_available():
            x = torch.zeros(8, pin_memory=True)
        else:
            x = torch.zeros(8)
        return x.to(dev, non_blocking=True)  # conditional
    """,
    "pageable where there is an accelerator": """
    def step():
        x = torch.zeros(8)
        if torch.cuda.is_available():
            return x.to("cuda", non_blocking=True)  # pageable
        return x
    """,
    "an early return without an accelerator": """
    def step():
        if not torch.cuda.is_available():
            return None
        x = torch.zeros(8)
        return x.to("cuda", non_blocking=True)  # pageable
    """,
    "availability through a variable": """
    def step():
        pin = torch.cuda.is_available()
        x = torch.zeros(8, pin_memory=pin)
        return x.to(dev, non_blocking=True)  # conditional
    """,
    "availability as a module constant": """
    PIN = torch.cuda.is_available()

    def step():
        x = torch.zeros(8, pin_memory=PIN)
        return x.to(dev, non_blocking=True)  # conditional
    """,
    "a device chosen by availability": """
    def step():
        where = torch.device("cuda" if torch.cuda.is_available() else "cpu")
        x = torch.zeros(8)
        return x.to(where, non_blocking=True)  # pageable
    """,
    # --- devices ---
    "a tensor tested to be on the accelerator": """
    def step(x):
        if x.is_cuda:
            return x.to("cuda:1", non_blocking=True)  # device
        return x
    """,
    "a tensor tested by device.type": """
    def step(x):
        if x.device.type == "cuda":
            return x.to("cuda:1", non_blocking=True)  # device
        return x
    """,
    "a tensor compared with a device": """
    def step(x):
        if x.device == torch.device("cuda"):
            return x.to("cuda:1", non_blocking=True)  # device
        return x
    """,
    "a host tensor tested by device.type is not known to be pageable": """
    def step(x):
        if x.device.type == "cpu":
            return x.to("cuda", non_blocking=True)  # unknown
        return x
    """,
    "a copy to a device that is the host": """
    def step(where):
        x = torch.zeros(8)
        if where.type == "cpu":
            return x.to(where, non_blocking=True)  # host
        return x.to(where, non_blocking=True)  # pageable
    """,
    "a device given as text": """
    def step(where: str):
        x = torch.zeros(8)
        if where == "cpu":
            return x.to(where, non_blocking=True)  # host
        return x.to(where, non_blocking=True)  # pageable
    """,
    "the accelerator named in a text": """
    def step(where):
        x = torch.zeros(8)
        if "cuda" in where:
            return x.to(where, non_blocking=True)  # pageable
        return x
    """,
    "an assertion about the device": """
    def step(x):
        assert x.is_cuda
        return x.to("cuda:1", non_blocking=True)  # device
    """,
    # --- None, truth, classes ---
    "None by default": """
    def step(x=None):
        if x is None:
            x = torch.zeros(8)
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "not None": """
    def step(flag):
        x = torch.zeros(8) if flag else None
        if x is not None:
            return x.to(dev, non_blocking=True)  # pageable
        return x
    """,
    "None that is never copied": """
    def step():
        x = None
        if x is not None:
            return x.to(dev, non_blocking=True)
        return x
    """,
    "a flag that is known": """
    def step():
        pin = True
        x = torch.zeros(8)
        if pin:
            x = x.pin_memory()
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "a flag tested twice": """
    def step(flag):
        if flag:
            x = torch.zeros(8, pin_memory=True)
        else:
            x = torch.zeros(8)
        if flag:
            return x.to(dev, non_blocking=True)  # pageable
        return x
    """,
    "isinstance tells arrays from tensors": """
    def step(flag):
        x = np.zeros(8) if flag else torch.zeros(8, pin_memory=True)
        if isinstance(x, np.ndarray):
            x = torch.from_numpy(x).pin_memory()
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "isinstance of a tensor": """
    def step(flag):
        x = torch.zeros(8) if flag else [1, 2]
        if isinstance(x, torch.Tensor):
            return x.to(dev, non_blocking=True)  # pageable
        return x
    """,
    "a walrus in the test": """
    def step(flag):
        if (x := torch.zeros(8) if flag else None) is not None:
            return x.to(dev, non_blocking=True)  # pageable
        return None
    """,
    "while narrows too": """
    def step(flag):
        x = torch.zeros(8)
        while not x.is_pinned():
            x = x.pin_memory()
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "or of two tests": """
    def step(flag, other):
        x = torch.zeros(8) if flag else torch.ones(8, pin_memory=True)
        if other or not x.is_pinned():
            return None
        return x.to(dev, non_blocking=True)  # pinned
    """,
    # --- default devices ---
    "a default device moves factories": """
    def step():
        torch.set_default_device("cuda")
        x = torch.zeros(8)
        return x.to("cuda:1", non_blocking=True)  # device
    """,
    "a device context moves factories inside it": """
    def step():
        with torch.device("cuda"):
            x = torch.zeros(8)
        y = torch.zeros(8)
        a = x.to("cuda:1", non_blocking=True)  # device
        return a, y.to("cuda:1", non_blocking=True)  # pageable
    """,
    "a device context does not move numpy": """
    def step():
        with torch.device("cuda"):
            x = torch.from_numpy(np.zeros(8))
        return x.to("cuda", non_blocking=True)  # pageable
    """,
    "a device context does not move what names a device": """
    def step():
        with torch.device("cuda"):
            x = torch.zeros(8, device="cpu")
        return x.to("cuda", non_blocking=True)  # pageable
    """,
    "torch.cuda.device moves nothing": """
    def step():
        with torch.cuda.device(0):
            x = torch.zeros(8)
        return x.to("cuda", non_blocking=True)  # pageable
    """,
    "a host device context": """
    def step():
        with torch.device("cpu"):
            x = torch.zeros(8)
        return x.to("cuda", non_blocking=True)  # pageable
    """,
    "the constructor of a torch module may run under a device context": """
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.zeros(8)

        def forward(self, x):
            return self.table.to(x.device, non_blocking=True)  # unknown
    """,
    "a device named in the constructor of a torch module": """
    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.table = torch.zeros(8, device="cpu")

        def forward(self, x):
            return self.table.to("cuda", non_blocking=True)  # pageable
    """,
}

KNOWN_GAPS = {
    "is_pinned of an attribute": (
        "a test of `self.host.is_pinned()` does not narrow the attribute: a false finding",
        """
    class Stage:
        def __init__(self, flag):
            self.host = torch.zeros(8) if flag else torch.ones(8, pin_memory=True)

        def push(self):
            if self.host.is_pinned():
                return self.host.to(dev, non_blocking=True)  # pinned
            return self.host.to(dev)
    """,
    ),
}


def test_condition(programs: Programs, program: str) -> None:
    programs.check(program)
