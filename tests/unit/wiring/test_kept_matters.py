"""Goal: each thing that a thread asks a person has a memory of its own, from when it asks further,
which is told, dropped, replaced and forgotten by itself.

Method: the verbs in process; checkouts have a user's folder each, and the files of questions are
carried over as git would.
"""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path

import pytest

from agentx.clarification.contested import say_contested
from agentx.clarification.data import as_data
from agentx.clarification.model import PERSON, NewQuestion
from agentx.clarification.rendering import name_decider, say_decision
from agentx.clarification.watch.later import tell_later
from agentx.kernel.errors import AgentXError
from agentx.kernel.text import cut
from agentx.observations.model import Observation
from agentx.operations.memory.curate import memory_drop, memory_undrop
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.operations.setup.writers import accept_repository, list_writers, trust_writer
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from agentx.recall.known import answers
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.kept import decided, following, looked_at
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.kept.following import follow_ledgers
from agentx.wiring.kept.known import find_known, find_persons_decision
from agentx.work.model import NewIssue
from tests.support.clarifying import SCOPE, request
from tests.unit.wiring.test_forgotten_elsewhere import pull
from tests.unit.wiring.test_kept_decisions import TYPING, checkout, meet_colleagues, memories

DROP, RENAME, INDEX = "Shall I drop it?", "May I rename it?", "May I index it?"
SCRIPT = WhoCalls(via=Via.UNCONFIRMED)


@pytest.fixture(autouse=True)
def _nobody_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = checkout(tmp_path, "one")
    open_issues(made).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    return made


def ask(project: Project, question: str) -> str:
    wanted: NewQuestion = request(issue=1, to=PERSON, topic="users", question=question)
    project.clock.sleep_ms(1_000)
    return str(open_clarifications(project).ask(wanted, SCOPE).id)


def say(project: Project, name: str, *words: tuple[str, str], who: WhoCalls = TYPING) -> None:
    """Have a person answer, and the thread ask further, in turn."""
    for question, answer in words:
        project.clock.sleep_ms(1_000)
        if question:
            clarify_ask.follow_up(project, name, question, by="engineer", told=lambda _entry: None)
        if answer:
            project.clock.sleep_ms(1_000)
            clarify_settle.answer(project, name, answer, by=PERSON, caller=who)


def settle(project: Project, name: str) -> None:
    project.clock.sleep_ms(1_000)
    clarify_settle.resolve(project, name, by="engineer", caller=TYPING)


def tell(project: Project) -> dict[str, str]:
    """Return what memory tells, by what was asked, with what its thread asked next."""
    standing = [one for one in memories(project) if not one.superseded_by]
    parts = ((one.content.partition(" Decided by "), one.against) for one in standing)
    return {
        rest.partition(", asked: ")[2] + (f" ({since})" if since else ""): said
        for (said, _, rest), since in parts
    }


def test_what_a_person_said_is_kept_when_its_thread_asks_further(project: Project) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "NO, never"), (RENAME, ""))
    before = {f"{DROP} [{name}] (then asked further: {RENAME})": "users: NO, never."}
    assert tell(project) == before
    say(project, name, ("", "Yes, rename it"))
    settle(project, name)
    assert tell(project) == {**before, f"{RENAME} [{name}]": "users: Yes, rename it."}
    assert keep_decisions(project) == 0
    assert len(memories(project)) == 2


def test_what_is_decided_anew_takes_only_that_out_of_a_thread(project: Project) -> None:
    name = ask(project, RENAME)
    say(project, name, ("", "NO, never rename it"), (DROP, "YES, drop it"))
    settle(project, name)
    again = ask(project, DROP)
    say(project, again, ("", "NO, keep it"))
    settle(project, again)
    assert tell(project) == {
        f"{RENAME} [{name}] (then asked further: {DROP})": "users: NO, never rename it.",
        f"{DROP} [{again}]": "users: NO, keep it.",
    }


def test_every_thing_that_a_thread_asks_is_told_by_a_recall(project: Project) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "Yes"), (RENAME, "Yes"), (INDEX, "Yes"))
    settle(project, name)
    assert len(tell(project)) == 3
    wanted = RecallRequest(agent="tester", issue=1, budget_tokens=1_500)
    told = "\n".join(line.text for line in recall(project, None, wanted).lines)
    for question in (DROP, RENAME, INDEX):
        assert told.count(f"asked: {question}") == 1


