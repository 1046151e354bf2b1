"""Anthropic's Messages API.

Structured output is asked for as the arguments of a tool that must be called: every model
and every compatible server knows that form, and the arguments arrive as data.
"""

from __future__ import annotations

import msgspec

from agentx.llm.answer import ProviderReply, usage_of
from agentx.llm.exchange import ProviderLink, Request
from agentx.llm.port import Allowance, Completion, Prompt
from agentx.llm.talk.anthropic import read_dialogue, write_dialogue
from agentx.llm.talk.port import Dialogue, TalkReply

ADDRESS = "https://api.anthropic.com"

_VERSION = "2023-06-01"
_TOOL = "answer"


class Anthropic:
    """A model behind the Messages API."""

    def __init__(self, exchange: ProviderLink, *, model: str, key: str, address: str = "") -> None:
        self._exchange = exchange
        self._model = model
        self._url = (address or ADDRESS).rstrip("/") + "/v1/messages"
        self._headers = {"anthropic-version": _VERSION}
        if key:
            self._headers["x-api-key"] = key

    @property
    def name(self) -> str:
        """Who answers."""
        return self._exchange.name

    def complete(self, prompt: Prompt, budget: Allowance) -> Completion:
        """Return the answer.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        request = Request(url=self._url, headers=self._headers, body=self._body(prompt))
        return self._exchange.ask(prompt, (request,), read_reply, budget)

    def converse(self, dialogue: Dialogue, budget: Allowance) -> TalkReply:
        """Return what is said next.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        body = write_dialogue(self._model, dialogue)
        request = Request(url=self._url, headers=self._headers, body=body)
        return self._exchange.talk(dialogue, request, read_dialogue, budget)

    def _body(self, prompt: Prompt) -> dict[str, object]:
        body: dict[str, object] = {
            "model": self._model,
            "max_tokens": prompt.max_output_tokens,
            "system": prompt.system,
            "messages": [{"role": "user", "content": prompt.user}],
        }
        if prompt.json_schema is not None:
            tool = {
                "name": _TOOL,
                "description": "Give the answer.",
                "input_schema": prompt.json_schema,
            }
            body |= {"tools": [tool], "tool_choice": {"type": "tool", "name": _TOOL}}
        return body


class _Block(msgspec.Struct):
    type: str
    text: str = ""
    input: dict[str, object] | None = None


class _Usage(msgspec.Struct):
    input_tokens: int
    output_tokens: int
    cache_creation_input_tokens: int | None = None
    cache_read_input_tokens: int | None = None


class _Reply(msgspec.Struct):
    content: list[_Block]
    model: str = ""
    stop_reason: str | None = None
    usage: _Usage | None = None


_FAULTS = {
    "max_tokens": "the answer was cut off at its token limit",
    "model_context_window_exceeded": "the answer was cut off at its token limit",
    "refusal": "the model refused to answer",
}


def read_reply(raw: bytes) -> ProviderReply:
    """Return what a reply says.

    Raises: msgspec.MsgspecError when it is none.
    """
    reply = msgspec.json.decode(raw, type=_Reply)
    used = reply.usage
    usage = None
    if used is not None:
        cached = (used.cache_creation_input_tokens or 0) + (used.cache_read_input_tokens or 0)
        usage = usage_of(used.input_tokens + cached, used.output_tokens)
    values = [block.input for block in reply.content if block.type == "tool_use"]
    return ProviderReply(
        text="".join(block.text for block in reply.content if block.type == "text"),
        value=values[0] if values else None,
        model=reply.model,
        usage=usage,
        fault=_FAULTS.get(reply.stop_reason or "", ""),
    )
