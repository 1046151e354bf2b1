"""GitHub mode, opened: whose repository, and whose token.

The token comes from the variable that the user's settings name, or from `gh`. A project
may say which repository its issues are in; where the token is sent only the user says.
"""

from __future__ import annotations

import subprocess
from urllib.parse import urlsplit

from agentx.host.git import facts as git
from agentx.host.limits import GIT_WAIT_MS
from agentx.host.waits import WaitBudget
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late
from agentx.project.project import Project
from agentx.work.limits import GITHUB_TRIES_MAX
from agentx.work.settings import GithubSettings
from agentx.work.store.github.api import Account, GithubApi
from agentx.work.store.github.issues import GithubIssues
from agentx.work.store.github.pages import DiskPages
from agentx.work.store.github.pulls import GithubPulls
from agentx.work.store.github.queue import SendQueue

_REPOSITORY = compile_late(r"[A-Za-z0-9][A-Za-z0-9-]{0,38}/[A-Za-z0-9._-]{1,100}")
_REMOTE = compile_late(r"[/:]([A-Za-z0-9][A-Za-z0-9-]*/[A-Za-z0-9._-]+?)(?:\.git)?/?$")
_LOOPBACK = frozenset({"127.0.0.1", "localhost", "::1"})


def github_issues(
    project: Project, *, tries: int = GITHUB_TRIES_MAX, patience: WaitBudget | None = None
) -> GithubIssues:
    """Open the issues of the project's repository on GitHub.

    `patience` is what this and all else that has the same may wait together.

    Raises: InvalidValue when the repository or the token is missing.
    """
    return GithubIssues(
        _open_api(project, tries, patience),
        repository_of(project),
        github_queue(project),
        clock=project.clock,
        entropy=project.entropy,
    )


def github_pulls(project: Project) -> GithubPulls:
    """Open the pull requests of the project's repository on GitHub.

    Raises: InvalidValue when the repository or the token is missing.
    """
    repository = repository_of(project)
    return GithubPulls(_open_api(project, GITHUB_TRIES_MAX, None), repository)


def _open_api(project: Project, tries: int, patience: WaitBudget | None) -> GithubApi:
    settings = project.config.section(GithubSettings)
    account = Account(base_url=_address(settings.base_url), token=_token(project, settings))
    return GithubApi(
        account,
        DiskPages(project.store.github_cache),
        clock=project.clock,
        entropy=project.entropy,
        tries=tries,
        patience=patience,
    )


def repository_of(project: Project) -> str:
    """Return owner/name: as it is set, else as the git remote says.

    Raises: InvalidValue.
    """
    settings = project.config.section(GithubSettings)
    said = settings.repository
    if not said:
        address = git.remote_url(project.root) or ""
        found = _REMOTE.search(address) if _host(settings) in address else None
        said = found[1] if found else ""
    if _REPOSITORY.fullmatch(said) is None:
        raise InvalidValue(
            f"{said[:80]!r} is not a repository on GitHub"
            if said
            else "it is not known which repository on GitHub this is",
            hint="agentx config set github.repository OWNER/NAME",
        )
    return said


def github_queue(project: Project) -> SendQueue:
    """Open what waits for GitHub."""
    return SendQueue(project.store.github_queue, project.clock, project.entropy)


def _address(said: str) -> str:
    parts = urlsplit(said)
    if parts.scheme == "https" or (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        return said
    raise InvalidValue(
        f"github.base_url {said[:80]!r} would send the token in the clear",
        hint="use an https address",
    )


def _token(project: Project, settings: GithubSettings) -> str:
    token = project.environment.variables.get(settings.token_env, "").strip()
    token = token or _token_of_gh(project, settings)
    if not token:
        raise InvalidValue(
            "GitHub mode needs a token",
            hint=f"set {settings.token_env}, or run `gh auth login`",
        )
    if not token.isascii() or not token.isprintable():
        raise InvalidValue(f"{settings.token_env} does not hold a token")
    return token


def _host(settings: GithubSettings) -> str:
    """Return where people see the repository: github.com, or a company's own."""
    return (urlsplit(settings.base_url).hostname or "").removeprefix("api.")


def _token_of_gh(project: Project, settings: GithubSettings) -> str:
    if urlsplit(settings.base_url).hostname in _LOOPBACK:
        return ""
    try:
        done = subprocess.run(
            ["gh", "auth", "token", "--hostname", _host(settings)],
            env=dict(project.environment.variables),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=GIT_WAIT_MS / 1000,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.decode("utf-8", "replace").strip() if done.returncode == 0 else ""
