"""Which observations hold which words: a view in SQLite, beside either store.

The text itself is not kept here, only its terms, made by the same analysis as the search index.
A view: it may be deleted at any time, and a search without it falls back to counting words.

Ranked by BM25 as it is for short texts, where a word that stands there twice says no more: rare
words weigh more, long texts less. The rarest words of a question choose what is ranked, the
common ones only add to what was chosen; so a question of common words costs no more at 50,000
observations than at 5,000.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING
from zlib import crc32

from agentx.kernel.values import frozen
from agentx.observations.limits import OBSERVATION_CANDIDATES_MAX
from agentx.observations.store.records import ObservationRecord
from agentx.search.analysis import function_terms, terms
from agentx.search.limits import QUERY_TERMS_MAX

if TYPE_CHECKING:
    import sqlite3

_TABLES = """
CREATE TABLE IF NOT EXISTS word_docs (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    terms INTEGER NOT NULL,
    signature INTEGER NOT NULL
);
CREATE VIRTUAL TABLE IF NOT EXISTS words USING fts5(body, content='', detail=none);
CREATE VIRTUAL TABLE IF NOT EXISTS word_counts USING fts5vocab(words, row);
CREATE TABLE IF NOT EXISTS word_mark (mark TEXT NOT NULL);
CREATE TABLE IF NOT EXISTS word_orphans (number INTEGER PRIMARY KEY)
"""
# Observations whose length is looked up before they are ranked.
_WEIGHED = 100
# How much length counts, and the length at which it counts so much: BM25 for texts of this kind.
_LENGTH = 0.15
_USUAL_TERMS = 60


@frozen
class IndexedWords:
    """What is indexed of an observation, and what tells whether it was edited since."""

    id: str
    text: str
    signature: int

    def body(self) -> str:
        """Return its terms."""
        return " ".join(terms(self.text))


def wording(record: ObservationRecord, originals: Iterable[ObservationRecord] = ()) -> IndexedWords:
    """Return what is indexed: a merged observation also by the words of its originals."""
    said = (record.summary, record.content, *(old.content for old in originals))
    return IndexedWords(id=record.id, text="\n".join(said), signature=_signature(record))


def _signature(record: ObservationRecord) -> int:
    return crc32(f"{record.summary}\n{record.content}".encode())


class Words:
    """The word lists in one database. Its owner commits."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        for statement in _TABLES.split(";"):
            connection.execute(statement)

    def ids(self) -> set[str]:
        """Return what is indexed."""
        return {each for (each,) in self.connection.execute("SELECT id FROM word_docs")}

    def put(self, wordings: Iterable[IndexedWords]) -> None:
        """Index observations; known ones are left alone."""
        for each in wordings:
            body = each.body()
            added = self.connection.execute(
                "INSERT OR IGNORE INTO word_docs (id, terms, signature) VALUES (?, ?, ?)",
                (each.id, body.count(" ") + 1, each.signature),
            )
            if added.rowcount:
                self.connection.execute(
                    "INSERT INTO words (rowid, body) VALUES (?, ?)", (added.lastrowid, body)
                )

    def drop(self, wordings: Iterable[IndexedWords]) -> None:
        """Take observations out, their words with them."""
        for each in wordings:
            number = self._number(each.id)
            if number is not None:
                self.connection.execute(
                    "INSERT INTO words (words, rowid, body) VALUES ('delete', ?, ?)",
                    (number, each.body()),
                )
                self.connection.execute("DELETE FROM word_docs WHERE number = ?", (number,))

    def list_edited(self, records: Iterable[ObservationRecord]) -> list[str]:
        """Return which observations do not read as they did when they were indexed."""
        known: dict[str, int] = dict(
            self.connection.execute("SELECT id, signature FROM word_docs").fetchall()
        )
        return [
            each.id for each in records if each.id in known and known[each.id] != _signature(each)
        ]

    def scrub(self) -> None:
        """Leave nothing on disk of what was taken out."""
        self.connection.execute("INSERT INTO words (words) VALUES ('optimize')")

    def drop_ids(self, ids: Iterable[str]) -> None:
        """Take observations out whose text is gone: no longer found, their words stay behind."""
        for each in ids:
            self.connection.execute(
                "INSERT INTO word_orphans SELECT number FROM word_docs WHERE id = ?", (each,)
            )
            self.connection.execute("DELETE FROM word_docs WHERE id = ?", (each,))

    def has_orphans(self) -> bool:
        """Tell whether there are words of observations that are gone."""
        found = self.connection.execute("SELECT 1 FROM word_orphans LIMIT 1").fetchone()
        return found is not None

    def mark(self) -> str:
        """Return what the owner noted last."""
        found = self.connection.execute("SELECT mark FROM word_mark").fetchone()
        return str(found[0]) if found else ""

    def set_mark(self, mark: str) -> None:
        """Note how far the owner has come."""
        self.connection.execute("DELETE FROM word_mark")
        self.connection.execute("INSERT INTO word_mark VALUES (?)", (mark,))

    def search(self, query: str, limit: int) -> list[str]:
        """Return the ids that fit best, best first."""
        asked = self._count_terms(query_terms(query))
        if not asked or limit <= 0:
            return []
        total = self.connection.execute("SELECT max(number) FROM word_docs").fetchone()[0] or 0
        weights = {
            term: math.log(1 + max(total - count, 0) / (count + 0.5)) for term, count in asked
        }
        choosing, adding = _split(asked)
        if choosing:
            scores = self._choose(choosing, adding, weights)
        else:
            # All words are common: what has every one of them, the newest; then what has one.
            every = self._having(" AND ".join(map(_quote, adding)))
            scores = dict.fromkeys(every, sum(weights.values()))
            if len(scores) < limit:
                for number in self._having(_quote(adding[0])):
                    scores.setdefault(number, weights[adding[0]])
        best = heapq.nlargest(
            max(limit, _WEIGHED), scores, key=lambda number: (scores[number], number)
        )
        return self._name_rows(best, scores)[:limit]

    def _choose(
        self, choosing: Sequence[str], adding: Sequence[str], weights: dict[str, float]
    ) -> dict[int, float]:
        scores: dict[int, float] = {}
        for term in choosing:
            for number in self._having(_quote(term)):
                scores[number] = scores.get(number, 0.0) + weights[term]
        chosen = f"({' OR '.join(map(_quote, choosing))}) AND "
        for term in adding:
            for number in self._having(chosen + _quote(term)):
                scores[number] += weights[term]
        return scores

    def _having(self, match: str) -> list[int]:
        found = self.connection.execute(
            "SELECT rowid FROM words WHERE words MATCH ? ORDER BY rowid DESC LIMIT ?",
            (match, OBSERVATION_CANDIDATES_MAX),
        )
        return [number for (number,) in found]

    def _count_terms(self, asked: Sequence[str]) -> list[tuple[str, int]]:
        """Return the terms that occur at all, the rarest first."""
        marks = ",".join("?" * len(asked))
        found = self.connection.execute(
            f"SELECT term, doc FROM word_counts WHERE term IN ({marks})",  # noqa: S608  only marks
            tuple(asked),
        )
        return sorted(found, key=lambda each: (each[1], each[0]))

    def _name_rows(self, numbers: Sequence[int], scores: dict[int, float]) -> list[str]:
        """Return the ids, the long texts put behind the short ones that say the same."""
        marks = ",".join("?" * len(numbers))
        found = self.connection.execute(
            f"SELECT number, id, terms FROM word_docs WHERE number IN ({marks})",  # noqa: S608  only marks
            tuple(numbers),
        )
        weighed = [
            (scores[number] / (1 + _LENGTH * count / _USUAL_TERMS), number, each)
            for number, each, count in found
        ]
        return [each for _, _, each in sorted(weighed, reverse=True)]

    def _number(self, each: str) -> int | None:
        row = self.connection.execute(
            "SELECT number FROM word_docs WHERE id = ?", (each,)
        ).fetchone()
        return None if row is None else int(row[0])


def query_terms(query: str) -> list[str]:
    """Return the terms of a question, each once; grammar only where there is nothing else."""
    asked = list(dict.fromkeys(terms(query)))
    telling = [term for term in asked if term not in function_terms()]
    return (telling or asked)[:QUERY_TERMS_MAX]


def _split(asked: list[tuple[str, int]]) -> tuple[list[str], list[str]]:
    """Tell the terms that choose what is ranked from those that only add to it."""
    room = OBSERVATION_CANDIDATES_MAX
    choosing = []
    for term, count in asked:
        if count > room:
            break
        choosing.append(term)
        room -= count
    return choosing, [term for term, _ in asked[len(choosing) :]]


def _quote(term: str) -> str:
    return '"' + term.replace('"', '""') + '"'
