"""Goal: the cap on spending holds across processes, threads and deaths.

Method: children of tests/fault/llm_child.py and threads spend from one ledger at a loopback
provider that adds up what it would charge; some kill themselves between reserving and settling.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC
from pathlib import Path

import httpx
import pytest

from agentx.host.crash import CrashPoint
from agentx.host.system import SystemClock, system_entropy
from agentx.kernel.errors import BudgetExceeded, ModelUnavailable
from agentx.llm.factory import model_for
from agentx.llm.ledger import Tally
from agentx.llm.port import most_used
from agentx.llm.spending import spending_for
from tests.fault.llm_child import PROMPT, settings_for
from tests.support.scripted_llm import ScriptedLlm, Step, says

ROOT = Path(__file__).parents[2]
MOST = most_used(PROMPT).tokens
USED = (600, 80)
USED_TOKENS = sum(USED)


@pytest.fixture
def llm() -> Iterator[ScriptedLlm]:
    with ScriptedLlm(says("yes", usage=USED)).serving() as serving:
        yield serving


def _child(llm: ScriptedLlm, ledger: Path, cap: int, *more: object) -> subprocess.Popen[str]:
    words = [llm.url, ledger, cap, *more]
    return subprocess.Popen(
        [sys.executable, "-m", "tests.fault.llm_child", *map(str, words)],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": "src"},
        stdout=subprocess.PIPE,
        text=True,
    )


def _ended(child: subprocess.Popen[str]) -> tuple[int, str]:
    said, _ = child.communicate(timeout=60)
    return child.returncode, said.strip()


def _spent(ledger: Path) -> Tally:
    settings = settings_for("http://127.0.0.1:1", 1)
    return spending_for(settings, ledger, UTC, SystemClock(), system_entropy).sum_today().total


@pytest.mark.parametrize("point", [CrashPoint.LLM_RESERVED, CrashPoint.LLM_ANSWERED])
def test_a_death_between_reserving_and_settling_counts_the_call_in_full(
    llm: ScriptedLlm, tmp_path: Path, point: CrashPoint
) -> None:
    ledger = tmp_path / "spending.json"
    cap = 3 * MOST

    code, said = _ended(_child(llm, ledger, cap, point, 2))

    assert (code, said) == (-signal.SIGKILL, "")
    spent = _spent(ledger)
    assert (spent.calls, spent.tokens, spent.unsettled) == (2, USED_TOKENS + MOST, 1)

    code, said = _ended(_child(llm, ledger, cap))
    assert code == 0
    assert int(said) == (cap - USED_TOKENS - MOST - MOST) // USED_TOKENS + 1
    assert llm.charged_tokens <= _spent(ledger).tokens <= cap


@pytest.mark.promise("model.only-proven")
def test_many_processes_some_of_which_die_never_exceed_the_cap(
    llm: ScriptedLlm, tmp_path: Path
) -> None:
    ledger = tmp_path / "spending.json"
    cap = 25 * MOST
    deaths = [(CrashPoint.LLM_RESERVED, 3), (CrashPoint.LLM_ANSWERED, 4)]

    children = [_child(llm, ledger, cap, *death) for death in (*deaths, (), ())]
    ended = [_ended(child) for child in children]

    # On a busy machine the others may have spent everything before one comes to its death.
    assert all(code in (0, -signal.SIGKILL) for code, _ in ended[:2])
    assert [code for code, _ in ended[2:]] == [0, 0]
    spent = _spent(ledger)
    assert spent.unsettled == sum(code != 0 for code, _ in ended)
    assert llm.charged_tokens <= spent.tokens <= cap
    assert spent.tokens + MOST > cap  # they stopped because of the cap, not before
    assert len(llm.asked) == spent.calls - (ended[0][0] != 0)  # which died before it asked


def test_threads_that_share_a_purse_never_exceed_the_cap(llm: ScriptedLlm, tmp_path: Path) -> None:
    llm.steps = [says("yes", usage=USED), Step(breaks=True), says("yes", usage=USED)]
    ledger = tmp_path / "spending.json"
    cap = 12 * MOST
    settings = settings_for(llm.url, cap)
    clock = SystemClock()
    spending = spending_for(settings, ledger, UTC, clock, system_entropy)

    with httpx.Client(trust_env=False) as http:
        model = model_for(settings, "key", http, clock, system_entropy)
        assert model is not None

        def spend(_: int) -> int:
            for answers in range(100):
                try:
                    model.complete(PROMPT, spending)
                except BudgetExceeded:
                    return answers
            raise AssertionError("the cap let everything through")

        with ThreadPoolExecutor(6) as pool:
            answers = sum(pool.map(spend, range(6)))

    spent = _spent(ledger)
    assert spent.unsettled == 0
    assert spent.tokens == answers * USED_TOKENS + MOST  # one connection broke: counted in full
    assert cap - MOST < spent.tokens <= cap


def test_a_ledger_that_cannot_be_written_stops_the_spending_before_the_request(
    llm: ScriptedLlm, tmp_path: Path
) -> None:
    ledger = tmp_path / "store" / "spending.json"
    ledger.parent.mkdir()
    ledger.parent.chmod(0o500)
    if os.access(ledger.parent, os.W_OK):
        ledger.parent.rmdir()  # root may write anywhere; a file where the folder should be, not
        ledger.parent.write_bytes(b"")
    settings = settings_for(llm.url, 10**6)
    clock = SystemClock()
    try:
        with httpx.Client(trust_env=False) as http:
            model = model_for(settings, "key", http, clock, system_entropy)
            assert model is not None
            with pytest.raises(ModelUnavailable, match="what was spent cannot be told"):
                model.complete(PROMPT, spending_for(settings, ledger, UTC, clock, system_entropy))
    finally:
        ledger.parent.chmod(0o700)

    assert llm.asked == []
