"""Goal: a question's name does not move once it was given, and no stranger moves it.

Method: clones in memory that ask and merge; claims that nobody vouches for; what a view showed.
"""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.clarification.store.question_events import QuestionEventKind
from agentx.clarification.store.view import ledger_path
from agentx.kernel.errors import NameMoved
from agentx.kernel.vouching.standing import Vouching
from tests.support.clarifying import SCOPE, request, room
from tests.support.naming import NamingClone
from tests.unit.clarification.test_events import bring, clone, lines

NAMED = QuestionEventKind.NAMED


def meet(*clones: NamingClone) -> None:
    for one in clones:
        one.merge(*clones)


@pytest.mark.promise("clarify.merge")
def test_a_name_that_a_merge_gave_stays_at_the_next_merges() -> None:
    one, two, three = (NamingClone(name) for name in ("aaa111", "bbb222", "ccc333"))
    one.ask("a")
    two.ask("b")
    meet(one, two)
    three.merge(one)  # a branch of this moment
    assert one.names() == two.names() == {"a": "CLR-42-001", "b": "CLR-42-002"}
    two.ask("c", "d")
    meet(one, two)
    assert two.names()["b"] == one.names()["b"] == "CLR-42-002"
    one.ask("e")
    two.ask("f")
    meet(one, two)
    before = one.names()
    assert before["b"] == "CLR-42-002"
    one.ask("more")  # and says what f is called now

    three.ask("g", "h", "i", "j", "k")
    meet(one, two, three)
    assert one.names() == two.names() == three.names()
    assert {topic: one.names()[topic] for topic in before} == before
    assert len(set(one.names().values())) == len(one.names())


def test_nobody_takes_a_number_by_a_claim_that_is_not_vouched_for() -> None:
    one, two = NamingClone("aaa111"), NamingClone("bbb222")
    one.ask("a")
    two.ask("b")
    meet(one, two)
    one.ask("c")
    known = one.names()
    uids = {each.state.topic: each.uid for each in one.fold().told.values() if each.state}

    stranger = NamingClone("eee555")  # whose claims are the earliest of all
    for topic, number in (("b", 1), ("a", 9), ("c", 2), ("b", 3)):
        stranger.say(NAMED, uids[topic], {"number": number})
    for standing in (Vouching.UNSIGNED, Vouching.UNTRUSTED, Vouching.FORGED):
        forged = {known: replace(one, standing=standing) for known, one in stranger.events.items()}
        both = NamingClone("aaa111", one.events | forged)
        assert both.names() == known
        assert both.fold().numbers.also == {}
    one.merge(stranger)  # and no trusted one renames what has a name
    assert (one.names()["a"], one.names()["c"]) == (known["a"], known["c"])


def test_a_name_that_meant_another_question_here_decides_nothing(tmp_path: Path) -> None:
    here = room(tmp_path / "one")
    here.ask()
    other = clone(here, tmp_path / "two", "d4e5f6")
    mine = here.ask(request(topic="Mine", question="Mine?"))
    other.clock.advance(5_000)
    theirs = other.clarifications.ask(request(topic="Theirs", question="Theirs?"), SCOPE)
    assert mine.id == theirs.id == "CLR-42-002"
    bring(here, other)

    with pytest.raises(NameMoved) as refused:
        other.clarifications.find_meant("CLR-42-002")
    assert refused.value.message == (
        "CLR-42-002 is 'Mine' now, and was another question here before: "
        "'Theirs', which is CLR-42-003 now"
    )
    assert f"CLR-42-002@{mine.uid} for 'Mine'" in (refused.value.hint or "")
    assert f"CLR-42-003@{theirs.uid} for 'Theirs'" in (refused.value.hint or "")
    for known, topic in ((f"CLR-42-002@{mine.uid}", "Mine"), ("CLR-42-003", "Theirs")):
        assert other.clarifications.find_meant(known).topic == topic
    assert other.clarifications.find("CLR-42-002").topic == "Mine"  # who only looks
    other.clarifications.answer("CLR-42-003", "So.")
    assert [line["type"] for line in lines(other, "d4e5f6")][-1] == "named"
    with pytest.raises(NameMoved):  # the view that was written since knows it too
        other.clarifications.find_meant("CLR-42-002")
    bring(other, here)
    assert here.clarifications.find_meant("CLR-42-002").topic == "Mine"
    assert here.clarifications.find_meant("CLR-42-003").topic == "Theirs"


def test_no_question_that_nobody_signed_takes_the_name_of_one_that_somebody_did() -> None:
    forger, one = NamingClone("eee555"), NamingClone("aaa111")
    forger.ask("forged")  # earlier than all others, as it says
    one.ask("a", "b")
    known = one.names()
    forged = {
        name: replace(event, standing=Vouching.UNSIGNED) for name, event in forger.events.items()
    }

    both = NamingClone("aaa111", one.events | forged).names()

    assert {topic: both[topic] for topic in known} == known
    assert both["forged"] == "CLR-42-003"


@pytest.mark.parametrize("is_said", [True, False])
def test_names_that_another_tool_swapped_were_never_given(tmp_path: Path, is_said: bool) -> None:
    here = room(tmp_path)
    for topic in ("One", "Two"):
        here.ask(request(topic=topic, question=f"{topic}?"))
    path = ledger_path(here.paths, 42)
    found = json.loads(path.read_text(encoding="utf-8"))
    one, two = found["clarifications"]
    one["id"], two["id"] = two["id"], one["id"]
    if not is_said:
        del found["made"]
    path.write_text(json.dumps(found), encoding="utf-8")

    for name, topic in (("CLR-42-001", "One"), ("CLR-42-002", "Two")):
        assert here.clarifications.find_meant(name).topic == topic
    here.clarifications.answer("CLR-42-002", "So.")
    assert here.clarifications.find_meant("CLR-42-002").topic == "Two"


@pytest.mark.promise("clarify.merge")
@pytest.mark.parametrize("is_said", [False, True])
def test_what_is_forgotten_gives_its_number_to_nobody(tmp_path: Path, is_said: bool) -> None:
    here = room(tmp_path / "one")
    here.ask()
    other = clone(here, tmp_path / "two", "d4e5f6")
    other.clock.advance(5_000)
    mine = here.ask(request(topic="Mine", question="Mine?"))
    theirs = other.clarifications.ask(request(topic="Theirs", question="Theirs?"), SCOPE)
    assert mine.id == theirs.id == "CLR-42-002"
    if is_said:  # somebody was told its name, and keeps it
        bring(here, other)
        other.clarifications.answer("CLR-42-003", "Yes.")
    bring(other, here)

    here.clarifications.forget(mine.exact)

    newcomer = clone(here, tmp_path / "three", "e7f8a9")
    shutil.copytree(here.paths.questions, other.paths.questions, dirs_exist_ok=True)
    for each in (here, other, newcomer):
        named = [(state.id, state.topic) for state in each.clarifications.ledger(42)]
        assert named == [("CLR-42-001", "Session storage"), ("CLR-42-003", "Theirs")]
    # Who writes into an erased line, which nobody signed, moves nothing.
    file = newcomer.paths.questions / "42" / "a1b2c3.jsonl"
    told = [*lines(newcomer)]
    for line in (each for each in told if each.get("erased") and "number" in each):
        line |= {"number": 3, "timestamp": "2020-01-01T00:00:00.000Z"}
    file.write_text("".join(f"{json.dumps(each)}\n" for each in told), encoding="utf-8")
    assert newcomer.clarifications.ledger(42).find("CLR-42-003") is not None
    assert newcomer.ask(request(question="Next?")).id == "CLR-42-004"
