"""The one offer of a model: the user's own agent CLI, asked of a person, off unless taken."""

from __future__ import annotations

import shutil
from collections.abc import Callable

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import exists
from agentx.kernel.values import frozen
from agentx.llm.clis.dialects import DIALECTS
from agentx.llm.limits import LLM_CLI_SESSION_TOKENS
from agentx.llm.settings import DEFAULT_MODELS, LlmSettings
from agentx.operations.setup.settings import SettingPlace, set_setting
from agentx.project.project import Project

_NAMES = {"claude-code": "Claude Code", "codex": "Codex", "gemini-cli": "Gemini CLI"}


@frozen
class ModelOffer:
    """What a person is asked, and what a yes sets."""

    provider: str
    question: str


def find_offer(project: Project) -> ModelOffer | None:
    """Return the offer; None where a model is set, no agent CLI is found, or it was made before."""
    settings = project.config.section(LlmSettings)
    if settings.provider or exists(project.data.model_offered):
        return None
    for provider, name in _NAMES.items():
        program = DIALECTS[provider].program
        if shutil.which(program, path=project.environment.search_path):
            return ModelOffer(provider=provider, question=_word(provider, name, settings))
    return None


def answer_offer(project: Project, offer: ModelOffer, ask: Callable[[str], bool]) -> bool:
    """Make the offer, never again after it; return whether the model was switched on."""
    agreed = ask(offer.question)
    replace_file(project.data.model_offered, b"")
    if agreed:
        set_setting(
            project.environment,
            project.directory,
            "llm.provider",
            offer.provider,
            SettingPlace.USER,
        )
    return agreed


def _word(provider: str, name: str, settings: LlmSettings) -> str:
    model, tokens = DEFAULT_MODELS[provider], f"{LLM_CLI_SESSION_TOKENS:,}"
    return (
        "Memory works without a model.\n"
        f"{name} could judge what is remembered, and write better\n"
        "summaries. It is shown every session once, after its end:\n"
        f"about {tokens} tokens of your plan for each ({model}),\n"
        f"at most {settings.daily_tokens_max:,} a day. Past sessions are not sent.\n"
        "Off again: agentx config set --user llm.provider ''\n"
        f"Let {name} do that?"
    )
