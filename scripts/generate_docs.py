"""Writes docs/rules/ from the rules' own explanations, so that pages and `pinlint explain` say the same.

usage: python scripts/generate_docs.py [--check]

With --check nothing is written: the command lists the pages that are not up to date and exits 1 if there are any.
"""

from __future__ import annotations

import sys
from pathlib import Path

from pinlint.rules import RULES
from pinlint.rules.pages import index, page

FOLDER = Path(__file__).parent.parent / "docs" / "rules"


def pages() -> dict[str, str]:
    """The text of every page by its file name."""
    return {"README.md": index(RULES)} | {f"{rule.code}.md": page(rule) for rule in RULES}


def outdated(folder: Path) -> list[str]:
    """The names of pages in `folder` that differ from what they should be, are missing, or belong to no rule."""
    wanted = pages()
    found = {path.name: path.read_text(encoding="utf-8") for path in folder.glob("*.md")}
    return sorted(name for name in wanted.keys() | found.keys() if wanted.get(name) != found.get(name))


def write(folder: Path) -> None:
    """Bring the pages in `folder` up to date."""
    folder.mkdir(parents=True, exist_ok=True)
    wanted = pages()
    for name in outdated(folder):
        if name in wanted:
            (folder / name).write_text(wanted[name], encoding="utf-8", newline="\n")
        else:
            (folder / name).unlink()


def main(arguments: list[str]) -> int:
    """Run the command and return its exit status."""
    if arguments not in ([], ["--check"]):
        print(__doc__, file=sys.stderr)
        return 2
    if not arguments:
        write(FOLDER)
        return 0
    for name in outdated(FOLDER):
        print(f"docs/rules/{name} is not up to date: run python scripts/generate_docs.py")
    return 1 if outdated(FOLDER) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
