"""A dialogue in the form of Gemini's `generateContent`, and back.

Calls have no ids there: an answer belongs to a call by its name and its place. Newer models
sign what they thought with a call, and refuse a dialogue in which the sign does not come back.
"""

from __future__ import annotations

from typing import Any

import msgspec

from agentx.llm.answer import usage_of
from agentx.llm.port import Usage
from agentx.llm.schema import Schema
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


def write_dialogue(dialogue: Dialogue) -> dict[str, object]:
    """Return the body of a request."""
    told = [
        {"name": tool.name, "description": tool.about, "parameters": as_openapi(tool.schema)}
        for tool in dialogue.tools
    ]
    return {
        "systemInstruction": {"parts": [{"text": dialogue.system}]},
        "contents": [_content(line) for line in dialogue.lines],
        "tools": [{"functionDeclarations": told}],
        "generationConfig": {"maxOutputTokens": dialogue.max_output_tokens},
    }


def _content(line: Line) -> dict[str, Any]:
    match line:
        case PersonSays(text=text):
            return {"role": "user", "parts": [{"text": text}]}
        case ModelSays(text=text, calls=calls):
            said: list[dict[str, Any]] = [{"text": text}] if text.strip() else []
            return {"role": "model", "parts": [*said, *map(_write_call, calls)]}
        case ToolsSay(answers=answers):
            parts = [
                {
                    "functionResponse": {
                        "name": name_for_wire(answer.name),
                        "response": {"error" if answer.failed else "output": answer.text},
                    }
                }
                for answer in answers
            ]
            return {"role": "user", "parts": parts}


def _write_call(call: CalledTool) -> dict[str, Any]:
    named = {"name": name_for_wire(call.name), "args": dict(call.arguments)}
    signed = {"thoughtSignature": call.mark} if call.mark else {}
    return {"functionCall": named, **signed}


def as_openapi(schema: Schema) -> dict[str, object]:
    """Return a schema in the dialect of this API: types in capitals, no word on other keys."""
    said: dict[str, object] = {}
    for key, value in schema.items():
        match key:
            case "type":
                said[key] = str(value).upper()
            case "properties":
                said[key] = {name: as_openapi(inner) for name, inner in value.items()}
            case "items":
                said[key] = as_openapi(value)
            case "required" | "enum" | "description":
                said[key] = value
            case _:
                pass
    return said


class _FunctionCall(msgspec.Struct):
    name: str = ""
    args: Any = None


class _Part(msgspec.Struct, rename="camel"):
    text: str = ""
    thought: bool = False
    thought_signature: str = ""
    function_call: _FunctionCall | None = None


class _Content(msgspec.Struct):
    parts: list[_Part] = []


class _Candidate(msgspec.Struct, rename="camel"):
    content: _Content | None = None
    finish_reason: str = ""

    @property
    def parts(self) -> list[_Part]:
        return self.content.parts if self.content else []

    @property
    def text(self) -> str:
        return "".join(part.text for part in self.parts if not part.thought)


class _Feedback(msgspec.Struct, rename="camel"):
    block_reason: str = ""


class UsedTokens(msgspec.Struct, rename="camel"):
    """What a reply cost, as it says."""

    prompt_token_count: int = 0
    candidates_token_count: int = 0
    thoughts_token_count: int = 0
    total_token_count: int = 0


class GeminiReply(msgspec.Struct, rename="camel"):
    """What comes back, whatever was asked."""

    candidates: list[_Candidate] = []
    prompt_feedback: _Feedback | None = None
    usage_metadata: UsedTokens | None = None
    model_version: str = ""

    @property
    def refusal(self) -> str:
        """Why nothing was answered; empty where nobody says."""
        blocked = self.prompt_feedback.block_reason if self.prompt_feedback else ""
        return "the provider's filter refused the prompt" if blocked else ""


def read_dialogue(raw: bytes) -> Heard:
    """Return what a reply says.

    Raises: msgspec.MsgspecError when it is none.
    """
    reply = msgspec.json.decode(raw, type=GeminiReply)
    usage = sum_usage(reply.usage_metadata)
    if not reply.candidates:
        return Heard(usage=usage, fault=reply.refusal)
    first = reply.candidates[0]
    calls = tuple(
        _call(part.function_call, part.thought_signature)
        for part in first.parts
        if part.function_call is not None
    )
    # A call that cannot be read is one that did not happen, and no reason to end.
    broken = first.finish_reason == "MALFORMED_FUNCTION_CALL"
    if broken and not calls:
        calls = (CalledTool(name="", fault="the call could not be read"),)
    return Heard(
        text=first.text,
        calls=calls,
        model=reply.model_version,
        usage=usage,
        fault="" if broken else explain_finish(first.finish_reason),
    )


def _call(called: _FunctionCall, mark: str) -> CalledTool:
    arguments, fault = read_arguments(called.args)
    return CalledTool(name=called.name, arguments=arguments, fault=fault, mark=mark)


def sum_usage(used: UsedTokens | None) -> Usage | None:
    """Return what a reply cost; thoughts are written, too."""
    if used is None:
        return None
    written = used.candidates_token_count + used.thoughts_token_count
    return usage_of(
        used.prompt_token_count, max(written, used.total_token_count - used.prompt_token_count)
    )


def explain_finish(finish_reason: str) -> str:
    """Return why a reply ended before it was done; nothing where it was."""
    match finish_reason:
        case "" | "STOP" | "FINISH_REASON_UNSPECIFIED":
            return ""
        case "MAX_TOKENS":
            return CUT_OFF
        case _:
            return "the provider's filter held the answer back"
