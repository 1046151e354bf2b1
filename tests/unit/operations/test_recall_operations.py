"""Goal: the verbs of recall give what was asked for, in order, within bounds, from every store.

Method: the operations themselves on the bundled sample and on small projects, in process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.conversation.model import EventQuery
from agentx.daemon.door import open_other
from agentx.kernel.errors import InvalidValue, NotFound
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from agentx.kernel.tokens import estimate
from agentx.memory.found import SearchRequest
from agentx.memory.port import Memory
from agentx.observations.ids import ID_PREFIX, observation_id, shorten_id
from agentx.observations.model import Category, Observation
from agentx.observations.tidying.dropping import drop, sift
from agentx.operations.recall.everywhere import search_everywhere
from agentx.operations.recall.read import fitting, read
from agentx.operations.recall.recall import recall
from agentx.operations.recall.section import RecallRequest
from agentx.operations.recall.timeline import timeline
from agentx.operations.recall.why import Trace, why
from agentx.operations.runs.write import start_run
from agentx.project.project import Project
from agentx.recall.section.gather import CLOSE, ISSUE
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations
from tests.support.desk import talk
from tests.support.drafts import draft
from tests.support.observations import observation
from tests.support.remembering import project_in, remember, sample_project


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Project:
    """Return a project that remembers the sample."""
    return sample_project(tmp_path_factory.mktemp("sample"))


@pytest.fixture
def memory(sample: Project) -> Iterator[Memory]:
    """Open its memory."""
    with open_store(sample) as opened:
        yield opened


@pytest.mark.promise("recall.section")
def test_what_is_close_comes_first_then_what_is_wanted_then_the_newest(
    sample: Project, memory: Memory
) -> None:
    reply = recall(
        sample, memory, RecallRequest(context="retries of webhooks", issue=31, budget_tokens=20_000)
    )

    groups = list(dict.fromkeys(line.group for line in reply.lines))
    assert set(groups[:2]) == {CLOSE, ISSUE}
    assert groups.index(ISSUE) < groups.index("Decisions")
    shown = [line for line in reply.text.splitlines() if line.startswith("### ")]
    assert shown[:2] == [f"### {CLOSE}", f"### {ISSUE}"]
    assert len({line.doc_id for line in reply.lines}) == len(reply.lines)
    assert reply.text.startswith(RECALL_OPEN)
    assert reply.text.endswith(RECALL_CLOSE)
    assert all(shorten_id(line.doc_id) in reply.text and line.age for line in reply.lines)


def test_the_same_question_gives_the_same_section(sample: Project, memory: Memory) -> None:
    request = RecallRequest(context="berths", budget_tokens=900)

    assert recall(sample, memory, request) == recall(sample, memory, request)


@pytest.mark.parametrize("tokens", [1, 40, 200, 777, 5_000])
def test_a_section_keeps_to_its_budget_and_says_what_it_left_out(
    sample: Project, memory: Memory, tokens: int
) -> None:
    reply = recall(sample, memory, RecallRequest(budget_tokens=tokens))

    assert estimate(reply.text) <= tokens
    assert bool(reply.left_out) == (f"Left out: {reply.left_out}." in reply.text) or tokens < 99


def test_a_budget_that_cannot_be_is_refused(sample: Project, memory: Memory) -> None:
    with pytest.raises(InvalidValue, match="budget of 0"):
        recall(sample, memory, RecallRequest(budget_tokens=0))


def _events(trace: Trace) -> list[Trace]:
    if not trace.rests_on:
        return [trace]
    return [event for below in trace.rests_on for event in _events(below)]


@pytest.mark.promise("why.down-to-events")
def test_every_recalled_line_goes_down_to_the_words_of_an_event(
    sample: Project, memory: Memory
) -> None:
    for line in recall(sample, memory, RecallRequest(budget_tokens=3_000)).lines:
        proofs = _events(why(sample, memory, line.doc_id))

        assert proofs
        for proof in proofs:
            assert proof.kind == "event"
            whole = memory.event(proof.id).text
            for start, end in proof.marks:
                assert proof.text[start:end] in whole
            # An observation is made of events, a line of a summary of the very words.
            assert proof.marks or line.doc_id.startswith(ID_PREFIX)


def test_a_node_rests_on_its_lines_and_an_event_on_itself(sample: Project, memory: Memory) -> None:
    node = why(sample, memory, memory.toc_roots()[0].node_id)
    event = memory.events(EventQuery(limit=1)).events[0]

    assert {below.kind for below in node.rests_on} == {"line"}
    assert why(sample, memory, event.event_id).rests_on == ()
    with pytest.raises(NotFound, match="is not an id of anything"):
        why(sample, memory, "no-such-thing")


def test_what_lies_in_other_rooms_is_opened_and_traced_by_its_id(tmp_path: Path) -> None:
    project = remember(project_in(tmp_path), talk())
    run = start_run(project, "Moor the ferry", description="\u6e2f", actor="orchestrator")
    with open_store(project) as memory:
        event = memory.events(EventQuery(limit=2)).events[1]
        learnt = Observation(
            id=observation_id("engineer", 7, project.clock.now_ms(), project.entropy),
            agent="engineer",
            issue_number=7,
            category=Category.DECISION,
            content="We moor with two lines.",
            summary="Two lines",
            tokens=6,
            timestamp_ms=project.clock.now_ms(),
            session_id=event.session_id,
            event_ids=(event.event_id, "01KM0913BHFE32KN7MP0000000"),
        )
        with closing(open_observations(project)) as room:
            (kept,) = room.capture([learnt], agent="engineer", issue=7) or ()
        texts = read(project, memory, [kept.id, run.id], budget_tokens=900)
        trace = why(project, memory, kept.id)
        of_run = why(project, memory, run.id)

    assert [piece.document.kind for piece in texts.pieces] == ["observation", "run"]
    assert texts.pieces[0].text == "We moor with two lines."
    assert "Moor the ferry" in texts.pieces[1].text
    assert [below.id for below in trace.rests_on] == [event.event_id]
    assert trace.left_out == 1, "an event that is forgotten is counted"
    assert (of_run.kind, of_run.rests_on) == ("run", ())


def test_an_event_says_that_what_it_says_was_dropped_or_is_like_that(tmp_path: Path) -> None:
    project = remember(project_in(tmp_path), talk())
    with open_store(project) as memory:
        first, again, other = memory.events(EventQuery(limit=3)).events
        with closing(open_observations(project)) as room:
            kept = observation(
                "Never moor with one line.",
                at_ms=first.timestamp_ms,
                event_ids=(first.event_id,),
            )
            room.store.store([kept])
            drop(room.store, kept, why="noise", at_ms=first.timestamp_ms)
            sift(room.store, [observation("never moor with one line", at_ms=again.timestamp_ms)])
        said = [why(project, memory, each.event_id).source for each in (first, again, other)]

    assert f"what was kept of it, {kept.id}, a person dropped on" in said[0]
    assert f"not kept: it is like {kept.id}, which a person dropped on" in said[1]
    assert "(noise)" in said[1]
    assert "dropped" not in said[2]


def test_a_timeline_is_in_order_with_what_was_asked_for_in_the_middle(
    sample: Project, memory: Memory
) -> None:
    session = memory.events(EventQuery(limit=30)).events[15].session_id
    events = memory.events(EventQuery(session_id=session, limit=100)).events
    ids = [event.event_id for event in events]

    for at in (0, len(ids) // 2, len(ids) - 1):
        around = timeline(memory, ids[at], before=2, after=3)
        assert [event.event_id for event in around.events] == ids[max(at - 2, 0) : at + 4]
    with pytest.raises(InvalidValue, match="51 events"):
        timeline(memory, ids[0], before=51)


def test_events_of_one_moment_keep_their_order_in_a_timeline(tmp_path: Path) -> None:
    together = [draft(f"number {n}", source_id=f"{n}") for n in range(9)]
    project = remember(project_in(tmp_path), together)
    with open_store(project) as memory:
        ids = [event.event_id for event in memory.events(EventQuery()).events]
        around = timeline(memory, ids[4], before=2, after=2)

    assert [event.event_id for event in around.events] == ids[2:7]


def test_ids_are_read_in_order_until_the_budget_is_spent(sample: Project, memory: Memory) -> None:
    events = [e for e in memory.events(EventQuery(limit=60)).events if estimate(e.text) > 20]
    ids = [event.event_id for event in events]

    reply = read(sample, memory, [*ids, "nonsense"], budget_tokens=500)

    shown = [piece.document.doc_id for piece in reply.pieces]
    assert shown
    assert sorted((*shown, *reply.left_out)) == sorted(ids)
    assert sum(estimate(piece.text) for piece in reply.pieces) <= 500
    assert [doc_id for doc_id, _ in reply.missing] == ["nonsense"]


@given(st.text(max_size=300), st.integers(0, 120))
def test_what_is_cut_fits_and_is_a_beginning(text: str, tokens: int) -> None:
    part = fitting(text, tokens)

    assert estimate(part) <= tokens
    assert text.startswith(part)


@contextmanager
def _held(project: Project) -> Iterator[None]:
    with open_store(project):
        yield


@pytest.mark.promise("search.everywhere")
def test_every_project_is_searched_and_one_that_cannot_be_is_named(tmp_path: Path) -> None:
    here = remember(project_in(tmp_path, "shop"), talk(words="retries"))
    remember(project_in(tmp_path, "port"), talk(words="mooring retries"))
    held = remember(project_in(tmp_path, "held"), talk(words="retries"))
    torn = remember(project_in(tmp_path, "torn"), talk(words="retries"))
    (torn.store.db / "CURRENT").write_text("nonsense")
    (here.data.root / "spool").mkdir(exist_ok=True)

    with _held(held):
        reply = search_everywhere(here, open_other, SearchRequest(query="retries", limit=50))

    projects = {hit.project.rpartition("-")[0] for hit in reply.hits}
    assert projects == {"shop", "port"}
    assert [name.rpartition("-")[0] for name in reply.searched] == ["shop", "port"]
    assert sorted(each.project.rpartition("-")[0] for each in reply.passed_over) == ["held", "torn"]
    assert [hit.score for hit in reply.hits] == sorted((h.score for h in reply.hits), reverse=True)


def test_a_question_nobody_could_answer_is_refused_everywhere(tmp_path: Path) -> None:
    here = remember(project_in(tmp_path), talk())

    with pytest.raises(InvalidValue, match="limit 0"):
        search_everywhere(here, open_other, SearchRequest(query="x", limit=0))
