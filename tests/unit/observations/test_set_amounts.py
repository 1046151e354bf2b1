"""Goal: of one setting the newest value stands, and no setting of another thing is lost by it."""

from __future__ import annotations

import pytest

from agentx.kernel.clock import Millis
from agentx.observations.model import Category
from agentx.observations.validity.reading import Comparable
from agentx.observations.validity.supersede import find_superseded

FACT, CHANGE, DECISION = Category.KEY_FACT, Category.CODE_CHANGE, Category.DECISION
SAID = "The user said: "

ANEW = [
    # what a person said, in plain words
    (SAID + "set the session timeout to 30 minutes", SAID + "session timeout 8 hours please"),
    (
        SAID + "support complained, session timeout 8 hours please",
        SAID + "security audit: sessions must not live longer than 1 hour. uploads can be 50MB",
    ),
    (SAID + "cart expiry 2 days", SAID + "carts: bump the cart expiry to 10 days"),
    (SAID + "max 4 threads for the thumbnailer", SAID + "thumbnailer threads 12, we have cores"),
    (SAID + "keep the audit retention at 90 days", SAID + "audit retention at least 365 days"),
    (SAID + "uploads may be up to 20 MB", SAID + "upload limit 5 MB"),
    (SAID + "CACHE_TTL 60 seconds", SAID + "set the cache ttl to 5 minutes"),
    # a ruling, and what an agent said is so
    ("Session timeout is 30 minutes now (`SESSION_TTL` in `a.py`).", SAID + "session timeout 8 h"),
    ("The upload limit is 10 MB.", SAID + "upload limit can be 50MB"),
    # what agents said
    ("Session timeout is 30 minutes now (`SESSION_TTL` in `a.py`).", "`SESSION_TTL` is 8 hours."),
    ("`MAX_UPLOAD` is 10 MB.", "SESSION_TTL is 60 minutes, MAX_UPLOAD 50 MB."),
    ("`MAX_UPLOAD` is 10 MB.", "The upload limit is 50 MB now."),
    ("The lease of a lock is 30 s; the lock lease window is 30 s.", "The lease of a lock is 9 s."),
    ("Crawl delay is set to 2 s.", "Raised the crawl delay to 5 s."),
    ("`pool_size` is 10.", "The pool size is 40 now: pool_size = 40"),
    # how often something is done
    (SAID + "import the rates hourly", SAID + "import the rates once a day, that is enough"),
    ("The sync runs every hour.", SAID + "the sync once a day please"),
    (SAID + "backups every night", SAID + "backups twice a day from now on"),
    (SAID + "backups every day instead of hourly", SAID + "backups every week, not daily"),
    (SAID + "den Import st\u00fcndlich laufen lassen", SAID + "den Import nur einmal am Tag"),
    (SAID + "la copia cada hora", SAID + "la copia una vez al d\u00eda"),
]
BESIDE = [
    # another thing, or another place of it
    (SAID + "connect timeout 5 seconds", SAID + "read timeout 30 seconds"),
    (SAID + "set the connect timeout to 5 seconds", SAID + "set the timeout to 30 seconds"),
    (SAID + "session timeout on staging 5 minutes", SAID + "session timeout 8 hours in production"),
    (SAID + "session timeout 8 hours", SAID + "session timeout for admins 15 minutes"),
    (SAID + "access tokens expire after 15 minutes", SAID + "refresh tokens expire after 30 days"),
    ("`READ_TIMEOUT` is 5 s.", "`WRITE_TIMEOUT` is 9 s."),
    ("The upload limit is 10 MB.", "The upload chunk size is 1 MB."),
    ("The upload limit is 10 MB.", "The download limit is 50 MB."),
    ("min pool size is 2", "max pool size is 20"),
    # the same amount, in another unit or as a bound that it keeps
    ("SESSION_TTL is 60 minutes.", SAID + "sessions must not live longer than 1 hour"),
    (SAID + "session timeout 30 minutes", SAID + "sessions must not live longer than 8 hours"),
    ("The audit retention is 400 days.", SAID + "audit retention at least 365 days"),
    ("`MAX_UPLOAD` is 1 GB.", "`MAX_UPLOAD` is 1000 MB."),
    # another dimension
    (SAID + "log retention 30 days", SAID + "log retention limit 5 GB"),
    # no setting: measured, asked, doubted, or told of what was
    ("The checkout request took 400 ms.", "The checkout request took 90 ms."),
    ("The build is 8 minutes.", "The build is 9 minutes."),
    ("The upload limit is 10 MB.", SAID + "is the upload limit 50 MB?"),
    ("The upload limit is 10 MB.", SAID + "perhaps the upload limit could be 50 MB"),
    ("The upload limit is 50 MB.", "The upload limit was 10 MB."),
    ("The upload limit is 50 MB.", "If the upload limit is 10 MB, videos fail."),
    ("The upload limit is 10 MB.", "Do not set the upload limit to 50 MB."),
    # another thing, the same pace, or none
    (SAID + "run the backup nightly", SAID + "run the export weekly"),
    (SAID + "run the backup nightly", SAID + "run the backup every day"),
    (SAID + "deploy the docs daily", SAID + "do not deploy the docs weekly"),
    ("The backup runs every night.", SAID + "why is the backup only weekly?"),
    # an agent overrules no person
    (SAID + "session timeout 8 hours", "Session timeout is 30 minutes."),
    # it says more than that
    ("SESSION_TTL is 60 minutes, MAX_UPLOAD 50 MB.", "MAX_UPLOAD is 10 MB."),
    ("Left open: the upload limit is 10 MB.", "The upload limit is 50 MB."),
]


def is_replaced(old: str, new: str) -> bool:
    given = [
        Comparable(
            id=f"m-{at}",
            at_ms=Millis(at),
            text=text,
            category=DECISION if text.startswith(SAID) else FACT,
            issue=at,
            session_id=f"s-{at}",
        )
        for at, text in enumerate((old, new))
    ]
    return bool(find_superseded(given))


@pytest.mark.parametrize(("old", "new"), ANEW)
def test_another_value_of_the_same_setting_replaces_it(old: str, new: str) -> None:
    assert is_replaced(old, new)


@pytest.mark.parametrize(("old", "new"), BESIDE)
def test_a_setting_of_another_thing_stands_beside_it(old: str, new: str) -> None:
    assert not is_replaced(old, new)


def test_what_sums_up_a_session_takes_no_ruling_back() -> None:
    said = "then 0.76 is what we show, not 0.78. exclude nobody"
    ruling = Comparable(
        id="obs-a", at_ms=Millis(1_000), text=SAID + said, category=FACT, session_id="s"
    )
    summary = Comparable(
        id="obs-b",
        at_ms=Millis(2_000),
        text="Asked: June is there now. rerun; 0.76 is what we show, not 0.78. exclude nobody\n"
        f"Learnt:\n- With June the share went from 4.1 % to 5.3 %.\n- {SAID}{said}",
        category=Category.COMPACTION_SUMMARY,
        session_id="s",
    )

    assert find_superseded([ruling, summary]) == []
