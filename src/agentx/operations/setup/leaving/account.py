"""What a leaving takes away, and what it has to leave."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from agentx.kernel.errors import AgentXError
from agentx.kernel.values import frozen


@frozen
class GoneThing:
    """Something that is, or with a dry run would be, taken away."""

    owner: str  # an agent CLI, or what else it is of
    path: str
    says: str
    diff: str = ""
    backup: str = ""


@frozen
class LeftThing:
    """Something of ours that stays, why, and what a person can do."""

    path: str
    why: str
    mend: str = ""
    is_fault: bool = True  # it should have gone


@dataclass(slots=True)
class LeavingAccount:
    """What was done so far; `dry_run` says that nothing is."""

    dry_run: bool
    gone: list[GoneThing] = field(default_factory=list)
    left: list[LeftThing] = field(default_factory=list)
    called: set[Path] = field(default_factory=set)  # programs of ours that what stays still calls

    def go(self, owner: str, path: object, says: str, *, diff: str = "", backup: str = "") -> None:
        """Note something that goes."""
        self.gone.append(
            GoneThing(owner=owner, path=str(path), says=says, diff=diff, backup=backup)
        )

    def leave(self, path: object, why: str, mend: str = "", *, is_fault: bool = True) -> None:
        """Note something that stays."""
        self.left.append(LeftThing(path=str(path), why=why, mend=mend, is_fault=is_fault))

    @contextmanager
    def trying(self, path: object) -> Iterator[None]:
        """Note what cannot be done, and go on with the others."""
        try:
            yield
        except AgentXError as error:
            self.leave(path, error.message, error.hint)
        except OSError as error:
            self.leave(path, error.strerror or str(error))
