"""How the newest sessions ended, and what they left open.

Where it stopped: the last words of a session, and what is told of them in the table of contents;
a prompt that nobody answered is where it stopped. What is left: the answer to somebody who asked
just that, else the sentences of last words that speak of what is not done.

A session that only asks about the past, as the one that asks this, has no ending of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from datetime import tzinfo

from agentx.conversation.model import Event, EventPage, EventQuery, Session, SessionQuery
from agentx.kernel.capture import EventType
from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late, fold_text, preview
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.memory.found import SearchHit
from agentx.observations.extract.left.asking import wants_answer
from agentx.observations.extract.left.open_words import says_open, says_stopped
from agentx.observations.extract.left.put_off import is_put_off
from agentx.observations.extract.left.reports import read_reports
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import Words, coverage
from agentx.prose.sentences import is_question, sentences, words
from agentx.prose.settling.verdict import asks_for_something
from agentx.recall.history.asked import HistoryKind, read_history
from agentx.recall.history.calendar import EVER, Wanted

# Each is looked up among all sessions; who asks where it stopped means the last few.
_SESSIONS_MAX = 5
_SESSIONS_LOOKED_AT = 60
_SESSIONS_FIRST = 10
_EVENTS_MAX = 120
_ROW_CHARS_MAX = 400
_ASKED_CHARS_MAX = 200
_SENTENCES_MAX = 4
_SAME = 0.7  # of the words of an open end
LEFT_OPEN = cues.anywhere(
    r"""
    left (?:for|to|open|undone|over)(?: you| do)?
    still (?:open|missing|needs?|to do|has to|have to)
    not (?:yet )?(?:committed|pushed|merged|deployed|done|finished|implemented|fixed|tested)
    (?:haven'?t|hasn'?t|have not|has not) (?:yet )?(?:been )?\w+(?: yet)? | never built
    remain(?:s|ing)? | outstanding | pending | unfinished | uncommitted | todo | to-do
    next steps? | follow-?ups? | waiting (?:for|on) | waits for | blocked (?:by|on) | up to you
    open (?:question|point|item|end|issue)s?(?= ?:| for| is| are)
    (?:one|two|three|some|few|\d+) (?:things?|points?|items?) (?:left|open|remain\w*)
    you(?:'ll| will)? (?:still )?need to | before (?:merging|release|deploying)
    """
)
_BRIEF_WORDS_MAX = 20
_REPORT_WORDS_MAX = 3
_LEAVES = cues.at_the_start(
    r"""
    thx | thanks? | thank you | ty | cheers | good ?night | bye | that'?s (?:all|it) | great work
    danke | gute nacht | tsch\u00fc\u00df | merci | gracias | obrigad[oa] | grazie
    """,
    after="ok(?:ay)? | great | perfect | nice | cool | good | super | awesome | yes | alright",
)
_TAKES_NOTE = cues.at_the_start(
    r"""
    ok(?:ay)? | k | hm+ | ah+ | oh | interesting | good | great | nice | cool | perfect | fine
    thanks? | thank you | thx | bye | alright | understood | i see | got it | makes sense | yes
    gut | interessant | verstanden | bien | vale | entendido | interesante | d'accord | compris
    works?(?: now| fine)? | it works
    """
)
_SPEAKS = (EventType.USER_MESSAGE, EventType.ASSISTANT_MESSAGE)
_WORDS = compile_late(r"\w")
_AND = compile_late(r"\A(?:and|so|ok|okay|then|but)[, ]+", re.IGNORECASE)

ListSessions = Callable[[SessionQuery], tuple[Session, ...]]
ListEvents = Callable[[EventQuery], EventPage]


@frozen
class Moment:
    """The present, and where its day begins."""

    now_ms: Millis
    zone: tzinfo


@frozen
class _Exchange:
    """A prompt, and the last words that answered it; either may be missing."""

    prompt: Event | None
    reply: Event | None


class Endings:
    """The newest sessions of whoever is asked about, read from their ends."""

    def __init__(
        self, sessions: ListSessions, events: ListEvents, wanted: Wanted, moment: Moment
    ) -> None:
        self._sessions = sessions
        self._events = events
        self._wanted = wanted
        self._moment = moment

    def list_stops(self, limit: int) -> list[SearchHit]:
        """Return where the newest sessions stopped, the newest first."""
        rows = []
        for _, exchanges in self._newest():
            last = exchanges[0]
            if last.reply is not None:
                rows.append(_show(last.reply, _tell_end(last, last.reply)))
            elif last.prompt is not None:
                rows.append(_show(last.prompt, f"not answered: {fold_text(last.prompt.text)}"))
            if len(rows) == limit:
                break
        return rows

    def list_left(self, limit: int, closed: Sequence[Words] = ()) -> list[SearchHit]:
        """Return what the newest sessions left open, the newest first; not what was closed since.

        `closed` are the words of each open end that something was done about.
        """
        rows: list[SearchHit] = []
        for _, exchanges in self._newest():
            rows += self._left_by(exchanges, closed)
            if len(rows) >= limit:
                break
        return rows[:limit]

    def _left_by(
        self, exchanges: tuple[_Exchange, ...], closed: Sequence[Words]
    ) -> Iterator[SearchHit]:
        last = exchanges[0]
        if last.reply is None and last.prompt is not None:
            yield _show(last.prompt, f"not answered: {fold_text(last.prompt.text)}")
        for exchange in exchanges:
            if exchange.reply is None:
                continue
            if self._asks(exchange.prompt, HistoryKind.LEFT):
                yield _show(exchange.reply, fold_text(exchange.reply.text))
                return  # whoever was told what is left has all of it
            if exchange is last and (said := _open_sentences(exchange.reply.text, closed)):
                yield _show(exchange.reply, said)

    def _newest(self) -> Iterator[tuple[Session, tuple[_Exchange, ...]]]:
        """Yield the newest sessions that did something, each with its exchanges, newest first."""
        seen: set[tuple[str, str]] = set()
        told = 0
        # Found from the end of the log, the first few mostly have it.
        is_open = self._wanted.until_ms >= EVER[1]
        steps = (_SESSIONS_FIRST, _SESSIONS_LOOKED_AT) if is_open else (_SESSIONS_LOOKED_AT,)
        for looked_at in steps:
            found = self._find(looked_at)
            for session in found:
                name = (session.harness, session.session_id)
                if name in seen:
                    continue
                seen.add(name)
                exchanges = self._exchanges(session) if self._is_wanted(session) else ()
                if exchanges:
                    told += 1
                    yield session, exchanges
                if told == _SESSIONS_MAX:
                    return
            if len(found) < looked_at:
                return

    def _find(self, limit: int) -> tuple[Session, ...]:
        wanted = self._wanted
        names = wanted.who
        return self._sessions(
            SessionQuery(
                harness=names.harnesses[0] if len(names.harnesses) == 1 else "",
                agent=names.roles[0] if len(names.roles) == 1 else "",
                since_ms=wanted.since_ms or None,
                until_ms=wanted.until_ms if wanted.until_ms < EVER[1] else None,
                limit=limit,
            )
        )

    def _is_wanted(self, session: Session) -> bool:
        wanted = self._wanted
        return wanted.session in ("", session.session_id) and _is_by(session, wanted)

    def _exchanges(self, session: Session) -> tuple[_Exchange, ...]:
        """Return what was asked and answered at the end of a session, newest first."""
        page = self._events(
            EventQuery(
                session_id=session.session_id,
                harness=session.harness,
                until_ms=self._wanted.until_ms,
                limit=_EVENTS_MAX,
                newest_first=True,
            )
        )
        found: list[_Exchange] = []
        reply: Event | None = None
        for event in page.events:
            if event.event_type not in _SPEAKS or not _WORDS.search(event.text):
                continue
            if event.event_type == EventType.ASSISTANT_MESSAGE:
                reply = reply or event
            else:
                found.append(_Exchange(prompt=event, reply=reply))
                reply = None
        if reply is not None:
            found.append(_Exchange(prompt=None, reply=reply))
        # Whoever asks about the past, or only gives thanks, does not go on with it.
        while found and found[0].reply is None and self._ends(found[0].prompt):
            del found[0]
        if all(self._asks(each.prompt) for each in found if each.prompt is not None):
            return tuple(each for each in found if each.prompt is None)
        return tuple(found)

    def _ends(self, prompt: Event | None) -> bool:
        if prompt is None:
            return False
        return self._asks(prompt) or _only_ends(prompt.text) or not _wants(prompt.text)

    def _asks(self, prompt: Event | None, kind: HistoryKind | None = None) -> bool:
        """Tell whether a prompt asks about time and place; in a longer one, its last sentence."""
        if prompt is None:
            return False
        said = [each.text for each in sentences(prompt.text[-_ROW_CHARS_MAX:])][-1:]
        asked = [
            read_history(_AND.sub("", text), now_ms=self._moment.now_ms, zone=self._moment.zone)
            for text in said
        ]
        return any(each is not None and kind in (None, each.kind) for each in asked)


def list_prompts(events: ListEvents, wanted: Wanted, limit: int) -> list[SearchHit]:
    """Return what people asked for in a span, the newest first: prompts are the requests."""
    page = events(
        EventQuery(
            session_id=wanted.session,
            event_type=EventType.USER_MESSAGE,
            since_ms=wanted.since_ms,
            until_ms=wanted.until_ms,
            limit=_EVENTS_MAX,
            newest_first=True,
        )
    )
    who = wanted.who
    return [
        _show(event, fold_text(event.text))
        for event in page.events
        if not event.machine
        and _WORDS.search(event.text)
        and (not who.harnesses or event.harness in who.harnesses)
        and (not who.roles or event.agent in who.roles)
    ][:limit]


def _is_by(session: Session, wanted: Wanted) -> bool:
    who = wanted.who
    return (not who.harnesses or session.harness in who.harnesses) and (
        not who.roles or session.agent in who.roles
    )


def _tell_end(last: _Exchange, reply: Event) -> str:
    """Return the last words of a session; brief ones behind what they answer."""
    told = fold_text(reply.text)
    if last.prompt is None or words(told) > _BRIEF_WORDS_MAX:
        return told
    asked = preview(fold_text(last.prompt.text), _ASKED_CHARS_MAX)
    return f"asked: {asked} -> {told}"


def _open_sentences(text: str, closed: Sequence[Words]) -> str:
    """Return the sentences of some last words that speak of what is not done."""
    said = sentences(text)
    found = [fold_text(each.text) for each in said if _is_open(each.text)]
    if said and is_question(said[-1].text) and wants_answer(said[-1].text):
        found = [*found, fold_text(said[-1].text)] if said[-1].text not in found else found
    left = [each for each in found if not is_closed(each, closed)]
    return " ".join(left[:_SENTENCES_MAX])


def _is_open(sentence: str) -> bool:
    return LEFT_OPEN.search(sentence) is not None or says_open(sentence) or says_stopped(sentence)


def _only_ends(prompt: str) -> bool:
    """Tell whether somebody only thanks or takes leave, and asks for nothing."""
    return cues.begins(_LEAVES, prompt.strip()) and not asks_for_something(prompt)


def _wants(prompt: str) -> bool:
    """Tell whether a prompt wants something: not what only takes note, reports or puts off."""
    return not all(map(_is_idle, (each.text for each in sentences(prompt))))


def _is_idle(sentence: str) -> bool:
    if is_question(sentence):
        return False
    if read_reports(sentence) and words(sentence) <= _REPORT_WORDS_MAX:
        return True
    says_little = cues.begins(_TAKES_NOTE, sentence) or bool(read_reports(sentence))
    return is_put_off(sentence) or (says_little and not asks_for_something(sentence))


def is_closed(text: str, closed: Sequence[Words]) -> bool:
    """Tell whether a text says no more than one of some open ends that were closed."""
    own = terms(text)
    return any(coverage(own, each) >= _SAME for each in closed) if own else False


def _show(event: Event, said: str) -> SearchHit:
    return SearchHit(
        doc_id=event.event_id,
        kind="event",
        score=0.0,
        snippet=preview(said, _ROW_CHARS_MAX),
        marks=(),
        timestamp_ms=event.timestamp_ms,
        project=event.project,
        session_id=event.session_id,
        harness=event.harness,
        agent=event.agent,
        role=event.role,
        issue="",
        tokens=estimate(event.text),
    )
