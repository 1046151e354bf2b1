"""Goal: people can trust what sets AgentX up: it says what it does, does no more, and goes again.

Method: real commands and real hooks in a home with settings as people have them.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.house import House, prompt

OWN = {
    ".claude/settings.json": '{\n  "model": "opus",\n  "hooks": {"Stop": []}\n}\n',
    ".claude.json": '{"numStartups": 3, "mcpServers": {"gh": {"command": "gh-mcp"}}}',
    ".codex/config.toml": '# mine\nmodel = "gpt-5"  # good\n\n[mcp_servers.gh]\ncommand = "npx"\n',
    ".gemini/settings.json": '{\r\n\t"theme": "GitHub",\r\n\t"mcpServers": {}\r\n}\r\n',
    ".config/opencode/opencode.jsonc": '{\n  // mine\n  "model": "a/b", // last\n}\n',
    ".copilot/mcp-config.json": '{"mcpServers":{}}',
}
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
    assert len(rows) < 24
    assert max(map(len, rows)) <= 80
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


@pytest.mark.parametrize("where", ["home", "plain", "strangers", "read-only", "root"])
def test_who_looks_creates_nothing_anywhere(house: House, where: str) -> None:
    place = _place(house, where)
    before = look(house.root)

    for verb in ("status", "sessions", "toc", "search x", "recall", "events", "doctor", "config"):
        house.agentx(*verb.split(), cwd=place, expect=None)
        house.agentx(*verb.split(), "--json", cwd=place, expect=None)
    for verb in ("init --dry-run", "import --dry-run", "daemon status", "exclude --list"):
        house.agentx(*verb.split(), cwd=place, expect=None)

    if where == "read-only":
        place.chmod(0o700)
    assert look(house.root) == before


def _place(house: House, where: str) -> Path:
    if where == "home":
        return house.home
    if where == "root":
        return Path("/")
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
