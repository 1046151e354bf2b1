"""Observations as JSON, and back.

The names on disk are those of the specification; what we add beside them (where an observation
is known from, what became of it) is left out while it is empty. What somebody else added to a
record stays, because records that do not change are carried over as the bytes they were.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

import msgspec

from agentx.kernel.clock import Millis, from_iso, to_iso
from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.kernel.text import encodable
from agentx.kernel.tokens import estimate
from agentx.observations.ids import parse_observation_id
from agentx.observations.model import Category, Marking, Observation, ObservationIndex
from agentx.observations.tidying.repeats import join_ids, say_again

VERSION = 1
VERSION_READ_MAX = 2  # of issue files: those of the archive are packed

_CATEGORIES = frozenset(Category)
_TIME_CHARS = len("2026-02-27T10:00:00.000Z")


class ObservationRecord(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """An observation in an issue file."""

    id: str
    agent: str
    issue_number: int
    category: str
    content: str
    summary: str
    tokens: int
    timestamp: str
    session_id: str
    event_ids: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    commit: str = ""
    superseded_by: str = ""
    changed_files: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    pinned: bool = False
    reviewed: bool = False
    mended_at: str = ""
    repeats: tuple[str, ...] = ()
    branch: str = ""
    head: str = ""
    archived: bool = False


class EntryRecord(msgspec.Struct, rename="camel", omit_defaults=True, gc=False):
    """A line of the manifest."""

    id: str
    agent: str
    issue_number: int
    category: str
    summary: str
    tokens: int
    timestamp: str
    recall_count: int = 0
    superseded_by: str = ""
    stale: bool = False
    pinned: bool = False
    reviewed: bool = False
    mended_at: str = ""
    repeats: tuple[str, ...] = ()
    branch: str = ""


class IssueRecord(msgspec.Struct, rename="camel"):
    """An issue file. Observations stay raw until one is wanted."""

    version: int
    issue_number: int
    updated_at: str
    observations: list[msgspec.Raw] = []
    packed: str = ""


class OnlyId(msgspec.Struct):
    """What is read of a raw observation to know which one it is."""

    id: str


Kind = TypeVar("Kind")


def decoder_of(kind: type[Kind]) -> Callable[[bytes | msgspec.Raw], Kind]:
    """Return what reads JSON of a kind; what is nested without end is damaged like any other.

    Raises (when called): msgspec.DecodeError, UnicodeDecodeError.
    """
    decode = msgspec.json.Decoder(kind).decode

    def read(raw: bytes | msgspec.Raw) -> Kind:
        try:
            return decode(raw)
        except RecursionError:
            raise msgspec.DecodeError("nested too deep") from None

    return read


encode = msgspec.json.Encoder().encode
decode_observation = decoder_of(ObservationRecord)
decode_issue = decoder_of(IssueRecord)
decode_only_id = decoder_of(OnlyId)
decode_raws = decoder_of(list[msgspec.Raw])


def record_of(observation: Observation, *, archived: bool = False) -> ObservationRecord:
    """Return an observation as it lies on disk."""
    return ObservationRecord(
        id=observation.id,
        agent=observation.agent,
        issue_number=observation.issue_number,
        category=observation.category.value,
        content=encodable(observation.content),
        summary=encodable(observation.summary),
        tokens=observation.tokens,
        timestamp=to_iso(observation.timestamp_ms),
        session_id=encodable(observation.session_id),
        event_ids=observation.event_ids,
        files=tuple(map(encodable, observation.files)),
        commit=observation.commit,
        superseded_by=observation.superseded_by,
        changed_files=tuple(map(encodable, observation.changed_files)),
        sources=observation.sources,
        pinned=observation.pinned,
        reviewed=observation.reviewed,
        mended_at=to_iso(observation.mended_ms) if observation.mended_ms else "",
        repeats=observation.repeats,
        branch=encodable(observation.branch),
        head=observation.head,
        archived=archived,
    )


def observation_of(record: ObservationRecord) -> Observation:
    """Return the observation of a record.

    Raises: CorruptRecord for a category or a time that cannot be.
    """
    return Observation(
        id=record.id,
        agent=record.agent,
        issue_number=record.issue_number,
        category=category_of(record.category, record.id),
        content=record.content,
        summary=record.summary,
        tokens=record.tokens,
        timestamp_ms=moment_of(record.timestamp, record.id),
        session_id=record.session_id,
        event_ids=record.event_ids,
        files=record.files,
        commit=record.commit,
        superseded_by=record.superseded_by,
        changed_files=record.changed_files,
        sources=record.sources,
        pinned=record.pinned,
        reviewed=record.reviewed,
        mended_ms=moment_of(record.mended_at, record.id) if record.mended_at else 0,
        repeats=record.repeats,
        branch=record.branch,
        head=record.head,
    )


def entry_of(record: ObservationRecord, recall_count: int = 0) -> EntryRecord:
    """Return the manifest's line of a record."""
    return EntryRecord(
        id=record.id,
        agent=record.agent,
        issue_number=record.issue_number,
        category=record.category,
        summary=record.summary,
        tokens=record.tokens,
        timestamp=_sortable(record.timestamp),
        recall_count=recall_count,
        superseded_by=record.superseded_by,
        stale=bool(record.changed_files),
        pinned=record.pinned,
        reviewed=record.reviewed,
        mended_at=record.mended_at,
        repeats=record.repeats,
        branch=record.branch,
    )