def test_who_drops_one_of_a_threads_answers_drops_that_alone(project: Project) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "Yes"), (RENAME, "Yes"))
    settle(project, name)
    [first] = [one for one in memories(project) if f"asked: {DROP}" in one.content]
    memory_drop(project, first.id)
    left = {f"{RENAME} [{name}]": "users: Yes."}
    assert tell(project) == left
    keep_decisions(project)
    assert tell(project) == left
    memory_undrop(project, first.id)
    assert len(tell(project)) == 2


def test_a_colleague_is_told_each_of_them_and_forgets_all_with_the_question(tmp_path: Path) -> None:
    ana, bob, merge = meet_colleagues(tmp_path)
    name = ask(ana, DROP)
    say(ana, name, ("", "NO, never"), (RENAME, "Yes, rename it"))
    settle(ana, name)
    merge()
    keep_decisions(bob)
    assert tell(bob) == {
        f"{DROP} [{name}] (then asked further: {RENAME})": "users: NO, never.",
        f"{RENAME} [{name}]": "users: Yes, rename it.",
    }
    clarify_settle.forget(ana, name, caller=TYPING)
    assert tell(ana) == {}
    pull(ana, bob)
    keep_decisions(bob)
    assert tell(bob) == {}
    assert memories(bob) == []


def test_what_is_confirmed_in_the_same_words_is_unconfirmed_no_more(project: Project) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "NO, never"))
    clarify_settle.resolve(project, name, "YES, drop it", by=PERSON, caller=SCRIPT)
    assert "unconfirmed" in _find(project, "YES, drop it").content
    project.clock.sleep_ms(1_000)
    clarify_settle.resolve(project, name, "YES, drop it", by=PERSON, caller=TYPING)
    assert "unconfirmed" not in _find(project, "YES, drop it").content


def test_a_person_is_told_of_a_contest_also_once_the_doubtful_word_was_asked_on(
    project: Project,
) -> None:
    sure, doubtful = ask(project, DROP), ""
    say(project, sure, ("", "YES, drop it"))
    settle(project, sure)
    doubtful = ask(project, DROP)
    say(project, doubtful, ("", "NO, keep it"), (RENAME, "Yes"), who=SCRIPT)
    settle(project, doubtful)
    note, renamed = clarify_read.inbox_of(project, PERSON).notes
    assert note.startswith(f"{doubtful}: its answer is a person's unconfirmed word")
    assert f'--question "{DROP}" --ask-anyway' in note  # what would settle it
    assert "unconfirmed: Yes; say what holds" in renamed
    again = ask(project, DROP)
    say(project, again, ("", "NO, keep it"))
    assert clarify_read.inbox_of(project, PERSON).notes == (renamed,)


def test_what_came_too_late_to_one_question_marks_what_was_said_before_to_another(
    tmp_path: Path,
) -> None:
    ana, bob, merge = meet_colleagues(tmp_path)
    theirs = ask(ana, DROP)
    merge()
    for each in (ana, bob):
        each.clock.sleep_ms(5_000)
    own = ask(bob, "May I drop it?")
    clarify_settle.resolve(ana, theirs, "YES, says ana", by=PERSON, caller=TYPING)
    for each in (ana, bob):
        each.clock.sleep_ms(5_000)
    clarify_settle.resolve(bob, own, "YES, says bob", by=PERSON, caller=TYPING)
    bob.clock.sleep_ms(5_000)
    clarify_settle.answer(bob, theirs, "NO, says bob", by=PERSON, caller=TYPING)
    merge()
    for each in (ana, bob):
        keep_decisions(each)
        marks = {
            one.content.partition(".")[0]: one.decided_later
            for one in memories(each)
            if not one.superseded_by
        }
        assert marks == {"users: YES, says bob": f"NO, says bob ({theirs})"}


def test_a_long_answer_to_a_long_question_is_kept_once_and_told(project: Project) -> None:
    name = ask(project, f"{DROP} What I know so far: {'w ' * 200}")
    say(project, name, ("", f"NO, never. {'because ' * 119}"), (RENAME, "Yes"))
    settle(project, name)
    for _ in range(3):
        keep_decisions(project)
    assert len(memories(project)) == 2
    assert [each.partition(".")[0] for each in tell(project).values()] == [
        "users: NO, never",
        "users: Yes",
    ]


