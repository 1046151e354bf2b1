"""A log with its table of contents over one store, and what must be true of any of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo
from functools import partial

from agentx.conversation.contents import Contents, ContentsRules
from agentx.conversation.editing import Editor
from agentx.conversation.extract.summary import Extractive
from agentx.conversation.model import EventQuery
from agentx.conversation.segments import Cutting
from agentx.conversation.service import Conversation
from agentx.conversation.store import toc_rows
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore
from agentx.conversation.toc_model import Grip, Segment, SegmentSummary, TocNode
from agentx.host.kv import keys
from agentx.host.kv.port import Family, KeyValue
from agentx.kernel.bus import Bus
from agentx.kernel.clock import Clock
from agentx.kernel.ids import Entropy, EventId
from agentx.kernel.tokens import estimate
from tests.support.talk import holds


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """All of a table of contents but for the versions of its nodes."""

    nodes: dict[str, TocNode]
    grips: dict[str, Grip]


class Shelf:
    """A log and its table of contents, opened as the product does."""

    def __init__(
        self,
        kv: KeyValue,
        clock: Clock,
        entropy: Entropy,
        *,
        project: str = "p",
        zone: tzinfo = UTC,
    ) -> None:
        self.kv = kv
        self.project = project
        rows = LogStore(kv, entropy=entropy)
        self.log = Conversation(rows, project=project, clock=clock, bus=Bus())
        cutting = Cutting(zone=zone, estimate=estimate)

        def open_editor(store: TocStore, name: str, clock: Clock) -> Editor:
            return Editor(store, project=name, clock=clock, cutting=cutting, writer=Extractive())

        rules = ContentsRules(zone=zone, zone_name=str(zone), open_editor=open_editor)
        self.contents: Contents = self.log.contents(partial(TocStore, kv, rows), rules)

    def view(self) -> View:
        """Return every row of the view, old versions aside."""
        bounds = keys.project_range(self.project)
        return View(
            nodes={
                keys.node_id_of(key): replace(self.contents.node(keys.node_id_of(key)), version=0)
                for key, _ in self.kv.scan(Family.TOC_LATEST, *bounds)
            },
            grips={
                grip.grip_id: grip
                for _, raw in self.kv.scan(Family.GRIPS, *bounds)
                for grip in [toc_rows.grip(raw)]
            },
        )

    def rebuilt(self) -> View:
        """Return the view as it is after it was made from nothing."""
        self.contents.rebuild()
        return self.view()

    def texts(self) -> dict[EventId, str]:
        """Return the text of every event."""
        found: dict[EventId, str] = {}
        cursor = ""
        while True:
            page = self.log.events(EventQuery(limit=10_000, cursor=cursor))
            found.update((event.event_id, event.text) for event in page.events)
            cursor = page.next
            if not cursor:
                return found

    def levels(self) -> dict[str, list[TocNode]]:
        """Return the nodes of each level, in order."""
        found: dict[str, list[TocNode]] = {}
        for node in self.view().nodes.values():
            found.setdefault(node.level, []).append(node)
        return found


def prove(shelf: Shelf) -> int:
    """Check that every line of every node leads to the words it was made of; return how many."""
    view, texts = shelf.view(), shelf.texts()
    lines = 0
    named: set[str] = set()
    for node in view.nodes.values():
        for bullet in node.bullets:
            lines += 1
            assert bullet.grip_ids, f"{node.node_id}: {bullet.text!r} has no grip"
            for grip_id in bullet.grip_ids:
                assert holds(view.grips[grip_id], texts), f"{grip_id} does not hold"
            if node.level == "segment":
                named.update(bullet.grip_ids)
                assert {view.grips[one].toc_node_id for one in bullet.grip_ids} == {node.node_id}
        assert all(child in view.nodes for child in node.children), node.node_id
    assert named == set(view.grips), "every grip is named by a segment"
    counted = sum(node.event_count for node in view.nodes.values() if node.level == "year")
    assert counted == len(texts)
    return lines


class Author:
    """A writer in the hands of a test."""

    name = "test/author"

    def __init__(self, write: Callable[[Segment], SegmentSummary | None]) -> None:
        self._write = write
        self.asked: list[str] = []

    def write(self, segment: Segment) -> SegmentSummary | None:
        """Write as the test says."""
        self.asked.append(segment.node_id)
        return self._write(segment)


def in_better_words(segment: Segment) -> SegmentSummary:
    """Write what the extractive summariser would, under another title and name."""
    plain = Extractive().summarise(segment)
    return replace(plain, title=f"Better: {plain.title}", written_by=Author.name)
