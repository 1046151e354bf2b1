"""Goal: what an agent did is in the log, once, whatever way it came, and a person can read it.

Method: the real hook and the real commands in a throw-away home.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from agentx.demo import sample
from tests.support.house import House, processes_of, prompt
from tests.support.soaking import in_soak

FIXTURES = Path(__file__).parent.parent / "fixtures" / "agent-clis"


def _recorded(name: str) -> list[dict[str, Any]]:
    lines = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    return [json.loads(line)["payload"] for line in lines]


@pytest.mark.promise("capture.complete")
@pytest.mark.parametrize(
    ("harness", "recording"),
    [
        ("claude-code", "claude-code-hooks.jsonl"),
        ("codex", "codex-hooks.jsonl"),
        ("gemini", "gemini-cli-hooks.jsonl"),
    ],
)
def test_a_recorded_session_is_captured_completely_and_once(
    house: House, harness: str, recording: str
) -> None:
    for payload in _recorded(recording):
        for _ in range(2):  # two hooks installed for one agent CLI
            done = house.hook(payload, harness)
            assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")

    house.script("sync")
    kinds = [event["event_type"] for event in house.events() if event["event_type"] != "note"]
    assert sorted(kinds) == sorted(
        [
            "session_start",
            "user_message",
            "tool_call",
            "tool_result",
            "assistant_message",
            "assistant_stop",
            "session_end",
        ]
    )
    (session,) = house.json("sessions")["sessions"]
    assert session["harness"] == harness
    assert session["ended"] is True
    assert session["title"].startswith("Pick a database")


@pytest.mark.promise("capture.one-memory")
def test_every_folder_and_worktree_of_a_repository_has_one_memory(house: House) -> None:
    inner = house.project / "src" / "deep"
    inner.mkdir(parents=True)
    tree = house.root / "work" / "shop-feature"
    house.git("worktree", "add", "-q", str(tree))
    for number, folder in enumerate((house.project, inner, tree)):
        house.hook(prompt(f"from {folder.name}", prompt_id=f"p{number}"), cwd=folder)

    for folder in (house.project, inner, tree):
        assert len(house.json("events", cwd=folder)["events"]) == 3


def test_two_projects_have_two_memories_unless_the_user_wants_one(house: House) -> None:
    other = house.root / "work" / "other"
    other.mkdir()
    house.hook(prompt("here", prompt_id="p1"))
    house.hook(prompt("there", prompt_id="p2", session="s-2"), cwd=other)

    assert [event["text"] for event in house.events()] == ["here"]
    assert [e["text"] for e in house.json("events", cwd=other)["events"]] == ["there"]

    house.agentx("config", "set", "--user", "storage.mode", "unified")
    house.hook(prompt("here again", prompt_id="p3"))
    stores = {house.json("status")["store"], house.json("status", cwd=other)["store"]}
    assert len(stores) == 1


@pytest.mark.promise("redact.before-disk")
def test_secrets_and_private_text_reach_no_file_and_no_output(house: House) -> None:
    token = "ghp_" + "aB3dE5gH7jK9" * 3
    house.hook(prompt(f"deploy with {token} <private>my cat is Tom</private> now"))
    spooled = b"".join(path.read_bytes() for path in house.data.spools.rglob("*") if path.is_file())
    shown = house.agentx("events", "--full").stdout
    stored = b"".join(path.read_bytes() for path in house.data.root.rglob("*") if path.is_file())

    for secret in (token, "my cat is Tom"):
        assert secret.encode() not in spooled
        assert secret.encode() not in stored
        assert secret not in shown
    assert "deploy with [REDACTED:" in shown
    assert "now" in shown


@pytest.mark.promise("capture.notes")
@pytest.mark.parametrize(
    "payload",
    [
        b"\x00\xff\xfe binary",
        b'{"session_id": "s-9", "hook_event_name": "UserPromptSubmit", "prompt": "cut of',
        b'{"a":' * 5_000,
        *in_soak(b"", b"{", b"[1, 2]", b'"just text"'),
    ],
)
def test_a_payload_that_is_none_is_kept_as_a_note_and_reported(
    house: House, payload: bytes
) -> None:
    assert house.hook(payload).returncode == 0

    reply = house.json("sync")
    assert (reply["damaged"], reply["refused"]) == (1, 0)
    (event,) = house.events()
    assert event["event_type"] == "note"
    assert event["metadata"]["damaged"]
    checks = house.json("doctor", expect=None)["checks"]
    assert any(check["name"] == "fault" for check in checks)


def test_an_unknown_agent_cli_and_an_unknown_event_are_kept_as_notes(house: House) -> None:
    house.hook({"session_id": "x", "words": "hello"}, harness="newcomer")
    house.hook({"session_id": "y", "hook_event_name": "Levitated", "height": 3})

    notes = {(event["harness"], event["event_type"]) for event in house.events()}
    assert notes == {("newcomer", "note"), ("claude-code", "note")}
    assert any("Levitated" in event["text"] for event in house.events())


def test_a_session_id_that_looks_like_a_path_leaves_no_folder(house: House) -> None:
    names = ["../../etc/passwd", "a/b/c", "nul\x00byte", "x" * 5_000, "\u202eright-to-left"]
    for number, name in enumerate(names):
        house.hook(prompt("hi", session=name, prompt_id=f"p{number}"))

    assert len(house.events()) == len(names)
    assert not (house.root / "etc").exists()
    house.agentx("sessions")


@pytest.mark.promise("import.idempotent")
def test_the_sample_captured_and_imported_is_stored_once(house: House) -> None:
    (chosen,) = [session for session in sample.sessions() if session.slug == "locked"]
    for at_ms, payload in sample.hook_calls(chosen, house.project):
        house.hook(payload, chosen.harness, env={"AGENTX_REPLAY_MS": str(at_ms)})
    house.agentx("sync")
    live = house.json("status")["memory"]["log"]
    for path, text in sample.transcript_files(house.project, (chosen,)):
        target = house.home / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(text, encoding="utf-8")

    first = house.json("import")
    again = house.json("import")
    asked = [event for event in house.events() if event["event_type"] == "user_message"]
    assert len(asked) == len({event["text"] for event in asked})
    assert first["harnesses"][0]["duplicates"] > live["events"] // 2
    assert again["harnesses"][0]["stored"] == 0
    assert live["first_ms"] == chosen.start_ms


@pytest.mark.promise("import.idempotent")
def test_an_import_tells_of_damaged_lines_and_goes_on(house: House) -> None:
    folder = house.home / ".claude" / "projects" / "x"
    folder.mkdir(parents=True)
    good = (FIXTURES / "claude-code-transcript.jsonl").read_text(encoding="utf-8")
    lines = good.replace("/home/dev/proj", str(house.project)).splitlines()
    lines.insert(3, '{"type": "user", "broken')
    (folder / "s.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")

    planned = house.json("import", "--dry-run")
    assert house.events() == []
    reply = house.json("import")
    (damaged,) = reply["damaged"]
    assert damaged["line"] == 4
    assert damaged["path"].endswith("s.jsonl")
    assert (
        planned["harnesses"][0]["events"] == reply["harnesses"][0]["stored"] == len(house.events())
    )
    (folder / "s.jsonl").touch()
    told = house.agentx("import").stdout
    assert "deletes its transcripts after 30 days" in told
    assert "s.jsonl:4" in told.replace("\n", "")


def test_an_import_can_be_limited_and_pointed_at_a_path(house: House) -> None:
    folder = house.root / "elsewhere"
    folder.mkdir()
    for number in range(3):
        text = (FIXTURES / "claude-code-transcript.jsonl").read_text(encoding="utf-8")
        text = text.replace("c27a4d0f", f"c27a4d0{number}").replace("toolu_6", f"toolu_{number}")
        (folder / f"{number}.jsonl").write_text(text, encoding="utf-8")

    assert house.json("import", str(folder), "--limit", "1")["harnesses"][0]["sessions"] == 1
    assert house.json("import", str(folder))["harnesses"][0]["sessions"] == 2
    late = house.json("import", str(folder), "--since", "2026-12-01")["harnesses"]
    assert sum(one["events"] for one in late) == 0
    error = house.json("import", "nowhere", expect=2)["error"]
    assert "nowhere" in error["message"]
    assert "claude-code" in error["hint"]


@pytest.mark.promise("log.forget")
def test_forgetting_an_event_and_a_session_is_for_good(house: House) -> None:
    payloads = [prompt(f"word {n}", session=f"s-{n % 2}", prompt_id=f"p{n}") for n in range(4)]
    for payload in payloads:
        house.hook(payload)
    first = house.events()[0]

    assert house.json("forget", "--event", first["event_id"], "--dry-run")["events"] == 1
    assert house.json("forget", "--event", first["event_id"])["events"] == 1
    assert house.json("forget", "--session", "s-1")["events"] == 2
    for payload in payloads:
        house.hook(payload)
    assert [event["text"] for event in house.events()] == ["word 2"]
    assert (
        house.json("forget", "--event", first["event_id"], expect=2)["error"]["code"] == "not_found"
    )


@pytest.mark.promise("errors.clear")
def test_errors_say_what_is_wrong_and_how_to_mend_it(house: House) -> None:
    wrong = {
        ("events", "--type", "message"): 2,
        ("events", "--since", "soon"): 2,
        ("events", "--session", "nobody"): 2,
        ("forget",): 2,
        ("setup", "emacs"): 2,
        ("config", "set", "storage.mood", "unified"): 2,
        ("config", "set", "storage.mode", "sideways"): 2,
        ("toc", "toc:week:2026"): 2,
        ("expand", "nonsense"): 2,
        ("nosuch",): 2,
    }
    for arguments, code in wrong.items():
        error = house.json(*arguments, expect=code)["error"]
        assert error["message"]
        assert error["code"]
        told = house.agentx(*arguments, expect=code)
        assert told.stdout == ""
        assert told.stderr.startswith("agentx: ")
        assert "Traceback" not in told.stderr
    assert (
        "storage.mode"
        in house.json("config", "set", "storage.mood", "x", expect=2)["error"]["hint"]
    )


@pytest.mark.promise("config.order")
def test_settings_come_from_environment_here_project_user_default_in_this_order(
    house: House,
) -> None:
    def zone(**env: str) -> tuple[str, str]:
        done = house.agentx("config", "get", "toc.timezone", "--json", env=env)
        row = json.loads(done.stdout)
        return row["value"], row["source"]

    assert zone() == ("", "default")
    house.agentx("config", "set", "--user", "toc.timezone", "Asia/Tokyo")
    assert zone()[0] == "Asia/Tokyo"
    house.agentx("config", "set", "toc.timezone", "Europe/Berlin")
    assert zone() == ("Europe/Berlin", str(house.project / ".agentx" / "config.toml"))
    house.agentx("config", "set", "--here", "toc.timezone", "America/New_York")
    assert zone()[0] == "America/New_York"
    assert zone(AGENTX_TOC_TIMEZONE="UTC") == ("UTC", "environment")
    for left in ("Europe/Berlin", "Asia/Tokyo"):
        house.agentx("config", "unset", "toc.timezone")
        assert zone()[0] == left
    house.agentx("config", "set", "storage.mode", "unified")
    assert (
        "/projects/"
        in json.loads(house.agentx("config", "get", "storage.mode", "--json").stdout)["source"]
    )


def test_the_project_id_can_be_forced_and_is_checked(house: House) -> None:
    done = house.agentx("status", "--json", env={"MEMORY_PROJECT_ID": "mine"})
    assert json.loads(done.stdout)["project_id"] == "mine"
    assert json.loads(done.stdout)["rule"] == "MEMORY_PROJECT_ID"
    for bad in ("../x", "spool", "a/b"):
        house.agentx("status", env={"MEMORY_PROJECT_ID": bad}, expect=2)


@pytest.mark.promise("daemon.same-answers")
def test_commands_give_the_same_answers_with_and_without_a_daemon(house: House) -> None:
    for payload in _recorded("claude-code-hooks.jsonl"):
        house.hook(payload)
    house.agentx("sync")
    asked = (("events",), ("sessions",), ("toc", "--depth", "5"))
    alone = [house.json(*arguments) for arguments in asked]
    status = house.json("status")["memory"]

    house.agentx("daemon", "start")
    try:
        assert [house.json(*arguments) for arguments in asked] == alone
        served = house.json("status")["memory"]
        assert (status["served_by"], served["served_by"]) == ("store", "daemon")
        assert served["log"]["events"] == status["log"]["events"]
        house.hook(prompt("through the daemon", prompt_id="p-d"))
        assert "through the daemon" in [event["text"] for event in house.events()]
    finally:
        house.agentx("daemon", "stop")
    assert processes_of(house.home) == []


def test_a_read_only_home_disturbs_no_agent_and_loses_nothing(house: House) -> None:
    house.data.root.parent.mkdir(parents=True)
    house.data.root.write_text("", encoding="utf-8")
    assert house.hook(prompt("kept aside", prompt_id="p1")).returncode == 0
    house.data.root.unlink()

    assert [event["text"] for event in house.events()] == ["kept aside"]


@pytest.mark.promise("setup.exact-undo")
def test_init_sets_a_project_up_and_uninstall_leaves_the_settings_as_they_were(
    house: House,
) -> None:
    settings = house.home / ".claude" / "settings.json"
    settings.parent.mkdir()
    before = '{\n  "model": "opus",\n  "hooks": {"Stop": []}\n}\n'
    settings.write_text(before, encoding="utf-8")

    house.agentx("init", "--harness", "claude-code", "--dry-run")
    assert settings.read_text(encoding="utf-8") == before
    house.agentx("init", "--harness", "claude-code")
    assert "agentx-hook" in settings.read_text(encoding="utf-8")
    assert (house.project / ".agentx" / ".gitignore").exists()
    assert house.json("status")["hooks"] == ["claude-code"]
    assert house.json("doctor", "--live")["live"]["arrived"] is True
    house.agentx("setup", "claude-code", "--uninstall")
    assert settings.read_text(encoding="utf-8") == before


def test_opencode_history_is_read_from_its_database(house: House) -> None:
    recorded = FIXTURES / "opencode-database.json"
    if not recorded.exists():
        pytest.skip("no recorded database")
    text = recorded.read_text(encoding="utf-8").replace("/home/dev/proj", str(house.project))
    tables: dict[str, list[dict[str, Any]]] = json.loads(text)
    path = house.home / ".local" / "share" / "opencode" / "opencode.db"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as db:
        for table, rows in tables.items():
            columns = list(dict.fromkeys(name for row in rows for name in row))
            db.execute(f"create table {table} ({', '.join(columns)})")
            for row in rows:
                values = [
                    json.dumps(row[c]) if isinstance(row.get(c), dict | list) else row.get(c)
                    for c in columns
                ]
                db.execute(f"insert into {table} values ({','.join('?' * len(columns))})", values)
    db.close()

    house.agentx("import", "opencode")
    kinds = {event["event_type"] for event in house.events()}
    assert {"user_message", "tool_call", "tool_result", "assistant_message"} <= kinds
    shutil.rmtree(path.parent)


@pytest.mark.parametrize(
    "words",
    ["status", "recall", "doctor", *in_soak("events", "search gate", "toc", "memory list")],
)
def test_who_only_reads_in_a_folder_that_was_never_set_up_begins_nothing(
    house: House, words: str
) -> None:
    said = house.agentx(*words.split(), expect=None)
    if words != "memory list":
        assert said.stderr.count("remembered") == 1
        assert "nothing is remembered of this folder yet" in said.stderr
        assert "ok log" not in said.stdout
    assert json.loads(house.agentx(*words.split(), "--json", expect=None).stdout)
    assert not house.data.root.exists()

    house.hook(prompt("shut the gate", prompt_id="p-1"))
    assert "remembered of this folder" not in house.agentx(*words.split(), expect=None).stderr
    assert [event["text"] for event in house.events()] == ["shut the gate"]


def test_a_store_that_was_not_begun_takes_no_room(house: House) -> None:
    assert house.json("status")["memory"]["log"]["bytes_on_disk"] == 0
    assert "none yet; it will lie in" in house.agentx("status").stdout

    house.hook(prompt("shut the gate", prompt_id="p-1"))
    assert house.json("sync")
    assert house.json("status")["memory"]["log"]["bytes_on_disk"] > 0
