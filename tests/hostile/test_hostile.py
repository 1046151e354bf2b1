"""Goal: whatever a stranger put into a repository, nothing of it is obeyed.

Method: tricks are laid by the dozen into a repository, and every command, the hook, the daemon and
the MCP server are run in it as processes, by a user with keys, a proxy that listens and programs
that tell when they are started. Every command meets some of the groups, and some commands of every
room meet all of those that are aimed at what we read, and half of the others; `make soak` lays each
trick alone and runs every command.
"""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from agentx.operations.table import OPERATIONS
from tests.hostile.commands import EVERY, LEFT_OUT, READING
from tests.hostile.tricks import GROUPS, TRICKS, Trick, lay_group, lay_one
from tests.hostile.world import BIDDING, SECRET, TREASURE, World
from tests.support.house import processes_of, prompt
from tests.support.kept import KeptFolder

COMMAND_S_MAX = 20
# Enough of each kind to reach every room; all of it with every trick is tried in `make soak`.
CHOSEN_WRITING = (
    *("sync", "hook start", "issue create", "issue update", "clarify ask", "memory add"),
    *("agent run", "run start", "run event", "run rebuild", "run artifact", "run lane open"),
    *("run archive", "ltm add", "memory migrate", "rebuild"),
)


_SHARES = 6
# Groups of which nothing leads a command further than another: half of the few for each, in turn.
_PLAIN = ("pipe", "key", "zero", "broken", "roots")
CHOSEN_FEW = (
    *("status", "doctor", "config", "search", "recall", "issue list", "clarify", "memory list"),
    *(
        "run list",
        "ltm patterns",
        "workflow list",
        "agent roles",
        "sync",
        "memory add",
        "run start",
    ),
)


@pytest.fixture(scope="session")
def kept_world(tmp_path_factory: pytest.TempPathFactory) -> KeptFolder[World]:
    return KeptFolder(tmp_path_factory.mktemp("world").resolve(), World)


@pytest.fixture
def world(kept_world: KeptFolder[World]) -> Iterator[World]:
    """Give a world in which the stranger's repository is bare yet."""
    made = kept_world.lend()
    made.listen()
    yield made
    made.close()
    assert processes_of(made.home) == []


def _try(world: World, words: str) -> str:
    """Run one command in the stranger's repository; return what it said."""
    began = time.monotonic()
    words = words.format(run=world.run_id, observation=world.observation)
    done = world.house.agentx(
        *words.split(), cwd=world.repository, env=world.surroundings, expect=None
    )
    said = f"{words}: {done.returncode}\n{done.stdout[-1500:]}\n{done.stderr[-1500:]}"
    assert time.monotonic() - began < COMMAND_S_MAX, said
    assert "Traceback" not in done.stderr, said
    assert "unforeseen" not in done.stderr, said
    for word in (TREASURE, SECRET):
        assert word not in done.stdout + done.stderr, said
    assert not world.canary.exists(), said
    assert not world.started.exists(), said
    assert world.calls == [], said
    return done.stdout


def _call_hook(world: World, kind: str) -> str:
    payload = {
        **prompt("look at the gate", session="s-9", cwd=str(world.repository)),
        "hook_event_name": kind,
        "source": "startup",
    }
    done = world.house.hook(payload, cwd=world.repository, env=world.surroundings)
    assert done.returncode == 0
    return done.stdout.decode()


