"""`pinlint config` shows what holds and where it comes from."""

from __future__ import annotations

from pathlib import Path

from pinlint.config import Overrides, SettingsFinder
from pinlint.config.show import show
from pinlint.config.table import Table


def shown(root: Path, overrides: Overrides | None = None) -> dict[str, str]:
    """Each shown line, by its key, with single blanks."""
    overrides = overrides or Overrides()
    lines = show(SettingsFinder(root, overrides).settings_for(root), overrides, root).splitlines()
    return {line.removeprefix("# ").split()[0]: " ".join(line.split()) for line in lines}


def test_every_setting_is_shown_with_its_origin(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pinlint]\nselect = ["PIN2"]\nfail-level = "note"\nper-file-ignores = { "tests/" = ["ALL"] }\n'
        '[[tool.pinlint.models]]\nnames = ["a.b"]\neffect = "compute"\n'
    )
    lines = shown(tmp_path)
    assert lines["root"] == 'root = "." # the project\'s top directory'
    assert lines["rules"] == 'rules = ["PIN201", "PIN202"] # pyproject.toml'
    assert lines["fail-level"] == 'fail-level = "note" # pyproject.toml'
    assert lines["per-file-ignores"] == 'per-file-ignores = { "tests/" = ["ALL"] } # pyproject.toml'
    assert lines["models"] == 'models = [{ "names" = ["a.b"], "effect" = "compute" }] # pyproject.toml'
    assert lines["respect-gitignore"] == "respect-gitignore = true # default"
    assert lines["pin-memory"] == "# pin-memory is not set # default"
    selecting = {"select", "extend_select", "ignore"}
    assert set(lines) == {name.replace("_", "-") for name in set(Table.__struct_fields__) - selecting} | {
        "root",
        "rules",
    }


def test_the_command_line_is_named_where_it_decides(tmp_path: Path) -> None:
    (tmp_path / "pinlint.toml").write_text('ignore = ["PIN105"]')
    lines = shown(tmp_path, Overrides(ignore=("PIN2",), fail_level="error"))
    assert lines["rules"].endswith("# pinlint.toml, command line")
    assert lines["fail-level"] == 'fail-level = "error" # command line'
    assert shown(tmp_path, Overrides(select=("PIN101",)))["rules"] == 'rules = ["PIN101"] # command line'


def test_comments_stand_in_one_column(tmp_path: Path) -> None:
    overrides = Overrides(select=("PIN101",))
    lines = show(SettingsFinder(tmp_path, overrides).settings_for(tmp_path), overrides, tmp_path).splitlines()
    short = [line for line in lines if len(line) < 80]
    assert len({line.rindex("  # ") for line in short}) == 1
    assert len(short) > len(lines) / 2
