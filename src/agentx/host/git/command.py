"""How git is run: one place for its command line and its environment.

    ask      reads, in any repository: nothing that the repository names is run
    do       writes branches, in a repository that the user trusts: as git itself would

A repository may be a stranger's with a `.git` of its own making (it came in an archive, or lies as
plain files in another repository). Its settings can name programs for nearly everything: to
watch files, to filter and show them, to verify signatures, to fetch what is missing. So whoever
only reads overrides each of them, speaks to no remote, writes no index and enters no submodule.
"""

from __future__ import annotations

import os
import re
import shlex
import time
from pathlib import Path

from agentx.host.files.plain import is_file
from agentx.host.limits import GIT_READ_WAIT_MS, GIT_SILENT_MS, GIT_WAIT_MS, GIT_WORK_WAIT_MS
from agentx.host.system import environment_without
from agentx.kernel.errors import UnavailableError
from agentx.kernel.values import frozen

# Given on the command line these stand above every file of settings, and pass to children of git.
_NO_PROGRAM = (
    *("core.fsmonitor=false", "core.hooksPath=/dev/null", "core.pager=cat", "core.askPass=true"),
    *("core.sshCommand=false", "core.gitProxy=", "credential.helper=", "protocol.allow=never"),
    *("core.attributesFile=/dev/null", "diff.external=", "diff.orderFile=/dev/null"),
    *("diff.ignoreSubmodules=all", "submodule.recurse=false", "diff.relative=false"),
    *("log.showSignature=false", "log.mailmap=false", "gpg.program=false", "gpg.ssh.program=false"),
    *("gpg.x509.program=false", "gc.auto=0", "maintenance.auto=false", "core.untrackedCache=false"),
)
# What users set for their own merges and pushes; ours come out alike everywhere, and are read.
_ALONE = (
    *("commit.gpgSign=false", "core.fsmonitor=false", "gc.auto=0", "maintenance.auto=false"),
    *("rebase.autoStash=false", "rebase.updateRefs=false", "merge.autoStash=false"),
    *("merge.ff=true", "rerere.enabled=false", "rebase.backend=merge", "rebase.autoSquash=false"),
    *("rebase.rebaseMerges=false", "push.gpgSign=false", "push.recurseSubmodules=no"),
    *("push.followTags=false", "color.ui=false", "color.transport=false", "color.remote=false"),
    *("diff.orderFile=/dev/null", "advice.detachedHead=false"),
)
# For the folder of the work branch, which is ours: a hook that writes there would be in the way.
NO_HOOKS = ("core.hooksPath=/dev/null",)
_WHO = ("GIT_AUTHOR_", "GIT_COMMITTER_")

# Git works in no repository of another user; what a remote of a path here says reads alike.
_REFUSED = re.compile(r"^fatal: detected dubious ownership in repository at '(.+)'$", re.MULTILINE)

_silent: dict[str, float] = {}  # where git did not answer in time, and until when it is not asked


@frozen
class GitReply:
    """How git ended and what it said."""

    code: int
    out: str
    err: str

    @property
    def lines(self) -> tuple[str, ...]:
        """What it said, line by line."""
        return tuple(self.out.splitlines())

    @property
    def names(self) -> tuple[str, ...]:
        """What it said, as names that end in a null byte."""
        return tuple(name for name in self.out.split("\0") if name)


def ask_git(
    path: Path,
    *words: str,
    settings: tuple[str, ...] = (),
    wait_ms: int = GIT_WAIT_MS,
    is_costly: bool = False,
    given: bytes | None = None,
) -> GitReply | None:
    """Let git read in a folder; None where it cannot, or does not answer in time.

    Of a question that `is_costly` a late answer says nothing of the folder: others are asked on.
    `given` is what git reads.
    """
    if _silent.get(str(path), 0.0) > time.monotonic():
        return None
    environment = {
        **_plain_environment(),
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_NO_LAZY_FETCH": "1",
        # No protocol has this name: nothing is fetched, whatever the settings allow.
        "GIT_ALLOW_PROTOCOL": "none",
    }
    try:
        return _run(path, (*_NO_PROGRAM, *settings), words, environment, wait_ms, given=given)
    except TimeoutError:
        if not is_costly:
            _silent[str(path)] = time.monotonic() + GIT_SILENT_MS / 1000
        return None
    except (OSError, ValueError):
        return None


