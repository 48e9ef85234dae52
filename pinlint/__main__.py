"""`python -m pinlint` is `pinlint`."""

from __future__ import annotations

from pinlint.cli import main

if __name__ == "__main__":
    main(prog_name="pinlint")
