"""Calls within a module: what goes in, what comes out, and at whose line a copy in a helper is reported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pinlint.findings.finding import Role

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

PROGRAMS = {
    "a helper that allocates": """
    def make():
        return torch.zeros(8)

    def step():
        return make().to(dev, non_blocking=True)  # pageable
    """,
    "a helper that pins": """
    def pinned(x):
        return x.pin_memory()

    def step():
        return pinned(torch.zeros(8)).to(dev, non_blocking=True)  # pinned
    """,
    "a helper that copies is reported where it is given pageable memory": """
    def push(x):
        return x.to(dev, non_blocking=True)

    def good():
        return push(torch.zeros(8, pin_memory=True))

    def bad():
        return push(torch.zeros(8))  # pageable
    """,
    "a helper that is always given pinned memory": """
    def push(x):
        return x.to(dev, non_blocking=True)

    def step():
        return push(torch.zeros(8, pin_memory=True))  # pinned
    """,
    "a helper that nobody calls": """
    def push(x):
        return x.to(dev, non_blocking=True)  # unknown
    """,
    "two levels of helpers": """
    def push(x):
        return x.to(dev, non_blocking=True)

    def push_all(xs):
        return [push(x) for x in xs]

    def step():
        return push_all([torch.zeros(8), torch.ones(8)])  # pageable
    """,
    "a helper called with different memory gives different answers": """
    def same(x):
        return x

    def step():
        a = same(torch.zeros(8)).to(dev, non_blocking=True)  # pageable
        return a, same(torch.zeros(8, pin_memory=True)).to(dev, non_blocking=True)  # pinned
    """,
    "the flag is passed down": """
    def push(x, wait):
        return x.to(dev, non_blocking=not wait)

    def step():
        push(torch.zeros(8), True)
        return push(torch.zeros(8), False)  # pageable
    """,
    "the flag is a default": """
    def push(x, non_blocking=True):
        return x.to(dev, non_blocking=non_blocking)

    def step():
        push(torch.zeros(8), non_blocking=False)
        return push(torch.zeros(8))  # pageable
    """,
    "pinning is a default": """
    def make(pin=False):
        return torch.zeros(8, pin_memory=pin)

    def step():
        a = make().to(dev, non_blocking=True)  # pageable
        return a, make(pin=True).to(dev, non_blocking=True)  # pinned
    """,
    "keyword arguments": """
    def push(*, source, where):
        return source.to(where, non_blocking=True)

    def step():
        return push(where="cuda", source=torch.zeros(8))  # pageable
    """,
    "star arguments": """
    def push(*tensors):
        return [x.to(dev, non_blocking=True) for x in tensors]

    def step():
        return push(torch.zeros(8, pin_memory=True), torch.zeros(8))  # pageable
    """,
    "star arguments passed on": """
    def push(x, y):
        return y.to(dev, non_blocking=True)

    def step():
        both = (torch.zeros(8, pin_memory=True), torch.zeros(8))
        return push(*both)  # pageable
    """,
    "keyword dicts passed on": """
    def push(x, **how):
        return x.to(**how)

    def step():
        return push(torch.zeros(8), device="cuda", non_blocking=True)  # pageable
    """,
    "a known dict of arguments": """
    def step():
        how = {"device": "cuda", "non_blocking": True}
        options = dict(pin_memory=True)
        a = torch.zeros(8).to(**how)  # pageable
        return a, torch.zeros(8, **options).to(**how)  # pinned
    """,
    "a dict of keywords by name": """
    def push(**tensors):
        return tensors["a"].to(dev, non_blocking=True)

    def step():
        return push(a=torch.zeros(8), b=torch.zeros(8, pin_memory=True))  # pageable
    """,
    "positional-only arguments": """
    def push(x, /, where):
        return x.to(where, non_blocking=True)

    def step():
        return push(torch.zeros(8), "cuda")  # pageable
    """,
    "several results": """
    def make():
        return torch.zeros(8), torch.zeros(8, pin_memory=True)

    def step():
        a, b = make()
        x = a.to(dev, non_blocking=True)  # pageable
        return x, b.to(dev, non_blocking=True)  # pinned
    """,
    "a dict as a result": """
    def make():
        return {"a": torch.zeros(8), "b": torch.zeros(8, pin_memory=True)}

    def step():
        made = make()
        x = made["a"].to(dev, non_blocking=True)  # pageable
        return x, made["b"].to(dev, non_blocking=True)  # pinned
    """,
    "one of several returns": """
    def make(flag):
        if flag:
            return torch.zeros(8)
        return torch.zeros(8, pin_memory=True)

    def step(flag):
        return make(flag).to(dev, non_blocking=True)  # pageable
    """,
    "a return that the arguments exclude": """
    def make(flag):
        if flag:
            return torch.zeros(8, pin_memory=True)
        return torch.zeros(8)

    def step():
        a = make(True).to(dev, non_blocking=True)  # pinned
        return a, make(False).to(dev, non_blocking=True)  # pageable
    """,
    "a closure": """
    def step():
        x = torch.zeros(8)
        def push():
            return x.to(dev, non_blocking=True)  # pageable
        return push()
    """,
    "a closure over what is bound later": """
    def step():
        def push():
            return x.to(dev, non_blocking=True)  # pageable
        x = torch.zeros(8)
        return push()
    """,
    "partial of a factory": """
    from functools import partial

    make = partial(torch.zeros, pin_memory=True)

    def step():
        return make(8).to(dev, non_blocking=True)  # pinned
    """,
    "partial that another argument overrides": """
    from functools import partial

    make = partial(torch.zeros, pin_memory=True)

    def step():
        return make(8, pin_memory=False).to(dev, non_blocking=True)  # pageable
    """,
    "a bound method": """
    def step():
        x = torch.zeros(8)
        move = x.to
        return move("cuda", non_blocking=True)  # pageable
    """,
    "lru_cache": """
    from functools import lru_cache

    @lru_cache(maxsize=None)
    def make():
        return torch.zeros(8)

    def step():
        return make().to(dev, non_blocking=True)  # pageable
    """,
    "cache without parentheses": """
    import functools

    @functools.cache
    def make(pin):
        return torch.zeros(8, pin_memory=pin)

    def step():
        return make(True).to(dev, non_blocking=True)  # pinned
    """,
    "no_grad as a decorator": """
    @torch.no_grad()
    def push(x):
        return x.to(dev, non_blocking=True)

    def step():
        return push(torch.zeros(8))  # pageable
    """,
    "torch.compile as a decorator": """
    @torch.compile
    def push(x):
        return x.to(dev, non_blocking=True)

    def step():
        return push(torch.zeros(8))  # pageable
    """,
    "a decorator of the project that wraps": """
    import functools

    def logged(function):
        @functools.wraps(function)
        def wrapper(*args, **kwargs):
            print(function)
            return function(*args, **kwargs)
        return wrapper

    @logged
    def make():
        return torch.zeros(8)

    def step():
        return make().to(dev, non_blocking=True)  # pageable
    """,
    "a decorator of the project that pins": """
    def pinning(function):
        def wrapper(*args):
            return function(*args).pin_memory()
        return wrapper

    @pinning
    def make(n):
        return torch.zeros(n)

    def step():
        return make(8).to(dev, non_blocking=True)  # pinned
    """,
    "a decorator with arguments": """
    def named(name):
        def decorate(function):
            return function
        return decorate

    @named("make")
    def make():
        return torch.zeros(8)

    def step():
        return make().to(dev, non_blocking=True)  # pageable
    """,
    "an unknown decorator is taken to keep the function": """
    from library import registered

    @registered("make")
    def make():
        return torch.zeros(8)

    def step():
        return make().to(dev, non_blocking=True)  # pageable
    """,
    "a context manager": """
    from contextlib import contextmanager

    @contextmanager
    def buffer():
        yield torch.zeros(8)

    def step():
        with buffer() as x:
            return x.to(dev, non_blocking=True)  # pageable
    """,
    "a generator": """
    def batches(n):
        for i in range(n):
            yield torch.zeros(i)

    def step():
        for x in batches(3):
            x = x.to(dev, non_blocking=True)  # pageable
        return x
    """,
    "a generator of tuples": """
    def batches(n):
        for i in range(n):
            yield i, torch.zeros(i), torch.ones(i, pin_memory=True)

    def step():
        for _, x, y in batches(3):
            a = x.to(dev, non_blocking=True)  # pageable
            b = y.to(dev, non_blocking=True)  # pinned
        return a, b
    """,
    "next of a generator": """
    def batches():
        while True:
            yield torch.zeros(8)

    def step():
        stream = batches()
        return next(stream).to(dev, non_blocking=True)  # pageable
    """,
    "yield from": """
    def inner():
        yield torch.zeros(8)

    def outer():
        yield torch.zeros(8, pin_memory=True)
        yield from inner()

    def step():
        return [x.to(dev, non_blocking=True) for x in outer()]  # pageable
    """,
    "an async generator": """
    async def batches():
        yield torch.zeros(8)

    async def step():
        async for x in batches():
            x.to(dev, non_blocking=True)  # pageable
    """,
    "recursion without an end": """
    def forever(x):
        return forever(x)

    def step():
        x = torch.zeros(8)
        forever(x)
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "tree_map": """
    from torch.utils._pytree import tree_map

    def step():
        batch = {"a": torch.zeros(8), "b": [torch.ones(8)]}
        return tree_map(lambda x: x.to(dev, non_blocking=True), batch)  # pageable
    """,
    "tree_map of what is pinned": """
    from torch.utils._pytree import tree_map

    def step():
        batch = {"a": torch.zeros(8), "b": [torch.ones(8)]}
        pinned = tree_map(lambda x: x.pin_memory(), batch)
        return pinned["b"][0].to(dev, non_blocking=True)  # pinned
    """,
    "an unknown function may pin what it is given": """
    from library import prepare

    def step():
        x = prepare(torch.zeros(8))
        return x.to(dev, non_blocking=True)  # unknown
    """,
    "an unknown function does not pin in place": """
    from library import log

    def step():
        x = torch.zeros(8)
        log(x)
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "an annotation says host memory": """
    def step(frame: np.ndarray):
        return torch.from_numpy(frame).to(dev, non_blocking=True)  # pageable
    """,
    "a parameter's name says nothing": """
    def step(cpu_tensor: torch.Tensor):
        return cpu_tensor.to(dev, non_blocking=True)  # unknown
    """,
    "what is computed from an unknown tensor is unknown": """
    def step(x: torch.Tensor):
        return (x * 2).to(dev, non_blocking=True)  # unknown
    """,
    "a nested function that returns": """
    def step():
        def make():
            return torch.zeros(8)
        return make().to(dev, non_blocking=True)  # pageable
    """,
    "a default that is a tensor": """
    ZERO = torch.zeros(8)

    def step(x=ZERO):
        return x.to(dev, non_blocking=True)  # pageable

    def run():
        return step()
    """,
    "a result that is None": """
    def nothing():
        print("nothing")

    def step():
        x = nothing()
        if x:
            return x.to(dev, non_blocking=True)
    """,
    "a function that fills what it is given": """
    def collect(found):
        found.append(torch.zeros(8))

    def step():
        found = []
        collect(found)
        return found[0].to(dev, non_blocking=True)  # pageable
    """,
    "a function that fills a dict": """
    def collect(found):
        found["x"] = torch.zeros(8)

    def step():
        found = {}
        collect(found)
        return found["x"].to(dev, non_blocking=True)  # pageable
    """,
}

KNOWN_GAPS = {
    "a function made by a function": (
        "callers of the function that makes another are not asked",
        """
    def pusher(where):
        def push(x):
            return x.to(where, non_blocking=True)
        return push

    def step():
        return pusher("cuda")(torch.zeros(8))  # pageable
    """,
    ),
    "a lambda": (
        "a lambda's call alone does not make a statement relevant",
        """
    def step():
        push = lambda x: x.to(dev, non_blocking=True)
        return push(torch.zeros(8))  # pageable
    """,
    ),
    "a function in a dict": (
        "callers are looked for as `push(` only, not where the function is passed on or renamed",
        """
    def push(x):
        return x.to(dev, non_blocking=True)

    def step():
        table = {"push": push}
        return table["push"](torch.zeros(8))  # pageable
    """,
    ),
    "a function as an argument": (
        "callers are looked for as `push(` only, not where the function is passed on or renamed",
        """
    def apply(function, x):
        return function(x)

    def push(x):
        return x.to(dev, non_blocking=True)

    def step():
        return apply(push, torch.zeros(8))  # pageable
    """,
    ),
    "another name of a function": (
        "callers are looked for as `push(` only, not where the function is passed on or renamed",
        """
    def push(x):
        return x.to(dev, non_blocking=True)

    send = push

    def step():
        return send(torch.zeros(8))  # pageable
    """,
    ),
    "map": (
        "callers are looked for as `push(` only, not where the function is passed on or renamed",
        """
    def push(x):
        return x.to(dev, non_blocking=True)

    def step():
        return list(map(push, [torch.zeros(8)]))  # pageable
    """,
    ),
    "partial with a keyword": (
        "callers are looked for as `push(` only, not where the function is passed on or renamed",
        """
    from functools import partial

    def push(x, where, non_blocking=False):
        return x.to(where, non_blocking=non_blocking)

    def step():
        send = partial(push, where="cuda", non_blocking=True)
        return send(torch.zeros(8))  # pageable
    """,
    ),
    "partial with a leading argument": (
        "callers are looked for as `push(` only, not where the function is passed on or renamed",
        """
    import functools

    def push(x, where):
        return x.to(where, non_blocking=True)

    def step():
        return functools.partial(push, torch.zeros(8))("cuda")  # pageable
    """,
    ),
    "recursion": (
        "a recursive call's argument is unknown",
        """
    def push(tree):
        if isinstance(tree, list):
            return [push(item) for item in tree]
        return tree.to(dev, non_blocking=True)

    def step():
        return push([torch.zeros(8), [torch.zeros(8)]])  # pageable
    """,
    ),
    "recursion that computes": (
        "a result that depends on a recursive call is unknown",
        """
    def total(n):
        if n == 0:
            return torch.zeros(8, pin_memory=True)
        return total(n - 1) + 1

    def step(n):
        return total(n).to(dev, non_blocking=True)  # pageable
    """,
    ),
    "mutual recursion": (
        "a result that depends on a recursive call is unknown",
        """
    def even(n, x):
        return x if n == 0 else odd(n - 1, x)

    def odd(n, x):
        return even(n - 1, x)

    def step(n):
        return even(n, torch.zeros(8)).to(dev, non_blocking=True)  # pageable
    """,
    ),
}


def test_call(programs: Programs, program: str) -> None:
    programs.check(program)


HELPER = """
def push(x):
    return x.to("cuda", non_blocking=True)

