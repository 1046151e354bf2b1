"""Write docs/guarantees.md, each promise with the tests that keep it, from the tests.

python -m scripts.guarantees_page           writes the page
python -m scripts.guarantees_page --check   fails when the page is not what it would write
"""

from __future__ import annotations

import sys
from collections import defaultdict

from scripts.page import settle_page
from tests.promises import DEFERRED, PROMISES, find_claims

HEAD = """\
# What is promised, and what keeps it

Each line is a promise of the product and the tests that fail when it is broken. Made from
`tests/promises.py` and the tests by `scripts/guarantees_page.py`; a promise without a test
fails the suite. What is promised about strangers' repositories is told in
[SECURITY.md](../SECURITY.md).

| promise | kept by (below `tests/`) |
|---|---|
"""
_FILES_MAX = 4


def write_page() -> str:
    """Return the page as it should be."""
    kept: dict[str, set[str]] = defaultdict(set)
    for claim in find_claims():
        kept[claim.promise].add(claim.path.as_posix())
    rows = (_write_row(name, sorted(kept[name])) for name in PROMISES)
    return HEAD + "".join(rows)


def _write_row(name: str, files: list[str]) -> str:
    if name in DEFERRED:
        return f"| {PROMISES[name]} | not yet: {DEFERRED[name]} |\n"
    more = len(files) - _FILES_MAX
    cells = ", ".join(f"`{file}`" for file in files[:_FILES_MAX])
    return f"| {PROMISES[name]} | {cells}{f' and {more} more' if more > 0 else ''} |\n"


if __name__ == "__main__":
    sys.exit(settle_page("guarantees.md", write_page(), sys.argv[1:]))
