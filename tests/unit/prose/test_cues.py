"""Goal: what is read quickly is what reading slowly gives: cues, and the terms of a text.

Method: texts made of the entries of the tables themselves, in any case, among other words.
"""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.exchanges import wording
from agentx.prose import cues
from agentx.prose.keyphrases import terms

CUES = {name: cue for name, cue in vars(cues).items() if isinstance(cue, cues._Blind)}
WORDS = (
    "decided let's go with race condition because tests pass now fixed added still not yet pending "
    "I'm running the suite instead of after all maybe okay great so then hello The ROOT cause was "
    "Commit it, please do. you're right would you like me to here is "
    "caf\u00e9 \u51b3\u5b9a \u017ftale \u0130ssue d\u0131d \u2014 DON\u2019T"
).split()


@pytest.mark.parametrize("name", sorted(CUES))
@given(said=st.lists(st.sampled_from(WORDS), max_size=12), upper=st.booleans())
def test_a_cue_finds_what_a_pattern_blind_to_capitals_finds(
    name: str, said: list[str], upper: bool
) -> None:
    text = " ".join(said)
    text = text.upper() if upper else text
    plain = re.compile(CUES[name].pattern, re.IGNORECASE)

    for way in ("search", "match"):
        found, expected = getattr(CUES[name], way)(text), getattr(plain, way)(text)
        assert (found and (found.span(), found[0])) == (expected and (expected.span(), expected[0]))


@given(said=st.lists(st.sampled_from([*WORDS, "token's", "foo_bar", "a-b-", "x9"]), max_size=8))
def test_the_terms_of_a_text_do_not_depend_on_other_letters_beside_it(said: list[str]) -> None:
    text = " ".join(word for word in said if word.isascii())

    assert terms(f"{text} \u51b3\u5b9a") == terms(text) | terms("\u51b3\u5b9a")


@pytest.mark.parametrize(
    "text", ["see AGENTS.md", "see agents.md", "SEE Agents.MD", "caf\u00e9 AGENTS.md"]
)
def test_a_cue_with_capitals_finds_what_it_names_however_it_is_written(text: str) -> None:
    assert wording.BOOT_FILE.search(text)


def test_a_cue_keeps_the_capitals_of_its_expressions() -> None:
    cue = cues.at_the_start(r"\S+ EACCES | \D{2}OK", after="Now")

    assert cue.match("now, open eacces")
    assert cue.match("open EACCES")
    assert cue.match("--ok")
    assert cue.match("12ok") is None


@pytest.mark.parametrize(
    ("said", "is_open"),
    [
        ('The one remaining "24 hours" is the patience of the retries, which is right.', False),
        ("The two calls that remain are fine.", False),
        ("The remaining uses are intended.", False),
        ("One call of the old client remains to be moved.", True),
        ("The remaining call of the old client is in `jobs.py`.", True),
        ("The leak remains.", True),
        ("One test remains red; the rest. That is right.", True),
    ],
)
def test_what_remains_and_is_right_is_not_left_open(said: str, is_open: bool) -> None:
    assert cues.finds(cues.LEAVES_OPEN, said) is is_open


@pytest.mark.parametrize(
    ("text", "is_log"),
    [
        ("Install it first --- FAIL: TestGate (0.01s) gate_test.go:359: exit status 1", True),
        ("ok --- PASS: TestGate (0.00s)", True),
        ("CLI command failed: exit status 1 Args: [open]", True),
        ("The test of the gate fails on Mondays.", False),
        ("Its exit status says which gate was open.", False),
    ],
)
def test_what_a_runner_of_tests_wrote_is_a_log(text: str, is_log: bool) -> None:
    assert (cues.LOGS.search(text) is not None) is is_log
