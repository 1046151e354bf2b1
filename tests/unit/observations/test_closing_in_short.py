"""Goal: what was left open is closed by who says it in short, and stands where it only sounds so.

Method: one open end, and a later session in a few turns; or the end of one, and what is kept of it.
"""

from __future__ import annotations

import pytest

from agentx.observations.closing.doings import Doings
from agentx.observations.closing.done import find_rest
from agentx.observations.labels import LEFT_OPEN
from agentx.observations.model import Category
from tests.support.observations import observation
from tests.support.telling import Talk


def _leave(own: str, *said: str) -> str:
    """Return what is left after a session; "> subject" is a commit, "< text" a reply."""
    talk = Talk()
    for each in said:
        if each.startswith("> "):
            output = f"[main 2c0d9e1] {each[2:]}\n 1 file changed, 9 insertions(+)"
            talk.edit("src/door.py", "a", "b").shell(f'git commit -am "{each[2:]}"', output)
        elif each.startswith("< "):
            talk.agent(each[2:])
        else:
            talk.user(each)
    one = observation(LEFT_OPEN + own, category=Category.KEY_FACT, at_ms=1_000)
    return find_rest(one, Doings(talk.turns).deeds).removeprefix(LEFT_OPEN)


SHOP = "Push notes with `Courier` topics"
LENA = "Somebody must check it. The user said: lena from ops will check the ldap part next week."
OFFLINE = "der Offline-Modus ist noch nicht getestet, daf\u00fcr brauche ich ein Ger\u00e4t."
LATER = "For the tables (I suggest #17): psycopg, no ORM. The user said: Tomorrow."
FINE = "I timed nothing yet; it is fine until somebody asks for a calendar of a month."
LOAD = "The old orders have to be loaded; `load_orders.py` can do it once you tell me since when."


@pytest.mark.parametrize(
    ("own", "said", "left"),
    [
        ("shellcheck", ("skip shellcheck, the CI runs it. tag it?", "< Tagged."), ""),
        ("shellcheck", ("did you skip shellcheck. tag it?", "< No."), "shellcheck"),
        ("same in door_close()", ("do door_close", "> Lock the door", "< Done."), ""),
        ("same in `door_close()`", ("do close", "> Lock the door", "< Done."), ""),
        ("same in door_close()", ("do door_open", "> Lock", "< Done."), "same in door_close()"),
        ("same in door_close()", ("do enclose", "> Lock", "< Done."), "same in door_close()"),
        (SHOP, ("go on with the notes", "> Push notes for orders", "< Notes are pushed now."), ""),
        (SHOP, ("go on", "> Orders in two columns", "< Orders stand in two columns now."), SHOP),
        (LOAD, ("load since 2019", "> Load orders", "< They are loaded."), ""),
        (LOAD, ("load the fonts", "> Fonts", "< They are loaded at once."), LOAD),
        (LOAD, ("make the shop blue", "> Blue shop", "< It is blue."), LOAD),
        (LOAD, ("since when do we have this?", "< Since May."), LOAD),
        (LENA, ("lena checked ldap: the port is 636 not 389. fix it", "> LDAP", "< Fixed."), ""),
        (LENA, ("lena will check ldap on friday", "> Fonts", "< Done."), LENA),
        (LENA, ("did lena check it?", "> Fonts", "< No."), LENA),
        (OFFLINE, ("offline getestet, l\u00e4uft", "> Cache", "< Gut."), ""),
        (OFFLINE, ("die Karte ist getestet", "> Cache", "< Gut."), OFFLINE),
        (LATER, ("#17, Postgres as decided. plan, then do", "> Tables", "< They are there."), ""),
        (LATER, ("#18, sessions instead of tokens", "> Sessions", "< They are there."), LATER),
        (LATER, ("is #17 still open?", "< Yes."), LATER),
        (FINE, ("the month calendar is slow, measure it", "> One query", "< 61 ms."), ""),
        (FINE, ("the week view is slow, measure it", "> One query", "< 61 ms."), FINE),
        (
            "die Liste einspielen und den Index neu bauen.",
            ("spiel die Liste ein", "> Liste der Orte", "< Die Liste ist drin."),
            "den Index neu bauen.",
        ),
        (
            "die Liste einspielen und den Index neu bauen.",
            ("sieh die Liste an", "> Farben", "< Farben."),
            "die Liste einspielen und den Index neu bauen.",
        ),
        (
            "\u8fd8\u6ca1\u505a\u7684:\u6309\u5e97\u94fa\u6392\u5e8f,\u4ee5\u53ca\u628a\u603b\u6570\u5199\u5230\u62a5\u8868\u91cc",
            (
                "\u628a\u603b\u6570\u5199\u5230\u62a5\u8868\u91cc",
                "> \u603b\u6570\u5199\u5230\u62a5\u8868",
                "< \u603b\u6570\u5df2\u5199\u5230\u62a5\u8868\u91cc\u3002",
            ),
            "\u8fd8\u6ca1\u505a\u7684: \u6309\u5e97\u94fa\u6392\u5e8f",
        ),
    ],
)
def test_what_was_left_falls_by_what_was_said_or_done_in_short(
    own: str, said: tuple[str, ...], left: str
) -> None:
    assert _leave(own, *said) == left


