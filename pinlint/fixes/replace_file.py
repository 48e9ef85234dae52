"""Replaces a file so that at any moment it is either the old one or the new one."""

from __future__ import annotations

import os
import stat
import tempfile
from pathlib import Path


def replace_file(path: Path, old: bytes, new: bytes) -> str | None:
    """Give the file at `path`, which should hold `old`, the content `new`; return why that was not done, or None.

    A symbolic link stays one: the file it leads to is replaced. Mode bits are kept. Interrupted at any moment, the file
    holds one content or the other and nothing else is left behind.
    """
    target = Path(os.path.realpath(path))
    try:
        if target.read_bytes() != old:
            return "it was changed meanwhile"
        if not os.access(target, os.W_OK):
            return "it is read-only"
        _replace(target, new)
    except OSError as error:
        return f"cannot be written: {(error.strerror or str(error)).lower()}"
    return None


def _replace(target: Path, new: bytes) -> None:
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", suffix=".pinlint", dir=target.parent)
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as stream:
            stream.write(new)
            stream.flush()
            os.fsync(stream.fileno())
        temporary.chmod(stat.S_IMODE(target.stat().st_mode))
        temporary.replace(target)
    except BaseException:  # an interrupt too must not leave the temporary file behind
        temporary.unlink(missing_ok=True)
        raise
