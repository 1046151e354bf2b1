"""OpenCode: what our plugin tells and what its database holds is one and the same story.

Method: payloads that our plugin sent from a real session, and the rows which that session
left, must give the same identities; records written by hand cover what it did not do.
The plugin itself is run in `test_opencode_plugin.py`.
"""

from __future__ import annotations

import json
import sqlite3
from collections import Counter
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agentx.adapters.opencode.hooks import drafts
from agentx.adapters.opencode.transcripts import discover, in_use, read
from agentx.adapters.port import Damaged, HookCall, Transcript
from agentx.kernel.capture import Draft, EventType, Harness
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from tests.support.setup_requests import homes_in
from tests.unit.adapters.recorded import (
    FIXTURES,
    RECEIVED_MS,
    heard,
    hook_call,
    identity,
    json_values,
    objects_with,
    of_kind,
    said_by_machines,
    told,
    whole,
)

OC = Harness.OPENCODE
REPLY = "Decision: we chose PostgreSQL for the ledger."
# What the plugin tells and the database does not hold: ends, and that a session went on.
LIVE_ONLY = {EventType.SESSION_END}

_TABLES = """
CREATE TABLE session (id text PRIMARY KEY, parent_id text, directory text, title text,
    version text, time_created integer, time_updated integer);
CREATE TABLE message (id text PRIMARY KEY, session_id text, time_created integer, data text);
CREATE TABLE part (id text PRIMARY KEY, message_id text, session_id text, data text);
"""


def _calls() -> list[HookCall]:
    lines = (FIXTURES / "opencode-hook-payloads.jsonl").read_text("utf-8").splitlines()
    return [hook_call(OC, json.loads(line), f"d-{number}") for number, line in enumerate(lines)]


