"""A branch that no person works on: written by git's plumbing, read back by its objects.

    find_tip        where it is now, mostly without starting git
    commit          files written, others taken out, the branch moved: one git, all or nothing

Nobody's index, HEAD, files or hooks are touched, and nothing that the repository's settings name
is run (`command`). The branch moves only from where its writer saw it: of two at once one is told
that it lost. Contents pass no filter.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from agentx.host.files.disk import FREE_ROOM, tells_no_room
from agentx.host.files.plain import is_folder
from agentx.host.git.command import GitReply, ask_git
from agentx.host.git.heads import list_checkouts
from agentx.host.limits import GIT_READ_WAIT_MS
from agentx.kernel.errors import StaleVersion, UnavailableError
from agentx.kernel.values import frozen

_WHO = "AgentX <agentx@localhost>"
_PLAIN_FILE = "100644"
_HASH_CHARS = (40, 64)
_POINTER_BYTES_MAX = 100
_REFS_MAX = 400
_MOVES_MAX = 50
_LOCK = re.compile(r"Unable to create '(.+\.lock)': File exists")
_LOGGED = ("core.logAllRefUpdates=true",)


@frozen
class StoredFile:
    """A file as a commit holds it."""

    blob: str
    size: int


@frozen
class BranchStep:
    """What a commit changes: files by their path, with None for one, or a folder, that goes."""

    saying: str
    at_s: int
    files: Mapping[str, bytes | None]
    parents: tuple[str, ...] = ()  # the first is where the branch was seen


@frozen(kw_only=False)
class OwnBranch:
    """One such branch; `common` is the folder of git's that all worktrees share."""

    root: Path
    common: Path
    name: str

    @property
    def ref(self) -> str:
        """Its whole name."""
        return f"refs/heads/{self.name}"

    def find_tip(self, ref: str = "") -> str:
        """Return the commit that the branch, or another reference, is at; empty if there is none.

        Raises: UnavailableError.
        """
        wanted = ref or self.ref
        found = _read_pointer(self.common / wanted)
        if found:
            return found
        below = self._list_below(wanted) if is_folder(self.common / wanted) else ()
        if below:
            raise UnavailableError(
                f"git has no branch {self.name} beside {below[0]}",
                hint=f"git branch -m {below[0]} NAME",
            )
        if os.path.lexists(self.common / wanted) and not is_folder(self.common / wanted):
            raise UnavailableError(
                f"{wanted} leads to another branch", hint=f"git symbolic-ref --delete {wanted}"
            )
        said = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", wanted)
        return said.out.strip() if said.code == 0 else ""

    def _list_below(self, ref: str) -> tuple[str, ...]:
        return self._ask("for-each-ref", "--format=%(refname:short)", f"{ref}/").lines

    def list_remotes(self) -> dict[str, str]:
        """Return where branches of this name are at remotes, as last fetched.

        Raises: UnavailableError.
        """
        pattern = f"refs/remotes/*/{self.name}"
        said = self._ask("for-each-ref", "--format=%(refname:short) %(objectname)", pattern)
        return {name: tip for name, _, tip in (line.rpartition(" ") for line in said.lines)}

    def is_checked_out(self) -> bool:
        """Tell whether somebody has the branch in a folder: it must not move under them."""
        return any(each.branch == self.name for each in list_checkouts(self.common))

    def holds(self, commit: str) -> bool:
        """Tell whether a commit is in this repository."""
        return self._ask("cat-file", "-e", f"{commit}^{{commit}}").code == 0

    def is_ancestor(self, older: str, newer: str) -> bool:
        """Tell whether a commit is part of another's history."""
        return self._ask("merge-base", "--is-ancestor", older, newer).code == 0

    def find_base(self, one: str, other: str) -> str:
        """Return a commit from which two others went apart; empty where there is none."""
        return next(iter(self._ask("merge-base", one, other).lines), "")

    def list_names(self, commit: str, folder: str = "") -> tuple[str, ...]:
        """Return what lies at the top of a commit, or right in a folder of it.

        Raises: UnavailableError.
        """
        below = f"{commit}:{folder}" if folder else commit
        said = self._ask("ls-tree", "-z", "--name-only", below)
        return said.names if said.code == 0 else ()

    def find_blob(self, commit: str, path: str) -> str:
        """Return the id of what lies somewhere in a commit; empty where nothing does."""
        said = self._ask("rev-parse", "--verify", "--quiet", "--end-of-options", f"{commit}:{path}")
        return said.out.strip() if said.code == 0 else ""

    def list_files(self, commit: str, folder: str) -> dict[str, StoredFile]:
        """Return the plain files of a commit below a folder, by path; links and the like are none.

        Raises: UnavailableError.
        """
        said = self._ask("ls-tree", "-r", "-l", "-z", "--full-tree", commit, "--", f"{folder}/")
        if said.code != 0:
            raise UnavailableError(f"git cannot read {self.name}: {said.err[:300]}")
        found: dict[str, StoredFile] = {}
        for row in said.names:
            what, _, path = row.partition("\t")
            mode, _, blob, size = what.split()
            if mode == _PLAIN_FILE and size.isdigit():
                found[path] = StoredFile(blob=blob, size=int(size))
        return found

    def read_blobs(self, blobs: Iterable[str]) -> dict[str, bytes]:
        """Return contents by their ids.

        Raises: UnavailableError where one is missing.
        """
        wanted = tuple(dict.fromkeys(blobs))
        if not wanted:
            return {}
        said = self._ask(
            "cat-file", "--batch", given="".join(f"{one}\n" for one in wanted).encode()
        )
        raw, found, at = os.fsencode(said.out), {}, 0
        for blob in wanted:
            head, _, _ = raw[at : at + 200].partition(b"\n")
            words = head.split()
            if len(words) != 3 or words[1] != b"blob":
                raise UnavailableError(f"git has lost {blob[:10]} of {self.name}")
            at += len(head) + 1
            found[blob] = raw[at : at + int(words[2])]
            at += int(words[2]) + 1
        return found

    def commit(self, step: BranchStep) -> str:
        """Commit files and move the branch; return where it is then.

        Raises: StaleVersion where somebody else moved it meanwhile, UnavailableError.
        """
        words = ("fast-import", "--quiet", "--date-format=raw")
        said = self._ask(*words, given=self._write(step), settings=_LOGGED)
        if said.code == 0:
            return said.out.strip()
        if self.find_tip() != "".join(step.parents[:1]):
            raise StaleVersion(f"{self.name} moved meanwhile", hint="try again")
        why = (said.err.splitlines() or ["git fast-import failed"])[0]
        hint = FREE_ROOM if any(map(tells_no_room, said.err.splitlines())) else ""
        raise UnavailableError(
            f"{self.name} was not written: {why[:300]}", hint=hint or _name_lock(said.err)
        )

    def was_left_here(self, before: str) -> bool:
        """Tell whether only our own commits moved the branch since it was at a commit.

        By what git notes of this repository, which no push or fetch brings along.
        """
        words = ("reflog", "show", f"--max-count={_MOVES_MAX}", "--format=%H %gs", self.ref)
        said = self._ask(*words)
        for line in said.lines if said.code == 0 else ():
            commit, _, how = line.partition(" ")
            if commit == before:
                return True
            if how != "fast-import":
                return False
        return said.code == 0 and not before

    def move(self, seen: str, tip: str) -> None:
        """Move the branch to a commit, from where it was seen; empty where it was not there.

        Raises: StaleVersion, UnavailableError.
        """
        nobody = "0" * len(tip)
        words = ("update-ref", "-m", "agentx", self.ref, tip, seen or nobody)
        said = self._ask(*words, settings=_LOGGED)
        if said.code != 0:
            if self.find_tip() != seen:
                raise StaleVersion(f"{self.name} moved meanwhile", hint="try again")
            raise UnavailableError(
                f"{self.name} was not moved: {said.err[:300]}", hint=_name_lock(said.err)
            )

    def _write(self, step: BranchStep) -> bytes:
        """Return a commit as `git fast-import` reads it; it answers with the commit's id."""
        saying = step.saying.encode()
        parts = [
            f"commit {self.ref}\nmark :1\ncommitter {_WHO} {step.at_s} +0000\n".encode(),
            b"data %d\n%s\n" % (len(saying), saying),
        ]
        for word, parent in zip(("from", *("merge",) * 15), step.parents, strict=False):
            parts.append(f"{word} {parent}\n".encode())
        for path, data in step.files.items():
            name = os.fsencode(path)
            if data is None:
                parts.append(b"D %s\n" % name)
            else:
                parts.append(b"M 100644 inline %s\ndata %d\n%s\n" % (name, len(data), data))
        parts.append(b"\nget-mark :1\ndone\n")
        return b"".join(parts)

    def _ask(
        self, *words: str, given: bytes | None = None, settings: tuple[str, ...] = ()
    ) -> GitReply:
        said = ask_git(self.root, *words, given=given, settings=settings, wait_ms=GIT_READ_WAIT_MS)
        if said is None:
            raise UnavailableError(
                f"git {words[0]} in {self.root} gave no answer", hint="look for a git that hangs"
            )
        return said


