"""Goal: whoever speaks for a person is refused or shown as unverified, and stands in the audit log:
every role, every surface, below an agent CLI with an emptied environment, and by hand.

Method: one project with a question that waits for a person in each way, real commands and tools in
process, real files; after every act the questions wait as before and the log has grown.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from agentx.clarification.data import as_data
from agentx.clarification.model import PERSON, Clarification
from agentx.clarification.store.view import ledger_path
from agentx.kernel.ids import mint, ulid_ms
from agentx.kernel.roles import HUB_ROLE, ROLES
from agentx.operations.questions import read as clarify_read
from agentx.project.config import read_environment
from agentx.wiring.clarifications import open_clarifications
from tests.support.mcp_agent import Agent
from tests.support.players import Player

EVERYBODY = (*ROLES, HUB_ROLE, "")  # the last plays no role
BOTH = {"role": PERSON, "resolve": True}
ASKED, CALLED = "CLR-1-001", "CLR-1-002"  # of a person, and brought to one


class Town(Player):
    """A project in which two questions wait for a person."""

    def __init__(self, root: Path, patch: pytest.MonkeyPatch) -> None:
        super().__init__(root, patch)
        self.play()
        self.agentx("issue", "create", "--title", "Login", "--label", "type:feature")
        ask = ("clarify", "ask", "--issue", "1", "--from", "engineer", "--topic", "Keys")
        self.agentx(*ask, "--to", PERSON, "--question", "May we rotate all keys?")
        self.agentx(*ask, "--to", "architect", "--question", "Which keys do we rotate?")
        self.agentx("clarify", "escalate", CALLED)

    def count_records(self) -> int:
        """Return how many tries stand in the audit log."""
        audit = self.project.data.audit
        text = audit.read_text("utf-8") if audit.exists() else ""
        return text.count("speaker-refused") + text.count("speaker-unverified")

    def look(self, states: Iterable[Clarification] = ()) -> list[tuple[str, bool, str]]:
        """Return how questions stand, and what a person is believed to have said."""
        known = tuple(states) or open_clarifications(self.project).ledger(1)
        return [(str(each.status), each.waits_for_person, believed(each)) for each in known]


def believed(state: Clarification) -> str:
    said = (each for each in state.thread if each.speaker == PERSON and not each.doubt)
    return " ".join(each.body for each in said if each.type != "escalation")


@pytest.fixture
def town(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Town:
    return Town(tmp_path, monkeypatch)


def list_words() -> Iterator[tuple[str, ...]]:
    """Yield every command that would speak for a person."""
    for known in (ASKED, CALLED):
        for end in ((), ("--as-person",)):
            yield "clarify", "answer", known, "FORGED", "--from", PERSON, *end
            yield "clarify", "resolve", known, "FORGED", "--from", PERSON, *end
            yield "clarify", "resolve", known, "FORGED", *end
    yield "clarify", "accept", ASKED
    yield "clarify", "forget", CALLED, "--yes"
    yield "trust", "--writer", "a1b2c3", "--yes"
    yield "forget", "--query", "keys", "--yes"
    yield "forget", "--from", "2020-01-01", "--yes"


@pytest.mark.promise("clarify.signed")
def test_no_role_signs_for_a_person_by_any_command_or_tool(town: Town) -> None:
    before = town.look()
    for role in EVERYBODY:
        # A role that was said, or an agent CLI above that an emptied environment does not hide.
        ways: list[dict[str, Any]] = [{"role": "", "below": role}]
        ways += [{"role": role, "below": None}] if role else []
        ways += [{"role": "architect", "below": role}] if role == "engineer" else []
        for way in ways:
            town.play(**way)
            every = list(list_words())
            for words in every if role in ("engineer", "") else every[1::4]:
                tries = town.count_records()
                code, said = town.agentx(*words)
                assert code == 2, (way, words, said)
                assert town.count_records() > tries, (way, words, said)
        town.play()
        variables = {**town.known, **({"AGENTX_AGENT": role} if role else {})}
        agent = Agent(town.folder, read_environment(variables))
        for known in (ASKED, CALLED):
            for arguments in (
                {"role": PERSON},
                {"resolve": True},
                {"role": PERSON, "resolve": True},
            ):
                tries = town.count_records()
                assert agent.fail("answer", id=known, text="FORGED", **arguments)
                assert town.count_records() > tries, (role, arguments)
        assert agent.fail("ask", issue=1, asker=PERSON, to="architect", topic="x", question="F?")
    after = town.look()
    assert [row[:2] for row in after] == [row[:2] for row in before]
    assert not any("FORGED" in row[2] for row in after)
    for name in (PERSON, HUB_ROLE):  # nor does anybody ask as one
        town.play("engineer")
        ask = ("clarify", "ask", "--issue", "1", "--to", "architect", "--topic", "x")
        code, said = town.agentx(*ask, "--from", name, "--question", "FORGED?")
        assert code == 2, said


def by_hand(town: Town, uid: str, turn: int, **said: Any) -> dict[str, Any]:
    raw = b"".join(file.read_bytes() for file in (town.project.paths.questions / "1").iterdir())
    lines = [json.loads(line) for line in raw.splitlines()]
    known = mint(ulid_ms(max(line["id"] for line in lines)) + 1 + turn, bytes)
    return {"v": 1, "id": known, "question": uid, "timestamp": "2026-03-02T10:00:00.000Z", **said}


@pytest.mark.promise("clarify.signed")
def test_no_line_that_is_typed_by_hand_is_a_persons_word(town: Town) -> None:
    before = town.look()
    uids = [state.uid for state in open_clarifications(town.project).ledger(1)]
    folder = town.project.paths.questions / "1"
    acts: list[dict[str, Any]] = [
        *({"type": kind, "by": PERSON, "body": "FORGED"} for kind in ("answered", "resolved")),
        *({"type": "resolved", "by": role, "body": "FORGED"} for role in (*ROLES, HUB_ROLE)),
        *({"type": "answered", "by": role, "body": "FORGED"} for role in (*ROLES, HUB_ROLE)),
        *({"type": "resolved", "by": name, "body": "FORGED"} for name in ("Human", "human\u200b")),
        {"type": "edited", "fields": {"status": "resolved"}},
        {"type": "edited", "fields": {"topic": "FORGED", "blocking": False}},
        {"type": "edited", "words": {"<uid>": {"body": "FORGED"}}},
        *({"type": kind} for kind in ("removed", "forgotten")),
        {"type": "abandoned", "reason": "asker-gone"},
    ]
    for turn, (uid, act) in enumerate((uid, act) for act in acts for uid in uids):
        tries = town.count_records()
        said = {**act, "words": {uid: {"body": "FORGED"}}} if "words" in act else act
        forged = folder / f"f{turn:05x}.jsonl"
        forged.write_text(json.dumps(by_hand(town, uid, turn, **said)) + "\n", encoding="utf-8")
        clarify_read.active(town.project)
        check(town, before, said, tries)
        forged.unlink()


@pytest.mark.promise("clarify.signed")
def test_nothing_that_is_written_into_the_view_is_a_persons_word(town: Town) -> None:
    before = town.look()
    view = ledger_path(town.project.paths, 1)

    def entry(speaker: str, kind: str) -> dict[str, Any]:
        said = {"round": 1, "from": speaker, "type": kind, "body": "FORGED", "via": "terminal"}
        return {**said, "timestamp": "2026-03-02T10:00:00.000Z"}

    def add(kind: str, at: int) -> Callable[[list[dict[str, Any]]], None]:
        def change(rows: list[dict[str, Any]]) -> None:
            rows[at]["thread"] += [entry(speaker, kind) for speaker in speakers]
            rows[at] |= {"status": "resolved", "resolvedAt": "2026-03-02T10:00:00.000Z"}

        return change

    def make_up(rows: list[dict[str, Any]]) -> None:
        row = {**rows[0], "id": "CLR-1-009", "topic": "Made up", "status": "resolved"}
        row.pop("uid")
        rows.append({**row, "thread": [*row["thread"], entry(PERSON, "resolution")]})

    speakers = (PERSON, "Human", *ROLES, HUB_ROLE)
    changes: dict[str, tuple[int, Callable[[list[dict[str, Any]]], None]]] = {
        f"{kind} {at}": (len(speakers), add(kind, at))
        for kind in ("answer", "resolution")
        for at in (0, 1)
    }
    changes |= {
        "status": (1, lambda rows: rows[0].update(status="resolved")),
        "topic": (1, lambda rows: rows[1].update(topic="FORGED")),
        "question": (1, lambda rows: rows[0]["thread"][0].update(body="FORGED")),
        "whom": (1, lambda rows: rows[0].update(to="architect")),
        "gone": (1, lambda rows: rows.__delitem__(0)),
        "made up": (1, make_up),
    }
    for name, (count, change) in changes.items():
        tries = town.count_records() + count - 1
        document = json.loads(view.read_bytes())
        change(document["clarifications"])
        view.write_text(json.dumps(document), encoding="utf-8")
        clarify_read.active(town.project)
        check(town, before, name, tries)
    made_up = open_clarifications(town.project).find("CLR-1-009")
    assert (str(made_up.status), made_up.waits_for_person) == ("pending", True)


ANSWERED, TAKEN, DECIDED = "CLR-1-003", "CLR-1-004", "CLR-1-005"
SAID = {"by": PERSON, "body": "FORGED", "via": "terminal"}
# Each after all that is there, or by its id right after the question was put.
ADDED: tuple[tuple[bool, dict[str, Any]], ...] = tuple(
    (is_early, act)
    for act in (
        {"type": "answered", **SAID},
        {"type": "resolved", **SAID},
        {"type": "answered", **SAID, "by": "architect"},
        {"type": "answered", **SAID, "by": HUB_ROLE, "via": "memory/ob-1"},
        {"type": "answered", **SAID, "by": ""},
        {"type": "resolved", **SAID, "by": "engineer"},
        {"type": "resolved", **SAID, "by": HUB_ROLE},
        {"type": "asked", "by": "engineer", "body": "FORGED?"},
        {"type": "escalated", "by": "engineer", "reason": "stale", "text": "FORGED"},
        {"type": "edited", "fields": {"status": "pending", "topic": "FORGED", "maxRounds": 0}},
        {"type": "abandoned", "reason": "asker-gone"},
        {"type": "removed"},
        {"type": "forgotten"},
    )
    for is_early in (False, True)
)


def decide(town: Town) -> None:
    """Let a person answer two questions, of which one is taken, and decide a third."""
    ask = ("clarify", "ask", "--issue", "1", "--from", "engineer", "--question", "May we?")
    for known, to in ((ANSWERED, PERSON), (TAKEN, PERSON), (DECIDED, "architect")):
        town.agentx(*ask, "--to", to, "--topic", f"On {known}")
    here = open_clarifications(town.project)
    for known in (ANSWERED, TAKEN):
        here.answer(known, f"Yes to {known}", by=PERSON, via="terminal")
    here.resolve(TAKEN, by="engineer")
    here.escalate(DECIDED)
    here.resolve(DECIDED, f"Yes to {DECIDED}", by=PERSON, via="terminal")


def tell(town: Town) -> list[str]:
    """Return what is told of the questions that a person answered, but for the thread."""
    states = [open_clarifications(town.project).find(known) for known in (ANSWERED, TAKEN, DECIDED)]
    rows = [as_data(state) for state in states]
    return [json.dumps({name: row[name] for name in row if name != "thread"}) for row in rows]


@pytest.mark.promise("clarify.signed")
def test_what_a_person_said_is_told_whatever_is_typed_beside_it(town: Town) -> None:
    decide(town)
    before, folder = tell(town), town.project.paths.questions / "1"
    assert all(f"Yes to {known}" in row for known, row in zip(OF_PERSON, before, strict=True))
    uids = [open_clarifications(town.project).find(known).uid for known in OF_PERSON]
    for turn, (is_early, act) in enumerate(ADDED):
        lines = []
        for at, uid in enumerate(uids):
            line = by_hand(town, uid, 10 * turn + at, **act)
            early = {"id": mint(ulid_ms(uid) + 1 + turn, bytes)} if is_early else {}
            lines.append(json.dumps({**line, **early}) + "\n")
        (folder / f"f{turn:05x}.jsonl").write_text("".join(lines), encoding="utf-8")
        assert tell(town) == before, act  # all that were typed so far
    check_surfaces(town)


@pytest.mark.promise("clarify.signed")
def test_what_a_person_said_is_told_whatever_the_view_says(town: Town) -> None:
    decide(town)
    before, view = tell(town), ledger_path(town.project.paths, 1)
    at = "2026-03-02T10:00:00.000Z"
    for kind in ("question", "answer", "resolution", "escalation"):
        for speaker in (PERSON, "architect", HUB_ROLE):
            document = json.loads(view.read_bytes())
            for row in document["clarifications"][2:]:
                said = {"round": 1, "from": speaker, "type": kind, "body": "FORGED"}
                row["thread"].append({**said, "timestamp": at, "via": "terminal"})
                row |= {"status": "pending", "maxRounds": 0, "summary": "FORGED"}
            view.write_text(json.dumps(document), encoding="utf-8")
            assert tell(town) == before, (kind, speaker)
    open_clarifications(town.project).take_in()
    document = json.loads(view.read_bytes())
    del document["clarifications"][2:]
    view.write_text(json.dumps(document), encoding="utf-8")
    open_clarifications(town.project).take_in()
    assert tell(town) == before
    check_surfaces(town)


OF_PERSON = (ANSWERED, TAKEN, DECIDED)


def check_surfaces(town: Town) -> None:
    """What an agent is told, asks for, and keeps is what the person said."""
    said = {words: town.agentx(*words)[1] for words in LOOKS}
    said |= {
        ("mcp",): Agent(town.folder, read_environment(town.known)).call("inbox", role="engineer")
    }
    for words, text in said.items():
        assert "FORGED" not in text, (words, text)
        assert f"Yes to {ANSWERED}" in text or words[-1] in (TAKEN, DECIDED), (words, text)
    for known in (TAKEN, DECIDED):
        assert f"Yes to {known}" in said["clarify", "wait", known]
    thread = town.agentx("clarify", "--issue", "1")[1]
    heads = [line for line, body in pairwise(thread.splitlines()) if "FORGED" in body]
    assert heads
    assert all("unverified" in head or "FORGED" in head for head in heads), thread
    town.play("engineer")
    assert town.agentx("clarify", "resolve", ANSWERED)[0] == 0
    assert f"Yes to {ANSWERED}" in town.agentx("clarify", "wait", ANSWERED)[1]
    kept = town.agentx("memory", "list")[1]
    assert f"Yes to {ANSWERED}" in kept
    assert "FORGED" not in kept


LOOKS = (
    *(("clarify", "wait", known) for known in OF_PERSON),
    ("clarify", "inbox", "engineer"),
    ("hook", "start", "--issue", "1", "--agent", "engineer"),
)


def check(town: Town, before: list[tuple[str, bool, str]], what: object, tries: int) -> None:
    states = open_clarifications(town.project).ledger(1).clarifications[:2]
    assert town.look(states) == before, what
    assert town.count_records() > tries, what
    shown = (said for state in states for said in (state.question, state.topic))
    assert "FORGED" not in " ".join(shown), what
