"""What the drafts of one hook payload, or of one line of a transcript, have in common.

Identity is decided here, in one way for every agent CLI:

* a draft with an id that the agent CLI gives carries it as `source_id`;
* any other carries a `fingerprint` of what it says, and the `delivery` it came by.

Words are compared as they are kept: without what AgentX injected, and redacted. The hook
redacts a payload before it is spooled, a transcript on disk is as it was written; the
print of both must be the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from typing import Any

from agentx.adapters.port import HookCall
from agentx.adapters.shapes import clean_words, json_text, keep_metadata, millis, word
from agentx.adapters.voices import HeardWords
from agentx.kernel.capture import (
    MACHINE,
    Channel,
    Draft,
    EventType,
    Metadata,
    Role,
    text_print,
)
from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.redaction.redact import redact

_ROLES = {
    EventType.USER_MESSAGE: Role.USER,
    EventType.ASSISTANT_MESSAGE: Role.ASSISTANT,
    EventType.ASSISTANT_STOP: Role.ASSISTANT,
    EventType.TOOL_CALL: Role.ASSISTANT,
    EventType.TOOL_RESULT: Role.TOOL,
}


@frozen
class Scene:
    """Who, where and when."""

    harness: str
    session_id: str
    timestamp_ms: Millis
    channel: Channel
    delivery: str
    agent: str = ""
    metadata: Metadata = field(default_factory=dict)

    def draft(
        self,
        event_type: EventType,
        text: str = "",
        *,
        source_id: str = "",
        fingerprint: str = "",
        **metadata: Any,
    ) -> Draft:
        """Return one draft; `fingerprint` counts only where there is no `source_id`."""
        assert source_id or fingerprint, "every draft has an identity"
        return Draft(
            harness=self.harness,
            session_id=self.session_id,
            event_type=event_type,
            timestamp_ms=self.timestamp_ms,
            role=_ROLES.get(event_type, Role.SYSTEM),
            text=clean_words(text),
            channel=self.channel,
            agent=self.agent,
            source_id=source_id,
            fingerprint="" if source_id else fingerprint,
            delivery="" if source_id else self.delivery,
            metadata=keep_metadata({**self.metadata, **metadata}),
        )

    def draft_words(
        self, event_type: EventType, text: str, *, turn: str = "", **metadata: Any
    ) -> tuple[Draft, ...]:
        """Return what was said in a turn; nothing when AgentX itself had put it there."""
        words = clean_words(text)
        if not words.strip():
            return ()
        words_print = text_print(redact(words))
        source_id = f"{turn}:{words_print}" if turn else ""
        return (
            self.draft(event_type, words, source_id=source_id, fingerprint=words_print, **metadata),
        )

    def draft_said(self, said: HeardWords, *, turn: str = "", **metadata: Any) -> tuple[Draft, ...]:
        """Return what was said in the user's name: a prompt, or a note of which machine said it."""
        told = {MACHINE: said.machine, "sender": said.sender, **metadata}
        drafts = self.draft_words(said.event_type, said.words, turn=turn, **told)
        by = self.draft_words(said.event_type, said.whole, turn=turn) if said.whole else ()
        return tuple(
            replace(
                draft,
                known_as="" if said.known_as is said.event_type else said.known_as or "",
                source_id=by[0].source_id if by else draft.source_id,
                fingerprint=by[0].fingerprint if by else draft.fingerprint,
            )
            for draft in drafts
        )

    def draft_stop(self, turn: str, last_words: str, **metadata: Any) -> Draft:
        """Return the end of a turn; one without an id is known by its last words."""
        fingerprint = "" if turn else text_print("stop", redact(clean_words(last_words)))
        return self.draft(
            EventType.ASSISTANT_STOP, source_id=turn, fingerprint=fingerprint, **metadata
        )

    def draft_start(self, source: str, **metadata: Any) -> Draft:
        """Return the start of a session: once when it is new, each time when it goes on."""
        if source in ("resume", "compact"):
            return self.draft(
                EventType.SESSION_START, fingerprint=source, start_source=source, **metadata
            )
        return self.draft(
            EventType.SESSION_START, source_id="startup", start_source=source, **metadata
        )

    def draft_note(self, text: str, payload: Mapping[str, Any], **metadata: Any) -> Draft:
        """Return what has no kind of its own; the same payload is the same note."""
        fingerprint = text_print("note", json_text(payload))
        return self.draft(EventType.NOTE, text, fingerprint=fingerprint, **metadata)


def hook_scene(call: HookCall, hook: str, session_id: str, **metadata: Any) -> Scene:
    """Return the scene of one hook payload."""
    return Scene(
        harness=call.harness,
        session_id=session_id,
        timestamp_ms=millis(call.payload.get("timestamp")) or call.received_ms,
        channel=Channel.HOOK,
        delivery=call.delivery,
        agent=call.agent,
        metadata={
            "hook": hook,
            "cwd": word(call.payload, "cwd") or call.working_directory,
            "git_branch": call.branch,
            **metadata,
        },
    )
