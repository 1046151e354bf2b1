"""Several questions that are answered in one message: each answer is kept with its question."""

from __future__ import annotations

from tests.support.telling import Talk

ASKED = "Three questions:\n\n1. Double opt-in or single?\n2. Open tracking?\n3. Which sender?"
LISTED = "Some questions:\n- Should keys expire?\n- Per user or per team?\n- bcrypt or sha256?"
TOLD = (
    "Double opt-in or single? The user answered: double",
    "Open tracking? The user answered: no!! gdpr",
    "Which sender? The user answered: news@acme.org",
)
ANSWERED = (
    (ASKED, "1 double\n2 no!! gdpr\n3 news@acme.org", TOLD),
    (ASKED, "1) double\n2) no!! gdpr\n3) news@acme.org", TOLD),
    (ASKED, "1: double, 2: no!! gdpr, 3: news@acme.org", TOLD),
    (ASKED, "double\nno!! gdpr\nnews@acme.org", TOLD),
    (
        LISTED,
        "> Should keys expire?\nyes, 1 year\n> Per user or per team?\nteam\n> bcrypt\nsha256",
        (
            "Should keys expire? The user answered: yes, 1 year",
            "Per user or per team? The user answered: team",
            "bcrypt or sha256? The user answered: sha256",
        ),
    ),
)
ONE = (
    (ASKED, "what is the difference?"),
    (ASKED, "let us talk about that tomorrow"),
    ("Done. 12 tests pass.", "1 double\n2 no"),
    ("Which port?", "8080"),
)


def _talk(asked: str, said: str) -> list[str]:
    return (
        Talk().user("set it up").agent(asked).user(said).edit("n.ts", "a", "b").agent("In.").kept()
    )


def test_each_answer_is_kept_with_its_question() -> None:
    for asked, said, told in ANSWERED:
        kept = _talk(asked, said)
        assert [each for each in told if each not in kept] == [], (said, kept)


def test_what_answers_no_list_is_not_taken_apart() -> None:
    for asked, said in ONE:
        assert not [each for each in _talk(asked, said) if "The user answered" in each], said
