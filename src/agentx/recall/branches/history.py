"""What git knows of the branches of a project, found out once for each state of its branches.

What was found lies in a note, by what the files of branches look like: while they look the same no
git is started. When they change git is asked a few questions, all of them bounded in commits and
in time; what is not known when the time is up counts as merged.

The note also holds the last commit of each branch that something was learnt on, because git
forgets where a branch was that is deleted. The note may be deleted: then those branches count by
what the observations themselves know.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import msgspec

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import is_folder, read_bytes
from agentx.host.git import branches as git
from agentx.host.git.heads import is_shallow, list_checkouts, look_at_refs
from agentx.host.git.landing import find_landing
from agentx.kernel.clock import Millis
from agentx.kernel.errors import AgentXError
from agentx.recall.branches.lines import Parents, find_fork, find_holders, find_roots
from agentx.recall.branches.reach import BranchFacts, BranchLine, Landing

# Who has so much time asks again what could not be found out before.
PATIENT_MS = 2_500
_NOTE_BYTES_MAX = 4 * 1024 * 1024
_NOTED_MAX = 300
_ASKED_MAX = 100
_COMPARED_MAX = 20
_VERSION = 2
_UNSURE = "?"  # nothing could be found out in time
_STALE = "~"  # nothing new could be: not merged before
_OPEN = _UNSURE + _STALE

Wanted = frozenset[tuple[str, str]]  # branches by their names, with a commit of each or without


class BranchNote(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What was found out, as it lies on disk."""

    version: int = _VERSION
    look: str = ""  # of the files of branches; empty: they may have changed since
    default: str = ""
    bases: tuple[str, ...] = ()  # the commits of the default branch, here and at the remote
    branches: dict[str, BranchLine] = {}
    commits: dict[str, BranchLine] = {}
    merges: dict[str, int] = {}
    last_tips: dict[str, str] = {}  # of branches that something was learnt on
    compared: dict[str, str] = {}  # tips: how each landed, or the bases that do not have it
    given_up: tuple[str, ...] = ()  # tips that were not merged when their branch went
    sought: tuple[str, ...] = ()  # shortened commits that no branch has apart from the default one

    @property
    def settled(self) -> str:
        """What is noted of a tip that the default branch does not have, as it is now."""
        return " ".join(self.bases)


class BranchHistory:
    """The branches of one project."""

    def __init__(self, folder: Path, common: Path, note: Path) -> None:
        self._folder = folder
        self._common = common
        self._path = note

    def read(self, wanted: Wanted, now_ms: Millis, wait_ms: int) -> BranchFacts:
        """Return what is known of branches and commits, within about so much time."""
        look = look_at_refs(self._common, now_ms)
        note = self._read_note()
        if note.look != look.mark or not is_covered(note, wanted, is_patient=wait_ms >= PATIENT_MS):
            note = _Search(self._folder, self._common, wait_ms).renew(note, wanted)
            # Where git did not even say which branch is the default one it is asked again.
            self._write(note, look.mark if look.is_settled and note.default else "")
        return BranchFacts(
            default=note.default,
            branches=note.branches,
            commits=note.commits,
            last_tips=note.last_tips,
            merges=note.merges,
        )

    def _read_note(self) -> BranchNote:
        try:
            raw = read_bytes(self._path, bytes_max=_NOTE_BYTES_MAX)
            note = msgspec.json.decode(raw, type=BranchNote)
        except (OSError, ValueError, AgentXError, RecursionError):
            return BranchNote()
        return note if note.version == _VERSION else BranchNote()

    def _write(self, note: BranchNote, look: str) -> None:
        if is_folder(self._path.parent):
            with suppress(AgentXError, OSError):  # it only saves work
                raw = msgspec.json.encode(msgspec.structs.replace(note, look=look))
                replace_file(self._path, raw)


def is_covered(note: BranchNote, wanted: Wanted, *, is_patient: bool) -> bool:
    """Tell whether all that is asked about was found out before."""
    for name, head in wanted:
        is_known = head in note.commits or head in note.sought
        if head and not is_known and len(note.commits) < _ASKED_MAX:
            return False
        for line in _list_lines(note, name, head):
            told = note.compared.get(line.tip, "")
            if line.landed is None and line.is_known and not told:
                return False
            if is_patient and told.endswith(tuple(_OPEN)):
                return False
    return True


