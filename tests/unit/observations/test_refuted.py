"""Goal: what did not last in a session is not told of it, and what lasted is."""

from __future__ import annotations

import pytest

from agentx.exchanges.exchange import exchanges
from agentx.exchanges.lines import Boot
from agentx.exchanges.turns import TurnKind
from agentx.observations.extract import extract
from agentx.observations.extract.settled.refuted import find_fallen
from agentx.observations.model import Category
from agentx.prose.settling.errands import reports_fault
from tests.support.telling import Talk


def list_told(talk: Talk) -> str:
    kept = [one for one in extract(talk.turns) if one.category is not Category.COMPACTION_SUMMARY]
    return "\n".join(one.content for one in kept)


@pytest.mark.parametrize(
    "refutes",
    [
        "nope, still 40 orphans in the ledger this morning",
        "no, there are still orphans",
        "that didn't help, the job leaves orphans as before",
        "still the same: 40 orphans",
        "nein, immer noch 40 Waisen in `ledger_rows`",
    ],
)
def test_a_claim_that_the_user_refutes_falls(refutes: str) -> None:
    talk = Talk().user("the sweeper leaves orphans in ledger_rows, please mend that")
    talk.edit("jobs/sweep.sql", "a", "b")
    talk.agent("Fixed: `sweep` uses a cascade now, so orphans can't appear any more.")
    talk.user(refutes)
    talk.agent(
        "You're right. The cascade of `sweep` misses rows without `owner_id`, because the import"
        " leaves it empty; these rows must be swept by their `batch_id`."
    )

    told = list_told(talk)
    assert "can't appear any more" not in told
    assert "batch_id" in told


@pytest.mark.parametrize(
    "refutes",
    [
        "still jitters",
        "no. still jitters in the export",
        "better in the editor, export the same",
        "nope",
        "hmm the export is the same",
        "no difference",
        "on my phone it still flickers",
        "didn't help",
        "leider nein",
        "geht immer noch nicht",
        "tampoco",
    ],
)
def test_the_cause_of_a_fix_that_did_not_help_falls_with_it(refutes: str) -> None:
    talk = Talk().user("the player jitters on moving platforms, find out why")
    talk.agent(
        "Fixed! The root cause was that the camera's `position_smoothing` runs in `_process`."
        " Please try the new build."
    )
    talk.user(refutes)
    talk.agent("The cause is `override.cfg`: it sets `physics_ticks` to 30 in the export.")

    told = list_told(talk)
    assert "position_smoothing" not in told
    assert "override.cfg" in told


@pytest.mark.parametrize(
    "denies",
    ["Not the hashing.", "It's not the hashing.", "The hashing was innocent, I put it back."],
)
def test_a_guess_that_the_agent_gives_up_falls(denies: str) -> None:
    talk = Talk().user("it hangs on my nas, fix it")
    talk.agent("I think it's the hashing: blake3 with mmap on NFS stalls.").shell("ls", "x")
    talk.agent(denies).agent("Found it: `follow_links(true)` walks the link for ever.")

    told = list_told(talk)
    assert "stalls" not in told
    assert "follow_links" in told


def test_a_claim_that_the_user_goes_on_from_stands() -> None:
    talk = Talk().user("the sweeper leaves orphans in ledger_rows, please mend that")
    talk.edit("jobs/sweep.sql", "a", "b")
    talk.agent("`sweep` uses a cascade now because rows outlive their `owner_id`.")
    talk.user("still need the docs for it, write them")

    assert "outlive their `owner_id`" in list_told(talk)


def test_an_approach_that_the_user_refuses_falls_with_its_reply() -> None:
    talk = Talk().user("mails go out twice since the upgrade, mend it")
    talk.agent("`Outbox.flush` sends once per worker, so lock it with `SELECT FOR UPDATE`.")
    talk.edit("mail/outbox.py", "a", "b")
    talk.user("wait. don't do that in the database. mark a mail as sent in the queue instead")
    talk.agent("The queue `mail.sent` marks a mail now, and `Outbox.flush` takes no lock.")

    told = list_told(talk)
    assert "SELECT FOR UPDATE" not in told
    assert "mark a mail as sent in the queue" in told


