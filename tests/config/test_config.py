"""What settings a run goes by, and what is said of wrong ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from pinlint.config import ConfigError, Overrides, Settings, SettingsFinder
from pinlint.findings.finding import Severity
from pinlint.rules import RULES

ON_BY_DEFAULT = {rule.code for rule in RULES if rule.default}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    (tmp_path / "setup.py").touch()
    return tmp_path


def write(folder: Path, text: str, name: str = "pyproject.toml") -> None:
    folder.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text(text, encoding="utf-8")


def settings(folder: Path, overrides: Overrides | None = None, base: Path | None = None) -> Settings:
    return SettingsFinder(base or folder, overrides or Overrides()).settings_for(folder)


def codes(folder: Path, **options: object) -> set[str]:
    return set(settings(folder, Overrides(**options)).codes)


def refusal(folder: Path, **options: object) -> str:
    with pytest.raises(ConfigError) as caught:
        settings(folder, Overrides(**options))
    assert "\n" not in str(caught.value)
    return str(caught.value)


# --- which file counts ------------------------------------------------------------------------------------------------


def test_without_a_file_the_defaults_hold(root: Path) -> None:
    found = settings(root)
    assert found.file is None
    assert found.codes == ON_BY_DEFAULT
    assert found.fail_level is Severity.WARNING


def test_the_nearest_file_counts(root: Path) -> None:
    write(root, '[tool.pinlint]\nselect = ["PIN101"]')
    write(root / "inner", '[tool.pinlint]\nselect = ["PIN201"]')
    assert codes(root) == {"PIN101"}
    assert codes(root / "inner") == {"PIN201"}
    (root / "inner" / "deep").mkdir()
    assert codes(root / "inner" / "deep") == {"PIN201"}


def test_a_pyproject_without_a_table_is_passed_over(root: Path) -> None:
    write(root, '[tool.pinlint]\nselect = ["PIN101"]')
    write(root / "inner", "[tool.ruff]\nline-length = 120")
    assert codes(root / "inner") == {"PIN101"}


def test_an_empty_table_ends_the_search(root: Path) -> None:
    write(root, '[tool.pinlint]\nselect = ["PIN101"]')
    write(root / "inner", "[tool.pinlint]")
    assert codes(root / "inner") == ON_BY_DEFAULT


def test_pinlint_toml_has_its_keys_at_the_top_and_wins_over_pyproject(root: Path) -> None:
    write(root, '[tool.pinlint]\nselect = ["PIN101"]')
    write(root, 'select = ["PIN201"]', "pinlint.toml")
    assert codes(root) == {"PIN201"}


def test_a_file_named_on_the_command_line_is_taken_instead(root: Path) -> None:
    write(root, '[tool.pinlint]\nselect = ["PIN101"]')
    write(root / "other", 'select = ["PIN104"]', "strict.toml")
    assert codes(root, config=root / "other" / "strict.toml") == {"PIN104"}


def test_a_byte_order_mark_does_not_hurt(root: Path) -> None:
    (root / "pinlint.toml").write_bytes(b'\xef\xbb\xbfselect = ["PIN101"]')
    assert codes(root) == {"PIN101"}


# --- the project's top ------------------------------------------------------------------------------------------------


def test_the_project_starts_where_its_configuration_is(root: Path) -> None:
    write(root, "[tool.pinlint]")
    write(root / "library", "", "setup.py")
    assert settings(root / "library").root == root


def test_without_a_configuration_a_marker_shows_the_top(root: Path) -> None:
    (root / "package" / "inner").mkdir(parents=True)
    assert settings(root / "package" / "inner").root == root


def test_a_repository_is_one_project_whatever_stands_inside(root: Path) -> None:
    (root / ".git").mkdir()
    write(root / "library", "", "setup.py")
    assert settings(root / "library").root == root


def test_without_any_marker_the_project_holds_the_top_package(tmp_path: Path) -> None:
    inner = tmp_path / "package" / "inner"
    for folder in (inner, inner.parent):
        write(folder, "", "__init__.py")
    assert settings(inner).root == tmp_path
    assert settings(tmp_path).root == tmp_path


# --- which rules ------------------------------------------------------------------------------------------------------


def test_select_replaces_and_extend_select_adds(root: Path) -> None:
    write(root, '[tool.pinlint]\nselect = ["PIN1"]\nextend-select = ["PIN201"]\nignore = ["PIN105"]')
    assert codes(root) == {"PIN101", "PIN102", "PIN103", "PIN104", "PIN201"}


def test_the_command_lines_select_replaces_all_that_the_file_says(root: Path) -> None:
    write(root, '[tool.pinlint]\nextend-select = ["PIN201"]\nignore = ["PIN105"]')
    assert codes(root, select=("PIN105",)) == {"PIN105"}


def test_the_command_lines_ignore_and_extend_select_add_to_the_file(root: Path) -> None:
    write(root, '[tool.pinlint]\nselect = ["PIN1"]')
    assert codes(root, ignore=("PIN102", "PIN103"), extend_select=("PIN2",)) == {
        "PIN101",
        "PIN104",
        "PIN105",
        "PIN201",
        "PIN202",
    }


def test_nothing_is_selected_by_an_empty_list(root: Path) -> None:
    write(root, "[tool.pinlint]\nselect = []")
    assert codes(root) == set()


def test_rules_are_ignored_for_files_that_match(root: Path) -> None:
    write(root, '[tool.pinlint]\nper-file-ignores = { "tests/" = ["PIN1"], "*_test.py" = ["ALL"] }')
    found = settings(root)
    assert found.reports("PIN101", root / "model.py")
    assert not found.reports("PIN101", root / "tests" / "deep" / "test_model.py")
    assert found.reports("PIN201", root / "tests" / "test_model.py")
    assert not found.reports("PIN201", root / "pkg" / "model_test.py")
    assert found.reports("PIN101", root.parent / "tests" / "elsewhere.py")


# --- the other settings -----------------------------------------------------------------------------------------------


def test_the_fail_level_is_the_files_unless_the_command_line_has_one(root: Path) -> None:
    write(root, '[tool.pinlint]\nfail-level = "note"')
    assert settings(root).fail_level is Severity.NOTE
    assert settings(root, Overrides(fail_level="error")).fail_level is Severity.ERROR


def test_fixes_know_the_projects_expressions(root: Path) -> None:
    write(root, '[tool.pinlint]\npin-memory = "pkg.utils.PIN"\npin-array = "pkg.utils.to_pinned"')
    fixes = settings(root).fixes
    assert (fixes.pin_memory, fixes.pin_array) == ("pkg.utils.PIN", "pkg.utils.to_pinned")


# --- what is wrong ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('slect = ["PIN101"]', 'slect: unknown key, did you mean "select"?'),
        ("extend_select = []", 'extend_select: unknown key, did you mean "extend-select"?'),
        ("zzzz = 1", "zzzz: unknown key"),
        ('select = "PIN101"', 'select: expected an array of strings, not "PIN101"'),
        ("ignore = [1]", "ignore: expected an array of strings, not [1]"),
        ("respect-gitignore = 1", "respect-gitignore: expected true or false, not 1"),
        ('fail-level = "fatal"', 'fail-level: expected "error", "warning" or "note", not "fatal"'),
        ("pin-memory = true", "pin-memory: expected a string, not true"),
        ('per-file-ignores = ["a"]', 'per-file-ignores: expected a table of arrays of strings, not ["a"]'),
        ('models = "x"', 'models: expected an array of tables, not "x"'),
        ("src = 2020-01-01", 'src: expected an array of strings, not "2020-01-01"'),
        ('select = ["PIN999"]', 'select: unknown code "PIN999"'),
        ('ignore = ["pin101"]', 'ignore: unknown code "pin101", did you mean "PIN101"?'),
        ('select = [""]', 'select: unknown code ""'),
        ('per-file-ignores = { "a.py" = ["PIN7"] }', 'per-file-ignores."a.py": unknown code "PIN7"'),
    ],
)
def test_a_wrong_setting_names_the_file_the_key_and_what_was_expected(root: Path, text: str, expected: str) -> None:
    write(root, f"[tool.pinlint]\n{text}")
    message = refusal(root)
    assert message.startswith(f"pyproject.toml: tool.pinlint.{expected}")
    (root / "pyproject.toml").unlink()
    write(root, text, "pinlint.toml")
    assert refusal(root).startswith(f"pinlint.toml: {expected}")


def test_a_wrong_expression_names_the_file_and_key(root: Path) -> None:
    write(root, '[tool.pinlint]\npin-memory = "not an expression"')
    assert refusal(root).startswith("pyproject.toml: tool.pinlint.pin-memory must be")


def test_a_wrong_code_on_the_command_line_names_the_option(root: Path) -> None:
    assert refusal(root, select=("PIN110",)).startswith('--select: unknown code "PIN110", did you mean "PIN1')
    assert refusal(root, ignore=("X",)) == '--ignore: unknown code "X"'
    assert refusal(root, extend_select=("all",)) == '--extend-select: unknown code "all", did you mean "ALL"?'


def test_a_file_elsewhere_is_named_with_its_path(root: Path) -> None:
    write(root, "[tool.pinlint]\nselekt = []")
    with pytest.raises(ConfigError) as caught:
        settings(root, base=root.parent)
    assert str(caught.value).startswith(f"{root.name}/pyproject.toml: tool.pinlint.selekt: ")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"[tool.pinlint", "pyproject.toml: not valid TOML: "),
        (b"\xff\xfe", "pyproject.toml: not valid UTF-8"),
        (b"tool = 1", "pyproject.toml: tool: expected a table"),
        (b"[tool]\npinlint = 1", "pyproject.toml: tool.pinlint: expected a table"),
    ],
)
def test_a_broken_file_is_one_line(root: Path, data: bytes, expected: str) -> None:
    (root / "pyproject.toml").write_bytes(data)
    assert refusal(root).startswith(expected)


def test_a_file_that_does_not_exist_is_one_line(root: Path) -> None:
    assert refusal(root, config=root / "none.toml") == "none.toml: cannot be read: no such file or directory"
