"""How the memory can be asked, and how its indexes stand."""

from __future__ import annotations

from agentx.kernel.values import frozen

INDEXES = ("search", "vectors")


@frozen
class ViewStatus:
    """How a view stands: whether it can be asked, what it holds, what it has yet to take in."""

    ready: bool
    documents: int = 0
    entries_left: int = 0  # of the log


@frozen
class Capabilities:
    """Which ways of searching work here; where vectors do not, why and how to turn them on."""

    bm25: bool = True
    vectors: bool = False
    model: str = ""
    dimensions: int = 0
    why_off: str = ""
    hint: str = ""

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes of search that work."""
        words = ("auto", "bm25") if self.bm25 else ("auto",)
        return (*words, "vector", "hybrid") if self.vectors else words


@frozen
class TextIndexState(ViewStatus):
    """The index of words; its documents are passages, windows and chapters."""

    passages: int = 0
    bytes_on_disk: int = 0
    generation: str = ""


@frozen
class VectorIndexState(ViewStatus):
    """The index of meanings."""

    chunks: int = 0
    bytes_on_disk: int = 0
    in_graph: int = 0
    sessions_left: int = 0  # not yet read, where the index is being made


@frozen
class IndexReport:
    """How both stand; None for vectors that are off."""

    text: TextIndexState
    vectors: VectorIndexState | None = None


@frozen
class Embedding:
    """What embedding did, and what is left of it."""

    on: bool = False
    documents: int = 0
    entries_left: int = 0
    events_left: int = 0
    sessions_left: int = 0
    more: bool = False

    def __add__(self, other: Embedding) -> Embedding:
        """Return what both did, and what both have left."""
        return Embedding(
            on=self.on or other.on,
            documents=self.documents + other.documents,
            entries_left=self.entries_left + other.entries_left,
            events_left=self.events_left + other.events_left,
            sessions_left=self.sessions_left + other.sessions_left,
            more=self.more or other.more,
        )
