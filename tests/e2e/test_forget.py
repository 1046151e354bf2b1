"""Goal: what is forgotten, by whatever it was named, is in no file any more and never comes back;
what somebody else wrote in the same words is told.

Method: sessions with a word that nobody else says, through the real hook; then every file of the
home and the project is searched with its compressed blocks opened.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.house import House, KeptHouse, prompt
from tests.support.on_disk import on_disk

DAY_MS = 86_400_000
FIRST_MS = 1_772_445_600_000  # 2026-03-02T10:00:00Z
WORD = "Zanzibarium"
DECISION = f"We decided to name the harbour {WORD} because nobody else does, and keep it so."


def _say(house: House, text: str, *, session: str, day: int, number: int = 0, **more: Any) -> None:
    at_ms = FIRST_MS + day * DAY_MS + number * 60_000
    env = {"AGENTX_REPLAY_MS": str(at_ms)}
    payload = {**prompt(text, session=session, prompt_id=f"{session}-{number}"), **more}
    assert house.hook(payload, env=env).returncode == 0


def _end(house: House, *, session: str, day: int) -> None:
    env = {"AGENTX_REPLAY_MS": str(FIRST_MS + day * DAY_MS + 3_600_000)}
    ended = {"session_id": session, "hook_event_name": "SessionEnd", "reason": "exit", "cwd": "/w"}
    assert house.hook(ended, env=env).returncode == 0


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> KeptHouse:
    return KeptHouse(tmp_path_factory.mktemp("told"), _hold_sessions)


@pytest.fixture
def told(kept: KeptHouse) -> Iterator[House]:
    """A house in which three sessions were held, one of them about a word."""
    yield from kept.lend()


def _hold_sessions(house: House) -> None:
    house.agentx("init", "--harness", "claude-code", "--no-import")
    _say(house, "How do we moor the ferry?", session="s-1", day=0)
    _say(house, DECISION, session="s-2", day=1)
    _say(house, "And what of the pilot boat?", session="s-2", day=1, number=1)
    _say(house, "Paint the buoys green.", session="s-3", day=2)
    for day, session in enumerate(("s-1", "s-2", "s-3")):
        _end(house, session=session, day=day)
    house.json("sync")


def _places(house: House) -> Iterator[Path]:
    yield house.data.root
    yield house.project / ".agentx"


def _found(house: House) -> list[str]:
    return [name for place in _places(house) for name in on_disk(place, WORD)]


BY = {
    "query": ["--query", f"harbour  {WORD.lower()}"],
    "span": ["--from", "2026-03-03", "--to", "2026-03-03T10:01"],
    "session": ["--session", "s-2"],
}


@pytest.mark.promise("log.forget")
@pytest.mark.parametrize("by", [*BY, "event"])
def test_what_was_forgotten_is_in_no_file_and_does_not_come_back(told: House, by: str) -> None:
    (event,) = [one for one in told.events() if WORD in one["text"]]
    named = BY.get(by, ["--event", event["event_id"]])
    assert _found(told), "the check can fail: the word is on disk before"
    before = told.json("status")["memory"]["log"]["events"]

    looked = told.json("forget", *named, "--dry-run")
    assert DECISION[:40] in looked["first_lines"][0]
    assert _found(told)
    gone = told.json("forget", *named, "--yes")

    assert gone == {**looked, "dry_run": False}
    for again in (("rebuild", "toc"), ("rebuild", "search"), ("sync",)):
        told.json(*again)
    _say(told, DECISION, session="s-2", day=1)
    told.json("sync")
    assert _found(told) == []
    left = told.json("status")["memory"]["log"]
    assert left["events"] == before - gone["events"]
    assert left["forgotten"] == gone["events"]
    assert told.json("search", WORD)["hits"] == []
    audit = [json.loads(line) for line in told.data.audit.read_text().splitlines()]
    assert [each["by"] for each in audit if each["event"] == "forgotten"] == [by]
    assert WORD not in told.data.audit.read_text()


@pytest.mark.promise("log.forget")
@pytest.mark.parametrize("backend", ["json", "sqlite"])
def test_what_an_export_still_holds_is_forgotten_again_when_it_is_restored(
    told: House, backend: str
) -> None:
    if backend == "sqlite":
        told.json("memory", "migrate", "--to", "sqlite")
    added = told.json("memory", "add", "--agent", "pilot", "--issue", "7", "The buoys are green")
    assert any(WORD in json.dumps(each) for each in told.json("memory", "list")["observations"])
    file = told.root / "memory.export"
    told.agentx("export", str(file))
    told.json("forget", "--session", "s-2", "--yes")

    told.json("restore", str(file), "--yes")

    left = told.json("memory", "list")["observations"]
    assert added["id"] in {each["id"] for each in left}
    assert [each for each in left if WORD in json.dumps(each)] == []
    assert WORD not in "".join(event["text"] for event in told.events())
    assert _found(told) == []


def _texts(house: House, session: str) -> list[str]:
    return [event["text"] for event in house.events("--session", session) if event["text"]]


def _leave_history(house: House) -> None:
    """A transcript of a session of which hooks never brought a word, and one of an hour ago."""
    folder = house.home / ".claude" / "projects" / "history"
    folder.mkdir(parents=True, exist_ok=True)
    said = {
        "2026-03-02T08:00:00.000Z": "Where do we berth?",
        "2026-03-03T08:00:00.000Z": f"At the harbour {WORD}, of all places.",
        "2026-03-04T08:00:00.000Z": "The mole is of stone.",
    }
    lines = [
        {
            "type": "user",
            "sessionId": "s-history",
            "uuid": f"u-{number}",
            "cwd": str(house.project),
            "timestamp": at,
            "message": {"role": "user", "content": text},
        }
        for number, (at, text) in enumerate(said.items())
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "s-history.jsonl").write_text(text, encoding="utf-8")


def test_what_a_restore_put_aside_is_named_for_it_may_still_hold_it(
    told: House, tmp_path: Path
) -> None:
    told.agentx("export", str(tmp_path / "all.bin"))
    told.agentx("restore", str(tmp_path / "all.bin"), "--yes")
    [aside] = Path(told.json("status")["store"]).glob("replaced-*")

    seen = told.json("forget", "--query", "nowhere said", "--dry-run")
    said = told.agentx("forget", "--query", "nowhere said", "--dry-run").stdout

    assert seen["copies"] == [str(aside)]
    assert f"rm -r {aside}" in said.replace("\n", "")


@pytest.mark.promise("log.forget")
@pytest.mark.parametrize(("by", "daemon"), [("query", True), ("span", False)])
def test_what_was_never_captured_of_it_is_not_imported_either(
    told: House, by: str, daemon: bool
) -> None:
    named = BY["query"] if by == "query" else ["--from", "2026-03-03", "--to", "2026-03-04"]
    file = told.root / "memory.export"
    told.agentx("export", str(file))
    if daemon:
        told.agentx("daemon", "start")
    try:
        told.json("forget", *named, "--yes")
        _leave_history(told)
        told.json("import")
        assert _texts(told, "s-history") == ["Where do we berth?", "The mole is of stone."]
    finally:
        told.agentx("daemon", "stop", expect=None)

    told.json("restore", str(file), "--yes")
    told.json("import")
    for again in (("rebuild", "toc"), ("rebuild", "search"), ("sync",)):
        told.json(*again)

    assert _found(told) == []
    assert len(_texts(told, "s-history")) == 2
    told.hook(prompt(f"{WORD} again", session="s-new", prompt_id="p-new"))
    assert WORD in "".join(event["text"] for event in told.events()), "what comes later is kept"


@pytest.mark.parametrize("by", BY)
def test_what_was_moved_aside_in_the_spool_goes_too(told: House, by: str) -> None:
    own = told.data.spool(str(told.project))
    own.refused.mkdir()
    at_ms = FIRST_MS + DAY_MS
    payload = json.dumps({**prompt(DECISION, session="s-2"), "hook_event_name": "Odd"})
    head = json.dumps({"v": 1, "harness": "codex", "at": at_ms, "cwd": str(told.project)})
    doomed = own.refused / f"{at_ms}-1-aa.evt"
    doomed.write_text(f"{head}\n{payload}", encoding="utf-8")
    stays = own.refused / f"{at_ms - DAY_MS}-1-bb.evt"
    other = head.replace(str(at_ms), str(at_ms - DAY_MS))
    stays.write_text(f"{other}\n" + payload.replace(WORD, "quay").replace("s-2", "s-1"))
    unread = own.refused / f"{at_ms}-1-cc.evt"
    with unread.open("wb") as file:
        file.truncate(100 * 1024**2)

    looked = told.json("forget", *BY[by], "--dry-run")
    assert looked["aside"] == 1
    assert doomed.exists()
    told.json("forget", *BY[by], "--yes")

    assert not doomed.exists()
    assert stays.exists()
    (named,) = [quote for quote in looked["quoted"] if quote["kind"] == "spool"]
    assert named["id"] == str(unread)
    assert _found(told) == []


def test_what_is_not_there_is_kept_away_only_by_who_says_yes(told: House) -> None:
    span = ["--from", "2026-03-02", "--to", "2026-03-02T09:00"]
    assert told.json("forget", *span)["events"] == 0
    _leave_history(told)
    told.json("import")
    assert len(_texts(told, "s-history")) == 3
    told.json("forget", "--session", "s-history")
    assert told.json("forget", "--to", "2026-03-02T09:00", "--yes")["events"] == 0
    folder = told.home / ".claude" / "projects" / "history"
    text = (folder / "s-history.jsonl").read_text(encoding="utf-8")
    copy, other = text.replace("s-history", "s-copy"), text.replace("s-history", "s-2nd")
    (folder / "s-copy.jsonl").write_text(copy, encoding="utf-8")
    (folder / "s-2nd.jsonl").write_text(other.replace('"u-', '"v-'), encoding="utf-8")
    told.json("import")
    assert len(_texts(told, "s-2nd")) == 2
    assert "s-copy" not in {event["session_id"] for event in told.events()}, "it was forgotten"


def test_a_span_or_a_query_is_not_erased_unasked(told: House) -> None:
    assert told.json("forget", "--query", WORD, expect=2)["error"]["code"] == "invalid_value"
    assert told.json("forget", "--from", "2026-03-01", expect=2)["error"]["code"] == "invalid_value"
    assert told.json("forget", expect=2)["error"]["code"] == "invalid_value"
    assert told.json("forget", "--query", WORD, "--session", "s-2", "--yes", expect=2)
    assert told.json("forget", "--query", "nobody ever said this")["events"] == 0
    assert len(told.events()) == 7


def test_what_others_wrote_in_the_same_words_is_told_and_stays(told: House) -> None:
    told.agentx("run", "start", "Name the harbour")
    told.agentx("run", "event", "--type", "note", "--detail", f"text={DECISION}")
    told.agentx("memory", "add", "--agent", "pilot", "--issue", "7", f"The chart says: {DECISION}")
    away = told.root / "away"
    away.mkdir()
    told.hook(prompt(DECISION, session="s-away", cwd=str(away)), cwd=away)
    away.rmdir()  # nobody takes what was said there, and nobody knows whose it is

    gone = told.json("forget", "--query", WORD, "--yes")

    kinds = sorted({quote["kind"] for quote in gone["quoted"]})
    assert kinds == ["observations", "runs", "spool"]
    (orphan,) = [quote for quote in gone["quoted"] if quote["kind"] == "spool"]
    assert WORD in Path(orphan["id"]).read_text("utf-8")
    (note,) = [quote for quote in gone["quoted"] if quote["kind"] == "observations"]
    assert note["mend"] == f"agentx memory remove {note['id']}"
    assert gone["observations"] >= 1


@pytest.mark.parametrize("daemon", [False, True])
def test_many_are_forgotten_at_once_in_a_store_that_projects_share(
    house: House, daemon: bool
) -> None:
    house.agentx("config", "set", "--user", "storage.mode", "unified")
    other = house.root / "work" / "other"
    other.mkdir()
    for number in range(30):
        _say(house, f"{WORD} number {number}", session=f"s-{number % 3}", day=0, number=number)
    _say(house, "nothing of that kind", session="s-0", day=0, number=40)
    payload = prompt(f"{WORD} belongs to me", session="s-9", prompt_id="p-9")
    house.hook(payload, cwd=other)
    house.json("sync", cwd=other)
    house.json("sync")
    if daemon:
        house.agentx("daemon", "start")
    try:
        gone = house.json("forget", "--query", WORD, "--yes")
        assert (gone["events"], gone["sessions"]) == (30, 2)
        assert [event["text"] for event in house.events()] == ["nothing of that kind"]
        theirs = house.json("events", cwd=other)["events"]
        assert [event["text"] for event in theirs] == [f"{WORD} belongs to me"]
    finally:
        house.agentx("daemon", "stop", expect=None)
    shutil.rmtree(other)


def _leave_transcript(house: House, cwd: Path, name: str) -> None:
    folder = house.home / ".claude" / "projects" / name
    folder.mkdir(parents=True)
    line = {
        "type": "user",
        "sessionId": name,
        "uuid": f"u-{name}",
        "cwd": str(cwd),
        "timestamp": "2026-03-02T10:00:00.000Z",
        "message": {"role": "user", "content": f"{WORD} of {name}"},
    }
    (folder / f"{name}.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")


@pytest.mark.promise("capture.excluded")
def test_what_is_excluded_is_neither_captured_nor_imported(house: House) -> None:
    secret = house.project / "secret"
    secret.mkdir()
    other = house.root / "work" / "other"
    other.mkdir()
    link = house.root / "link"
    link.symlink_to(house.project)
    house.hook(prompt(f"{WORD} before", prompt_id="p0"), cwd=secret)
    house.agentx("exclude", str(link / "secret"))
    named = house.json("status", cwd=other)["project_id"]
    house.hook(prompt("settled", prompt_id="p1"), cwd=other)
    house.json("sync", cwd=other)
    house.agentx("exclude", named)

    for number, folder in enumerate((secret, other, house.project)):
        house.hook(prompt(f"{WORD} in {folder.name}", prompt_id=f"q{number}"), cwd=folder)
        _leave_transcript(house, folder, f"t-{folder.name}")

    spooled = [path for path in house.data.spools.glob("*/new/*") if path.is_file()]
    assert len(spooled) == 1, "nothing of what is excluded, not even what was there before"
    house.json("sync")
    imported = house.json("import")["harnesses"]
    assert sum(one["excluded"] for one in imported) == 2
    house.json("import", cwd=other)
    texts = sorted(event["text"] for event in house.events() if event["text"])
    assert texts == [f"{WORD} in shop", f"{WORD} of t-shop"]
    theirs = house.json("events", cwd=other)["events"]
    assert [event["text"] for event in theirs if event["text"]] == ["settled"]
    assert "it is excluded" in house.agentx("doctor", cwd=other, expect=None).stdout
    assert house.json("exclude", "--list")["excluded"] == [
        str(link / "secret"),
        str(secret),
        named,
    ]

    house.agentx("exclude", "--remove", str(link / "secret"))
    house.agentx("exclude", "--remove", named)
    house.agentx("exclude", "--remove", "nobody", expect=2)
    house.hook(prompt("again", prompt_id="p9"), cwd=secret)
    house.json("sync")
    assert "again" in [event["text"] for event in house.events()]


def test_what_is_older_than_the_user_keeps_is_forgotten_by_sync_and_by_the_job(told: House) -> None:
    told.agentx("config", "set", "--here", "retention.days", "-1", expect=2)
    assert "aged" not in told.json("sync")
    (new,) = [prompt(f"{WORD} is new", session="s-2", prompt_id="p-new")]
    told.hook(new)
    told.agentx("config", "set", "--here", "retention.days", "30")

    done = told.json("sync")

    assert done["aged"] == {"days": 30, "events": 7, "questions": 0}
    assert [event["text"] for event in told.events()] == [f"{WORD} is new"]
    assert on_disk(told.data.root, "nobody else does") == []
    assert on_disk(told.project / ".agentx", "nobody else does") == []
    audit = [json.loads(line) for line in told.data.audit.read_text().splitlines()]
    facts = [(each["by"], each["events"]) for each in audit if each["event"] == "forgotten"]
    assert facts == [("retention", 7)]
    _say(told, "Older than that.", session="s-9", day=0)
    told.json("events")
    said = told.json("scheduler", "run", "retention")["said"]
    assert said.startswith("forgot events older than 30 days: 1")
    assert len(told.events()) == 1


def test_a_repository_cannot_set_how_long_a_memory_is_kept(told: House) -> None:
    settings = told.project / ".agentx" / "config.toml"
    settings.write_text("[retention]\ndays = 1\n", encoding="utf-8")
    told.agentx("trust", "--yes")

    assert "aged" not in told.json("sync")
    assert len(told.events()) == 7


def test_a_forgotten_session_that_goes_on_is_remembered_from_there_and_that_is_said(
    told: House,
) -> None:
    told.json("forget", "--session", "s-2", "--yes")
    assert told.json("status")["memory"]["log"]["resumed"] == 0

    told.hook(prompt("Where were we?", session="s-2", prompt_id="p-later"))
    _say(told, DECISION, session="s-2", day=1)
    told.agentx("daemon", "start")
    try:
        told.json("sync")
        assert told.json("status")["memory"]["log"]["resumed"] == 1
    finally:
        told.agentx("daemon", "stop", expect=None)

    assert [one["text"] for one in told.events("--session", "s-2")] == ["Where were we?"]
    assert "1 forgotten session went on" in told.agentx("status").stdout
    assert "forgotten sessions that went on: 1" in told.agentx("doctor", expect=None).stdout
    assert _found(told) == []


@pytest.mark.promise("capture.excluded")
def test_what_the_settings_exclude_is_neither_taken_nor_imported(house: House) -> None:
    folders = [house.project / name for name in ("secret", "drafts", "open")]
    other = house.root / "work" / "other"
    for folder in (*folders, other):
        folder.mkdir()
    settings = house.project / ".agentx" / "config.toml"
    settings.parent.mkdir(exist_ok=True)
    inside = f'exclude = "secret, ../other, {other}, {house.project}/../other"\n'
    settings.write_text(f"[capture]\n{inside}", encoding="utf-8")
    house.agentx("config", "set", "--user", "capture.exclude", "*/drafts")
    house.agentx("trust", "--yes")

    for number, folder in enumerate((*folders, other)):
        house.hook(prompt(f"{WORD} in {folder.name}", prompt_id=f"q{number}"), cwd=folder)
        _leave_transcript(house, folder, f"t-{folder.name}")
    house.json("sync")
    imported = house.json("import")["harnesses"]

    assert sum(one["excluded"] for one in imported) == 2
    texts = sorted(event["text"] for event in house.events() if event["text"])
    assert texts == [f"{WORD} in open", f"{WORD} of t-open"]
    theirs = house.json("events", cwd=other)["events"]
    assert [event["text"] for event in theirs if event["text"]] == [f"{WORD} in other"]
