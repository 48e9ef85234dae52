"""A line that a fix made too long is split as formatters split it; other lines are not touched."""

from __future__ import annotations

import textwrap
from typing import TYPE_CHECKING

import pytest

from pinlint.fixes.layout import line_limit
from pinlint.fixes.splitting import split_long_lines

if TYPE_CHECKING:
    from tests.fixes.conftest import Fixer


def split(text: str, limit: int = 40) -> str:
    text = textwrap.dedent(text)
    return split_long_lines(text, range(text.count("\n")), limit, "    ")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        pytest.param(
            """\
            x = torch.zeros(rows, columns, pin_memory=True)
            """,
            """\
            x = torch.zeros(
                rows, columns, pin_memory=True
            )
            """,
            id="at its brackets",
        ),
        pytest.param(
            """\
            x = torch.zeros(rows, columns, dtype=torch.int32, pin_memory=True)
            """,
            """\
            x = torch.zeros(
                rows,
                columns,
                dtype=torch.int32,
                pin_memory=True,
            )
            """,
            id="one argument a line when they do not fit on one",
        ),
        pytest.param(
            """\
            x = torch.zeros(
                rows, columns, dtype=torch.int32, pin_memory=True
            )
            """,
            """\
            x = torch.zeros(
                rows,
                columns,
                dtype=torch.int32,
                pin_memory=True,
            )
            """,
            id="arguments that stood on a line of their own",
        ),
        pytest.param(
            """\
            x = torch.zeros(n, pin_memory=True).to(device, True)
            """,
            """\
            x = torch.zeros(n, pin_memory=True).to(
                device, True
            )
            """,
            id="at the last brackets before which it fits",
        ),
        pytest.param(
            """\
            x = torch.zeros(rows, pin_memory=True).to(
                device, True
            )
            """,
            """\
            x = torch.zeros(
                rows, pin_memory=True
            ).to(device, True)
            """,
            id="joined again where another split is better",
        ),
        pytest.param(
            """\
            x = torch.zeros(rows, pin_memory=True)  # rows
            """,
            """\
            x = torch.zeros(
                rows, pin_memory=True
            )  # rows
            """,
            id="with its comment behind it",
        ),
        pytest.param(
            """\
            x = [torch.zeros(n, pin_memory=True) for n in sizes]
            """,
            """\
            x = [
                torch.zeros(n, pin_memory=True)
                for n in sizes
            ]
            """,
            id="a comprehension before its `for`",
        ),
        pytest.param(
            """\
            x = (torch.zeros(n), torch.zeros(m, pin_memory=True))
            """,
            """\
            x = (
                torch.zeros(n),
                torch.zeros(m, pin_memory=True),
            )
            """,
            id="a tuple one element a line",
        ),
        pytest.param(
            """\
            offsets = (lengths.cumsum(0) - lengths).pin_memory()
            """,
            """\
            offsets = (
                lengths.cumsum(0) - lengths
            ).pin_memory()
            """,
            id="parentheses that the fix wrote",
        ),
        pytest.param(
            """\
            offsets = lengths.cumsum(0).repeat(2).pin_memory()
            """,
            """\
            offsets = (
                lengths.cumsum(0)
                .repeat(2)
                .pin_memory()
            )
            """,
            id="a chain one method a line",
        ),
        pytest.param(
            """\
            return torch.zeros(n, pin_memory=True), n
            """,
            """\
            return (
                torch.zeros(n, pin_memory=True),
                n,
            )
            """,
            id="a tuple without parentheses",
        ),
        pytest.param(
            """\
            x = torch.zeros(n, pin_memory=True) if n else None
            """,
            """\
            x = (
                torch.zeros(n, pin_memory=True)
                if n
                else None
            )
            """,
            id="a conditional",
        ),
        pytest.param(
            """\
            x = torch.zeros(n, pin_memory=True) + offset
            """,
            """\
            x = (
                torch.zeros(n, pin_memory=True)
                + offset
            )
            """,
            id="an operation that does not end in a bracket",
        ),
        pytest.param(
            """\
            self.offsets = self.lengths_of_rows.pin_memory()
            """,
            """\
            self.offsets = (
                self.lengths_of_rows.pin_memory()
            )
            """,
            id="in parentheses when it has no brackets",
        ),
        pytest.param(
            """\
            f(
                lengths.cumsum(0) - lengths[:1] * 2 - offset,
            )
            """,
            """\
            f(
                lengths.cumsum(0)
                - lengths[:1] * 2
                - offset,
            )
            """,
            id="an argument before its operators",
        ),
    ],
)
def test_a_long_line_is_split(before: str, after: str) -> None:
    assert split(before) == textwrap.dedent(after)


@pytest.mark.parametrize(
    "line",
    [
        "x = torch.zeros(rows, pin_memory=True)\n",
        "# torch.zeros(rows, columns, pin_memory=True)\n",
        "x = torch.zeros(rows, columns, pin_memory=True)  # fmt: skip\n",
        "x = torch.zeros(rows, columns, pin_memory=True)  # noqa: E501\n",
        "x = torch.zeros(rows, columns, pin_memory=True)  # pinlint: ignore\n",
        "# fmt: off\nx = torch.zeros(rows, columns, pin_memory=True)\n# fmt: on\n",
        "if condition and another_condition or a_third:\n    pass\n",
        "import torch_of_the_project.utils.memory.pinning\n",
        '''x = f("""\n        a long line in a string, which (of course) stays\n""")\n''',
    ],
)
def test_a_line_is_left_alone(line: str) -> None:
    assert split(line) == line


def test_lines_after_the_switched_off_ones_are_split_again() -> None:
    long = "x = torch.zeros(rows, columns, pin_memory=True)\n"
    assert split(f"# fmt: off\n{long}# fmt: on\n{long}").count("\n") == 6


def test_a_line_that_was_too_long_before_the_fix_is_not_split(fix: Fixer) -> None:
    long = f"x = «torch.zeros({'rows * ' * 12}columns, dtype=torch.int32)»\n"
    others = "y = 1\n" * 300
    assert fix(long + others, "pin-at-allocation") == long.replace("«", "").replace(")»", ", pin_memory=True)") + others


@pytest.mark.parametrize(
    ("longest", "lines", "limit"),
    [(70, 300, 79), (70, 10, 88), (86, 300, 88), (95, 300, 100), (118, 300, 120), (119, 300, 120)],
)
def test_the_limit_is_the_usual_one_that_the_lines_keep(longest: int, lines: int, limit: int) -> None:
    line = f"{'a' * (longest - 4)} = 1\n"
    assert line_limit(line * lines) == limit


def test_strings_and_comments_do_not_count_for_the_limit() -> None:
    assert line_limit(f"x = 1\ny = '{'a' * 150}'\nz = 1  # {'b' * 150}\n" * 10) == 88


def test_a_file_that_keeps_to_no_limit_has_none() -> None:
    assert line_limit(f"{'a' * 200} = 1\n" * 10) > 1000
