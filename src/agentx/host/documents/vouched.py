"""What a checkout noted of whose words count: what it took over unsigned, and what it doubted.

    {"checkouts": {"<folder>": {"taken_over": [<digest>, ...], "doubted": [<digest>, ...]}}}

The file lies in the user's own store: nobody writes it who can only write the repository.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path

from agentx.host.documents.json_file import json_file
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError

_DOUBTED_MAX = 10_000


class VouchedNotes:
    """The notes of one checkout on one kind of words."""

    def __init__(self, path: Path, checkout: str, clock: Clock, owner: str) -> None:
        self._path = path
        self._checkout = checkout
        self._clock = clock
        self._owner = owner
        self._known: tuple[frozenset[str], frozenset[str]] | None = None

    def look(self, find_unsigned: Callable[[], Iterable[str]]) -> frozenset[str]:
        """Return what was taken over when this checkout first looked; now, where it never did."""
        return self._look(find_unsigned)[0]

    def take_over(self, names: Iterable[str]) -> None:
        """Let words count from now on, whoever signed them."""
        self._look(tuple)
        self._note(frozenset(), frozenset(), frozenset(names))

    def doubt(self, name: str, find_unsigned: Callable[[], Iterable[str]]) -> bool:
        """Note that something is doubted; tell whether it was not before."""
        taken_over, doubted = self._look(find_unsigned)
        if name in doubted:
            return False
        self._note(taken_over, doubted | {name})
        return True

    def _look(
        self, find_unsigned: Callable[[], Iterable[str]]
    ) -> tuple[frozenset[str], frozenset[str]]:
        if self._known is None:
            with suppress(AgentXError, OSError):
                file = json_file(self._path, self._clock, owner=self._owner)
                mine = ((file.read() or {}).get("checkouts") or {}).get(self._checkout)
                if isinstance(mine, dict):
                    self._known = _names(mine, "taken_over"), _names(mine, "doubted")
        if self._known is None:
            return self._note(frozenset(find_unsigned()), frozenset())
        return self._known

    def _note(
        self,
        found: frozenset[str],
        doubted: frozenset[str],
        given: frozenset[str] = frozenset(),
    ) -> tuple[frozenset[str], frozenset[str]]:
        """Note what the first look found, and more; return what is noted.

        What cannot be written is found again the next time.
        """
        self._known = found | given, doubted
        with suppress(AgentXError, OSError):
            file = json_file(self._path, self._clock, owner=self._owner)
            with file.editing() as doc:
                mine = doc.setdefault("checkouts", {}).setdefault(self._checkout, {})
                # Of two that look at once the first counts: what came since is of no first look.
                mine["taken_over"] = sorted({*mine.get("taken_over", found), *given})
                known = {*mine.get("doubted", ()), *doubted}
                mine["doubted"] = sorted(known)[:_DOUBTED_MAX]
                self._known = _names(mine, "taken_over"), _names(mine, "doubted")
        return self._known


def _names(mine: dict[str, object], name: str) -> frozenset[str]:
    found = mine.get(name)
    return frozenset(map(str, found)) if isinstance(found, list) else frozenset()
