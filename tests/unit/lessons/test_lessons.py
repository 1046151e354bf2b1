"""Goal: what is known is the same in whatever order it arrived, and trust follows the evidence.

Method: random events, shuffled and repeated; pages written and read back; small stories.
"""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.kernel.clock import Millis
from agentx.kernel.vouching.standing import SAID_FOR_PERSON
from agentx.lessons.confidence import judge
from agentx.lessons.fold import fold
from agentx.lessons.likeness import alike
from agentx.lessons.model import (
    PATTERNS,
    Confidence,
    Content,
    Lesson,
    LessonKind,
    LessonStatus,
    LongTerm,
    LtmEvent,
    LtmKind,
    Taught,
)
from agentx.lessons.names import area_of
from agentx.lessons.pages import decision_entry, decision_text, documents, entries
from agentx.lessons.promotion import Policy, accepts, open_candidates, promote
from agentx.runs.asked import Escalation
from agentx.runs.model import (
    Check,
    Conflict,
    Contract,
    Report,
    Run,
    Task,
    TaskStatus,
    Verdict,
)
from agentx.runs.parts.said import LogEntry
from agentx.runs.parts.taught import Candidate
from agentx.wiring.taught.teaching import lessons_of
from tests.support.time_and_chance import START_MS

RUNS = ("20260301-1000-one-aaaa", "20260302-1000-two-bbbb", "20260303-1000-three-cccc")


def uid(number: int) -> str:
    return f"01KJPD0000{number:016d}"


def learnt(order: int, text: str, **more: object) -> LtmEvent:
    detail = {"kind": "code-pattern", "name": "", "text": text, "number": 1, **more}
    return LtmEvent(
        id=uid(order),
        at_ms=Millis(START_MS + order),
        actor="a",
        kind=LtmKind.LEARNT,
        run=RUNS[order % 3],
        detail=detail,
    )


def about(number: int, kind: LtmKind, lesson: int, run: str = "", **detail: object) -> LtmEvent:
    return LtmEvent(
        id=uid(number),
        at_ms=Millis(START_MS + number),
        actor="a",
        kind=kind,
        lesson=uid(lesson),
        run=run,
        detail=detail,
    )


TEXT = st.text(
    st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=60
).filter(lambda text: any(char.isalnum() for char in text))


@st.composite
def histories(draw: st.DrawFn) -> list[LtmEvent]:
    count = draw(st.integers(1, 12))
    events = []
    for number in range(count):
        kind = draw(st.sampled_from(LtmKind))
        if kind is LtmKind.LEARNT:
            of = draw(st.sampled_from(LessonKind))
            asked = draw(st.integers(0, 3))
            confidence = draw(st.sampled_from(Confidence))
            event = learnt(
                number, draw(TEXT), kind=str(of), number=asked, confidence=str(confidence)
            )
        else:
            lesson = draw(st.integers(0, count))
            event = about(number, kind, lesson, draw(st.sampled_from(RUNS)), text=draw(TEXT))
        events.append(replace(event, at_ms=Millis(START_MS + draw(st.integers(0, 3)))))
    return events


@pytest.mark.promise("runs.lessons-merge")
@settings(max_examples=60)
@given(events=histories(), seed=st.integers())
def test_what_is_known_does_not_depend_on_the_order_of_arrival(
    events: list[LtmEvent], seed: int
) -> None:
    mixed = [*events, *events[:3]]
    random.Random(seed).shuffle(mixed)

    known = fold(mixed)

    assert known == fold(events)
    for kinds in (PATTERNS, (LessonKind.DEBT,), (LessonKind.DECISION,), (LessonKind.LEARNING,)):
        numbers = [lesson.number for lesson in known.of_kind(*kinds)]
        assert len(numbers) == len(set(numbers))
        assert all(number >= 1 for number in numbers)


def test_of_two_lessons_with_one_number_the_first_keeps_it_and_none_else_moves() -> None:
    here = learnt(1, "Return results instead of raising", number=7)
    there = learnt(2, "Keep migrations reversible", number=7)
    later = learnt(3, "Name tests as sentences", number=8)

    known = fold([there, later, here])

    ids = {lesson.content.text: lesson.id for lesson in known.lessons.values()}
    assert ids == {
        "Return results instead of raising": "PAT-007",
        "Keep migrations reversible": "PAT-009",
        "Name tests as sentences": "PAT-008",
    }


def test_the_same_lesson_from_two_branches_is_one_that_was_confirmed() -> None:
    known = fold([learnt(1, "Use UTC everywhere."), learnt(2, "use  utc EVERYWHERE")])

    (lesson,) = known.lessons.values()
    assert lesson.learned_from == (RUNS[1], RUNS[2])
    assert known.find(uid(2)) == lesson


