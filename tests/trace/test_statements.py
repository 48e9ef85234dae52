"""Statements: which value a name has, and where it may have several."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

PROGRAMS = {
    "rebinding a name forgets its old value": """
    def step():
        x = torch.zeros(8)
        a = x.to(dev, non_blocking=True)  # pageable
        x = torch.zeros(8, pin_memory=True)
        b = x.to(dev, non_blocking=True)  # pinned
        x = x + 1
        c = x.to(dev, non_blocking=True)  # pageable
        x = x.pin_memory()
        return a, b, c, x.to(dev, non_blocking=True)  # pinned
    """,
    "a chain of targets": """
    def step():
        a = b = torch.zeros(8, pin_memory=True)
        return a.to(dev, non_blocking=True), b.to(dev, non_blocking=True)  # pinned
    """,
    "unpacking a tuple": """
    def step():
        a, b = torch.zeros(8), torch.zeros(8, pin_memory=True)
        a, b = b, a
        x = a.to(dev, non_blocking=True)  # pinned
        y = b.to(dev, non_blocking=True)  # pageable
        return x, y
    """,
    "unpacking nested and starred": """
    def step():
        (a, [b, *rest]), c = (torch.zeros(8), [torch.zeros(8, pin_memory=True), torch.ones(8), torch.ones(4)]), 3
        w = a.to(dev, non_blocking=True)  # pageable
        x = b.to(dev, non_blocking=True)  # pinned
        y = rest[1].to(dev, non_blocking=True)  # pageable
        return w, x, y
    """,
    "a star that takes the front": """
    def step():
        *front, last = [torch.zeros(8), torch.zeros(8), torch.zeros(8, pin_memory=True)]
        x = last.to(dev, non_blocking=True)  # pinned
        return x, front[0].to(dev, non_blocking=True)  # pageable
    """,
    "an annotated assignment": """
    def step():
        x: torch.Tensor = torch.zeros(8)
        y: torch.Tensor
        y = torch.zeros(8, pin_memory=True)
        a = x.to(dev, non_blocking=True)  # pageable
        return a, y.to(dev, non_blocking=True)  # pinned
    """,
    "an augmented assignment keeps the memory": """
    def step():
        x = torch.zeros(8, pin_memory=True)
        x += 1
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "an augmented list": """
    def step():
        found = []
        found += [torch.zeros(8)]
        return found[0].to(dev, non_blocking=True)  # pageable
    """,
    "one of two branches": """
    def step(flag):
        if flag:
            x = torch.zeros(8)
        else:
            x = torch.ones(8, pin_memory=True)
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "both branches pinned": """
    def step(flag):
        if flag:
            x = torch.zeros(8, pin_memory=True)
        else:
            x = torch.ones(8).pin_memory()
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "a branch that leaves does not count": """
    def step(flag):
        x = torch.ones(8, pin_memory=True)
        if flag:
            x = torch.zeros(8)
            return x.to(dev, non_blocking=True)  # pageable
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "a branch that raises does not count": """
    def step(flag):
        x = torch.ones(8, pin_memory=True)
        if flag:
            x = torch.zeros(8)
            raise ValueError(x)
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "an optional pin": """
    def step(flag):
        x = torch.zeros(8)
        if flag:
            x = x.pin_memory()
        return x.to(dev, non_blocking=True)  # conditional
    """,
    "an optional pin of something else is none": """
    def step(flag):
        x, y = torch.zeros(8), torch.zeros(8)
        if flag:
            x = y.pin_memory()
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "elif": """
    def step(kind):
        if kind == 1:
            x = torch.zeros(8, pin_memory=True)
        elif kind == 2:
            x = torch.zeros(8, pin_memory=True)
        else:
            x = torch.zeros(8)
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "a constant condition": """
    DEBUG = False

    def step():
        x = torch.zeros(8, pin_memory=True)
        if DEBUG:
            x = torch.zeros(8)
        if False:
            x = torch.zeros(8)
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "with keeps what it binds": """
    def step(lock, stream):
        with lock, torch.cuda.stream(stream):
            x = torch.zeros(8)
            y = x.to(dev, non_blocking=True)  # pageable
        return y, x.to(dev, non_blocking=True)  # pageable
    """,
    "no_grad moves nothing": """
    def step():
        with torch.no_grad(), torch.inference_mode():
            return torch.zeros(8).to(dev, non_blocking=True)  # pageable
    """,
    "try and finally": """
    def step(work):
        x = torch.zeros(8, pin_memory=True)
        try:
            work()
        finally:
            y = x.to(dev, non_blocking=True)  # pinned
        return y
    """,
    "an except fallback": """
    def step():
        x = torch.zeros(8)
        try:
            x = x.pin_memory()
        except RuntimeError:
            pass
        return x.to(dev, non_blocking=True)  # conditional
    """,
    "a factory that falls back": """
    def step():
        try:
            x = torch.zeros(8, pin_memory=True)
        except RuntimeError:
            x = torch.zeros(8)
        return x.to(dev, non_blocking=True)  # conditional
    """,
    "else of try": """
    def step(work):
        x = torch.zeros(8)
        try:
            work()
        except OSError:
            return None
        else:
            x = torch.zeros(8, pin_memory=True)
        return x.to(dev, non_blocking=True)  # pinned
    """,
    "match on constants": """
    def step(kind):
        match kind:
            case "a":
                x = torch.zeros(8, pin_memory=True)
            case "b" | "c":
                x = torch.ones(8, pin_memory=True)
            case _:
                x = torch.zeros(8)
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "match that captures": """
    def step():
        match (torch.zeros(8), torch.zeros(8, pin_memory=True)):
            case (a, b):
                x = a.to(dev, non_blocking=True)  # pageable
                return x, b.to(dev, non_blocking=True)  # pinned
    """,
    "match that captures the whole": """
    def step():
        match torch.zeros(8):
            case x:
                return x.to(dev, non_blocking=True)  # pageable
    """,
    "del": """
    def step():
        x = torch.zeros(8)
        y = x.to(dev, non_blocking=True)  # pageable
        del x
        return y
    """,
    "assert with a message": """
    def step():
        x = torch.zeros(8)
        assert x.numel() > 0, "empty"
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "global": """
    buffer = None

    def prepare():
        global buffer
        buffer = torch.zeros(8)

    def step():
        return buffer.to(dev, non_blocking=True)  # pageable
    """,
    "a module constant": """
    TABLE = torch.arange(8)
    PINNED = torch.arange(8).pin_memory()

    def step():
        a = TABLE.to(dev, non_blocking=True)  # pageable
        return a, PINNED.to(dev, non_blocking=True)  # pinned
    """,
    "module level": """
    x = torch.zeros(8)
    y = x.to("cuda", non_blocking=True)  # pageable
    """,
    "a statement after return is not reached": """
    def step():
        x = torch.zeros(8)
        return x
        x.to(dev, non_blocking=True)
    """,
    "several statements in a line": """
    def step():
        x = torch.zeros(8); y = x.to(dev, non_blocking=True); return y  # pageable
    """,
    "async": """
    async def step(queue):
        async with queue:
            async for _ in queue:
                x = torch.zeros(8)
                await queue.put(x.to(dev, non_blocking=True))  # pageable
    """,
    "awaited helpers": """
    async def load():
        return torch.zeros(8)

    async def step():
        x = await load()
        return x.to(dev, non_blocking=True)  # pageable
    """,
}

KNOWN_GAPS = {
    "what a try has bound before it failed": (
        "a handler sees the state before and after the `try`, not what stood in between",
        """
    def step(work):
        x = torch.zeros(8, pin_memory=True)
        try:
            x = torch.ones(8)
            work()
            x = torch.ones(8, pin_memory=True)
        except OSError:
            return x.to(dev, non_blocking=True)  # pageable
        return x.to(dev, non_blocking=True)  # pinned
    """,
    ),
    "nonlocal": (
        "a nested function that is called does not rebind `nonlocal` names",
        """
    def step():
        x = torch.zeros(8, pin_memory=True)
        def replace():
            nonlocal x
            x = torch.ones(8)
        replace()
        return x.to(dev, non_blocking=True)  # pageable
    """,
    ),
    "a class body": (
        "the statements of a class body are not evaluated for copies",
        """
    class Table:
        rows = torch.zeros(8)
        there = rows.to("cuda", non_blocking=True)  # pageable
    """,
    ),
}


def test_statement(programs: Programs, program: str) -> None:
    programs.check(program)


EXPRESSIONS = {
    "torch.zeros(8)": "pageable",
    "torch.zeros(8, pin_memory=True)": "pinned",
    "torch.zeros(8, pin_memory=False)": "pageable",
    "torch.zeros(8, pin_memory=flag)": "conditional",
    "torch.zeros(8, pin_memory=not flag)": "conditional",
    "torch.zeros(8, pin_memory=torch.cuda.is_available())": "conditional",
    "torch.zeros(8).pin_memory()": "pinned",
    "torch.zeros(8) if flag else torch.ones(8, pin_memory=True)": "pageable",
    "t.pin_memory() if flag else t": "conditional",
    "t if flag else t.pin_memory()": "conditional",
    "flag and p or t": "pageable",
    "(t, p)[0]": "pageable",
    "(t, p)[1]": "pinned",
    "(t, p)[-1]": "pinned",
    "(t, p)[n]": "pageable",
    "[t, p, p][1:][0]": "pinned",
    '{"a": t, "b": p}["b"]': "pinned",
    '{"a": t, "b": p}["a"]': "pageable",
    '{"a": t}.get("a")': "pageable",
    '{**{"a": t}, "b": p}["a"]': "pageable",
    'dict(a=t, b=p)["b"]': "pinned",
    "[*[t], p][0]": "pageable",
    "[*[t], p][1]": "pinned",
    "[torch.zeros(8) for _ in range(n)][0]": "pageable",
    "[p for _ in range(n)][n]": "pinned",
    "[x for x in (t,)][0]": "pageable",
    "[x for x in (t, p) if flag][0]": "pageable",
    "[y for x in ((t,), (t,)) for y in x][0]": "pageable",
    "{k: torch.zeros(8) for k in 'ab'}['a']": "pageable",
    "next(x for x in [p])": "pinned",
    "next(iter([t]))": "pageable",
    "list(map(lambda x: x.pin_memory(), [t]))[0]": "pinned",
    "tuple(x for x in [t])[0]": "pageable",
    "list(reversed([t]))[0]": "pageable",
    "sorted([t])[0]": "pageable",
    "max(t, p)": "pageable",
    "([t] * n)[0]": "pageable",
    "([t] + [t])[1]": "pageable",
    "(lambda: p)()": "pinned",
    "(lambda x: x)(t)": "pageable",
    "(y := t)": "pageable",
    "(y := t).pin_memory()": "pinned",
    "t + 1": "pageable",
    "1 + p": "pageable",
    "p + p": "pageable",
    "-p": "pageable",
    "~(p > 0)": "pageable",
    "p > 0": "pageable",
    "p @ p": "pageable",
    "p.add_(1)": "pinned",
    "torch.add(p, 1, out=torch.empty(8, pin_memory=True))": "pinned",
    "torch.add(p, 1)": "pageable",
    "torch.cat([p, p])": "pageable",
    "torch.stack((p, p), dim=0)": "pageable",
    "torch.where(p > 0, p, p)": "pageable",
    "p.clone()": "pageable",
    "p.repeat(2)": "pageable",
    "p.half()": "pageable",
    "p.float()": "pinned",
    "p.to(torch.float32)": "pinned",
    "p.to(torch.float16)": "pageable",
    'p.to("cpu")': "pinned",
    "p.cpu()": "pinned",
    "p.data": "pinned",
    "p.detach()": "pinned",
    "p.view(2, 4)": "pinned",
    "p.view(torch.int32)": "pinned",
    "p.contiguous()": "pinned",
    "p.pin_memory()": "pinned",
    "torch.zeros_like(p)": "pageable",
    "torch.zeros_like(p, pin_memory=True)": "pinned",
    "p.new_zeros(8)": "pageable",
    "p.new_zeros(8, pin_memory=True)": "pinned",
    "p.new_tensor([1])": "pageable",
    "torch.tensor([1, 2])": "pageable",
    "torch.tensor([1, 2], pin_memory=True)": "pinned",
    "torch.tensor(p)": "pageable",
    "torch.as_tensor([1, 2])": "pageable",
    "torch.as_tensor(p)": "pinned",
    "torch.as_tensor(a)": "pageable",
    "torch.from_numpy(a)": "pageable",
    "torch.from_numpy(p.numpy())": "pinned",
    "torch.from_numpy(p.numpy()[2:])": "pinned",
    "torch.from_numpy(p.numpy() + 1)": "pageable",
    "torch.from_numpy(p.numpy().astype(np.int8))": "pageable",
    "torch.from_numpy(np.asarray(p.numpy()))": "pinned",
    "torch.from_numpy(np.array(p.numpy()))": "pageable",
    "torch.from_numpy(np.zeros(8)).pin_memory()": "pinned",
    "torch.frombuffer(bytearray(8), dtype=torch.uint8)": "pageable",
    "torch.Tensor([1, 2])": "pageable",
    "torch.FloatTensor(8)": "pageable",
    "torch.blackman_window(8, pin_memory=True)": "pageable",
    "torch.arange(8, pin_memory=True)": "pinned",
    "torch.nn.Parameter(p)": "pinned",
    "copy.copy(p)": "pinned",
    "copy.deepcopy(p)": "pageable",
    "torch.nn.functional.pad(p, (0, 1))": "pageable",
    "torch.nn.utils.rnn.pad_sequence([p, p])": "pageable",
    'torch.zeros(8, device="cpu")': "pageable",
    "torch.zeros(8, device=torch.device('cpu'))": "pageable",
    'torch.zeros(8, device="cuda")': "device",
    "torch.zeros(8, device=g.device)": "device",
    "torch.zeros(8, device=p.device)": "pageable",
    "torch.zeros_like(g)": "device",
    "g + 1": "device",
    "g + g": "device",
    "g + torch.tensor(1.0)": "device",
    "g + p": "unknown",
    "g[0]": "device",
    'torch.empty_like(g, device="cpu")': "pageable",
    'torch.empty_like(g, device="cpu", pin_memory=True)': "pinned",
    "g.new_zeros(8)": "device",
    "argument": "unknown",
    "argument + 1": "unknown",
    "other_library(t)": "unknown",
    "argument.attribute": "unknown",
    "torch.load('x.pt')['weight']": "unknown",
    "torch.load('x.pt', map_location='cpu')['weight']": "pageable",
    "torch.load('x.pt', map_location='cpu').get('weight')": "pageable",
    "torch.load('x.pt', map_location='cuda')['weight']": "device",
    "p[:4]": "pinned",
    "p[[0, 1]]": "pageable",
    "p[p > 0]": "pageable",
    "p.t()": "pinned",
    "p.is_pinned() and p": "pinned",
}
EXPRESSION_GAPS = {
    "(lambda x, y=p: y)(t)": ("pinned", "a lambda's default is not evaluated where the lambda is made"),
    'p.to("cpu", copy=True)': ("pageable", "`copy=True` is not heeded: the result is a new pageable tensor"),
    "torch.load('x.pt', map_location='cpu')": ("pageable", "a loaded file is taken for a mapping, never for a tensor"),
}


@pytest.mark.parametrize(
    ("expression", "verdict"),
    [
        *EXPRESSIONS.items(),
        *(
            pytest.param(text, verdict, marks=pytest.mark.xfail(reason=why))
            for text, (verdict, why) in EXPRESSION_GAPS.items()
        ),
    ],
    ids=[*EXPRESSIONS, *EXPRESSION_GAPS],
)
def test_expression(programs: Programs, expression: str, verdict: str) -> None:
    programs.check(f"""
    import copy
    from library import other_library

    def step(argument, flag, n):
        a = np.zeros(8, dtype=np.float32)
        t = torch.zeros(8)
        p = torch.zeros(8, dtype=torch.float32, pin_memory=True)
        g = torch.zeros(8, device="cuda")
        x = {expression}
        return x.to("cuda:1", non_blocking=True)  # {verdict}
    """)
