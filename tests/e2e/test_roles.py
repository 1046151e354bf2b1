"""Goal: a session plays the role that was said, set for it, or set for its project; nobody else's.

Method: real hooks and real commands in a house of their own, with and without a daemon; the log
says under which role each event was captured, the hook's output what the role was told.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.house import House, prompt

_CLAUDE, _CODEX = "claude-code", "codex"
STRANGE = '[agents]\nrole = "reviewer"\n'


@pytest.fixture
def house(tmp_path: Path) -> Iterator[House]:
    made = House(tmp_path)
    yield made
    made.agentx("daemon", "stop", expect=None)


def begin(house: House, session: str, harness: str = _CLAUDE, **env: str) -> str:
    start = {"session_id": session, "hook_event_name": "SessionStart", "source": "startup"}
    return house.hook(start, harness, env=env).stdout.decode()


def say(house: House, text: str, session: str, cwd: Path | None = None, **env: str) -> None:
    house.hook(prompt(text, session=session), cwd=cwd, env=env)


def roles(house: House) -> dict[str, str]:
    """Return what was asked and under which role."""
    asked = [each for each in house.events() if each["event_type"] == "user_message"]
    return {each["text"]: each["agent"] for each in asked}


def ask(house: House, who: str, whom: str, topic: str) -> None:
    house.json("issue", "create", "--title", "Sign-in")
    given = ("--issue", "1", "--from", who, "--to", whom, "--topic", topic)
    house.json("clarify", "ask", *given, "--question", f"Which {topic}?")


def test_the_role_of_a_project_is_the_one_that_its_sessions_are_captured_under(
    house: House,
) -> None:
    say(house, "before", "s-0")
    house.agentx("agent", "role", "pm", "--here")

    say(house, "after", "s-1")
    below = house.project / "deep" / "down"
    below.mkdir(parents=True)
    say(house, "below", "s-2", below)
    say(house, "said", "s-3", AGENTX_AGENT="tester")
    say(house, "none", "s-4", AGENTX_AGENT="none")
    house.agentx("agent", "role", "--here", "--clear")
    say(house, "cleared", "s-5")

    assert roles(house) == {
        "before": "",
        "after": "product-manager",
        "below": "product-manager",
        "said": "tester",
        "none": "",
        "cleared": "",
    }


def test_a_folder_that_nobody_settled_is_captured_under_the_role_of_its_project(
    house: House,
) -> None:
    file = house.home / ".config" / "agentx" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('[agents]\nrole = "architect"\n', encoding="utf-8")
    new = house.root / "work" / "new"
    new.mkdir()

    say(house, "the first words", "s-1", new)

    found = house.json("events", cwd=new)["events"]
    assert {each["agent"] for each in found} == {"architect"}


def test_a_role_that_is_set_while_a_session_runs_holds_from_its_next_event_on(
    house: House,
) -> None:
    house.agentx("agent", "role", "engineer", "--here")
    begin(house, "s-1")
    say(house, "first", "s-1")
    shown = house.json("agent", "role", "tester", "--session", "s-1")
    say(house, "second", "s-1")
    say(house, "elsewhere", "s-2")
    house.agentx("agent", "role", "none", "--session", "s-1")
    say(house, "third", "s-1")
    house.agentx("agent", "role", "--clear", "--session", "s-1")
    say(house, "fourth", "s-1")

    assert (shown["role"], shown["source"], shown["session_id"]) == ("tester", "session", "s-1")
    assert roles(house) == {
        "first": "engineer",
        "second": "tester",
        "elsewhere": "engineer",
        "third": "",
        "fourth": "engineer",
    }


def test_an_agent_sets_the_role_of_its_own_session_without_knowing_its_id(house: House) -> None:
    own = {"CODEX_THREAD_ID": "t-7"}
    house.agentx("agent", "role", "ux", env=own)

    begin(house, "t-7", _CODEX)
    say(house, "another agent CLI", "t-7")
    played = json.loads(house.agentx("agent", "role", "--json", env=own).stdout)
    settings = json.loads(house.agentx("config", "--json", env=own).stdout)["settings"]
    both = house.agentx(
        "agent", "role", "pm", env={**own, "CLAUDE_CODE_SESSION_ID": "c-1"}, expect=2
    )

    assert {each["agent"] for each in house.events("--harness", _CODEX)} == {"ux-designer"}
    assert roles(house) == {"another agent CLI": ""}
    assert (played["role"], played["source"]) == ("ux-designer", "session")
    row = next(each for each in settings if each["key"] == "agents.role")
    assert (row["value"], row["source"]) == ("ux-designer", "session")
    assert "--session ID" in both.stderr


@pytest.mark.parametrize("served", [False, True], ids=["no-daemon", "daemon"])
def test_what_waits_for_a_role_is_told_to_the_session_that_plays_it(
    house: House, served: bool
) -> None:
    ask(house, "engineer", "architect", "database")
    if served:
        house.agentx("daemon", "start")
    assert "Which database?" not in begin(house, "s-1")

    house.agentx("agent", "role", "architect", "--here")
    assert "Which database?" in begin(house, "s-2")

    house.agentx("agent", "role", "tester", "--session", "s-2")
    assert "Which database?" not in begin(house, "s-2")
    assert "Which database?" in begin(house, "s-3")
    assert "Which database?" not in begin(house, "s-4", AGENTX_AGENT="none")


def test_a_strangers_role_is_not_played_until_its_repository_is_trusted(house: House) -> None:
    strange = house.root / "work" / "strange"
    (strange / ".agentx").mkdir(parents=True)
    house.git("init", "-q", "-b", "main", cwd=strange)
    (strange / ".agentx" / "config.toml").write_text(STRANGE, encoding="utf-8")
    house.git("add", "-A", cwd=strange)
    house.git("commit", "-q", "-m", "come in", cwd=strange)

    say(house, "untrusted", "s-1", strange)
    house.agentx("sync", cwd=strange)
    say(house, "still untrusted", "s-2", strange)
    house.agentx("trust", "--yes", cwd=strange)
    say(house, "trusted", "s-3", strange)
    (strange / ".agentx" / "config.toml").write_text(
        STRANGE.replace("reviewer", "tester"), encoding="utf-8"
    )
    house.agentx("sync", cwd=strange)
    say(house, "changed", "s-4", strange)
    house.agentx("trust", "--revoke", cwd=strange)
    say(house, "revoked", "s-5", strange)

    found = house.json("events", "--limit", "100", cwd=strange)["events"]
    asked = {each["text"]: each["agent"] for each in found if each["event_type"] == "user_message"}
    assert asked == {
        "untrusted": "",
        "still untrusted": "",
        "trusted": "reviewer",
        "changed": "",
        "revoked": "",
    }


def test_status_and_config_say_which_role_is_played_and_what_says_so(house: House) -> None:
    assert house.json("status")["role"] == {"role": "", "source": ""}
    house.agentx("config", "set", "agents.role", "engineer")
    repository = house.agentx("status").stdout
    house.agentx("agent", "role", "tester", "--here")
    own = house.agentx("status").stdout
    said = house.agentx("status", env={"AGENTX_AGENT": "pm"}).stdout

    assert "role        engineer (by repository)" in repository
    assert "role        tester (by --here)" in own
    assert "role        product-manager (by environment)" in said
    rows = house.json("config")["settings"]
    row = next(each for each in rows if each["key"] == "agents.role")
    assert row["value"] == "tester"
    assert row["source"].endswith(".toml")


def test_what_cannot_be_a_role_is_refused_and_changes_nothing(house: House) -> None:
    for given in (["nobody", "--here"], ["tester", "--session", "s-none"], ["tester"]):
        house.agentx("agent", "role", *given, expect=2)
    house.agentx("agent", "role", "tester", "--clear", "--here", expect=2)
    house.agentx("config", "set", "agents.role", "no role!", expect=2)

    assert house.json("agent", "role")["role"] == ""


def test_whoever_begins_work_or_remembers_something_is_the_role_that_is_played(
    house: House,
) -> None:
    house.json("issue", "create", "--title", "Sign-in")
    house.agentx("hook", "start", "--issue", "1", expect=2)
    house.agentx("agent", "role", "engineer", "--here")

    begun = house.json("hook", "start", "--issue", "1")
    kept = house.json("memory", "add", "We chose Postgres.", "--category", "decision")
    commented = house.json("issue", "comment", "1", "Begun.")

    assert begun["agent"] == "engineer"
    assert kept["id"].startswith("obs-engineer-")
    assert commented["comments"][-1]["author"] == "engineer"
