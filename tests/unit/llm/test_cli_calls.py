"""Goal: an agent CLI is called with the user's login and model, and with nothing else of theirs.

Method: small shell programs in the place of the CLIs; what they were called with is read from
what they wrote down.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from agentx.llm.clis.choice import cli_model_for
from agentx.llm.settings import LlmSettings
from tests.support.cli_stage import ANSWER, PROMPT, SECRET, Purse, Stage, spoken


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


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


CLOUD = {
    "AWS_SECRET_ACCESS_KEY": SECRET,
    "AWS_PROFILE": SECRET,
    "GOOGLE_APPLICATION_CREDENTIALS": SECRET,
    "ANTHROPIC_FOUNDRY_API_KEY": SECRET,
}


@pytest.mark.parametrize(
    ("chosen", "handed"),
    [
        ({}, ()),
        ({"CLAUDE_CODE_USE_BEDROCK": "0"}, ()),
        ({"CLAUDE_CODE_USE_BEDROCK": "1"}, ("AWS_SECRET_ACCESS_KEY", "AWS_PROFILE")),
        ({"CLAUDE_CODE_USE_VERTEX": "true"}, ("GOOGLE_APPLICATION_CREDENTIALS",)),
        ({"CLAUDE_CODE_USE_FOUNDRY": "1"}, ("ANTHROPIC_FOUNDRY_API_KEY",)),
    ],
)
def test_what_belongs_to_a_cloud_is_handed_over_only_to_who_chose_it(
    stage: Stage, chosen: dict[str, str], handed: tuple[str, ...]
) -> None:
    stage.variables |= {**CLOUD, **chosen, "ANTHROPIC_API_KEY": "a-key"}
    stage.prints(spoken("claude-code", ANSWER))

    stage.model().complete(PROMPT, Purse())

    lines = stage.heard("environment").splitlines()
    given = {line.partition("=")[0] for line in lines if line.endswith(f"={SECRET}")}
    assert given == set(handed)
    assert ("ANTHROPIC_API_KEY=a-key" in lines) is not bool(handed)


@pytest.mark.parametrize(
    ("provider", "model", "extra", "handed"),
    [
        ("codex", "", {"CODEX_API_KEY": SECRET, "OPENAI_API_KEY": SECRET}, {"CODEX_API_KEY"}),
        (
            "gemini-cli",
            "",
            {"GEMINI_API_KEY": SECRET, "GOOGLE_APPLICATION_CREDENTIALS": SECRET},
            {"GEMINI_API_KEY"},
        ),
        ("gemini-cli", "", {"GOOGLE_API_KEY": SECRET, "GOOGLE_GENAI_USE_VERTEXAI": "false"}, set()),
        (
            "gemini-cli",
            "",
            {"GOOGLE_API_KEY": SECRET, "GOOGLE_GENAI_USE_VERTEXAI": "true"},
            {"GOOGLE_API_KEY"},
        ),
        (
            "opencode",
            "groq/tiny",
            {"GROQ_API_KEY": SECRET, "ANTHROPIC_API_KEY": SECRET, "MINE": SECRET},
            {"GROQ_API_KEY"},
        ),
        ("opencode", "local/tiny", {"MINE": SECRET, "OTHER": SECRET}, {"MINE"}),
    ],
)
def test_a_cli_gets_the_key_of_the_provider_it_asks_and_no_other(
    tmp_path: Path, provider: str, model: str, extra: dict[str, str], handed: set[str]
) -> None:
    stage = Stage(tmp_path, provider)
    stage.variables |= {**extra, "AWS_SECRET_ACCESS_KEY": SECRET}
    local = {"options": {"apiKey": "{env:MINE}"}}
    other = {"options": {"apiKey": "{env:OTHER}", "name": "other-provider"}}
    settings = {"provider": {"local": local, "other": other}}
    write(tmp_path / "user" / "opencode-config" / "opencode.json", settings)
    stage.prints(spoken(provider, ANSWER))

    (stage.model(model=model) if model else stage.model()).complete(PROMPT, Purse())

    environment = stage.heard("environment")
    lines = environment.splitlines()
    assert {line.partition("=")[0] for line in lines if line.endswith(f"={SECRET}")} == handed
    assert "other-provider" not in environment
