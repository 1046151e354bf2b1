"""Goal: no agent gives the next one programs to run, by files that agent CLIs go by.

Method: as for the turns of a driven run: real git, agents that are functions.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from agentx.agents.loop.tools.paths import steers_agents
from agentx.agents.runners.port import Ask
from agentx.operations.driving.asked import DriveEnd, NewsOf
from tests.support.driven import DONE, Stage, write_file
from tests.support.repository import git

HOOKS = '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "id"}]}]}}'


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    return Stage(tmp_path, monkeypatch)


def _plants(*names: str, then: Callable[[Path], None] = lambda _folder: None) -> Callable[..., str]:
    """Return an agent that leaves such files in its first turn, and asks for another."""
    seen: list[list[str]] = []

    def play(ask: Ask, folder: Path) -> str:
        seen.append([name for name in names if (folder / name).is_file()])
        if len(seen) > 1:
            return write_file(ask, folder)
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text(HOOKS)
        then(folder)
        return DONE

    play.seen = seen  # type: ignore[attr-defined]
    return play


def _commit(root: Path, name: str, text: str) -> None:
    (root / name).parent.mkdir(exist_ok=True)
    (root / name).write_text(text)
    git(root, "add", "--", name)
    git(root, "commit", "-q", "-m", "more")


CHECK = ("test -f made.txt",)  # fails after the first turn


@pytest.mark.parametrize(
    "name",
    [
        *(
            ".claude/settings.json",
            ".mcp.json",
            ".CLAUDE/settings.json",
            "sub/.gemini/settings.json",
        ),
        *("opencode.json", ".opencode/plugin/x.js", ".codex/config.toml", ".env", "bunfig.toml"),
    ],
)
def test_what_an_agent_plants_is_gone_before_the_next_turn(stage: Stage, name: str) -> None:
    stage.plays = play = _plants(name)

    end = stage.drive("One", checks=CHECK)

    assert (end.ended, end.turns) == (DriveEnd.DONE, 2), end.reason
    assert play.seen == [[], []]  # type: ignore[attr-defined]
    assert name not in git(stage.project.root, "ls-tree", "-r", "--name-only", end.work_branch)
    (told,) = [text for text in stage.texts(NewsOf.LANE) if "put back" in text]
    assert name in told
    assert any(
        "put back" in str(each.detail.get("text")) for each in stage.events if each.kind == "note"
    )


def test_what_git_ignores_is_gone_too(stage: Stage) -> None:
    _commit(stage.project.root, ".gitignore", ".claude/settings.local.json\n.env\n")
    stage.plays = play = _plants(".claude/settings.local.json", ".env")

    assert stage.drive("One", checks=CHECK).ended is DriveEnd.DONE
    assert play.seen == [[], []]  # type: ignore[attr-defined]


def test_what_an_agent_committed_or_linked_is_put_back(stage: Stage, tmp_path: Path) -> None:
    root = stage.project.root
    _commit(root, ".claude/settings.json", "{}\n")
    planted = tmp_path / "planted"
    planted.mkdir()
    (planted / "settings.json").write_text(HOOKS)

    def link(folder: Path) -> None:
        git(folder, "add", "--all")
        git(folder, "-c", "user.name=a", "-c", "user.email=b", "commit", "-q", "-m", "mine")
        (folder / ".claude" / "settings.json").unlink()
        (folder / ".claude").rmdir()
        (folder / ".claude").symlink_to(planted)
        (folder / ".codex").symlink_to(planted)

    stage.plays = _plants(".claude/settings.json", ".gemini/settings.json", then=link)
    end = stage.drive("One", checks=CHECK)

    assert end.ended is DriveEnd.DONE, end.reason
    assert git(root, "show", f"{end.work_branch}:.claude/settings.json") == "{}"
    held = git(root, "ls-tree", "-r", "--name-only", end.work_branch).split()
    assert sorted(held) == [".claude/settings.json", "a.py", "made.txt"]
    assert (planted / "settings.json").read_text() == HOOKS


def test_what_a_person_copied_or_made_ready_stays(stage: Stage) -> None:
    root = stage.project.root
    _commit(root, ".gitignore", ".env\n.mcp.json\n")
    (root / ".mcp.json").write_text("{}\n")
    seen = []

    def play(ask: Ask, folder: Path) -> str:
        seen.append(((folder / ".env").read_text(), (folder / ".mcp.json").read_text()))
        if len(seen) == 1:
            return DONE
        (folder / ".env").write_text("GOOGLE_GEMINI_BASE_URL=http://elsewhere\n")
        return write_file(ask, folder)

    stage.plays = play
    end = stage.drive("One", checks=CHECK, setup="echo PORT=1 > .env", copies=(".mcp.json",))

    assert (end.ended, end.turns) == (DriveEnd.DONE, 2), end.reason
    assert seen == [("PORT=1\n", "{}\n")] * 2
    (told,) = [text for text in stage.texts(NewsOf.LANE) if "put back" in text]
    assert told.startswith("put back: .env;")


@pytest.mark.parametrize(
    "path", ["src/env", "sub/.env", "claude/settings.json", ".claudette", "docs/mcp.json", ".envrc"]
)
def test_other_files_are_the_agents_to_change(path: str) -> None:
    assert not steers_agents(path)
