"""Goal: each line of the table of contents is of the kind that a reader would give it.

Method: sentences as people and agents say them, in other domains than the rules were seen in;
and that what is kept of a session and the table of contents call the same things decisions.
"""

from __future__ import annotations

import pytest

from agentx.conversation.extract.kinds import find_kind
from agentx.conversation.toc_model import BulletKind
from agentx.prose.settling.verdict import settles

DECISION, PROBLEM, CHANGE = BulletKind.DECISION, BulletKind.PROBLEM, BulletKind.CHANGE
QUESTION = BulletKind.QUESTION
OUTCOME, REQUEST, FACT, OPEN = (
    BulletKind.OUTCOME,
    BulletKind.REQUEST,
    BulletKind.FACT,
    BulletKind.OPEN,
)


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("We draw the map with tiles instead of vectors, because old phones choke.", DECISION),
        ("Set the retry budget of the mail gateway to 5, because the relay throttles.", DECISION),
        ("The scanner stays on USB, because the network drops packets.", DECISION),
        ("We don't use Redis for carts because it lost data twice.", DECISION),
        ("No animations in the kiosk app.", DECISION),
        ("Take the 3 mm screws rather than glue, so that it can be repaired.", DECISION),
        ("Never write to the production bucket from a notebook.", DECISION),
        ("The export crashes because the header is missing.", PROBLEM),
        ("Prices are rounded wrong since Tuesday, the totals fail in CI.", PROBLEM),
        ("Login doesn't work on Safari.", PROBLEM),
        ("Fix the failing build of the docs.", REQUEST),
        ("Add a legend to the tide chart.", REQUEST),
        ("Try the new encoder once.", REQUEST),
        ("I deployed it to staging and the checks pass.", OUTCOME),
        ("I prefer pytest fixtures over setUp methods that fail late", DECISION),
        ("We want the wizard to never crash on a missing key", DECISION),
        ("perhaps we don't need the second bucket, the first is public right", QUESTION),
        ("since the secret is in the vault maybe we can drop the env file right", QUESTION),
        ("the beta flag isn't read anywhere, correct", QUESTION),
        ("what did we decide about the mail relay", QUESTION),
        ("should we use tiles or vectors for the map", QUESTION),
        ("which encoder did we choose for the kiosk", QUESTION),
        ("who changed the tide chart and why", QUESTION),
        ("what failed with the export", QUESTION),
        ("was haben wir zu den Karten entschieden", QUESTION),
        ("What we use for the map is tiles, because old phones choke.", DECISION),
        ("When in doubt use the old encoder.", DECISION),
    ],
)
def test_what_a_person_says_is_of_its_kind(said: str, kind: BulletKind) -> None:
    assert find_kind(said, by_user=True) is kind


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("The clean way is to add an `--offline` switch to the installer.", FACT),
        ("If the key must come from the vault: use the sidecar and drop the env file.", FACT),
        ("Maybe rename the fallback branch, it breaks the reading flow.", FACT),
        ("I'd go with the columnar store, because scans dominate.", FACT),
        ("Overall this is a solid change that switches to the streaming parser cleanly.", FACT),
        ("Current status of the importer: added 3 of 9 tables.", FACT),
        ("I cannot talk you out of it; what speaks for the old parser is its speed.", FACT),
        ("The docs say that a mirror needs to be listed when it is used with a proxy.", FACT),
        ("Errors of the gateway are wrapped in `RemoteFault`.", FACT),
        ("We decided to keep the queue in memory.", DECISION),
        ("Root cause: the cache key ignores the tenant.", PROBLEM),
        ("The nightly job crashes with an out-of-memory kill.", PROBLEM),
        ("The parser hung because of a dead-lock between the two readers.", PROBLEM),
        ("The board was slow because `draw()` cleared it for every tile.", PROBLEM),
        ("Added `retry.go` and moved the backoff into it.", CHANGE),
        ("All 41 tests pass, and the page loads in 80 ms.", OUTCOME),
        ("The certificate is not yet renewed.", OPEN),
        ("Follow-up: the icons still need dark variants.", OPEN),
        # told to do, by whom it may be: nothing was changed by it
        ("On the other laptops, fetch trunk and rerun `make seed`; the added hook is run.", FACT),
        ("To roll back, run `make undo` and delete the created bucket.", FACT),
        ("Run `npm ci` once after the pull; the lockfile changed.", FACT),
        ("Update the guide to say: tokens are added by the proxy.", FACT),
        ("You'll need to restart the agent after the updated hook.", FACT),
        # not done
        ("I have not added a schema check for `refunds.csv`.", OPEN),
        ("I did not commit the updated fixtures.", OPEN),
        ("I haven't touched the removed endpoints.", FACT),
        ("No files were changed.", FACT),
        ("Nothing was changed in the gateway.", FACT),
        # no problem: denied, handled, or a name
        ("The importer already has row-level checks for failing rows.", FACT),
        ("`retry()` catches failed calls and raises after five.", FACT),
        ("There is no memory leak in the pool.", FACT),
        ("The bug tracker is Linear.", FACT),
        ("The import fails on rows without a date.", PROBLEM),
        # what was settled, whatever it is about; and what only sounds like "we ... not"
        ("Approved: full jitter, one probe a minute for a failing endpoint.", DECISION),
        ("Decided by you: a crash of the worker is retried once.", DECISION),
        ("p95 went from 840 ms to 61 ms.", OUTCOME),
        ("The report is written: three causes that went well together.", CHANGE),
    ],
)
def test_what_an_agent_says_is_of_its_kind(said: str, kind: BulletKind) -> None:
    assert find_kind(said, by_user=False) is kind


def test_a_change_is_one_only_where_something_was_changed() -> None:
    said = "The linter turned on a rule for unused imports, so the result changed under us."

    assert find_kind(said, by_user=False, worked=False) is FACT
    assert find_kind("Moved the rule to `lint.toml`.", by_user=False, worked=True) is CHANGE


@pytest.mark.parametrize(
    "said",
    [
        "Ship the firmware unsigned to the lab, because the signer is down.",
        "We keep logs of the turbine for 90 days, because the insurer wants a quarter.",
        "Use four brokers instead of two.",
        "Add a chart of the tides.",
        "Could you rename the topic?",
        "The page shows nothing.",
        "No tabs in YAML files.",
        "Let's try the other driver.",
        "The pump doesn't start after a reset.",
    ],
)
def test_what_is_kept_as_a_decision_is_told_as_one(said: str) -> None:
    assert settles(said) == (find_kind(said, by_user=True) is DECISION)
