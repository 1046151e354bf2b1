"""What the extractive summariser picks, how it says it, and that it only repeats.

Method: short conversations with one thing worth remembering in each, in several languages
and shapes; every excerpt is looked up at its place.
"""

from __future__ import annotations

import time
from typing import Any

import pytest

from agentx.conversation.extract.summary import Extractive
from agentx.conversation.extract.toolwork import has_failed, list_changed_files
from agentx.conversation.grips import grip
from agentx.conversation.limits import SEGMENT_BULLETS_MAX
from agentx.conversation.model import Event
from agentx.conversation.toc_model import BulletKind, SegmentSummary
from agentx.kernel.capture import EventType
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import NodeId, parse_grip_id
from agentx.prose.cues import COUNTS_TESTS
from agentx.prose.keyphrases import code_names, keyphrases, terms
from agentx.prose.likeness import likeness
from agentx.prose.limits import BULLET_CHARS_MAX, TITLE_CHARS_MAX
from agentx.prose.sentences import Block, sentences, shorten, show_excerpt
from agentx.prose.titles import best_request, request
from tests.support.talk import event, holds, reply, segment, tool, user


def summary(*events: Event) -> SegmentSummary:
    """Summarise, and hold every line against its source on the way."""
    found = Extractive().summarise(segment(*events))
    texts = {one.event_id: one.text for one in events}
    grips = {held.grip_id: held for held in found.grips}
    for bullet in found.bullets:
        assert bullet.grip_ids
        assert all(holds(grips[grip_id], texts) for grip_id in bullet.grip_ids)
        assert len(bullet.text) <= BULLET_CHARS_MAX
    assert len(found.bullets) <= SEGMENT_BULLETS_MAX
    assert len(found.title) <= TITLE_CHARS_MAX + 1
    return found


def told(*events: Event) -> list[str]:
    return [bullet.text for bullet in summary(*events).bullets]


# --- choosing -------------------------------------------------------------------------------


def test_a_decision_is_told_and_the_chatter_around_it_is_not() -> None:
    lines = told(
        user("Hi! Can you please help me choose the storage for bookings?"),
        reply("Great question! Let me look at the code.", 1),
        reply(
            "I'll check the schema first. We decided to keep bookings in SQLite with WAL, because "
            "one process writes. Let me know if you have any other questions!",
            2,
        ),
    )

    assert lines == ["We decided to keep bookings in SQLite with WAL, because one process writes."]


def test_what_a_reply_concluded_is_told_in_order_and_by_its_kind() -> None:
    found = summary(
        user("Why does the login test fail on CI?"),
        reply("I'm reading `auth.py` and `tests/test_login.py`, because the clock looks wrong.", 1),
        reply(
            "Root cause: `auth.py` reads the clock in local time while `tokens.py` is in UTC.\n\n"
            "- Replaced `datetime.now()` by `now_ms()`, and a `Session` expires by `Deadline`.\n"
            "- `tests/test_login.py` still needs to be run on `windows-latest` by `ci.yml`.\n",
            2,
        ),
    )

    assert [bullet.kind for bullet in found.bullets] == [
        BulletKind.PROBLEM,
        BulletKind.CHANGE,
        BulletKind.OPEN,
    ]


def test_a_problem_that_was_worked_on_is_told_as_what_was_solved() -> None:
    edit = event(
        "Edit",
        kind=EventType.TOOL_CALL,
        minute=1,
        tool_name="Edit",
        tool_input={"file_path": "/repo/auth.py"},
    )
    cause = "Root cause: `auth.py` read the clock in local time while `tokens.py` is in UTC."

    asked = user("Why does the login test fail on CI?")
    assert [one.kind for one in summary(asked, reply(cause, 2)).bullets] == [BulletKind.PROBLEM]
    # Why it was so is not what came of it.
    assert [one.kind for one in summary(asked, edit, reply(cause, 2)).bullets] == [BulletKind.FACT]
    broke = "The login test of `auth.py` crashed on CI with `tokens.py` in UTC."
    (told,) = summary(asked, edit, reply(broke, 2)).bullets
    assert told.kind is BulletKind.OUTCOME


