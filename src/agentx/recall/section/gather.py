"""What is worth telling an agent before it begins: gathered here, for hooks, commands and tools.

In this order: what is close to what it is about to do, how things stand for its role, the run
that goes on, what sessions learnt, what runs taught, what the parts of days tell of its issue and
role, and what days tell, newest first. Each thing once, where it stands first; each room within a
bound of its own, so that none crowds out the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from agentx.kernel.errors import AgentXError
from agentx.kernel.text import fold_text, preview
from agentx.kernel.tokens import estimate
from agentx.lessons.confidence import judge
from agentx.memory.found import KINDS, SearchRequest
from agentx.prose.likeness import coverage, list_words
from agentx.recall.section.render import RecallLine
from agentx.recall.section.sources import About, Sources
from agentx.recall.section.standing import WORK, Standing

if TYPE_CHECKING:
    from agentx.conversation.toc_model import TocNode
    from agentx.observations.model import Observation

CLOSE = "Close to what you are doing"
RUN = "The run that goes on"
OBSERVATIONS = "Memory Recall"
LESSONS = "Lessons of earlier runs"

# How things stand: several lines may point to the same place.
_STANDING = frozenset({RUN, WORK})
_GROUPS = {
    "decision": "Decisions",
    "answer": "Decisions",
    "problem": "Problems met",
    "outcome": "Outcomes",
    "change": "Changes",
}
_ORDER = ("Decisions", "Problems met", "Outcomes", "Changes")
_DAYS_MAX = 60
_DAYS_OF_ONE_RANK = 3  # within them, what kind of line it is decides, not the day
# What was worth a line of a summary, and what other rooms keep: not every call of a tool.
_TELLING = tuple(kind for kind in KINDS if kind not in ("event", "toc_node"))
_CLOSE_MAX = 40
_CONTEXT_CHARS_MAX = 4_000
_OBSERVATIONS_MIN = 12
_TOKENS_OF_AN_OBSERVATION = 200  # of the budget: a large one has room for more of them
_LESSONS_MAX = 6
_LESSON_CHARS_MAX = 250
_FILES_SHOWN_MAX = 3
# A line of a day that shares so much of its words with an observation says the same.
_SAME = 0.8

Thing = TypeVar("Thing")


class Gatherer:
    """Gathers for anybody, within a budget; what is the same for all is read once."""

    def __init__(self, sources: Sources, *, tokens: int, days: int = _DAYS_MAX) -> None:
        self._sources = sources
        self._now = sources.now
        self._observations_max = max(_OBSERVATIONS_MIN, tokens // _TOKENS_OF_AN_OBSERVATION)
        self._days_max = days
        self._parts_of: dict[str, tuple[TocNode, ...]] = {}

    def gather(self, about: About, *, with_standing: bool = True) -> list[RecallLine]:
        """Return everything worth telling, best first; notices tell how things stand otherwise."""
        parts: list[Iterable[RecallLine]] = [self._close(about)]
        if with_standing:
            parts.append(self.standing.lines(self._now, about.role))
        learnt = self._tolerate(lambda: self.list_observations(about))
        parts += [self._run, learnt, self._lessons]
        told = [*self._list_wanted(about), *self._recent(self._days, about)]
        parts.append(_unsaid(told, [line.short for line in learnt]))
        return list(_drop_repeats(line for part in parts for line in part))

    def list_observations(self, about: About) -> Iterator[RecallLine]:
        """Yield what sessions learnt, best first.

        Raises: UnavailableError, DataError.
        """
        for one in self._sources.observations(about, self._observations_max):
            yield self._now.line(
                group=OBSERVATIONS,
                text=fold_text(f"{one.category}{_doubts(one)}: {one.content}"),
                doc_id=one.id,
                at_ms=one.timestamp_ms,
                source=f"{one.agent}, issue {one.issue_number}" if one.issue_number else one.agent,
                tokens=one.tokens,
            )

    def _close(self, about: About) -> Iterator[RecallLine]:
        """Yield what is close to a context: what summaries rest on, not every word."""
        search = self._sources.search
        if search is None or not about.context.strip():
            return
        request = SearchRequest(
            query=about.context[:_CONTEXT_CHARS_MAX],
            kinds=_TELLING,
            now_ms=self._now.now_ms,
            limit=_CLOSE_MAX,
        )
        reply = search(request)
        # What a question about time was taken for is said with its answer.
        group = f"{CLOSE} ({reply.notes[0]})" if reply.since_ms is not None else CLOSE
        for hit in reply.hits:
            yield self._now.line(
                group=group,
                text=hit.snippet,
                doc_id=hit.doc_id,
                at_ms=hit.timestamp_ms,
                source=hit.agent or hit.harness,
                tokens=hit.tokens,
            )

    @cached_property
    def standing(self) -> Standing:
        """How things stand; as if nothing did, where that cannot be had."""
        found = self._tolerate(lambda: [self._sources.standing()])
        return found[0] if found else Standing()

    @cached_property
    def _run(self) -> list[RecallLine]:
        def lines() -> Iterator[RecallLine]:
            run_id, said = self._sources.run()
            for line in said:
                yield self._now.line(
                    group=RUN,
                    text=line,
                    doc_id=run_id,
                    at_ms=self._now.now_ms,
                    source="run",
                    tokens=estimate(line),
                )

        return self._tolerate(lines)

    @cached_property
    def _lessons(self) -> list[RecallLine]:
        def lines() -> Iterator[RecallLine]:
            for one in self._sources.lessons(_LESSONS_MAX):
                said = one.content
                named = said.name and said.name != said.text
                text = f"{said.name}: {said.text}" if named else said.text
                yield self._now.line(
                    group=LESSONS,
                    text=f"{judge(one)} {one.kind}: {preview(text, _LESSON_CHARS_MAX)}",
                    doc_id=one.id,
                    at_ms=one.changed_ms,
                    source=", ".join(filter(None, (one.author, said.area or "runs"))),
                    tokens=estimate(said.text),
                )

        return self._tolerate(lines)

    @cached_property
    def _days(self) -> list[TocNode]:
        """The newest days on which something happened, newest first."""
        reader = self._sources.reader
        left = [] if reader is None else list(reversed(reader.toc_roots()))
        days: list[TocNode] = []
        while left and len(days) < self._days_max:
            node = left.pop()
            if node.level == "day":
                days.append(node)
            else:
                left += self._parts(node)
        return days

    def _parts(self, node: TocNode) -> tuple[TocNode, ...]:
        known = self._parts_of.get(node.node_id)
        if known is None:
            assert self._sources.reader is not None, "a node was read"
            known = self._parts_of[node.node_id] = self._sources.reader.browse(node.node_id).nodes
        return known

    def _list_wanted(self, about: About) -> Iterator[RecallLine]:
        """Yield what the parts of days tell of the wanted issue or role, newest day first."""
        title = about.title()
        if not title:
            return
        parts = [
            part
            for day in self._days
            if about.wants(day)
            for part in reversed(self._parts(day))
            if about.wants(part)
        ]
        for line in self._recent(parts, About()):
            yield replace(line, group=f"{line.group}: {title}")

    def _recent(self, nodes: Sequence[TocNode], about: About) -> Iterator[RecallLine]:
        """Yield what nodes tell, best first: the wanted sessions', the newest, the weightiest."""
        found = []
        for rank, node in enumerate(nodes):
            is_wanted = not about.sessions.isdisjoint(node.sessions)
            for bullet in node.bullets:
                group = _GROUPS.get(bullet.kind)
                if group is None:
                    continue
                order = (
                    not is_wanted,
                    rank // _DAYS_OF_ONE_RANK,
                    _ORDER.index(group),
                    -bullet.weight,
                    bullet.timestamp_ms,
                )
                line = self._now.line(
                    group=group,
                    text=bullet.text,
                    doc_id=bullet.grip_ids[0],
                    at_ms=bullet.timestamp_ms,
                    source=", ".join(node.harnesses),
                    tokens=estimate(bullet.text) * 4,
                )
                found.append((order, line))
        found.sort(key=lambda each: each[0])
        return (line for _, line in found)

    def _tolerate(self, gather: Callable[[], Iterable[Thing]]) -> list[Thing]:
        """Return what a room gives; nothing where it cannot give it: a session begins anyway."""
        try:
            return list(gather())
        except AgentXError as error:
            self._sources.report(error)
            return []


