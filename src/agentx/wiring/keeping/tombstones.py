"""What was forgotten, noted outside of the store: no restore and no salvage brings it back.

A line for each forgetting, synced before the first key goes: ids and times, never a word. When a
memory is read back from a file, everything that has a tombstone is forgotten in it again, before it
takes its place. Of a question it is the signed line by which every clone knows of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing, suppress
from dataclasses import field, replace
from functools import partial
from pathlib import Path

from agentx.clarification.store.files.held import HeldLines
from agentx.clarification.store.files.question_files import QuestionFiles
from agentx.clarification.store.ledger_json import DamagedLedger, UnknownVersion
from agentx.clarification.store.question_events import (
    QuestionEvent,
    event_of,
    has_words,
    line_of,
)
from agentx.clarification.store.view import MADE
from agentx.clarification.store.vouching.forgetting import KNOWN_AS
from agentx.conversation.forgotten.spans import ForgottenSpan, WordsPrint
from agentx.conversation.model import Event, ForgottenName, Grave
from agentx.conversation.store import rows
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.relaying import relay_log
from agentx.conversation.store.reunion import name_again
from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.journal import Journal
from agentx.host.files.json_text import page_of, parse_json
from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.errors import AgentXError, CorruptRecord
from agentx.kernel.ids import EventId, is_ulid, parse_clarification_id
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import Vouching
from agentx.observations.model import SearchFilters
from agentx.observations.port import ObservationStore
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.store.paths import ObservationPaths
from agentx.observations.tidying.dropping import blot_out
from agentx.project.project import Project
from agentx.wiring.keeping.keyring import HeldKey, drop_keys, is_of_grave, opens_any
from agentx.wiring.keeping.lost import tombstone_file

OF_OBSERVATION, OF_QUESTION = b"obs:", b"ask:"  # what keys are called, before an id
_QUOTING = (Family.CHECKPOINTS, Family.TOC_NODES, Family.TOC_LATEST, Family.GRIPS)


@frozen
class Tombstones:
    """Everything of a store that was ever forgotten."""

    event_ids: frozenset[EventId]
    names: tuple[ForgottenName, ...]  # of events that were forgotten singly
    sessions: dict[bytes, rows.SessionRow]  # by reference: as it stands after it was forgotten
    spans: tuple[ForgottenSpan, ...] = ()
    observations: frozenset[str] = frozenset()
    questions: Mapping[int, tuple[QuestionEvent, ...]] = field(default_factory=dict)  # by issue

    def list_question_ids(self) -> frozenset[str]:
        """Return the forgotten questions."""
        return frozenset(line.question for lines in self.questions.values() for line in lines)

    def opens(self, name: bytes, held: HeldKey) -> bool:
        """Tell whether a key opens something of this in a backup."""
        rest = name.decode("utf-8", "replace").partition(":")[2]
        is_memory = name.startswith(OF_OBSERVATION) and rest in self.observations
        is_question = name.startswith(OF_QUESTION) and rest in self.list_question_ids()
        return is_memory or is_question or opens_any(name, held, self.event_ids)


def bury(project: Project, grave: Grave) -> None:
    """Note what is about to be forgotten; return after it is on disk.

    Raises: UnavailableError when the disk refuses; nothing may be forgotten then.
    """
    said: dict[str, object] = {"events": grave.event_ids}
    if grave.names:
        said["names"] = [
            (
                *(each.identity, each.value.hex(), each.event_ids),
                *(each.session_id, each.harness, each.project),
            )
            for each in grave.names
        ]
    if grave.session:
        said |= {
            "session": grave.session.hex(),
            "session_id": grave.session_id,
            "harness": grave.harness,
            "project": grave.project,
            "until_ms": grave.at_ms,
        }
    _note(project, said)
    drop_keys(project, partial(is_of_grave, grave=grave))


def bury_observations(project: Project, ids: Iterable[str]) -> None:
    """Note which observations are about to be taken away for good, and open no backup of them.

    Raises: UnavailableError when the disk refuses; nothing may be forgotten then.
    """
    new = sorted(set(ids) - read_tombstones(project).observations)
    if new:
        _note(project, {"observations": new})
        names = {OF_OBSERVATION + each.encode() for each in new}
        drop_keys(project, lambda name, _held: name in names)


def bury_questions(project: Project, forgotten: Mapping[int, Iterable[QuestionEvent]]) -> None:
    """Note the lines that say that questions are forgotten, and open no backup of these.

    Raises: UnavailableError when the disk refuses.
    """
    known = read_tombstones(project).questions
    new = [
        (issue, line)
        for issue, lines in forgotten.items()
        for line in lines
        if line.id not in {each.id for each in known.get(issue, ())}
    ]
    if new:
        _note(project, *(_say_line(project, issue, line) for issue, line in new))
        names = {OF_QUESTION + line.question.encode() for _, line in new}
        drop_keys(project, lambda name, _held: name in names)


def _say_line(project: Project, issue: int, line: QuestionEvent) -> dict[str, object]:
    of = {"project": project.id, "issue": issue, "writer": line.writer}
    return {"question": {**of, "line": line_of(line)}}


def _note(project: Project, *said: dict[str, object]) -> None:
    make_private_directory(project.data.tombstones)
    at = to_iso(project.clock.now_ms())
    lines = [{"at": at, **each} for each in said]
    Journal(tombstone_file(project), project.clock).append(lines)


def bury_span(project: Project, span: ForgottenSpan) -> None:
    """Note that a span is forgotten, with all of it that was never captured.

    Raises: UnavailableError when the disk refuses; nothing may be forgotten then.
    """
    said: dict[str, object] = {
        "project": span.project,
        "since_ms": span.since_ms,
        "before_ms": span.until_ms,
    }
    if span.words is not None:
        words = span.words
        said["words"] = (words.chars, words.base, words.total, words.salt.hex(), words.hashed.hex())
    _note(project, {"span": said})


def read_tombstones(project: Project, path: Path | None = None) -> Tombstones:
    """Return what was ever forgotten in this store, as it stands there or in another file.

    Raises: CorruptRecord when a line cannot be read: nothing may be restored then.
    """
    event_ids: set[EventId] = set()
    names: list[ForgottenName] = []
    sessions: dict[bytes, rows.SessionRow] = {}
    spans: list[ForgottenSpan] = []
    observations: set[str] = set()
    questions: dict[int, tuple[QuestionEvent, ...]] = {}
    for said in Journal(path or tombstone_file(project), project.clock).records():
        match said:
            case {"session": str(ref), "session_id": str(name), "until_ms": int(until_ms)}:
                sessions[bytes.fromhex(ref)] = rows.SessionRow(
                    session_id=name,
                    harness=str(said.get("harness", "")),
                    project=str(said.get("project", "")),
                    forgotten_ms=until_ms,
                )
            case _:
                pass
        match said:
            case {"events": list(found)}:
                event_ids.update(EventId(each) for each in found if is_ulid(str(each)))
            case _:
                pass
        match said:
            case {"names": list(found)}:
                names.extend(_name_of(each) for each in found)
            case {"span": dict(span)}:
                spans.append(_span_of(span))
            case {"observations": list(found)}:
                observations.update(map(str, found))
            case {"question": {"project": project.id, "issue": int(issue), **line}}:
                questions[issue] = (*questions.get(issue, ()), _line_of(line))
            case _:
                pass
    return Tombstones(
        event_ids=frozenset(event_ids),
        names=tuple(names),
        sessions=sessions,
        spans=tuple(spans),
        observations=frozenset(observations),
        questions=questions,
    )


def _line_of(said: dict[object, object]) -> QuestionEvent:
    try:
        return event_of(said.get("line"), str(said.get("writer")))
    except (DamagedLedger, UnknownVersion) as error:
        raise CorruptRecord(
            f"a tombstone names no question: {error.message}", hint="bring the file back"
        ) from None


def _span_of(said: dict[str, object]) -> ForgottenSpan:
    words: WordsPrint | None = None
    match said.get("words"):
        case [int(chars), int(base), int(total), str(salt), str(hashed)]:
            words = WordsPrint(
                chars=chars,
                base=base,
                total=total,
                salt=bytes.fromhex(salt),
                hashed=bytes.fromhex(hashed),
            )
        case None:
            pass
        case _:
            raise CorruptRecord("a tombstone says no words", hint="bring the file back")
    match said:
        case {"project": str(project), "since_ms": int(since_ms), "before_ms": int(until_ms)}:
            return ForgottenSpan(
                project=project, since_ms=Millis(since_ms), until_ms=Millis(until_ms), words=words
            )
        case _:
            raise CorruptRecord("a tombstone names no span", hint="bring the file back")


def _name_of(said: object) -> ForgottenName:
    match said:
        case [str(identity), str(value), list(gone), str(session), str(harness), str(project)]:
            return ForgottenName(
                identity=identity,
                value=bytes.fromhex(value),
                event_ids=tuple(EventId(each) for each in gone if is_ulid(str(each))),
                session_id=session,
                harness=harness,
                project=project,
            )
        case _:
            raise CorruptRecord("a tombstone names no event", hint="bring the file back")


def bury_again(project: Project, kv: KeyValue, gone: Tombstones) -> int:
    """Forget in a log that was read back what was forgotten since; return how many events."""
    log = LogStore(kv, entropy=project.entropy)
    alive = [event for each in sorted(gone.event_ids) if (event := log.get(each)) is not None]
    alive += _find_covered(log, gone)
    touched = {rows.session_ref(each.project, each.harness, each.session_id) for each in alive}
    count = 0
    for ref, buried in gone.sessions.items():
        raw = kv.get(Family.SESSIONS, keys.session_key(ref))
        row = buried if raw is None else rows.unpack_session(raw)
        if raw is None or row.forgotten_ms < buried.forgotten_ms:
            # One that is not here must be known to be forgotten too: a transcript may hold it.
            until_ms = Millis(buried.forgotten_ms)
            count += log.forget_session(ref, row, now_ms=until_ms).events
            touched.add(ref)
    left: list[Event] = [event for event in alive if log.get(event.event_id) is not None]
    if left:
        count += log.forget_events(left).events
    if touched:
        _drop_quotes(kv, touched)
    name_again(kv, gone.names)
    return count


def _find_covered(log: LogStore, gone: Tombstones) -> list[Event]:
    """Return what lies in a forgotten span and was not there when that was forgotten."""
    found: dict[EventId, Event] = {}
    for span in gone.spans:
        for event_id, event in log.scan(*keys.event_range(span.since_ms, span.until_ms)):
            if event_id in gone.event_ids or event is None:
                continue
            if span.covers(event, project=event.project):
                found[event_id] = event
    return list(found.values())


def forget_observations(stores: Iterable[ObservationStore], gone: Tombstones) -> int:
    """Take what was learnt from forgotten events out of observations; return how many went."""
    names = {row.session_id for row in gone.sessions.values()}
    count = 0
    for store in stores:
        known = [each.id for each in store.search_by_filters(SearchFilters())]
        doomed = {
            each.id
            for each in (*store.get_by_ids(known), *store.archive())
            if each.id in gone.observations
            or each.session_id in names
            or gone.event_ids.intersection(each.event_ids)
        }
        count += len(store.forget(doomed)) if doomed else 0
        blot_out(store, doomed | gone.observations)
    return count


def forget_observations_in(project: Project, folder: Path, gone: Tombstones) -> int:
    """Do so in a folder of observations that is no project's yet."""
    if not folder.is_dir():
        return 0
    database, words = ObservationPaths(folder).database, folder / ".words"
    files = JsonObservationStore(
        folder, clock=project.clock, entropy=project.entropy, view_folder=words
    )
    with closing(files):
        count = forget_observations((files,), gone)
    if database.exists():
        from agentx.observations.store.sqlite.store import SqliteObservationStore  # noqa: PLC0415  few have one

        rows = SqliteObservationStore(database, clock=project.clock, view_folder=words)
        with closing(rows):
            count += forget_observations((rows,), gone)
    return count


