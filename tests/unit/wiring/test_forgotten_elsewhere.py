"""Goal: what somebody whose words count forgot is gone from every memory that reads so, words and
all; nobody else's word takes anything out of one, and nothing else goes with it.

Method: the verbs in process; colleagues' checkouts, and two of one user, whose files of questions
are carried over as a pull does.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable
from contextlib import closing
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.kernel.clock import DAY_MS
from agentx.kernel.errors import LockHeld
from agentx.observations.model import SearchFilters
from agentx.observations.service import Observations
from agentx.operations.memory.read import memory_list
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.questions.aging import forget_aged
from agentx.operations.questions.routing import hub_of
from agentx.operations.setup.writers import list_writers, withdraw_writer
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.kept.following import follow_ledgers
from agentx.wiring.observations import open_observations, open_vouched
from agentx.wiring.trust.lost_words import list_lost_words
from agentx.work.model import NewIssue
from tests.support.clarifying import let_go
from tests.unit.wiring.test_kept_decisions import (
    TYPING,
    ask,
    carry,
    checkout,
    decide_apart,
    decide_unkept,
    list_told,
    list_topics,
    meet_colleagues,
    memories,
)


@pytest.fixture(autouse=True)
def _nobody_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))


def pull(source: Project, target: Project) -> None:
    """Bring the files of questions over, shortened ones too."""
    shutil.copytree(source.paths.questions, target.paths.questions, dirs_exist_ok=True)


def decide(both: Iterable[Project], topic: str = "drop", said: str = "YES, hunter2") -> str:
    """Have the first decide something that all of them keep."""
    ana, *others = both
    name = decide_unkept(ana, topic, said)
    keep_decisions(ana)
    for each in others:
        pull(ana, each)
        keep_decisions(each)
    return name


def list_holding(project: Project, word: str) -> list[str]:
    """Return the files in which a word stands: of the checkout, and of its user."""
    folders = (project.root / ".agentx", project.data.root, project.observations)
    files = {path for folder in folders for path in folder.rglob("*") if path.is_file()}
    return sorted(str(path) for path in files if word.encode() in path.read_bytes())


@pytest.mark.parametrize("home", ["bob", "ana"])
def test_what_was_forgotten_is_out_of_every_memory_that_reads_so(tmp_path: Path, home: str) -> None:
    if home == "ana":  # one person, two checkouts
        ana, bob = (checkout(tmp_path, name, home="ana") for name in ("one", "two"))
        open_issues(ana).create(NewIssue(title="Webhooks", labels=("type:feature",)))
        ask(ana, "lease")
        carry(ana, bob)
    else:
        ana, bob, _ = meet_colleagues(tmp_path)
    name = decide((ana, bob))
    assert list_topics(bob) == ["drop"]
    clarify_settle.forget(ana, name, caller=TYPING)
    pull(ana, bob)

    assert memories(bob) == [], "before anybody takes it out"
    assert memory_list(bob, SearchFilters()) == ()
    assert list_holding(bob, "hunter2") == []
    with closing(open_vouched(bob)) as store:
        assert [*store.plain.everything(), *store.plain.archive()] == []
        assert store.list_missing() == ()
    # The same is asked anew: the new word is told alone.
    anew = decide((ana, bob), said="NO, keep it")
    assert anew != name
    assert list_told(bob) == {f"[{anew}]": "drop: NO, keep it."} == list_told(ana)


def test_what_cannot_be_taken_out_yet_is_told_to_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    name = decide((ana, bob))
    clarify_settle.forget(ana, name, caller=TYPING)
    pull(ana, bob)

    def refuse(*_: object) -> None:
        raise LockHeld("somebody writes")

    with monkeypatch.context() as patched:
        patched.setattr(Observations, "forget", refuse)
        follow_ledgers(bob)
        [kept] = open_vouched(bob).plain.everything()
        with closing(open_observations(bob)) as room:
            assert room.store.search("hunter2") == ()
            assert room.store.search_by_filters(SearchFilters(issue_number=1)) == ()
            assert room.store.search_by_filters(SearchFilters(superseded=True)) == ()
            assert room.store.get_by_issue(1) == ()
            assert room.store.get_by_id(kept.id) is None
    follow_ledgers(bob)
    assert list_holding(bob, "hunter2") == [], "the next look takes it out"


def test_nobody_whose_words_do_not_count_takes_a_persons_word_out_of_a_memory(
    tmp_path: Path,
) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    name = decide((bob, ana))
    [writer] = [one.writer for one in list_writers(bob) if not one.own]
    withdraw_writer(bob, writer, caller=TYPING)
    clarify_settle.forget(ana, name, caller=TYPING)
    pull(ana, bob)

    keep_decisions(bob)
    assert list_told(bob) == {f"[{name}]": "drop: YES, hunter2."}
    let_go(bob)  # nothing here says any more what was asked
    keep_decisions(bob)
    assert list_told(bob) == {f"[{name}]": "drop: YES, hunter2."}


def test_what_is_of_another_question_than_the_forgotten_one_of_its_name_is_told(
    tmp_path: Path,
) -> None:
    """Named alike, and asked where nobody is now: nothing says that it was forgotten."""
    ana, bob, _ = meet_colleagues(tmp_path)
    name = decide_apart((ana, bob), ("drop", "store"), ("YES, drop", "NO, never"))
    clarify_settle.forget(ana, name, caller=TYPING)
    for path in bob.paths.questions.rglob("*.jsonl"):
        path.unlink()
    let_go(bob)
    pull(ana, bob)

    keep_decisions(bob)
    assert list_told(bob) == {f"[{name}]": "store: NO, never."}


@pytest.mark.parametrize("at", [0, 1])
def test_who_forgets_one_of_two_that_clones_called_alike_lets_all_of_them_be_told_the_other(
    tmp_path: Path, at: int
) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    decide_apart((ana, bob), ("drop", "store"), ("NO, never", "YES, hunter2"))
    pull(bob, ana)
    clarify_settle.forget(
        ana, open_clarifications(ana).find(("CLR-1-003", "CLR-1-004")[at]).exact, caller=TYPING
    )
    pull(ana, bob)

    for each in (ana, bob):
        keep_decisions(each)
        assert list(list_told(each).values()) == [("store: YES, hunter2.", "drop: NO, never.")[at]]


def test_what_is_kept_of_another_question_is_not_kept_of_the_one_that_it_names(
    tmp_path: Path,
) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    name = decide_apart((ana, bob), ("drop", "store"), ("NO, never", "YES, store"))
    for path in bob.paths.questions.rglob("*.jsonl"):
        path.unlink()  # what bob asked is in no ledger of his any more
    let_go(bob)
    pull(ana, bob)

    keep_decisions(bob)
    assert list_told(bob)[f"[{name}]"] == "drop: NO, never."


HIDDEN = "Staging password"  # with which memory takes the answer for one


@pytest.mark.parametrize("is_moved", [False, True])
def test_what_memory_keeps_redacted_is_forgotten_too(tmp_path: Path, is_moved: bool) -> None:
    ana, bob, merge = meet_colleagues(tmp_path)
    if is_moved:  # its number is another's: it is called otherwise than it was asked as
        decide_apart((bob, ana), ("store", HIDDEN), ("NO, never", "Tr0ub4dor, and drop it"))
        merge()
        name = "CLR-1-004"
    else:
        name = decide((ana, bob), HIDDEN, "Tr0ub4dor, and drop it")
    keep_decisions(bob)
    assert f"{HIDDEN}: [REDACTED:password], and drop it." in list_told(bob).values()
    clarify_settle.forget(ana, open_clarifications(ana).find(name).exact, caller=TYPING)
    pull(ana, bob)

    assert [one for one in memories(bob) if HIDDEN in one.content] == [], "before it is taken out"
    keep_decisions(bob)
    assert list_holding(bob, "and drop it") == []
    anew = decide((ana, bob), HIDDEN, "hunter22, and keep it")
    assert list_told(bob)[f"[{anew}]"] == f"{HIDDEN}: [REDACTED:password], and keep it."
    assert [*list_told(bob).values()].count(f"{HIDDEN}: [REDACTED:password], and drop it.") == 0


@pytest.mark.parametrize("topics", [("Staging password", "Other password"), (HIDDEN, HIDDEN)])
def test_what_is_kept_redacted_of_another_question_stays(
    tmp_path: Path, topics: tuple[str, str]
) -> None:
    """Both were called alike, and of both memory has the answer redacted."""
    ana, bob, merge = meet_colleagues(tmp_path)
    decide_apart((ana, bob), topics, ("Tr0ub4dor, and drop it", "hunter22, and keep it"))
    merge()
    for each in (ana, bob):
        keep_decisions(each)
    clarify_settle.forget(ana, open_clarifications(ana).find("CLR-1-003").exact, caller=TYPING)
    pull(ana, bob)

    for each in (ana, bob):
        keep_decisions(each)
        assert [*list_told(each).values()] == [f"{topics[1]}: [REDACTED:password], and keep it."]


@pytest.mark.parametrize("is_kept", [True, False])
def test_what_a_question_came_to_outlives_its_ledger_everywhere(
    tmp_path: Path, is_kept: bool
) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    name = decide_unkept(ana, "drop", "YES, drop it")
    pull(ana, bob)
    for each in (ana, bob) if is_kept else (bob,):
        keep_decisions(each)
    for each in (ana, bob):
        each.clock.sleep_ms(400 * DAY_MS)
    assert forget_aged(ana, 365) == 1
    pull(ana, bob)

    for each in (ana, bob):
        keep_decisions(each)
        assert open_clarifications(each).ledger(1).find(name) is None
        assert list_told(each) == {f"[{name}]": "drop: YES, drop it."}
        assert [one.agent for one in memories(each)] == [PERSON]


def test_what_went_with_its_age_is_forgotten_by_who_says_so(tmp_path: Path) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    name = decide((ana, bob))
    for each in (ana, bob):
        each.clock.sleep_ms(400 * DAY_MS)
    assert forget_aged(ana, 365) == 1
    clarify_settle.forget(bob, name, caller=TYPING)
    pull(bob, ana)

    assert memories(ana) == memories(bob) == []
    keep_decisions(ana)
    assert list_holding(ana, "hunter2") == []


@pytest.mark.parametrize("is_aged", [False, True])
def test_the_words_of_what_was_forgotten_go_also_where_memory_has_none(
    tmp_path: Path, is_aged: bool
) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    name, room = ask(ana, "drop", "architect"), open_clarifications(ana)
    room.answer(name, "It is hunter2.", by="architect")
    if is_aged:
        room.resolve(name, by="engineer")
    pull(ana, bob)
    open_clarifications(bob).renew()
    assert len(list_holding(bob, "hunter2")) > 2, "in the repository, in the view, and held"
    if is_aged:
        for each in (ana, bob):
            each.clock.sleep_ms(400 * DAY_MS)
        assert forget_aged(ana, 365) == 1
    else:
        clarify_settle.forget(ana, name, caller=TYPING)
    pull(ana, bob)

    follow_ledgers(bob)
    assert list_holding(bob, "hunter2") == []


@pytest.mark.parametrize("is_settled", [False, True])
def test_what_outlives_its_ledger_falls_to_what_is_decided_since(
    tmp_path: Path, is_settled: bool
) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    name = decide((ana, bob), "note: drop", "YES, drop it")
    for each in (ana, bob):
        each.clock.sleep_ms(400 * DAY_MS)
    assert forget_aged(ana, 365) == 1
    pull(ana, bob)
    decide((ana, bob), "drop", "NO, another matter")
    if is_settled:
        anew = decide((ana, bob), "note: drop", "NO, keep it")
    else:
        anew = ask(ana, "note: drop")
        open_clarifications(ana).answer(anew, "NO, keep it", by=PERSON, via="terminal")
        pull(ana, bob)

    for each in (ana, bob):
        keep_decisions(each)
        [old] = [one for one in memories(each) if name in one.content]
        later = f"NO, keep it ({anew})"
        assert (old.superseded_by, old.decided_later) == ((anew, "") if is_settled else ("", later))
        assert "drop: NO, another matter." in list_told(each).values()


def say_meanwhile(root: Path, *, is_scrubbed: bool) -> tuple[Project, Project, str]:
    """Have one forget a question that another decides meanwhile; return both when they met."""
    ana, bob, _ = meet_colleagues(root)
    name = ask(ana, "drop")
    pull(ana, bob)
    clarify_settle.forget(ana, name, caller=TYPING)
    open_clarifications(bob).answer(name, "NO, hunter2", by=PERSON, via="terminal")
    [said] = [
        each for each in bob.paths.questions.rglob("*.jsonl") if b"hunter2" in each.read_bytes()
    ]
    there = ana.paths.questions / said.relative_to(bob.paths.questions)
    shutil.copy(said, there)
    if is_scrubbed:  # whoever pulls first takes the words out of all files
        open_clarifications(ana).renew()
        assert b"hunter2" not in there.read_bytes()
        pull(ana, bob)
    else:
        for path in (ana.paths.questions / "1").glob("*.jsonl"):
            if path.name != said.name:
                shutil.copy(path, bob.paths.questions / "1" / path.name)
    return ana, bob, name


@pytest.mark.parametrize("is_scrubbed", [False, True])
def test_who_spoke_to_what_another_had_forgotten_is_told_once_that_it_went(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_scrubbed: bool
) -> None:
    ana, bob, name = say_meanwhile(tmp_path, is_scrubbed=is_scrubbed)
    went = "what you said to it went with it, in every clone"
    seen = clarify_read.inbox_of(bob, PERSON)
    assert seen.notes == (f"{name}: ana forgot this question for good, and {went}",)
    assert clarify_read.inbox_of(ana, PERSON).notes == ()
    assert list_holding(bob, "hunter2") == [], "the word itself is told nowhere"
    assert clarify_read.inbox_of(bob, "engineer").notes == ()
    assert clarify_read.inbox_of(bob, PERSON).notes == seen.notes, "no terminal showed it yet"
    monkeypatch.setattr(clarify_read, "find_caller", lambda _project: TYPING)
    clarify_read.note_told(bob, seen)
    open_clarifications(bob).take_in()
    assert clarify_read.inbox_of(bob, PERSON).notes == ()


def test_nobody_is_told_of_what_they_forgot_themselves_or_a_role_said(tmp_path: Path) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    name = ask(ana, "drop")
    pull(ana, bob)
    open_clarifications(bob).resolve(name, "NO", by=PERSON, via="terminal")
    clarify_settle.forget(bob, name, caller=TYPING)
    other = ask(ana, "sell", "architect")
    pull(ana, bob)
    open_clarifications(bob).answer(other, "Sell.", by="architect")
    clarify_settle.forget(ana, other, caller=TYPING)
    for path in (ana.paths.questions / "1").glob("*.jsonl"):
        if b"forgotten" in path.read_bytes():
            shutil.copy(path, bob.paths.questions / "1" / path.name)
    assert clarify_read.inbox_of(bob, PERSON).notes == ()
    assert list_lost_words(bob) == ()


def test_what_went_is_told_for_a_week_and_a_note_that_is_damaged_harms_nobody(
    tmp_path: Path,
) -> None:
    _, bob, _ = say_meanwhile(tmp_path, is_scrubbed=False)
    assert len(clarify_read.inbox_of(bob, PERSON).notes) == 1
    bob.clock.sleep_ms(8 * DAY_MS)
    assert clarify_read.inbox_of(bob, PERSON).notes == ()
    bob.store.lost_words.write_bytes(b'{"lost": [{"event": 3}]}')
    assert list_lost_words(bob) == ()


def test_no_word_of_a_forgotten_question_stays_in_the_log_of_who_saw_it(tmp_path: Path) -> None:
    ana, bob, _ = meet_colleagues(tmp_path)
    name = ask(ana, "lease", to="architect")
    pull(ana, bob)
    for each in (ana, bob):
        hub_of(each).escalate(name, "is it hunter2?", by="engineer")
        assert list_holding(each, "hunter2"), "its log says why the person was called"
    clarify_settle.forget(ana, name, caller=TYPING)
    assert list_holding(ana, "hunter2") == []
    pull(ana, bob)
    keep_decisions(bob)
    assert list_holding(bob, "hunter2") == []
