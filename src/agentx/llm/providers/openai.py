"""OpenAI's chat completions, and the many servers that speak the same.

Structured output is asked for by a strict schema. A server that does not know that form is
asked once more with the schema in words.
"""

from __future__ import annotations

import json

import msgspec

from agentx.llm.answer import ProviderReply, usage_of
from agentx.llm.exchange import ProviderLink, Request
from agentx.llm.port import Allowance, Completion, Prompt
from agentx.llm.talk.openai import read_dialogue, write_dialogue
from agentx.llm.talk.port import Dialogue, TalkReply

ADDRESS = "https://api.openai.com/v1"


class OpenAI:
    """A model behind chat completions."""

    def __init__(self, exchange: ProviderLink, *, model: str, key: str, address: str = "") -> None:
        self._exchange = exchange
        self._model = model
        self._url = (address or ADDRESS).rstrip("/") + "/chat/completions"
        self._headers = {"authorization": f"Bearer {key}"} if key else {}
        # OpenAI's own newer models refuse the old name; most other servers know only that.
        self._limit = "max_tokens" if address else "max_completion_tokens"

    @property
    def name(self) -> str:
        """Who answers."""
        return self._exchange.name

    def complete(self, prompt: Prompt, budget: Allowance) -> Completion:
        """Return the answer.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        bodies = [self._body(prompt, prompt.system)]
        if prompt.json_schema is not None:
            strict = {"name": "answer", "strict": True, "schema": prompt.json_schema}
            form = {"type": "json_schema", "json_schema": strict}
            bodies = [
                {**bodies[0], "response_format": form},
                self._body(prompt, f"{prompt.system}\n\n{_in_words(prompt)}"),
            ]
        requests = [Request(url=self._url, headers=self._headers, body=body) for body in bodies]
        return self._exchange.ask(prompt, requests, read_reply, budget)

    def converse(self, dialogue: Dialogue, budget: Allowance) -> TalkReply:
        """Return what is said next.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        body = write_dialogue(self._model, dialogue, self._limit)
        request = Request(url=self._url, headers=self._headers, body=body)
        return self._exchange.talk(dialogue, request, read_dialogue, budget)

    def _body(self, prompt: Prompt, system: str) -> dict[str, object]:
        return {
            "model": self._model,
            self._limit: prompt.max_output_tokens,
            "messages": [
                {"role": "system", "content": system},
                {"role": "user", "content": prompt.user},
            ],
        }


def _in_words(prompt: Prompt) -> str:
    schema = json.dumps(prompt.json_schema)
    return f"Answer with one JSON object and nothing else. It must fit this JSON Schema: {schema}"


class _Message(msgspec.Struct):
    content: str | None = None
    refusal: str | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int
    completion_tokens: int = 0


class _Reply(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


_FAULTS = {
    "length": "the answer was cut off at its token limit",
    "content_filter": "the provider's filter held the answer back",
}


def read_reply(raw: bytes) -> ProviderReply:
    """Return what a reply says.

    Raises: msgspec.MsgspecError when it is none.
    """
    reply = msgspec.json.decode(raw, type=_Reply)
    used = reply.usage
    usage = None if used is None else usage_of(used.prompt_tokens, used.completion_tokens)
    if not reply.choices:
        return ProviderReply(usage=usage, fault="the answer is empty")
    choice = reply.choices[0]
    refused = "the model refused to answer" if choice.message.refusal else ""
    return ProviderReply(
        text=choice.message.content or "",
        model=reply.model or "",
        usage=usage,
        fault=refused or _FAULTS.get(choice.finish_reason or "", ""),
    )
