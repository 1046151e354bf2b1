"""What Copilot CLI's own files say: one folder a session, with its events as JSON lines.

    session-state/<session>/events.jsonl
    session-state/<session>.jsonl            in older versions

Identity is the table in `hooks.py`; the events' own ids tell two that say the same apart.
Events marked `ephemeral` are only for the screen. The agent stops where a model turn
ends that asked for no tool.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from agentx.adapters.copilot.names import SHELL, find_exit_code, tool_use
from agentx.adapters.folders import files_in, transcript_at
from agentx.adapters.homes import Homes
from agentx.adapters.lines import head, read_lines
from agentx.adapters.port import Damaged, Transcript
from agentx.adapters.scene import Scene
from agentx.adapters.shapes import (
    child,
    entry,
    limit_id,
    millis,
    objects,
    session_of,
    text_of,
    word,
)
from agentx.adapters.tools import ToolUse, result_text
from agentx.adapters.voices import HeardWords, hear_words
from agentx.kernel.capture import (
    Channel,
    Draft,
    EventType,
    Harness,
    MachineWords,
    Metadata,
    text_print,
)

Data = dict[str, Any]

_FOLDER = "session-state"
_EVENTS = "events.jsonl"
_ORIGINS = {
    "skill": MachineWords.SKILL,
    "command": MachineWords.COMMAND,
    "hook": MachineWords.HOOK,
    "agent": MachineWords.DELEGATION,
    "instruction": MachineWords.INSTRUCTIONS,
    "system": MachineWords.REMINDER,
}


def in_use(homes: Homes) -> bool:
    """Tell whether Copilot CLI has been used here."""
    return homes.copilot.is_dir()


def discover(homes: Homes) -> Iterator[Transcript]:
    """Yield the events of every session."""
    root = homes.copilot / _FOLDER
    for path in files_in(root, 1):
        if path.name != _EVENTS and not (path.suffix == ".jsonl" and path.parent == root):
            continue
        contexts = (child(child(line, "data"), "context") for line in head(path))
        found = transcript_at(
            path,
            Harness.COPILOT,
            working_directory=next((word(told, "cwd") for told in contexts if told), ""),
            session_id=path.stem if path.parent == root else path.parent.name,
        )
        if found is not None:
            yield found


def read(transcript: Transcript) -> Iterator[Draft | Damaged]:
    """Yield the events of one session, and the lines that could not be read. Never raises."""
    return read_lines(transcript.path, _Reader(transcript))


class _Reader:
    """Reads one session from its first event to its last."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._session_id = transcript.session_id
        self._now_ms = transcript.modified_ms
        self._setting: Metadata = {}
        self._tools: dict[str, ToolUse] = {}
        self._asked_for_tools = False
        self._tellers: dict[str, Callable[[Scene, Data], Iterator[Draft]]] = {
            "session.start": self._start,
            "session.resume": self._resume,
            "session.compaction_complete": self._compaction,
            "session.shutdown": self._shutdown,
            "session.error": self._error,
            "session.warning": self._error,
            "session.task_complete": self._task_complete,
            "user.message": self._user,
            "assistant.message": self._assistant,
            "assistant.turn_end": self._turn_end,
            "tool.execution_start": self._tool_start,
            "tool.execution_complete": self._tool_complete,
            "subagent.started": self._subagent_start,
            "subagent.completed": self._subagent_stop,
            "subagent.failed": self._subagent_stop,
            "skill.invoked": self._skill,
            "abort": self._abort,
        }

    def line(self, number: int, line: dict[str, Any]) -> Iterator[Draft]:
        """Yield what one event says."""
        self._now_ms = millis(line.get("timestamp")) or self._now_ms
        data = child(line, "data")
        tell = self._tellers.get(word(line, "type"))
        if tell is None or line.get("ephemeral") is True:
            return
        if word(line, "type") in ("session.start", "session.resume"):
            self._learn(data)
        yield from tell(self._scene(number, line, data), data)

    def end(self) -> Iterator[Draft]:
        """Yield nothing: every event is told by its own line."""
        yield from ()

    # --- who, where, when -------------------------------------------------------------------

    def _learn(self, data: Data) -> None:
        self._session_id = limit_id(data.get("sessionId")) or self._session_id
        context = child(data, "context")
        told = {
            "cwd": context.get("cwd"),
            "git_branch": context.get("branch"),
            "git_commit": context.get("headCommit"),
            "repository": context.get("repository"),
            "model": data.get("selectedModel"),
            "cli_version": data.get("copilotVersion"),
        }
        self._setting.update({name: value for name, value in told.items() if value})

    def _scene(self, number: int, line: dict[str, Any], data: Data) -> Scene:
        return Scene(
            harness=self._transcript.harness,
            session_id=session_of(self._session_id, self._transcript.working_directory),
            timestamp_ms=self._now_ms,
            channel=Channel.TRANSCRIPT,
            delivery=limit_id(line.get("id")) or f"line-{number}",
            metadata={
                **self._setting,
                "subagent": line.get("agentId") or data.get("parentToolCallId"),
                "source": {"file": str(self._transcript.path), "line": number},
            },
        )

    # --- the session ------------------------------------------------------------------------

    def _start(self, scene: Scene, data: Data) -> Iterator[Draft]:
        at_ms = millis(data.get("startTime"))
        yield scene.draft_start("startup", start_time_ms=at_ms)

    def _resume(self, scene: Scene, _data: Data) -> Iterator[Draft]:
        yield scene.draft_start("resume")

    def _compaction(self, scene: Scene, data: Data) -> Iterator[Draft]:
        if data.get("success") is not False:
            summary = text_of(entry(data, "summaryContent", "summary"))
            yield scene.draft(
                EventType.COMPACTION,
                summary,
                fingerprint="compaction",
                trigger=data.get("trigger"),
            )

    def _shutdown(self, scene: Scene, data: Data) -> Iterator[Draft]:
        yield scene.draft(
            EventType.SESSION_END,
            fingerprint="end",
            reason=data.get("shutdownType"),
            code_changes=data.get("codeChanges"),
        )

    def _error(self, scene: Scene, data: Data) -> Iterator[Draft]:
        kind = entry(data, "errorType", "warningType")
        yield from scene.draft_words(EventType.NOTE, text_of(data.get("message")), error=kind)

    def _task_complete(self, scene: Scene, data: Data) -> Iterator[Draft]:
        yield from scene.draft_words(
            EventType.NOTE, text_of(data.get("summary")), task_complete=True
        )

    def _skill(self, scene: Scene, data: Data) -> Iterator[Draft]:
        if word(data, "name"):
            yield scene.draft_note(f"skill: {word(data, 'name')}", data)

    def _abort(self, scene: Scene, data: Data) -> Iterator[Draft]:
        yield scene.draft_note(f"aborted: {word(data, 'reason') or 'no reason given'}", data)

    # --- what was said ----------------------------------------------------------------------

    def _user(self, scene: Scene, data: Data) -> Iterator[Draft]:
        origin = word(data, "source")
        # Skills, schedules, notifications and parent agents also speak in the user's name.
        typed = origin in ("", "user") and not scene.metadata["subagent"]
        text = text_of(data.get("content"))
        kind = None if typed else _machine(origin)
        yield from scene.draft_said(
            hear_words(text) if typed else HeardWords(words=text, machine=kind),
            origin=origin,
            agent_mode=data.get("agentMode"),
            attachments=[_attachment(item) for item in objects(data.get("attachments"))],
        )

    def _assistant(self, scene: Scene, data: Data) -> Iterator[Draft]:
        if not scene.metadata["subagent"]:
            self._asked_for_tools = bool(objects(data.get("toolRequests")))
        model = data.get("model")
        yield from scene.draft_words(
            EventType.ASSISTANT_MESSAGE,
            text_of(data.get("content")),
            message_id=data.get("messageId"),
            **({"model": model} if model else {}),
        )

    def _turn_end(self, scene: Scene, data: Data) -> Iterator[Draft]:
        if not self._asked_for_tools and not scene.metadata["subagent"]:
            yield scene.draft(
                EventType.ASSISTANT_STOP, fingerprint="stop", turn_id=data.get("turnId")
            )

    # --- what was done ----------------------------------------------------------------------

    def _tool_start(self, scene: Scene, data: Data) -> Iterator[Draft]:
        tool = tool_use(word(data, "toolName"), data.get("arguments"))
        self._tools[limit_id(data.get("toolCallId"))] = tool
        yield tool.draft_call(
            scene,
            tool_call_id=data.get("toolCallId"),
            native_tool_name=data.get("toolName"),
            mcp_server=data.get("mcpServerName"),
        )

    def _tool_complete(self, scene: Scene, data: Data) -> Iterator[Draft]:
        started = self._tools.pop(limit_id(data.get("toolCallId")), None)
        tool = started or tool_use(word(data, "toolName"), data.get("toolCallId"))
        failed = data.get("success") is False
        error = data.get("error")
        words = word(error, "message") if failed else ""
        words = words or result_text(data.get("result")) or result_text(error)
        code = find_exit_code(words, data.get("result")) if failed or tool.name == SHELL else None
        yield tool.draft_result(
            scene,
            words,
            None,
            is_error=failed or bool(code),
            exit_code=code,
            tool_call_id=data.get("toolCallId"),
        )

    def _subagent_start(self, scene: Scene, data: Data) -> Iterator[Draft]:
        yield _subagent(scene, data, EventType.SUBAGENT_START)

    def _subagent_stop(self, scene: Scene, data: Data) -> Iterator[Draft]:
        yield _subagent(scene, data, EventType.SUBAGENT_STOP)


def _subagent(scene: Scene, data: Data, event_type: EventType) -> Draft:
    name = word(data, "agentName")
    return scene.draft(
        event_type,
        name,
        fingerprint=text_print("subagent", name),
        agent_name=name,
        agent_description=data.get("agentDescription"),
        error=data.get("error"),
    )


def _machine(origin: str) -> MachineWords:
    """Return what speaks in the user's name, by what Copilot CLI calls it."""
    for word_in, kind in _ORIGINS.items():
        if word_in in origin.lower():
            return kind
    return MachineWords.NOTIFICATION if origin not in ("", "user") else MachineWords.DELEGATION


def _attachment(item: Data) -> str:
    return word(item, "path", "filePath", "url", "displayName", "type")
