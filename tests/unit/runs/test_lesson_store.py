"""Goal: lessons on disk survive people, merges and death; an archive is checked before it counts.

Method: the real store in a folder; pages edited as a person would; crash points that raise.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.crash import CrashPoint
from agentx.kernel.errors import ConflictError, CorruptRecord
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.runs.archiving import Archiving
from agentx.runs.learning import Churn, Learning
from agentx.runs.ltm.confidence import judged
from agentx.runs.ltm.lessons import lessons_of
from agentx.runs.ltm.model import Confidence, Content, LessonKind, LessonStatus
from agentx.runs.ltm.promotion import Policy
from agentx.runs.model import Run, Status
from agentx.runs.retention import DAY_MS, is_due
from agentx.runs.store.archive import Archive
from agentx.runs.store.lesson_store import LessonStore
from agentx.runs.store.run_store import RunStore
from tests.support.crashing import dying_at
from tests.support.time_and_chance import START_MS, CountingEntropy, FakeClock
from tests.unit.runs.test_lessons import a_run


class Place:
    """A project with long-term memory."""

    def __init__(self, root: Path) -> None:
        self.paths = ProjectPaths(root / "project")
        self.clock = FakeClock()
        local = StorePaths(root / "store")
        entropy = CountingEntropy()
        self.store = LessonStore(self.paths, local, self.clock, entropy)
        self.learning = Learning(self.store)
        self.runs = RunStore(self.paths, local, self.clock, entropy)
        self.archive = Archive(self.paths)
        self.archiving = Archiving(self.runs, self.learning, self.archive, lambda _run: Churn())

    def page(self, name: str) -> Path:
        (found,) = self.paths.lessons.root.glob(name)
        return found

    def edit(self, name: str, old: str, new: str) -> None:
        text = self.page(name).read_text()
        assert old in text
        self.page(name).write_text(text.replace(old, new))


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.learning.accept(a_run(), Policy.ALL, actor="lead")
    made.clock.advance(1_000)
    return made


def test_lessons_stand_on_the_pages_that_people_expect(place: Place) -> None:
    root = place.paths.lessons.root

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
    assert judged(judged_by_hand) is Confidence.LOW


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
    assert [path.read_text()[:7] for path in place.paths.lessons.aside.iterdir()] == ["<<<<<<<"]


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
        place.learning.accept(a_run(), Policy.ALL, actor="lead")
    again = Place(tmp_path)
    again.clock.advance(60_000)
    known = again.learning.refresh().known

    assert len(known.lessons) == len(lessons_of(a_run()))
    assert again.learning.accept(a_run(), Policy.ALL, actor="lead").learnt == ()
    assert set(again.store.pages(known).values()) <= {
        path.read_text() for path in again.paths.lessons.root.rglob("*") if path.is_file()
    }


def laid_out(place: Place) -> Run:
    """Lay a run's folder out, as if it had been worked on, and end it."""
    run = replace(a_run(), outcome=Status.COMPLETED, ended_ms=START_MS)
    folder = place.paths.run(run.id).root
    for name, text in (("manifest.yaml", "a: 1\n"), ("events/e/1.jsonl", "{}\n"), ("pr/x.md", "é")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return run


@pytest.mark.promise("runs.archive-whole")
@pytest.mark.parametrize(
    "point", [None, CrashPoint.RUN_PACKED, CrashPoint.RUN_PACK_NAMED, CrashPoint.RUN_FOLDER_GONE]
)
def test_a_run_is_packed_whole_wherever_it_is_interrupted(
    tmp_path: Path, point: CrashPoint | None
) -> None:
    place = Place(tmp_path)
    run = laid_out(place)
    if point is not None:
        with dying_at(point):
            place.archiving.archive(run, Policy.CONFIDENT, actor="lead")
    place = Place(tmp_path)
    place.clock.advance(60_000)
    if place.runs.exists(run.id):
        place.archiving.archive(run, Policy.CONFIDENT, actor="lead")
    place.archive.sweep()

    assert not place.runs.exists(run.id)
    assert [path.name for path in place.paths.run_archive.iterdir()] == [f"{run.id}.tar.gz"]
    assert len(place.learning.read().known.measures) == 1
    folder = place.archive.unpack(run.id)
    assert (folder / "pr" / "x.md").read_text() == "é"
    assert (folder / "events" / "e" / "1.jsonl").read_text() == "{}\n"


def test_the_same_run_packed_on_two_machines_is_the_same_file(tmp_path: Path) -> None:
    packed: list[bytes] = []
    for name in ("here", "there"):
        place = Place(tmp_path / name)
        run = laid_out(place)
        place.clock.advance(len(packed) * 1_000)
        packed.append(place.archive.pack(run.id).read_bytes())

    assert packed[0] == packed[1]


def test_a_run_that_goes_on_is_not_packed_and_a_damaged_archive_removes_nothing(
    place: Place,
) -> None:
    run = laid_out(place)
    with pytest.raises(ConflictError, match="still"):
        place.archiving.archive(replace(run, outcome=Status.IN_PROGRESS), Policy.ALL, actor="a")

    place.archive.pack(run.id).write_bytes(b"half")
    with pytest.raises(CorruptRecord, match="not a whole archive"):
        place.archiving.archive(run, Policy.ALL, actor="a")
    assert place.runs.exists(run.id)


@pytest.mark.parametrize(
    ("outcome", "days"), [(Status.COMPLETED, 30), (Status.FAILED, 7), (Status.IN_PROGRESS, None)]
)
def test_runs_stay_as_long_as_is_said(outcome: Status, days: int | None) -> None:
    run = replace(a_run(), outcome=outcome, ended_ms=START_MS)

    if days is None:
        assert not is_due(run, START_MS + 400 * DAY_MS)
    else:
        assert not is_due(run, START_MS + days * DAY_MS - 1)
        assert is_due(run, START_MS + days * DAY_MS)
