"""Which files a run is about, and which settings they go by."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinlint.config import Overrides, SettingsFinder
from pinlint.targets import Group, Targets, find_targets, project_files


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    return tmp_path


def touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()


def find(root: Path, *paths: str, stdin: tuple[str, bytes] | None = None) -> Targets:
    return find_targets(paths, stdin, root, SettingsFinder(root, Overrides()))


def names(group: Group, root: Path) -> list[str]:
    return [file.relative_to(root).as_posix() for file in group.files]


def test_files_below_a_directory_are_one_group(root: Path) -> None:
    touch(root, "a.py", "pkg/__init__.py", "pkg/b.pyi", "notes.txt")
    [group] = find(root).groups
    assert names(group, root) == ["a.py", "pkg/__init__.py", "pkg/b.pyi"]
    assert group.settings.root == root


def test_a_file_named_twice_counts_once(root: Path) -> None:
    touch(root, "pkg/a.py")
    assert find(root, "pkg/a.py", ".", "pkg/../pkg/a.py").count == 1


def test_files_with_a_configuration_of_their_own_are_a_group_of_their_own(root: Path) -> None:
    touch(root, "a.py", "part/b.py", "part/deep/c.py")
    (root / "part" / "pinlint.toml").touch()
    around, part = find(root).groups
    assert (names(around, root), around.settings.root) == (["a.py"], root)
    assert (names(part, root), part.settings.root) == (["part/b.py", "part/deep/c.py"], root / "part")
    [alone] = find(root, "part/deep/c.py").groups
    assert alone.settings.root == root / "part"


def test_a_project_is_all_around_the_files_asked_about(root: Path) -> None:
    touch(root, "a.py", "pkg/b.py", "build/c.py", "tests/d.py")
    [group] = find(root, "pkg/b.py", "build/c.py").groups
    found = {file.relative_to(root).as_posix() for file in project_files(group)}
    assert found == {"a.py", "pkg/b.py", "tests/d.py", "build/c.py"}


def test_standard_input_belongs_where_its_name_says(root: Path) -> None:
    touch(root, "part/b.py")
    (root / "part" / "pinlint.toml").touch()
    [group] = find(root, "-", stdin=("part/new.py", b"text")).groups
    assert group.settings.root == root / "part"
    assert group.overlay == {root / "part" / "new.py": b"text"}
    assert names(group, root) == ["part/new.py"]


def test_a_path_that_does_not_exist_is_one_error_however_often_it_is_named(root: Path) -> None:
    targets = find(root, "missing.py", "missing.py")
    assert [(error.path, error.message) for error in targets.errors] == [("missing.py", "no such file or directory")]
    assert targets.groups == ()
