"""What questions came to that were settled elsewhere: kept as decisions, as our own are, once.

A colleague's decision comes with a pull. It is kept where its repository is trusted and its writer
is, with who decided it. Where the ledger then says something else than was kept here, that is
replaced: memory follows the ledger, which says the same in every clone. What was looked at is
noted, so that nothing comes back that a person dropped or forgot, and nothing is read again that is
as it was.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from dataclasses import replace

import msgspec

from agentx.clarification.model import Clarification, ClarificationStatus
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.vouching.signers import find_settlers, find_signers
from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import is_folder, read_bytes
from agentx.kernel.errors import AgentXError, CorruptRecord
from agentx.kernel.ids import digest, parse_clarification_id
from agentx.kernel.values import frozen
from agentx.observations.ids import observation_id
from agentx.observations.model import Observation
from agentx.observations.service import Observations
from agentx.project.project import Project
from agentx.recall.known.answers import read_decision
from agentx.wiring.clarifications import make_pen, name_decider
from agentx.wiring.kept.known import list_files_named, supersede
from agentx.wiring.observations import (
    open_observations,
    open_vouched,
    prepare_observations,
)
from agentx.wiring.trust.keys import open_keyring
from agentx.wiring.vouched.outcomes import UNVERIFIED, find_same, list_overtaken, read_said

_NOTE_BYTES_MAX = 4 * 1024 * 1024
_TAKEN_MAX = 20_000
_WORD_CHARS = 12
_LOOKS = 2  # raised where what was looked at by an earlier version is to be looked at again


class DecidedNote(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, as it lies on disk."""

    looks: dict[
        str, str
    ] = {}  # by issue: how long its files of events were, and whose words counted
    taken: tuple[str, ...] = ()  # questions by their uid, and a mark of what each came to


@frozen
class _Settled:
    """A question that was settled, and what is kept of it."""

    state: Clarification
    decision: Observation
    word: str  # a mark of what it came to
    keys: frozenset[str]  # whose word that is, and who settled it
    old: tuple[Observation, ...] = ()
    is_first: bool = True  # nothing was kept of it, or memory lost that


@frozen(kw_only=False)
class _Known:
    """What was looked at already."""

    taken: dict[str, str]  # by question, a mark of what it came to; grows
    lost: frozenset[str]  # questions of which memory lost what was kept


def follow_merge(project: Project) -> None:
    """Keep what a merge brought before memory is told; what cannot be kept now is kept later."""
    try:
        keep_decisions(project)
    except AgentXError as error:
        project.log.record("warning", "decisions-left-out", message=error.message)


def keep_decisions(project: Project) -> int:
    """Keep what questions came to that were settled elsewhere; return how many.

    Raises: LockHeld, UnavailableError.
    """
    if not (project.trust.has_data and any(map(is_folder, project.paths.asked))):
        return 0
    known, note = open_keyring(project).list_trusted(), _read_note(project)
    vouched = open_vouched(project)
    with closing(vouched):
        lost = vouched.list_lost()
    if not (known or note.taken or lost):
        return 0  # nobody else's word counts here, or ever did
    pen = make_pen(project)
    store = LedgerStore(project.paths, project.clock, pen)
    trusted = pen.signatures.stamp()
    looks = {
        str(stamp.issue): f"{sum(stamp.sizes.values())} {trusted} {_LOOKS}"
        for stamp in store.stamps()
    }
    of_lost = {parse_clarification_id(name)[1] for name in lost}
    changed = [
        int(issue)
        for issue, look in looks.items()
        if note.looks.get(issue) != look or int(issue) in of_lost
    ]
    if not changed:
        return 0
    taken = {uid: word for uid, _, word in (each.partition(" ") for each in note.taken)}
    kept = 0
    with closing(open_observations(project)) as room:
        if not room.is_enabled:
            return 0
        for issue in changed:
            here = room.store.get_by_issue(issue)
            for each in _list_settled(project, store, issue, here, _Known(taken, lost)):
                may_add = bool(each.keys & known.keys()) or each.state.id in lost
                done = _keep_one(project, room, each, may_add=may_add)
                if done is None:  # somebody else writes: at the next sync
                    return kept
                kept += done
                taken[each.state.uid] = each.word
                if done and each.state.id in lost:
                    vouched.note_found(each.state.id)
    words = tuple(f"{uid} {word}".strip() for uid, word in taken.items())
    _write_note(project, DecidedNote(looks=looks, taken=words[-_TAKEN_MAX:]))
    return kept


