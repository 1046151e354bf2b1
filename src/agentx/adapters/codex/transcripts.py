"""What Codex's rollouts say: one file of JSON lines a thread.

    sessions/YYYY/MM/DD/rollout-<time>-<thread id>.jsonl      also .jsonl.zst
    archived_sessions/rollout-<time>-<thread id>.jsonl

Identity is the table in `hooks.py`. A rollout tells everything twice: `response_item` is
what was said to and by the model, `event_msg` is what was shown. Words, calls and results
are taken from the first; from the second only how a command ended (by its call's id,
before or behind the result), where turns begin and end, and what went wrong.

A subagent has a file of its own whose first line names the session it belongs to.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from agentx.adapters.codex.outputs import ending, output_of
from agentx.adapters.codex.prompts import hear_parts
from agentx.adapters.folders import files_in, transcript_at
from agentx.adapters.homes import Homes
from agentx.adapters.lines import head, read_lines
from agentx.adapters.port import Damaged, Transcript
from agentx.adapters.scene import Scene
from agentx.adapters.shapes import (
    child,
    entry,
    images_in,
    limit_id,
    millis,
    parse,
    session_of,
    text_of,
    word,
)
from agentx.adapters.tools import ToolUse, shell_command
from agentx.kernel.capture import Channel, Draft, EventType, Harness, Metadata
from agentx.kernel.text import compile_late

Payload = dict[str, Any]

_FOLDERS = ("sessions", "archived_sessions")
_LEVELS_MAX = 5
_ROLLOUT = compile_late(
    r"rollout-.*?-([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_[^.]*)?\.jsonl(?:\.zst)?"
)
# The hooks call every shell `Bash`; so do we, whichever of its tools the model was given.
_SHELLS = frozenset({"exec_command", "shell", "shell_command", "local_shell", "container.exec"})
_TURN_BEGINS = frozenset({"task_started", "turn_started"})
_TURN_ENDS = frozenset({"task_complete", "turn_complete"})
# Results that wait for the event that tells their exit code; past this they are told without.
_WAITING_MAX = 64


def in_use(homes: Homes) -> bool:
    """Tell whether Codex has been used here."""
    return homes.codex.is_dir()


def discover(homes: Homes) -> Iterator[Transcript]:
    """Yield every rollout, also those that were archived or compressed."""
    for folder in _FOLDERS:
        for path in files_in(homes.codex / folder, _LEVELS_MAX):
            name = _ROLLOUT.fullmatch(path.name)
            if name is None or (path.suffix == ".zst" and path.with_suffix("").exists()):
                continue
            metas = (child(line, "payload") for line in head(path) if _is_meta(line))
            found = transcript_at(
                path,
                Harness.CODEX,
                working_directory=word(next(metas, {}), "cwd"),
                session_id=name.group(1),
            )
            if found is not None:
                yield found


def read(transcript: Transcript) -> Iterator[Draft | Damaged]:
    """Yield the events of one rollout, and the lines that could not be read. Never raises."""
    return read_lines(transcript.path, _Reader(transcript))


def _is_meta(line: dict[str, Any]) -> bool:
    return word(line, "type") == "session_meta"


@dataclass(slots=True)
class _Thread:
    """What the first line said of the thread, and where in it we are."""

    session_id: str
    known: bool = False
    agent_id: str = ""  # of a subagent
    turn: str = ""
    last_words: str = ""
    setting: Metadata = field(default_factory=dict)  # directory, branch, model, permissions


class _Reader:
    """Reads one rollout from its first line to its last."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        self._thread = _Thread(session_id=transcript.session_id)
        self._now_ms = transcript.modified_ms
        self._tools: dict[str, str] = {}
        self._endings: dict[str, Metadata] = {}
        self._waiting: dict[str, Draft] = {}

    def line(self, number: int, line: dict[str, Any]) -> Iterator[Draft]:
        """Yield what one line says."""
        self._now_ms = millis(line.get("timestamp")) or self._now_ms
        kind, payload = word(line, "type"), child(line, "payload")
        if _is_meta(line):
            yield from self._meta(number, payload)
        elif kind == "turn_context":
            self._context(payload)
        elif kind == "response_item":
            yield from self._item(self._scene(number, payload), payload)
        elif kind == "event_msg":
            yield from self._event(self._scene(number, payload), payload)
        elif kind == "compacted":
            yield self._scene(number, payload).draft(
                EventType.COMPACTION,
                word(payload, "message"),
                fingerprint=f"compaction:{self._thread.turn}",
            )

    def end(self) -> Iterator[Draft]:
        """Yield the results whose ending was never told."""
        yield from self._waiting.values()
        self._waiting.clear()

    # --- who, where, when -------------------------------------------------------------------

    def _meta(self, number: int, meta: Payload) -> Iterator[Draft]:
        # A fork repeats the lines of the thread it came from, with that thread's own first line.
        if self._thread.known:
            return
        thread_id = limit_id(meta.get("id"))
        spawn = child(child(child(meta, "source"), "subagent"), "thread_spawn")
        parent = limit_id(entry(meta, "session_id")) or limit_id(entry(spawn, "parent_thread_id"))
        self._now_ms = millis(meta.get("timestamp")) or self._now_ms
        self._thread = _Thread(
            session_id=parent or thread_id or self._transcript.session_id,
            known=True,
            agent_id=thread_id if parent and parent != thread_id else "",
            setting={
                "cwd": meta.get("cwd"),
                "git_branch": child(meta, "git").get("branch"),
                "git_commit": child(meta, "git").get("commit_hash"),
                "cli_version": meta.get("cli_version"),
            },
        )
        scene = self._scene(number, {})
        if self._thread.agent_id:
            title = word(meta, "agent_role", "agent_nickname") or word(spawn, "agent_role")
            yield scene.draft(EventType.SUBAGENT_START, title, source_id=self._thread.agent_id)
        else:
            yield scene.draft_start(
                "startup",
                originator=meta.get("originator"),
                repository=child(meta, "git").get("repository_url"),
                forked_from=meta.get("forked_from_id"),
            )

    def _context(self, context: Payload) -> None:
        self._thread.turn = limit_id(context.get("turn_id")) or self._thread.turn
        told = {
            "cwd": context.get("cwd"),
            "model": context.get("model"),
            "approval_policy": context.get("approval_policy"),
            "effort": context.get("effort"),
        }
        self._thread.setting.update({name: value for name, value in told.items() if value})

    def _scene(self, number: int, payload: Payload) -> Scene:
        passed = child(payload, "internal_chat_message_metadata_passthrough")
        turn = limit_id(entry(payload, "turn_id") or entry(passed, "turn_id"))
        return Scene(
            harness=self._transcript.harness,
            session_id=session_of(self._thread.session_id, self._transcript.working_directory),
            timestamp_ms=self._now_ms,
            channel=Channel.TRANSCRIPT,
            delivery=f"line-{number}",
            metadata={
                **self._thread.setting,
                "turn_id": turn or self._thread.turn,
                "subagent": self._thread.agent_id,
                "source": {"file": str(self._transcript.path), "line": number},
            },
        )

    # --- what was said to and by the model --------------------------------------------------

    def _item(self, scene: Scene, item: Payload) -> Iterator[Draft]:
        kind = word(item, "type")
        if kind == "message":
            yield from self._message(scene, item)
        elif kind.endswith("_output"):
            yield from self._output(scene, item)
        elif kind.endswith("_call"):
            yield self._call(scene, item)

    def _message(self, scene: Scene, item: Payload) -> Iterator[Draft]:
        role, content = word(item, "role"), item.get("content")
        turn = scene.metadata["turn_id"]
        if role == "assistant":
            words = text_of(content)
            self._thread.last_words = words or self._thread.last_words
            yield from scene.draft_words(
                EventType.ASSISTANT_MESSAGE, words, turn=turn, phase=item.get("phase")
            )
        elif role == "user":
            images = images_in(content) or None
            for said in hear_parts(item, is_subagent=bool(self._thread.agent_id)):
                yield from scene.draft_said(said, turn=turn, images=images)

    def _call(self, scene: Scene, item: Payload) -> Draft:
        kind = word(item, "type")
        native = word(item, "name") or kind.removesuffix("_call")
        namespace = word(item, "namespace")
        name = "Bash" if native in _SHELLS else f"{namespace}__{native}" if namespace else native
        arguments = parse(entry(item, "arguments", "input", "action"))
        command = entry(arguments, "cmd", "command")
        if native in _SHELLS and isinstance(arguments, dict) and command is not None:
            rest = {key: arguments[key] for key in arguments if key not in ("cmd", "command")}
            plain = command if isinstance(command, str) else shell_command(command)
            arguments = {"command": plain, **rest}
        call_id = limit_id(entry(item, "call_id", "id"))
        self._tools[call_id] = name
        tool = ToolUse(name=name, arguments=arguments, call_id=call_id)
        return tool.draft_call(scene, native_tool_name=native if native != name else None)

    def _output(self, scene: Scene, item: Payload) -> Iterator[Draft]:
        call_id = limit_id(item.get("call_id"))
        text, facts = output_of(item.get("output"))
        facts = {**facts, **self._endings.pop(call_id, {})}
        tool = ToolUse(name=self._tools.pop(call_id, ""), call_id=call_id or scene.delivery)
        result = tool.draft_result(scene, text, None, **facts)
        if "exit_code" in facts or "is_error" in facts or not call_id:
            yield result
            return
        self._waiting[call_id] = result
        if len(self._waiting) > _WAITING_MAX:
            yield self._waiting.pop(next(iter(self._waiting)))

    # --- what was shown ---------------------------------------------------------------------

    def _event(self, scene: Scene, event: Payload) -> Iterator[Draft]:
        kind = word(event, "type")
        found = ending(event)
        if found is not None:
            yield from self._end_call(*found)
        elif kind in _TURN_BEGINS:
            yield from self.end()
            self._endings.clear()
            self._thread.turn = limit_id(event.get("turn_id")) or self._thread.turn
            self._thread.last_words = ""
        elif kind in _TURN_ENDS:
            yield from self.end()
            yield self._turn_ended(scene, event)
        elif kind == "turn_aborted":
            yield from scene.draft_words(
                EventType.NOTE,
                f"turn {word(event, 'reason') or 'interrupted'}",
                turn=scene.metadata["turn_id"],
            )
        elif kind in ("error", "warning"):
            yield from scene.draft_words(
                EventType.NOTE, word(event, "message"), turn=scene.metadata["turn_id"], error=kind
            )

    def _end_call(self, call_id: str, facts: Metadata) -> Iterator[Draft]:
        result = self._waiting.pop(limit_id(call_id), None)
        if result is None:
            self._endings[limit_id(call_id)] = facts
        else:
            yield replace(result, metadata={**result.metadata, **facts})

    def _turn_ended(self, scene: Scene, event: Payload) -> Draft:
        if self._thread.agent_id:
            return scene.draft(EventType.SUBAGENT_STOP, source_id=self._thread.agent_id)
        words = word(event, "last_agent_message") or self._thread.last_words
        return scene.draft_stop(
            scene.metadata["turn_id"], words, duration_ms=event.get("duration_ms")
        )
