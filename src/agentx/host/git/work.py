"""Git that writes: branches, worktrees, merges; alone, bounded, and never asking anyone.

Only in a repository that the user trusts: its filters and hooks run as they would for the
user, but no hook in a folder that is ours (`NO_HOOKS`). Signing, editors, background chores,
autostash and what else users set for their own merges are off: nobody is there to be asked.
Nothing here pushes, deletes a branch or rewrites one that is not checked out in the given folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from agentx.host.files.disk import FREE_ROOM, tells_no_room
from agentx.host.files.plain import exists, is_folder
from agentx.host.git.command import NO_HOOKS, GitReply, ask_git, do_git, quiet_filters, read_git
from agentx.host.git.heads import find_tip, list_own_files
from agentx.kernel.errors import UnavailableError
from agentx.kernel.values import frozen

_LEFT_OUT = "from promisor remote"  # in what git says where it can fetch nothing of that
_POINTS_NOWHERE = "not a git repository: "  # and where to: a worktree whose repository is gone
# Git would enter a repository that lies in the folder, and run the filters that its settings name:
# whoever may write files in the folder may have laid it there.
OUTSIDE = "--ignore-submodules=dirty"
_LINK_MODE = "160000"
_NOBODY = ("-c", "user.name=AgentX", "-c", "user.email=agentx@localhost")


def git_done(
    path: Path,
    *words: str,
    settings: tuple[str, ...] = (),
    index: Path | None = None,
    held: int | None = None,
    lets_go: bool = False,
    given: bytes | None = None,
) -> GitReply:
    """Run git in a folder; it must succeed. `given` is what it reads.

    Raises: UnavailableError with what git said.
    """
    said = do_git(
        path, *words, settings=settings, index=index, held=held, lets_go=lets_go, given=given
    )
    return _check(path, words, said)


def _read(path: Path, *words: str) -> GitReply:
    return _check(path, words, read_git(path, *words))


def _check(path: Path, words: tuple[str, ...], said: GitReply) -> GitReply:
    if said.code == 0:
        return said
    lines, hint = said.err.splitlines(), "mend what git says and try again; nothing was recorded"
    reason = said.err or said.out.strip() or f"it left with {said.code}"
    if any(map(tells_no_room, lines)):
        hint = FREE_ROOM
    if _LEFT_OUT in said.err:
        # A clone without contents: what git asked its remote for just now.
        because = lines[0].removeprefix("fatal: ").removeprefix("error: ")
        reason = f"this clone left out what that needs (`--filter`), and cannot fetch it: {because}"
        hint = "try again when its remote is reached; nothing was recorded"
    if _POINTS_NOWHERE in said.err:
        hint = "where its repository was moved to, type: git worktree repair; then try again"
    raise UnavailableError(f"git {words[0]} in {path}: {reason[:500]}", hint=hint)


def as_somebody(path: Path) -> tuple[str, ...]:
    """Return the options that give a commit an author where git knows none."""
    return () if do_git(path, "var", "GIT_COMMITTER_IDENT").code == 0 else _NOBODY


def commit_of(path: Path, name: str) -> str:
    """Return the commit that a name means; empty when it means none."""
    if found := find_tip(path, name):
        return found
    said = read_git(
        path, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}"
    )
    return said.out.strip() if said.code == 0 else ""


def is_same_tree(path: Path, one: str, other: str) -> bool:
    """Tell whether two commits hold the same files."""
    said = _read(path, "rev-parse", "--verify", "--end-of-options", f"{one}^{{tree}}").out
    return said == _read(path, "rev-parse", "--verify", "--end-of-options", f"{other}^{{tree}}").out


def is_ancestor(path: Path, older: str, newer: str) -> bool:
    """Tell whether a commit is part of another's history."""
    return read_git(path, "merge-base", "--is-ancestor", older, newer).code == 0


def merge_trees(path: Path, ours: str, theirs: str) -> str:
    """Return the tree that git makes of both sides, with marks where they conflict; or nothing."""
    said = do_git(path, "merge-tree", "--write-tree", "--no-messages", ours, theirs)
    return said.lines[0] if said.code in (0, 1) and said.lines else ""


def list_changed_files(path: Path, *, one_by_one: bool = False) -> tuple[str, ...]:
    """Return the files that are changed or new and not committed; ignored ones do not count.

    Of a folder in which all is new only its own name, unless they are told `one_by_one`. What lies
    in a repository of its own is looked at without running what that names.
    """
    new = "all" if one_by_one else "normal"
    words = ("status", "--porcelain", "-z", "--no-renames", f"--untracked-files={new}", OUTSIDE)
    found = dict.fromkeys(name[3:] for name in git_done(path, *words).names)
    inside = (name for name in list_links(path) if _is_changed_inside(path / name))
    return tuple(found | dict.fromkeys(inside))


