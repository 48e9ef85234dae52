"""Fixes: what mends a finding, whether that is safe, and applying it to files."""

from __future__ import annotations

from pinlint.fixes.plan import plan_fix
from pinlint.fixes.project import FixReport, Skipped, fix_project
from pinlint.fixes.settings import FixSettings

__all__ = ["FixReport", "FixSettings", "Skipped", "fix_project", "plan_fix"]
