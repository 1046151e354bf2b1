"""A page of the documents that is made from the code: written, or checked to be current."""

from __future__ import annotations

import sys
from pathlib import Path

DOCS = Path(__file__).resolve().parent.parent / "docs"


def settle_page(name: str, wanted: str, arguments: list[str]) -> int:
    """Write a page, or with `--check` say whether it is as it should be; return the exit code."""
    page = DOCS / name
    if "--check" not in arguments:
        page.write_text(wanted, encoding="utf-8")
        return 0
    if page.is_file() and page.read_text(encoding="utf-8") == wanted:
        return 0
    sys.stderr.write(f"{name} is out of date: make pages\n")
    return 1
