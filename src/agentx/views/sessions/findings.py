"""From what was found in a session to what is kept of it, and back again for who judges it.

An observation's id is made from its session, its evidence and its text: the same every time.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import replace

from agentx.conversation.model import Event
from agentx.exchanges.turns import Turn
from agentx.kernel.ids import digest
from agentx.kernel.tokens import estimate
from agentx.observations.extract import extract
from agentx.observations.extract.by_model import SessionCandidate, tells
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.session.spoken import is_told_of_person
from agentx.observations.ids import observation_id
from agentx.observations.model import Category, Observation
from agentx.observations.port import ObservationStore
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import likeness
from agentx.views.store import CaptureIntent, CaptureMark, Taken

_ALIKE = 0.75


def observe(
    finding: Finding, *, agent: str, issue: int, session_id: str, seed: Sequence[str]
) -> Observation:
    """Return a finding as an observation; its id is made from the seed, so the same every time."""

    def suffix(size: int) -> bytes:
        return digest(*seed, size=size)

    return Observation(
        id=observation_id(agent, issue, finding.at_ms, suffix),
        agent=agent,
        issue_number=issue,
        category=finding.category,
        content=finding.content,
        summary=finding.summary,
        tokens=estimate(finding.content),
        timestamp_ms=finding.at_ms,
        session_id=session_id,
        event_ids=finding.event_ids,
        files=finding.files,
        commit=finding.commit,
    )


def observation_of(
    finding: Finding, first: Event, intent: CaptureIntent, commit: str
) -> Observation:
    """Return a finding of a session as an observation."""
    session = first.session_id
    made = observe(
        finding,
        agent=intent.agent,
        issue=intent.issue,
        session_id=session,
        seed=(session, finding.category, finding.event_ids[0], finding.content),
    )
    return made if made.commit else replace(made, commit=commit)


def make_observations(
    turns: Sequence[Turn],
    events: Sequence[Event],
    mark: CaptureMark | None,
    intent: CaptureIntent,
    known: Sequence[Finding] | None = None,
) -> tuple[Observation, ...]:
    """Return what is new in a session, as observations with ids that are the same every time.

    `known` is what the rules found in these turns, where that was worked out before.
    """
    if not events:
        return ()
    findings = (
        known
        if known is not None
        else extract(
            turns,
            since_ms=mark.until_ms if mark else 0,
            is_news=make_news_filter(events, mark),
        )
    )
    commit = next(
        (found for event in events if isinstance(found := event.metadata.get("git_commit"), str)),
        "",
    )
    return tuple(observation_of(one, events[0], intent, commit) for one in findings)


def take_note(observation: Observation) -> Taken:
    """Return what a mark remembers of an observation."""
    return Taken(
        id=observation.id,
        category=observation.category,
        summary=observation.summary,
        first_event=observation.event_ids[0] if observation.event_ids else "",
    )


def make_news_filter(
    events: Sequence[Event], mark: CaptureMark | None
) -> Callable[[Finding], bool]:
    """Return how news is told from what was taken before."""
    if mark is None:
        return lambda _finding: True
    until = (mark.until_ms, mark.until_id)
    new = {one.event_id for one in events if (one.timestamp_ms, one.event_id) > until}
    # Events that came late lie before the mark: then only what was taken tells what is old.
    late = len(events) - len(new) > mark.events
    taken = [(one.category, terms(one.summary)) for one in mark.taken]

    def is_news(finding: Finding) -> bool:
        if not late and not new.intersection(finding.event_ids):
            return False
        return is_other(finding, taken)

    return is_news


def is_other(finding: Finding, taken: Sequence[tuple[str, frozenset[str]]]) -> bool:
    """Tell whether a finding is like nothing that was taken before."""
    about = terms(finding.summary)
    return all(
        category != finding.category or likeness(about, known) < _ALIKE for category, known in taken
    )


def candidates_of(store: ObservationStore, mark: CaptureMark) -> tuple[SessionCandidate, ...]:
    """Return what was taken of a session and may be judged: a person's word stands above it."""
    found = store.get_by_ids(one.id for one in mark.taken)
    return tuple(
        SessionCandidate(id=one.id, finding=finding_of(one))
        for one in found
        if one.category is not Category.COMPACTION_SUMMARY
        and one.session_id == mark.session_id
        and not (one.pinned or one.reviewed or one.mended_ms)
        and one.event_ids
    )


def list_told(
    there: Sequence[Observation],
    dropped: Collection[str],
    joined: Collection[str],
    kept: Sequence[Observation],
) -> frozenset[str]:
    """Return what may go: what was joined only where something that is there now tells it."""
    left = [
        one.content
        for one in (*kept, *there)
        if one.id not in dropped and one.category is not Category.COMPACTION_SUMMARY
    ]
    return frozenset(
        one.id
        for one in there
        if one.id in dropped
        and (one.id not in joined or any(tells(text, one.content) for text in left))
    )


def may_replace(new: Observation, old: Observation) -> bool:
    """Tell whether what a model picked may replace a memory: a person is overruled by a person."""
    return is_told_of_person(new.content) or not is_told_of_person(old.content)


def finding_of(one: Observation) -> Finding:
    """Return an observation as what was found."""
    return Finding(
        category=one.category,
        content=one.content,
        summary=one.summary,
        event_ids=one.event_ids,
        at_ms=one.timestamp_ms,
        files=one.files,
        commit=one.commit,
    )
