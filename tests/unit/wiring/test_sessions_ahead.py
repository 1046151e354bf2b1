"""Goal: what another process makes of sessions is what would be made here, whatever becomes of it.

Method: a store of some sessions, read by both; events that are others; the other process killed.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import UTC
from pathlib import Path
from threading import Event as Over

import pytest

from agentx.conversation.extract.summary import Extractive
from agentx.conversation.model import Event, EventQuery
from agentx.conversation.segments import Cutting, cut
from agentx.conversation.store.rows import session_ref
from agentx.conversation.toc_model import Segment
from agentx.kernel.tokens import estimate
from agentx.observations.closing.doings import Doings
from agentx.observations.extract import extract
from agentx.project.project import Project
from agentx.views.limits import AHEAD_SESSIONS_MIN
from agentx.views.sessions import ahead as module
from agentx.views.sessions.ahead import AheadKind, SessionsAhead
from agentx.views.sessions.turns import turns_of
from agentx.wiring.memory import open_store
from tests.support.remembering import project_in
from tests.support.session_bench import first_part

NAMES = [f"s-{number}" for number in range(AHEAD_SESSIONS_MIN)]


class Stage:
    """A store of some sessions, and who reads them ahead."""

    def __init__(self, project: Project) -> None:
        self.refs = [session_ref(project.id, "claude-code", name) for name in NAMES]
        self.ahead = SessionsAhead(
            "agentx.wiring.kept.session_reader",
            db=str(project.store.db),
            project=project.id,
            zone="UTC",
        )
        with open_store(project) as memory:
            for number, name in enumerate(NAMES):
                memory.append(first_part(name, 100 * number))
            listed = memory.events(EventQuery(limit=1_000)).events
        self.events = [
            sorted(
                (one for one in listed if one.session_id == name),
                key=lambda one: (one.timestamp_ms, one.event_id),
            )
            for name in NAMES
        ]

    def offer(self, refs: Sequence[bytes] | None = None) -> None:
        refs = self.refs if refs is None else refs
        self.ahead.offer(refs, list(reversed(refs)), self.read)

    def read(self, ref: bytes) -> list[Event]:
        return self.events[self.refs.index(ref)]

    def wait_until(self, is_so: Callable[[], bool]) -> None:
        until = time.monotonic() + 60
        while not is_so():
            assert time.monotonic() < until
            time.sleep(0.01)

    def segments(self, events: list[Event]) -> list[Segment]:
        return list(cut(events, Cutting(zone=UTC, estimate=estimate)))


class Silent:
    """A process that takes no job, and answers nothing until it is killed."""

    def __init__(self, _module: str) -> None:
        self._over = Over()

    def ask(self, jobs: Iterable[bytes]) -> None:
        pass

    def answers(self) -> Iterator[bytes]:
        self._over.wait(60)
        yield from ()

    def kill(self) -> None:
        self._over.set()

    end = kill


@pytest.fixture
def silent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "Beside", Silent)


@pytest.fixture
def stage(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(module, "_count_cores", lambda: 2)
    return Stage(project_in(tmp_path, "shop"))


def test_what_is_made_ahead_is_what_would_be_made_here(stage: Stage) -> None:
    with stage.ahead as ahead:
        stage.offer()
        stage.wait_until(lambda: not ahead._left and not ahead._asked)

        for ref, events in zip(stage.refs, stage.events, strict=True):
            assert ahead.find_findings(ref, events) == extract(turns_of(events))
            assert ahead.find_doings(ref, events) == Doings(turns_of(events)).work_out()
            assert ahead.find_findings(ref, events[:-1]) is None
            assert ahead.find_doings(ref, events[:-1]) is None
            for segment in stage.segments(events):
                assert ahead.find_summary(segment) == Extractive().summarise(segment)
            assert ahead.find_summary(stage.segments(events[:-1])[-1]) is None


def test_what_nobody_has_begun_is_left_to_who_wants_it(stage: Stage) -> None:
    with stage.ahead as ahead:
        stage.offer()
        last = stage.refs[0], module.AheadKind.SUMMARIES

        assert last in ahead._left
        assert ahead.find_summary(stage.segments(stage.events[0])[0]) is None
        assert last not in ahead._left


@pytest.mark.usefixtures("silent")
def test_what_sessions_teach_is_read_first_and_what_they_say_newest_first(stage: Stage) -> None:
    with stage.ahead as ahead:
        stage.offer()
        teach, say = module.AheadKind
        assert list(ahead._left) == [
            *((ref, teach) for ref in stage.refs),
            *((ref, say) for ref in reversed(stage.refs)),
        ]


@pytest.mark.usefixtures("silent")
@pytest.mark.parametrize("kind", module.AheadKind)
def test_who_waits_reads_one_of_the_last_sessions_meanwhile(stage: Stage, kind: AheadKind) -> None:
    in_order = stage.refs if kind is AheadKind.FINDINGS else stage.refs[::-1]
    first, last = (in_order[0], kind), (in_order[-1], kind)
    with stage.ahead as ahead:
        stage.offer()
        del ahead._left[first]
        ahead._asked[first] = None  # the other one is at it
        taken = [ahead._take_last(first), ahead._take_last(first)]
        assert taken == [(in_order[-1], kind), (in_order[-2], kind)]
        ahead._make_here(last)
        events = stage.read(last[0])
        if kind is AheadKind.FINDINGS:
            assert ahead.find_findings(last[0], events) == extract(turns_of(events))
        else:
            for segment in stage.segments(events):
                assert ahead.find_summary(segment) == Extractive().summarise(segment)
        ahead._asked.pop(first, None)
        assert ahead._take_last(first) is None


def test_a_reader_that_dies_is_done_without(stage: Stage) -> None:
    with stage.ahead as ahead:
        stage.offer()
        assert ahead._process is not None
        ahead._process.kill()
        found = [
            ahead.find_findings(ref, events)
            for ref, events in zip(stage.refs, stage.events, strict=True)
        ]
    here = [extract(turns_of(events)) for events in stage.events]
    assert all(one is None or one == made for one, made in zip(found, here, strict=True))


def test_few_sessions_one_core_or_no_block_start_no_process(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    stage.offer()
    assert stage.ahead._process is None
    with stage.ahead as ahead:
        stage.offer(stage.refs[1:])
        assert ahead._process is None
        monkeypatch.setattr(module, "_count_cores", lambda: 1)
        stage.offer()
        assert ahead._process is None
        assert ahead.find_findings(stage.refs[0], stage.events[0]) is None
