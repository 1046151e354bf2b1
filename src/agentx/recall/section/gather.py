"""What is worth telling an agent before it begins: gathered here, for hooks, commands and tools.

In this order: what is close to what it is about to do, how things stand for its role, the run
that goes on, what sessions learnt, what runs taught, what the parts of days tell of its issue and
role, and what days tell, newest first. Each thing once, where it stands first; each room within a
bound of its own, so that none crowds out the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

from agentx.kernel.errors import AgentXError
from agentx.kernel.text import fold_text, preview
from agentx.kernel.tokens import estimate
from agentx.kernel.values import frozen
from agentx.memory.found import KINDS, SearchReply, SearchRequest
from agentx.observations.ids import ID_PREFIX
from agentx.observations.labels import WAITS
from agentx.prose.cues import COUNTS_TESTS
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import ELLIPSIS
from agentx.recall.section.choose import (
    Tellable,
    choose,
    count_fitting,
    follow,
    put_after_choice,
    within,
)
from agentx.recall.section.elsewhere import put_elsewhere_last, say_elsewhere
from agentx.recall.section.kinds import Kind
from agentx.recall.section.learnt import ANSWER_LIFT, ISSUE_LIFT, Memories, value_line, weigh
from agentx.recall.section.render import RecallLine
from agentx.recall.section.sources import About, Sources
from agentx.recall.section.standing import PERSONS, QUESTIONS, WORK, Standing
from agentx.recall.section.taken_down import TakenDown
from agentx.recall.section.wording import LINE_CHARS_MAX, word_line

if TYPE_CHECKING:
    from agentx.conversation.toc_model import TocNode

CLOSE = "Close to what you are doing"
ISSUE = "Of this issue"
RUN = "The run that goes on"
LESSONS = "Lessons of earlier runs"
# The groups of a section, in the order in which they are read.
ORDER = (CLOSE, ISSUE, QUESTIONS, PERSONS, WORK, RUN, *Kind, LESSONS)

# How things stand: several lines may point to the same place.
_STANDING = frozenset({RUN, WORK})
_KIND_OF_BULLET = {
    "decision": Kind.DECISION,
    "answer": Kind.DECISION,
    "problem": Kind.ERROR,
    "outcome": Kind.CHANGE,
    "change": Kind.CHANGE,
}
_DAYS_MAX = 60
# What was worth a line of a summary, and what other rooms keep: not every call of a tool, and
# observations are weighed by themselves.
_TELLING = tuple(kind for kind in KINDS if kind not in ("event", "toc_node", "observation"))
_CLOSE_MAX = 12
_ANSWERS_MIN = 0.5
_BEFORE_LESSONS = 12  # what runs taught has a place after so many memories
_SHORT = 400  # tokens
_BRANCH_LIFT = 0.5
_CONTEXT_CHARS_MAX = 4_000
_MEMORIES_MAX = 400
_TOKENS_OF_A_LINE = 20  # at the least: so many lines a budget may have room for
_LESSONS_MAX = 6
_BULLETS_MAX = 150
_BULLET_SHARE = 0.15  # of what a memory of the same words is worth

Thing = TypeVar("Thing")


@frozen
class Gathered:
    """What may be told, best first, and how many memories are not among it."""

    lines: list[RecallLine]
    untold: int = 0
    beside: str = ""  # what is not told at all, and why
    told_as: Mapping[str, str] = field(default_factory=dict)  # by what a session knows each, by id

    def say_more(self, more: str) -> str:
        """Return how to get more, and what is told to nobody."""
        return " ".join(filter(None, (more, self.beside)))


class Gatherer:
    """Gathers for anybody, within a budget; what is the same for all is read once."""

    def __init__(self, sources: Sources, *, tokens: int, days: int = _DAYS_MAX) -> None:
        self._sources = sources
        self._now = sources.now
        self._tokens = tokens
        self._lines_max = tokens // _TOKENS_OF_A_LINE + 1
        self._days_max = days
        self._parts_of: dict[str, tuple[TocNode, ...]] = {}

    def gather(self, about: About, *, with_standing: bool = True) -> Gathered:
        """Return everything worth telling, best first; notices tell how things stand otherwise."""
        lines: list[RecallLine] = []
        if with_standing:
            lines += self.standing.lines(self._now, about.role)
        near = self._search(about)
        learnt = self._learn(about)
        if near.since_ms is not None:
            lines[:0] = self._answer(near, learnt.taken_down)
        candidates = weigh(learnt.weighed, about.context, learnt.replacing)
        beside = self._tolerate(lambda: self._list_bullets(about, learnt.elsewhere))
        if near.since_ms is None:
            beside += _list_close(_leave_out_kept(near, learnt), learnt.elsewhere)
        candidates += [one for one in beside if not learnt.taken_down.covers(one)]
        chosen = self._choose(candidates, learnt)
        memories = [self._tell(one) for one in chosen]
        lines += self._join_run(memories[:_BEFORE_LESSONS])
        lines += [*self._lessons, *memories[_BEFORE_LESSONS:]]
        told = list(_drop_repeats(lines))
        known = sum(line.doc_id.startswith(ID_PREFIX) for line in told)
        untold = max(learnt.standing - known, 0)
        told_as = {one.doc_id: one.told_as for one in chosen if one.told_as}
        return Gathered(lines=told, untold=untold, beside=self._sources.untold, told_as=told_as)

    def _join_run(self, memories: list[RecallLine]) -> list[RecallLine]:
        """Return the run and some memories; with room for few lines, both of them in turn."""
        if self._tokens > _SHORT:
            return [*self._run, *memories]
        head, step, rest = self._run[:1], self._run[1:2], self._run[2:]
        return [*head, *memories[:1], *step, *memories[1:3], *rest, *memories[3:]]

    def list_learnt(self, about: About) -> Gathered:
        """Return what sessions learnt, best first."""
        learnt = self._learn(about)
        chosen = self._choose(weigh(learnt.weighed, about.context, learnt.replacing), learnt)
        lines = [self._tell(one) for one in chosen]
        return Gathered(lines=lines, untold=max(learnt.standing - len(lines), 0))

    def _learn(self, about: About) -> Memories:
        found = self._tolerate(lambda: [self._sources.memories(about, _MEMORIES_MAX)])
        return found[0] if found else Memories()

    def _choose(self, candidates: Sequence[Tellable], learnt: Memories) -> list[Tellable]:
        """Return what is told, first what answers and what has a place of its own."""
        taken = put_after_choice(choose(candidates, self._lines_max), candidates)
        # What has room is settled before what is told first: else what answers would take it all.
        fits = count_fitting(taken, self._tokens)
        chosen = [*sorted(taken[:fits], key=_order), *sorted(taken[fits:], key=_order)]
        chosen = put_elsewhere_last(chosen, self._name_group)
        return within(follow(chosen, candidates), learnt.tokens_max)

    def _name_group(self, one: Tellable) -> str:
        """Return the heading under which something is told."""
        return CLOSE if one.answers else ISSUE if one.is_of_issue else one.kind

    def _tell(self, one: Tellable) -> RecallLine:
        return self._now.line(
            group=self._name_group(one),
            text=one.text,
            doc_id=one.doc_id,
            at_ms=one.at_ms,
            source=one.author,
            tokens=estimate(one.text),
            score=one.worth,
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
                    is_of_now=True,
                    source="run",
                    tokens=estimate(line),
                )

        return self._tolerate(lines)

    @cached_property
    def _lessons(self) -> list[RecallLine]:
        def lines() -> Iterator[RecallLine]:
            known = tuple(self._sources.lessons(_LESSONS_MAX))
            if not known:
                return
            from agentx.lessons.confidence import judge  # noqa: PLC0415  most projects have no lessons

            for one in known:
                said = one.content
                named = said.name and said.name != said.text
                text = f"{said.name}: {said.text}" if named else said.text
                against = f" ({one.against})" if one.against else ""
                yield self._now.line(
                    group=LESSONS,
                    text=f"{judge(one)} {one.kind}: {preview(text, LINE_CHARS_MAX)}{against}",
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

    def _list_bullets(self, about: About, elsewhere: Mapping[str, str]) -> Iterator[Tellable]:
        """Yield what the newest days tell, the wanted issue and role first.

        Of a day that several agent CLIs worked on, its parts say which of them it was.
        """
        nodes: list[TocNode] = []
        for day in self._days:
            is_mixed = len(day.harnesses) > 1 or (about.title() and about.wants(day))
            is_mixed = is_mixed or not elsewhere.keys().isdisjoint(day.sessions)
            nodes += reversed(self._parts(day)) if is_mixed else [day]
        bullets = [
            (node, bullet)
            for node in nodes
            for bullet in node.bullets
            if bullet.kind in _KIND_OF_BULLET and not COUNTS_TESTS.match(bullet.text)
        ]
        for node, bullet in bullets[:_BULLETS_MAX]:
            kind = _KIND_OF_BULLET[bullet.kind]
            line = word_line(bullet.text)
            worth = value_line(kind, line) * _BULLET_SHARE
            if about.title() and about.wants(node):
                worth *= 1 + ISSUE_LIFT
            if not about.sessions.isdisjoint(node.sessions):
                worth *= 1 + _BRANCH_LIFT
            session = node.sessions[0] if node.sessions else ""
            yield say_elsewhere(
                Tellable(
                    doc_id=bullet.grip_ids[0],
                    text=line,
                    words=terms(line),
                    kind=kind,
                    session=session,
                    at_ms=bullet.timestamp_ms,
                    worth=worth,
                    author=node.harnesses[0] if len(node.harnesses) == 1 else "",
                ),
                elsewhere,
            )

    def _search(self, about: About) -> SearchReply:
        """Return what other rooms and summaries say of a context."""
        search = self._sources.search
        if search is None or not about.context.strip():
            return SearchReply(hits=())
        request = SearchRequest(
            query=about.context[:_CONTEXT_CHARS_MAX],
            kinds=_TELLING,
            now_ms=self._now.now_ms,
            limit=_CLOSE_MAX,
        )
        found = self._tolerate(lambda: [search(request)])
        return found[0] if found else SearchReply(hits=())

    def _answer(self, reply: SearchReply, taken_down: TakenDown) -> Iterator[RecallLine]:
        """Yield the answer to a question about time, and say what it was taken for."""
        for hit in reply.hits:
            if taken_down.is_unsaid(hit.doc_id, hit.timestamp_ms):
                continue
            yield self._now.line(
                group=f"{CLOSE} ({reply.notes[0]})",
                text=hit.snippet,
                doc_id=hit.doc_id,
                at_ms=hit.timestamp_ms,
                source=hit.agent or hit.harness,
                tokens=hit.tokens,
                score=hit.score,
            )

    def _tolerate(self, gather: Callable[[], Iterable[Thing]]) -> list[Thing]:
        """Return what a room gives; nothing where it cannot give it: a session begins anyway."""
        try:
            return list(gather())
        except AgentXError as error:
            self._sources.report(error)
            return []


def _leave_out_kept(reply: SearchReply, learnt: Memories) -> SearchReply:
    """Return what was found without the threads of questions whose outcome is a memory."""
    ends = tuple(f"[{hit.doc_id}]" for hit in reply.hits if hit.kind == "clarification")
    said = [one.observation.content for one in learnt.weighed if ends]
    kept = {end for end in ends if any(each.endswith(end) for each in said)}
    left = tuple(hit for hit in reply.hits if f"[{hit.doc_id}]" not in kept)
    return reply if not kept else replace(reply, hits=left)


def _list_close(reply: SearchReply, elsewhere: Mapping[str, str]) -> Iterator[Tellable]:
    """Yield what was found as what may be told; no piece out of a sentence."""
    for rank, hit in enumerate(reply.hits):
        line = word_line(hit.snippet)
        if line.startswith(ELLIPSIS) or not line:
            continue
        kind = Kind.FACT if hit.kind == "grip" else Kind.DECISION
        share = _BULLET_SHARE if hit.kind == "grip" else 1.0
        answer = 1 / (1 + rank / 5)
        found = Tellable(
            doc_id=hit.doc_id,
            text=line,
            words=terms(line),
            kind=kind,
            session=hit.session_id,
            at_ms=hit.timestamp_ms,
            worth=value_line(kind, line) * share * (1 + ANSWER_LIFT * answer),
            author=hit.agent or hit.harness,
            answers=answer > _ANSWERS_MIN,
        )
        yield say_elsewhere(found, elsewhere) if hit.kind == "grip" else found


def _order(one: Tellable) -> tuple[bool, int, bool]:
    """Return what is told first: of what answers, what holds now instead of something, newest.

    And before what else is open, what waits for the user.
    """
    is_later = not (one.answers or one.is_of_issue or one.has_place)
    return is_later, -one.at_ms if one.takes_over else 0, not one.text.startswith(WAITS)


def _drop_repeats(lines: Iterable[RecallLine]) -> Iterator[RecallLine]:
    """Yield each thing once, where it stands first; of one that has two parts, both."""
    ids: set[tuple[str, str]] = set()
    words: set[str] = set()
    for line in lines:
        said = fold_text(line.text)
        name = (line.doc_id, line.group)
        if said not in words and (name not in ids or line.group in _STANDING):
            ids.add(name)
            words.add(said)
            yield line
