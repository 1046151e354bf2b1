"""Gemini CLI's history: `tmp/<project>/chats/session-*.jsonl`, older ones `.json`.

Its hooks tell a turn's reply as one text, so here too the texts of a turn, from one
prompt to the next, are one reply, known by its prompt. The reply of a turn that still
waits for a tool is left for the next time; what was said before a call is kept with the
call as well.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

from agentx.adapters.folders import files_in, transcript_at
from agentx.adapters.gemini.history import RESUMED, History, history
from agentx.adapters.gemini.words import (
    answer_words,
    hear,
    may_be,
    parts_text,
    pick_display,
    prompt_of,
    reply_print,
    same_prompt,
)
from agentx.adapters.homes import Homes
from agentx.adapters.limits import GEMINI_REPLY_FILE_BYTES_MAX, SETTINGS_FILE_BYTES_MAX
from agentx.adapters.lines import head
from agentx.adapters.port import Damaged, Transcript
from agentx.adapters.scene import Scene
from agentx.adapters.shapes import (
    child,
    clean_words,
    entry,
    json_text,
    millis,
    objects,
    session_of,
    unknown_fields,
    word,
)
from agentx.adapters.tools import ToolUse
from agentx.adapters.voices import note
from agentx.kernel.capture import (
    Channel,
    Draft,
    EventType,
    Harness,
    MachineWords,
    text_print,
)
from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_CONTEXT_MARK = "<session_context>"
_SUMMARY_MARK = "<state_snapshot>"
# What the CLI makes the model say after it handed it a summary.
_SUMMARY_THANKS = "Got it. Thanks for the additional context!"
_WORKSPACE = compile_late(
    r"(?:\*\*Workspace Directories:\*\*\s+- |currently working in the directory: )(/[^\n]*)"
)
_ENDED = ("success", "error", "cancelled")
_KNOWN = frozenset({"id", "timestamp", "type", "content", "displayContent", "toolCalls", "model"})
_LEFT_OUT = frozenset({"thoughts", "tokens"})


def in_use(homes: Homes) -> bool:
    """Tell whether Gemini CLI has ever run here."""
    return homes.gemini.is_dir()


def discover(homes: Homes) -> Iterator[Transcript]:
    """Yield every session on disk, sub-agents' too."""
    places = _list_places(homes.gemini)
    try:
        folders = sorted((homes.gemini / "tmp").iterdir())
    except OSError:
        return
    for folder in folders:
        chats = folder / "chats"
        if folder.is_symlink():
            continue
        place = _read_place(folder) or places.get(folder.name, "")
        for path in files_in(chats, levels_max=1):
            if path.suffix not in (".jsonl", ".json"):
                continue
            parent = path.parent.name if path.parent != chats else ""
            found = transcript_at(
                path,
                Harness.GEMINI,
                working_directory=place or _workspace(path),
                session_id=parent,
            )
            if found is not None:
                yield found


def read(transcript: Transcript) -> Iterator[Draft | Damaged]:
    """Yield what a session's file says."""
    for found in history(transcript.path):
        if isinstance(found, Damaged):
            yield found
        elif word(found.header, "kind") == "subagent":
            yield from _subagent(transcript, found)
        else:
            yield from _session(transcript, found)


@frozen
class PromptReply:
    """A prompt and its reply, as hooks were told them."""

    prompt: str
    reply: str
    at_ms: Millis


def as_written(path: Path, told: PromptReply) -> str:
    """Return the reply as the session's file has it; empty when it has none that fits."""
    try:
        small = path.is_file() and path.stat().st_size <= GEMINI_REPLY_FILE_BYTES_MAX
    except (OSError, ValueError):
        return ""
    found = history(path) if small and path.suffix == ".jsonl" else iter(())
    fitting = [
        (abs(told.at_ms - (millis(turn.steps[-1].get("timestamp")) or 0)), turn.reply)
        for session in found
        if isinstance(session, History)
        for turn in _turns(session)
        if turn.is_finished
        and same_prompt(told.prompt, turn.prompt)
        and may_be(told.reply, turn.first_words)
    ]
    return min(fitting)[1] if fitting else ""


# --- where a session ran ----------------------------------------------------------------------


def _list_places(home: Path) -> dict[str, str]:
    """Return the working directory of each project folder that the CLI's own list names."""
    try:
        path = home / "projects.json"
        small = path.stat().st_size <= SETTINGS_FILE_BYTES_MAX
        listed = json.loads(path.read_text("utf-8")) if small else {}
    except (OSError, ValueError, RecursionError):
        return {}
    places: dict[str, str] = {}
    for place, name in child(listed, "projects").items():
        # Before there were names, a folder was named by the hash of the path.
        places[hashlib.sha256(place.encode("utf-8", "surrogatepass")).hexdigest()] = place
        if isinstance(name, str):
            places[name] = place
    return places


