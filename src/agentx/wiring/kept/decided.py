"""What questions came to that were settled elsewhere: kept as decisions, as our own are, once.

A colleague's decision comes with a pull. It is kept where its repository is trusted and its writer
is, with who decided it. What was looked at is noted, so that nothing comes back that a person
dropped or forgot, and nothing is read again that is as it was.
"""

from __future__ import annotations

from collections.abc import Container, Iterator
from contextlib import closing, suppress
from dataclasses import replace

import msgspec

from agentx.clarification.model import Clarification, ClarificationStatus
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.store.vouching.signers import find_signers
from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import is_folder, read_bytes
from agentx.host.system import system_entropy
from agentx.kernel.errors import AgentXError, CorruptRecord
from agentx.observations.ids import observation_id
from agentx.observations.model import Observation
from agentx.project.project import Project
from agentx.recall.known.answers import read_decision
from agentx.wiring.clarifications import make_pen, open_keyring
from agentx.wiring.kept.known import list_files_named, list_kept, name_decider
from agentx.wiring.observations import open_observations, prepare_observations

_NOTE_BYTES_MAX = 4 * 1024 * 1024
_TAKEN_MAX = 20_000


class DecidedNote(msgspec.Struct, frozen=True, kw_only=True):
    """What was looked at, as it lies on disk."""

    looks: dict[
        str, str
    ] = {}  # by issue: how long its files of events were, and whose words counted
    taken: tuple[str, ...] = ()  # questions by their uid


def keep_decisions(project: Project) -> int:
    """Keep what questions came to that were settled elsewhere; return how many.

    Raises: LockHeld, UnavailableError.
    """
    if not (project.trust.has_data and any(map(is_folder, project.paths.asked))):
        return 0
    known = open_keyring(project).list_trusted()
    if not known:
        return 0  # nobody else's word counts here
    pen = make_pen(project)
    store = LedgerStore(project.paths, project.clock, pen)
    note, trusted = _read_note(project), pen.signatures.stamp()
    looks = {str(stamp.issue): f"{sum(stamp.sizes.values())} {trusted}" for stamp in store.stamps()}
    changed = [int(issue) for issue, look in looks.items() if note.looks.get(issue) != look]
    if not changed:
        return 0
    taken = dict.fromkeys(note.taken)
    with closing(open_observations(project)) as room:
        if not room.is_enabled:
            return 0
        kept = 0
        for issue in changed:
            here = room.store.get_by_issue(issue)
            for state, decision in _list_settled(project, store, issue, known):
                if state.uid in taken:
                    continue
                if not list_kept(here, state.id):
                    prepare_observations(project)
                    done = room.capture((decision,), agent=decision.agent, issue=issue)
                    if done is None:  # somebody else writes: at the next sync
                        return kept
                    kept += len(done)
                taken[state.uid] = None
    _write_note(project, DecidedNote(looks=looks, taken=tuple(taken)[-_TAKEN_MAX:]))
    return kept


def _list_settled(
    project: Project, store: LedgerStore, issue: int, known: Container[str]
) -> Iterator[tuple[Clarification, Observation]]:
    """Yield the questions of an issue that others settled whom we know, and what each came to."""
    try:
        ledger, signers = store.read(issue), find_signers(store.list_judged(issue))
    except CorruptRecord:
        return
    for state in ledger:
        key = signers.get(state.uid, "")
        is_taken = state.answered is not None and state.answered.source  # from memory
        if state.status is not ClarificationStatus.RESOLVED or key not in known or is_taken:
            continue
        decision = read_decision(state, by=name_decider(project, key))
        if decision is None:
            continue
        at_ms = decision.timestamp_ms
        name = observation_id(decision.agent, issue, at_ms, system_entropy)
        files = list_files_named(project, decision.content)
        yield state, replace(decision, id=name, files=files)


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