def read_git(path: Path, *words: str) -> GitReply:
    """Let git read in a folder.

    Raises: UnavailableError when git is not there, does not end or refuses the repository.
    """
    said = ask_git(path, *words, wait_ms=GIT_READ_WAIT_MS)
    if said is None:
        raise UnavailableError(
            f"git {words[0]} in {path} gave no answer", hint="look for a git that hangs there"
        )
    return _check_accepted(said)


def find_refusal(path: Path) -> UnavailableError | None:
    """Return that git works in no repository there because of whose it is, or as it is damaged;
    None where it may, and where there is none.
    """
    said = ask_git(path, "rev-parse", "--git-dir")
    try:
        if said is not None:
            _check_accepted(said)
    except UnavailableError as refused:
        return refused
    return None if said is None or said.code == 0 else _find_damaged(path)


def _find_damaged(path: Path) -> UnavailableError | None:
    """Return where something lies that was a repository, and git takes it for none."""
    for folder in (path, *path.parents):
        entry = folder / ".git"
        if is_file(entry) or is_file(entry / "HEAD"):
            return UnavailableError(
                f"git takes {entry} for no repository: it is damaged, or what it names is gone",
                hint=f"`git -C {shlex.quote(str(folder))} status` says what is wrong; mend that, "
                "or take it away",
            )
    return None


def _check_accepted(said: GitReply) -> GitReply:
    """See that git does not refuse a repository: what it then does not find may well be there.

    Raises: UnavailableError.
    """
    found = _REFUSED.search(said.err) if said.code != 0 else None
    if found is None:
        return said
    place = found.group(1)
    raise UnavailableError(
        f"git refuses {place}: it belongs to another user",
        hint=f"where you trust it: `git config --global --add safe.directory {shlex.quote(place)}`",
    )


def do_git(
    path: Path,
    *words: str,
    settings: tuple[str, ...] = (),
    wait_ms: int = GIT_WORK_WAIT_MS,
    index: Path | None = None,
    held: int | None = None,
    lets_go: bool = False,
    given: bytes | None = None,
) -> GitReply:
    """Let git work in a folder of a trusted repository, with its filters, hooks and helpers.

    `given` is what git reads, `index` what it takes for the folder's index. `held` is an open file
    that it and all it begins keep open; these end with this process, however that ends, and with
    git itself: with `lets_go` what hooks of the user's left running goes on where git came to a
    good end.

    Raises: UnavailableError when git is not there, does not end or refuses a repository.
    """
    everything = environment_without("\0")
    environment = {
        **_plain_environment(),
        **{name: value for name, value in everything.items() if name.startswith(_WHO)},
        "GIT_EDITOR": "true",
        "GIT_MERGE_AUTOEDIT": "no",
        "GIT_OPTIONAL_LOCKS": "0",  # who only looks and is killed leaves no lock
        **({} if index is None else {"GIT_INDEX_FILE": str(index)}),
    }
    try:
        every = (*_ALONE, *settings)
        if held is not None:
            done = _run_held(
                path, every, words, environment, wait_ms=wait_ms, held=held, lets_go=lets_go
            )
        else:
            done = _run(path, every, words, environment, wait_ms, given=given)
    except TimeoutError as error:
        hangs = "look for a git that hangs there"
        ended = "it was ended; see which filter or hook it waited for, then try again"
        raise UnavailableError(
            f"git {words[0]} in {path} did not end", hint=hangs if held is None else ended
        ) from error
    except (OSError, ValueError) as error:
        raise UnavailableError(f"git cannot be run in {path}: {error}") from error
    return _check_accepted(done)


