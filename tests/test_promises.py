"""Goal: each promise has a test, and each promised test names a promise.

Method: the tests are read as syntax trees; `@pytest.mark.promise("id")` claims one.
"""

from __future__ import annotations

from tests.promises import DEFERRED, PROMISES, find_claims


def test_every_promise_is_kept_or_says_why_not() -> None:
    claimed = {claim.promise for claim in find_claims()}

    assert set(PROMISES) - set(DEFERRED) == claimed & set(PROMISES) - set(DEFERRED)
    assert claimed.isdisjoint(DEFERRED)


def test_no_test_claims_a_promise_that_nobody_made() -> None:
    assert {claim.promise for claim in find_claims()} <= set(PROMISES)
    assert set(DEFERRED) <= set(PROMISES)
