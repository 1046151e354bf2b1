"""What git knows about a folder: thin, bounded and tolerant.

No git, no repository, a slow disk or a repository that git will not trust is
`None`, never an exception: memory works without git. Git only reads, and runs nothing that the
repository names (`command`).
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from agentx.host.files.plain import read_text
from agentx.host.git.plain import find_plain
from agentx.host.limits import GIT_WAIT_MS
from agentx.kernel.errors import ConflictError
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen

# Differences are counted and named: no program shows them.
PLAIN_DIFF = ("--no-ext-diff", "--no-textconv", "--no-renames", "--ignore-submodules=all")
_COUNT = compile_late(r"(\d+) (file|insertion|deletion)")
_HASH = compile_late(r"[0-9a-f]{7,64}")
_POINTER_BYTES_MAX = 8_192
_WORKTREES_MAX = 50
OWN = ".agentx"
_CREDENTIALS = compile_late(r"(?<=://)[^/@\s]*@")


@frozen(kw_only=False)
class Repository:
    """A repository: where its files are, and the folder of git's that all its worktrees share.

    `common` is None where a `.git` only points to such a folder, and nothing there points back.
    A bare one has its files in its oldest worktree, which may go: it is named after itself.
    """

    root: Path
    common: Path | None
    is_bare: bool = False

    @property
    def named_after(self) -> Path:
        """The folder that it is called by: the same for good."""
        return _name_folder(self.common) if self.is_bare and self.common else self.root


def repository(path: Path) -> Path | None:
    """Return the root of the main repository: the same from every worktree and subfolder.

    Of a bare repository that is its oldest worktree; without one, the repository itself.
    """
    found = find_repository(path)
    return None if found is None else found.root


def find_repository(path: Path) -> Repository | None:
    """Return the repository that a folder belongs to.

    A `.git` that is a file or a link, and settings that name a work tree, may claim any folder of
    this machine. They are believed where that folder points back.
    """
    plain = find_plain(path)
    if plain is not None:
        return None if plain.git is None else Repository(plain.git.parent, plain.git)
    said = _ask(path, "rev-parse", "--git-common-dir", "--git-dir")
    if not said or said.count("\n") != 1:
        return None
    common, own = (_resolve(path, each) for each in said.split("\n"))
    return _believe(Path(os.path.realpath(path)), common, own)


def _believe(path: Path, common: Path, own: Path) -> Repository:
    """Return the repository that git finds, as far as it is not a mere claim."""
    holder = _find_holder(path)
    if holder is None:
        return _open_bare(common)
    if common == own == holder / ".git":
        return _open_bare(common) if _is_bare(common) else Repository(holder, common)
    if own.parent == common / "worktrees" and _leads_to(own / "gitdir", holder / ".git", own):
        main = common.parent if common.name == ".git" else _find_files_of(common)
        return Repository(main, common) if main and not _is_bare(common) else _open_bare(common)
    files = _find_files_of(common)
    if files is not None:
        return Repository(files, common)
    bare = _open_bare(common)
    if path.is_relative_to(common):
        return bare  # somewhere below another
    # `.git` says that it lies next to it, with worktrees.
    is_beside = bare.root != common and common.parent == holder
    is_used = is_beside and os.path.lexists(holder / OWN)
    return bare if is_beside and not is_used else Repository(holder, None)


def tell_not_pointed_back(root: Path) -> ConflictError | None:
    """Return that the repository which a `.git` only points to does not know the folder; None
    where it does, or there is none: else a worktree of it would be taken for another project's."""
    found = find_repository(root)
    if found is None or found.common is not None:
        return None
    return ConflictError(
        f"git's folder of {root} lies elsewhere, and does not say that its files are here",
        hint="where it is the right one: git -C {0} config core.worktree {0}".format(
            shlex.quote(str(root))
        ),
    )


def _find_holder(path: Path) -> Path | None:
    """Return the folder above a path, or itself, that has a `.git` of any kind."""
    for folder in (path, *path.parents):
        if os.path.lexists(folder / ".git"):
            return folder
    return None


