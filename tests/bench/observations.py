"""Observations: capture, load, search, injection and disk, for JSON files and SQLite.

Stores of 1,000, 10,000 and 50,000 observations of 200 words, once spread over 500 issues and
once all in issue 0. Capture is timed as an agent sees it: the 50 observations of a session that
just ended, all of one agent and one issue, on disk when it returns. Cold means a store that was
just opened; warm means one that has answered before; the command is a process of its own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from agentx.kernel.clock import Millis
from agentx.observations.ids import observation_id
from agentx.observations.model import Observation, Recall, SearchFilters
from agentx.observations.service import Observations
from agentx.project.config import read_environment
from agentx.project.project import open_project
from agentx.wiring.observations import open_observations
from tests.bench.row import Row
from tests.support.observations import generated
from tests.support.time_and_chance import START_MS, CountingEntropy

SIZES = {"small": (1_000, 10_000), "full": (1_000, 10_000, 50_000)}
CAPTURES = 20
QUERIES = 100
WORDS = 200
COMMAND_MS_MAX = 400
COLD_SEARCH_MS_MAX = {1_000: 200, 10_000: 200}


@dataclass(frozen=True)
class Layout:
    """How observations are spread."""

    name: str
    issues: int


SPREAD, HEAPED = Layout("500 issues", 500), Layout("issue 0", 1)


def run(size: str) -> list[Row]:
    """Measure."""
    rows: list[Row] = []
    for backend in ("json", "sqlite"):
        smallest: dict[str, float] = {}
        for count in SIZES[size]:
            for layout in (SPREAD, HEAPED):
                with tempfile.TemporaryDirectory() as folder:
                    rows += _measure(backend, count, layout, Path(folder), smallest)
    return rows


def _measure(
    backend: str, count: int, layout: Layout, folder: Path, smallest: dict[str, float]
) -> list[Row]:
    what = f"{backend} {count:,} in {layout.name}:"
    made = generated(count, issues=layout.issues, words=WORDS)
    project = folder / "project"
    environment = _environment(folder, backend)
    place = project / ".agentx" / "memory"
    place.mkdir(parents=True)
    opened = open_observations(open_project(project, read_environment(environment)))
    store = opened.store
    for start in range(0, count, 500):
        store.store(made[start : min(start + 500, count)])
    settled_ms = _ms(store.settle)
    sessions = [_session(turn, layout) for turn in range(CAPTURES)]
    capture_ms = _p95([_ms(partial(store.store, session)) for session in sessions])
    growth = capture_ms / smallest.setdefault(layout.name, capture_ms)
    store.settle()
    rows = [
        Row(f"{what} capture of 50, p95", capture_ms, "ms", at_most=50),
        Row(f"{what} capture against 1,000", growth, "times", at_most=2),
        Row(f"{what} settling all of it", settled_ms, "ms"),
    ]
    queries = [" ".join(each.content.split()[2:6]) for each in made[:: count // QUERIES][:QUERIES]]
    store.search(queries[0])
    rows.append(
        Row(
            f"{what} search, warm, p95",
            _p95([_ms(partial(store.search, query)) for query in queries]),
            "ms",
            at_most=5,
        )
    )
    opened.close()
    rows += _cold(what, count, layout, environment, project, queries[1])
    rows += _sizes(what, count, backend, place, folder)
    return rows


def _session(turn: int, layout: Layout) -> list[Observation]:
    """Return what one session taught, just now."""
    issue = 0 if layout is HEAPED else turn * 17 % layout.issues + 1
    agent = ("engineer", "architect", "reviewer")[turn % 3]
    entropy = CountingEntropy()
    found = []
    for number, each in enumerate(generated(50, seed=1_000 + turn, words=WORDS)):
        at_ms = Millis(START_MS + turn * 3_600_000 + number * 1_000)
        name = observation_id(agent, issue, at_ms, entropy)
        found.append(replace(each, id=name, agent=agent, issue_number=issue, timestamp_ms=at_ms))
    return found


def _cold(
    what: str,
    count: int,
    layout: Layout,
    environment: dict[str, str],
    project: Path,
    query: str,
) -> list[Row]:
    """Measure with stores that were just opened, and with the whole command."""

    issue = 0 if layout is HEAPED else 7

    def fresh() -> closing[Observations]:
        return closing(open_observations(open_project(project, read_environment(environment))))

    def load() -> None:
        with fresh() as room:
            room.store.search_by_filters(SearchFilters(limit=1))

    def read() -> None:
        with fresh() as room:
            room.store.get_by_issue(issue)

    def find() -> None:
        with fresh() as room:
            assert room.search(query)

    def inject() -> None:
        with fresh() as room:
            asked = Recall(agent="engineer", issue_number=issue, context=query)
            told = room.best(asked, 100)
            assert room.tell_recalled([each.id for each, _ in told], asked)

    command = [sys.executable, "-m", "agentx.surfaces.cli.main", "memory", "search", query]

    def whole() -> None:
        subprocess.run(
            [*command, "--json"], cwd=project, env=environment, check=True, capture_output=True
        )

    return [
        Row(f"{what} index, cold", _least(load), "ms", at_most=100 if count <= 10_000 else None),
        Row(
            f"{what} issue read, cold",
            _least(read),
            "ms",
            at_most=20 if layout is SPREAD else None,
        ),
        Row(f"{what} search, cold", _least(find), "ms", at_most=COLD_SEARCH_MS_MAX.get(count)),
        Row(f"{what} injection, cold", _least(inject), "ms", at_most=500),
        Row(f"{what} `memory search`", _least(whole), "ms", at_most=COMMAND_MS_MAX),
    ]


def _sizes(what: str, count: int, backend: str, place: Path, folder: Path) -> list[Row]:
    rows = []
    if backend == "json":
        manifest = (place / "manifest.json").stat().st_size / 1e6
        rows.append(Row(f"{what} manifest", manifest, "MB", at_most=20))
    files = sum(path.stat().st_size for path in place.rglob("*") if path.is_file()) / 1e6
    words = folder / "data" / "agent-memory"
    views = sum(path.stat().st_size for path in words.rglob("*") if path.is_file()) / 1e6
    rows.append(Row(f"{what} on disk", files, "MB", at_most=150))
    rows.append(Row(f"{what} word lists (a view)", views, "MB"))
    return rows


def _environment(folder: Path, backend: str) -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(folder / "home"),
        "XDG_DATA_HOME": str(folder / "data"),
        "XDG_CONFIG_HOME": str(folder / "config"),
        "AGENTX_MEMORY_BACKEND": backend,
        "PYTHONPATH": os.pathsep.join(sys.path),
    }


def _ms(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def _least(act: Callable[[], object], turns: int = 5) -> float:
    """Return the best of some turns: what else the machine does is not ours."""
    return min(_ms(act) for _ in range(turns))


def _p95(times: list[float]) -> float:
    return sorted(times)[int(len(times) * 0.95) - 1]
