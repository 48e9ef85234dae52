"""The hooks of `.pre-commit-hooks.yaml`, run by the real pre-commit on a scratch repository.

pre-commit would install the hooks into environments of their own, from the network. Here each hook is declared `local`
with `language: system` and everything else as shipped, so pre-commit runs the same entry from this environment.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parent.parent
HOOKS = {hook["id"]: hook for hook in yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text(encoding="utf-8"))}

PAGEABLE = """\
import torch


def push(values, live):
    host = torch.tensor(values)
    live = live.cuda()
    live.copy_(host, non_blocking=True)
"""
CLEAN = "import torch\n\n\ndef pinned(n):\n    return torch.zeros(n, pin_memory=True)\n"


class Repository:
    """A scratch git repository whose pre-commit configuration has one hook."""

    def __init__(self, folder: Path, hook: str, home: Path) -> None:
        self.folder = folder
        self.environment = os.environ | {
            "PATH": os.pathsep.join([sysconfig.get_path("scripts"), os.environ["PATH"]]),
            "PRE_COMMIT_HOME": str(home),
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_NOSYSTEM": "1",
        }
        self.run("git", "init", "--quiet")
        local = {"repo": "local", "hooks": [HOOKS[hook] | {"language": "system"}]}
        self.write(".pre-commit-config.yaml", yaml.safe_dump({"repos": [local]}))

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text, encoding="utf-8")
        self.run("git", "add", "--all")

    def run(self, *command: str) -> None:
        subprocess.run(command, cwd=self.folder, env=self.environment, check=True)

    def pre_commit(self) -> subprocess.CompletedProcess[str]:
        """Run every hook, as `pre-commit run --all-files` does by hand and in continuous integration."""
        return subprocess.run(
            [sys.executable, "-m", "pre_commit", "run", "--all-files", "--color=never", "--verbose"],
            cwd=self.folder,
            env=self.environment,
            check=False,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )


@pytest.fixture
def repository(request: pytest.FixtureRequest, tmp_path: Path) -> Repository:
    folder = tmp_path / "project"
    folder.mkdir()
    return Repository(folder, request.param, tmp_path / "home")


@pytest.mark.parametrize("repository", ["pinlint", "pinlint-all"], indirect=True)
def test_a_blocking_copy_fails_the_hook(repository: Repository) -> None:
    repository.write("step.py", PAGEABLE)
    repository.write("other.py", CLEAN)
    result = repository.pre_commit()
    assert result.returncode == 1, result.stdout
    assert "step.py:7:10" in result.stdout
    assert "PIN101" in result.stdout
    assert "other.py" not in result.stdout


@pytest.mark.parametrize("repository", sorted(HOOKS), indirect=True)
def test_a_clean_project_passes(repository: Repository) -> None:
    repository.write("other.py", CLEAN)
    result = repository.pre_commit()
    assert result.returncode == 0, result.stdout
    assert "Passed" in result.stdout


@pytest.mark.parametrize("repository", ["pinlint", "pinlint-fix"], indirect=True)
def test_files_of_other_types_are_not_passed(repository: Repository) -> None:
    repository.write("notes.txt", PAGEABLE)
    result = repository.pre_commit()
    assert result.returncode == 0, result.stdout
    assert "Skipped" in result.stdout


@pytest.mark.parametrize("repository", ["pinlint-fix"], indirect=True)
def test_the_fixing_hook_fails_once_and_then_passes(repository: Repository) -> None:
    repository.write("step.py", PAGEABLE)
    first = repository.pre_commit()
    assert first.returncode == 1, first.stdout
    assert "files were modified by this hook" in first.stdout
    assert "pin_memory=" in (repository.folder / "step.py").read_text(encoding="utf-8")
    repository.run("git", "add", "--all")
    second = repository.pre_commit()
    assert second.returncode == 0, second.stdout


def test_every_hook_says_the_same_of_the_files_it_takes() -> None:
    for hook in HOOKS.values():
        assert hook["types_or"] == ["python", "pyi"]
        assert hook["require_serial"] is True
        assert hook["language"] == "python"
