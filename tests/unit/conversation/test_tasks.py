"""Which prompts begin a task, and that a session is cut by its tasks.

Method: prompts as people write them, beside what was spoken of before.
"""

from __future__ import annotations

import pytest

from agentx.conversation import limits
from agentx.kernel.capture import EventType
from agentx.prose.keyphrases import terms
from agentx.prose.tasks import begins_task, continues_task
from tests.support.talk import event, reply, segments, tool, user

SPOKEN_OF = terms("Move the ledger from SQLite to Postgres; the migration of accounts is written.")


@pytest.mark.parametrize(
    "prompt",
    [
        "also CI failed, please fix: https://ci.example/runs/1",
        "The export button does nothing on Safari",
        "can you add retries to the webhook sender",
        "how do I rotate the signing keys of the gateway?",
        "Implement the following plan:\n\n" + "# Cache the search index\n" * 40,
        "\u8bf7\u7ed9\u641c\u7d22\u670d\u52a1\u6dfb\u52a0\u7f13\u5b58",
        "\u0623\u0636\u0641 \u0630\u0627\u0643\u0631\u0629 \u0644\u0644\u0628\u062d\u062b",
    ],
)
def test_what_was_not_spoken_of_begins_a_task(prompt: str) -> None:
    assert begins_task(prompt, SPOKEN_OF)


@pytest.mark.parametrize(
    "prompt",
    [
        "yes",
        "commit this",
        "please push",
        "ok, merge it and tag the release",
        "has the patch landed? if not can you merge it",
        "update the changelog with a small sentence",
        "open a draft PR",
        "why did we change it?",
        "is this how others do it",
        "I meant the other one",
        "go on",
        "is the ledger in Postgres now?",
        "Write the migration of the accounts ledger to Postgres again",
        "<task-notification>done</task-notification>",
        "/clear",
        "",
    ],
)
def test_what_steers_or_ends_the_work_begins_none(prompt: str) -> None:
    assert not begins_task(prompt, SPOKEN_OF)


def test_a_prompt_that_has_the_work_committed_goes_on_with_it() -> None:
    assert continues_task("ok, now commit and push it")
    assert not continues_task("Rename the module `ledger` to `book` everywhere")


def test_a_new_task_ends_the_segment_of_an_answered_one() -> None:
    found = segments(
        [
            user("move the ledger to Postgres", 0),
            reply("Moved the ledger to Postgres.", 1),
            user("commit this", 2),
            reply("Committed as 1a2b3c4.", 3),
            user("the export button does nothing on Safari", 4),
            reply("Safari blocks the popup.", 5),
        ]
    )

    assert [len(one.events) for one in found] == [4, 2]


def test_a_prompt_before_any_answer_belongs_to_the_task_at_hand() -> None:
    found = segments(
        [
            user("move the ledger to Postgres", 0),
            user("the export button does nothing on Safari", 1),
            reply("I will look at both.", 2),
        ]
    )

    assert [len(one.events) for one in found] == [3]


def test_a_task_of_many_tool_calls_is_one_segment() -> None:
    work = [
        made
        for minute in range(60)
        for made in (
            event("Bash: " + "word " * 500, kind=EventType.TOOL_CALL, minute=minute / 3, number=1),
            tool("line\n" * 500, minute / 3, number=minute),
        )
    ]

    found = segments([user("move the ledger", 0), *work[:76], reply("Moved the ledger.", 21)])

    assert len(found) == 1
    assert found[0].tokens <= limits.SEGMENT_TOKENS_MAX


def test_having_a_long_task_committed_stays_with_the_task() -> None:
    found = segments(
        [user("move the ledger", 0), reply("word " * 3_100, 1), user("commit this", 2)]
    )

    assert [len(one.events) for one in found] == [3]
