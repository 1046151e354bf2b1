"""Goal: only a person takes what a person said out of memory: that is known from the user's own
record, in every checkout of theirs, whatever a file of the repository says and whatever a question
is called since; and a person brings it back.

Method: the verbs in process; the list of what was dropped is written by hand, as with a file tool;
checkouts share the user's folder, or have one each.
"""

from __future__ import annotations

import json
import shutil
from contextlib import closing
from pathlib import Path

import pytest

from agentx.clarification.errors import NotThePerson
from agentx.clarification.model import PERSON
from agentx.host.ancestry import Ancestor
from agentx.kernel.errors import NotFound
from agentx.observations.model import Observation
from agentx.operations.memory.check import memory_verify
from agentx.operations.memory.curate import memory_drop, memory_dropped, memory_undrop
from agentx.operations.memory.write import NewObservation, memory_add, memory_remove
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import settle as clarify_settle
from agentx.operations.upkeep.doctor import _observations
from agentx.project.project import Project
from agentx.project.roles import caller
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.kept.said import keep_said
from agentx.wiring.observation_upkeep import settle_observations
from agentx.wiring.observations import open_observations
from agentx.wiring.vouched.store import VouchedStore
from agentx.work.model import NewIssue
from tests.unit.wiring.test_kept_decisions import (
    TYPING,
    ask,
    carry,
    checkout,
    decide_unkept,
    meet_colleagues,
    memories,
)

CLAUDE = Ancestor(name="claude", arguments=("claude",), variables={})


@pytest.fixture(autouse=True)
def _nobody_above(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter(()))


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = checkout(tmp_path, "one")
    open_issues(made).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    return made


def sync(project: Project) -> None:
    keep_decisions(project)
    keep_said(project)
    settle_observations(project)


def told(project: Project) -> list[str]:
    return sorted(one.content.partition(".")[0] for one in memories(project))


def type_dropped(project: Project, *ids: str, **more: object) -> Path:
    """Write the list of what was dropped by hand."""
    dropped = [
        {"id": each, "droppedAt": "2026-01-05T09:00:00.000Z", "traces": [], **more} for each in ids
    ]
    path = project.observations / "dropped.json"
    path.write_text(json.dumps({"version": 1, "salt": "97" * 16, "dropped": dropped}))
    return path


def read_records(project: Project) -> list[bytes]:
    paths = (project.store.persons, project.data.taken_away)
    return [path.read_bytes() if path.exists() else b"" for path in paths]


def test_a_list_written_by_hand_takes_nothing_of_a_persons_away(project: Project) -> None:
    decide_unkept(project)
    memory_add(project, NewObservation(text="Never on Fridays.", agent=PERSON, issue=1))
    note = memory_add(project, NewObservation(text="The broker is slow.", agent="qa", issue=1))
    sync(project)
    ids = [one.id for one in memories(project)]
    before = read_records(project)
    path = type_dropped(project, *ids)
    sync(project)
    assert told(project) == ["Never on Fridays", "buy: No, never"]  # of agents' it is as ever
    assert read_records(project) == before
    persons = [each for each in ids if each != note.id]
    damaged = memory_verify(project).damaged
    says = [check for check in _observations(project) if check.health == "wrong"]
    for name in persons:
        assert [line for line in damaged if name in line and "dropped.json" in line]
        [check] = [each for each in says if name in each.says]
        assert f"agentx memory undrop {name}" in check.mend
    assert [each.id for each in memory_dropped(project)] == [note.id]
    with closing(open_observations(project)) as room:
        assert not [each for each in persons if room.get(each)[1]]
    memory_undrop(project, persons[0])  # takes the line out
    left = {each["id"] for each in json.loads(path.read_text())["dropped"]}
    assert left == {note.id, persons[1]}
    # What is forgotten by a person for good, or never was there, is no attempt.
    shutil.rmtree(project.observations)
    sync(project)
    assert told(project) == ["Never on Fridays", "buy: No, never"]


def test_a_list_written_by_hand_keeps_out_nothing_that_a_person_decides_later(
    project: Project,
) -> None:
    decide_unkept(project)
    sync(project)
    [one] = memories(project)
    shutil.rmtree(project.observations)
    project.store.persons.unlink()
    project.observations.mkdir()
    type_dropped(project, one.id)  # its id can be known before it is kept
    sync(project)
    assert told(project) == ["buy: No, never"]


def test_a_list_written_by_hand_brings_back_nothing_that_a_person_dropped(
    project: Project,
) -> None:
    decide_unkept(project)
    memory_add(project, NewObservation(text="Never on Fridays.", agent=PERSON, issue=1))
    sync(project)
    ids = [one.id for one in memories(project)]
    for each in ids:
        memory_drop(project, each)
    for returning in (True, False):
        type_dropped(project, *ids, returning=returning)
        sync(project)
        assert told(project) == []
    (project.observations / "dropped.json").unlink()
    sync(project)
    assert told(project) == []
    assert sorted(each.id for each in memory_dropped(project)) == sorted(ids)


