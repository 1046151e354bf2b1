"""Goal: what is new is told in parts that keep a session together, and miss nothing."""

from __future__ import annotations

from functools import partial

from agentx.conversation.service import Conversation
from agentx.conversation.store.log import LogStore
from agentx.conversation.store.toc import TocStore
from agentx.kernel.bus import Bus
from agentx.kernel.capture import EventType
from tests.support.memory_kv import MemoryStore
from tests.support.session_bench import BEGIN_MS, said
from tests.support.time_and_chance import CountingEntropy, FakeClock


def test_a_session_that_goes_on_is_not_parted_unless_it_is_long() -> None:
    kv = MemoryStore()
    log = LogStore(kv, entropy=CountingEntropy())
    clock = FakeClock(BEGIN_MS)
    ferry, shop = (
        Conversation(log, project=name, clock=clock, bus=Bus()) for name in ("ferry", "shop")
    )
    for session, count in (("s-1", 3), ("s-2", 12), ("s-3", 1)):
        drafts = [
            said(number, EventType.USER_MESSAGE, f"number {number}", session)
            for number in range(count)
        ]
        shop.append(drafts)
    ferry.append([said(1, EventType.USER_MESSAGE, "ahoy")])

    feed = shop.feed(partial(TocStore, kv, log))
    since, parts = 0, []
    while (news := feed.news(since, 2)).entries:
        assert news.is_complete
        assert news.sequence == since + news.entries
        since = news.sequence
        parts.append([len(places) for places in news.touched.values()])

    assert parts == [[3], [8], [4], [1]]
    assert since == feed.newest_sequence() == 17
