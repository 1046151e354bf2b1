"""The model of a project, if its user set one: who writes, and what it cost.

Few set one, so what asks a model is imported once one is set.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

from agentx.kernel.clock import MINUTE_MS
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.ids import NodeId
from agentx.llm.limits import LLM_CLI_REST_MS_MAX
from agentx.llm.settings import (
    CLI_PROVIDERS,
    PROVIDERS,
    LlmSettings,
    key_variable,
    model_name,
)
from agentx.memory.port import SpendingToday
from agentx.project.project import Project
from agentx.project.zone import project_zone

if TYPE_CHECKING:
    from agentx.conversation.model_summary import ModelSummariser
    from agentx.llm.clis.choice import CliWorld
    from agentx.llm.port import Model
    from agentx.llm.spending import Spending
    from agentx.llm.talk.port import Talker
    from agentx.views.sessions.capture import Judge

_MICRO = 1_000_000


@contextmanager
def model_writer(project: Project) -> Iterator[ModelSummariser | None]:
    """Lend the summariser that asks the model; None when there is none to ask."""
    with _model(project) as model:
        if model is None:
            yield None
            return
        from agentx.conversation.model_summary import ModelSummariser  # noqa: PLC0415  as the module says

        def tell(node_id: NodeId, why: str) -> None:
            project.log.record("warning", "model fell back", node=node_id, reason=why)

        yield ModelSummariser(model, _spending(project), told=tell)


@contextmanager
def model_judge(project: Project) -> Iterator[Judge | None]:
    """Lend what judges sessions with the model; None when there is none to ask."""
    with _model(project) as model:
        if model is None:
            yield None
            return
        from agentx.observations.extract.by_model import judge_by_model  # noqa: PLC0415  only with a model

        asked, spending = model, _spending(project)

        def tell(why: str) -> None:
            project.log.record("warning", "model fell back", reason=why)

        yield lambda turns, candidates: judge_by_model(turns, candidates, asked, spending, tell)


@contextmanager
def lend_talker(project: Project, model: str = "") -> Iterator[tuple[Talker, Spending]]:
    """Lend a model that can be talked with, and the purse of the day.

    Raises: InvalidValue that says how to set one.
    """
    settings = project.config.section(LlmSettings)
    if settings.provider not in PROVIDERS:
        given = f"llm.provider is {settings.provider}" if settings.provider else "no model is set"
        raise InvalidValue(
            f"{given}: the loop talks with a provider's API",
            hint="agentx config set --user llm.provider anthropic (or openai, gemini), and its key "
            "in the environment",
        )
    import httpx  # noqa: PLC0415  as below

    from agentx.llm.factory import model_for  # noqa: PLC0415  as below

    chosen = replace(settings, model=model or settings.model)
    key = project.environment.variables.get(key_variable(settings), "")
    with httpx.Client() as http:
        talker = model_for(chosen, key, http, project.clock, project.entropy)
        if talker is None:
            raise InvalidValue(
                f"there is no key for {settings.provider}",
                hint=f"put it into the environment: export {key_variable(settings)}=...; or set "
                "llm.base_url to a server on this machine, which needs none",
            )
        yield talker, _spending(project)


def spending_today(project: Project) -> SpendingToday | None:
    """Say what the model has cost today; None when no model is set."""
    settings = project.config.section(LlmSettings)
    if not settings.provider:
        return None
    try:
        total = _spending(project).sum_today().total
    except AgentXError as error:
        project.log.record("warning", "spending unreadable", reason=error.message)
        return None
    return SpendingToday(
        model=f"{settings.provider}/{model_name(settings)}",
        tokens=total.input_tokens + total.output_tokens,
        tokens_max=settings.daily_tokens_max,
        usd=total.micro_usd / _MICRO,
        usd_max=settings.daily_usd_max,
        calls=total.calls,
    )


def explain_rest(project: Project) -> str:
    """Say why the user's agent CLI is not asked as a model now, and for how long; else nothing."""
    settings = project.config.section(LlmSettings)
    if not settings.provider:
        return ""
    provider = _provider(project, settings)
    if provider not in CLI_PROVIDERS:
        return ""
    from agentx.llm.store.cli_home import CliHome  # noqa: PLC0415  only who has such a model

    rest = CliHome(project.data.clis / provider).read_rest()
    left_ms = rest.until_ms - project.clock.now_ms()
    if not 0 < left_ms <= LLM_CLI_REST_MS_MAX:
        return ""
    times = f" ({rest.failures} times in a row)" if rest.failures > 1 else ""
    return f"{provider} is left alone for {left_ms // MINUTE_MS + 1} min{times}: {rest.why}"


@contextmanager
def _model(project: Project) -> Iterator[Model | None]:
    settings = project.config.section(LlmSettings)
    if not settings.provider:
        yield None
        return
    provider = _provider(project, settings)
    if provider in CLI_PROVIDERS:
        from agentx.llm.clis.choice import cli_model_for  # noqa: PLC0415  as the module says

        yield cli_model_for(provider, settings, _world(project), project.clock)
        return
    # httpx costs a fifth of a second to import: only for those who set a model.
    import httpx  # noqa: PLC0415

    from agentx.llm.factory import model_for  # noqa: PLC0415

    key = project.environment.variables.get(key_variable(settings), "")
    with httpx.Client() as http:
        yield model_for(settings, key, http, project.clock, project.entropy)


def _provider(project: Project, settings: LlmSettings) -> str:
    """Return who is asked; without a key for Gemini it is the Gemini CLI, if there is one."""
    if settings.provider != "gemini" or settings.base_url or settings.api_key_env:
        return settings.provider
    if project.environment.variables.get(key_variable(settings), "").strip():
        return settings.provider
    import shutil  # noqa: PLC0415  as the module says

    has_cli = shutil.which("gemini", path=project.environment.search_path)
    return "gemini-cli" if has_cli else settings.provider


def _world(project: Project) -> CliWorld:
    from agentx.llm.clis.choice import CliWorld  # noqa: PLC0415  as the module says

    homes = project.environment.homes
    return CliWorld(
        folder=project.data.clis,
        variables={**project.environment.variables, "PATH": project.environment.search_path},
        logins={
            "claude-code": homes.claude_code,
            "codex": homes.codex,
            "gemini-cli": homes.gemini,
            "opencode": homes.opencode_db.parent,
        },
        opencode_config=homes.opencode_config,
    )


def _spending(project: Project) -> Spending:
    from agentx.llm.spending import spending_for  # noqa: PLC0415  as the module says

    return spending_for(
        project.config.section(LlmSettings),
        project.store.spending,
        project_zone(project),
        project.clock,
        project.entropy,
    )
