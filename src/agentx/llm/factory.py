"""The model that the settings name.

No provider, or no key, means no model: the house works without one. A server on this
machine needs no key.
"""

from __future__ import annotations

import httpx

from agentx.kernel.clock import SECOND_MS, Clock
from agentx.kernel.ids import Entropy
from agentx.llm import limits
from agentx.llm.exchange import ProviderLink
from agentx.llm.providers.anthropic import Anthropic
from agentx.llm.providers.gemini import Gemini
from agentx.llm.providers.openai import OpenAI
from agentx.llm.resting import RestingProvider
from agentx.llm.settings import LlmSettings, model_name

_ADAPTERS: dict[str, type[Anthropic | OpenAI | Gemini]] = {
    "anthropic": Anthropic,
    "openai": OpenAI,
    "gemini": Gemini,
}
_THIS_MACHINE = frozenset({"localhost", "127.0.0.1", "::1"})


def model_for(
    settings: LlmSettings, environment_key: str, http: httpx.Client, clock: Clock, entropy: Entropy
) -> RestingProvider | None:
    """Return the model to ask, or None for offline."""
    key = environment_key.strip()
    adapter = _ADAPTERS.get(settings.provider)
    if adapter is None or not (key or _is_on_this_machine(settings.base_url)):
        return None
    model = model_name(settings)
    exchange = ProviderLink(
        http,
        name=f"{settings.provider}/{model}",
        key=key,
        timeout_ms=min(max(settings.timeout_s, 1) * SECOND_MS, limits.LLM_CALL_MS_MAX),
        clock=clock,
        entropy=entropy,
    )
    return RestingProvider(
        adapter(exchange, model=model, key=key, address=settings.base_url), clock
    )


def _is_on_this_machine(address: str) -> bool:
    try:
        return httpx.URL(address).host in _THIS_MACHINE
    except httpx.InvalidURL:
        return False
