"""What an agent says on the way to its answer: by who asks it, to who waits for it.

    <store>/asking/<id>.words    lines, as they come; gone with who asks

The answer itself is in the ledger. What is lost here is lost to nobody.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from agentx.host.files.atomic import make_private_directory
from agentx.host.files.plain import read_bytes, remove
from agentx.kernel.bus import Say
from agentx.kernel.text import fold_text

_WORDS_BYTES_MAX = 256 * 1024


@contextmanager
def passing_on(place: Path) -> Iterator[Say]:
    """Give who writes down what is said, until the block ends."""
    written = 0

    def keep(words: str) -> None:
        nonlocal written
        line = f"{fold_text(words)}\n".encode("utf-8", "replace")
        if written + len(line) <= _WORDS_BYTES_MAX:
            written += len(line)
            with suppress(OSError), place.open("ab") as file:
                file.write(line)

    with suppress(OSError):
        make_private_directory(place.parent)
        remove(place)
    try:
        yield keep
    finally:
        with suppress(OSError):
            remove(place)


class WordsHeard:
    """What is read of it by who waits."""

    def __init__(self, place: Path) -> None:
        self._place = place
        self._seen = 0

    def read_new(self) -> tuple[str, ...]:
        """Return what was said since the last look."""
        try:
            raw = read_bytes(self._place)
        except OSError:
            self._seen = 0
            return ()
        self._seen = min(self._seen, len(raw))
        whole = raw[self._seen : raw.rfind(b"\n") + 1]
        self._seen += len(whole)
        return tuple(whole.decode("utf-8", "replace").splitlines())