def test_only_the_sentence_that_says_so_is_open() -> None:
    said = (
        "The importer of `auth.py` reads the tokens in 61 ms now, down from 840 ms. "
        "The guide of `tokens.py` still needs an example of the renewal."
    )
    told = summary(user("make the importer of the tokens fast"), reply(said, 2)).bullets

    left = [one.text for one in told if one.kind is BulletKind.OPEN]
    assert left == ["The guide of `tokens.py` still needs an example of the renewal."]


def test_what_is_being_done_is_not_told_beside_what_came_of_it() -> None:
    lines = told(
        user("Publishing to npm fails, make the workflow robust"),
        reply("I'm checking `release.yml` now, then I'll patch `publish.yml`.", 1),
        reply("The working tree is clean, and the checks pass. `actionlint` is still running.", 2),
        reply(
            "`publish.yml` never ran: tags pushed with `GITHUB_TOKEN` trigger no other workflow.",
            3,
        ),
    )

    assert lines == [
        "`publish.yml` never ran: tags pushed with `GITHUB_TOKEN` trigger no other workflow."
    ]


def test_a_statement_and_its_reason_are_one_line() -> None:
    said = (
        "The ledger stays in Postgres with `SERIALIZABLE` transactions. SQLite locked the whole "
        "file for every booking of `booking_worker.py`."
    )

    assert told(user("Which storage?"), reply(f"{said} Shall I go on?", 1)) == [said]


def test_a_turn_that_ends_without_a_word_does_not_part_a_question_from_its_answer() -> None:
    lines = told(
        reply("Should the idempotency keys of bookings live for 24 hours?", 1),
        event("", kind=EventType.ASSISTANT_STOP, minute=1),
        user("Yes, until we learn better.", 2),
    )

    asked = "Should the idempotency keys of bookings live for 24 hours?"
    assert lines == [f"{asked} \u2192 Yes, until we learn better."]


def test_a_question_and_its_short_answer_are_one_line() -> None:
    (line,) = [
        bullet
        for bullet in summary(
            user("Set up retries for the webhook worker."),
            reply("Should a webhook be retried on a 4xx answer of the receiver?", 1),
            user("no, only on 5xx", 2),
        ).bullets
        if bullet.kind is BulletKind.ANSWER
    ]

    assert line.text == (
        "Should a webhook be retried on a 4xx answer of the receiver? \u2192 no, only on 5xx"
    )
    assert len(line.grip_ids) == 2


def test_code_tables_and_tags_are_not_quoted() -> None:
    lines = told(
        user("Explain the cache."),
        reply(
            "<system-reminder>\nWe decided to never show this.\n</system-reminder>\n"
            "```python\n# we decided to fail here\n```\n"
            "| decided | failed |\n|---|---|\n"
            "- **Decision:** entries expire after [five minutes](https://example.org/x)\n",
            1,
        ),
    )

    assert lines == ["Decision: entries expire after five minutes"]


def test_tools_tell_commits_and_not_their_noise() -> None:
    lines = told(
        user("Release it."),
        tool("drwxr-xr-x 2 dev dev 4096 src\n" * 50, 1),
        tool("collected 3 items\nE   KeyError: 'berth'\n==== 1 failed, 2 passed in 0.41s ====", 2),
        tool("[main 3f2a91c] Release 1.2.0 with berth prices and tides\n 3 files changed", 3),
    )

    assert lines == ["[main 3f2a91c] Release 1.2.0 with berth prices and tides"]


