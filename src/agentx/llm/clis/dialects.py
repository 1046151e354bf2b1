"""How each agent CLI is called when it is a model and nothing else: pure rules.

A CLI brings a house of its own along: hooks, plugins, servers, boot files, tools, sessions.
None of it may take part. So each gets a home of ours and an empty folder to work in, an
environment made from a list of names, and every switch that turns something off; its tools
are none *and* denied. The question goes in on stdin: nothing of it shows in a process list.

A switch that a version may not know is given in the environment, or as a setting that is
passed over when it is unknown: an unknown option would stop the CLI.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.llm.clis.reading import CliReply, read_claude, read_codex, read_gemini, read_opencode
from agentx.llm.port import Usage

# The hook captures nothing of a process that has this.
MARKER = {"AGENTX_INTERNAL": "1"}
_EVERYBODYS = frozenset(
    """PATH HOME USER LOGNAME LANG LC_ALL LC_CTYPE TZ TMPDIR HTTP_PROXY HTTPS_PROXY ALL_PROXY
    NO_PROXY http_proxy https_proxy all_proxy no_proxy SSL_CERT_FILE SSL_CERT_DIR
    NODE_EXTRA_CA_CERTS NODE_USE_SYSTEM_CA""".split()
)


@frozen
class CliPlace:
    """Where a CLI is to be at home, and what of the user's it may know."""

    home: Path  # ours, for this CLI alone
    work: Path  # an empty folder
    variables: Mapping[str, str]  # the user's environment
    login: Path  # the user's own folder of this CLI
    token: str = ""  # lent by the user's own login, for one call
    providers: Mapping[str, object] = field(default_factory=dict)  # those the user set up, if any


@frozen
class CliCall:
    """One call: what is run, what it knows, what must lie in its home."""

    arguments: tuple[str, ...]
    environment: Mapping[str, str]
    files: Mapping[str, str]  # below our home
    # Below our home too: files of the user's own login, which the CLI renews in their place.
    links: Mapping[str, Path] = field(default_factory=dict)


@frozen
class CliDialect:
    """One agent CLI as a model."""

    program: str
    call: Callable[[CliPlace, str, str, int], CliCall]  # system text, model, tokens it may write
    read: Callable[[str], CliReply]
    login_hint: str  # with {home}
    besides: Usage  # what it may add to a question and its answer
    remains: tuple[str, ...] = ()  # below our home: what it keeps of a session
    is_own_home: bool = True  # HOME leads to our home too


def choose_environment(
    dialect: CliDialect, place: CliPlace, extra: Mapping[str, str]
) -> dict[str, str]:
    """Return the whole environment of a call: names on a list, and ours."""
    kept = {name: value for name, value in place.variables.items() if name in _EVERYBODYS}
    if dialect.is_own_home:
        kept["HOME"] = str(place.home)
    return {**kept, **extra, **MARKER}


def _pick(place: CliPlace, names: str) -> dict[str, str]:
    return {name: place.variables[name] for name in names.split() if place.variables.get(name)}


def _is_on(place: CliPlace, name: str) -> bool:
    return place.variables.get(name, "").strip().lower() not in ("", "0", "false", "no", "off")


# --- Claude Code ----------------------------------------------------------------------------

