"""Goal: a document that is wrong in any way gets a clear error or is passed over: no traceback, no
hang, and the next command on a sound document is as before.

Method: a project that was lived in; one of its files at a time is made wrong from a fixed seed and
a command that reads it is run as a process; then the file is put back. `make soak` does 3,000.
"""

from __future__ import annotations

import random
import shutil
from pathlib import Path

import pytest

from agentx import work
from tests.support.house import House, prompt
from tests.support.mutation import mutate

SHIPPED = Path(work.__file__).parent / "shipped"
SEED = 20261116
COMMANDS = (
    *("status", "doctor", "search gate", "recall --issue 1", "issue list", "issue show 1", "ready"),
    *("clarify --issue 1", "clarify", "memory list", "memory search gate", "run list", "run show"),
    *("run event", "run context", "run resume", "ltm patterns", "ltm decisions", "ltm candidates"),
    *("state", "deps 1", "digest", "workflow list", "workflow next 1", "config", "sync", "logs"),
    *("hook start --agent engineer --issue 1", "events", "sessions", "toc", "agent roles"),
    *("memory verify", "issue create --title again", "run task list", "doctor --fix"),
)


@pytest.fixture
def lived_in(tmp_path: Path) -> House:
    """Return a house with something in every room."""
    house = House(tmp_path)
    house.hook(prompt("we decided that the gate stays shut at night", cwd=str(house.project)))
    house.json("issue", "create", "--title", "the gate", "--body", "must stay shut")
    fact = ("--agent", "engineer", "--issue", "1", "--category", "decision")
    house.json("memory", "add", *fact, "the gate stays shut")
    asked = ("--from", "engineer", "--to", "architect", "--topic", "gate", "--question", "which?")
    house.json("clarify", "ask", "--issue", "1", *asked)
    house.json("hook", "start", "--agent", "engineer", "--issue", "1")
    house.json("run", "start", "the gate")
    house.json("run", "event", "--actor", "executor", "--type", "note", "--detail", "text=seen")
    house.json(
        "ltm", "add", "--kind", "decision", "--name", "Shut gates", "gates are shut at night"
    )
    house.json("ltm", "add", "--kind", "learning", "the hinge squeaks in the cold")
    house.json("config", "set", "toc.timezone", "Europe/Lisbon")
    house.json("agent", "roles", "--copy")
    flows = house.project / ".agentx" / "workflows"
    flows.mkdir()
    shutil.copy(SHIPPED / "feature.toml", flows / "feature.toml")
    house.json("sync")
    house.hook(prompt("and the second gate too", cwd=str(house.project)))
    return house


def _list_documents(house: House) -> list[Path]:
    """Return every document that a person, git or another tool could have made wrong."""
    own = (house.project / ".agentx", house.project / ".agent-memory", house.data.spools)
    named = (path for folder in own for path in sorted(folder.rglob("*")))
    beside = (
        path for path in sorted(house.data.root.glob("*/*")) if path.suffix in (".json", ".jsonl")
    )
    files = [path for path in (*named, *beside) if path.is_file()]
    return [path for path in files if path.suffix not in (".lock", ".guard")]


def _go_wrong(house: House, times: int) -> None:
    chance = random.Random(SEED)
    kept = house.root / "kept"
    _copy(house, kept)
    for _ in range(times):
        path = chance.choice(_list_documents(house))
        path.write_bytes(mutate(path.read_bytes(), chance))
        command = chance.choice(COMMANDS)
        done = house.agentx(*command.split(), expect=None)
        said = f"{command} with {path.name}: {done.returncode}\n{done.stderr[-2000:]}"
        assert "unforeseen" not in done.stderr, said
        assert "Traceback" not in done.stderr, said
        assert done.returncode in (0, 1, 2, 3, 4, 5, 6), said
        assert done.returncode != 1 or "doctor" in command, said
        _put_back(house, kept)
    assert house.json("issue", "show", "1")["title"] == "the gate"
    assert house.json("memory", "list")["observations"] != []


def _copy(house: House, kept: Path) -> None:
    for name in (".agentx", ".agent-memory"):
        shutil.copytree(house.project / name, kept / name, symlinks=True)
    shutil.copytree(house.data.root, kept / "data", symlinks=True)


def _put_back(house: House, kept: Path) -> None:
    for name in (".agentx", ".agent-memory"):
        shutil.rmtree(house.project / name, ignore_errors=True)
        shutil.copytree(kept / name, house.project / name, symlinks=True)
    shutil.rmtree(house.data.root)
    shutil.copytree(kept / "data", house.data.root, symlinks=True)


@pytest.mark.promise("errors.clear")
def test_a_document_gone_wrong_is_no_traceback(lived_in: House) -> None:
    _go_wrong(lived_in, 20)


@pytest.mark.soak
def test_thousands_of_documents_gone_wrong_are_no_traceback(lived_in: House) -> None:
    _go_wrong(lived_in, 3_000)
