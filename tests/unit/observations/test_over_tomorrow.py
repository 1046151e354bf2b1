"""Goal: what is over tomorrow is not kept: an outage, a bare no, what somebody does themselves.

Method: sentences in several languages, beside some that look alike and hold for good.
"""

from __future__ import annotations

import pytest

from agentx.observations.extract.session.moment import cut_moment
from agentx.observations.model import Category
from agentx.observations.validity.supersede import find_superseded
from agentx.prose.settling.errands import does_it_oneself
from tests.support.telling import Talk
from tests.unit.observations.test_superseding import made


@pytest.mark.parametrize(
    ("said", "is_over"),
    [
        ("The database's client certificate expired at 02:00. The api cannot connect.", True),
        ("The disk of db-1 is full. Postgres refuses writes.", True),
        ("The token has expired. CI cannot push images.", True),
        ("Staging is down. The load balancer answers 502.", True),
        ("Das Zertifikat ist abgelaufen. Die API kann sich nicht verbinden.", True),
        ("El disco est\u00e1 lleno.", True),
        ("Le certificat a expir\u00e9.", True),
        ("The api cannot connect without `PGSSLMODE`.", False),
        ("Certificates expire after 90 days; `certbot` renews them at 60.", False),
        ("The worker cannot start if the queue is empty.", False),
        ("The importer cannot write because the volume is read only.", False),
    ],
)
def test_the_state_of_an_outage_is_of_the_moment(said: str, is_over: bool) -> None:
    assert (cut_moment(said) == "") is is_over


@pytest.mark.parametrize(
    ("said", "is_own"),
    [
        ("hm. ok, I ask Marstal on Friday.", True),
        ("makes sense, I open #18 for monday.", True),
        ("I'll file an issue for it", True),
        ("good point, I'll talk to Petra", True),
        ("ich frage Sven morgen", True),
        ("right, I merge it then", True),
        ("I want S3 for blobs", False),
        ("I call it a ledger from now on; use that word", False),
        ("we open a port for each tenant", False),
    ],
)
def test_who_does_something_themselves_settles_nothing(said: str, is_own: bool) -> None:
    assert does_it_oneself(said) is is_own


@pytest.mark.parametrize("bare", ["No. Stop.", "no, wait.", "Nein. Halt.", "stop, please."])
def test_a_bare_no_before_a_ruling_is_not_told_apart(bare: str) -> None:
    talk = Talk().user("prices").edit("a.py", "b", "c").agent("Prices are floats.")
    talk.user(f"{bare} Never a float for money, not even rounded.").edit("a.py", "c", "d")
    said = [one.content for one in talk.agent("OK.").found(Category.DECISION)]

    assert said
    assert all("float" in each for each in said)


@pytest.mark.parametrize(
    ("error", "is_gone"),
    [
        ("kombu.exceptions.OperationalError: Error 111 connecting to localhost", True),
        ("E celery.exceptions.NotRegistered: mails.send", True),
        ("psycopg.OperationalError: connection refused", False),
    ],
)
def test_what_a_dead_library_raised_is_over_with_what_it_is_of(error: str, is_gone: bool) -> None:
    old = made(1, Category.ERROR, f"`pytest -q` failed (exit 1): {error}; Fixed by: conftest.py")
    new = made(2, Category.DECISION, "The user said: Then throw Celery and Redis out.")

    assert bool(find_superseded([old, new])) is is_gone
