"""Goal: the user's own agent CLI is a model that costs no more than it may and breaks nothing.

Method: small shell programs in the place of the CLIs: good ones, and every kind of bad one.
What they were called with is read from what they wrote down.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agentx.host.system import SystemClock
from agentx.kernel.errors import BudgetExceeded, ModelUnavailable
from agentx.llm.clis.asking import AgentCliModel, CliSetting
from agentx.llm.clis.choice import CliWorld, cli_model_for
from agentx.llm.clis.dialects import DIALECTS, CliPlace
from agentx.llm.port import Completion, Model, Prompt, Unusable, Usage
from agentx.llm.settings import CLI_PROVIDERS, LlmSettings
from agentx.llm.store.cli_home import CliHome, Rest
from tests.support.time_and_chance import FakeClock
from tests.unit.llm.test_cli_reading import LOGINS, NOTICES

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

    with pytest.raises(ModelUnavailable, match="something broke"):
        stage.model().complete(PROMPT, purse)

    assert stage.heard("times") == "x\n"
    assert purse.told[-1] == ("released", 0)


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
        one.join(20)

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
from tests.unit.llm.test_clis import PROMPT, Purse, Stage
Stage(Path({place!r})).quick(60_000).complete(PROMPT, Purse())
"""


def test_nothing_is_left_behind_when_we_are_killed(stage: Stage) -> None:
    stage.plays(f"sleep 300 & echo $! > {stage.root}/child; echo $$ > {stage.root}/own; sleep 300")
    root = Path(__file__).parents[3]
    script = CHILD.format(root=str(root), place=str(stage.root))
    process = subprocess.Popen((sys.executable, "-c", script))
    pids = [int(wait_for(stage.root / name)) for name in ("own", "child")]

    process.send_signal(signal.SIGKILL)
    process.wait(10)

    assert all(map(is_gone, pids))
    again = CliHome(stage.root / "clis" / "claude-code").claim()
    assert again is not None
    again.release()


def wait_for(path: Path, seconds: float = 20) -> str:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if path.exists() and path.read_text("utf-8").strip():
            return path.read_text("utf-8")
        time.sleep(0.02)
    raise AssertionError(f"no {path.name}")


def is_gone(pid: int, seconds: float = 5) -> bool:
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


# --- logins -----------------------------------------------------------------------------------


def write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value), "utf-8")


def claude_login(stage: Stage, hours: float) -> None:
    expires = stage.clock.now_ms() + int(hours * 3_600_000)
    said = {"accessToken": SECRET, "refreshToken": "never-shown", "expiresAt": expires}
    write(stage.root / "user" / "claude-code" / ".credentials.json", {"claudeAiOauth": said})


def test_the_token_of_the_users_login_is_lent_to_the_call_and_written_nowhere(stage: Stage) -> None:
    claude_login(stage, 1)
    stage.variables["ANTHROPIC_API_KEY"] = "a-key-that-costs-money"
    stage.prints(spoken("claude-code", ANSWER))

    stage.model().complete(PROMPT, Purse())

    environment = stage.heard("environment")
    assert f"CLAUDE_CODE_OAUTH_TOKEN={SECRET}" in environment
    assert "never-shown" not in environment
    assert "ANTHROPIC_API_KEY" not in environment
    ours = [one for one in (stage.root / "clis").rglob("*") if one.is_file()]
    assert not [one for one in ours if SECRET in one.read_text("utf-8", "replace")]


def test_a_token_that_is_over_is_not_lent(stage: Stage) -> None:
    claude_login(stage, -1)
    stage.variables["ANTHROPIC_API_KEY"] = "a-key"
    stage.prints(spoken("claude-code", ANSWER))

    stage.model().complete(PROMPT, Purse())

    assert SECRET not in stage.heard("environment")
    assert "ANTHROPIC_API_KEY=a-key" in stage.heard("environment")


