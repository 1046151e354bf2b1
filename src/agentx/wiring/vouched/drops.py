"""What a person dropped, as far as the user's own record bears it out.

The list lies with the memories, in a file that anybody can write. What it says of agents' notes is
believed. What it says of what a person had kept is held against the record of that, which knows
what they dropped in every checkout of theirs:

    gone on record              dropped, whether the file says so or not
    brought back on record      on its way back here, too, where the file still has it
    else                        nobody dropped it: nothing is done for it, and it is named
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import replace

from agentx.kernel.roles import PERSON_ROLE
from agentx.observations.ids import ID_PREFIX
from agentx.observations.model import DropList, Dropped
from agentx.observations.port import DroppedStore, ObservationStore
from agentx.wiring.vouched.persons_record import PersonsRecord

OF_PERSON = f"{ID_PREFIX}{PERSON_ROLE}-"  # how the ids of what people had kept begin


class VouchedDrops(DroppedStore):
    """A `DroppedStore` over another one."""

    def __init__(self, store: ObservationStore, record: PersonsRecord) -> None:
        self._store = store
        self._record = record

    def read(self) -> DropList:
        """Return what was dropped, by the file and on record; not to be changed."""
        listed = self._store.drops.read()
        self._record.look_again()
        judged = ((name, self._judge(each)) for name, each in listed.dropped.items())
        dropped = {name: each for name, each in judged if each is not None}
        for name, known in self._record.known.items():
            if known.dropped_ms is not None and name not in dropped:
                dropped[name] = Dropped(id=name, at_ms=known.dropped_ms)
        return replace(listed, dropped=dropped)

    def changing(self) -> AbstractContextManager[DropList]:
        """Give the list of the file to be changed in place."""
        return self._store.drops.changing()

    def list_unheeded(self) -> tuple[str, ...]:
        """Return what the file says that a person dropped, and nobody did."""
        heeded = self.read().dropped
        return tuple(each for each in self._store.drops.read().dropped if each not in heeded)

    def _judge(self, noted: Dropped) -> Dropped | None:
        known = self._record.known.get(noted.id)
        if known is None and not noted.id.startswith(OF_PERSON):
            return noted
        if not self._record.is_begun:  # an earlier version's: it lies in the archive then
            return noted if self._store.get_by_id(noted.id) is None else None
        if known is None:
            return None
        if known.is_gone:
            return replace(noted, is_returning=False)
        is_back = noted.is_returning or known.was_gone
        return replace(noted, is_returning=True) if is_back else None
