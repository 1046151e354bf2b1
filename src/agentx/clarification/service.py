"""The verbs of the room: take the lock, decide, keep, leave, tell.

No verb asks an agent, and no lock is held when anybody is told.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace

from agentx.clarification.contested import find_contesting
from agentx.clarification.errors import (
    ClarificationNotFound,
    LockTimeout,
    max_rounds_exceeded,
    name_moved,
    not_found,
)
from agentx.clarification.events import (
    ClarificationAnswered,
    ClarificationEscalated,
    ClarificationEvent,
    ClarificationRequested,
    ClarificationResolved,
    ClarificationStale,
    MonitorRan,
    event_of,
)
from agentx.clarification.facts import (
    Answered,
    Asked,
    Escalated,
    Fact,
    Resolved,
    Retried,
    WentStale,
)
from agentx.clarification.limits import CLARIFY_DECIDED_TOLD_MS, CLARIFY_MONITOR_LOCK_WAIT_MS
from agentx.clarification.model import (
    HUB,
    PERSON,
    UNJUDGED,
    AnswerWorth,
    Clarification,
    ClarificationStatus,
    Ledger,
    NewQuestion,
    Reason,
)
from agentx.clarification.protocol import decide
from agentx.clarification.scope import Put, Scope, check_text, find_same, rounds_of
from agentx.clarification.store.ledgers import LEDGER_WAIT_MS, LedgerStore
from agentx.clarification.store.merging import is_kept
from agentx.clarification.store.survey import Survey
from agentx.clarification.watch.awaiting import is_to_be_answered
from agentx.clarification.watch.monitor import MonitorReport, Remedy, World, findings
from agentx.clarification.ways import name_missed_way
from agentx.kernel.bus import Bus
from agentx.kernel.clock import MINUTE_MS, Clock, Millis
from agentx.kernel.errors import AgentXError, CorruptRecord, IllegalTransition
from agentx.kernel.ids import parse_clarification_name
from agentx.kernel.text import fold_text
from agentx.redaction.redact import redact

_TOLD: dict[type[Fact], type[ClarificationEvent]] = {
    Asked: ClarificationRequested,
    Answered: ClarificationAnswered,
    WentStale: ClarificationStale,
    Resolved: ClarificationResolved,
    Escalated: ClarificationEscalated,
}


@dataclass(slots=True)
class _Done:
    by_reason: dict[Reason, list[Clarification]] = field(default_factory=dict)

    def of(self, *reasons: Reason) -> tuple[Clarification, ...]:
        return tuple(state for reason in reasons for state in self.by_reason.get(reason, ()))


class Clarifications:
    """What agents want to know of each other."""

    def __init__(self, store: LedgerStore, *, clock: Clock, bus: Bus) -> None:
        self._store = store
        self._clock = clock
        self._bus = bus

    def ask(self, request: NewQuestion, scope: Scope) -> Clarification:
        """Keep a question that `scope.permit` let through; as `put`."""
        return self.put(request, scope).state

    def put(self, request: NewQuestion, scope: Scope) -> Put:
        """Keep a question that `scope.permit` let through; the same one, while open, is joined.

        Raises: LockTimeout, CorruptRecord.
        """
        now = self._clock.now_ms()
        with self._store.editing(request.issue, agent=request.asker) as edit:
            topic = fold_text(redact(request.topic))
            known = find_same(edit.list_open(request.asker, request.to, topic), request)
            if known is not None:
                return Put(state=known, is_new=False)
            state = Clarification(
                id=edit.next_id(),
                issue=request.issue,
                asker=request.asker,
                to=request.to,
                topic=topic,
                blocking=request.blocking,
                rounds_max=rounds_of(request, scope),
                created_ms=now,
                stale_after_ms=Millis(now + scope.sla_minutes * MINUTE_MS),
                sla_minutes=scope.sla_minutes,
                issue_mark=replace(request.issue_mark, title=redact(request.issue_mark.title)),
            )
            question = Asked(at_ms=now, by=request.asker, body=redact(request.question))
            state = edit.open(state, question)
        self._tell(ClarificationRequested, state)
        return Put(state=state, is_new=True)

    def follow_up(self, clarification_id: str, question: str, *, by: str) -> Clarification:
        """Put a further question; past the last round a person is called.

        Raises: MaxRoundsExceeded once the escalation is kept, ClarificationNotFound,
            IllegalTransition, InvalidValue, LockTimeout.
        """
        body = redact(check_text("question", question))
        state = self._happen(
            clarification_id, Asked(at_ms=self._clock.now_ms(), by=by, body=body), agent=by
        )
        if state.status is ClarificationStatus.ESCALATED:
            raise max_rounds_exceeded(state)
        return state

    def answer(
        self,
        clarification_id: str,
        answer: str,
        *,
        by: str = "",
        via: str = "",
        worth: AnswerWorth = UNJUDGED,
    ) -> Clarification:
        """Keep an answer; one that comes after the escalation is kept and changes nothing.

        Raises: ClarificationNotFound, IllegalTransition, InvalidValue, LockTimeout.
        """
        body = redact(check_text("answer", answer))
        speaker = by or self.find(clarification_id).to
        left = worth.remaining.strip()
        worth = replace(worth, remaining=redact(check_text("rest", left)) if left else "")
        fact = Answered(at_ms=self._clock.now_ms(), by=speaker, body=body, via=via, worth=worth)
        return self._happen(clarification_id, fact, agent=speaker)

    def resolve(
        self, clarification_id: str, body: str = "", *, by: str = "", via: str = ""
    ) -> Clarification:
        """Settle it: by its asker once it is answered, else by a person.

        Raises: ClarificationNotFound, IllegalTransition, InvalidValue, LockTimeout.
        """
        text = redact(check_text("resolution", body)) if body.strip() else ""
        speaker = by or self._settler(clarification_id)
        fact = Resolved(at_ms=self._clock.now_ms(), by=speaker, body=text, via=via)
        return self._happen(clarification_id, fact, agent=speaker)

    def keep_missed(
        self, clarification_id: str, body: str, *, via: str, to_asked: str = ""
    ) -> Clarification:
        """Keep once what a person said on GitHub too late to be taken; it changes nothing.

        It was said to what the thread asks, or to what was asked with `to_asked` before.

        Raises: ClarificationNotFound, InvalidValue, LockTimeout.
        """
        text, way = redact(check_text("answer", body)), name_missed_way(via)
        known, issue = parse_clarification_name(clarification_id)
        with self._store.editing(issue, agent=PERSON) as edit:
            state = edit.find(known)
            if state is None:
                raise not_found(known)
            if is_kept(state, way):
                return state
            fact = Answered(at_ms=self._clock.now_ms(), by=PERSON, body=text, via=way)
            return edit.keep_missed(state, fact, to_asked)

    def escalate(
        self,
        clarification_id: str,
        summary: str = "",
        *,
        reason: Reason = Reason.MANUAL,
        by: str = HUB,
    ) -> Clarification:
        """Call a person.

        Raises: ClarificationNotFound, IllegalTransition, InvalidValue, LockTimeout.
        """
        text = redact(check_text("summary", summary)) if summary.strip() else ""
        fact = Escalated(at_ms=self._clock.now_ms(), reason=reason, by=by, body=text)
        return self._happen(clarification_id, fact, agent=by)

    def retry(self, clarification_id: str, *, runner: str = "") -> Clarification:
        """Put a stale question once more; a second time a person is called instead.

        Raises: ClarificationNotFound, IllegalTransition, LockTimeout.
        """
        fact = Retried(at_ms=self._clock.now_ms(), runner=runner)
        return self._happen(clarification_id, fact, agent=HUB)

    def forget(self, clarification_id: str, *, is_aged: bool = False) -> tuple[str, ...]:
        """Take a question out of every file, for good; return the agents that it was between.

        Raises: ClarificationNotFound, LockTimeout, CorruptRecord, UnavailableError.
        """
        known, issue = parse_clarification_name(clarification_id)
        with self._store.editing(issue, agent=PERSON) as edit:
            between = edit.forget(known, is_aged=is_aged)
            if between is None:
                raise not_found(known)
        return between

    def compact(self, before_ms: Millis) -> int:
        """Shorten threads that were settled before a moment; return how many.

        A ledger that cannot be read, or that others keep, is left for another time.
        """
        done = 0
        for stamp in self._store.stamps():
            with suppress(AgentXError):
                wait_ms = CLARIFY_MONITOR_LOCK_WAIT_MS
                done += self._store.compact(stamp.issue, before_ms, wait_ms=wait_ms)
        return done

    def forget_settled(self, before_ms: Millis) -> tuple[Clarification, ...]:
        """Forget what was asked here and settled before a moment, as aged; return what it was.

        A ledger that cannot be read, or that others keep, is left for another time.
        """
        gone: list[Clarification] = []
        for stamp in self._store.stamps():
            with suppress(AgentXError):
                for state in self._store.list_settled(stamp.issue, before_ms):
                    self.forget(state.id, is_aged=True)
                    gone.append(state)
        return tuple(gone)

    def find(self, clarification_id: str) -> Clarification:
        """Return one clarification.

        Raises: InvalidValue for what is no id, ClarificationNotFound.
        """
        known, issue = parse_clarification_name(clarification_id)
        state = self._store.find(issue, known)
        if state is None:
            raise not_found(known)
        return state

    def find_meant(self, said: str, *, by_person: bool = False) -> Clarification:
        """Return what somebody means who is to decide it.

        Raises: NameMoved for a name that meant another here before, or to a person; where a person
            was shown, or names, an earlier question of the thread; and as `find`.
        """
        known, issue = parse_clarification_name(said)
        meant = self._store.list_meant(issue, known, by_person=by_person)
        if meant:
            raise name_moved(known, meant)
        state = self.find(known)
        if by_person and is_to_be_answered(state):
            self._store.check_seen(known, state)
        return state

    def ledger(self, issue: int) -> Ledger:
        """Return the clarifications of an issue.

        Raises: CorruptRecord.
        """
        return self._store.read(issue)

    def ledgers(self) -> Iterator[Ledger]:
        """Yield every ledger that can be read."""
        for stamp in self._store.stamps():
            try:
                yield self._store.read(stamp.issue, stamp)
            except CorruptRecord:
                continue

    def list_all(self) -> tuple[Clarification, ...]:
        """Return every clarification that can be read; what is active is seldom read again."""
        found = list(self.survey().active)
        for stamp in self._store.stamps():
            with suppress(CorruptRecord):
                found += self._store.read_settled(stamp)
        return tuple(found)

    def take_in(self) -> None:
        """Keep what others wrote into any view, before other words count than before."""
        for stamp in self._store.stamps():
            with suppress(AgentXError), self._store.editing(stamp.issue, agent=PERSON):
                pass

    def renew(self) -> None:
        """Make every view again that is not what the events say to who reads them now."""
        for stamp in self._store.stamps():
            with suppress(AgentXError):  # it is made again by whoever looks next
                self._store.renew(stamp.issue, wait_ms=CLARIFY_MONITOR_LOCK_WAIT_MS)

    def put_back(self) -> tuple[str, ...]:
        """Write into the files again what git took out of them; return of which questions.

        Raises: LockTimeout, StaleVersion, CorruptRecord, UnavailableError.
        """
        names: list[str] = []
        for stamp in self._store.stamps():
            names += self._store.put_back(stamp.issue)
        return tuple(names)

    def list_faults(self) -> tuple[str, ...]:
        """Return what is wrong with any file of events; a damaged view is told by `survey`."""
        faults: list[str] = []
        for stamp in self._store.stamps():
            with suppress(CorruptRecord):
                faults += self._store.check(stamp.issue)
        return tuple(faults)

    def survey(self) -> Survey:
        """Return every active clarification, and what others than the asker decided lately.

        A damaged ledger is reported, and harms no other. One that has not changed since this
        process looked is not read again.
        """
        since_ms = max(self._clock.now_ms() - CLARIFY_DECIDED_TOLD_MS, 0)
        seen: dict[int, Ledger] = {}
        damaged: list[str] = []
        closed: list[int] = []
        for stamp in self._store.stamps():
            try:
                known = seen[stamp.issue] = self._store.open(stamp, since_ms=since_ms)
                damaged += (f"issue-{stamp.issue}.json: {fault}" for fault in known.faults)
            except CorruptRecord as error:
                damaged.append(f"{error.message}; {error.hint}")
                closed.append(stamp.issue)
        found = [state for ledger in seen.values() for state in ledger]
        return Survey(
            active=tuple(state for state in found if state.is_active),
            decided=tuple(
                state
                for state in found
                if state.resolved_ms is not None
                and (state.resolved_ms >= since_ms or find_contesting(state) is not None)
            ),
            damaged=tuple(damaged),
            closed=tuple(closed),
            behind=tuple(issue for issue, ledger in seen.items() if ledger.is_behind),
            missing=tuple(name for ledger in seen.values() for name in ledger.missing),
        )

    def check(self, survey: Survey, world: World) -> MonitorReport:
        """Do what the monitor finds to be done, and tell what it was.

        Every finding is decided again under its ledger's lock: what another process has done
        meanwhile is not done twice.
        """
        for issue in survey.behind:
            with suppress(AgentXError):  # it is made again by whoever looks next
                self._store.renew(issue, wait_ms=CLARIFY_MONITOR_LOCK_WAIT_MS)
        done = _Done()
        changed = {state.id: state for state in survey.active}
        for finding in findings(survey.active, world):
            state = self._act(finding)
            if state is not None:
                done.by_reason.setdefault(finding.reason, []).append(state)
                changed[state.id] = state
        found = MonitorReport(
            stale=done.of(Reason.STALE),
            stuck=done.of(Reason.STUCK),
            deadlocked=done.of(Reason.DEADLOCK),
            abandoned=done.of(Reason.ISSUE_CLOSED, Reason.ASKER_GONE),
            damaged=survey.damaged,
            closed=survey.closed,
            active=tuple(state for state in changed.values() if state.is_active),
            closed_issues=world.closed_issues,
        )
        self._bus.tell(
            MonitorRan(
                stale=len(found.stale),
                stuck=len(found.stuck),
                deadlocked=len(found.deadlocked),
                abandoned=len(found.abandoned),
                damaged=len(found.damaged),
                behind=len(survey.behind),
            )
        )
        return found

    def _act(self, finding: Remedy) -> Clarification | None:
        state: Clarification | None = None
        try:
            for fact in finding.facts:
                state = self._happen(
                    finding.clarification.id,
                    fact,
                    agent=HUB,
                    seen=finding.clarification,
                    wait_ms=CLARIFY_MONITOR_LOCK_WAIT_MS,
                )
        except (IllegalTransition, LockTimeout, ClarificationNotFound, CorruptRecord):
            # Somebody else is at it, or was: whoever looks next finds what is left to do.
            return None
        return state

    def _happen(
        self,
        clarification_id: str,
        fact: Fact,
        *,
        agent: str,
        seen: Clarification | None = None,
        wait_ms: int = LEDGER_WAIT_MS,
    ) -> Clarification:
        known, issue = parse_clarification_name(clarification_id)
        with self._store.editing(issue, agent=agent, wait_ms=wait_ms) as edit:
            before = edit.find(known)
            if before is None:
                raise not_found(known)
            if seen is not None and before != seen:
                raise IllegalTransition(f"{known} has changed since it was looked at")
            happened = decide(before, fact)
            state = edit.record(before, happened)
        for each in happened:
            if type(each) in _TOLD:
                self._tell(_TOLD[type(each)], state)
        return state

    def _settler(self, clarification_id: str) -> str:
        state = self.find(clarification_id)
        return state.asker if state.status is ClarificationStatus.ANSWERED else PERSON

    def _tell(self, kind: type[ClarificationEvent], state: Clarification) -> None:
        self._bus.tell(event_of(kind, state, self._clock.now_ms()))