def _keep_one(
    project: Project, room: Observations, settled: _Settled, *, may_add: bool
) -> int | None:
    """Keep what a question came to, where something else is kept of it, or nothing was ever.

    Returns how many were kept; None where somebody else writes.
    """
    decision, old = settled.decision, settled.old
    overtaken, made = list_overtaken(old, settled.state, decision), find_same(old, decision)
    kept = 0
    if made is None and (overtaken or (may_add and settled.is_first)):
        prepare_observations(project)
        full = _finish(project, decision, f"{settled.state.uid} {settled.word}", old)
        done = room.capture((full,), agent=full.agent, issue=full.issue_number)
        if done is None:
            return None
        made, kept = next(iter(done), None), len(done)
    if made is not None:
        supersede(room, overtaken, made)
    return kept


def _list_settled(
    project: Project,
    store: LedgerStore,
    issue: int,
    here: Iterable[Observation],
    known: _Known,
) -> Iterator[_Settled]:
    """Yield the settled questions of an issue that came to something else than is kept of them.

    Only those that somebody vouches for. What is kept as it is needs nobody to be judged, and is
    noted in `taken`.
    """
    taken = known.taken
    kept: dict[str, list[Observation]] = {}
    for one in here:
        kept.setdefault(one.content.rpartition(" [")[2].removesuffix("]"), []).append(one)
    found: list[tuple[Clarification, str]] = []
    try:
        for state in store.read(issue):
            is_taken = state.answered is not None and state.answered.source  # from memory
            is_over = state.status is ClarificationStatus.RESOLVED and not is_taken
            decision = read_decision(state) if is_over else None
            if decision is None:
                continue
            said, old = read_said(decision), kept.get(state.id, [])
            word = digest(said).hex()[:_WORD_CHARS]
            if [read_said(one) for one in old if not one.superseded_by] == [said]:
                taken[state.uid] = word
            elif taken.get(state.uid) != word or state.id in known.lost:
                found.append((state, word))
        wanted = {state.uid for state, _ in found}
        judged = store.list_judged(issue, wanted) if found else ()
    except CorruptRecord:
        return
    signers, settlers = find_signers(judged), find_settlers(judged)
    for state, word in found:
        key = signers.get(state.uid, "")
        decision = read_decision(state, by=name_decider(project, key)) if key else None
        if decision is not None:
            yield _Settled(
                state=state,
                decision=decision,
                word=word,
                keys=frozenset({key, settlers.get(state.uid, "")}),
                old=tuple(kept.get(state.id, ())),
                is_first=(
                    not kept.get(state.id) and (state.uid not in taken or bool(taken[state.uid]))
                )
                or state.id in known.lost,
            )


def _finish(
    project: Project, decision: Observation, word: str, old: Iterable[Observation]
) -> Observation:
    """Return a decision as it is kept: with the files that it names, and a name of its own.

    Two who keep it at once keep one.
    """
    at_ms, issue = decision.timestamp_ms, decision.issue_number
    anew = sum(one.agent == UNVERIFIED for one in old)  # its own name may be in other words now
    said = (word, str(anew)) if anew else (word,)
    name = observation_id(decision.agent, issue, at_ms, lambda size: digest(*said)[:size])
    return replace(decision, id=name, files=list_files_named(project, decision.content))


def _read_note(project: Project) -> DecidedNote:
    try:
        raw = read_bytes(project.store.decided, bytes_max=_NOTE_BYTES_MAX)
        return msgspec.json.decode(raw, type=DecidedNote)
    except (OSError, ValueError, AgentXError, RecursionError):
        return DecidedNote()


def _write_note(project: Project, note: DecidedNote) -> None:
    if is_folder(project.store.root):
        with suppress(AgentXError, OSError):  # what is kept is found again by its name
            replace_file(project.store.decided, msgspec.json.encode(note))
