"""What an agent pays for its memory over MCP: the list of tools, five questions, and the wait.

The server is a process, spoken to over stdin and stdout as an agent CLI does, on a project that
remembers the bundled sample, told so that it ended yesterday. A question is asked the way the
instructions of the server tell: the cheap tool first, then the text of the best row. What an
answer costs is counted as agent CLIs hand it to the model: its structured form where there is
one, else its text. Tokens are by our own estimate (`agentx.kernel.tokens`), of compact JSON for
the list.

    python -m tests.bench.tools [--server COMMAND ...]      any server, such as an older one's

A start is measured beside one of bare Python, and once more while every core is kept busy.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from pathlib import Path
from statistics import median
from typing import Any

from agentx.kernel.clock import DAY_MS, Millis
from agentx.kernel.tokens import estimate
from agentx.project.project import open_project
from tests.bench.row import Row
from tests.support.history import imported_sample
from tests.support.mcp_talk import Talk
from tests.support.remembering import environment_in, remember

LIST_TOKENS_MAX = 1_000
READY_MS_MAX = 500
_STARTS = {"small": 7, "full": 25}
_SERVER = (sys.executable, "-P", "-m", "agentx.surfaces.mcp")
_BARE = (sys.executable, "-c", "pass")
_BEST = "the id of the best row"

Call = tuple[str, dict[str, Any]]
# Each question: the calls that answer it, and those of a server whose `timeline` needs an id.
QUESTIONS: dict[str, tuple[tuple[Call, ...], tuple[Call, ...]]] = {
    "what did we decide about retries": (
        (("search", {"query": "what did we decide about retries?"}), ("get", {"ids": [_BEST]})),
        (),
    ),
    "what was I doing last week": (
        (("timeline", {"id": "last week"}),),
        (("search", {"query": "what was I doing last week?"}), ("get", {"ids": [_BEST]})),
    ),
    "what failed with the webhooks": (
        (("search", {"query": "what failed with the webhooks?"}), ("get", {"ids": [_BEST]})),
        (),
    ),
    "where did we stop": (
        (("search", {"query": "where did we stop?", "limit": 5}), ("get", {"ids": [_BEST]})),
        (),
    ),
    "who changed the importer and why": (
        (("search", {"query": "who changed the importer and why?"}), ("get", {"ids": [_BEST]})),
        (),
    ),
}


def run(size: str) -> list[Row]:
    """Measure the server of this checkout."""
    return measure(_SERVER, size)


def measure(server: Sequence[str], size: str) -> list[Row]:
    """Measure what the list and the questions cost, and how long a start takes."""
    with tempfile.TemporaryDirectory(prefix="ax-") as made:
        root = Path(made)
        environment = _remember_sample(root)
        with Talk(server, root / "shop", environment) as talk:
            tools = talk.begin()
            cost = estimate(json.dumps(tools, separators=(",", ":"), ensure_ascii=False))
            rows = [
                Row(f"the list of {len(tools)} MCP tools", cost, "tokens", at_most=LIST_TOKENS_MAX)
            ]
            asked = {question: _answer(talk, *ways) for question, ways in QUESTIONS.items()}
        for question, (shown, sent) in asked.items():
            rows.append(Row(f'"{question}"', shown, "tokens"))
            rows.append(Row("  all that was sent for it", sent, "tokens"))
        rows.append(Row("five questions", sum(shown for shown, _ in asked.values()), "tokens"))
        for load in (0, os.cpu_count() or 1):
            rows += _starts(server, root / "shop", environment, _STARTS[size], load)
    return rows


def _remember_sample(root: Path) -> dict[str, str]:
    """Make a project that remembers the sample as if it had ended yesterday; return its user."""
    now = time.time() * 1000
    drafts = imported_sample()
    shift = int(now - DAY_MS - drafts[-1].timestamp_ms)
    folder = root / "shop"
    folder.mkdir()
    remember(
        open_project(folder, environment_in(root)),
        [replace(each, timestamp_ms=Millis(each.timestamp_ms + shift)) for each in drafts],
    )
    return {
        "HOME": str(root / "home"),
        "PATH": os.environ.get("PATH", ""),
        "TZ": "UTC",
        "AGENTX_DAEMON_AUTO": "false",
    }


def _answer(talk: Talk, calls: Sequence[Call], otherwise: Sequence[Call]) -> tuple[int, int]:
    """Return what the answers to one question cost the model, and all that was sent."""
    shown = sent = 0
    best = ""
    for name, given in calls:
        arguments = {key: [best] if value == [_BEST] else value for key, value in given.items()}
        result = talk.ask("tools/call", name=name, arguments=arguments)["result"]
        text = "\n".join(block["text"] for block in result["content"])
        data = result.get("structuredContent")
        form = json.dumps(data, separators=(",", ":"), ensure_ascii=False) if data else ""
        shown += estimate(form or text)
        sent += estimate(text) + estimate(form)
        if result.get("isError") and otherwise:
            more = _answer(talk, otherwise, ())
            return shown + more[0], sent + more[1]
        assert not result.get("isError"), text
        best = best or _best(text)
    return shown, sent


def _best(text: str) -> str:
    rows = [line for line in text.splitlines() if line.startswith(("- ", "> "))]
    return rows[0].split()[1] if rows else ""


def _starts(
    server: Sequence[str], folder: Path, environment: dict[str, str], count: int, load: int
) -> list[Row]:
    bare, ready = [], []
    with ExitStack() as busy:
        for _ in range(load):
            busy.enter_context(_spinning())
        for _ in range(count):
            began = time.perf_counter()
            subprocess.run(_BARE, check=True)
            bare.append((time.perf_counter() - began) * 1000)
            began = time.perf_counter()
            with Talk(server, folder, environment) as talk:
                talk.begin()
                ready.append((time.perf_counter() - began) * 1000)
    how = f", {load} busy cores" if load else ""
    return [
        Row(f"MCP server ready, median{how}", median(ready), "ms", at_most=READY_MS_MAX),
        Row(f"MCP server ready, worst{how}", max(ready), "ms"),
        Row(f"MCP server ready{how}", median(ready) / median(bare), "x bare"),
    ]


@contextmanager
def _spinning() -> Iterator[None]:
    """Keep a core busy."""
    process = subprocess.Popen([sys.executable, "-c", "while True: pass"])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def main() -> None:
    """Measure any server, and print."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.tools")
    parser.add_argument("--size", choices=tuple(_STARTS), default="small")
    parser.add_argument("--server", nargs=argparse.REMAINDER, default=list(_SERVER))
    given = parser.parse_args()
    for row in measure(given.server, given.size):
        print(f"{row.name:<56}{row.value:>10,.0f} {row.unit}")


if __name__ == "__main__":
    main()
