"""A dialogue in the form of Anthropic's Messages API, and back."""

from __future__ import annotations

import math
from typing import Any

import msgspec

from agentx.llm.answer import usage_of
from agentx.llm.port import Usage
from agentx.llm.talk.port import (
    CUT_OFF,
    CalledTool,
    Dialogue,
    Heard,
    Line,
    ModelSays,
    PersonSays,
    ToolsSay,
    name_for_wire,
    read_arguments,
)

_KEPT = {"type": "ephemeral"}  # what was sent once costs a tenth when it is sent again


def write_dialogue(model: str, dialogue: Dialogue) -> dict[str, object]:
    """Return the body of a request."""
    messages = [_message(line) for line in dialogue.lines]
    messages[-1]["content"][-1]["cache_control"] = _KEPT
    return {
        "model": model,
        "max_tokens": dialogue.max_output_tokens,
        "system": [{"type": "text", "text": dialogue.system, "cache_control": _KEPT}],
        "messages": messages,
        "tools": [
            {"name": tool.name, "description": tool.about, "input_schema": tool.schema}
            for tool in dialogue.tools
        ],
    }


def _message(line: Line) -> dict[str, Any]:
    match line:
        case PersonSays(text=text):
            return {"role": "user", "content": [{"type": "text", "text": text}]}
        case ModelSays(text=text, calls=calls):
            said = [{"type": "text", "text": text}] if text.strip() else []
            used = [
                {
                    "type": "tool_use",
                    "id": call.id,
                    "name": name_for_wire(call.name),
                    "input": dict(call.arguments),
                }
                for call in calls
            ]
            return {"role": "assistant", "content": [*said, *used]}
        case ToolsSay(answers=answers):
            told = [
                {
                    "type": "tool_result",
                    "tool_use_id": answer.id,
                    "content": answer.text,
                    "is_error": answer.failed,
                }
                for answer in answers
            ]
            return {"role": "user", "content": told}


class _Block(msgspec.Struct):
    type: str
    text: str = ""
    name: str = ""
    input: Any = None


class _Used(msgspec.Struct):
    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Message(msgspec.Struct):
    content: list[_Block]
    model: str = ""
    stop_reason: str | None = None
    usage: _Used | None = None


_FAULTS = {
    "max_tokens": CUT_OFF,
    "model_context_window_exceeded": CUT_OFF,
    "refusal": "the model refused to answer",
}


def read_dialogue(raw: bytes) -> Heard:
    """Return what a reply says.

    Raises: msgspec.MsgspecError when it is none.
    """
    reply = msgspec.json.decode(raw, type=_Message)
    return Heard(
        text="".join(block.text for block in reply.content if block.type == "text"),
        calls=tuple(_call(block) for block in reply.content if block.type == "tool_use"),
        model=reply.model,
        usage=_usage(reply.usage),
        fault=_FAULTS.get(reply.stop_reason or "", ""),
    )


def _call(block: _Block) -> CalledTool:
    arguments, fault = read_arguments(block.input)
    return CalledTool(name=block.name, arguments=arguments, fault=fault)


def _usage(used: _Used | None) -> Usage | None:
    if used is None:
        return None
    # What is kept for the next time costs a quarter more: it counts as so many more.
    kept = math.ceil(1.25 * (used.cache_creation_input_tokens or 0))
    read = used.cache_read_input_tokens or 0
    return usage_of(used.input_tokens + kept + read, used.output_tokens)