def _find_files_of(common: Path) -> Path | None:
    """Return where the files of a repository are that is kept apart from them and known there.

    A submodule keeps its repository inside its parent's and says where its files are.
    """
    said = _ask(common, "config", "--file", str(common / "config"), "--get", "core.worktree")
    files = _resolve(common, said) if said else None
    return files if files is not None and _leads_to(files / ".git", common, files) else None


def _is_bare(common: Path) -> bool:
    """Tell whether a repository says that it has no files but those of its worktrees."""
    return _ask(common, "config", "--file", str(common / "config"), "core.bare") == "true"


def _name_folder(common: Path) -> Path:
    """Return the folder that people know a repository by."""
    return common.parent if common.name == ".git" else common


def _open_bare(common: Path) -> Repository:
    """Return a bare repository; what was kept in its own folder once, stays there."""
    own = _name_folder(common)
    is_used = os.path.lexists(own / OWN)
    tree = None if is_used else _find_oldest_worktree(common)
    return Repository(tree or own, common, is_bare=tree is not None or own == common)


def _find_oldest_worktree(common: Path) -> Path | None:
    """Return where the files of a bare repository are: its worktree that was made first.

    One that somebody only claims does not point back.
    """
    known: list[Path] = []
    with suppress(OSError):
        known = sorted((common / "worktrees").iterdir())
    for own in sorted(known, key=_when_made)[:_WORKTREES_MAX]:
        tree = (_read_pointer(own / "gitdir", own) or own).parent
        if _leads_to(tree / ".git", own, tree):
            return tree
    return None


def _when_made(worktree: Path) -> int:
    """Return when git wrote what it never writes again of a worktree."""
    with suppress(OSError):
        return os.lstat(worktree / "commondir").st_mtime_ns
    return sys.maxsize


def _leads_to(pointer: Path, wanted: Path, below: Path) -> bool:
    """Tell whether a small file says where something is, and means that."""
    return _read_pointer(pointer, below) == _resolve(below, str(wanted))


def _read_pointer(pointer: Path, below: Path) -> Path | None:
    """Return where a small file says that something is; None where it says nothing."""
    try:
        said = read_text(pointer, bytes_max=_POINTER_BYTES_MAX, ground=below)
    except (OSError, ValueError):
        return None
    return _resolve(below, said.strip().removeprefix("gitdir: "))


def list_tracked(path: Path, folder: str) -> tuple[str, ...] | None:
    """Return what git tracks of a folder below the root, in whatever case; None if it cannot say.

    A folder that is itself a link or a repository of its own is one name.
    """
    said = _ask(path, "ls-files", "-z", "--", f":(top,icase){folder}")
    return None if said is None else tuple(name for name in said.split("\0") if name)


def list_untracked(path: Path, names: Iterable[str]) -> tuple[str, ...] | None:
    """Return which files below the root are new to git and not ignored; None if it cannot say."""
    wanted = (f":(top,literal){name}" for name in names)
    said = _ask(path, "ls-files", "-z", "--others", "--exclude-standard", "--", *wanted)
    return None if said is None else tuple(name for name in said.split("\0") if name)


def branch(path: Path) -> str | None:
    """Return the branch, also one without a commit yet; empty when HEAD is detached."""
    name = _ask(path, "symbolic-ref", "--quiet", "--short", "HEAD")
    if name:
        return name
    return None if repository(path) is None else ""


def commit(path: Path) -> str | None:
    """Return the id of the commit that is checked out."""
    return _ask(path, "rev-parse", "--verify", "--quiet", "HEAD") or None


def remote_url(path: Path) -> str | None:
    """Return the address of `origin`, or else of the first remote, without any credentials."""
    address = _ask(path, "config", "--get", "remote.origin.url")
    if not address:
        names = (_ask(path, "remote") or "").splitlines()
        address = _ask(path, "config", "--get", f"remote.{names[0]}.url") if names else None
    return strip_credentials(address) if address else None


