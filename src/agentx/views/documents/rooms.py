"""What lies in files of other rooms, as documents that can be found.

    room --parts()--> (key, stamp) --compared with the last commit--> changed, gone
         --documents(key)--> put in place of what the part held before

A part is whatever its room can read at once: a file, a slice of one. Its stamp is cheap to
get and changes when the part does, so a pass over rooms in which nothing happened reads
no file.

Law: what can be found of a part is what `documents` gave for the stamp that is noted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from agentx.kernel.values import frozen
from agentx.search.document import Document

Stamps = dict[str, str]  # room/key -> stamp


class RoomSource(Protocol):
    """A room whose contents can be found."""

    @property
    def name(self) -> str:
        """The room's name; no two have the same."""
        ...

    def parts(self) -> Iterable[tuple[str, str]]:
        """Yield the key of each part with its stamp."""
        ...

    def documents(self, key: str) -> Iterable[Document]:
        """Yield the documents of a part; none when it is gone."""
        ...


@frozen(kw_only=False)
class RoomNews:
    """Parts that changed or are gone since some stamps were noted, and the stamps now."""

    changed: tuple[str, ...]
    gone: tuple[str, ...]
    stamps: Stamps

    def __bool__(self) -> bool:
        return bool(self.changed or self.gone)


class Rooms:
    """The rooms of one project."""

    def __init__(self, sources: Iterable[RoomSource] = ()) -> None:
        self._sources = {source.name: source for source in sources}

    def news(self, noted: Mapping[str, str]) -> RoomNews:
        """Compare the parts there are with the stamps that were noted."""
        stamps = self.stamps()
        return RoomNews(
            # In order: a room that keeps several parts in a file then reads it once.
            changed=tuple(sorted(part for part in stamps if noted.get(part) != stamps[part])),
            gone=tuple(part for part in noted if part not in stamps),
            stamps=stamps,
        )

    def stamps(self) -> Stamps:
        """Return the stamp of every part there is."""
        return {
            f"{name}/{key}": stamp
            for name, source in self._sources.items()
            for key, stamp in source.parts()
        }

    def documents(self, part: str) -> Iterator[Document]:
        """Yield what can be found of a part, each document naming the part it is from."""
        name, _, key = part.partition("/")
        for document in self._sources[name].documents(key):
            yield replace(document, part=part)
