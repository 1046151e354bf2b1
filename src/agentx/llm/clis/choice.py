"""The agent CLI that the settings name, as a model."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from agentx.kernel.clock import SECOND_MS, Clock
from agentx.kernel.values import frozen
from agentx.llm import limits
from agentx.llm.clis.asking import AgentCliModel, CliSetting
from agentx.llm.clis.dialects import DIALECTS, CliPlace
from agentx.llm.port import Model
from agentx.llm.resting import Resting
from agentx.llm.settings import LlmSettings, model_name
from agentx.llm.store.cli_home import CliHome, read_lent_token, read_opencode_settings


@frozen
class CliWorld:
    """What of the machine an agent CLI may need."""

    folder: Path  # ours, for all agent CLIs
    variables: Mapping[str, str]
    logins: Mapping[str, Path]  # the user's own folder of each
    opencode_config: Path


def cli_model_for(
    provider: str, settings: LlmSettings, world: CliWorld, clock: Clock
) -> Model | None:
    """Return the agent CLI to ask; None where no model of it is known."""
    dialect = DIALECTS[provider]
    login = world.logins[provider]
    home = CliHome(world.folder / provider)
    providers: Mapping[str, object] = {}
    model = settings.model or model_name(LlmSettings(provider=provider))
    if provider == "opencode":
        providers, small = read_opencode_settings(world.opencode_config)
        model = model or small
    if not model:
        return None

    def place() -> CliPlace:
        is_lent = provider == "claude-code" and not home.has_file(".credentials.json")
        return CliPlace(
            home=home.home,
            work=home.work,
            variables=world.variables,
            login=login,
            token=read_lent_token(login, clock.now_ms()) if is_lent else "",
            providers=providers,
        )

    setting = CliSetting(
        provider=provider,
        model=model,
        timeout_ms=min(
            max(settings.timeout_s, 1) * SECOND_MS + limits.LLM_CLI_START_MS,
            limits.LLM_CALL_MS_MAX,
        ),
        window_percent_max=settings.window_percent_max,
    )
    return Resting(AgentCliModel(dialect, setting, home, place, clock), clock)
