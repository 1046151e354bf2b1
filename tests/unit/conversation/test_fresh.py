"""Goal: what was just written is read without opening it, once, within bounds."""

from __future__ import annotations

import pytest

from agentx.conversation.store import fresh
from agentx.conversation.store.fresh import FreshPayloads


def test_each_payload_is_handed_out_once() -> None:
    held = FreshPayloads()
    held.keep([(b"a", b"one"), (b"b", b"two")])

    assert held.take(b"a") == b"one"
    assert held.take(b"a") is None
    held.clear()
    assert held.take(b"b") is None


def test_the_oldest_go_where_there_are_too_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fresh, "FRESH_BYTES_MAX", 10)
    held = FreshPayloads()
    held.keep([(b"a", b"12345"), (b"b", b"12345")])
    held.keep([(b"c", b"1234567890"), (b"d", b"longer than all")])
    assert [held.take(key) for key in (b"a", b"b", b"c", b"d")] == [None] * 4

    held.keep([(b"e", b"1234567890")])
    assert held.take(b"e") == b"1234567890"
