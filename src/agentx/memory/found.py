"""What is asked of the memory, and what it answers: pointers with a snippet."""

from __future__ import annotations

from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen

MODES = ("auto", "bm25")
# Modes that earlier versions knew: who asks for one is told that it left.
MODES_GONE = ("vector", "hybrid")
OBSERVATION, LESSON = "observation", "lesson"
CLARIFICATION, RUN_EVENT = "clarification", "run_event"
# What was said, and what was made of it: observations, questions, runs, lessons.
REMEMBERED = ("event", OBSERVATION, CLARIFICATION, "run", RUN_EVENT, LESSON)
# What is read from files of the repository, and so may be a stranger's.
REPOSITORY_KINDS = (CLARIFICATION, "run", RUN_EVENT, LESSON)
KINDS = (*REMEMBERED, "toc_node", "grip")


@frozen
class SearchRequest:
    """What to look for. `now_ms` is the present that "last week" is counted from."""

    query: str
    kinds: tuple[str, ...] = REMEMBERED
    agent: str = ""
    harness: str = ""
    role: str = ""
    session_id: str = ""
    issue: str = ""
    since_ms: Millis | None = None
    until_ms: Millis | None = None
    now_ms: Millis | None = None
    mode: str = "auto"
    limit: int = 10
    explain: bool = False
    like: str = ""  # an id: what says the same, newest first, instead of what fits a query


@frozen
class SearchHit:
    """One thing that was found, and what it costs to open."""

    doc_id: str
    kind: str
    score: float
    snippet: str
    marks: tuple[tuple[int, int], ...]  # where the words of the query stand in the snippet
    timestamp_ms: Millis
    project: str
    session_id: str
    harness: str
    agent: str
    role: str
    issue: str
    tokens: int  # about what the whole text costs
    also: tuple[str, ...] = ()  # ids of what says the same
    why: tuple[str, ...] = ()  # with `explain`: what the score is made of
    # Of what lies in a repository that is not trusted, holds elsewhere, was replaced or is
    # contradicted: that.
    origin: str = ""
    alike: int = 0  # how many others say the same; `like` lists them

    @property
    def made_of(self) -> tuple[str, ...]:
        """The ids in `also` of what was made of it: the others say the same."""
        return tuple(each for each in self.also if _prefix(each) != _prefix(self.doc_id))


@frozen
class SearchReply:
    """What was found, best first, and how it was looked for."""

    hits: tuple[SearchHit, ...]
    sessions: tuple[str, ...] = ()  # that fit as a whole, best first
    layers: tuple[str, ...] = ()  # what was tried, in order
    plan: tuple[str, ...] = ()  # with `explain`: what was read out of the question
    notes: tuple[str, ...] = ()  # how a question was taken, and what it did not find
    since_ms: Millis | None = None  # the span that a question about time was taken for
    until_ms: Millis | None = None


def _prefix(name: str) -> str:
    """Return what tells by an id of what kind a thing is; an event's has nothing."""
    head, dash, _ = name.partition("-")
    return head if dash else ""
