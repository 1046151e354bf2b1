"""What is known of a piece of work: one observation, its line in the index, and counts of both.

An observation is a fact: written once, its text edited by nobody but a person who mends it. What
else may change is what is known *about* it: that a newer one replaced it (`superseded_by`), which
of its files have changed since (`changed_files`), what a person said of it (`pinned`, `reviewed`),
and how often it was recalled (index only).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from agentx.kernel.clock import Millis
from agentx.kernel.text import ASKED_ON, CONTESTED, DECIDED_LATER, join_marks
from agentx.kernel.values import frozen


class Category(StrEnum):
    """What kind of thing was observed; the values are on disk."""

    DECISION = "decision"
    CODE_CHANGE = "code-change"
    ERROR = "error"
    KEY_FACT = "key-fact"
    COMPACTION_SUMMARY = "compaction-summary"


_CONTESTED_MARK = ":contested"


@frozen
class Observation:
    """What an agent decided, changed, broke or found out, with where it is known from."""

    id: str
    agent: str  # a role; the harness where there was none
    issue_number: int  # 0: not known
    category: Category
    content: str
    summary: str
    tokens: int  # of the content
    timestamp_ms: Millis
    session_id: str
    event_ids: tuple[str, ...] = ()  # the events that prove it
    files: tuple[str, ...] = ()  # what it speaks of, relative to the repository
    commit: str = ""  # what the repository was at then
    superseded_by: str = ""  # the newer observation that replaced it
    changed_files: tuple[str, ...] = ()  # of `files`, those that changed since, as last verified
    sources: tuple[str, ...] = ()  # the observations that were merged into this one
    pinned: bool = False  # a person wants it told always
    reviewed: bool = False  # a person looked at it and kept it
    mended_ms: int = 0  # when a person last wrote its text anew
    repeats: tuple[str, ...] = ()  # the ids of what other sessions saw again; not kept themselves
    branch: str = ""  # where it was learnt; empty on the default branch and where it is not known
    head: str = ""  # the commit that branch was at then, if it was one of its own
    # Somebody said otherwise whose word does not count here; found when it is read, never kept.
    contested: bool = False
    # What a person said otherwise to the same later, until memory tells that; likewise.
    decided_later: str = ""
    asked_on: str = ""  # what its question's thread asked next; likewise

    @property
    def against(self) -> str:
        """What is to be told with it, wherever it is: what contests it, was asked and decided."""
        return _say_against(self)

    @property
    def told_as(self) -> str:
        """By what a session knows that it was told it: told anew where it is in doubt since."""
        is_in_doubt = self.contested or self.decided_later
        return f"{self.id}{_CONTESTED_MARK}" if is_in_doubt else self.id

    @property
    def is_written(self) -> bool:
        """Tell whether its text was written by who keeps it, not found in a session."""
        return bool(self.mended_ms) or not (self.event_ids or self.sources)

    def index(self, recall_count: int = 0) -> ObservationIndex:
        """Return its line in the index."""
        return ObservationIndex(
            id=self.id,
            agent=self.agent,
            issue_number=self.issue_number,
            category=self.category,
            summary=self.summary,
            tokens=self.tokens,
            timestamp_ms=self.timestamp_ms,
            recall_count=recall_count,
            superseded_by=self.superseded_by,
            stale=bool(self.changed_files),
            pinned=self.pinned,
            reviewed=self.reviewed,
            mended_ms=self.mended_ms,
            repeats=self.repeats,
            branch=self.branch,
            contested=self.contested,
            decided_later=self.decided_later,
            asked_on=self.asked_on,
        )


def name_told(told_as: str) -> str:
    """Return the id of what a session was told."""
    return told_as.removesuffix(_CONTESTED_MARK)


@frozen
class ObservationIndex:
    """One line of the index: enough to choose by, without the text."""

    id: str
    agent: str
    issue_number: int
    category: Category
    summary: str
    tokens: int
    timestamp_ms: Millis
    recall_count: int = 0
    superseded_by: str = ""
    stale: bool = False  # a file it speaks of has changed since
    pinned: bool = False
    reviewed: bool = False
    mended_ms: int = 0
    repeats: tuple[str, ...] = ()
    branch: str = ""
    contested: bool = False  # as of an observation
    decided_later: str = ""  # likewise
    asked_on: str = ""  # likewise
    unconfirmed: str = ""  # who decided it, where a program said that; likewise
    decided_by: str = ""  # who did, where its line may tell otherwise or not; likewise

    @property
    def against(self) -> str:
        """What is to be told with it, as of an observation, and what its line may have cut off."""
        told = f"{self.decided_by}, asked: ".casefold()  # by its end, where that is not cut off
        is_told = bool(self.decided_by) and told in self.summary.casefold()
        return join_marks("" if is_told else self.decided_by, _say_against(self))


def _say_against(one: Observation | ObservationIndex) -> str:
    contested = CONTESTED if one.contested else ""
    further = f"{ASKED_ON}: {one.asked_on}" if one.asked_on else ""
    later = f"{DECIDED_LATER}: {one.decided_later}" if one.decided_later else ""
    return join_marks(contested, further, later)


@frozen
class Marking:
    """What a person, or a later session, says of one observation; None says nothing."""

    id: str
    pinned: bool | None = None
    reviewed: bool | None = None
    content: str | None = None
    summary: str | None = None
    again: tuple[str, ...] = ()  # the ids of those that say the same
    not_again: tuple[str, ...] = ()  # of these, those that are forgotten
    unbound: bool = False  # it was seen on another branch too: no branch is its own
    cut: bool = False  # dropped words are taken out of its text: nobody wrote it anew

    @property
    def is_of_session(self) -> bool:
        """Tell whether it says no more than that a session saw the same again."""
        return self == Marking(id=self.id, again=self.again, unbound=self.unbound)


@frozen
class Dropped:
    """What is known of an observation that a person dropped: not its text."""

    id: str
    at_ms: Millis
    why: str = ""
    traces: tuple[str, ...] = ()  # by which its like is recognised
    kept_out: tuple[str, ...] = ()  # the ids of those that were not kept because they are like it
    is_returning: bool = False  # being brought back


@frozen
class DropList:
    """What was dropped, in that order; who changes it changes the dictionaries in place."""

    salt: str
    dropped: dict[str, Dropped]
    # By the ids of what a person dropped or removed, the events that said it: no line of the table
    # of contents tells it in their place.
    unsaid: dict[str, tuple[str, ...]] = field(default_factory=dict)


@frozen
class Manifest:
    """The index of everything, in the order it was stored."""

    updated_ms: Millis
    entries: tuple[ObservationIndex, ...] = ()


@frozen
class SearchFilters:
    """What an entry must be. An empty field asks for nothing; `until_ms` itself is not in."""

    agent: str = ""
    issue_number: int | None = None
    category: Category | None = None
    since_ms: int | None = None
    until_ms: int | None = None
    superseded: bool | None = None
    pinned: bool | None = None
    reviewed: bool | None = None
    limit: int | None = None  # newest first when set


@frozen
class StoreStats:
    """What a store holds."""

    total_observations: int
    total_tokens: int
    issue_count: int
    oldest_ms: Millis | None
    newest_ms: Millis | None
    by_category: Mapping[str, int]
    by_agent: Mapping[str, int]
    superseded: int = 0
    stale: int = 0
    recalls: int = 0
    archived: int = 0
    bytes_on_disk: int = 0


@frozen
class CompactionResult:
    """What a compaction of one issue did."""

    issue_number: int
    before: int
    after: int
    merged: tuple[Observation, ...] = ()  # the new ones
    archived: tuple[str, ...] = ()  # the ids that went to the archive


@frozen
class StoreFault:
    """Something the store had to mend or step over."""

    what: str
    where: str
    hint: str


class Formula(StrEnum):
    """Which formula is used."""

    RECENCY = "2a"
    KEYWORD = "2b"
    FULL = "3"


@frozen
class Recall:
    """What an agent that is about to start is about."""

    agent: str = ""
    issue_number: int = 0
    context: str = ""
    phase: Formula = Formula.FULL


@frozen
class Migrated:
    """What moved, and where the old store is kept."""

    backend: str
    observations: int
    archived: int
    digest: str
    kept_aside: str
