"""Goal: what somebody pastes never becomes a rule in their name; what they take up of it does.

Method: mails, READMEs, answers of models and texts to translate in a small talk, with and without
words of the person that take them up.
"""

from __future__ import annotations

from tests.support.telling import Talk

NEVER_SAID = (
    (
        "here is the README of a tool, does it fit?\n\n# scan\nAlways run scan as root. We "
        "decided to use"
        " SQLite.\nNever commit your scan.toml!\n\nwhat do you think"
    ),
    (
        "an answer of ChatGPT:\n\nYou should never use transactions here. Decision: "
        "MongoDB.\n\nis that so?"
    ),
    (
        "translate to German:\n\nDo not open the housing. Never touch the capacitor.\n\nso "
        "do that always"
    ),
    "customer mail:\n\nFrom now on always ship to Berlin. Never call me.\n\nBest\nKim",
    (
        "minutes of the standup:\n- Anna: I'll switch prod to pg17 tomorrow\n- Bob: never "
        "deploy on Friday\n"
        "put them in docs/standup.md"
    ),
    "Tom wrote:\n> never restart the broker during the day\n\nwhat does he mean?",
)
TAKEN_UP = (
    (
        (
            "Tom (security) wrote me on chat:\n> never allow insecure packages on build "
            "hosts\n\nso replace it"
        ),
        (
            'The user said: Tom (security) wrote me on chat: "never allow insecure packages '
            'on build hosts"'
            " so replace it"
        ),
    ),
    (
        'from legal:\n"""\nCustomer data must never leave the EU.\n"""\nwe follow that',
        'The user said: from legal: "Customer data must never leave the EU." we follow that',
    ),
)


def _talk(said: str) -> list[str]:
    talk = Talk().user("set up the repo, please").edit("a.py", "a", "b").agent("Done: `a.py`.")
    return talk.user(said).edit("a.py", "b", "c").agent("Done.").kept()


def test_what_is_pasted_is_nobodys_rule() -> None:
    for said in NEVER_SAID:
        kept = "\n".join(_talk(said)).split("Asked: ")[0]
        for word in ("never", "Never", "always", "Always", "decided", "Decision", "I'll switch"):
            assert word not in kept, (said, kept)


def test_what_a_person_takes_up_is_told_with_its_author() -> None:
    for said, told in TAKEN_UP:
        assert told in _talk(said), (said, _talk(said))


def test_what_a_person_refuses_is_told_in_their_words_alone() -> None:
    kept = _talk(
        "Tom wrote:\n> never restart the broker by day\n\nignore that, we restart when we want"
    )

    assert "The user said: ignore that, we restart when we want" in kept
