"""Goal: what a session taught is in the project's own files after a sync, and gone when forgotten.

Method: the real hook and the real commands in a throw-away home.
"""

from __future__ import annotations

import json
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
    assert len(by_category) == len(kept) == 3
    assert "PostgreSQL" in by_category["decision"]["content"]
    assert by_category["code-change"]["files"] == ["app/db.py"]
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

    house.agentx("forget", "--session", forgotten)
    house.agentx("sync")

    memory = house.project / ".agentx" / "memory"
    everything = "".join(path.read_text("utf-8") for path in memory.rglob("*") if path.is_file())
    assert forgotten not in everything
    assert "summer season" not in everything
    assert "clap_builder" in everything
