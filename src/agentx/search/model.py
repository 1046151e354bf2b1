"""How the memory can be asked, and how its indexes stand."""

from __future__ import annotations

from agentx.kernel.values import frozen

INDEXES = ("search",)
# Said to who asks for likeness in meaning, which earlier versions could search by.
NO_VECTORS = "there is no search by meaning: it found no more than words do, and left AgentX"
BY_WORDS = "`--mode auto` reads the question and finds by words, `bm25` by words alone"


@frozen
class ViewStatus:
    """How a view stands: whether it can be asked, what it holds, what it has yet to take in."""

    ready: bool
    documents: int = 0
    entries_left: int = 0  # of the log


@frozen
class Capabilities:
    """Which ways of searching work here, and why there are no others."""

    bm25: bool = True
    vectors: bool = False
    why_off: str = NO_VECTORS
    hint: str = BY_WORDS

    @property
    def modes(self) -> tuple[str, ...]:
        """The modes of search that work."""
        return ("auto", "bm25") if self.bm25 else ("auto",)


@frozen
class TextIndexState(ViewStatus):
    """The index of words; its documents are passages, windows and chapters."""

    passages: int = 0
    bytes_on_disk: int = 0
    generation: str = ""


@frozen
class IndexReport:
    """How the indexes stand."""

    text: TextIndexState