def test_what_failed_and_then_passed_weighs_less_than_the_pass() -> None:
    failing = "==== 3 failed, 9 passed in 1.00s ===="
    passing = "==== 12 passed in 1.10s ===="

    worse = summary(user("Make the berth suite green."), tool(failing, 1)).bullets
    better = summary(
        user("Make the berth suite green."), tool(failing, 1), tool(passing, 2)
    ).bullets

    assert [bullet.kind for bullet in worse] == [BulletKind.PROBLEM]
    assert BulletKind.PROBLEM not in [bullet.kind for bullet in better]


def test_the_same_reply_twice_is_one_line() -> None:
    text = "Renamed `harbour_id` to `port_id` in the bookings schema."

    lines = told(
        user("Rename it."),
        reply(text, 1),
        event(text, kind=EventType.ASSISTANT_STOP, minute=2),
    )

    assert lines == [text]


def test_one_reply_does_not_take_every_line() -> None:
    plan = "\n".join(
        f"- Added the table `number_{n}` with its columns `first_{n}` and `last_{n}` of kind{n}"
        for n in range(9)
    )
    keys = "We decided on UUIDs as keys of `bookings` and `berths`, because `merge.py` needs them."

    found = summary(user("Add tables."), reply(plan, 1), user("and keys?", 2), reply(keys, 3))

    assert found.bullets[-1].text == keys
    assert len(found.bullets) == 5


def test_a_segment_of_noise_still_has_a_line_with_a_grip() -> None:
    assert told(tool("\n\n   ok", 0)) == ["ok"]
    assert told(user("hi")) == ["hi"]
    assert len(told(event("Bash: go test ./...", kind=EventType.TOOL_CALL))) == 1


def test_a_segment_in_which_nothing_was_said_has_a_title_and_no_line() -> None:
    started = summary(event(kind=EventType.SESSION_START))
    ended = summary(event(kind=EventType.SESSION_END))

    assert (started.title, started.bullets) == ("Session started", ())
    assert (ended.title, ended.bullets) == ("Session ended", ())


def test_prompts_that_an_agent_cli_wrote_are_no_prompts() -> None:
    found = summary(
        user("<command-name>/clear</command-name>"),
        user("[Request interrupted by user for tool use]", 1),
        user("Add a health check to the gateway", 2),
    )

    assert found.title == "Add a health check to the gateway"
    assert len(found.bullets) == 1


@pytest.mark.parametrize(
    ("text", "line"),
    [
        (
            ("你好。我们决定用PostgreSQL存储预订。谢谢！"),
            "我们决定用PostgreSQL存储预订。",
        ),
        (
            ("مرحبا! قررنا استخدام Postgres للحجوزات."),
            ("قررنا استخدام Postgres للحجوزات."),
        ),
        (
            "Guten Morgen. Wir haben uns f\u00fcr Postgres entschieden, weil SQLite sperrt.",
            "Wir haben uns f\u00fcr Postgres entschieden, weil SQLite sperrt.",
        ),
    ],
)
def test_decisions_are_found_in_other_scripts(text: str, line: str) -> None:
    assert line in told(user("x?"), reply(text, 1))


def test_a_language_without_cues_still_gives_lines() -> None:
    lines = told(
        user("Почему тест падает?"),
        reply("Varauskalenteri laskee huomisen laiturin hinnan metreittain.", 1),
    )

    assert "Varauskalenteri laskee huomisen laiturin hinnan metreittain." in lines


@pytest.mark.parametrize(
    "text",
    [
        "x" * 1_000_000,
        "word " * 200_000,
        "\U0001f6a2" * 1_000_000,
        "a\n" * 500_000,
        "(" * 1_000_000,
    ],
)
def test_a_megabyte_costs_no_more_than_a_page(text: str) -> None:
    began = time.process_time()

    summary(user("Look at this."), reply(text, 1), tool(text, 2))

    assert time.process_time() - began < 1.0


def test_summarising_twice_gives_the_same() -> None:
    events = (user("Add idempotency keys."), reply("Added `keys.py`. Tests pass.", 1))

    assert summary(*events) == summary(*events)


