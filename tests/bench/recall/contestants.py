"""Who is scored: the product, and plain BM25 beside it. Each takes a corpus in and is asked.

`Product` is the one place that knows how turns get into the product and questions out of
it: whoever changes the ingest changes this class and nothing else.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Protocol

import tantivy

from agentx.host.system import SystemClock
from agentx.recall.plan import Question as Asked
from agentx.recall.plan import answer
from agentx.search.analysis import FUNCTION_WORDS
from agentx.search.document import Document
from agentx.search.index import TextIndex
from agentx.search.scales import chapters
from agentx.search.store import bytes_in
from tests.bench.recall.data import Corpus, Question, Turn

LIMIT = 50


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


class Product:
    """The product's own documents, index and recall."""

    def __init__(self) -> None:
        self._clock = SystemClock()
        self._index: TextIndex | None = None
        self._folder = Path()

    def ingest(self, corpus: Corpus, folder: Path) -> None:
        """Index the turns as events: passages of each, chapters of each session."""
        self._folder = folder
        sessions: dict[str, list[Document]] = defaultdict(list)
        documents = [_document(turn) for turn in corpus.turns]
        for document in documents:
            sessions[document.session].append(document)
        with TextIndex.building(folder, self._clock) as fresh:
            fresh.put(documents)
            for session, said in sessions.items():
                said.sort(key=lambda each: each.timestamp_ms)
                fresh.put_chapters(chapters(session, said))
        self._index = TextIndex.open(folder, self._clock)

    def ask(self, question: Question) -> Ranking:
        """Ask as recall does, with the time of asking as the present."""
        assert self._index is not None, "ingest first"
        asked = Asked(text=question.text, zone=UTC, now_ms=question.asked_ms, limit=LIMIT)
        found = answer(self._index, asked)
        turns = tuple(
            doc_id for memory in found.memories for doc_id in (memory.hit.doc_id, *memory.also)
        )
        return Ranking(turns, tuple(each.session for each in found.sessions))

    def size_bytes(self) -> int:
        """Return what the index takes on disk."""
        return bytes_in(self._folder)


def _document(turn: Turn) -> Document:
    return Document(
        doc_type="event",
        doc_id=turn.turn_id,
        text=turn.text,
        timestamp_ms=turn.at_ms,
        session=turn.session,
        role=turn.role,
        # A speaker who is only called by the role has no name.
        speaker=turn.speaker if turn.speaker != turn.role else "",
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
        folder.mkdir(parents=True)
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
        found = searcher.search(query, LIMIT, count=False).hits
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
