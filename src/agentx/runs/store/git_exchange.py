"""The branch of runs and that of a remote: fetched, joined, pushed.

Both sides only add, so joining them is all facts of both. A run that was packed on one side and
has nothing new on the other is packed. The remote's branch moves only from where it was seen: who
comes second fetches again.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.disk import FREE_ROOM
from agentx.host.git.command import do_git, read_git
from agentx.host.git.facts import strip_credentials
from agentx.host.git.kept.settings import find_setting, has_promisor, list_remotes
from agentx.host.git.own_branch import find_lock
from agentx.host.locks.flock import Flock
from agentx.kernel.errors import (
    AgentXError,
    ConflictError,
    InvalidValue,
    NotFound,
    StaleVersion,
    UnavailableError,
)
from agentx.kernel.values import frozen
from agentx.runs.settings import BRANCH
from agentx.runs.store.archive import unpack_events
from agentx.runs.store.event_files import events_in
from agentx.runs.store.kept.branch import KeptBranch
from agentx.runs.store.kept.facts import MEMORY, PACKED, is_fact
from agentx.runs.store.kept.notes import KeptNotes
from agentx.runs.store.run_store import RunStore
from agentx.runs.store.shared.fetching import find_no_room, is_refused_here, say_failed, say_why
from agentx.runs.store.shared.taking_in import take_in

_FETCH_WAIT_MS = 60_000
_AGREED = "pushes_to"
_LET = "let"  # lines that a remote was pushed without, by its address
_CLAIMED = "claimed"  # events that a remote took
_CLAIMED_MAX = 500
_NAMED_MAX = 3
_WANTED_MAX = 500  # contents that one fetch asks for
# What git, or a remote, says of a branch that is not where it was seen; hooks say other things.
_OVERTAKEN = (
    *("failed to update ref", "cannot lock ref", "failed to lock", "but expected"),
    *("reference already exists", "incorrect old value", "stale info"),
)


@frozen(kw_only=False)
class Remote:
    """A remote of the repository."""

    name: str
    url: str


def find_remote(root: Path, wanted: str = "", agreed: Collection[str] = ()) -> Remote:
    """Return the remote that is meant: the one that is named, or else the one for runs.

    That is one to which a person agreed (by its address), `origin`, one that has runs, or a first.

    Raises: NotFound, InvalidValue.
    """
    names = list_remotes(root)
    if not names:
        raise NotFound(
            f"{root} has no remote", hint="git remote add origin URL; runs stay here until then"
        )
    if wanted and wanted not in names:
        raise InvalidValue(f"{wanted!r} is no remote of it", hint=f"one of {', '.join(names)}")
    if wanted or len(names) == 1:
        return _look_up(root, wanted or names[0])
    usual = sorted(names, key=lambda name: name != "origin")
    if agreed:
        remotes = (_look_up(root, name) for name in usual)
        known = next((each for each in remotes if strip_credentials(each.url) in agreed), None)
        if known is not None:
            return known
    if usual[0] == "origin":
        return _look_up(root, usual[0])
    seen = read_git(root, "for-each-ref", "--format=%(refname)", f"refs/remotes/**/{BRANCH}").lines
    having = (name for name in usual if f"refs/remotes/{name}/{BRANCH}" in seen)
    return _look_up(root, next(having, usual[0]))


def list_agreed(notes: KeptNotes) -> frozenset[str]:
    """Return the remotes, by their addresses, to which a person agreed that runs are pushed."""
    return frozenset(notes.read().get(_AGREED, {}))


def _look_up(root: Path, name: str) -> Remote:
    return Remote(name, find_setting(root, f"remote.{name}.url").strip())


def fetch(kept: KeptBranch, root: Path, remote: Remote, wait_ms: int = _FETCH_WAIT_MS) -> str:
    """Return where the branch is at a remote now; empty where it has none.

    Raises: UnavailableError where the remote is not reached.
    """
    there = f"refs/remotes/{remote.name}/{BRANCH}"
    refs = f"+refs/heads/{BRANCH}*:{there}*"  # a pattern: a remote without the branch is no error
    done = do_git(
        *(root, "fetch", "--quiet", "--prune", "--no-tags", "--no-write-fetch-head"),
        *("--no-recurse-submodules", "--end-of-options", remote.name, refs),
        wait_ms=wait_ms,
    )
    if done.code != 0:
        why = say_failed(remote.name, done.err)
        hint = "runs are kept here meanwhile"
        if find_no_room(done.err):
            hint = FREE_ROOM
        elif not is_refused_here(done.err):
            hint = f"offline? {hint}"
        raise UnavailableError(why, hint=hint)
    tip = kept.branch.find_tip(there)
    if tip:
        _fetch_left_out(root, remote, tip, wait_ms)
    return tip


def _fetch_left_out(root: Path, remote: Remote, tip: str, wait_ms: int) -> None:
    """Fetch what files of runs hold where this clone was made without contents.

    Raises: UnavailableError where the remote does not give them.
    """
    if not has_promisor(root):
        return
    said = read_git(root, "rev-list", "--objects", "--no-walk", "--missing=print", tip)
    lacking = tuple(line[1:] for line in said.lines if line.startswith("?"))
    for start in range(0, len(lacking), _WANTED_MAX):
        done = do_git(
            *(root, "fetch", "--quiet", "--no-tags", "--no-write-fetch-head", "--no-filter"),
            *("--no-recurse-submodules", "--end-of-options", remote.name),
            *lacking[start : start + _WANTED_MAX],
            wait_ms=wait_ms,
        )
        if done.code != 0:
            why = say_why(done.err, "git fetch failed")
            raise UnavailableError(
                f"{remote.name} does not give what this clone left out of {BRANCH}: {why}",
                hint=f"git fetch --refetch --no-filter {shlex.quote(remote.name)}",
            )


def push(kept: KeptBranch, root: Path, remote: Remote, wait_ms: int = _FETCH_WAIT_MS) -> str:
    """Push the branch; return what git says where somebody pushed meanwhile.

    Raises: UnavailableError where the remote is not reached, or refuses.
    """
    ref = kept.branch.ref
    words = ("push", "--quiet", "--no-verify", "--end-of-options", remote.name, f"{ref}:{ref}")
    done = do_git(root, *words, wait_ms=wait_ms)
    if done.code == 0:
        return ""
    refused = next((each.strip() for each in done.err.splitlines() if each[:4] == " ! ["), "")
    if _is_overtaken(refused, done.err):
        return done.err
    why = refused or (done.err.splitlines() or ["git push failed"])[-1]
    raise UnavailableError(
        f"{remote.name} did not take {BRANCH}: {why}", hint="runs are kept here meanwhile"
    )


def _is_overtaken(refused: str, err: str) -> bool:
    """Tell whether a push was refused as somebody else was faster, and not for good."""
    if refused.startswith("! [rejected]"):
        return True
    why = refused.rpartition(" -> ")[2].partition("(")[2]
    is_broken = "Unable to create" in err and "File exists" not in err  # no lock: no rights, say
    return any(word in why for word in _OVERTAKEN) and not is_broken


class RunExchange:
    """One exchange with a remote."""

    def __init__(self, store: RunStore, remote: Remote, is_trusted: Callable[[], bool]) -> None:
        assert store.kept is not None, "only what is on a branch is exchanged by one"
        self._root = store.paths.project.root
        self._store = store
        self._kept = store.kept
        self._is_trusted = is_trusted
        self.remote = remote
        self.wait_ms = _FETCH_WAIT_MS
        self.remarks: list[str] = list(store.bring_back())
        self._theirs = ""
        self._overtaken = ""  # what git said of the last push

    @property
    def shown_url(self) -> str:
        """Where the remote is, without any credentials."""
        return strip_credentials(self.remote.url)

    def find_tip(self) -> str:
        """Return where the branch is here."""
        return self._kept.branch.find_tip()

    def take_in(self) -> tuple[str, ...]:
        """Commit what is here, fetch, and join both; return the runs that are others now.

        What others pushed is taken in also where the branch cannot be written.

        Raises: UnavailableError, also where not all of here is on the branch; ConflictError,
            DataError.
        """
        told = self._kept.commit(
            *self._kept.list_unkept()
        )  # what was laid here by hand counts here
        theirs = self._theirs = fetch(self._kept, self._root, self.remote, self.wait_ms)
        mine, branch = self.find_tip(), self._kept.branch
        if not theirs or theirs == mine or (mine and branch.is_ancestor(theirs, mine)):
            if told:
                self._keep()
            return ()
        self._check_theirs(theirs)
        runs = take_in(self._store, self._kept, theirs)
        if not mine or branch.is_ancestor(mine, theirs):
            try:
                self._kept.follow(theirs)
            except StaleVersion:
                return (*runs, *self.take_in())
            self._keep(*runs)
        else:
            self._keep(*runs, other=theirs)
        return runs

    def _keep(self, *runs: str, other: str = "") -> None:
        """Commit what is here: only what is on the branch is ever pushed.

        Raises: UnavailableError, naming what is not on the branch, and why.
        """
        try:
            self._kept.keep(*runs, other=other)
        except (AgentXError, OSError) as error:
            names = ", ".join(sorted({*runs, *self._kept.notes.list_waiting()})[:_NAMED_MAX])
            why = error.message if isinstance(error, AgentXError) else str(error)
            raise UnavailableError(
                f"what is new is not on the branch {BRANCH}: {names or 'runs'}: {why}",
                hint=(isinstance(error, AgentXError) and error.hint) or "try again",
            ) from error

    def _check_theirs(self, theirs: str) -> None:
        """See that what the remote has is runs, and that a person trusts the repository.

        Raises: ConflictError.
        """
        if not self._kept.looks_ours(theirs):
            raise ConflictError(
                f"{self.remote.name}/{BRANCH} holds other files than AgentX keeps there",
                hint="somebody uses that name for something else: nothing was taken in or pushed",
            )
        if not self._is_trusted():
            there = f"{self.remote.name}/{BRANCH}"
            raise ConflictError(
                f"{there} holds what was not written here",
                hint=f"look at it: `git log -p {there}`; then say `agentx trust`",
            )

    def is_ahead(self) -> bool:
        """Tell whether the remote lacks something, or has what is to go there.

        Lines that were taken out here go from a remote once. Where another clone brought them back
        they stay there: else both would push for ever.

        Raises: UnavailableError.
        """
        mine = self.find_tip()
        if not mine or mine == self._theirs:
            return False
        let = frozenset(self._kept.notes.read().get(_LET, {}).get(self.shown_url, ()))
        return not (let and self._theirs) or self._kept.taken_out.brings(mine, self._theirs, let)

    def list_unknown(self, run_id: str, events: frozenset[str]) -> frozenset[str]:
        """Return which of some events of a run no remote ever had, as far as is known here.

        One that was pushed was there, also where somebody deleted the branch since, or put it back.

        Raises: UnavailableError.
        """
        branch = self._kept.branch
        events -= frozenset(self._kept.notes.read().get(_CLAIMED, ()))
        for tip in branch.list_remotes().values():
            files = branch.list_files(tip, f"{MEMORY}/runs/{run_id}")
            texts = branch.read_blobs(row.blob for path, row in files.items() if is_fact(path))
            events -= {each.id for text in texts.values() for each in events_in(text, run_id)}
            packed = branch.list_files(tip, f"{MEMORY}/archive") if events else {}
            path = f"{MEMORY}/archive/{run_id}{PACKED}"
            blobs = branch.read_blobs((packed[path].blob,)) if path in packed else {}
            events -= {each.id for data in blobs.values() for each in unpack_events(data, run_id)}
        return events

    @contextmanager
    def claiming(self, run_id: str, task: str) -> Iterator[bool]:
        """Say for others in this checkout that a task is claimed at the remote just now.

        Gives whether nobody else does; the system ends it with the process.
        """
        make_private_directory(self._kept.notes.claiming)
        held = Flock.claim(self._kept.notes.claiming / f"{run_id}.{task}.lock")
        try:
            yield held is not None
        finally:
            if held is not None:
                held.remove()
                held.release()

    def note_claimed(self, event_id: str) -> None:
        """Note that the remote took a claim."""
        with suppress(AgentXError), self._kept.notes.editing(self._store.clock) as note:
            note[_CLAIMED] = [*note.get(_CLAIMED, ()), event_id][-_CLAIMED_MAX:]

    def is_known(self) -> bool:
        """Tell whether the remote had runs when it was last looked at."""
        there = f"refs/remotes/{self.remote.name}/{BRANCH}"
        return bool(self._kept.branch.find_tip(there))

    def is_agreed(self) -> bool:
        """Tell whether a person agreed to pushing there."""
        return self.shown_url in list_agreed(self._kept.notes)

    def agree(self, at: str) -> None:
        """Note that a person agreed to pushing there.

        Raises: LockHeld, CorruptRecord, UnavailableError.
        """
        with self._kept.notes.editing(self._store.clock) as note:
            note.setdefault(_AGREED, {})[self.shown_url] = at

    def push(self) -> bool:
        """Push what is here; False where somebody else was first.

        Raises: UnavailableError, also where not all of here is on the branch.
        """
        self._keep()
        if not self.is_ahead():
            return True
        self._overtaken = push(self._kept, self._root, self.remote, self.wait_ms)
        if not self._overtaken:
            self._theirs = self.find_tip()
            self._note_let()
        return not self._overtaken

    def _note_let(self) -> None:
        """Note which lines that were taken out here are gone from the remote now."""
        note = self._kept.notes.read()
        forgotten = note.get("forgotten", [])
        if note.get(_LET, {}).get(self.shown_url, []) != forgotten:
            with suppress(AgentXError), self._kept.notes.editing(self._store.clock) as note:
                note.setdefault(_LET, {})[self.shown_url] = forgotten

    def give_up(self) -> UnavailableError:
        """Return why nothing was pushed, however often it was tried."""
        name, lock = self.remote.name, find_lock(self._overtaken)
        if not lock:
            return UnavailableError(
                f"{name} is pushed to all the time", hint="try again in a while"
            )
        return UnavailableError(
            f"{name} has a lock on {BRANCH}: {lock}",
            hint=f"where it stays: who keeps {name} removes it, if no git runs there",
        )
