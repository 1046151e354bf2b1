"""What Claude Code's own files say: one file of JSON lines a session, one a subagent.

    projects/<folder>/<session>.jsonl
    projects/<folder>/<session>/subagents/agent-<id>.jsonl    the same session
    projects/<folder>/agent-<id>.jsonl                        the same, in older versions

Identity is the table in `hooks.py`. What the lines do not say is tracked while reading:
the current prompt's id (every `user` line carries it, also those with tool results), the
names of the tools, and whether the turn has ended: its last line says so (`stop_reason`),
or a `system` line behind it, or the next prompt. Versions before 2.1.196 give no prompt
id; there the words themselves are the identity.

A session that was resumed into a new file repeats older lines under their own session
id: each line's own id counts, so they meet the events that are there already. A fork repeats
them under its own id: what another file tells is passed over (`forks.py`), and what says of
itself where it was said (`forkedFrom`) is of that session.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from agentx.adapters.claude_code.forks import find_copied
from agentx.adapters.claude_code.prompts import (
    LineStamp,
    hear,
    hear_meta,
    is_heard,
    is_task_notice,
    read_stamp,
)
from agentx.adapters.claude_code.queued import WaitingWords
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
    objects,
    session_of,
    text_of,
    word,
)
from agentx.adapters.tools import ToolUse, exit_code, result_text
from agentx.adapters.voices import HeardWords, note
from agentx.kernel.capture import (
    Channel,
    Draft,
    EventType,
    Harness,
    MachineWords,
    text_print,
)

Line = dict[str, Any]

_PROJECTS = "projects"
_SUBAGENT = "agent-"
_LEVELS_MAX = 6
_LAST_OF_TURN = frozenset({"end_turn", "stop_sequence", "max_tokens", "refusal"})
_TURN_ENDED = frozenset({"stop_hook_summary", "turn_duration"})
_CALLS = frozenset({"tool_use", "server_tool_use", "mcp_tool_use"})


def in_use(homes: Homes) -> bool:
    """Tell whether Claude Code has been used here."""
    return homes.claude_code.is_dir()


def discover(homes: Homes) -> Iterator[Transcript]:
    """Yield every session and subagent file; other files in the same folders are left alone."""
    for path in files_in(homes.claude_code / _PROJECTS, _LEVELS_MAX):
        folders = path.relative_to(homes.claude_code / _PROJECTS).parts[1:-1]
        of_subagent = path.name.startswith(_SUBAGENT)
        if path.suffix != ".jsonl" or (folders and not (of_subagent and "subagents" in folders)):
            continue
        found = transcript_at(
            path,
            Harness.CLAUDE_CODE,
            working_directory=next(
                (word(line, "cwd") for line in head(path) if word(line, "cwd")), ""
            ),
            session_id=folders[0] if folders else "" if of_subagent else path.stem,
        )
        if found is not None:
            yield found


def read(transcript: Transcript) -> Iterator[Draft | Damaged]:
    """Yield the events of one file, and the lines that could not be read. Never raises."""
    return read_lines(transcript.path, _Reader(transcript))


@dataclass(slots=True)
class _Thread:
    """One conversation in the file: the main one, or a subagent's."""

    agent_id: str = ""
    turn: str = ""
    started: bool = False
    prompted: bool = False  # somebody has said something in it
    last_words: str = ""
    last_scene: Scene | None = None  # of what the assistant said or did last
    ended: Scene | None = None  # where the file says that the turn is over
    closing: bool = False  # the assistant's last line asks for no tool
    steered: set[str] = field(default_factory=set)  # prints of what was said in mid-turn


@dataclass(slots=True)
class _Compaction:
    scene: Scene
    trigger: str