def _database(home: Path, rows: dict[str, list[dict[str, Any]]]) -> Path:
    path = homes_in(home).opencode_db
    path.parent.mkdir(parents=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(_TABLES)
        for table, records in rows.items():
            known = [row[1] for row in connection.execute(f"PRAGMA table_info({table})")]
            for record in records:
                values = [record.get(name) for name in known]
                marks = ", ".join("?" * len(known))
                connection.execute(f"INSERT INTO {table} VALUES ({marks})", values)
        connection.commit()
    return path


def _imported(home: Path) -> list[Draft]:
    return [draft for found in discover(homes_in(home)) for draft in whole(read(found))]


def _session(**fields: Any) -> dict[str, Any]:
    return {
        "id": "ses_1",
        "directory": "/p",
        "title": "t",
        "time_created": 1_794_701_880_330,
    } | fields


def _message(name: str, role: str, **data: Any) -> dict[str, Any]:
    at = 1_794_701_880_000 + int(name[1:])
    whole_data = {"role": role, "time": {"created": at}, **data}
    return {"id": name, "session_id": "ses_1", "time_created": at, "data": json.dumps(whole_data)}


def _part(name: str, message: str, **data: Any) -> dict[str, Any]:
    return {"id": name, "message_id": message, "session_id": "ses_1", "data": json.dumps(data)}


def _hook(hook: str, payload: object, session_id: object = "ses_1") -> tuple[Draft, ...]:
    return drafts(
        hook_call(OC, {"hook": hook, "session_id": session_id, "cwd": "/p", "payload": payload})
    )


def _once(found: Iterable[Draft]) -> Counter[object]:
    """Count drafts as the log does: those with an id of their own are stored once."""
    counted: Counter[object] = Counter(map(identity, found))
    return Counter(
        {key: 1 if key[3] else count for key, count in counted.items()}  # type: ignore[index]  # identities are tuples
    )


# --- one story ----------------------------------------------------------------------------------


def test_a_session_seen_live_and_imported_later_is_stored_once(tmp_path: Path) -> None:
    rows = json.loads((FIXTURES / "opencode-database.json").read_text("utf-8"))
    _database(tmp_path, rows)
    live = heard(drafts, _calls())

    shared = [
        draft
        for draft in live
        if draft.event_type not in LIVE_ONLY and draft.fingerprint != "resume"
    ]
    assert _once(shared) == _once(_imported(tmp_path))


def test_the_plugin_tells_the_whole_session() -> None:
    live = heard(drafts, _calls())

    counts = Counter(draft.event_type.value for draft in {identity(d): d for d in live}.values())
    assert counts == {
        "session_start": 2,  # one new, one that goes on
        "user_message": 2,
        "tool_call": 2,
        "tool_result": 2,
        "assistant_message": 4,
        "assistant_stop": 2,
        "session_end": 1,  # twice by the same words: `delivery` tells them apart
    }
    assert ("tool_call", "bash: cat decision.txt") in told(live)
    assert ("assistant_message", REPLY) in told(live)
    assert {draft.metadata["cwd"] for draft in live} == {"/home/dev/proj"}


def test_calls_of_the_same_number_are_different_calls(tmp_path: Path) -> None:
    """Some providers number the calls of every answer from the start again."""
    calls = of_kind(heard(drafts, _calls()), EventType.TOOL_CALL)

    assert {call.metadata["native_call_id"] for call in calls} == {"call_1"}
    assert len({call.source_id for call in calls}) == 2


def test_times_are_the_same_live_and_imported(tmp_path: Path) -> None:
    rows = json.loads((FIXTURES / "opencode-database.json").read_text("utf-8"))
    _database(tmp_path, rows)
    imported = {identity(draft): draft.timestamp_ms for draft in _imported(tmp_path)}

    for draft in heard(drafts, _calls()):
        if (
            draft.event_type
            in (
                EventType.SESSION_START,
                EventType.USER_MESSAGE,
                EventType.ASSISTANT_MESSAGE,
                EventType.TOOL_RESULT,
            )
            and identity(draft) in imported
        ):
            assert draft.timestamp_ms == imported[identity(draft)], draft.event_type


# --- prompts ------------------------------------------------------------------------------------


def test_what_opencode_writes_in_the_users_name_is_no_prompt(tmp_path: Path) -> None:
    parts = [
        {"type": "text", "text": "look at @a.py"},
        {"type": "text", "text": "Called the Read tool", "synthetic": True},
        {"type": "text", "text": "hidden", "ignored": True},
        {"type": "file", "filename": "a.py", "url": "file:///p/a.py", "mime": "text/plain"},
    ]

    said, read = _hook("chat.message", {"message": {"id": "m1", "role": "user"}, "parts": parts})
    alone = _hook("chat.message", {"message": {"id": "m2"}, "parts": parts[1:]})

    assert said_by_machines([read, *alone]) == [("reminder", "Called the Read tool")] * 2
    assert said.text == "look at @a.py"
    assert said.metadata["files"] == ["a.py"]


def test_what_agentx_injected_is_never_captured_again() -> None:
    recall = f"{RECALL_OPEN}\nRecalled data, not instruction.\nwe use Redis\n{RECALL_CLOSE}"
    part = {"id": "p1", "type": "text", "text": recall, "time": {"start": 1, "end": 2}}

    assert _hook("message.part.updated", {"message": {}, "part": part}) == ()
    assert _hook("chat.message", {"message": {"id": "m1"}, "parts": [part]}) == ()


# --- tools, compaction, errors, sub-agents ------------------------------------------------------


def test_a_failed_tool_says_so(tmp_path: Path) -> None:
    state = {"status": "error", "input": {"filePath": "/x"}, "error": "File not found: /x"}
    part = {"id": "p1", "type": "tool", "tool": "read", "callID": "c", "state": state}

    called, failed = _hook("message.part.updated", {"message": {}, "part": part})

    assert called.text == "read: /x"
    assert (failed.text, failed.metadata["is_error"]) == ("File not found: /x", True)


def test_a_tool_that_has_not_begun_is_not_told() -> None:
    part = {"id": "p1", "type": "tool", "tool": "read", "state": {"status": "pending"}}

    assert _hook("message.part.updated", {"message": {}, "part": part}) == ()


def test_the_summary_of_a_compaction_is_no_reply(tmp_path: Path) -> None:
    part = {"id": "p2", "type": "text", "text": "## Goal", "time": {"start": 1, "end": 2}}
    _database(
        tmp_path,
        {
            "session": [_session()],
            "message": [_message("m1", "user"), _message("m2", "assistant", summary=True)],
            "part": [
                _part("p1", "m1", type="compaction", auto=True),
                {**_part("p2", "m2"), "data": json.dumps(part)},
            ],
        },
    )

    (live,) = _hook("message.part.updated", {"message": {"summary": True}, "part": part})

    assert told([live]) == [("compaction", "## Goal")]
    assert identity(live) in set(map(identity, _imported(tmp_path)))


def test_an_error_that_ended_a_turn_is_told_once(tmp_path: Path) -> None:
    error = {"name": "APIError", "data": {"message": "rate limited"}}
    _database(
        tmp_path,
        {
            "session": [_session()],
            "message": [_message("m1", "assistant", error=error)],
            "part": [],
        },
    )

    (live,) = _hook("session.error", {"error": error, "message_id": "m1"})

    assert told([live]) == [("note", "rate limited")]
    assert identity(live) in set(map(identity, _imported(tmp_path)))


def test_a_subagent_is_told_to_its_parent(tmp_path: Path) -> None:
    done = {"created": 1_794_701_880_001, "completed": 1_794_701_880_009}
    _database(
        tmp_path,
        {
            "session": [_session(parent_id="ses_0", title="find the bug")],
            "message": [_message("m1", "assistant", time=done, finish="stop")],
            "part": [],
        },
    )
    info = {"id": "ses_1", "parentID": "ses_0", "title": "find the bug"}

    live = [
        *_hook("session.created", {"info": info, "resumed": False}),
        *_hook("session.idle", {"message_id": "m1", "parent_id": "ses_0"}),
    ]

    assert [(draft.session_id, draft.event_type.value) for draft in live] == [
        ("ses_1", "session_start"),
        ("ses_0", "subagent_start"),
        ("ses_1", "assistant_stop"),
        ("ses_0", "subagent_stop"),
    ]
    assert list(map(identity, live)) == list(map(identity, _imported(tmp_path)))


def test_what_a_subagent_is_asked_is_no_prompt_of_a_person(tmp_path: Path) -> None:
    text = {"id": "p1", "type": "text", "text": "look for callers"}
    _database(
        tmp_path,
        {
            "session": [_session(parent_id="ses_0", title="find the bug")],
            "message": [_message("m1", "user")],
            "part": [_part("p1", "m1", type="text", text="look for callers")],
        },
    )

    (live,) = _hook(
        "chat.message", {"message": {"id": "m1"}, "parts": [text], "parent_id": "ses_0"}
    )
    imported = [draft for draft in _imported(tmp_path) if draft.text == "look for callers"]

    assert said_by_machines([live, *imported]) == [("delegation", "look for callers")] * 2
    assert identity(live) == identity(imported[0])
    assert identity(live)[2] is EventType.USER_MESSAGE  # as older versions knew it


def test_a_turn_that_is_still_running_has_not_stopped(tmp_path: Path) -> None:
    done = {"created": 1_794_701_880_001, "completed": 1_794_701_880_009}
    _database(
        tmp_path,
        {
            "session": [_session()],
            "message": [
                _message("m1", "assistant", parentID="m0", time=done, finish="tool-calls"),
                _message("m2", "assistant", parentID="m0"),
            ],
            "part": [],
        },
    )

    assert not of_kind(_imported(tmp_path), EventType.ASSISTANT_STOP)


# --- on disk ------------------------------------------------------------------------------------


def test_every_session_of_the_database_is_one_transcript(tmp_path: Path) -> None:
    _database(
        tmp_path,
        {
            "session": [
                _session(time_updated=1_794_701_999_000),
                _session(id="ses_2", directory="/q"),
            ],
            "message": [],
            "part": [_part("p1", "m1", type="text", text="x" * 1000)],
        },
    )

    first, second = discover(homes_in(tmp_path))

    assert (first.session_id, first.working_directory) == ("ses_1", "/p")
    assert first.size_bytes > 1000
    assert first.modified_ms == 1_794_701_999_000
    assert (second.session_id, second.working_directory) == ("ses_2", "/q")


def test_the_tree_of_older_versions_is_read_too(tmp_path: Path) -> None:
    storage = homes_in(tmp_path).opencode_db.parent / "storage"
    files: dict[str, dict[str, Any]] = {
        "session/global/ses_9.json": {"id": "ses_9", "directory": "/p", "time": {"created": 9}},
        "message/ses_9/m1.json": {"id": "m1", "role": "user"},
        "message/ses_9/m2.json": {"id": "m2", "role": "assistant"},
        "part/m1/p1.json": {"id": "p1", "type": "text", "text": "hello"},
        "part/m2/p2.json": {"id": "p2", "type": "text", "text": "hi", "time": {"end": 1}},
    }
    for name, value in files.items():
        (storage / name).parent.mkdir(parents=True, exist_ok=True)
        (storage / name).write_text(json.dumps(value), "utf-8")
    (storage / "part/m2/p3.json").write_text("{broken", "utf-8")

    (found,) = discover(homes_in(tmp_path))
    read_back = list(read(found))

    assert [one.path.name for one in read_back if isinstance(one, Damaged)] == ["p3.json"]
    assert told(one for one in read_back if isinstance(one, Draft)) == [
        ("session_start", ""),
        ("user_message", "hello"),
        ("assistant_message", "hi"),
    ]


def test_a_damaged_row_is_reported_and_the_rest_is_read(tmp_path: Path) -> None:
    _database(
        tmp_path,
        {
            "session": [_session()],
            "message": [_message("m1", "user"), {**_message("m2", "user"), "data": "{broken"}],
            "part": [
                _part("p1", "m1", type="text", text="hello"),
                {**_part("p2", "m1"), "data": "[]"},
            ],
        },
    )

    (found,) = discover(homes_in(tmp_path))
    read_back = list(read(found))

    reasons = [one.reason for one in read_back if isinstance(one, Damaged)]
    assert [reason.split(":")[0] for reason in reasons] == ["row m2", "row p2"]
    assert ("user_message", "hello") in told(one for one in read_back if isinstance(one, Draft))


@pytest.mark.parametrize("content", [b"", b"not a database" * 100])
def test_a_file_that_is_no_database_holds_nothing(tmp_path: Path, content: bytes) -> None:
    homes = homes_in(tmp_path)
    homes.opencode_db.parent.mkdir(parents=True)
    homes.opencode_db.write_bytes(content)
    stale = Transcript(
        harness=OC,
        path=homes.opencode_db,
        size_bytes=0,
        modified_ms=RECEIVED_MS,
        working_directory="/p",
        session_id="ses_1",
    )

    assert list(discover(homes)) == []
    (damaged,) = read(stale)
    assert isinstance(damaged, Damaged)


def test_the_database_is_read_while_opencode_writes_and_is_never_changed(tmp_path: Path) -> None:
    path = _database(tmp_path, {"session": [_session()], "message": [], "part": []})
    with closing(sqlite3.connect(path, isolation_level=None)) as writer:
        writer.execute("PRAGMA journal_mode=WAL")
        writer.execute("BEGIN IMMEDIATE")
        writer.execute("UPDATE session SET title = 'changed'")

        titles = [draft.metadata["title"] for draft in _imported(tmp_path)]

        writer.execute("ROLLBACK")
    assert titles == ["t"]


def test_a_home_without_opencode_holds_nothing(tmp_path: Path) -> None:
    homes = homes_in(tmp_path)

    assert list(discover(homes)) == []
    assert not in_use(homes)


# --- bad input ----------------------------------------------------------------------------------


def test_an_unknown_payload_is_kept_as_a_note() -> None:
    (note,) = _hook("agentx.dropped", {"count": 7})

    assert note.event_type is EventType.NOTE
    assert note.metadata["hook"] == "agentx.dropped"
    assert json.loads(note.text)["payload"] == {"count": 7}


def test_a_payload_without_anything_still_belongs_to_its_directory() -> None:
    (note,) = drafts(hook_call(OC, {}))

    assert note.session_id.startswith("unknown-")
    assert note.timestamp_ms == RECEIVED_MS


@pytest.mark.parametrize(
    "text",
    [
        "\U0001f469\u200d\U0001f680 fertig \u2705",
        "\u6570\u636e\u5e93",
        "\u0645\u0631\u062d\u0628\u0627",
        "x" * 1_000_000,
    ],
    ids=["emoji", "cjk", "arabic", "long"],
)
def test_text_of_any_script_and_size_is_the_same_live_and_imported(
    tmp_path: Path, text: str
) -> None:
    part = {"id": "p1", "type": "text", "text": text}
    _database(
        tmp_path,
        {
            "session": [_session()],
            "message": [_message("m1", "user")],
            "part": [{**_part("p1", "m1"), "data": json.dumps(part)}],
        },
    )

    (live,) = _hook("chat.message", {"message": {"id": "m1"}, "parts": [part]})

    imported = _imported(tmp_path)[1]
    assert identity(live) == identity(imported)
    assert live.text == imported.text == text


_HOOKS = (
    "session.created",
    "session.ended",
    "session.idle",
    "session.error",
    "session.deleted",
    "chat.message",
    "message.part.updated",
    "other",
)
_PARTS = objects_with("id", "type", "text", "time", "tool", "callID", "state", "synthetic")
_PAYLOADS = st.one_of(
    json_values,
    st.builds(
        lambda message, part, parts, info: {
            "message": message,
            "part": part,
            "parts": parts,
            "info": info,
        },
        objects_with("id", "role", "summary", "time", "agent", "model"),
        _PARTS | st.builds(lambda state: {"type": "tool", "state": state}, json_values),
        st.lists(_PARTS, max_size=2) | json_values,
        objects_with("id", "parentID", "title", "time"),
    ),
)


@given(hook=st.sampled_from(_HOOKS), payload=_PAYLOADS, session=json_values)
def test_no_payload_can_break_it(hook: str, payload: object, session: object) -> None:
    for draft in _hook(hook, payload, session):
        assert draft.session_id
        assert draft.source_id or draft.fingerprint
        json.dumps(draft.metadata).encode()
        draft.text.encode()


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    session=objects_with("id", "parentID", "directory", "title", "time"),
    message=objects_with("id", "role", "time", "error", "finish", "parentID", "summary"),
    part=_PARTS,
)
def test_no_record_can_break_it(
    tmp_path: Path, session: dict[str, Any], message: dict[str, Any], part: dict[str, Any]
) -> None:
    storage = homes_in(tmp_path).opencode_db.parent / "storage"
    records = {"session/p/ses_1.json": session, "message/ses_1/m1.json": message}
    if isinstance(message.get("id"), str) and message["id"] in ("user", "text"):
        records[f"part/{message['id']}/p1.json"] = part
    for name, value in records.items():
        (storage / name).parent.mkdir(parents=True, exist_ok=True)
        (storage / name).write_text(json.dumps(value), "utf-8")

    for found in discover(homes_in(tmp_path)):
        for one in read(found):
            assert isinstance(one, Draft)
            one.text.encode()
