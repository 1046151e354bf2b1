"""Goal: of many needles none that is in a text is missed, however the text is cut into words."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.redaction import redact
from agentx.redaction.spotting import Needles, run_of, split_words

NEEDLES = (
    *(b"api_key", b"secret", b"<private", b"-us1", b"password=", b"kata sandi", b"key"),
    *(b"_pat=", b"?code=", b"token is"),
)
known = Needles(NEEDLES)  # one for all texts: what it remembers must not mislead it


@given(
    st.lists(
        st.one_of(
            st.sampled_from(NEEDLES),
            st.binary(max_size=12),
            st.sampled_from((b" ", b"e", b"path", b"=", b"_", b"pat", b"code", b"token")),
        ),
        max_size=8,
    ).map(b"".join)
)
def test_every_needle_that_is_in_a_text_is_spotted(text: bytes) -> None:
    lowered = text.lower()

    spotted = known.spot(set(split_words(lowered)))

    assert spotted >= {needle for needle in NEEDLES if needle in lowered}


def test_words_that_hold_no_run_of_a_needle_spot_none() -> None:
    assert known.spot({b"harbour", b"keep", b"secre", b"t"}) == set()


def test_where_a_needle_has_a_sign_its_word_ends() -> None:
    assert known.spot({b"pattern", b"codes", b"decode", b"tokens", b"usb1"}) == set()
    assert known.spot({b"pat", b"code", b"mytoken", b"us12"}) == {
        *(b"_pat=", b"?code=", b"token is", b"-us1"),
    }


def test_a_needle_goes_by_its_longest_run_of_letters_and_digits() -> None:
    assert run_of(b"kata sandi") == b"sandi"
    assert run_of(b"$6$") == b""


def test_what_is_remembered_of_many_texts_hides_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = Random(5)
    sought = redact._Sought()
    needles = [*sought.words, *sought.vendors, b"key = a1b2c3d4e5f6g7h8i9j0", b"https://me@host"]
    heads = [raw for _, raw in redact._HEADS]
    letters = b"abcdefgh0123456789ABCDEFGH"
    pieces = [b"", b" ", b"  ", b"\t", b"=", b": ", b"s.", b"$", b"Basic ", b"way", b"log.print("]
    texts = []
    for number in range(1_200):
        held = (needles if number % 2 else heads)[
            number // 2 % (len(needles) if number % 2 else len(heads))
        ]
        tail = bytes(chance.choices(letters, k=chance.choice((3, 24, 30, 90))))
        around = [chance.choice(pieces) for _ in range(5)]
        texts.append(
            b"".join(
                (
                    around[0],
                    held.upper() if number % 7 == 0 else held,
                    *around[1:3],
                    tail,
                    *around[3:],
                )
            )
        )

    def look_alone(text: bytes) -> frozenset[str]:
        for name, empty in (("_made", []), ("_tokenless", set()), ("_may_be", {})):
            monkeypatch.setattr(redact, name, empty)
        return redact._look(text.decode())

    once = [redact._look(text.decode()) for text in texts]
    again = [redact._look(text.decode()) for text in texts]
    alone = [look_alone(text) for text in texts[::20]]

    assert again == once
    assert once[::20] == alone
    assert sum(map(bool, again)) > 700
