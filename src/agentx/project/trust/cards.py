"""Cards: what writers of questions say of themselves, signed with their keys.

.agentx/questions/writers/<writer>.json    a card: the public key that a writer signs with
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path

from agentx.host.files.atomic import replace_file
from agentx.host.files.json_text import page_of, parse_json
from agentx.host.files.plain import list_folder
from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen
from agentx.project.trust.ed25519 import fingerprint, is_signed_by
from agentx.project.trust.marker import read_small

_CARD_BYTES_MAX = 4_096
CARDS_MAX = 500
_CARD = b"agentx writer\n"


@frozen
class WriterCard:
    """What a writer says of itself, signed with its key."""

    writer: str
    key: str
    repository: str
    name: str = ""
    since: str = ""
    sig: str = ""

    @property
    def fingerprint(self) -> str:
        """By what its key is known."""
        return fingerprint(self.key)

    @property
    def is_own(self) -> bool:
        """Whether it was signed with the key that it shows."""
        return is_signed_by(self.key, self.sig, self.message)

    @property
    def message(self) -> bytes:
        """What is signed of it."""
        said = asdict(replace(self, sig=""))
        return _CARD + json.dumps(said, sort_keys=True).encode("ascii")


class CardFolder:
    """The cards that lie in a repository, whoever wrote them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __iter__(self) -> Iterator[WriterCard]:
        try:
            names = list_folder(self._folder).files
        except OSError:
            return
        for name in sorted(names)[:CARDS_MAX]:
            card = self.read(name.removesuffix(".json")) if name.endswith(".json") else None
            if card is not None:
                yield card

    def read(self, writer: str) -> WriterCard | None:
        """Return a writer's card; None where none lies there that is of this writer."""
        card = read_card_file(self._place(writer))
        return card if card is not None and card.writer == writer else None

    def lay(self, card: WriterCard) -> None:
        """Lay a card beside the events; what cannot be written is done without."""
        write_card_file(self._place(card.writer), card)

    def _place(self, writer: str) -> Path:
        return self._folder / f"{writer}.json"


def read_card_file(path: Path) -> WriterCard | None:
    """Return the card that a file holds; None for what is none."""
    raw = read_small(path, _CARD_BYTES_MAX)
    try:
        return read_card(None if raw is None else parse_json(raw))
    except ValueError:
        return None


def write_card_file(path: Path, card: WriterCard) -> None:
    """Write a card; what cannot be written is done without."""
    with suppress(AgentXError, OSError):
        replace_file(path, page_of({"v": 1, **asdict(card)}), mode=0o644)


def read_card(said: object) -> WriterCard | None:
    """Return the card that a document is; None for what is none."""
    match said:
        case {"writer": str(), "key": str(), "repository": str(), **rest} if isinstance(said, dict):
            texts = {name: rest.get(name) for name in ("name", "since", "sig")}
            if not all(isinstance(text, str) for text in texts.values()):
                return None
            names = ("writer", "key", "repository", *texts)
            return WriterCard(**{name: said[name] for name in names})
        case _:
            return None


def by_age(card: WriterCard) -> tuple[str, str]:
    """Return what cards are ordered by: the oldest first."""
    return card.since, card.writer