def _believe(event: QuestionEvent) -> QuestionEvent:
    return replace(event, standing=Vouching.SIGNED)


def forget_questions_in(project: Project, own: Path, held: Path, gone: Tombstones) -> int:
    """Forget questions in a folder that is no project's yet; return how many words went.

    `own` takes the place of `.agentx`, and `held` of what is held of its questions.
    """
    count = 0
    for issue, lines in gone.questions.items():
        lying = HeldLines(held / str(issue), _believe)
        files = QuestionFiles(own / "questions" / str(issue), project.clock, lying)
        doomed = frozenset(line.question for line in lines)
        there: tuple[QuestionEvent, ...] = ()
        with suppress(CorruptRecord):  # a line of a later version stays as it is
            there = files.read().events
        count += sum(has_words(event) and event.question in doomed for event in there)
        files.scrub(doomed)
        known = {event.id for event in there}
        new = [line for line in lines if line.id not in known]
        if not own.is_dir():  # the project's own files stay, and say so
            files.hold(line for line in new if line.signature)
        for line in new if own.is_dir() else ():
            files.append(f"{line.writer}.jsonl", [line])
        view = own / "state" / "clarifications" / f"issue-{issue}.json"
        with suppress(FileNotFoundError):
            _forget_in_view(view, lines)
    return count


