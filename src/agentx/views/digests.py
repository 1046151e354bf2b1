"""What hooks print at session start, prepared: a view of the table of contents and the rooms.

To make it every room is read, so it is known by a stamp what it was made from; and ages in it
grow, so a day makes it old. Who reads does not wait for all of it: what was made stays,
and the next one goes on from there.

While sessions go on there is more to tell every second. Who follows them all day, and tells how far
it is, rests between two times; what may have to leave a digest (a memory that was dropped, a
setting) is no such news, and waits for nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import remove_tree
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import DAY_MS, Clock
from agentx.kernel.ids import digest
from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.views.port import Gone, View

_REST_PER_TIME = 19  # a rest is so many times as long as it took: at most 5 % of a core
_REST_MS_MAX = 10_000


@dataclass(slots=True)
class _Rest:
    """Until when what was made is left though there is more to tell."""

    stamp: str = ""  # by which it was made
    until_ms: int = 0


@frozen
class Digests(View):
    """The digests of one project."""

    name = "digests"

    store: StorePaths
    clock: Clock
    stamp: Callable[[], str]  # changes when what they are made from does, but for news
    news: Callable[[], str]  # changes when sessions went on
    # Writes those that changed, and returns how many; where it is told what they are made from it
    # leaves those that who could not end it made from the same.
    write: Callable[[str], int]
    _rest: _Rest = field(default_factory=_Rest)

    def catch_up(self, told: HowFar = unheard) -> bool:
        """Prepare them when the stamp is another or a day went by; say whether."""
        stamp, began_ms = self.stamp(), self.clock.now_ms()
        noted = self._note(stamp)
        try:
            if self.store.digest_stamp.read_text(encoding="ascii") == noted:
                return False
        except (OSError, ValueError):
            pass
        if told is not unheard and stamp == self._rest.stamp and began_ms < self._rest.until_ms:
            return False
        self._prepare(noted, noted)
        took_ms = max(0, self.clock.now_ms() - began_ms)
        self._rest.stamp = stamp
        self._rest.until_ms = began_ms + took_ms + min(took_ms * _REST_PER_TIME, _REST_MS_MAX)
        return True

    @contextmanager
    def forget(self, gone: Gone) -> Iterator[None]:  # noqa: ARG002
        """Prepare them from what is left."""
        yield
        self._prepare(self._note(self.stamp()))

    def rebuild(self, told: HowFar = unheard) -> int:  # noqa: ARG002
        """Prepare them from nothing; return how many there are."""
        with suppress(OSError):
            remove_tree(self.store.digests)
        return self._prepare(self._note(self.stamp()))

    def _note(self, stamp: str) -> str:
        return digest(stamp, self.news(), str(self.clock.now_ms() // DAY_MS)).hex()

    def _prepare(self, noted: str, made_from: str = "") -> int:
        written = self.write(made_from)
        replace_file(self.store.digest_stamp, noted.encode())
        return written
