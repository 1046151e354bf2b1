"""Goal: what a person decided gets into memory however it was settled, once, with who said it, and
never again once a person took it away.

Method: the verbs in process; checkouts share the user's folder, or have one each, and the files of
questions are carried over as git would.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.watch.awaiting import name_asked
from agentx.host.system import SystemClock
from agentx.kernel.errors import AgentXError, ConflictError, LockHeld, UnavailableError
from agentx.observations.model import Observation
from agentx.observations.store.files.store import JsonObservationStore
from agentx.operations.memory.curate import memory_drop, memory_edit, memory_undrop
from agentx.operations.memory.write import NewObservation, memory_add, memory_remove
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.setup.writers import accept_repository, list_writers, trust_writer
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.project.roles import caller
from agentx.project.roles.caller import Via, WhoCalls
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.observations import open_observations
from agentx.wiring.vouched.store import VouchedStore
from agentx.work.model import NewIssue
from tests.support.clarifying import SCOPE, let_go, request
from tests.support.remembering import reword
from tests.support.time_and_chance import FakeClock
from tests.support.trusting import trusted

TYPING = WhoCalls(via=Via.TERMINAL)
Decide = Callable[..., str]


@pytest.fixture(autouse=True)
def _nobody_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))


def checkout(root: Path, name: str, home: str = "home", **more: str) -> Project:
    folder = root / name
    folder.mkdir()
    for words in (("init", "-q"), ("config", "user.name", home)):
        subprocess.run(["git", *words], cwd=folder, check=True, timeout=60)
    (folder / ".agentx").mkdir()
    environment = read_environment({"HOME": str(root / home), "PATH": "/nowhere", **more})
    return trusted(replace(open_project(folder, environment), clock=FakeClock()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = checkout(tmp_path, "one")
    open_issues(made).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    return made


def meet_colleagues(root: Path) -> tuple[Project, Project, Callable[[], None]]:
    """Return two people's checkouts that trust each other, and how their questions are merged."""
    ana, bob = both = [checkout(root, name, home=name) for name in ("ana", "bob")]
    for each in both:
        open_issues(each).create(NewIssue(title="Webhooks", labels=("type:feature",)))
        open_clarifications(each).ask(request(issue=1, topic=each.root.name), SCOPE)

    def merge() -> None:
        for source, target in (both, both[::-1]):
            for path in (each for each in source.paths.questions.rglob("*") if each.is_file()):
                there = target.paths.questions / path.relative_to(source.paths.questions)
                there.parent.mkdir(parents=True, exist_ok=True)
                if not there.exists() or there.stat().st_size < path.stat().st_size:
                    shutil.copy(path, there)

    merge()
    for each in both:
        accept_repository(each)
        [writer] = [one.writer for one in list_writers(each) if not one.own]
        trust_writer(each, writer, caller=TYPING)
    return ana, bob, merge


def ask(project: Project, topic: str, to: str = PERSON) -> str:
    wanted = request(issue=1, to=to, topic=topic, question=f"May we {topic} it?")
    return str(open_clarifications(project).ask(wanted, SCOPE).id)


def decide_unkept(project: Project, topic: str = "buy", said: str = "No, never") -> str:
    """Have a person decide something in the ledger alone, as who is killed after its line."""
    name, room = ask(project, topic), open_clarifications(project)
    room.answer(name, said, by=PERSON, via="terminal")
    room.resolve(name, by="engineer")
    return name


def carry(source: Project, target: Project) -> None:
    """Bring the files of questions over, as a pull does."""
    shutil.copytree(source.paths.questions, target.paths.questions, dirs_exist_ok=True)
    accept_repository(target)


def memories(project: Project) -> list[Observation]:
    with closing(open_observations(project)) as room:
        return list(room.store.everything())


def list_topics(project: Project) -> list[str]:
    return sorted(one.content.partition(":")[0] for one in memories(project))


