"""From what a provider said to an answer that can be relied on, or none.

Half an answer is none. Where JSON was asked for, the text must be JSON (models like to put
it into a code fence; that is allowed) and must fit the schema.
"""

from __future__ import annotations

import json
import re

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.llm.port import Completion, Prompt, Unusable, Usage
from agentx.llm.schema import fault_in

_FENCE = compile_late(r"\s*```\w*[ \t]*\n(.*?)\n?[ \t]*```\s*", re.DOTALL)
HINT = "nothing is lost: AgentX goes on without the model"


@frozen
class ProviderReply:
    """What a provider's reply says.

    `value` is an answer that came as data and not as text. `fault` says why there is no answer.
    `usage` is None where the provider does not tell, or tells what cannot be.
    """

    text: str = ""
    value: object = None
    model: str = ""
    usage: Usage | None = None
    fault: str = ""


def usage_of(input_tokens: int, output_tokens: int) -> Usage | None:
    """Return the usage that a provider reports, unless it cannot be: every prompt has tokens."""
    if input_tokens <= 0 or output_tokens < 0:
        return None
    return Usage(input_tokens=input_tokens, output_tokens=output_tokens)


def check_answer(heard: ProviderReply, prompt: Prompt, *, name: str, counted: Usage) -> Completion:
    """Return the answer in a reply.

    Raises: Unusable when there is none.
    """
    value, fault = _meaning(heard, prompt)
    if fault:
        raise Unusable(f"{name}: {fault}", hint=HINT)
    text = heard.text
    if not text and value is not None:
        text = json.dumps(value, ensure_ascii=False)
    return Completion(
        text=text,
        value=value,
        input_tokens=counted.input_tokens,
        output_tokens=counted.output_tokens,
        model=heard.model or name,
    )


def _meaning(heard: ProviderReply, prompt: Prompt) -> tuple[object, str]:
    """Return what was said as a value where JSON was asked for, or why there is no answer."""
    if heard.fault:
        return None, heard.fault
    if heard.value is None and not heard.text.strip():
        return None, "the answer is empty"
    if prompt.json_schema is None:
        return None, ""
    value = heard.value
    if value is None:
        fenced = _FENCE.fullmatch(heard.text)
        try:
            value = json.loads(fenced[1] if fenced else heard.text)
        except (ValueError, RecursionError):
            return None, "the answer is not JSON"
    return value, fault_in(value, prompt.json_schema)
