"""Documents as an index takes them, said in a line of a test."""

from __future__ import annotations

from agentx.kernel.clock import Millis
from agentx.search.document import Document


def say(doc_id: str, text: str, **changes: object) -> Document:
    """Return what a user said at the beginning of a session; `changes` say otherwise."""
    values: dict[str, object] = {
        "doc_type": "event",
        "doc_id": doc_id,
        "text": text,
        "timestamp_ms": Millis(1),
        "session": "s",
        "role": "user",
    }
    return Document(**{**values, **changes})  # type: ignore[arg-type]  # spelled by the tests
