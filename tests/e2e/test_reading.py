"""Goal: who only looks leaves nothing behind: no file in the folder, no store, nothing in the home.

Method: every command that reads, run where AgentX was never set up; then everything that exists
is listed.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.hostile.commands import READING
from tests.support.house import BIN, House, prompt

_THIRD = 3
WORDS = {"run": "20260101-0000-none-aaaa", "observation": "obs-1-0000000000000-000000"}


def _list_everything(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.mark.promise("reading.leaves-nothing")
@pytest.mark.parametrize(
    ("git", "step"),
    [
        pytest.param(True, 1, id="a repository"),
        pytest.param(False, _THIRD, id="a folder, some commands"),
        pytest.param(False, 1, id="a folder", marks=pytest.mark.soak),
    ],
)
def test_a_command_that_reads_makes_nothing_where_nothing_was_set_up(
    tmp_path: Path, git: bool, step: int
) -> None:
    house = House(tmp_path, git=git)
    before = _list_everything(tmp_path)

    for command in [*READING.values()][::step]:
        done = house.agentx(*command.format(**WORDS).split(), expect=None)

        made = [path for path in _list_everything(tmp_path) if path not in before]
        assert not made, f"{command} made {made[:5]}"
        assert "unforeseen" not in done.stderr, f"{command}: {done.stderr}"


def test_a_command_that_reads_makes_nothing_in_a_strangers_repository(tmp_path: Path) -> None:
    theirs = House(tmp_path / "theirs")
    theirs.json("ltm", "add", "--kind", "learning", "the hinge squeaks in the cold")
    theirs.json("issue", "create", "--title", "the gate")
    theirs.json("run", "start", "the gate")
    theirs.git("add", "--all")
    theirs.git("commit", "-q", "-m", "what we know")
    pages = [*theirs.project.glob(".agent-memory/ltm/**/*.yaml")]
    theirs.git("rm", "-q", "-r", *(str(page) for page in pages))
    theirs.git("commit", "-q", "-m", "without pages")
    house = House(tmp_path / "ours", git=False)
    house.git("clone", "-q", str(theirs.project), ".")
    before = _list_everything(tmp_path / "ours")

    for command in READING.values():
        house.agentx(*command.format(**WORDS).split(), expect=None)

        made = [path for path in _list_everything(tmp_path / "ours") if path not in before]
        made = [path for path in made if not path.startswith("home/")]
        assert not made, f"{command} made {made[:5]}"


_SOON = {"AGENTX_STORAGE_WAIT_MS": "200"}


@contextmanager
def _held(house: House) -> Iterator[None]:
    """Keep the store of a house open in another process, as a long import does."""
    holding = (
        "import sys, time\n"
        "from pathlib import Path\n"
        "from agentx.host.kv.rocks import open_rocks\n"
        "from agentx.host.system import SystemClock\n"
        "store = open_rocks(Path(sys.argv[1]), SystemClock())\n"
        "print('held', flush=True)\n"
        "sys.stdin.read()\n"
    )
    (db,) = house.data.root.glob("*/db")
    with subprocess.Popen(
        [sys.executable, "-c", holding, str(db)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as holder:
        assert holder.stdin is not None
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        try:
            yield
        finally:
            holder.stdin.close()


def test_a_store_that_another_process_has_is_read_as_it_is(house: House) -> None:
    house.agentx("init")
    house.hook(prompt("keep the lanterns of the harbour lit", cwd=str(house.project)))
    house.agentx("sync")
    house.hook(prompt("then count the buoys", cwd=str(house.project)))

    verbs = ("status", "toc", "recall", "events", "sessions")
    with _held(house):
        found = house.agentx("search", "lanterns", env=_SOON)
        late = json.loads(house.agentx("search", "buoys", "--json", env=_SOON).stdout)
        others = [house.agentx(verb, env=_SOON) for verb in verbs]

    assert "lanterns of the harbour" in found.stdout
    assert "1 event not taken in yet: another process has the store" in found.stderr
    assert (late["hits"], late["behind"]) == ([], 1)
    assert all(one.returncode == 0 for one in others)
    assert "buoys" in house.agentx("search", "buoys").stdout


def test_a_store_that_nobody_can_write_is_read_as_it_is_and_said_to_be_so(house: House) -> None:
    house.agentx("init")
    house.hook(prompt("keep the lanterns of the harbour lit", cwd=str(house.project)))
    house.agentx("sync")
    house.hook(prompt("then count the buoys", cwd=str(house.project)))

    found = subprocess.run(
        [str(BIN / "agentx"), "search", "lanterns"],
        cwd=house.project,
        # A file that is cut short may be one of Python's own.
        env={**house.environment, "PYTHONDONTWRITEBYTECODE": "1"},
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (1_000, 1_000)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )

    assert "lanterns of the harbour" in found.stdout
    assert "1 event not taken in yet: the store cannot be written" in found.stderr
