"""Goal: what a person replied on GitHub too late to be taken is told wherever the answer is.

Method: a project in a temporary folder and a GitHub on loopback that is down for a while: Ada
replies NO there, and somebody decides YES here before that is read.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from agentx.clarification.contested import say_by_whom, say_contested
from agentx.clarification.data import as_data
from agentx.clarification.model import PERSON, NewQuestion
from agentx.clarification.rendering import say_decision
from agentx.clarification.watch.matters import list_matters
from agentx.kernel.bus import Bus
from agentx.observations.model import Observation
from agentx.operations.issues.sync import sync_issues
from agentx.operations.questions.read import inbox_of
from agentx.operations.questions.settle import forget
from agentx.operations.setup.trust import give_trust, look_at_trust
from agentx.project.project import Project
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import inbox, name_overruling
from agentx.wiring.github import github_issues
from agentx.wiring.hub import open_hub
from agentx.wiring.kept.following import follow_ledgers
from agentx.wiring.observations import open_observations
from agentx.work.model import NewIssue
from agentx.work.service import Issues
from tests.support.github_server import GithubServer
from tests.unit.wiring.test_github_replies import ask, look, project_at

YES, NO = "yes, drop it", "NO, keep it"
NOT_TAKEN = "ada's reply on GitHub says otherwise, and was not taken"


@pytest.fixture
def server() -> Iterator[GithubServer]:
    with GithubServer().serving() as made:
        yield made


@pytest.fixture
def project(tmp_path: Path, server: GithubServer) -> Project:
    made = project_at(tmp_path, server)
    Issues(github_issues(made), made.clock, Bus()).create(NewIssue(title="Pick"))
    return made


def decide(project: Project, server: GithubServer, said: str = NO, *, settled: bool) -> str:
    """Let Ada reply, and somebody here answer before that is read."""
    asked = ask(project, "May I drop it?", to=PERSON)
    server.say(1, "ada", f"{asked}: {said}")
    hub = open_hub(project)
    hub.answer(asked, YES, by=PERSON, via="terminal")
    if settled:
        hub.resolve(asked, by="engineer")
    return asked


def tell_asker(project: Project) -> str:
    [state] = inbox(project, "engineer")
    return say_contested(state)


@pytest.mark.promise("github.replies")
@pytest.mark.parametrize("settled", [False, True])
def test_a_reply_that_came_too_late_contests_what_was_decided_here(
    project: Project, server: GithubServer, *, settled: bool
) -> None:
    asked = decide(project, server, settled=settled)
    done = sync_issues(project)
    assert (done.replies, len(done.unclear)) == ((), 1)

    state = look(project, asked)
    assert state.answer == YES, "what stands, stands"
    said = state.thread[-1]
    assert (said.body, said.late, said.is_persons_word) == (NO, True, False)
    assert said.speaker_shown == "human (ada on GitHub, not taken)"
    assert NOT_TAKEN in tell_asker(project)
    [note] = inbox_of(project, PERSON).notes
    assert note.startswith(f"{asked}: ada said otherwise on GitHub, which was not taken. Read it:")
    assert "trust" not in note
    assert as_data(state)["contested"]["body"] == NO  # type: ignore[index]

    again = sync_issues(project)
    assert (again.unclear, again.posted, len(look(project, asked).thread)) == (
        (),
        0,
        len(state.thread),
    )


@pytest.mark.parametrize("settled", [False, True])
def test_it_is_over_once_a_person_says_what_holds(
    project: Project, server: GithubServer, *, settled: bool
) -> None:
    asked = decide(project, server, settled=settled)
    sync_issues(project)
    open_hub(project).resolve(asked, YES, by=PERSON, via="terminal")

    sync_issues(project)
    assert say_decision(look(project, asked)) == YES
    assert inbox_of(project, PERSON).notes == ()


@pytest.mark.parametrize(
    "said", [YES, "thanks, I'll look at it tomorrow", "what would it cost?", ""]
)
def test_what_says_the_same_or_decides_nothing_contests_nothing(
    project: Project, server: GithubServer, said: str
) -> None:
    asked = decide(project, server, said, settled=True)
    thread = look(project, asked).thread
    sync_issues(project)
    assert look(project, asked).thread == thread


def test_a_reply_that_speaks_of_another_question_that_waits_contests_too(
    project: Project, server: GithubServer
) -> None:
    other = ask(project, "May I rename it?", to=PERSON)
    said = f"{NO}, and wait with {other}"
    asked = decide(project, server, said, settled=True)
    done = sync_issues(project)
    assert look(project, asked).thread[-1].body == said
    assert NOT_TAKEN in say_contested(look(project, asked))
    assert look(project, other).is_unanswered
    [told] = done.unclear
    assert "is settled" in told
    assert f"speaks of {other} too; begin a line of its own" in told


@pytest.mark.parametrize("how", ["first", "after"])
def test_every_machine_keeps_it_that_reads_the_page(
    project: Project, server: GithubServer, tmp_path: Path, how: str
) -> None:
    asked = decide(project, server, settled=True)
    other = clone(tmp_path, server)
    assert look(other, asked).answer == YES
    assert sync_issues(project).posted > 0
    if how == "first":
        copy_questions(project, other)
    again = sync_issues(other)
    assert (again.posted, again.unclear) == (0, ())
    assert NOT_TAKEN in say_contested(look(other, asked))
    copy_questions(other, project)
    for here in (project, other):
        thread = look(here, asked).thread
        assert [each.body for each in thread].count(NO) == 1
        sync_issues(here)
        assert look(here, asked).thread == thread


def test_who_replies_below_what_was_refused_has_it_before_them(
    project: Project, server: GithubServer
) -> None:
    asked = decide(project, server, YES, settled=False)
    sync_issues(project)
    server.say(1, "ada", f"{asked}: {NO}, never")
    for _ in range(2):
        sync_issues(project)
        state = look(project, asked)
        told = f"{NO}, never (a person had answered: {YES})"
        assert (say_decision(state), say_contested(state)) == (told, "")


def test_who_was_told_that_it_was_not_taken_is_told_where_it_stands_after_all(
    project: Project, server: GithubServer, tmp_path: Path
) -> None:
    asked = ask(project, "May I drop it?", to=PERSON)
    sync_issues(project)
    other = clone(tmp_path, server)
    server.hidden = True
    open_hub(other).answer(asked, YES, by=PERSON, via="terminal")
    server.hidden = False
    server.say(1, "ada", f"{asked}: {NO}")
    assert sync_issues(project).replies == (asked,)
    assert len(sync_issues(other).unclear) == 1
    copy_questions(project, other)
    copy_questions(other, project)
    before = len(server.comments[1])
    for here in (project, other, project):
        assert look(here, asked).answer == NO
        sync_issues(here)
    [told] = [each["body"] for each in server.comments[1][before:]]
    assert "@ada, your reply was taken after all, by another machine" in told
    assert f'what stands for {asked} is "{NO}".' in told


def test_so_they_are_of_one_part_of_a_reply_and_of_what_was_asked_before_more(
    project: Project, server: GithubServer, tmp_path: Path
) -> None:
    one, two = (ask(project, each, to=PERSON) for each in ("May I drop it?", "May I move it?"))
    sync_issues(project)
    other = clone(tmp_path, server)
    server.hidden = True
    open_hub(other).answer(one, YES, by=PERSON, via="terminal")
    server.hidden = False
    server.say(1, "ada", f"{one}: {NO}\n{two}: move it")
    assert sync_issues(project).replies == (one, two)
    assert "not all of your reply was taken" in read_last(server, sync_issues(other).posted)
    copy_questions(project, other)
    hub = open_hub(other)
    hub.follow_up(one, "May I rename it?", by="engineer")
    hub.answer(one, "rename it", by=PERSON, via="terminal")
    before = len(server.comments[1])
    for _ in range(2):
        sync_issues(other)
    said = [each["body"] for each in server.comments[1][before:]]
    [told] = [each for each in said if "taken after all" in each]
    assert f'what stands for {one} ("May I drop it?") is "{NO}".' in told


def read_last(server: GithubServer, posted: int) -> str:
    """Return the last comments on the page."""
    return "\n".join(each["body"] for each in server.comments[1][-posted:])


def test_who_replies_to_what_was_forgotten_is_told_so_once(
    project: Project, server: GithubServer
) -> None:
    asked, _ = ask(project, "May I drop it?", to=PERSON), ask(project, "Where is it?")
    forget(project, asked, caller=WhoCalls(via=Via.TERMINAL))
    server.say(1, "ada", f"{asked}: {NO}")
    [told] = sync_issues(project).unclear
    assert f"{asked} was forgotten: nobody waits for an answer to it" in told
    assert "@ada, your reply was not taken as a decision" in server.comments[1][-1]["body"]
    assert "drop it" not in server.comments[1][-1]["body"]
    server.say(1, "ada", "And thanks for all the tables.")
    again = sync_issues(project)
    assert (again.unclear, again.posted) == ((), 0)


def clone(folder: Path, server: GithubServer) -> Project:
    """Return a second machine of the same user, with what the first knows."""
    shutil.copytree(folder / "one", folder / "two")
    made = project_at(folder, server, "two")
    give_trust(made, look_at_trust(made)[1])
    return project_at(folder, server, "two")


def copy_questions(one: Project, other: Project) -> None:
    """Bring what one machine wrote to the other."""
    folder = Path(".agentx/questions")
    shutil.copytree(one.root / folder, other.root / folder, dirs_exist_ok=True)


@pytest.mark.parametrize("how", ["missed", "edited"])
def test_memory_says_that_what_was_decided_is_contested(
    project: Project, server: GithubServer, how: str
) -> None:
    if how == "missed":
        decide(project, server, settled=True)
    else:
        asked = ask(project, "May I drop it?", to=PERSON)
        reply = server.say(1, "ada", f"{asked}: {YES}")
        sync_issues(project)
        open_hub(project).resolve(asked, by="engineer")
        reply.update(body=f"{asked}: {NO}", updated_at="2030-01-01T00:00:00Z")
    follow_ledgers(project)
    assert [each.contested for each in list_kept(project)] == [False]
    sync_issues(project)
    assert [each.contested for each in list_kept(project)] == [True]


@pytest.mark.parametrize("how", ["missed", "edited"])
def test_it_is_over_once_the_same_was_asked_anew(
    project: Project, server: GithubServer, how: str
) -> None:
    if how == "missed":
        asked = decide(project, server, settled=True)
        sync_issues(project)
    else:
        asked = take_and_edit(project, server)
    [before] = name_overruling(project, (look(project, asked),))
    assert say_contested(before)
    anew = ask(project, "May I drop it?", to=PERSON)
    hub = open_hub(project)
    hub.answer(anew, YES, by=PERSON, via="terminal")
    hub.resolve(anew, by="engineer")
    [after] = name_overruling(project, (look(project, asked),))
    assert say_contested(after) == ""
    follow_ledgers(project)
    assert not any(each.contested for each in list_kept(project))


def test_who_replies_on_github_is_told_in_words_for_a_person(
    project: Project, server: GithubServer
) -> None:
    asked = decide(project, server, settled=True)
    sync_issues(project)
    server.say(1, "ada", f"{asked}: {YES}")
    sync_issues(project)
    told = server.comments[1][-1]["body"]
    assert f'stands: "{YES} (contested: {NOT_TAKEN})"' in told
    assert "ask the user" not in told


def test_what_was_missed_elsewhere_is_told_as_a_reply(
    project: Project, server: GithubServer
) -> None:
    first = ask(project, "May I drop it?", to=PERSON)
    hub = open_hub(project)
    hub.answer(first, YES, by=PERSON, via="terminal")
    hub.resolve(first, by="engineer")
    anew = decide(project, server, settled=True)
    sync_issues(project)
    [told] = name_overruling(project, (look(project, first),))
    assert f"ada's reply on GitHub to {anew} says otherwise, and was not taken" in say_contested(
        told
    )
    assert "trusted" not in say_contested(told)


def ask_on_meanwhile(project: Project, server: GithubServer) -> str:
    """Let Ada say YES and then NO on GitHub, and the thread ask further before that is read."""
    asked = ask(project, "May I drop it?", to=PERSON)
    server.say(1, "ada", f"{asked}: {YES}")
    assert sync_issues(project).replies == (asked,)
    server.say(1, "ada", f"{asked}: {NO}")
    open_hub(project).follow_up(asked, "May I rename it?", by="engineer")
    return asked


def find_contested(project: Project, asked: str) -> dict[str, str]:
    """Return by what each thing that a thread asked is contested, by what was said to it."""
    state = look(project, asked)
    told = name_overruling(project, (state, *list_matters(state)))
    return {each.persons_word.body: say_by_whom(each) for each in told if each.persons_word}


def test_a_reply_to_what_was_asked_before_contests_what_was_said_to_that(
    project: Project, server: GithubServer
) -> None:
    asked = ask_on_meanwhile(project, server)
    done = sync_issues(project)
    assert (done.replies, len(done.unclear)) == ((), 1)
    assert "to change that, tell the agent, or have it asked anew" in done.unclear[0]
    said = look(project, asked).thread[-1]
    assert (said.body, said.late, said.to_asked) == (NO, True, look(project, asked).uid)
    assert said.round == 1, "the thread shows it as said to what was asked then"
    assert look(project, asked).waits_for_person
    assert [each.contested for each in list_kept(project)] == [True]
    [note] = inbox_of(project, PERSON).notes
    assert note.startswith(f"{asked}: ada said otherwise on GitHub, which was not taken. Read it:")

    server.say(1, "ada", f"{asked}: yes, rename it")
    assert sync_issues(project).replies == (asked,)
    open_hub(project).resolve(asked, by="engineer")
    sync_issues(project)
    assert find_contested(project, asked) == {YES: NOT_TAKEN, "yes, rename it": ""}
    follow_ledgers(project)
    kept = {each.content.partition(" Decided")[0]: each.contested for each in list_kept(project)}
    assert [*kept.values()] == [f": {YES}" in each for each in kept]
    assert len(inbox_of(project, PERSON).notes) == 1
    assert [each.body for each in look(project, asked).thread].count(NO) == 1


@pytest.mark.parametrize("when", ["open", "settled"])
def test_it_is_over_once_what_was_asked_before_was_asked_anew(
    project: Project, server: GithubServer, when: str
) -> None:
    asked = ask_on_meanwhile(project, server)
    hub = open_hub(project)
    if when == "settled":
        hub.answer(asked, "yes, rename it", by=PERSON, via="terminal")
        hub.resolve(asked, by="engineer")
    sync_issues(project)
    assert find_contested(project, asked)[YES] == NOT_TAKEN
    anew = open_hub(project).request(
        NewQuestion(
            issue=1,
            asker="tester",
            to=PERSON,
            topic="May I drop it?",
            question="May I drop it?",
        )
    )
    hub.answer(anew.id, YES, by=PERSON, via="terminal")
    hub.resolve(anew.id, by="tester")
    assert find_contested(project, asked)[YES] == ""
    assert inbox_of(project, PERSON).notes == ()


def take_and_edit(project: Project, server: GithubServer) -> str:
    """Let Ada's reply be taken, and edited since."""
    asked = ask(project, "May I drop it?", to=PERSON)
    reply = server.say(1, "ada", f"{asked}: {YES}")
    sync_issues(project)
    open_hub(project).resolve(asked, by="engineer")
    reply.update(body=f"{asked}: {NO}", updated_at="2030-01-01T00:00:00Z")
    sync_issues(project)
    return asked


def list_kept(project: Project) -> list[Observation]:
    with closing(open_observations(project)) as room:
        return [*room.store.everything()]
