"""Finds PyTorch copies that say `non_blocking=True` and block all the same."""

__version__ = "0.1.0"
