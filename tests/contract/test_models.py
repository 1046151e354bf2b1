"""Goal: every provider keeps the one contract of `llm.port`, also when it is sick.

Method: one suite, run by each adapter over real HTTP against a scripted loopback server that
speaks its wire format; waits pass on a clock of the test, and what is paid goes through the real
ledger on disk.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

import httpx
import pytest

from agentx.host.system import SystemClock
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError, BudgetExceeded, ModelUnavailable
from agentx.llm import limits
from agentx.llm.exchange import ProviderLink
from agentx.llm.ledger import Caps, Tally
from agentx.llm.port import Model, Prompt, Unusable, most_used
from agentx.llm.providers.anthropic import Anthropic
from agentx.llm.providers.gemini import Gemini
from agentx.llm.providers.openai import OpenAI
from agentx.llm.spending import Spending
from agentx.llm.store.ledger_file import SpendingStore
from tests.support.loopback import open_client
from tests.support.scripted_llm import (
    INPUT_TOKENS,
    KEY,
    OUTPUT_TOKENS,
    ScriptedLlm,
    Step,
    fails,
    says,
)
from tests.support.time_and_chance import START_MS, CountingEntropy, FakeClock

ADAPTERS: dict[str, type[Any]] = {"anthropic": Anthropic, "openai": OpenAI, "gemini": Gemini}
PLAIN = Prompt(system="Be brief.", user="Is it done?", max_output_tokens=50)
SCHEMA = {
    "type": "object",
    "properties": {
        "done": {"type": "boolean"},
        "names": {"type": "array", "items": {"type": "string"}},
    },
    "required": ["done", "names"],
    "additionalProperties": False,
}
SHAPED = Prompt(system="Be brief.", user="Is it done?", max_output_tokens=50, json_schema=SCHEMA)
ANSWER = {"done": True, "names": ["a", "日本"]}
MOST = most_used(SHAPED).tokens


@dataclass
class Bench:
    """One adapter, its provider, its purse, and the time."""

    provider: str
    llm: ScriptedLlm
    http: httpx.Client
    folder: Path
    clock: FakeClock
    key: str = KEY
    timeout_ms: int = 20_000
    address: str = ""

    def model(self, clock: Clock | None = None) -> Model:
        address = self.address or self.llm.url
        exchange = ProviderLink(
            self.http,
            name=f"{self.provider}/some-model",
            key=self.key,
            timeout_ms=self.timeout_ms,
            clock=clock or self.clock,
            entropy=CountingEntropy(),
        )
        made: Model = ADAPTERS[self.provider](
            exchange, model="some-model", key=self.key, address=address
        )
        return made

    def purse(self, tokens: int = 1_000_000) -> Spending:
        return Spending(
            SpendingStore(self.folder / "spending.json", self.clock),
            caps=Caps(tokens=tokens, micro_usd=10**9),
            zone=UTC,
            clock=self.clock,
            entropy=CountingEntropy(),
        )

    def spent(self) -> Tally:
        return self.purse().sum_today().total

    def fault(
        self,
        prompt: Prompt = SHAPED,
        clock: Clock | None = None,
        kind: type[ModelUnavailable] = ModelUnavailable,
    ) -> str:
        """Ask, and return why there is no answer; the key must be nowhere in it."""
        with pytest.raises(kind) as caught:
            self.model(clock).complete(prompt, self.purse())
        error: BaseException | None = caught.value
        while error is not None:
            assert KEY not in repr(error)
            assert KEY not in str(getattr(error, "hint", ""))
            error = error.__cause__ or error.__context__
        return caught.value.message


Scripted = Callable[..., Bench]


@pytest.fixture(params=sorted(ADAPTERS))
def scripted(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scripted]:
    """Return a function that gives a provider its script."""
    llm = ScriptedLlm()
    with llm.serving(), open_client() as http:

        def play(*steps: Step) -> Bench:
            llm.steps = list(steps)
            return Bench(request.param, llm, http, tmp_path, FakeClock())

        yield play


# --- well -----------------------------------------------------------------------------------


def test_a_text_is_answered_with_its_usage_and_paid_for(scripted: Scripted) -> None:
    bench = scripted(says("Yes, done."))

    found = bench.model().complete(PLAIN, bench.purse())

    assert (found.text, found.value) == ("Yes, done.", None)
    assert (found.input_tokens, found.output_tokens) == (INPUT_TOKENS, OUTPUT_TOKENS)
    assert found.model
    spent = bench.spent()
    assert (spent.calls, spent.input_tokens, spent.output_tokens, spent.unsettled) == (
        1,
        INPUT_TOKENS,
        OUTPUT_TOKENS,
        0,
    )


def test_the_prompt_its_limit_and_the_key_are_sent_and_the_key_only_in_a_header(
    scripted: Scripted,
) -> None:
    bench = scripted(says("yes"))

    bench.model().complete(PLAIN, bench.purse())

    (asked,) = bench.llm.asked
    told = str(asked.body)
    assert "Be brief." in told
    assert "Is it done?" in told
    assert "50" in told
    assert KEY not in asked.path
    assert KEY not in told
    assert any(KEY in value for value in asked.headers.values())


def test_structured_output_is_asked_for_in_the_providers_own_way(scripted: Scripted) -> None:
    bench = scripted(says(ANSWER))

    found = bench.model().complete(SHAPED, bench.purse())

    assert found.value == ANSWER
    body = bench.llm.asked[0].body
    match bench.provider:
        case "anthropic":
            assert body["tools"][0]["input_schema"] == SCHEMA
            assert body["tool_choice"] == {"type": "tool", "name": "answer"}
        case "openai":
            assert body["response_format"]["json_schema"]["schema"] == SCHEMA
            assert body["response_format"]["json_schema"]["strict"] is True
        case _:
            form = body["generationConfig"]
            assert form["responseMimeType"] == "application/json"
            assert form["responseSchema"]["type"] == "OBJECT"
            assert form["responseSchema"]["properties"]["names"]["items"] == {"type": "STRING"}
            assert "additionalProperties" not in form["responseSchema"]


@pytest.mark.parametrize(
    "text",
    [
        '{"done": true, "names": ["a", "日本"]}',
        '\n```json\n{"done": true, "names": ["a", "日本"]}\n```\n',
        '```\n{"done": true, "names": ["a", "日本"]}```',
    ],
)
def test_json_in_text_or_in_a_fence_is_an_answer_too(scripted: Scripted, text: str) -> None:
    bench = scripted(says(text))

    assert bench.model().complete(SHAPED, bench.purse()).value == ANSWER


def test_any_text_goes_there_and_comes_back(scripted: Scripted) -> None:
    text = "👩‍🚀 日本語 עברית \u202e \x00 " + "x" * 50_000
    bench = scripted(says(text))
    asking = Prompt(system="\ud83d alone", user=text * 4, max_output_tokens=5)

    found = bench.model().complete(asking, bench.purse())

    assert found.text == text
    assert text * 4 in _texts(bench.llm.asked[0].body)


def _texts(value: object) -> str:
    match value:
        case str():
            return value
        case dict():
            return "".join(map(_texts, value.values()))
        case list():
            return "".join(map(_texts, value))
        case _:
            return ""


# --- sick for a while -----------------------------------------------------------------------


def test_a_busy_provider_is_asked_again_when_it_says(scripted: Scripted) -> None:
    bench = scripted(fails(429, retry_after="7"), says("yes"))

    found = bench.model().complete(PLAIN, bench.purse())

    assert found.text == "yes"
    assert bench.clock.now_ms() - START_MS == 7_000
    assert bench.spent().calls == 1


@pytest.mark.parametrize("status", [408, 429, 500, 503, 529])
def test_a_fault_that_may_pass_is_tried_again_after_a_growing_wait(
    scripted: Scripted, status: int
) -> None:
    bench = scripted(fails(status), fails(status), says("yes"))

    assert bench.model().complete(PLAIN, bench.purse()).text == "yes"
    assert len(bench.llm.asked) == 3
    waited = bench.clock.now_ms() - START_MS
    least = limits.LLM_FIRST_WAIT_MS // 2 * 3
    assert least <= waited <= 2 * least
    assert bench.spent().tokens == INPUT_TOKENS + OUTPUT_TOKENS


def test_a_gateway_that_lost_the_model_is_tried_again_and_counted_in_full(
    scripted: Scripted,
) -> None:
    bench = scripted(fails(504), says(ANSWER))

    assert bench.model().complete(SHAPED, bench.purse()).value == ANSWER
    assert bench.spent().tokens == MOST + INPUT_TOKENS + OUTPUT_TOKENS


def test_a_connection_that_breaks_is_tried_again_and_counted_in_full(scripted: Scripted) -> None:
    bench = scripted(Step(breaks=True), says(ANSWER))

    assert bench.model().complete(SHAPED, bench.purse()).value == ANSWER
    assert bench.spent().tokens == MOST + INPUT_TOKENS + OUTPUT_TOKENS


def test_tries_are_bounded(scripted: Scripted) -> None:
    bench = scripted(fails(500, "overloaded"))

    assert "status 500: overloaded" in bench.fault()
    assert len(bench.llm.asked) == limits.LLM_TRIES_MAX
    assert bench.clock.now_ms() - START_MS <= limits.LLM_CALL_MS_MAX
    assert bench.spent() == Tally()


def test_a_provider_that_asks_for_a_long_rest_is_left_alone(scripted: Scripted) -> None:
    bench = scripted(fails(429, "quota", retry_after="3600"))

    assert "quota" in bench.fault()
    assert len(bench.llm.asked) == 1
    assert bench.clock.now_ms() == START_MS


# --- no answer ------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [401, 403, 404, 413])
def test_a_refusal_is_not_argued_with_and_costs_nothing(scripted: Scripted, status: int) -> None:
    bench = scripted(fails(status, f"the key {KEY} is\nnot valid\x1b[31m"))

    fault = bench.fault()

    assert f"status {status}: the key [REDACTED" in fault
    assert "\n" not in fault
    assert "\x1b" not in fault
    assert len(bench.llm.asked) == 1
    assert bench.spent() == Tally()


def test_a_redirect_is_not_followed_with_the_key(scripted: Scripted) -> None:
    bench = scripted(Step(status=307, raw=b"", headers={"location": "http://127.0.0.1:1/steal"}))

    assert "status 307" in bench.fault()
    assert len(bench.llm.asked) == 1


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"<html>Bad gateway</html>",
        b"null",
        b"[]",
        b'{"choices": [{"message": {"content": "ye',
        b'{"content": 5, "choices": 5, "candidates": 5}',
        b'{"content": [{"type": 1}], "choices": [{"message": 1}], "candidates": [1]}',
        b'{"content": [], "choices": [], "candidates": []}',
        b"\xff\xfe\x00",
        b"[" * 200_000,
    ],
)
def test_a_reply_that_is_none_is_a_fault_and_counted_in_full(
    scripted: Scripted, raw: bytes
) -> None:
    bench = scripted(Step(raw=raw))

    assert bench.fault().startswith(f"{bench.provider}/some-model: ")
    assert len(bench.llm.asked) == 1
    assert bench.spent().tokens == MOST


@pytest.mark.parametrize(
    ("step", "reason"),
    [
        (says(""), "empty"),
        (says("  \n"), "empty"),
        (says("Sure! Here it is."), "not JSON"),
        (says('{"done": true, "names": ["a'), "not JSON"),
        (says("[" * 100_000), "not JSON"),
        (says([1, 2]), "not of type object"),
        (says({"done": "yes", "names": []}), "done of the answer is not of type boolean"),
        (says({"done": 1, "names": []}), "not of type boolean"),
        (says({"done": True, "names": [None]}), "not of type string"),
        (says({"done": True}), "has no names"),
        (says(ANSWER, ended="length"), "cut off"),
        (says(ANSWER, ended="refusal"), "refuse|held"),
    ],
)
def test_half_an_answer_nonsense_and_refusal_are_no_answer_but_paid_for(
    scripted: Scripted, step: Step, reason: str
) -> None:
    bench = scripted(step)

    fault = bench.fault()

    assert any(word in fault for word in reason.split("|")), fault
    assert len(bench.llm.asked) == 1
    assert bench.spent().tokens == INPUT_TOKENS + OUTPUT_TOKENS


@pytest.mark.parametrize("usage", [None, (0, 0), (-5, 3), (100, -1)])
def test_usage_that_is_missing_or_cannot_be_counts_in_full(
    scripted: Scripted, usage: tuple[int, int] | None
) -> None:
    bench = scripted(says(ANSWER, usage=usage))

    assert bench.model().complete(SHAPED, bench.purse()).value == ANSWER
    assert bench.spent().tokens == MOST


def test_a_huge_reply_is_not_read_to_its_end(scripted: Scripted) -> None:
    bench = scripted(Step(raw=b'"' + b"x" * (8 * limits.LLM_REPLY_BYTES_MAX) + b'"'))

    assert "too large" in bench.fault(kind=Unusable)
    assert bench.spent().tokens == MOST


@pytest.mark.parametrize("step", [says(ANSWER, delay_ms=300_000), says(ANSWER, drip_ms=200)])
def test_a_slow_answer_and_one_that_drips_are_given_up_once_and_counted_in_full(
    scripted: Scripted, step: Step
) -> None:
    bench = scripted(step)
    bench.timeout_ms = 250
    clock = SystemClock()
    began_ms = clock.now_ms()

    assert "no answer within 0.25 s" in bench.fault(clock=clock, kind=Unusable)
    assert clock.now_ms() - began_ms < 15_000
    assert len(bench.llm.asked) == 1
    assert bench.spent().tokens == MOST


def test_nobody_there_is_tried_again_and_costs_nothing(scripted: Scripted) -> None:
    bench = scripted(says("never"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))  # bound, and never listened to
        port = taken.getsockname()[1]
        bench.address = f"http://user:{KEY}@127.0.0.1:{port}"

        assert f"cannot be reached at 127.0.0.1:{port}" in bench.fault()

    assert bench.clock.now_ms() > START_MS
    assert bench.spent() == Tally()


@pytest.mark.parametrize(
    "address", ["not an address", "ftp://127.0.0.1", "http://", "http://[::1", "http://h:99999999"]
)
def test_an_address_that_is_none_is_said(scripted: Scripted, address: str) -> None:
    bench = scripted(says("never"))
    bench.address = address

    assert bench.fault()
    assert bench.llm.asked == []
    assert bench.spent() == Tally()


@pytest.mark.parametrize("key", [KEY + "\nx-evil: 1", KEY + "\u00e9", "two " + KEY])
def test_a_key_that_is_none_is_never_sent_and_never_said(scripted: Scripted, key: str) -> None:
    bench = scripted(says("never"))
    bench.key = key

    assert "API key" in bench.fault()
    assert bench.llm.asked == []


# --- what may be spent ----------------------------------------------------------------------


def test_a_prompt_that_does_not_fit_the_cap_is_never_sent(scripted: Scripted) -> None:
    bench = scripted(says(ANSWER))

    with pytest.raises(BudgetExceeded):
        bench.model().complete(SHAPED, bench.purse(MOST - 1))

    assert bench.llm.asked == []


def test_a_cap_that_is_reached_between_two_tries_ends_them(scripted: Scripted) -> None:
    bench = scripted(Step(breaks=True))

    with pytest.raises(BudgetExceeded):
        bench.model().complete(SHAPED, bench.purse(2 * MOST))

    assert len(bench.llm.asked) == 2
    assert bench.spent().tokens == 2 * MOST


def test_a_ledger_that_cannot_be_changed_costs_the_answer_not_the_cap(
    scripted: Scripted, tmp_path: Path
) -> None:
    bench = scripted(says(ANSWER))
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    bench.folder = tmp_path / "file" / "folder"

    with pytest.raises(AgentXError) as caught:
        bench.model().complete(SHAPED, bench.purse())

    assert isinstance(caught.value, ModelUnavailable)
    assert bench.llm.asked == []


def test_a_compatible_server_that_knows_no_schemas_is_asked_in_words(tmp_path: Path) -> None:
    llm = ScriptedLlm(fails(400, "response_format is unknown"), says(ANSWER))
    with llm.serving(), open_client() as http:
        bench = Bench("openai", llm, http, tmp_path, FakeClock())

        found = bench.model().complete(SHAPED, bench.purse())

    assert found.value == ANSWER
    assert "response_format" not in llm.asked[1].body
    assert '"names"' in llm.asked[1].body["messages"][0]["content"]
    assert bench.spent().calls == 1
