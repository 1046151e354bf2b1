"""What happened to a question, as a line of a writer's file, and back.

    {"v":1,"id":ULID,"question":uid,"type":"answered","timestamp":...,"by":"architect","body":...,
     "key":...,"sig":...}

Ids order the events: each is later than everything its writer had seen. `opened` makes a question,
and its id is the question's `uid`. Beside the facts of the protocol there is what came in by the
ledger's own file: `taken` (a whole row), `edited`, `odd` (an entry that nobody understands),
`removed`; and `forgotten`, after which nothing brings the question back. `named` keeps the number
that a question got where another had its own. How an event stands is no part of it: that depends on
whom the reader trusts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from enum import StrEnum
from typing import Any

from agentx.clarification.facts import (
    Abandoned,
    Answered,
    Asked,
    Escalated,
    Fact,
    Resolved,
    Retried,
    WentStale,
)
from agentx.clarification.model import HUB, PERSON, Clarification, Reason
from agentx.clarification.store.ledger_json import (
    VERSION,
    DamagedLedger,
    Row,
    UnknownVersion,
    mark_json,
    mark_of,
    read_field,
    read_moment,
    read_speaker,
    read_word,
    worth_json,
    worth_of,
)
from agentx.clarification.ways import FILE, name_brought_way, read_missed, write_way
from agentx.kernel.clock import Millis, to_iso
from agentx.kernel.ids import clarification_id, is_ulid, ulid_ms
from agentx.kernel.values import frozen
from agentx.kernel.vouching.standing import Vouching

LEDGER = ""  # the question of an event that is about the ledger itself
NUMBER_MAX = 999_999_998  # one more must still be a number of a name
_TIME_MAX = 1 << 47  # ids go on after it for as long again

_WHERE = "the event"


class QuestionEventKind(StrEnum):
    """What an event says."""

    OPENED = "opened"
    ASKED = "asked"
    ANSWERED = "answered"
    RESOLVED = "resolved"
    WENT_STALE = "went-stale"
    RETRIED = "retried"
    ESCALATED = "escalated"
    ABANDONED = "abandoned"
    TAKEN = "taken"
    EDITED = "edited"
    ODD = "odd"
    REMOVED = "removed"
    FORGOTTEN = "forgotten"
    NAMED = "named"


@frozen
class QuestionEvent:
    """One thing that happened to a question."""

    id: str
    question: str
    kind: QuestionEventKind
    detail: Row
    key: str = ""  # with which it was signed, by its fingerprint
    signature: str = ""
    writer: str = ""  # whose file it lies in; no part of the line
    standing: Vouching = Vouching.UNSIGNED  # no part of the line either
    stem: str = ""  # the question of its line, where it is told of an offshoot of that

    @property
    def is_birth(self) -> bool:
        """Whether a question begins with it."""
        return self.kind in _BIRTHS

    @property
    def is_signed(self) -> bool:
        """Whether somebody whose words count signed it just as it is."""
        return self.standing is Vouching.SIGNED

    @property
    def may_contest(self) -> bool:
        """Whether a writer who is not trusted says in it what a person said."""
        is_word = self.kind in _WORDS and self.detail.get("by") == PERSON
        return is_word and self.standing is Vouching.UNTRUSTED

    @property
    def is_vouched(self) -> bool:
        """Whether its writer said it, and did not only find it in a file, or on GitHub."""
        is_found = self.detail.get("via") == FILE or bool(read_missed(self.detail))
        return self.is_signed and not is_found

    @property
    def doubt(self) -> str:
        """Why nobody vouches for it."""
        missed = read_missed(self.detail)
        if missed and self.standing is Vouching.UNTRUSTED:
            return name_brought_way(missed)
        return missed or FILE if self.standing is Vouching.SIGNED else str(self.standing)


_WORDLESS = frozenset({QuestionEventKind.FORGOTTEN, QuestionEventKind.NAMED})
_BIRTHS = frozenset({QuestionEventKind.OPENED, QuestionEventKind.TAKEN})
_WORDS = frozenset({QuestionEventKind.ANSWERED, QuestionEventKind.RESOLVED})
_KINDS: dict[type[Fact], QuestionEventKind] = {
    Asked: QuestionEventKind.ASKED,
    Answered: QuestionEventKind.ANSWERED,
    Resolved: QuestionEventKind.RESOLVED,
    WentStale: QuestionEventKind.WENT_STALE,
    Retried: QuestionEventKind.RETRIED,
    Escalated: QuestionEventKind.ESCALATED,
    Abandoned: QuestionEventKind.ABANDONED,
}


def line_of(event: QuestionEvent) -> dict[str, Any]:
    """Return an event as it is written."""
    question = event.stem or event.question
    head = {"v": VERSION, "id": event.id, "question": question, "type": str(event.kind)}
    signed = {"key": event.key, "sig": event.signature} if event.signature else {}
    return head | dict(event.detail) | signed


def event_of(line: object, writer: str) -> QuestionEvent:
    """Read an event.

    Raises: DamagedLedger that says what is wrong, UnknownVersion.
    """
    if not isinstance(line, dict):
        raise DamagedLedger("no event: an object was expected")
    version = line.get("v")
    if isinstance(version, int) and version > VERSION:
        raise UnknownVersion(
            f"written in version {version} of the format, and this AgentX knows {VERSION}",
            hint="update AgentX",
        )
    match line:
        case {"v": 1, "id": str(known), "question": str(question), "type": str(kind)}:
            pass
        case _:
            raise DamagedLedger("no event: v, id, question and type are needed")
    if not is_ulid(known) or ulid_ms(known) >= _TIME_MAX:
        raise DamagedLedger(f"{known[:40]!r} is no id")
    known_kind = _BY_WORD.get(kind)
    if known_kind is None:
        raise DamagedLedger(f"nobody knows what {kind[:40]!r} means")
    detail = {name: value for name, value in line.items() if name not in _HEAD}
    event = QuestionEvent(
        id=known,
        question=question,
        kind=known_kind,
        detail=detail,
        key=str(line.get("key", "")),
        signature=str(line.get("sig", "")),
        writer=writer,
    )
    _check(event)
    return event


_BY_WORD = {str(kind): kind for kind in QuestionEventKind}
_HEAD = ("v", "id", "question", "type", "key", "sig")


# --- facts ----------------------------------------------------------------------------------


def say_fact(fact: Fact, after: Clarification) -> tuple[QuestionEventKind, Row]:
    """Return how a fact is written; `after` is the question once it is true."""
    said: dict[str, Any] = {"timestamp": to_iso(fact.at_ms)}
    match fact:
        case Asked():
            said |= {"by": fact.by, "body": fact.body}
        case Answered() | Resolved():
            said |= {"by": fact.by, "body": fact.body, **write_way(fact.via)}
            said |= worth_json(fact.worth) if isinstance(fact, Answered) else {}
        case Retried():
            said |= {"runner": fact.runner}
        case Escalated():
            said |= {"reason": str(fact.reason), "by": fact.by, "body": fact.body}
            said |= {"text": after.summary}
        case Abandoned():
            said |= {"reason": str(fact.reason)}
        case WentStale():
            pass
    return _KINDS[type(fact)], {name: value for name, value in said.items() if value}


def fact_of(event: QuestionEvent) -> Fact:
    """Return the fact that an event tells.

    Raises: DamagedLedger when it tells none.
    """
    read = _FACTS.get(event.kind)
    if read is None:
        raise DamagedLedger(f"{event.kind} is no fact")
    return read(event.detail, read_moment(event.detail, "timestamp", _WHERE))


def _text(said: Row, name: str) -> str:
    return read_field(said, name, str, _WHERE, "")


def _reason(said: Row) -> Reason:
    return read_word(said, "reason", Reason, _WHERE)


def _speaker(said: Row, name: str = "by") -> str:
    return read_speaker(said, name, _WHERE, "")


def _read_by(said: Row) -> str:
    by = _speaker(said)
    if not by:
        raise DamagedLedger(f"{_WHERE}: nobody is said to have said it")
    return by


def _read_asked(said: Row, at_ms: Millis) -> Fact:
    return Asked(at_ms=at_ms, by=_read_by(said), body=_text(said, "body"))


def _read_opened(said: Row, at_ms: Millis) -> Fact:
    return Asked(at_ms=at_ms, by=_speaker(said, "from"), body=_text(said, "body"))


def _read_answered(said: Row, at_ms: Millis) -> Fact:
    by, body, via = _read_by(said), _text(said, "body"), _text(said, "via")
    return Answered(at_ms=at_ms, by=by, body=body, via=via, worth=worth_of(said))


def _read_resolved(said: Row, at_ms: Millis) -> Fact:
    by, body, via = _read_by(said), _text(said, "body"), _text(said, "via")
    return Resolved(at_ms=at_ms, by=by, body=body, via=via)


def _read_escalated(said: Row, at_ms: Millis) -> Fact:
    by, body, text = _speaker(said), _text(said, "body"), _text(said, "text")
    return Escalated(at_ms=at_ms, reason=_reason(said), by=by or HUB, body=body, text=text)


_FACTS: dict[QuestionEventKind, Callable[[Row, Millis], Fact]] = {
    QuestionEventKind.OPENED: _read_opened,
    QuestionEventKind.ASKED: _read_asked,
    QuestionEventKind.ANSWERED: _read_answered,
    QuestionEventKind.RESOLVED: _read_resolved,
    QuestionEventKind.WENT_STALE: lambda _said, at_ms: WentStale(at_ms=at_ms),
    QuestionEventKind.RETRIED: lambda said, at_ms: Retried(
        at_ms=at_ms, runner=_text(said, "runner")
    ),
    QuestionEventKind.ESCALATED: _read_escalated,
    QuestionEventKind.ABANDONED: lambda said, at_ms: Abandoned(at_ms=at_ms, reason=_reason(said)),
}


def say_opening(state: Clarification, question: Asked, number: int) -> Row:
    """Return how a question that is put is written."""
    mark = mark_json(state.issue_mark)
    return {
        "timestamp": to_iso(question.at_ms),
        "number": number,
        "from": state.asker,
        "to": state.to,
        "topic": state.topic,
        "blocking": state.blocking,
        "maxRounds": state.rounds_max,
        "staleAfter": to_iso(state.stale_after_ms),
        "slaMinutes": state.sla_minutes,
        "body": question.body,
        **({"issueMark": mark} if mark else {}),
    }


def opening_of(event: QuestionEvent, issue: int, number: int) -> Clarification:
    """Return a question as it was before anything was said.

    Raises: DamagedLedger.
    """
    said = event.detail
    return Clarification(
        id=clarification_id(issue, number),
        issue=issue,
        asker=_speaker(said, "from"),
        to=_speaker(said, "to"),
        topic=_text(said, "topic"),
        blocking=read_field(said, "blocking", bool, _WHERE),
        rounds_max=read_field(said, "maxRounds", int, _WHERE),
        created_ms=born_ms(event),
        stale_after_ms=read_moment(said, "staleAfter", _WHERE),
        sla_minutes=read_field(said, "slaMinutes", int, _WHERE),
        uid=event.question,
        issue_mark=mark_of(said.get("issueMark")),
    )


def number_of(event: QuestionEvent) -> int:
    """Return the number that a question wanted, or was given.

    Raises: DamagedLedger.
    """
    number = read_field(event.detail, "number", int, _WHERE)
    if not 0 <= number <= NUMBER_MAX:
        raise DamagedLedger(f"{number} is no number of a question")
    return number


def born_ms(event: QuestionEvent) -> Millis:
    """Return when a question was put.

    Raises: DamagedLedger.
    """
    return read_moment(event.detail, "timestamp", _WHERE)


def erase(event: QuestionEvent) -> QuestionEvent:
    """Return what is left of an event of a forgotten question: no word of it."""
    kept = ("number", "timestamp") if event.is_birth else ()
    detail = {name: event.detail[name] for name in kept if name in event.detail}
    return replace(event, detail={**detail, "erased": True}, key="", signature="")


def is_erased(event: QuestionEvent) -> bool:
    """Tell whether nothing is left of an event but that it was."""
    return event.detail.get("erased") is True


def has_words(event: QuestionEvent) -> bool:
    """Tell whether an event says anything that could be forgotten."""
    return event.kind not in _WORDLESS and not is_erased(event)


# --- what an event must hold -----------------------------------------------------------------


def _check(event: QuestionEvent) -> None:
    is_claimed = event.kind is QuestionEventKind.FORGOTTEN and "number" in event.detail
    if event.is_birth or is_claimed:
        number_of(event)
        born_ms(event)
    if event.kind is QuestionEventKind.NAMED:
        number_of(event)
    if event.kind is QuestionEventKind.OPENED and event.id != event.question:
        raise DamagedLedger(f"{event.id} opens a question that is not its own")
    if is_erased(event):
        return
    if event.kind in _FACTS:
        fact_of(event)
    if event.kind is QuestionEventKind.OPENED:
        opening_of(event, 0, 1)
    for name, kind in _SHAPES.get(event.kind, {}).items():
        if not isinstance(event.detail.get(name, kind()), kind):
            raise DamagedLedger(f"{_WHERE}: {name} cannot be that")
    words = event.detail.get("words", {}) if event.kind is QuestionEventKind.EDITED else {}
    if not all(isinstance(each, dict) for each in words.values()):
        raise DamagedLedger(f"{_WHERE}: words cannot be that")


_SHAPES: dict[QuestionEventKind, dict[str, type[dict[str, Any] | list[Any]]]] = {
    QuestionEventKind.TAKEN: {"row": dict},
    QuestionEventKind.EDITED: {"fields": dict, "words": dict},
    QuestionEventKind.ODD: {"entry": dict},
    QuestionEventKind.REMOVED: {"entries": list},
    QuestionEventKind.FORGOTTEN: {"knownAs": list},
}
