"""Goal: lessons on disk survive people, merges and death; an archive is checked before it counts.

Method: the real store in a folder; pages edited as a person would; crash points that raise.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from agentx.host.crash import CrashPoint
from agentx.kernel.errors import ConflictError, CorruptRecord
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.lessons.confidence import judge
from agentx.lessons.model import Confidence, Content, LessonKind, LessonStatus
from agentx.lessons.paths import LtmPaths
from agentx.lessons.promotion import Policy
from agentx.lessons.service import Lessons
from agentx.lessons.store.lesson_store import LessonStore
from agentx.runs.choosing.retention import DAY_MS, is_due
from agentx.runs.model import RunStatus
from agentx.runs.paths import RunsPaths
from agentx.runs.rules.gates import Tell
from agentx.runs.store.archive import Archive
from agentx.runs.store.run_store import RunStore
from agentx.wiring.taught.archive import Archiving
from agentx.wiring.taught.teaching import Churn, lessons_of
from tests.support.clones import files_below
from tests.support.crashing import dying_at
from tests.support.run_stories import Chance, happening
from tests.support.time_and_chance import START_MS, FakeClock
from tests.unit.lessons.test_lessons import a_run


class Place:
    """A project with long-term memory."""

    def __init__(self, root: Path, *, seed: int = 0) -> None:
        self.paths = ProjectPaths(root / "project")
        self.clock = FakeClock()
        local = StorePaths(root / "store")
        entropy = Chance(seed)
        self.store = LessonStore(self.paths, local, self.clock, entropy)
        self.learning = Lessons(self.store)
        self.runs = RunStore(self.paths, local, self.clock, entropy)
        self.archive = Archive(self.paths)
        self.archiving = Archiving(self.runs, self.learning, self.archive, lambda _run: Churn())

    def page(self, name: str) -> Path:
        (found,) = self.paths.lessons.glob(name)
        return found

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.page(name).read_text()
        assert old in text
        self.page(name).write_text(text.replace(old, new))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.learning.accept(lessons_of(a_run()), Policy.ALL, actor="lead")
    made.clock.advance(1_000)
    return made


def test_lessons_stand_on_the_pages_that_people_expect(place: Place) -> None:
    root = place.paths.lessons

    pages = {
        str(path.relative_to(root)) for path in root.rglob("*") if path.suffix in (".yaml", ".md")
    }

    assert pages == {
        "patterns/code-patterns.yaml",
        "patterns/error-patterns.yaml",
        "tech-debt/tech-debt-registry.yaml",
        "learnings/area-learnings/mail.yaml",
        "decisions/ADR-0001-use-a-result-type.md",
        "decisions/ADR-0002-which-rfc.md",
    }
    assert "id: PAT-001" in place.page("patterns/code-patterns.yaml").read_text()


@pytest.mark.promise("runs.lessons-editable")
def test_what_a_person_edits_is_kept_through_later_changes(place: Place) -> None:
    place.edit(
        "patterns/code-patterns.yaml", "Validators return a result", "Validators return Ok or Err"
    )
    place.edit("tech-debt/*.yaml", "status: OPEN", "status: RESOLVED")
    place.edit("decisions/ADR-0001*", "Use a result type.", "Use a result type everywhere.")
    with place.page("learnings/area-learnings/mail.yaml").open("a") as page:
        page.write("- learning: Bounces arrive a day late\n")

    place.learning.confirm("PAT-001", run="20260309-1000-other-zzzz", actor="lead")
    known = place.learning.refresh().known

    texts = {lesson.id: lesson.content.text for lesson in known.lessons.values()}
    assert texts["PAT-001"] == "Validators return Ok or Err"
    assert texts["ADR-0001"] == "Use a result type everywhere."
    assert texts["LRN-002"] == "Bounces arrive a day late"
    debt = known.find("TD-001")
    assert debt is not None
    assert debt.status is LessonStatus.RESOLVED
    assert "Ok or Err" in place.page("patterns/code-patterns.yaml").read_text()


def test_a_lesson_taken_off_its_page_is_retired_and_one_judged_by_hand_is_believed(
    place: Place,
) -> None:
    page = place.page("patterns/error-patterns.yaml")
    head, _, _ = page.read_text().partition("- id:")
    page.write_text(head.replace("patterns:\n", "patterns: []\n"))
    place.edit("patterns/code-patterns.yaml", "confidence: HIGH", "confidence: LOW")

    known = place.learning.refresh().known

    gone, judged_by_hand = known.find("PAT-002"), known.find("PAT-001")
    assert gone is not None
    assert gone.status is LessonStatus.RETIRED
    assert judged_by_hand is not None
    assert judge(judged_by_hand) is Confidence.LOW


@pytest.mark.promise("runs.lessons-editable")
def test_learnings_are_taken_off_and_moved_between_areas_by_hand(place: Place) -> None:
    for text in ("Bounces arrive a day late", "Retries double"):
        content = Content(name="", text=text, area="mail")
        place.learning.add(LessonKind.LEARNING, content, Confidence.LOW, run="", actor="a")
    folder = LtmPaths(place.paths.lessons).learnings
    head, first, second, third = re.split(r"(?m)^(?=- id)", (folder / "mail.yaml").read_text())
    assert "Parallel lanes" in first
    (folder / "mail.yaml").write_text(head + first)
    (folder / "queue.yaml").write_text(f"area: queue\nlearnings:\n{third}")
    (page,) = LtmPaths(place.paths.lessons).decisions.glob("ADR-0001*")
    page.unlink()

    known = place.learning.refresh().known

    gone, moved, decision = (known.find(name) for name in ("LRN-002", "LRN-003", "ADR-0001"))
    assert gone is not None
    assert moved is not None
    assert decision is not None
    assert "Bounces" in second
    assert gone.status is LessonStatus.RETIRED
    assert (moved.content.area, moved.status) == ("queue", LessonStatus.ACTIVE)
    assert "Retries double" in (folder / "queue.yaml").read_text()
    # A page that is gone altogether is a view that is made again.
    assert decision.status is LessonStatus.ACTIVE
    assert page.is_file()


@pytest.mark.promise("runs.lessons-editable")
@pytest.mark.parametrize("copy_first", [False, True])
def test_an_entry_copied_and_written_over_is_a_new_lesson(place: Place, copy_first: bool) -> None:
    page = place.page("patterns/code-patterns.yaml")
    head, entry = re.split(r"(?m)^(?=- id)", page.read_text())
    copy = entry.replace("Validators return a result", "Parsers return a result")
    page.write_text(head + (copy + entry if copy_first else entry + copy))

    known = place.learning.refresh().known

    texts = {lesson.id: lesson.content.text for lesson in known.of_kind(LessonKind.CODE)}
    assert texts == {"PAT-001": "Validators return a result", "PAT-003": "Parsers return a result"}
    assert place.learning.refresh().known == known


@pytest.mark.promise("runs.lessons-editable")
def test_a_page_with_lines_of_two_branches_keeps_what_each_person_wrote(place: Place) -> None:
    page = place.page("patterns/code-patterns.yaml")
    old = "  description: Validators return a result\n"
    assert old in page.read_text()
    mine, theirs = "  description: Validators say Ok\n", "  description: Validators say Err\n"
    mixed = page.read_text().replace(old, mine + theirs)
    page.write_text(mixed)

    found = place.learning.refresh()

    lesson = found.known.find("PAT-001")
    assert lesson is not None
    assert found.faults == ()
    assert lesson.content.text == "Validators say Err"
    assert [each.text for each in lesson.revisions[1:]] == [
        "Validators say Ok",
        "Validators say Err",
    ]
    assert [path.read_text() for path in LtmPaths(place.paths.lessons).aside.iterdir()] == [mixed]
    assert place.learning.refresh().known == found.known


def test_what_is_said_of_a_lesson_comes_after_it_though_the_clock_went_back(place: Place) -> None:
    place.clock.advance(-3_600_000)

    place.learning.retire("PAT-001", actor="lead", reason="no")

    lesson = place.learning.read().known.find("PAT-001")
    assert lesson is not None
    assert lesson.status is LessonStatus.RETIRED


def test_git_is_told_how_lessons_merge_where_there_was_never_a_run(place: Place) -> None:
    assert not place.paths.runs.exists()
    assert "*.yaml merge=union" in (place.paths.run_memory / ".gitattributes").read_text()
    assert "*.tmp" in (place.paths.run_memory / ".gitignore").read_text()


def test_that_a_page_was_edited_is_noticed_cheaply_and_once(place: Place) -> None:
    assert not place.learning.refresh_if_edited()

    place.edit("patterns/code-patterns.yaml", "Validators return", "Validators always return")

    assert place.learning.refresh_if_edited()
    assert not place.learning.refresh_if_edited()
    lesson = place.learning.read().known.find("PAT-001")
    assert lesson is not None
    assert lesson.content.text == "Validators always return a result"


def test_looking_at_lessons_where_there_are_none_writes_nothing(tmp_path: Path) -> None:
    empty = Place(tmp_path)

    assert empty.learning.refresh().known.events == 0
    assert not empty.paths.run_memory.exists()


def test_a_page_that_two_branches_wrote_is_made_again_and_kept_aside(place: Place) -> None:
    page = place.page("patterns/code-patterns.yaml")
    ours = page.read_text()
    place.learning.add(
        LessonKind.CODE, Content(name="", text="Close files"), Confidence.LOW, run="", actor="b"
    )
    theirs = page.read_text()
    page.write_text(f"<<<<<<< ours\n{ours}=======\n{theirs}>>>>>>> theirs\n")
    before = place.learning.read().known

    known = place.learning.refresh().known

    assert known == before
    assert page.read_text() == theirs
    assert [path.read_text()[:7] for path in LtmPaths(place.paths.lessons).aside.iterdir()] == [
        "<<<<<<<"
    ]


def test_a_page_that_cannot_be_read_is_named_and_left_as_it_is(place: Place) -> None:
    page = place.page("patterns/code-patterns.yaml")
    broken = page.read_text() + "- id: [unclosed\n"
    page.write_text(broken)

    found = place.learning.refresh()

    (fault,) = found.faults
    assert str(fault).startswith("patterns/code-patterns.yaml: line ")
    assert page.read_text() == broken
    assert found.known.find("PAT-001") is not None


@pytest.mark.parametrize("point", [CrashPoint.LESSONS_WRITTEN, CrashPoint.LESSON_PAGE_WRITTEN])
def test_dying_while_lessons_are_written_leaves_all_or_nothing_and_whole_pages(
    tmp_path: Path, point: CrashPoint
) -> None:
    place = Place(tmp_path)

    with dying_at(point):
        place.learning.accept(lessons_of(a_run()), Policy.ALL, actor="lead")
    again = Place(tmp_path)
    again.clock.advance(60_000)
    known = again.learning.refresh().known

    assert len(known.lessons) == len(lessons_of(a_run()))
    assert again.learning.accept(lessons_of(a_run()), Policy.ALL, actor="lead").learnt == ()
    assert set(again.store.pages(known).values()) <= {
        path.read_text() for path in again.paths.lessons.rglob("*") if path.is_file()
    }


def worked_on(place: Place, *, ended: bool = True) -> str:
    """Make a run that taught something, and end it; return its id."""
    name = "20260302-1000-a-run-0001"
    with place.runs.making(name) as desk:
        desk.say(happening("run-started", title="a run"))
        desk.say(happening("candidate-proposed", kind="pattern", text="Close files", evidence="x"))
        desk.say(happening("artifact-written", name="x.md", text="\u00e9"))
        if ended:
            desk.record([happening("run-completed")])
        desk.show()
    return name


@pytest.mark.promise("runs.archive-whole")
@pytest.mark.parametrize(
    "point", [None, CrashPoint.RUN_PACKED, CrashPoint.RUN_PACK_NAMED, CrashPoint.RUN_FOLDER_GONE]
)
def test_a_run_is_packed_whole_wherever_it_is_interrupted(
    tmp_path: Path, point: CrashPoint | None
) -> None:
    place = Place(tmp_path)
    run = worked_on(place)
    before = files_below(RunsPaths(place.paths).run(run).root)
    if point is not None:
        with dying_at(point):
            place.archiving.archive(run, Policy.CONFIDENT, actor="lead")
    place = Place(tmp_path, seed=1)
    place.clock.advance(60_000)
    if place.runs.exists(run):
        place.archiving.archive(run, Policy.CONFIDENT, actor="lead")
    place.archive.sweep()

    known = place.learning.read().known
    assert not place.runs.exists(run)
    assert [path.name for path in RunsPaths(place.paths).archive.iterdir()] == [f"{run}.tar.gz"]
    assert (len(known.measures), len(known.lessons)) == (1, 1)
    assert files_below(place.archive.unpack(run)) == before


@pytest.mark.parametrize("holds", [True, False])
def test_a_failure_that_was_lifted_is_not_counted_as_how_a_run_went(
    place: Place, *, holds: bool
) -> None:
    check = {"name": "x", "command": "make test", "exit_code": 0}
    ran = [{**check, "passed": passed} for passed in (False, True)]
    with place.runs.making("20260302-1000-a-run-0001") as desk:
        desk.say(happening("run-started", title="a run"))
        desk.say(happening("task-added", task="T", title="x"))
        desk.say(happening("task-started", task="T"))
        told = {"verdict": "FAILED", "commit": "a" * 40}
        desk.record([happening("checks-run", task="T", checks=ran[:1], **told)])
        told = {"verdict": "PASSED", "commit": "b" * 40}
        desk.record([happening("checks-run", checks=ran[1:], **told)])
        desk.record([happening("task-completed", task="T"), happening("run-completed")])
    place.runs.ask_git = lambda _run: Tell(
        moved=lambda _lane, _commit: "it moved", holds=lambda _older, _newer: holds
    )

    place.archiving.archive("20260302-1000-a-run-0001", Policy.ALL, actor="lead")

    (measure,) = place.learning.read().known.measures.values()
    assert measure.verification_status == ("PASSED" if holds else "FAILED")


def test_the_same_run_packed_on_two_machines_is_the_same_file(tmp_path: Path) -> None:
    packed: list[bytes] = []
    for name in ("here", "there"):
        place = Place(tmp_path / name)
        run = worked_on(place)
        place.clock.advance(len(packed) * 1_000)
        # What git left of the files that are made from events is no part of what is packed.
        (RunsPaths(place.paths).run(run).manifest).write_text("a: 1\na: 2\n" * len(packed))
        place.archiving.archive(run, Policy.ALL, actor=name)
        packed.append(place.archive.path(run).read_bytes())

    assert packed[0] == packed[1]


@pytest.mark.promise("runs.archive-whole")
def test_a_run_that_goes_on_is_not_packed_and_a_damaged_archive_removes_nothing(
    place: Place,
) -> None:
    run = worked_on(place, ended=False)
    with pytest.raises(ConflictError, match="still"):
        place.archiving.archive(run, Policy.ALL, actor="a")
    with place.runs.editing(run) as desk:
        desk.say(happening("run-failed", reason="no"))

    place.archive.pack(run).write_bytes(b"half")
    with pytest.raises(CorruptRecord, match="not a whole archive"):
        place.archiving.archive(run, Policy.ALL, actor="a")
    assert place.runs.exists(run)


def test_the_index_names_packed_runs_also_when_it_is_made_from_nothing(place: Place) -> None:
    run = worked_on(place)
    place.clock.advance(5_000)
    place.archiving.archive(run, Policy.ALL, actor="a")
    before = place.runs.index.read()

    RunsPaths(place.paths).index.unlink()
    place.runs.index.rebuild({})

    made = place.runs.index.read()
    assert before is not None
    assert made is not None
    (was,), (line,) = before["runs"]["archived"], made["runs"]["archived"]
    assert was["archived_at"] == "2026-03-02T10:00:06.000Z"
    assert {**line, "archived_at": was["archived_at"]} == was
    assert (line["title"], line["status"]) == ("a run", "COMPLETED")
    assert line["archive_path"] == f".agent-memory/archive/{run}.tar.gz"

    place.archive.unpack(run)
    place.runs.index.rebuild({})
    restored = place.runs.index.read()
    assert restored is not None
    assert [each["run_id"] for each in restored["runs"]["completed"]] == [run]
    assert restored["runs"]["archived"] == []


@pytest.mark.parametrize(
    ("outcome", "days"),
    [(RunStatus.COMPLETED, 30), (RunStatus.FAILED, 7), (RunStatus.IN_PROGRESS, None)],
)
def test_runs_stay_as_long_as_is_said(outcome: RunStatus, days: int | None) -> None:
    run = replace(a_run(), outcome=outcome, ended_ms=START_MS)

    if days is None:
        assert not is_due(run, START_MS + 400 * DAY_MS)
    else:
        assert not is_due(run, START_MS + days * DAY_MS - 1)
        assert is_due(run, START_MS + days * DAY_MS)
