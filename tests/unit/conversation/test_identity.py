"""Goal: an event is stored once, however often and however it arrives; two events stay two.

Method: the pure rule alone, with hand-made deliveries.
"""

from __future__ import annotations

from agentx.conversation.identity import Occurrence, delivery_of, identity_within, judge
from agentx.conversation.limits import SAME_DELIVERY_MS_MAX
from agentx.kernel.capture import Channel, Draft
from agentx.kernel.ids import EventId, spell
from tests.support.drafts import draft
from tests.support.time_and_chance import START_MS

FIRST = EventId("01JNB2A0000000000000000001")


def identity_of(draft: Draft, project: str) -> bytes:
    return identity_within(spell(project, draft.harness, draft.session_id), draft)


def _seen(*drafts: Draft) -> tuple[Occurrence, ...]:
    return (Occurrence(event_id=FIRST, deliveries=tuple(delivery_of(one) for one in drafts)),)


def test_the_same_source_id_is_the_same_event_whatever_the_time_and_text() -> None:
    hook = draft("Bash: ls", source_id="toolu_1", at=10)
    transcript = draft("Bash: ls -a", source_id="toolu_1", at=900, channel=Channel.TRANSCRIPT)

    assert identity_of(hook, "p") == identity_of(transcript, "p")


def test_identity_tells_projects_sessions_harnesses_and_kinds_apart() -> None:
    one = draft(source_id="x")
    others = [
        draft(source_id="x", session_id="s-2"),
        draft(source_id="x", harness="codex"),
        draft(source_id="x", kind="note"),
        draft(source_id="y"),
    ]

    seen = {identity_of(one, "p"), identity_of(one, "q"), *(identity_of(o, "p") for o in others)}
    assert len(seen) == 6


def test_a_fingerprint_never_collides_with_a_source_id() -> None:
    assert identity_of(draft(source_id="abc"), "p") != identity_of(draft(fingerprint="abc"), "p")


def test_two_hooks_of_one_cli_deliver_one_event() -> None:
    first = draft("yes", delivery="d", at=0)
    again = draft("yes", delivery="d", at=SAME_DELIVERY_MS_MAX)

    assert judge(again, _seen(first)).known == FIRST


def test_the_same_payload_much_later_is_another_event() -> None:
    first = draft("resume", delivery="d", at=0)
    later = draft("resume", delivery="d", at=SAME_DELIVERY_MS_MAX + 1)

    assert judge(later, _seen(first)).known is None


def test_the_same_payload_after_the_session_went_on_is_another_event() -> None:
    first = draft("ended", delivery="d", at=0)
    resumed_and_ended = draft("ended", delivery="d", at=500)

    assert judge(resumed_and_ended, _seen(first), last_ms=START_MS + 300).known is None
    assert judge(resumed_and_ended, _seen(first), last_ms=START_MS).known == FIRST


def test_a_record_taken_twice_is_the_same_event_whatever_came_after_it() -> None:
    first = draft("ended", delivery="d", at=0)

    assert judge(first, _seen(first), last_ms=START_MS + 9_000).known == FIRST


def test_a_transcript_claims_what_the_hook_saw_and_claims_it_once() -> None:
    hook = draft("yes", delivery="d1")
    imported = draft("yes", delivery="uuid-1", channel=Channel.TRANSCRIPT, at=50)
    second = draft("yes", delivery="uuid-2", channel=Channel.TRANSCRIPT, at=90)

    claimed = judge(imported, _seen(hook))
    assert claimed.known == FIRST
    assert claimed.occurrences is not None
    assert judge(imported, claimed.occurrences).known == FIRST
    assert judge(second, claimed.occurrences).known is None


def test_through_the_api_the_same_words_at_another_time_are_another_event() -> None:
    first = draft("ok", channel=Channel.API, at=0)

    assert identity_of(first, "p") == identity_of(draft("ok", channel=Channel.API, at=0), "p")
    assert identity_of(first, "p") != identity_of(draft("ok", channel=Channel.API, at=1), "p")