def test_no_word_of_a_question_is_taken_for_a_mark(project: Project) -> None:
    asked = "Shall I drop it (then asked further: x) of staging (test only)"
    name = ask(project, asked)
    say(project, name, ("", "YES"), (RENAME, ""))
    assert tell(project) == {f"{asked} [{name}] (then asked further: {RENAME})": "users: YES."}


def test_what_is_asked_again_in_its_thread_is_told_until_a_person_says_otherwise(
    project: Project,
) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "NO, never"), (RENAME, "Yes"), ("May I drop it?", ""))
    assert "users: NO, never." in tell(project).values()
    say(project, name, ("", "YES now"))
    told = {said: asked for asked, said in tell(project).items()}
    assert told["users: NO, never."].endswith(f"later decided otherwise: YES now ({name}))")
    settle(project, name)
    assert sorted(tell(project).values()) == ["users: YES now.", "users: Yes."]


@pytest.mark.parametrize("is_past", [True, False])
def test_no_word_to_something_else_is_offered_as_the_answer(
    project: Project, *, is_past: bool
) -> None:
    name = ask(project, RENAME)
    say(project, name, ("", "YES, go"), (DROP, ""))
    if is_past:
        say(project, name, ("", "NO, never"))
        with suppress(AgentXError):  # past the last round the person is called
            say(project, name, (INDEX, ""), (INDEX, ""))
        project.clock.sleep_ms(1_000)
        clarify_settle.resolve(project, name, "YES, go", by=PERSON, caller=TYPING)
    else:
        clarify_settle.resolve(project, name, by=PERSON, caller=TYPING)
    wanted = request(issue=1, to="architect", topic="users", question=DROP)
    asked = open_clarifications(project).ask(wanted, SCOPE)
    assert find_known(project, asked) is None


def _find(project: Project, said: str) -> Observation:
    [one] = [each for each in memories(project) if said in each.content and not each.superseded_by]
    return one


def test_how_sure_a_long_answer_is_and_what_it_answers_is_told(project: Project) -> None:
    name = ask(project, f"{DROP} What I know so far: {'w ' * 200}")
    say(project, name, ("", f"YES. {'because ' * 119}"), who=SCRIPT)
    settle(project, name)
    wanted = RecallRequest(agent="tester", issue=1, budget_tokens=1_500)
    [told] = [line.text for line in recall(project, None, wanted).lines if name in line.text]
    assert "(unconfirmed), asked: Shall I drop it? What I know so far: w w" in told
    assert len(told) < 900


def test_who_drops_what_was_said_before_is_told_how_that_is_asked_anew(project: Project) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "NO, never"), (RENAME, "Yes"))
    settle(project, name)
    asked = {find_persons_decision(project, one) for one in memories(project)}
    assert {each.question for each in asked if each is not None} == {DROP, RENAME}


def test_each_memory_of_a_thread_has_a_short_name_of_its_own(project: Project) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "Yes"), (RENAME, "Yes"))
    settle(project, name)
    assert len({one.id.rpartition("-")[2] for one in memories(project)}) == 2


def ask_before_trust(root: Path) -> tuple[Project, Project, str]:
    """Return two checkouts, of whom the first does not trust the second, and what it asks."""
    ana, bob = (checkout(root, name, home=name) for name in ("ana", "bob"))
    open_issues(ana).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    name = ask(ana, DROP)
    pull(ana, bob)
    accept_repository(bob)
    [writer] = [one.writer for one in list_writers(bob) if not one.own]
    trust_writer(bob, writer, caller=TYPING)
    return ana, bob, name


