"""Goal: what a person took out of a run's files for good comes back from nowhere.

Method: clones with real git. A line goes from the file of events, and every place that had it is
looked through: pages, archives, what another clone packed meanwhile.
"""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.kernel.errors import InvalidValue
from agentx.operations.runs.archive import archive_run, restore_run
from agentx.operations.runs.phases import go_to_phase
from agentx.operations.runs.read import list_runs, show_run
from agentx.operations.runs.recover import rebuild_runs
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.sync import sync_runs
from agentx.operations.runs.write import add_task, start_run, task_step, write_artifact
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.runs.model import Contract
from agentx.runs.store.archive import Archive, _pack
from agentx.wiring.bound.run_branch import list_notes
from agentx.wiring.bound.taking_out import take_folder
from agentx.wiring.runs import open_runs
from tests.support.repository import git
from tests.support.run_clones import Clones

_SAID = b"the name of a client"
AGENT = WhoCalls(role="engineer", agent="claude-code", via=Via.AGENT)


@pytest.fixture
def clones(tmp_path: Path) -> Clones:
    return Clones(tmp_path)


def _sync(project: Project) -> None:
    person = WhoCalls(role="", agent="", via=Via.TERMINAL)
    sync_runs(project, agrees=lambda _where: True, caller=person)


def _start(project: Project) -> str:
    run = start_run(project, "shared", actor="orchestrator").id
    says = Saying(run_id=run, actor="orchestrator")
    add_task(project, says, Contract(title="first"))
    says = Saying(run_id=run, actor="orchestrator", task="TASK-001")
    for text in ("what stays", _SAID.decode()):
        task_step(project, says, "task-progressed", {"text": text})
    return run


def _cut_lines(project: Project, run: str, said: bytes) -> None:
    for file in (project.paths.runs / run).rglob("*.jsonl"):
        lines = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(b"".join(line for line in lines if said not in line))


def _take_out(project: Project, run: str, said: bytes = _SAID) -> None:
    _cut_lines(project, run, said)
    rebuild_runs(project, run, as_is=True)


def _list_holding(project: Project) -> list[str]:
    memory = project.paths.run_memory
    found = [each for each in memory.rglob("*") if each.is_file() and _SAID in each.read_bytes()]
    packed = memory.glob("archive/*.tar.gz")
    found += [each for each in packed if _SAID in gzip.decompress(each.read_bytes())]
    return sorted(each.relative_to(memory).as_posix() for each in found)


def _log(project: Project, run: str) -> list[str]:
    return [each.words for each in open_runs(project).run(run)[0].tasks["TASK-001"].log]


def test_a_page_does_not_say_it_anew(clones: Clones) -> None:
    one = clones.clone("one")
    run = _start(one)

    _take_out(one, run)

    assert _list_holding(one) == []
    assert _log(one, run) == ["what stays"]


def test_a_log_of_which_nothing_is_left_has_no_page(clones: Clones) -> None:
    one = clones.clone("one")
    run = _start(one)
    page = f"runs/{run}/tasks/TASK-001/work-log.md"
    assert page in _list_holding(one)

    _take_out(one, run, b"task-progressed")

    assert _list_holding(one) == []
    assert _log(one, run) == []
    kept = git(one.root, "ls-tree", "-r", "--name-only", "agent-memory").splitlines()
    assert f".agent-memory/{page}" not in kept
    rebuild_runs(one, run)
    assert _list_holding(one) == []
    assert _log(one, run) == []


def test_what_a_hand_added_to_a_log_of_which_nothing_is_left_is_taken_in(clones: Clones) -> None:
    one = clones.clone("one")
    run = _start(one)
    page = one.paths.runs / run / "tasks" / "TASK-001" / "work-log.md"
    page.write_text(page.read_text("utf-8") + "\nby hand\n", "utf-8")

    _take_out(one, run, b"task-progressed")

    assert _list_holding(one) == []
    assert _log(one, run) == ["by hand"]


def test_who_was_killed_before_the_pages_were_made_has_them_made_by_the_next_command(
    clones: Clones,
) -> None:
    one = clones.clone("one")
    run = _start(one)
    _cut_lines(one, run, _SAID)

    take_folder(one, forgets=True)  # and killed
    assert _list_holding(one) != []
    says = Saying(run_id=run, actor="orchestrator", task="TASK-001")
    task_step(one, says, "task-progressed", {"text": "goes on"})

    assert _list_holding(one) == []
    assert _log(one, run) == ["what stays", "goes on"]
    page = one.paths.runs / run / "tasks" / "TASK-001" / "work-log.md"
    page.write_text(page.read_text("utf-8") + f"\n{_SAID.decode()}\n", "utf-8")
    rebuild_runs(one, run)
    assert _log(one, run)[-1] == _SAID.decode(), "who says it anew by hand says it"


