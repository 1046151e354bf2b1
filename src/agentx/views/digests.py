"""What hooks print at session start, prepared: a view of the table of contents and the rooms.

To make it every room is read, so it is known by a stamp what it was made from; and ages in it
grow, so a day makes it old. Who reads does not wait for all of it: what was made stays,
and the next one goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from agentx.host.files.atomic import replace_file
from agentx.host.files.plain import remove_tree
from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import DAY_MS, Clock
from agentx.kernel.ids import digest
from agentx.kernel.paths import StorePaths
from agentx.kernel.values import frozen
from agentx.views.port import Gone, View


@frozen
class Digests(View):
    """The digests of one project."""

    name = "digests"

    store: StorePaths
    clock: Clock
    stamp: Callable[[], str]  # changes when what they are made from does
    # Writes those that changed, and returns how many; where it is told what they are made from it
    # leaves those that who could not end it made from the same.
    write: Callable[[str], int]

    def catch_up(self, told: HowFar = unheard) -> bool:  # noqa: ARG002  it is one step
        """Prepare them when the stamp is another or a day went by; say whether."""
        noted = self._read_noted()
        try:
            if self.store.digest_stamp.read_text(encoding="ascii") == noted:
                return False
        except (OSError, ValueError):
            pass
        self._prepare(noted, noted)
        return True

    @contextmanager
    def forget(self, gone: Gone) -> Iterator[None]:  # noqa: ARG002
        """Prepare them from what is left."""
        yield
        self._prepare(self._read_noted())

    def rebuild(self, told: HowFar = unheard) -> int:  # noqa: ARG002
        """Prepare them from nothing; return how many there are."""
        with suppress(OSError):
            remove_tree(self.store.digests)
        return self._prepare(self._read_noted())

    def _read_noted(self) -> str:
        return digest(self.stamp(), str(self.clock.now_ms() // DAY_MS)).hex()

    def _prepare(self, noted: str, made_from: str = "") -> int:
        written = self.write(made_from)
        replace_file(self.store.digest_stamp, noted.encode())
        return written
