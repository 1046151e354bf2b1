"""What can go wrong, sorted by what the caller should do next.

    AgentXError
    |- InputError            change the request
    |  |- InvalidValue
    |  |  `- NameMoved
    |  `- NotFound
    |- ConflictError         re-read, then try again
    |  |- IllegalTransition
    |  |- LockHeld
    |  `- StaleVersion
    |- DataError             repair the disk first
    |  |- CorruptRecord
    |  |  `- UnsafePath      (an OSError too: who can do without a file can do without this one)
    |  `- UnsupportedVersion
    |- LimitError            ask for less
    |  `- BudgetExceeded
    `- UnavailableError      try the same request later
       |- AgentUnavailable
       |- DaemonUnavailable
       |- IndexUnavailable
       `- ModelUnavailable

An error carries a stable `code`, a sentence and a hint. It knows nothing of exit
codes or gRPC statuses: each surface has one table for its own language.
"""

from __future__ import annotations

from typing import ClassVar

NOTHING_CHANGED = "; nothing was changed"
_TRY_AGAIN = ", then try again"
_ALL = "what was said is kept"
_MORE = "do not say it again; this file is made by the next command that can write it"


class AgentXError(Exception):
    """The root: something the house foresaw."""

    code: ClassVar[str] = "error"

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    @property
    def whole(self) -> str:
        """What is wrong, with what to do."""
        return f"{self.message} ({self.hint})" if self.hint else self.message


class InputError(AgentXError):
    """Change the request."""

    code = "input"


class InvalidValue(InputError):
    """A value that cannot be used."""

    code = "invalid_value"


class NameMoved(InvalidValue):
    """A name means another question than it did to who says it."""

    code = "NAME_MOVED"


class NotFound(InputError):
    """Nothing has that name."""

    code = "not_found"


class ConflictError(AgentXError):
    """Re-read, then try again."""

    code = "conflict"


class IllegalTransition(ConflictError):
    """The thing is in a state in which this cannot happen."""

    code = "illegal_transition"


class LockHeld(ConflictError):
    """Somebody else holds the lock."""

    code = "lock_held"


class StaleVersion(ConflictError):
    """What was read has changed since."""

    code = "stale_version"


class DataError(AgentXError):
    """Repair the disk first."""

    code = "data"


class CorruptRecord(DataError):
    """Bytes that do not mean what they should."""

    code = "corrupt_record"


class UnsafePath(CorruptRecord, OSError):
    """A link, a device or the like where a repository must have a plain file or folder."""

    code = "unsafe_path"

    def __init__(self, message: str, *, hint: str = "", number: int = 0, path: str = "") -> None:
        super().__init__(message, hint=hint)
        self.errno = number
        self.filename = path

    def __str__(self) -> str:
        return self.message


class UnsupportedVersion(DataError):
    """Written by a version this one does not know."""

    code = "unsupported_version"


class LimitError(AgentXError):
    """Ask for less."""

    code = "limit"


class BudgetExceeded(LimitError):
    """More than the budget holds."""

    code = "budget_exceeded"


class UnavailableError(AgentXError):
    """Try the same request later."""

    code = "unavailable"


class AgentUnavailable(UnavailableError):
    """An agent that was asked gave no answer."""

    code = "agent_unavailable"


class DaemonUnavailable(UnavailableError):
    """The daemon does not answer."""

    code = "daemon_unavailable"


class IndexUnavailable(UnavailableError):
    """The search index cannot be read now."""

    code = "index_unavailable"


class ModelUnavailable(UnavailableError):
    """No model answers."""

    code = "model_unavailable"


def say_kept(error: AgentXError, done: str = _ALL, again: str = _MORE) -> UnavailableError:
    """Return what the disk refused with what was done all the same, and what comes next."""
    why = error.message.removesuffix(NOTHING_CHANGED)
    return UnavailableError(
        f"{why}; {done}", hint=f"{again}; {error.hint.removesuffix(_TRY_AGAIN)}"
    )
