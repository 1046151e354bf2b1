"""Goal: what others need to know of runs is cheap, right, and disturbs nothing.

Method: a project in a folder; a run is started, worked on, and ended.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.capture.drain import attach_to_run
from agentx.daemon.jobs import job_specs
from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.errors import InvalidValue
from agentx.lessons.model import Confidence, Content, LessonKind
from agentx.lessons.paths import LtmPaths
from agentx.operations.lessons.candidates import accept, list_candidates
from agentx.operations.lessons.known import add_lesson
from agentx.operations.runs.archive import archive_run, restore_run
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import list_archived, list_runs, show_run
from agentx.operations.runs.recover import pull_request, rebuild_runs
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import (
    add_task,
    record_event,
    record_verification,
    revise_task,
    start_run,
    task_step,
)
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.runs.choosing.retention import DAY_MS
from agentx.runs.model import Contract, Happening
from agentx.runs.paths import RunsPaths
from agentx.surfaces.cli.commands.runs.archive import say_archived
from agentx.wiring.runs import (
    digest_lines,
    find_work,
    list_damaged_runs,
    open_runs,
    story_of,
)
from agentx.wiring.taught.lessons import list_damaged_memory
from tests.support.time_and_chance import START_MS, FakeClock


@pytest.fixture
def project(tmp_path: Path) -> Project:
    (tmp_path / "shop").mkdir()
    environment = read_environment({"HOME": str(tmp_path / "home"), "PATH": "/nowhere"})
    return open_project(tmp_path / "shop", environment)


def _draft(kind: EventType) -> Draft:
    return Draft(
        harness="claude-code",
        session_id="s-1",
        event_type=kind,
        timestamp_ms=START_MS,
        role=Role.SYSTEM,
        text="",
        channel=Channel.HOOK,
        delivery="d",
    )


def _open_lane(project: Project, run: str) -> None:
    said = Happening(
        kind="lane-opened",
        actor="executor",
        lane="lane-001-ab12",
        task="TASK-001",
        detail={"branch": "b"},
    )
    open_runs(project).say(run, said)


def test_a_session_that_begins_is_marked_with_the_run_and_nothing_else_is(project: Project) -> None:
    drafts = (_draft(EventType.SESSION_START), _draft(EventType.USER_MESSAGE))
    run = start_run(project, "one", actor="orchestrator")

    marked = list(attach_to_run(drafts, find_work(project, project.root)))

    assert [draft.metadata.get("run") for draft in marked] == [run.id, None]
    assert list(attach_to_run(drafts, {})) == list(drafts)


def test_a_session_works_for_the_lane_that_it_is_in_and_for_none_where_that_is_unclear(
    project: Project,
) -> None:
    runs = open_runs(project)
    run = start_run(project, "one", actor="orchestrator")
    by = Saying(run_id=run.id)
    add_task(project, by, Contract(title="checker", goal="mails are checked", files=("a.py",)))
    _open_lane(project, run.id)
    start_run(project, "two", actor="orchestrator")
    folder = runs.git.folder(run.id, "lane-001-ab12") / "src"
    folder.mkdir(parents=True)

    here = {"run": run.id, "lane": "lane-001-ab12", "task": "TASK-001"}
    assert find_work(project, folder) == here
    assert find_work(project, project.root) == {}
    variables = {**project.environment.variables, "AGENTX_RUN": run.id}
    named = replace(project, environment=read_environment(variables))
    assert show_run(named).run_id == run.id
    assert find_work(named, project.root) == {}  # what the session's environment says is not known
    told = digest_lines(replace(project, directory=folder))
    assert told[1] == "here: TASK-001 in lane-001-ab12, IN_PROGRESS: checker"
    assert told[2:5] == (
        "goal: mails are checked",
        "files: a.py",
        "all of it: `agentx run context`",
    )
    assert digest_lines(project)[-1].startswith("1 more in progress: `agentx run list`")


def test_what_is_said_in_a_lane_is_said_of_its_run_though_another_was_used_last(
    project: Project,
) -> None:
    first = start_run(project, "one", actor="orchestrator")
    second = start_run(project, "two", actor="orchestrator")
    for run in (first, second):
        add_task(project, Saying(run_id=run.id), Contract(title="checker"))
        _open_lane(project, run.id)
    folder = open_runs(project).git.folder(first.id, "lane-001-ab12")
    folder.mkdir(parents=True)
    inside = replace(project, directory=folder)

    told = task_step(inside, Saying(actor="executor"), "task-completed", {})

    assert (told.run.id, told.added[0].task) == (first.id, "TASK-001")

    tasks = {run.id: run.tasks["TASK-001"].status for run in open_runs(project).all()}
    assert tasks == {first.id: "COMPLETED", second.id: "IN_PROGRESS"}
    with pytest.raises(InvalidValue, match="2 runs are in progress"):
        task_step(project, Saying(actor="executor", task="TASK-001"), "task-completed", {})


def test_a_run_is_packed_as_suggested_and_restored_by_the_end_of_its_id(project: Project) -> None:
    run = start_run(project, "one", actor="orchestrator")
    go_to_phase(project, Saying(), "fail", reason="enough")
    command = show_run(project, run.id).next[0].command
    assert command == f"agentx run archive {run.id[-4:]}"

    archive_run(project, run.id[-4:])
    restore_run(project, run.id[-4:])

    index = RunsPaths(project.paths).index.read_text()
    assert index.index("completed:") < index.index(run.id) < index.index("archived: []")
    assert [row.run_id for row in list_runs(project)] == [run.id]
    assert list_archived(project) == ()


def test_lessons_that_nobody_decided_on_are_named_before_a_run_is_packed_and_come_back(
    project: Project,
) -> None:
    run = start_run(project, "one", actor="orchestrator")
    end = run.id[-4:]
    offer = {"kind": "pattern", "text": "count the at signs", "confidence": "LOW"}
    record_event(project, Saying(), "candidate-proposed", offer)
    look = f"`agentx ltm candidates --run {end}`"
    said = f"1 lesson waits for a word before `agentx run archive`: {look}"

    assert said in pull_request(project, actor="orchestrator").remarks
    assert said in go_to_phase(project, Saying(), "fail", reason="enough").remarks
    told = say_archived(archive_run(project, end))

    assert f"`agentx run restore {end}`, then {look}" in told
    restore_run(project, end)  # as it says
    [row] = list_candidates(project, end)
    assert row.text == "count the at signs"
    accept(project, end, (row.key,), everything=False)
    assert pull_request(project, run.id, actor="orchestrator").remarks == ()


def test_the_digest_says_where_the_run_stands_and_what_is_next_until_it_is_over(
    project: Project,
) -> None:
    start_run(project, "Add checks", actor="orchestrator")
    add_task(project, Saying(), Contract(title="checker"))

    lines = digest_lines(project)
    go_to_phase(project, Saying(), "fail", reason="not wanted")

    assert "0 of 1 tasks done" in lines[0]
    assert lines[1] == "next: TASK-001 is ready: checker -> agentx run task start TASK-001"
    assert digest_lines(project) == ()
    assert [row.status for row in list_runs(project)] == ["FAILED"]
    assert show_run(project).reason == "not wanted"


def test_damaged_runs_are_named_until_they_are_rebuilt(project: Project) -> None:
    run = start_run(project, "damaged", actor="orchestrator")
    file = next(RunsPaths(project.paths).run(run.id).events().rglob("*.jsonl"))
    file.write_bytes(file.read_bytes() + b"no event\n")

    found = dict(list_damaged_runs(project))
    rebuilt = rebuild_runs(project, everything=True)

    assert "line 2: not JSON" in found[run.id][0]
    assert "1 unreadable line moved to" in rebuilt[0].remarks[0]
    assert dict(list_damaged_runs(project)) == {}


def test_contracts_are_revised_not_changed_and_verdicts_agree_with_their_checks(
    project: Project,
) -> None:
    start_run(project, "one", actor="orchestrator")
    add_task(project, Saying(), Contract(title="checker", goal="old"))
    by = Saying(task="TASK-001")

    told = revise_task(project, by, {"goal": "new"})

    assert [each.goal for each in told.run.tasks["TASK-001"].contracts] == ["old", "new"]
    with pytest.raises(InvalidValue, match="nothing would change"):
        revise_task(project, by, {"goal": "new"})
    with pytest.raises(InvalidValue, match="a check failed"):
        record_verification(project, by, "PASSED", ["!lint=3 errors"])
    with pytest.raises(InvalidValue, match="say why"):
        go_to_phase(project, by, "fail")


def test_a_run_long_over_is_packed_away_at_night_and_still_opened_by_id(project: Project) -> None:
    over = start_run(project, "an old one", actor="orchestrator").id
    go_to_phase(project, Saying(run_id=over), "fail", reason="enough")
    going_on = start_run(project, "a new one", actor="orchestrator").id
    clock = FakeClock(project.clock.now_ms())
    later = replace(project, clock=clock)

    assert _nightly(later) == "packed away: 0, kept: 2"
    clock.advance(7 * DAY_MS)
    assert _nightly(later) == "packed away: 1, kept: 1"

    assert [row.run_id for row in list_runs(later)] == [going_on]
    assert [row.run_id for row in list_archived(later)] == [over]
    run, events = story_of(later, over)
    assert (run.title, events[-1].kind) == ("an old one", "run-failed")
    assert list(list_damaged_memory(later)) == []


def _nightly(project: Project) -> str:
    jobs = job_specs(project, lambda: pytest.fail("it needs no store"))
    (job,) = (job for job in jobs if job.name == "run-retention")
    return str(job.run())


def test_damaged_lessons_and_archives_are_named_with_their_mend(project: Project) -> None:
    content = Content(name="", text="Close files")
    lesson = add_lesson(project, LessonKind.LEARNING, content, Confidence.LOW)
    (file,) = LtmPaths(project.paths.lessons).events.glob("*/*.jsonl")
    file.write_bytes(file.read_bytes() + b">>>>>>> theirs\n")
    run = start_run(project, "one", actor="orchestrator").id
    archive = RunsPaths(project.paths).archive / f"{run}.tar.gz"
    archive.parent.mkdir()
    archive.write_bytes(b"\x1f\x8b")

    found = list(list_damaged_memory(project))

    assert lesson.id == "LRN-001"
    assert [name for name, _, _ in found] == ["lessons", "archive"]
    assert found[0][1].endswith(".jsonl: line 2: a conflict marker of git")
    assert str(archive) in found[1][1]
