"""Goal: what one session left and another did, saw or said since is told once, and as it is now.

Method: sessions in a real log become observations in real files.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.capture import Draft, EventType
from agentx.observations.model import Category, Observation
from agentx.views.limits import INDEX_BATCH_EVENTS_MAX
from tests.support.session_bench import (
    Bench,
    CountingStore,
    ended,
    first_part,
    said,
)


def _tool(number: int, session: str, name: str, given: dict[str, str], back: str) -> list[Draft]:
    call = {"tool_name": name, "tool_use_id": f"{session}-{number}"}
    return [
        said(number, EventType.TOOL_CALL, name, session, tool_input=given, **call),
        said(number + 1, EventType.TOOL_RESULT, back, session, **call),
    ]


def test_what_a_later_session_saw_is_gone_is_replaced_by_what_that_one_says(bench: Bench) -> None:
    path = {"file_path": "/repo/src/naming.go"}
    told = "`shortName()` builds the name of a session's file out of its start and its id."
    asked = "rename the builder of names in naming.go to what the others are called"
    edit = {**path, "old_string": "", "new_string": "func shortName(id string) string {\n}\n"}
    bench.say(
        said(0, EventType.USER_MESSAGE, "name the files of sessions by their start"),
        *_tool(1, "s-1", "Edit", edit, "The file has been updated."),
        said(3, EventType.ASSISTANT_MESSAGE, told),
        said(4, EventType.SESSION_END),
    )
    bench.observing.catch_up()
    bench.say(
        said(10, EventType.USER_MESSAGE, asked, "s-2"),
        *_tool(11, "s-2", "Read", path, "package naming\n\nfunc nameOf(id string) string {\n}\n"),
        said(13, EventType.ASSISTANT_MESSAGE, "`nameOf()` is the only builder of names.", "s-2"),
        said(14, EventType.SESSION_END, session="s-2"),
    )

    bench.observing.catch_up()

    by_text = {one.content: one for one in bench.all()}
    assert by_text[told].files == ("src/naming.go",)
    assert bench.store.get_by_ids([by_text[told].superseded_by])[0].session_id == "s-2"


def _run(number: int, session: str, command: str, output: str, code: int) -> list[Draft]:
    drafts = _tool(number, session, "Bash", {"command": command}, output)
    if not code:
        return drafts
    result = replace(drafts[-1], metadata={**drafts[-1].metadata, "is_error": True})
    return [*drafts[:-1], result]


def _break_and_mend(bench: Bench, *, between: int = 0) -> None:
    """Let a session leave a failure, and a later one mend it."""
    told = "Gate.kt:41: error: unresolved reference: insecure"
    bench.say(
        said(0, EventType.USER_MESSAGE, "raise the version of the gateway"),
        *_run(1, "s-1", "./gradlew :gate:test", told, 1),
        said(3, EventType.ASSISTANT_MESSAGE, "`insecure` was removed from the library."),
        ended(4),
    )
    for number in range(between):
        at = 10 + 10 * number
        bench.say(*first_part(f"m-{number}", at), ended(at + 5, f"m-{number}"))
    edit = {"file_path": "/repo/gate/Gate.kt", "old_string": "a", "new_string": "b"}
    at = 20 + 10 * between
    bench.say(
        said(at, EventType.USER_MESSAGE, "finish the gateway", "s-2"),
        *_tool(at + 1, "s-2", "Edit", edit, "The file has been updated."),
        *_run(at + 3, "s-2", "./gradlew test", "BUILD SUCCESSFUL", 0),
        ended(at + 5, "s-2"),
    )


def _failures(bench: Bench) -> list[Observation]:
    found = [one for one in bench.all() if one.category is Category.ERROR and not one.superseded_by]
    return [one for one in found if "gradlew" in one.content]


@pytest.mark.parametrize("between", [0, 30])
def test_a_failure_that_a_later_session_mended_is_told_with_what_mended_it(
    bench: Bench, between: int
) -> None:
    _break_and_mend(bench, between=between)  # many are captured newest first

    for _ in range(4):
        bench.observing.catch_up()

    (one,) = _failures(bench)
    assert one.content.endswith("Fixed by: gate/Gate.kt")
    assert "Not seen fixed" not in one.content


def test_a_failure_is_open_again_when_the_session_that_mended_it_is_forgotten(
    bench: Bench,
) -> None:
    _break_and_mend(bench)
    bench.observing.catch_up()

    with bench.observing.forgetting(["s-2"], whole=True, is_kept=True):
        bench.log.forget_session("s-2")
    bench.observing.catch_up()

    (one,) = _failures(bench)
    assert "Not seen fixed" in one.content


def test_a_failure_that_the_same_session_mended_later_is_not_open(bench: Bench) -> None:
    told = "Gate.kt:41: error: unresolved reference: insecure"
    bench.say(
        said(0, EventType.USER_MESSAGE, "raise the version of the gateway"),
        *_run(1, "s-1", "./gradlew test", told, 1),
        said(3, EventType.ASSISTANT_MESSAGE, "`insecure` was removed from the library."),
        ended(4),
    )
    bench.observing.catch_up()
    edit = {"file_path": "/repo/gate/Gate.kt", "old_string": "a", "new_string": "b"}
    bench.say(
        said(20, EventType.USER_MESSAGE, "go on"),
        *_tool(21, "s-1", "Edit", edit, "The file has been updated."),
        *_run(23, "s-1", "./gradlew test", "BUILD SUCCESSFUL", 0),
        ended(25),
    )
    bench.observing.catch_up()

    (one,) = _failures(bench)
    assert one.content.endswith("Fixed by: gate/Gate.kt")


def _leave_and_do(bench: Bench, *, between: int = 0) -> None:
    """Let a session leave a list open, and a later one do a part of it."""
    left = "Drafts are paged now. Still to do: purging the drafts, compressing the backups."
    bench.say(
        said(0, EventType.USER_MESSAGE, "page the drafts"),
        said(1, EventType.ASSISTANT_MESSAGE, left),
        ended(2),
    )
    for number in range(between):
        at = 10 + 10 * number
        bench.say(*first_part(f"m-{number}", at), ended(at + 5, f"m-{number}"))
    edit = {"file_path": "/repo/drafts.py", "old_string": "a", "new_string": "b"}
    at = 20 + 10 * between
    bench.say(
        said(at, EventType.USER_MESSAGE, "purge the drafts", "s-2"),
        *_tool(at + 1, "s-2", "Edit", edit, "The file has been updated."),
        said(at + 3, EventType.ASSISTANT_MESSAGE, "Drafts older than a year are purged.", "s-2"),
        ended(at + 5, "s-2"),
    )


def _open_ends(bench: Bench) -> list[str]:
    found = [one for one in bench.all() if not one.superseded_by]
    return [one.content for one in found if one.content.startswith("Left open: ")]


@pytest.mark.parametrize("between", [0, 30])
def test_of_a_list_what_is_left_stands_whichever_session_is_captured_first(
    bench: Bench, between: int
) -> None:
    _leave_and_do(bench, between=between)  # many are captured newest first

    for _ in range(4):
        bench.observing.catch_up()

    assert _open_ends(bench) == ["Left open: compressing the backups."]


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ("s-1", []),
        ("s-2", ["Left open: purging the drafts, compressing the backups."]),
    ],
)
def test_what_is_left_of_a_list_is_forgotten_with_either_session(
    bench: Bench, gone: str, left: list[str]
) -> None:
    _leave_and_do(bench)
    bench.observing.catch_up()

    with bench.observing.forgetting([gone], whole=True, is_kept=True):
        bench.log.forget_session(gone)
    bench.observing.catch_up()

    assert _open_ends(bench) == left


def test_who_reads_the_news_of_many_sessions_goes_through_those_that_wait_once(
    tmp_path: Path,
) -> None:
    kv = CountingStore()
    bench = Bench(tmp_path, kv=kv)
    sessions = INDEX_BATCH_EVENTS_MAX + 50
    bench.say(*(said(0, EventType.USER_MESSAGE, "hello", f"s-{each}") for each in range(sessions)))

    bench.observing.catch_up()

    assert bench.all() == []
    assert kv.checkpoints == sessions
