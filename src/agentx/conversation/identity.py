"""Whether an event is new: identity decides, never the key.

A hook and a transcript give the same event different times, so the key cannot
tell. Where the agent CLI gives an id of its own, that id is the identity. Where
it gives none, events of the same session, kind and content are *occurrences*,
and the n-th that hooks delivered is the n-th that the transcript holds:

    draft of channel c, delivery d
      |- some occurrence already had (c, d)          -> the same event again
      |- some occurrence was not yet seen through c  -> the other channel's event: claimed
      `- otherwise                                   -> a new occurrence

Two hooks installed for one CLI deliver the same payload within moments, with nothing
of that session in between; that is one delivery. The same payload later, or after the
session went on (it was resumed and ended again), is another.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.conversation.limits import SAME_DELIVERY_MS_MAX
from agentx.kernel.capture import Channel, Draft, text_print
from agentx.kernel.clock import Millis
from agentx.kernel.ids import EventId, hash_text, spell
from agentx.kernel.values import frozen


@frozen
class Delivery:
    """How one channel handed an occurrence over."""

    channel: str
    delivery: str
    at_ms: Millis


@frozen
class Occurrence:
    """One event among those that look alike."""

    event_id: EventId
    deliveries: tuple[Delivery, ...]


@frozen
class DraftVerdict:
    """What a draft turned out to be.

    `known` is the event it is, or None for a new one; `occurrences` is the list to keep, or None
    when it has not changed. For a new event the caller appends the occurrence itself.
    """

    known: EventId | None
    occurrences: tuple[Occurrence, ...] | None


def identity_within(session: str, draft: Draft) -> bytes:
    """Return an event's identity; `session` spells its project, harness and session."""
    named = draft.source_id or "~" + fingerprint_of(draft)
    return hash_text(session + spell(draft.known_as or draft.event_type, named))


def fingerprint_of(draft: Draft) -> str:
    """Return what stands for the content of an event without an id of its own.

    Through the API the time is part of it: a client that repeats a call means the same event, one
    that says the same words at another time means another.
    """
    if draft.fingerprint:
        return draft.fingerprint
    if draft.channel is Channel.API:
        return text_print(draft.text, str(draft.timestamp_ms))
    return text_print(draft.text)


def judge(draft: Draft, occurrences: tuple[Occurrence, ...], *, last_ms: int = 0) -> DraftVerdict:
    """Tell whether a draft without a source id is one of the occurrences.

    `last_ms` is the time of the newest event of its session so far.
    """
    arrived = delivery_of(draft)
    for occurrence in occurrences:
        if any(_same(arrived, seen, last_ms) for seen in occurrence.deliveries):
            return DraftVerdict(known=occurrence.event_id, occurrences=None)
    for index, occurrence in enumerate(occurrences):
        if all(seen.channel != arrived.channel for seen in occurrence.deliveries):
            claimed = replace(occurrence, deliveries=(*occurrence.deliveries, arrived))
            changed = (*occurrences[:index], claimed, *occurrences[index + 1 :])
            return DraftVerdict(known=occurrence.event_id, occurrences=changed)
    return DraftVerdict(known=None, occurrences=occurrences)


def delivery_of(draft: Draft) -> Delivery:
    """Return how this draft was handed over."""
    return Delivery(channel=draft.channel, delivery=draft.delivery, at_ms=draft.timestamp_ms)


def _same(arrived: Delivery, seen: Delivery, last_ms: int) -> bool:
    if arrived.channel != seen.channel or arrived.delivery != seen.delivery:
        return False
    if arrived.channel != Channel.HOOK:
        return True
    went_on = seen.at_ms < last_ms <= arrived.at_ms
    return not went_on and abs(arrived.at_ms - seen.at_ms) <= SAME_DELIVERY_MS_MAX