class _Reader:
    """Reads one file from its first line to its last."""

    def __init__(self, transcript: Transcript) -> None:
        self._transcript = transcript
        name = transcript.path.name
        self._agent_id = (
            limit_id(transcript.path.stem.removeprefix(_SUBAGENT))
            if name.startswith(_SUBAGENT)
            else ""
        )
        self._session_id = transcript.session_id or ("" if self._agent_id else transcript.path.stem)
        self._copied = find_copied(transcript.path)
        self._sessions: set[str] = set()
        self._threads: dict[str, _Thread] = {}
        self._tools: dict[str, str] = {}
        self._sides: dict[str, str] = {}
        self._queued = WaitingWords()
        self._compaction: _Compaction | None = None
        self._now_ms = transcript.modified_ms
        self._first_ms = transcript.modified_ms

    def line(self, number: int, line: Line) -> Iterator[Draft]:
        """Yield what one line says."""
        if self._copied.has(line):
            self._thread(line).prompted = True
            return
        at_ms = millis(line.get("timestamp"))
        if at_ms is not None:
            self._now_ms = at_ms
            self._first_ms = min(self._first_ms, at_ms)
        kind = word(line, "type")
        thread = self._thread(line)
        scene = self._scene(number, line, thread)
        if kind in ("user", "assistant", "system", "attachment"):
            yield from self._start(scene, line)
        if kind == "user":
            yield from self._user(scene, line, thread)
        elif kind == "assistant":
            yield from self._assistant(scene, line, thread)
        elif kind == "system":
            yield from self._system(scene, line, thread)
        elif kind == "attachment":
            yield from self._attachment(scene, line, thread)
        elif kind == "queue-operation":
            yield from self._follow_queued(scene, line, thread)
        elif kind == "pr-link" and word(line, "prUrl"):
            url = word(line, "prUrl")
            yield scene.draft(EventType.NOTE, f"pull request: {url}", source_id=f"pr:{url[:500]}")

    def end(self) -> Iterator[Draft]:
        """Yield what is known only now that the file is at its end."""
        yield from self._draft_compaction("")
        for thread in self._threads.values():
            if thread.agent_id:
                yield from self._subagent_stop(thread)
            elif thread.ended is not None:
                yield from self._stop(thread)

    # --- who, where, when -------------------------------------------------------------------

    def _thread(self, line: Line) -> _Thread:
        agent_id = self._agent_id
        if not agent_id and line.get("isSidechain") is True:
            agent_id = limit_id(line.get("agentId")) or self._side(line)
        return self._threads.setdefault(agent_id, _Thread(agent_id=agent_id))

    def _side(self, line: Line) -> str:
        """Name a nameless subagent, as older versions wrote them, by its first line."""
        uuid = limit_id(line.get("uuid")) or "sidechain"
        self._sides[uuid] = self._sides.get(limit_id(line.get("parentUuid")), uuid)
        return self._sides[uuid]

    def _scene(self, number: int, line: Line, thread: _Thread) -> Scene:
        return Scene(
            harness=self._transcript.harness,
            session_id=session_of(
                child(line, "forkedFrom").get("sessionId")
                or line.get("sessionId")
                or self._session_id,
                self._transcript.working_directory,
            ),
            timestamp_ms=self._now_ms,
            channel=Channel.TRANSCRIPT,
            delivery=limit_id(line.get("uuid")) or f"line-{number}",
            metadata={
                "cwd": line.get("cwd"),
                "git_branch": line.get("gitBranch"),
                "cli_version": line.get("version"),
                "permission_mode": line.get("permissionMode"),
                "model": child(line, "message").get("model"),
                "subagent": thread.agent_id,
                "source": {"file": str(self._transcript.path), "line": number},
            },
        )

    def _start(self, scene: Scene, line: Line) -> Iterator[Draft]:
        if self._agent_id or line.get("isSidechain") is True or scene.session_id in self._sessions:
            return
        first = not self._sessions
        self._sessions.add(scene.session_id)
        at_ms = self._first_ms if first else scene.timestamp_ms
        yield replace(scene, timestamp_ms=at_ms).draft_start(
            "startup", forked_from=self._copied.session_id or None
        )

    # --- the kinds of line ------------------------------------------------------------------

    def _user(self, scene: Scene, line: Line, thread: _Thread) -> Iterator[Draft]:
        content = child(line, "message").get("content")
        prompt = limit_id(line.get("promptId"))
        if prompt and prompt != thread.turn:
            yield from self._next_turn(thread, prompt)
        if line.get("isCompactSummary") is True:
            self._compaction = self._compaction or _Compaction(scene=scene, trigger="")
            yield from self._draft_compaction(text_of(content))
            return
        for block in objects(content):
            if word(block, "type") == "tool_result":
                thread.closing = False
                yield self._result(scene, block, line.get("toolUseResult"))
        blocks = [block for block in objects(content) if word(block, "type") == "text"]
        texts = [content] if isinstance(content, str) else [text_of(block) for block in blocks]
        for said in self._hear(line, texts, thread):
            yield from self._draft_user_words(scene, line, thread, said)

    def _hear(self, line: Line, texts: list[str], thread: _Thread) -> tuple[HeardWords, ...]:
        stamp = read_stamp(line)
        if line.get("isMeta") is True:
            # The text of a skill or a command comes in blocks; reminders come as one text.
            expands = not isinstance(child(line, "message").get("content"), str)
            return hear_meta("\n".join(texts), stamp, expands=expands)
        around = [said for text in texts if not is_heard(text) for said in hear(text)]
        heard = "\n".join(text for text in texts if is_heard(text))
        self._queued.meet(heard)
        return (*around, *hear(heard, stamp, is_first=not thread.prompted))

    def _draft_user_words(
        self, scene: Scene, line: Line, thread: _Thread, said: HeardWords
    ) -> Iterator[Draft]:
        if thread.agent_id:
            yield from self._draft_task(scene, thread, said)
            return
        prompt = limit_id(line.get("promptId"))
        if said.known_as is EventType.NOTE:
            thread.closing, thread.ended = False, None
        elif said.known_as is EventType.USER_MESSAGE and not prompt:
            yield from self._next_turn(thread, "")
        thread.prompted = thread.prompted or said.machine is None
        images = images_in(child(line, "message").get("content"))
        yield from scene.draft_said(said, turn=thread.turn, prompt_id=prompt, images=images or None)

    @staticmethod
    def _draft_task(scene: Scene, thread: _Thread, said: HeardWords) -> Iterator[Draft]:
        if said.known_as is None:
            yield from scene.draft_said(said, turn=thread.agent_id)
        elif thread.started:
            told = replace(
                said,
                machine=said.machine or MachineWords.DELEGATION,
                known_as=EventType.USER_MESSAGE,
            )
            yield from scene.draft_said(told, turn=thread.agent_id)
        else:
            thread.started = True
            # What a subagent is asked first is in its Agent call as well: here it is its start.
            yield scene.draft(
                EventType.SUBAGENT_START, said.words, source_id=thread.agent_id, sender=said.sender
            )

    def _result(self, scene: Scene, block: Line, structured: object) -> Draft:
        call_id = limit_id(block.get("tool_use_id"))
        text = result_text(block.get("content"))
        failed = block.get("is_error") is True
        tool = ToolUse(name=self._tools.pop(call_id, ""), call_id=call_id or scene.delivery)
        return tool.draft_result(
            scene, text, structured, is_error=failed, exit_code=exit_code(text) if failed else None
        )

    def _assistant(self, scene: Scene, line: Line, thread: _Thread) -> Iterator[Draft]:
        message = child(line, "message")
        content = message.get("content")
        blocks = objects(content)
        words = (
            content
            if isinstance(content, str)
            else text_of([block for block in blocks if word(block, "type") == "text"])
        )
        turn = thread.agent_id or thread.turn
        if line.get("isApiErrorMessage") is True:
            thread.closing, thread.ended = False, None
            yield from scene.draft_words(EventType.NOTE, words, turn=turn, error=line.get("error"))
            return
        if word(message, "model") == "<synthetic>":
            return
        thread.last_scene = scene
        if words:
            thread.last_words, thread.closing = words, True
            yield from scene.draft_words(
                EventType.ASSISTANT_MESSAGE, words, turn=turn, prompt_id=thread.turn
            )
        for block in blocks:
            yield from self._tool_block(scene, block, thread)
        reason = word(message, "stop_reason")
        if reason:
            thread.ended = scene if reason in _LAST_OF_TURN else None

    def _tool_block(self, scene: Scene, block: Line, thread: _Thread) -> Iterator[Draft]:
        kind = word(block, "type")
        call_id = limit_id(entry(block, "id", "tool_use_id"))
        if not call_id:
            return
        if kind in _CALLS:
            thread.closing, thread.ended = False, None
            self._tools[call_id] = word(block, "name")
            tool = ToolUse(name=word(block, "name"), arguments=block.get("input"), call_id=call_id)
            yield tool.draft_call(scene, prompt_id=thread.turn)
        elif kind.endswith("_tool_result"):
            yield self._result(scene, block, None)

    def _system(self, scene: Scene, line: Line, thread: _Thread) -> Iterator[Draft]:
        subtype = word(line, "subtype")
        if subtype == "compact_boundary":
            yield from self._draft_compaction("")
            trigger = word(child(line, "compactMetadata"), "trigger")
            self._compaction = _Compaction(scene=scene, trigger=trigger)
        elif subtype in _TURN_ENDED and thread.last_scene is not None:
            thread.ended = thread.ended or scene
        elif subtype == "local_command":
            for said in hear(word(line, "content"), read_stamp(line)):
                yield from scene.draft_said(said)

    def _attachment(self, scene: Scene, line: Line, thread: _Thread) -> Iterator[Draft]:
        attachment = child(line, "attachment")
        if word(attachment, "type") == "queued_command":
            text = text_of(attachment.get("prompt"))
            yield from self._steer(scene, thread, text, read_stamp(attachment))

    def _follow_queued(self, scene: Scene, line: Line, thread: _Thread) -> Iterator[Draft]:
        """Follow what was typed while the agent was at work, and what was told beside it."""
        text = text_of(line.get("content"))
        match word(line, "operation"):
            case "enqueue" if is_task_notice(text):
                said = note(text, MachineWords.NOTIFICATION)
                yield from scene.draft_said(said, turn=thread.turn)
            case "enqueue":
                self._queued.wait(text)
            case "dequeue":
                self._queued.go()
            case "remove":
                yield from self._steer(scene, thread, self._queued.hand_over(text), LineStamp())
            case "popAll":
                self._queued = WaitingWords()
            case _:
                pass

    @staticmethod
    def _steer(scene: Scene, thread: _Thread, text: str, stamp: LineStamp) -> Iterator[Draft]:
        for said in hear(text, stamp, is_first=not thread.prompted):
            if text_print(said.words) not in thread.steered:
                thread.steered.add(text_print(said.words))
                thread.prompted = thread.prompted or said.machine is None
                yield from scene.draft_said(
                    said, turn=thread.turn, prompt_id=thread.turn, queued=True
                )

    # --- what more than one line says -------------------------------------------------------

    def _draft_compaction(self, summary: str) -> Iterator[Draft]:
        """Tell the compaction that a boundary line began: once, with its summary if it has one."""
        waiting, self._compaction = self._compaction, None
        if waiting is not None:
            yield waiting.scene.draft(
                EventType.COMPACTION,
                summary,
                fingerprint=f"compaction:{waiting.trigger}",
                trigger=waiting.trigger,
            )

    def _next_turn(self, thread: _Thread, turn: str) -> Iterator[Draft]:
        """Begin a turn. The one before ended unless it was still waiting for a tool."""
        if not thread.agent_id and (thread.ended is not None or thread.closing):
            yield from self._stop(thread)
        thread.turn, thread.closing = turn, False
        thread.steered.clear()

    @staticmethod
    def _stop(thread: _Thread) -> Iterator[Draft]:
        scene = thread.ended or thread.last_scene
        if scene is not None:
            yield scene.draft_stop(thread.turn, thread.last_words, prompt_id=thread.turn)
        thread.ended, thread.last_scene, thread.last_words = None, None, ""

    @staticmethod
    def _subagent_stop(thread: _Thread) -> Iterator[Draft]:
        scene = thread.ended or (thread.last_scene if thread.closing else None)
        if scene is not None:
            yield scene.draft(EventType.SUBAGENT_STOP, source_id=thread.agent_id)
