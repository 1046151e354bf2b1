"""How often each thing was told, and how often it was opened: told by the notes that hooks leave.

    hook prints a digest --> spools a note with the ids in it --> drain: log, counts, bus

A note counts once, however often a killed drain takes it again: the names of the last
notes are kept beside the counts. Lost, the view begins anew, or is rebuilt from the notes
in the log. What was opened is noted beside it, by whoever opened it: only that makes a thing
weightier.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

import msgspec

from agentx.conversation.limits import EVENTS_PAGE_MAX
from agentx.conversation.model import Event, EventPage, EventQuery
from agentx.conversation.toc_model import Expansion, TocNode
from agentx.host.files.atomic import replace_file
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.capture import EventType
from agentx.kernel.clock import Millis
from agentx.kernel.errors import InputError
from agentx.kernel.ids import is_ulid
from agentx.kernel.values import frozen
from agentx.observations.model import name_told
from agentx.views.limits import (
    RECALLED_DOCUMENTS_MAX,
    RECALLED_NOTES_MAX,
    TELLING_IDS_MAX,
    TELLINGS_KEPT_MAX,
)
from agentx.views.port import Gone, View

_MOMENTS = ("prompt", "action")
NOTE_MARK = "injected"  # the key under which a note's event keeps what the hook said


@frozen
class SessionTold:
    """A session was told what was remembered, by the ids of what it was told."""

    project: str
    harness: str
    session_id: str
    at_ms: Millis
    doc_ids: tuple[str, ...]
    moment: str = "start"  # or "prompt", "action"


@frozen
class Note:
    """What one session was told."""

    name: str  # the same whenever the note is taken
    fact: SessionTold


class Recalls(msgspec.Struct, frozen=True):
    """How often something was recalled, and when last."""

    count: int
    last_ms: int


class ToldOnce(msgspec.Struct, frozen=True, array_like=True):
    """That a session was told some things at one moment."""

    at_ms: int
    moment: str
    harness: str
    session_id: str
    ids: tuple[str, ...] = ()


class _Document(msgspec.Struct):
    version: int = 1
    notes: list[str] = []
    told: list[ToldOnce] = []  # the last ones
    documents: dict[str, Recalls] = {}
    uses: dict[str, int] = {}  # how often each was opened; in no note, so kept when counted anew


class Notes(Protocol):
    """What is read of the log and its table of contents."""

    def events(self, query: EventQuery) -> EventPage: ...

    def event(self, event_id: str) -> Event: ...

    def toc_node(self, node_id: str) -> TocNode: ...

    def expand(self, grip_id: str, *, before: int, after: int) -> Expansion: ...


class RecallTally(View):
    """The counts of one project."""

    name = "recalls"

    def __init__(self, path: Path, notes: Notes) -> None:
        self._path = path
        self._notes = notes

    def catch_up(self, told: HowFar = unheard) -> int:  # noqa: ARG002
        """Do nothing: whoever takes a note out of the spool counts it at once."""
        return 0

    @contextmanager
    def forget(self, gone: Gone) -> Iterator[None]:  # noqa: ARG002  whatever is no longer there goes
        """Drop the counts of what is gone."""
        yield
        document = _load(self._path)
        if self._sweep(document):
            replace_file(self._path, msgspec.json.encode(document))

    def rebuild(self, told: HowFar = unheard) -> int:  # noqa: ARG002
        """Count anew from the notes in the log; return how many there are."""
        document, cursor, count = _Document(uses=_load(self._path).uses), "", 0
        while True:
            page = self._notes.events(
                EventQuery(event_type=EventType.NOTE, limit=EVENTS_PAGE_MAX, cursor=cursor)
            )
            notes = tuple(filter(None, map(read_note, page.events)))
            _add(document, notes)
            count += len(notes)
            cursor = page.next
            if not cursor:
                break
        self._sweep(document)
        replace_file(self._path, msgspec.json.encode(document))
        return count

    def _sweep(self, document: _Document) -> bool:
        """Drop the counts of what is no longer there; say whether there were any."""
        known = dict.fromkeys((*document.documents, *document.uses))
        lost = [doc_id for doc_id in known if not self._is_there(doc_id)]
        for doc_id in lost:
            document.documents.pop(doc_id, None)
            document.uses.pop(doc_id, None)
        return bool(lost)

    def _is_there(self, doc_id: str) -> bool:
        try:
            if doc_id.startswith("grip:"):
                self._notes.expand(doc_id, before=0, after=0)
            elif doc_id.startswith("toc:"):
                self._notes.toc_node(doc_id)
            elif is_ulid(doc_id):
                self._notes.event(doc_id)
        except InputError:
            return False
        return True


def recall_counts(path: Path) -> Mapping[str, Recalls]:
    """Return how often each document was recalled, by its id."""
    return _load(path).documents


def list_tellings(path: Path) -> Sequence[ToldOnce]:
    """Return what sessions were told last, and when, the newest last."""
    return _load(path).told


def use_counts(path: Path) -> Mapping[str, int]:
    """Return how often each document was opened, by its id."""
    return _load(path).uses


def count_use(path: Path, doc_id: str) -> None:
    """Count that somebody opened a document; what was opened longest ago makes room."""
    document = _load(path)
    document.uses[doc_id] = document.uses.pop(doc_id, 0) + 1
    for oldest in tuple(document.uses)[:-RECALLED_DOCUMENTS_MAX]:
        del document.uses[oldest]
    replace_file(path, msgspec.json.encode(document))


def count_recalls(path: Path, notes: Iterable[Note]) -> tuple[Note, ...]:
    """Count the notes that were not counted before; return those, after they are on disk."""
    given = tuple(notes)
    if not given:
        return ()
    document = _load(path)
    seen = frozenset(document.notes)
    new = tuple(note for note in given if note.name not in seen)
    if new:
        _add(document, new)
        replace_file(path, msgspec.json.encode(document))
    return new


def note_of(
    said: object, *, name: str, project: str, harness: str, session_id: str, at_ms: Millis
) -> Note:
    """Return what a session was told, as the hook noted it; that may say anything."""
    ids = said.get("ids") if isinstance(said, dict) else None
    listed = ids if isinstance(ids, list) else ()
    moment = said.get("digest") if isinstance(said, dict) else None
    fact = SessionTold(
        project=project,
        harness=harness,
        session_id=session_id,
        at_ms=at_ms,
        doc_ids=tuple(name_told(each) for each in listed if isinstance(each, str) and each),
        moment=moment if moment in _MOMENTS else "start",
    )
    return Note(name=name, fact=fact)


def read_note(event: Event) -> Note | None:
    """Return what a session was told, where an event is a note of that."""
    if NOTE_MARK not in event.metadata:
        return None
    return note_of(
        event.metadata[NOTE_MARK],
        name=event.event_id,
        project=event.project,
        harness=event.harness,
        session_id=event.session_id,
        at_ms=event.timestamp_ms,
    )


def _add(document: _Document, notes: Iterable[Note]) -> None:
    for note in notes:
        document.notes.append(note.name)
        fact = note.fact
        if fact.doc_ids:
            ids = fact.doc_ids[:TELLING_IDS_MAX]
            document.told.append(
                ToldOnce(fact.at_ms, fact.moment, fact.harness, fact.session_id, ids)
            )
        for doc_id in note.fact.doc_ids:
            before = document.documents.pop(doc_id, Recalls(count=0, last_ms=0))
            # Popped and put back: what was recalled last stands last, and what stands first goes.
            document.documents[doc_id] = Recalls(
                count=before.count + 1, last_ms=max(before.last_ms, note.fact.at_ms)
            )
    del document.notes[:-RECALLED_NOTES_MAX]
    del document.told[:-TELLINGS_KEPT_MAX]
    for doc_id in tuple(document.documents)[:-RECALLED_DOCUMENTS_MAX]:
        del document.documents[doc_id]


def _load(path: Path) -> _Document:
    try:
        document = msgspec.json.decode(path.read_bytes(), type=_Document)
    except (OSError, msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return _Document()
    return document if document.version == 1 else _Document()
