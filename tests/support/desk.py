"""A store on which a log and its table of contents are put up, taken down and put up again."""

from __future__ import annotations

from pathlib import Path

from agentx.host.kv import keys
from agentx.host.kv.port import Batch, Family, KeyValue
from agentx.host.kv.rocks import open_rocks
from agentx.kernel.capture import Draft
from agentx.kernel.clock import HOUR_MS, MINUTE_MS
from tests.support.contents import Shelf
from tests.support.drafts import draft
from tests.support.memory_kv import MemoryStore
from tests.support.time_and_chance import START_MS, CountingEntropy, FakeClock


class Desk:
    """One store on which shelves are put up, taken down and put up again."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.folder = folder
        self.clock = FakeClock(START_MS + HOUR_MS)
        self._entropy = CountingEntropy()
        self._memory = MemoryStore() if kind == "memory" else None
        self._kv: KeyValue | None = None

    def open(self, **changes: object) -> Shelf:
        """Open the store again, as the next process would."""
        self.close()
        self._kv = self._memory or open_rocks(self.folder, self.clock)
        return Shelf(self._kv, self.clock, self._entropy, **changes)  # type: ignore[arg-type]  # a test's short form

    def close(self) -> None:
        """Let go of the store; memory lives on, as a disk would."""
        if self._kv is not None and self._kv is not self._memory:
            self._kv.close()
        self._kv = None


def talk(session: str = "s-1", begin: int = 0, words: str = "retries") -> list[Draft]:
    """A short conversation in one session: five events in five minutes."""
    said = [
        ("user_message", f"Please add {words} to the webhook sender"),
        ("assistant_message", f"I decided to put {words} into sender.py because workers die."),
        ("tool_call", "Edit sender.py"),
        ("tool_result", "==== 12 passed in 0.4s ===="),
        ("assistant_message", f"Added {words} with backoff; all 12 tests pass now."),
    ]
    return [
        draft(
            text, kind=kind, session_id=session, at=begin + n * MINUTE_MS, source_id=f"{begin}-{n}"
        )
        for n, (kind, text) in enumerate(said)
    ]


def drop_outbox(shelf: Shelf, *, before: int) -> None:
    """Lose the oldest entries, as a full outbox does."""
    batch = Batch()
    batch.delete_range(Family.OUTBOX, keys.outbox_key(0), keys.outbox_key(before))
    shelf.kv.write(batch)


def everywhere(kv: KeyValue, word: str) -> list[Family]:
    """Return the families that hold a word in the clear."""
    return [
        family
        for family in Family
        for _, value in kv.scan(family, b"", b"\xff" * 8)
        if word.encode() in value
    ]
