"""Goal: what was said stays said, whatever git takes out of the files.

Method: checkouts of one repository in process; git itself takes the files back.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.contested import say_contested
from agentx.clarification.model import PERSON, Clarification
from agentx.kernel.ids import IssueMark
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions.aging import compact
from agentx.operations.questions.held import put_back
from agentx.operations.setup.writers import accept_repository, list_writers, trust_writer
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import inbox, open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.trust.issue_marks import mark_issue
from agentx.work.model import NewIssue
from tests.support.clarifying import SCOPE, let_go, request
from tests.support.time_and_chance import FakeClock
from tests.support.trusting import trusted

TYPING = WhoCalls(via=Via.TERMINAL)


@pytest.fixture(autouse=True)
def _nobody_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))


def git(project: Project, *words: str) -> str:
    name = ("-c", "user.name=n", "-c", "user.email=n@x.y")
    done = subprocess.run(
        ["git", *name, *words], cwd=project.root, check=True, capture_output=True, timeout=60
    )
    return done.stdout.decode()


def commit(project: Project) -> None:
    git(project, "add", "-A")
    git(project, "commit", "-q", "--allow-empty", "-m", "x")


def checkout(root: Path, name: str, home: str = "home") -> Project:
    subprocess.run(["git", "init", "-q", str(root / name)], check=True, timeout=60)
    (root / name / ".agentx").mkdir(exist_ok=True)
    environment = read_environment({"HOME": str(root / f"{home}-home"), "PATH": "/nowhere"})
    return trusted(replace(open_project(root / name, environment), clock=FakeClock()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = checkout(tmp_path, "shop")
    open_issues(made).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    commit(made)
    return made


def ask(project: Project, topic: str = "buy") -> str:
    wanted = request(issue=1, to=PERSON, topic=topic, question=f"May we {topic}?")
    return open_clarifications(project).ask(wanted, SCOPE).id


def say(project: Project, name: str, word: str) -> None:
    clarify_settle.answer(project, name, word, by=PERSON, caller=TYPING)


def find(project: Project, name: str) -> Clarification:
    return open_clarifications(project).find(name)


def list_lines(project: Project) -> list[dict[str, object]]:
    files = sorted((project.paths.questions / "1").glob("*.jsonl"))
    return [json.loads(line) for path in files for line in path.read_bytes().splitlines()]


LOSSES: dict[str, Callable[[Project], object]] = {
    "checkout": lambda here: git(here, "checkout", "-q", "."),
    "reset": lambda here: git(here, "reset", "-q", "--hard"),
    "clean": lambda here: (git(here, "reset", "-q", "--hard"), git(here, "clean", "-qfdx")),
    "all": lambda here: shutil.rmtree(here.paths.own),
}


@pytest.mark.promise("clarify.held")
@pytest.mark.parametrize("how", sorted(LOSSES))
def test_what_is_not_committed_yet_is_not_lost(project: Project, how: str) -> None:
    first = ask(project, "old")
    commit(project)
    answered, open_one = ask(project, "buy"), ask(project, "sell")
    say(project, answered, "NO, never")

    LOSSES[how](project)

    assert find(project, answered).answer == "NO, never"
    assert [state.id for state in inbox(project, PERSON)] == [first, open_one]
    assert [state.id for state in inbox(project, "engineer")] == [answered]
    # The next word on the issue brings the files what they lost, each line once.
    say(project, open_one, "Yes")
    ids = [line["id"] for line in list_lines(project)]
    assert len(ids) == len(set(ids)) == 5
    assert open_clarifications(project).ledger(1).missing == ()


@pytest.mark.promise("clarify.held")
@pytest.mark.parametrize("how", ["older", "revert", "file"])
def test_a_persons_last_word_is_not_turned_back(project: Project, how: str) -> None:
    name = ask(project)
    say(project, name, "YES")
    commit(project)
    clarify_settle.escalate(project, name, "I was wrong", caller=TYPING)
    clarify_settle.resolve(project, name, "NO, never", caller=TYPING)
    commit(project)
    if how == "older":
        git(project, "checkout", "-q", "HEAD~1", "--", ".agentx/questions")
    elif how == "revert":
        git(project, "revert", "--no-edit", "HEAD")
    else:
        [path] = (project.paths.questions / "1").glob("*.jsonl")
        path.write_bytes(b"".join(path.read_bytes().splitlines(keepends=True)[:2]))

    state = find(project, name)

    assert state.status == "resolved"
    assert state.resolution is not None
    assert state.resolution.body == "NO, never"
    assert open_clarifications(project).ledger(1).missing == (name,)


@pytest.mark.promise("clarify.held")
def test_what_a_colleague_said_and_was_told_here_once_is_not_turned_back(tmp_path: Path) -> None:
    ana, bob = (checkout(tmp_path, name, home=name) for name in ("ana", "bob"))
    open_issues(ana).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    name = ask(ana)
    say(ana, name, "YES")
    carry(ana, bob)
    for here in (ana, bob):  # each signs once, and trusts the other
        ask(here, "seed")
    carry(ana, bob)
    carry(bob, ana)
    for here in (ana, bob):
        accept_repository(here)
        for writer in list_writers(here):
            if not writer.own:
                trust_writer(here, writer.writer, caller=TYPING)
    bob.clock.sleep_ms(60_000)
    clarify_settle.escalate(bob, name, "No!", caller=TYPING)
    open_clarifications(bob).resolve(name, "NO, never", by=PERSON, via="terminal")
    theirs = carry(bob, ana)
    word = find(ana, name).resolution
    assert word is not None
    assert word.body == "NO, never"  # told, and nothing else was done

    for path in theirs:
        path.unlink()  # and the revert of that commit
    word = find(ana, name).resolution

    assert word is not None
    assert word.body == "NO, never"
    put_back(ana)
    assert all(path.is_file() for path in theirs)
    assert open_clarifications(ana).survey().missing == ()


def carry(source: Project, target: Project) -> list[Path]:
    """Bring the files of questions over as git would; return those that are new."""
    new = []
    for path in (each for each in source.paths.questions.rglob("*") if each.is_file()):
        there = target.paths.questions / path.relative_to(source.paths.questions)
        if there.suffix == ".jsonl" and not there.exists():
            new.append(there)
        there.parent.mkdir(parents=True, exist_ok=True)
        there.write_bytes(path.read_bytes())
    return new


@pytest.mark.promise("clarify.held")
def test_who_never_saw_the_lines_that_are_gone_goes_on_by_no_earlier_word(
    project: Project,
) -> None:
    name = ask(project)
    say(project, name, "Yes, one")
    room = open_clarifications(project)
    room.follow_up(name, "And may we buy ALL?", by="engineer")
    say(project, name, "NO, not even one")
    [path] = (project.paths.questions / "1").glob("*.jsonl")
    whole = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(line for line in whole if b"buy ALL" not in line))
    let_go(project)

    state = find(project, name)

    assert (state.status, state.holds_its_asker, state.waits_for_person) == (
        "escalated",
        True,
        True,
    )
    assert "lines that are gone" in state.summary
    path.write_bytes(b"".join(whole))
    assert find(project, name).answer == "NO, not even one"


def test_a_line_that_somebody_changed_counts_as_it_was(project: Project) -> None:
    name = ask(project)
    say(project, name, "NO, never")
    [path] = (project.paths.questions / "1").glob("*.jsonl")
    path.write_text(path.read_text("utf-8").replace("NO, never", "YES, gladly"), "utf-8")
    assert find(project, name).answer == "NO, never"


def test_a_branch_that_never_had_it_tells_it_too_and_gets_it_with_the_next_word(
    project: Project,
) -> None:
    git(project, "branch", "other")
    name = ask(project)
    commit(project)
    git(project, "checkout", "-q", "other")
    assert find(project, name).status == "pending"
    say(project, name, "NO")
    commit(project)
    git(project, "checkout", "-q", "-")
    git(project, "merge", "-q", "--no-edit", "other")
    state = find(project, name)
    assert (state.status, state.answer) == ("answered", "NO")
    assert len(state.thread) == 2


def test_what_was_forgotten_is_held_no_more_and_no_revert_brings_it_back(project: Project) -> None:
    name = ask(project)
    say(project, name, "NO, 4711 is the secret")
    clarify_settle.resolve(project, name, by="engineer", caller=TYPING)
    commit(project)
    clarify_settle.forget(project, name, caller=TYPING)
    commit(project)
    held = [path.read_bytes() for path in project.held_questions.rglob("*.jsonl")]
    assert not any(b"4711" in raw for raw in held)
    git(project, "revert", "--no-edit", "HEAD")
    assert not list(open_clarifications(project).ledger(1))
    ask(project, "sell")
    assert "4711" not in json.dumps(list_lines(project))


def test_what_its_writer_shortened_is_not_missing(project: Project) -> None:
    wanted = request(issue=1, to="architect", topic="buy", question="May we?")
    room = open_clarifications(project)
    name = room.ask(wanted, SCOPE).id
    for turn, words in enumerate(("long " * 60, "Yes")):
        if turn:
            room.follow_up(name, "And?", by="engineer")
        room.answer(name, words, by="architect")
    room.resolve(name, by="engineer")
    project.clock.sleep_ms(90 * 86_400_000)
    assert compact(project) == 1
    assert open_clarifications(project).ledger(1).missing == ()
    held = b"".join(path.read_bytes() for path in project.held_questions.rglob("*.jsonl"))
    assert b"long " * 60 not in held


def test_a_folder_that_was_moved_keeps_what_is_held(project: Project) -> None:
    name = ask(project)
    say(project, name, "YES")
    commit(project)
    clarify_settle.escalate(project, name, "I was wrong", caller=TYPING)
    clarify_settle.resolve(project, name, "NO, never", caller=TYPING)
    git(project, "checkout", "-q", ".")
    moved = project.root.rename(project.root.with_name("moved"))
    there = replace(open_project(moved, project.environment), clock=project.clock)
    assert there.id == project.id
    word = find(there, name).resolution
    assert word is not None
    assert word.body == "NO, never"


def test_an_issue_that_git_took_leaves_its_number_to_no_other(project: Project) -> None:
    second = open_issues(project).create(NewIssue(title="Add logs", labels=("type:feature",)))
    wanted = request(issue=second.number, to=PERSON, topic="go", question="May we go on with it?")
    room = open_clarifications(project)
    state = room.ask(replace(wanted, issue_mark=mark_issue(project, second.number)), SCOPE)
    say(project, state.id, "YES")
    git(project, "clean", "-qfd")

    third = open_issues(project).create(NewIssue(title="Drop it", labels=("type:feature",)))

    assert third.number == second.number + 1
    # Where another clone gave the number, the same words ask of another issue.
    mark = IssueMark(title="Drop it", created="2026-03-02T11:00:00.000Z")
    again = open_clarifications(project).ask(replace(wanted, issue_mark=mark), SCOPE)
    assert again.id != state.id


def test_put_back_lays_the_writers_card_again(project: Project) -> None:
    name = ask(project)
    say(project, name, "NO")
    git(project, "clean", "-qfd")
    assert put_back(project) == (name,)
    assert list((project.paths.questions / "writers").glob("*.json"))


def test_another_repository_in_the_same_place_is_told_nothing_of_it(project: Project) -> None:
    name = ask(project)
    commit(project)
    shutil.rmtree(project.root)
    again = checkout(project.root.parent, project.root.name)
    (again.root / "other.txt").write_text("other")
    commit(again)
    assert [state.id for state in open_clarifications(again).survey().active] == []
    assert name


def test_what_contests_an_answer_does_so_on_a_branch_without_it(tmp_path: Path) -> None:
    ana, bob = (checkout(tmp_path, name, home=name) for name in ("ana", "bob"))
    open_issues(ana).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    name = ask(ana)
    carry(ana, bob)
    accept_repository(ana)
    say(ana, name, "YES")  # the view is of whom ana trusts, and knows nothing of bob's line
    accept_repository(bob)
    for writer in list_writers(bob):
        trust_writer(bob, writer.writer, caller=TYPING)
    say(bob, name, "NO")
    theirs = carry(bob, ana)
    assert say_contested(find(ana, name))
    assert find(ana, name).answer == "YES"

    for path in theirs:
        path.unlink()
    assert say_contested(find(ana, name))
    assert not find(ana, name).resolution
    put_back(ana)
    assert all(path.is_file() for path in theirs)

    for lines in (theirs[0].parent, ana.held_questions / "1"):  # of a question that is not here
        for path in lines.glob("*.jsonl"):
            if path.name != theirs[0].name:
                path.unlink()
    theirs[0].unlink()
    shutil.rmtree(ana.paths.state)
    assert open_clarifications(ana).survey().missing == ()