def _list_lines(note: BranchNote, name: str, head: str) -> Iterator[BranchLine]:
    """Yield the lines that a branch goes by: its own, or the last known of it, and a commit's."""
    if name in note.branches:
        yield note.branches[name]
    elif note.last_tips.get(name, "") in note.commits:
        yield note.commits[note.last_tips[name]]
    if head in note.commits:
        yield note.commits[head]


class _Search:
    """One search for what is known, with the time that it has left."""

    def __init__(self, folder: Path, common: Path, wait_ms: int) -> None:
        self._folder = folder
        self._common = common
        self._is_patient = wait_ms >= PATIENT_MS
        self._until = time.monotonic() + wait_ms / 1000

    def _left_ms(self) -> int:
        return max(int((self._until - time.monotonic()) * 1000), 1)

    def _is_over(self) -> bool:
        return time.monotonic() >= self._until

    def renew(self, old: BranchNote, wanted: Wanted) -> BranchNote:
        """Return what is known now, with what is remembered of branches that are gone."""
        refs = git.list_refs(self._folder, self._left_ms())
        if refs is None:
            return msgspec.structs.replace(old, default="")
        default = git.find_default(refs)
        bases = git.list_bases(refs)
        tips = _list_tips(refs)
        names = {name for name, _ in wanted}
        last = {**old.last_tips, **{name: tips[name].tip for name in names & tips.keys()}}
        gone = [tip for name, tip in last.items() if name not in tips]
        asked = [*gone, *(head for _, head in sorted(wanted)), *old.commits]
        asked = [*filter(git.is_full_hash, dict.fromkeys(asked))][:_ASKED_MAX]
        out = list_checkouts(self._common)
        first = [name for name in (*names, *(one.branch for one in out)) if name in tips]
        points = {name: tips[name].tip for name in (*first, *tips)}
        points |= {one.commit: one.commit for one in out if one.commit}
        apart = git.list_apart(self._folder, [*asked, *points.values()], bases, self._left_ms())
        if apart is None or not bases:
            return msgspec.structs.replace(old, default="", last_tips=last)
        short = _complete((head for _, head in wanted), apart)
        asked = [*dict.fromkeys((*asked, *filter(None, short.values())))][:_ASKED_MAX]
        lines = self._draw(apart, points, asked, frozenset(old.given_up))
        branches = {
            name: self._describe(lines[ref.tip], ref, default, points) for name, ref in tips.items()
        }
        found = msgspec.structs.replace(
            old,
            default=default,
            bases=bases,
            branches=branches,
            commits={each: lines[each] for each in asked}
            | {each: lines[whole] for each, whole in short.items() if whole in lines},
            last_tips=last,
            sought=tuple(each for each, whole in short.items() if whole not in lines),
        )
        return _remember(self._compare(found, wanted, apart))

    def _draw(
        self,
        apart: Parents,
        points: Mapping[str, str],
        asked: Sequence[str],
        given_up: Collection[str],
    ) -> dict[str, BranchLine]:
        """Return the line up to each branch and each commit."""
        wanted = {*asked, *points.values()}
        holders = find_holders(apart, points, wanted)
        unknown = set(find_roots(apart, wanted)) if is_shallow(self._common) else set[str]()
        # What is apart from nothing is in the default branch, or was never here or thrown away.
        doubtful = {each for each in asked if each not in apart}
        missing = doubtful - git.list_there(self._folder, doubtful, self._left_ms())
        unknown |= missing.difference(given_up)
        return {
            tip: BranchLine(
                tip=tip,
                landed=None if tip in apart or tip in missing else Landing.CONTAINED,
                holders=holders.get(tip, ()),
                is_known=tip not in unknown,
            )
            for tip in wanted
        }

    def _describe(
        self, line: BranchLine, ref: git.Ref, default: str, points: Mapping[str, str]
    ) -> BranchLine:
        """Return the line of a branch, with what its own log says of it."""
        log = None if ref.remote else git.read_log(self._common, ref.name)
        line = replace(line, committed_ms=ref.committed_ms, authored_ms=ref.authored_ms)
        if log is None:
            return line
        began_here = _is_begun_here(log.began_at, default, points)
        is_empty = line.landed is not None and not log.has_own and began_here
        return replace(line, created_ms=log.created_ms, is_empty=is_empty)

    def _compare(self, note: BranchNote, wanted: Wanted, parents: Parents) -> BranchNote:
        """Look for what came into the default branch as other commits."""
        first = [next(_list_lines(note, *pair), None) for pair in sorted(wanted)]
        lines = {line.tip: line for line in first if line is not None}
        lines |= {
            tip: note.commits[tip]
            for name, tip in note.last_tips.items()
            if name not in note.branches and tip in note.commits
        }
        for pair in sorted(wanted):
            lines |= {line.tip: line for line in _list_lines(note, *pair)}
        apart = [tip for tip, line in lines.items() if line.landed is None and line.is_known]
        if not apart:
            return note
        compared = dict(note.compared)
        apart.sort(key=lambda tip: compared.get(tip, "").endswith(tuple(_OPEN)))  # slow ones last
        for tip in apart[:_COMPARED_MAX]:
            told = compared.get(tip, "")
            is_told = told in tuple(Landing) or told.rstrip(_OPEN) == note.settled
            if not is_told or (self._is_patient and told.endswith(tuple(_OPEN))):
                compared.pop(tip, None)
                landed = self._find_landing(note, tip, find_fork(parents, tip))
                # What was not merged before is taken for not merged still.
                stays = _STALE if told and not told.endswith(_UNSURE) else _UNSURE
                compared[tip] = note.settled + stays if landed is None else landed
        known = dict(list(compared.items())[-_NOTED_MAX:])
        return msgspec.structs.replace(
            note,
            merges=git.list_named_merges(self._folder, note.bases[0], self._left_ms()),
            compared=known,
            branches={name: _land(line, known, lines) for name, line in note.branches.items()},
            commits={name: _land(line, known, lines) for name, line in note.commits.items()},
        )

    def _find_landing(self, note: BranchNote, tip: str, fork: str | None) -> str | None:
        """Return how a tip came in, or which bases do not have it; None when time was up."""
        for base in note.bases:
            fork = fork or git.find_base(self._folder, base, tip, self._left_ms())
            landed = find_landing(self._folder, base, fork, tip, self._left_ms()) if fork else fork
            if landed:
                return landed
            if landed is None or self._is_over():
                return None
        return note.settled


