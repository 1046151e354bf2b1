"""Whose words a user message of Codex really is.

Newer versions name who wrote each part of a message; older ones say it by tags. The editor's
extension puts a prompt behind what the editor shows: the person's words are the last part.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agentx.adapters.shapes import child, objects, text_of
from agentx.adapters.voices import HeardWords, hear_words, machine_of, note
from agentx.kernel.capture import EventType, MachineWords
from agentx.kernel.text import compile_late

_PICTURE = ("<image", "</image>")
_EDITOR = compile_late(r"\A\s*# (?:Context from my IDE setup|Files mentioned by the user):")
_REQUEST = "## My request for Codex:"
_PERSONS = ("user", "unknown")
# What it tells its model in the user's name, when that did something in another way than wanted.
_WARNS = compile_late(
    r"\s*Warning: (?:\w+ was requested via \w+\."
    r"|The maximum number of (?:unified )?exec processes you can keep open is"
    r"|Your account was flagged for)"
)
# What older versions left out; what they did not know is known as a prompt.
_LEFT_OUT = (
    *("<environment_context>", "<permissions instructions>", "<user_instructions>"),
    *("<skills_instructions>", "<apps_instructions>", "<plugins_instructions>"),
    *("<collaboration_mode>", "<multi_agent_mode>", "<turn_aborted>", "<subagent_notification>"),
    *("<hook_prompt", "<skill>", "# AGENTS.md instructions for "),
)


def hear(text: str) -> tuple[HeardWords, ...]:
    """Return what a text in the user's name says, and whose words each part of it is."""
    if _EDITOR.match(text) and _REQUEST in text:
        around, _, words = text.partition(_REQUEST)
        if words.strip():
            said = HeardWords(words=words.strip(), whole=text, known_as=EventType.USER_MESSAGE)
            return note(around.strip(), MachineWords.REMINDER), said
    return (hear_words(text, MachineWords.REMINDER if _WARNS.match(text) else None),)


def hear_parts(item: dict[str, Any], *, is_subagent: bool) -> Iterator[HeardWords]:
    """Yield what the parts of a message say; what a subagent is told is another agent's words."""
    passed = child(item, "internal_chat_message_metadata_passthrough")
    kinds = passed.get("content_item_kinds")
    own = []
    for index, part in enumerate(objects(item.get("content"))):
        text = text_of(part)
        named = kinds[index] if isinstance(kinds, list) and index < len(kinds) else ""
        is_machines = isinstance(named, str) and named and not named.startswith(_PERSONS)
        if not text.strip() or text.lstrip().startswith(_PICTURE):
            continue
        if is_machines or text.lstrip().startswith(_LEFT_OUT):
            yield note(text, machine_of(text) or MachineWords.INSTRUCTIONS)
        else:
            own.append(text)
    if own and is_subagent:
        yield hear_words("\n".join(own), MachineWords.DELEGATION)
    elif own:
        yield from hear("\n".join(own))