def _read_place(folder: Path) -> str:
    """Return what the folder itself says of where it belongs."""
    try:
        with (folder / ".project_root").open("rb") as stream:
            return stream.read(4096).decode("utf-8", "replace").strip()
    except OSError:
        return ""


def _workspace(path: Path) -> str:
    """Return the first directory that the beginning of a session names."""
    for line in head(path) if path.suffix == ".jsonl" else ():
        directories = line.get("directories")
        if isinstance(directories, list) and directories and isinstance(directories[0], str):
            return directories[0]
        for message in (line, *objects(child(line, "$set").get("messages"))):
            found = _WORKSPACE.search(parts_text(message.get("content")))
            if found:
                return found.group(1).strip()
    return ""


# --- what was said ----------------------------------------------------------------------------


@dataclass(slots=True)
class _Turn:
    """What begins one turn, if anything does, and what the model said and did in it."""

    opening: dict[str, Any] | None = None
    steps: list[dict[str, Any]] = field(default_factory=list)
    asides: list[dict[str, Any]] = field(default_factory=list)  # what the CLI told the user
    closed: bool = False  # something came after it

    @property
    def prompt(self) -> str:
        """What the user said."""
        return prompt_of(parts_text(entry(self.opening, "content")))[0]

    @property
    def reply(self) -> str:
        """What the model said, as hooks are told it."""
        return "\n".join(self._texts)

    @property
    def first_words(self) -> str:
        """What the model said first."""
        return next(iter(self._texts), "")

    @property
    def _texts(self) -> list[str]:
        texts = (parts_text(step.get("content")) for step in self.steps)
        return [text for text in texts if text.strip() and text != _SUMMARY_THANKS]

    @property
    def is_finished(self) -> bool:
        """Tell whether the model had its last word."""
        return bool(self.steps) and not _calls(self.steps[-1])


def _turns(found: History) -> Iterator[_Turn]:
    turn = _Turn()
    for message in found.messages.values():
        kind = word(message, "type")
        if kind == "gemini":
            turn.steps.append(message)
        elif kind not in ("user", RESUMED):
            turn.asides.append(message)
        elif not _is_answer(message):
            turn.closed = True
            yield turn
            turn = _Turn(opening=message)
    yield turn


def _session(transcript: Transcript, found: History) -> Iterator[Draft | Damaged]:
    header = found.header
    scene = Scene(
        harness=Harness.GEMINI,
        session_id=session_of(
            entry(header, "sessionId") or transcript.session_id, transcript.working_directory
        ),
        timestamp_ms=millis(header.get("startTime")) or transcript.modified_ms,
        channel=Channel.TRANSCRIPT,
        delivery="",
        metadata={
            "cwd": transcript.working_directory,
            "source": {"file": str(transcript.path)},
        },
    )
    if header:
        yield scene.draft_start("startup", summary=header.get("summary"))
    answers = _answers(found)
    for turn in _turns(found):
        yield from _draft_opening(scene, turn.opening)
        yield from _draft_asides(scene, turn.asides)
        yield from _draft_calls(scene, turn, answers)
        yield from _draft_reply(scene, turn)
    for number, line in found.strange:
        text = json_text(line)
        here = replace(scene, delivery=f"line-{number}")
        yield here.draft(EventType.NOTE, text, fingerprint=text_print(text))


def _subagent(transcript: Transcript, found: History) -> Iterator[Draft | Damaged]:
    """A sub-agent's history is part of its parent's session, as its hooks' payloads are."""
    name = session_of(entry(found.header, "sessionId"), transcript.path.stem)
    scene = Scene(
        harness=Harness.GEMINI,
        session_id=session_of(transcript.session_id or name, transcript.working_directory),
        timestamp_ms=millis(found.header.get("startTime")) or transcript.modified_ms,
        channel=Channel.TRANSCRIPT,
        delivery="",
        metadata={
            "cwd": transcript.working_directory,
            "source": {"file": str(transcript.path)},
            "subagent": name,
        },
    )
    turns = tuple(_turns(found))
    asked = (parts_text(turn.opening.get("content")) for turn in turns if turn.opening)
    task = "\n".join(text for text in asked if not text.startswith(_CONTEXT_MARK))
    yield scene.draft(EventType.SUBAGENT_START, task, source_id=name)
    answers = _answers(found)
    for turn in turns:
        yield from _draft_calls(scene, turn, answers)
    if turns[-1].is_finished:
        last = _at(scene, turns[-1].steps[-1])
        yield last.draft(EventType.SUBAGENT_STOP, turns[-1].reply, source_id=name)


