"""An import is circular when the imported module runs the importing file."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinlint.fixes.cycles import ImportGraph


def project(folder: Path, **modules: str) -> Path:
    """Write modules by their dotted names with `_` for the dot, and the packages around them."""
    for name, text in modules.items():
        *packages, last = name.split("_")
        place = folder
        for package in packages:
            place = place / package
            place.mkdir(exist_ok=True)
            if not (place / "__init__.py").exists():
                (place / "__init__.py").write_text("")
        (place / f"{'__init__' if last == 'init' else last}.py").write_text(text)
    return folder


def reaches(folder: Path, module: str, file: str) -> bool:
    return ImportGraph(Path.read_bytes).reaches(module, folder / file)


@pytest.mark.parametrize(
    "memory",
    [
        "from engine.runner import Runner\n",
        "from engine import runner\n",
        "import engine.runner\n",
        "from . import runner\n",
        "from .runner import Runner\n",
        "try:\n    import engine.runner\nexcept ImportError:\n    pass\n",
        "class A:\n    from engine.runner import Runner\n",
        "from engine.other import x\n",
    ],
)
def test_a_module_that_imports_the_file_is_circular(tmp_path: Path, memory: str) -> None:
    project(tmp_path, engine_memory=memory, engine_runner="", engine_other="from engine import runner\n")
    assert reaches(tmp_path, "engine.memory", "engine/runner.py")


@pytest.mark.parametrize(
    "memory",
    [
        "",
        "import torch\n",
        "def f():\n    from engine.runner import Runner\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from engine.runner import Runner\n",
        "from engine.other import x\n",
        "from engine import missing\n",
        "this is no Python\n",
    ],
)
def test_a_module_that_does_not_is_not(tmp_path: Path, memory: str) -> None:
    project(tmp_path, engine_memory=memory, engine_runner="", engine_other="x = 1\n")
    assert not reaches(tmp_path, "engine.memory", "engine/runner.py")


def test_the_packages_around_the_file_are_being_imported_already(tmp_path: Path) -> None:
    project(tmp_path, engine_init="from engine import runner\n", engine_memory="import engine\n", engine_runner="")
    assert not reaches(tmp_path, "engine.memory", "engine/runner.py")


def test_the_packages_around_the_module_are_run(tmp_path: Path) -> None:
    project(tmp_path, engine_utils_init="from engine import runner\n", engine_utils_memory="", engine_runner="")
    assert reaches(tmp_path, "engine.utils.memory", "engine/runner.py")


def test_a_module_of_another_project_does_not_import_this_one(tmp_path: Path) -> None:
    project(tmp_path, engine_runner="")
    assert not reaches(tmp_path, "torch", "engine/runner.py")
