"""Goal: what a run is survives hands, merges and crashes; its files are made from its events.

Method: a real folder; files are deleted, edited, glued, torn and reordered, then read or
rebuilt. Every crash point of writing is struck in process, and the run taken up again.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.documents.yaml_file import YAML
from agentx.host.documents.yaml_rows import dump_rows
from agentx.kernel.errors import InvalidValue
from agentx.runs.events import RunEnded, RunRecorded
from agentx.runs.limits import RUN_CLAIM_MS
from agentx.runs.model import Contract, Run
from agentx.runs.pages.files import pages
from agentx.runs.replies import Interruption
from agentx.runs.store import run_store
from agentx.runs.store.by_hand import contract_file
from tests.support.run_stories import Killed, Team, happening, killed


@pytest.fixture
def team(tmp_path: Path) -> Team:
    return Team(tmp_path / "project", tmp_path / "store")


@pytest.fixture(autouse=True)
def _nothing_armed() -> Iterator[None]:
    yield
    crash.disarm()


def _begun(team: Team) -> str:
    run = team.runs.start(
        "Add e-mail checks \U0001f4e7", description="all of them", requester="mira"
    )
    team.says(run.id, "task-added", task="TASK-001", title="checker", files=["a.py"])
    team.says(run.id, "task-added", task="TASK-002", title="docs", depends_on=["TASK-001"])
    team.says(run.id, "task-started", task="TASK-001")
    team.says(run.id, "task-progressed", task="TASK-001", text="first step\n# with a heading")
    team.says(run.id, "artifact-written", name="plan.md", text="# Plan\n1. check\n")
    return run.id


def _files(team: Team, run_id: str) -> dict[str, bytes]:
    root = team.store.paths.run(run_id).root
    return {
        str(path.relative_to(root)): path.read_bytes()
        for path in sorted(root.rglob("*"))
        if path.is_file() and path.suffix != ".jsonl"
    }


def _event_file(team: Team, run_id: str) -> Path:
    (found,) = (team.store.paths.run(run_id).events() / "executor").iterdir()
    return found


def test_a_run_is_laid_out_as_documented(team: Team) -> None:
    run_id = _begun(team)
    files = _files(team, run_id)
    manifest = YAML.parse(files["manifest.yaml"])
    index = YAML.parse(team.store.paths.index.read_bytes())

    assert run_id.startswith("20260302-1000-add-e-mail-checks-")
    assert set(files) == {
        "manifest.yaml",
        "artifacts/plan.md",
        "artifacts/task-graph.yaml",
        "tasks/TASK-001/contract.yaml",
        "tasks/TASK-001/work-log.md",
        "tasks/TASK-002/contract.yaml",
    }
    assert isinstance(manifest, dict)
    assert manifest["state"] == {
        "phase": "PLANNING",
        "status": "IN_PROGRESS",
        "current_task": "TASK-001",
    }
    assert manifest["resume"]["last_event_id"] == team.runs.events(run_id)[-1].id
    assert isinstance(index, dict)
    assert [each["run_id"] for each in index["runs"]["active"]] == [run_id]
    plan = files["artifacts/plan.md"].decode()
    assert plan.startswith(f"---\nrun_id: {run_id}\nactor: executor\ncreated: 2026-03-02T")
    assert "merge=union" in (team.store.paths.project.run_memory / ".gitattributes").read_text()
    actors = {path.name for path in team.store.paths.run(run_id).events().iterdir()}
    assert actors == {"orchestrator", "executor"}


def test_deleting_every_file_but_the_events_loses_nothing(team: Team) -> None:
    run_id = _begun(team)
    before = _files(team, run_id)
    root = team.store.paths.run(run_id).root
    for name in before:
        (root / name).unlink()
    team.store.paths.index.unlink()

    rebuilt = team.runs.rebuild(run_id)

    assert _files(team, run_id) == before
    assert rebuilt.files_changed == len(before)
    assert team.store.paths.index.is_file()
    assert team.runs.rebuild(run_id).files_changed == 0


@pytest.mark.promise("runs.recover")
@pytest.mark.parametrize(
    "lie",
    [
        b"state:\n  phase: PR_PREP\n  status: COMPLETED\n",
        b"run_id: x\nrun_id: y\n",
        b"<<<<<<< HEAD\na: 1\n=======\nb: 2\n>>>>>>> other\n",
        b"\xff\xfe{[",
    ],
)
def test_a_manifest_that_lies_or_does_not_parse_is_never_believed(team: Team, lie: bytes) -> None:
    run_id = _begun(team)
    manifest = team.store.paths.run(run_id).manifest
    before = manifest.read_bytes()
    manifest.write_bytes(lie)
    team.store.paths.index.write_bytes(lie)

    assert str(team.runs.run(run_id)[0].status) == "IN_PROGRESS"
    team.runs.rebuild(run_id)
    assert manifest.read_bytes() == before
    assert run_id.encode() in team.store.paths.index.read_bytes()


@pytest.mark.promise("runs.recover")
def test_torn_glued_reordered_doubled_and_half_merged_lines_lose_nothing(team: Team) -> None:
    run_id = _begun(team)
    before = team.runs.run(run_id)[0]
    file = _event_file(team, run_id)
    lines = file.read_bytes().splitlines(keepends=True)
    glued = lines[0].rstrip(b"\n") + lines[1]
    conflict = [b"<<<<<<< HEAD\n", *lines[2:], b"=======\n", lines[3], b">>>>>>> them\n"]
    file.write_bytes(b"".join([*reversed(conflict), glued, b"not json\n", b'{"v":1,"id":"01']))

    run, faults = team.runs.run(run_id)
    rebuilt = team.runs.rebuild(run_id)

    assert run == before
    assert len(faults) == 5
    assert f"{file.name}: line 1: a conflict marker" in " ".join(faults)
    assert any("not JSON" in fault for fault in faults)
    assert any("torn end" in fault for fault in faults)
    assert rebuilt.faults == ()
    assert rebuilt.run == before
    assert "5 unreadable lines moved to aside/" in rebuilt.remarks[0]
    kept = b"".join(path.read_bytes() for path in team.store.paths.run(run_id).aside.iterdir())
    assert b"not json" in kept
    assert all(json.loads(line) for line in file.read_bytes().splitlines())


def test_lines_that_are_only_not_understood_stay_where_they_are(team: Team) -> None:
    run_id = _begun(team)
    file = _event_file(team, run_id)
    event = team.runs.events(run_id)[0]
    later = {"v": 2, "id": event.id, "type": "tea-made"}
    other = {"v": 1, "id": event.id, "at": "yesterday", "type": "note", "run": run_id, "actor": "a"}
    with file.open("ab") as added:
        added.write(json.dumps(later).encode() + b"\n" + json.dumps(other).encode() + b"\n")

    rebuilt = team.runs.rebuild(run_id)

    assert [fault.split(": ", 2)[2] for fault in rebuilt.faults] == [
        "version 2 is unknown",
        "`at` 'yesterday' is not a time",
    ]
    assert b"tea-made" in file.read_bytes()


def test_what_a_person_edits_is_taken_in_and_what_a_merge_mixed_is_not(team: Team) -> None:
    run_id = _begun(team)
    paths = team.store.paths.run(run_id)
    plan = paths.artifacts / "plan.md"
    plan.write_text(plan.read_text() + "2. and this, by hand\n")
    log = paths.work_log("TASK-001")
    log.write_text(log.read_text() + "\n- fixed a typo \u4e2d\n")
    (paths.artifacts / "prd.md").write_text("# Wanted\n")
    paths.hand_contract("TASK-009").parent.mkdir()
    paths.hand_contract("TASK-009").write_text("# By hand\n\n## Files\n- `b.py`\n")

    team.says(run_id, "note", text="anything")
    run, _ = team.runs.run(run_id)
    mixed = plan.read_text().replace(
        "1. check\n", "<<<<<<< a\n1. check\n=======\n# Plan\n>>>>>>> b\n"
    )
    plan.write_text(mixed)
    again = team.runs.rebuild(run_id).run

    assert run.artifacts["plan.md"].text == "# Plan\n1. check\n2. and this, by hand\n"
    assert run.artifacts["prd.md"].text == "# Wanted\n"
    assert run.tasks["TASK-001"].log[-1].words == "- fixed a typo \u4e2d"
    assert run.tasks["TASK-009"].contract == Contract(title="By hand", files=("b.py",))
    assert again.artifacts["plan.md"].versions == 2
    assert "<<<<<<<" not in plan.read_text()
    assert team.runs.rebuild(run_id).files_changed == 0


@pytest.mark.promise("runs.recover")
def test_an_interrupted_task_goes_on_from_its_last_checkpoint_and_log(team: Team) -> None:
    run_id = _begun(team)
    team.says(run_id, "checkpoint-made", text="parser works", commit="abc123")
    team.says(run_id, "task-progressed", task="TASK-001", text="now the error messages")

    another_machine = Team(team.root, team.data.with_name("other-store"), seed=7)
    held = another_machine.runs.resume(run_id, actor="executor")[0].next
    assert [step.command for step in held if step.takes] == ["agentx run task take TASK-001"]
    another_machine.clock.advance(RUN_CLAIM_MS + 60_000)
    found, rebuilt = another_machine.runs.resume(run_id, actor="executor")

    assert found.interruption is Interruption.TASK
    assert found.stopped_at == "in PLANNING, at TASK-001 (checker)"
    assert (found.last_checkpoint, found.last_log) == ("parser works", "now the error messages")
    assert found.next[0].command == "agentx run context --task TASK-001"
    assert found.happened[-1].endswith(": now the error messages")
    assert (rebuilt.remarks, rebuilt.faults) == ((), ())
    assert team.runs.events(run_id)[-1].kind == "run-resumed"


def test_a_contract_that_was_changed_by_hand_is_kept_aside_and_does_not_hold(team: Team) -> None:
    run_id = _begun(team)
    contract = team.store.paths.run(run_id).contract("TASK-001")
    before = contract.read_bytes()
    contract.write_bytes(before.replace(b"checker", b"something else"))

    told = team.runs.say(run_id, happening("note", text="x"))

    assert contract.read_bytes() == before
    assert "was changed by hand" in told.remarks[0]
    aside = next(team.store.paths.run(run_id).aside.iterdir())
    assert b"something else" in aside.read_bytes()


def test_what_cannot_be_taken_in_is_kept_aside_before_it_is_written_over(team: Team) -> None:
    run_id = _begun(team)
    paths = team.store.paths.run(run_id)
    (paths.artifacts / "plan.md").write_bytes(b"\xff\xfe no text")
    (paths.artifacts / "photo.png").write_bytes(b"\x89PNG\xff")
    paths.work_log("TASK-001").write_text("too long " * 20_000)
    paths.tasks.joinpath("TASK-008").mkdir()
    paths.contract("TASK-008").write_text("title: waits for nobody\ndependencies: [NOBODY]\n")

    told = team.runs.say(run_id, happening("note", text="x"))

    kept = [path.read_bytes()[:9] for path in sorted(paths.aside.iterdir())]
    assert kept == [b"too long ", b"\xff\xfe no tex"]
    assert len(told.remarks) == 2
    assert (paths.artifacts / "photo.png").read_bytes() == b"\x89PNG\xff"
    assert paths.contract("TASK-008").is_file()
    assert team.runs.rebuild(run_id).remarks == ()


def test_contracts_are_read_as_yaml_and_as_a_page(tmp_path: Path) -> None:
    written = tmp_path / "contract.md"
    written.write_text('# tasks/T/contract.md\ntask_id: "T"\ntitle: "In YAML"\nfiles: [a.py]\n')
    page = tmp_path / "page.md"
    page.write_text(
        "# Title\nwhy\n## Acceptance criteria\n- [ ] one\n- two\n## Dependencies\nnone\n"
    )
    nothing = tmp_path / "x.yaml"
    nothing.write_text("just: that\n")

    assert contract_file(written) == Contract(title="In YAML", files=("a.py",))
    assert contract_file(page) == Contract(title="Title", goal="why", acceptance=("one", "two"))
    assert contract_file(nothing) is None
    assert contract_file(tmp_path / "gone.yaml") is None


def test_a_file_that_git_brought_back_to_an_older_state_is_not_written_again(team: Team) -> None:
    run_id = _begun(team)
    file = _event_file(team, run_id)
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[:2]))
    paths = team.store.paths.run(run_id)
    for made_later in (paths.work_log("TASK-001"), paths.artifacts / "plan.md"):
        made_later.unlink()

    team.says(run_id, "note", text="on another branch")
    file.write_bytes(b"".join(lines))

    assert file.read_bytes() == b"".join(lines)
    run, faults = team.runs.run(run_id)
    assert (run.events, faults) == (7, ())


def test_events_are_later_than_all_that_was_known_whatever_the_clock_says(team: Team) -> None:
    run_id = _begun(team)
    team.clock.advance(-86_400_000)

    team.runs.say(run_id, happening("note", text="the clock went back"))

    events = team.runs.events(run_id)
    assert events[-1].text("text") == "the clock went back"
    places = [(event.at_ms, event.id) for event in events]
    assert places == sorted(places)


def test_secrets_are_taken_out_before_anything_is_written(team: Team) -> None:
    run_id = _begun(team)
    secret = "ghp_" + "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"

    team.says(run_id, "task-progressed", task="TASK-001", text=f"used {secret} here")

    everything = b"".join(path.read_bytes() for path in team.root.rglob("*") if path.is_file())
    assert secret.encode() not in everything
    assert b"[REDACTED:" in everything


def test_what_happens_is_told_on_the_bus(team: Team) -> None:
    heard: list[object] = []
    team.bus.listen(RunRecorded, heard.append)
    team.bus.listen(RunEnded, heard.append)
    run_id = team.runs.start("t").id

    team.says(run_id, "run-failed", reason="no")

    assert heard == [
        RunRecorded(run_id=run_id, kinds=("run-started",), actor="orchestrator"),
        RunRecorded(run_id=run_id, kinds=("run-failed",), actor="executor"),
        RunEnded(run_id=run_id, status="FAILED"),
    ]


def test_a_title_of_any_script_gives_a_name_and_none_is_refused(team: Team) -> None:
    assert team.runs.start("\u4e2d\u6587").id.split("-")[2] == "run"
    assert "cafe-naive" in team.runs.start("Caf\u00e9 na\u00efve \U0001f600" + " long" * 20).id
    with pytest.raises(InvalidValue, match="needs a title"):
        team.runs.start("  \n ")


_WRITES = (
    ("task-added", {"task": "TASK-003", "title": "third"}),
    ("task-completed", {"task": "TASK-001", "text": "done"}),
    ("artifact-written", {"name": "plan.md", "text": "# Plan\nnew\n"}),
    ("verification-recorded", {"task": "TASK-001", "verdict": "PASSED", "checks": [{"name": "n"}]}),
    ("escalation-raised", {"question": "which?"}),
    ("candidate-proposed", {"kind": "pattern", "text": "do it so"}),
    ("lane-opened", {"lane": "lane-001", "task": "TASK-003", "branch": "b"}),
    ("run-failed", {"reason": "no"}),
)
_POINTS = (
    CrashPoint.RUN_EVENTS_WRITTEN,
    CrashPoint.RUN_VIEW_WRITTEN,
    CrashPoint.JOURNAL_WRITTEN,
    CrashPoint.ATOMIC_TEMP_WRITTEN,
    CrashPoint.ATOMIC_REPLACED,
)


@pytest.mark.promise("runs.recover")
@pytest.mark.parametrize("point", _POINTS)
def test_dying_anywhere_while_writing_leaves_a_run_that_can_be_taken_up(
    team: Team, point: CrashPoint
) -> None:
    run_id = _begun(team)
    known = {event.id for event in team.runs.events(run_id)}
    for kind, fields in _WRITES:
        crash.arm(point, killed)
        with pytest.raises(Killed):
            team.says(run_id, kind, **fields)
        crash.disarm()

        found, rebuilt = team.runs.resume(run_id)

        events = team.runs.events(run_id)
        assert known <= {event.id for event in events}
        known = {event.id for event in events}
        assert rebuilt.faults == ()
        _assert_files_are_the_state(team, run_id)
        assert found.next
        if kind not in {event.kind for event in events[-4:]}:
            team.says(run_id, kind, **fields)
        known = {event.id for event in team.runs.events(run_id)}


def _assert_files_are_the_state(team: Team, run_id: str) -> None:
    run: Run = team.runs.run(run_id)[0]
    root = team.store.paths.run(run_id).root
    for path, page in pages(run).items():
        data = page.encode() if isinstance(page, str) else YAML.dump(dict(page))
        assert (root / path).read_bytes() == data


@pytest.mark.promise("runs.many-tasks")
def test_a_command_makes_only_the_files_that_change_and_again_what_others_touched(
    team: Team, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = team.runs.start("many").id
    many = [happening("task-added", task=f"T{n}", title=f"do {n}") for n in range(60)]
    team.runs.doing(run_id, lambda desk: desk.record(many))
    dumped: list[object] = []

    def dump(page: dict[str, Any]) -> bytes:
        dumped.append(page)
        return dump_rows(page)

    monkeypatch.setattr(run_store, "dump_rows", dump)
    paths = team.store.paths.run(run_id)
    before = _files(team, run_id)

    team.says(run_id, "task-progressed", task="T7", text="one step")
    assert len(dumped) <= 2
    assert paths.work_log("T7").read_text().endswith("one step\n")
    team.says(run_id, "task-started", task="T8")
    assert len(dumped) <= 6
    paths.contract("T9").unlink()
    paths.contract("T10").write_bytes(b"title: another\n")
    team.says(run_id, "note", text="anything")
    assert len(dumped) > 60
    assert _files(team, run_id)["tasks/T9/contract.yaml"] == before["tasks/T9/contract.yaml"]
    assert _files(team, run_id)["tasks/T10/contract.yaml"] == before["tasks/T10/contract.yaml"]
    now = _files(team, run_id)
    assert team.runs.rebuild(run_id).files_changed == 0
    assert _files(team, run_id) == now
