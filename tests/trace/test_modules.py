"""Several modules: imports in all their forms, and one file's answer alone or in a whole run."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

HOST = """
def make(n=8):
    return torch.zeros(n)

def pinned(x):
    return x.pin_memory()

def push(x, where="cuda"):
    return x.to(where, non_blocking=True)

TABLE = torch.arange(8)
"""
PLAIN_HOST = HOST.replace("non_blocking=True", "")


def importing(statement: str, call: str, verdict: str = "pageable") -> dict[str, str]:
    """A package whose `use` module imports from its `host` module."""
    return {
        "pkg/__init__.py": "",
        "pkg/host.py": PLAIN_HOST,
        "pkg/use.py": f"""
        {statement}

        def step():
            return {call}.to(dev, non_blocking=True)  # {verdict}
        """,
    }


PROGRAMS = {
    "an absolute import": importing("from pkg.host import make", "make()"),
    "an alias": importing("from pkg.host import make as build", "build()"),
    "a module": importing("import pkg.host", "pkg.host.make()"),
    "a module with an alias": importing("import pkg.host as h", "h.make()"),
    "a module from its package": importing("from pkg import host", "host.make()"),
    "a relative import": importing("from .host import make", "make()"),
    "a relative module": importing("from . import host", "host.make()"),
    "a star import": importing("from .host import *", "make()"),
    "a helper that pins": importing("from .host import make, pinned", "pinned(make())", "pinned"),
    "a constant": importing("from .host import TABLE", "TABLE"),
    "a constant of a module": importing("from . import host", "host.TABLE"),
    "an import of what is not there": importing("from .host import missing", "missing()", "unknown"),
    "an import of a module that is not there": importing("from .nowhere import make", "make()", "unknown"),
    "a function-local import": {
        "pkg/__init__.py": "",
        "pkg/host.py": PLAIN_HOST,
        "pkg/use.py": """
        def step():
            from .host import make
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a parent's module": {
        "pkg/__init__.py": "",
        "pkg/host.py": PLAIN_HOST,
        "pkg/sub/__init__.py": "",
        "pkg/sub/use.py": """
        from ..host import make

        def step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a re-export": {
        "pkg/__init__.py": "from .host import make",
        "pkg/host.py": PLAIN_HOST,
        "use.py": """
        from pkg import make

        def step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a re-export of a re-export under another name": {
        "pkg/__init__.py": "from .inner import build as create",
        "pkg/inner/__init__.py": "from ..host import make as build",
        "pkg/host.py": PLAIN_HOST,
        "use.py": """
        import pkg

        def step():
            return pkg.create().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a star re-export": {
        "pkg/__init__.py": "from .host import *",
        "pkg/host.py": PLAIN_HOST,
        "use.py": """
        from pkg import make

        def step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a cycle": {
        "pkg/__init__.py": "",
        "pkg/a.py": """
        from .b import push_later

        def make():
            return torch.zeros(8)
        """,
        "pkg/b.py": """
        from . import a

        def push_later():
            return a.make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a cycle of names": {
        "a.py": """
        from b import pin

        def make():
            return torch.zeros(8)

        def both():
            return pin(make()).to(dev, non_blocking=True)  # pinned
        """,
        "b.py": """
        from a import make

        def pin(x):
            return x.pin_memory()

        def step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "an import that goes in a circle gives nothing": {
        "a.py": "from b import ghost",
        "b.py": """
        from a import ghost

        def step():
            return ghost().to(dev, non_blocking=True)
        """,
    },
    "TYPE_CHECKING": {
        "host.py": """
        class Stage:
            def __init__(self):
                self.host = torch.zeros(8)
        """,
        "use.py": """
        from __future__ import annotations
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from host import Stage

        def step(stage: Stage):
            return stage.host.to(dev, non_blocking=True)  # pageable
        """,
    },
    "a conditional import": {
        "fast.py": PLAIN_HOST,
        "slow.py": "def make():\n    return torch.zeros(8, pin_memory=True)\n",
        "use.py": """
        import sys

        if sys.argv:
            from fast import make
        else:
            from slow import make

        def step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "an import that may fail": {
        "fast.py": PLAIN_HOST,
        "use.py": """
        try:
            from fast import make
        except ImportError:
            make = None

        def step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a namespace package": {
        "space/host.py": PLAIN_HOST,
        "space/use.py": """
        from space.host import make

        def step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a relative import in a namespace package": {
        "space/host.py": PLAIN_HOST,
        "space/use.py": """
        from .host import make

        def step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a src layout": {
        "src/pkg/__init__.py": "",
        "src/pkg/host.py": PLAIN_HOST,
        "tests/test_use.py": """
        from pkg.host import make

        def test_step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a neighbouring script": {
        "scripts/host.py": PLAIN_HOST,
        "scripts/use.py": """
        from host import make

        def step():
            return make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a helper in another module is reported at its caller": {
        "host.py": """
        def push(x):
            return x.to("cuda", non_blocking=True)
        """,
        "use.py": """
        from host import push

        def step():
            return push(torch.zeros(8))  # pageable
        """,
    },
    "a helper two modules away": {
        "low.py": """
        def push(x):
            return x.to("cuda", non_blocking=True)
        """,
        "middle.py": """
        from low import push

        def push_all(xs):
            return [push(x) for x in xs]
        """,
        "use.py": """
        from middle import push_all

        def step():
            return push_all([torch.zeros(8)])  # pageable
        """,
    },
    "a base class in another module": {
        "base.py": """
        class Base:
            def __init__(self):
                self.host = torch.zeros(8)

            def make(self):
                return torch.zeros(8)
        """,
        "use.py": """
        import base

        class Stage(base.Base):
            def push(self):
                a = self.host.to(dev, non_blocking=True)  # pageable
                return a, self.make().to(dev, non_blocking=True)  # pageable
        """,
    },
    "a class imported under another name": {
        "host.py": """
        class HostTable:
            def __init__(self, size, pin=False):
                self.rows = torch.zeros(size, pin_memory=pin)
        """,
        "use.py": """
        from host import HostTable as Table

        def step():
            a = Table(8).rows.to(dev, non_blocking=True)  # pageable
            return a, Table(8, pin=True).rows.to(dev, non_blocking=True)  # pinned
        """,
    },
    "a flag in a settings module": {
        "settings.py": "PIN = True\nNON_BLOCKING = True\ndev = 'cuda'\n",
        "use.py": """
        import settings

        def step():
            x = torch.zeros(8, pin_memory=settings.PIN)
            return x.to("cuda", non_blocking=settings.NON_BLOCKING)  # pinned
        """,
    },
    "a name that another module of the same name has": {
        "a/__init__.py": "",
        "a/host.py": PLAIN_HOST,
        "b/__init__.py": "",
        "b/host.py": "def make():\n    return torch.zeros(8, pin_memory=True)\n",
        "use.py": """
        import a.host, b.host

        def step():
            x = a.host.make().to(dev, non_blocking=True)  # pageable
            return x, b.host.make().to(dev, non_blocking=True)  # pinned
        """,
    },
    "import aliases of torch": {
        "use.py": """
        import torch as th
        from torch import zeros, ones as filled
        import torch.nn.functional as F

        def step():
            a = th.zeros(8).to(dev, non_blocking=True)  # pageable
            b = zeros(8, pin_memory=True).to(dev, non_blocking=True)  # pinned
            c = filled(8).to(dev, non_blocking=True)  # pageable
            d = F.pad(zeros(8, pin_memory=True), (0, 1)).to(dev, non_blocking=True)  # pageable
            return a, b, c, d
        """,
        "other.py": "",
    },
    "torch re-exported by the project": {
        "compat.py": "import torch as backend\nfrom torch import zeros",
        "use.py": """
        from compat import backend, zeros

        def step():
            a = backend.zeros(8).to(dev, non_blocking=True)  # pageable
            return a, zeros(8).to(dev, non_blocking=True)  # pageable
        """,
    },
}

