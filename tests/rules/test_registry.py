"""The list of rules: their order, names, pages, and the words that select them."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from pinlint.rules import RULES, Rule, codes_of, find_rule
from pinlint.rules.base import HEADINGS

FOLDER = Path(__file__).parents[2] / "pinlint" / "rules"


def test_rules_are_listed_by_code() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == sorted(set(codes))


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_rules_file_is_named_after_it(rule: Rule) -> None:
    name = f"{rule.code.lower()}_{rule.name.replace('-', '_')}"
    assert type(rule).__module__ == f"pinlint.rules.{name}"
    assert (FOLDER / f"{name}.py").is_file()


def test_every_rule_file_is_listed() -> None:
    modules = {type(rule).__module__.rpartition(".")[2] for rule in RULES}
    assert modules == {path.stem for path in FOLDER.glob("pin*.py")}


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_page_has_the_fixed_headings_each_with_text(rule: Rule) -> None:
    headings = re.findall(r"^## (.+)$", rule.explanation, re.MULTILINE)
    assert tuple(headings) == HEADINGS
    for section in re.split(r"^## .+$", rule.explanation, flags=re.MULTILINE)[1:]:
        assert section.strip()


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_an_example_and_its_remedy_are_python(rule: Rule) -> None:
    blocks = re.findall(r"^```python\n(.*?)^```", rule.explanation, re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 2
    for block in blocks:
        compile(f"def example():\n{re.sub('^', '    ', block, flags=re.MULTILINE)}", rule.code, "exec")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_a_summary_is_one_line_without_a_full_stop(rule: Rule) -> None:
    assert re.fullmatch(r"[^\n]{20,100}[^.\n]", rule.summary)


@pytest.mark.parametrize("word", ["PIN101", "pin101", "pageable-h2d-copy"])
def test_a_rule_is_found_by_its_code_or_name(word: str) -> None:
    rule = find_rule(word)
    assert rule is not None
    assert rule.code == "PIN101"


def test_nothing_else_is_a_rule() -> None:
    assert find_rule("PIN1") is None
    assert find_rule("") is None


def test_selectors_are_codes_beginnings_and_all() -> None:
    everything = {rule.code for rule in RULES}
    assert codes_of(["PIN101"]) == {"PIN101"}
    assert codes_of(["PIN2", "PIN105"]) == {"PIN105", "PIN201", "PIN202"}
    assert codes_of(["ALL"]) == everything
    assert codes_of([]) == set()
