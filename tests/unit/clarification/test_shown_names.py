"""Goal: a name that meant another question to somebody decides nothing, whatever became of views.

Method: clones whose names moved, with the view taken away, put back old, or of another checkout;
and what a person was shown last.
"""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.model import PERSON, Clarification
from agentx.clarification.service import Clarifications
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.naming.shown import ShownNames
from agentx.clarification.store.view import ledger_path
from agentx.kernel.bus import Bus
from agentx.kernel.errors import NameMoved
from tests.support.clarifying import PEN, SCOPE, Room, request, room
from tests.unit.clarification.test_offshoots import apart, meet


def noting(here: Room, folder: Path, place: str) -> Clarifications:
    """Return a room's questions, with what names meant kept in a folder."""
    pen = replace(PEN, writer=lambda: place, shown=ShownNames(folder, place))
    store = LedgerStore(here.paths, here.clock, pen)
    return Clarifications(store, clock=here.clock, bus=Bus())


def lose_view(here: Room) -> None:
    ledger_path(here.paths, 42).unlink()


def put(questions: Clarifications, topic: str) -> Clarification:
    wanted = request(to=PERSON, topic=topic, question=f"May we {topic}?")
    return questions.put(wanted, replace(SCOPE, can_clarify=(PERSON,))).state


def hide(here: Room, aside: Path) -> None:
    shutil.move(here.paths.questions / "42", aside)


@pytest.mark.promise("clarify.merge")
def test_a_view_that_is_lost_forgets_no_name(tmp_path: Path) -> None:
    one, two, asked = apart(tmp_path)
    questions = noting(two, tmp_path / "data", "d4e5f6")
    lose_view(two)
    questions.ledger(42)
    questions.renew()
    meet(one, two)
    lose_view(two)

    with pytest.raises(NameMoved) as refused:
        questions.find_meant(asked.id)
    assert "CLR-42-001@" in refused.value.hint
    assert "CLR-42-002@" in refused.value.hint
    assert one.clarifications.find_meant(asked.id).id == asked.id


def test_who_takes_question_and_view_away_gets_no_answer_to_another(tmp_path: Path) -> None:
    here, data = room(tmp_path / "here"), tmp_path / "data"
    questions = noting(here, data, "a1b2c3")
    put(questions, "delete")
    hide(here, tmp_path / "aside")
    lose_view(here)
    log = put(questions, "log")
    assert questions.find_meant(log.id, by_person=True).topic == "log"
    assert log.id == "CLR-42-001"
    # Both are there: which names had which is known here, and nobody need have been shown any.
    for file in (tmp_path / "aside").iterdir():
        shutil.copy(file, here.paths.questions / "42" / f"{file.stem}-0001.jsonl")
    lose_view(here)
    with pytest.raises(NameMoved):
        questions.find_meant(log.id)


def test_a_name_means_to_a_person_what_they_were_shown_last(tmp_path: Path) -> None:
    first, other = room(tmp_path / "first"), room(tmp_path / "other")
    here = noting(first, tmp_path / "data", "a1b2c3")
    there = noting(other, tmp_path / "data", "d4e5f6")
    shown = ShownNames(tmp_path / "data", "a1b2c3")
    delete, log = put(here, "delete"), put(there, "log")
    assert delete.id == log.id
    assert here.find_meant(delete.id, by_person=True).topic == "delete"
    shown.note_told([log])

    with pytest.raises(NameMoved) as refused:
        here.find_meant(delete.id, by_person=True)
    assert delete.exact in refused.value.hint
    assert here.find_meant(delete.id).topic == "delete", "an agent was shown nothing else"
    assert here.find_meant(delete.exact, by_person=True).topic == "delete"
    assert there.find_meant(log.id, by_person=True).topic == "log"
    shown.note_told([delete])
    assert here.find_meant(delete.id, by_person=True).topic == "delete"
    # What is asked further is on the same thread, and what was forgotten is on no record.
    here.answer(delete.id, "Yes", by=PERSON, via="terminal")
    here.follow_up(delete.id, "Really?", by="engineer")
    with pytest.raises(
        NameMoved, match="otherwise than you were shown; it asks now: 'Really"
    ) as on:
        here.find_meant(delete.id, by_person=True)
    exact = on.value.hint.split()[3].rstrip(";")
    assert here.find_meant(exact, by_person=True).question == "Really?"
    assert here.find_meant(delete.id).question == "Really?", "an agent says what it was asked"
    with pytest.raises(NameMoved, match="otherwise than you were shown"):
        here.find_meant(delete.exact, by_person=True)
    shown.note_told([here.find(delete.id)])
    assert here.find_meant(delete.id, by_person=True).question == "Really?"
    here.answer(delete.id, "Yes", by=PERSON, via="terminal")
    here.resolve(delete.id, by="engineer")
    assert here.find_meant(delete.id, by_person=True).topic == "delete"
    here.forget(delete.id)
    assert delete.uid not in "".join(file.read_text() for file in (tmp_path / "data").iterdir())


@pytest.mark.parametrize("raw", [b"", b"[1]", b'{"names": 1}', b"\xff"])
def test_a_damaged_record_is_none(tmp_path: Path, raw: bytes) -> None:
    here, data = room(tmp_path / "here"), tmp_path / "data"
    questions = noting(here, data, "a1b2c3")
    asked = put(questions, "delete")
    for name in ("a1b2c3-42.json", "person-42.json"):
        (data / name).write_bytes(raw)
    assert questions.find_meant(asked.id, by_person=True).uid == asked.uid


def test_the_way_to_take_an_answer_is_offered_where_it_answers_what_is_asked(
    tmp_path: Path,
) -> None:
    here = room(tmp_path / "here").clarifications
    asked = here.ask(request(question="Which database?"), SCOPE)
    here.answer(asked.id, "Postgres 17", by="architect")
    assert "Take the answer of architect" in here.escalate(asked.id).summary
    asked = here.ask(request(topic="other", question="Which database?"), SCOPE)
    here.answer(asked.id, "Postgres 17", by="architect")
    here.follow_up(asked.id, "May we drop the audit table?", by="engineer")
    assert "Take the answer of" not in here.escalate(asked.id).summary