def find_lock(err: str) -> str:
    """Return the lock that git says is in its way, if one is; who left it may have been killed."""
    found = _LOCK.search(err)
    return "" if found is None else os.path.normpath(found[1])


def _name_lock(err: str) -> str:
    lock = find_lock(err)
    return f"remove {lock} if no git runs" if lock else ""


def is_tracked(root: Path, folders: tuple[str, ...], *, without: str) -> bool:
    """Tell whether any branch but one, of this repository or of a remote, or the index has folders.

    Raises: UnavailableError.
    """
    words = ("for-each-ref", f"--count={_REFS_MAX}", "--sort=-committerdate")
    refs = _read(root, *words, "--format=%(refname)", "refs/heads", "refs/remotes").lines
    names = ("HEAD", *(ref for ref in refs if ref.rpartition("/")[2] != without))
    asked = "".join(f"{name}:{folder}\n" for name in names for folder in folders)
    answers = _read(root, "cat-file", "--batch-check", given=asked.encode()).lines
    if any(" tree " in answer for answer in answers):
        return True
    return bool(_read(root, "ls-files", "-z", "--", *(f":(top){name}" for name in folders)).names)


def _read(root: Path, *words: str, given: bytes | None = None) -> GitReply:
    said = ask_git(root, *words, given=given, wait_ms=GIT_READ_WAIT_MS)
    if said is None or said.code != 0:
        why = "gave no answer" if said is None else said.err[:300]
        raise UnavailableError(f"git {words[0]} in {root}: {why}")
    return said


def _read_pointer(path: Path) -> str:
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except (OSError, ValueError):
        return ""
    try:
        said = os.read(file, _POINTER_BYTES_MAX).decode("ascii", "replace").strip()
    except OSError:
        return ""
    finally:
        os.close(file)
    return said if len(said) in _HASH_CHARS and not said.strip("0123456789abcdef") else ""
