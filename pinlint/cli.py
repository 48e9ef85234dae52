"""The command line: parses arguments, calls `pinlint.app`, prints, and exits.

A command imports what it needs when it runs, so that `--version` and `--help` stay fast.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, TypeVar

import click

from pinlint import __version__

if TYPE_CHECKING:
    from pinlint.app import Checked, Request
    from pinlint.config import Overrides
    from pinlint.files.errors import FileError
    from pinlint.fixes import FixReport

Command = TypeVar("Command", bound=Callable[..., Any])

FAILED = 1
"""Findings are left, or a diff was printed."""
CANNOT = 2
"""The job could not be done, or not for every file."""
STDIN = "-"
UNNAMED = "<stdin>"
"""What standard input is called without `--stdin-filename`."""


class CannotDo(click.ClickException):
    """Prints one line on standard error and exits 2."""

    exit_code = CANNOT


@contextmanager
def one_line_errors() -> Iterator[None]:
    """Turn a wrong setting, option or output file into one line and exit status 2."""
    from pinlint.config.errors import ConfigError  # noqa: PLC0415 # see the module's docstring

    try:
        yield
    except ConfigError as error:
        raise CannotDo(str(error)) from error


# --- options ----------------------------------------------------------------------------------------------------------


def options(*decorators: Callable[[Command], Command]) -> Callable[[Command], Command]:
    """Return one decorator that adds several options, which `--help` shows in this order."""

    def decorate(command: Command) -> Command:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate


def codes_option(name: str, text: str) -> Callable[[Command], Command]:
    """Return a repeatable option that takes lists of codes."""

    def split(_context: click.Context, _parameter: click.Parameter, given: Sequence[str]) -> tuple[str, ...]:
        return tuple(code.strip() for words in given for code in words.split(","))

    return click.option(name, multiple=True, metavar="CODES", callback=split, help=text)


def output_option(formats: str) -> Callable[[Command], Command]:
    """Return the repeatable option `--output`; `formats` names the formats, the default first."""
    text = f"{formats}, written to FILE if one is named. Repeatable."
    return click.option("--output", multiple=True, metavar="FORMAT[:FILE]", help=text)


paths_argument = click.argument("paths", nargs=-1, metavar="[PATHS]...")
config_option = click.option(
    "--config",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Take the settings from FILE instead of the nearest pyproject.toml or pinlint.toml.",
)
stdin_option = click.option("--stdin-filename", metavar="NAME", help="The name of what is read for the path -.")
rule_options = options(
    codes_option("--select", "Report only these rules: codes, beginnings of codes or ALL, such as PIN101,PIN2."),
    codes_option("--extend-select", "Report these rules besides the selected ones."),
    codes_option("--ignore", "Do not report these rules."),
)
fail_level_option = click.option(
    "--fail-level",
    type=click.Choice(["error", "warning", "note"]),
    help="Exit 1 for findings of this severity and graver ones.  [default: warning]",
)
result_options = options(
    output_option("full (the default), concise or json"),
    click.option(
        "--min-confidence",
        type=click.Choice(["high", "medium", "low"]),
        default="medium",
        show_default=True,
        help="Report findings of this confidence and surer ones.",
    ),
    fail_level_option,
    click.option("--exit-zero", is_flag=True, help="Exit 0 when findings are left."),
    click.option("--statistics", is_flag=True, help="Print on standard error how often each rule reports."),
)


# --- commands ---------------------------------------------------------------------------------------------------------


@click.group(context_settings={"max_content_width": 100, "help_option_names": ["-h", "--help"]})
@click.version_option(__version__, "-V", "--version", prog_name="pinlint", message="%(prog)s %(version)s")
def main() -> None:
    """Find PyTorch copies that say non_blocking=True and block all the same, and fix them.

    PATHS are files and directories, by default the current directory, or - for standard input. The exit status is 0
    when nothing is left to report, 1 when something is, 2 when a file, a setting or an argument could not be used.
    """


@main.command()
@paths_argument
@rule_options
@result_options
@config_option
@stdin_option
def check(paths: tuple[str, ...], **given: Any) -> None:  # noqa: ANN401 # what click parsed
    """Report the copies in PATHS that block."""
    with one_line_errors():
        from pinlint import app, report  # noqa: PLC0415 # see the module's docstring

        outputs = report.parse_outputs(given["output"], report.CHECK_FORMATS)
        checked = app.check(_request(paths, given))
        report.write_outputs(checked.report, outputs, report.CHECK_FORMATS)
    _finish(checked, given)


@main.command()
@paths_argument
@click.option("--diff", is_flag=True, help="Print what would change instead of changing it; exit 1 if anything would.")
@click.option("--unsafe-fixes", is_flag=True, help="Apply the unsafe fixes too; `pinlint check` says what is unsafe.")
@rule_options
@result_options
@config_option
@stdin_option
def fix(paths: tuple[str, ...], *, diff: bool, unsafe_fixes: bool, **given: Any) -> None:  # noqa: ANN401 # as above
    """Fix what is safe to fix in PATHS, and report what is left.

    For the path -, which then is the only one, the fixed text is printed, and the report goes to standard error.
    """
    if STDIN in paths and len(paths) > 1:
        raise CannotDo("standard input (the path -) is fixed alone")
    with one_line_errors():
        from pinlint import app, report  # noqa: PLC0415 # see the module's docstring

        outputs = report.parse_outputs(given["output"], report.CHECK_FORMATS)
        request = _request(paths, given)
        fixed = app.fix(request, unsafe=unsafe_fixes, write=not diff)
        if diff:
            report.write_text(sys.stdout, "".join(done.diff for done in fixed.reports))
        elif request.stdin:
            _print_bytes(_fixed_text(request.stdin[1], fixed.reports))
        stream = sys.stderr if diff or request.stdin else sys.stdout
        report.write_outputs(fixed.checked.report, outputs, report.CHECK_FORMATS, stream)
    _tell(fixed.reports)
    _finish(fixed.checked, given, changed=diff and any(done.diff for done in fixed.reports))


@main.command()
@paths_argument
@output_option("text (the default) or json")
@config_option
@stdin_option
def audit(paths: tuple[str, ...], **given: Any) -> None:  # noqa: ANN401 # as above
    """List every non-blocking copy in PATHS with its verdict, and why."""
    with one_line_errors():
        from pinlint import app, report  # noqa: PLC0415 # see the module's docstring

        outputs = report.parse_outputs(given["output"], report.AUDIT_FORMATS)
        audited = app.audit(_request(paths, given))
        report.write_outputs(audited, outputs, report.AUDIT_FORMATS)
    _print_errors(audited.errors, audited.files)
    sys.exit(CANNOT if audited.errors else 0)


@main.command()
@click.argument("code", required=False)
def explain(code: str | None) -> None:
    """Explain the rule CODE, or list all rules."""
    from pinlint.config.errors import nearest  # noqa: PLC0415 # see the module's docstring
    from pinlint.report.output import write_text  # noqa: PLC0415 # as above
    from pinlint.rules import RULES, find_rule  # noqa: PLC0415 # as above
    from pinlint.rules.pages import listing, page  # noqa: PLC0415 # as above

    if code is None:
        write_text(sys.stdout, listing(RULES))
        return
    rule = find_rule(code)
    if rule is None:
        known = [word for each in RULES for word in (each.code, each.name)]
        raise CannotDo(f'unknown code "{code}"{nearest(code, known)}')
    write_text(sys.stdout, page(rule))


@main.command()
@click.argument("path", default=".", type=click.Path(exists=True, path_type=Path))
@rule_options
@fail_level_option
@config_option
def config(path: Path, **given: Any) -> None:  # noqa: ANN401 # as above
    """Print the settings for PATH, and where each comes from."""
    with one_line_errors():
        from pinlint.config import SettingsFinder  # noqa: PLC0415 # see the module's docstring
        from pinlint.config.show import show  # noqa: PLC0415 # as above
        from pinlint.report.output import write_text  # noqa: PLC0415 # as above

        overrides = _overrides(given)
        location = path.absolute()
        directory = location if location.is_dir() else location.parent
        settings = SettingsFinder(Path.cwd(), overrides).settings_for(directory)
        write_text(sys.stdout, show(settings, overrides, Path.cwd()))


# --- from options to a request ----------------------------------------------------------------------------------------


def _overrides(given: dict[str, Any]) -> Overrides:
    from pinlint.config import Overrides  # noqa: PLC0415 # see the module's docstring

    return Overrides(
        config=given["config"],
        select=given.get("select") or None,
        extend_select=given.get("extend_select", ()),
        ignore=given.get("ignore", ()),
        fail_level=given.get("fail_level"),
    )


def _request(paths: tuple[str, ...], given: dict[str, Any]) -> Request:
    from pinlint.app import Request  # noqa: PLC0415 # see the module's docstring
    from pinlint.findings.finding import Confidence  # noqa: PLC0415 # as above

    name = given["stdin_filename"]
    if name and STDIN not in paths:
        raise CannotDo("--stdin-filename: nothing is read from standard input without the path -")
    stdin = (name or UNNAMED, sys.stdin.buffer.read()) if STDIN in paths else None
    return Request(paths, stdin, _overrides(given), Confidence(given.get("min_confidence", "medium")))


# --- what is said besides the report ----------------------------------------------------------------------------------


def _finish(checked: Checked, given: dict[str, Any], *, changed: bool = False) -> NoReturn:
    """Print errors and statistics, and exit; `changed` says that a diff was printed."""
    from pinlint.report.statistics import statistics  # noqa: PLC0415 # see the module's docstring

    report = checked.report
    if given["statistics"]:
        _say(statistics(report.findings, checked.statistics))
    _print_errors(report.errors, report.files)
    if report.errors:
        sys.exit(CANNOT)
    sys.exit(FAILED if changed or (checked.failing and not given["exit_zero"]) else 0)


def _print_errors(errors: Iterable[FileError], files: int) -> None:
    found = list(errors)
    for error in found:
        line = "" if error.line is None else f":{error.line}"
        _say(f"{error.path}{line}: error: {error.message}")
    if not files and not found:
        _say("no Python files found")


def _tell(reports: Iterable[FixReport]) -> None:
    """Say what was fixed, and what should have been and was not."""
    fixed = files = 0
    for report in reports:
        fixed += len(report.fixed)
        files += len(report.contents)
        for skipped in report.skipped:
            place = skipped.finding.location
            _say(f"{place.path}:{place.line}: {skipped.finding.code} is not fixed: {skipped.reason}")
    from pinlint.report.summary import counted  # noqa: PLC0415 # see the module's docstring

    if fixed:
        _say(f"fixed {counted(fixed, 'finding')} in {counted(files, 'file')}")


def _say(line: str) -> None:
    from pinlint.report.output import write_text  # noqa: PLC0415 # see the module's docstring

    write_text(sys.stderr, f"{line}\n")


def _fixed_text(text: bytes, reports: Iterable[FixReport]) -> bytes:
    """Return standard input as fixed: as it came in when nothing was."""
    return next((data for report in reports for data in report.contents.values()), text)


def _print_bytes(data: bytes) -> None:
    sys.stdout.flush()
    sys.stdout.buffer.write(data)
    sys.stdout.buffer.flush()