# --- titles ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        (
            "Hi Claude, could you please add a rate limiter to the API gateway?",
            "Add a rate limiter to the API gateway",
        ),
        ("We should add the agent name to any logging", "Add the agent name to any logging"),
        ("ok, let's **rename** `user_id` to `account_id` please.", "Rename user_id to account_id"),
        ("Why does the login test fail on CI?", "Why does the login test fail on CI?"),
        (
            "Implement the following plan:\n\n# Plan: Cache the month calendar\n\n1. Add a table",
            "Cache the month calendar",
        ),
        ("I'd like you to fix the flaky checkout test", "Fix the flaky checkout test"),
        ("请帮我添加水浍价格的测试", "添加水浍价格的测试"),
        ("yes", ""),
        ("continue", ""),
        ("", ""),
        ("<command-name>/clear</command-name>", ""),
    ],
)
def test_a_request_becomes_a_title(prompt: str, title: str) -> None:
    assert request(prompt) == title


def test_a_pasted_trace_is_titled_by_its_error() -> None:
    prompt = (
        "Traceback (most recent call last):\n"
        '  File "/app/bookings.py", line 23, in ask\n'
        '    db.execute("begin immediate")\n'
        "sqlite3.OperationalError: database is locked\n"
    )

    assert request(prompt) == "sqlite3.OperationalError: database is locked"


def test_a_long_request_is_cut_at_the_end_of_a_word() -> None:
    title = request("Move " + "every harbour and its berths " * 20 + "to the new schema")

    assert len(title) <= TITLE_CHARS_MAX
    assert title.endswith("\u2026")
    assert title.split()[-1].rstrip("\u2026") in ("every", "harbour", "berths", "its")


def test_the_first_recognisable_prompt_names_the_segment() -> None:
    assert best_request(["hi", "yes", "Add tide tables to the harbour page", "ok go on"]) == (
        "Add tide tables to the harbour page"
    )


def test_without_a_prompt_the_title_is_what_was_done() -> None:
    found = summary(reply("Added retries with backoff to `webhooks.py`. It failed once.", 0))

    assert found.title == "Added retries with backoff to webhooks.py"


def test_a_count_of_tests_is_no_title() -> None:
    found = summary(user("run the tests"), tool("9 passed in 1s", 1), reply("They pass.", 2))

    assert found.title == "Run the tests"


@pytest.mark.parametrize(
    ("line", "counts"),
    [
        ("9 passed in 1s", True),
        ("1 failed, 3 passed in 0.42s", True),
        ("Tests: 2 failed, 40 passed, 42 total", True),
        ("test result: ok. 31 passed; 0 failed", True),
        ("FAILED tests/test_cart.py::test_total - assert 1050 == 1049", False),
        ("9 passed, but the total is rounded twice", False),
    ],
)
def test_a_line_that_only_counts_tests_is_known(line: str, counts: bool) -> None:
    assert (COUNTS_TESTS.match(line) is not None) is counts


def test_silent_work_is_named_by_the_files_it_changed() -> None:
    found = summary(
        event(
            "Edit",
            kind=EventType.TOOL_CALL,
            tool_name="Edit",
            tool_input={"file_path": "/repo/src/tide tables/prices.py"},
        )
    )

    assert found.title == "Edited prices.py"


def test_a_commit_names_the_segment_and_a_prompt_that_steers_does_not() -> None:
    found = summary(
        user("has the patch landed? if not can you merge it"),
        tool("[main fd07a0a] fix(release): harden npm publish recovery\n 4 files changed", 1),
        reply("It has landed.", 2),
    )

    assert found.title == "Harden npm publish recovery (release)"


def test_a_title_names_the_area_where_there_is_room() -> None:
    asked = user("review the changes of this branch")
    on_branch = event("Looks fine.", minute=1, git_branch="feature/42-agent-install-check")

    assert summary(asked, on_branch).title == (
        "Review the changes of this branch (agent install check)"
    )