def name_git(folder: Path) -> str:
    """Return how somebody types git for a folder: it works there, or nowhere."""
    return f"git -C {shlex.quote(str(folder))}"


def name_hooks(root: Path) -> tuple[str, ...]:
    """Return the settings by which the hooks of a checkout are run in other folders as well.

    Where they are named by a relative path, git would run those that lie in the other folder:
    there somebody else may have written them.

    Raises: as `do_git`.
    """
    named = do_git(root, "config", "--type=path", "--get", "core.hooksPath").out.strip()
    return (f"core.hooksPath={root / named}",) if named else ()


def quiet_filters(path: Path) -> tuple[str, ...] | None:
    """Return the settings that switch off every filter of a repository; None if they cannot be.

    Git runs a filter to compare a file with what is committed, where the times do not tell.
    """
    said = ask_git(path, "config", "--null", "--name-only", "--get-regexp", r"^filter\.")
    if said is None or said.code not in (0, 1):  # 1: there are none
        return None
    names = {key.removeprefix("filter.").rpartition(".")[0] for key in said.names}
    if any("=" in name or "\n" in name for name in names):
        return None  # such a name cannot be given on the command line
    return tuple(
        f"filter.{name}.{what}"
        for name in sorted(names)
        for what in ("clean=", "smudge=", "process=", "required=false")
    )


def _plain_environment() -> dict[str, str]:
    """Return our environment, without what would lead git elsewhere."""
    environment = environment_without("GIT_")
    # Git is started in the folder it is asked about: a program that lies there is not meant.
    places = environment.get("PATH", os.defpath).split(os.pathsep)
    environment["PATH"] = os.pathsep.join(place for place in places if place.startswith("/"))
    return {**environment, "GIT_TERMINAL_PROMPT": "0", "GIT_PAGER": "cat", "LC_ALL": "C"}


def _run(
    path: Path,
    settings: tuple[str, ...],
    words: tuple[str, ...],
    environment: dict[str, str],
    wait_ms: int,
    *,
    given: bytes | None = None,
) -> GitReply:
    # Most commands need not ask git, and it takes long to load.
    from subprocess import DEVNULL, PIPE, TimeoutExpired  # noqa: PLC0415  see above

    from agentx.host.child import Child  # noqa: PLC0415  see above

    heard = DEVNULL if given is None else PIPE
    with Child(
        _spell(settings, words), cwd=path, env=environment, stdin=heard, stdout=PIPE, stderr=PIPE
    ) as process:
        try:
            out, err = process.communicate(given, wait_ms / 1000)
        except TimeoutExpired:
            process.kill()
            raise TimeoutError from None
        except BaseException:
            process.kill()
            raise
    return GitReply(code=process.returncode, out=os.fsdecode(out), err=os.fsdecode(err).strip())


def _run_held(
    path: Path,
    settings: tuple[str, ...],
    words: tuple[str, ...],
    environment: dict[str, str],
    *,
    wait_ms: int,
    held: int,
    lets_go: bool,
) -> GitReply:
    from agentx.host.program import ProgramCall, run_to_end  # noqa: PLC0415  as above

    done = run_to_end(
        ProgramCall(
            arguments=_spell(settings, words),
            said="",
            folder=path,
            environment=environment,
            time_limit_ms=wait_ms,
            held=(held,),
            lets_go=lets_go,
        )
    )
    if done.too_late:
        raise TimeoutError
    return GitReply(code=done.code, out=done.out, err=done.err.strip())


def _spell(settings: tuple[str, ...], words: tuple[str, ...]) -> list[str]:
    """Return the command line."""
    return ["git", "--no-pager", *(word for pair in settings for word in ("-c", pair)), *words]