def _draft_opening(scene: Scene, message: dict[str, Any] | None) -> Iterator[Draft]:
    """Yield what stands at the beginning of a turn."""
    if message is None:
        return
    here = _at(scene, message)
    text = parts_text(message.get("content"))
    if word(message, "type") == RESUMED:
        yield here.draft_start("resume")
    elif text.startswith(_SUMMARY_MARK):
        yield here.draft(EventType.COMPACTION, text, source_id=word(message, "id"))
    elif text.startswith(_CONTEXT_MARK):
        yield from here.draft_said(note(text, MachineWords.INSTRUCTIONS))
    else:
        for said in hear(text, parts_text(message.get("displayContent"))):
            yield from here.draft_said(said, hook_context=prompt_of(text)[1])


def _draft_asides(scene: Scene, asides: list[dict[str, Any]]) -> Iterator[Draft]:
    """Yield what the CLI itself told the user: errors, warnings."""
    for message in asides:
        text = parts_text(message.get("content")) or json_text(message)
        yield _at(scene, message).draft(
            EventType.NOTE, text, source_id=word(message, "id"), kind=word(message, "type")
        )


def _draft_calls(
    scene: Scene, turn: _Turn, answers: Mapping[str, dict[str, Any]]
) -> Iterator[Draft]:
    """Yield the tool calls of a turn and what came back."""
    for step in turn.steps:
        said = parts_text(step.get("content"))
        for call in _calls(step):
            call_id = word(call, "id")
            here = replace(_at(scene, step), delivery=call_id or word(step, "id"))
            use = ToolUse(name=word(call, "name"), arguments=entry(call, "args"))
            yield use.draft_call(here, native_call_id=call_id, said=said, model=word(step, "model"))
            status = word(call, "status")
            result = call.get("result") or ([answers[call_id]] if call_id in answers else None)
            if not result and status not in _ENDED:
                continue
            then = replace(here, timestamp_ms=millis(call.get("timestamp")) or here.timestamp_ms)
            yield use.draft_result(
                then,
                answer_words(result),
                pick_display(call.get("resultDisplay")),
                native_call_id=call_id,
                status=status,
                is_error=True if status == "error" else None,
            )


def _draft_reply(scene: Scene, turn: _Turn) -> Iterator[Draft]:
    """Yield the reply of a turn that is over."""
    if not turn.steps or not (turn.is_finished or turn.closed):
        return
    last = turn.steps[-1]
    here = _at(scene, last)
    reply = turn.reply
    if clean_words(reply).strip():
        yield here.draft(
            EventType.ASSISTANT_MESSAGE,
            reply,
            # Hooks are told finished turns only: an unfinished one must not pass for one of them.
            fingerprint=reply_print(turn.prompt) if turn.is_finished else text_print("cut", reply),
            model=word(last, "model"),
            tokens=last.get("tokens"),
            extra=unknown_fields(last, _KNOWN | _LEFT_OUT),
        )
    if turn.is_finished:
        yield here.draft_stop("", turn.prompt)


def _at(scene: Scene, message: dict[str, Any]) -> Scene:
    name = word(message, "id")
    source = child(scene.metadata, "source") | {"id": name}
    return replace(
        scene,
        timestamp_ms=millis(message.get("timestamp")) or scene.timestamp_ms,
        delivery=name,
        metadata=scene.metadata | {"source": source},
    )


def _is_answer(message: dict[str, Any]) -> bool:
    """Tell whether a user's message is only what tools gave back."""
    parts = objects(message.get("content"))
    return bool(parts) and all("functionResponse" in part for part in parts)


def _calls(step: dict[str, Any]) -> tuple[dict[str, Any], ...]:
    """Return the tool calls of a message, from its content where there is no list of them."""
    listed = objects(step.get("toolCalls"))
    return listed or tuple(
        child(part, "functionCall")
        for part in objects(step.get("content"))
        if child(part, "functionCall")
    )


def _answers(found: History) -> dict[str, dict[str, Any]]:
    """Return the function responses in users' messages by the id of their call."""
    parts = chain.from_iterable(
        objects(message.get("content"))
        for message in found.messages.values()
        if word(message, "type") == "user"
    )
    return {
        word(child(part, "functionResponse"), "id"): part
        for part in parts
        if word(child(part, "functionResponse"), "id")
    }