def test_a_run_that_is_packed_again_is_packed_without_it(clones: Clones) -> None:
    one = clones.clone("one")
    run = _start(one)
    go_to_phase(one, Saying(run_id=run, actor="orchestrator"), "fail", reason="enough")
    archive_run(one, run)
    restore_run(one, run)

    _take_out(one, run)
    archive_run(one, run)

    assert _list_holding(one) == []
    restore_run(one, run)
    assert _log(one, run) == ["what stays"]


def test_an_archive_that_another_clone_made_meanwhile_does_not_bring_it_back(
    clones: Clones,
) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    run = _start(one)
    go_to_phase(one, Saying(run_id=run, actor="orchestrator"), "fail", reason="enough")
    _sync(one)
    _sync(two)

    _take_out(one, run)
    archive_run(two, run)
    _sync(two)
    _sync(one)
    _sync(one)

    assert _list_holding(one) == []
    restore_run(one, run)  # both packed the same end of it
    assert _log(one, run) == ["what stays"]
    assert _list_holding(one) == []


def test_an_artifact_that_another_clone_packed_meanwhile_does_not_bring_it_back(
    clones: Clones,
) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    run = _start(one)
    says = Saying(run_id=run, actor="orchestrator")
    write_artifact(one, says, "notes.md", f"# Notes\n{_SAID.decode()}\n")
    write_artifact(one, says, "plan.md", "# Plan\nno secret\n")
    go_to_phase(one, says, "fail", reason="enough")
    for project in (one, two):
        _sync(project)

    _take_out(one, run)
    archive_run(two, run)
    for project in (two, one, one):
        _sync(project)

    assert _list_holding(one) == []
    restore_run(one, run)
    assert _list_holding(one) == []
    assert sorted(show_run(one, run).artifacts) == ["plan.md"]
    for project in (one, two, one):
        _sync(project)
    tip = git(clones.remote, "rev-parse", "agent-memory")
    for project in (two, one, two):
        _sync(project)
    assert git(clones.remote, "rev-parse", "agent-memory") == tip
    assert _list_holding(one) == []


@pytest.mark.promise("runs.kept-exchange")
def test_clones_that_have_it_in_another_order_come_to_rest(clones: Clones) -> None:
    one, two, three = (clones.clone(name) for name in ("one", "two", "three"))
    run = _start(one)
    for project in (one, two):
        _sync(project)
    _take_out(two, run)
    _sync(two)
    says = Saying(run_id=run, actor="orchestrator", task="TASK-001")
    task_step(one, says, "task-progressed", {"text": "goes on"})
    _sync(one)
    task_step(two, says, "task-progressed", {"text": "from two"})
    for project in (two, three, one, three, one, two):
        _sync(project)

    tip = git(clones.remote, "rev-parse", "agent-memory")
    for project in (one, three, two, one, three):
        _sync(project)

    assert git(clones.remote, "rev-parse", "agent-memory") == tip
    assert set(_log(one, run)) == {*_log(two, run), _SAID.decode()} == set(_log(three, run))


@pytest.mark.promise("runs.kept")
def test_only_of_the_run_that_is_named_something_is_taken_out(clones: Clones) -> None:
    one = clones.clone("one")
    run, other = _start(one), start_run(one, "another", actor="orchestrator").id
    _cut_lines(one, run, _SAID)
    shutil.rmtree(one.paths.runs / other)  # git took it, nobody noticed

    (told,) = rebuild_runs(one, run, as_is=True)

    (said,) = told.remarks
    assert said.startswith("what you took out is gone from here for good; who has exchanged runs")
    assert {row.run_id for row in list_runs(one)} == {run, other}
    assert _list_holding(one) == []


@pytest.mark.parametrize("is_all", [False, True])
def test_the_person_is_given_a_command_about_the_run_that_an_agent_meant(
    clones: Clones, *, is_all: bool
) -> None:
    one = clones.clone("one")
    run, _ = _start(one), start_run(one, "another", actor="orchestrator")

    with pytest.raises(NotThePerson) as refused:
        rebuild_runs(one, run, everything=is_all, as_is=True, caller=AGENT)

    which = "--all" if is_all else run[-4:]
    assert refused.value.hint.endswith(f": agentx run rebuild {which} --as-is")


def test_where_no_run_is_meant_nothing_is_taken_out(clones: Clones) -> None:
    one = clones.clone("one")
    run, _ = _start(one), start_run(one, "another", actor="orchestrator")
    _cut_lines(one, run, _SAID)

    with pytest.raises(InvalidValue, match="2 runs are in progress"):
        rebuild_runs(one, as_is=True)

    assert _log(one, run) == ["what stays", _SAID.decode()]


