"""What an agent CLI did, before it is in the log.

An adapter turns a hook payload or a line of a transcript into drafts. A draft
becomes an event when the log gives it an id; identity decides whether it is new:

* `source_id` is an id that the agent CLI itself gives, the same in its hooks and
  in its transcript (a tool call's id, a turn's id). Two drafts with the same
  harness, session, kind and source id are one event.
* Where there is none, `fingerprint` says what the event is (its text, its tool
  and arguments). The n-th occurrence that hooks saw is the n-th occurrence that
  the transcript holds; `delivery` tells two occurrences of one channel apart.
"""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import Any

from agentx.kernel.clock import Millis
from agentx.kernel.ids import digest
from agentx.kernel.text import fold_text
from agentx.kernel.values import frozen


class EventType(StrEnum):
    """The kinds of event."""

    SESSION_START = "session_start"
    USER_MESSAGE = "user_message"
    ASSISTANT_MESSAGE = "assistant_message"
    TOOL_CALL = "tool_call"
    TOOL_RESULT = "tool_result"
    ASSISTANT_STOP = "assistant_stop"
    SUBAGENT_START = "subagent_start"
    SUBAGENT_STOP = "subagent_stop"
    COMPACTION = "compaction"
    SESSION_END = "session_end"
    NOTE = "note"


class Role(StrEnum):
    """Who speaks in an event."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    SYSTEM = "system"


class MachineWords(StrEnum):
    """What stands in the user's name and nobody said: a note, and `machine` is its kind."""

    NOTIFICATION = "notification"  # a task, a teammate or a channel has something to tell
    REPORT = "report"  # what another agent found
    INTERRUPTION = "interruption"
    CONTINUATION = "continuation"  # a summary of what was said before
    COMMAND = "command"  # for the agent CLI itself, and what it printed
    REMINDER = "reminder"  # put around a prompt: reminders, open files, files referred to
    INSTRUCTIONS = "instructions"  # boot files, the environment, permissions
    SKILL = "skill"
    HOOK = "hook"  # what another program's hook put in
    DELEGATION = "delegation"  # what one agent asks of another
    RUNNER = "runner"  # a prompt of our own


FINISHED = "finished"  # of the note that an agent said it is done: who, and with which issue
MACHINE = "machine"  # the field of the metadata that holds the kind
UNKNOWN_HARNESS = "unknown_harness"  # of a note that is a whole payload: nobody said whose


class Harness(StrEnum):
    """The agent CLIs."""

    CLAUDE_CODE = "claude-code"
    CODEX = "codex"
    GEMINI = "gemini"
    OPENCODE = "opencode"
    COPILOT = "copilot"


class Channel(StrEnum):
    """The way a draft came to us."""

    HOOK = "hook"
    TRANSCRIPT = "transcript"
    API = "api"


Metadata = dict[str, Any]


@frozen
class Draft:
    """An event that was seen and is not yet in the log.

    `harness` is usually one of `Harness`; an unknown agent CLI keeps its own name. `known_as` is
    the kind that its identity is made with, where an older version took it for another.
    """

    harness: str
    session_id: str
    event_type: EventType
    timestamp_ms: Millis
    role: Role
    text: str
    channel: Channel
    agent: str = ""
    source_id: str = ""
    fingerprint: str = ""
    delivery: str = ""
    known_as: str = ""
    metadata: Metadata = field(default_factory=dict)


@frozen
class CleanDraft(Draft):
    """A draft as it may be stored: secrets out, bounds kept. Only `clean` makes them."""


def text_print(*parts: str) -> str:
    """Return a short hash of texts, blind to white space: for source ids and fingerprints."""
    return digest(*(fold_text(part) for part in parts), size=12).hex()
