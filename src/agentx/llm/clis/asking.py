"""One question to the user's own agent CLI: one process, one try, nothing left behind.

    at rest? -> held by another? -> reserve -> run -+-> answer       settle for what it used
                                                    +-> notice       release; rest for a while
                                                    +-> no answer    settle by estimate; rest
                                                    `-> killed       count in full; rest

A refusal is never asked again: it would cost the user's own quota. Whoever printed what cannot
be read may have asked its model all the same: the call counts, the question is not put again
(`Unusable`), and each failure in a row makes the rest twice as long. A CLI that says how much
of the user's window is used is left alone from a share of it on, until that window is over.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from dataclasses import replace

from agentx.host.crash import CrashPoint, passing
from agentx.host.program import Ended, ProgramCall, run_to_end
from agentx.kernel.clock import MINUTE_MS, Clock
from agentx.kernel.errors import AgentXError, BudgetExceeded, ModelUnavailable
from agentx.kernel.text import preview, printable
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.llm import limits
from agentx.llm.answer import HINT, ProviderReply, check_answer
from agentx.llm.clis.dialects import CliDialect, CliPlace, choose_environment
from agentx.llm.clis.reading import (
    NO_ANSWER,
    CliReply,
    find_object,
    is_away_notice,
    is_login_notice,
    is_quota_notice,
)
from agentx.llm.port import Allowance, Completion, Prompt, Unusable, Usage, most_used
from agentx.llm.store.cli_home import CliHome, Rest
from agentx.redaction.redact import redact

_HELD_EVERY_MS = 200


@frozen
class CliSetting:
    """Who is asked, and how."""

    provider: str
    model: str
    timeout_ms: int
    window_percent_max: int


class AgentCliModel:
    """An agent CLI as a model."""

    def __init__(
        self,
        dialect: CliDialect,
        setting: CliSetting,
        home: CliHome,
        place: Callable[[], CliPlace],
        clock: Clock,
    ) -> None:
        self._dialect = dialect
        self._setting = setting
        self._home = home
        self._place = place
        self._clock = clock

    @property
    def name(self) -> str:
        """Who answers."""
        return f"{self._setting.provider}/{self._setting.model}"

    def complete(self, prompt: Prompt, budget: Allowance) -> Completion:
        """Return the answer.

        Raises: ModelUnavailable, BudgetExceeded.
        """
        self._check_rest()
        place = self._place()
        program = shutil.which(self._dialect.program, path=place.variables.get("PATH", ""))
        if program is None:
            raise self._unavailable(f"no `{self._dialect.program}` on the PATH")
        waited_ms = 0
        try:
            while (held := self._home.claim()) is None:
                if waited_ms >= self._setting.timeout_ms:
                    raise self._unavailable("another process is asking it")
                self._clock.sleep_ms(_HELD_EVERY_MS)
                waited_ms += _HELD_EVERY_MS
            with held:
                self._check_rest()  # what the one before was told counts for us too
                return self._ask(program, place, prompt, budget)
        except OSError as error:
            raise self._unavailable(f"cannot be run: {error.strerror or error}") from error
        except (ModelUnavailable, BudgetExceeded):
            raise
        except AgentXError as error:
            raise self._unavailable(error.message) from error

    def _ask(self, program: str, place: CliPlace, prompt: Prompt, budget: Allowance) -> Completion:
        call = self._dialect.call(
            place, prompt.system, self._setting.model, prompt.max_output_tokens
        )
        self._home.sweep(self._dialect.remains)
        self._home.prepare(call.files, call.links)
        most = self._most(prompt)
        reservation = budget.reserve(self.name, most)
        passing(CrashPoint.LLM_RESERVED)
        try:
            ended = run_to_end(
                ProgramCall(
                    arguments=(program, *call.arguments),
                    said=_question(prompt),
                    folder=self._home.work,
                    environment=choose_environment(self._dialect, place, call.environment),
                    time_limit_ms=self._setting.timeout_ms,
                    output_bytes_max=limits.LLM_CLI_OUTPUT_BYTES_MAX,
                    can_wait=True,
                )
            )
        finally:
            self._home.sweep(self._dialect.remains)
        passing(CrashPoint.LLM_ANSWERED)
        heard = self._dialect.read(ended.out)
        fault = _fault(heard, ended, self._setting.timeout_ms)
        counted = heard.usage or self._estimate(prompt, heard.text or ended.out, most)
        was_stopped = ended.too_late or ended.too_much
        if was_stopped:
            reservation.settle(heard.usage or most)
        elif heard.usage is None and _is_unpaid(fault, heard, ended):
            reservation.release()
        else:
            reservation.settle(counted)
        self._note_window(heard)
        if fault:
            raise self._refuse(fault, was_stopped=was_stopped)
        self._forget_failures()
        reply = ProviderReply(
            text=find_object(heard.text) if prompt.json_schema else heard.text, model=heard.model
        )
        return check_answer(reply, prompt, name=self.name, counted=counted)

    def _most(self, prompt: Prompt) -> Usage:
        asked, besides = most_used(prompt), self._dialect.besides
        return Usage(
            input_tokens=asked.input_tokens + besides.input_tokens,
            output_tokens=asked.output_tokens + besides.output_tokens,
        )

    def _estimate(self, prompt: Prompt, text: str, most: Usage) -> Usage:
        """Return what a call used that a CLI does not tell."""
        besides = self._dialect.besides
        written = estimate(text) + besides.output_tokens
        return Usage(
            input_tokens=estimate(prompt.system + _question(prompt)) + besides.input_tokens,
            output_tokens=min(written, most.output_tokens),
        )

    def _check_rest(self) -> None:
        rest = self._home.read_rest()
        left_ms = rest.until_ms - self._clock.now_ms()
        # A clock that was set back must not make the rest longer than the longest.
        if 0 < left_ms <= limits.LLM_CLI_REST_MS_MAX:
            raise self._unavailable(f"{rest.why}; asked again in {left_ms // MINUTE_MS + 1} min")

    def _note_window(self, heard: CliReply) -> None:
        percent = heard.window_percent
        if percent is None or not percent >= self._setting.window_percent_max:
            return
        now_ms = self._clock.now_ms()
        until_ms = heard.resets_ms if heard.resets_ms > now_ms else now_ms + limits.LLM_CLI_REST_MS
        why = (
            f"{percent:.0f} % of your window is used, and AgentX stops at "
            f"{self._setting.window_percent_max} %"
        )
        self._rest(until_ms, why)

    def _refuse(self, fault: str, *, was_stopped: bool) -> ModelUnavailable:
        """Return the error for a CLI that gave no answer, and leave it alone for a while."""
        said = preview(printable(redact(fault)), limits.LLM_REASON_CHARS_MAX)
        if was_stopped or not _is_notice(fault):
            self._rest_failing(limits.LLM_CLI_REST_MS, said)
            return Unusable(f"{self.name}: {said}", hint=HINT)
        is_quota = is_quota_notice(fault)
        self._rest_failing(limits.LLM_CLI_REST_MS if is_quota else limits.LLM_REST_MS_MAX, said)
        if not is_quota and is_login_notice(fault):
            hint = self._dialect.login_hint.format(home=self._home.home)
            return ModelUnavailable(f"{self.name}: {said}", hint=f"{hint}; {HINT}")
        return self._unavailable(said)

    def _rest_failing(self, first_ms: int, why: str) -> None:
        failures = self._home.read_rest().failures
        rest_ms = min(first_ms << min(failures, 10), limits.LLM_CLI_REST_FAILING_MS_MAX)
        self._rest(self._clock.now_ms() + rest_ms, why, failures + 1)

    def _rest(self, until_ms: int, why: str, failures: int = 0) -> None:
        until_ms = min(until_ms, self._clock.now_ms() + limits.LLM_CLI_REST_MS_MAX)
        before = self._home.read_rest()
        if until_ms > before.until_ms:
            self._home.note_rest(Rest(until_ms=until_ms, why=why, failures=failures))
        elif failures > before.failures:
            self._home.note_rest(replace(before, failures=failures))

    def _forget_failures(self) -> None:
        before = self._home.read_rest()
        if before.failures:
            self._home.note_rest(replace(before, failures=0))

    def _unavailable(self, reason: str) -> ModelUnavailable:
        return ModelUnavailable(f"{self.name}: {reason}", hint=HINT)


def _question(prompt: Prompt) -> str:
    """Return what is said on stdin: with a schema, its words come last, after the data."""
    if prompt.json_schema is None:
        return prompt.user
    schema = json.dumps(prompt.json_schema, separators=(",", ":"))
    return (
        f"{prompt.user}\n\nAnswer with one JSON object and nothing else: no words around it, no "
        f"code fence. It must fit this JSON Schema: {schema}"
    )


def _is_notice(text: str) -> bool:
    return is_quota_notice(text) or is_login_notice(text) or is_away_notice(text)


def _is_unpaid(fault: str, heard: CliReply, ended: Ended) -> bool:
    """Tell whether a CLI gave notice before it asked its model: in its own form, or by leaving."""
    return _is_notice(fault) and (heard.is_told or ended.code != 0)


def _fault(heard: CliReply, ended: Ended, timeout_ms: int) -> str:
    """Return why there is no answer; nothing when there is one."""
    if ended.too_late:
        return f"no answer within {timeout_ms / 1000:g} s; it was stopped"
    if ended.too_much:
        return "it printed far more than an answer"
    if heard.fault == NO_ANSWER:
        return ended.err.strip() or heard.fault
    if heard.fault or ended.code:
        return heard.fault or ended.err.strip() or f"exit code {ended.code}"
    text = heard.text.strip()
    # In the place of an answer: a notice has no JSON in it.
    if "{" not in text and (is_quota_notice(text) or is_login_notice(text)):
        return text
    return ""