def _ask_server(world: World) -> str:
    """Call the tools of the MCP server; return all that it said."""
    hello = {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "t", "version": "1"},
        },
    }
    tools = {
        "search": {"query": "gate"},
        "recall": {"issue": 1},
        "observations": {},
        "ready": {},
        "issue": {"number": 1},
        "inbox": {"role": "architect"},
        "run_status": {},
        "timeline": {},
    }
    calls = [
        {
            "jsonrpc": "2.0",
            "id": number,
            "method": "tools/call",
            "params": {"name": name, "arguments": given},
        }
        for number, (name, given) in enumerate(tools.items(), 1)
    ]
    lines = [hello, {"jsonrpc": "2.0", "method": "notifications/initialized"}, *calls]
    wanted = {line["id"] for line in (hello, *calls)}

    def is_answered(written: str) -> bool:
        whole = written[: written.rfind("\n") + 1]
        return wanted <= {json.loads(line).get("id") for line in whole.splitlines()}

    done = world.house.agentx(
        "mcp",
        cwd=world.repository,
        env=world.surroundings,
        said="".join(json.dumps(line) + "\n" for line in lines),
        is_enough=is_answered,
        expect=None,
    )
    assert is_answered(done.stdout), done.stderr
    return done.stdout


def _live_with(world: World, commands: list[str]) -> None:
    """Do what a user does all day, and see that it did no harm."""
    home = world.look_at_home()
    shown = [_call_hook(world, "SessionStart"), _call_hook(world, "UserPromptSubmit")]
    shown += [_try(world, words) for words in commands]
    shown += [_call_hook(world, "SessionStart"), _ask_server(world)]
    everything = "\n".join(shown)

    assert world.harm(home) == []
    assert world.find_leaks() == []
    assert TREASURE not in everything
    assert SECRET not in everything
    for text in (shown[0], shown[-2]):
        assert BIDDING not in text, "told at the start of a session"
    _see_that_others_are_well(world)


def _see_that_others_are_well(world: World) -> None:
    found = world.house.json("search", "xylograph")
    assert SECRET in json.dumps(found)


def test_there_are_tricks_enough_and_every_command_is_tried() -> None:
    named = {name for each in OPERATIONS for name in each.cli}

    assert len({trick.name for trick in TRICKS}) == len(TRICKS) >= 40
    assert named - EVERY.keys() - LEFT_OUT.keys() == set()
    assert EVERY.keys() - named == set()


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.promise("strangers.obeyed-in-nothing")
def test_a_strangers_repository_is_obeyed_in_nothing(world: World, group: str) -> None:
    lay_group(world, group)

    _live_with(world, _choose(group))


@pytest.mark.parametrize("group", ["links", "odd"])
def test_trust_opens_no_link_and_no_pipe(world: World, group: str) -> None:
    lay_group(world, group)
    _try(world, "trust --yes")

    _live_with(world, [EVERY[name] for name in CHOSEN_FEW])


def _choose(group: str) -> list[str]:
    """Return the commands to try with a group: some of each room, and a share of the rest."""
    if group in _PLAIN:
        return [EVERY[name] for name in CHOSEN_FEW[_PLAIN.index(group) % 2 :: 2]]
    named = dict.fromkeys((*CHOSEN_FEW, *_share(group)))
    return [EVERY[name] for name in named]


def _share(group: str) -> list[str]:
    """Return every sixth command, another sixth for each of six groups that follow another."""
    turn = list(GROUPS).index(group) % _SHARES
    return [*READING, *CHOSEN_WRITING][turn::_SHARES]


@pytest.mark.soak
@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: f"{trick.group}: {trick.name}")
def test_every_trick_alone_does_no_harm_to_any_command(world: World, trick: Trick) -> None:
    lay_one(world, trick)

    _live_with(world, list(EVERY.values()))


@pytest.mark.parametrize("group", ["links", "words"])
def test_a_daemon_does_what_it_does_by_itself_and_no_harm(world: World, group: str) -> None:
    lay_group(world, group)
    home = world.look_at_home()
    _call_hook(world, "UserPromptSubmit")
    _try(world, "daemon start")
    try:
        for words in ("status", "search gate", "issue list", "sync", "recall --issue 1"):
            _try(world, words)
    finally:
        _try(world, "daemon stop")

    assert world.harm(home) == []
    assert world.find_leaks() == []
    _see_that_others_are_well(world)
