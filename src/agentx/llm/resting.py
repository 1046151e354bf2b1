"""A model that keeps failing is left alone for a while.

A build asks once a segment. Without this, a provider that is down would cost every one of
them its full patience. Each rest is twice as long as the one before; one answer ends it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from agentx.kernel.clock import Clock
from agentx.kernel.errors import ModelUnavailable
from agentx.llm import limits
from agentx.llm.port import Allowance, Completion, Model, Prompt
from agentx.llm.talk.port import Dialogue, Talker, TalkReply

Answer = TypeVar("Answer")


class Provider(Model, Talker, Protocol):
    """A model that can be asked one thing, and talked with."""


class Resting:
    """A model, and how often it failed in a row."""

    def __init__(self, model: Model, clock: Clock) -> None:
        self._model = model
        self._clock = clock
        self._lock = threading.Lock()
        self._failures = 0
        self._rests_until_ms = 0

    @property
    def name(self) -> str:
        """Who answers."""
        return self._model.name

    def complete(self, prompt: Prompt, budget: Allowance) -> Completion:
        """Return the answer.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        return self._ask(lambda: self._model.complete(prompt, budget))

    def _ask(self, ask: Callable[[], Answer]) -> Answer:
        left_ms = self._rests_until_ms - self._clock.now_ms()
        # A clock that was set back must not make the rest longer than the longest.
        if 0 < left_ms <= limits.LLM_REST_MS_MAX:
            raise ModelUnavailable(
                f"{self.name}: failed {self._failures} times in a row",
                hint=f"it is asked again in {left_ms / 1000:.0f} s",
            )
        try:
            said = ask()
        except ModelUnavailable:
            self._note_failure()
            raise
        with self._lock:
            self._failures = 0
            self._rests_until_ms = 0
        return said

    def _note_failure(self) -> None:
        with self._lock:
            self._failures += 1
            over = self._failures - limits.LLM_FAILURES_MAX
            if over >= 0:
                rest_ms = min(limits.LLM_REST_MS << min(over, 10), limits.LLM_REST_MS_MAX)
                self._rests_until_ms = self._clock.now_ms() + rest_ms


class RestingProvider(Resting):
    """A model that can be talked with, too; it rests from both at once."""

    def __init__(self, provider: Provider, clock: Clock) -> None:
        super().__init__(provider, clock)
        self._provider = provider

    def converse(self, dialogue: Dialogue, budget: Allowance) -> TalkReply:
        """Return what is said next.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        return self._ask(lambda: self._provider.converse(dialogue, budget))