def _remember(note: BranchNote) -> BranchNote:
    """Keep of branches that are gone what is still of use: git throws away what no branch holds."""
    gone = {name: tip for name, tip in note.last_tips.items() if name not in note.branches}
    lines = {name: note.commits[tip] for name, tip in gone.items() if tip in note.commits}
    landed = {name for name, line in lines.items() if line.landed is not None}
    given_up = dict.fromkeys(note.given_up)
    given_up |= {
        line.tip: None
        for line in lines.values()
        if line.landed is None and line.is_known and not line.holders
    }
    kept = [(name, tip) for name, tip in note.last_tips.items() if name not in landed]
    return msgspec.structs.replace(
        note, last_tips=dict(kept[-_NOTED_MAX:]), given_up=tuple(given_up)[-_NOTED_MAX:]
    )


def _complete(heads: Iterable[str], apart: Collection[str]) -> dict[str, str]:
    """Return whole commits by their beginnings; none where no branch has one, or two begin so."""
    short = sorted({head for head in heads if head and not git.is_full_hash(head)})[:_ASKED_MAX]
    found = {head: [each for each in apart if each.startswith(head)] for head in short}
    return {head: whole[0] if len(whole) == 1 else "" for head, whole in found.items()}


def _list_tips(refs: Sequence[git.Ref]) -> dict[str, git.Ref]:
    """Return the branches by name; a remote's where there is none here."""
    found = {ref.name: ref for ref in refs if not ref.remote}
    for ref in refs:
        if ref.remote and ref.name and ref.name != "HEAD":
            found.setdefault(ref.name, ref)
    return found


def _is_begun_here(began_at: str, default: str, points: Mapping[str, str]) -> bool:
    """Tell whether a branch was begun here, and not taken from a remote's of the same work."""
    local = began_at.removeprefix("refs/heads/")
    remote = local.removeprefix("refs/remotes/").removeprefix("origin/")
    return local == "HEAD" or remote == default or (remote == local and local in points)


def _land(line: BranchLine, compared: Mapping[str, str], asked: Collection[str]) -> BranchLine:
    """Return a line with what comparing it told; what was not compared is not known."""
    if line.landed is not None or line.tip not in asked:
        return line
    told = compared.get(line.tip, _UNSURE)
    if told in tuple(Landing):
        return replace(line, landed=Landing(told))
    return replace(line, is_known=line.is_known and not told.endswith(_UNSURE))
