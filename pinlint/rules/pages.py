"""The explanation pages: what `pinlint explain` prints and what stands in docs/rules/."""

from __future__ import annotations

from collections.abc import Iterable

from pinlint.rules.base import Rule


def page(rule: Rule) -> str:
    """Return the page of one rule, in Markdown."""
    state = "On by default." if rule.default else f'Off by default: select it with `select = ["{rule.code}"]`.'
    return f"# {rule.code} {rule.name}\n\n{rule.summary}. {state}\n\n{rule.explanation}\n"


def index(rules: Iterable[Rule]) -> str:
    """Return the page that lists all rules, in Markdown."""
    rows = [f"| [{rule.code}]({rule.code}.md) | {rule.name} | {_state(rule)} | {rule.summary} |" for rule in rules]
    return "\n".join(["# Rules", "", "| code | name | default | what it finds |", "|---|---|---|---|", *rows]) + "\n"


def listing(rules: Iterable[Rule]) -> str:
    """Return one line for each rule, for a terminal."""
    listed = list(rules)
    width = max(len(rule.name) for rule in listed)
    lines = [f"{rule.code}  {rule.name:{width}}  {_state(rule):3}  {rule.summary}" for rule in listed]
    return "\n".join(lines) + "\n"


def _state(rule: Rule) -> str:
    return "on" if rule.default else "off"