def test_what_was_settled_and_not_kept_is_kept_at_the_next_sync(project: Project) -> None:
    decide_unkept(project)
    assert memories(project) == []
    assert keep_decisions(project) == 1
    [one] = memories(project)
    assert one.content == "buy: No, never. Decided by home, asked: May we buy it? [CLR-1-001]"
    assert one.agent == PERSON
    assert keep_decisions(project) == 0
    # A role's word, too.
    room = open_clarifications(project)
    asked = ask(project, "lease", "architect")
    room.answer(asked, "Lease it", by="architect")
    room.resolve(asked, by="engineer")
    assert keep_decisions(project) == 1
    assert keep_decisions(project) == 0
    assert sorted(one.agent for one in memories(project)) == ["architect", PERSON]


def test_no_memory_is_edited_into_another_decision(project: Project) -> None:
    name = decide_unkept(project)
    keep_decisions(project)
    [kept] = memories(project)
    with pytest.raises(ConflictError, match=f"what a person decided in {name}") as refused:
        memory_edit(project, kept.id, "buy: No, never.")
    anew = 'agentx clarify ask --issue 1 --from engineer --to human --topic "buy" --question'
    assert anew in refused.value.hint
    assert [one.content for one in memories(project)] == [kept.content]
    # What nobody decided in a question is edited as before.
    note = memory_add(project, NewObservation(text="Deploy on Mondays.", agent=PERSON))
    assert memory_edit(project, note.id, "Deploy on Fridays.").content == "Deploy on Fridays."


def test_another_checkout_of_the_same_user_remembers_it_too(
    project: Project, tmp_path: Path
) -> None:
    decide_unkept(project)
    keep_decisions(project)
    other = checkout(tmp_path, "two")
    carry(project, other)  # where the repository is trusted memory follows at once
    assert [one.content for one in memories(other)] == [one.content for one in memories(project)]
    assert keep_decisions(other) == keep_decisions(project) == 0
    assert [one.content for one in memories(other)] == [one.content for one in memories(project)]


def test_what_a_person_took_away_comes_back_in_no_checkout(
    project: Project, tmp_path: Path
) -> None:
    topics = ("buy", "sell", "rent", "lend", "keep", "mend")
    for topic in topics:
        decide_unkept(project, topic)
    keep_decisions(project)
    by_topic = {one.content.partition(":")[0]: one.id for one in memories(project)}
    memory_drop(project, by_topic["buy"])
    memory_remove(project, by_topic["sell"])
    memory_drop(project, by_topic["rent"])
    memory_undrop(project, by_topic["rent"])
    reword(project, by_topic["lend"], "Lend it to friends.")
    reword(project, by_topic["mend"], "Mend it twice.")
    memory_drop(project, by_topic["mend"])
    left = ["Lend it to friends.", "keep", "rent"]
    assert list_topics(project) == left
    ask(project, "more")  # something new in the same ledger
    assert keep_decisions(project) == 0
    assert list_topics(project) == left

    other = checkout(tmp_path, "two")
    carry(project, other)
    assert list_topics(other) == ["keep", "rent"]
    assert keep_decisions(other) == 0
    assert list_topics(other) == ["keep", "rent"]
    for line in project.data.taken_away.read_text("utf-8").splitlines():
        assert sorted({*json.loads(line)} - {"droppedAt"}) == ["gone", "mark", "question", "salt"]

    shutil.rmtree(project.observations)  # by hand: what was not taken away is kept anew
    assert keep_decisions(project) == 2
    assert list_topics(project) == ["keep", "rent"]
    assert keep_decisions(project) == 0


def test_what_comes_to_something_else_is_kept_though_its_old_word_was_taken_away(
    project: Project,
) -> None:
    name = ask(project, "buy")
    [path] = (project.paths.questions / "1").glob("*.jsonl")
    asked, room = path.read_bytes(), open_clarifications(project)
    room.answer(name, "No, never", by=PERSON, via="terminal")
    room.resolve(name, by="engineer")
    keep_decisions(project)
    [one] = memories(project)
    assert f"{name} still says so to who asked" in memory_drop(project, one.id).stands
    path.write_bytes(asked)  # another checkout, in which it is decided otherwise
    let_go(project)
    room = open_clarifications(project)
    room.answer(name, "Yes, two of them", by=PERSON, via="terminal")
    room.resolve(name, by="engineer")
    assert keep_decisions(project) == 1
    [one] = memories(project)
    assert one.content.startswith("buy: Yes, two")


