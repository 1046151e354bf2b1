"""What people told memory themselves, word for word, in the user's own folder.

Memories are files that anybody can write, and what a person typed stands nowhere else. So each
lies here too, a file each, until a person takes it away: nothing of its words stays then.
"""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress

import msgspec

from agentx.host.files.atomic import make_private_directory, replace_file
from agentx.host.files.plain import is_folder, list_folder, read_bytes, remove
from agentx.kernel.errors import AgentXError
from agentx.kernel.places import encode_name
from agentx.observations.model import Observation
from agentx.observations.store.records import (
    decode_observation,
    encode,
    observation_of,
    record_of,
)
from agentx.project.project import Project
from agentx.wiring.vouched.outcomes import find_question

_SUFFIX = ".json"
_BYTES_MAX = 1024 * 1024


class PersonsWords:
    """The words of what people told memory in one project."""

    def __init__(self, project: Project) -> None:
        self._folder = project.store.persons_words

    def keep(self, said: Iterable[Observation]) -> None:
        """Keep the words of memories; what a question came to stands in its ledger.

        Raises: UnavailableError, UnsafePath.
        """
        own = [one for one in said if one.mended_ms or not find_question(one)]
        if own:
            make_private_directory(self._folder)
        for one in own:
            replace_file(self._folder / _name(one.id), encode(record_of(one)))

    def take_away(self, ids: Iterable[str]) -> None:
        """Leave nothing of the words of memories.

        Raises: UnavailableError, UnsafePath.
        """
        there = self._list()
        for name in filter(there.__contains__, map(_name, ids)):
            remove(self._folder / name)

    def lacks(self, ids: Iterable[str]) -> tuple[str, ...]:
        """Return of which memories no words lie here."""
        there = self._list()
        return tuple(each for each in ids if _name(each) not in there)

    def find(self, name: str) -> Observation | None:
        """Return a memory as a person had it kept; None where its words are not here."""
        with suppress(OSError, ValueError, msgspec.MsgspecError, AgentXError):
            raw = read_bytes(self._folder / _name(name), bytes_max=_BYTES_MAX)
            return observation_of(decode_observation(raw))
        return None

    def _list(self) -> frozenset[str]:
        return frozenset(list_folder(self._folder).files if is_folder(self._folder) else ())


def _name(observation_id: str) -> str:
    return f"{encode_name(observation_id)}{_SUFFIX}"
