"""Goal: a model makes summaries better, costs no more than it may, and can break nothing.

Method: the real commands against a provider on the loopback that plays a script. What it says
is written by hand: good, nonsense, half, invented, nothing.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.support.house import House, prompt
from tests.support.scripted_llm import KEY, ScriptedLlm, Step, fails, says
from tests.support.soaking import in_soak

MORNING_MS = 1_772_445_600_000  # 2026-03-02T10:00:00Z
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
PROMPT = "We decided to keep the ledger in Postgres because SQLite locks under five writers."
GOOD = {
    "title": "Decided to keep the ledger in Postgres",
    "bullets": [
        {
            "text": PROMPT,
            "quote": "keep the ledger in Postgres because SQLite locks under five writers",
            "event_ids": ["e1"],
        }
    ],
    "keywords": ["Postgres", "SQLite", "ledger"],
}
INVENTED = {
    "title": "Move everything to MongoDB",
    "bullets": [
        {
            "text": "The team moved 17 services to MongoDB after an outage in Frankfurt.",
            "quote": "moved 17 services to MongoDB",
            "event_ids": ["e1"],
        },
        {
            "text": "The ledger is not kept in Postgres.",
            "quote": "the ledger in Postgres",
            "event_ids": ["e1"],
        },
    ],
    "keywords": ["MongoDB"],
}
MIXED = {**GOOD, "bullets": [*INVENTED["bullets"], *GOOD["bullets"]]}
HALF = json.dumps(GOOD)[:120]
OVER_CAP = 9_000


def remembered(house: House, sessions: int = 1) -> None:
    """Let some sessions have been, an hour after one another, all of them over."""
    for number in range(sessions):
        at_ms = MORNING_MS + number * HOUR_MS
        payload = prompt(PROMPT, session=f"s-{number}", prompt_id=f"p-{number}")
        house.hook(payload, env={"AGENTX_REPLAY_MS": str(at_ms)})
    house.agentx("sync")


def surroundings(llm: ScriptedLlm, provider: str = "openai", **more: str) -> dict[str, str]:
    return {
        "AGENTX_MEMORY_ENABLED": "false",  # the script is for summaries; observations ask too
        "AGENTX_LLM_PROVIDER": provider,
        "AGENTX_LLM_MODEL": "small",
        "AGENTX_LLM_BASE_URL": llm.url,
        "AGENTX_LLM_API_KEY_ENV": "SOME_KEY",
        "SOME_KEY": KEY,
        **more,
    }


def run(house: House, env: dict[str, str], *arguments: str) -> Any:
    return json.loads(house.agentx(*arguments, "--json", env=env).stdout)


def segments(house: House) -> list[dict[str, Any]]:
    day = house.json("toc", "toc:day:2026-03-02", "--depth", "1")
    found: list[dict[str, Any]] = day["children"]
    return found


def assert_proven(house: House) -> None:
    texts = {event["event_id"]: event["text"] for event in house.events()}
    for segment in segments(house):
        for bullet in segment["bullets"]:
            assert bullet["grip_ids"]
            for grip_id in bullet["grip_ids"]:
                grip = house.json("expand", grip_id)["grip"]
                (span,) = grip["spans"]
                assert texts[span["event_id"]][span["start"] : span["end"]] == grip["excerpt"]


@pytest.mark.parametrize("provider", ["openai", "anthropic", "gemini"])
def test_the_job_lets_the_model_write_what_is_over(house: House, provider: str) -> None:
    remembered(house, 2)
    with ScriptedLlm(says(GOOD)).serving() as llm:
        env = surroundings(llm, provider)
        ran = run(house, env, "scheduler", "run", "summaries")
        again = run(house, env, "scheduler", "run", "summaries")

    assert (ran["result"], ran["said"]) == ("ok", "segments written by a model: 2")
    assert again["said"] == "segments written by a model: 0"
    assert len(llm.asked) == 2
    for segment in segments(house):
        assert segment["written_by"] == f"{provider}/small"
        assert segment["title"] == GOOD["title"]
        assert [bullet["text"] for bullet in segment["bullets"]] == [GOOD["bullets"][0]["text"]]  # type: ignore[index]  # JSON
    assert "keep the ledger in Postgres" in house.json("toc", "toc:day:2026-03-02")["title"]
    assert_proven(house)


def test_the_daemon_asks_the_model_too(house: House) -> None:
    remembered(house)
    with ScriptedLlm(says(GOOD)).serving() as llm:
        house.agentx("daemon", "start", env=surroundings(llm))
        ran = run(house, {}, "scheduler", "run", "summaries")
        spent = house.json("status")["memory"]["spending"]

    assert (ran["result"], ran["said"]) == ("ok", "segments written by a model: 1")
    assert segments(house)[0]["written_by"] == "openai/small"
    assert (spent["tokens"], spent["calls"]) == (llm.charged_tokens, 1)


@pytest.mark.parametrize(
    "steps",
    [
        pytest.param([says("Certainly! Here is a summary."), says("[]"), says("")], id="nonsense"),
        pytest.param([says(INVENTED), says({**GOOD, "bullets": []})], id="invented"),
        *in_soak(
            [says(HALF), says(HALF, ended="length")],
            [says({"title": 3, "bullets": "none", "keywords": {}})],
            [says(GOOD, ended="refusal"), Step(raw=b"\xff\x00 no JSON")],
            ids=("half", "shape", "nothing"),
        ),
    ],
)
def test_a_useless_answer_costs_only_quality_and_is_paid_for_once(
    house: House, steps: list[Step]
) -> None:
    remembered(house, len(steps))
    before = segments(house)
    with ScriptedLlm(*steps, says(GOOD)).serving() as llm:
        env = surroundings(llm)
        ran = run(house, env, "scheduler", "run", "summaries")
        run(house, env, "scheduler", "run", "summaries")

    assert (ran["result"], ran["said"]) == ("ok", "segments written by a model: 0")
    assert segments(house) == before
    assert {segment["written_by"] for segment in before} == {"extractive"}
    assert len(llm.asked) == len(steps)
    assert_proven(house)


def test_of_a_mixed_answer_only_what_is_proven_is_kept(house: House) -> None:
    remembered(house)
    with ScriptedLlm(says(MIXED)).serving() as llm:
        run(house, surroundings(llm), "scheduler", "run", "summaries")

    (segment,) = segments(house)
    assert [bullet["text"] for bullet in segment["bullets"]] == [GOOD["bullets"][0]["text"]]  # type: ignore[index]  # JSON
    assert_proven(house)


def test_a_model_that_is_away_is_asked_again_the_next_time(house: House) -> None:
    remembered(house, 3)
    with ScriptedLlm(fails(401, "who are you?"), says(GOOD)).serving() as llm:
        env = surroundings(llm)
        ran = run(house, env, "scheduler", "run", "summaries")
        assert (ran["said"], len(llm.asked)) == ("segments written by a model: 0", 1)
        ran = run(house, env, "scheduler", "run", "summaries")

    assert ran["said"] == "segments written by a model: 3"
    log = house.agentx("logs").stdout
    assert "model fell back" in log
    assert KEY not in log


def test_nobody_there_is_no_error(house: House) -> None:
    remembered(house)
    with ScriptedLlm().serving() as gone:
        pass

    ran = run(house, surroundings(gone, AGENTX_LLM_TIMEOUT_S="1"), "scheduler", "run", "summaries")

    assert (ran["result"], ran["said"]) == ("ok", "segments written by a model: 0")
    assert segments(house)[0]["written_by"] == "extractive"


def test_the_cap_on_tokens_is_never_exceeded_and_is_shown(house: House) -> None:
    remembered(house, 4)
    with ScriptedLlm(says(GOOD, usage=(4_000, 1_000))).serving() as llm:
        env = surroundings(llm, AGENTX_LLM_DAILY_TOKENS_MAX=str(OVER_CAP))
        ran = run(house, env, "scheduler", "run", "summaries")
        again = run(house, env, "scheduler", "run", "summaries")
        status = run(house, env, "status")
        shown = house.agentx("status", env=env).stdout

    assert ran["said"] == "segments written by a model: 1"
    assert again["said"] == "segments written by a model: 0"
    assert llm.charged_tokens == 5_000 <= OVER_CAP
    spent = status["memory"]["spending"]
    assert (spent["tokens"], spent["tokens_max"], spent["calls"]) == (5_000, OVER_CAP, 1)
    assert "openai/small: 5,000 of 9,000 tokens" in shown
    assert {segment["written_by"] for segment in segments(house)} == {"extractive", "openai/small"}


def test_the_cap_on_money_is_never_exceeded_and_is_shown(house: House) -> None:
    remembered(house, 4)
    with ScriptedLlm(says(GOOD, usage=(4_000, 1_000))).serving() as llm:
        env = surroundings(
            llm,
            AGENTX_LLM_INPUT_USD_PER_MILLION="10",
            AGENTX_LLM_OUTPUT_USD_PER_MILLION="100",
            AGENTX_LLM_DAILY_USD_MAX="0.30",
        )
        ran = run(house, env, "scheduler", "run", "summaries")
        spent = run(house, env, "status")["memory"]["spending"]

    assert 0 < len(llm.asked) < 4
    assert ran["said"] == f"segments written by a model: {len(llm.asked)}"
    assert spent["usd"] == pytest.approx(0.14 * len(llm.asked))
    assert spent["usd"] <= spent["usd_max"] == 0.30


def test_without_a_model_nothing_is_asked_and_nothing_is_said_of_it(house: House) -> None:
    remembered(house)

    assert house.json("scheduler", "run", "summaries")["said"] == "segments written by a model: 0"
    assert house.json("status")["memory"]["spending"] is None
    assert "\n  model " not in house.agentx("status").stdout
