"""What is asked of a golden set: every command that reads, and what it says."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator
from typing import Any

from agentx.observations.store.packing import unpack
from tests.golden.layout import normal
from tests.golden.story import Town, github

GITHUB_PORT = 18_919  # nobody listens there: the copies of pages are named after the address
Question = list[str]

_OF_THE_LEDGER = "ledger"
_OF_GITHUB = "github"
_OF_THE_MODEL = "model"
_SETTINGS = {
    _OF_GITHUB: github(GITHUB_PORT),
    _OF_THE_MODEL: {"AGENTX_LLM_PROVIDER": "openai", "AGENTX_LLM_MODEL": "small"},
}


def questions(town: Town) -> Iterator[Question]:
    """Yield what to ask; ids are taken from what the house says itself.

    The first word says of what: the shop, the ledger, or the shop with other settings.
    """
    plain = (
        *("status", "sessions", "toc --depth 5", "recall", "recall --issue 1 --agent engineer"),
        *("events --limit 1000 --full", "events --type note", "digest", "logs --limit 500"),
        *("search postgres", "search 'ledger in Postgres' --explain", "search mail --kind all"),
        *("memory list --limit 100", "memory search webhook", "memory stats", "memory verify"),
        *("memory budget --issue 1", "clarify", "clarify --issue 1", "clarify --issue 3"),
        *("clarify inbox architect", "clarify stale", "issue list", "issue show 1"),
        *("issue show 4", "ready", "deps 2", "state", "workflow list", "workflow show story"),
        *("workflow next 1", "workflow check", "agent roles", "agent show engineer"),
        *("run list", "run list --archived", "run show", "run event", "run task list"),
        *("run lane list", "run context --task TASK-002", "run phase"),
        *("ltm patterns", "ltm decisions", "ltm debt", "ltm learnings", "ltm metrics"),
        *("ltm candidates", "ltm show PAT-001", "ltm show ADR-0001", "config"),
        *("config get memory.maxTokens", "scheduler status", "import --dry-run --all-projects"),
        *("show CLR-1-001", "show PAT-001", "why PAT-001", "why CLR-1-001"),
        "status --project /usr",  # the name of a store that nobody gave a name
    )
    yield from (["shop", *shlex.split(line)] for line in plain)
    for line in ("status", "memory list", "memory search crane", "memory stats", "events"):
        yield [_OF_THE_LEDGER, *shlex.split(line)]
    yield [_OF_GITHUB, "issue", "show", "1"]
    yield [_OF_THE_MODEL, "status"]
    yield from (["shop", *asked] for asked in _by_id(town))


def _by_id(town: Town) -> Iterator[list[str]]:
    for entry in town.json("memory", "list", "--limit", "4")["observations"]:
        yield ["memory", "show", entry["id"]]
    yield ["why", entry["id"]]
    segment = _first_segment(town.json("toc", "--depth", "5")["nodes"][0])
    grip = segment["bullets"][0]["grip_ids"][0]
    event = town.json("expand", grip)["excerpt_events"][0]["event_id"]
    runs = town.json("run", "list")["runs"], town.json("run", "list", "--archived")["archived"]
    archive = town.project / ".agentx" / "memory" / "archive" / "issue-29-archived.json"
    archived = json.loads(unpack(json.loads(archive.read_text())["packed"]))[0]["id"]
    yield ["expand", grip]
    yield ["memory", "show", archived]
    for known in (grip, event, segment["node_id"], *(rows[0]["run_id"] for rows in runs)):
        yield ["show", known]
        yield ["why", known]


def _first_segment(node: dict[str, Any]) -> dict[str, Any]:
    while node["children"]:
        node = node["children"][0]
    return node


def ask(town: Town, asked: Question) -> Any:
    """Ask one thing; return exit code and answer, wherever the house stands."""
    place, *arguments = asked
    done = town.agentx(
        *arguments,
        "--json",
        expect=None,
        cwd=town.ledger if place == _OF_THE_LEDGER else town.project,
        env=_SETTINGS.get(place, {}),
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()] if "logs" in asked else None
    answer = lines if lines is not None else json.loads(done.stdout)
    return normal({"code": done.returncode, "said": answer}, town.root)


def drained(town: Town) -> Any:
    """Take what old hooks left in the spool; return what became of it."""
    told = [
        town.tell("sync"),
        town.tell("sync"),
        town.tell("sessions"),
        town.tell("memory", "list"),
    ]
    told.append(town.tell("events", "--limit", "1000", "--full", "--since", "2026-11-18"))
    left = sorted(str(path) for path in town.home.rglob("*.evt"))
    return normal([*told, left], town.root)


def taken_up(town: Town) -> Any:
    """Take the old run up again, and lay the packed one out."""
    (active,) = town.tell("run", "list")["runs"]
    (packed,) = town.tell("run", "list", "--archived")["archived"]
    steps = (("resume", active), ("pr", active), ("rebuild", active), ("restore", packed))
    told = [town.tell("run", verb, run["run_id"]) for verb, run in steps]
    return normal([*told, town.tell("run", "show", packed["run_id"])], town.root)


def name_of(number: int, asked: Question) -> str:
    """Return the name of the file of an answer; they are asked in this order."""
    words = re.sub(r"[^A-Za-z0-9]+", "-", "-".join(asked)).strip("-")
    return f"{number:03}-{words[:60]}.json"