def test_confidence_rises_with_confirmation_and_falls_with_contradiction() -> None:
    story = [learnt(1, "Retry on 429", confidence="LOW")]

    def now() -> Lesson:
        return next(iter(fold(story).lessons.values()))

    assert judge(now()) is Confidence.LOW
    story.append(about(2, LtmKind.CONFIRMED, 1, RUNS[2]))
    assert judge(now()) is Confidence.MEDIUM
    story.append(about(3, LtmKind.CONFIRMED, 1, RUNS[2]))  # the same run is no new evidence
    assert judge(now()) is Confidence.MEDIUM
    story.append(about(4, LtmKind.CONFIRMED, 1, RUNS[0]))
    assert judge(now()) is Confidence.HIGH
    story.append(about(5, LtmKind.CONTRADICTED, 1, RUNS[1], reason="it made it worse"))
    assert judge(now()) is Confidence.LOW
    assert now().reason == "it made it worse"
    story.append(about(6, LtmKind.CONTRADICTED, 1, RUNS[0], reason="again"))
    assert now().status is LessonStatus.RETIRED


@settings(max_examples=60)
@given(events=histories())
def test_a_page_read_back_gives_the_lessons_it_was_written_from(events: list[LtmEvent]) -> None:
    known = fold(events)

    found = [
        (entry.uid, entry.content, entry.status)
        for path, page in documents(known).items()
        for entry in entries(path, page)
    ]
    found += [
        (entry.uid, entry.content, entry.status)
        for lesson in known.of_kind(LessonKind.DECISION)
        for entry in [decision_entry(decision_text(lesson))]
        if lesson.status is not LessonStatus.RESOLVED
    ]

    wanted = [
        (lesson.uid, lesson.content, lesson.status)
        for lesson in known.lessons.values()
        if not (lesson.kind is LessonKind.DECISION and lesson.status is LessonStatus.RESOLVED)
    ]
    assert sorted(found) == sorted(wanted)


def test_a_decision_may_hold_headings_and_still_be_read() -> None:
    known = fold([learnt(1, "# Not a title\n\n## Status\n\nmaybe", kind="decision", name="Über")])
    (lesson,) = known.lessons.values()

    entry = decision_entry(decision_text(lesson))

    assert entry.content == lesson.content
    assert entry.content.text == "# Not a title\n\n## Status\n\nmaybe"


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("Validate input at the edge", "validate input, at the edge!", True),
        ("Use tabs in Makefiles", "Do not use tabs in Makefiles", False),
        ("Retry requests on 429", "Pin the compiler version", False),
        ("Retry a request once it gets 429", "Retry a request once it gets 503", False),
    ],
)
def test_lessons_are_alike_when_they_say_the_same(one: str, other: str, same: bool) -> None:
    assert (alike(one, other) >= 0.8) is same


def a_run() -> Run:
    at = Millis(START_MS)
    task = Task(
        id="TASK-001",
        born=uid(1),
        contracts=(Contract(title="Validate", files=("src/mail/check.py", "src/mail/name.py")),),
        status=TaskStatus.COMPLETED,
        log=(LogEntry(at_ms=Millis(at + 2), actor="e", words="Escaped the dot.", event_id=uid(3)),),
        reports=(
            Report(
                at_ms=Millis(at + 1),
                actor="tester",
                verdict=Verdict.FAILED,
                checks=(Check(name="pytest", passed=False, evidence="a.b@c matched"),),
                summary="",
            ),
            Report(
                at_ms=Millis(at + 3), actor="tester", verdict=Verdict.PASSED, checks=(), summary=""
            ),
        ),
    )
    dropped = Task(
        id="TASK-002",
        born=uid(2),
        contracts=(Contract(title="International mail", files=("src/mail/idn.py",)),),
        status=TaskStatus.DROPPED,
        reason="out of scope",
    )
    return Run(
        id=RUNS[0],
        title="Mail",
        started=True,
        tasks={"TASK-001": task, "TASK-002": dropped},
        decisions=(
            LogEntry(at_ms=at, actor="architect", words="Use a result type.", event_id=uid(4)),
        ),
        escalations={
            "ESC-1": Escalation(
                id="ESC-1",
                at_ms=at,
                actor="engineer",
                question="Which RFC?",
                task="TASK-001",
                resolution="RFC 5322 without comments",
                resolved_by="mira",
                resolved_ms=at,
            )
        },
        conflicts={
            "CON-1": Conflict(
                id="CON-1",
                at_ms=at,
                operation="merge",
                lane="lane-001",
                files=("src/mail/check.py",),
                escalation="ESC-2",
                resolution="kept both",
            )
        },
        candidates={
            "C-1": Candidate(
                id="C-1",
                at_ms=at,
                actor="engineer",
                kind="pattern",
                words="Validators return a result",
                evidence=("e-9",),
                confidence="HIGH",
                source="TASK-001",
                detail={"files": ["src/mail/check.py"], "name": "Result type"},
            )
        },
    )


def test_a_run_teaches_what_its_story_shows_and_every_lesson_has_evidence() -> None:
    taught = {one.kind: one for one in lessons_of(a_run())}
    decisions = [one for one in lessons_of(a_run()) if one.kind is LessonKind.DECISION]

    assert [one.content.text for one in decisions] == [
        "Use a result type.",
        "RFC 5322 without comments",
    ]
    assert taught[LessonKind.CODE].content.name == "Result type"
    assert taught[LessonKind.CODE].content.area == "mail"
    assert taught[LessonKind.ERROR].content.text == "a.b@c matched. Mended by: Escaped the dot."
    assert "src/mail/check.py" in taught[LessonKind.LEARNING].content.text
    assert taught[LessonKind.DEBT].content.text == "Not done: International mail (out of scope)"
    assert all(one.evidence for one in lessons_of(a_run()))