LIST = "Plan:\n\n1. build the door\n2. paint the door\n3. oil the hinge\n4. order a bell\n\n"


@pytest.mark.parametrize(
    ("reply", "left"),
    [
        (f"{LIST}Left open: 2, 3 and 4.", "paint the door; oil the hinge; order a bell."),
        (f"{LIST}Done: 1 and 2. Still open: 3-4.", "oil the hinge; order a bell."),
        (f"{LIST}Erledigt: 1 bis 2. Noch offen: 3 und 4.", "oil the hinge; order a bell."),
        (f"{LIST}Left open: 3 and 7.", "3 and 7."),
        ("Fatto: la porta, 12. Da fare: il campanello, la chiave.", "il campanello, la chiave."),
    ],
)
def test_what_is_left_by_its_number_is_told_in_the_words_of_the_list(reply: str, left: str) -> None:
    kept = Talk().user("the door").edit("door.py", "a", "b").agent(reply).kept()

    opened = [each.removeprefix(LEFT_OPEN) for each in kept if each.startswith(LEFT_OPEN)]
    assert [each.removeprefix("Left open: ") for each in opened] == [left]
    assert not any(each.startswith("Done: ") for each in kept)


def test_a_list_that_stands_in_the_reply_before_may_be_meant() -> None:
    talk = Talk().user("the door").agent(LIST).user("1 and 2 now").edit("door.py", "a", "b")

    assert f"{LEFT_OPEN}oil the hinge; order a bell." in talk.agent("Done. Left: 3 and 4.").kept()


BASTION = "the `aws_group.bastion` still allows 0.0.0.0/0 on port 22, I only noticed it."
WORKER = "`worker.py` still imports `requests`."


@pytest.mark.parametrize(
    ("own", "asked", "edit", "is_over"),
    [
        (BASTION, "close the bastion", ("net/sg.tf", '["0.0.0.0/0"]', '["203.0.113.0/24"]'), True),
        (BASTION, "close it", ("net/bastion.tf", '["0.0.0.0/0"]', '["203.0.113.0/24"]'), True),
        (BASTION, "close the runners", ("net/run.tf", '["0.0.0.0/0"]', '["10.0.0.0/8"]'), False),
        (BASTION, "name the bastion", ("net/sg.tf", '"bastion"', '"jump"'), False),
        (BASTION, "sort", ("bastion.tf", '["0.0.0.0/0"]\na', 'a\n["0.0.0.0/0"]'), False),
        (WORKER, "use httpx", ("src/worker.py", "import requests", "import httpx"), True),
        (WORKER, "use httpx", ("src/mailer.py", "import requests", "import httpx"), False),
    ],
)
def test_what_something_still_has_is_over_where_an_edit_takes_just_that_out(
    own: str, asked: str, edit: tuple[str, str, str], is_over: bool
) -> None:
    talk = Talk().user(asked).edit(*edit).agent("Okay.")
    one = observation(LEFT_OPEN + own, category=Category.KEY_FACT, at_ms=1_000)

    assert (find_rest(one, Doings(talk.turns).deeds) == "") == is_over
