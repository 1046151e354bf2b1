"""Goal: what a person said stands, whatever lines anybody adds by hand.

Method: random threads in which people, agents and tools speak, and the person sees what tools
wrote; then lines of every type, in every name, at every place in time, typed into the writer's
own file, another one and the view. Beside that, what roles say unsigned counts as before.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agentx.clarification.model import HUB, PERSON, Clarification, EntryType, Reason
from agentx.clarification.store.view import ledger_path
from agentx.kernel.clock import MINUTE_MS, to_iso
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import mint, ulid_ms
from tests.support.clarifying import SCOPE, Room, request, room

ISSUE = 42
ANYBODY = replace(SCOPE, can_clarify=("architect", PERSON))
_SPEAKERS = (PERSON, PERSON, HUB, "engineer", "architect", "tester", "")
_FIELDS: tuple[tuple[str, Any], ...] = (
    ("status", "pending"),
    ("status", "resolved"),
    ("status", "abandoned"),
    ("topic", "FORGED"),
    ("summary", "FORGED"),
    ("maxRounds", 0),
    ("round", 5),
    ("to", "tester"),
    ("to", PERSON),
    ("from", PERSON),
    ("blocking", False),
    ("reason", "deadlock"),
    ("resolvedAt", "2026-03-02T09:00:00.000Z"),
)
_ACTS = ("answer", "person", "person", "decide", "follow-up", "resolve", "escalate", "late")
_TOOLS = ("tool-answers", "tool-asks", "tool-edits", "typed-answer", "typed-question")
_STORY = st.lists(
    st.tuples(st.sampled_from((*_ACTS, *_TOOLS)), st.integers(0, 2)), min_size=3, max_size=10
)
_KINDS = (
    *("asked", "answered", "answered", "resolved", "escalated", "edited", "removed", "forgotten"),
    *("abandoned", "went-stale", "retried", "taken", "opened", "odd", "named", "again", "entries"),
    *("words", "moved"),
)
_FORGERY = st.tuples(
    st.sampled_from(_KINDS),
    st.sampled_from(_SPEAKERS),
    st.sampled_from(("a1b2c3", "ffffff", "view")),
    st.integers(-1, 40),  # after which event it stands, by its id
    st.integers(0, 60),  # which of several
)
_REALLY = settings(
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
    deadline=None,
)


@dataclass(slots=True)
class Scene:
    """A room, and what is written into its files by hand."""

    room: Room

    def lines(self) -> list[dict[str, Any]]:
        files = sorted((self.room.paths.questions / str(ISSUE)).glob("*.jsonl"))
        found = [json.loads(line) for file in files for line in file.read_bytes().splitlines()]
        return sorted(found, key=lambda line: str(line["id"]))

    def type(self, writer: str, line: dict[str, Any]) -> None:
        file = self.room.paths.questions / str(ISSUE) / f"{writer}.jsonl"
        with file.open("a", encoding="utf-8") as opened:
            opened.write(json.dumps(line) + "\n")

    def states(self) -> dict[str, Clarification]:
        return {state.uid: state for state in self.room.clarifications.ledger(ISSUE)}

    def change_view(self, change: Any) -> None:
        view = ledger_path(self.room.paths, ISSUE)
        document = json.loads(view.read_bytes())
        change(document["clarifications"])
        view.write_text(json.dumps(document), encoding="utf-8")

    def play(self, act: str, which: int) -> None:
        here, word = self.room.clarifications, f"{act} {len(self.lines())}"
        self.room.clock.advance(1_000)
        states = list(self.states().values())
        state = states[which % len(states)]
        with suppress(AgentXError):
            match act:
                case "answer":
                    here.answer(state.id, word, by="architect")
                case "person":
                    here.answer(state.id, word, by=PERSON, via="terminal")
                case "decide":
                    here.resolve(state.id, word, by=PERSON, via="terminal")
                case "follow-up":
                    here.follow_up(state.id, word, by="engineer")
                case "resolve":
                    here.resolve(state.id, by="engineer")
                case "escalate":
                    here.escalate(state.id, word, reason=Reason.MANUAL)
                case "late":
                    self.room.clock.advance(40 * MINUTE_MS)
                case "tool-edits":
                    self.change_view(lambda rows: rows[which % len(rows)].update(topic=word))
                case "tool-answers" | "tool-asks":
                    asks = act == "tool-asks"
                    entry = _entry("engineer" if asks else "architect", word, asks)
                    self.change_view(lambda rows: rows[which % len(rows)]["thread"].append(entry))
                case "typed-answer" | "typed-question":
                    kind, by = _TYPED[act]
                    said = {"type": kind, "by": by, "body": word}
                    self.type("eeeeee", _line(self.lines(), 99, state.uid, **said))
                case _:
                    raise AssertionError(act)


_TYPED = {"typed-answer": ("answered", "architect"), "typed-question": ("asked", "engineer")}


def _entry(speaker: str, body: str, asks: bool, kind: str = "") -> dict[str, Any]:
    said = {"round": 1, "from": speaker, "type": kind or ("question" if asks else "answer")}
    return {**said, "body": body, "timestamp": "2026-03-02T12:00:00.000Z"}


def _line(lines: list[dict[str, Any]], after: int, uid: str, **said: Any) -> dict[str, Any]:
    """Return a line that stands, by its id, right after another; -1 is before all."""
    at = max(after, 0) % len(lines) if after < 90 else len(lines) - 1
    near = ulid_ms(str(lines[at]["id"]))
    when = near - 5 if after < 0 else near + (10 * 24 * 60 * MINUTE_MS if after == 40 else 1)
    head = {"v": 1, "id": mint(when, lambda size: bytes([at] * size)), "question": uid}
    return {**head, "timestamp": to_iso(when), **said}


def forge(scene: Scene, forgery: tuple[str, str, str, int, int]) -> None:
    """Type one line, or write one change into the view."""
    kind, by, place, after, which = forgery
    lines, states = scene.lines(), scene.states()
    uid = sorted(states)[which % len(states)]
    said = _say(kind, by, uid, lines, which)
    if place == "view":
        with suppress(FileNotFoundError):
            scene.change_view(lambda rows: _write_row(rows, kind, by, which))
        return
    line = _line(lines, after, uid, **said)
    old = lines[which % len(lines)]
    match kind:
        case "opened":  # of a question that is there
            line |= {"id": uid, "question": uid}
        case "again":  # another line's id, with other words
            line |= {"id": old["id"], "question": old["question"]}
        case "moved":  # a signed line elsewhere
            line = {**old, "id": line["id"]} if which % 2 else {**old, "question": uid}
        case _:
            pass
    scene.type(place, line)


def _say(kind: str, by: str, uid: str, lines: list[dict[str, Any]], which: int) -> dict[str, Any]:
    body = {"by": by, "body": "FORGED", "via": ("terminal", "github/ana/7", "")[which % 3]}
    name, value = _FIELDS[which % len(_FIELDS)]
    known = [line["id"] for line in lines if line["question"] == uid]
    match kind:
        case "escalated":
            reasons = ("stale", "manual", "deadlock", "max-rounds")
            said = {"reason": reasons[which % 4], "by": by, "text": "FORGED"}
            return {"type": kind, **said, **_saw(which)}
        case "edited":
            return {"type": "edited", "fields": {name: value}}
        case "words":
            return {"type": "edited", "words": {known[which % len(known)]: {"body": "FORGED"}}}
        case "entries":
            return {"type": "removed", "entries": known}
        case "abandoned":
            return {"type": kind, "reason": "asker-gone"}
        case "taken":
            types = [str(each) for each in EntryType]
            thread = [_entry(by, "FORGED", asks=False, kind=each) for each in types]
            return {"type": kind, "number": 1, "row": {"thread": thread, "topic": "FORGED"}}
        case "opened":
            row = {"from": "engineer", "to": "architect", "topic": "FORGED", "blocking": False}
            row |= {"maxRounds": 5, "staleAfter": lines[0]["timestamp"], "slaMinutes": 30}
            return {"type": kind, "number": 1, "body": "FORGED", **row}
        case "odd":
            return {"type": kind, "entry": {"from": by, "body": "FORGED"}}
        case "named":
            return {"type": kind, "number": 7}
        case "again" | "moved":
            return {"type": "answered", **body}
        case _:
            return {"type": kind, **body, **_saw(which)}


def _saw(which: int) -> dict[str, Any]:
    """Return what somebody says who wants to have seen nothing."""
    return {"saw": [[], ["0" * 32]][which % 2]} if which % 3 else {}


def _write_row(rows: list[dict[str, Any]], kind: str, by: str, which: int) -> None:
    row = rows[which % len(rows)] if rows else {"thread": []}
    name, value = _FIELDS[which % len(_FIELDS)]
    match kind:
        case "removed" | "forgotten" | "abandoned":
            rows[:] = [each for each in rows if each is not row]
        case "edited" | "named" | "opened":
            row[name] = value
        case "words" | "again" if row["thread"]:
            row["thread"][which % len(row["thread"])]["body"] = "FORGED"
        case "entries" | "moved" if row["thread"]:
            del row["thread"][which % len(row["thread"])]
        case _:
            kinds = {"asked": "question", "resolved": "resolution", "escalated": "escalation"}
            row["thread"].append(_entry(by, "FORGED", asks=False, kind=kinds.get(kind, "answer")))


def persons_words(state: Clarification) -> list[tuple[str, str, bool, str]]:
    return [(x.body, x.via, x.late, x.doubt) for x in state.thread if x.is_persons_word]


def look(state: Clarification) -> tuple[object, ...]:
    """Return what is told of a question that is a person's."""
    settled, decision = state.resolution, state.decision
    return (
        *(state.asker, state.to, state.topic, state.question, state.status, state.round),
        *(state.rounds_max, state.blocking, state.holds_its_asker, state.waits_for_person),
        *(None if settled is None else (settled.speaker, settled.body), state.resolved_ms),
        None if decision is None else (decision.speaker, decision.body, decision.doubt),
        state.summary,
    )