_CLAUDE_KEY = "ANTHROPIC_API_KEY"
_CLAUDE_GATEWAY = "ANTHROPIC_BASE_URL ANTHROPIC_AUTH_TOKEN"
# What belongs to a cloud is handed over only to who chose that cloud.
_CLAUDE_CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": """AWS_PROFILE AWS_REGION AWS_ACCESS_KEY_ID AWS_SECRET_ACCESS_KEY
        AWS_SESSION_TOKEN AWS_BEARER_TOKEN_BEDROCK""",
    "CLAUDE_CODE_USE_VERTEX": """ANTHROPIC_VERTEX_PROJECT_ID CLOUD_ML_REGION
        GOOGLE_APPLICATION_CREDENTIALS""",
    "CLAUDE_CODE_USE_FOUNDRY": """ANTHROPIC_FOUNDRY_RESOURCE ANTHROPIC_FOUNDRY_BASE_URL
        ANTHROPIC_FOUNDRY_API_KEY""",
}


def _pick_claude_login(place: CliPlace) -> dict[str, str]:
    for cloud, names in _CLAUDE_CLOUDS.items():
        if _is_on(place, cloud):
            return _pick(place, f"{cloud} {names}")
    said = _pick(place, _CLAUDE_GATEWAY)
    token = place.variables.get("CLAUDE_CODE_OAUTH_TOKEN") or place.token
    # A key goes before a login, and is paid for by the token: only where there is no login.
    return said | ({"CLAUDE_CODE_OAUTH_TOKEN": token} if token else _pick(place, _CLAUDE_KEY))


def _call_claude(place: CliPlace, system: str, model: str, tokens: int) -> CliCall:
    return CliCall(
        arguments=(
            *("-p", "--output-format", "stream-json", "--verbose", "--no-session-persistence"),
            *("--setting-sources", "", "--strict-mcp-config", "--disable-slash-commands"),
            *("--tools", "", "--disallowedTools", "*", "--permission-mode", "dontAsk"),
            *("--system-prompt", system, "--model", model),
        ),
        environment={
            **_pick_claude_login(place),
            "CLAUDE_CONFIG_DIR": str(place.home),
            "CLAUDE_CODE_SAFE_MODE": "1",
            "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
            "CLAUDE_CODE_DISABLE_AUTO_MEMORY": "1",
            "CLAUDE_CODE_EFFORT_LEVEL": "low",
            "CLAUDE_CODE_MAX_OUTPUT_TOKENS": str(tokens),
            "MAX_THINKING_TOKENS": "0",
            "DISABLE_AUTOUPDATER": "1",
            "DISABLE_TELEMETRY": "1",
            "DISABLE_ERROR_REPORTING": "1",
        },
        files={},
    )


# --- Codex ----------------------------------------------------------------------------------

_CODEX_OFF = """apps browser_use browser_use_external code_mode_host collaboration_modes
    computer_use goals guardian_approval hooks image_generation in_app_browser memories
    multi_agent plugins remote_plugin shell_snapshot shell_tool skill_mcp_dependency_install
    skill_search sleep_tool tool_suggest unified_exec view_image workspace_dependencies
    worktrees"""
_CODEX_SETTINGS = """
approval_policy = "never"
sandbox_mode = "read-only"
model_reasoning_effort = "low"
web_search = "disabled"
project_doc_max_bytes = 0
include_environment_context = false
include_permissions_instructions = false
history.persistence = "none"
analytics.enabled = false
skills.include_instructions = false
skills.bundled.enabled = false
"""


def _call_codex(place: CliPlace, system: str, model: str, _tokens: int) -> CliCall:
    # In our home there is no config.toml: nothing of the user's is loaded.
    settings = [line.replace(" = ", "=", 1) for line in _CODEX_SETTINGS.strip().splitlines()]
    settings += [f"features.{name}=false" for name in _CODEX_OFF.split()]
    settings.append(f"instructions={json.dumps(system)}")
    return CliCall(
        arguments=(
            *("exec", "--json", "--ephemeral", "--ignore-rules", "--skip-git-repo-check"),
            *(part for setting in settings for part in ("-c", setting)),
            *("--model", model, "-"),
        ),
        environment={
            **_pick(place, "CODEX_API_KEY CODEX_ACCESS_TOKEN OPENAI_BASE_URL"),
            "CODEX_HOME": str(place.home),
        },
        files={},
        links={"auth.json": place.login / "auth.json"},
    )


# --- Gemini CLI -----------------------------------------------------------------------------

_GEMINI_KEY = "GEMINI_API_KEY GOOGLE_GEMINI_BASE_URL"
_GEMINI_VERTEX = """GOOGLE_GENAI_USE_VERTEXAI GOOGLE_API_KEY GOOGLE_CLOUD_PROJECT
    GOOGLE_CLOUD_LOCATION GOOGLE_APPLICATION_CREDENTIALS"""
_GEMINI_ACCOUNT = "GOOGLE_CLOUD_PROJECT"
_GEMINI_SETTINGS = {
    "tools": {"core": [], "exclude": ["*"]},
    "mcpServers": {},
    "mcp": {"allowed": []},
    "context": {"fileName": ["agentx-reads-no-boot-file"], "discoveryMaxDirs": 0},
    "general": {
        "enableAutoUpdate": False,
        "enableAutoUpdateNotification": False,
        "checkpointing": {"enabled": False},
    },
    "privacy": {"usageStatisticsEnabled": False},
    "telemetry": {"enabled": False},
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "experimental": {"enableAgents": False},
}


def _call_gemini(place: CliPlace, system: str, model: str, _tokens: int) -> CliCall:
    links: dict[str, Path] = {}
    if place.variables.get("GEMINI_API_KEY"):
        kind, said = "gemini-api-key", _pick(place, _GEMINI_KEY)
    elif _is_on(place, "GOOGLE_GENAI_USE_VERTEXAI"):
        kind, said = "vertex-ai", _pick(place, _GEMINI_VERTEX)
    else:
        kind, said = "oauth-personal", _pick(place, _GEMINI_ACCOUNT)
        names = ("oauth_creds.json", "google_accounts.json")
        links = {f".gemini/{name}": place.login / name for name in names}
    settings = {**_GEMINI_SETTINGS, "security": {"auth": {"selectedType": kind}}}
    return CliCall(
        arguments=(
            *("--output-format", "json", "--approval-mode", "default", "--skip-trust"),
            *("--extensions", "none", "--allowed-mcp-server-names", "none"),
            *("--model", model),
        ),
        environment={
            **said,
            "GEMINI_CLI_HOME": str(place.home),
            "GEMINI_SYSTEM_MD": str(place.home / "system.md"),
        },
        files={".gemini/settings.json": json.dumps(settings), "system.md": system},
        links=links,
    )


# --- OpenCode -------------------------------------------------------------------------------

_OPENCODE_KEYS = {
    "anthropic": "ANTHROPIC_API_KEY",
    "openai": "OPENAI_API_KEY",
    "google": "GEMINI_API_KEY GOOGLE_GENERATIVE_AI_API_KEY",
    "openrouter": "OPENROUTER_API_KEY",
    "groq": "GROQ_API_KEY",
    "mistral": "MISTRAL_API_KEY",
    "deepseek": "DEEPSEEK_API_KEY",
    "xai": "XAI_API_KEY",
    "opencode": "OPENCODE_API_KEY",
    "ollama": "OLLAMA_HOST",
}
# How the user's settings name a variable.
_OPENCODE_NAMED = compile_late(r"\{env:(\w+)\}")
# Without this OpenCode fetches a package for plugins, and there are none.
_OPENCODE_FETCHED = {"packages": {"": {"dependencies": {"@opencode-ai/plugin": "*"}}}}
_NONE = {"tools": {"*": False}, "permission": {"*": "deny"}}


def _call_opencode(place: CliPlace, system: str, model: str, tokens: int) -> CliCall:
    agent = {"mode": "primary", "prompt": system, **_NONE}
    # Of all providers only the one whose model is asked, and its key.
    provider = model.partition("/")[0]
    providers = {name: one for name, one in place.providers.items() if name == provider}
    named = " ".join(_OPENCODE_NAMED.findall(json.dumps(providers)))
    config = {
        **_NONE,
        "agent": {"agentx": agent},
        "provider": providers,
        "autoupdate": False,
        "share": "disabled",
        "snapshot": False,
        "mcp": {},
        "plugin": [],
        "instructions": [],
        "formatter": False,
        "lsp": False,
    }
    home = place.home
    return CliCall(
        arguments=(
            *("run", "--format", "json", "--agent", "agentx", "--title", "agentx"),
            *("--model", model),
        ),
        environment={
            **_pick(place, f"{_OPENCODE_KEYS.get(provider, '')} {named}"),
            "XDG_CONFIG_HOME": str(home / "config"),
            "XDG_DATA_HOME": str(home / "data"),
            "XDG_STATE_HOME": str(home / "state"),
            "XDG_CACHE_HOME": str(home / "cache"),
            "OPENCODE_CONFIG_CONTENT": json.dumps(config),
            "OPENCODE_DB": ":memory:",
            "OPENCODE_PURE": "1",
            "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
            "OPENCODE_DISABLE_AUTOUPDATE": "1",
            "OPENCODE_DISABLE_MODELS_FETCH": "1",
            "OPENCODE_DISABLE_CLAUDE_CODE": "1",
            "OPENCODE_DISABLE_EXTERNAL_SKILLS": "1",
            "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
            "OPENCODE_DISABLE_SHARE": "1",
            "OPENCODE_EXPERIMENTAL_OUTPUT_TOKEN_MAX": str(tokens),
        },
        files={
            "config/opencode/package-lock.json": json.dumps(_OPENCODE_FETCHED),
            "config/opencode/node_modules/.agentx": "",
        },
        links={"data/opencode/auth.json": place.login / "auth.json"},
    )


DIALECTS: dict[str, CliDialect] = {
    "claude-code": CliDialect(
        program="claude",
        call=_call_claude,
        read=read_claude,
        login_hint="`claude` must be logged in: use it once, or run `claude setup-token` and set "
        "CLAUDE_CODE_OAUTH_TOKEN, or log in for AgentX alone: "
        "CLAUDE_CONFIG_DIR='{home}' claude auth login",
        besides=Usage(input_tokens=2_000, output_tokens=500),
        remains=("projects", "sessions", "history.jsonl", "todos", "shell-snapshots"),
        is_own_home=False,  # macOS finds the key chain by it
    ),
    "codex": CliDialect(
        program="codex",
        call=_call_codex,
        read=read_codex,
        login_hint="`codex` must be logged in: `codex login`, or for AgentX alone: "
        "CODEX_HOME='{home}' codex login",
        besides=Usage(input_tokens=4_000, output_tokens=4_000),
        remains=("sessions", "archived_sessions", "history.jsonl", "log"),
    ),
    "gemini-cli": CliDialect(
        program="gemini",
        call=_call_gemini,
        read=read_gemini,
        login_hint="`gemini` must be logged in: use it once, or set GEMINI_API_KEY",
        besides=Usage(input_tokens=4_000, output_tokens=8_192),
        remains=(".gemini/tmp", ".gemini/history", ".gemini/projects.json"),
    ),
    "opencode": CliDialect(
        program="opencode",
        call=_call_opencode,
        read=read_opencode,
        login_hint="`opencode auth login`, and name the model: llm.model provider/model",
        besides=Usage(input_tokens=4_000, output_tokens=1_000),
        remains=("data/opencode/storage", "data/opencode/log", "data/opencode/opencode.db"),
    ),
}
