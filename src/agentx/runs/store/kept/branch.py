"""The branch that keeps a checkout's runs: written by every command that writes a run.

    begin        before the first event: whoever comes after a kill knows what to commit
    commit       the files of those runs, in one commit, before the command returns
    bring_back   what the branch has and the folder lost, lines and files

The branch is ours where it stands as we left it, or holds nothing that the folder has not. What
else stands there was brought by somebody: it is taken in once a person trusts the repository. A
branch with other files is a person's own, and left alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from typing import Any

from agentx.host.crash import CrashPoint, passing
from agentx.host.files.atomic import replace_file
from agentx.host.files.below.walking import measure_files
from agentx.host.files.merged_lines import join_lines
from agentx.host.files.plain import exists, list_folder, look, measure_file, read_bytes
from agentx.host.git.layout import exclude, include
from agentx.host.git.own_branch import BranchStep, OwnBranch, StoredFile, is_tracked
from agentx.kernel.clock import Clock
from agentx.kernel.errors import (
    AgentXError,
    ConflictError,
    StaleVersion,
    UnavailableError,
)
from agentx.kernel.ids import is_run_id
from agentx.kernel.paths import ProjectPaths
from agentx.runs.limits import RUN_KEPT_BYTES_MAX
from agentx.runs.settings import BRANCH, WITH_CODE
from agentx.runs.store.archive import join_packed
from agentx.runs.store.kept.draft import KeptDraft, name_blob
from agentx.runs.store.kept.facts import MEMORY, PACKED, PARTS, is_fact, is_kept, is_page, run_of
from agentx.runs.store.kept.notes import KeptNotes
from agentx.runs.store.kept.taken_out import LinesTakenOut

_TRIES = 5
_INDEX = f"{MEMORY}/index.yaml"
_README_NAME = "README.md"
_README = (
    b"AgentX keeps the runs of this repository here. It writes this branch by itself:\n"
    b"do not edit it, and do not merge it into code.\n"
)


class KeptBranch:
    """The branch of one checkout's runs."""

    def __init__(
        self,
        project: ProjectPaths,
        branch: OwnBranch,
        notes: KeptNotes,
        clock: Clock,
        *,
        wanted: str = "auto",
        may_take_in: Callable[[], bool] = lambda: False,
        tell: Callable[[str], None] = lambda _run_id: None,
    ) -> None:
        self._root = project.root
        self._memory = project.run_memory
        self.branch = branch
        self.notes = notes
        self.taken_out = LinesTakenOut(project, branch, notes)
        self._clock = clock
        self._wanted = wanted
        self._may_take_in = may_take_in
        self._tell = tell  # is told of each run that was brought back
        self._known: dict[str, StoredFile] | None = (
            None  # what the branch holds, where it was read anew
        )
        self.is_held = False  # while much is taken in, to be committed as one

    # --- whether ------------------------------------------------------------------------------

    @property
    def is_on(self) -> bool:
        """Whether runs are on the branch already."""
        if self._wanted == WITH_CODE or not self.notes.is_there:
            return False
        return bool(self.notes.read().get("commit")) and self._is_wanted()

    def _decide(self, note: dict[str, Any]) -> bool:
        """Tell whether runs are to be on the branch; what was found once stays so.

        Raises: UnavailableError.
        """
        if self._wanted != "auto":
            return self._wanted == BRANCH
        if "kept" not in note:
            folders = tuple(f"{MEMORY}/{part}" for part in PARTS[:2])
            is_code = is_tracked(self._root, folders, without=BRANCH)
            note["kept"] = WITH_CODE if is_code else BRANCH
        return bool(note["kept"] == BRANCH)

    def is_to_be(self) -> bool:
        """Tell whether runs are, or will be, on the branch.

        Raises: UnavailableError, ConflictError, DataError.
        """
        if not self._is_wanted():
            return False
        known = self.notes.read()
        if self._wanted == BRANCH or "kept" in known:
            return self._decide(known)
        with self.notes.editing(self._clock) as note:
            return self._decide(note)

    def is_with_code(self) -> bool:
        """Tell whether it was found that runs are committed with the code."""
        return self.notes.read().get("kept") == WITH_CODE

    # --- committing ---------------------------------------------------------------------------

    def begin(self, run_id: str, *, leaves: bool = False) -> None:
        """Note that a run is about to be written, or that its folder goes."""
        if self._is_wanted():
            self.notes.begin(run_id, leaves=leaves)

    def commit(self, *runs: str, other: str = "") -> tuple[str, ...]:
        """Commit as `keep` does; return what is in the way: no command fails for the branch."""
        try:
            self.keep(*runs, other=other)
        except AgentXError as error:
            return (_tell_waiting(error.message, error.hint),)
        except OSError as error:
            return (_tell_waiting(str(error), ""),)
        return ()

    def keep(self, *runs: str, other: str = "") -> None:
        """Commit what was written of these runs, and of those that wait.

        `other` is a commit whose facts are all in the folder: it becomes a second parent.

        Raises: UnavailableError, ConflictError, DataError, OSError; the events are kept.
        """
        if self._wanted == WITH_CODE and self.notes.is_there:
            with suppress(AgentXError, OSError):
                include(self.branch.common, BRANCH)
        if self.is_held or not self._is_wanted():
            return
        with self.notes.editing(self._clock) as note:
            if self._decide(note):
                self._commit(note, runs, other)
                return
            for name in self.notes.list_waiting():
                self.notes.end(name)

    def _is_wanted(self) -> bool:
        """Tell whether runs are on the branch, or may be to come there; cheap."""
        return self._wanted == BRANCH or (self._wanted != WITH_CODE and not self.is_with_code())

    def _commit(self, note: dict[str, Any], runs: tuple[str, ...], other: str) -> None:
        for _ in range(_TRIES):
            self._meet(note)
            waiting = self.notes.list_waiting()
            tip = note.get("commit", "")
            is_anew = (
                self._known is not None or not tip
            )  # what the branch holds was found out just now
            names = {*runs, *waiting, *(self._list_runs() if is_anew else ())}
            step = KeptDraft(self._root, note, self._known)
            for name in sorted(names):
                step.add_run(name, self.notes.read_seen(name), leaves=waiting.get(name, False))
            step.add_rest()
            if not tip and step.files:
                step.files[_README_NAME] = _README
            # Pages that two clones made otherwise from the same facts are no news.
            if other or (step.files if self._known is None else step.has_news):
                parents = tuple(each for each in (tip, other) if each)
                try:
                    now_s = self._clock.now_ms() // 1000
                    saying = f"Keep {', '.join(sorted(names)[:3]) or 'runs'}\n"
                    made = self.branch.commit(
                        BranchStep(saying=saying, at_s=now_s, files=step.files, parents=parents)
                    )
                except StaleVersion:
                    continue
                passing(CrashPoint.RUN_KEPT)
                step.note_done(note, made)
            else:
                step.note_done(note, tip)
            self._known = None
            for name in names:
                self.notes.write_seen(name, step.seen.get(name, {}))
                self.notes.end(name)
            with suppress(AgentXError, OSError):
                exclude(self.branch.common, BRANCH, [f"/{MEMORY}/{part}" for part in PARTS])
            return
        raise UnavailableError(f"{BRANCH} moves all the time", hint="try again")

    def _meet(self, note: dict[str, Any]) -> None:
        """See that the branch stands where the note says, or bring both together.

        Raises: ConflictError where that cannot be, UnavailableError.
        """
        tip = self.branch.find_tip()
        if self.branch.is_checked_out():
            raise ConflictError(
                f"somebody has the branch {BRANCH} checked out",
                hint="switch to another branch there",
            )
        if tip == note.get("commit", ""):
            return
        if not tip:  # it was deleted: all is committed anew
            self._forget(note)
            return
        if not self.looks_ours(tip):
            raise ConflictError(
                f"the branch {BRANCH} has other files than AgentX keeps there",
                hint=f"`git branch -m {BRANCH} NAME`, "
                f"or `agentx config set runs.branch {WITH_CODE}`",
            )
        lacking = self.find_lacking(tip)
        # A commit of ours may not have been noted, and the folder have been lost since.
        if lacking and not (
            self._may_take_in() or self.branch.was_left_here(note.get("commit", ""))
        ):
            raise ConflictError(
                f"the branch {BRANCH} holds what was not written here",
                hint=f"look at it: `git log -p {BRANCH}`; then say `agentx trust`",
            )
        self.lay(lacking)
        self._forget(note)
        self._note_tip(note, tip)

    def _forget(self, note: dict[str, Any]) -> None:
        note.update({"commit": "", "facts": {}, "rest": {}})
        self.notes.forget_seen()

    def _note_tip(self, note: dict[str, Any], tip: str) -> None:
        rows = self._known = self.branch.list_files(tip, MEMORY)
        facts = {path: [row.size, row.blob] for path, row in rows.items() if is_fact(path)}
        gone = self.taken_out.list_left_out(facts)  # another clone has it still
        for path in gone:
            del facts[path]
        note.update({"commit": tip, "facts": facts, "gone": [*note.get("gone", ()), *gone]})

    def follow(self, tip: str) -> None:
        """Move the branch on to a commit that holds all of it, and whose facts are all here.

        Raises: StaleVersion, UnavailableError, ConflictError, DataError.
        """
        with self.notes.editing(self._clock) as note:
            self.branch.move(note.get("commit", ""), tip)
            self._forget(note)
            self._note_tip(note, tip)
            note["kept"] = BRANCH

    def list_ahead(self) -> tuple[str, ...]:
        """Return the branches of remotes, as last fetched, that hold what this one has not."""
        with suppress(AgentXError):
            if not self._is_wanted():
                return ()
            mine = self.branch.find_tip()
            theirs = self.branch.list_remotes()
            return tuple(
                name
                for name, tip in theirs.items()
                if self.looks_ours(tip) and not (mine and self.branch.is_ancestor(tip, mine))
            )
        return ()

    def looks_ours(self, commit: str) -> bool:
        """Tell whether a commit holds what AgentX keeps, and nothing else."""
        top = set(self.branch.list_names(commit))
        if MEMORY not in top:  # it may hold no run any more; another page is somebody's
            blob = self.branch.find_blob(commit, _README_NAME) if top == {_README_NAME} else ""
            return bool(blob) and blob == name_blob(_README, len(blob))
        held = set(self.branch.list_names(commit, MEMORY))
        return top <= {MEMORY, _README_NAME} and held <= set(PARTS)

    def _list_runs(self) -> Iterator[str]:
        with suppress(OSError):
            yield from filter(is_run_id, list_folder(self._memory / "runs").folders)

    def list_unkept(self) -> tuple[str, ...]:
        """Return the runs with facts in the folder that no command of ours wrote; cheap."""
        noted = self.notes.read().get("facts", {})

        def is_unkept(run_id: str) -> bool:
            folder = f"{MEMORY}/runs/{run_id}"
            files = measure_files(self._root / folder).items()
            found = {f"{folder}/{name}": row[0] for name, row in files}
            return any(noted.get(each, [-1])[0] != found[each] for each in found if is_fact(each))

        return tuple(filter(is_unkept, self._list_runs()))

    def list_strays(self) -> tuple[str, ...]:
        """Return what somebody laid where only what was kept aside goes with runs."""
        folders = (f"{MEMORY}/aside", *(f"{MEMORY}/runs/{run}/aside" for run in self._list_runs()))
        found: list[str] = []
        for folder in folders:
            with suppress(OSError):
                paths = (f"{folder}/{name}" for name in list_folder(self._root / folder).files)
                found += (path for path in paths if is_kept(path) and not is_fact(path))
        return tuple(found)

    # --- bringing back ------------------------------------------------------------------------

    def find_lost(self) -> tuple[str, ...]:
        """Return the facts that were committed and that the folder has no more; cheap."""
        if not self.is_on:
            return ()
        gone = {name for name, leaves in self.notes.list_waiting().items() if leaves}
        found, root = [], str(self._root)
        for path, noted in self.notes.read().get("facts", {}).items():
            is_there = measure_file(f"{root}/{path}") >= noted[0]
            if not is_there and not (run_of(path) in gone and path.startswith(f"{MEMORY}/runs/")):
                found.append(path)
        return tuple(found)

    def bring_back(self) -> dict[str, bool]:
        """Lay out again what the folder lost; return the runs that it was of, and whether whole.

        What is ours is laid out with all that was made of it, where nothing of a run is left.

        Raises: UnavailableError, ConflictError, DataError.
        """
        if not self.find_lost():
            return {}
        with self.notes.editing(self._clock) as note:
            lost = self.find_lost()
            rows = self.branch.list_files(note.get("commit", ""), MEMORY) if lost else {}
            found = {path: rows[path] for path in lost if path in rows and is_fact(path)}
            whole = {run for run in map(run_of, found) if run and not self._has_pages(run)}
            pages = {path: row for path, row in rows.items() if run_of(path) in whole}
            pages |= {path: row for path, row in rows.items() if path == _INDEX}
            self.lay({path: row for path, row in pages.items() if is_page(path)})
            self.lay(found)
            for path in lost:
                if path not in found:  # it was never there, or somebody wrote this note
                    del note["facts"][path]
        runs = sorted({*map(run_of, found)} - {""})
        for run in runs:
            self._tell(run)
        return {run: run in whole for run in runs}

    def _has_pages(self, run_id: str) -> bool:
        return measure_file(self._memory / "runs" / run_id / "manifest.yaml") >= 0

    def find_lacking(self, commit: str) -> dict[str, StoredFile]:
        """Return the facts of a commit that the folder has not, or not all of.

        Raises: UnavailableError.
        """
        rows = self.branch.list_files(commit, MEMORY)
        wanted = {path: row for path, row in rows.items() if is_fact(path)}
        differ = {path: row for path, row in wanted.items() if self._sum_up(path, row) != row.blob}
        held = self._read(differ)
        return {
            path: row
            for path, row in differ.items()
            if self._join(path, held[row.blob]) is not None
        }

    def _sum_up(self, path: str, row: StoredFile) -> str:
        seen = look(self._root / path)
        if seen is None or seen.st_size != row.size:
            return ""
        with suppress(OSError, AgentXError):
            return name_blob(read_bytes(self._root / path), len(row.blob))
        return ""

    def lay(self, wanted: dict[str, StoredFile]) -> None:
        """Put facts of the branch into the folder, together with what is there.

        Raises: UnavailableError.
        """
        held = self._read(wanted)
        for path, row in wanted.items():
            joined = self._join(path, held[row.blob])
            if joined is not None:
                replace_file(self._root / path, joined, is_synced=is_fact(path))

    def _join(self, path: str, there: bytes) -> bytes | None:
        """Return what a file is with what the branch has of it; None where that is what it is."""
        file = self._root / path
        try:
            here = read_bytes(file) if exists(file) else None
        except OSError as error:
            raise UnavailableError(f"{file} cannot be read: {error}") from error
        there = self.taken_out.leave(path, there)
        if here is None:
            return there or None
        if path.endswith(PACKED):
            return None if here == there else join_packed(run_of(path), here, there)
        if not path.endswith(".jsonl"):
            return None  # kept aside under a name that says what it holds
        joined = join_lines(here, there)
        return None if joined == here else joined

    def _read(self, wanted: dict[str, StoredFile]) -> dict[str, bytes]:
        if sum(row.size for row in wanted.values()) > RUN_KEPT_BYTES_MAX:
            raise UnavailableError(
                f"{BRANCH} brings more than {RUN_KEPT_BYTES_MAX:,} bytes that are not here",
                hint="look at what is on that branch",
            )
        return self.branch.read_blobs(row.blob for row in wanted.values())

    def list_known(self) -> tuple[str, ...]:
        """Return the runs of which the branch has a folder, as was last noted; cheap."""
        facts = self.notes.read().get("facts", {})
        return tuple({run_of(path): "" for path in facts if path.startswith(f"{MEMORY}/runs/")})

    def take_folder(self, *, forgets: bool, only: Collection[str] | None = None) -> tuple[str, ...]:
        """Let the folder count as it is, or `only` those of some runs: what is gone stays out.

        With `forgets` nothing brings those lines back, not from a remote either.

        Raises: UnavailableError, ConflictError, DataError.
        """
        if not self.is_on:
            return ()
        runs = set(self._list_runs())
        for run in self.list_known():
            if run not in runs and (only is None or run in only):
                self.begin(run, leaves=True)
        with self.notes.editing(self._clock) as note:
            facts = dict(note.get("facts", {}))
            meant = {path: row for path, row in facts.items() if not only or run_of(path) in only}
            if forgets:
                gone = self.taken_out.take_out(meant)
                note["forgotten"] = sorted({*note.get("forgotten", ()), *gone})
            note["gone"] = [path for path in meant if not exists(self._root / path)]
            note["facts"] = {path: row for path, row in facts.items() if path not in note["gone"]}
        if forgets:
            self.taken_out.clean_packed()
        return self.commit(*(runs if only is None else runs.intersection(only)))


def _tell_waiting(why: str, hint: str) -> str:
    more = f" ({hint})" if hint else ""
    return f"kept in the folder, and not on the branch {BRANCH} yet: {why}{more}"