def _forget_in_view(view: Path, lines: Iterable[QuestionEvent]) -> None:
    """Take forgotten questions out of a view: one that says what it was made from is made again.

    Raises: FileNotFoundError.
    """
    try:
        said = parse_json(view.read_bytes())
        rows = [row for row in said["clarifications"] if not _is_known_as(row["id"], lines)]
    except (ValueError, TypeError, KeyError, AgentXError):
        said, rows = {MADE: ""}, []
    if MADE in said:
        view.unlink()
    else:  # of an earlier version: a fact
        replace_file(view, page_of({**said, "clarifications": rows}))


def _is_known_as(name: str, lines: Iterable[QuestionEvent]) -> bool:
    number = parse_clarification_id(name)[2]
    return any(
        number in (line.detail.get("number"), *line.detail.get(KNOWN_AS, ())) for line in lines
    )


def _drop_quotes(kv: KeyValue, touched: set[bytes]) -> None:
    """Take away what quotes the events of some sessions; it is made again without them."""
    sessions = {
        keys.session_ref_of(key): rows.unpack_session(raw)
        for key, raw in kv.scan(Family.SESSIONS, *keys.session_range())
    }
    relay_log(kv, sessions, {})
    batch = Batch()
    for key, _ in kv.scan(Family.CHECKPOINTS, *keys.checkpoint_range("observe/")):
        if any(ref.hex() in keys.checkpoint_name_of(key) for ref in touched):
            batch.delete(Family.CHECKPOINTS, key)
    kv.write(batch)
    for family in _QUOTING:
        kv.erase(family)