KNOWN_GAPS = {
    "a star import heeds __all__": (
        "a star import brings every public name, whatever `__all__` says",
        {
            "host.py": "__all__ = ['make']\n" + PLAIN_HOST,
            "use.py": """
        from host import *

        def step():
            a = make().to(dev, non_blocking=True)  # pageable
            return a, pinned(make()).to(dev, non_blocking=True)  # unknown
        """,
        },
    ),
}


def test_module(programs: Programs, program: dict[str, str]) -> None:
    programs.check(program)


PROJECT = {
    "pkg/__init__.py": "from .host import make, push",
    "pkg/host.py": HOST,
    "pkg/stage.py": """
    class Stage:
        def __init__(self, n, pin=False):
            self.host = torch.zeros(n, pin_memory=pin)

        def push(self):
            return self.host.to("cuda", non_blocking=True)
    """,
    "pkg/train.py": """
    from . import push
    from .host import make
    from .stage import Stage

    def run():
        stage = Stage(8, pin=True)
        push(make())
        return stage.host.to("cuda", non_blocking=True)
    """,
    "pkg/infer.py": """
    from .host import TABLE, pinned, push
    from .stage import Stage

    class Server:
        def __init__(self):
            self.stage = Stage(4)

        def answer(self, request):
            push(pinned(TABLE))
            push(TABLE)
            request.table.to("cuda", non_blocking=True)
            return self.stage.push()
    """,
}