@pytest.mark.parametrize(
    ("proposed", "ruled"),
    [
        ("We should use `epoll` for it.", "use libuv instead of epoll, we build for Windows too"),
        (
            "Hay que usar `epoll`.",
            "Usa libuv en vez de epoll directamente, porque compilamos para Windows",
        ),
        ("Man sollte `epoll` nutzen.", "Nimm libuv statt epoll, wir bauen auch f\u00fcr Windows"),
        (
            "\u5efa\u8bae\u4f7f\u7528 `epoll`\u3002",
            "\u4e0d\u8981\u7528 epoll\uff0c\u7528 libuv \u5427\u3002",
        ),
    ],
)
def test_what_the_agent_would_take_and_the_user_does_not_want_falls(
    proposed: str, ruled: str
) -> None:
    talk = Talk().user("the server falls over with 64 players, find out why")
    talk.agent(
        f"`select()` takes 1024 descriptors only, and a player opens many of them. {proposed}"
    )
    talk.user(ruled)
    talk.agent("`server/net.c` uses libuv now.")

    found = exchanges(talk.turns)
    assert find_fallen(found, Boot(found)) == {"event-001": frozenset({proposed})}


def test_a_guess_that_a_later_sentence_takes_down_falls() -> None:
    talk = Talk().user("why is the planner slow since the release?")
    talk.agent("The planner is slow, likely due to a missing index on `route_id` of `legs`.")
    talk.shell("psql -c '\\d legs'", '"legs_route_id_idx" btree (route_id)')
    talk.agent(
        "My guess was wrong: the index on `route_id` exists. The planner is slow because its"
        " cache `leg_cache` holds 100 rows only."
    )

    told = list_told(talk)
    assert "missing index" not in told
    assert "leg_cache" in told


def test_a_guess_about_another_thing_stands() -> None:
    talk = Talk().user("why is the planner slow since the release?")
    talk.agent(
        "The exporter `csv_dump` is probably slow because it sorts 2,000,000 rows in memory."
    )
    talk.agent("The planner was wrong about `route_id`: its cache `leg_cache` holds 100 rows only.")

    found = exchanges(talk.turns)
    assert find_fallen(found, Boot(found)) == {}


def test_a_doubt_that_the_user_resolves_falls_and_what_it_was_about_stands() -> None:
    talk = Talk().user("push the alerts of the gateway to the pager")
    talk.edit("ops/pager.py", "a", "b")
    talk.agent(
        "The pager only wakes for `severity: page`, so the gateway has to send that. I couldn't"
        " check what severity the gateway sends."
    )
    talk.user("the gateway sends severity page, checked")

    told = list_told(talk)
    assert "severity: page" in told
    assert "couldn't" not in told


def test_a_rule_is_told_apart_from_the_task_that_it_came_with() -> None:
    talk = Talk().user("Speed up the invoice page. Always measure with hyperfine before and after.")
    talk.edit("web/invoice.ts", "a", "b")
    talk.agent("`invoiceStore` rendered on every key press; it uses `useDeferredValue` now.")

    said = [line for line in list_told(talk).split("\n") if line.startswith("The user ")]
    assert said == ["The user said: Always measure with hyperfine before and after."]


def _look_for_it() -> Talk:
    talk = Talk().user("the merge test is flaky, find out why")
    talk.shell("npx vitest run sync", " FAIL  src/sync.test.ts > merges\nTests  1 failed (3)", 1)
    talk.agent("I suspect the debounce timer: `flush()` may run twice when the clock is mocked.")
    talk.edit("src/sync.ts", "debounce(50)", "debounce(0)")
    talk.shell("npx vitest run sync", " FAIL  src/sync.test.ts > merges\nTests  1 failed (3)", 1)
    talk.agent("That was not it. Let me look at the queue.")
    talk.shell("git checkout src/sync.ts", "Updated 1 path from the index")
    talk.agent(
        "Found it: `Queue.push` enqueues the item twice when `retry` is set, because the retry"
        " branch falls through. The timer has nothing to do with it."
    )
    talk.edit("src/queue.ts", "this.items.push(x); this.items.push(x)", "this.items.push(x)")
    talk.shell("npx vitest run sync", "Tests  3 passed (3)")
    talk.user("commit").shell("git commit -am 'Enqueue once'", "[main 4444ddd] Enqueue once")
    return talk.agent("Committed 4444ddd.")


def test_a_guess_falls_and_what_was_found_wrong_is_told_with_what_mended_it() -> None:
    kept = _look_for_it().kept()

    assert not any("suspect" in one for one in kept)
    assert not any("git checkout" in one or "sync.ts (" in one for one in kept)
    (found,) = [one for one in kept if "enqueues the item twice" in one]
    assert found.endswith("(since mended in src/queue.ts)") or "Fixed by: src/queue.ts" in found


