"""Goal: an answer to an offer is kept with its question and the words of what was chosen."""

from __future__ import annotations

import pytest

from agentx.observations.extract.settled.options import list_options
from agentx.observations.model import Category
from tests.support.telling import Talk

TABLE = "Where do the labels live?\n\n| Option | What |\n|---|---|\n| A | a printer |\n| B | PDF |"
BOLD = "How do I sign requests?\n\n**Option 1: HMAC** - simple\n\n**Option 2: mTLS** - no secrets"
LETTERS = "Two ways to go:\n\na) keep `rates_old`\nb) copy the rows into `rates_2027`\n"
INLINE = "Should I (1) keep the cron job, or (2) move to a queue with retries?"
EITHER = "We could either split by depot or by carrier. Depot keeps the joins local. Which one?"
HEADINGS = "### Plan A\nPoll it.\n\n### Plan B\nUse webhooks; the carrier sends them.\n\nYour call."
NAMED = "- [ ] **Small**: mend the query\n- [ ] **Large**: a new read model\n\nWhat do you prefer?"


def _answer(offer: str, answer: str) -> list[str]:
    talk = Talk().user("look at the shipping module for me").agent(offer).user(answer)
    talk.edit("src/shipping.py", "old", "new").agent("Done.")
    return [each.content for each in talk.found(Category.DECISION)]


@pytest.mark.parametrize(
    ("offer", "answer", "kept"),
    [
        (TABLE, "B", "Where do the labels live? The user chose: B; B: PDF"),
        (
            BOLD,
            "option 2 please",
            "How do I sign requests? The user chose: option 2 please; 2: mTLS - no secrets",
        ),
        (LETTERS, "b", "The user chose: b; B: copy the rows into `rates_2027`"),
        (
            INLINE,
            "the second one",
            f"{INLINE} The user chose: the second one; 2: move to a queue with retries",
        ),
        (
            EITHER,
            "depot",
            (
                "We could either split by depot or by carrier. The user chose: depot;"
                " The agent: Depot keeps the joins local."
            ),
        ),
        (
            HEADINGS,
            "lets go with plan b",
            "The user chose: lets go with plan b; B: Use webhooks; the carrier sends them.",
        ),
        (NAMED, "small is fine", "The user chose: small is fine; Small: mend the query"),
        (
            "Shall I pin the runner to `ubuntu-24.04`? The others use it.",
            "yes",
            "Shall I pin the runner to `ubuntu-24.04`? The user answered: yes",
        ),
        (
            "Do you want me to delete the fax gateway as well?",
            "no, two customers still use it until June",
            (
                "Do you want me to delete the fax gateway as well? The user answered: no, two"
                " customers still use it until June"
            ),
        ),
        (
            "I suggest `attrs` for the models; `dataclasses` has no converters. Ok?",
            "go ahead",
            (
                "The user agreed: go ahead; I suggest `attrs` for the models; `dataclasses` has no"
                " converters."
            ),
        ),
    ],
)
def test_an_answer_is_told_with_its_question_and_what_was_chosen(
    offer: str, answer: str, kept: str
) -> None:
    assert _answer(offer, answer) == [kept]


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        ("The tests pass. Shall I commit this?", "yes"),
        ("The tests pass. Should I continue with the next file?", "ok"),
        ("1. Read the file\n2. Change it\n\nI did both. Anything else?", "a small thing: thanks"),
        ("Want me to open a pull request?", "sure"),
    ],
)
def test_a_yes_to_the_next_step_settles_nothing(offer: str, answer: str) -> None:
    assert _answer(offer, answer) == []


def test_what_was_to_choose_from_is_not_told_beside_the_choice() -> None:
    talk = Talk().user("make the image smaller")
    talk.agent("Options: strip the symbols (2 MB), drop the fonts (5 MB), or use musl (9 MB).")
    talk.user("no musl, it broke DNS for us. drop the fonts").edit("Dockerfile", "a", "b")
    talk.agent("The fonts are gone.")

    kept = talk.kept()

    assert any("no musl" in line for line in kept)
    assert not any(line.startswith("Options:") for line in kept)


def test_the_last_of_several_lists_is_what_was_offered() -> None:
    text = "What I did:\n1. read\n2. wrote\n\nYou can:\n1. keep the lock\n2. drop the lock\n"

    assert [each.said for each in list_options(text)] == ["keep the lock", "drop the lock"]


@pytest.mark.parametrize(
    ("said", "is_kept"),
    [
        ("Or configure a trusted publisher for `release.yml` and publish from there.", False),
        ("Alternatively, `publish.yml` can call `release.yml` as a reusable workflow.", False),
        ("Another option is to keep the token in `vault/ci` and rotate it each month.", False),
        ("Oder `publish.yml` ruft `release.yml` als wiederverwendbaren Ablauf auf.", False),
        ("O bien `publish.yml` llama a `release.yml` como flujo reutilizable.", False),
        ("Ordering of `publish.yml` and `release.yml` follows the name of the tag.", True),
        ("`publish.yml` calls `release.yml` as a reusable workflow or by its tag.", True),
    ],
)
def test_the_other_way_is_no_fact(said: str, is_kept: bool) -> None:
    talk = Talk().user("why does the release not publish?")
    talk.agent(f"The token of `npm` is bound to `publish.yml`.\n\n{said}")
    talk.user("we should keep publish.yml, npm knows that name").edit("a.yml", "b", "c")
    talk.agent("Renamed the file to `publish.yml`.")

    assert any(said in each for each in talk.kept()) is is_kept
