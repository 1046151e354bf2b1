"""Goal: two clones learn, judge and edit lessons, merge both ways, and know the same.

Method: random histories with real git. Both clones ask for the same numbers, learn the same
twice, and people edit pages on either side, with or without a command before the next
commit. One clock is minutes ahead. In the end nothing conflicts, both clones know the same
and show the same pages, and every event ever written is there.
"""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agentx.kernel.errors import NotFound
from agentx.kernel.paths import ProjectPaths, StorePaths
from agentx.lessons.model import Confidence, Content, LessonKind, LongTerm
from agentx.lessons.service import Lessons
from agentx.lessons.store.lesson_store import LessonStore
from tests.support.clones import files_below, merge
from tests.support.repository import commit, git, repository
from tests.support.run_stories import Chance
from tests.support.time_and_chance import FakeClock

_REALLY = settings(
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)
_TEXTS = (
    "Validators return a result",
    "Close every file",
    "Mails bounce late \u4e2d\U0001f600",
    "Use UTC\nin every table",
)
_RUNS = ("20260301-1000-one-aaaa", "20260302-1000-two-bbbb", "")
_IDS = ("PAT-001", "PAT-002", "ADR-0001", "TD-001", "LRN-001")


@dataclass(frozen=True)
class Step:
    """What one clone does next."""

    who: int
    what: str
    kind: LessonKind
    text: str
    run: str
    lesson: str


_STEPS = st.lists(
    st.builds(
        Step,
        who=st.integers(0, 1),
        what=st.sampled_from(
            "add add add confirm contradict retire edit take-off write merge merge".split()
        ),
        kind=st.sampled_from(LessonKind),
        text=st.sampled_from(_TEXTS),
        run=st.sampled_from(_RUNS),
        lesson=st.sampled_from(_IDS),
    ),
    min_size=6,
    max_size=16,
)


class Clone:
    """A checkout with its lessons."""

    def __init__(self, root: Path, store: Path, *, seed: int) -> None:
        self.root = root
        self.clock = FakeClock()
        self.paths = ProjectPaths(root)
        self.lessons = LessonStore(self.paths, StorePaths(store), self.clock, Chance(seed))
        self.learning = Lessons(self.lessons)
        self.edits = 0

    def does(self, step: Step) -> None:
        """Do one thing, as an agent through a command, or as a person on a page."""
        self.clock.advance(700)
        match step.what:
            case "add":
                content = Content(name="", text=step.text, area="mail", files=("a.py",))
                self.learning.add(step.kind, content, Confidence.LOW, run=step.run, actor="lead")
            case "confirm":
                with suppress(NotFound):
                    self.learning.confirm(step.lesson, run=step.run, actor="lead")
            case "contradict":
                with suppress(NotFound):
                    self.learning.contradict(step.lesson, run=step.run, actor="b", reason="no")
            case "retire":
                with suppress(NotFound):
                    self.learning.retire(step.lesson, actor="lead")
            case _:
                self._by_hand(step)

    def _by_hand(self, step: Step) -> None:
        pages = sorted(self.paths.lessons.glob("**/*-patterns.yaml"))
        pages += sorted(self.paths.lessons.glob("learnings/*/*.yaml"))
        for page in pages[:1]:
            text = page.read_text()
            field = "learning" if "learnings" in page.parts else "description"
            self.edits += 1
            said = f"by hand {self.edits} in {self.root.name}"
            if step.what == "edit":
                pattern = rf"^(- |  ){field}: [^|\n]*$"
                text = re.sub(pattern, rf"\g<1>{field}: {said}", text, count=1, flags=re.MULTILINE)
            elif step.what == "write":
                text += f"- {field}: {said}\n"
            else:
                text = re.sub(r"^- (.*\n)(  .*\n)*\Z", "", text, flags=re.MULTILINE)
            page.write_text(text)

    def event_ids(self) -> set[str]:
        """Return every event there is."""
        faults: list[object] = []
        found = {event.id for event in self.lessons._events(faults)}  # type: ignore[arg-type]
        assert faults == []
        return found


def _timeless(known: LongTerm) -> object:
    """Return what is known, without the moments at which pages were read."""
    return [
        (replace(lesson, changed_ms=lesson.created_ms, revisions=()), lesson.id)
        for lesson in known.lessons.values()
    ]


def _play(folder: Path, steps: list[Step]) -> None:
    first = Clone(repository(folder / "one"), folder / "store-one", seed=1)
    start = Step(0, "add", LessonKind.CODE, "Begin with a test", _RUNS[0], "")
    first.does(start)
    commit(first.root, "memory")
    git(folder, "clone", "-q", str(first.root), "two")
    clones = (first, Clone(folder / "two", folder / "store-two", seed=2))
    clones[1].clock.advance(-400_000)  # a clock that is late
    ever: set[str] = set()

    for step in steps:
        clone, other = clones[step.who], clones[1 - step.who]
        if step.what == "merge":
            merge(clone.root, other.root)
        else:
            clone.does(step)
        ever |= clone.event_ids()
    # What a person changed and no command has seen yet comes in with the first command after.
    for _ in range(3):
        for clone in clones:
            clone.learning.refresh()
            ever |= clone.event_ids()
        merge(clones[0].root, clones[1].root)
        merge(clones[1].root, clones[0].root)

    found = [clone.learning.refresh() for clone in clones]
    pages = [files_below(clone.paths.lessons) for clone in clones]
    assert found[0].faults == found[1].faults == ()
    assert _timeless(found[0].known) == _timeless(found[1].known)
    assert pages[0] == pages[1]
    assert clones[0].event_ids() == clones[1].event_ids() == ever
    names = Counter(lesson.id for lesson in found[0].known.lessons.values())
    assert set(names.values()) <= {1}, "no number twice"
    for clone in clones:
        assert git(clone.root, "status", "--porcelain") == "", "and nothing more to commit"


@pytest.mark.promise("runs.lessons-merge")
@settings(_REALLY, max_examples=2)
@given(_STEPS)
def test_two_clones_that_learn_apart_know_the_same_together(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _play(Path(folder), steps)


@pytest.mark.soak
@settings(_REALLY, max_examples=80)
@given(_STEPS)
def test_two_clones_know_the_same_over_many_histories(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _play(Path(folder), steps)