def with_news(record: ObservationRecord, amended: ObservationRecord) -> ObservationRecord:
    """Return a record with what is known about it now; its text is never edited."""
    return msgspec.structs.replace(
        record, superseded_by=amended.superseded_by, changed_files=amended.changed_files
    )


def with_repeats(record: ObservationRecord, repeated: ObservationRecord) -> ObservationRecord:
    """Return a record that says when it was seen again, as it was made to; the rest stays."""
    return msgspec.structs.replace(
        record,
        content=repeated.content,
        summary=repeated.summary,
        tokens=repeated.tokens,
        repeats=repeated.repeats,
        branch=repeated.branch,
        head=repeated.head,
    )


def with_marking(record: ObservationRecord, marking: Marking, now: str) -> ObservationRecord:
    """Return a record as a person wants it; `now` is noted where the text is another."""
    said: dict[str, object] = {
        name: value
        for name in ("pinned", "reviewed", "content", "summary")
        if (value := getattr(marking, name)) is not None
    }
    if not marking.cut and marking.content not in (None, record.content):
        said["mended_at"] = now
    repeats = join_ids(record.repeats, marking)
    if marking.content is not None or repeats != record.repeats:
        content = record.content if marking.content is None else marking.content
        summary = record.summary if marking.summary is None else marking.summary
        content, summary = say_again(content, summary, repeats)
        said |= {"content": content, "summary": summary, "tokens": estimate(content)}
        said["repeats"] = repeats
    if marking.unbound:
        said |= {"branch": "", "head": ""}
    return msgspec.structs.replace(record, **said)


def index_of(entry: EntryRecord) -> ObservationIndex:
    """Return a manifest's line as a value."""
    return ObservationIndex(
        id=entry.id,
        agent=entry.agent,
        issue_number=entry.issue_number,
        category=category_of(entry.category, entry.id),
        summary=entry.summary,
        tokens=entry.tokens,
        timestamp_ms=moment_of(entry.timestamp, entry.id),
        recall_count=entry.recall_count,
        superseded_by=entry.superseded_by,
        stale=entry.stale,
        pinned=entry.pinned,
        reviewed=entry.reviewed,
        mended_ms=moment_of(entry.mended_at, entry.id) if entry.mended_at else 0,
        repeats=tuple(entry.repeats),
        branch=entry.branch,
    )


def category_of(word: str, where: str) -> Category:
    """Read a category.

    Raises: CorruptRecord.
    """
    try:
        return Category(word)
    except ValueError:
        raise CorruptRecord(
            f"{where}: {word!r} is no category", hint=f"one of {', '.join(Category)}"
        ) from None


def moment_of(text: str, where: str) -> Millis:
    """Read a time.

    Raises: CorruptRecord.
    """
    try:
        return from_iso(text)
    except ValueError:
        raise CorruptRecord(f"{where}: {text!r} is no time", hint="write it as ISO 8601") from None


def are_entries(entries: Collection[EntryRecord]) -> bool:
    """Tell whether the lines of a manifest all mean something."""
    lengths = {len(each.timestamp) for each in entries}
    return {each.category for each in entries} <= _CATEGORIES and lengths <= {_TIME_CHARS}


def is_whole(record: ObservationRecord) -> bool:
    """Tell whether a record that parses also means something."""
    try:
        named = parse_observation_id(record.id)
        from_iso(record.timestamp)
        if record.mended_at:
            from_iso(record.mended_at)
    except (ValueError, InvalidValue):
        return False
    is_here = named.issue_number == record.issue_number  # else nobody finds it by its id
    return is_here and record.category in _CATEGORIES and record.issue_number <= ISSUE_NUMBER_MAX


def _sortable(timestamp: str) -> str:
    """Return a time in the form whose order as text is the order in time."""
    if len(timestamp) == _TIME_CHARS and timestamp.endswith("Z"):
        return timestamp
    return to_iso(from_iso(timestamp))


def issue_page(issue: int, updated_at: str, observations: Iterable[bytes]) -> bytes:
    """Return an issue file as a person would want to read it."""
    items = b",\n".join(b"    " + each for each in observations)
    body = b"[\n" + items + b"\n  ]" if items else b"[]"
    return (
        (
            f'{{\n  "version": {VERSION},\n  "issueNumber": {issue},\n'
            f'  "updatedAt": "{updated_at}",\n  "observations": '
        ).encode()
        + body
        + b"\n}\n"
    )


def indent_record(record: ObservationRecord) -> bytes:
    """Return a record as it stands in an issue file: one field a line."""
    return msgspec.json.format(encode(record), indent=2).replace(b"\n", b"\n    ")
