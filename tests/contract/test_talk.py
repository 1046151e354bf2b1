"""Goal: every provider keeps the one contract of a dialogue with tools, also when it is sick.

Method: one suite, run by each adapter over real HTTP against a scripted loopback server that
speaks its wire format and refuses a dialogue that the real one would.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from datetime import UTC
from pathlib import Path

import httpx
import pytest

from agentx.kernel.errors import BudgetExceeded, ModelUnavailable
from agentx.llm.factory import model_for
from agentx.llm.ledger import Caps, Tally
from agentx.llm.port import Unusable
from agentx.llm.settings import PROVIDERS, LlmSettings
from agentx.llm.spending import Spending
from agentx.llm.store.ledger_file import SpendingStore
from agentx.llm.talk.port import (
    CUT_OFF,
    CalledTool,
    Dialogue,
    ModelSays,
    PersonSays,
    Talker,
    ToolAnswer,
    ToolSpec,
    ToolsSay,
    most_talked,
)
from tests.support.loopback import open_client
from tests.support.scripted_llm import (
    INPUT_TOKENS,
    KEY,
    OUTPUT_TOKENS,
    ScriptedLlm,
    Step,
    calls,
    fails,
    says,
)
from tests.support.time_and_chance import CountingEntropy, FakeClock

READ = ToolSpec(
    name="read",
    about="Read a file.",
    schema={
        "type": "object",
        "properties": {"path": {"type": "string"}},
        "required": ["path"],
        "additionalProperties": False,
    },
)
BEGIN = Dialogue(
    system="Be brief.",
    lines=(PersonSays(text="What is in a.txt?"),),
    tools=(READ,),
    max_output_tokens=50,
)


@dataclass
class Desk:
    """One provider, and its purse."""

    provider: str
    llm: ScriptedLlm
    http: httpx.Client
    folder: Path

    def talker(self) -> Talker:
        settings = LlmSettings(provider=self.provider, base_url=self.llm.url, timeout_s=20)
        made = model_for(settings, KEY, self.http, FakeClock(), CountingEntropy())
        assert made is not None
        return made

    def purse(self, tokens: int = 1_000_000) -> Spending:
        return Spending(
            SpendingStore(self.folder / "spending.json", FakeClock()),
            caps=Caps(tokens=tokens, micro_usd=10**9),
            zone=UTC,
            clock=FakeClock(),
            entropy=CountingEntropy(),
        )

    def spent(self) -> Tally:
        return self.purse().sum_today().total


Scripted = Callable[..., Desk]


@pytest.fixture(params=sorted(PROVIDERS))
def scripted(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Scripted]:
    """Return a function that gives a provider its script."""
    llm = ScriptedLlm()
    with llm.serving(), open_client() as http:

        def play(*steps: Step) -> Desk:
            llm.steps = list(steps)
            return Desk(request.param, llm, http, tmp_path)

        yield play


def test_calls_are_heard_with_their_arguments_and_paid_for(scripted: Scripted) -> None:
    desk = scripted(calls(("read", {"path": "a.txt"}), ("read", {"path": "b"}), text="Looking."))

    heard = desk.talker().converse(BEGIN, desk.purse())

    assert heard.text == "Looking."
    assert [(call.name, dict(call.arguments), call.fault) for call in heard.calls] == [
        ("read", {"path": "a.txt"}, ""),
        ("read", {"path": "b"}, ""),
    ]
    # What is kept for the next time costs a quarter more, where that is told.
    counted = INPUT_TOKENS + (5 if desk.provider == "anthropic" else 0)
    assert (heard.usage.input_tokens, heard.usage.output_tokens) == (counted, OUTPUT_TOKENS)
    assert desk.spent().calls == 1
    (asked,) = desk.llm.asked
    told = str(asked.body)
    assert all(word in told for word in ("Be brief.", "What is in a.txt?", "Read a file.", "50"))
    assert KEY not in told + asked.path


def test_a_dialogue_goes_on_in_the_providers_own_form(scripted: Scripted) -> None:
    desk = scripted(
        calls(("read", {"path": "a.txt"}), ("no such tool!", {})), says("It says hello.")
    )
    talker = desk.talker()
    first = talker.converse(BEGIN, desk.purse())
    named = tuple(
        CalledTool(id=f"c{n}", name=call.name, arguments=call.arguments, mark=call.mark)
        for n, call in enumerate(first.calls)
    )
    answers = (
        ToolAnswer(id="c0", name="read", text="hello"),
        ToolAnswer(id="c1", name="no such tool!", text="there is no such tool", failed=True),
    )
    lines = (*BEGIN.lines, ModelSays(text="", calls=named), ToolsSay(answers=answers))

    second = talker.converse(
        Dialogue(system="s", lines=lines, tools=(READ,), max_output_tokens=9), desk.purse()
    )

    assert desk.llm.refused == []
    assert (second.text, second.calls, second.fault) == ("It says hello.", (), "")
    assert "hello" in str(desk.llm.asked[1].body)


@pytest.mark.parametrize("given", ["[1, 2]", 7])
def test_arguments_that_are_no_object_are_a_fault_of_the_call(
    scripted: Scripted, given: object
) -> None:
    desk = scripted(calls(("read", given)))

    (call,) = desk.talker().converse(BEGIN, desk.purse()).calls

    assert "no object" in call.fault
    assert call.arguments == {}


def test_an_answer_that_was_cut_off_or_refused_says_so(scripted: Scripted) -> None:
    desk = scripted(says("half", ended="length"), says("no", ended="refusal"))
    talker = desk.talker()

    assert talker.converse(BEGIN, desk.purse()).fault == CUT_OFF
    assert talker.converse(BEGIN, desk.purse()).fault


def test_an_empty_answer_is_one(scripted: Scripted) -> None:
    desk = scripted(says(""))

    heard = desk.talker().converse(BEGIN, desk.purse())

    assert (heard.text, heard.calls, heard.fault) == ("", (), "")


def test_who_is_busy_is_asked_again_and_who_talks_nonsense_is_not_believed(
    scripted: Scripted,
) -> None:
    desk = scripted(fails(529), fails(429), says("yes"), Step(raw=b"<html>"))
    talker = desk.talker()

    assert talker.converse(BEGIN, desk.purse()).text == "yes"
    assert desk.spent().calls == 1
    with pytest.raises(Unusable):
        talker.converse(BEGIN, desk.purse())


def test_a_refused_key_is_an_error_without_the_key(scripted: Scripted) -> None:
    desk = scripted(fails(401, f"bad key {KEY}"))

    with pytest.raises(ModelUnavailable) as caught:
        desk.talker().converse(BEGIN, desk.purse())

    assert "401" in caught.value.message
    assert KEY not in caught.value.message
    assert desk.spent().calls == 0


def test_the_cap_holds_for_dialogues_too(scripted: Scripted) -> None:
    desk = scripted(says("yes"))

    with pytest.raises(BudgetExceeded):
        desk.talker().converse(BEGIN, desk.purse(tokens=most_talked(BEGIN).tokens - 1))

    assert desk.llm.asked == []
    most = most_talked(BEGIN).tokens
    assert desk.talker().converse(BEGIN, desk.purse(tokens=most)).text == "yes"


SICK = {
    "hangs": says("late", delay_ms=300_000),
    "drips": says("late", drip_ms=200),
    "drips its head": says("late", drip_ms=200, drips_head=True),
}


@pytest.mark.parametrize("how", SICK)
def test_a_reply_ends_when_the_time_of_its_asker_does(scripted: Scripted, how: str) -> None:
    desk = scripted(SICK[how])
    began = time.monotonic()

    with pytest.raises(ModelUnavailable, match=r"no answer within 0\.3 s"):
        desk.talker().converse(replace(BEGIN, within_ms=300), desk.purse())

    assert time.monotonic() - began < 15
    assert desk.spent().calls == 1  # it may be charged for


def test_a_next_try_keeps_to_the_time_of_its_asker(scripted: Scripted) -> None:
    desk = scripted(fails(503, retry_after="50"), says("yes"))

    with pytest.raises(ModelUnavailable, match="503"):
        desk.talker().converse(replace(BEGIN, within_ms=20_000), desk.purse())

    assert len(desk.llm.asked) == 1


def test_a_stranger_that_is_told_to_stop_hears_no_more(scripted: Scripted) -> None:
    desk = scripted(says("late", drip_ms=20, drips_head=True), says("yes"))
    talker = desk.talker()
    with pytest.raises(ModelUnavailable):
        talker.converse(replace(BEGIN, within_ms=200), desk.purse())

    assert talker.converse(replace(BEGIN, within_ms=60_000), desk.purse()).text == "yes"
