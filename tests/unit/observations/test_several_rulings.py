"""Goal: of a message that rules several things each is kept by itself, and no reason is torn off.

Method: messages in several languages, in the middle of a session and at its beginning.
"""

from __future__ import annotations

import pytest

from agentx.observations.model import Category
from tests.support.telling import Talk

SEVERAL = [
    "port 8080 from now on. | Karin signs releases. | use make ship, never npm publish",
    (
        "keep using make ship. | And ask Karin before any change in billing, she owns it."
        " | Dev server is on port 8080."
    ),
    (
        "also: Karin left, Tom owns billing now."
        " | and make ship is dead, it's `just release` since yesterday"
    ),
    (
        "Migrations go through Alembic. | Ines reviews everything under infra/."
        " | deploy with `fly deploy`, never from a laptop"
    ),
    "we use pnpm. | node 22 everywhere. | Tests live next to the code",
    "logs are JSON. | Jonas owns the on-call rota. | don't page anybody before 8",
    "use ruff instead of flake8. | line length 100. | Mara merges, nobody else",
    "we stay on Django. It works. | Releases are signed by Petra. | no ORMs in the worker",
    "Ab jetzt Port 9000. | Petra gibt Releases frei. | Nimm `make ship`, nie npm publish",
    "Wir bleiben bei Postgres. | Deployment macht nur noch Sven. | Keine Force-Pushes auf main.",
    "el puerto es 9000 desde ahora. | Marta firma los releases. | usa make ship, nunca npm publish",
    "on reste sur Vue. | Claire valide les releases. | jamais de push sur main",
]
WHOLE = [
    "No Kafka, please. We have nobody to run it. The team is three people.",
    "We take Redis. It is there already. Postgres is at 90 % of its disk.",
    "Use flexbox. The header jumps on phones. Floats are a mess.",
    "stay on node 22. Lambda is behind. I looked yesterday.",
    "never log names. Our logs go to a third party. They keep them for years.",
    "Wir nehmen SQLite. Die Kiste ist klein. Mehr braucht es nicht.",
]
NONE = [
    "yes, do that. I was on the phone with Kim. She likes the blue one.",
    "fix the login. it crashes on Safari. the stack is in Sentry",
    "The build is red. Karin merges on Fridays. what happened?",
    "staging is on eu-west-1. backups nightly at 3. Lea has the keys",
]


def _list_said(said: str, *, is_first: bool) -> list[str]:
    talk = Talk()
    if not is_first:
        talk.user("Build the page of invoices").edit("invoices.tsx", "a", "b")
        talk.agent("The page lists invoices with a table of antd.")
    talk.user(said).edit("b.ts", "x", "y").agent("Noted.")
    found = talk.found(Category.DECISION)
    return sorted(one.content.removeprefix("The user said: ") for one in found)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("said", SEVERAL)
def test_of_several_rulings_each_is_kept_by_itself(said: str, is_first: bool) -> None:
    parts = said.split(" | ")
    told = [each.removeprefix("and ").removeprefix("also: ") for each in parts]

    assert _list_said(" ".join(parts), is_first=is_first) == sorted(told)


@pytest.mark.parametrize("said", WHOLE)
def test_a_ruling_keeps_what_is_said_of_it(said: str) -> None:
    assert _list_said(said, is_first=False) == [said]


@pytest.mark.parametrize("said", NONE)
def test_where_nothing_is_ruled_nothing_is_decided(said: str) -> None:
    assert _list_said(said, is_first=False) == []


def test_rulings_in_a_list_are_told_one_by_one() -> None:
    said = "1. amounts are integer cents\n2. dates are ISO 8601\n3. ids are ULIDs, not UUIDs"

    assert _list_said(said, is_first=False) == [
        "amounts are integer cents",
        "dates are ISO 8601",
        "ids are ULIDs, not UUIDs",
    ]


def test_the_answer_before_the_rulings_keeps_its_question() -> None:
    talk = Talk().user("Where do the blobs go?").agent("S3 or the disk of the box?")
    talk.user("S3 then. port 8080 from now on. Karin signs releases.").edit("b.ts", "x", "y")

    said = [one.content for one in talk.found(Category.DECISION)]

    assert len(said) == 3
    assert any("S3 then" in one and "S3 or the disk" in one for one in said)


def test_many_rulings_of_one_message_push_out_no_answer_before_them() -> None:
    talk = Talk().user("Build it").agent("I did.").user("Postgres for the queue from now on.")
    talk.edit("a.py", "x", "y").agent("The queue is in Postgres.")
    rules = [f"port 80{n} for service-{n} from now on." for n in range(10, 20)]
    talk.user(" ".join(rules)).edit("b.ts", "x", "y").agent("Noted.")

    said = [one.content for one in talk.found(Category.DECISION)]

    assert any("Postgres for" in one for one in said)
    assert sum("service-" in one for one in said) == len(rules)