def step():
    x = torch.zeros(8)
    return push(x)
"""


def test_a_copy_in_a_helper_has_its_own_place_too(programs: Programs) -> None:
    copy = programs.only_copy(HELPER)
    assert (copy.place.line - 1, copy.site.line - 1) == (6, 2)
    assert (copy.place.qualified_name, copy.site.qualified_name) == ("step", "push")


def test_the_steps_go_from_the_allocation_through_the_call_to_the_copy(programs: Programs) -> None:
    copy = programs.only_copy(HELPER)
    assert [(step.role, step.span[0] - 1) for step in copy.steps] == [
        (Role.ALLOCATED, 5),
        (Role.PASSED, 6),
        (Role.COPIED, 2),
    ]


def test_the_steps_name_what_lost_the_pin(programs: Programs) -> None:
    copy = programs.only_copy("""
    def step():
        x = torch.zeros(8, pin_memory=True)
        y = x + 1
        return y.to("cuda", non_blocking=True)
    """)
    assert [step.role for step in copy.steps][-2:] == [Role.COMPUTED, Role.COPIED]
    assert "+" in copy.steps[-2].callee


def test_what_is_unknown_says_which_parameter_would_decide(programs: Programs) -> None:
    copy = programs.only_copy("""
    def push(x):
        return x.to("cuda", non_blocking=True)
    """)
    assert copy.reason == "parameter `x` of `push`"
    assert copy.steps == ()


@pytest.mark.parametrize("depth", [2, 5, 30])
def test_a_long_chain_of_calls_ends(programs: Programs, depth: int) -> None:
    chain = "\n".join(f"def f{n}(x):\n    return f{n - 1}(x)\n" for n in range(1, depth + 1))
    step = f"def step():\n    return f{depth}(torch.zeros(8)).to('cuda', non_blocking=True)"
    program = f"def f0(x):\n    return x\n\n{chain}\n{step}"
    (copy,) = programs.copies(program)
    assert copy.verdict.value in ("pageable", "unknown")
