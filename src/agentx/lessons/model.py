"""What runs taught, kept for good: lessons, and how the runs went.

    learnt -> confirmed ... contradicted ... edited by a person ... retired

A lesson is a view: the fold of the events about it, from whatever branch they came. A
person may edit the page it stands on; the edit becomes an event like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from agentx.kernel.clock import Millis
from agentx.kernel.errors import NotFound
from agentx.kernel.values import frozen

Detail = Mapping[str, object]


class LessonKind(StrEnum):
    """What a lesson is about. The words are on disk."""

    CODE = "code-pattern"
    ERROR = "error-pattern"
    SOLUTION = "solution-pattern"
    DECISION = "decision"
    DEBT = "tech-debt"
    LEARNING = "learning"


PATTERNS = (LessonKind.CODE, LessonKind.ERROR, LessonKind.SOLUTION)
# How the lessons of a kind are numbered. Patterns share one row of numbers.
PREFIXES = {
    LessonKind.CODE: "PAT",
    LessonKind.ERROR: "PAT",
    LessonKind.SOLUTION: "PAT",
    LessonKind.DECISION: "ADR",
    LessonKind.DEBT: "TD",
    LessonKind.LEARNING: "LRN",
}
_DIGITS = {"ADR": 4}


class Confidence(StrEnum):
    """How far a lesson may be trusted."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


class Priority(StrEnum):
    """How much a debt hurts."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


class LessonStatus(StrEnum):
    """Whether a lesson still holds."""

    ACTIVE = "ACTIVE"
    RESOLVED = "RESOLVED"  # a debt that was paid
    RETIRED = "RETIRED"  # no longer true, or never was


class LtmKind(StrEnum):
    """The types of events in long-term memory. The words are on disk."""

    LEARNT = "learnt"
    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    EDITED = "edited"
    RESOLVED = "resolved"
    RETIRED = "retired"
    REJECTED = "rejected"  # a candidate that nobody wants to see again
    MEASURED = "measured"


@frozen
class LtmEvent:
    """One thing that happened to what is known. `lesson` is the id of the event that taught it."""

    id: str
    at_ms: Millis
    actor: str
    kind: LtmKind
    lesson: str = ""
    run: str = ""
    detail: Detail = field(default_factory=dict)
    writer: str = ""
    key: str = ""
    signature: str = ""

    @property
    def place(self) -> tuple[int, bool, str]:
        """Where the event stands in the order of all; within a moment, learning comes first."""
        return self.at_ms, self.kind is not LtmKind.LEARNT, self.id

    def text(self, name: str) -> str:
        """Return a field of the detail that is a text; empty when there is none."""
        found = self.detail.get(name, "")
        return found if isinstance(found, str) else ""

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a field of the detail that is a list of texts."""
        return texts(self.detail.get(name, ()))

    def number(self, name: str) -> int:
        """Return a field of the detail that is a number; 0 when there is none."""
        found = self.detail.get(name, 0)
        return found if isinstance(found, int) else 0


@frozen
class Content:
    """What a lesson says: everything about it that a person may edit."""

    name: str
    text: str
    context: str = ""
    area: str = ""
    files: tuple[str, ...] = ()
    line: int = 0
    priority: Priority = Priority.MEDIUM
    consequences: tuple[str, ...] = ()


@frozen
class Lesson:
    """Something a run taught. `uid` is for good; the number may move when branches merge."""

    uid: str
    kind: LessonKind
    number: int
    content: Content
    started_at: Confidence
    created_ms: Millis
    changed_ms: Millis
    evidence: tuple[str, ...] = ()
    learned_from: tuple[str, ...] = ()  # runs, in order
    contradicted_by: tuple[str, ...] = ()
    status: LessonStatus = LessonStatus.ACTIVE
    reason: str = ""  # of the status, or of the last contradiction
    pinned: Confidence | None = None  # a person's own judgement
    revisions: tuple[Content, ...] = ()
    author: str = ""  # who learnt it, or changed it last
    is_persons: bool = False  # a person said it: no agent takes it back
    is_unverified: bool = False  # it claims a person, and nobody vouches for it
    is_unconfirmed: bool = False  # a program said it for a person
    is_reworded: bool = False  # a person said it otherwise; a page edited by hand says this
    by_policy: str = ""  # the policy that took it in, where nobody was asked
    against: str = ""  # what speaks by now against an answer it rests on; no part of it

    @property
    def id(self) -> str:
        """The name people use: PAT-001."""
        return lesson_id(self.kind, self.number)

    @property
    def is_active(self) -> bool:
        """Whether it still holds."""
        return self.status is LessonStatus.ACTIVE


