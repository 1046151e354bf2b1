"""The first minute: how fast years of transcripts are taken in, newest first.

    make bench-import DATA=folder

The folder holds transcripts of Claude Code and Codex, at any depth. They are told `--times`
times over: each time under other ids and at other times, so that all are sessions of
their own. The installed product imports them; meanwhile it is asked, as a user would, whether
it knows the newest session yet. Seconds of the processor are told beside those of the clock,
which runs for others too.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from threading import Event, Thread
from typing import Any

from tests.bench.row import Row

BIN = Path(sys.executable).parent
_WAIT_S = 1_800
_POLL_S = 0.05
_SHIFT_DAYS = 40
_MB = 1_000_000
_TIME = re.compile(r'"(20\d\d-[01]\d-[0-3]\dT[0-2]\d:[0-5]\d:[0-5]\d(?:\.\d+)?)Z"')
_UUID = re.compile(r"\b[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}\b")
_CWD = re.compile(r'"cwd":\s?"([^"]+)"')


@dataclass
class History:
    """The transcripts as they lie in a home made for them."""

    home: Path
    project: Path
    bytes: int = 0
    sessions: list[tuple[str, str]] = field(default_factory=list)  # when each ended, and its id


def lay_out(data: Path, folder: Path, times: int) -> History:
    """Write the transcripts of a folder into a home, each as often as told."""
    made = History(home=folder / "home", project=folder / "project")
    made.project.mkdir(parents=True)
    for path in sorted(data.rglob("*.jsonl")):
        raw = path.read_text(encoding="utf-8")
        session = re.sub(r"\A\d+-", "", path.stem)
        if session not in raw:
            continue
        for cwd in sorted(set(_CWD.findall(raw)), key=len)[:1]:
            raw = raw.replace(cwd, str(made.project))
        for number in range(times):
            _lay_one(made, raw, session, number)
    return made


def _lay_one(made: History, raw: str, session: str, number: int) -> None:
    name = f"{session[:-3]}{number:03x}"
    moved = _TIME.sub(lambda found: f'"{_earlier(found[1], number)}Z"', raw)
    # Lines of one uuid in two files would be taken for those of a fork, and looked into.
    apart = _UUID.sub(lambda found: f"{found[0][:-3]}{number:03x}", moved)
    text = apart.replace(session, name)
    ended = max(_TIME.findall(text))
    if '"session_meta"' in text[:400]:
        at = ended[:19].replace(":", "-")
        folder = made.home / ".codex/sessions" / at[:4] / at[5:7] / at[8:10]
        path = folder / f"rollout-{at}-{name}.jsonl"
    else:
        folder = made.home / ".claude/projects" / re.sub(r"[/.]", "-", str(made.project))
        path = folder / f"{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    at_s = datetime.fromisoformat(f"{ended}+00:00").timestamp()
    os.utime(path, (at_s, at_s))
    made.bytes += path.stat().st_size
    made.sessions.append((ended, name))


def _earlier(moment: str, number: int) -> str:
    moved = datetime.fromisoformat(moment) - timedelta(days=_SHIFT_DAYS * number)
    return moved.isoformat(timespec="milliseconds" if "." in moment else "seconds")


class Watch:
    """The memory that a process and its children have at most, looked at again and again."""

    def __init__(self, pid: int) -> None:
        self.peak_mb = 0.0
        self._pid = pid
        self._over = Event()
        self._thread = Thread(target=self._look, daemon=True)
        self._thread.start()

    def end(self) -> float:
        """Return the peak."""
        self._over.set()
        self._thread.join()
        return self.peak_mb

    def _look(self) -> None:
        while not self._over.wait(_POLL_S):
            total = sum(_resident_kb(pid) for pid in _family(self._pid))
            self.peak_mb = max(self.peak_mb, total * 1024 / _MB)


def _family(pid: int) -> Iterator[int]:
    yield pid
    try:
        told = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
    except OSError:
        return
    for child in told.split():
        yield from _family(int(child))


def _resident_kb(pid: int) -> int:
    """Return the memory of a process, what it shares with others shared out between them."""
    try:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text(encoding="ascii").splitlines():
            if line.startswith("Pss:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


class Product:
    """The installed product, run on a history."""

    def __init__(self, history: History, store: Path) -> None:
        self._where: dict[str, Any] = {
            "cwd": history.project,
            "env": {
                "HOME": str(history.home),
                "XDG_DATA_HOME": str(store),
                "PATH": os.environ["PATH"],
                "LANG": "C.UTF-8",
                "AGENTX_DAEMON_AUTO": "false",
            },
        }

    def ask(self, *arguments: str) -> Any:
        """Return what a command says."""
        done = subprocess.run(
            [str(BIN / "agentx"), *arguments, "--json"],
            **self._where,
            capture_output=True,
            text=True,
            check=True,
            timeout=_WAIT_S,
        )
        return json.loads(done.stdout)

    def start(self, *arguments: str) -> subprocess.Popen[str]:
        """Begin with a command."""
        return subprocess.Popen(
            [str(BIN / "agentx"), *arguments, "--json"],
            **self._where,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )


def measure_pace(history: History, store: Path) -> list[Row]:
    """Measure an import that nobody disturbs."""
    began = time.monotonic()
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = Product(history, store).start("import")
    watch = Watch(process.pid)
    reply = json.loads(process.communicate(timeout=_WAIT_S)[0])
    took_s = time.monotonic() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu_s = sum(after[:2]) - sum(before[:2])
    started_s = took_s - reply["complete_ms"] / 1000
    size = history.bytes / _MB
    stored = sum(one["stored"] for one in reply["harnesses"])
    return [
        Row("history: transcripts", len(history.sessions), "sessions"),
        Row("history: size", size, "MB"),
        Row("history: events kept", stored, "events"),
        Row(
            "until everything can be found",
            size / (started_s + reply["searchable_ms"] / 1000),
            "MB/s",
            at_least=8,
        ),
        Row("until everything is summed up", size / took_s, "MB/s", at_least=4),
        Row("processor for all of it", cpu_s, "s"),
        Row("memory of all its processes at most", watch.end(), "MB", at_most=400),
    ]


def measure_newest(history: History, store: Path) -> list[Row]:
    """Measure how soon the newest session is told while an import goes on."""
    product = Product(history, store)
    ended, newest = max(history.sessions)
    age_days = (datetime.now(UTC) - datetime.fromisoformat(f"{ended}+00:00")).days
    # Recall names no session; of those laid out only the newest can be of that age.
    marks = {"sessions": [newest], "recall": [f", {age_days + day} d," for day in (0, 1)]}
    began = time.monotonic()
    process = product.start("import")
    told: dict[str, float] = {}
    while len(told) < 2 and process.poll() is None:
        for name in set(marks) - set(told):
            with suppress(subprocess.CalledProcessError):  # there is nothing yet to look at
                said = json.dumps(product.ask(name))
                if any(mark in said for mark in marks[name]):
                    told[name] = time.monotonic() - began
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=_WAIT_S)
    return [
        Row("until the newest session is known", told.get("sessions", math.inf), "s", at_most=10),
        Row("until recall tells of it", told.get("recall", math.inf), "s", at_most=10),
    ]


def main() -> int:
    """Lay out, measure, print; leave with 1 when a budget does not hold."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("data", type=Path)
    parser.add_argument("--times", type=int, default=10)
    given = parser.parse_args()
    wrong = 0
    with tempfile.TemporaryDirectory(prefix="agentx-import-") as made:
        folder = Path(made)
        history = lay_out(given.data, folder, given.times)
        for measure, store in ((measure_pace, folder / "a"), (measure_newest, folder / "b")):
            for row in measure(history, store):
                wrong += not row.holds
                sign = " " if row.holds else "!"
                print(
                    f"{row.name:<44}{row.value:>12,.2f} {row.unit:<10}{row.budget:>10} {sign}",
                    flush=True,
                )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
