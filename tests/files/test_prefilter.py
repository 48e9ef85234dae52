"""The byte search never misses a copy that is written in a usual way, and passes over what is none."""

from __future__ import annotations

import pytest

from pinlint.files.prefilter import enclosing_definitions, may_copy, names_called


@pytest.mark.parametrize(
    "source",
    [
        "x.to(device, non_blocking=True)",
        "f(non_blocking=flag)",
        "x.to(d, True)",
        "x.to(d, torch.half, True)",
        "x.to(\n    d,  # where to (\n    torch.half,\n    True,\n)",
        "x.to(d, dtype, flag)",
        "x.to(f(a, ')'), True)",
        "x.cuda(0, True)",
        "x.cuda(None, flag)",
        "x.npu (0, True)",
        "x.type(torch.cuda.FloatTensor, True)",
        "d.copy_(s, True)",
        "d.copy_(\n    s,\n    flag,\n)",
        "d.untyped_storage().copy_(s, True)",
        "torch._foreach_copy_(ds, ss)",
        "x.pin_memory()",
        "    self.buffers[0].pin_memory()  # not in place\n",
        "if a: x.pin_memory(); y = 1",
        "if x.is_pinned:",
        "y = x.is_pinned and z",
        "return x.is_pinned == True",
    ],
)
def test_a_file_with_a_copy_or_a_mistake_is_worth_parsing(source: str) -> None:
    assert may_copy(source.encode())


@pytest.mark.parametrize(
    "source",
    [
        "",
        "x.to(d)",
        "x.to(d, torch.half)",
        "x.to(device=d, dtype=torch.half)",
        "x.to(*args), f(True)",
        "x.to(f(a, True))",
        "f(x.to(d), True)",
        "x.cuda()",
        "x.cuda(0,)",
        "x.type(torch.float)",
        "d.copy_(s)",
        "d.copy_(\n    s,\n)",
        "y = x.pin_memory()",
        "return x.pin_memory()",
        "f(\n    x.pin_memory(),\n)",
        "x.is_pinned()",
        "x.is_pinned ()",
        "self.is_pinned = False",
        "self.is_pinned: bool = False",
        "x.is_pinned_memory",
    ],
)
def test_a_file_without_is_not(source: str) -> None:
    assert not may_copy(source.encode())


def test_the_functions_around_a_copy_are_named_and_the_class_where_that_is_called() -> None:
    source = b"""
class Mover:
    def __init__(
        self, x,
    ):
        self.x = x.to("cuda", non_blocking=True)

    async def move(self):
        def inner():
            text = '''
'''
            return self.y.copy_(x, True)

    def other(self):
        return 1

class Plain:
    def method(self):
\t    x.pin_memory()

def nothing(): pass
z.to(d, non_blocking=True)
"""
    assert enclosing_definitions(source) == {"__init__", "Mover", "move", "inner", "method"}
    assert enclosing_definitions(b"def f():\n    pass\n") == frozenset()


MANY = frozenset(f"name{number}" for number in range(20))


@pytest.mark.parametrize("names", [frozenset(), MANY], ids=["few", "many"])
def test_a_call_is_a_whole_word_with_a_parenthesis(names: frozenset[str]) -> None:
    wanted = frozenset({"f", "g", "größe", "missing", "part"}) | names
    source = "f (x) + part\n(y) + a.g(h) + größe(1) + missing_(2) + xpart(3) + not_part [4](5)"
    assert names_called(source.encode(), wanted) == {"f", "g", "größe"}


def test_a_definition_counts_as_a_call() -> None:
    assert names_called(b"def move(x): pass", frozenset({"move"})) == {"move"}
