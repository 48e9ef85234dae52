"""Every command in the README and the other pages does what the page says.

A page shows commands in fenced `console` blocks: a line that starts with `$ ` is a command, the lines below it are
what it prints. A `pinlint` command is run here, in a copy of the files it may touch. Any other needs the network
or is the test run itself: it must be one that `.ci/run` runs, word for word.
"""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import yaml

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).parent.parent
PAGES = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Command:
    page: Path
    text: str
    output: str
    """What the page shows below the command, "" when it shows nothing."""

    def __str__(self) -> str:
        return f"{self.page.relative_to(ROOT).as_posix()}: {self.text}"


def blocks(language: str) -> list[tuple[Path, str]]:
    return [
        (page, body)
        for page in PAGES
        for name, body in FENCE.findall(page.read_text(encoding="utf-8"))
        if name == language
    ]


def commands() -> Iterator[Command]:
    for page, body in blocks("console"):
        for part in re.split(r"^\$ ", body, flags=re.MULTILINE)[1:]:
            text, _, output = part.partition("\n")
            yield Command(page, text, output.strip("\n"))


def is_pinlint(command: Command) -> bool:
    return command.text.startswith("pinlint ")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    shutil.copytree(ROOT / "fixtures", tmp_path / "fixtures", ignore=shutil.ignore_patterns(".pinlint_cache"))
    return tmp_path


def run_pinlint(arguments: list[str], folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "pinlint", *arguments], cwd=folder, check=False, capture_output=True, encoding="utf-8"
    )


@pytest.mark.parametrize("command", [c for c in commands() if is_pinlint(c)], ids=str)
def test_a_command_prints_what_the_page_shows(command: Command, copy: Path) -> None:
    result = run_pinlint(shlex.split(command.text)[1:], copy)
    assert result.returncode in (0, 1), result.stderr
    assert "Traceback" not in result.stderr
    if command.output:
        assert result.stdout.strip("\n") == command.output


@pytest.mark.parametrize("command", [c for c in commands() if not is_pinlint(c)], ids=str)
def test_any_other_command_is_one_that_continuous_integration_runs(command: Command) -> None:
    script = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert command.text == "bash .ci/run" or without_folders(command.text) in without_folders(script)


def without_folders(commands: str) -> str:
    """Shell text with the programs of an environment called by their names."""
    return commands.replace(".venv/bin/", "").replace('"$bin/', "").replace('" ', " ")


def test_the_readme_has_its_two_commands_and_a_finding() -> None:
    shown = [command for command in commands() if command.page.name == "README.md"]
    assert any("pip install" in command.text and "pinlint check fixtures" in command.text for command in shown)
    assert any("pip install" in command.text and "pytest" in command.text for command in shown)
    assert any(is_pinlint(command) and "PIN101" in command.output for command in shown)


@pytest.mark.parametrize(("page", "body"), blocks("toml"), ids=lambda value: getattr(value, "name", ""))
def test_settings_shown_are_accepted(page: Path, body: str, tmp_path: Path) -> None:
    assert "tool" in tomllib.loads(body), page
    (tmp_path / "pyproject.toml").write_text(body, encoding="utf-8")
    (tmp_path / "empty.py").touch()
    result = run_pinlint(["check", "empty.py"], tmp_path)
    assert result.returncode == 0, result.stderr


@pytest.mark.parametrize(("page", "body"), blocks("yaml"), ids=lambda value: getattr(value, "name", ""))
def test_hooks_shown_exist(page: Path, body: str) -> None:
    shipped = {hook["id"] for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}
    shown = {hook["id"] for repository in yaml.safe_load(body)["repos"] for hook in repository["hooks"]}
    assert shown
    assert shown <= shipped, page


def test_links_between_pages_lead_somewhere() -> None:
    for page in PAGES:
        for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name} links to {target}"
