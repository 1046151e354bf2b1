"""Goal: people can trust what sets AgentX up: it says what it does, does no more, and goes again.

Method: real commands and real hooks in a home with settings as people have them.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from agentx.demo import sample
from tests.support.house import House, processes_of, prompt
from tests.support.terminal import converse

OWN = {
    ".claude/settings.json": '{\n  "model": "opus",\n  "hooks": {"Stop": []}\n}\n',
    ".claude.json": '{"numStartups": 3, "mcpServers": {"gh": {"command": "gh-mcp"}}}',
    ".codex/config.toml": '# mine\nmodel = "gpt-5"  # good\n\n[mcp_servers.gh]\ncommand = "npx"\n',
    ".gemini/settings.json": '{\r\n\t"theme": "GitHub",\r\n\t"mcpServers": {}\r\n}\r\n',
    ".config/opencode/opencode.jsonc": '{\n  // mine\n  "model": "a/b", // last\n}\n',
    ".copilot/mcp-config.json": '{"mcpServers":{}}',
}
LOOKING = ("toc", "search x", "recall", "doctor", "ready", "state", "init --dry-run")
ALL = "claude-code,codex,gemini,opencode,copilot"


def furnish(house: House) -> None:
    for name, text in OWN.items():
        path = house.home / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())


def look(*folders: Path) -> dict[str, bytes | None]:
    """Return everything below some folders, with what it holds."""
    return {
        str(path): path.read_bytes() if path.is_file() and not path.is_symlink() else None
        for folder in folders
        for path in sorted(folder.rglob("*"))
    }


def test_a_dry_run_is_one_screen_and_the_whole_of_it_is_shown_on_request(house: House) -> None:
    furnish(house)
    before = look(house.root)

    narrow = {"COLUMNS": "80"}
    screen = house.agentx("init", "--harness", ALL, "--dry-run", env=narrow).stdout
    whole = house.agentx("init", "--harness", ALL, "--diff", env=narrow).stdout
    one = house.agentx("setup", "gemini", "--dry-run", env=narrow).stdout

    assert look(house.root) == before
    _, *rows = screen.splitlines()  # the first names a folder that may be long
    assert sum(len(row) // 78 + 1 for row in rows) < 24  # as a terminal of 80 columns folds them
    assert not any(row.endswith(" ") for row in rows)
    assert "sessions in every repository" in screen
    assert "--scope project" in screen
    assert len(whole.splitlines()) > 200
    assert "~/.gemini/settings.json  + 7 hooks, + MCP server" in one


def test_init_begins_no_store_and_ends_with_an_event_that_arrived(house: House) -> None:
    furnish(house)

    said = house.json("init", "--harness", ALL)

    assert said["live"]["arrived"] is True
    assert len(said["live"]["trials"]) == 5
    assert not list(house.data.root.glob("*/db"))
    assert not house.data.spools.exists()
    assert house.json("sessions")["sessions"] == []
    assert not list(house.data.root.glob("*/db"))


def test_a_broken_settings_file_is_named_and_the_others_are_set_up(house: House) -> None:
    furnish(house)
    broken = house.home / ".gemini" / "settings.json"
    broken.write_text('{"theme": ')

    said = house.agentx("init", "--harness", ALL, expect=4)

    assert f"gemini: {broken}: line 1" in said.stdout
    assert broken.read_text() == '{"theme": '
    assert "hook of Claude Code, Codex, OpenCode, Copilot CLI" in " ".join(said.stdout.split())


def test_what_is_left_of_a_test_event_is_never_remembered(house: House) -> None:
    house.hook(prompt("asked by nobody", session="agentx-doctor-1"))
    house.hook(prompt("what is agentx-doctor-1 about?", session="s1"))
    late = {"AGENTX_REPLAY_MS": "1700000000000"}
    house.hook(prompt("asked by nobody", session="agentx-doctor-2"), env=late)

    assert [event["text"] for event in house.events()] == ["what is agentx-doctor-1 about?"]
    left = [path.read_bytes() for path in house.data.spools.rglob("*.evt")]
    assert len(left) == 1
    assert b"agentx-doctor-1" in left[0]


@pytest.mark.parametrize("where", ["home", "plain", "strangers", "set-up", "read-only", "root"])
def test_who_looks_creates_nothing_anywhere(house: House, where: str) -> None:
    place = _place(house, where)
    before = look(house.root)

    for verb in ("status", "status --json", *(LOOKING if where in ("strangers", "set-up") else ())):
        house.agentx(*verb.split(), cwd=place, expect=None)

    if where == "read-only":
        place.chmod(0o700)
    assert look(house.root) == before


def _place(house: House, where: str) -> Path:
    if where == "home":
        return house.home
    if where == "root":
        return Path("/")
    if where == "set-up":
        (house.project / "f").write_text("")
        house.git("add", ".")
        house.agentx("init", "--harness", ALL)
        return house.project
    if where == "strangers":
        notes = house.project / ".agentx" / "memory"
        notes.mkdir(parents=True)
        (house.project / ".agentx" / "config.toml").write_text("[storage]\nmode = 'unified'\n")
        (notes / "1.jsonl").write_text(json.dumps({"id": "x"}) + "\n")
        house.git("add", "-f", ".")
        house.git("commit", "-q", "-m", "theirs")
        return house.project
    place = house.root / "plain"
    place.mkdir(mode=0o500 if where == "read-only" else 0o700)
    return place


def files_of(before: dict[str, bytes | None]) -> dict[str, bytes | None]:
    """Return the files alone: an empty folder that is left says nothing."""
    return {name: held for name, held in before.items() if held is not None}


def outside(house: House) -> dict[str, bytes | None]:
    """Return every file but those of git and of the memory."""
    found = files_of(look(house.root))
    data = str(house.data.root)
    return {name: held for name, held in found.items() if data not in name and ".git/" not in name}


@pytest.mark.promise("setup.exact-undo")
def test_uninstalling_leaves_every_byte_of_the_user_and_keeps_the_memory(house: House) -> None:
    furnish(house)
    before = outside(house)
    house.agentx("init", "--harness", ALL)
    house.agentx("setup", "claude-code", "--allow-tools")
    house.hook(prompt("never forget this"))
    house.agentx("sync")
    whole = look(house.root)

    plan = house.agentx("uninstall", "--dry-run", env={"COLUMNS": "80"}).stdout
    assert look(house.root) == whole
    assert sum(len(row) // 78 + 1 for row in plan.splitlines()) <= 24
    house.agentx("uninstall")
    again = house.agentx("uninstall").stdout

    assert outside(house) == before
    assert "Nothing of AgentX is left to take out." in again
    assert not house.data.launcher.exists()
    assert [event["text"] for event in house.events()] == ["never forget this"]


def test_the_memory_is_removed_only_when_that_is_said_twice(house: House) -> None:
    furnish(house)
    before = outside(house)
    house.agentx("init", "--harness", ALL)
    house.hook(prompt("forget me"))
    house.agentx("sync")
    house.agentx("memory", "add", "--type", "decision", "We use tabs.", expect=None)
    foreign = house.data.root / "holiday.jpg"
    foreign.write_bytes(b"sun")

    refused = house.agentx("uninstall", "--remove-memory", expect=2)
    assert "--yes" in refused.stderr
    house.agentx("uninstall", "--remove-memory", "--keep-memory", expect=2)
    assert house.data.launcher.exists()
    said = house.json("uninstall", "--remove-memory", "--yes")

    assert said["memory"]["projects"]
    assert said["memory"]["bytes"] > 1000
    assert [Path(each["path"]).name for each in said["left"]] == ["holiday.jpg"]
    assert [path.name for path in house.data.root.iterdir()] == ["holiday.jpg"]
    assert outside(house) == before
    assert not (house.project / ".git" / "agentx.json").exists()


def test_what_cannot_be_undone_is_told_and_stops_nothing_else(house: House) -> None:
    furnish(house)
    house.agentx("init", "--harness", ALL)
    broken = house.home / ".claude.json"
    broken.write_text(broken.read_text() + "}}")
    locked = house.home / ".gemini" / "settings.json"
    locked.chmod(0o444)
    kept = broken.read_bytes(), locked.read_bytes()

    plan = house.json("uninstall", "--dry-run")
    said = house.json("uninstall", expect=4)

    programs = (house.data.launcher, house.data.command)  # what still calls them finds them
    told = {str(broken), str(locked), *map(str, programs)}
    assert {each["path"] for each in said["left"]} == told
    assert {each["path"] for each in plan["left"]} == told
    assert (broken.read_bytes(), locked.read_bytes()) == kept
    for name in (".claude/settings.json", ".codex/config.toml", ".copilot/mcp-config.json"):
        assert (house.home / name).read_bytes() == OWN[name].encode()
    # What still calls the hook finds one that takes nothing.
    house.agentx("exclude", "--list")
    assert not list(house.data.spools.rglob("*.evt"))
    locked.chmod(0o600)
    broken.write_bytes(OWN[".claude.json"].encode())
    house.agentx("uninstall")
    assert locked.read_bytes() == OWN[".gemini/settings.json"].encode()
    assert not any(program.exists() for program in programs)


def test_hooks_of_one_project_are_found_from_anywhere_and_others_are_left_alone(
    house: House,
) -> None:
    other = house.root / "work" / "theirs"
    (other / ".claude").mkdir(parents=True)
    theirs = other / ".claude" / "settings.json"
    line = {"type": "command", "command": "/opt/team/agentx-hook --harness claude-code"}
    theirs.write_text(json.dumps({"hooks": {"Stop": [{"hooks": [line]}]}}))
    before = outside(house)
    house.agentx("init", "--harness", ALL, "--scope", "project", "--yes")
    assert (house.project / ".codex" / "hooks.json").exists()

    house.agentx("uninstall", cwd=house.root)
    assert outside(house) == before
    said = house.json("uninstall", cwd=other)

    assert [each["path"] for each in said["left"]] == [str(theirs)]
    assert outside(house) == before


def test_agent_clis_may_be_named_one_by_one(house: House) -> None:
    said = house.json("init", "--harness", "codex", "--harness", "gemini", "--dry-run")

    assert [each["harness"] for each in said["setups"]] == ["codex", "gemini"]


def test_the_daemon_and_its_service_go_too(house: House) -> None:
    house.agentx("init", "--harness", "codex")
    house.hook(prompt("hello"))
    house.agentx("daemon", "start")
    house.agentx("daemon", "install", "--manager", "systemd", "--yes")
    house.agentx("daemon", "install", "--manager", "launchd", "--yes")
    assert processes_of(house.home)

    plan = house.json("uninstall", "--dry-run")
    assert processes_of(house.home)
    said = house.json("uninstall", "--remove-memory", "--yes")

    owners = [each["owner"] for each in said["gone"]]
    assert owners.count("Service") == 2
    assert owners.count("Daemon") == 1
    assert [each["owner"] for each in plan["gone"]].count("Service") == 2
    assert not processes_of(house.home)
    assert files_of(look(house.home)) == {}


def test_a_setting_that_is_wrong_keeps_nobody_from_leaving(house: House) -> None:
    furnish(house)
    before = outside(house)
    house.agentx("init", "--harness", "claude-code")
    settings = house.home / ".config" / "agentx" / "config.toml"
    settings.parent.mkdir(parents=True)
    settings.write_text("[nonsense\n")

    house.agentx("uninstall")

    assert outside(house) == {**before, str(settings): b"[nonsense\n"}


def test_a_person_at_a_terminal_is_asked_before_anything_happens(house: House) -> None:
    furnish(house)
    before = look(house.root)
    wanted = ("init", "--harness", ALL)

    code, screen = converse(house, wanted, [("one? (a)", "n")], columns=60)
    assert code == 2
    assert look(house.root) == before
    assert "sessions in every repository" in " ".join(screen.split())
    assert max(map(len, screen.splitlines())) <= 60

    answers = [("one? (a)", ""), ("never to capture", "~/private, /srv/x"), ("asking?", "n")]
    code, screen = converse(house, wanted, answers)
    assert code == 0
    assert house.json("exclude", "--list")["excluded"] == [f"{house.home}/private", "/srv/x"]
    assert screen.count("~/.codex/config.toml") == 1  # what was agreed to is not told again


def test_a_person_who_leaves_chooses_what_becomes_of_the_memory(house: House) -> None:
    furnish(house)
    house.agentx("init", "--harness", ALL)
    house.hook(prompt("keep me"))
    house.agentx("sync")

    assert converse(house, ["uninstall"], [("out?", "n")])[0] == 2
    assert house.data.launcher.exists()
    declined = [("out?", "y"), ("good?", "r"), ("Remove it?", "n")]
    assert converse(house, ["uninstall"], declined)[0] == 2
    assert house.data.launcher.exists()
    assert converse(house, ["uninstall"], [("out?", "y"), ("good?", "")])[0] == 0
    assert [event["text"] for event in house.events()] == ["keep me"]
    agreed = [("out?", "y"), ("Remove it?", "y")]
    code, screen = converse(house, ["uninstall", "--remove-memory"], agreed)

    assert code == 0
    assert "Memory is gone" in screen
    assert not house.data.root.exists()


def test_status_says_which_past_sessions_wait_where_nothing_is_remembered_yet(
    house: House,
) -> None:
    for path, text in sample.transcript_files(house.project, sample.sessions()[:2]):
        target = house.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")
    house.agentx("init", "--no-import", expect=None)

    waits = house.agentx("status").stdout
    house.agentx("import")

    assert re.search(r"waiting +2 past sessions, [\d.]+ [KM]B: `agentx import`", waits)
    assert "past session" not in house.agentx("status").stdout
