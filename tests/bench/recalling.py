"""Recall and the MCP tools on a project that remembers the sample told over and over.

The store is kept in `.bench/` between runs. Recall is measured in an open store; a call of
a tool opens and closes it, as the server does without a daemon.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.project.project import open_project
from agentx.wiring.memory import open_store
from tests.bench.row import Row
from tests.support.history import repeated_sample
from tests.support.mcp_agent import Agent
from tests.support.remembering import environment_in, remember

KEPT = Path(".bench")
SIZES = {"small": 20_000, "full": 1_000_000}
RUNS = 15
RECALL_MS_MAX = 150


def run(size: str) -> list[Row]:
    """Measure."""
    count = SIZES[size]
    root = (KEPT / f"recalling-{count}").absolute()
    folder = root / "shop"
    folder.mkdir(parents=True, exist_ok=True)
    project = open_project(folder, environment_in(root))
    if not (root / "built").exists():
        remember(project, repeated_sample(count))
        (root / "built").touch()
    requests = {
        "the newest": RecallRequest(),
        "for an issue": RecallRequest(issue=31),
        "with a context": RecallRequest(context="retries of webhooks that the office refuses"),
    }
    with open_store(project) as memory:
        rows = [
            Row(
                f"recall section, {name}, {count:,} events",
                _median_ms(lambda request=request: recall(project, memory, request)),  # type: ignore[misc]  # bound now
                "ms",
                at_most=RECALL_MS_MAX,
            )
            for name, request in requests.items()
        ]
    return [*rows, *_calls(folder, root, count)]


def _calls(folder: Path, root: Path, count: int) -> list[Row]:
    agent = Agent(folder, environment_in(root))
    calls: dict[str, dict[str, str]] = {
        "search": {"query": "what did we decide about retries?"},
        "recall": {"context": "retries of webhooks"},
        "timeline": {"id": "2026-03-09"},
    }
    return [
        Row(
            f"mcp {name}, {count:,} events, no daemon",
            _median_ms(lambda name=name, given=given: agent.call(name, **given)),  # type: ignore[misc]  # bound now
            "ms",
        )
        for name, given in calls.items()
    ]


def _median_ms(work: Callable[[], object]) -> float:
    times = []
    for _ in range(RUNS):
        began = time.perf_counter()
        work()
        times.append((time.perf_counter() - began) * 1000)
    return median(times)
