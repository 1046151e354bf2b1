"""Who is scored: the product, and plain BM25 beside it. Each takes a corpus in and is asked.

`Product` is the one place that knows how turns get into the product and questions out of
it: whoever changes the ingest changes this class and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import tantivy

from agentx.kernel.capture import Channel, Draft, EventType, Role
from agentx.memory.found import SearchRequest
from agentx.memory.local import LocalMemory
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.search.analysis import FUNCTION_WORDS
from agentx.search.text.store import bytes_in
from agentx.wiring.memory import open_store
from tests.bench.recall.data import Corpus, Question, Turn

# What the measures look at.
LIMIT = 20
_KINDS = {
    Role.USER: EventType.USER_MESSAGE,
    Role.ASSISTANT: EventType.ASSISTANT_MESSAGE,
    Role.TOOL: EventType.TOOL_RESULT,
    Role.SYSTEM: EventType.NOTE,
}


@dataclass(frozen=True, slots=True)
class Ranking:
    """What came back, best first."""

    turns: tuple[str, ...]
    sessions: tuple[str, ...]


class Contestant(Protocol):
    """Takes turns in, answers questions."""

    def ingest(self, corpus: Corpus, folder: Path) -> None:
        """Remember a corpus, and nothing else."""
        ...

    def ask(self, question: Question) -> Ranking:
        """Answer from what was ingested last."""
        ...

    def size_bytes(self) -> int:
        """Return what it takes on disk."""
        ...

    def close(self) -> None:
        """Let go of what was ingested last."""
        ...


class Product:
    """The product as it is installed: its own store, its own views, its own search."""

    def __init__(self) -> None:
        self._memory: LocalMemory | None = None
        self._turns: dict[str, str] = {}  # by the id of the event
        self._store = Path()

    def ingest(self, corpus: Corpus, folder: Path) -> None:
        """Take the turns in as events of one project, and build every view."""
        project = _project(folder)
        self._store = project.store.root
        self._memory = open_store(project)
        stored = self._memory.append([_draft(turn) for turn in corpus.turns]).stored
        if len(stored) != len(corpus.turns):
            raise ValueError(f"{corpus.name}: {len(stored)} of {len(corpus.turns)} turns stored")
        self._turns = {
            str(event_id): turn.turn_id for event_id, turn in zip(stored, corpus.turns, strict=True)
        }
        self._memory.catch_up()

    def ask(self, question: Question) -> Ranking:
        """Ask as `agentx search` does, with the time of asking as the present."""
        assert self._memory is not None, "ingest first"
        found = self._memory.search(
            SearchRequest(query=question.text, now_ms=question.asked_ms, limit=LIMIT)
        )
        # What was made of turns, such as an observation, is found beside them and is no turn.
        ids = (doc_id for hit in found.hits for doc_id in (hit.doc_id, *hit.also))
        turns = [self._turns[doc_id] for doc_id in ids if doc_id in self._turns]
        return Ranking(tuple(turns), found.sessions)

    def size_bytes(self) -> int:
        """Return what the store takes on disk: log, table of contents and index."""
        return bytes_in(self._store)

    def close(self) -> None:
        """Let go of the store."""
        if self._memory is not None:
            self._memory.close()
            self._memory = None


def _project(folder: Path) -> Project:
    home = folder.absolute()
    work = home / "work"
    work.mkdir(parents=True)
    return open_project(work, read_environment({"HOME": str(home), "PATH": ""}))


def _draft(turn: Turn) -> Draft:
    role = Role(turn.role)
    # A speaker who is only called by the role has no name.
    named = {"speaker": turn.speaker} if turn.speaker != turn.role else {}
    return Draft(
        harness="bench",
        session_id=turn.session,
        event_type=_KINDS[role],
        timestamp_ms=turn.at_ms,
        role=role,
        text=turn.text,
        channel=Channel.API,
        source_id=turn.turn_id,
        metadata=dict(named),
    )


class PlainBm25:
    """Tantivy as it comes: one document a turn, English stems, stop words removed."""

    def __init__(self) -> None:
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("text", tokenizer_name="plain")
        builder.add_text_field("at", stored=True, tokenizer_name="raw")
        self._schema = builder.build()
        self._analyser = (
            tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
            .filter(tantivy.Filter.lowercase())
            .filter(tantivy.Filter.custom_stopword(sorted(FUNCTION_WORDS)))
            .filter(tantivy.Filter.stemmer("english"))
            .build()
        )
        self._corpus: Corpus | None = None
        self._index: tantivy.Index | None = None
        self._folder = Path()

    def ingest(self, corpus: Corpus, folder: Path) -> None:
        """Index each turn, with who said it."""
        self._folder, self._corpus = folder, corpus
        self._index = tantivy.Index(self._schema, str(folder))
        self._index.register_tokenizer("plain", self._analyser)
        writer = self._index.writer(32_000_000, 1)
        for number, turn in enumerate(corpus.turns):
            text = f"{turn.speaker}: {turn.text}"
            writer.add_document(tantivy.Document(text=text, at=str(number)))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def ask(self, question: Question) -> Ranking:
        """Return turns by score, and sessions by their best turn."""
        assert self._index is not None, "ingest first"
        assert self._corpus is not None, "ingest first"
        words = dict.fromkeys(self._analyser.analyze(question.text))
        searcher = self._index.searcher()
        query = tantivy.Query.boolean_query(
            [
                (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "text", word))
                for word in words
            ]
        )
        found = searcher.search(query, 50, count=False).hits
        turns = [
            self._corpus.turns[int(str(searcher.doc(address).get_first("at")))]
            for _, address in found
        ]
        return Ranking(
            tuple(turn.turn_id for turn in turns),
            tuple(dict.fromkeys(turn.session for turn in turns)),
        )

    def size_bytes(self) -> int:
        """Return what the index takes on disk."""
        return bytes_in(self._folder)

    def close(self) -> None:
        """Let go of the index."""
        self._index = self._corpus = None
