"""Observations as documents that can be found.

A part is what one issue observed on one day: the lines of the index tell when it changed, and a
capture touches one part of even the largest issue. A merged observation is found by the words of
its originals too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import closing

from agentx.kernel.clock import DAY_MS
from agentx.kernel.ids import digest
from agentx.observations.model import Observation, ObservationIndex, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.search.document import Document

DOC_TYPE = "observation"
# How documents are made of observations: where that changes, they are put again.
_MADE = "3: with their kind, found by what they were made of, and by being replaced"


class ObservationDocuments:
    """The room of the observations, as `views.documents.rooms` asks for it."""

    def __init__(
        self, opened: Callable[[], ObservationStore], stamp: Callable[[], str], project: str
    ) -> None:
        """Open the store for each look: between two of them another process may replace it.

        While the `stamp` of its files is the same nothing is looked at.
        """
        self._opened = opened
        self._stamp = stamp
        self._project = project
        self._known: tuple[str, tuple[tuple[str, str], ...]] | None = None
        # The days of the issue that was read last: the parts of an issue are asked for in a row.
        self._days: tuple[str, dict[str, list[Observation]]] = ("", {})

    @property
    def name(self) -> str:
        """The room's name."""
        return "observations"

    def parts(self) -> tuple[tuple[str, str], ...]:
        """Return each issue's day with a stamp that changes when one of its observations does."""
        self._days = ("", {})
        stamp = self._stamp()
        if self._known is None or self._known[0] != stamp:
            self._known = (stamp, tuple(self._look_up()))
        return self._known[1]

    def _look_up(self) -> Iterator[tuple[str, str]]:
        by_part: dict[str, list[str]] = {}
        with closing(self._opened()) as store:
            for row in store.search_by_filters(SearchFilters()):
                told = f"{row.superseded_by} {row.summary} {row.mended_ms or ''}{row.against}"
                mark = f"{row.id} {told}" if row.agent in row.id else f"{row.id} {told} {row.agent}"
                by_part.setdefault(_part(row), []).append(mark)
        for part, marks in by_part.items():
            yield part, digest(_MADE, *sorted(marks), size=8).hex()

    def documents(self, key: str) -> Iterable[Document]:
        """Return the documents of one issue's day; none when it is gone."""
        issue, _, day = key.partition(":")
        if not (issue.isdigit() and day.isdigit()):
            return ()
        with closing(self._opened()) as store:
            found = self._of_issue(store, issue).get(day, ())
            return [self._document(store, each) for each in found]

    def _of_issue(self, store: ObservationStore, issue: str) -> dict[str, list[Observation]]:
        """Return the observations of an issue, by day."""
        named = f"{issue} {self._stamp()}"
        if self._days[0] != named:
            days: dict[str, list[Observation]] = {}
            for one in store.get_by_issue(int(issue)):
                days.setdefault(str(one.timestamp_ms // DAY_MS), []).append(one)
            self._days = (named, days)
        return self._days[1]

    def _document(self, store: ObservationStore, observation: Observation) -> Document:
        originals = [store.get_archived(each) for each in observation.sources]
        said = [observation.content, *(old.content for old in originals if old is not None)]
        if not observation.content.startswith(observation.summary.rstrip("\u2026")):
            said.insert(0, observation.summary)
        said += [observation.against] if observation.against else []
        return Document(
            doc_type=DOC_TYPE,
            doc_id=observation.id,
            text="\n".join(said),
            timestamp_ms=observation.timestamp_ms,
            keywords=(observation.category.value, *observation.files),
            project=self._project,
            session=observation.session_id,
            agent=observation.agent,
            issue=str(observation.issue_number) if observation.issue_number else "",
            superseded=bool(observation.superseded_by),
            superseded_by=observation.superseded_by,
            drawn_from=observation.event_ids,
            kind=observation.category.value,
        )


def _part(row: ObservationIndex) -> str:
    return f"{row.issue_number}:{row.timestamp_ms // DAY_MS}"
