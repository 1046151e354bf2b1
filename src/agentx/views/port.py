"""The one contract of a view: what is made from facts, and can be made from them again.

    catch_up    take in what is new; cheap when nothing is
    forget      let nothing stay of what goes: entered before the facts go, left after
    rebuild     make it from nothing
    status      say how it stands, without waiting for who writes

A view reads facts and the views that stand before it, never the memory that drives it.

Laws: made from nothing it is what it was by following; catching up twice is catching up once;
what was forgotten is in none of its files.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.values import frozen
from agentx.search.model import ViewStatus


@frozen
class Gone:
    """What is about to leave the log: whole sessions, or some events of them."""

    session_ids: tuple[str, ...]
    whole: bool


class View(Protocol):
    """Whatever is kept up to date beside the facts."""

    @property
    def name(self) -> str:
        """What `agentx rebuild` calls it; no two have the same."""
        ...

    def catch_up(self, told: HowFar = unheard) -> object:
        """Take in what is new since; what it tells of that is its own affair."""
        ...

    @contextmanager
    def forget(self, gone: Gone) -> Iterator[None]:  # noqa: ARG002  most follow the log in this too
        """Let nothing stay of what goes while this is open."""
        yield
        self.catch_up()

    def rebuild(self, told: HowFar = unheard) -> int:
        """Make it from nothing; return how much went into it."""
        ...

    def status(self) -> ViewStatus:
        """Say how it stands; what is made in one step always stands."""
        return ViewStatus(ready=True)

    def close(self) -> None:
        """Let go of what is open, if anything is; whoever asks next opens it again."""
        return
