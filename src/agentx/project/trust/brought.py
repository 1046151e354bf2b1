"""Cards that travel with runs: who exchanges runs by their branch can trust one another.

.agent-memory/aside/writer-<writer>-<16 digits of its key>.json    a card (`cards`)

They lie where every version takes files along by the branch of runs, unread, and writes over none.
Named by what they hold, cards of one writer with two keys lie side by side: which of them is
the writer's, a person says.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from agentx.host.files.plain import exists, list_folder
from agentx.project.trust.cards import CARDS_MAX, WriterCard, read_card_file, write_card_file

_BEGINS, _ENDS = "writer-", ".json"
_KEY_DIGITS = 16


def name_card(card: WriterCard) -> str:
    """Return what the file of a card is called that travels with runs."""
    return f"{_BEGINS}{card.writer}-{card.fingerprint[:_KEY_DIGITS]}{_ENDS}"


class BroughtCards:
    """The cards that came with runs, or go with them; whoever wrote them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[WriterCard]:
        return self.read()

    def read(self, known: Iterable[str] = ()) -> Iterator[WriterCard]:
        """Yield the cards: first those of keys that are known, however many others there are."""
        first = {each[:_KEY_DIGITS] for each in known}
        try:
            names = list_folder(self._folder).files
        except OSError:
            return
        shown = [name for name in names if name.startswith(_BEGINS) and name.endswith(_ENDS)]
        shown.sort(key=lambda name: (_read_key(name) not in first, name))
        for name in shown[:CARDS_MAX]:
            card = read_card_file(self._folder / name)
            if card is not None and card.is_own and name_card(card) == name:
                yield card

    def lay(self, card: WriterCard) -> None:
        """Lay a card where it goes with runs; what cannot be written is done without."""
        path = self._folder / name_card(card)
        if not exists(path):
            write_card_file(path, card)


def _read_key(name: str) -> str:
    return name.removesuffix(_ENDS).rpartition("-")[2]
