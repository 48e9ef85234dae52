"""The command as a user meets it: what it prints, where, and how it exits."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

import pinlint
from pinlint.cli import main
from pinlint.report import AUDIT_FORMATS, CHECK_FORMATS
from pinlint.rules import RULES

PAGEABLE = """\
import torch


def push(values, live):
    host = torch.tensor(values)
    live = live.cuda()
    live.copy_(host, non_blocking=True)
"""
ONCE = """\
import torch

host = torch.zeros(8)
live = host.to("cuda", non_blocking=True)
"""
PINNED = "import torch\n\n\ndef push(n):\n    return torch.zeros(n, pin_memory=True).to('cuda', non_blocking=True)\n"
DISCARDED = """\
import torch


def push(n):
    x = torch.zeros(n)
    x.cuda()
    return x.to("cuda", non_blocking=True)
"""
MESSAGE = "`host` is in pageable memory (allocated at line 5): this copy waits for the stream instead of overlapping"
FINDING = f"PIN101 {MESSAGE}"

Run = Callable[..., Result]


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    (tmp_path / ".git").mkdir()
    return tmp_path


@pytest.fixture
def run() -> Run:
    def run(*arguments: str, stdin: bytes | None = None) -> Result:
        result = CliRunner().invoke(main, arguments, input=stdin)
        if result.exception is not None and not isinstance(result.exception, SystemExit):
            raise result.exception
        return result

    return run


def write(folder: Path, **files: str) -> None:
    """Write files, named by their stems."""
    for stem, text in files.items():
        (folder / f"{stem}.py").write_text(text, encoding="utf-8", newline="\n")


# --- check ------------------------------------------------------------------------------------------------------------


def test_a_blocking_copy_is_shown_and_the_exit_status_is_1(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE)
    result = run("check", "step.py")
    assert result.exit_code == 1
    assert result.stderr == ""
    assert result.stdout.startswith(f"step.py:7:10  PIN101 pageable-h2d-copy  warning\n{MESSAGE}\n\n")
    assert "  step.py:5    host = torch.tensor(values)            pageable memory is allocated here\n" in result.stdout
    assert "\n  pinlint explain PIN101\n" in result.stdout


def test_a_clean_file_exits_0(folder: Path, run: Run) -> None:
    write(folder, step=PINNED)
    result = run("check", "step.py")
    assert (result.exit_code, result.stdout) == (0, "No findings in 1 file.\n")


def test_without_paths_the_current_directory_is_checked(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE, other=PINNED)
    result = run("check", "--output", "concise")
    assert result.stdout.startswith(f"step.py:7:10 {FINDING}\n1 finding (1 warning) in 2 files")


def test_the_order_of_paths_and_repetition_change_nothing(folder: Path, run: Run) -> None:
    write(folder, a=PAGEABLE, b=PAGEABLE)
    outputs = {run("check", *paths).stdout for paths in (["a.py", "b.py"], ["b.py", "a.py"], [".", "a.py"], ["."])}
    assert len(outputs) == 1


def test_a_path_above_the_current_directory_is_shown_in_full(
    folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, step=PAGEABLE)
    (folder / "inner").mkdir()
    monkeypatch.chdir(folder / "inner")
    result = run("check", "--output", "concise", "../step.py")
    assert result.stdout.startswith(f"{(folder / 'step.py').as_posix()}:7:10 PIN101")


def test_notes_are_shown_and_do_not_fail(folder: Path, run: Run) -> None:
    write(folder, step=ONCE)
    result = run("check", "step.py")
    assert "PIN101 pageable-h2d-copy  note" in result.stdout
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("level", "text", "status"), [("note", ONCE, 1), ("warning", PAGEABLE, 1), ("error", PAGEABLE, 0)]
)
def test_the_fail_level_decides_what_fails(folder: Path, run: Run, level: str, text: str, status: int) -> None:
    write(folder, step=text)
    assert run("check", "--fail-level", level).exit_code == status
    (folder / "pyproject.toml").write_text(f'[tool.pinlint]\nfail-level = "{level}"')
    assert run("check").exit_code == status


def test_exit_zero_reports_and_exits_0(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE)
    result = run("check", "--exit-zero")
    assert "PIN101" in result.stdout
    assert result.exit_code == 0


def test_statistics_go_to_standard_error(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE, other=PAGEABLE)
    result = run("check", "--statistics", "--output", "json")
    assert json.loads(result.stdout)
    assert result.stderr.startswith("2  PIN101  pageable-h2d-copy\n")
    assert "files parsed: 2\n" in result.stderr


# --- what could not be used -------------------------------------------------------------------------------------------


def test_a_broken_file_is_one_line_and_the_others_are_still_checked(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE, broken="import torch\nx.to(y, non_blocking=True\n")
    result = run("check", "--output", "concise")
    assert result.stdout.startswith("step.py:7:10 PIN101")
    assert result.stderr.startswith("broken.py:2: error: ") or result.stderr.startswith("broken.py:3: error: ")
    assert result.stderr.count("\n") == 1
    assert result.exit_code == 2


def test_a_binary_file_is_one_line_though_nothing_in_it_would_be_parsed(folder: Path, run: Run) -> None:
    (folder / "blob.py").write_bytes(b"\x00\x01")
    result = run("check", "blob.py")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[0].startswith("blob.py")
    assert len(result.stderr.splitlines()) == 1


def test_a_path_that_does_not_exist_is_one_line(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE)
    result = run("check", "--output", "concise", "step.py", "missing.py")
    assert result.stdout.startswith("step.py:7:10 PIN101")
    assert result.stderr == "missing.py: error: no such file or directory\n"
    assert result.exit_code == 2


def test_exit_zero_does_not_hide_a_file_that_could_not_be_used(run: Run) -> None:
    assert run("check", "--exit-zero", "missing.py").exit_code == 2


def test_no_files_is_a_notice(run: Run) -> None:
    result = run("check")
    assert result.stderr == "no Python files found\n"
    assert result.exit_code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["check", "--select", "PIN110"], '--select: unknown code "PIN110", did you mean "PIN1'),
        (["fix", "--ignore", "PIN101,X1"], '--ignore: unknown code "X1"'),
        (["check", "--output", "jsn"], '--output: unknown format "jsn", did you mean "json"?'),
        (["audit", "--output", "full"], '--output: unknown format "full"'),
        (["check", "--output", "json", "--output", "full"], "--output: two formats for standard output"),
        (["check", "--output", "json:"], '--output: no file after "json:"'),
        (["check", "--output", "json:no/such/folder.json"], "--output: no/such/folder.json: "),
        (["check", "--config", "none.toml"], "none.toml: cannot be read: "),
        (["check", "--stdin-filename", "a.py"], "--stdin-filename: nothing is read"),
        (["fix", "-", "a.py"], "standard input (the path -) is fixed alone"),
        (["explain", "PIN110"], 'unknown code "PIN110", did you mean "PIN1'),
        (["explain", "discared-pin"], 'unknown code "discared-pin", did you mean "discarded-pin"?'),
    ],
)
def test_a_wrong_argument_is_one_line_and_exits_2(run: Run, arguments: list[str], message: str) -> None:
    result = run(*arguments)
    assert result.stderr.startswith(f"Error: {message}")
    assert result.stderr.count("\n") == 1
    assert result.stdout == ""
    assert result.exit_code == 2


def test_a_wrong_setting_is_one_line_and_exits_2(folder: Path, run: Run) -> None:
    (folder / "pyproject.toml").write_text("[tool.pinlint]\nselekt = []")
    write(folder, step=PAGEABLE)
    for command in ("check", "fix", "audit", "config"):
        result = run(command)
        assert result.stderr == 'Error: pyproject.toml: tool.pinlint.selekt: unknown key, did you mean "select"?\n'
        assert result.exit_code == 2


def test_a_wrong_model_is_one_line_and_exits_2(folder: Path, run: Run) -> None:
    (folder / "pyproject.toml").write_text('[[tool.pinlint.models]]\nnames = ["a.b"]\neffect = "explode"')
    write(folder, step=PAGEABLE)
    result = run("check")
    assert result.stderr.startswith("Error: pyproject.toml: tool.pinlint.models[0]")
    assert result.stderr.count("\n") == 1
    assert result.exit_code == 2


# --- choosing rules and files -----------------------------------------------------------------------------------------


def test_rules_are_chosen_on_the_command_line(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE)
    assert run("check", "--select", "PIN2").exit_code == 0
    assert run("check", "--select", "PIN2, PIN101").exit_code == 1
    assert run("check", "--ignore", "PIN101").exit_code == 0
    assert run("check", "--select", "PIN2", "--extend-select", "PIN1").exit_code == 1


def test_a_comment_silences_a_finding(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE.replace("torch.tensor(values)", "torch.tensor(values)  # pinlint: ignore[PIN101] tiny"))
    assert run("check").exit_code == 0


def test_each_part_of_a_repository_goes_by_its_own_settings(folder: Path, run: Run) -> None:
    for name in ("strict", "lax"):
        (folder / name).mkdir()
        write(folder / name, step=PAGEABLE)
    (folder / "lax" / "pinlint.toml").write_text('ignore = ["PIN101"]')
    together = run("check", "--output", "concise")
    assert [line.split(":")[0] for line in together.stdout.splitlines()[:-1]] == ["strict/step.py"]
    assert run("check", "lax/step.py").exit_code == 0
    assert run("check", "strict/step.py").exit_code == 1


def test_rules_are_ignored_for_files_that_match(folder: Path, run: Run) -> None:
    (folder / "pyproject.toml").write_text('[tool.pinlint]\nper-file-ignores = { "test_*.py" = ["ALL"] }')
    write(folder, step=PAGEABLE, test_step=PAGEABLE)
    assert run("check", "--output", "concise").stdout.count("PIN101") == 1


# --- outputs ----------------------------------------------------------------------------------------------------------


def test_one_run_writes_several_formats(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE)
    result = run("check", "--output", "concise", "--output", "json:out.json", "--output", "full:out.txt")
    assert result.stdout.startswith("step.py:7:10 PIN101")
    assert json.loads((folder / "out.json").read_text())["findings"][0]["line"] == 7
    assert (folder / "out.txt").read_text().startswith("step.py:7:10  PIN101")
    assert result.exit_code == 1


def test_files_alone_leave_standard_output_empty(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE)
    assert run("check", "--output", "json:out.json").stdout == ""


def test_colour_is_for_terminals_or_on_demand(folder: Path, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, step=PAGEABLE)
    assert "\x1b" not in run("check").stdout
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b" in run("check", "--output", "full", "--output", "json:out.json").stdout
    assert "\x1b" not in (folder / "out.json").read_text()


# --- standard input ---------------------------------------------------------------------------------------------------


def test_standard_input_is_checked_under_its_name(run: Run) -> None:
    result = run("check", "--output", "concise", "--stdin-filename", "pkg/step.py", "-", stdin=PAGEABLE.encode())
    assert result.stdout.startswith("pkg/step.py:7:10 PIN101")
    assert result.exit_code == 1


def test_standard_input_has_a_name_without_one(run: Run) -> None:
    assert run("check", "--output", "concise", "-", stdin=PAGEABLE.encode()).stdout.startswith("<stdin>:7:10 PIN101")


def test_standard_input_wins_over_the_file_of_its_name(folder: Path, run: Run) -> None:
    write(folder, step=PINNED)
    assert run("check", "--stdin-filename", "step.py", "-", stdin=PAGEABLE.encode()).exit_code == 1


# --- fix --------------------------------------------------------------------------------------------------------------


def test_fix_writes_the_file_and_reports_what_is_left(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE)
    result = run("fix", "step.py")
    assert "pin_memory=" in (folder / "step.py").read_text()
    assert result.stdout == "No findings in 1 file.\n"
    assert result.stderr == "fixed 1 finding in 1 file\n"
    assert result.exit_code == 0
    again = run("fix", "step.py")
    assert (again.exit_code, again.stderr) == (0, "")


def test_diff_prints_the_change_writes_nothing_and_exits_1(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE)
    result = run("fix", "--diff", "step.py")
    assert result.stdout.startswith("--- a/step.py\n+++ b/step.py\n")
    assert "+    host = torch.tensor(values, pin_memory=" in result.stdout
    assert (folder / "step.py").read_text() == PAGEABLE
    assert result.exit_code == 1


def test_diff_without_a_change_exits_0(folder: Path, run: Run) -> None:
    write(folder, step=PINNED)
    result = run("fix", "--diff", "step.py")
    assert (result.exit_code, result.stdout) == (0, "")


def test_a_rule_that_is_not_selected_is_not_fixed(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE)
    assert run("fix", "--ignore", "PIN101").exit_code == 0
    assert (folder / "step.py").read_text() == PAGEABLE


def test_unsafe_fixes_are_applied_on_demand(folder: Path, run: Run) -> None:
    write(folder, step=DISCARDED)
    assert run("fix", "--select", "PIN104").exit_code == 1
    assert (folder / "step.py").read_text() == DISCARDED
    assert run("fix", "--select", "PIN104", "--unsafe-fixes").exit_code == 0
    assert "x = x.cuda()" in (folder / "step.py").read_text()


def test_standard_input_is_printed_fixed(folder: Path, run: Run) -> None:
    result = run("fix", "--stdin-filename", "step.py", "-", stdin=PAGEABLE.encode())
    assert result.stdout == PAGEABLE.replace("(values)", "(values, pin_memory=True)")
    assert result.stderr.startswith("No findings in 1 file.\n")
    assert result.exit_code == 0
    assert not (folder / "step.py").exists()


def test_standard_input_without_a_fix_is_printed_as_it_came(run: Run) -> None:
    text = b"import torch\r\n# \xe9 in latin-1\r\n# coding: latin-1"
    assert run("fix", "-", stdin=text).stdout_bytes == text


# --- audit, explain, config -------------------------------------------------------------------------------------------


def test_audit_lists_every_copy(folder: Path, run: Run) -> None:
    write(folder, step=PAGEABLE, other=PINNED)
    result = run("audit")
    assert " ".join(result.stdout.split()).startswith(
        "other.py:5:44 .to H2D pinned pinned by `torch.zeros` at line 5 step.py:7:10 .copy_ H2D pageable"
    )
    assert result.stdout.endswith("2 non-blocking copies: 1 pageable, 1 pinned; 100.0% decided\n")
    assert result.exit_code == 0
    copies = json.loads(run("audit", "--output", "json").stdout)["copies"]
    assert [(copy["path"], copy["verdict"]) for copy in copies] == [("other.py", "pinned"), ("step.py", "pageable")]


def test_audit_exits_2_for_a_file_that_cannot_be_read(run: Run) -> None:
    result = run("audit", "missing.py")
    assert (result.exit_code, result.stderr) == (2, "missing.py: error: no such file or directory\n")


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_explain_prints_the_page_in_docs(run: Run, rule: pinlint.rules.Rule) -> None:
    page = Path(__file__).parent.parent / "docs" / "rules" / f"{rule.code}.md"
    assert run("explain", rule.code).stdout == page.read_text(encoding="utf-8")


def test_explain_without_a_code_lists_all_rules(run: Run) -> None:
    lines = run("explain").stdout.splitlines()
    assert [line.split()[0] for line in lines] == [rule.code for rule in RULES]


def test_config_prints_what_holds_for_a_path(folder: Path, run: Run) -> None:
    (folder / "inner").mkdir()
    (folder / "inner" / "pinlint.toml").write_text('select = ["PIN201"]')
    assert 'rules = ["PIN201"]' in run("config", "inner").stdout
    assert 'rules = ["PIN201"]' not in run("config").stdout
    assert 'rules = ["PIN101"]' in run("config", "inner", "--select", "PIN101").stdout


# --- the command itself -----------------------------------------------------------------------------------------------


def test_the_version_is_printed(run: Run) -> None:
    assert run("--version").stdout == f"pinlint {pinlint.__version__}\n"


@pytest.mark.parametrize("name", [None, *main.commands])
def test_help_fits_100_columns_and_describes_every_option(run: Run, name: str | None) -> None:
    command: click.Command = main.commands[name] if name else main
    text = run(*([name] if name else []), "--help").stdout
    assert max(map(len, text.splitlines())) <= 100
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, parameter.name
            assert parameter.opts[-1] in text


def test_help_names_every_format(run: Run) -> None:
    for command, formats in (("check", CHECK_FORMATS), ("fix", CHECK_FORMATS), ("audit", AUDIT_FORMATS)):
        shown = " ".join(run(command, "--help").stdout.split())
        assert all(name in shown for name in formats)


def modules_after(*arguments: str, folder: Path) -> set[str]:
    """The modules that are loaded when a run ends."""
    program = (
        "import sys\nfrom pinlint.cli import main\n"
        f"try: main({list(arguments)!r})\nexcept SystemExit: pass\n"
        "print(*sys.modules, sep='\\n', file=sys.stderr)"
    )
    result = subprocess.run([sys.executable, "-c", program], cwd=folder, capture_output=True, text=True, check=True)
    return set(result.stderr.split())


def test_a_file_that_cannot_matter_is_checked_without_libcst(folder: Path) -> None:
    write(folder, step="import os\n\nprint(os.getcwd())\n")
    loaded = modules_after("check", "step.py", folder=folder)
    assert "pinlint.trace" in loaded
    assert "libcst" not in loaded


def test_the_version_needs_neither_libcst_nor_the_rules(folder: Path) -> None:
    loaded = modules_after("--version", folder=folder)
    assert "click" in loaded
    assert not {"libcst", "msgspec", "pinlint.rules"} & loaded
