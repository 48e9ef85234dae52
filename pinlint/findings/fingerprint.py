"""Gives findings an identity that survives edits elsewhere in the file."""

from __future__ import annotations

import dataclasses
import hashlib
from collections import Counter
from collections.abc import Callable, Iterable

from pinlint.findings.finding import Finding


def with_fingerprints(findings: Iterable[Finding], relative: Callable[[str], str]) -> list[Finding]:
    """Return `findings`, which must be sorted by place, each with its fingerprint.

    `relative` turns a path as reported into one that is the same wherever pinlint is started. The fingerprint holds
    the code, that path, the qualified name, the statement's text without its spacing, and which of several equal ones
    it is; never a line number.
    """
    seen: Counter[tuple[str, ...]] = Counter()
    result = []
    for finding in findings:
        key = (finding.code, relative(finding.location.path), finding.qualified_name, " ".join(finding.text.split()))
        result.append(dataclasses.replace(finding, fingerprint=_digest((*key, str(seen[key])))))
        seen[key] += 1
    return result


def _digest(parts: tuple[str, ...]) -> str:
    text = "\0".join(parts)
    # A file name that is not UTF-8 comes as surrogates.
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()[:16]
