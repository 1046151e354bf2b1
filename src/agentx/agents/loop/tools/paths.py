"""Which paths a model may name: pure rules, before anything is opened.

What is opened then is opened by descriptor from the project's folder down, and no link is followed:
these rules say what a name may be, that says where it leads.
"""

from __future__ import annotations

import fnmatch
import unicodedata
from collections.abc import Callable, Iterable

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import preview

_PATH_CHARS_MAX = 1_000
_NAME_BYTES_MAX = 255
_GIT = frozenset({".git", "git~1"})
# What acts for the user, or is AgentX's own: read, never written.
_OF_AGENTS = frozenset(
    {
        *(".claude", ".codex", ".gemini", ".opencode", ".copilot", ".cursor"),
        *(".mcp.json", ".claude.json", "opencode.json", "opencode.jsonc"),
    }
)
_ACTING = frozenset(
    {
        *(".agentx", ".agent-memory", *_OF_AGENTS, ".vscode"),
        *(".windsurf", ".continue", ".kiro", ".roo", ".zed", ".idea", ".fleet", ".vs"),
        # What a person's tools run of themselves, when they open the folder or commit.
        *(".devcontainer", ".devcontainer.json", ".husky", ".githooks", ".git-hooks", ".lefthook"),
        *("lefthook.yml", "lefthook.yaml", ".lefthook.yml", ".lefthook.yaml", ".overcommit.yml"),
        *(".pre-commit-config.yaml", ".pre-commit-config.yml", ".envrc", ".vimrc", ".nvimrc"),
        *(".exrc", ".nvim.lua", ".lvimrc", ".dir-locals.el", ".gdbinit", ".lldbinit", ".mise.toml"),
        *("mise.toml", ".gitconfig", ".yarnrc", ".yarnrc.yml"),
    }
)
_ACTING_FORMS = ("*.code-workspace", "*.sublime-project")
# A folder that holds all of these is a repository to git, with settings and hooks of its own.
_REPOSITORY = frozenset({"head", "objects", "refs"})
# What agent CLIs take variables and settings from, in the folder where they are started.
_READ_AT_START = frozenset({".env", "bunfig.toml"})
# Where credentials are kept.
_SECRET_NAMES = frozenset(
    {
        *(".ssh", ".aws", ".gnupg", ".kube", ".docker", ".netrc", "_netrc", ".npmrc", ".pypirc"),
        *(".git-credentials", ".env", ".pgpass", "credentials.json", ".htpasswd"),
    }
)
_SECRET_FORMS = ("*.pem", "*.key", "*.p12", "*.pfx", "*.keystore", "id_rsa*", "id_ed25519*")
_ENV_EXAMPLES = ("example", "sample", "template", "dist")
# Where tools install what is kept once on the machine, by further names of the same file.
_INSTALLED = frozenset({"node_modules", ".venv", "venv", "site-packages"})
# Looked into only when they are named.
SKIPPED = frozenset(
    {
        *(".agentx", ".agent-memory", ".git", ".hg", ".svn", ".venv", "venv", "node_modules"),
        *("__pycache__", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".tox", "target", "dist"),
        *("build", ".next", ".gradle", ".idea"),
    }
)


def check_path(said: str, *, writes: bool = False) -> tuple[str, ...]:
    """Return the names of a path below the project's folder; none is the folder itself.

    Raises: InvalidValue for a path that leads out of it, or to what is nobody's business.
    """
    shown = preview(said, 80)
    fault = _find_fault(said)
    if fault:
        raise InvalidValue(f"{shown!r} {fault}", hint="name it relative to the project's folder")
    names = tuple(name for name in said.split("/") if name not in ("", "."))
    for name in names:
        plain = _fold(name)
        if plain in _GIT:
            raise InvalidValue(f"{shown!r}: what git keeps is read and changed by git alone")
        if is_secret(name):
            raise InvalidValue(f"{shown!r}: where credentials are kept is not looked at")
        if writes and is_acting(name):
            raise InvalidValue(f"{shown!r}: {name} acts for the user, and is not written here")
    if writes and not names:
        raise InvalidValue(f"{shown!r} is a folder")
    return names


def is_secret(name: str) -> bool:
    """Tell whether a file or folder of such a name keeps credentials."""
    plain = _fold(name)
    if plain in _SECRET_NAMES or any(fnmatch.fnmatchcase(plain, form) for form in _SECRET_FORMS):
        return True
    return plain.startswith(".env.") and not plain.endswith(_ENV_EXAMPLES)


def is_acting(name: str) -> bool:
    """Tell whether a file or folder of such a name acts for the user."""
    plain = _fold(name)
    return plain in _ACTING or any(fnmatch.fnmatchcase(plain, form) for form in _ACTING_FORMS)


def steers_agents(path: str) -> bool:
    """Tell whether an agent CLI goes by a file when it is started in the folder: what it may do,
    which programs it runs, where its model is."""
    first, *below = (_fold(name) for name in path.split("/"))
    return not _OF_AGENTS.isdisjoint((first, *below)) or (not below and first in _READ_AT_START)


def list_steering() -> tuple[str, ...]:
    """Return the names of such files and folders where agent CLIs look first."""
    return tuple(sorted(_OF_AGENTS | _READ_AT_START))


def makes_repository(
    names: tuple[str, ...], held: Callable[[tuple[str, ...]], Iterable[str]]
) -> bool:
    """Tell whether git would take a folder for a repository once there is a file of these names.

    `held` says what lies in a folder now.
    """
    return any(
        {*map(_fold, held(names[:depth])), _fold(name)} >= _REPOSITORY
        for depth, name in enumerate(names)
    )


def is_installed(names: tuple[str, ...]) -> bool:
    """Tell whether files of such a path may have other names elsewhere: tools install them so."""
    return any(name in _INSTALLED for name in names)


def is_kept_away(name: str) -> bool:
    """Tell whether a name is never opened."""
    return _fold(name) in _GIT or is_secret(name)


def _find_fault(said: str) -> str:
    names = said.split("/")
    leads_out = said.startswith(("/", "~")) or "\\" in said or "://" in said or said[1:2] == ":"
    faults = (
        (not said.strip(), "is no path"),
        (len(said) > _PATH_CHARS_MAX, "is too long for a path"),
        (any(map(_is_unseen, said)), "has characters that cannot be seen"),
        (leads_out or any(map(_goes_up, names)), "leads out of the project's folder"),
        (
            any(len(name.encode("utf-8", "replace")) > _NAME_BYTES_MAX for name in names),
            "has a name that is too long",
        ),
    )
    return next((fault for is_so, fault in faults if is_so), "")


def _is_unseen(char: str) -> bool:
    return unicodedata.category(char) in ("Cc", "Cf", "Cs", "Co", "Zl", "Zp")


def _goes_up(name: str) -> bool:
    """Tell whether a name is `..`, or what some file system may take for it."""
    return name not in ("", ".") and not _fold(name)


def _fold(name: str) -> str:
    """Return a name as file systems may take it: without capitals, dots and spaces at its end."""
    return unicodedata.normalize("NFKC", name).casefold().strip(" ").rstrip(" .")
