"""A clarification for a program: as the ledger has it, what it came to, what can be done now.

And what memory answers a question with, as who asked it is offered it.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.clarification.contested import find_contesting, say_by_whom
from agentx.clarification.model import Clarification, Entry
from agentx.clarification.rendering import find_decided, name_question, next_actions
from agentx.clarification.store.ledger_json import as_json, entry_json
from agentx.clarification.watch.monitor import MonitorReport
from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen


def as_data(state: Clarification, others: tuple[str, ...] = ()) -> dict[str, object]:
    """Return a clarification for a program: as the ledger has it, and what can be done now."""
    settled, answered = state.resolution, state.answered
    row = as_json(state)
    for name in ("uid", "stem"):  # the name is what others go by
        row.pop(name, None)
    asked = name_question(state, state.decision if settled is not None else answered)
    for shown, entry in zip(row["thread"], state.thread, strict=True):
        shown.pop("uid", None)
        if entry.doubt:
            shown["doubt"] = entry.doubt
        for against in (why for word, why in state.begun_with if word == entry):
            shown["against"] = against
    return {
        **row,
        "clarificationId": state.id,
        "issueNumber": state.issue,
        "answer": None if state.is_unanswered else state.answer or None,
        "answeredBy": None if answered is None else answered.speaker,
        "resolution": None if settled is None else find_decided(state),
        "resolvedBy": None if settled is None else settled.speaker,
        "doubt": _doubt_of(settled) or _doubt_of(state.decision or answered),
        "waitsOn": state.waits_on if state.is_unanswered or state.waits_for_person else None,
        "standing": None if answered is None else answered.worth.standing or None,
        "confidence": None if answered is None else answered.worth.confidence or None,
        "nextActions": list(next_actions(state, others)),
        **({"answerTo": asked} if asked and not state.is_unanswered else {}),
        **({"issueNow": state.issue_now} if state.issue_now else {}),
        **({"overruled": _list_overruled(state)} if state.overruled else {}),
        **({"decidedLater": state.decided_later} if state.decided_later else {}),
        **({"standsBeside": state.stands_beside} if state.stands_beside else {}),
        **({"decidedMeanwhile": state.decided_meanwhile} if state.decided_meanwhile else {}),
        **_tell_contested(state),
    }


def _tell_contested(state: Clarification) -> dict[str, object]:
    """Return by what what stands is contested: in words, and the word where it is in the thread."""
    says, word = say_by_whom(state), find_contesting(state)
    said = {} if word is None else _show(word)
    return {"contested": {"says": says, **said}, "contestedBy": says} if says else {}


def _list_overruled(state: Clarification) -> list[dict[str, object]]:
    """Return what people said otherwise than what stands, for a program."""
    return [
        {"by": each.by, "standsBy": state.word_of, **_show(each.entry)} for each in state.overruled
    ]


def _show(entry: Entry) -> dict[str, object]:
    return entry_json(replace(entry, uid=""))


def _doubt_of(entry: Entry | None) -> str | None:
    return None if entry is None else entry.doubt or None


@frozen
class KnownAnswer:
    """What memory answers a question with."""

    grip: str  # CLR-..., obs-...
    text: str
    by: str  # who said it, with what must be told of that
    at_ms: Millis
    issue: int
    issue_title: str = ""  # where it was asked of another than is asked of now
    asked: str = ""  # the question it answered
    asked_of: str = ""  # who is asked now: a person accepts it themself
    doubt: str = ""  # what is doubtful about who said it
    proofs: tuple[str, ...] = ()  # the events that prove it
    changed_files: tuple[str, ...] = ()  # of the files it speaks of, those that changed since


def monitor_data(found: MonitorReport) -> dict[str, object]:
    """Return what the monitor did, for a program."""
    return {
        "stale": [state.id for state in found.stale],
        "stuck": [state.id for state in found.stuck],
        "deadlocked": [state.id for state in found.deadlocked],
        "abandoned": [state.id for state in found.abandoned],
        "damaged": list(found.damaged),
    }
