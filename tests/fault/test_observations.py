"""Goal: whatever dies, whatever is deleted or damaged, no acknowledged observation is lost.

Method: real processes that write at once; children that kill themselves at every crash point of
settling and compaction; every file of a store deleted, cut and filled with noise in turn.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.host.crash import CrashPoint
from agentx.kernel.capture import Draft, EventType, Role
from agentx.observations.model import Observation, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.wiring.memory import open_store
from tests.support.drafts import draft
from tests.support.observations import generated, observation, opened_store
from tests.support.remembering import project_in, remember
from tests.support.time_and_chance import FakeClock
from tests.support.zygote import run_module

ROOT = Path(__file__).parents[2]
CHILD = (sys.executable, "-m", "tests.fault.observation_child")
POINTS = (
    CrashPoint.ATOMIC_TEMP_WRITTEN,
    CrashPoint.OBSERVATIONS_ISSUE_WRITTEN,
    CrashPoint.OBSERVATIONS_MANIFEST_WRITTEN,
    CrashPoint.OBSERVATIONS_JOURNAL_EMPTIED,
)


def _store(folder: Path) -> ObservationStore:
    return opened_store("json", folder, FakeClock())


def _run(*words: object) -> subprocess.CompletedProcess[str]:
    return run_module("tests.fault.observation_child", *words, timeout_s=60)


def _same(store: ObservationStore, kept: list[Observation]) -> None:
    """Check that exactly these are there, in the files, in the index and for a search."""
    wanted = sorted(each.id for each in kept)
    assert sorted(each.id for each in store.everything()) == wanted
    assert sorted(each.id for each in store.search_by_filters(SearchFilters())) == wanted
    by_id = {each.id: each for each in kept}
    assert all(by_id[each.id] == each for each in store.everything())


@pytest.mark.promise("observations.nothing-lost")
def test_t4_captures_of_eight_processes_at_once_lose_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    crowd = [
        subprocess.Popen(
            [*CHILD, "capture", str(folder), f"agent{number}", "8"],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for number in range(8)
    ]
    said = [child.communicate(timeout=100)[0] for child in crowd]
    assert [child.returncode for child in crowd] == [0] * 8

    acknowledged = " ".join(said).split()
    store = _store(folder)
    assert len(acknowledged) == 8 * 8 * 3
    assert sorted(each.id for each in store.everything()) == sorted(acknowledged)
    store.settle()
    again = _store(folder)
    rows = again.search_by_filters(SearchFilters())
    assert sorted(each.id for each in rows) == sorted(acknowledged)
    assert (folder / "pending.jsonl").stat().st_size == 0
    assert again.faults() == ()


@pytest.mark.promise("observations.nothing-lost")
@pytest.mark.parametrize("point", POINTS)
def test_a_kill_while_settling_is_repaired_at_the_next_read(
    tmp_path: Path, point: CrashPoint
) -> None:
    folder = tmp_path / "memory"
    store = _store(folder)
    settled = [observation(f"before {number}", issue=number % 3) for number in range(6)]
    store.store(settled)
    store.settle()
    fresh = [observation(f"after {number}", issue=number % 3) for number in range(6)]
    store.store(fresh)
    store.increment_recall_count(settled[0].id)

    killed = _run("settle", folder, point)

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    for reader in (_store(folder), store):
        _same(reader, settled + fresh)
        assert reader.get_stats().recalls == 1
    _store(folder).settle()
    _same(_store(folder), settled + fresh)
    assert _store(folder).get_stats().recalls == 1


@pytest.mark.promise("observations.nothing-lost")
@pytest.mark.parametrize(
    "point", [CrashPoint.OBSERVATIONS_ARCHIVED, CrashPoint.OBSERVATIONS_ISSUE_WRITTEN]
)
def test_a_kill_while_compacting_leaves_every_original_somewhere(
    tmp_path: Path, point: CrashPoint
) -> None:
    folder = tmp_path / "memory"
    store = _store(folder)
    old = generated(9, issues=1)
    store.store(old)
    store.settle()

    killed = _run("compact", folder, point)

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    after = _store(folder)
    left = {each.id for each in after.everything()}
    assert all(each.id in left or after.get_archived(each.id) == each for each in old)
    after.compact(0, before_ms=1 << 45)
    kept = list(_store(folder).everything())
    merged = {source for each in kept for source in each.sources}
    alone = {each.id for each in kept}  # of its kind, and left as it was
    assert merged
    assert merged | alone >= {each.id for each in old}


def _session() -> list[Draft]:
    said = (
        (EventType.USER_MESSAGE, "we will keep zones in TOML instead of the database, ops edit it"),
        (EventType.ASSISTANT_MESSAGE, "`zones.py` reads `zones.toml`, because ops own that file."),
        (EventType.SESSION_END, ""),
    )
    roles = {EventType.USER_MESSAGE: Role.USER, EventType.ASSISTANT_MESSAGE: Role.ASSISTANT}
    return [
        replace(
            draft(text, source_id=str(number), at=number),
            event_type=kind,
            role=roles.get(kind, Role.SYSTEM),
        )
        for number, (kind, text) in enumerate(said)
    ]


@pytest.mark.promise("observations.captured-once")
@pytest.mark.parametrize("point", [CrashPoint.CAPTURE_BEGUN, CrashPoint.CAPTURE_STORED])
def test_a_kill_while_a_session_is_captured_loses_nothing_and_brings_nothing_twice(
    tmp_path: Path, point: CrashPoint
) -> None:
    whole = remember(project_in(tmp_path / "undisturbed"), _session())
    project = project_in(tmp_path)
    with open_store(project) as memory:
        memory.append(_session())

    killed = subprocess.run(
        [*CHILD, "observe", str(project.root), point],
        cwd=ROOT,
        env={"HOME": str(tmp_path / "home"), "PATH": "", "TZ": "UTC"},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=False,
    )
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    for _ in range(2):
        with open_store(project) as memory:
            memory.catch_up()

    kept, wanted = (
        sorted(
            (each.category, each.content) for each in _store(one.paths.observations).everything()
        )
        for one in (project, whole)
    )
    assert kept == wanted
    assert len(kept) >= 2


def test_t8_a_damaged_manifest_is_rebuilt_and_kept_aside(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    store = _store(folder)
    kept = generated(12, issues=3)
    store.store(kept)
    store.settle()
    manifest = folder / "manifest.json"
    manifest.write_bytes(b"{not json")

    again = _store(folder)
    _same(again, kept)

    assert [fault.what[:39] for fault in again.faults()][
        -1
    ] == "Memory manifest rebuilt from issue file"
    assert len(list(folder.glob("manifest.json.corrupt-*"))) == 1
    assert len(json.loads(manifest.read_bytes())["entries"]) == 12
    assert _store(folder).faults() == ()


@pytest.mark.promise("observations.degrades")
@pytest.mark.parametrize("harm", ["deleted", "cut", "noise", "empty", "wrong shape"])
@pytest.mark.parametrize("name", ["manifest.json", "issue-2.json", "pending.jsonl", "words"])
def test_the_rest_goes_on_whatever_happens_to_one_file(
    tmp_path: Path, name: str, harm: str
) -> None:
    folder = tmp_path / "memory"
    store = _store(folder)
    kept = generated(9, issues=3)
    store.store(kept)
    store.settle()
    late = [observation("late zanzibar", issue=3), observation("late zanzibar", issue=1)]
    store.store(late[:1])
    store.store(late[1:])
    store.search("zanzibar")
    store.close()
    path = next((tmp_path / "views").glob("*.db")) if name == "words" else folder / name
    whole = path.read_bytes()
    match harm:
        case "deleted":
            path.unlink()
        case "cut":
            path.write_bytes(whole[: len(whole) // 2])
        case "noise":
            path.write_bytes(bytes(range(256)) * 8)
        case "empty":
            path.write_bytes(b"")
        case _:
            path.write_bytes(b'[{"version": 1}]\n')

    again = _store(folder)
    found = {each.id for each in again.everything()}
    hits = {each.id for each in again.search("zanzibar")}

    safe = {each.id for each in kept if name != "issue-2.json" or each.issue_number != 2}
    assert safe <= found
    if name != "pending.jsonl":
        assert found == safe | {each.id for each in late}
        assert hits == {each.id for each in late}
    extra = observation("afterwards", issue=2)
    again.store([extra])
    again.settle()
    assert _store(folder).get_by_id(extra.id) == extra
    if name in {"manifest.json", "issue-2.json"} and harm != "deleted":
        aside = next(folder.glob(f"{name}.corrupt-*"))
        assert aside.read_bytes() == path_bytes(harm, whole)
    if name == "pending.jsonl" and harm in {"noise", "wrong shape"}:
        assert len(list(folder.glob("pending.jsonl.corrupt-*"))) == 1


def path_bytes(harm: str, whole: bytes) -> bytes:
    """Return what a harmed file held."""
    return {
        "cut": whole[: len(whole) // 2],
        "noise": bytes(range(256)) * 8,
        "empty": b"",
        "wrong shape": b'[{"version": 1}]\n',
    }[harm]


def test_a_torn_last_line_of_the_journal_is_nobodys_and_harms_nobody(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    one, other = observation("one"), observation("other")
    _store(folder).store([one])
    with (folder / "pending.jsonl").open("ab") as journal:
        journal.write(b'{"record":"01K","op":"store","observations":[{"id":"obs-')

    store = _store(folder)
    _same(store, [one])
    store.store([other])
    _same(store, [one, other])
    store.settle()
    _same(_store(folder), [one, other])


def test_what_people_write_into_a_file_is_seen_and_kept(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    store = _store(folder)
    one, other = observation("zanzibar one"), observation("zanzibar other")
    store.store([one, other])
    store.settle()
    assert len(store.search("zanzibar")) == 2
    path = folder / "issue-29.json"
    page = json.loads(path.read_bytes())
    page["observations"][0]["reviewedBy"] = "a person"
    page["observations"][0]["summary"] = "corrected by hand"
    page["observations"][0]["content"] = "corrected: it is Dar es Salaam"
    path.write_text(json.dumps(page), encoding="utf-8")

    again = _store(folder)
    rows = {each.id: each.summary for each in again.search_by_filters(SearchFilters())}
    assert rows[one.id] == "corrected by hand"
    assert [each.id for each in _store(folder).search("salaam")] == [one.id]
    assert [each.id for each in _store(folder).search("zanzibar")] == [other.id]
    again.store([observation("third")])
    again.settle()
    assert json.loads(path.read_bytes())["observations"][0]["reviewedBy"] == "a person"


def test_the_words_of_what_people_deleted_go_with_the_next_that_is_forgotten(
    tmp_path: Path,
) -> None:
    folder, views = tmp_path / "memory", tmp_path / "views"
    one, other = observation("zanzibar port", issue=1), observation("something else", issue=2)
    store = _store(folder)
    store.store([one, other])
    store.settle()
    store.close()
    (folder / "issue-1.json").unlink()

    again = _store(folder)
    again.forget([other.id])
    again.close()

    assert views.exists()
    assert all(b"zanzibar" not in path.read_bytes() for path in views.iterdir())


@pytest.mark.promise("observations.nothing-lost", "log.forget")
def test_a_kill_while_forgetting_loses_no_other_and_the_next_try_ends_it(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    store = _store(folder)
    one, *others = (observation(f"the {name} is slow", issue=0) for name in ("quay", "pier", "dam"))
    store.store([one, *others])
    store.compact(0, before_ms=1 << 45)
    store.close()

    killed = _run("forget", folder, CrashPoint.OBSERVATIONS_ISSUE_WRITTEN, one.id)

    assert killed.returncode == -signal.SIGKILL, killed.stderr
    after = _store(folder)
    _same(after, others)
    after.forget([one.id])
    _same(_store(folder), others)
    assert list(_store(folder).archive()) == []
    assert all(b"quay" not in path.read_bytes() for path in folder.rglob("*.json"))


def test_the_files_are_the_specified_ones_and_read_well(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    store = _store(folder)
    one = observation("Chose JSON files because people can read them. \u7f13\u5b58 \U0001f680")
    store.store([one])
    store.settle()
    page = json.loads((folder / "issue-29.json").read_bytes())
    manifest = json.loads((folder / "manifest.json").read_bytes())

    assert sorted(path.name for path in folder.iterdir()) == [
        "issue-29.json",
        "manifest.json",
        "pending.jsonl",
    ]
    assert page["version"] == manifest["version"] == 1
    assert page["issueNumber"] == 29
    assert page["observations"] == [
        {
            "id": one.id,
            "agent": "engineer",
            "issueNumber": 29,
            "category": "decision",
            "content": one.content,
            "summary": one.summary,
            "tokens": one.tokens,
            "timestamp": "2026-03-02T10:00:00.000Z",
            "sessionId": "session-1",
        }
    ]
    assert manifest["entries"] == [
        {
            "id": one.id,
            "agent": "engineer",
            "issueNumber": 29,
            "category": "decision",
            "summary": one.summary,
            "tokens": one.tokens,
            "timestamp": "2026-03-02T10:00:00.000Z",
        }
    ]
    assert "\U0001f680" in (folder / "issue-29.json").read_text(encoding="utf-8")
    assert (folder / "issue-29.json").stat().st_mode & 0o077 == 0


def test_capture_touches_neither_manifest_nor_issue_file(tmp_path: Path) -> None:
    folder = tmp_path / "memory"
    store = _store(folder)
    store.store(generated(30, issues=1))
    store.settle()
    files = [folder / "manifest.json", folder / "issue-0.json"]
    before = [path.stat().st_mtime_ns for path in files]

    store.store([observation("fresh", issue=0)])
    store.increment_recall_count(*(each.id for each in store.search_by_filters(SearchFilters())))

    assert [path.stat().st_mtime_ns for path in files] == before
    assert len((folder / "pending.jsonl").read_bytes().splitlines()) == 2
