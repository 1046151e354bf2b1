"""Goal: keys have the bytes that the format promises, and damaged ones are refused.

Method: literal examples; round trips and order are in tests/property/test_keys.py.
"""

from __future__ import annotations

from collections.abc import Callable

import pytest

from agentx.host.kv import keys
from agentx.kernel.errors import CorruptRecord, InvalidValue
from agentx.kernel.ids import EventId, ulid

AT_MS = 1_772_445_600_000
EVENT_ID = ulid(AT_MS, bytes(range(10)))
EVENT_KEY = b"evt:1772445600000:" + EVENT_ID.encode()
REF = bytes(range(16))
REF_HEX = b"000102030405060708090a0b0c0d0e0f"


def test_keys_have_the_bytes_of_the_format() -> None:
    assert keys.event_key(AT_MS, EVENT_ID) == keys.event_key_of(EVENT_ID) == EVENT_KEY
    assert keys.session_key(REF) == b"ses:" + REF_HEX
    assert keys.session_event_head(REF) == b"six:" + REF_HEX + b":"
    assert keys.identity_key(b"\x01\xff") == b"idn:01ff"
    assert keys.event_seal_key(EVENT_ID) == b"kev:" + EVENT_ID.encode()
    assert keys.session_seal_key(REF) == b"kse:" + REF_HEX
    assert keys.outbox_key(7) == b"out:00000000000000000007"
    assert keys.checkpoint_key("toc/\u00fc") == b"chk:toc/\xc3\xbc"


def test_the_keys_of_a_new_event_are_those_by_which_it_is_found() -> None:
    made = keys.new_event_keys(AT_MS, EventId(EVENT_ID), keys.session_event_head(REF))

    seal = keys.event_seal_key(EVENT_ID)
    assert made == (EVENT_KEY, seal, keys.session_event_head(REF) + EVENT_KEY)
    assert keys.event_seal_key_of(EVENT_KEY) == seal


def test_a_time_before_2001_is_padded_so_that_it_sorts_first() -> None:
    assert keys.event_key(5, EVENT_ID) == b"evt:0000000000005:" + EVENT_ID.encode()


@pytest.mark.parametrize("at_ms", [-1, 10**13])
def test_a_time_that_does_not_fit_is_refused(at_ms: int) -> None:
    with pytest.raises(InvalidValue):
        keys.event_key(at_ms, EVENT_ID)
    with pytest.raises(InvalidValue):
        keys.new_event_keys(at_ms, EventId(EVENT_ID), b"")


@pytest.mark.parametrize(
    "text", ["", "x", EVENT_ID[:-1], EVENT_ID + "0", "../" + EVENT_ID[3:], "\u00fc" * 26]
)
def test_what_is_no_id_is_refused(text: str) -> None:
    for build in (keys.event_key_of, keys.event_seal_key, lambda each: keys.event_key(1, each)):
        with pytest.raises(InvalidValue):
            build(text)


def test_the_range_of_all_holds_the_first_and_the_last() -> None:
    start, end = keys.event_range()

    assert start <= keys.event_key(0, EVENT_ID) < keys.event_key(10**13 - 1, EVENT_ID) < end


def test_a_range_of_time_takes_bounds_beyond_what_keys_hold() -> None:
    assert keys.event_range(-5, 10**15) == (b"evt:0000000000000", keys.event_range()[1])


@pytest.mark.parametrize(
    ("parse", "damaged"),
    [
        (keys.event_id_of, b""),
        (keys.event_id_of, EVENT_KEY[:-1]),
        (keys.event_id_of, b"evx:" + EVENT_KEY[4:]),
        (keys.event_parts, EVENT_KEY.replace(b"17724", b"17x24")),
        (keys.event_parts, EVENT_KEY.replace(b":", b";")),
        (keys.event_id_of, EVENT_KEY[:-1] + b"\xff"),
        (keys.session_ref_of, b"ses:" + REF_HEX[:-2]),
        (keys.session_ref_of, b"ses:" + b"zz" * 16),
        (keys.session_ref_of, b"six:" + REF_HEX),
        (keys.session_event_of, b"ses:" + REF_HEX + b":" + EVENT_KEY),
        (keys.session_event_of, b"six:" + REF_HEX + b":" + EVENT_KEY[1:]),
        (keys.outbox_sequence_of, b"out:1"),
        (keys.outbox_sequence_of, b"out:" + b"x" * 20),
        (keys.checkpoint_name_of, b"chk:\xff"),
        (keys.checkpoint_name_of, b"x"),
    ],
)
def test_a_damaged_key_is_refused(parse: Callable[[bytes], object], damaged: bytes) -> None:
    with pytest.raises(CorruptRecord):
        parse(damaged)
