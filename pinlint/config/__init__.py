"""The configuration: `[tool.pinlint]` in the nearest pyproject.toml, or pinlint.toml, and the command line on top."""

from __future__ import annotations

from pinlint.config.errors import ConfigError, nearest
from pinlint.config.settings import Overrides, Settings, SettingsFinder

__all__ = ["ConfigError", "Overrides", "Settings", "SettingsFinder", "nearest"]