@pytest.mark.parametrize("is_named", [True, False])
def test_a_run_whose_folder_a_person_removed_is_taken_out_whole(
    clones: Clones, *, is_named: bool
) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    run, other = _start(one), start_run(one, "another", actor="orchestrator").id
    _sync(one)
    _sync(two)
    shutil.rmtree(one.paths.runs / run)

    rebuild_runs(one, run[-4:] if is_named else "", as_is=True, everything=not is_named)
    for project in (one, two, one):
        _sync(project)

    assert [row.run_id for row in list_runs(one)] == [other]
    assert len(list_runs(two)) == 2


def test_what_somebody_wrote_and_an_archive_keeps_beside_stays(clones: Clones) -> None:
    one = clones.clone("one")
    run = _start(one)
    go_to_phase(one, Saying(run_id=run, actor="orchestrator"), "fail", reason="enough")
    archive_run(one, run)
    archive = Archive(one.paths)
    beside = "tasks/TASK-001/contract.yaml.before"
    files = {**archive.files(run), beside: b"title: by hand\n"}
    archive.path(run).write_bytes(_pack(run, files))
    restore_run(one, run)

    _take_out(one, run)

    assert _list_holding(one) == []
    assert archive.files(run)[beside] == b"title: by hand\n"


def test_what_was_kept_aside_and_taken_out_does_not_come_back(clones: Clones) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    run = _start(one)
    _sync(one)
    _sync(two)
    contract = two.paths.runs / run / "tasks" / "TASK-001" / "contract.yaml"
    contract.write_text(contract.read_text("utf-8").replace("first", _SAID.decode()), "utf-8")
    rebuild_runs(two, run)
    for project in (two, one):
        _sync(project)
    (aside,) = (one.paths.runs / run / "aside").iterdir()
    assert _SAID in aside.read_bytes()
    aside.unlink()

    _take_out(one, run)
    for project in (one, two, one, two, one):
        _sync(project)

    assert _list_holding(one) == []
    assert not list(aside.parent.iterdir())
    tip = git(clones.remote, "rev-parse", "agent-memory")
    for project in (two, one, two):
        _sync(project)
    assert git(clones.remote, "rev-parse", "agent-memory") == tip
    git(one.root, "clean", "-fdxq")
    assert len(list_runs(one)) == 1
    assert _list_holding(one) == []


def test_who_was_killed_before_the_pages_were_made_pushes_none_of_the_words(
    clones: Clones,
) -> None:
    one = clones.clone("one")
    run = _start(one)
    _sync(one)
    _cut_lines(one, run, _SAID)

    take_folder(one, forgets=True)  # and killed
    _sync(one)

    assert _list_holding(one) == []
    names = git(clones.remote, "grep", "-l", _SAID.decode(), "agent-memory", check=False)
    assert names == ""


@pytest.mark.promise("runs.kept-exchange")
@pytest.mark.parametrize("is_packed", [False, True])
def test_clones_one_of_which_has_it_still_come_to_rest(clones: Clones, *, is_packed: bool) -> None:
    one, two = clones.clone("one"), clones.clone("two")
    run = _start(one)
    _sync(one)
    _sync(two)
    if is_packed:
        go_to_phase(one, Saying(run_id=run, actor="orchestrator"), "fail", reason="enough")
        archive_run(one, run)
        _sync(one)
        _sync(two)
        restore_run(one, run)

    def count() -> int:
        return int(git(clones.remote, "rev-list", "--count", "agent-memory"))

    def holds() -> bool:
        tree = clones.folder / f"look-{count()}"
        git(clones.remote, "worktree", "add", "-q", "--detach", str(tree), "agent-memory")
        files = (each for each in tree.rglob("*") if each.is_file() and each.name != ".git")
        data = [
            gzip.decompress(f.read_bytes()) if f.suffix == ".gz" else f.read_bytes() for f in files
        ]
        return any(_SAID in each for each in data)

    _take_out(one, run)
    if is_packed:
        archive_run(one, run)
    _sync(one)
    assert not holds(), "it goes from the remote"
    _sync(two)  # who has it brings it there again
    _sync(one)

    tips = count()
    for _ in range(3):
        _sync(one)
        _sync(two)
    assert count() == tips
    assert _list_holding(one) == []
    assert not list(list_notes(one))
    start_run(one, "more", actor="orchestrator")
    start_run(two, "more", actor="orchestrator")
    for project in (one, two, one, two, one):
        _sync(project)
    tips = count()
    for _ in range(2):
        _sync(one)
        _sync(two)
    assert count() == tips
    assert len(list_runs(one)) == len(list_runs(two))
    assert _list_holding(one) == []