def test_what_was_announced_and_then_refused_is_no_purpose_of_a_commit() -> None:
    talk = Talk().user("store the invoices in the database")
    talk.agent("I'll write a migration for `invoice_blob` and stream in 1 MB chunks.")
    talk.add(
        TurnKind.CALL, text="Bash: x", tool="Bash", call_id="c", arguments={"command": "chunk 1MB"}
    )
    refused = "The user doesn't want to proceed with this tool use. The tool use was rejected"
    said = f"{refused}. the user said:\nuse 256 KB chunks, the pooler chokes on more"
    talk.add(TurnKind.RESULT, text=said, tool="Bash", call_id="c", failed=True)
    talk.edit("migrations/0042.sql", "", "create table invoice_blob(id bigint);")
    talk.shell("git commit -am 'Store invoices'", "[main 5555eee] Store invoices")

    assert not any("1 MB" in one for one in talk.agent("It is in.").kept())


# What a reply says, what the user says to it, and what must not be told, and must.
TURNED_DOWN = [
    (
        "Coupons work. A coupon is taken off before tax is added: tax can't be paid with a coupon.",
        "tax should be payable with the coupon too, the page is outdated. change that",
        "can't be paid",
    ),
    (
        "Gutscheine gehen. Versand kann nicht mit dem Gutschein bezahlt werden.",
        "der Versand soll auch mit dem Gutschein gehen, \u00e4nder das",
        "nicht mit dem Gutschein",
    ),
    (
        "Saving works. Next, I propose a `version` field and a migration for each step.",
        "yes to the version field. no migrations, another version means a new game",
        "a migration for each step",
    ),
    (
        "It's leakage. I'd drop `quit_code`; `last_bill` looks fine, it is known then.",
        "drop both, last_bill gets filled in later by finance",
        "looks fine",
    ),
]


def test_what_the_user_wants_otherwise_or_turns_down_is_not_told_as_so() -> None:
    for reply, said, gone in TURNED_DOWN:
        talk = Talk().user("build it").edit("app/cart.rb", "a", "b")
        talk.shell("git commit -qam 'Build it'", "[main 1a2b3c4] Build it").agent(reply)
        talk.user(said).edit("app/cart.rb", "b", "c").agent("Done, as you want it.")
        assert gone not in list_told(talk), reply

    talk = Talk().user("build it").edit("app/cart.rb", "a", "b").agent(TURNED_DOWN[0][0])
    talk.user("tax looks right, and the coupon too").agent("Good.")
    assert "can't be paid" in list_told(talk)


def test_a_value_that_a_later_edit_of_the_session_replaced_is_not_told() -> None:
    said = "`SLEEP_S` is 600 now, the battery lasts 12 months."
    talk = Talk().user("sleep longer").edit("main.c", "#define SLEEP_S 300", "#define SLEEP_S 600")
    talk.agent(said)
    assert "12 months" in list_told(talk)

    talk.user("too coarse. 7").edit("main.c", "#define SLEEP_S 600", "#define SLEEP_S 420")
    talk.agent("The interval of the sensor is 7 minutes.")
    assert "12 months" not in list_told(talk)


def test_a_few_words_that_end_an_attempt_are_told_with_what_it_was_and_what_came_of_it() -> None:
    talk = Talk().user("hash in parallel with threads").agent("`Entry` must be shared for that.")
    talk.user("do it").edit("hash.rs", "a", "b")
    talk.agent("It passes, but it is slower on the disk: 21.9 s against 14.1 s.")
    talk.user("nah. drop it").shell("git checkout -- .", "").agent("Dropped.")

    (told,) = [one for one in list_told(talk).split("\n") if "drop it" in one]
    assert "Given up: hash in parallel with threads" in told
    assert "slower on the disk" in told


def test_what_is_to_be_done_in_a_case_is_a_ruling_and_no_report_of_the_case() -> None:
    said = "redis. but fail open when redis is down"
    talk = Talk().user("limit the calls").agent("I'd use Redis, or the process itself.")
    talk.user(said).edit("a.go", "a", "b").agent("Done.")
    kept = [one.content for one in extract(talk.turns) if one.category is Category.DECISION]

    assert any(said in one for one in kept)
    assert not reports_fault("serve the old page when the hub is offline")
    assert reports_fault("the hub is down")
    # Who weighs what could be done says no more of how things are than why they think so.
    assert not reports_fault("few people print at the moment, perhaps no paper is a good choice")
    assert reports_fault("the printer jams again, perhaps the paper is too thick")
    assert reports_fault("the export crashes when redis is down")
