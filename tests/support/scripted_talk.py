"""Dialogues with tools, as each provider writes and checks them: for `scripted_llm`.

A provider refuses a dialogue in which calls and answers do not belong together. So does this.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

Called = tuple[str, object]  # a name, and its arguments: an object, or text that may be none
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def write_anthropic(calls: Sequence[Called]) -> list[dict[str, Any]]:
    """Return the blocks of calls."""
    return [
        {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": arguments}
        for number, (name, arguments) in enumerate(calls)
    ]


def write_openai(calls: Sequence[Called]) -> list[dict[str, Any]]:
    """Return the calls of a message."""
    return [
        {
            "id": f"call_{number}",
            "type": "function",
            "function": {
                "name": name,
                "arguments": arguments if isinstance(arguments, str) else json.dumps(arguments),
            },
        }
        for number, (name, arguments) in enumerate(calls)
    ]


def write_gemini(calls: Sequence[Called]) -> list[dict[str, Any]]:
    """Return the parts of calls; the first is signed."""
    return [
        {
            "functionCall": {"name": name, "args": arguments},
            **({} if number else {"thoughtSignature": f"sign-of-{name}"}),
        }
        for number, (name, arguments) in enumerate(calls)
    ]


def fault_in_dialogue(path: str, body: Mapping[str, Any]) -> str:
    """Return why a provider would refuse a dialogue; nothing where it would not."""
    if not body.get("tools") or "tool_choice" in body:
        return ""
    if path.endswith("/v1/messages"):
        return _fault_in_anthropic(body["messages"])
    if path.endswith("/chat/completions"):
        return _fault_in_openai(body["messages"])
    return _fault_in_gemini(body["contents"])


def _fault_in_anthropic(messages: Sequence[Mapping[str, Any]]) -> str:
    if not messages or messages[0]["role"] != "user" or messages[-1]["role"] != "user":
        return "a dialogue begins and ends with the user"
    open_ids: list[str] = []
    for message in messages:
        blocks = message["content"]
        if not blocks or any(each["type"] == "text" and not each["text"] for each in blocks):
            return "content must be non-empty"
        answered = [each["tool_use_id"] for each in blocks if each["type"] == "tool_result"]
        if answered != open_ids:
            return f"tool_use {open_ids} is answered by {answered}"
        used = [each for each in blocks if each["type"] == "tool_use"]
        if any(_NAME.fullmatch(each["name"]) is None for each in used):
            return "a tool has an odd name"
        if not all(isinstance(each["input"], dict) for each in used):
            return "input: should be an object"
        open_ids = [each["id"] for each in used]
    return "calls without answers" if open_ids else ""


def _fault_in_openai(messages: Sequence[Mapping[str, Any]]) -> str:
    if messages[0]["role"] != "system":
        return "no system message"
    open_ids: list[str] = []
    for message in messages[1:]:
        if message["role"] == "tool":
            if not open_ids or message["tool_call_id"] != open_ids.pop(0):
                return "a tool message must follow its tool_calls"
            continue
        if open_ids:
            return f"tool_calls {open_ids} are not answered"
        calls = message.get("tool_calls", [])
        if not calls and not message["content"]:
            return "an empty message"
        for call in calls:
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                return "arguments must be an object"
            if _NAME.fullmatch(call["function"]["name"]) is None:
                return "a tool has an odd name"
        open_ids = [call["id"] for call in calls]
    return "calls without answers" if open_ids else ""


def _fault_in_gemini(contents: Sequence[Mapping[str, Any]]) -> str:
    if contents[0]["role"] != "user" or contents[-1]["role"] != "user":
        return "a dialogue begins and ends with the user"
    open_names: list[str] = []
    for content in contents:
        parts = content["parts"]
        if not parts:
            return "a content has no parts"
        answered = [
            each["functionResponse"]["name"] for each in parts if "functionResponse" in each
        ]
        if answered != open_names:
            return f"calls {open_names} are answered by {answered}"
        calls = [each for each in parts if "functionCall" in each]
        signed = [each.get("thoughtSignature", "") for each in calls]
        names = [each["functionCall"]["name"] for each in calls]
        # The first call of a step is signed, and its sign must come back.
        if calls and signed[0] != f"sign-of-{names[0]}" and names[0] != "unnamed":
            return "function call is missing a thought_signature"
        open_names = names
    return "calls without answers" if open_names else ""
