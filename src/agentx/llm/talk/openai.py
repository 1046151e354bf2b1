"""A dialogue in the form of chat completions, and back: of OpenAI and of who speaks the same."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import msgspec

from agentx.llm.answer import usage_of
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


def write_dialogue(model: str, dialogue: Dialogue, limit: str) -> dict[str, object]:
    """Return the body of a request; `limit` is what the bound of the answer is called."""
    messages: list[dict[str, Any]] = [{"role": "system", "content": dialogue.system}]
    for line in dialogue.lines:
        messages += _messages(line)
    return {
        "model": model,
        limit: dialogue.max_output_tokens,
        "messages": messages,
        "tools": [
            {
                "type": "function",
                "function": {
                    "name": tool.name,
                    "description": tool.about,
                    "parameters": tool.schema,
                },
            }
            for tool in dialogue.tools
        ],
    }


def _messages(line: Line) -> Iterator[dict[str, Any]]:
    match line:
        case PersonSays(text=text):
            yield {"role": "user", "content": text}
        case ModelSays(text=text, calls=calls):
            said: dict[str, Any] = {"role": "assistant", "content": text or None}
            if calls:
                said["tool_calls"] = [_write_call(call) for call in calls]
            yield said
        case ToolsSay(answers=answers):
            for answer in answers:
                yield {"role": "tool", "tool_call_id": answer.id, "content": answer.text}


def _write_call(call: CalledTool) -> dict[str, Any]:
    arguments = json.dumps(dict(call.arguments), ensure_ascii=False)
    named = {"name": name_for_wire(call.name), "arguments": arguments}
    return {"id": call.id, "type": "function", "function": named}


class _Function(msgspec.Struct):
    name: str = ""
    arguments: Any = None


class _ToolCall(msgspec.Struct):
    function: _Function


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Used(msgspec.Struct):
    prompt_tokens: int
    completion_tokens: int = 0


class _Reply(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Used | None = None


_FAULTS = {
    "length": CUT_OFF,
    "content_filter": "the provider's filter held the answer back",
}


def read_dialogue(raw: bytes) -> Heard:
    """Return what a reply says.

    Raises: msgspec.MsgspecError when it is none.
    """
    reply = msgspec.json.decode(raw, type=_Reply)
    used = reply.usage
    usage = None if used is None else usage_of(used.prompt_tokens, used.completion_tokens)
    if not reply.choices:
        return Heard(usage=usage, model=reply.model or "")
    choice = reply.choices[0]
    refused = "the model refused to answer" if choice.message.refusal else ""
    return Heard(
        text=choice.message.content or "",
        calls=tuple(_call(call.function) for call in choice.message.tool_calls or ()),
        model=reply.model or "",
        usage=usage,
        fault=refused or _FAULTS.get(choice.finish_reason or "", ""),
    )


def _call(function: _Function) -> CalledTool:
    arguments, fault = read_arguments(function.arguments)
    return CalledTool(name=function.name, arguments=arguments, fault=fault)
