"""The room's verbs: keep what was learnt, find it, put the best of it before the next agent.

Redaction happens here, once, before the store. Whatever is wrong with the store, a session
starts and ends as if there were none: a lock that does not come free skips the capture or the
recall and says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from typing import Protocol

from agentx.kernel.bus import Bus
from agentx.kernel.clock import Clock, Millis
from agentx.kernel.errors import InvalidValue, LockHeld, NotFound
from agentx.kernel.ids import Entropy
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.kernel.text import cut, fold_text, preview, without_recall
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.observations.alerts import alerts, capture_skipped, displacement
from agentx.observations.events import CaptureSkipped, MemoryRecalled, MemoryStored
from agentx.observations.ids import (
    agent_name,
    is_short_id,
    issue_number,
    observation_id,
    parse_observation_id,
)
from agentx.observations.limits import (
    OBSERVATION_EVENTS_MAX,
    OBSERVATION_FILES_MAX,
    OBSERVATION_RECALL_ROWS_MAX,
    OBSERVATION_SEARCH_LIMIT,
    OBSERVATION_SUMMARY_CHARS_MAX,
    OBSERVATIONS_PER_CAPTURE_MAX,
)
from agentx.observations.model import (
    Category,
    CompactionResult,
    Observation,
    ObservationIndex,
    Recall,
    SearchFilters,
    StoreStats,
)
from agentx.observations.port import ObservationStore
from agentx.observations.relevance import (
    ScoredObservation,
    Subject,
    keywords,
    lead_with_standing,
    score,
)
from agentx.observations.settings import MemorySettings
from agentx.observations.tidying import dropping
from agentx.observations.tidying.repeats import add_repeats, drop_repeats, find_repeats
from agentx.prose.sentences import sentences, shorten
from agentx.redaction.redact import redact
from agentx.search.limits import SEARCH_HITS_MAX

# A sentence of a few words at least: what ends sooner is an abbreviation or a greeting.
_HEADLINE_CHARS_MIN = 20  # a shorter sentence says nothing without the next one
# What a line tells beside its text: when, who, which issue, its id.
_LINE_TOKENS = 40


class Recorder(Protocol):
    """Where the room writes what it did."""

    def __call__(self, level: str, event: str, **fields: object) -> None:
        """Write one record; never raise."""
        ...


Costs = Callable[[Sequence[str]], int]  # files -> what reading them would cost, in tokens


@frozen
class Supplies:
    """What the room is given."""

    settings: MemorySettings
    clock: Clock
    entropy: Entropy
    bus: Bus
    note: Recorder
    reading_costs: Costs


class Observations:
    """What agents learnt."""

    def __init__(self, store: ObservationStore, room: Supplies) -> None:
        self._store = store
        self._room = room

    @property
    def store(self) -> ObservationStore:
        """Where they are kept."""
        return self._store

    @property
    def is_enabled(self) -> bool:
        """Whether sessions are captured and recalled at all."""
        return self._room.settings.enabled

    def add(
        self,
        text: str,
        *,
        agent: str,
        issue: int,
        category: Category,
        session_id: str = "",
        files: Sequence[str] = (),
        learnt_on: tuple[str, str] = ("", ""),
    ) -> Observation:
        """Keep what a person or an agent says itself; return it as it was kept.

        `learnt_on` is a branch and where that is.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        now_ms = self._room.clock.now_ms()
        content = cut(redact(text).strip(), OBSERVATION_CHARS_MAX)
        made = Observation(
            id=observation_id(agent, issue_number(issue), now_ms, self._room.entropy),
            agent=agent_name(agent),
            issue_number=issue,
            category=category,
            content=content,
            summary=_headline(content),
            tokens=estimate(content),
            timestamp_ms=now_ms,
            session_id=session_id,
            files=tuple(map(redact, files))[:OBSERVATION_FILES_MAX],
            branch=redact(learnt_on[0]),
            head=learnt_on[1],
        )
        self._keep((made,), agent=made.agent, issue=issue)
        return made

    def capture(
        self, observations: Iterable[Observation], *, agent: str, issue: int
    ) -> tuple[Observation, ...] | None:
        """Keep what a session taught; return what was kept, in its final form.

        Not kept is what is like something a person dropped. Nothing is kept, and a
        `CaptureSkipped` told, when there is nothing or memory is off. None: the lock does not
        come free, the same may be tried again.

        Raises: UnavailableError.
        """
        if not self.is_enabled:
            return ()
        fitting = tuple(map(_fit, observations))[:OBSERVATIONS_PER_CAPTURE_MAX]
        try:
            kept = self._sift(fitting)
            sorted_ = find_repeats(self._store, kept)
            add_repeats(self._store, sorted_.again, sorted_.unbound)
            if not sorted_.fresh:
                return kept
            self._keep(sorted_.fresh, agent=agent, issue=issue)
        except LockHeld as held:
            self._skip(agent, issue, capture_skipped(held.message.partition(":")[0]))
            return None
        return kept

    def count_use(self, *observation_ids: str) -> None:
        """Count that somebody opened these: they were wanted. A held lock costs the count.

        Raises: UnavailableError, DataError.
        """
        try:
            self._store.increment_recall_count(*observation_ids)
        except LockHeld as held:
            message = f"use not counted: {held.message}"
            self._room.note("warning", "memory-alert", message=message)

    def tell_recalled(self, observation_ids: Iterable[str], asked: Recall) -> int:
        """Tell that a session was told these; return how many are there.

        It does not make them weightier: only what is opened was wanted.

        Raises: UnavailableError, DataError.
        """
        begun_ms = self._room.clock.now_ms()
        shown = self._store.get_by_ids(observation_ids)
        if shown:
            self._tell(asked, shown, sum(each.tokens for each in shown), begun_ms)
        return len(shown)

    @property
    def tokens_max(self) -> int:
        """How many tokens recall may use."""
        return self._room.settings.max_tokens if self.is_enabled else 0

    def best(self, asked: Recall, limit: int) -> tuple[tuple[Observation, float], ...]:
        """Return what an agent that is about to start may be told, each with its score, best first.

        Nothing is counted as used by being told.

        Raises: UnavailableError, DataError.
        """
        if not self.tokens_max:
            return ()
        weighed = self._weigh(asked, self._room.clock.now_ms())[:limit]
        scores = {each.entry.id: each.score for each in weighed}
        return tuple((one, scores[one.id]) for one in self._store.get_by_ids(scores))

    def count_standing(self) -> int:
        """Return how many observations nothing has replaced."""
        return self._store.count_standing()

    def search(
        self,
        query: str,
        limit: int = OBSERVATION_SEARCH_LIMIT,
        filters: SearchFilters | None = None,
    ) -> tuple[ObservationIndex, ...]:
        """Return what fits best of what passes the filters; what replaced another leads it."""
        begun_ms = self._room.clock.now_ms()
        wide = SearchFilters() if filters is None else replace(filters, limit=None)
        found = self._store.search(query, SEARCH_HITS_MAX)
        if wide != SearchFilters():
            passing = {each.id for each in self._store.search_by_filters(wide)}
            found = tuple(each for each in found if each.id in passing)
        found = lead_with_standing(found)[: max(limit, 0)]
        took_ms = self._room.clock.now_ms() - begun_ms
        self._room.note(
            "info", "memory-searched", query=redact(query), results=len(found), elapsed_ms=took_ms
        )
        return found

    def get(self, observation_id: str) -> tuple[Observation, bool]:
        """Return an observation, and whether it lies in the archive.

        Raises: NotFound, InvalidValue.
        """
        observation_id = self.name_in_full(observation_id)
        parse_observation_id(observation_id)
        found = self._store.get_by_id(observation_id)
        if found is not None:
            return found, False
        archived = self._store.get_archived(observation_id)
        if archived is None:
            raise NotFound(
                f"{observation_id}: no such observation", hint="see `agentx memory list`"
            )
        return archived, True

    def list_replaced(self, observation_id: str) -> tuple[str, ...]:
        """Return the ids of what an observation replaced, newest first."""
        rows = self._store.search_by_filters(SearchFilters(superseded=True))
        return tuple(row.id for row in rows if row.superseded_by == observation_id)

    def remove(self, observation_id: str) -> None:
        """Take one away for good.

        Raises: NotFound, InvalidValue, LockHeld, UnavailableError.
        """
        found, _ = self.get(observation_id)
        dropping.leave_unsaid(self._store, found)
        self._store.remove(found.id)
        self.let_stand((found.id,))
        self._room.note("info", "memory-removed", id=found.id)

    def forget(self, observation_ids: Iterable[str]) -> tuple[str, ...]:
        """Take observations away for good, and what was merged of them; return what is gone.

        Raises: InvalidValue, LockHeld, UnavailableError.
        """
        asked = frozenset(observation_ids)
        gone = self._store.forget(asked)
        dropping.blot_out(self._store, asked.union(gone))
        drop_repeats(self._store, asked.union(gone))
        self.let_stand(gone)
        if gone:
            self._room.note("info", "memory-forgotten", count=len(gone))
        return gone

    def name_in_full(self, name: str) -> str:
        """Return the id that a short one means: of what is kept, else of what was dropped.

        Raises: NotFound, InvalidValue.
        """
        if not is_short_id(name):
            return name
        found = self._store.find_ids(name) or dropping.find_dropped(self._store, name)
        if not found:
            raise NotFound(f"{name}: no such observation", hint="see `agentx memory list`")
        if len(found) > 1:
            raise InvalidValue(f"{name} is not one observation", hint=f"say {' or '.join(found)}")
        return found[0]

    def let_stand(self, gone: Collection[str]) -> None:
        """Let those stand again that nothing replaces any more."""
        rows = self._store.search_by_filters(SearchFilters(superseded=True))
        orphans = [row.id for row in rows if row.superseded_by in gone]
        if orphans:
            found = self._store.get_by_ids(orphans)
            self._store.amend([replace(each, superseded_by="") for each in found])

    def stats(self) -> StoreStats:
        """Count what is there, and note what a person should know."""
        stats = self._store.get_stats()
        for sentence in alerts(stats):
            self._room.note("warning", "memory-alert", message=sentence)
        return stats

    def compact(
        self, issues: Sequence[int] | None = None, *, before_ms: int | None = None
    ) -> tuple[CompactionResult, ...]:
        """Merge what is old, in some issues or in all; return what changed."""
        results = []
        for issue in self._store.issues() if issues is None else issues:
            result = self._store.compact(issue, before_ms=before_ms)
            if result.archived:
                results.append(result)
                self._room.note(
                    "info",
                    "memory-compacted",
                    issue=issue,
                    before=result.before,
                    after=result.after,
                )
        return tuple(results)

    def settle(self) -> int:
        """Bring every file up to date; return how many acts moved."""
        dropping.finish_drops(self._store)
        return self._store.settle()

    def close(self) -> None:
        """Let go of the store."""
        self._store.close()

    def _keep(self, kept: Sequence[Observation], *, agent: str, issue: int) -> None:
        begun_ms = self._room.clock.now_ms()
        self._store.store(kept)
        now_ms = self._room.clock.now_ms()
        self._room.bus.tell(
            MemoryStored(
                agent=agent,
                issue_number=issue,
                count=len(kept),
                total_tokens=sum(each.tokens for each in kept),
                observation_ids=tuple(each.id for each in kept),
                timestamp_ms=now_ms,
                elapsed_ms=now_ms - begun_ms,
            )
        )

    def _sift(self, fitting: Sequence[Observation]) -> tuple[Observation, ...]:
        sifted = dropping.sift(self._store, fitting)
        if sifted.kept_out:
            self._room.note("info", "memory-kept-out", count=sifted.kept_out)
        return sifted.kept

    def _skip(self, agent: str, issue: int, reason: str) -> None:
        self._room.bus.tell(
            CaptureSkipped(
                agent=agent,
                issue_number=issue,
                level="warning",
                reason=reason,
                timestamp_ms=self._room.clock.now_ms(),
            )
        )

    def _weigh(self, asked: Recall, now_ms: Millis) -> list[ScoredObservation]:
        """Return the lines worth weighing, best first; what was superseded comes last."""
        limit = OBSERVATION_RECALL_ROWS_MAX
        agent = agent_name(asked.agent) if asked.agent else ""
        wanted = [
            SearchFilters(superseded=False, pinned=True, limit=limit),
            SearchFilters(superseded=False, limit=limit),
        ]
        wanted.append(SearchFilters(superseded=False, category=Category.DECISION, limit=limit // 2))
        if agent:
            wanted.append(SearchFilters(superseded=False, agent=agent, limit=limit // 2))
        if asked.issue_number:
            wanted.append(
                SearchFilters(superseded=False, issue_number=asked.issue_number, limit=limit)
            )
        rows: dict[str, ObservationIndex] = {}
        for filters in wanted:
            rows.update((each.id, each) for each in self._store.search_by_filters(filters))
        if asked.context:
            hits = self._store.search(asked.context, OBSERVATIONS_PER_CAPTURE_MAX)
            rows.update((each.id, each) for each in hits)
        words = keywords(asked.context) if asked.context else frozenset()
        weighed = score(rows.values(), Subject(now_ms=now_ms, words=words, phase=asked.phase))
        issue = asked.issue_number
        weighed.sort(
            key=lambda each: (
                bool(each.entry.superseded_by),
                bool(issue) and each.entry.issue_number != issue,
            )
        )
        return weighed

    def _tell(
        self, asked: Recall, shown: Sequence[Observation], tokens: int, begun_ms: int
    ) -> None:
        """Tell of a recall, and what it spared."""
        room = self._room
        ids = tuple(each.id for each in shown)
        files = tuple(dict.fromkeys(each for one in shown for each in one.files))
        # What has no file to read again was said in a session: it costs what it says.
        spoken = sum(each.tokens for each in shown if not each.files)
        displaced = room.reading_costs(files) + spoken
        now_ms = room.clock.now_ms()
        room.note("info", "memory-displaced", tokens=displaced, message=displacement(displaced))
        room.bus.tell(
            MemoryRecalled(
                agent=asked.agent,
                issue_number=asked.issue_number,
                count=len(ids),
                total_tokens=tokens,
                observation_ids=ids,
                timestamp_ms=now_ms,
                elapsed_ms=now_ms - begun_ms,
                displaced_tokens=displaced,
            )
        )


def _headline(content: str) -> str:
    """Return the first sentence, if it says anything; else the beginning."""
    line = fold_text(content)
    ends = (one.end for one in sentences(line))
    end = next((at for at in ends if at >= _HEADLINE_CHARS_MIN), len(line))
    return shorten(line[:end], OBSERVATION_SUMMARY_CHARS_MAX)


def _fit(observation: Observation) -> Observation:
    """Return an observation without secrets, private or injected text, and within its bounds."""
    content = cut(redact(without_recall(observation.content)).strip(), OBSERVATION_CHARS_MAX)
    return replace(
        observation,
        content=content,
        summary=preview(redact(observation.summary) or content, OBSERVATION_SUMMARY_CHARS_MAX),
        tokens=estimate(content),
        event_ids=observation.event_ids[:OBSERVATION_EVENTS_MAX],
        files=tuple(map(redact, observation.files[:OBSERVATION_FILES_MAX])),
        branch=redact(observation.branch),
    )
