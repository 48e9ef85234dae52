"""Where reports go: `--output FORMAT[:FILE]`, standard output and files."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, TypeVar

from pinlint.config.errors import ConfigError, nearest
from pinlint.report.style import Style, wants_colour

Report = TypeVar("Report")


@dataclass(frozen=True, slots=True)
class Output:
    """One `--output`: a format, and the file it is written to, or None for standard output."""

    format: str
    file: Path | None


def parse_outputs(words: Sequence[str], formats: Mapping[str, object]) -> tuple[Output, ...]:
    """Return the outputs that the `--output` options ask for; without any, the first of `formats` on standard output.

    Raises ConfigError for an unknown format, and for two outputs to one place.
    """
    outputs = tuple(_parse(word, formats) for word in words) or (Output(next(iter(formats)), None),)
    files = [output.file for output in outputs]
    for file in files:
        if files.count(file) > 1:
            place = file.as_posix() if file else "standard output (name a file: FORMAT:FILE)"
            raise ConfigError(f"--output: two formats for {place}")
    return outputs


def _parse(word: str, formats: Mapping[str, object]) -> Output:
    name, colon, file = word.partition(":")
    if name not in formats:
        raise ConfigError(f'--output: unknown format "{name}"{nearest(name, formats)}')
    if colon and not file:
        raise ConfigError(f'--output: no file after "{word}"')
    return Output(name, Path(file) if file else None)


def write_outputs(
    report: Report,
    outputs: Sequence[Output],
    formats: Mapping[str, Callable[[Report, Style], str]],
    stream: TextIO | None = None,
) -> None:
    """Write `report` once for each of `outputs`: to its file, or to `stream` (standard output).

    Raises ConfigError when a file cannot be written.
    """
    stream = stream or sys.stdout
    for output in outputs:
        render = formats[output.format]
        if output.file is None:
            write_text(stream, render(report, Style(wants_colour(stream, os.environ))))
        else:
            _write_file(output.file, render(report, Style()))


def write_text(stream: TextIO, text: str) -> None:
    """Write `text`, of which the stream's encoding may lack characters (a Windows console, an undecodable name)."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="backslashreplace")
    stream.write(text)


def _write_file(path: Path, text: str) -> None:
    try:
        path.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
    except OSError as error:
        raise ConfigError(f"--output: {path.as_posix()}: {(error.strerror or str(error)).lower()}") from error
