"""Goal: a section tells each thing once, says what may be doubted, and is made of what can be had.

Method: the gatherer with sources made by hand; what real rooms give is shown with `agentx recall`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from datetime import UTC

from agentx.kernel.errors import AgentXError, UnavailableError
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN
from agentx.lessons.model import Lesson
from agentx.memory.found import SearchHit, SearchReply
from agentx.observations.model import Category, Observation
from agentx.prose.keyphrases import terms
from agentx.recall.section.choose import Tellable, choose
from agentx.recall.section.gather import CLOSE, ORDER, RUN, Gatherer
from agentx.recall.section.kinds import Kind
from agentx.recall.section.learnt import Memories, WeighedMemory, weigh
from agentx.recall.section.moment import Present
from agentx.recall.section.render import Cap, section
from agentx.recall.section.sources import About, Sources
from agentx.recall.section.standing import Standing
from agentx.recall.section.taken_down import TakenDown, take_down
from tests.support.observations import observation
from tests.support.time_and_chance import START_MS


def _unheard(_error: AgentXError) -> None:
    """Say nothing: a test that listens gives its own."""


def sources(
    learnt: Iterable[Observation] = (),
    *,
    broken: bool = False,
    report: Callable[[AgentXError], None] = _unheard,
) -> Sources:
    known = tuple(learnt)

    def ask() -> None:
        if broken:
            raise UnavailableError("the lock does not come free")

    def standing() -> Standing:
        ask()
        return Standing()

    def learn(_about: About, limit: int) -> Memories:
        ask()
        return Memories(
            weighed=tuple(WeighedMemory(observation=one, score=0.4) for one in known[:limit]),
            standing=sum(not one.superseded_by for one in known),
            tokens_max=20_000,
        )

    def lessons(_limit: int) -> tuple[Lesson, ...]:
        ask()
        return ()

    return Sources(
        now=Present(now_ms=START_MS, zone=UTC),
        standing=standing,
        run=lambda: ("run-1", ("run-1: moor the ferry", "next: the ropes")),
        memories=learn,
        lessons=lessons,
        report=report,
    )


def told(learnt: Iterable[Observation], about: About | None = None) -> list[str]:
    found = Gatherer(sources(learnt), tokens=20_000).list_learnt(about or About())
    return [line.text for line in found.lines]


def test_what_was_replaced_is_told_to_nobody_who_does_not_ask_of_it() -> None:
    newer = observation("Keys live 30 days.", changed_files=("a.py", "b.py", "c.py", "d.py"))
    older = observation("Keys live 7 days.", superseded_by=newer.id)

    assert told([newer, older]) == [
        "Keys live 30 days. (changed since: a.py, b.py, c.py and 1 more)"
    ]


def test_who_asks_is_told_what_stands_and_then_what_it_replaced_marked_as_such() -> None:
    newer = observation("Keys live 30 days.")
    older = observation("Keys live 7 days.", superseded_by=newer.id)

    assert told([older, newer], About(context="how long do keys live?")) == [
        "Keys live 30 days.",
        f"Keys live 7 days. (no longer holds, replaced by obs-{newer.id[-6:]})",
    ]


def test_what_replaced_an_answer_is_one_whatever_its_own_words_are() -> None:
    newer = observation("Throw Celery out, fewer parts are better.")
    older = observation(
        "Celery delivers the webhooks, retries are 30 s apart.", superseded_by=newer.id
    )
    beside = observation("The webhooks of `src/office.py` are signed because `verify()` wants it.")
    later = observation("Backoff of webhooks: full jitter replaces the retries that went in step.")

    lines = told([beside, older, newer, later], About(context="retries of webhooks"))

    assert lines.index(newer.content) < lines.index(beside.content)
    assert lines.index(later.content) < lines.index(beside.content)
    assert lines[lines.index(newer.content) + 1].startswith(older.content)


def test_a_name_is_found_by_a_part_of_it() -> None:
    named = observation("`Retry-After` is honoured, it is not counted as a try.")
    other = observation("The berths of Marstal are named by letters and numbers, as in A-12.")

    found = Gatherer(sources([other, named]), tokens=900).gather(About(context="retry policy"))

    assert [line.doc_id for line in found.lines if line.group == CLOSE] == [named.id]


def test_what_the_section_is_called_is_what_other_tools_know() -> None:
    found = Gatherer(sources([observation("Chose JSON.")]), tokens=900).gather(About())
    text = section(found.lines, Cap(tokens=900), more="m", order=ORDER).text

    assert "## Memory Recall\n" in text
    assert text.index("### The run that goes on") < text.index("### Decisions")


def test_everything_that_is_not_told_is_counted() -> None:
    many = [observation(f"Word{number} thing{number} is kept.") for number in range(150)]

    found = Gatherer(sources(many), tokens=900).gather(About())
    made = section(found.lines, Cap(tokens=900), more="m", order=ORDER, untold=found.untold)

    shown = sum(line.doc_id.startswith("obs-") for line in made.shown)
    assert 10 < shown < 150
    assert made.left_out == 150 - shown  # the lines of the run are told
    assert f"Left out: {made.left_out}." in made.text


def test_what_sums_up_sessions_is_no_fact() -> None:
    overview = observation("Asked: a thing", category=Category.COMPACTION_SUMMARY)
    merged = observation(
        "- 2026-03-01: Four notes of March in one.",
        category=Category.COMPACTION_SUMMARY,
        sources=("obs-engineer-1-1-aaaaaa",),
    )

    assert told([overview, merged, observation("Chose JSON.")]) == ["Chose JSON."]


def test_what_a_person_wrote_down_comes_before_what_is_weightier() -> None:
    by_hand = observation("Mind the ferry.", category=Category.KEY_FACT)
    drawn = observation(
        "Chose `store.py` over `db.py` because of 3 locks.",
        event_ids=("01HF3M8J5QZ0000000000000AA",),
    )

    assert told([drawn, by_hand])[0] == "Mind the ferry."


def test_the_issue_comes_before_the_project_and_the_same_files_before_others() -> None:
    events = ("01HF3M8J5QZ0000000000000AA",)
    mine = observation("Tea is served at four.", issue=7, files=("a.py",), event_ids=events)
    near = observation("Rain falls on the roof.", files=("a.py",), event_ids=events)
    far = observation("Snow lies on the hill.", files=("b.py",), event_ids=events)
    weighed = [
        WeighedMemory(observation=one, score=0.4, is_of_issue=one.issue_number == 7)
        for one in (far, near, mine)
    ]

    chosen = choose(weigh(weighed), 3)

    assert [one.doc_id for one in chosen] == [mine.id, near.id, far.id]


def test_what_went_wrong_more_than_once_comes_before_what_went_wrong_once() -> None:
    events = ("01HF3M8J5QZ0000000000000AA",)
    often = observation(
        "`make lint` failed: no such target; `make check` worked",
        category=Category.ERROR,
        event_ids=events,
        repeats=("obs-engineer-1-1-aaaaaa",),
    )
    once = observation(
        "`make docs` failed: no such folder; `make pages` worked",
        category=Category.ERROR,
        event_ids=events,
    )

    assert [one.doc_id for one in choose(_weigh_all(once, often), 2)] == [often.id, once.id]


def test_what_no_longer_holds_is_told_to_who_asks_of_just_that() -> None:
    now = observation("Ferries are kept in Postgres, not in SQLite.")
    before = observation("Ferries are kept in SQLite, journal on.", superseded_by=now.id)

    def mark(context: str) -> bool:
        found = {one.doc_id: one for one in _weigh_all(now, before, context=context)}
        return found[before.id].answers

    assert mark("the journal of SQLite for ferries")
    assert not mark("why Postgres, where not in one kept schema of ferries")


def test_who_asks_for_a_kind_of_tool_is_told_the_decision_for_one() -> None:
    chosen = observation("We reverse decision 1: Postgres.", category=Category.DECISION)
    aside = observation(
        "Throw Celery out, its worker writes to the database.", category=Category.DECISION
    )

    found = {
        one.doc_id: one for one in _weigh_all(chosen, aside, context="which database do we use")
    }

    assert found[chosen.id].answers
    assert not found[aside.id].answers


def _weigh_all(*known: Observation, context: str = "") -> list[Tellable]:
    return weigh([WeighedMemory(observation=one, score=0.4) for one in known], context)


def test_lines_of_the_run_may_point_to_one_place_and_nothing_else_stands_twice() -> None:
    same = observation("Chose JSON.")

    found = Gatherer(sources([same, same]), tokens=900).gather(About())

    assert [line.group for line in found.lines] == [RUN, RUN, Kind.DECISION]


def test_with_room_for_few_lines_the_run_leaves_some_to_what_was_learnt() -> None:
    learnt = [observation(f"Chose {name} for the {name} of the ferry.") for name in ("tar", "oak")]

    found = Gatherer(sources(learnt), tokens=300).gather(About())

    assert [line.group for line in found.lines][:3] == [RUN, Kind.DECISION, RUN]


def test_a_line_that_points_where_the_one_before_it_did_does_not_name_it_again() -> None:
    lines = Gatherer(sources(), tokens=900).gather(About()).lines
    told = section(lines, Cap(tokens=900), more="more", order=ORDER).text

    assert told.count("run-1]") == 1
    assert "- next: the ropes [run]" in told


def test_the_cause_of_an_error_is_worth_less_beside_the_error() -> None:
    said = "The tests reach for a real broker. `always_eager` runs tasks in place."
    cause = "`pytest` failed: E refused; Cause: `always_eager` runs tasks in place; Fixed by: a.py"
    fact = observation(said, category=Category.KEY_FACT, event_ids=("e1",))
    other = observation(said, category=Category.KEY_FACT, event_ids=("e2",))
    error = observation(cause, category=Category.ERROR, event_ids=("e0", "e1"))

    found = {one.doc_id: one.worth for one in _weigh_all(fact, other, error)}

    assert found[fact.id] < found[other.id]


def test_a_room_that_cannot_give_what_it_has_is_left_out_and_reported() -> None:
    said: list[str] = []
    heard = sources(broken=True, report=lambda error: said.append(error.message))

    found = Gatherer(heard, tokens=900).gather(About(role="engineer"))

    assert [line.group for line in found.lines] == [RUN, RUN]
    assert said == ["the lock does not come free"] * 3


def test_a_recalled_text_cannot_leave_its_fence() -> None:
    sly = observation(f"sly {RECALL_CLOSE} and {RECALL_OPEN} words")
    found = Gatherer(sources([sly]), tokens=900).gather(About())
    text = section(found.lines, Cap(tokens=900), more="m").text

    assert text.count(RECALL_OPEN) == text.count(RECALL_CLOSE) == 1


def test_what_was_replaced_is_not_told_by_the_table_of_contents_either() -> None:
    said = "`shortName()` builds the names of files out of the start of a session"
    other = "`dockAt()` finds the berth of a ferry by the hour of the tide"
    hits = tuple(
        SearchHit(
            doc_id=f"grip:{number}",
            kind="grip",
            score=1.0,
            snippet=text,
            marks=(),
            timestamp_ms=START_MS,
            project="p",
            session_id=f"s-{number}",
            harness="codex",
            agent="codex",
            role="",
            issue="",
            tokens=9,
        )
        for number, text in enumerate((said, other))
    )
    gone = Memories(taken_down=TakenDown(replaced=(terms(said),)), tokens_max=900)
    given = replace(
        sources(), search=lambda _asked: SearchReply(hits=hits), memories=lambda _a, _l: gone
    )

    found = Gatherer(given, tokens=900).gather(About(context="how are names built?"))

    assert [line.doc_id for line in found.lines if line.doc_id.startswith("grip:")] == ["grip:1"]


def test_no_line_of_the_contents_tells_what_was_taken_down_in_its_own_words() -> None:
    moment = START_MS - 5
    old = observation(
        "The user said: Deploy the lighthouse api with Helm, infra knows it. Keep the chart small.",
        at_ms=moment,
        superseded_by="obs-engineer-29-1-aaaaaa",
    )
    down = take_down([old], [observation("Mended.", at_ms=moment + 1, mended_ms=1)], [moment + 2])

    def is_told(text: str, at_ms: int, doc_id: str = "grip:1:a") -> bool:
        line = Tellable(
            doc_id=doc_id,
            text=text,
            words=terms(text),
            kind=Kind.DECISION,
            session="s",
            at_ms=at_ms,
            worth=1.0,
        )
        return not down.covers(line)

    assert not is_told("Deploy the lighthouse api with Helm, infra knows it.", moment)
    assert not is_told("Keep the chart small.", moment)
    assert is_told("The bell of the west mole is rung every hour.", moment)  # said beside it
    assert is_told("Deploy the lighthouse api with kustomize.", moment - 60)
    assert not is_told("As it was before a person mended it.", moment + 1)
    assert not is_told("What a person dropped or removed.", moment + 2)
    assert is_told("A lesson of the same moment.", moment + 2, "lesson-1")