def test_promoting_twice_changes_nothing_and_the_next_run_confirms() -> None:
    known = _after([], *lessons_of(a_run()))

    assert list(promote(known, lessons_of(a_run()))) == []
    assert open_candidates(known, lessons_of(a_run())) == ()
    again = lessons_of(replace(a_run(), id=RUNS[1]))
    kinds = {change.kind for change in promote(known, again)}
    assert kinds == {LtmKind.CONFIRMED}


def test_a_lesson_that_contradicts_another_takes_confidence_from_it() -> None:
    first = Taught(
        key="r/1",
        run=RUNS[0],
        kind=LessonKind.CODE,
        content=Content(name="", text="Cache tokens for an hour"),
        confidence=Confidence.HIGH,
    )
    told: list[LtmEvent] = []
    _after(told, first)
    against = replace(
        first,
        key="r/2",
        run=RUNS[1],
        content=Content(name="", text="Tokens expire in minutes: fetch anew"),
        contradicts=("PAT-001",),
    )

    known = _after(told, against)

    lesson = known.find("PAT-001")
    assert lesson is not None
    assert (judge(lesson), lesson.contradicted_by) == (Confidence.LOW, (RUNS[1],))


def test_a_policy_takes_only_what_it_says() -> None:
    sure, unsure = lessons_of(a_run())[0], replace(lessons_of(a_run())[0], evidence=())

    proven = replace(unsure, is_proven=True)

    assert [accepts(policy, sure) for policy in Policy] == [False, False, True, True]
    assert [accepts(policy, unsure) for policy in Policy] == [False, False, False, True]
    assert [accepts(policy, proven) for policy in Policy] == [False, True, False, True]


def test_two_clones_that_take_the_same_in_by_policy_know_one_lesson() -> None:
    proven = replace(lessons_of(a_run())[0], is_proven=True)
    [here] = promote(fold([]), [proven], by_policy="proven")
    both = [
        LtmEvent(
            id=uid(order),
            at_ms=Millis(START_MS + order),
            actor="policy",
            kind=here.kind,
            run=here.run,
            detail=here.detail,
        )
        for order in (1, 2)
    ]
    known = fold(both)

    [lesson] = known.lessons.values()
    assert (lesson.by_policy, lesson.learned_from) == ("proven", (here.run,))
    assert judge(lesson) is proven.confidence, "a run counts once"
    assert open_candidates(known, [proven]) == ()


def test_what_a_policy_took_in_is_a_persons_once_they_say_it() -> None:
    policy = replace(learnt(1, "Retry twice", by_policy="proven"), actor="policy")
    person = replace(learnt(2, "Retry twice"), actor="person")

    [lesson] = fold([policy, person]).lessons.values()
    assert (lesson.by_policy, lesson.is_persons) == ("", True)


@pytest.mark.parametrize(
    ("files", "area"),
    [
        (("src/mail/check.py", "src/mail/deep/name.py"), "mail"),
        (("src/mail/check.py", "docs/mail.md"), ""),
        (("README.md",), ""),
        ((), ""),
        (("server/api/v2/users/list.go",), "server/api"),
    ],
)
def test_the_area_of_files_is_the_folder_they_share(files: tuple[str, ...], area: str) -> None:
    assert area_of(files) == area


def _after(told: list[LtmEvent], *offered: Taught) -> LongTerm:
    """Promote some lessons, tell it, and fold again."""
    for change in list(promote(fold(told), offered)):
        number = len(told) + 1
        told.append(
            LtmEvent(
                id=uid(number),
                at_ms=Millis(START_MS + number),
                actor="a",
                kind=change.kind,
                lesson=change.lesson,
                run=change.run,
                detail=change.detail,
            )
        )
    return fold(told)


def test_a_page_says_that_nobody_saw_a_person_say_it_and_reads_as_it_is() -> None:
    content = Content(name="Tables", text="We drop them.")
    lesson = Lesson(
        uid=uid(9),
        kind=LessonKind.DECISION,
        number=1,
        content=content,
        started_at=Confidence.MEDIUM,
        created_ms=Millis(0),
        changed_ms=Millis(0),
        is_persons=True,
        is_unconfirmed=True,
    )

    page = decision_text(lesson)

    assert f"Accepted ({SAID_FOR_PERSON})" in page
    assert decision_entry(page).status is LessonStatus.ACTIVE
    assert SAID_FOR_PERSON not in decision_text(replace(lesson, is_reworded=True))
    known = LongTerm(lessons={lesson.uid: replace(lesson, kind=LessonKind.CODE)})
    [patterns] = documents(known).values()
    assert patterns["patterns"][0]["doubt"] == SAID_FOR_PERSON
