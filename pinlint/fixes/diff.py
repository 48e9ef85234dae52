"""Unified diffs of files as bytes."""

from __future__ import annotations

import difflib
import io
import tokenize


def unified_diff(path: str, old: bytes, new: bytes) -> str:
    r"""Return the unified diff from `old` to `new`, "" when they are equal.

    Lines end where git ends them, at `\n` only: a carriage return or a form feed stays within its line.
    """
    encoding, _ = tokenize.detect_encoding(io.BytesIO(old).readline)
    before, after = _lines(old, encoding), _lines(new, encoding)
    lines = difflib.unified_diff(before, after, f"a/{path}", f"b/{path}")
    return "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)


def _lines(data: bytes, encoding: str) -> list[str]:
    return io.StringIO(data.decode(encoding), newline="\n").readlines()
