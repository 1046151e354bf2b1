"""Errors in the language of a terminal: one table from the error tree to exit codes."""

from __future__ import annotations

import errno

import click

from agentx.kernel.errors import (
    AgentXError,
    ConflictError,
    DataError,
    InputError,
    LimitError,
    UnavailableError,
)
from agentx.kernel.values import frozen

EXIT_CODES: dict[type[AgentXError], int] = {
    InputError: 2,
    ConflictError: 3,
    DataError: 4,
    LimitError: 5,
    UnavailableError: 6,
}

_HINTS = {
    errno.ENOSPC: "free some space: nothing was lost, what was not acknowledged can be sent again",
    errno.EDQUOT: "free some space: nothing was lost, what was not acknowledged can be sent again",
    errno.EROFS: "the file system is read-only",
    errno.EACCES: "check who owns the file and its permissions",
    errno.EPERM: "check who owns the file and its permissions",
}


class Interrupted(click.exceptions.Abort):
    """Somebody ended a command; what it did stays, and the hint says how to go on."""

    def __init__(self, hint: str) -> None:
        super().__init__()
        self.hint = hint


@frozen
class Failure:
    """What is said when a command fails."""

    exit_code: int
    code: str
    message: str
    hint: str = ""

    def as_text(self) -> str:
        """Return what a person reads."""
        text = f"agentx: {self.message}\n"
        return text + f"\nhint: {self.hint}\n" if self.hint else text

    def as_data(self) -> dict[str, dict[str, str]]:
        """Return what a program reads."""
        return {"error": {"code": self.code, "message": self.message, "hint": self.hint}}


def failure_of(error: AgentXError | OSError) -> Failure:
    """Translate an error."""
    if isinstance(error, AgentXError):
        exit_code = next((code for kind, code in EXIT_CODES.items() if isinstance(error, kind)), 1)
        return Failure(exit_code=exit_code, code=error.code, message=error.message, hint=error.hint)
    where = f"{error.filename}: " if error.filename else ""
    return Failure(
        exit_code=EXIT_CODES[UnavailableError],
        code="unavailable",
        message=f"{where}{error.strerror or error}",
        hint=_HINTS.get(error.errno or 0, ""),
    )


def unforeseen(error: Exception) -> Failure:
    """Say that something nobody foresaw went wrong, and where, so that it can be reported."""
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    return Failure(
        exit_code=1,
        code="internal",
        message=f"unforeseen {type(error).__name__} in {last.name}, line {last.lineno}: {error}",
        hint="nothing that was acknowledged is lost; please report this with the command you ran",
    )