def test_no_agent_brings_back_what_a_person_dropped(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide_unkept(project)
    sync(project)
    [one] = memories(project)
    memory_drop(project, one.id)
    monkeypatch.setattr(caller, "list_ancestors", lambda: iter((CLAUDE,)))
    before = read_records(project)
    with pytest.raises(NotThePerson):
        memory_undrop(project, one.id)
    shutil.rmtree(project.observations)  # nor where its text lies nowhere
    with pytest.raises(NotThePerson):
        memory_undrop(project, one.id)
    assert read_records(project) == before


def test_who_is_killed_while_dropping_has_it_dropped_at_the_next_sync(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    decide_unkept(project)
    sync(project)
    [one] = memories(project)

    def die(*_args: object, **_rest: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr("agentx.observations.tidying.dropping._cut_overviews", die)
        with pytest.raises(KeyboardInterrupt):
            memory_drop(project, one.id)
    sync(project)
    assert told(project) == []
    with monkeypatch.context() as patch:
        patch.setattr(VouchedStore, "bring_back", die)
        with pytest.raises(KeyboardInterrupt):
            memory_undrop(project, one.id)
    sync(project)
    assert told(project) == ["buy: No, never"]


def find_fate(project: Project, one: Observation) -> tuple[bool, bool]:
    """Tell whether a memory is on record, and whether a person took it away."""
    with closing(open_observations(project)) as room:
        assert isinstance(room.store, VouchedStore)
        return room.store.record.holds(one.id), room.store.taken_away.holds(["any"], one)


@pytest.mark.parametrize("which", ["persons", "taken_away"])
def test_a_record_that_cannot_be_read_for_a_moment_is_not_empty(
    project: Project, which: str
) -> None:
    decide_unkept(project)
    sync(project)
    [one] = memories(project)
    memory_drop(project, one.id)
    decide_unkept(project, "rent")
    sync(project)
    path = project.store.persons if which == "persons" else project.data.taken_away
    aside = path.rename(path.with_suffix(".aside"))
    path.mkdir()
    with pytest.raises(OSError, match=path.name):
        find_fate(project, one)
    path.rmdir()
    aside.rename(path)
    sync(project)
    assert told(project) == ["rent: No, never"]


def test_what_a_person_drops_counts_though_their_record_is_damaged(project: Project) -> None:
    decide_unkept(project)
    sync(project)
    [one] = memories(project)
    path, lines = project.store.persons, project.store.persons.read_text("utf-8")
    path.write_text(f"damaged\n{lines}", "utf-8")
    memory_drop(project, one.id)
    path.write_text(path.read_text("utf-8").removeprefix("damaged\n"), "utf-8")
    sync(project)
    assert told(project) == []
    assert [each.id for each in memory_dropped(project)] == [one.id]


@pytest.mark.parametrize("is_emptied", [False, True])
def test_what_only_the_record_says_is_gone_a_person_brings_back(
    project: Project, *, is_emptied: bool
) -> None:
    decide_unkept(project)
    sync(project)
    [one] = memories(project)
    with pytest.raises(NotFound):
        memory_undrop(project, one.id)
    # As an earlier version did with a list that was written by hand.
    with closing(open_observations(project)) as room:
        store = room.store
        assert isinstance(store, VouchedStore)
        store.record.note_gone((one.id,))
        store.taken_away.note([store.witness.find_outcome(one) or ((), one)])
        store.plain.put_away((one.id,))
    if is_emptied:
        shutil.rmtree(project.observations)
    sync(project)
    assert told(project) == []
    assert memory_undrop(project, one.id).restored
    sync(project)
    assert told(project) == ["buy: No, never"]


@pytest.mark.parametrize("more", [{}, {"AGENTX_PROJECT_ID": "shop"}], ids=["apart", "one store"])
def test_what_a_person_dropped_in_one_checkout_no_other_of_theirs_tells(
    more: dict[str, str], tmp_path: Path
) -> None:
    project, other = (checkout(tmp_path, name, **more) for name in ("one", "two"))
    assert (project.store.persons == other.store.persons) == bool(more)
    open_issues(project).create(NewIssue(title="Webhooks", labels=("type:feature",)))
    for topic in ("buy", "rent"):
        decide_unkept(project, topic)
    sync(project)
    carry(project, other)
    sync(other)
    both = ["buy: No, never", "rent: No, never"]
    assert told(other) == told(project) == both
    buy = next(one.id for one in memories(project) if one.content.startswith("buy"))
    memory_drop(project, buy)
    sync(other)
    assert told(other) == told(project) == both[1:]
    assert [each.id for each in memory_dropped(other)] == [buy]
    assert memory_undrop(other, buy).restored
    assert told(other) == both
    sync(project)
    assert told(project) == both
    sync(other)
    assert told(other) == both
    assert memory_dropped(other) == memory_dropped(project) == ()
    for each in (project, other):
        assert not memory_verify(each).damaged
        with closing(open_observations(each)) as room:
            assert not list(room.store.archive())
    memory_remove(project, buy)
    sync(project)
    assert told(project) == both[1:]


def test_what_a_person_dropped_stays_away_when_its_question_is_called_otherwise(
    tmp_path: Path,
) -> None:
    ana, bob, merge = meet_colleagues(tmp_path)
    name = ask(ana, "drop")
    clarify_settle.answer(ana, name, "Yes, one", by=PERSON, caller=TYPING)
    merge()
    for at, (each, asked) in enumerate(((bob, "Really keep logs?"), (ana, "Really drop ALL?"))):
        each.clock.sleep_ms(1_000 * (at + 1))
        clarify_ask.follow_up(each, name, asked, by="engineer", told=lambda _entry: None)
    clarify_settle.answer(ana, name, "NO, never all", by=PERSON, caller=TYPING)
    clarify_settle.resolve(ana, name, by="engineer", caller=TYPING)
    sync(ana)
    [kept] = [one for one in memories(ana) if "NO, never all" in one.content]
    assert kept.content.endswith(f"[{name}]")
    memory_drop(ana, kept.id)
    merge()
    states = open_clarifications(ana).list_all()
    [moved] = [state.id for state in states if state.answer == "NO, never all"]
    assert moved != name
    for _ in range(2):
        sync(ana)
        assert not [one for one in memories(ana) if "NO, never all" in one.content]
    memory_undrop(ana, kept.id)
    sync(ana)
    [back] = [one for one in memories(ana) if "never all" in one.content and not one.superseded_by]
    assert back.content.endswith(f"[{moved}]")
