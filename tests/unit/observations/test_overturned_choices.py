"""Goal: of choices that were turned round several times only the last stands.

Method: memories in their order, of several sessions; beside them some that only sound like it.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from agentx.kernel.clock import Millis
from agentx.observations.model import Category, SearchFilters
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.validity.choices.since_then import find_since, tell_since
from agentx.observations.validity.marking import mark_superseded
from agentx.observations.validity.supersede import find_superseded
from tests.support.observations import observation
from tests.support.telling import Talk
from tests.support.time_and_chance import CountingEntropy, FakeClock
from tests.unit.observations.test_superseding import made

FACT, CHANGE, DECISION = Category.KEY_FACT, Category.CODE_CHANGE, Category.DECISION
SAID = "The user said: "


def _list_standing(*told: tuple[Category, str]) -> list[int]:
    """Return the places of those that stand; what was changed was changed in one file."""
    every = [
        made(at, kind, text, issue=0, files=("app/auth.py",) if kind is CHANGE else ())
        for at, (kind, text) in enumerate(told)
    ]
    gone = {old for old, _ in find_superseded(every)}
    return [at for at, one in enumerate(every) if one.id not in gone]


@pytest.mark.parametrize(
    "said",
    [
        (
            "we use Redis for the queue | Postgres for the queue instead of Redis"
            " | back to Redis for the queue, Postgres was too slow"
        ),
        "npm it is | pnpm, not npm | ok back to npm, pnpm breaks the Docker build",
        "let's use tabs | spaces instead of tabs please | tabs after all",
        (
            "use cookies for the session | switch from cookies to JWT for the session"
            " | return to cookies for the session"
        ),
        "deploy to Fly | we moved from Fly to Hetzner | we go back to Fly",
        (
            "GraphQL for the mobile api | REST for the mobile api, drop GraphQL"
            " | GraphQL again for the mobile api, REST needs nine calls"
        ),
        (
            "wir nehmen Redis f\u00fcr die Queue | Postgres statt Redis f\u00fcr die Queue"
            " | doch wieder Redis f\u00fcr die Queue"
        ),
    ],
)
def test_who_goes_back_to_the_first_choice_takes_the_second_back(said: str) -> None:
    told = [(DECISION, SAID + each) for each in said.split(" | ")]

    assert _list_standing(*told) == [2]


@pytest.mark.parametrize(
    "said",
    [
        "switch from cookies to JWT for the session | back to cookies for the admin",
        "we moved from Fly to Hetzner | go back to the list of invoices after saving",
        "drop GraphQL | roll back to the last release first",
    ],
)
def test_who_goes_back_for_another_thing_takes_nothing_back(said: str) -> None:
    told = [(DECISION, SAID + each) for each in said.split(" | ")]

    assert _list_standing(*told) == [0, 1]


CHOSE = "The user chose: middleware; The agent: I recommend it because it cannot be forgotten."


@pytest.mark.parametrize(
    ("old", "new", "is_gone"),
    [
        ((DECISION, CHOSE), "Replace the permission middleware by policies (commit 2222bbb)", True),
        ((DECISION, CHOSE), "Row level security instead of middleware (commit 4444ddd)", True),
        (
            (DECISION, SAID + "Let's do long polling"),
            "Webhooks instead of polling (commit 1a)",
            True,
        ),
        (
            (DECISION, SAID + "the middleware for lists, policies only for single objects"),
            "Row level security instead of middleware and policies (commit 4444ddd)",
            True,
        ),
        (
            (DECISION, SAID + "Formulare mit Vorlagen, Listen mit Tabellen"),
            "Karten statt Vorlagen und Tabellen (commit 4444ddd)",
            True,
        ),
        (
            (CHANGE, "Check lists in the middleware (commit 3333ccc)"),
            "Row level security instead of middleware and policies (commit 4444ddd)",
            True,
        ),
        (
            (DECISION, SAID + "tables of prices have a caption"),
            "Cards instead of tables in the report (commit 4444ddd)",
            False,
        ),
        (
            (DECISION, SAID + "the middleware logs each request with its id"),
            "Row level security instead of middleware and policies (commit 4444ddd)",
            False,
        ),
        (
            (CHANGE, "Add an id column to users (commit 3333ccc)"),
            "Show names instead of ids in the list (commit 4444ddd)",
            False,
        ),
        ((DECISION, CHOSE), "Sort by name instead of date (commit 4444ddd)", False),
    ],
)
def test_a_commit_that_takes_something_instead_takes_down_what_chose_it(
    old: tuple[Category, str], new: str, is_gone: bool
) -> None:
    assert _list_standing(old, (CHANGE, new)) == ([1] if is_gone else [0, 1])


@pytest.mark.parametrize(
    ("fact", "is_gone"),
    [
        ("All 61 routes are in `app/permissions.toml`. Others answer 403.", True),
        ("Lists are fast. Two places now: `app/permissions.toml` and `app/policies/`.", True),
        ("Rules moved from `app/permissions.toml` to `app/rules.py`.", False),
        ("Lists are fast: `app/rules.py` reads once.", False),
    ],
)
def test_what_speaks_only_of_paths_that_are_gone_is_gone(fact: str, is_gone: bool) -> None:
    gone = "`app/permissions.toml` and `app/policies/` are gone. Migrations run as `owner`."

    assert _list_standing((FACT, fact), (FACT, gone)) == ([1] if is_gone else [0, 1])


@pytest.mark.parametrize(
    ("old", "new", "is_gone"),
    [
        ("ask Karin before any change in billing, she owns it.", "Karin left, Tom owns it.", True),
        ("Petra reviews everything under infra/", "Petra ist weg, frag Sven", True),
        ("keep using make ship.", "make ship is dead, it's `just release` since May", True),
        ("ask Karin before any change in billing", "Karin left the review open", False),
        ("ask Tom before any change in billing", "Karin left, Tom owns it.", False),
    ],
)
def test_what_was_for_who_left_or_for_a_dead_tool_is_over(
    old: str, new: str, is_gone: bool
) -> None:
    told = [(DECISION, SAID + each) for each in (old, new)]

    assert _list_standing(*told) == ([1] if is_gone else [0, 1])


def test_a_choice_after_a_complaint_is_a_decision_from_the_first_message_on() -> None:
    said = "the middleware can't see the object. I hate it. Let's do policy classes"
    talk = Talk().user(said).edit("auth.py", "a", "b").agent("Agreed: a policy sees the object.")

    assert any("policy classes" in one.content for one in talk.found(DECISION))


@pytest.mark.parametrize(
    ("reply", "is_open"),
    [
        ("`a.toml` is gone. Not converted yet: the export job.", True),
        ("The importer works. Not migrated: the two cron jobs.", True),
        ("Erledigt. Noch nicht umgestellt: der Export.", True),
        ("The importer works. Not affected: the admin pages.", False),
    ],
)
def test_what_was_not_done_yet_is_open_whatever_the_work(reply: str, is_open: bool) -> None:
    kept = Talk().user("convert it").edit("a.py", "b", "c").agent(reply).kept()

    assert any(each.startswith("Left open: ") for each in kept) == is_open


# What was chosen, what is said later, and whether the first stands.
LATER = [
    (
        DECISION,
        "The user chose: 2; 2: CSV rows: streams, a row each",
        "`csv` must be one sheet after all",
        0,
    ),
    (
        DECISION,
        f"{SAID}vale, mongo-lite. Las fotos van al disco",
        "Replace mongo-lite by pg (commit 1a2b3c4)",
        0,
    ),
    (
        FACT,
        f"{SAID}ok, left-pad. and the rest stays",
        "Replace left-pad by padStart (commit 1a2b3c4)",
        0,
    ),
    (
        FACT,
        f"{SAID}ok, left-pad. and the rest stays",
        "Replace right-pad by padEnd (commit 1a2b3c4)",
        1,
    ),
    (
        DECISION,
        f"{SAID}keep the proxy until Monday, then drop nginx",
        f"{SAID}drop nginx please",
        0,
    ),
    (DECISION, f"{SAID}keep the proxy until Monday, then drop nginx", f"{SAID}drop the logs", 1),
    (DECISION, f"{SAID}only the pilot users for now", f"{SAID}give it to all users", 0),
    (DECISION, f"{SAID}only the pilot users see prices", f"{SAID}give it to all users", 1),
    (DECISION, f"{SAID}vorerst nur die Nutzer in Bremen", f"{SAID}ab heute alle Nutzer", 0),
]


def test_what_was_chosen_for_a_time_or_by_its_name_falls_with_what_comes_after_it() -> None:
    for kind, first, then, stands in LATER:
        by = f"{SAID}{then}" if then.startswith("`csv`") else then
        later = CHANGE if "(commit" in by else DECISION
        assert (0 in _list_standing((kind, first), (later, by))) == bool(stands), (first, then)


# What is known, what is said later, and what is told of it beside the first.
PARTLY = [
    (
        f"{SAID}always lint before a push, level 6",
        f"{SAID}lint level 6 is getting silly with the old code, 5 is enough from now on",
        "5 is enough from now on",
    ),
    (
        "What of old files? The user answered: Keep for 30 days: in the archive",
        f"{SAID}legal says 30 days in the archive is too long, 14 max. and thanks",
        "14 max",
    ),
    (
        f"{SAID}Sitzung: 30 Minuten, danach abmelden",
        f"{SAID}30 Minuten Sitzung ist zu lang, 15",
        "15",
    ),
    (
        "The user approved a plan: uploads; signed PUT links",
        "Signed POST instead of PUT.",
        "Signed",
    ),
    (
        f"{SAID}the drift check runs hourly and a full one nightly",
        f"{SAID}the hourly check is too noisy, once a day is enough",
        "once a day is enough",
    ),
    (f"{SAID}backups nightly, rates hourly", f"{SAID}please do the rates every 4 hours", "please"),
    (f"{SAID}backups nightly, rates hourly", f"{SAID}the mails every 4 hours", ""),
    (f"{SAID}backups nightly, rates hourly", f"{SAID}why are the rates only weekly?", ""),
    (f"{SAID}always lint before a push, level 6", f"{SAID}the list of 6 rows is too slow, 2 s", ""),
    (f"{SAID}keep logs for 30 days", f"{SAID}30 MB of images is too much, 14 at most", ""),
    ("The user approved a plan: uploads; signed PUT links", "We use npm instead of yarn.", ""),
]


def test_what_was_said_of_a_part_is_told_beside_what_stands_of_the_rest() -> None:
    for at, (first, then, since) in enumerate(PARTLY):
        old, new = made(2 * at, DECISION, first), made(2 * at + 1, DECISION, then)
        found = find_since(new, old)
        assert found.startswith(since), (first, then, found)
        assert bool(found) == bool(since), (first, then, found)

    told = tell_since("Keep for 30 days.", "14 max.")
    assert told == "Keep for 30 days (since then: 14 max)"


def test_what_changed_since_is_marked_in_the_store_whichever_was_captured_first(
    tmp_path: Path,
) -> None:
    texts = [PARTLY[0][0], PARTLY[0][1]]
    for order in ((0, 1), (1, 0)):
        store = JsonObservationStore(
            tmp_path / f"{order[0]}",
            clock=FakeClock(),
            entropy=CountingEntropy(),
            view_folder=tmp_path / f"words-{order[0]}",
        )
        for number in order:
            one = replace(
                observation(
                    texts[number], category=DECISION, at_ms=Millis(1_000_000 * (number + 1))
                ),
                summary=texts[number],
                session_id=f"s{number}",
            )
            store.store([one])
            mark_superseded(store, [one])
        standing = store.search_by_filters(SearchFilters(superseded=False))
        assert sorted(row.summary for row in standing) == sorted(
            [f"{texts[0]} (since then: 5 is enough from now on)", texts[1]]
        ), order
        store.close()


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((DECISION, SAID + "use Redis for the jobs"), "Run jobs in GoodJob, no Redis"),
        ((CHANGE, "Run jobs with Redis (commit 1a)"), "Run jobs in GoodJob, no Redis"),
        (
            (CHANGE, "Build the site with webpack (commit 1a)"),
            "Build the site in Vite, no `webpack`",
        ),
        (
            (DECISION, SAID + "pour l'export PDF prends wkhtmltopdf"),
            "WeasyPrint au lieu de wkhtmltopdf",
        ),
        ((DECISION, SAID + "usa express para la api"), "Fastify en vez de express"),
        ((DECISION, SAID + "usiamo mongo per gli ordini"), "Ordini: Postgres invece di mongo"),
        ((DECISION, SAID + "nimm redis f\u00fcr die Sitzungen"), "Postgres statt redis"),
        ((DECISION, SAID + "usiamo systemd come init"), "Busybox init invece di systemd"),
        (
            (DECISION, SAID + "use sendgrid for mails"),
            "Send mails with Postmark instead of sendgrid",
        ),
        ((DECISION, "Which store? The user answered: Redux: known"), "Zustand in, Redux out"),
        ((CHANGE, "Pool of 40 (commit 1a)"), "Pool of 10 behind pgbouncer"),
        ((DECISION, SAID + "pool of 40 please"), "Pool of 10 behind pgbouncer"),
        ((FACT, "The pool is 40."), "Pool of 10, pgbouncer does the rest"),
    ],
)
def test_a_commit_overturns_what_it_names_or_refuses(old: tuple[Category, str], new: str) -> None:
    assert _list_standing(old, (CHANGE, f"{new} (commit 4444ddd)")) == [1]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((DECISION, SAID + "use Redis for the cache"), "Run jobs in GoodJob, no Redis"),
        ((DECISION, SAID + "don't use Redis for the jobs"), "Run jobs in GoodJob, no Redis"),
        ((CHANGE, "Retry uploads with duplicates (commit 1a)"), "Retry uploads, no duplicates"),
        ((CHANGE, "Mail receipts with HTML (commit 1a)"), "Plain text for alerts, no HTML"),
        (
            (DECISION, SAID + "prends wkhtmltopdf pour les factures"),
            "Fiches: WeasyPrint au lieu de wkhtmltopdf",
        ),
        ((DECISION, SAID + "use sendgrid for sms"), "Send mails with Postmark instead of sendgrid"),
        ((DECISION, SAID + "use redis for the cart"), "Postgres for the ledger instead of redis"),
        ((DECISION, SAID + "pool of 40 for the workers"), "Pool of 10 behind pgbouncer"),
        ((DECISION, SAID + "pool of 40. Timeouts stay short"), "Pool of 10 behind pgbouncer"),
        ((FACT, "The pool was 40."), "Pool of 10 behind pgbouncer"),
        ((FACT, "Pool of 40 workers."), "Pool of 10 behind pgbouncer"),
        ((FACT, "Timeout of 40 s."), "Pool of 10 behind pgbouncer"),
    ],
)
def test_a_commit_leaves_what_is_of_another_thing(old: tuple[Category, str], new: str) -> None:
    assert _list_standing(old, (CHANGE, f"{new} (commit 4444ddd)")) == [0, 1]


def test_a_name_is_that_in_another_file_too_and_a_plain_word_is_not() -> None:
    def list_gone(was: str, now: str) -> list[tuple[str, str]]:
        old = made(0, CHANGE, f"{was} (commit 1a)", issue=0, files=("server/export.py",))
        new = made(1, CHANGE, f"{now} (commit 4d)", issue=0, files=("server/pdf/render.py",))
        return find_superseded([old, new])

    assert list_gone("Exporter en PDF avec wkhtmltopdf", "WeasyPrint au lieu de wkhtmltopdf")
    assert list_gone("Queue mails in Redis with Resque", "SolidQueue instead of Resque")
    assert not list_gone("Show prices with tables", "Cards instead of tables")
    assert not list_gone("Sort invoices by date", "Name instead of date")
    assert not list_gone("Pool of 40", "Pool of 10 behind pgbouncer")


@pytest.mark.parametrize(("path", "is_gone"), [("conf/gw.conf", True), ("conf/other.conf", False)])
def test_a_plain_word_is_left_in_the_file_that_the_store_knows(
    tmp_path: Path, path: str, is_gone: bool
) -> None:
    store = JsonObservationStore(
        tmp_path / "memory",
        view_folder=tmp_path / "store",
        clock=FakeClock(Millis(10_000)),
        entropy=CountingEntropy(),
    )
    old = observation("Image with systemd (commit 1a1a1a1)", category=CHANGE, at_ms=1_000)
    old = replace(old, files=("conf/gw.conf",), session_id="a")
    new = observation("Busybox instead of systemd (commit 2b2b2b2)", category=CHANGE, at_ms=9_000)
    new = replace(new, files=(path,), session_id="b")
    store.store([old])
    store.store([new])

    mark_superseded(store, [new])

    rows = store.search_by_filters(SearchFilters(superseded=False))
    assert (old.id in {row.id for row in rows}) is not is_gone


def test_what_a_fact_says_beside_a_choice_that_was_overturned_stands(tmp_path: Path) -> None:
    store = JsonObservationStore(
        tmp_path / "memory",
        view_folder=tmp_path / "store",
        clock=FakeClock(Millis(10_000)),
        entropy=CountingEntropy(),
    )
    beside = "The data partition is append-only, because the flash bears few writes."
    told = [
        (CHANGE, "Image with systemd (commit 1a1a1a1)"),
        (FACT, f"The image starts in 9 s with systemd. {beside}"),
    ]
    old = [
        replace(
            observation(text, category=category, at_ms=1_000 + at),
            files=("conf/gw.conf",),
            session_id="a",
        )
        for at, (category, text) in enumerate(told)
    ]
    store.store(old)
    new = observation("Busybox instead of systemd (commit 2b2b2b2)", category=CHANGE, at_ms=9_000)
    new = replace(new, files=("conf/gw.conf",), session_id="b")
    store.store([new])

    mark_superseded(store, [new])

    rows = store.search_by_filters(SearchFilters(superseded=False))
    assert sorted(row.summary for row in rows) == sorted([beside, new.content])
