"""What a memory keeps of real sessions, and what it tells the next one: held against labels.

    make bench-lessons DATA=folder

The folder brings its sessions, their labels, the driver that runs the installed product over
them (`drive.py`) and the scorer (`score.py`). This prints the scorer's table and fails when a
figure of all its projects is worse than it must be.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path

BIN = Path(sys.executable).parent
_DRIVE_S = 3600

# The columns of the scorer's table, with what each must be; None: only looked at.
COLUMNS: tuple[tuple[str, float | None], ...] = (
    ("kept", None),
    ("useful %", 55),
    ("noise %", -2),  # at most
    ("found %", 66),
    ("best %", 82),
    ("dense", 11),
    ("bullets %", 70),
    ("best in contents %", None),
    ("titles %", 70),
    ("start: worth %", 70),
    ("start: help %", 46),
    ("start: fallen %", -3),
    ("start: dense", 11.5),
    ("start: tokens", None),
    ("prompt: worth %", 67),
    ("prompt: help %", 52),
    ("prompt: fallen %", -3),
    ("prompt: dense", 11.5),
    ("prompt: tokens", None),
)


def list_worse(table: str) -> list[str]:
    """Return the figures of all projects that are worse than they must be, in words."""
    row = next(line.split()[1:] for line in table.splitlines() if line.startswith("ALL "))
    worse: list[str] = []
    for (name, must), said in zip(COLUMNS, row, strict=True):
        if must is None or said == "-":
            continue
        figure = float(said)
        if must < 0 and figure > -must:
            worse.append(f"{name} is {figure}, at most {-must} is good")
        elif must > 0 and figure < must:
            worse.append(f"{name} is {figure}, at least {must} is good")
    return worse


def _stop_daemons(work: Path) -> None:
    """Stop what an import has sent for: it would still write where all is taken away."""
    for home in sorted(each for each in work.rglob("home") if each.is_dir()):
        subprocess.run(
            [str(BIN / "agentx"), "daemon", "stop"],
            cwd=home.parent / "project",
            env={"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"},
            check=False,
            capture_output=True,
            timeout=60,
        )


def main() -> int:
    """Drive the product, score what it said, and say what is worse than it must be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, required=True, help="sessions, labels and scorer")
    data: Path = parser.parse_args().data
    with tempfile.TemporaryDirectory(prefix="agentx-lessons-") as folder:
        told = Path(folder) / "told.jsonl"
        drive = [sys.executable, str(data / "drive.py"), str(BIN / "agentx"), str(data)]
        subprocess.run(
            [*drive, str(Path(folder) / "work"), str(told)], check=True, timeout=_DRIVE_S
        )
        _stop_daemons(Path(folder) / "work")
        scored = subprocess.run(
            [sys.executable, str(data / "score.py"), str(data), str(told)],
            check=True,
            capture_output=True,
            text=True,
            timeout=_DRIVE_S,
        )
    print(scored.stdout, end="")
    worse = list_worse(scored.stdout)
    for line in worse:
        print(f"worse than it must be: {line}")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
