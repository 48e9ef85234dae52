"""The pages in docs/rules/ are generated, complete and up to date."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

from pinlint.rules import RULES

SCRIPT = Path(__file__).parents[2] / "scripts" / "generate_docs.py"


@pytest.fixture(scope="module")
def generate() -> ModuleType:
    spec = importlib.util.spec_from_file_location("generate_docs", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_committed_pages_are_up_to_date(generate: ModuleType) -> None:
    assert generate.outdated(generate.FOLDER) == []
    assert generate.main(["--check"]) == 0


def test_every_rule_has_a_page_and_a_line_in_the_index(generate: ModuleType) -> None:
    pages = generate.pages()
    for rule in RULES:
        assert pages[f"{rule.code}.md"].startswith(f"# {rule.code} {rule.name}\n\n{rule.summary}. On by default.\n")
        assert f"[{rule.code}]({rule.code}.md)" in pages["README.md"]


def test_pages_are_written_once_and_then_left_alone(generate: ModuleType, tmp_path: Path) -> None:
    generate.write(tmp_path / "rules")
    assert generate.outdated(tmp_path / "rules") == []
    assert {path.name for path in (tmp_path / "rules").iterdir()} == set(generate.pages())


def test_a_page_that_was_edited_or_belongs_to_no_rule_is_outdated_and_mended(
    generate: ModuleType, tmp_path: Path
) -> None:
    generate.write(tmp_path)
    (tmp_path / "PIN101.md").write_text("edited", encoding="utf-8")
    (tmp_path / "PIN000.md").touch()
    assert generate.outdated(tmp_path) == ["PIN000.md", "PIN101.md"]
    generate.write(tmp_path)
    assert generate.outdated(tmp_path) == []


def test_other_arguments_are_refused(generate: ModuleType, capsys: pytest.CaptureFixture[str]) -> None:
    assert generate.main(["--chek"]) == 2
    assert "usage:" in capsys.readouterr().err
