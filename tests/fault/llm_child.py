"""A process that asks a model until it may spend no more, for the fault tests to kill.

    python -m tests.fault.llm_child URL LEDGER CAP_TOKENS [POINT AFTER]

It kills itself the AFTER-th time it passes POINT. It prints how many answers it got.
"""

from __future__ import annotations

import os
import signal
import sys
from datetime import UTC
from pathlib import Path

import httpx

from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.errors import BudgetExceeded
from agentx.llm.factory import model_for
from agentx.llm.port import Prompt
from agentx.llm.settings import LlmSettings
from agentx.llm.spending import spending_for

PROMPT = Prompt(system="Be brief.", user="Is it done?", max_output_tokens=100)
CALLS_MAX = 1_000


def settings_for(url: str, cap: int) -> LlmSettings:
    """Return the settings of every process of a test."""
    return LlmSettings(provider="openai", base_url=url, daily_tokens_max=cap, daily_usd_max=1_000.0)


def _strike_after(point: str, times: int) -> None:
    left = times

    def strike() -> None:
        nonlocal left
        left -= 1
        if left <= 0:
            os.kill(os.getpid(), signal.SIGKILL)

    crash.arm(CrashPoint(point), strike)


def main(url: str, ledger: str, cap: str, point: str = "", after: str = "1") -> None:
    """Ask until the cap is reached."""
    if point:
        _strike_after(point, int(after))
    chosen = settings_for(url, int(cap))
    clock = SystemClock()
    answers = 0
    with httpx.Client(trust_env=False) as http:
        model = model_for(chosen, "key", http, clock, system_entropy)
        assert model is not None
        spending = spending_for(chosen, Path(ledger), UTC, clock, system_entropy)
        try:
            for _ in range(CALLS_MAX):
                model.complete(PROMPT, spending)
                answers += 1
        except BudgetExceeded:
            print(answers, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