@pytest.mark.parametrize("target", sorted(PROJECT))
def test_a_file_alone_has_the_answer_it_has_in_the_whole_run(programs: Programs, target: str) -> None:
    whole = [item for item in programs.verdicts(PROJECT) if item[0] == target]
    alone = [item for item in programs.verdicts(PROJECT, target) if item[0] == target]
    assert alone == whole


@pytest.mark.parametrize("target", sorted(PROJECT))
def test_the_order_of_the_files_does_not_matter(programs: Programs, target: str) -> None:
    turned = {target: PROJECT[target], **PROJECT}
    assert programs.verdicts(turned) == programs.verdicts(PROJECT)


def test_the_findings_of_a_project_are_where_the_memory_is_owned(programs: Programs) -> None:
    """At the call for a local tensor; at the copy itself for an attribute or a global, which no caller owns."""
    pageable = [(path, line) for path, line, verdict in programs.verdicts(PROJECT) if verdict == "pageable"]
    assert pageable == [("pkg/host.py", 8), ("pkg/stage.py", 6), ("pkg/train.py", 7)]


def test_only_what_is_needed_is_parsed(programs: Programs) -> None:
    modules = {f"unrelated_{number}.py": "x = torch.zeros(8)" for number in range(5)}
    result = programs.trace({"use.py": "y = torch.zeros(8).to('cuda', non_blocking=True)", **modules}, "use.py")
    assert dict(result.statistics)["files parsed"] == 1


def test_a_file_that_does_not_parse_is_an_error_and_the_others_are_traced(programs: Programs) -> None:
    modules = {
        "bad.py": "x.to('cuda', non_blocking=True",
        "good.py": "y = torch.zeros(8).to('cuda', non_blocking=True)",
    }
    result = programs.trace(modules)
    assert [error.path for error in result.errors] == ["bad.py"]
    assert [event.place.path for event in result.events] == ["good.py"]


def test_an_import_of_a_file_that_does_not_parse_is_unknown(programs: Programs) -> None:
    modules = {
        "bad.py": "def make(:",
        "good.py": "from bad import make\n\ny = make().to('cuda', non_blocking=True)",
    }
    assert programs.verdicts(modules, "good.py") == [("good.py", 3, "unknown")]