@pytest.mark.parametrize("is_settled", [True, False])
def test_who_is_not_trusted_yet_contests_what_they_spoke_to(
    tmp_path: Path, *, is_settled: bool
) -> None:
    ana, bob, name = ask_before_trust(tmp_path)
    say(ana, name, ("", "YES, says ana"), (RENAME, "Yes, rename it"))
    settle(ana, name)
    bob.clock.sleep_ms(60_000)
    if is_settled:
        clarify_settle.resolve(bob, name, "NO, says bob", by=PERSON, caller=TYPING)
    else:
        clarify_settle.answer(bob, name, "NO, says bob", by=PERSON, caller=TYPING)
    pull(bob, ana)
    keep_decisions(ana)
    assert {one.content.partition(".")[0]: one.contested for one in memories(ana)} == {
        "users: YES, says ana": True,
        "users: Yes, rename it": False,
    }
    [note] = clarify_read.inbox_of(ana, PERSON).notes
    assert f'--question "{DROP}" --ask-anyway' in note


def test_who_is_not_trusted_yet_contests_the_same_also_where_it_is_asked_elsewhere(
    tmp_path: Path,
) -> None:
    ana, bob, name = ask_before_trust(tmp_path)
    say(ana, name, ("", "YES, says ana"), (RENAME, "Yes, rename it"))
    settle(ana, name)
    again = ask(ana, DROP)
    say(ana, again, ("", "YES, says ana again"))
    settle(ana, again)
    bob.clock.sleep_ms(60_000)
    clarify_settle.answer(bob, name, "NO, says bob", by=PERSON, caller=TYPING)
    pull(bob, ana)
    keep_decisions(ana)
    assert _find(ana, "YES, says ana again").contested


def test_who_is_not_trusted_yet_contests_what_was_asked_twice(tmp_path: Path) -> None:
    ana, bob, name = ask_before_trust(tmp_path)
    say(ana, name, ("", "YES, says ana"), ("May I drop it?", "YES, as I said"), (RENAME, "Yes"))
    bob.clock.sleep_ms(60_000)
    clarify_settle.answer(bob, name, "NO, says bob", by=PERSON, caller=TYPING)
    pull(bob, ana)
    keep_decisions(ana)
    assert _find(ana, "YES, as I said").contested
    assert len(clarify_read.inbox_of(ana, PERSON).notes) == 1


def test_while_something_else_is_asked_nobody_is_told_to_decide_that(tmp_path: Path) -> None:
    ana, bob, name = ask_before_trust(tmp_path)
    say(ana, name, ("", "NO, says ana"), (INDEX, ""))
    bob.clock.sleep_ms(60_000)
    clarify_settle.answer(bob, name, "YES, says bob", by=PERSON, caller=TYPING)
    pull(bob, ana)
    [note] = clarify_read.inbox_of(ana, PERSON).notes
    assert "clarify resolve" not in note
    assert f'--question "{DROP}" --ask-anyway' in note


def test_a_contest_within_a_thread_ends_as_the_inbox_says(project: Project) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "NO, never"), ("May I drop it?", ""))
    say(project, name, ("", "YES, drop it"), who=SCRIPT)
    say(project, name, (RENAME, "Yes"))
    settle(project, name)
    [note] = clarify_read.inbox_of(project, PERSON).notes
    assert '--question "May I drop it?" --ask-anyway' in note
    again = ask(project, "May I drop it?")
    say(project, again, ("", "NO, as I said"))
    settle(project, again)
    assert clarify_read.inbox_of(project, PERSON).notes == ()


@pytest.mark.parametrize("words", ["", "go on with what is known", "Go on with what is known."])
def test_who_lets_a_question_go_takes_nothing_back(project: Project, words: str) -> None:
    first = ask(project, DROP)
    say(project, first, ("", "NO, never"))
    settle(project, first)
    again = ask(project, DROP)
    clarify_settle.resolve(project, again, words, by=PERSON, caller=TYPING)
    keep_decisions(project)
    assert tell(project) == {f"{DROP} [{first}]": "users: NO, never."}


@pytest.mark.parametrize("who", [TYPING, SCRIPT], ids=["typed", "unconfirmed"])
@pytest.mark.parametrize("words", ["", "go on with what is known"])
def test_who_lets_a_question_go_contests_no_answer_to_the_same(
    project: Project, words: str, who: WhoCalls
) -> None:
    first = ask(project, DROP)
    say(project, first, ("", "NO, never"))
    settle(project, first)
    again = ask(project, DROP)
    project.clock.sleep_ms(1_000)
    clarify_settle.resolve(project, again, words, by=PERSON, caller=who)
    states = open_clarifications(project).list_all()
    told = {str(state.id): state for state in tell_later(states, states)}
    assert [say_contested(each) for each in told.values()] == ["", ""]
    assert say_decision(told[first]) == "NO, never"
    stands = f"(a person had said to the same, which stands: NO, never ({first}))"
    assert say_decision(told[again], named=True) == f"go on with what is known {stands}"
    assert as_data(told[again])["standsBeside"] == f"NO, never ({first})"
    assert clarify_read.inbox_of(project, PERSON).notes == ()
    keep_decisions(project)
    assert tell(project) == {f"{DROP} [{first}]": "users: NO, never."}