def is_persons(state: Clarification) -> bool:
    """Tell whether a person is to decide, or said what stands; what roles asked on is theirs."""
    word = state.decision or state.answered
    has_spoken = word is not None and word.is_persons_word and not state.is_unanswered
    return state.waits_for_person or has_spoken


def check(before: dict[str, Clarification], after: dict[str, Clarification]) -> None:
    for uid, state in before.items():
        if persons_words(state):
            assert persons_words(after[uid]) == persons_words(state)
        if is_persons(state):
            assert look(after[uid]) == look(state)
            if not state.waits_for_person:
                assert after[uid].answered == state.answered
            assert not any("FORGED" in entry.body for entry in after[uid].asked)


def play(folder: Path, story: list[tuple[str, int]], forgeries: list[Any]) -> None:
    scene = Scene(room(folder))
    for turn, to in enumerate(("architect", PERSON, "architect")):
        wanted = request(issue=ISSUE, to=to, topic=f"Topic {turn}", question=f"{turn}?")
        scene.room.ask(wanted, ANYBODY)
        scene.room.clock.advance(1_000)
    for act, which in story:
        scene.play(act, which)
    before = scene.states()
    for forgery in forgeries:
        forge(scene, forgery)
        check(before, scene.states())
    scene.room.ask(request(issue=ISSUE, question="What others wrote is kept first?"))
    kept = scene.states()
    check(before, kept)
    ledger_path(scene.room.paths, ISSUE).unlink()
    assert scene.states() == kept
    for state in list(_list_answered(kept, before)):
        done = scene.room.clarifications.resolve(state.exact, by="engineer")
        assert done.decision is not None
        assert (done.decision.body, done.decision.doubt) == (state.answer, "")


def _list_answered(
    kept: dict[str, Clarification], before: dict[str, Clarification]
) -> Iterator[Clarification]:
    """Yield the questions that a person answered, and that their asker takes the answer of."""
    for uid, state in before.items():
        answered = state.answered
        if state.status == "answered" and answered is not None and answered.is_persons_word:
            assert kept[uid].answer == answered.body
            yield kept[uid]


@pytest.mark.promise("clarify.signed")
@settings(_REALLY, max_examples=12)
@given(_STORY, st.lists(_FORGERY, min_size=1, max_size=5))
def test_no_line_that_anybody_adds_changes_what_a_person_said(
    story: list[tuple[str, int]], forgeries: list[tuple[str, str, str, int, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder), story, forgeries)


@pytest.mark.soak
@settings(_REALLY, max_examples=2_000)
@given(_STORY, st.lists(_FORGERY, min_size=1, max_size=6))
def test_no_line_changes_what_a_person_said_over_many_threads(
    story: list[tuple[str, int]], forgeries: list[tuple[str, str, str, int, int]]
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        play(Path(folder), story, forgeries)
