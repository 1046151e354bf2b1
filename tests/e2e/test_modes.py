"""Goal: agents and people do the same in both modes, and the same thread comes of it.

Method: one scenario through the real commands, once with issues as files and once with a GitHub
on loopback; what each left behind is laid side by side. Only times may differ.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from agentx.host.system import SystemClock
from tests.support.github_server import REPOSITORY, TOKEN, GithubServer
from tests.support.house import House

TIMES = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z|\d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)?|\b\d\d:\d\d\b")


@dataclass
class Scene:
    """A project in one of the modes, and what was seen in it on the way."""

    house: House
    env: dict[str, str] = field(default_factory=dict)
    seen: list[Any] = field(default_factory=list)

    def run(self, *arguments: str, expect: int = 0) -> str:
        """Run a command; what it says is kept for the comparison."""
        done = self.house.agentx(*arguments, expect=expect, env=self.env)
        self.seen.append((arguments, TIMES.sub("TIME", done.stdout)))
        return done.stdout

    def ledger(self) -> Any:
        """Return the ledger as it is on disk."""
        path = self.house.project / ".agentx" / "state" / "clarifications" / "issue-1.json"
        return json.loads(path.read_text(encoding="utf-8"))

    def play(self) -> None:
        """Ask, answer, ask further, come to terms; ask again, disagree, and call a person."""
        ready = ("--status", "ready")
        self.run("issue", "create", "--title", "Login \u2705", "--label", "type:feature", *ready)
        ask = ("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "architect")
        self.run(*ask, "--topic", "Storage", "--question", "JWT or \u4f1a\u8bdd?")
        self.run("ready")
        self.run("state", "--json")
        self.run("clarify", "answer", "CLR-1-001", "JWT.\nFor 15 minutes.")
        follow = ("--follow-up", "CLR-1-001", "--question", "And then?")
        self.run("clarify", "ask", *follow)
        self.run("clarify", "answer", "CLR-1-001", "A refresh token.")
        self.run("clarify", "resolve", "CLR-1-001", "Clear.")
        self.run(*ask, "--topic", "Keys", "--question", "Where do keys live?", "--no-block")
        refused = ("clarify", "ask", "--issue", "1", "--from", "engineer", "--to", "reviewer")
        self.run(*refused, "--topic", "x", "--question", "y", expect=2)
        self.run("clarify", "escalate", "CLR-1-002", "No agreement.")
        self.run("clarify", "answer", "CLR-1-002", "Too late.")
        self.run("clarify")
        self.run("clarify", "resolve", "CLR-1-002", "In the vault.", "--as-person")
        self.run("clarify", "--issue", "1")
        self.run("state", "--json")


@pytest.fixture(scope="module")
def server() -> Iterator[GithubServer]:
    with GithubServer(now_ms=SystemClock().now_ms()).serving() as made:
        yield made


@pytest.fixture(scope="module")
def scenes(tmp_path_factory: pytest.TempPathFactory, server: GithubServer) -> dict[str, Scene]:
    """Return the scene in each mode, played to its end."""
    github = {
        "AGENTX_WORK_MODE": "github",
        "AGENTX_GITHUB_REPOSITORY": REPOSITORY,
        "AGENTX_GITHUB_BASE_URL": server.url,
        "GITHUB_TOKEN": TOKEN,
    }
    made = {}
    for mode, env in (("local", {}), ("github", github)):
        root: Path = tmp_path_factory.mktemp(mode)
        scene = made[mode] = Scene(House(root), env)
        (scene.house.project / ".agentx").mkdir()
        scene.play()
    return made


def untimed(ledger: Any) -> Any:
    """Return a ledger without its times, and without what each house has of its own."""
    rows = [
        {**row, "uid": "", "thread": [{**entry, "uid": ""} for entry in row["thread"]]}
        for row in ledger["clarifications"]
    ]
    for row in rows:
        row.pop("issueMark", None)  # numbers of local issues may be given twice, GitHub's are not
    told = {name: value for name, value in ledger.items() if name != "made"}
    told["clarifications"] = rows
    return json.loads(TIMES.sub("TIME", json.dumps(told)))


@pytest.mark.promise("clarify.same-in-both-modes")
def test_8_3_local_mode_parity_the_same_flow_gives_the_same_thread(
    scenes: dict[str, Scene],
) -> None:
    local, github = scenes["local"], scenes["github"]

    assert untimed(local.ledger()) == untimed(github.ledger())
    assert [one["status"] for one in local.ledger()["clarifications"]] == ["resolved"] * 2
    # What commands say on the way is the same too, from the first to the last.
    for here, there in zip(local.seen, github.seen, strict=True):
        assert here == there


@pytest.mark.promise("github.mirror-once")
def test_8_3_github_mode_sync_posts_every_round_as_an_issue_comment(
    scenes: dict[str, Scene], server: GithubServer
) -> None:
    entries = [
        (each["id"], entry)
        for each in scenes["github"].ledger()["clarifications"]
        for entry in each["thread"]
    ]
    bodies = [each["body"] for each in server.comments[1]]

    assert len(bodies) == len(entries) == 9
    assert len({body.splitlines()[0] for body in bodies}) == len(entries)
    for body, (name, entry) in zip(bodies, entries, strict=True):
        assert body.startswith("<!-- agentx:clarification:")
        assert f"({name}, round {entry['round']}/" in body
        for line in entry["body"].splitlines():
            assert f"> {line}" in body
    scenes["github"].run("issue", "sync")
    assert len(server.comments[1]) == len(entries)
    labels = {each["name"] for each in server.issues[1]["labels"]}
    assert labels == {"type:feature", "status:ready"}
