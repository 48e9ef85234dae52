"""What is in the distribution: the wheel as built, its metadata and the one place of the version."""

from __future__ import annotations

import configparser
import email
import email.message
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import pinlint

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> zipfile.ZipFile:
    """Build the wheel with the installed build back end, without the network."""
    source = tmp_path_factory.mktemp("source")
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(ROOT / name, source)
    shutil.copytree(ROOT / "pinlint", source / "pinlint", ignore=shutil.ignore_patterns("__pycache__"))
    build = "import hatchling.build; print(hatchling.build.build_wheel('.'))"
    built = subprocess.run([sys.executable, "-c", build], cwd=source, check=True, capture_output=True, encoding="utf-8")
    return zipfile.ZipFile(source / built.stdout.split()[-1])


def metadata(wheel: zipfile.ZipFile, name: str) -> str:
    [path] = [path for path in wheel.namelist() if path.endswith(f".dist-info/{name}")]
    return wheel.read(path).decode()


@pytest.fixture
def fields(wheel: zipfile.ZipFile) -> email.message.Message:
    return email.message_from_string(metadata(wheel, "METADATA"))


def test_the_wheel_holds_every_module_and_every_model(wheel: zipfile.ZipFile) -> None:
    files = {path.relative_to(ROOT).as_posix() for path in (ROOT / "pinlint").rglob("*") if path.is_file()}
    wanted = {path for path in files if "__pycache__" not in path}
    assert {path for path in wanted if path.endswith(".toml")}
    assert {path for path in wheel.namelist() if ".dist-info/" not in path} == wanted


def test_the_command_is_pinlint(wheel: zipfile.ZipFile) -> None:
    scripts = configparser.ConfigParser()
    scripts.read_string(metadata(wheel, "entry_points.txt"))
    assert dict(scripts["console_scripts"]) == {"pinlint": "pinlint.cli:main"}


def test_the_version_stands_in_one_place(fields: email.message.Message) -> None:
    assert fields["Name"] == "torch-pinlint"
    assert fields["Version"] == pinlint.__version__
    pyproject = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert pinlint.__version__ not in pyproject.partition("[project]")[2].partition("[project.optional")[0]


def test_no_dependency_has_an_upper_bound(fields: email.message.Message) -> None:
    requirements = fields.get_all("Requires-Dist", [])
    assert requirements
    for requirement in requirements:
        specifier = requirement.partition(";")[0]
        assert "<" not in specifier, requirement
        assert "==" not in specifier, requirement


def test_every_supported_python_is_named(fields: email.message.Message) -> None:
    assert fields["Requires-Python"] == ">=3.10"
    for minor in range(10, 15):
        assert f"Programming Language :: Python :: 3.{minor}" in fields.get_all("Classifier", [])


def test_the_licence_is_shipped(wheel: zipfile.ZipFile, fields: email.message.Message) -> None:
    assert fields["License-Expression"] == "Apache-2.0"
    assert "Apache License" in metadata(wheel, "licenses/LICENSE")


def test_running_the_package_is_running_the_command() -> None:
    shown = subprocess.run(
        [sys.executable, "-m", "pinlint", "--version"], cwd=ROOT, check=True, capture_output=True, encoding="utf-8"
    )
    assert pinlint.__version__ in shown.stdout
