"""The output formats: one module each, all fed by the same report, listed here by the name that `--output` takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from pinlint.report import audit_json, audit_text, concise, full, json
from pinlint.report.data import AuditReport, CheckReport
from pinlint.report.output import parse_outputs, write_outputs, write_text
from pinlint.report.style import Style

__all__ = ["AUDIT_FORMATS", "CHECK_FORMATS", "parse_outputs", "write_outputs", "write_text"]

CHECK_FORMATS: Mapping[str, Callable[[CheckReport, Style], str]] = {
    "full": full.render,
    "concise": concise.render,
    "json": json.render,
}
"""The formats of `pinlint check` and `pinlint fix`; each returns text that ends with a newline."""

AUDIT_FORMATS: Mapping[str, Callable[[AuditReport, Style], str]] = {
    "text": audit_text.render,
    "json": audit_json.render,
}
"""The formats of `pinlint audit`."""
