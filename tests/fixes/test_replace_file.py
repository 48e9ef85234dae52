"""A file is the old one or the new one, and keeps what it is besides its content."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from pinlint.fixes.replace_file import replace_file

ON_POSIX = pytest.mark.skipif(sys.platform == "win32", reason="modes and links of POSIX")


def test_the_content_is_replaced_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old\r\n")
    assert replace_file(file, b"old\r\n", b"new\n") is None
    assert file.read_bytes() == b"new\n"
    assert list(tmp_path.iterdir()) == [file]


@ON_POSIX
@pytest.mark.parametrize("mode", [0o755, 0o640])
def test_the_mode_stays(tmp_path: Path, mode: int) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(mode)
    assert replace_file(file, b"old", b"new") is None
    assert stat.S_IMODE(file.stat().st_mode) == mode


@ON_POSIX
def test_a_symbolic_link_stays_one(tmp_path: Path) -> None:
    file, link = tmp_path / "folder" / "a.py", tmp_path / "b.py"
    file.parent.mkdir()
    file.write_bytes(b"old")
    link.symlink_to(Path("folder") / "a.py")
    assert replace_file(link, b"old", b"new") is None
    assert link.is_symlink()
    assert file.read_bytes() == b"new"


def test_a_file_with_other_content_is_left(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"newer")
    assert replace_file(file, b"old", b"new") == "it was changed meanwhile"
    assert file.read_bytes() == b"newer"


def test_a_file_that_is_gone_is_reported(tmp_path: Path) -> None:
    assert replace_file(tmp_path / "a.py", b"", b"new") == "cannot be written: no such file or directory"


@pytest.mark.skipif(sys.platform != "win32" and os.geteuid() == 0, reason="root may write everything")
def test_a_read_only_file_is_left(tmp_path: Path) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")
    file.chmod(0o444)
    assert replace_file(file, b"old", b"new") == "it is read-only"
    assert file.read_bytes() == b"old"


@pytest.mark.parametrize("at", ["fsync", "replace"])
def test_an_interrupt_leaves_the_old_file_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: str) -> None:
    file = tmp_path / "a.py"
    file.write_bytes(b"old")

    def interrupted(*_arguments: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(*((os, "fsync") if at == "fsync" else (Path, "replace")), interrupted)
    with pytest.raises(KeyboardInterrupt):
        replace_file(file, b"old", b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
