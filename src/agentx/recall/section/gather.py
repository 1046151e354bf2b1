"""What is worth telling an agent before it begins: gathered here, for hooks, commands and tools.

Two sources. The table of contents gives the newest decisions, problems, outcomes and
changes. With a context (what the agent is about to do), search gives what is close to it,
and that comes first. What belongs to the wanted issue, role or branch goes before the rest.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from agentx.conversation.toc_model import TocNode
from agentx.kernel.tokens import estimate
from agentx.memory.found import KINDS, SearchRequest
from agentx.memory.port import Memory, Readable
from agentx.recall.section.moment import Present
from agentx.recall.section.render import RecallLine

CLOSE = "Close to what you are doing"

_GROUPS = {
    "decision": "Decisions",
    "answer": "Decisions",
    "problem": "Problems met",
    "outcome": "Outcomes",
    "change": "Changes",
}
_ORDER = ("Decisions", "Problems met", "Outcomes", "Changes")
_DAYS_OF_ONE_RANK = 3  # within them, what kind of line it is decides, not the day
# What was worth a line of a summary, and what other rooms keep: not every call of a tool.
_TELLING = tuple(kind for kind in KINDS if kind not in ("event", "toc_node"))
_CLOSE_MAX = 40
_CONTEXT_CHARS_MAX = 4_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Whose memory is wanted first. Empty fields want nothing in particular."""

    sessions: frozenset[str] = frozenset()  # for example those of one branch
    agent: str = ""
    issue: int | None = None

    def title(self) -> str:
        """Return what the wanted lines are headed with; nothing where only sessions say it."""
        parts = [f"issue {self.issue}"] if self.issue is not None else []
        parts += [self.agent] if self.agent else []
        return ", ".join(parts)

    def asks(self) -> bool:
        """Say whether anything in particular is wanted."""
        return bool(self.sessions or self.agent or self.issue is not None)

    def has(self, node: TocNode) -> bool:
        """Say whether a node tells of what is wanted; of everything when nothing is."""
        return (
            (not self.sessions or bool(self.sessions & frozenset(node.sessions)))
            and (not self.agent or self.agent in node.agents)
            and (self.issue is None or self.issue in node.issues)
        )


NOBODY = Wanted()


def newest_days(memory: Readable, count: int) -> Iterator[TocNode]:
    """Yield the newest days on which something happened, newest first."""
    left = list(reversed(memory.toc_roots()))
    while left and count > 0:
        node = left.pop()
        if node.level == "day":
            count -= 1
            yield node
        else:
            left += memory.browse(node.node_id).nodes


def recent_lines(
    now: Present, days: Sequence[TocNode], wanted: Wanted = NOBODY
) -> Iterator[RecallLine]:
    """Yield what days tell, best first: what is wanted, then the newest, then the weightiest."""
    found = []
    for rank, day in enumerate(days):
        is_wanted = wanted.asks() and wanted.has(day)
        for bullet in day.bullets:
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
            line = now.line(
                group=group,
                text=bullet.text,
                doc_id=bullet.grip_ids[0],
                at_ms=bullet.timestamp_ms,
                source=", ".join(day.harnesses),
                tokens=estimate(bullet.text) * 4,
            )
            found.append((order, line))
    found.sort(key=lambda each: each[0])
    yield from (line for _, line in found)


def wanted_lines(
    now: Present, memory: Memory, days: Sequence[TocNode], wanted: Wanted
) -> Iterator[RecallLine]:
    """Yield what the parts of days tell that are of the wanted issue or role, newest day first."""
    title = wanted.title()
    segments = [
        segment
        for day in days
        if wanted.has(day)
        for segment in reversed(memory.browse(day.node_id).nodes)
        if wanted.has(segment)
    ]
    for line in recent_lines(now, segments):
        yield replace(line, group=f"{line.group}: {title}")


def close_lines(now: Present, memory: Memory, context: str) -> Iterator[RecallLine]:
    """Yield what is close to a context, closest first: what summaries rest on, not every word."""
    reply = memory.search(
        SearchRequest(
            query=context[:_CONTEXT_CHARS_MAX],
            kinds=_TELLING,
            now_ms=now.now_ms,
            limit=_CLOSE_MAX,
        )
    )
    for hit in reply.hits:
        yield now.line(
            group=CLOSE,
            text=hit.snippet,
            doc_id=hit.doc_id,
            at_ms=hit.timestamp_ms,
            source=hit.agent or hit.harness,
            tokens=hit.tokens,
        )
