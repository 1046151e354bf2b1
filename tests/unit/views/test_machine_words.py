"""What machines say in the user's name: kept and known again, and in nobody's mouth."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from agentx.conversation.model import Event
from agentx.conversation.service import Conversation
from agentx.conversation.store.log import LogStore
from agentx.exchanges.exchange import exchanges, reports
from agentx.exchanges.turns import TurnKind
from agentx.kernel.bus import Bus
from agentx.kernel.capture import Channel, Draft, EventType, MachineWords, Role
from agentx.kernel.clock import Millis
from agentx.kernel.ids import EventId
from agentx.views.documents.conversation import event_document
from agentx.views.sessions.turns import turns_of
from tests.support.memory_kv import MemoryStore
from tests.support.time_and_chance import CountingEntropy, FakeClock

AT_MS = 1_772_445_600_000


def _event(event_type: EventType, text: str, **metadata: Any) -> Event:
    return Event(
        event_id=EventId(f"{AT_MS:026d}"),
        session_id="s1",
        timestamp_ms=Millis(AT_MS),
        event_type=event_type,
        role=Role.SYSTEM,
        text=text,
        harness="claude-code",
        agent="",
        project="shop",
        metadata=metadata,
    )


def _machine(kind: MachineWords, text: str = "words") -> Event:
    return _event(EventType.NOTE, text, machine=kind)


def test_what_an_older_version_took_for_a_prompt_is_not_stored_again_as_a_note() -> None:
    log = LogStore(MemoryStore(), entropy=CountingEntropy())
    room = Conversation(log, project="shop", clock=FakeClock(AT_MS), bus=Bus())
    before = Draft(
        harness="claude-code",
        session_id="s1",
        event_type=EventType.USER_MESSAGE,
        timestamp_ms=Millis(AT_MS),
        role=Role.USER,
        text="/clear",
        channel=Channel.TRANSCRIPT,
        source_id="p1:print",
    )
    now = replace(before, event_type=EventType.NOTE, known_as=EventType.USER_MESSAGE)

    stored = room.append([before])
    again = room.append([now])

    assert len(stored.stored) == 1
    assert (again.stored, again.duplicates) == ((), 1)


@pytest.mark.parametrize("kind", MachineWords)
def test_nothing_that_a_machine_says_is_a_prompt_or_a_reply(kind: MachineWords) -> None:
    (turn,) = turns_of([_machine(kind)])

    assert turn.kind not in (TurnKind.PROMPT, TurnKind.REPLY)


def test_what_a_background_agent_reports_belongs_to_who_asked_it() -> None:
    done = "<task-notification>\n<result>\nIt is the cache.\n</result>\n</task-notification>"
    asked = _event(EventType.USER_MESSAGE, "why is it slow?")

    (exchange,) = exchanges(turns_of([asked, _machine(MachineWords.REPORT, done)]))

    assert [turn.text for turn in reports(exchange)] == ["It is the cache."]


@pytest.mark.parametrize(
    "text",
    [
        "<tool_use_error>Sibling tool call errored</tool_use_error>",
        "<tool_use_error>Cancelled: parallel tool call Bash(ls) errored</tool_use_error>",
    ],
)
def test_a_call_that_was_never_made_did_not_fail(text: str) -> None:
    call = _event(EventType.TOOL_CALL, "Bash: ls", tool_name="Bash", tool_use_id="c1")
    result = _event(EventType.TOOL_RESULT, text, tool_use_id="c1", is_error=True)

    (exchange,) = exchanges(turns_of([call, result]))

    assert [step.has_failed for step in exchange.steps] == [False]


def test_boot_files_are_not_found_in_every_session_and_reports_are() -> None:
    assert event_document(_machine(MachineWords.INSTRUCTIONS)) is None
    assert event_document(_machine(MachineWords.SKILL)) is None
    assert event_document(_machine(MachineWords.REPORT)) is not None
