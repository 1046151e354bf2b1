"""How much of what was said is on disk, for who must be told truly when a later write fails."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from agentx.kernel.errors import NOTHING_CHANGED, UnavailableError, say_kept

_PART = "only a part of what was said is kept"
_LOOK = "look at what is there before you say it again"


class FactsKept:
    """What was written so far while something is said: facts first, then the views of them."""

    def __init__(self) -> None:
        self._facts = 0
        self._is_writing = False

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Count a fact as kept once its write is over."""
        self._is_writing = True
        yield
        self._is_writing = False
        self._facts += 1

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Take its claim that nothing was changed from an error, where something was kept."""
        try:
            yield
        except UnavailableError as error:
            if not self._facts or not error.message.endswith(NOTHING_CHANGED):
                raise
            raise (
                say_kept(error, _PART, _LOOK) if self._is_writing else say_kept(error)
            ) from error
