"""From anything that was recalled down to the events that prove it.

    toc:week -> lines -> grip -> event -> where the event came from

A line of a summary rests on a grip, a grip on a piece of an event's text, and an event on
what an agent CLI said, then and there. An observation rests on the events it was drawn
from, or on the observations that were merged into it; a lesson on the runs that taught it,
and what was said in them. What a person or a run wrote down rests on itself.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import replace

from agentx.conversation.model import Event
from agentx.conversation.toc_model import Bullet, Expansion, Span, TocNode
from agentx.host.files.plain import is_folder
from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.errors import InputError, InvalidValue, NotFound
from agentx.kernel.ids import is_ulid
from agentx.kernel.text import compile_late, fold_text
from agentx.kernel.values import frozen
from agentx.memory.found import REPOSITORY_KINDS
from agentx.memory.port import Memory
from agentx.observations.ids import parse_observation_id
from agentx.observations.model import Observation
from agentx.observations.tidying.overviews import is_overview
from agentx.operations.limits import WHY_LINES_MAX
from agentx.operations.recall.branches import find_learnt_on
from agentx.operations.recall.document import open_document, open_observation, speak_kind
from agentx.operations.recall.origins import UNTRUSTED
from agentx.operations.recall.uses import note_use
from agentx.project.project import Project
from agentx.views.recall_tally import ToldOnce, list_tellings, recall_counts
from agentx.wiring.observations import open_observations

_LESSON = compile_late(r"(?:PAT|ADR|TD|LRN)-\d{1,6}", re.IGNORECASE)
# Of an event, what is shown of its text, and of what stands before the proof.
_EVENT_CHARS_MAX = 2_000
_AROUND_CHARS = 200
_TELLINGS_SHOWN_MAX = 3
_GIVEN_SHOWN_MAX = 3


@frozen
class ToldWhen:
    """That a session was told something."""

    at_ms: int
    moment: str  # "start", "prompt" or "action"
    harness: str
    session_id: str


@frozen
class Trace:
    """One thing, and what it rests on."""

    id: str
    kind: str  # "toc_node", "line", "grip", "event", ...
    text: str
    timestamp_ms: Millis | None = None
    source: str = ""  # who said it, and where it was said
    rests_on: tuple[Trace, ...] = ()
    left_out: int = 0  # what it rests on beyond what is listed
    marks: tuple[tuple[int, int], ...] = ()  # where in the text of an event the proof stands
    recalled: int = 0  # how often a session was told
    recalled_last_ms: int = 0
    told: tuple[ToldWhen, ...] = ()  # the last times, newest first


def why(project: Project, memory: Memory, doc_id: str) -> Trace:
    """Return what something rests on, down to events.

    Raises: NotFound, InvalidValue.
    """
    found = _trace(project, memory, doc_id)
    note_use(project, found.id)
    trace = _with_counts(project, found)
    return trace if project.trust.has_data else _name_origins(trace)


def _name_origins(trace: Trace) -> Trace:
    """Return a trace of which each thing from the repository is said to be that."""
    source = trace.source
    if trace.kind in REPOSITORY_KINDS and UNTRUSTED not in source:
        source = ", ".join(filter(None, (source, UNTRUSTED)))
    return replace(trace, source=source, rests_on=tuple(map(_name_origins, trace.rests_on)))


def _trace(project: Project, memory: Memory, doc_id: str) -> Trace:
    if doc_id.startswith("grip:"):
        return _of_grip(memory, doc_id)
    if doc_id.startswith("toc:"):
        return _of_node(memory, doc_id)
    if doc_id.startswith("obs-"):
        return _of_observation(project, memory, doc_id)
    if _LESSON.fullmatch(doc_id):
        return _of_lesson(project, doc_id)
    if is_ulid(doc_id):
        with suppress(NotFound):
            found = _event(memory.event(doc_id))
            return replace(found, source=found.source + _say_kept_out(project, found))
    opened = open_document(project, memory, doc_id)
    return Trace(
        id=opened.doc_id,
        kind=opened.kind,
        text=opened.text,
        timestamp_ms=opened.timestamp_ms,
        source=", ".join(filter(None, (opened.title, opened.agent, opened.origin))),
    )


def _of_observation(project: Project, memory: Memory, doc_id: str, depth: int = 3) -> Trace:
    found = open_observation(project, doc_id)
    below: list[Trace] = []
    events = _list_proofs(project, found)
    for event_id in events[:WHY_LINES_MAX]:
        with suppress(InputError):  # an event may be forgotten
            below.append(_event(memory.event(event_id)))
    for merged in found.sources[:WHY_LINES_MAX] if depth else ():
        with suppress(InputError):
            below.append(_of_observation(project, memory, merged, depth - 1))
    replaced = f", superseded by {found.superseded_by}" if found.superseded_by else ""
    replaced += f", {found.against}" if found.against else ""
    learnt_on = str(find_learnt_on(project, found))
    return Trace(
        id=found.id,
        kind="observation",
        text=found.content,
        timestamp_ms=found.timestamp_ms,
        source=f"{found.category} of issue {found.issue_number}, {found.agent}{replaced}"
        + (f", {learnt_on}" if learnt_on else "")
        + _say_beside(project, found.id),
        rests_on=tuple(below),
        left_out=max(len(events) + len(found.sources) - len(below), 0),
    )


def _list_proofs(project: Project, found: Observation) -> tuple[str, ...]:
    """Return the events of an observation; of what sums up a session none that was dropped."""
    if not is_overview(found):
        return found.event_ids
    with closing(open_observations(project)) as room:
        unsaid = room.store.drops.read().unsaid
    gone = {event for name, events in unsaid.items() if name != found.id for event in events}
    return tuple(each for each in found.event_ids if each not in gone)


def _say_beside(project: Project, doc_id: str) -> str:
    """Return what it replaced, and that a person dropped it."""
    with closing(open_observations(project)) as room:
        noted = room.store.drops.read().dropped.get(doc_id)
        replaced = room.list_replaced(doc_id)
    if noted is None:
        return f", holds instead of {', '.join(replaced)}" if replaced else ""
    why = f" ({noted.why})" if noted.why else ""
    count = len(noted.kept_out)
    times = "once" if count == 1 else f"{count} times"
    again = f"; its like came {times} and was not kept" if count else ""
    return f", dropped by a person on {to_iso(noted.at_ms)[:10]}{why}{again}"


def _say_kept_out(project: Project, event: Trace) -> str:
    """Return that a person dropped what was kept of an event, or what it is like."""
    if not is_folder(project.observations):
        return ""
    with closing(open_observations(project)) as room:
        listed = room.store.drops.read()
    told = []
    for noted in listed.dropped.values():
        why = f" ({noted.why})" if noted.why else ""
        by = f"a person dropped on {to_iso(noted.at_ms)[:10]}{why}"
        if event.id in listed.unsaid.get(noted.id, ()):
            told.append(f", what was kept of it, {noted.id}, {by}")
        elif any(_is_of_moment(name, event.timestamp_ms) for name in noted.kept_out):
            told.append(f", not kept: it is like {noted.id}, which {by}")
    return "".join(told)


def _is_of_moment(observation_id: str, at_ms: Millis | None) -> bool:
    with suppress(InvalidValue):  # the list can be edited by hand
        return parse_observation_id(observation_id).timestamp_ms == at_ms
    return False


def _of_lesson(project: Project, doc_id: str) -> Trace:
    from agentx.wiring.taught.proofs import lesson_proof  # noqa: PLC0415  only where it is asked for

    proof = lesson_proof(project, doc_id)
    row = proof.lesson
    against = f", contradicted by {len(row.contradicted_by)}" if row.contradicted_by else ""
    against += f", {row.against}" if row.against else ""
    runs = [
        Trace(
            id=run.run_id,
            kind="run",
            text=run.title or "(the run is gone)",
            timestamp_ms=Millis(run.at_ms) if run.at_ms else None,
            source=run.status,
            rests_on=tuple(
                Trace(
                    id=said.event_id,
                    kind="run_event",
                    text=said.text,
                    timestamp_ms=Millis(said.at_ms),
                    source=said.actor,
                )
                for said in run.said[:WHY_LINES_MAX]
            ),
            left_out=max(len(run.said) - WHY_LINES_MAX, 0),
        )
        for run in proof.runs
    ]
    named = [Trace(id="", kind="evidence", text=one, source="named") for one in proof.evidence]
    took = f", taken in by {row.accepted_by}" if row.accepted_by else ""
    given = f", given to {'; '.join(proof.given[:_GIVEN_SHOWN_MAX])}" if proof.given else ""
    if len(proof.given) > _GIVEN_SHOWN_MAX:
        given += f" and {len(proof.given) - _GIVEN_SHOWN_MAX} runs more"
    below = (*runs, *named)
    return Trace(
        id=row.id,
        kind="lesson",
        text=f"{row.name}: {row.text}" if row.name and row.name != row.text else row.text,
        timestamp_ms=Millis(row.changed_ms),
        source=f"{row.kind}, {row.confidence}, {row.status}{against}{took}{given}",
        rests_on=below[:WHY_LINES_MAX],
        left_out=max(len(below) - WHY_LINES_MAX, 0),
    )


def _of_grip(memory: Memory, grip_id: str) -> Trace:
    found = memory.expand(grip_id, before=0, after=0)
    proof = _grip(found)
    try:
        node = memory.toc_node(found.grip.toc_node_id)
    except NotFound:
        return proof
    for bullet in node.bullets:
        if grip_id in bullet.grip_ids:
            return _line(node, bullet, (proof,))
    return proof


def _of_node(memory: Memory, node_id: str) -> Trace:
    node = memory.toc_node(node_id)
    shown = node.bullets[:WHY_LINES_MAX]
    return Trace(
        id=node.node_id,
        kind="toc_node",
        text=node.title,
        timestamp_ms=node.end_ms,
        source=", ".join((*node.harnesses, *(f"as {agent}" for agent in node.agents))),
        rests_on=tuple(
            _line(
                node,
                bullet,
                tuple(_grip(memory.expand(each, before=0, after=0)) for each in bullet.grip_ids),
            )
            for bullet in shown
        ),
        left_out=len(node.bullets) - len(shown),
    )


def _line(node: TocNode, bullet: Bullet, proofs: tuple[Trace, ...]) -> Trace:
    return Trace(
        id=bullet.grip_ids[0],
        kind="line",
        text=f"{bullet.kind}: {bullet.text}",
        timestamp_ms=bullet.timestamp_ms,
        source=f"in {node.node_id}",
        # Where the line is the very words of its proof, they are shown once.
        rests_on=tuple(
            below
            for proof in proofs
            for below in (
                proof.rests_on if fold_text(proof.text) == fold_text(bullet.text) else (proof,)
            )
        ),
    )


def _grip(found: Expansion) -> Trace:
    spans: dict[str, list[Span]] = {}
    for span in found.grip.spans:
        spans.setdefault(span.event_id, []).append(span)
    return Trace(
        id=found.grip.grip_id,
        kind="grip",
        text=found.grip.excerpt,
        timestamp_ms=found.grip.timestamp_ms,
        rests_on=tuple(
            _event(event, spans.get(event.event_id, ())) for event in found.excerpt_events
        ),
    )


def _event(event: Event, spans: Sequence[Span] = ()) -> Trace:
    role = f" as {event.agent}" if event.agent else ""
    begin = max(min((span.start for span in spans), default=0) - _AROUND_CHARS, 0)
    text = event.text[begin : begin + _EVENT_CHARS_MAX]
    return Trace(
        id=event.event_id,
        kind="event",
        text=text,
        marks=tuple(
            (span.start - begin, min(span.end - begin, len(text)))
            for span in spans
            if span.start - begin < len(text)
        ),
        timestamp_ms=event.timestamp_ms,
        source=f"{speak_kind(event.event_type)}, {event.harness}{role}, session {event.session_id}",
    )


def _with_counts(project: Project, trace: Trace) -> Trace:
    path = project.store.recall_counts(project.id)
    counts, tellings = recall_counts(path), list_tellings(path)

    def count(one: Trace, above: str) -> Trace:
        below = tuple(count(each, one.kind) for each in one.rests_on)
        # A line goes by the id of its proof: it was the line that was recalled.
        known = None if above == "line" else counts.get(one.id)
        if known is None:
            return replace(one, rests_on=below)
        return replace(
            one,
            rests_on=below,
            recalled=known.count,
            recalled_last_ms=known.last_ms,
            told=_list_told(tellings, one.id),
        )

    return count(trace, "")


def _list_told(tellings: Sequence[ToldOnce], doc_id: str) -> tuple[ToldWhen, ...]:
    found = [one for one in reversed(tellings) if doc_id in one.ids][:_TELLINGS_SHOWN_MAX]
    return tuple(
        ToldWhen(at_ms=one.at_ms, moment=one.moment, harness=one.harness, session_id=one.session_id)
        for one in found
    )
