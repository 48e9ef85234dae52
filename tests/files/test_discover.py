"""A run finds the files a person would expect it to."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

import pytest

from pinlint.files.discover import discover, import_root, project_directory
from pinlint.files.errors import FileError

Tree: TypeAlias = Callable[[str], Path]


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Tree:
    """Make files, each with a line of text or none: `path: text` a line; the working directory is the tree."""

    def make(files: str) -> Path:
        for line in files.split():
            name, _, content = line.partition(":")
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content.replace(",", "\n"))
        return tmp_path

    monkeypatch.chdir(tmp_path)
    return make


def found(root: Path, *paths: str, **options: object) -> list[str]:
    """What is found below `root`, relative to it."""
    result = discover([root / path for path in paths or (".",)], root=root, **options)
    assert result.errors == []
    return [path.relative_to(root).as_posix() for path in result.files]


def test_python_files_are_found_at_every_level_in_order(tree: Tree) -> None:
    root = tree("b.py a/c.pyi a/d/e.py a.txt setup.cfg a/f.pyc .hidden/g.py")
    assert found(root) == [".hidden/g.py", "a/c.pyi", "a/d/e.py", "b.py"]


def test_a_named_file_is_taken_whatever_it_is_called(tree: Tree) -> None:
    root = tree("script build/a.py .gitignore:script")
    assert found(root, "script", "build/a.py") == ["build/a.py", "script"]


def test_a_file_named_twice_or_below_a_named_directory_is_found_once(tree: Tree) -> None:
    root = tree("a/b.py a/c.py")
    assert found(root, "a/b.py", "a", ".", "a/../a/b.py") == ["a/b.py", "a/c.py"]


def test_a_path_that_is_not_there_is_an_error_and_the_rest_is_found(tree: Tree) -> None:
    root = tree("a.py")
    result = discover([Path("no/b.py"), root / "a.py"], root=root)
    assert result.files == [root / "a.py"]
    assert result.errors == [FileError("no/b.py", None, "no such file or directory")]


def test_folders_that_never_hold_own_code_are_not_entered(tree: Tree) -> None:
    root = tree("a.py .git/b.py .venv/c.py venv/d.py node_modules/e.py __pycache__/f.py build/g.py dist/h.py .tox/i.py")
    tree("x/.mypy_cache/j.py x/site-packages/k.py")
    assert found(root) == ["a.py"]


def test_exclude_replaces_the_usual_folders_and_extend_exclude_adds_to_them(tree: Tree) -> None:
    root = tree("a.py build/b.py third/c.py third_party/d.py")
    assert found(root, exclude=["third"]) == ["a.py", "build/b.py", "third_party/d.py"]
    assert found(root, extend_exclude=["third*"]) == ["a.py"]


@pytest.mark.parametrize(
    ("pattern", "left"),
    [
        ("b.py", ["a/c.py", "d/a/c.py"]),
        ("a/", ["b.py"]),
        ("/a", ["b.py", "d/a/b.py", "d/a/c.py"]),
        ("a/c.py", ["a/b.py", "b.py", "d/a/b.py", "d/a/c.py"]),
        ("**/a/c.py", ["a/b.py", "b.py", "d/a/b.py"]),
        ("d/**", ["a/b.py", "a/c.py", "b.py"]),
        ("*.py", []),
        ("[bd]*", ["a/c.py"]),
    ],
)
def test_patterns_are_those_of_a_gitignore_relative_to_the_root(pattern: str, left: list[str], tree: Tree) -> None:
    root = tree("b.py a/b.py a/c.py d/a/b.py d/a/c.py")
    assert found(root, extend_exclude=[pattern]) == left
    (root / ".gitignore").write_text(f"# comment\n\n{pattern}  \n")
    assert found(root) == left


def test_each_gitignore_holds_below_its_folder_and_the_nearest_decides(tree: Tree) -> None:
    root = tree(
        "a.py x/a.py x/b.py x/y/b.py z/b.py .gitignore:a.py,!keep.py x/.gitignore:b.py,!a.py x/y/.gitignore:!b.py"
    )
    assert found(root) == ["x/a.py", "x/y/b.py", "z/b.py"]


def test_the_last_pattern_that_matches_decides(tree: Tree) -> None:
    root = tree("a.py b.py c.py .gitignore:*.py,!b.py,!c.py,c.py")
    assert found(root) == ["b.py"]


def test_what_is_below_an_ignored_folder_stays_ignored(tree: Tree) -> None:
    root = tree("x/a.py x/b.py .gitignore:x/,!x/b.py")
    assert found(root) == []


def test_a_gitignore_above_counts_up_to_the_top_of_the_repository(tree: Tree) -> None:
    root = tree(".gitignore:*.py repo/.git/HEAD repo/.gitignore:a.py repo/src/x/a.py repo/src/x/b.py repo/src/x/c.py")
    (root / "repo/src/.gitignore").write_text("c.py")
    assert found(root, "repo/src/x") == ["repo/src/x/b.py"]


def test_without_a_repository_nothing_above_counts(tree: Tree) -> None:
    root = tree(".gitignore:*.py src/a.py")
    if any((above / ".git").exists() for above in root.parents):
        pytest.skip("the temporary directory is in a repository")
    assert found(root, "src") == ["src/a.py"]


def test_gitignore_can_be_left_out(tree: Tree) -> None:
    root = tree("a.py .gitignore:a.py")
    assert found(root, respect_gitignore=False) == ["a.py"]


def test_a_named_folder_is_entered_even_if_it_is_ignored(tree: Tree) -> None:
    root = tree(".git/HEAD .gitignore:/out,b.py out/a.py out/.gitignore:c.py out/c.py build/d.py")
    assert found(root, "out", "build") == ["build/d.py", "out/a.py"]


def test_force_exclude_holds_for_what_is_named(tree: Tree) -> None:
    root = tree("a.py build/x/b.py c/d.py")
    options = {"force_exclude": True, "extend_exclude": ["/c/d.py"]}
    assert found(root, "a.py", "build/x/b.py", "build/x", "c/d.py", **options) == ["a.py"]


def test_a_gitignore_that_is_no_text_does_no_harm(tree: Tree) -> None:
    root = tree("a.py b.py")
    (root / ".gitignore").write_bytes(b"\xef\xbb\xbfa.py\r\n\xff\xfe\n!\n[z-\n")
    assert found(root) == ["b.py"]


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_links_are_followed_only_where_they_are_named(tree: Tree) -> None:
    root = tree("a/b.py c/d.py")
    (root / "a/loop").symlink_to(root / "a", target_is_directory=True)
    (root / "c/e.py").symlink_to(root / "c/d.py")
    (root / "c/broken.py").symlink_to(root / "nowhere")
    assert found(root) == ["a/b.py", "c/d.py"]
    (root / "link").symlink_to(root / "a", target_is_directory=True)
    assert found(root, "link", "c/e.py", "c/broken.py") == ["c/broken.py", "c/e.py", "link/b.py"]


@pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="nothing is unreadable here")
def test_a_folder_without_permission_is_an_error_and_the_rest_is_found(tree: Tree) -> None:
    root = tree("a/b.py c/d.py")
    (root / "a").chmod(0)
    try:
        result = discover([root], root=root)
    finally:
        (root / "a").chmod(0o755)
    assert result.files == [root / "c/d.py"]
    assert result.errors == [FileError("a", None, "cannot be read: permission denied")]


def test_the_import_root_holds_the_top_package(tree: Tree) -> None:
    root = tree("src/a/__init__.py src/a/b/__init__.py src/a/b/c.py src/d/e.py")
    assert import_root(root / "src/a/b/c.py") == root / "src"
    assert import_root(root / "src/a/__init__.py") == root / "src"
    assert import_root(root / "src/d/e.py") == root / "src/d"


@pytest.mark.parametrize("marker", ["pyproject.toml", "setup.py", "setup.cfg", ".git"])
def test_the_project_directory_is_the_nearest_that_looks_like_one(marker: str, tree: Tree) -> None:
    root = tree(f"setup.py p/{marker} p/src/a/__init__.py p/src/a/b.py")
    assert project_directory(root / "p/src/a/b.py") == root / "p"