def test_no_agent_takes_a_persons_decision_away_with_a_note_of_its_own(project: Project) -> None:
    decide_unkept(project)
    claim = "buy: No, never. Decided by home, asked: May we buy it? [CLR-1-001]"
    wanted = NewObservation(text=claim, agent="engineer", issue=1, category="decision")
    memory_remove(project, memory_add(project, wanted).id)
    assert keep_decisions(project) == 1


@pytest.mark.parametrize("refusal", [LockHeld("in use"), UnavailableError("disk full")])
def test_what_could_not_be_kept_once_was_not_taken_away(
    project: Project, monkeypatch: pytest.MonkeyPatch, refusal: AgentXError
) -> None:
    decide_unkept(project)
    store = JsonObservationStore.store

    def refuse(*_args: object) -> None:
        raise refusal

    def lose_to_another(self: JsonObservationStore, kept: Sequence[Observation]) -> None:
        store(self, kept)  # somebody else keeps the same meanwhile
        refuse()

    for each in (refuse, lose_to_another):
        shutil.rmtree(project.observations, ignore_errors=True)
        monkeypatch.setattr(JsonObservationStore, "store", each)
        with suppress(UnavailableError):
            keep_decisions(project)
        monkeypatch.setattr(JsonObservationStore, "store", store)
        keep_decisions(project)
        assert list_topics(project) == ["buy"]
    shutil.rmtree(project.observations)
    assert keep_decisions(project) == 1


def test_many_at_once_keep_one(project: Project) -> None:
    project = replace(project, clock=SystemClock())  # they wait for each other
    for topic in ("buy", "sell", "rent"):
        decide_unkept(project, topic)
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda _: keep_decisions(project), range(6)))
    keep_decisions(project)
    assert list_topics(project) == ["buy", "rent", "sell"]
    # The verb that settles keeps the same one as who looks at the same moment.
    name = ask(project, "lend")
    clarify_settle.answer(project, name, "Never", by=PERSON, caller=TYPING)
    clarify_settle.resolve(project, name, by="engineer", caller=TYPING)
    kept = {one.id for one in memories(project)}
    shutil.rmtree(project.observations)
    keep_decisions(project)
    assert {one.id for one in memories(project)} == kept


