"""What a repository itself would have git run: its hooks, and the programs its settings name.

Settings of the user and of the machine are not counted: they are the user's own choice. A clone
has none of these; a `.git` that came in an archive may have all of them.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Iterator, Sequence
from pathlib import Path, PurePath

from agentx.host.files.plain import is_file, list_folder, look
from agentx.host.git.command import ask_git
from agentx.kernel.errors import ConflictError
from agentx.kernel.text import compile_late, preview

_RUNS = compile_late(
    r"core\.(fsmonitor|hookspath|sshcommand|gitproxy|pager|editor|askpass|alternaterefscommand)"
    r"|(pager|alias|includeif|include|filter|protocol|sequence|mergetool|difftool)\..+"
    r"|credential\.(.+\.)?helper|diff\.(external|.+\.(command|textconv))|merge\..+\.driver"
    r"|gpg\.(.+\.)?program|remote\..+\.(uploadpack|receivepack|vcs|proxy)|url\..+"
    r"|interactive\.difffilter|uploadpack\.packobjectshook"
)
# What git runs where it takes files in and lays them out, there where they lie.
_ON_FILES = r"^(filter\..+\.(clean|smudge|process)|merge\..+\.driver)$"
_PYTHON = compile_late(r"(python|pypy)[0-9.]*(\.exe)?")
# What runs the scripts, packages or rules that lie where it is started.
_READ_HERE = frozenset(
    {
        *("make", "gmake", "just", "task", "rake", "bundle", "npm", "npx", "pnpm", "yarn", "bun"),
        *("bunx", "uv", "poetry", "pipenv", "pdm", "hatch", "tox", "nox", "cargo", "go", "mise"),
    }
)
_BEFORE_COMMAND = ("|", ";", "&", "(", "env", "exec")
_SHORT = 2  # an option whose value is the next word
_SHOWN_CHARS = 80
_SAMPLE = ".sample"
_OWN = ("local", "worktree")


def list_programs(path: Path) -> tuple[str, ...]:
    """Return the hooks and settings of a repository by which git runs something.

    A repository that git cannot read says so by one name that stands for all.
    """
    said = ask_git(path, "config", "--null", "--list", "--show-scope", "--includes")
    if said is None or said.code != 0:
        return ("settings that cannot be read",)
    words = said.out.split("\0")
    settings = {
        entry.partition("\n")[0]
        for scope, entry in zip(words[::2], words[1::2], strict=False)
        if scope in _OWN and _RUNS.fullmatch(entry.partition("\n")[0].lower())
    }
    return (*sorted(settings), *_list_hooks(path))


def refuse_among_files(path: Path) -> Iterator[ConflictError]:
    """Yield why agents cannot work on files that git filters or merges with one of those files.

    Whoever made such a setting, git would run it as an agent left it.
    """
    said = ask_git(path, "config", "--null", "--get-regexp", _ON_FILES)
    for entry in () if said is None else said.names:
        name, _, command = entry.partition("\n")
        words, mend = _split(command), ""
        if any(_is_among(path, word, is_first=at == 0) for at, word in enumerate(words)):
            mend = f"name a copy outside of {path} by its whole path"
        elif _reads_here(words):
            mend = "have it look at no file here (`python -I -m ...`), or name it by its whole path"
        if mend:
            yield ConflictError(
                f"git would run what agents write: {name} is `{preview(command, _SHOWN_CHARS)}`",
                hint=f"{mend}: git config {name}",
            )


def _split(command: str) -> list[str]:
    try:
        return shlex.split(command)
    except ValueError:
        return command.split()


def _is_among(path: Path, word: str, *, is_first: bool) -> bool:
    if word.startswith(("/", "~", "-")):
        return False
    if word.startswith(("./", "../")) or (is_first and "/" in word):
        return True
    return not is_first and is_file(path / word)  # `python tools/strip.py`


def _reads_here(words: Sequence[str]) -> bool:
    """Tell whether a command takes what it runs from the folder that it is started in."""
    for at, word in enumerate(words):
        name = PurePath(word).name
        if " " in word and _reads_here(_split(word)):  # sh -c "..."
            return True
        if name in _READ_HERE and (at == 0 or words[at - 1].endswith(_BEFORE_COMMAND)):
            return True
        if _PYTHON.fullmatch(name) and _imports_from_here(iter(words[at + 1 :])):
            return True
    return False


def _imports_from_here(options: Iterator[str]) -> bool:
    """Tell whether Python looks for modules where it is started: by -m and -c, without -I or -P."""
    for option in options:
        if not option.startswith("-"):
            return False  # a script: it looks beside that
        if option[1:2] in ("W", "X"):
            next(options, "") if len(option) == _SHORT else None
            continue
        found = next((letter for letter in option[1:] if letter in "mcIP"), "")
        if found:
            return found in "mc"
    return True  # a program that is piped in


def _list_hooks(path: Path) -> tuple[str, ...]:
    """Return the hooks in git's own folder, wherever settings say that others lie."""
    said = ask_git(path, "rev-parse", "--git-common-dir")
    if said is None or said.code != 0:
        return ()
    folder = Path(os.path.realpath(path / said.out.removesuffix("\n"))) / "hooks"
    try:
        names = list_folder(folder).files + list_folder(folder).refused
        return tuple(
            f"hooks/{name}"
            for name in sorted(names)
            if not name.endswith(_SAMPLE) and _can_run(folder / name)
        )
    except OSError:
        return ("hooks that cannot be read",)


def _can_run(hook: Path) -> bool:
    found = look(hook)
    return found is not None and bool(found.st_mode & 0o111)
