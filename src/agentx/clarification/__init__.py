"""What agents want to know of each other: asked, answered, settled, or brought to a person.

The front door. The ledgers are facts; `protocol` says what may happen to a
clarification, `scope` who may ask whom, `monitor` what has gone wrong among them.
"""

from agentx.clarification.circling import alike
from agentx.clarification.errors import (
    AgentFailed,
    ClarificationNotFound,
    LockTimeout,
    MaxRoundsExceeded,
    ScopeViolation,
    agent_failed,
)
from agentx.clarification.events import (
    NAMES,
    ClarificationAnswered,
    ClarificationEscalated,
    ClarificationEvent,
    ClarificationRequested,
    ClarificationResolved,
    ClarificationStale,
    LedgerLocked,
    LedgerReleased,
    MonitorRan,
    payload_of,
)
from agentx.clarification.metrics import Metrics, digest_lines, metrics, thread_lines
from agentx.clarification.model import (
    HUB,
    PERSON,
    Clarification,
    Entry,
    EntryType,
    Ledger,
    Reason,
    Status,
)
from agentx.clarification.monitor import World
from agentx.clarification.rendering import (
    comment,
    inbox_line,
    listing,
    marker,
    next_actions,
    outbox_line,
    routing,
    stream,
    stream_entry,
    terminal,
)
from agentx.clarification.scope import Request, Scope, checked_text, permit
from agentx.clarification.service import Check, Clarifications, Survey
from agentx.clarification.store.ledger_json import as_json
from agentx.clarification.store.ledgers import LedgerStore
from agentx.clarification.summary import injected

__all__ = [
    "AgentFailed",
    "Check",
    "Clarification",
    "ClarificationAnswered",
    "ClarificationEscalated",
    "ClarificationEvent",
    "ClarificationNotFound",
    "ClarificationRequested",
    "ClarificationResolved",
    "ClarificationStale",
    "Clarifications",
    "Entry",
    "EntryType",
    "HUB",
    "Ledger",
    "LedgerLocked",
    "LedgerReleased",
    "LedgerStore",
    "LockTimeout",
    "MaxRoundsExceeded",
    "Metrics",
    "MonitorRan",
    "NAMES",
    "PERSON",
    "Reason",
    "Request",
    "Scope",
    "ScopeViolation",
    "Status",
    "Survey",
    "World",
    "agent_failed",
    "alike",
    "as_json",
    "checked_text",
    "comment",
    "digest_lines",
    "inbox_line",
    "injected",
    "listing",
    "marker",
    "metrics",
    "next_actions",
    "outbox_line",
    "payload_of",
    "permit",
    "routing",
    "stream",
    "stream_entry",
    "terminal",
    "thread_lines",
]