@pytest.mark.parametrize(
    ("prompt", "title"),
    [
        (
            "Look at https://github.com/acme/shop/pull/214/files and fix the tide table",
            "Look at PR #214 and fix the tide table",
        ),
        ("ci failed, fix the lint https://ci.example/runs/1", "Ci failed, fix the lint"),
        ("Update @prompts/deep/berth-prices.md for spring", "Update berth-prices.md for spring"),
        ("/plan Add tide tables to the page", "Add tide tables to the page"),
        ("for acme/cli which we set up, add tides", "For acme/cli which we set up, add tides"),
    ],
)
def test_links_mentions_and_commands_are_told_by_what_they_name(prompt: str, title: str) -> None:
    assert request(prompt) == title


# --- words ----------------------------------------------------------------------------------


def test_code_names_are_kept_whole() -> None:
    line = "Call `parse_node_id(text)` in auth/session.py, HTTPServer and fetchAll with --force."

    assert code_names(line) == [
        "parse_node_id",
        "auth/session.py",
        "HTTPServer",
        "fetchAll",
        "--force",
    ]


def test_keyphrases_put_names_and_repeated_pairs_first() -> None:
    found = keyphrases(
        ["The refresh token expires in `auth.py`.", "Rotate the refresh token on every login."]
    )

    assert found[:2] == ("refresh token", "auth.py")


def test_keyphrases_of_a_script_without_spaces_are_words_of_it() -> None:
    found = keyphrases(["日本語テンプレートを追加しました。"])

    assert "テンプレート" in found


def test_likeness_is_of_words_and_not_of_endings() -> None:
    one, other = terms("Renamed the tokens table"), terms("Renaming token tables")

    assert likeness(one, other) == 1.0
    assert likeness(terms("auth"), terms("auth is broken in staging")) < 0.5
    assert likeness(frozenset(), one) == 0.0


# --- sentences ------------------------------------------------------------------------------


def test_sentences_know_their_place() -> None:
    text = "# Plan\n\nUse e.g. WAL. It works in v1.2 too!\n\n- [x] **done** now\n1. next\n> quoted"

    found = sentences(text)

    assert [(one.text, one.block) for one in found] == [
        ("Plan", Block.HEADING),
        ("Use e.g. WAL.", Block.PROSE),
        ("It works in v1.2 too!", Block.PROSE),
        ("done now", Block.ITEM),
        ("next", Block.ITEM),
        ("quoted", Block.ITEM),
    ]
    assert all(show_excerpt(text[one.start : one.end]) == one.text for one in found)


def test_people_who_write_without_capitals_end_sentences_too() -> None:
    found = [
        one.text for one in sentences("new tool today. write the guide \U0001f604 then commit")
    ]

    assert found == ["new tool today.", "write the guide \U0001f604", "then commit"]


def test_a_line_is_cut_at_a_clause_a_word_or_a_whole_character() -> None:
    assert shorten("one two three, four five six", 20) == "one two three\u2026"
    assert shorten("one two three four five six", 20) == "one two three four\u2026"
    assert shorten("\U0001f468\u200d\U0001f469\u200d\U0001f467" * 9, 7).count("\u200d") == 2
    assert shorten("short", 20) == "short"


# --- tools and grips ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metadata", "failed"),
    [
        ({"exit_code": 2}, True),
        ({"tool_response": {"exitCode": 1}}, True),
        ({"is_error": True}, True),
        ({"exit_code": 0}, False),
        ({"tool_response": "text"}, False),
        ({"tool_response": None}, False),
        ({}, False),
    ],
)
def test_a_tools_failure_is_read_from_whatever_shape(
    metadata: dict[str, Any], failed: bool
) -> None:
    assert has_failed(tool("out", **metadata)) is failed


def test_changed_files_are_read_from_whatever_shape() -> None:
    patch = event(kind=EventType.TOOL_CALL, files=["Update File src/a.py", "Add File b.md"])
    odd = event(kind=EventType.TOOL_CALL, tool_name=7, tool_input=["x"], files="no list")

    assert list(list_changed_files(patch)) == ["a.py", "b.md"]
    assert list(list_changed_files(odd)) == []


