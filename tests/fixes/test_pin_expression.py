"""`.pin_memory()` is put behind an expression with the parentheses that it needs and no others."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.fixes.conftest import Fixer

KIND = "pin-expression"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("y = «x»", "y = x.pin_memory()"),
        ("y = «x.T»", "y = x.T.pin_memory()"),
        ("y = «x[i]»", "y = x[i].pin_memory()"),
        ("y = «torch.cat(parts)»", "y = torch.cat(parts).pin_memory()"),
        ("y = («torch.cat(parts)»)", "y = (torch.cat(parts).pin_memory())"),
        ("y = «a * b»", "y = (a * b).pin_memory()"),
        ("y = («a * b»)", "y = (a * b).pin_memory()"),
        ("y = ( «a * b» )", "y = ( a * b ).pin_memory()"),
        ("y = ((«a * b»))", "y = ((a * b).pin_memory())"),
        ("y = «-a»", "y = (-a).pin_memory()"),
        ("y = «a < b»", "y = (a < b).pin_memory()"),
        ("y = «a if c else b»", "y = (a if c else b).pin_memory()"),
        ("y = («a + b») * c", "y = (a + b).pin_memory() * c"),
        ("y = «a + b» + c", "y = (a + b).pin_memory() + c"),
        ("y = («a * b»).to(d)", "y = (a * b).pin_memory().to(d)"),
        ("f(«a * b», c)", "f((a * b).pin_memory(), c)"),
        ("f(«a * b»)", "f((a * b).pin_memory())"),
        ("f(x=«a * b»)", "f(x=(a * b).pin_memory())"),
        ("y = [«a * b», c]", "y = [(a * b).pin_memory(), c]"),
        ("y = z if c else «x[m]»", "y = z if c else x[m].pin_memory()"),
        ("async def f(): return «await g()»", "async def f(): return (await g()).pin_memory()"),
    ],
)
def test_an_expression_on_one_line(fix: Fixer, before: str, after: str) -> None:
    assert fix(before + "\n", KIND) == after + "\n"


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            """\
            chunk_starts = (
                «torch.arange(num_chunks, dtype=torch.int32)
                .unsqueeze(1)
                .expand(-1, num_prefills)
                * max_context_chunk»
            )
            """,
            """\
            chunk_starts = (
                torch.arange(num_chunks, dtype=torch.int32)
                .unsqueeze(1)
                .expand(-1, num_prefills)
                * max_context_chunk
            ).pin_memory()
            """,
            id="parentheses over several lines are reused",
        ),
        pytest.param(
            """\
            y = (
                «a
                * b»  # scaled
                # the end
            )
            """,
            """\
            y = (
                a
                * b  # scaled
                # the end
            ).pin_memory()
            """,
            id="comments before the closing parenthesis stay",
        ),
        pytest.param(
            """\
            y = (
                «torch.arange(n)
                .unsqueeze(1)
                .repeat(1, 2)»
            )
            """,
            """\
            y = (
                torch.arange(n)
                .unsqueeze(1)
                .repeat(1, 2)
                .pin_memory()
            )
            """,
            id="one method a line",
        ),
        pytest.param(
            """\
            y = («torch.arange(n)
                 .repeat(1, 2)»)
            """,
            """\
            y = (torch.arange(n)
                 .repeat(1, 2)
                 .pin_memory())
            """,
            id="one method a line, closed on the last",
        ),
        pytest.param(
            """\
            y = «torch.arange(n) \\
                .repeat(1, 2)»
            """,
            """\
            y = torch.arange(n) \\
                .repeat(1, 2).pin_memory()
            """,
            id="a chain continued with backslashes",
        ),
        pytest.param(
            """\
            y = «torch.cat(
                [a, b],
            )»
            """,
            """\
            y = torch.cat(
                [a, b],
            ).pin_memory()
            """,
            id="a call on several lines",
        ),
        pytest.param(
            """\
            f(
                «a
                * b»,
                c,
            )
            """,
            """\
            f(
                (a * b).pin_memory(),
                c,
            )
            """,
            id="an argument that fits on one line",
        ),
        pytest.param(
            """\
            y = «a + torch.cat(
                [b, c]
            )»
            """,
            """\
            y = (a + torch.cat([b, c])).pin_memory()
            """,
            id="an operation that fits on one line",
        ),
        pytest.param(
            """\
            numbers_of_tokens = «numbers_of_requests_on_the_host - torch.cat(
                [numbers_of_finished, c]
            )»
            """,
            """\
            numbers_of_tokens = (
                numbers_of_requests_on_the_host - torch.cat([numbers_of_finished, c])
            ).pin_memory()
            """,
            id="an operation that fits on one line of its own",
        ),
        pytest.param(
            """\
            f(
                «numbers_of_requests_on_the_host
                - torch.cat([numbers_of_finished, numbers_of_others])»,
                c,
            )
            """,
            """\
            f(
                (
                    numbers_of_requests_on_the_host
                    - torch.cat([numbers_of_finished, numbers_of_others])
                ).pin_memory(),
                c,
            )
            """,
            id="one operand a line when it does not fit",
        ),
        pytest.param(
            """\
            y = «a + torch.cat(
                [
                    b,  # why
                ]
            )»
            """,
            """\
            y = (
                a + torch.cat(
                    [
                        b,  # why
                    ]
                )
            ).pin_memory()
            """,
            id="with the lines that it has where a comment keeps them",
        ),
        pytest.param(
            """\
            y = «a + \\
                b»
            """,
            """\
            y = (a + \\
                b).pin_memory()
            """,
            id="an operation continued with a backslash",
        ),
        pytest.param(
            '''\
            y = «a + f("""
            text
            """)»
            ''',
            '''\
            y = (a + f("""
            text
            """)).pin_memory()
            ''',
            id="a string over several lines is not indented",
        ),
    ],
)
def test_an_expression_on_several_lines(fix: Fixer, before: str, after: str) -> None:
    assert fix(before, KIND) == textwrap.dedent(after)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            """\
            rows_on_the_device = «torch.from_numpy(rows)».to(
                device, non_blocking=True
            )
            """,
            """\
            rows_on_the_device = (
                torch.from_numpy(rows).pin_memory().to(device, non_blocking=True)
            )
            """,
            id="on one line in parentheses when it fits",
        ),
        pytest.param(
            """\
            rows_on_the_device = «torch.from_numpy(rows_of_the_next_batch)».to(
                self.device, non_blocking=True
            )
            """,
            """\
            rows_on_the_device = (
                torch.from_numpy(rows_of_the_next_batch)
                .pin_memory()
                .to(self.device, non_blocking=True)
            )
            """,
            id="else one method a line",
        ),
        pytest.param(
            """\
            return «torch.cat(
                [a, b],  # both
                dim=1,
            )».to(
                device,
                non_blocking=True,
            )
            """,
            """\
            return (
                torch.cat(
                    [a, b],  # both
                    dim=1,
                )
                .pin_memory()
                .to(
                    device,
                    non_blocking=True,
                )
            )
            """,
            id="with calls of several lines",
        ),
        pytest.param(
            """\
            x = «torch.from_numpy(rows)»[
                :n
            ].to(device)
            """,
            """\
            x = torch.from_numpy(rows).pin_memory()[
                :n
            ].to(device)
            """,
            id="not where the target is not a link of the chain",
        ),
        pytest.param(
            """\
            # fmt: off
            x = «torch.from_numpy(rows)».to(
                device)
            # fmt: on
            """,
            """\
            # fmt: off
            x = torch.from_numpy(rows).pin_memory().to(
                device)
            # fmt: on
            """,
            id="not where formatters are told to keep off",
        ),
        pytest.param(
            """\
            f(«torch.from_numpy(rows)».to(
                device
            ))
            """,
            """\
            f(torch.from_numpy(rows).pin_memory().to(
                device
            ))
            """,
            id="not within another call",
        ),
    ],
)
def test_a_chain_of_several_lines_is_written_one_method_a_line(fix: Fixer, before: str, after: str) -> None:
    assert fix(before, KIND) == textwrap.dedent(after)


def test_a_snapshot_is_made_of_what_is_copied(fix: Fixer) -> None:
    before = "self.dev[:n].copy_(«self.host[:n]», non_blocking=True)\n"
    assert fix(before, "pin-snapshot") == "self.dev[:n].copy_(self.host[:n].pin_memory(), non_blocking=True)\n"


def test_two_fixes_at_one_place_are_not_mixed(fix: Fixer) -> None:
    result = fix.run("y = «a + «b»»\n", KIND)
    assert not isinstance(result, str)
    assert result.data == b"y = a + b.pin_memory()\n"
    assert [each.target for each in result.deferred] == [(1, 4, 1, 9)]


def test_an_expression_that_is_not_there_is_refused(fix: Fixer) -> None:
    result = fix.run("y = «a »\n", KIND)
    assert not isinstance(result, str)
    assert result.refused[0][1] == "line 1 holds no expression here"
    assert result.data == b"y = a \n"