def list_links(path: Path) -> Iterator[str]:
    """Yield the folders of which a repository holds the commit of another one."""
    for row in git_done(path, "ls-files", "--stage", "-z").names:
        said, _, name = row.partition("\t")
        if said.startswith(_LINK_MODE):
            yield name


def list_nested(folder: Path, commit: str) -> list[str]:
    """Return the repositories in a folder that are no submodules of a commit: git would commit the
    name of each, without its files.
    """
    rows = git_done(folder, "ls-tree", "-r", "-z", "--full-tree", commit).names
    own = {row.partition("\t")[2] for row in rows if row.startswith(_LINK_MODE)}
    new = git_done(folder, "ls-files", "--others", "--exclude-standard", "-z").names
    laid = (name.rstrip("/") for name in new if name.endswith("/"))
    found = [*list_links(folder), *(name for name in laid if (folder / name / ".git").exists())]
    return [name for name in found if name not in own]


def _is_changed_inside(folder: Path) -> bool:
    if not (folder / ".git").exists():
        return False
    filters = quiet_filters(folder)
    words = ("status", "--porcelain", "--ignore-submodules=all")
    said = None if filters is None else ask_git(folder, *words, settings=filters)
    return said is None or said.code != 0 or bool(said.out)  # what cannot be told may be work


def stage_files(path: Path, names: Iterable[str], *, index: Path | None = None) -> None:
    """Put files into the index as they lie there, however many; no repository is entered.

    Raises: UnavailableError.
    """
    plain = [name.rstrip("/") for name in names]
    # Where a file, or a repository, was and a folder is now: git asks for the files in it.
    gone = {each for each in plain if is_folder(path / each) and not exists(path / each / ".git")}
    kept = [each for each in plain if each not in gone]
    for words, listed in ((("--force-remove",), gone), (("--add", "--remove", "--replace"), kept)):
        given = b"\0".join(map(os.fsencode, listed))
        every = ("update-index", *words, "-z", "--stdin")
        git_done(path, *every, settings=NO_HOOKS, index=index, given=given)


def list_conflicting_files(path: Path) -> tuple[str, ...]:
    """Return the files that git could not put together in a folder where it merges."""
    return git_done(path, "diff", "--name-only", "--diff-filter=U", "-z", OUTSIDE).names


@frozen
class Worktree:
    """A folder that git knows of, and what is checked out there."""

    folder: Path
    commit: str = ""
    branch: str = ""  # empty where a commit is checked out

    @property
    def is_here(self) -> bool:
        """Whether the folder is where git has it: it may have been moved, or be another's."""
        return (self.folder / ".git").exists()


def list_worktrees(path: Path) -> tuple[Worktree, ...]:
    """Return the folders that git knows of, wherever they are by now."""
    found: list[Worktree] = []
    for line in _read(path, "worktree", "list", "--porcelain").lines:
        word, _, rest = line.partition(" ")
        if word == "worktree":
            found.append(Worktree(folder=Path(rest)))
        elif word == "HEAD":
            found[-1] = replace(found[-1], commit=rest)
        elif word == "branch":
            found[-1] = replace(found[-1], branch=rest.removeprefix("refs/heads/"))
    return tuple(found)


def checkouts(path: Path) -> dict[str, Path]:
    """Return where each branch is checked out: of several folders one that is here."""
    known = [each for each in list_worktrees(path) if each.branch]
    return {each.branch: each.folder for each in sorted(known, key=lambda each: each.is_here)}


def is_shallow_clone(path: Path) -> bool:
    """Tell whether history is cut off in a repository: who came after whom cannot be told there."""
    return git_file(path, "shallow").exists()


def git_file(path: Path, name: str) -> Path:
    """Return where git keeps one of its own files for a checkout."""
    return git_files(path, (name,))[0]


def git_files(path: Path, names: Sequence[str]) -> tuple[Path, ...]:
    """Return where git keeps files of its own for a checkout.

    Raises: UnavailableError where there is none.
    """
    found = list_own_files(path, names)
    if found is not None:
        return found
    wanted = (word for name in names for word in ("--git-path", name))
    return tuple(path / line for line in _read(path, "rev-parse", *wanted).lines)