@frozen
class Taught:
    """A lesson that a run offers. `key` is the same however often the run is looked at."""

    key: str
    run: str
    kind: LessonKind
    content: Content
    confidence: Confidence
    evidence: tuple[str, ...] = ()
    contradicts: tuple[str, ...] = ()
    source: str = ""
    said_by: str = ""  # the person whose words they are, whoever packs the run
    is_proven: bool = False  # by what was run, and by git: nobody has to be believed
    against: str = ""  # what speaks against it, or that nobody saw a person say it


@frozen
class Measure:
    """How a run went, in figures."""

    run_id: str
    completed_ms: Millis
    duration_minutes: int
    tasks_completed: int
    tasks_failed: int
    escalations: int
    files_changed: int
    lines_added: int
    lines_removed: int
    verification_status: str
    outcome: str


@frozen
class LongTerm:
    """Everything that is known: the fold of all events."""

    lessons: Mapping[str, Lesson] = field(default_factory=dict)  # by uid, oldest first
    measures: Mapping[str, Measure] = field(default_factory=dict)  # by run
    same_as: Mapping[str, str] = field(default_factory=dict)  # a uid learnt twice -> the first
    settled: frozenset[str] = frozenset()  # candidates that were accepted or rejected
    events: int = 0
    last_event_id: str = ""
    last_ms: int = 0  # when the newest event happened
    unheeded: tuple[LtmEvent, ...] = ()  # against a person's word, and vouched for by nobody

    def of_kind(self, *kinds: LessonKind) -> tuple[Lesson, ...]:
        """Return the lessons of some kinds, by number."""
        found = [lesson for lesson in self.lessons.values() if lesson.kind in kinds]
        return tuple(sorted(found, key=lambda lesson: lesson.number))

    def find(self, lesson: str) -> Lesson | None:
        """Return a lesson by its id (`PAT-001`) or uid."""
        if lesson in self.lessons or lesson in self.same_as:
            return self.lessons[self.same_as.get(lesson, lesson)]
        wanted = lesson.upper()
        return next((each for each in self.lessons.values() if each.id == wanted), None)

    def get(self, name: str) -> Lesson:
        """Return a lesson by its id.

        Raises: NotFound.
        """
        lesson = self.find(name)
        if lesson is None:
            raise NotFound(
                f"{name}: no such lesson", hint="`agentx ltm patterns` and its siblings list them"
            )
        return lesson


@frozen
class LessonLearnt:
    """A run taught something that was not known."""

    lesson: str
    kind: str
    run: str
    actor: str


def lesson_id(kind: LessonKind, number: int) -> str:
    """Name a lesson: `PAT-001`, `ADR-0001`, `TD-001`, `LRN-001`."""
    prefix = PREFIXES[kind]
    return f"{prefix}-{number:0{_DIGITS.get(prefix, 3)}d}"


def texts(value: object) -> tuple[str, ...]:
    """Return a list of texts; a lone text is a list of one."""
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(str(each) for each in value) if isinstance(value, list | tuple) else ()


@frozen
class Promoted:
    """What came of promoting a run's lessons."""

    learnt: tuple[str, ...] = ()  # ids of new lessons
    confirmed: tuple[str, ...] = ()
    contradicted: tuple[str, ...] = ()
    left: int = 0  # offered, and waiting for a person


@frozen
class LessonRow:
    """A lesson as it is shown."""

    id: str
    kind: str
    name: str
    text: str
    context: str
    area: str
    files: tuple[str, ...]
    line: int
    priority: str
    confidence: str
    status: str
    learned_from: tuple[str, ...]
    contradicted_by: tuple[str, ...]
    evidence: tuple[str, ...]
    consequences: tuple[str, ...]
    reason: str
    created_ms: int
    changed_ms: int
    uid: str
    accepted_by: str = ""  # the policy that took it in, where nobody was asked
    against: str = ""  # what speaks by now against an answer that it rests on
