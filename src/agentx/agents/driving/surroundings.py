"""What of the environment an agent in a lane is given: names that are listed, and nothing to push
with. Pure.

What it needs to reach its model is kept, for its own agent CLI alone; keys of others, agents of SSH
and tokens of forges are not. Git pushes nowhere from there: only the driver does.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from agentx.kernel.capture import Harness
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

_KEPT = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR", "TERM"),
        *("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "ALL_PROXY", "http_proxy", "https_proxy"),
        *("no_proxy", "all_proxy", "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"),
        *("JAVA_HOME", "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PNPM_HOME"),
        *("VIRTUAL_ENV", "DISABLE_TELEMETRY", "DO_NOT_TRACK", "IS_SANDBOX"),
    }
)
_KEPT_PREFIXES = ("LC_", "XDG_")
# What reaches the model of each agent CLI.
_OF_HARNESS: dict[Harness, tuple[str, ...]] = {
    Harness.CLAUDE_CODE: ("ANTHROPIC_", "CLAUDE_"),
    Harness.CODEX: ("OPENAI_", "CODEX_", "AZURE_OPENAI_"),
    Harness.GEMINI: ("GEMINI_", "GOOGLE_"),
    Harness.OPENCODE: ("OPENCODE_", "ANTHROPIC_", "OPENAI_", "GEMINI_", "GOOGLE_"),
}
# Keys of a cloud, where Claude Code is told to reach its model there.
_CLOUDS = {
    "CLAUDE_CODE_USE_BEDROCK": ("AWS_",),
    "CLAUDE_CODE_USE_VERTEX": ("GOOGLE_", "CLOUD_ML_", "VERTEX_"),
}
_NAME = compile_late(r"[A-Za-z_][A-Za-z0-9_]{0,100}")
_NOWHERE = "nowhere:only-the-driver-pushes/"
_FAR = ("https://", "http://", "ssh://", "git://", "git@")
_NEAR = ("file://", "/", "../", "./")  # checks may push to repositories that they make
# What opens a door elsewhere, by its name.
_CREDENTIAL = compile_late(
    r"TOKEN|SECRET|PASSW|CREDENTIAL|API_?KEY|ACCESS_KEY|PRIVATE_KEY|ASKPASS|^(?:GH|GITHUB|GITLAB|"
    r"SSH|AWS|AZURE|NPM_CONFIG)_",
    re.IGNORECASE,
)


@frozen
class RemoteUrls:
    """The addresses that a repository knows."""

    remotes: tuple[str, ...] = ()
    only_for_pushes: tuple[str, ...] = ()  # git takes these as they stand, but for `insteadOf`


def choose_variables(
    environment: Mapping[str, str],
    harness: Harness,
    extra: str = "",
    urls: RemoteUrls | None = None,
) -> dict[str, str]:
    """Return what an agent is given of an environment, and what keeps its git from pushing."""
    named = frozenset(re.findall(r"[^\s,]+", extra))
    prefixes = [*_KEPT_PREFIXES, *_OF_HARNESS.get(harness, ())]
    if harness is Harness.CLAUDE_CODE:
        prefixes += [
            each for name, more in _CLOUDS.items() if environment.get(name) for each in more
        ]
    kept = {
        name: value
        for name, value in environment.items()
        if name in _KEPT or name in named or name.startswith(tuple(prefixes))
    }
    return kept | _keep_from_pushing(urls or RemoteUrls(), (*_FAR, *_NEAR))


def choose_for_checks(
    environment: Mapping[str, str], extra: str = "", urls: RemoteUrls | None = None
) -> dict[str, str]:
    """Return what checks are given that run what agents wrote: no credentials but those named."""
    named = frozenset(re.findall(r"[^\s,]+", extra))
    kept = {
        name: value
        for name, value in environment.items()
        if name in named or not (name.startswith("GIT_") or _CREDENTIAL.search(name))
    }
    return kept | _keep_from_pushing(urls or RemoteUrls(), _FAR)


def is_variable(name: str) -> bool:
    """Tell whether a text may name a variable of the environment."""
    return _NAME.fullmatch(name) is not None


def _keep_from_pushing(urls: RemoteUrls, ways: Sequence[str]) -> dict[str, str]:
    # Of several the longest counts: a whole address stands above what users set for its beginning.
    said = [("credential.helper", ""), ("core.sshCommand", "false"), ("core.askPass", "true")]
    said += [(f"url.{_NOWHERE}.pushInsteadOf", way) for way in (*ways, *urls.remotes)]
    said += [(f"url.{_NOWHERE}.insteadOf", each) for each in urls.only_for_pushes]
    found = {"GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_COUNT": str(len(said))}
    for number, (name, value) in enumerate(said):
        found |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    return found
