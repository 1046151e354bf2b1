"""Whose words an event is: signed by its writer, bound to its repository, its issue and its file.

What is signed is the event as canonical JSON with the issue and the writer's file; who signs adds
the repository. So an event that was changed, copied to another issue or repository, or put under
another writer's name is none of the writer's any more.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import replace

from agentx.clarification.model import PERSON
from agentx.clarification.store.question_events import QuestionEvent, line_of
from agentx.kernel.errors import UnavailableError
from agentx.kernel.vouching.signatures import Signatures
from agentx.kernel.vouching.standing import Vouching


def message_of(issue: int, writer: str, event: QuestionEvent) -> bytes:
    """Return what a signature of an event is over, the same however the line is written."""
    bare = line_of(replace(event, key="", signature=""))
    said = {"issue": issue, "writer": writer, "event": bare}
    return json.dumps(said, sort_keys=True, separators=(",", ":")).encode("ascii")


def sign_event(
    issue: int, writer: str, event: QuestionEvent, signatures: Signatures
) -> QuestionEvent:
    """Return an event with its writer's signature.

    Raises: UnavailableError where a person says something and there is no key to sign it with.
    """
    bare = replace(event, writer=writer, key="", signature="")
    key, signature = signatures.sign(message_of(issue, writer, bare))
    if not signature and bare.detail.get("by") == PERSON:
        raise UnavailableError(
            "what a person says is signed, and your key cannot be read or made",
            hint="the data folder must be writable: `agentx doctor` says where it is",
        )
    standing = Vouching.SIGNED if signature else Vouching.UNSIGNED
    return replace(bare, key=key, signature=signature, standing=standing)


def judge_events(
    issue: int, events: Iterable[QuestionEvent], signatures: Signatures
) -> tuple[QuestionEvent, ...]:
    """Return events, each with how it stands."""
    return tuple(judge_event(issue, event, signatures) for event in events)


def judge_event(issue: int, event: QuestionEvent, signatures: Signatures) -> QuestionEvent:
    """Return an event with how it stands."""
    if not event.signature:
        return replace(event, standing=Vouching.UNSIGNED)
    try:
        message = message_of(issue, event.writer, event)
    except RecursionError:  # nested deeper than any of ours
        return replace(event, standing=Vouching.FORGED)
    return replace(event, standing=signatures.judge(event.key, event.signature, message))
