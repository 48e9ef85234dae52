"""Loops and comprehensions: what a name holds after any number of turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.trace.conftest import Programs

PROGRAMS = {
    "a value replaced at the end of a turn reaches the next one": """
    def step(n):
        x = torch.zeros(8, pin_memory=True)
        for _ in range(n):
            y = x.to(dev, non_blocking=True)  # pageable
            x = torch.ones(8)
        return y
    """,
    "a value replaced through two names reaches the third turn": """
    def step(n):
        a = b = torch.zeros(8, pin_memory=True)
        for _ in range(n):
            y = a.to(dev, non_blocking=True)  # pageable
            a = b
            b = torch.ones(8)
        return y
    """,
    "a value that is pinned on every turn": """
    def step(n):
        for _ in range(n):
            x = torch.ones(8, pin_memory=True)
            y = x.to(dev, non_blocking=True)  # pinned
        return y
    """,
    "iterating over a list": """
    def step():
        for x in [torch.zeros(8), torch.ones(8)]:
            yield x.to(dev, non_blocking=True)  # pageable
    """,
    "iterating over a list in which one is pageable": """
    def step():
        for x in [torch.zeros(8), torch.ones(8, pin_memory=True)]:
            yield x.to(dev, non_blocking=True)  # pageable
    """,
    "iterating over a tensor gives rows": """
    def step():
        for row in torch.zeros(8, 8, pin_memory=True):
            yield row.to(dev, non_blocking=True)  # pinned
    """,
    "a list filled in a loop": """
    def step(n):
        found = []
        for i in range(n):
            found.append(torch.zeros(i))
        return [x.to(dev, non_blocking=True) for x in found]  # pageable
    """,
    "a list filled with pinned tensors": """
    def step(n):
        found = []
        for i in range(n):
            found.append(torch.zeros(i, pin_memory=True))
        return [x.to(dev, non_blocking=True) for x in found]  # pinned
    """,
    "extend and insert": """
    def step(n):
        found = []
        found.extend([torch.zeros(8)])
        found.insert(0, torch.zeros(8))
        return found[n].to(dev, non_blocking=True)  # pageable
    """,
    "a dict filled in a loop": """
    def step(names):
        found = {}
        for name in names:
            found[name] = torch.zeros(8)
        return {name: x.to(dev, non_blocking=True) for name, x in found.items()}  # pageable
    """,
    "a dict filled by constant keys": """
    def step():
        found = {}
        found["a"] = torch.zeros(8)
        found["b"] = torch.zeros(8, pin_memory=True)
        a = found["a"].to(dev, non_blocking=True)  # pageable
        return a, found["b"].to(dev, non_blocking=True)  # pinned
    """,
    "values, items and keys": """
    def step():
        found = {"a": torch.zeros(8)}
        for x in found.values():
            yield x.to(dev, non_blocking=True)  # pageable
        for _, x in found.items():
            yield x.to(dev, non_blocking=True)  # pageable
        for key in found:
            yield found[key].to(dev, non_blocking=True)  # pageable
    """,
    "update, setdefault and pop": """
    def step():
        found = {}
        found.update(a=torch.zeros(8))
        found.update({"b": torch.zeros(8)})
        c = found.setdefault("c", torch.zeros(8))
        a = found["a"].to(dev, non_blocking=True)  # pageable
        b = found.pop("b").to(dev, non_blocking=True)  # pageable
        return a, b, c.to(dev, non_blocking=True)  # pageable
    """,
    "enumerate and zip": """
    def step():
        hosts, pins = [torch.zeros(8)], [torch.zeros(8, pin_memory=True)]
        for i, (x, p) in enumerate(zip(hosts, pins)):
            a = x.to(dev, non_blocking=True)  # pageable
            b = p.to(dev, non_blocking=True)  # pinned
            yield a, b
    """,
    "continue keeps what was bound": """
    def step(n):
        x = torch.zeros(8, pin_memory=True)
        for i in range(n):
            y = x.to(dev, non_blocking=True)  # pageable
            if i == 3:
                x = torch.zeros(8)
                continue
            x = torch.ones(8, pin_memory=True)
        return y
    """,
    "the else of a loop": """
    def step(n):
        x = torch.zeros(8, pin_memory=True)
        for i in range(n):
            if i == 3:
                break
        else:
            x = torch.zeros(8)
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "while true": """
    def step(queue):
        while True:
            x = torch.from_numpy(np.zeros(8))
            queue.put(x.to(dev, non_blocking=True))  # pageable
    """,
    "while with a condition that changes": """
    def step(n):
        x = torch.zeros(8, pin_memory=True)
        while n:
            n -= 1
            x = x + 1
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "nested loops": """
    def step(n):
        x = torch.zeros(8, pin_memory=True)
        for _ in range(n):
            for _ in range(n):
                y = x.to(dev, non_blocking=True)  # pageable
            x = torch.zeros(8)
        return y
    """,
    "an optional pin in a loop": """
    def step(n, pin):
        for _ in range(n):
            x = torch.zeros(8)
            if pin:
                x = x.pin_memory()
            yield x.to(dev, non_blocking=True)  # conditional
    """,
    "a comprehension has its own names": """
    def step():
        x = torch.zeros(8, pin_memory=True)
        rows = [x for x in [torch.zeros(8)]]
        a = x.to(dev, non_blocking=True)  # pinned
        return a, rows[0].to(dev, non_blocking=True)  # pageable
    """,
    "a copy in a comprehension": """
    def step(arrays):
        return [torch.from_numpy(a).to(dev, non_blocking=True) for a in arrays]  # pageable
    """,
    "a copy in a dict comprehension": """
    def step(arrays):
        return {k: torch.tensor(v).to(dev, non_blocking=True) for k, v in arrays.items()}  # pageable
    """,
    "a copy in a generator expression": """
    def step(n):
        return sum(torch.zeros(i).to(dev, non_blocking=True) for i in range(n))  # pageable
    """,
    "a list of lists": """
    def step(n):
        rows = [[torch.zeros(8) for _ in range(n)] for _ in range(n)]
        return rows[0][1].to(dev, non_blocking=True)  # pageable
    """,
    "a deque": """
    from collections import deque

    def step():
        waiting = deque()
        waiting.append(torch.zeros(8))
        return waiting.popleft().to(dev, non_blocking=True)  # pageable
    """,
    "a defaultdict": """
    from collections import defaultdict

    def step(names):
        found = defaultdict(list)
        for name in names:
            found[name].append(torch.zeros(8))
        return [x.to(dev, non_blocking=True) for x in found["a"]]  # pageable
    """,
    "a list changed by index": """
    def step():
        rows = [torch.zeros(8, pin_memory=True), None]
        rows[1] = torch.zeros(8)
        a = rows[0].to(dev, non_blocking=True)  # pinned
        return a, rows[1].to(dev, non_blocking=True)  # pageable
    """,
    "two buffers in turn": """
    def step(n):
        buffers = [torch.zeros(8, pin_memory=True) for _ in range(2)]
        for i in range(n):
            yield buffers[i % 2].to(dev, non_blocking=True)  # pinned
    """,
    "a dict of dicts": """
    def step():
        tree = {"a": {"b": torch.zeros(8), "c": torch.zeros(8, pin_memory=True)}}
        x = tree["a"]["b"].to(dev, non_blocking=True)  # pageable
        return x, tree["a"]["c"].to(dev, non_blocking=True)  # pinned
    """,
    "break keeps what was bound": """
    def step(n):
        x = torch.zeros(8, pin_memory=True)
        for i in range(n):
            x = torch.zeros(8)
            if i == 3:
                break
            x = torch.ones(8, pin_memory=True)
        return x.to(dev, non_blocking=True)  # pageable
    """,
    "continue after a value was replaced": """
    def step(n):
        x = torch.zeros(8, pin_memory=True)
        for i in range(n):
            y = x.to(dev, non_blocking=True)  # pageable
            x = torch.zeros(8)
            if i == 3:
                continue
            x = torch.ones(8, pin_memory=True)
        return y
    """,
}

KNOWN_GAPS = {
    "another name of the same list": (
        "relevance does not see that a call on one name fills the list of another",
        """
    def step():
        rows = []
        same = rows
        same.append(torch.zeros(8))
        return rows[0].to(dev, non_blocking=True)  # pageable
    """,
    ),
}


def test_loop(programs: Programs, program: str) -> None:
    programs.check(program)
