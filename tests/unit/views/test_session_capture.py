"""Sessions become observations once, whatever happens between: over a real log and real files."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from agentx.conversation.service import Conversation
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore
from agentx.host import crash
from agentx.host.crash import CrashPoint
from agentx.host.kv.port import Family, Row
from agentx.kernel.bus import Bus
from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.kernel.clock import Millis
from agentx.kernel.errors import LockHeld
from agentx.observations.events import CaptureSkipped, ContextCompacted, MemoryStored
from agentx.observations.model import Category, Observation
from agentx.observations.service import Observations, Supplies
from agentx.observations.settings import MemorySettings
from agentx.observations.store.files.store import JsonObservationStore
from agentx.views.limits import CAPTURE_IN_ORDER_MAX, INDEX_BATCH_EVENTS_MAX
from agentx.views.sessions.branches import KnownBranches
from agentx.views.sessions.capture import AtWork, Observing, Rules
from agentx.views.sessions.compacted import capture_compacted
from agentx.views.sessions.issue_of import of_branch, of_prompt
from agentx.views.store import CaptureMarks
from tests.support.memory_kv import MemoryStore
from tests.support.time_and_chance import CountingEntropy, FakeClock

BEGIN_MS = 1_772_445_600_000
MINUTE_MS = 60_000


class Killed(BaseException):
    """The process died here."""


def _note_nothing(level: str, event: str, **fields: object) -> None:
    """Write nothing."""


class CountingStore(MemoryStore):
    """Counts the checkpoints that are gone through."""

    def __init__(self) -> None:
        super().__init__()
        self.checkpoints = 0

    def scan(
        self,
        family: Family,
        start: bytes,
        end: bytes,
        *,
        reverse: bool = False,
        limit: int | None = None,
    ) -> Iterator[Row]:
        for row in super().scan(family, start, end, reverse=reverse, limit=limit):
            self.checkpoints += family is Family.CHECKPOINTS
            yield row


class Bench:
    """A log, its observations, and what captures the one into the other."""

    def __init__(
        self,
        folder: Path,
        *,
        enabled: bool = True,
        issue: int = 0,
        kv: MemoryStore | None = None,
    ) -> None:
        self.at_work: list[AtWork] = []
        self.branches: KnownBranches | None = None
        self.clock = FakeClock(BEGIN_MS)
        self.bus = Bus()
        kv = MemoryStore() if kv is None else kv
        log = LogStore(kv, entropy=CountingEntropy())
        self.log = Conversation(log, project="shop", clock=self.clock, bus=self.bus)
        self.store = JsonObservationStore(
            folder / "memory",
            clock=self.clock,
            entropy=CountingEntropy(),
            view_folder=folder / "words",
        )
        self.room = Observations(
            self.store,
            Supplies(
                settings=MemorySettings(enabled=enabled),
                clock=self.clock,
                entropy=CountingEntropy(),
                bus=self.bus,
                note=_note_nothing,
                reading_costs=lambda _files: 0,
            ),
        )
        self.feed = self.log.feed(partial(TocStore, kv, log))
        self.observing = Observing(
            self.feed,
            CaptureMarks(kv, "shop"),
            lambda: self.room,
            Rules(
                clock=self.clock,
                bus=self.bus,
                issue=issue,
                at_work=lambda: list(self.at_work),
                look_at=lambda _directory: self.branches,
            ),
        )

    def say(self, *drafts: Draft) -> None:
        self.log.append(drafts)

    def all(self) -> list[Observation]:
        return list(self.store.everything())


def said(
    number: int, kind: EventType, text: str = "", session: str = "s-1", **metadata: object
) -> Draft:
    roles = {EventType.USER_MESSAGE: Role.USER, EventType.ASSISTANT_MESSAGE: Role.ASSISTANT}
    return Draft(
        harness="claude-code",
        session_id=session,
        event_type=kind,
        timestamp_ms=Millis(BEGIN_MS + number * MINUTE_MS),
        role=roles.get(kind, Role.SYSTEM),
        text=text,
        channel=Channel.HOOK,
        source_id=f"{session}-{number}",
        metadata={"cwd": "/repo", "git_branch": "feature/42-zones", **metadata},
    )


def first_part(session: str = "s-1", begin: int = 0) -> list[Draft]:
    return [
        said(begin, EventType.SESSION_START, session=session),
        said(begin + 1, EventType.USER_MESSAGE, "where do zones come from?", session),
        said(
            begin + 2,
            EventType.ASSISTANT_MESSAGE,
            "`zones.py` reads them from `config/zones.toml`, because the database has none.",
            session,
        ),
        said(
            begin + 3,
            EventType.USER_MESSAGE,
            "we will keep them in TOML instead of the database, ops must be able to edit them",
            session,
        ),
        said(begin + 4, EventType.ASSISTANT_MESSAGE, "Understood.", session),
    ]


def ended(number: int, session: str = "s-1") -> Draft:
    return said(number, EventType.SESSION_END, session=session)


@pytest.fixture
def bench(tmp_path: Path) -> Iterable[Bench]:
    made = Bench(tmp_path)
    yield made
    crash.disarm()
    made.room.close()


@pytest.mark.promise("observations.captured-once")
def test_t12_a_session_that_ended_is_captured_once_and_told_with_its_proof(bench: Bench) -> None:
    told: list[MemoryStored] = []
    bench.bus.listen(MemoryStored, told.append)
    bench.say(*first_part(), ended(5))

    bench.observing.catch_up()
    bench.observing.catch_up()

    kept = bench.all()
    assert {one.category for one in kept} == {
        Category.DECISION,
        Category.KEY_FACT,
        Category.COMPACTION_SUMMARY,
    }
    assert {(one.issue_number, one.agent, one.session_id) for one in kept} == {
        (42, "claude-code", "s-1")
    }
    for one in kept:
        assert all(bench.log.get(name).session_id == "s-1" for name in one.event_ids)
    (stored,) = told
    assert stored.count == len(kept)
    assert set(stored.observation_ids) == {one.id for one in kept}


def test_a_session_that_still_talks_waits_until_it_is_quiet_or_compacted(bench: Bench) -> None:
    bench.clock.advance(10 * MINUTE_MS)
    bench.say(*first_part())
    bench.observing.catch_up()
    assert bench.all() == []

    bench.clock.advance(30 * MINUTE_MS)
    bench.observing.catch_up()
    quiet = len(bench.all())

    bench.say(*first_part("s-2"), said(9, EventType.COMPACTION, "summary", "s-2"))
    bench.observing.catch_up()
    assert 0 < quiet < len(bench.all())


@pytest.mark.promise("observations.captured-once")
def test_a_session_that_goes_on_adds_only_what_is_new(bench: Bench) -> None:
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()
    before = {one.id for one in bench.all()}

    bench.say(
        said(20, EventType.USER_MESSAGE, "from now on never cache zones longer than a minute"),
        ended(21),
    )
    bench.observing.catch_up()

    fresh = [one for one in bench.all() if one.id not in before]
    assert before <= {one.id for one in bench.all()}
    assert {one.category for one in fresh} == {Category.DECISION, Category.COMPACTION_SUMMARY}
    assert all("TOML" not in one.content for one in fresh)


@pytest.mark.promise("observations.captured-once")
@pytest.mark.parametrize("point", [CrashPoint.CAPTURE_BEGUN, CrashPoint.CAPTURE_STORED])
def test_a_capture_that_died_is_done_again_as_it_was_begun(
    bench: Bench, tmp_path: Path, point: CrashPoint
) -> None:
    whole = Bench(tmp_path / "undisturbed")
    whole.say(*first_part(), ended(5))
    whole.observing.catch_up()

    def strike() -> None:
        raise Killed

    bench.say(*first_part(), ended(5))
    crash.arm(point, strike)
    with pytest.raises(Killed):
        bench.observing.catch_up()
    crash.disarm()
    # The session went on before the next pass: what was begun is finished as it was.
    bench.say(said(20, EventType.USER_MESSAGE, "never cache zones longer than a minute"))
    bench.observing.catch_up()

    assert {one.id for one in bench.all()} == {one.id for one in whole.all()}
    bench.clock.advance(120 * MINUTE_MS)
    bench.observing.catch_up()
    assert any("longer than a minute" in one.content for one in bench.all())
    whole.room.close()


def test_an_imported_history_is_captured_in_bounded_passes_with_the_same_result(
    bench: Bench, tmp_path: Path
) -> None:
    at_once = Bench(tmp_path / "at-once")
    for number in range(7):
        for one in (bench, at_once):
            one.say(*first_part(f"s-{number}", 10 * number), ended(10 * number + 5, f"s-{number}"))

    passes = [bench.observing.catch_up(limit=3) for _ in range(4)]
    at_once.observing.catch_up(limit=100)

    assert [one.sessions for one in passes] == [3, 3, 1, 0]
    assert [one.waiting for one in passes] == [4, 1, 0, 0]
    assert {one.id for one in bench.all()} == {one.id for one in at_once.all()}
    at_once.room.close()


def test_of_a_long_history_the_newest_are_captured_first_and_the_rest_as_it_happened(
    bench: Bench,
) -> None:
    many = 2 * CAPTURE_IN_ORDER_MAX + 5
    for number in range(many):
        name, begin = f"s-{number:02}", number * 10
        bench.say(
            said(begin, EventType.USER_MESSAGE, f"use queue {number} instead of a table", name),
            said(begin + 1, EventType.ASSISTANT_MESSAGE, "Done.", name),
            ended(begin + 2, name),
        )
    taken = []
    seen: set[str] = set()
    while bench.observing.catch_up(limit=1).sessions:
        fresh = {one.session_id for one in bench.all()} - seen
        seen |= fresh
        taken += sorted(fresh)

    names = [f"s-{number:02}" for number in range(many)]
    first = names[-CAPTURE_IN_ORDER_MAX:]
    assert taken == [*reversed(first), *names[:-CAPTURE_IN_ORDER_MAX]]


def test_a_reversed_decision_is_marked_in_a_later_session(bench: Bench) -> None:
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()
    reversal = (
        "let's switch from TOML to the database for zones after all, ops want a form to edit them"
    )
    bench.say(
        said(30, EventType.USER_MESSAGE, "hello again", "s-2"),
        said(31, EventType.ASSISTANT_MESSAGE, "Hello!", "s-2"),
        said(32, EventType.USER_MESSAGE, reversal, "s-2"),
        ended(33, "s-2"),
    )
    bench.observing.catch_up()

    decisions = [one for one in bench.all() if one.category is Category.DECISION]
    old, new = sorted(decisions, key=lambda one: one.timestamp_ms)
    assert old.superseded_by == new.id
    assert new.superseded_by == ""


def test_forgetting_an_event_takes_away_what_rested_on_it_and_keeps_the_rest(bench: Bench) -> None:
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()
    (decision,) = [one for one in bench.all() if one.category is Category.DECISION]
    bench.store.settle()

    by_hand = bench.room.add(
        "zones change twice a year",
        agent="e",
        issue=42,
        category=Category.KEY_FACT,
        session_id="s-1",
    )
    with bench.observing.forgetting("s-1", whole=False, is_kept=True):
        bench.log.forget_event(decision.event_ids[-1])
    bench.observing.catch_up()
    bench.store.settle()
    assert bench.store.get_by_id(by_hand.id)

    left = bench.all()
    assert {one.category for one in left} == {Category.KEY_FACT, Category.COMPACTION_SUMMARY}
    assert all("ops must be able" not in one.content for one in left)

    with bench.observing.forgetting("s-1", whole=True, is_kept=True):
        bench.log.forget_session("s-1")
    bench.observing.catch_up()
    assert bench.all() == []


@pytest.mark.promise("log.forget")
def test_a_forgotten_session_leaves_what_was_merged_of_it_and_others_stand_again(
    bench: Bench,
) -> None:
    bench.say(*first_part(), ended(5))
    bench.say(
        said(30, EventType.USER_MESSAGE, "hello again", "s-2"),
        said(31, EventType.ASSISTANT_MESSAGE, "Hello!", "s-2"),
        said(
            32,
            EventType.USER_MESSAGE,
            "let's switch from TOML to the database for zones after all, ops want a form",
            "s-2",
        ),
        ended(33, "s-2"),
    )
    bench.observing.catch_up()
    before = {one.id: one for one in bench.all() if one.session_id == "s-1"}
    assert any(one.superseded_by for one in before.values())
    bench.store.compact(42, before_ms=1 << 45)
    # What is alone of its kind stays as it is.
    assert before.keys() - {one.id for one in bench.all()}

    with bench.observing.forgetting("s-2", whole=True, is_kept=True) as gone:
        bench.log.forget_session("s-2")
    bench.observing.catch_up()
    bench.store.settle()

    assert gone >= 1
    left = {one.id: one for one in bench.all() if not one.sources}
    assert all("form" not in one.content for one in bench.all())
    assert all("form" not in one.content for one in bench.store.archive())
    assert not any(one.superseded_by for one in left.values())
    assert {one.session_id for one in bench.all()} == {"s-1"}


def test_a_busy_store_costs_the_pass_and_not_the_observations(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    skipped: list[CaptureSkipped] = []
    bench.bus.listen(CaptureSkipped, skipped.append)
    bench.say(*first_part(), ended(5))

    def busy(_observations: object) -> None:
        raise LockHeld("issue-42.json: held")

    with monkeypatch.context() as patched:
        patched.setattr(bench.store, "store", busy)
        bench.observing.catch_up()
    assert bench.all() == []
    assert skipped[0].reason == "Memory capture skipped: lock timeout on issue-42.json"

    bench.observing.catch_up()
    assert len(bench.all()) == 3


def test_memory_that_is_off_captures_nothing_until_it_is_on(tmp_path: Path) -> None:
    bench = Bench(tmp_path, enabled=False)
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()

    assert bench.all() == []
    assert not (tmp_path / "memory").exists() or not list((tmp_path / "memory").glob("issue-*"))
    bench.room.close()


def test_a_session_that_taught_nothing_says_so_once(bench: Bench) -> None:
    skipped: list[CaptureSkipped] = []
    bench.bus.listen(CaptureSkipped, skipped.append)
    bench.say(said(0, EventType.USER_MESSAGE, "hi"), ended(1))

    bench.observing.catch_up()
    bench.observing.catch_up()

    assert [one.reason for one in skipped] == [
        "No observations extracted from session (empty summary)"
    ]


def test_t1_context_compacted_on_the_bus_becomes_observations_once(bench: Bench) -> None:
    fact = ContextCompacted(
        agent="Engineer",
        original_tokens=900,
        compacted_tokens=90,
        summary=(
            "## Decisions\n- Keep zones in TOML\n\n## Code changes\n- zones.py reads TOML\n\n"
            "## Errors\n- Parser failed on tabs\n  fixed by expanding them\n\n"
            "## Key facts\n- Ops edit the file <private>by hand</private>\n"
        ),
        issue_number=29,
        session_id="loop-1",
        timestamp_ms=Millis(BEGIN_MS),
    )

    capture_compacted(bench.room, fact)
    capture_compacted(bench.room, replace(fact))

    kept = bench.store.get_by_issue(29)
    assert {one.category for one in kept} == set(Category)
    assert len(kept) == 5
    assert all(one.agent == "engineer" for one in kept)
    assert "by hand" not in json.dumps([one.content for one in kept])


@pytest.mark.parametrize(
    ("branch", "issue"),
    [
        ("feature/42-x", 42),
        ("issue-42", 42),
        ("gh-42", 42),
        ("42-zones", 42),
        ("fix/118-dst-overlap", 118),
        ("mira/issue-7-tabs", 7),
        ("main", 0),
        ("release/2.1", 0),
        ("20260205-cleanup", 0),
        ("upgrade-node18", 0),
        ("soph/multi-session", 0),
        ("ent-221-login-loop", 221),
        ("mira/ENT-221", 221),
        ("node-18-upgrade", 0),
        ("step-2-cleanup", 0),
        ("nov-16-notes", 0),
        ("v2-3-x", 0),
        ("release-4-x", 0),
    ],
)
def test_the_issue_is_read_from_the_branch(branch: str, issue: int) -> None:
    assert of_branch(branch) == issue


@pytest.mark.parametrize(
    ("prompt", "issue"),
    [
        ("please fix #203", 203),
        ("Let's design it (issue 42).", 42),
        ("work on issue 42", 42),
        ("Hello!\nCan you fix https://example.org/shop/issues/17 today?", 17),
        ("/fix-issue 42", 42),
        ("see https://example.org/shop/issues/17", 0),
        ("#12 Add zones\n#13 Fix tabs", 0),
        ("error: cannot merge, fix #7 first", 0),
        ("what does `fix #42` mean here?", 0),
        ("review pr 227", 0),
        ("this is like #42, but for tabs", 0),
        ("\u4fee\u6b63 #42", 0),
        ("colour `#123456` and PR #9", 0),
        ("step 3 of 7", 0),
    ],
)
def test_the_issue_is_read_from_the_prompt(prompt: str, issue: int) -> None:
    assert of_prompt(prompt) == issue


def test_the_setting_says_the_issue_where_nothing_else_does(tmp_path: Path) -> None:
    bench = Bench(tmp_path, issue=5)
    bench.say(*(replace(one, metadata={"cwd": "/repo"}) for one in (*first_part(), ended(5))))
    bench.observing.catch_up()

    assert {one.issue_number for one in bench.all()} == {5}
    bench.room.close()


def _begin(bench: Bench, agent: str, issue: int, at_ms: int = BEGIN_MS) -> None:
    bench.at_work.append(AtWork(agent=agent, issue=issue, since_ms=Millis(at_ms)))


def test_an_agent_that_said_that_it_began_decides_agent_and_issue(bench: Bench) -> None:
    _begin(bench, "engineer", 7)
    bench.say(*first_part(), ended(5))  # on the branch feature/42-zones
    bench.observing.catch_up()

    assert {(one.agent, one.issue_number) for one in bench.all()} == {("engineer", 7)}


@pytest.mark.parametrize("later", [True, False])
def test_work_that_began_later_or_of_two_agents_decides_nothing(bench: Bench, later: bool) -> None:
    _begin(bench, "engineer", 7, BEGIN_MS + 60 * MINUTE_MS if later else BEGIN_MS)
    if not later:
        _begin(bench, "architect", 8)
    bench.say(*first_part(), ended(5))
    bench.observing.catch_up()

    assert {(one.agent, one.issue_number) for one in bench.all()} == {("claude-code", 42)}


def test_a_session_is_captured_at_once_when_its_agent_says_that_it_is_done(bench: Bench) -> None:
    done = {"agent": "engineer", "issue": 9}
    bench.say(*first_part())
    bench.observing.catch_up()
    before = bench.all()
    bench.say(said(5, EventType.NOTE, finished=done))
    bench.observing.catch_up()

    assert before == []
    assert {(one.agent, one.issue_number) for one in bench.all()} == {("engineer", 9)}


def _tool(number: int, session: str, name: str, given: dict[str, str], back: str) -> list[Draft]:
    call = {"tool_name": name, "tool_use_id": f"{session}-{number}"}
    return [
        said(number, EventType.TOOL_CALL, name, session, tool_input=given, **call),
        said(number + 1, EventType.TOOL_RESULT, back, session, **call),
    ]


def test_what_a_later_session_saw_is_gone_is_replaced_by_what_that_one_says(bench: Bench) -> None:
    path = {"file_path": "/repo/src/naming.go"}
    told = "`shortName()` builds the name of a session's file out of its start and its id."
    asked = "rename the builder of names in naming.go to what the others are called"
    edit = {**path, "old_string": "", "new_string": "func shortName(id string) string {\n}\n"}
    bench.say(
        said(0, EventType.USER_MESSAGE, "name the files of sessions by their start"),
        *_tool(1, "s-1", "Edit", edit, "The file has been updated."),
        said(3, EventType.ASSISTANT_MESSAGE, told),
        said(4, EventType.SESSION_END),
    )
    bench.observing.catch_up()
    bench.say(
        said(10, EventType.USER_MESSAGE, asked, "s-2"),
        *_tool(11, "s-2", "Read", path, "package naming\n\nfunc nameOf(id string) string {\n}\n"),
        said(13, EventType.ASSISTANT_MESSAGE, "`nameOf()` is the only builder of names.", "s-2"),
        said(14, EventType.SESSION_END, session="s-2"),
    )

    bench.observing.catch_up()

    by_text = {one.content: one for one in bench.all()}
    assert by_text[told].files == ("src/naming.go",)
    assert bench.store.get_by_ids([by_text[told].superseded_by])[0].session_id == "s-2"


def _run(number: int, session: str, command: str, output: str, code: int) -> list[Draft]:
    drafts = _tool(number, session, "Bash", {"command": command}, output)
    if not code:
        return drafts
    result = replace(drafts[-1], metadata={**drafts[-1].metadata, "is_error": True})
    return [*drafts[:-1], result]


def _break_and_mend(bench: Bench, *, between: int = 0) -> None:
    """Let a session leave a failure, and a later one mend it."""
    told = "Gate.kt:41: error: unresolved reference: insecure"
    bench.say(
        said(0, EventType.USER_MESSAGE, "raise the version of the gateway"),
        *_run(1, "s-1", "./gradlew :gate:test", told, 1),
        said(3, EventType.ASSISTANT_MESSAGE, "`insecure` was removed from the library."),
        ended(4),
    )
    for number in range(between):
        at = 10 + 10 * number
        bench.say(*first_part(f"m-{number}", at), ended(at + 5, f"m-{number}"))
    edit = {"file_path": "/repo/gate/Gate.kt", "old_string": "a", "new_string": "b"}
    at = 20 + 10 * between
    bench.say(
        said(at, EventType.USER_MESSAGE, "finish the gateway", "s-2"),
        *_tool(at + 1, "s-2", "Edit", edit, "The file has been updated."),
        *_run(at + 3, "s-2", "./gradlew test", "BUILD SUCCESSFUL", 0),
        ended(at + 5, "s-2"),
    )


def _failures(bench: Bench) -> list[Observation]:
    found = [one for one in bench.all() if one.category is Category.ERROR and not one.superseded_by]
    return [one for one in found if "gradlew" in one.content]


@pytest.mark.parametrize("between", [0, 30])
def test_a_failure_that_a_later_session_mended_is_told_with_what_mended_it(
    bench: Bench, between: int
) -> None:
    _break_and_mend(bench, between=between)  # many are captured newest first

    for _ in range(4):
        bench.observing.catch_up()

    (one,) = _failures(bench)
    assert one.content.endswith("Fixed by: gate/Gate.kt")
    assert "Not seen fixed" not in one.content


def test_a_failure_is_open_again_when_the_session_that_mended_it_is_forgotten(
    bench: Bench,
) -> None:
    _break_and_mend(bench)
    bench.observing.catch_up()

    with bench.observing.forgetting(["s-2"], whole=True, is_kept=True):
        bench.log.forget_session("s-2")
    bench.observing.catch_up()

    (one,) = _failures(bench)
    assert "Not seen fixed" in one.content


def test_a_failure_that_the_same_session_mended_later_is_not_open(bench: Bench) -> None:
    told = "Gate.kt:41: error: unresolved reference: insecure"
    bench.say(
        said(0, EventType.USER_MESSAGE, "raise the version of the gateway"),
        *_run(1, "s-1", "./gradlew test", told, 1),
        said(3, EventType.ASSISTANT_MESSAGE, "`insecure` was removed from the library."),
        ended(4),
    )
    bench.observing.catch_up()
    edit = {"file_path": "/repo/gate/Gate.kt", "old_string": "a", "new_string": "b"}
    bench.say(
        said(20, EventType.USER_MESSAGE, "go on"),
        *_tool(21, "s-1", "Edit", edit, "The file has been updated."),
        *_run(23, "s-1", "./gradlew test", "BUILD SUCCESSFUL", 0),
        ended(25),
    )
    bench.observing.catch_up()

    (one,) = _failures(bench)
    assert one.content.endswith("Fixed by: gate/Gate.kt")


def _leave_and_do(bench: Bench, *, between: int = 0) -> None:
    """Let a session leave a list open, and a later one do a part of it."""
    left = "Drafts are paged now. Still to do: purging the drafts, compressing the backups."
    bench.say(
        said(0, EventType.USER_MESSAGE, "page the drafts"),
        said(1, EventType.ASSISTANT_MESSAGE, left),
        ended(2),
    )
    for number in range(between):
        at = 10 + 10 * number
        bench.say(*first_part(f"m-{number}", at), ended(at + 5, f"m-{number}"))
    edit = {"file_path": "/repo/drafts.py", "old_string": "a", "new_string": "b"}
    at = 20 + 10 * between
    bench.say(
        said(at, EventType.USER_MESSAGE, "purge the drafts", "s-2"),
        *_tool(at + 1, "s-2", "Edit", edit, "The file has been updated."),
        said(at + 3, EventType.ASSISTANT_MESSAGE, "Drafts older than a year are purged.", "s-2"),
        ended(at + 5, "s-2"),
    )


def _open_ends(bench: Bench) -> list[str]:
    found = [one for one in bench.all() if not one.superseded_by]
    return [one.content for one in found if one.content.startswith("Left open: ")]


@pytest.mark.parametrize("between", [0, 30])
def test_of_a_list_what_is_left_stands_whichever_session_is_captured_first(
    bench: Bench, between: int
) -> None:
    _leave_and_do(bench, between=between)  # many are captured newest first

    for _ in range(4):
        bench.observing.catch_up()

    assert _open_ends(bench) == ["Left open: compressing the backups."]


@pytest.mark.parametrize(
    ("gone", "left"),
    [
        ("s-1", []),
        ("s-2", ["Left open: purging the drafts, compressing the backups."]),
    ],
)
def test_what_is_left_of_a_list_is_forgotten_with_either_session(
    bench: Bench, gone: str, left: list[str]
) -> None:
    _leave_and_do(bench)
    bench.observing.catch_up()

    with bench.observing.forgetting([gone], whole=True, is_kept=True):
        bench.log.forget_session(gone)
    bench.observing.catch_up()

    assert _open_ends(bench) == left


def test_who_reads_the_news_of_many_sessions_goes_through_those_that_wait_once(
    tmp_path: Path,
) -> None:
    kv = CountingStore()
    bench = Bench(tmp_path, kv=kv)
    sessions = INDEX_BATCH_EVENTS_MAX + 50
    bench.say(*(said(0, EventType.USER_MESSAGE, "hello", f"s-{each}") for each in range(sessions)))

    bench.observing.catch_up()

    assert bench.all() == []
    assert kv.checkpoints == sessions
