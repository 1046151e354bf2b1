"""Goal: the words of a question tell whose words and which kind of answer are wanted.

Method: questions in, cues out.
"""

from __future__ import annotations

import pytest

from agentx.recall.question.intent import Intent, Voice, cues


@pytest.mark.parametrize(
    ("question", "voice"),
    [
        ("where did I put the config?", Voice.USER),
        ("what is my favourite editor", Voice.USER),
        ("which library did you recommend to me?", Voice.ASSISTANT),
        ("remind me what the plan was", Voice.ASSISTANT),
        ("how does the retry worker work?", Voice.ANY),
        ("which ISBN", Voice.ANY),
    ],
)
def test_the_voice_is_read_from_the_pronouns(question: str, voice: Voice) -> None:
    assert cues(question).voice is voice


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("When did we ship?", True),
        ("on what date was it", True),
        ("how long ago did it break", True),
        ("what happens when it fails?", False),
        ("what time-out is set", False),
    ],
)
def test_a_question_for_a_time_is_told_from_a_condition(question: str, asks: bool) -> None:
    assert cues(question).asks_when is asks


@pytest.mark.parametrize(
    ("question", "intent"),
    [
        ("summary of the payment work", Intent.EXPLORE),
        ("where is the ledger written", Intent.LOCATE),
        ("why did it fail?", Intent.ANSWER),
        ("retry worker", Intent.EXPLORE),
    ],
)
def test_the_intent_is_read_from_the_first_words(question: str, intent: Intent) -> None:
    assert cues(question).intent is intent
    assert cues(question, has_span=True).intent is Intent.TIME_BOXED
