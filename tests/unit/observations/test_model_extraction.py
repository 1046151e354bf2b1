"""A model may add to what the rules found, and only what the session bears out."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from agentx.kernel.capture import EventType
from agentx.kernel.clock import Millis
from agentx.kernel.errors import BudgetExceeded
from agentx.kernel.tokens import estimate
from agentx.llm.port import Allowance, Completion, Prompt, Unusable
from agentx.observations.extract.by_model import extract_by_model, prompt_for
from agentx.observations.extract.session.turns import Finding, Turn, TurnKind
from agentx.observations.limits import MODEL_EXTRACTION_TOKENS_MAX
from agentx.observations.model import Category
from tests.unit.views.test_session_capture import Bench, ended, first_part, said


class ScriptedModel:
    """Answers what it was told to."""

    name = "scripted/model"

    def __init__(self, answer: object) -> None:
        self.answer = answer
        self.asked: list[Prompt] = []

    def complete(self, prompt: Prompt, budget: Allowance) -> Completion:
        self.asked.append(prompt)
        if isinstance(self.answer, Exception):
            raise self.answer
        text = json.dumps(self.answer)
        return Completion(
            text=text, value=self.answer, input_tokens=1, output_tokens=1, model=self.name
        )


class NoLimit:
    """Allows everything; the scripted model never asks."""

    def reserve(self, model: str, most: object) -> None:
        raise AssertionError("not asked here")


def turns() -> list[Turn]:
    texts = (
        (TurnKind.PROMPT, "the importer loses rows when the file ends without a newline"),
        (
            TurnKind.REPLY,
            "`read_rows` in `importer.py` drops the last line, 3 of 400 files have that.",
        ),
    )
    return [
        Turn(event_id=f"event-{n}", at_ms=Millis(1_000 + n), kind=kind, text=text)
        for n, (kind, text) in enumerate(texts)
    ]


def told(text: str, quote: str, category: str = "error", *ids: str) -> dict[str, object]:
    return {"category": category, "text": text, "quote": quote, "event_ids": list(ids or ("e2",))}


def extracted(*observations: dict[str, object]) -> tuple[Finding, ...]:
    model = ScriptedModel({"observations": list(observations)})
    return extract_by_model(turns(), model, NoLimit())  # type: ignore[arg-type]  # never asked


@pytest.mark.promise("model.only-proven")
def test_only_what_the_session_bears_out_is_kept() -> None:
    found = extracted(
        told("`read_rows` in `importer.py` drops the last line of a file", "drops the last line"),
        told("`read_rows` loses 7 files", "drops the last line"),  # a number from nowhere
        told("`write_rows` drops the last line", "drops the last line"),  # a name from nowhere
        told("The importer drops the last line", "never said like that"),  # no such words
        told("The importer drops the last line", "drops the last line", "opinion"),
        told("The importer drops the last line", "drops the last line", "error", "e99"),
    )

    (kept,) = found
    assert kept.category is Category.ERROR
    assert kept.event_ids == ("event-1",)


@pytest.mark.parametrize("answer", [{"observations": "none"}, [], Unusable("nonsense"), {}])
def test_nonsense_gives_nothing(answer: object) -> None:
    model = ScriptedModel(answer)

    assert extract_by_model(turns(), model, NoLimit()) == ()  # type: ignore[arg-type]  # as above


def test_a_session_is_shown_as_data_within_its_bound_and_the_same_every_time() -> None:
    long = [
        Turn(event_id=f"e{n}", at_ms=Millis(n), kind=TurnKind.RESULT, text=f"line {n}\n" * 2_000)
        for n in range(300)
    ]
    prompt = prompt_for(long)

    assert prompt == prompt_for(long)
    assert estimate(prompt.system) + estimate(prompt.user) <= 1.1 * MODEL_EXTRACTION_TOKENS_MAX
    assert "line 299" in prompt.user


def test_a_model_adds_to_a_captured_session_once_and_takes_nothing_away(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say(
        *first_part(),
        said(5, EventType.ASSISTANT_MESSAGE, "Ops restart the service at night."),
        ended(6),
    )
    bench.observing.catch_up()
    before = {one.id for one in bench.all()}
    asked = []

    def told_by(shown: object) -> tuple[Finding, ...]:
        asked.append(shown)
        (turn,) = [one for one in shown if "at night" in one.text]  # type: ignore[attr-defined]
        return (
            Finding(
                category=Category.KEY_FACT,
                content=turn.text,
                summary=turn.text,
                event_ids=(turn.event_id,),
                at_ms=turn.at_ms,
            ),
        )

    assert bench.observing.polish(told_by, 10) == 1
    assert bench.observing.polish(told_by, 10) == 0

    fresh = [one for one in bench.all() if one.id not in before]
    assert [one.content for one in fresh] == ["Ops restart the service at night."]
    assert len(asked) == 1
    bench.room.close()


def test_a_cap_that_is_reached_leaves_the_session_for_another_day(tmp_path: Path) -> None:
    bench = Bench(tmp_path)
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()

    def refused(_shown: object) -> tuple[Finding, ...]:
        raise BudgetExceeded("the day's tokens are spent")

    with pytest.raises(BudgetExceeded):
        bench.observing.polish(refused, 10)

    assert bench.observing.polish(lambda _shown: (), 10) == 1
    bench.room.close()
