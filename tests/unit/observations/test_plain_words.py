"""Goal: what people and agents settle or leave open in plain words is kept as what it is.

Method: a table of sentences in several languages, each in a small talk; beside each some that look
alike and are none.
"""

from __future__ import annotations

import pytest

from agentx.observations.model import Category
from agentx.prose.settling.rulings import rules_out
from agentx.prose.settling.verdict import settles
from tests.support.telling import Talk

CHOICE = (
    "We use gRPC instead of REST for the courier app because the tablets keep one stream open."
    " The proxy needs `h2c: true` in staging."
)

SWITCHED = [
    "On arr\u00eate d'utiliser gulp dans le back, on passe \u00e0 esbuild.",
    "On n'utilise plus Travis, on migre vers Buildkite",
    "Dejamos de usar Vagrant en local, pasamos a Docker.",
    "Ya no usamos Jenkins para el panel",
    "Paramos de usar o Bower, passamos a usar pnpm.",
    "N\u00e3o usamos mais Heroku no site.",
    (
        "\u05d0\u05e0\u05d7\u05e0\u05d5 \u05dc\u05d0 \u05de\u05e9\u05ea\u05de\u05e9\u05d9\u05dd"
        " \u05d1-Kafka \u05d9\u05d5\u05ea\u05e8"
    ),
    (
        "\u05ea\u05e2\u05d1\u05d9\u05e8 \u05d0\u05ea \u05d4\u05d3\u05d5\u05d7\u05d5\u05ea"
        " \u05dc-Metabase"
    ),
    (
        "\ub354 \uc774\uc0c1 Jenkins\ub97c \uc548 \uc4f0\uace0"
        " Buildkite\ub85c \uc804\ud658\ud569\ub2c8\ub2e4"
    ),
    "axios \ub300\uc2e0 ky\ub97c \uc0ac\uc6a9\ud569\ub2c8\ub2e4",
]
WENT_ON = [
    "on passe \u00e0 la suite",
    "on passe \u00e0 autre chose",
    "Pasamos a la siguiente tarea",
    "passamos para a pr\u00f3xima",
    "ce test passe \u00e0 chaque fois",
]
LEFT = [
    "C'est fait : `a.ts` utilise ky. Il reste deux appels \u00e0 axios dans `old/b.ts`.",
    "C'est fait. Je n'ai pas encore test\u00e9 `b.ts`.",
    "Hecho. Quedan tres rutas por migrar en `old.ts`.",
    "Listo. Faltan las pruebas de `b.ts`.",
    "Feito. Ainda faltam os testes de `b.ts`.",
    (
        "\u05d1\u05d5\u05e6\u05e2. \u05e0\u05e9\u05d0\u05e8 \u05dc\u05d4\u05e2\u05d1\u05d9\u05e8"
        " \u05d0\u05ea `b.ts`."
    ),
    (
        "\uc644\ub8cc\ud588\uc2b5\ub2c8\ub2e4. `b.ts`\ub294 \uc544\uc9c1"
        " \uc62e\uae30\uc9c0 \uc54a\uc558\uc2b5\ub2c8\ub2e4."
    ),
]
SETTLED = [
    "C'est fait. Il reste possible de changer `a.ts`.",
    "Hecho. La cach\u00e9 queda en memoria.",
    "`legacy/report.ts` reste sur moment.",
]


@pytest.mark.parametrize("said", SWITCHED)
def test_what_is_used_no_longer_is_settled_in_any_language(said: str) -> None:
    assert settles(said)


@pytest.mark.parametrize("said", WENT_ON)
def test_going_on_to_the_next_thing_rules_nothing(said: str) -> None:
    assert not rules_out(said)


def _list_left(reply: str) -> list[str]:
    talk = Talk().user("Port the panel").edit("a.ts", "x", "y").agent(reply)
    found = talk.found(Category.KEY_FACT)
    return [one.content for one in found if one.content.startswith("Left open: ")]


@pytest.mark.parametrize("reply", LEFT)
def test_what_is_left_is_open_in_any_language(reply: str) -> None:
    assert _list_left(reply)


@pytest.mark.parametrize("reply", SETTLED)
def test_what_stays_as_it_is_is_not_open(reply: str) -> None:
    assert not _list_left(reply)


@pytest.mark.parametrize(
    "asked",
    ["try gRPC instead of REST for the courier app on this branch", "add gRPC for the courier app"],
)
def test_an_agents_choice_with_what_was_refused_and_why_is_a_decision(asked: str) -> None:
    done = "[feature/grpc 3f4e5d6] gRPC schema\n 1 file changed"
    talk = (
        Talk().user(asked).edit("api.proto", "a", "b").shell('git commit -am "gRPC schema"', done)
    )
    talk = talk.agent(CHOICE).user("I like tabs, always tabs")

    assert CHOICE in [one.content for one in talk.found(Category.DECISION)]


@pytest.mark.parametrize(
    "reply",
    [
        "We could use gRPC instead of REST because the tablets keep one stream open.",
        "I'd use gRPC instead of REST because of the streams.",
        "The tablets use gRPC over one stream.",
    ],
)
def test_what_could_be_chosen_is_no_decision(reply: str) -> None:
    talk = Talk().user("compare gRPC and REST").agent(reply)

    assert talk.found(Category.DECISION) == []


def test_the_arguments_of_a_command_are_no_wish() -> None:
    talk = Talk().user("/review always use spaces").agent("Two files mix tabs and spaces.")
    wish = Talk().user("always use spaces in /src please").agent("Will do.")

    assert talk.found(Category.DECISION) == []
    assert wish.found(Category.DECISION) != []
