"""How a reply is cut into passages, and what they are worth."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.prose.passages import PASSAGE_CHARS_MAX, cut_passages, says_nothing
from agentx.prose.salience import WEIGHTS, Occasion, Speech, read_signs, weigh
from agentx.prose.sentences import sentences, show_excerpt

REPLY = """Done. Let me check once more. The queue drops messages because `ack` comes late.
It is fixed in abc1234.

## Changes

What I changed:
- added `retry` to hooks.go
- removed the stub
- the third item says rather much about the thing that it is about, so much that it stands for
  itself alone, as long items do.

Shall I push it?
"""
LONG_ITEM = (
    "the third item says rather much about the thing that it is about, so much that it stands"
    " for itself alone, as long items do."
)


def test_sentences_of_a_paragraph_and_items_of_a_list_are_told_together() -> None:
    assert [one.text for one in cut_passages(REPLY)] == [
        "The queue drops messages because `ack` comes late. It is fixed in abc1234.",
        "What I changed: added `retry` to hooks.go; removed the stub",
        LONG_ITEM,
    ]


def test_a_passage_knows_where_it_stands() -> None:
    first, second, _ = cut_passages(REPLY)

    assert REPLY[first.start : first.end].startswith("The queue drops")
    assert (first.heading, second.heading, second.items) == ("", "Changes", 2)


@pytest.mark.parametrize(
    "text",
    [
        "Let me look at the tests.",
        "I'm checking the config now.",
        "I\u2019ll push it and wait.",
        "Now let me run the suite.",
        "Here's a summary of the changes:",
        "All clean.",
        "Should I open a pull request?",
    ],
)
def test_an_announcement_says_nothing(text: str) -> None:
    assert says_nothing(text)


@pytest.mark.parametrize(
    "text",
    [
        "I'm not able to reach the registry from here.",
        "The parser let me pass tabs.",
        "Letters are sorted by their code.",
        "I removed the stale hook.",
    ],
)
def test_what_was_found_or_done_says_something(text: str) -> None:
    assert not says_nothing(text)


_SENTENCE = st.text(st.sampled_from("abc `*-_.!?\u4e2d\U0001f680\u05d0 \n"), max_size=400)


@given(_SENTENCE)
def test_a_passage_is_made_of_whole_sentences_as_they_were_shown(text: str) -> None:
    shown = {show_excerpt(text[one.start : one.end]) for one in sentences(text)}
    for passage in cut_passages(text):
        bare = passage.text
        for one in sorted(shown, key=len, reverse=True):
            bare = bare.replace(one, "").replace(one.rstrip("."), "")
        assert bare.strip("; .") == "" or len(passage.text) > PASSAGE_CHARS_MAX
        assert 0 <= passage.start <= passage.end <= len(text)


@given(_SENTENCE, st.sampled_from(Occasion), st.integers(0, 5), st.integers(1, 6))
def test_worth_lies_between_none_and_all_and_every_weight_has_its_sign(
    text: str, source: Occasion, index: int, count: int
) -> None:
    said = Speech(text=text, source=source, index=index, count=count)

    assert 0 <= weigh(said) <= 1
    assert dict(read_signs(said))["any"] == 1


def test_every_weight_has_a_sign_and_every_sign_a_weight() -> None:
    seen = {name for source in Occasion for name, _ in read_signs(Speech(text="a", source=source))}

    assert WEIGHTS.keys() == seen


def test_a_cause_with_its_names_is_worth_more_than_narration() -> None:
    cause = Speech(
        text="The build fails because `package.json` has no `type`, so `tsc` reads it as CommonJS.",
        source=Occasion.CLOSING,
        has_edits=True,
    )
    talk = Speech(
        text="The tests pass now, so we can go on.", source=Occasion.STEP, index=3, count=5
    )

    assert weigh(cause) > 0.7
    assert weigh(talk) < 0.3


@pytest.mark.parametrize(
    "whole",
    [
        "Der Dienst antwortet sonst mit 429, z. B. Am Monatsende, u. a. Samstags.",
        "The event `order.line_item.*` holds what the job fetches.",
        "Run `go vet ./...` Only then build with `go build ./cmd/...` as usual.",
        "Rules are scoped (`paths: [...]`) and apply below.",
        "Ask J. Doe for the key.",
    ],
)
def test_a_sentence_does_not_end_in_code_or_after_a_single_letter(whole: str) -> None:
    cut = [one.text for one in sentences(f"{whole} Then it goes on.")]

    assert cut == [whole, "Then it goes on."]


def test_a_backtick_that_nothing_closes_opens_no_code() -> None:
    cut = [one.text for one in sentences("Press the ` key. Then wait.")]

    assert cut == ["Press the ` key.", "Then wait."]
