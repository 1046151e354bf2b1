"""`make bench`: every budget, measured and compared, as a table."""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import sys

from tests.bench.row import Row

SUITES = (
    "startup",
    "hook",
    "moments",
    "log",
    "rpc",
    "lock",
    "tokens",
    "toc",
    "contents",
    "search",
    "searchable",
    "recalling",
    "tools",
    "questions",
    "clarification",
    "runs",
    "driving",
    "extraction",
    "observations",
)


def main() -> int:
    """Measure, print, and leave with 1 when a budget does not hold."""
    parser = argparse.ArgumentParser(prog="make bench")
    parser.add_argument("--size", choices=("small", "full"), default="small")
    parser.add_argument("--only", choices=SUITES, action="append")
    given = parser.parse_args()
    print(f"python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} cores\n")
    print(f"{'what':<56}{'measured':>12} {'unit':<10}{'budget':>12}")
    wrong = 0
    for name in given.only or SUITES:
        rows: list[Row] = importlib.import_module(f"tests.bench.{name}").run(given.size)
        for row in rows:
            sign = " " if row.holds else "!"
            digits = 0 if row.value >= 1_000 else 2
            wrong += not row.holds
            print(f"{row.name:<56}{row.value:>12,.{digits}f} {row.unit:<10}{row.budget:>12} {sign}")
    if wrong:
        print(f"\n{wrong} over budget")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
