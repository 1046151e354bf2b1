"""Goal: what a question is called stays, however three clones ask and merge.

Method: random histories in memory. After each step no two questions have one name, and a name that
an event says is the same as before, unless an earlier claim arrived; in the end all clones agree.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.clarification.store.naming.numbers import Numbers
from tests.support.naming import NamingClone

_STEPS = st.lists(
    st.tuples(st.integers(0, 2), st.sampled_from(("ask", "ask", "merge")), st.integers(1, 2)),
    max_size=24,
)


def _said(numbers: Numbers) -> dict[str, int]:
    return {uid: held for uid, held in numbers.given.items() if uid not in numbers.unsaid}


@pytest.mark.promise("clarify.merge")
@settings(max_examples=60, deadline=None)
@given(_STEPS)
def test_a_name_once_said_stays_unless_an_earlier_claim_arrives(
    steps: list[tuple[int, str, int]],
) -> None:
    clones = [NamingClone(name) for name in ("aaa111", "bbb222", "ccc333")]
    for turn, (who, act, other) in enumerate(steps):
        clone, before = clones[who], clones[who].fold()
        known = set(clone.events)
        if act == "ask":
            clone.ask(f"topic {turn}")
        else:
            clone.merge(clones[(who + other) % 3])
        after = clone.fold()
        assert len(set(after.numbers.given.values())) == len(after.numbers.given)
        came = [event for event in clone.events.values() if event.id not in known]
        for uid, number in _said(before.numbers).items():
            if after.numbers.given[uid] == number:
                continue
            claims = [
                event.id
                for event in clone.events.values()
                if event.question == uid and event.detail.get("number") == number
            ]
            assert act == "merge"
            assert any(event.id < min(claims) for event in came if "number" in event.detail)
    for clone in clones:
        clone.merge(*clones)
    names = [clone.names() for clone in clones]
    assert names[0] == names[1] == names[2]
    clones[0].ask("the end")
    assert _said(clones[0].fold().numbers) == clones[0].fold().numbers.given
    assert {topic: clones[0].names()[topic] for topic in names[0]} == names[0]
