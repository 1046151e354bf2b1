"""Goal: what a colleague decided in their clone is told here as a decision, with its author, once,
where the repository and the writer are trusted; and not before.

Method: two clones in one process; the files of questions are carried over as git would.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from contextlib import closing
from pathlib import Path

import pytest

from agentx.clarification.data import as_data
from agentx.clarification.model import PERSON
from agentx.clarification.rendering import say_decision, terminal
from agentx.clarification.watch.awaiting import name_asked
from agentx.clarification.ways import LET_GO
from agentx.kernel.errors import IllegalTransition, NameMoved
from agentx.observations.model import Marking
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions import waiting as clarify_waiting
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.operations.setup.writers import (
    accept_repository,
    list_writers,
    trust_writer,
    withdraw_writer,
)
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from agentx.recall.section.gather import Gatherer
from agentx.recall.section.sources import About
from agentx.views.documents.clarifications import clarification_document
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.observations import open_observations
from agentx.wiring.section import section_sources
from agentx.wiring.told.inbox_lines import inbox_lines
from agentx.work.model import NewIssue
from tests.support.clarifying import SCOPE, let_go, project_at, request
from tests.support.repository import git, repository
from tests.support.trusting import trusted

TYPING = WhoCalls(via=Via.TERMINAL)
QUESTION = "How often at most do we retry a webhook?"


def clone_of(root: Path, name: str) -> Project:
    folder = root / name / "shop"
    folder.mkdir(parents=True)
    for words in (("init", "-q"), ("config", "user.name", name)):
        subprocess.run(["git", *words], cwd=folder, check=True, timeout=60)
    return project_at(root / name)


def settle_question(project: Project) -> str:
    open_issues(project).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    wanted = request(issue=1, topic="Retry limit", question=QUESTION)
    asked = clarify_ask.ask(project, wanted, told=lambda _entry: None)
    clarify_settle.escalate(project, asked.id, caller=TYPING)
    clarify_settle.resolve(
        project, asked.id, "Five times, then dead letter.", by="human", caller=TYPING
    )
    return asked.id


def list_decisions(project: Project) -> list[str]:
    with closing(open_observations(project)) as room:
        return [one.content for one in room.store.everything()]


def tell(project: Project) -> list[str]:
    with section_sources(project) as sources:
        found = Gatherer(sources, tokens=1_500).gather(About(issue=1), with_standing=False)
    return [line.text for line in found.lines]


def ask_both(ana: Project, bob: Project, topic: str, *, to: str = "architect") -> str:
    """Ask something in one clone, bring a question to an agent to people, and carry it over."""
    asked = open_clarifications(ana).ask(
        request(issue=1, to=to, topic=topic, question=f"What of {topic}?"), SCOPE
    )
    if to != PERSON:
        clarify_settle.escalate(ana, asked.id, caller=TYPING)
    merge(ana, bob)
    return asked.id


def merge(one: Project, other: Project) -> None:
    """Carry the files of questions over both ways, as git would."""
    for source, target in ((one, other), (other, one)):
        for path in (each for each in source.paths.questions.rglob("*") if each.is_file()):
            there = target.paths.questions / path.relative_to(source.paths.questions)
            there.parent.mkdir(parents=True, exist_ok=True)
            if not there.exists() or len(there.read_bytes()) < len(path.read_bytes()):
                shutil.copy(path, there)


def wait_a_moment(*projects: Project) -> None:
    for each in projects:
        each.clock.sleep_ms(1_000)


def list_told(project: Project) -> list[tuple[str, bool]]:
    """Return what is kept of questions, each with whether something replaced it."""
    with closing(open_observations(project)) as room:
        kept = [(one.content, bool(one.superseded_by)) for one in room.store.everything()]
    return sorted((content.partition(" Decided")[0], gone) for content, gone in kept)


@pytest.fixture
def both(ana: Project, bob: Project) -> tuple[Project, Project]:
    """Give two clones whose users trust each other."""
    for each in (ana, bob):
        open_issues(each).create(NewIssue(title="Webhooks", labels=("type:feature",)))
        open_clarifications(each).ask(request(issue=1, topic=f"of {each.root.parent.name}"), SCOPE)
    merge(ana, bob)
    for each in (ana, bob):
        accept_repository(each)
        [writer] = [one.writer for one in list_writers(each) if not one.own]
        trust_writer(each, writer, caller=TYPING)
    return ana, bob


def test_where_two_people_decide_one_question_memory_follows_the_ledger(
    both: tuple[Project, Project],
) -> None:
    ana, bob = both
    name = ask_both(ana, bob, "e")
    clarify_settle.resolve(ana, name, "E-ONE", by=PERSON, caller=TYPING)
    wait_a_moment(ana, bob)
    clarify_settle.resolve(bob, name, "E-TWO", by=PERSON, caller=TYPING)
    assert (list_told(ana), list_told(bob)) == ([("e: E-ONE.", False)], [("e: E-TWO.", False)])
    merge(ana, bob)

    # Whoever looks first after the merge.
    lines = recall(ana, None, RecallRequest(agent="engineer", issue=1, budget_tokens=1_500)).lines

    told = "e: E-TWO (a person had said otherwise: E-ONE)."
    assert [each.text for each in lines if each.text.startswith(told)]
    for line in (each.text for each in lines if "E-ONE" in each.text):
        assert "replaced by" in line or "otherwise: E-ONE" in line
    keep_decisions(ana)
    keep_decisions(bob)
    assert list_told(ana) == [("e: E-ONE.", True), (told, False)]
    assert list_told(bob) == [(told, False), ("e: E-TWO.", True)]
    for each in both:
        assert [line for line in tell(each) if told in line]
        assert not [line for line in tell(each) if "E-" in line and "otherwise: E-ONE" not in line]
    assert keep_decisions(ana) == keep_decisions(bob) == 0

    other = "so says bob; ana had decided otherwise: E-ONE"
    for each in both:
        [state] = [one for one in clarify_read.thread(each, 1) if one.id == name]
        assert other in terminal(state, colour=False)
        assert other in say_decision(clarify_waiting.wait(each, name, wait_ms=0, told=print))
        data = json.loads(json.dumps(as_data(state)))["overruled"][0]
        assert (data["by"], data["standsBy"], data["body"]) == ("ana", "bob", "E-ONE")
        assert [line for line in inbox_lines(each, "engineer") if other in line]
    [note] = clarify_read.inbox_of(ana, PERSON).notes
    assert note == f"{name} (e): bob decided: E-TWO, which stands; you had decided otherwise: E-ONE"
    assert clarify_read.inbox_of(bob, PERSON).notes == ()
    # Whose word counts no longer replaces nothing.
    [his] = [one.writer for one in list_writers(ana) if not one.own]
    withdraw_writer(ana, his, caller=TYPING)
    keep_decisions(ana)
    assert list_told(ana) == [("e: E-ONE.", False), (told, True)]


def test_where_two_people_answer_one_question_the_asker_hears_of_both(
    both: tuple[Project, Project],
) -> None:
    ana, bob = both
    name = ask_both(ana, bob, "c", to=PERSON)
    clarify_settle.answer(ana, name, "YES", by=PERSON, caller=TYPING)
    wait_a_moment(ana, bob)
    clarify_settle.answer(bob, name, "NO", by=PERSON, caller=TYPING)
    clarify_settle.resolve(bob, name, by="engineer", caller=TYPING)
    merge(ana, bob)
    for each in both:
        clarify_read.active(each)  # any command of questions takes a merge in
        told = [said for said, gone in list_told(each) if not gone]
        assert told == ["c: NO (a person had said otherwise: YES)."]
        [line] = [one for one in inbox_lines(each, "engineer") if name in one]
        assert "NO (so says bob; ana had answered otherwise: YES)" in line
    assert "bob answered: NO, which stands" in clarify_read.inbox_of(ana, PERSON).notes[0]
    # Who asks the same anew hears of both, too: while it waits, and where it is only let go.
    anew = request(issue=1, asker="architect", to=PERSON, topic="c", question="What of c?")
    asked = open_clarifications(ana).ask(anew, SCOPE)
    beside = f"NO ({name}, a person had said otherwise: YES)"
    [waits] = clarify_read.inbox_of(ana, PERSON).clarifications
    assert waits.stands_beside == beside
    clarify_settle.resolve(ana, asked.id, LET_GO, by=PERSON, caller=TYPING)
    waited = clarify_waiting.wait(ana, asked.id, wait_ms=0, told=print)
    assert waited.stands_beside == beside


def test_an_answer_that_another_person_decided_against_is_told_as_such(
    both: tuple[Project, Project],
) -> None:
    ana, bob = both
    name = ask_both(ana, bob, "d", to=PERSON)
    clarify_settle.answer(ana, name, "YES", by=PERSON, caller=TYPING)
    clarify_settle.resolve(ana, name, by="engineer", caller=TYPING)
    assert list_told(ana) == [("d: YES.", False)]
    wait_a_moment(ana, bob)
    clarify_settle.escalate(bob, name, caller=TYPING)
    clarify_settle.resolve(bob, name, "NO", by=PERSON, caller=TYPING)
    merge(ana, bob)
    for each in both:
        keep_decisions(each)
        stands = [said for said, gone in list_told(each) if not gone]
        assert stands == ["d: NO (a person had answered: YES)."]
        [line] = [one for one in inbox_lines(each, "engineer") if name in one]
        assert "so says bob; ana had answered otherwise: YES" in line


def test_who_thinks_better_of_it_contradicts_nobody(both: tuple[Project, Project]) -> None:
    ana, bob = both
    name = ask_both(ana, bob, "f", to=PERSON)
    clarify_settle.answer(ana, name, "YES", by=PERSON, caller=TYPING)
    clarify_settle.escalate(ana, name, caller=TYPING)
    clarify_settle.resolve(ana, name, "NO", by=PERSON, caller=TYPING)
    merge(ana, bob)
    for each in both:
        [state] = [one for one in clarify_read.thread(each, 1) if one.id == name]
        assert (state.overruled, clarify_read.inbox_of(each, PERSON).notes) == ((), ())


def test_what_a_person_wrote_anew_stays_while_the_ledger_says_the_same(
    both: tuple[Project, Project],
) -> None:
    ana, bob = both
    name = ask_both(ana, bob, "g")
    clarify_settle.resolve(ana, name, "G-ONE", by=PERSON, caller=TYPING)
    with closing(open_observations(ana)) as room:
        [kept] = room.store.everything()
        room.store.mark([Marking(id=kept.id, content=f"g: always G-ONE [{name}]", summary="g")])
    keep_decisions(ana)
    assert list_told(ana) == [(f"g: always G-ONE [{name}]", False)]
    wait_a_moment(ana, bob)
    clarify_settle.resolve(bob, name, "G-TWO", by=PERSON, caller=TYPING)
    merge(ana, bob)
    keep_decisions(ana)
    assert list_told(ana) == [
        ("g: G-TWO (a person had said otherwise: G-ONE).", False),
        (f"g: always G-ONE [{name}]", True),
    ]


@pytest.fixture
def ana(tmp_path: Path) -> Project:
    return clone_of(tmp_path, "ana")


@pytest.fixture
def bob(tmp_path: Path) -> Project:
    return clone_of(tmp_path, "bob")


def test_a_colleagues_decision_is_kept_once_with_who_decided_it(ana: Project, bob: Project) -> None:
    settle_question(ana)
    wanted = f"Retry limit: Five times, then dead letter. Decided by ana, asked: {QUESTION}"
    assert list_decisions(ana) == [f"{wanted} [CLR-1-001]"]
    assert keep_decisions(ana) == 0, "it is there already"

    shutil.copytree(ana.paths.questions, bob.paths.questions)
    assert keep_decisions(bob) == 0, "nobody vouches for it yet"
    accept_repository(bob)
    assert list_decisions(bob) == []
    [writer] = [each.writer for each in list_writers(bob) if not each.own]
    trust_writer(bob, writer, caller=TYPING)
    assert list_decisions(bob) == list_decisions(ana)
    assert keep_decisions(bob) == 0, "who trusts the writer has it at once"
    assert list_decisions(bob) == list_decisions(ana)
    for each in (ana, bob):
        assert [line for line in tell(each) if "Five times" in line and "Decided by ana" in line]
    # What a person takes away does not come back with the next pull.
    with closing(open_observations(bob)) as room:
        room.forget(one.id for one in room.store.everything())
    (bob.paths.questions / "1" / "ffffff.jsonl").write_text("", encoding="utf-8")
    assert keep_decisions(bob) == 0


def test_a_thread_is_found_by_what_it_came_to_and_not_by_what_called_a_person(
    ana: Project,
) -> None:
    name = settle_question(ana)
    text = clarification_document(open_clarifications(ana).find(name), ana.id).text
    assert text.splitlines() == [
        "Retry limit",
        "human: Five times, then dead letter.",
        f"engineer: {QUESTION}",
    ]


def ask_on(project: Project, name: str, question: str) -> None:
    clarify_ask.follow_up(project, name, question, by="engineer", told=lambda _entry: None)


@pytest.mark.promise("clarify.merge")
def test_nobody_answers_at_a_terminal_what_followed_another_persons_answer_unseen(
    both: tuple[Project, Project],
) -> None:
    ana, bob = both
    name = ask_both(ana, bob, "sn", to=PERSON)
    clarify_settle.answer(bob, name, "Yes, one", by=PERSON, caller=TYPING)
    ask_on(bob, name, "Really drop ALL?")
    merge(ana, bob)

    # Ana read of it in a chat, before the merge.
    with pytest.raises(NameMoved) as refused:
        clarify_settle.answer(ana, name, "Yes, that is fine", by=PERSON, caller=TYPING)

    told = "since another person answered; it asks now: 'Really drop ALL?' (topic: sn)"
    assert told in refused.value.message
    exact = refused.value.hint.split()[3].rstrip(";")
    clarify_settle.answer(ana, exact, "No", by=PERSON, caller=TYPING)
    ask_on(ana, name, "Not even logs?")
    clarify_settle.answer(ana, name, "No", by=PERSON, caller=TYPING)  # it follows their own word


@pytest.mark.promise("clarify.merge")
def test_what_a_person_is_asked_on_is_not_settled_by_who_did_not_see_it(
    both: tuple[Project, Project],
) -> None:
    ana, bob = both
    name = ask_both(ana, bob, "fu", to=PERSON)
    clarify_settle.answer(ana, name, "Yes, one", by=PERSON, caller=TYPING)
    merge(ana, bob)
    clarify_settle.resolve(ana, name, by="engineer", caller=TYPING)
    wait_a_moment(ana, bob, bob)
    ask_on(bob, name, "Really drop all?")
    merge(ana, bob)
    for here in both:
        state = open_clarifications(here).find(name)
        assert (state.status, state.question) == ("pending", "Really drop all?")
        assert (state.holds_its_asker, state.resolution) == (True, None)
        [told] = [line for line in inbox_lines(here, PERSON) if "fu" in line]
        assert "Really drop all?" in told

    # The person's answer is to that question, and contradicts nothing that was said to another.
    wait_a_moment(ana, bob)
    asked = name_asked(open_clarifications(bob).find(name))
    clarify_settle.answer(bob, asked, "NO, not all", by=PERSON, caller=TYPING)
    merge(ana, bob)
    for here in both:
        [state] = [each for each in clarify_read.thread(here, 1) if each.topic == "fu"]
        assert (state.answer, state.overruled) == ("NO, not all", ())
        [told] = [line for line in inbox_lines(here, "engineer") if "answered fu" in line]
        assert "answered fu (Really drop all?): NO, not all" in told
    wait_a_moment(ana, bob)
    clarify_settle.resolve(ana, name, by="engineer", caller=TYPING)
    merge(ana, bob)
    for here in both:
        keep_decisions(here)
        [kept] = [text for text in list_decisions(here) if "NO, not all" in text]
        assert "asked: Really drop all?" in kept
        # What was said before is told with what was asked on, and never without.
        before = [text for text in tell(here) if text.startswith("fu: Yes")]
        assert [
            text for text in before if "(then asked further: Really drop all?)" in text
        ] == before
        assert len(before) == 1


@pytest.mark.promise("clarify.merge")
def test_what_a_person_reads_in_one_clone_is_not_answered_by_what_they_type_in_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller, "_sits_at_terminal", lambda: True)
    first = repository(tmp_path / "one")
    for name in ("two", "three"):
        git(tmp_path, "clone", "-q", str(first), name)
    environment = read_environment({"HOME": str(tmp_path / "home"), "PATH": "/usr/bin:/bin"})
    one, two, _ = here = [
        trusted(open_project(tmp_path / name, environment)) for name in ("one", "two", "three")
    ]
    names = []
    for each in here:
        open_issues(each).create(NewIssue(title="Logs", labels=("type:feature",)))
        asked = f"May we delete {each.root.name}?"
        wanted = request(issue=1, to=PERSON, topic=each.root.name, question=asked)
        names.append(open_clarifications(each).ask(wanted, SCOPE).id)
    assert names == ["CLR-1-001"] * 3
    clarify_read.note_told(one, clarify_read.inbox_of(one, PERSON))

    for other in here[1:]:  # the second came from the first, and the third did
        with pytest.raises(NameMoved, match="was another question here before"):
            clarify_settle.answer(other, names[0], "YES, sure", caller=TYPING)
    clarify_read.note_told(two, clarify_read.inbox_of(two, PERSON))
    clarify_settle.answer(two, names[0], "YES, sure", caller=TYPING)


@pytest.mark.promise("clarify.signed")
@pytest.mark.parametrize("is_shown", [True, False])
def test_what_was_reworded_since_a_person_read_it_is_not_answered_by_their_word(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_shown: bool
) -> None:
    monkeypatch.setattr(caller, "_sits_at_terminal", lambda: True)
    here = clone_of(tmp_path, "ana")
    open_issues(here).create(NewIssue(title="Logs", labels=("type:feature",)))
    wanted = request(issue=1, to=PERSON, topic="x", question="May we log?")
    name = open_clarifications(here).ask(wanted, SCOPE).id
    if is_shown:
        clarify_read.note_told(here, clarify_read.inbox_of(here, PERSON))
    exact = ""
    for asked in ("May we delete production?", "May we delete all?"):
        for file in (here.paths.questions / "1").iterdir():
            text = file.read_text("utf-8")
            before = open_clarifications(here).find(name).question
            file.write_text(text.replace(before, asked), "utf-8")
        let_go(here)

        with pytest.raises(NameMoved) as refused:
            clarify_settle.answer(here, name, "Yes, sure", caller=TYPING)

        assert f"it asks now: '{asked}'" in refused.value.message
        exact = refused.value.hint.split()[3].rstrip(";")
    let_go(here)
    for file in (here.paths.questions / "1").iterdir():
        file.write_text(file.read_text("utf-8").replace("delete all?", "burn all?"), "utf-8")
    with pytest.raises(NameMoved, match="burn all"):  # the exact name was told with other words
        clarify_settle.answer(here, exact, "Yes, sure", caller=TYPING)
    clarify_read.note_told(here, clarify_read.inbox_of(here, PERSON))
    assert clarify_settle.answer(here, name, "No", caller=TYPING).answer == "No"


def test_a_call_that_asks_nothing_new_refuses_no_word_and_a_new_note_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller, "_sits_at_terminal", lambda: True)
    here = clone_of(tmp_path, "ana")
    open_issues(here).create(NewIssue(title="Logs", labels=("type:feature",)))
    agent = WhoCalls(via=Via.AGENT, role="engineer", agent="codex")
    for topic, note in (("a", ""), ("b", "are you sure?")):
        wanted = request(issue=1, to=PERSON, topic=topic, question=f"May we {topic}?")
        name = open_clarifications(here).ask(wanted, SCOPE).id
        clarify_read.note_told(here, clarify_read.inbox_of(here, PERSON))
        clarify_settle.answer(here, name, "YES", caller=TYPING)
        clarify_settle.escalate(here, name, note, caller=agent)
        if note:
            with pytest.raises(NameMoved, match=r"'May we b\? \(are you sure\?\)'"):
                clarify_settle.resolve(here, name, "NO", caller=TYPING)
            clarify_read.note_told(here, clarify_read.inbox_of(here, PERSON))
        assert clarify_settle.resolve(here, name, "NO", caller=TYPING).status == "resolved"


def test_who_says_it_once_more_is_told_that_it_is_settled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(caller, "_sits_at_terminal", lambda: True)
    here = clone_of(tmp_path, "ana")
    open_issues(here).create(NewIssue(title="Logs", labels=("type:feature",)))
    name = open_clarifications(here).ask(request(issue=1, topic="x"), SCOPE).id
    clarify_settle.escalate(here, name, "please", caller=TYPING)
    clarify_read.note_told(here, clarify_read.inbox_of(here, PERSON))
    clarify_settle.resolve(here, name, "YES", caller=TYPING)
    with pytest.raises(IllegalTransition, match="is resolved"):
        clarify_settle.resolve(here, name, "NO", caller=TYPING)