@pytest.mark.parametrize(
    ("provider", "theirs", "ours"),
    [
        ("codex", "auth.json", "auth.json"),
        ("gemini-cli", "oauth_creds.json", ".gemini/oauth_creds.json"),
        ("opencode", "auth.json", "data/opencode/auth.json"),
    ],
)
def test_a_login_file_is_linked_to_and_one_of_our_own_home_stays(
    tmp_path: Path, provider: str, theirs: str, ours: str
) -> None:
    stage = Stage(tmp_path, provider)
    write(tmp_path / "user" / provider / theirs, {"token": SECRET})
    stage.prints(spoken(provider, ANSWER))
    mine = tmp_path / "clis" / provider / "home" / ours

    stage.model().complete(PROMPT, Purse())
    assert mine.readlink() == tmp_path / "user" / provider / theirs
    mine.unlink()
    write(mine, {"token": "of our own"})
    stage.model().complete(PROMPT, Purse())

    assert "of our own" in mine.read_text("utf-8")
    assert SECRET in (tmp_path / "user" / provider / theirs).read_text("utf-8")


def test_what_a_cli_keeps_of_a_session_goes(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "gemini-cli")
    (tmp_path / "out").write_text(spoken("gemini-cli", ANSWER), "utf-8")
    kept = '"$GEMINI_CLI_HOME/.gemini/tmp/work/chats"'
    stage.plays(f"mkdir -p {kept}; cp {tmp_path}/said {kept}/session.jsonl; cat {tmp_path}/out")

    stage.model().complete(PROMPT, Purse())

    ours = [one for one in (tmp_path / "clis").rglob("*") if one.is_file()]
    assert ours
    assert not [one for one in ours if "six by seven" in one.read_text("utf-8", "replace")]


def test_opencode_is_told_the_providers_of_the_user_and_takes_the_small_model(
    tmp_path: Path,
) -> None:
    stage = Stage(tmp_path, "opencode")
    providers = {"local": {"options": {"baseURL": "http://127.0.0.1:1/v1"}}}
    settings = {"provider": providers, "small_model": "local/tiny", "mcp": {"evil": {}}}
    write(tmp_path / "user" / "opencode-config" / "opencode.json", settings)
    stage.prints(spoken("opencode", ANSWER))

    made = cli_model_for("opencode", LlmSettings(provider="opencode"), stage.world(), stage.clock)

    assert made is not None
    assert made.complete(PROMPT, Purse()).model == "opencode/local/tiny"
    said = next(
        line for line in stage.heard("environment").splitlines() if "CONFIG_CONTENT" in line
    )
    config = json.loads(said.partition("=")[2])
    assert (config["provider"], config["mcp"]) == (providers, {})
    assert config["permission"] == {"*": "deny"}


def test_opencode_without_a_known_model_is_no_model(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "opencode")
    settings = LlmSettings(provider="opencode")
    assert cli_model_for("opencode", settings, stage.world(), stage.clock) is None


def flags(stage: Stage) -> Sequence[str]:
    return stage.heard("arguments").splitlines()


def test_claude_code_has_no_tools_no_settings_and_no_session(stage: Stage) -> None:
    stage.prints(spoken("claude-code", ANSWER))
    stage.model().complete(PROMPT, Purse())

    said = flags(stage)
    for name, value in (("--tools", ""), ("--disallowedTools", "*"), ("--setting-sources", "")):
        assert said[said.index(name) + 1] == value
    assert {"--no-session-persistence", "--strict-mcp-config"} <= set(said)
    assert said[said.index("--model") + 1] == "haiku"
    environment = stage.heard("environment")
    assert f"CLAUDE_CONFIG_DIR={stage.root}/clis/claude-code/home" in environment
    assert "CLAUDE_CODE_MAX_OUTPUT_TOKENS=50" in environment


def test_codex_has_no_tools_no_settings_and_no_session(tmp_path: Path) -> None:
    stage = Stage(tmp_path, "codex")
    stage.prints(spoken("codex", ANSWER))
    stage.model(model="tiny").complete(PROMPT, Purse())

    said = flags(stage)
    assert {"--ephemeral", "features.shell_tool=false", "features.hooks=false"} <= set(said)
    assert {'sandbox_mode="read-only"', "project_doc_max_bytes=0"} <= set(said)
    assert said[said.index("--model") + 1] == "tiny"
    assert f"CODEX_HOME={tmp_path}/clis/codex/home" in stage.heard("environment")