def find_kin(path: Path) -> tuple[str, ...]:
    """Return what a repository shares with its clones: where it came from, and its first commit.

    Empty for one that has neither, or none that git tells. A clone that is shallow begins later.
    """
    first = _ask(path, "rev-list", "--first-parent", "--max-parents=0", "HEAD")
    known = (remote_url(path), *(first or "").split())
    return tuple(each for each in known if each)


def strip_credentials(address: str) -> str:
    """Return an address without a name and a password in it."""
    return str(_CREDENTIALS.sub("", address))


def user_name(path: Path) -> str:
    """Return how the user is called in commits; nothing where git does not know."""
    from agentx.host.git.kept.settings import read_kept  # noqa: PLC0415  see `_ask`

    kept = read_kept(path)
    if kept is not None:
        return kept.get("user.name", "")
    return _ask(path, "config", "--get", "user.name") or ""


def churn(path: Path, base: str, tip: str, *, without: str) -> tuple[int, int, int] | None:
    """Return how many files, added and removed lines lie between two commits, but for a folder."""
    if not base or base.startswith("-") or tip.startswith("-"):
        return None
    span, rest = f"{base}...{tip}", f":(exclude){without}"
    said = _ask(path, "diff", "--shortstat", *PLAIN_DIFF, span, "--", ".", rest)
    if said is None:
        return None
    counts = {word: int(count) for count, word in _COUNT.findall(said)}
    return counts.get("file", 0), counts.get("insertion", 0), counts.get("deletion", 0)


def last_changes(path: Path, since_s: int, commits_max: int) -> dict[str, int] | None:
    """Return which files commits changed since a time, and when last, in seconds since 1970.

    Paths are relative to the repository. Only the newest `commits_max` commits are looked at.
    """
    said = _ask(
        path,
        "log",
        f"--since={since_s}",
        f"--max-count={commits_max}",
        *PLAIN_DIFF,
        "--no-show-signature",
        "--name-only",
        "--format=%x00%ct",
        "--",
    )
    if said is None:
        return None
    found: dict[str, int] = {}
    for block in said.split("\0")[1:]:
        at, _, names = block.partition("\n")
        for name in names.split("\n"):
            if name and at.isdigit():
                found.setdefault(_unquote(name), int(at))
    return found


def list_uncommitted(path: Path) -> frozenset[str] | None:
    """Return the files that differ from the last commit, relative to the repository.

    Whether a file differs that was only touched is not looked into: no filter is run.
    """
    from agentx.host.git.command import quiet_filters  # noqa: PLC0415  see `_ask`

    filters, holder = quiet_filters(path), _find_holder(Path(os.path.realpath(path)))
    if filters is None or holder is None:
        return None
    tree = f"--work-tree={holder}"
    said = _ask(
        path, tree, "diff-index", "--name-only", *PLAIN_DIFF, "-z", "HEAD", "--", settings=filters
    )
    return None if said is None else frozenset(name for name in said.split("\0") if name)


def commit_time(path: Path, commit: str) -> int | None:
    """Return when a commit was made, in seconds since 1970; None when there is no such commit."""
    if not _HASH.fullmatch(commit):
        return None
    said = _ask(path, "show", "--no-patch", "--no-show-signature", "--format=%ct", commit)
    return int(said) if said and said.isdigit() else None


def _unquote(name: str) -> str:
    """Return a path that git wrote in quotes, because it has letters beyond ASCII, as it is."""
    if not name.startswith('"'):
        return name
    raw = name[1:-1].encode().decode("unicode_escape").encode("latin-1")
    return os.fsdecode(raw)


def _ask(path: Path, *question: str, settings: tuple[str, ...] = ()) -> str | None:
    """Return what git says, or None when it says nothing to rely on."""
    from agentx.host.git.command import ask_git  # noqa: PLC0415  most need not ask git itself

    said = ask_git(path, *question, settings=settings, wait_ms=GIT_WAIT_MS)
    return None if said is None or said.code != 0 else said.out.removesuffix("\n")


def _resolve(path: Path, said: str) -> Path:
    return Path(os.path.realpath(path / said))
