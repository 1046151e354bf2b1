"""Which commands are run: those that begin with words that the user allowed. Pure rules.

    agents.commands = "pytest, make test, git diff"

A command is a list of words, and no shell reads it: what would mean something to a shell means
nothing. A program that is allowed can do all that it can do: this is no wall around it. What is
kept away is what the model could add: a path that leads out of the project, or to credentials.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePosixPath

from agentx.agents.loop.limits import LOOP_COMMAND_CHARS_MAX, LOOP_COMMAND_WORDS_MAX
from agentx.agents.loop.tools.paths import is_acting, is_kept_away
from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import compile_late, preview
from agentx.redaction.redact import redact

SETTING = "agents.commands"
Allowed = tuple[tuple[str, ...], ...]

# What runs another program that it is given: to allow one would be to allow all.
_RUNNERS = frozenset(
    {
        *("sh", "bash", "zsh", "dash", "ksh", "fish", "csh", "tcsh", "ash", "busybox", "pwsh"),
        *("env", "xargs", "sudo", "su", "doas", "nohup", "setsid", "timeout", "nice", "ionice"),
        *("eval", "exec", "command", "script", "watch", "parallel", "ssh", "chroot", "unshare"),
        *("nsenter", "stdbuf", "time", "strace", "gdb", "expect", "tmux", "screen", "at", "batch"),
    }
)
# What runs the text that it is given: allowed only together with what it runs.
_INTERPRETERS = compile_late(
    r"(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|luajit|tclsh|wish|Rscript|osascript"
    r"|[gmn]?awk|guile|racket|julia|elixir|erl|groovy|scala|jshell)[0-9.]*"
)
_TEXTS = frozenset(
    {"-c", "-e", "-E", "-r", "-p", "-m", "-", "--eval", "--print", "--run", "-pe", "-ne", "eval"}
)
# What can run any program, or send any file, by its arguments alone, in some of its parts.
_BROAD = frozenset(
    {
        *("git", "find", "sed", "tar", "rsync", "zip", "make", "gmake", "npx", "npm", "pnpm"),
        *("yarn", "bunx", "uv", "uvx", "pipx", "poetry", "hatch", "pdm", "go", "cargo", "docker"),
        *("podman", "kubectl", "sqlite3", "psql", "mysql", "vim", "vi", "nvim", "emacs", "less"),
        *("man", "curl", "wget", "scp", "sftp", "ftp", "nc", "ncat", "socat", "gh", "hg", "svn"),
    }
)
_KEPT = frozenset(
    {
        *("PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR", "VIRTUAL_ENV"),
        *("JAVA_HOME", "GOPATH", "GOROOT", "CARGO_HOME", "RUSTUP_HOME", "NVM_DIR", "PNPM_HOME"),
        *("XDG_CACHE_HOME", "XDG_DATA_HOME", "XDG_CONFIG_HOME", "PYTHONDONTWRITEBYTECODE"),
    }
)
_QUIET = {
    "TERM": "dumb",
    "NO_COLOR": "1",
    "PAGER": "cat",
    "GIT_PAGER": "cat",
    "GIT_TERMINAL_PROMPT": "0",
}
# Where a path may begin in a word: `--file=/x`, `-I/x`, `a:/x`, `@/x`.
_ABSOLUTE = compile_late(r"(?:^|[=:,@]|^-[A-Za-z]+)(/[^=:,]*)")
_ADDRESS = compile_late(r"(?:(?<=[=:,@])|^)[A-Za-z][A-Za-z0-9+.-]*://[^,]*")
_UPWARDS = compile_late(r"(?:^|[^.])\.\.(?:/|$)")
_HOME = compile_late(r"(?:^|[=:,@]|^-[A-Za-z])~")
_PARTS = compile_late(r"[/=:,@]+")


def read_allowed(setting: str) -> Allowed:
    """Read the setting `agents.commands`.

    Raises: InvalidValue for an entry that would allow everything.
    """
    entries = tuple(filter(None, (tuple(part.split()) for part in setting.split(","))))
    for entry in entries:
        program = PurePosixPath(entry[0]).name
        if program in _RUNNERS or "*" in entry[0] or _runs_any_text(program, entry[1:]):
            raise InvalidValue(
                f"{SETTING}: {' '.join(entry)!r} would allow every program",
                hint="name what is run, such as `pytest, make test, python3 -m mypy`",
            )
    return entries


def _runs_any_text(program: str, words: Sequence[str]) -> bool:
    """Tell whether an entry leaves it to the model what an interpreter is to run."""
    if _INTERPRETERS.fullmatch(program) is None:
        return False
    if len(words) > 1 and words[-2] == "-m":
        return False  # a module, by its name
    if program in ("node", "deno", "bun") and words[:1] in (("--test",), ("test",)):
        return False
    return bool(_TEXTS.intersection(words)) or all(word.startswith("-") for word in words)


def list_broad(allowed: Allowed) -> tuple[str, ...]:
    """Return the entries by which a model could run any program, or send any file."""
    return tuple(
        " ".join(entry)
        for entry in allowed
        if PurePosixPath(entry[0]).name in _BROAD
        and all(word.startswith(("-", ".", "/")) for word in entry[1:])
    )


def say_broad(broad: Sequence[str]) -> str:
    """Return what such entries mean, in a line; nothing where there are none."""
    if not broad:
        return ""
    named = ", ".join(f"`{each}`" for each in broad)
    return f"may run any program, or send files: {named} ({SETTING}; list a part, as `git diff`)"


def check_command(command: Sequence[str], allowed: Allowed, root: str) -> None:
    """See that a command may be run in a project's folder.

    Raises: InvalidValue.
    """
    words = list(command)
    if not words or not words[0].strip():
        raise InvalidValue("a command needs a program")
    if len(words) > LOOP_COMMAND_WORDS_MAX or sum(map(len, words)) > LOOP_COMMAND_CHARS_MAX:
        raise InvalidValue("the command is too long")
    if any("\0" in word for word in words):
        raise InvalidValue("the command has a character that no command has")
    if PurePosixPath(words[0]).name in _RUNNERS:
        raise InvalidValue(
            f"{preview(words[0], 40)} is not run: it runs other programs",
            hint="there is no shell here: call the program itself",
        )
    entry = next((each for each in allowed if words[: len(each)] == list(each)), None)
    if entry is None:
        known = ", ".join(" ".join(each) for each in allowed) or "none"
        raise InvalidValue(
            f"{preview(' '.join(words), 80)!r} is not among the commands that the user allowed "
            f"({known})",
            hint=f"the user may: agentx config set --user {SETTING} '...'",
        )
    for word in words[len(entry) :]:
        _check_word(word, root)


def make_surroundings(variables: Mapping[str, str], role: str) -> dict[str, str]:
    """Return the environment of a command: by name, and without a secret in a value."""
    kept = {
        name: value
        for name, value in variables.items()
        if (name in _KEPT or name.startswith("LC_")) and redact(value) == value
    }
    folders = kept.get("PATH", "").split(":")
    # A relative folder would be one of the repository.
    kept["PATH"] = ":".join(each for each in folders if each.startswith("/"))
    return {**kept, **_QUIET, "AGENTX_AGENT": role}


def _check_word(word: str, root: str) -> None:
    shown = preview(word, 60)
    if _UPWARDS.search(word) or _HOME.search(word) or "file:" in word.lower():
        raise InvalidValue(f"{shown!r} leads out of the project's folder")
    for found in _ABSOLUTE.finditer(_ADDRESS.sub("", word)):
        path = re.sub("/+", "/", found[1])
        if path != root and not path.startswith(f"{root}/"):
            raise InvalidValue(f"{shown!r} leads out of the project's folder")
    parts = _PARTS.split(word.removeprefix("-"))
    if any(is_kept_away(part) or is_acting(part) for part in parts):
        raise InvalidValue(f"{shown!r} names what is not touched here")
