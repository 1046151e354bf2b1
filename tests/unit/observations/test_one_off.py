"""Goal: what is said of this moment alone, or of what there was to choose from, rules nothing.

Method: short talks; beside each some that look alike and do rule.
"""

from __future__ import annotations

import pytest

from agentx.observations.closing.doings import Doings
from agentx.observations.closing.done import find_rest
from agentx.observations.model import Category
from tests.support.observations import observation
from tests.support.telling import Talk

DECISION = Category.DECISION
SAID = "The user said: "
_DAY_MS = 24 * 60 * 60 * 1000


def _list_decided(*said: str) -> list[str]:
    talk = Talk()
    for at, each in enumerate(said):
        talk = talk.agent(each) if at % 2 else talk.user(each)
    return [one.content for one in talk.found(DECISION)]


def _list_said(text: str) -> list[str]:
    return _list_decided("look at the start page", "It loads in 4 s.", text, "All right.")


@pytest.mark.parametrize(
    "text",
    [
        "don't make a sticker",
        "please don't print a summary here",
        "don't make a branch for this, just commit on main",
        "ok, don't write tests for this one",
        "don't touch the music right now",
        "no toques la m\u00fasica ahora",
        "ticket it is, for june. thanks!",
        "117 stays, cancel 204, both are from my own tests. Then send the rest.",
        "keep 12 and delete 14",
    ],
)
def test_what_is_not_to_be_done_at_this_moment_is_no_rule(text: str) -> None:
    assert _list_said(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "don't make a class for each state, one table",
        "don't open a second connection per request",
        "never make a sticker",
        "don't write tests for generated code",
        "don't use Redis for the sessions",
        "from now on don't touch the music",
        "don't touch the music from now on",
        "8090 stays, it is in the firewall",
        "SQLite it is, for the boats",
    ],
)
def test_what_rules_something_is_a_rule(text: str) -> None:
    assert [each.startswith(SAID + text) for each in _list_said(text)] == [True]


def test_a_rule_beside_it_is_told_alone() -> None:
    told = _list_said(
        "don't make a sticker for this one. and always post in #ops before a failover"
    )

    assert told == [SAID + "always post in #ops before a failover"]


@pytest.mark.parametrize(
    ("text", "is_over"),
    [
        ("don't flash anything today, Ines is measuring", True),
        ("heute nichts deployen", True),
        ("today we chose Postgres", False),
        ("never show today's date", False),
        ("don't show today's date", False),
    ],
)
def test_what_is_forbidden_for_a_day_is_over_with_it(text: str, is_over: bool) -> None:
    talk = Talk().user("go on with the log").agent("Done.")
    deeds = Doings(talk.turns).deeds
    before = deeds.begun_ms - 3 * _DAY_MS
    one = observation(SAID + text, category=DECISION, at_ms=before)

    assert find_rest(one, deeds) == ("" if is_over else one.content)
    just_now = observation(SAID + text, category=DECISION, at_ms=deeds.begun_ms - 60_000)
    assert find_rest(just_now, deeds) == just_now.content


@pytest.mark.parametrize(
    ("said", "rest"),
    [
        (SAID + "then mpdf. no release today, Petra closes the month", SAID + "then mpdf."),
        (
            "Quale? The user chose: RAUC. oggi non toccare il bootloader; The agent: due dischi",
            "Quale? The user chose: RAUC; The agent: due dischi",
        ),
    ],
)
def test_what_was_ruled_beside_what_a_day_forbade_stands(said: str, rest: str) -> None:
    deeds = Doings(Talk().user("go on with the log").agent("Done.").turns).deeds
    one = observation(said, category=DECISION, at_ms=deeds.begun_ms - 3 * _DAY_MS)

    assert find_rest(one, deeds) == rest


TWO_WAYS = (
    "1. dump and restore, half an hour of downtime, or\n2. replicate with DMS, a day of work."
)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("To shrink the volume, we'd need to either:", "To shrink the volume: "),
        ("We'd have to either:", ""),
        ("To backfill 2024 we can either:", "To backfill 2024: "),
    ],
)
def test_words_that_break_off_before_a_list_are_not_told_as_a_question(
    asked: str, told: str
) -> None:
    reply = f"{asked}\n\n{TWO_WAYS}\n\nWhich do you prefer?"

    decided = _list_decided("shrink the volume", reply, "1, tonight is fine", "Done.")

    assert decided == [
        f"{told}The user chose: 1, tonight is fine; 1: dump and restore, half an hour of downtime"
    ]


def test_a_choice_is_told_without_what_was_said_of_the_moment() -> None:
    reply = f"There are two ways:\n\n{TWO_WAYS}\n\nWhich do you prefer?"

    (told,) = _list_decided("shrink it", reply, "2. no need to write a doc for this", "Done.")

    assert told == "The user chose: 2; 2: replicate with DMS, a day of work."


@pytest.mark.parametrize(
    ("lead", "asked", "answer"),
    [
        ("Hay dos opciones:", "\u00bfCu\u00e1l prefieres?", "nuestro servidor"),
        ("There are two ways:", "Which one?", "nuestro servidor"),
        ("Il y a deux options :", "Laquelle pr\u00e9f\u00e8res-tu ?", "nuestro servidor"),
        ("Es gibt zwei Wege:", "Welchen willst du?", "nuestro servidor"),
    ],
)
def test_what_there_was_to_choose_from_is_no_fact(lead: str, asked: str, answer: str) -> None:
    talk = Talk().user("guarda la partida")
    talk.agent(f"{lead}\n- Steam Cloud, gratis\n- nuestro servidor, para todos\n\n{asked}")
    talk.user(answer).edit("save/cloud.gd", "local()", "upload()").agent("Hecho.")

    kept = talk.kept()

    assert not [each for each in kept if "Steam Cloud" in each]
    assert [each for each in kept if f"The user chose: {answer}" in each]


def test_a_hash_before_what_was_decided_is_not_told() -> None:
    said = "Use DMA for the UART instead of interrupts because the load is at 40 %."

    talk = Talk().user("make the uart fast").agent(f"`3f9d2aa`: {said}")

    assert talk.kept() == [said]


def test_what_a_commit_does_is_no_decision() -> None:
    said = "9a9a9a9 puts the node in deep sleep because light sleep would empty the cell."

    assert _list_decided("save power", said) == []
    assert _list_decided("save power", said.replace("9a9a9a9 puts", "I decided to put")) != []
