"""The word lists of a store: a database of their own, kept level with the observations.

A search brings them level by itself when little is missing. When much is (the view was deleted,
the files came from a backup) it says that it cannot answer, and `agentx sync` builds it anew.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.plain import is_file
from agentx.kernel.errors import UnavailableError
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen
from agentx.observations.limits import OBSERVATION_WORDS_BEHIND_MAX
from agentx.observations.store.database import (
    checkpoint,
    connect,
    is_busy,
    list_errors,
    remove_database,
)
from agentx.observations.store.records import ObservationRecord
from agentx.observations.store.words.lists import IndexedWords, Words

if TYPE_CHECKING:
    import sqlite3


@frozen
class Source:
    """What the word lists are made of."""

    state: str  # changes whenever an observation comes or goes
    ids: Callable[[], Collection[str]]
    fetch: Callable[[Iterable[str]], Iterable[IndexedWords]]


class WordView:
    """The words of the observations in one folder."""

    def __init__(self, view_folder: Path, folder: Path) -> None:
        # Named after the folder: projects that share a store must not share this.
        self._path = view_folder / f"{digest(str(folder.absolute()), size=8).hex()}.db"
        self._db: sqlite3.Connection | None = None
        self._words: Words | None = None  # in it
        self._known: tuple[str, set[str]] = ("", set())  # what was indexed at the mark

    @property
    def path(self) -> Path:
        """Where it lies."""
        return self._path

    def search(self, query: str, limit: int, source: Source) -> list[str] | None:
        """Return the ids that fit best; None when the lists are missing or too far behind."""
        if not is_file(self._path) and not source.ids():
            return []  # there is nothing to make lists of
        try:
            with self._open() as words:
                if words.mark() != source.state and not self._level(words, source, all_=False):
                    return None
                return words.search(query, limit)
        except list_errors():
            self.close()
            return None

    def level(self, source: Source) -> bool:
        """Bring the lists level however far behind they are; tell whether that was possible."""
        for _ in range(2):
            try:
                with self._open() as words:
                    return words.mark() == source.state or self._level(words, source, all_=True)
            except list_errors() as error:
                self.close()
                if isinstance(error, OSError | UnavailableError) or is_busy(error):
                    return False  # the disk refuses, or another process is at it
                self.delete()  # damaged, or of another version: a view is made anew
        return False

    def drop(self, wordings: Iterable[IndexedWords]) -> None:
        """Take observations out, with their words; what is left on disk of them `scrub` removes."""
        if not is_file(self._path):
            return
        try:
            with self._open() as words, self._writing():
                words.drop(wordings)
                words.set_mark("")
        except list_errors():
            # Words that cannot be taken out one by one: all go.
            self.delete()

    def scrub(self, source: Source) -> None:
        """Leave no word on disk of what was taken out."""
        if not is_file(self._path):
            return
        try:
            with self._open() as words:
                if not words.has_orphans():
                    words.scrub()
                    checkpoint(words.connection)
                    return
        except list_errors():
            pass  # made anew, as are words whose text is gone
        self.delete()
        self.level(source)

    def look_again(self, records: Collection[ObservationRecord]) -> None:
        """Let those be indexed anew that somebody has edited."""
        if not is_file(self._path):
            return
        try:
            with self._open() as words:
                edited = words.list_edited(records)
                if edited:
                    with self._writing():
                        words.drop_ids(edited)
                        words.set_mark("")
        except list_errors():
            self.delete()

    def close(self) -> None:
        """Let go of the database."""
        db, self._db, self._words = self._db, None, None
        if db is not None:
            with closing(db):
                pass

    def delete(self) -> None:
        """Remove the lists; they are made anew when they are needed."""
        self.close()
        remove_database(self._path)

    def _level(self, words: Words, source: Source, *, all_: bool) -> bool:
        mark, known = self._known
        if not mark or words.mark() != mark:
            known = words.ids()
        wanted = source.ids()
        gone = known.difference(wanted)
        missing = _list_last(wanted, known, len(wanted) - len(known) + len(gone))
        if len(missing) > OBSERVATION_WORDS_BEHIND_MAX and not all_:
            return False
        with self._writing():
            words.drop_ids(gone)
            if all_:
                words.put(source.fetch(missing))
            else:
                fetched = list(source.fetch(missing))
                words.put(fetched)
                # Who captures many sessions asks after each of them.
                known.difference_update(gone)
                known.update(each.id for each in fetched)
            words.set_mark(source.state)
        self._known = ("", set()) if all_ else (source.state, known)
        return True

    @contextmanager
    def _open(self) -> Iterator[Words]:
        if self._db is None or self._words is None:
            make_private_directory(self._path.parent)
            self._db = self._db or connect(self._path, durable=False)
            self._words = Words(self._db)
        yield self._words

    @contextmanager
    def _writing(self) -> Iterator[None]:
        assert self._db is not None, "opened before"
        self._db.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")


def _list_last(wanted: Collection[str], known: Collection[str], count: int) -> list[str]:
    """Return in their order the so many that are not known: what is new comes last."""
    found: list[str] = []
    for each in reversed(tuple(wanted)):
        if len(found) == count:
            break
        if each not in known:
            found.append(each)
    found.reverse()
    return found
