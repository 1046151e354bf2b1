"""Goal: the user's own agent CLI is a model that costs no more than it may and breaks nothing.

Method: small shell programs in the place of the CLIs: good ones, and every kind of bad one.
What they were called with is read from what they wrote down.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from agentx.kernel.errors import BudgetExceeded, ModelUnavailable
from agentx.llm.limits import LLM_CLI_REST_MS
from agentx.llm.port import Completion, Unusable
from agentx.llm.settings import CLI_PROVIDERS
from agentx.llm.store.cli_home import CliHome, Rest
from tests.support.cli_stage import ANSWER, PROMPT, SECRET, Purse, Stage, spoken
from tests.unit.llm.test_cli_reading import LOGINS, NOTICES


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


@pytest.mark.parametrize("provider", CLI_PROVIDERS)
def test_every_cli_answers_and_is_charged_what_it_says(tmp_path: Path, provider: str) -> None:
    stage, purse = Stage(tmp_path, provider), Purse()
    stage.prints(spoken(provider, ANSWER))

    completion = stage.model().complete(PROMPT, purse)

    assert completion.value == {"answer": "42"}
    assert purse.told[-1] == ("settled", 150)
    assert "what is six by seven?" in stage.heard("said")
    assert "what is six by seven?" not in stage.heard("arguments")


@pytest.mark.parametrize("provider", CLI_PROVIDERS)
def test_a_cli_knows_nothing_but_what_is_on_the_list(tmp_path: Path, provider: str) -> None:
    stage = Stage(tmp_path, provider)
    stage.variables |= {"SOME_TOKEN": SECRET, "CLAUDECODE": "1", "LANG": "C.UTF-8"}
    stage.prints(spoken(provider, ANSWER))

    stage.model().complete(PROMPT, Purse())

    environment = stage.heard("environment")
    assert SECRET not in environment
    assert "CLAUDECODE=" not in environment
    assert "AGENTX_INTERNAL=1" in environment
    assert stage.heard("folder").strip() == str(tmp_path / "clis" / provider / "work")


@pytest.mark.parametrize("provider", CLI_PROVIDERS)
def test_an_unknown_cost_counts_by_estimated_tokens(tmp_path: Path, provider: str) -> None:
    stage, purse = Stage(tmp_path, provider), Purse()
    stage.prints(spoken(provider, ANSWER, usage=False))

    stage.model().complete(PROMPT, purse)

    (_, reserved), (what, counted) = purse.told
    assert what == "settled"
    assert 0 < counted <= reserved


def test_no_cap_no_call(stage: Stage) -> None:
    stage.prints(spoken("claude-code", ANSWER))

    with pytest.raises(BudgetExceeded):
        stage.model().complete(PROMPT, Purse(allowed=10))

    assert not (stage.root / "said").exists()


def test_words_around_the_answer_do_no_harm(stage: Stage) -> None:
    stage.prints(
        spoken("claude-code", f"Certainly! Here it is:\n```json\n{ANSWER}\n```\nAnything else?")
    )
    assert stage.model().complete(PROMPT, Purse()).value == {"answer": "42"}


@pytest.mark.parametrize("said", ["I cannot help with that.", '{"other": 1}', "[]", "42"])
def test_an_answer_that_is_none_was_an_answer_all_the_same(stage: Stage, said: str) -> None:
    purse = Purse()
    stage.prints(spoken("claude-code", said))

    with pytest.raises(Unusable):
        stage.model().complete(PROMPT, purse)

    assert purse.told[-1] == ("settled", 150)


@pytest.mark.parametrize("notice", NOTICES)
@pytest.mark.parametrize("wrong", [True, False])
def test_a_quota_notice_is_no_answer_and_nobody_asks_again(
    stage: Stage, notice: str, wrong: bool
) -> None:
    stage.prints(spoken("claude-code", notice, usage=False, is_error=wrong))

    with pytest.raises(ModelUnavailable) as told:
        stage.model().complete(PROMPT, Purse())
    assert not isinstance(told.value, Unusable)
    (stage.root / "said").unlink()
    purse = Purse()
    with pytest.raises(ModelUnavailable, match="asked again in"):
        stage.model().complete(PROMPT, purse)

    assert not (stage.root / "said").exists()
    assert purse.told == []


@pytest.mark.parametrize("notice", LOGINS)
def test_who_asks_for_a_login_gets_none_and_the_user_is_told_how(stage: Stage, notice: str) -> None:
    stage.prints(notice, code=1)

    with pytest.raises(ModelUnavailable) as told:
        stage.model().complete(PROMPT, Purse())

    assert "claude setup-token" in told.value.hint


def test_an_answer_about_quotas_is_an_answer(stage: Stage) -> None:
    said = json.dumps({"answer": "The usage limit of the API was reached: 429."})
    stage.prints(spoken("claude-code", said))
    assert stage.model().complete(PROMPT, Purse()).text == said


def test_a_failure_is_told_once_and_not_tried_again(stage: Stage) -> None:
    stage.plays(f"echo x >> {stage.root}/times; echo 'something broke' >&2; exit 1")
    purse = Purse()

    with pytest.raises(Unusable, match="something broke"):
        stage.model().complete(PROMPT, purse)

    assert stage.heard("times") == "x\n"
    (_, reserved), (what, counted) = purse.told
    assert what == "settled", "it may have asked its model before it broke"
    assert 0 < counted <= reserved


UNREADABLE = {
    "braces": "printf '{]%.0s' $(seq 1000)",
    "nothing": "true",
    "another form": 'echo \'{"kind": "final", "answer": "{}"}\'',
    "no text": "printf '\\377\\376\\000\\001'",
    "killed": "kill -9 $$",
    "half": 'printf \'{"type": "result", "result": "{\'',
    "an error": "echo 'TypeError: x is not a function' >&2; exit 7",
}


@pytest.mark.parametrize(
    ("provider", "body"),
    [
        *(("claude-code", body) for body in UNREADABLE.values()),
        *((name, UNREADABLE["another form"]) for name in CLI_PROVIDERS),
    ],
)
def test_one_whose_output_cannot_be_read_is_counted_and_left_alone_longer_each_time(
    tmp_path: Path, provider: str, body: str
) -> None:
    stage = Stage(tmp_path, provider)
    stage.plays(f"echo x >> {stage.root}/times\n{body}")
    rests: list[int] = []
    for _ in range(3):
        purse = Purse()
        with pytest.raises(Unusable):
            stage.model().complete(PROMPT, purse)
        assert purse.told[-1][0] == "settled"
        assert purse.told[-1][1] > 0
        until_ms = CliHome(stage.root / "clis" / provider).read_rest().until_ms
        rests.append(until_ms - stage.clock.now_ms())
        with pytest.raises(ModelUnavailable, match="asked again in"):
            stage.model().complete(PROMPT, Purse())
        stage.clock.advance(rests[-1])

    assert stage.heard("times") == "x\n" * 3
    assert rests == [LLM_CLI_REST_MS, 2 * LLM_CLI_REST_MS, 4 * LLM_CLI_REST_MS]
    stage.prints(spoken(provider, ANSWER))
    stage.model().complete(PROMPT, Purse())
    assert CliHome(stage.root / "clis" / provider).read_rest().failures == 0


def test_one_that_hangs_is_left_alone_and_not_asked_the_same_again(stage: Stage) -> None:
    stage.plays("sleep 300")

    with pytest.raises(Unusable):
        stage.quick(300).complete(PROMPT, Purse())
    with pytest.raises(ModelUnavailable, match="asked again in"):
        stage.quick(300).complete(PROMPT, Purse())


@pytest.mark.parametrize(
    "away", ["API Error: Connection error.", "getaddrinfo ENOTFOUND api.example", "fetch failed"]
)
def test_one_that_reaches_nobody_costs_nothing_and_is_asked_again_later(
    stage: Stage, away: str
) -> None:
    stage.plays(f"echo '{away}' >&2; exit 1")
    purse = Purse()

    with pytest.raises(ModelUnavailable) as told:
        stage.model().complete(PROMPT, purse)

    assert not isinstance(told.value, Unusable)
    assert purse.told[-1] == ("released", 0)
    with pytest.raises(ModelUnavailable, match="asked again in"):
        stage.model().complete(PROMPT, Purse())


def test_what_looks_like_a_notice_in_a_form_nobody_knows_is_counted(stage: Stage) -> None:
    stage.plays("echo 'final answer: the api key is read in auth.py'")
    purse = Purse()

    with pytest.raises(ModelUnavailable):
        stage.model().complete(PROMPT, purse)

    assert purse.told[-1][0] == "settled"


def test_no_program_no_model(stage: Stage) -> None:
    stage.variables["PATH"] = str(stage.root / "bin")
    with pytest.raises(ModelUnavailable, match="no `claude` on the PATH"):
        stage.model().complete(PROMPT, Purse())


def test_one_that_hangs_is_stopped_with_all_it_started(stage: Stage) -> None:
    stage.plays(f"sleep 300 & echo $! > {stage.root}/child; sleep 300")
    purse = Purse()

    with pytest.raises(ModelUnavailable, match="no answer within 1 s"):
        stage.quick().complete(PROMPT, purse)

    (_, reserved), closed = purse.told
    assert closed == ("settled", reserved)
    assert is_gone(int(stage.heard("child")))


def test_one_that_prints_without_end_is_no_answer(stage: Stage) -> None:
    stage.plays('yes \'{"type": "noise"}\' | head -c 10000000')
    with pytest.raises(ModelUnavailable, match="far more than an answer"):
        stage.quick(20_000).complete(PROMPT, Purse())


def test_one_at_a_time(stage: Stage) -> None:
    stage.plays(
        f"mkdir {stage.root}/busy || echo twice > {stage.root}/twice; sleep 0.3; "
        f"rmdir {stage.root}/busy; echo '{spoken('claude-code', ANSWER)}'"
    )
    answers: list[Completion] = []
    threads = [
        threading.Thread(
            target=lambda: answers.append(stage.quick(8_000).complete(PROMPT, Purse()))
        )
        for _ in range(3)
    ]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)

    assert len(answers) == 3
    assert not (stage.root / "twice").exists()


def test_who_finds_it_busy_for_too_long_goes_on_without(stage: Stage) -> None:
    stage.prints(spoken("claude-code", ANSWER))
    held = CliHome(stage.root / "clis" / "claude-code").claim()
    assert held is not None
    with held, pytest.raises(ModelUnavailable, match="another process"):
        stage.model().complete(PROMPT, Purse())


CHILD = """
import sys
from pathlib import Path
sys.path.insert(0, {root!r})
from tests.support.cli_stage import PROMPT, Purse, Stage
Stage(Path({place!r})).quick(60_000).complete(PROMPT, Purse())
"""


def test_nothing_is_left_behind_when_we_are_killed(stage: Stage) -> None:
    stage.plays(f"sleep 300 & echo $! > {stage.root}/child; echo $$ > {stage.root}/own; sleep 300")
    root = Path(__file__).parents[3]
    script = CHILD.format(root=str(root), place=str(stage.root))
    process = subprocess.Popen((sys.executable, "-c", script))
    pids = [int(wait_for(stage.root / name)) for name in ("own", "child")]

    process.send_signal(signal.SIGKILL)
    process.wait(60)

    assert all(map(is_gone, pids))
    again = CliHome(stage.root / "clis" / "claude-code").claim()
    assert again is not None
    again.release()


def wait_for(path: Path, seconds: float = 60) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and path.read_text("utf-8").strip():
            return path.read_text("utf-8")
        time.sleep(0.02)
    raise AssertionError(f"no {path.name}")


def is_gone(pid: int, seconds: float = 60) -> bool:
    """Tell whether a process ends soon; one that nobody reaped counts as gone."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            state = Path(f"/proc/{pid}/stat").read_text("utf-8").rpartition(")")[2].split()[0]
        except (FileNotFoundError, ProcessLookupError):
            return True
        if state == "Z":
            return True
        time.sleep(0.02)
    return False


