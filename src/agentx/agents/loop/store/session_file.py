"""Sessions of the loop on disk: one JSON document each, replaced whole after every step.

    {"version": 1,
     "meta": {"sessionId": "engineer-01KF...", "agentName": "engineer", "issueNumber": 7, ...},
     "messages": [{"role": "assistant", "content": "...", "toolCalls": [...], "timestamp": ...}],
     "loop": {...}}                                      what it takes to go on

`meta` and `messages` are what other tools know of a session. Beside the sessions lies
`loop-state.json`: which of them is at work, or was last.

A repository may bring a file like these, whose open calls would be made: whoever begins a session
notes that in the store, and only what is noted there is taken up.

Law: what is in a file was on disk before the next thing was done. One that cannot be read is
moved aside and named, never overwritten.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec

from agentx.agents.compaction import Message, count_tokens
from agentx.agents.loop.limits import LOOP_SESSION_BYTES_MAX
from agentx.agents.loop.model import LoopSession
from agentx.agents.store import list_names
from agentx.host.documents.json_file import json_file
from agentx.host.files import json_text
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import exists
from agentx.kernel.clock import Clock, from_iso, to_iso
from agentx.kernel.errors import (
    CorruptRecord,
    InvalidValue,
    NotFound,
    UnavailableError,
    UnsupportedVersion,
)
from agentx.kernel.text import compile_late

_VERSION = 1
_SUFFIX = ".json"
_BY_US = "agentx"  # whose words a message is that no person said
_ID = compile_late(r"[a-z][a-z0-9-]{0,80}-[0-9A-HJKMNP-TV-Z]{26}")
# Of the loop's own part: everything that `meta` and `messages` do not say.
_OF_META = frozenset(("id", "agent", "issue", "system", "messages", "created_ms", "updated_ms"))


class LoopSessions:
    """The sessions of one project."""

    def __init__(self, folder: Path, state: Path, begun: Path, clock: Clock) -> None:
        self._folder = folder
        self._state = state
        self._begun = begun
        self._clock = clock

    def note_begun(self, session_id: str) -> None:
        """Note that a session is one of ours, where no repository brings anything.

        Raises: UnavailableError, UnsafePath.
        """
        make_private_directory(self._begun)
        replace_file(self._note(session_id), b"")

    def save(self, session: LoopSession) -> None:
        """Keep a session as it is now.

        Raises: UnavailableError, UnsafePath.
        """
        raw = _write(_encode(session))
        if len(raw) > LOOP_SESSION_BYTES_MAX:
            raise UnavailableError(
                f"{session.id}: {len(raw):,} bytes are too many for a session",
                hint="begin another: agentx agent run",
            )
        replace_file(self._path(session.id), raw)

    def note_state(self, session: LoopSession, *, turns_max: int) -> None:
        """Say which session is at work, or was last: a view, for who watches."""
        state = {
            "active": session.ended is None,
            "status": "running" if session.ended is None else str(session.ended.kind),
            "sessionId": session.id,
            "agentName": session.agent,
            "issueNumber": session.issue,
            "iteration": session.spent.turns,
            "maxIterations": turns_max,
            "startedAt": to_iso(session.created_ms),
            "lastIterationAt": to_iso(session.updated_ms),
        }
        replace_file(self._state, json_text.page_of(state), is_synced=False)

    def load(self, session_id: str) -> LoopSession:
        """Return a session.

        Raises: NotFound; InvalidValue for one that was not begun here, CorruptRecord after moving
            what cannot be read aside, UnsupportedVersion.
        """
        if not _is_id(session_id) or not exists(self._path(session_id)):
            raise NotFound(
                f"there is no session {session_id[:80]!r}", hint="agentx agent resume --list"
            )
        if not exists(self._note(session_id)):
            raise InvalidValue(
                f"{session_id} was not begun here: it may say anything, and is not taken up",
                hint=f"look at {self._path(session_id)}, and begin another: agentx agent run",
            )
        document = json_file(self._path(session_id), self._clock).read()
        if document is None:
            raise NotFound(f"there is no session {session_id}")
        return _decode(session_id, document)

    def list_ids(self) -> tuple[str, ...]:
        """Return the names of all sessions that were begun here, the newest first."""
        found = (each for each in list_names(self._folder, _SUFFIX) if _is_id(each))
        names = (each for each in found if exists(self._note(each)))
        return tuple(sorted(names, key=lambda name: name[-26:], reverse=True))

    def list_unfinished(self) -> Iterator[LoopSession]:
        """Yield the sessions whose agent is not done, the newest first; no damaged ones."""
        for name in self.list_ids():
            try:
                session = self.load(name)
            except (CorruptRecord, NotFound, UnsupportedVersion):
                continue
            if not session.is_done:
                yield session

    def _note(self, session_id: str) -> Path:
        return self._begun / f"{session_id}.begun"

    def _path(self, session_id: str) -> Path:
        return self._folder / f"{session_id}{_SUFFIX}"


def _is_id(name: str) -> bool:
    return _ID.fullmatch(name) is not None


def _encode(session: LoopSession) -> dict[str, Any]:
    messages = session.messages
    own = msgspec.to_builtins(replace(session, messages=()))
    return {
        "version": _VERSION,
        "meta": {
            "sessionId": session.id,
            "agentName": session.agent,
            "issueNumber": session.issue,
            "createdAt": to_iso(session.created_ms),
            "updatedAt": to_iso(session.updated_ms),
            "turnCount": session.spent.turns,
            "toolCallCount": session.spent.calls,
            "totalTokensEstimate": sum(count_tokens(each.content) for each in messages),
            "compacted": session.compactions > 0,
        },
        "messages": list(_encode_messages(session)),
        "loop": {name: value for name, value in own.items() if name not in _OF_META},
    }


def _write(document: dict[str, Any]) -> bytes:
    """Return a session as people can read it; it is written often, and may be long."""
    try:
        return msgspec.json.format(msgspec.json.encode(document), indent=2) + b"\n"
    except (msgspec.EncodeError, UnicodeEncodeError):
        return json_text.page_of(document)  # which takes lone surrogates


def _encode_messages(session: LoopSession) -> Iterator[dict[str, Any]]:
    began = to_iso(session.created_ms)
    yield {"role": "system", "content": session.system, "timestamp": began}
    said: dict[str, Any] | None = None  # a reply, with its calls
    for message in session.messages:
        own = {"timestamp": to_iso(message.at_ms), "turn": message.turn}
        if message.role == "tool_call":
            if said is None or said["turn"] != message.turn:
                if said is not None:
                    yield said
                said = {"role": "assistant", "content": "", **own}
            said.setdefault("toolCalls", []).append(_encode_call(message))
            continue
        if said is not None:
            yield said
            said = None
        if message.role == "assistant":
            said = {"role": "assistant", "content": message.content, **own}
        elif message.role == "tool":
            named = {"toolCallId": message.call_id, "name": message.tool}
            yield {"role": "tool", "content": message.content, **named, **own} | (
                {"failed": True} if message.failed else {}
            )
        elif message.role == "task":
            yield {"role": "user", "by": _BY_US, "content": message.content, **own}
        else:
            yield {"role": message.role, "content": message.content, **own}
    if said is not None:
        yield said


def _encode_call(message: Message) -> dict[str, Any]:
    more = {"fault": message.fault, "mark": message.mark}
    return {
        "id": message.call_id,
        "name": message.tool,
        "params": dict(message.arguments),
        **{name: value for name, value in more.items() if value},
    }


class _SavedCall(msgspec.Struct):
    id: str
    name: str
    params: dict[str, Any]
    fault: str = ""
    mark: str = ""


class _SavedMessage(msgspec.Struct, rename="camel"):
    role: str
    content: str
    timestamp: str
    turn: int = 0
    tool_calls: list[_SavedCall] = []
    tool_call_id: str = ""
    name: str = ""
    by: str = ""
    failed: bool = False


class _SavedMeta(msgspec.Struct, rename="camel"):
    session_id: str
    agent_name: str
    created_at: str
    updated_at: str
    issue_number: int = 0


class _Saved(msgspec.Struct):
    version: int
    meta: _SavedMeta
    messages: list[_SavedMessage]
    loop: dict[str, Any]


def _decode(session_id: str, document: dict[str, Any]) -> LoopSession:
    version = document.get("version")
    if isinstance(version, int) and version != _VERSION:
        raise UnsupportedVersion(
            f"{session_id}: version {version} is not known here",
            hint="update AgentX to the version that wrote it",
        )
    try:
        saved = msgspec.convert(document, _Saved)
        system = next(each.content for each in saved.messages if each.role == "system")
        given = {
            **saved.loop,
            "id": saved.meta.session_id,
            "agent": saved.meta.agent_name,
            "issue": saved.meta.issue_number,
            "system": system,
            "messages": (),
            "created_ms": from_iso(saved.meta.created_at),
            "updated_ms": from_iso(saved.meta.updated_at),
        }
        session = msgspec.convert(given, LoopSession)
        messages = tuple(part for each in saved.messages for part in _decode_message(each))
    except (msgspec.ValidationError, StopIteration, InvalidValue) as error:
        raise CorruptRecord(
            f"{session_id}: the session cannot be read: {error}",
            hint="look at the file, or begin another session: agentx agent run",
        ) from error
    if session.id != session_id:
        raise CorruptRecord(f"{session_id}: the file holds another session")
    return replace(session, messages=messages)


def _decode_message(saved: _SavedMessage) -> Iterator[Message]:
    if saved.role == "system":
        return
    own: dict[str, Any] = {"turn": saved.turn, "at_ms": from_iso(saved.timestamp)}
    if saved.role == "tool":
        yield Message(
            role="tool",
            content=saved.content,
            tool=saved.name,
            call_id=saved.tool_call_id,
            failed=saved.failed,
            **own,
        )
        return
    if saved.content or saved.role != "assistant":
        role = "task" if saved.by == _BY_US else saved.role
        yield Message(role=role, content=saved.content, **own)
    for call in saved.tool_calls:
        yield Message(
            role="tool_call",
            content=call.name,
            tool=call.name,
            call_id=call.id,
            arguments=call.params,
            fault=call.fault,
            mark=call.mark,
            **own,
        )
