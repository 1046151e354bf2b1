"""What OpenCode's sessions, messages and parts say.

A prompt is known by the id of its message, a reply and a tool call by the id of their
part: a call's own id will not do, because some providers number calls from the start
again in every answer. A sub-agent is a session with a parent; the parent's session holds
its start and its stop.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from agentx.adapters.scene import Scene
from agentx.adapters.shapes import child, entry, json_text, limit_id, millis, objects, word
from agentx.adapters.tools import ToolUse
from agentx.adapters.voices import hear_words, machine_of, note
from agentx.kernel.capture import Draft, EventType, MachineWords, text_print
from agentx.kernel.clock import Millis

# What OpenCode calls a session that has no title yet.
_UNTITLED = ("New session - ", "Child session - ")


def draft_start(
    scene: Scene, session: dict[str, Any], *, resumed: bool = False
) -> tuple[Draft, ...]:
    """Return the start of a session; a sub-agent's is told to its parent too."""
    if resumed:
        return (scene.draft_start("resume"),)
    parent = limit_id(entry(session, "parentID", "parent_id"))
    title = word(session, "title")
    title = "" if title.startswith(_UNTITLED) else title
    start = scene.draft_start(
        "startup", title=title, parent_session=parent, version=word(session, "version")
    )
    if not parent:
        return (start,)
    return start, _tell_parent(parent, scene, EventType.SUBAGENT_START, title)


def draft_stop(scene: Scene, message_id: str, parent: str) -> tuple[Draft, ...]:
    """Return the end of a turn; a sub-agent's is told to its parent too."""
    stop = scene.draft_stop(message_id, "")
    if not parent:
        return (stop,)
    return stop, _tell_parent(parent, scene, EventType.SUBAGENT_STOP, "")


def draft_prompt(
    scene: Scene, message: dict[str, Any], parts: object, *, parent: str = ""
) -> tuple[Draft, ...]:
    """Return the user's prompt, and notes of what OpenCode itself wrote into the message.

    `parent` is the session of which this one is a sub-agent's: then an agent asks.
    """
    here = at(scene, child(message, "time"), "created")
    text = "\n".join(text for part in objects(parts) if (text := _words(part)))
    files = [word(part, "filename") for part in objects(parts) if word(part, "type") == "file"]
    told: dict[str, Any] = {
        "files": files,
        "mode": word(message, "agent"),
        "model": _model(message),
    }
    kind = MachineWords.DELEGATION if parent else None
    said = here.draft_said(
        hear_words(text, kind), subagent=here.session_id if parent else "", **told
    )
    message_id = limit_id(message.get("id"))
    if message_id:
        said = tuple(
            replace(draft, source_id=message_id, fingerprint="", delivery="") for draft in said
        )
    return (*said, *_draft_written(here, parts))


def _draft_written(scene: Scene, parts: object) -> Iterator[Draft]:
    """Yield what OpenCode put into a message: files it read, reminders, what a command printed."""
    for part in objects(parts):
        text = word(part, "text")
        if word(part, "type") == "text" and part.get("synthetic") and not part.get("ignored"):
            said = note(text, machine_of(text) or MachineWords.REMINDER)
            part_id = limit_id(part.get("id"))
            for draft in scene.draft_said(said):
                yield (
                    replace(draft, source_id=part_id, fingerprint="", delivery="")
                    if part_id
                    else draft
                )


def draft_failure(scene: Scene, error: object, message_id: str) -> tuple[Draft, ...]:
    """Return an error that ended a turn."""
    text = word(child(error, "data"), "message") or word(error, "message", "name")
    note = scene.draft(
        EventType.NOTE,
        text or json_text(error),
        source_id=f"error:{message_id}" if message_id else "",
        fingerprint=text_print("error", json_text(error)),
        error=error,
    )
    return (note,)


def did(scene: Scene, message: dict[str, Any], part: dict[str, Any]) -> tuple[Draft, ...]:
    """Return what a part of the model's message says: words, a summary, a use of a tool."""
    kind = word(part, "type")
    if kind == "tool":
        return _draft_tool_use(scene, part)
    text = _words(part)
    if kind != "text" or not text.strip():
        return ()
    is_summary = message.get("summary") is True
    draft = at(scene, child(part, "time"), "end").draft(
        EventType.COMPACTION if is_summary else EventType.ASSISTANT_MESSAGE,
        text,
        source_id=limit_id(part.get("id")),
        fingerprint=text_print(text),
        mode=word(message, "agent", "mode"),
        model=_model(message),
    )
    return (draft,) if draft.text.strip() else ()


def at(scene: Scene, time: dict[str, Any], *names: str) -> Scene:
    """Return the scene at the first of some times that is known."""
    known: Millis | None = next(filter(None, (millis(time.get(name)) for name in names)), None)
    return replace(scene, timestamp_ms=known) if known is not None else scene


def _draft_tool_use(scene: Scene, part: dict[str, Any]) -> tuple[Draft, ...]:
    state = child(part, "state")
    status = word(state, "status")
    if status not in ("running", "completed", "error"):
        return ()
    use = ToolUse(
        name=word(part, "tool"),
        arguments=entry(state, "input"),
        call_id=limit_id(part.get("id")),
    )
    call_id = word(part, "callID")
    time = child(state, "time")
    called = use.draft_call(at(scene, time, "start"), native_call_id=call_id)
    if status == "running":
        return (called,)
    metadata = child(state, "metadata")
    details = {key: value for key, value in metadata.items() if key != "output"}
    answered = use.draft_result(
        at(scene, time, "end", "start"),
        word(state, "output", "error"),
        details,
        native_call_id=call_id,
        title=word(state, "title"),
        exit_code=entry(metadata, "exit"),
        is_error=True if status == "error" else None,
    )
    return called, answered


def _tell_parent(parent: str, scene: Scene, event_type: EventType, text: str) -> Draft:
    here = replace(scene, session_id=parent)
    return here.draft(event_type, text, source_id=scene.session_id, subagent=scene.session_id)


def _words(part: dict[str, Any]) -> str:
    if part.get("synthetic") or part.get("ignored"):
        return ""
    match word(part, "type"):
        case "text":
            return word(part, "text")
        case "subtask":
            return word(part, "prompt")
        case _:
            return ""


def _model(message: dict[str, Any]) -> str:
    return word(message, "modelID") or word(child(message, "model"), "modelID")