# --- the user's window ------------------------------------------------------------------------


def told_window(percent: float, resets_s: int, status: str = "allowed") -> str:
    windows = {
        "five_hour": {"utilization": percent / 100, "resetsAt": resets_s},
        "seven_day": {"utilization": 0.05, "resetsAt": resets_s + 10**6},
    }
    info = {"status": status, "resetsAt": resets_s, "unifiedWindows": windows}
    event = {"type": "rate_limit_event", "rate_limit_info": info}
    return f"{json.dumps(event)}\n{spoken('claude-code', ANSWER)}"


def test_it_stops_at_a_share_of_the_users_window_until_that_is_over(stage: Stage) -> None:
    resets_s = stage.clock.now_ms() // 1000 + 3_600
    stage.prints(told_window(72, resets_s))

    assert stage.model().complete(PROMPT, Purse()).value == {"answer": "42"}
    with pytest.raises(ModelUnavailable, match="72 % of your window is used"):
        stage.model().complete(PROMPT, Purse())
    stage.clock.advance(3_700_000)
    stage.prints(told_window(3, resets_s + 18_000))
    stage.model().complete(PROMPT, Purse())
    assert stage.model().complete(PROMPT, Purse()).value == {"answer": "42"}


def test_another_share_can_be_set(stage: Stage) -> None:
    stage.prints(told_window(72, stage.clock.now_ms() // 1000 + 3_600))
    for _ in range(2):
        stage.model(window_percent_max=80).complete(PROMPT, Purse())


@pytest.mark.parametrize("odd", ['"lots"', "null", "1e400", "{}"])
def test_odd_figures_of_a_window_do_no_harm(stage: Stage, odd: str) -> None:
    event = '{"type": "rate_limit_event", "rate_limit_info": {"utilization": %s}}' % odd  # noqa: UP031
    stage.prints(f"{event}\n{spoken('claude-code', ANSWER)}")
    assert stage.model().complete(PROMPT, Purse()).value == {"answer": "42"}


def test_a_clock_that_was_set_back_makes_no_rest_last_for_ever(stage: Stage) -> None:
    stage.prints(spoken("claude-code", ANSWER))
    stage.model().complete(PROMPT, Purse())
    CliHome(stage.root / "clis" / "claude-code").note_rest(Rest(until_ms=2**60, why="x"))
    assert stage.model().complete(PROMPT, Purse()).value == {"answer": "42"}