def test_nothing_is_read_where_nothing_is_new(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    for topic in ("buy", "sell", "rent"):
        decide_unkept(project, topic)
    keep_decisions(project)

    def refuse(*_args: object, **_rest: object) -> None:
        raise AssertionError("nothing is to be read")

    for name in ("read", "list_judged"):
        monkeypatch.setattr(LedgerStore, name, refuse)
    monkeypatch.setattr("agentx.wiring.kept.decided.open_observations", refuse)
    assert keep_decisions(project) == 0


def test_a_decision_names_who_said_it_after_a_merge(tmp_path: Path) -> None:
    ana, bob, merge = meet_colleagues(tmp_path)
    name = ask(ana, "drop")
    clarify_settle.answer(ana, name, "Yes, one", by=PERSON, caller=TYPING)
    merge()
    for each, asked, said in (
        (ana, "Really drop ALL?", "NO, never all"),
        (bob, "Really keep logs?", "YES, keep logs"),
    ):
        ana.clock.sleep_ms(1_000)
        bob.clock.sleep_ms(2_000)
        clarify_ask.follow_up(each, name, asked, by="engineer", told=lambda _entry: None)
        exact = name_asked(open_clarifications(each).find(name))
        clarify_settle.answer(each, exact, said, by=PERSON, caller=TYPING)
    merge()
    for each in (ana, bob):
        each.clock.sleep_ms(9_000)
    for state in open_clarifications(bob).list_all():
        if state.status == "answered":
            clarify_settle.resolve(bob, state.exact, by="engineer", caller=TYPING)
    merge()
    said_by = {
        "NO, never all": "Decided by ana, asked: Really drop ALL?",
        "YES, keep logs": "Decided by bob, asked: Really keep logs?",
        "Yes, one": "Decided by ana, asked: May we drop it?",
    }
    for each in (ana, bob):
        keep_decisions(each)
        told = [one.content for one in memories(each) if not one.superseded_by]
        assert told
        for content in told:
            assert [said for said, who in said_by.items() if said in content and who in content]


def test_what_was_asked_anew_and_decided_otherwise_is_told_alone(project: Project) -> None:
    first = decide_unkept(project, said="YES, buy")
    project.clock.sleep_ms(1_000)
    second = decide_unkept(project, said="NO, never")
    decide_unkept(project, topic="sell", said="YES, sell")
    keep_decisions(project)

    told = {one.content.rpartition(" ")[2]: one.superseded_by for one in memories(project)}
    assert told == {f"[{first}]": second, f"[{second}]": "", "[CLR-1-003]": ""}
    assert keep_decisions(project) == 0


def decide_apart(both: Sequence[Project], topics: Sequence[str], said: Sequence[str]) -> str:
    """Have each of two colleagues settle a question before they meet; return what both call it."""
    names = set[str]()
    for each, topic, word in zip(both, topics, said, strict=True):
        for clock in (one.clock for one in both):
            clock.sleep_ms(1_000)
        names.add(decide_unkept(each, topic, word))
        keep_decisions(each)
    [name] = names
    return name


def list_told(project: Project) -> dict[str, str]:
    """Return what memory says of each question, and what is told of it alone."""
    return {
        one.content.rpartition(" ")[2]: one.content.partition(" Decided by ")[0]
        for one in memories(project)
        if not one.superseded_by
    }


def test_what_two_clones_called_alike_is_told_of_its_own_question_after_they_meet(
    tmp_path: Path,
) -> None:
    *both, merge = meet_colleagues(tmp_path)
    name = decide_apart(both, ("drop", "store"), ("YES, drop", "NO, never"))
    merge()
    for each in both:
        keep_decisions(each)
        assert list_told(each) == {
            f"[{name}]": "drop: YES, drop.",
            "[CLR-1-004]": "store: NO, never.",
        }
        assert keep_decisions(each) == 0
        assert len(memories(each)) == 2


@pytest.mark.parametrize("said", ["NO, never", "YES, drop"])
def test_what_two_clones_asked_alike_is_told_by_its_last_word_after_they_meet(
    tmp_path: Path, said: str
) -> None:
    *both, merge = meet_colleagues(tmp_path)
    name = decide_apart(both, ("drop", "drop"), ("YES, drop", said))
    merge()
    for each in both:
        keep_decisions(each)
        assert list_told(each) == {"[CLR-1-004]": f"drop: {said}."}
        withheld = {one.superseded_by for one in memories(each) if f"[{name}]" in one.content}
        assert withheld == {"CLR-1-004"}
        assert keep_decisions(each) == 0


def test_what_is_noted_of_a_memory_does_not_write_the_name_that_its_question_has_here(
    tmp_path: Path,
) -> None:
    *both, merge = meet_colleagues(tmp_path)
    name = decide_apart(both, ("drop", "store"), ("YES, drop", "NO, never"))
    merge()
    with closing(open_observations(both[1])) as room:
        [told] = room.store.everything()
        room.store.amend([replace(told, changed_files=("a.py",))])
        assert told.content.endswith("[CLR-1-004]")
        assert told.summary == told.content
        assert isinstance(room.store, VouchedStore)
        [kept] = room.store.plain.everything()
        assert kept.content.endswith(f"[{name}]")
        [again] = room.store.everything()
        assert (again.content, again.agent) == (told.content, PERSON)


def test_what_an_agent_answered_is_told_of_its_own_question_after_two_clones_meet(
    tmp_path: Path,
) -> None:
    *both, merge = meet_colleagues(tmp_path)
    for each, said in zip(both, ("In one table", "In two tables"), strict=True):
        for clock in (one.clock for one in both):
            clock.sleep_ms(1_000)
        name, room = ask(each, "store", to="architect"), open_clarifications(each)
        room.answer(name, said, by="architect")
        room.resolve(name, by="engineer")
        keep_decisions(each)
    merge()
    for each in both:
        keep_decisions(each)
        assert list_told(each) == {
            "[CLR-1-003]": "store: In one table.",
            "[CLR-1-004]": "store: In two tables.",
        }


@pytest.mark.parametrize("at", [0, 1])
def test_who_forgets_what_two_clones_called_alike_forgets_that_alone(
    tmp_path: Path, at: int
) -> None:
    *both, merge = meet_colleagues(tmp_path)
    decide_apart(both, ("drop", "store"), ("YES, drop", "NO, never"))
    merge()
    for each in both:
        keep_decisions(each)
    here = both[1]  # called the second question as the first was called
    state = open_clarifications(here).find(("CLR-1-003", "CLR-1-004")[at])

    clarify_settle.forget(here, state.exact, caller=TYPING)

    assert [one.content.partition(":")[0] for one in memories(here)] == [("store", "drop")[at]]
    keep_decisions(here)
    assert [one.content.partition(":")[0] for one in memories(here)] == [("store", "drop")[at]]


def test_who_drops_what_two_clones_called_alike_drops_that_alone(tmp_path: Path) -> None:
    *both, merge = meet_colleagues(tmp_path)
    decide_apart(both, ("drop", "drop"), ("YES, drop", "YES, drop"))
    merge()
    keep_decisions(both[1])
    [told] = [one for one in memories(both[1]) if not one.superseded_by]
    memory_drop(both[1], told.id)
    assert keep_decisions(both[1]) == 0
    assert [one.content[-11:] for one in memories(both[1])] == ["[CLR-1-003]"]


@pytest.mark.parametrize("topic", ["drop", "store"])
def test_what_is_open_again_after_two_clones_meet_is_withheld_for_its_own_question(
    tmp_path: Path, topic: str
) -> None:
    *both, merge = meet_colleagues(tmp_path)
    name = decide_apart(both, ("drop", topic), ("YES, drop", "NO, never"))
    [kept] = memories(both[1])
    merge()
    let_go(both[1])  # and bring about a checkout in which it is not settled
    for path in both[1].paths.questions.rglob("*.jsonl"):
        if b"NO, never" in (lines := path.read_bytes()):
            path.write_bytes(lines[: lines.rstrip(b"\n").rindex(b"\n") + 1])
    keep_decisions(both[1])
    withheld = {one.id: (one.superseded_by, one.content[-11:]) for one in memories(both[1])}
    assert withheld.pop(kept.id) == ("CLR-1-004", "[CLR-1-004]")
    assert {content for _, content in withheld.values()} == {f"[{name}]"}
    with closing(open_observations(both[1])) as room:
        assert isinstance(room.store, VouchedStore)
        assert not [one.id for one in room.store.plain.everything() if one.superseded_by]


def test_what_was_said_anew_and_is_not_settled_stands_beside_what_was_said_before(
    project: Project,
) -> None:
    first = decide_unkept(project, said="NO, never")
    keep_decisions(project)
    project.clock.sleep_ms(1_000)
    second, room = ask(project, "buy"), open_clarifications(project)
    room.answer(second, "NO, I told you", by=PERSON, via="terminal")
    [one] = memories(project)
    assert (one.superseded_by, one.decided_later) == ("", f"NO, I told you ({second})")
    assert one.content.endswith(f"[{first}]")

    room.resolve(second, by="engineer")
    keep_decisions(project)
    told = {one.content[-11:]: (one.superseded_by, one.decided_later) for one in memories(project)}
    assert told == {f"[{first}]": (second, ""), f"[{second}]": ("", "")}
