"""Google's Gemini API, `generateContent`.

The key goes into a header: the address is the one part of a request that everybody logs.
"""

from __future__ import annotations

from urllib.parse import quote

import msgspec

from agentx.llm.answer import ProviderReply
from agentx.llm.exchange import ProviderLink, Request
from agentx.llm.port import Allowance, Completion, Prompt
from agentx.llm.talk.gemini import (
    GeminiReply,
    as_openapi,
    explain_finish,
    read_dialogue,
    sum_usage,
    write_dialogue,
)
from agentx.llm.talk.port import Dialogue, TalkReply

ADDRESS = "https://generativelanguage.googleapis.com/v1beta"


class Gemini:
    """A model behind `generateContent`."""

    def __init__(self, exchange: ProviderLink, *, model: str, key: str, address: str = "") -> None:
        self._exchange = exchange
        plain = quote(model.removeprefix("models/"), safe="")
        self._url = f"{(address or ADDRESS).rstrip('/')}/models/{plain}:generateContent"
        self._headers = {"x-goog-api-key": key} if key else {}

    @property
    def name(self) -> str:
        """Who answers."""
        return self._exchange.name

    def complete(self, prompt: Prompt, budget: Allowance) -> Completion:
        """Return the answer.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        request = Request(url=self._url, headers=self._headers, body=_body(prompt))
        return self._exchange.ask(prompt, (request,), read_reply, budget)

    def converse(self, dialogue: Dialogue, budget: Allowance) -> TalkReply:
        """Return what is said next.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        request = Request(url=self._url, headers=self._headers, body=write_dialogue(dialogue))
        return self._exchange.talk(dialogue, request, read_dialogue, budget)


def _body(prompt: Prompt) -> dict[str, object]:
    form: dict[str, object] = {"maxOutputTokens": prompt.max_output_tokens}
    if prompt.json_schema is not None:
        form |= {
            "responseMimeType": "application/json",
            "responseSchema": as_openapi(prompt.json_schema),
        }
    return {
        "systemInstruction": {"parts": [{"text": prompt.system}]},
        "contents": [{"role": "user", "parts": [{"text": prompt.user}]}],
        "generationConfig": form,
    }


def read_reply(raw: bytes) -> ProviderReply:
    """Return what a reply says.

    Raises: msgspec.MsgspecError when it is none.
    """
    reply = msgspec.json.decode(raw, type=GeminiReply)
    usage = sum_usage(reply.usage_metadata)
    if not reply.candidates:
        return ProviderReply(usage=usage, fault=reply.refusal or "the answer is empty")
    first = reply.candidates[0]
    return ProviderReply(
        text=first.text,
        model=reply.model_version,
        usage=usage,
        fault=explain_finish(first.finish_reason),
    )
