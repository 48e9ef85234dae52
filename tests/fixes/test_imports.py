"""Names are spelled through the imports that are there, and imported where isort would put them."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fixes.conftest import Fixer

KIND = "pin-at-allocation"
CONDITION = {"replacement": "PIN_MEMORY", "imports": (("engine.utils.memory", "PIN_MEMORY"),)}
CALLED = {"replacement": "can_pin()", "imports": (("engine.utils.memory", "can_pin"),)}
GUARD = {"replacement": "torch.cuda.is_available()", "imports": (("torch", ""),)}
PATH = "engine/workers/runner.py"


def written(fix: Fixer, before: str, asked: dict[str, object] = CONDITION, path: str = PATH) -> str:
    """Return what was written as `pin_memory=` and, before it, the lines that were added above."""
    body = textwrap.dedent(before)
    after = fix(before, KIND, path=path, **asked)
    added = [line for line in after.splitlines() if line not in fix.split(body)[0].splitlines()]
    *above, call = added
    return "\n".join([*above, call.split("pin_memory=")[1].rsplit(")", 1)[0]])


# --- names that are imported already ----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("imports", "spelled"),
    [
        ("from engine.utils.memory import PIN_MEMORY", "PIN_MEMORY"),
        ("from engine.utils.memory import PIN_MEMORY as PIN", "PIN"),
        ("import engine.utils.memory", "engine.utils.memory.PIN_MEMORY"),
        ("import engine.utils.memory as memory", "memory.PIN_MEMORY"),
        ("from engine.utils import memory", "memory.PIN_MEMORY"),
        ("from engine.utils import memory as m", "m.PIN_MEMORY"),
        ("from ..utils.memory import PIN_MEMORY", "PIN_MEMORY"),
        ("from ..utils import memory", "memory.PIN_MEMORY"),
        ("from engine.utils import PIN_MEMORY", "PIN_MEMORY"),
        (
            "try:\n    from engine.utils.memory import PIN_MEMORY\nexcept ImportError:\n    PIN_MEMORY = False",
            "PIN_MEMORY",
        ),
        ("PIN_MEMORY = decide()", "PIN_MEMORY"),
    ],
)
def test_a_name_in_scope_is_used_as_it_is_called_there(fix: Fixer, imports: str, spelled: str) -> None:
    assert written(fix, f"{imports}\ndef f(n):\n    return «torch.zeros(n)»\n") == spelled


def test_an_import_of_the_function_is_used_in_it(fix: Fixer) -> None:
    before = """\
        def f(n):
            from engine.utils.memory import can_pin as pin
            if n:
                return «zeros(n)»
        """
    assert written(fix, before, CALLED) == "pin()"


def test_an_import_of_another_function_is_not(fix: Fixer) -> None:
    before = """\
        import os

        def g():
            from engine.utils.memory import PIN_MEMORY

        def f(n):
            return «zeros(n)»
        """
    assert written(fix, before) == "from engine.utils.memory import PIN_MEMORY\nPIN_MEMORY"


@pytest.mark.parametrize(
    ("imports", "spelled"),
    [
        ("import torch", "torch.cuda.is_available()"),
        ("import torch as th", "th.cuda.is_available()"),
        ("import torch.nn", "torch.cuda.is_available()"),
        ("import torch.nn as nn", "import torch\ntorch.cuda.is_available()"),
        ("from torch import nn", "import torch\ntorch.cuda.is_available()"),
        ("try:\n    import torch\nexcept ImportError:\n    torch = None", "torch.cuda.is_available()"),
    ],
)
def test_torch_is_called_as_the_file_calls_it(fix: Fixer, imports: str, spelled: str) -> None:
    assert written(fix, f"{imports}\ndef f(n):\n    return «zeros(n)»\n", GUARD) == spelled


# --- names that mean something else -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "function",
    [
        "def f(n, PIN_MEMORY): return «zeros(n)»",
        "def f(n):\n    PIN_MEMORY = n\n    return «zeros(n)»",
        "def f(n): return [«zeros(n)» for PIN_MEMORY in n]",
        "def f(n): return lambda PIN_MEMORY: «zeros(n)»",
        "def f(n):\n    for PIN_MEMORY in n:\n        «zeros(n)»",
        "def f(n):\n    with n as (a, *PIN_MEMORY):\n        «zeros(n)»",
        "def f(n):\n    def PIN_MEMORY(): pass\n    return «zeros(n)»",
        "def f(n):\n    if (PIN_MEMORY := n):\n        return «zeros(n)»",
        "def f(n):\n    match n:\n        case [PIN_MEMORY]:\n            return «zeros(n)»",
        "def f(n):\n    try:\n        pass\n    except ValueError as PIN_MEMORY:\n        return «zeros(n)»",
        "def g(PIN_MEMORY):\n    def f(n):\n        return «zeros(n)»",
    ],
)
@pytest.mark.parametrize("imported", ["", "from engine.utils.memory import PIN_MEMORY\n"])
def test_a_local_name_is_never_mistaken_for_the_import(fix: Fixer, function: str, imported: str) -> None:
    reason = fix.refusal(f"{imported}{function}\n", KIND, path=PATH, **CONDITION)
    assert reason == "`PIN_MEMORY` is a local name there"


def test_a_name_imported_for_type_checking_only_is_not_there_at_run_time(fix: Fixer) -> None:
    before = """\
        from typing import TYPE_CHECKING
        if TYPE_CHECKING:
            from engine.utils.memory import PIN_MEMORY
        def f(n):
            return «zeros(n)»
        """
    assert fix.refusal(before, KIND, path=PATH, **CONDITION) == "`PIN_MEMORY` already means something else in this file"


def test_a_module_that_is_rebound_is_not_used(fix: Fixer) -> None:
    before = "import torch\ntorch = wrap(torch)\ndef f(n): return «zeros(n)»\n"
    assert fix.refusal(before, KIND, **GUARD) == "`torch` already means something else in this file"


# --- imports into itself ----------------------------------------------------------------------------------------------


def test_the_module_that_defines_the_name_uses_it_without_import(fix: Fixer) -> None:
    before = "PIN_MEMORY = decide()\ndef f(n):\n    return «zeros(n)»\n"
    assert written(fix, before, path="src/engine/utils/memory.py") == "PIN_MEMORY"


def test_the_module_of_the_name_never_imports_itself(fix: Fixer) -> None:
    reason = fix.refusal("def f(n): return «zeros(n)»\n", KIND, path="src/engine/utils/memory.py", **CONDITION)
    assert reason == "this file is engine.utils.memory and does not define `PIN_MEMORY`"


@pytest.mark.parametrize("path", ["engine/__init__.py", "engine/utils/__init__.py"])
def test_a_package_never_imports_from_within_itself(fix: Fixer, path: str) -> None:
    reason = fix.refusal("def f(n): return «zeros(n)»\n", KIND, path=path, **CONDITION)
    assert reason == "importing engine.utils.memory in its own package's `__init__` would make an import cycle"


def test_an_import_that_would_be_circular_is_refused(fix: Fixer) -> None:
    before = "def f(n): return «zeros(n)»\n"
    reason = fix.refusal(before, KIND, import_problem="no {}".format, path=PATH, **CONDITION)
    assert reason == "no engine.utils.memory"


def test_a_module_that_is_imported_already_makes_no_new_cycle(fix: Fixer) -> None:
    before = "from engine.utils.memory import other\ndef f(n): return «zeros(n)»\n"
    after = fix(before, KIND, import_problem="no {}".format, path=PATH, **CONDITION)
    assert after.startswith("from engine.utils.memory import PIN_MEMORY, other\n")


# --- where the import goes --------------------------------------------------------------------------------------------

FUNCTION = "\n\ndef f(n):\n    return «torch.zeros(n)»\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            """\
            import torch
            from engine.config import Config
            from engine.workers import base
            """,
            """\
            import torch
            from engine.config import Config
            from engine.utils.memory import PIN_MEMORY
            from engine.workers import base
            """,
            id="sorted among its own section",
        ),
        pytest.param(
            """\
            import os

            import torch

            from engine.config import Config
            """,
            """\
            import os

            import torch

            from engine.config import Config
            from engine.utils.memory import PIN_MEMORY
            """,
            id="at the end of its section",
        ),
        pytest.param(
            """\
            import os

            import torch
            """,
            """\
            import os

            import torch

            from engine.utils.memory import PIN_MEMORY
            """,
            id="in a section of its own",
        ),
        pytest.param(
            """\
            import torch

            from .base import Base
            """,
            """\
            import torch

            from engine.utils.memory import PIN_MEMORY

            from .base import Base
            """,
            id="in a section of its own before relative imports",
        ),
        pytest.param(
            """\
            from .base import Base
            """,
            """\
            from engine.utils.memory import PIN_MEMORY

            from .base import Base
            """,
            id="before all others",
        ),
        pytest.param(
            """\
            # SPDX-License-Identifier: Apache-2.0
            # Copyright
            from engine.workers import base  # needed
            """,
            """\
            # SPDX-License-Identifier: Apache-2.0
            # Copyright
            from engine.utils.memory import PIN_MEMORY
            from engine.workers import base  # needed
            """,
            id="below the licence",
        ),
        pytest.param(
            """\
            from engine import config
            # the base must come last
            from engine.workers import base
            """,
            """\
            from engine import config
            from engine.utils.memory import PIN_MEMORY
            # the base must come last
            from engine.workers import base
            """,
            id="above the next import's comment",
        ),
        pytest.param(
            """\
            import torch
            from engine.config import Config

            if Config.fast:
                import fast

            from engine.cache import Cache
            from engine.workers import base
            """,
            """\
            import torch
            from engine.config import Config

            if Config.fast:
                import fast

            from engine.cache import Cache
            from engine.utils.memory import PIN_MEMORY
            from engine.workers import base
            """,
            id="sorted in the last of several blocks",
        ),
        pytest.param(
            """\
            from engine.workers import base
            from engine.config import (
                Config,
            )
            """,
            """\
            from engine.workers import base
            from engine.config import (
                Config,
            )
            from engine.utils.memory import PIN_MEMORY
            """,
            id="behind a section that is not sorted",
        ),
        pytest.param(
            '''\
            """What it does."""
            ''',
            '''\
            """What it does."""

            from engine.utils.memory import PIN_MEMORY
            ''',
            id="below a docstring",
        ),
        pytest.param(
            '''\
            """What it does."""

            from __future__ import annotations
            ''',
            '''\
            """What it does."""

            from __future__ import annotations

            from engine.utils.memory import PIN_MEMORY
            ''',
            id="below future imports",
        ),
        pytest.param(
            """\
            from engine.utils.memory import free
            """,
            """\
            from engine.utils.memory import PIN_MEMORY, free
            """,
            id="in the import of the same module",
        ),
        pytest.param(
            """\
            from engine.utils.memory import ALIGN, Pool, free as release
            """,
            """\
            from engine.utils.memory import ALIGN, PIN_MEMORY, Pool, free as release
            """,
            id="among the names, constants first",
        ),
        pytest.param(
            """\
            from engine.utils.memory import (
                Pool,  # of pages
                free,
            )
            """,
            """\
            from engine.utils.memory import (
                PIN_MEMORY,
                Pool,  # of pages
                free,
            )
            """,
            id="one name a line",
        ),
        pytest.param(
            """\
            from engine.utils.memory import zero, align  # not sorted
            """,
            """\
            from engine.utils.memory import zero, align, PIN_MEMORY  # not sorted
            """,
            id="behind names that are not sorted",
        ),
        pytest.param(
            """\
            from engine.utils.memory import allocate_pages, free_pages, page_size, release_all
            """,
            """\
            from engine.utils.memory import (
                PIN_MEMORY,
                allocate_pages,
                free_pages,
                page_size,
                release_all,
            )
            """,
            id="in parentheses when the line becomes too long",
        ),
    ],
)
def test_the_import_stands_where_isort_puts_it(fix: Fixer, before: str, after: str) -> None:
    before, after = textwrap.dedent(before), textwrap.dedent(after)
    expected = after + FUNCTION.replace("«torch.zeros(n)»", "torch.zeros(n, pin_memory=PIN_MEMORY)")
    assert fix(before + FUNCTION, KIND, path=PATH, **CONDITION) == expected


def test_a_file_without_imports_gets_its_first_above_everything(fix: Fixer) -> None:
    before = """\
        # a heading

        @decorated
        def f(n):
            return «zeros(n)»
        """
    after = """\
        # a heading

        import torch

        @decorated
        def f(n):
            return zeros(n, pin_memory=torch.cuda.is_available())
        """
    assert fix(before, KIND, **GUARD) == textwrap.dedent(after)


def test_two_fixes_import_once(fix: Fixer) -> None:
    before = """\
        import torch


        def f(n):
            return «torch.zeros(n)», «torch.ones(n)»
        """
    after = """\
        import torch

        from engine.utils.memory import PIN_MEMORY


        def f(n):
            return torch.zeros(n, pin_memory=PIN_MEMORY), torch.ones(n, pin_memory=PIN_MEMORY)
        """
    assert fix(before, KIND, path=PATH, **CONDITION) == textwrap.dedent(after)
