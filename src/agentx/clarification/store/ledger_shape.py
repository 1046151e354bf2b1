"""Whether bytes are a ledger, told fast: an issue may have had hundreds of clarifications.

What passes here would be read by `ledger_json` without a fault. What does not may still
be readable there, where a fault also gets its sentence.
"""

from __future__ import annotations

from datetime import datetime

import msgspec

from agentx.clarification.model import ClarificationStatus, EntryType, Reason


class _Entry(msgspec.Struct, rename="camel"):
    round: int
    speaker: str = msgspec.field(name="from")
    type: EntryType
    body: str
    timestamp: datetime
    late: bool = False
    via: str = ""


class _Retry(msgspec.Struct):
    at: datetime
    runner: str = ""
    outcome: str = ""


class _Clarification(msgspec.Struct, rename="camel"):
    id: str
    asker: str = msgspec.field(name="from")
    to: str
    topic: str
    blocking: bool
    status: ClarificationStatus
    round: int
    max_rounds: int
    created: datetime
    stale_after: datetime
    resolved_at: datetime | None
    thread: list[_Entry]
    sla_minutes: int = 0
    retries: int = 0
    went_stale: int = 0
    reason: Reason | None = None
    summary: str = ""
    retry: _Retry | None = None


class _Ledger(msgspec.Struct, rename="camel"):
    issue_number: int
    clarifications: list[_Clarification]


_DECODER = msgspec.json.Decoder(_Ledger)


def is_surely_whole(raw: bytes) -> bool:
    """Tell whether every row has the fields of a ledger; not whether the ids are this issue's."""
    try:
        _DECODER.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        return False
    return True
