"""How a long job tells how far it is."""

from __future__ import annotations

from collections.abc import Callable

Told = Callable[[int, int], None]  # (done, total); may raise to make the job leave off


def unheard(_done: int, _total: int) -> None:
    """Tell nobody."""
