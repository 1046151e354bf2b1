"""Goal: what a session taught is in the project's own files after a sync, and gone when forgotten.

Method: the real hook and the real commands in a throw-away home.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.house import House

RECORDED = Path(__file__).parent.parent / "fixtures" / "agent-clis" / "claude-code-hooks.jsonl"
LABELLED = Path(__file__).parent.parent / "fixtures" / "extraction"


def _kept(house: House, issue: int) -> list[dict[str, Any]]:
    path = house.project / ".agentx" / "memory" / f"issue-{issue}.json"
    found: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["observations"]
    return found


def _all_kept(house: House) -> list[dict[str, Any]]:
    files = (house.project / ".agentx" / "memory").glob("issue-*.json")
    return [one for path in files for one in json.loads(path.read_text("utf-8"))["observations"]]


def _text_of(folder: Path) -> str:
    return "".join(
        path.read_bytes().decode("utf-8", "replace")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    )


@pytest.mark.promise("observations.captured-once")
def test_a_session_that_hooks_captured_is_in_the_files_of_its_issue_after_a_sync(
    tmp_path: Path,
) -> None:
    house = House(tmp_path)
    house.git("checkout", "-q", "-b", "feature/77-ledger")
    for line in RECORDED.read_text("utf-8").splitlines():
        payload = {**json.loads(line)["payload"], "cwd": str(house.project)}
        assert house.hook(payload).returncode == 0

    house.agentx("sync")
    house.agentx("sync")

    kept = _kept(house, 77)
    by_category = {one["category"]: one for one in kept}
    assert by_category.keys() == {"decision", "compaction-summary"}
    assert "PostgreSQL" in by_category["decision"]["content"]
    assert by_category["decision"]["files"] == ["app/db.py"]
    assert by_category["decision"]["agent"] == "claude-code"
    proof = by_category["decision"]["eventIds"][0]
    assert "PostgreSQL" in next(e["text"] for e in house.events() if e["event_id"] == proof)
    # A repository that was never set up is left as it was, as far as git can see.
    assert house.git("status", "--short") == ""


@pytest.mark.promise("log.forget")
def test_what_was_learnt_from_a_forgotten_session_is_forgotten_too(tmp_path: Path) -> None:
    house = House(tmp_path)
    for name in ("claude-code-booking-overlap", "codex-msrv-build"):
        house.agentx("import", str(LABELLED / f"{name}.jsonl"))
    house.agentx("sync")
    kept = {one["sessionId"] for one in (*_kept(house, 118), *_kept(house, 77))}
    assert len(kept) == 2
    forgotten = _kept(house, 118)[0]["sessionId"]

    # Merged with others, its text lies in the archive and in what was merged of it.
    house.agentx("memory", "compact", "--older-than", "0")
    house.agentx("sync")
    assert "summer season" in _text_of(house.project)

    house.agentx("forget", "--session", forgotten)
    for index in list(house.root.rglob("bm25-index")):
        shutil.rmtree(index)  # it is made anew
    house.agentx("sync")

    # That it was forgotten is noted outside of the store, by its id and without a word.
    assert forgotten in _text_of(house.data.tombstones)
    assert "summer season" not in _text_of(house.root)
    shutil.rmtree(house.data.tombstones)
    left = _text_of(house.root)
    assert forgotten not in left
    assert "clap_builder" in left


@pytest.mark.promise("observations.recall-counted")
def test_what_the_hook_prints_is_told_of_and_counts_when_it_is_opened(tmp_path: Path) -> None:
    house = House(tmp_path)
    (house.project / "ledger.py").write_text("x = 1\n" * 400, encoding="utf-8")
    kept = house.json(
        "memory",
        "add",
        "--agent",
        "engineer",
        "--category",
        "decision",
        "--file",
        "ledger.py",
        "Chose a double-entry ledger. Totals can be checked.",
    )["id"]
    house.agentx("sync")

    begun = {
        "hook_event_name": "SessionStart",
        "source": "startup",
        "cwd": str(house.project),
    }
    for session in ("one", "two"):
        told = house.hook({**begun, "session_id": session}).stdout
        assert f"[engineer, just now, obs-{kept[-6:]}]".encode() in told
    # What is read next week is a week old by then.
    later = str(int(kept.split("-")[-2]) + 8 * 86_400_000)
    told = house.hook({**begun, "session_id": "three"}, env={"AGENTX_REPLAY_MS": later}).stdout
    assert f"[engineer, 8 d, obs-{kept[-6:]}]".encode() in told
    house.agentx("sync")
    house.agentx("sync")

    (row,) = house.json("memory", "list")["observations"]
    assert row["recall_count"] == 0
    house.agentx("expand", f"obs-{kept[-6:]}")
    (row,) = house.json("memory", "list")["observations"]
    assert row["recall_count"] == 1
    stats = house.json("memory", "stats")
    assert (stats["recalls"]["times"], stats["recalls"]["observations"]) == (3, 3)
    assert stats["displaced_tokens"] == 3 * (6 * 400 // 4)
    assert "Memory recall displaced 600 tokens of manual re-read" in _text_of(house.root)
    assert house.git("status", "--short") == "?? ledger.py"


def test_on_the_sample_what_stands_is_told_before_what_was_overturned(sample_house: House) -> None:
    told = sample_house.agentx(
        "recall", "--context", "retries of webhooks", "--budget", "500"
    ).stdout
    sample_house.agentx("daemon", "start")
    try:
        served = sample_house.agentx(
            "recall", "--context", "retries of webhooks", "--budget", "500"
        )
    finally:
        sample_house.agentx("daemon", "stop")
    lines = [line for line in told.splitlines() if line.startswith("- ")]
    overturned = [number for number, line in enumerate(lines) if "five tries 30 s" in line]

    assert served.stdout == told
    assert "Retry policy (reverses the retry half" in lines[0]
    (at,) = overturned
    mark = "no longer holds, replaced by "
    newer = lines[at].split(mark)[1].split(")")[0]
    assert lines[at - 1].endswith(f"{newer}]")
    assert "throw Celery and Redis out" in lines[at - 1]
    (first, *_) = sample_house.json("search", "why did we move from SQLite to Postgres?")["hits"]
    assert "SQLite has one writer, so with two workers" in first["snippet"]
    # Both sides say so.
    (older,) = [
        one
        for one in _all_kept(sample_house)
        if "five tries 30 s" in one["content"] and one["category"] == "key-fact"
    ]
    shown = sample_house.json("memory", "show", older["supersededBy"])
    assert older["id"] in shown["replaced"]
    assert "holds instead of" in sample_house.agentx("memory", "show", older["supersededBy"]).stdout
    assert "holds instead of" in sample_house.agentx("why", older["supersededBy"]).stdout