@pytest.mark.parametrize("words", ["", "go on with what is known"])
def test_who_lets_go_what_a_thread_asks_again_takes_nothing_back(
    project: Project, words: str
) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "NO, never"), (RENAME, "Yes"), ("May I drop it?", ""))
    clarify_settle.resolve(project, name, words, by=PERSON, caller=SCRIPT)
    keep_decisions(project)
    assert "users: NO, never." in tell(project).values()


@pytest.mark.parametrize("who", [TYPING, SCRIPT], ids=["typed", "unconfirmed"])
@pytest.mark.parametrize("words", ["", "go on with what is known"])
def test_who_lets_a_question_go_leaves_what_was_answered_to_it(
    project: Project, words: str, who: WhoCalls
) -> None:
    name = ask(project, DROP)
    say(project, name, ("", "NO, never"))
    project.clock.sleep_ms(1_000)
    clarify_settle.resolve(project, name, words, by=PERSON, caller=who)
    [state] = open_clarifications(project).list_all()
    assert say_decision(state, named=True) == "NO, never"
    assert name_decider(state) == "a person", "who let it go says nothing of the answer"
    assert clarify_read.inbox_of(project, PERSON).notes == ()
    keep_decisions(project)
    assert tell(project) == {f"{DROP} [{name}]": "users: NO, never."}


def test_who_lets_go_what_an_agent_answered_does_not_take_its_answer(project: Project) -> None:
    wanted = request(issue=1, to="architect", topic="users", question=DROP)
    name = str(open_clarifications(project).ask(wanted, SCOPE).id)
    open_clarifications(project).answer(name, "Yes, drop it", by="architect")
    open_clarifications(project).escalate(name, by="engineer")
    clarify_settle.resolve(project, name, "go on with what is known", by=PERSON, caller=TYPING)
    [state] = open_clarifications(project).list_all()
    assert say_decision(state) == "go on with what is known"
    assert tell(project) == {}


@pytest.mark.parametrize("is_followed_up", [False, True])
def test_what_an_earlier_version_kept_otherwise_is_told_at_the_first_look(
    project: Project, monkeypatch: pytest.MonkeyPatch, *, is_followed_up: bool
) -> None:
    def word_whole(said: str, by: str, asked: str) -> str:
        return cut(f"{said} Decided by {by}, asked: {asked}", 300)

    with monkeypatch.context() as earlier:
        earlier.setattr(answers, "word_decision", word_whole)
        for module in (decided, following, looked_at):
            earlier.setattr(module, "LOOKS", looked_at.LOOKS - 1)
        name = ask(project, f"{'w ' * 100} {DROP}")
        say(project, name, ("", f"NO, never. {'because ' * 60}"))
        if is_followed_up:
            say(project, name, (RENAME, "Yes"))
        settle(project, name)
        keep_decisions(project)
        assert "Decided by" not in memories(project)[0].content
    follow_ledgers(project)
    told = [one for one in memories(project) if not one.superseded_by and DROP in one.content]
    assert [one.content.startswith("users: NO, never.") for one in told] == [True]


def test_what_was_asked_is_told_by_its_end_where_an_agent_says_first_what_it_knows(
    project: Project,
) -> None:
    known = f"The billing service still reads it. {'And so on, as before. ' * 20}"
    name = ask(project, f"{known}{DROP}")
    say(project, name, ("", "NO, never"), (f"{known}{RENAME}", "YES, go"))
    settle(project, name)
    assert {
        said: asked.partition(" [")[0][-len(DROP) :] for asked, said in tell(project).items()
    } == {
        "users: NO, never.": DROP,
        "users: YES, go.": RENAME,
    }