def test_a_grip_holds_only_where_its_words_stand() -> None:
    source = reply("We chose Postgres.")
    held = grip(source, 3, 8, NodeId("toc:segment:x"))

    assert held.excerpt == "chose"
    assert held.event_id_start == held.event_id_end == source.event_id
    assert parse_grip_id(held.grip_id) == (held.grip_id, source.timestamp_ms)
    assert grip(source, 3, 8, NodeId("toc:segment:y")).grip_id == held.grip_id
    assert grip(source, 3, 9, NodeId("toc:segment:x")).grip_id != held.grip_id
    assert holds(held, {source.event_id: source.text})
    assert not holds(held, {source.event_id: "x" + source.text})
    assert not holds(held, {source.event_id: "We"})
    assert not holds(held, {})


@pytest.mark.parametrize(
    "text", ["", "grip:", "grip:1:2", "grip:x:01KF00000000000000000000AB", "toc:day:2026-01-15"]
)
def test_what_is_no_grip_is_refused(text: str) -> None:
    with pytest.raises(InvalidValue, match="is not a grip"):
        parse_grip_id(text)


def test_what_a_person_said_to_a_plan_is_told_and_the_plan_names_the_work() -> None:
    plan = "# Batch the uploads\n\n1. Collect for 5 s.\n2. Send through `epoll`.\n"
    call = event(
        "ExitPlanMode",
        kind=EventType.TOOL_CALL,
        minute=1,
        tool_name="ExitPlanMode",
        tool_input={"plan": plan},
    )
    refusal = event(
        "The tool use was rejected. To tell you how to proceed, the user said:\n"
        "no epoll, the kiosks run Windows. Use a plain queue. Make a new plan tomorrow.",
        kind=EventType.TOOL_RESULT,
        minute=2,
        is_error=True,
    )
    found = summary(user("what about batching? make a plan please"), call, refusal)

    assert found.title.startswith("Batch the uploads")
    assert any(
        "no epoll, the kiosks run Windows." in one.text and one.kind is BulletKind.DECISION
        for one in found.bullets
    )
    assert not any(
        "tomorrow" in one.text for one in found.bullets if one.kind is BulletKind.DECISION
    )


def test_an_answer_that_a_tool_brought_is_told_with_its_question() -> None:
    answered = event(
        'User has answered your questions: "How long are the keys kept?"="72 hours". You can now '
        "continue.",
        kind=EventType.TOOL_RESULT,
        minute=2,
    )

    assert "How long are the keys kept? \u2192 72 hours" in told(
        user("add idempotency keys to the importer"), answered
    )


@pytest.mark.parametrize(
    "prompt",
    [
        "\u3042\u308a\u304c\u3068\u3046",
        "thanks, great work!",
        "Danke dir!",
        "See also #999 and #5 in the old tracker, they complained about that",
        "gracias",
    ],
)
def test_thanks_and_references_name_no_work(prompt: str) -> None:
    found = summary(
        user(prompt),
        reply("The receipts are printed with the `landscape` layout, and the footer is gone.", 1),
    )

    assert "landscape" in found.title or "receipts" in found.title.lower()


@pytest.mark.parametrize(
    ("kind", "text", "title"),
    [
        ("command", "<local-command-stdout>Bye!</local-command-stdout>", "Only notices of"),
        ("interruption", "[Request interrupted by user]", "Only notices of"),
        ("report", "The importer skips rows without a date.", "The importer skips rows"),
        ("", "The importer skips rows without a date.", "The importer skips rows"),
    ],
)
def test_what_only_an_agent_cli_said_is_neither_a_title_nor_a_line(
    kind: str, text: str, title: str
) -> None:
    found = summary(event(text, kind=EventType.NOTE, machine=kind))

    assert found.title.startswith(title)
    assert bool(found.bullets) is not title.startswith("Only")