def _doubts(one: Observation) -> str:
    """Return what speaks against trusting an observation as it stands."""
    found = []
    if one.superseded_by:
        found.append(f"superseded by {one.superseded_by}, it no longer holds")
    if one.changed_files:
        rest = len(one.changed_files) - _FILES_SHOWN_MAX
        more = f" and {rest} more" if rest > 0 else ""
        found.append(f"changed since: {', '.join(one.changed_files[:_FILES_SHOWN_MAX])}{more}")
    return f" ({'; '.join(found)})" if found else ""


def _unsaid(lines: Iterable[RecallLine], said: Iterable[str]) -> Iterator[RecallLine]:
    """Yield the lines that say something which has not been said."""
    known = [frozenset(list_words(text)) for text in said]
    together = frozenset[str]().union(*known)  # most lines say more than all of it: quickly seen
    for line in lines:
        words = frozenset(list_words(line.text))
        is_new = coverage(words, together) < _SAME
        if is_new or all(coverage(words, other) < _SAME for other in known):
            yield line


def _drop_repeats(lines: Iterable[RecallLine]) -> Iterator[RecallLine]:
    """Yield each thing once, where it stands first."""
    ids: set[str] = set()
    words: set[str] = set()
    for line in lines:
        said = fold_text(line.text)
        if said not in words and (line.doc_id not in ids or line.group in _STANDING):
            ids.add(line.doc_id)
            words.add(said)
            yield line
