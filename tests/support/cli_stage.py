"""A program in the place of an agent CLI that is asked as a model, and the purse that pays it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from agentx.host.system import SystemClock
from agentx.kernel.errors import BudgetExceeded
from agentx.llm.clis.asking import AgentCliModel, CliSetting
from agentx.llm.clis.choice import CliWorld, cli_model_for
from agentx.llm.clis.dialects import DIALECTS, CliPlace
from agentx.llm.port import Model, Prompt, Usage
from agentx.llm.settings import CLI_PROVIDERS, LlmSettings
from agentx.llm.store.cli_home import CliHome
from tests.support.time_and_chance import FakeClock

SCHEMA = {
    "type": "object",
    "properties": {"answer": {"type": "string"}},
    "required": ["answer"],
}
PROMPT = Prompt(
    system="You answer.", user="what is six by seven?", max_output_tokens=50, json_schema=SCHEMA
)
PROGRAMS = {"claude-code": "claude", "codex": "codex", "gemini-cli": "gemini"}
ANSWER = '{"answer": "42"}'
SECRET = "quiet-lantern-harbour"


class Purse:
    """Allows everything, and writes down what was asked of it."""

    def __init__(self, allowed: int = 10**9) -> None:
        self.allowed = allowed
        self.told: list[tuple[str, int]] = []

    def reserve(self, model: str, most: Usage) -> Purse:
        if most.tokens > self.allowed:
            raise BudgetExceeded("no more today")
        self.told.append(("reserved", most.tokens))
        return self

    def settle(self, used: Usage) -> None:
        self.told.append(("settled", used.tokens))

    def release(self) -> None:
        self.told.append(("released", 0))


def spoken(provider: str, text: str, *, usage: bool = True, **more: Any) -> str:
    """Return what a CLI prints that answers with a text."""
    if provider == "claude-code":
        used = {"input_tokens": 100, "cache_read_input_tokens": 20, "output_tokens": 30}
        said = {"type": "result", "subtype": "success", "is_error": False, "result": text, **more}
        return json.dumps({**said, "usage": used} if usage else said)
    if provider == "codex":
        item = {"type": "agent_message", "text": text}
        lines: list[dict[str, Any]] = [{"type": "item.completed", "item": item}]
        if usage:
            used = {"input_tokens": 120, "output_tokens": 30}
            lines.append({"type": "turn.completed", "usage": used})
        return "\n".join(map(json.dumps, lines))
    if provider == "gemini-cli":
        tokens = {"prompt": 120, "candidates": 25, "thoughts": 5}
        stats = {"models": {"small": {"tokens": tokens}}} if usage else {}
        return "Warning: no colours\n" + json.dumps({"response": text, "stats": stats}, indent=1)
    part = {"type": "step_finish", "part": {"tokens": {"input": 120, "output": 30}}}
    lines = [{"type": "text", "part": {"text": text}}, *([part] if usage else [])]
    return "\n".join(map(json.dumps, lines))


class Stage:
    """A home of the user, and a program in the place of a CLI."""

    def __init__(self, root: Path, provider: str = "claude-code") -> None:
        self.root = root
        self.provider = provider
        self.clock = FakeClock()
        self.variables = {"PATH": f"{root / 'bin'}:{os.environ['PATH']}", "HOME": str(root)}
        (root / "bin").mkdir(exist_ok=True)

    def plays(self, body: str, provider: str = "") -> None:
        """Let the CLI be a shell program; what it was called with is written down first."""
        note = f"""
        printf '%s\\n' "$@" > {self.root}/arguments
        env > {self.root}/environment; pwd > {self.root}/folder; cat > {self.root}/said
        """
        name = DIALECTS[provider or self.provider].program
        program = self.root / "bin" / name
        program.write_text(f"#!/bin/sh\n{note}\n{body}\n", encoding="utf-8")
        program.chmod(0o755)

    def prints(self, out: str, code: int = 0) -> None:
        (self.root / "out").write_text(out, encoding="utf-8")
        self.plays(f"cat {self.root}/out; exit {code}")

    def world(self) -> CliWorld:
        return CliWorld(
            folder=self.root / "clis",
            variables=self.variables,
            logins={name: self.root / "user" / name for name in CLI_PROVIDERS},
            opencode_config=self.root / "user" / "opencode-config",
        )

    def model(self, **settings: Any) -> Model:
        given = LlmSettings(provider=self.provider, **settings)
        if self.provider == "opencode" and not given.model:
            given = LlmSettings(provider=self.provider, model="local/small", **settings)
        made = cli_model_for(self.provider, given, self.world(), self.clock)
        assert made is not None
        return made

    def quick(self, timeout_ms: int = 1_000) -> AgentCliModel:
        """The same, with no patience."""
        home = CliHome(self.root / "clis" / self.provider)
        setting = CliSetting(
            provider=self.provider, model="m", timeout_ms=timeout_ms, window_percent_max=60
        )
        place = CliPlace(
            home=home.home, work=home.work, variables=self.variables, login=self.root / "user"
        )
        return AgentCliModel(DIALECTS[self.provider], setting, home, lambda: place, SystemClock())

    def heard(self, name: str) -> str:
        return (self.root / name).read_text("utf-8")
