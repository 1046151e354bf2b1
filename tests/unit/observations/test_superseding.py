"""Goal: what a later session took back is marked, and nothing that stands is lost by it."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from time import process_time

import pytest

from agentx.kernel.clock import Millis
from agentx.observations.model import Category
from agentx.observations.validity.given_up import list_given_up, list_words
from agentx.observations.validity.marking import find_replacing
from agentx.observations.validity.pairing import is_near, pair_all, pair_told
from agentx.observations.validity.reading import Comparable, read_memory
from agentx.observations.validity.supersede import find_superseded
from tests.support.observations import observation
from tests.support.time_and_chance import START_MS

FACT, CHANGE, DECISION = Category.KEY_FACT, Category.CODE_CHANGE, Category.DECISION
ERROR = Category.ERROR


def made(number: int, category: Category, text: str, **more: object) -> Comparable:
    fields = {"session_id": f"s-{number}", "issue": number, **more}
    return Comparable(
        id=f"m-{number}",
        at_ms=Millis(number),
        text=text,
        category=category,
        **fields,  # type: ignore[arg-type]  # the fields of one
    )


def replaced(old: tuple[Category, str], new: tuple[Category, str], session: str = "") -> bool:
    of = {"session_id": session} if session else {}
    pairs = find_superseded([made(1, old[0], old[1], **of), made(2, new[0], new[1], **of)])
    assert pairs in ([], [("m-1", "m-2")])
    return bool(pairs)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            (FACT, "Celery with Redis delivers signed mails, five tries 30 s apart."),
            (CHANGE, "Job queue in Postgres replaces Celery and Redis (#22) (commit 6d2f3e9)"),
        ),
        (
            (FACT, "The user said: We need a queue. I know it, so let's take Celery + Redis."),
            (DECISION, "The user said: Then do that and throw Celery and Redis out."),
        ),
        (
            (CHANGE, "Add a Helm chart for staging (commit f1168aa)"),
            (CHANGE, "One VM, systemd and Caddy; remove the Helm chart (#29) (commit 5ad1e08)"),
        ),
        (
            (DECISION, "Decision: SQLite with WAL, `busy_timeout = 5000`, foreign keys on."),
            (CHANGE, "Copy staging data; drop the last of SQLite (#17) (commit 58be0c1)"),
        ),
        (
            (FACT, "release.yml emits the tag and calls Publish as a reusable workflow."),
            (CHANGE, "Removed `.github/workflows/release.yml`; publish.yml runs on tags."),
        ),
        (
            (DECISION, "Which client is it? The user chose: Go with httpx then. 10 s everywhere"),
            (CHANGE, "Move the gateway from httpx to aiohttp, 3 s timeout (commit 2222bbb)"),
        ),
        (
            (CHANGE, "Use httpx here (commit 1a2b3c4); Switched `a/b.py` to httpx; no retries"),
            (CHANGE, "Move the gateway from httpx to aiohttp, 3 s timeout (commit 2222bbb)"),
        ),
        (
            (FACT, "`SESSION_TTL` is 8 hours now."),
            (FACT, "SESSION_TTL is 60 minutes, MAX_UPLOAD 50 MB."),
        ),
        (
            (FACT, "The hook waits for the daemon before it prints."),
            (FACT, "The hook no longer waits for the daemon, which has its own queue."),
        ),
        (
            (CHANGE, "Cache replies for a minute (commit 1a2b3c4)"),
            (CHANGE, 'Revert "Cache replies for a minute" (commit 2b3c4d5)'),
        ),
        (
            (CHANGE, "Cache replies for a minute (commit 1a2b3c4)"),
            (CHANGE, "The cache lied (commit 2b3c4d5); This reverts commit 1a2b3c4d5e6f."),
        ),
        (
            (FACT, "The nightly export of the ledger takes 14 minutes on staging."),
            (FACT, "The nightly export of the ledger takes 95 seconds on staging."),
        ),
        (
            (FACT, "Merged, #26 stays open. If it shows up again, count failures first."),
            (DECISION, "The user said: Close #26. And remember: count failures."),
        ),
        (
            (FACT, "Pull request #13 is open and will merge itself when the check is green."),
            (FACT, "#13 was merged; the branch is gone."),
        ),
        (
            (DECISION, "The user said: retry 5 times every 30 seconds, then give up. ok?"),
            (DECISION, "Retry policy (reverses the retry half of decision 3): full jitter, 24 h."),
        ),
        (
            (ERROR, "`make e2e` failed (exit 2): no free port for the browser"),
            (ERROR, "`make e2e` failed: no free port for the browser; `make e2e PORT=0` worked"),
        ),
    ],
)
def test_what_a_later_session_took_back_is_known(
    old: tuple[Category, str], new: tuple[Category, str]
) -> None:
    if "takes 14" in old[1]:  # of one unit
        new = (new[0], new[1].replace("95 seconds", "2 minutes"))
    assert replaced(old, new)


# What was, and a move of one thing out of it.
STAYED_BEHIND = [
    # files, names and values of code
    ((FACT, "billing retries three times."), "Move retry helper from billing to shared"),
    ((FACT, "utils holds the date helpers."), "Move parse_date from utils to dates"),
    ((DECISION, "The user said: use utils for small helpers"), "Move dates from utils to clock"),
    ((FACT, "lib is linted with the strict rules."), "Move format.ts from lib to core"),
    ((FACT, "info logs go to stdout."), "Change level of retries from info to debug"),
    ((DECISION, "The user said: String ids everywhere."), "Convert price from string to Decimal"),
    ((FACT, "develop is protected."), "Change base from develop to main"),
    # days and lists
    ((FACT, "Tuesday is the release day."), "Move the stand-up from Tuesday to Thursday"),
    ((DECISION, "The user said: release on Tuesday"), "Move the demo from Tuesday to Thursday"),
    ((FACT, "Backlog is groomed on Mondays."), "Move ticket 44 from backlog to doing"),
    ((FACT, "Staging uses its own certificate."), "Move the flag from staging to production"),
    # one service of two
    ((DECISION, "The user said: Postgres for the ledger."), "Move sessions from Postgres to Redis"),
    ((FACT, "Postgres runs on port 5433 in CI."), "Move sessions from Postgres to Redis"),
    ((CHANGE, "Use Lambda for thumbnails (commit 1a2b3c4)"), "Move mails from Lambda to Fargate"),
    ((DECISION, "The user said: axios for the admin"), "Switch the app from axios to ky"),
]


@pytest.mark.parametrize(("old", "new"), STAYED_BEHIND)
def test_what_stays_is_not_taken_back_by_what_left_it(old: tuple[Category, str], new: str) -> None:
    assert not replaced(old, (CHANGE, f"{new} (commit 2222bbb)"))
    assert not replaced(old, (DECISION, f"The user said: {new}"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ((CHANGE, "Use Lambda for mails (commit 1a2b3c4)"), "Move mails from Lambda to Fargate"),
        ((FACT, "utils has parse_date."), "Move parse_date from utils to dates"),
        ((DECISION, "Which is it? The user chose: Heroku"), "Migrate the shop from Heroku to Fly"),
        ((DECISION, "The user said: Heroku it is"), "Switch everything from Heroku to Fly"),
    ],
)
def test_what_was_moved_is_taken_back_from_where_it_was(
    old: tuple[Category, str], new: str
) -> None:
    assert replaced(old, (CHANGE, f"{new} (commit 2222bbb)"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        # It speaks of it in other words.
        (
            (CHANGE, "Tell dates of invoices in UTC (commit 1a2b3c4)"),
            (CHANGE, "Move the tests from tests to checks (commit 2222bbb)"),
        ),
        (
            (FACT, "main is protected."),
            (CHANGE, "Move the fix from main to develop (commit 2222bbb)"),
        ),
        (
            (FACT, "SESSION_TTL is 60 minutes, MAX_UPLOAD 50 MB."),
            (FACT, "`SESSION_TTL` is 8 hours in the tests, `MAX_ROWS` is 5."),
        ),
        (
            (FACT, "The export takes 14 minutes."),
            (FACT, "The import takes 9 minutes."),
        ),
        # It is itself against it.
        (
            (DECISION, "The user said: throw Celery and Redis out, fewer parts are better."),
            (CHANGE, "Job queue in Postgres replaces Celery and Redis (#22)"),
        ),
        # One name in the middle is not what a line is about.
        (
            (FACT, "The index came with the constraint, so speed is a by-product of SQLite."),
            (CHANGE, "Drop SQLite (#17) (commit 58be0c1)"),
        ),
        # What may be done is not done, nor what is asked.
        (
            (FACT, "Celery with Redis delivers signed mails."),
            (FACT, "We could have replaced Celery and Redis by a table."),
        ),
        (
            (FACT, "Celery with Redis delivers signed mails."),
            (DECISION, "The user said: should we drop Celery and Redis?"),
        ),
        # An agent that says what to do has not done it.
        (
            (FACT, "Celery with Redis delivers signed mails."),
            (FACT, "Options: drop Celery and Redis, or raise the limit."),
        ),
        # Two plain words stand anywhere.
        (
            (FACT, "After five tries the authority locked the name for an hour."),
            (CHANGE, "Backoff replaces five tries (commit f38e0d6)"),
        ),
        # A commit that only names another takes nothing back.
        (
            (CHANGE, "Cache replies for a minute (commit 1a2b3c4)"),
            (CHANGE, "Test the cache of 1a2b3c4 (commit 2b3c4d5)"),
        ),
        # Other numbers are other things: an id, a version, a step.
        (
            (FACT, "Pull request 12 of the ledger team waits for review."),
            (FACT, "Pull request 14 of the ledger team waits for review."),
        ),
        (
            (FACT, "The nightly export of the ledger takes 14 minutes on staging."),
            (FACT, "The nightly import of the archive takes 95 minutes on staging."),
        ),
        (
            (CHANGE, "Release of the ledger tools 1.4 (commit 1a2b3c4)"),
            (CHANGE, "Release of the ledger tools 1.5 (commit 2b3c4d5)"),
        ),
        # It is not closed yet, or another one is; or more is said than that it is open.
        (
            (FACT, "#26 stays open until the weekend."),
            (FACT, "When #26 is closed, delete the branch."),
        ),
        ((FACT, "#26 stays open until the weekend."), (FACT, "Closed #27 and #28.")),
        (
            (FACT, "The parser takes tabs now (3be90d4). #26 stays open."),
            (DECISION, "The user said: Close #26."),
        ),
        # A subject of a line is not reversed by what reverses another.
        (
            (DECISION, "The user said: retry 5 times every 30 seconds."),
            (DECISION, "Login policy (reverses the token half of decision 2)."),
        ),
        # Another failure, or one that was explained before.
        (
            (ERROR, "`make e2e` failed (exit 2): no free port for the browser"),
            (ERROR, "`make e2e` failed: the certificate is not valid; `make certs` worked"),
        ),
    ],
)
def test_what_only_sounds_like_it_stands(
    old: tuple[Category, str], new: tuple[Category, str]
) -> None:
    assert not replaced(old, new)


@pytest.mark.parametrize(
    ("old", "is_over"),
    [
        ("The remaining clue: the list is empty, so the worker saw nothing.", True),
        ("I did not reproduce it before. If it comes back, this was not it.", True),
        ("So not the order, about 2 % of runs.", True),
        ("The worker reads the list twice a minute.", False),
    ],
)
def test_what_was_learnt_on_a_hunt_is_over_with_its_issue(old: str, is_over: bool) -> None:
    hunted = made(1, FACT, old, issue=26)
    closed = made(2, CHANGE, "The user asked: Close #26. Thanks.", issue=26)

    assert bool(find_superseded([hunted, closed])) is is_over
    assert not find_superseded([hunted, made(2, CHANGE, "The user asked: Close #27.", issue=27)])
    assert not find_superseded([made(1, FACT, old, issue=9), closed])


def test_what_a_decision_says_stands_falls_when_just_that_is_reversed() -> None:
    stands = (
        DECISION,
        "Decision 7 reverses the queue half; the retry half (5 tries) stands.",
    )
    plan = "The user approved a plan: Retry policy (reverses the {} half of decision 3); 24 h"

    assert replaced(stands, (DECISION, plan.format("retry")))
    assert not replaced(stands, (DECISION, plan.format("login")))


_GONE = (CHANGE, "Playwright only; remove Cypress and Percy (#8) (commit 1a2b3c4)")
_OPEN_FAILURE = "Not seen fixed in this session. Tried: infra/gke/main.tf"


@pytest.mark.parametrize(
    ("old", "new", "is_gone"),
    [
        ((FACT, "Cypress keeps a video of each run unless `video` is off."), _GONE, True),
        ((FACT, "The nightly run of Percy needs the token of the design team."), _GONE, True),
        ((FACT, "Left open: the Cypress specs of the basket are missing."), _GONE, True),
        (
            (ERROR, "`cypress run --spec basket` failed (exit 1): Timed out; Fixed by: a.ts"),
            _GONE,
            True,
        ),
        ((ERROR, "Cypress hangs because the proxy is not started."), _GONE, True),
        (
            (ERROR, f"`terraform -chdir=infra/gke plan` failed (exit 1): quota; {_OPEN_FAILURE}"),
            (DECISION, "The user said: one box is enough, throw Terraform out."),
            True,
        ),
        (
            (ERROR, f"`helm lint deploy/chart` failed (exit 1): deadline; {_OPEN_FAILURE}"),
            (CHANGE, "One VM and Caddy; remove the Helm chart (#29) (commit 5ad1e08)"),
            True,
        ),
        ((FACT, "`parseDate` reads days first."), (FACT, "So `parseDate` is gone."), True),
        (
            (FACT, "PyJWT refuses a token with an audience unless the reader names the same."),
            (DECISION, "The user said: sessions instead of JWT. PyJWT can go then."),
            True,
        ),
        ((FACT, "Cypress runs at night."), (FACT, "Cypress was replaced by Playwright."), True),
        # What came is not what went, nor another thing of a name that is like it.
        ((FACT, "Playwright runs at night."), (FACT, "Cypress was replaced by Playwright."), False),
        (
            (FACT, "PyJWT refuses a token with an audience unless the reader names the same."),
            (DECISION, "The user said: good, PyJWT can go to the second host."),
            False,
        ),
        ((FACT, "Cypress Hill is the name of the demo shop."), (CHANGE, "Remove Hill (#1)"), False),
        (
            (FACT, "Redis keeps the carts."),
            (CHANGE, "Remove Redis Insight (commit 1a2b3c4)"),
            False,
        ),
        ((FACT, "Helm 3 needs no Tiller here."), (CHANGE, "Remove the Helm chart (#29)"), False),
        # It is taken out of a part only, or may be.
        ((FACT, "Redis keeps the carts."), (CHANGE, "Remove Redis from the tests (#3)"), False),
        ((FACT, "Redis keeps the carts."), (FACT, "We could remove Redis."), False),
        ((FACT, "Redis keeps the carts."), (DECISION, "The user said: do not remove Redis"), False),
        # A word of every day.
        ((FACT, "The cache is emptied at night."), (CHANGE, "Remove the cache (#4)"), False),
        (
            (FACT, "`config` is read once."),
            (CHANGE, "Removed `config` of the old page (#4)"),
            False,
        ),
        # It only comes up, or is why it went.
        ((FACT, "Specs run in a container of our own, as Cypress did."), _GONE, False),
        ((FACT, "Why we left Cypress: its runs took 40 minutes."), _GONE, False),
        ((FACT, "Runs are quick. Cypress keeps no video."), _GONE, False),
        ((DECISION, "The user said: never run Cypress on the live shop"), _GONE, False),
    ],
)
def test_what_is_of_a_thing_that_was_removed_goes_with_it(
    old: tuple[Category, str], new: tuple[Category, str], is_gone: bool
) -> None:
    assert replaced(old, new) is is_gone


def test_what_one_session_says_of_itself_takes_nothing_back() -> None:
    old = (FACT, "Celery with Redis delivers signed mails.")
    new = (CHANGE, "Job queue in Postgres replaces Celery and Redis (#22)")

    assert replaced(old, new)
    assert not replaced(old, new, session="s")


def test_a_file_that_was_left_uncommitted_is_closed_by_its_commit() -> None:
    left = made(1, FACT, "`docs/guide.md` is left uncommitted.", files=("docs/guide.md",))
    work = made(1, FACT, "Fixed the links, uncommitted yet.", files=("docs/guide.md",))
    commit = made(2, CHANGE, "Guide: retries (commit 2e95b8f)", files=("docs/guide.md", "a.py"))
    other = made(2, CHANGE, "Guide: retries (commit 2e95b8f)", files=("a.py",))

    assert find_superseded([left, commit]) == [("m-1", "m-2")]
    assert find_superseded([left, other]) == []
    assert find_superseded([work, commit]) == [], "what was done is not undone by its commit"


def test_a_question_is_replaced_by_its_answer() -> None:
    asked = made(1, DECISION, "Asked: Which cache do we take?", issue=7)
    answered = made(
        2, DECISION, "Asked: Which cache do we take?\nThe user answered: files", issue=7
    )

    assert find_superseded([asked, answered]) == [("m-1", "m-2")]
    assert find_superseded([answered, made(3, DECISION, asked.text, issue=7)]) == []


@pytest.mark.parametrize(
    ("text", "category", "given_up"),
    [
        ("Celery and Redis are gone, `jobs.py` is 84 lines.", FACT, [("celery", "redi")]),
        ("Removed `src/`, `lib/` and `etc/` folders.", CHANGE, [("src", "lib", "etc")]),
        ("Use sessions instead of JWT.", DECISION, [("jwt",)]),
        ("Use sessions instead of JWT.", FACT, []),
        ("Jenkins was replaced by Buildkite.", FACT, [("jenkin",)]),
        ("The index was replaced by a partial one.", FACT, []),
        ("Jenkins was replaced by a colleague of ours in May.", FACT, []),
        ("It did not replace Celery.", FACT, []),
        ("\u6539\u7528 Postgres", DECISION, []),
        ("replaces " + "x" * 100_000, CHANGE, []),
        ("", FACT, []),
    ],
)
def test_what_is_given_up_is_named(
    text: str, category: Category, given_up: list[tuple[str, ...]]
) -> None:
    assert [thing.words for thing in list_given_up(text[:1_000], category)] == given_up


def test_words_of_a_path_are_those_of_its_file() -> None:
    assert list_words("see .github/workflows/release.yml") == ("releas", "yml")


@pytest.mark.parametrize(
    "text", ["no longer " * 900, "`" * 9_000, "replaces a " * 900, "(" * 9_000]
)
def test_no_text_takes_long(text: str) -> None:
    begun = process_time()
    find_superseded([made(1, CHANGE, text), made(2, DECISION, text)])

    assert process_time() - begun < 2


def test_what_was_left_to_do_is_closed_by_the_change_that_does_it() -> None:
    left = made(1, FACT, "Left open: Not done: the alert `tariff_stale` of the billing job.")
    other = made(2, CHANGE, "Add the alert `queue_full` (commit 1234567)")
    done = made(3, CHANGE, "Add the alert `tariff_stale` to the billing job (commit 7654321)")

    assert find_superseded([left, other, done]) == [(left.id, done.id)]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (
            (CHANGE, "Added a lock with Redis in `jobs.py`."),
            (DECISION, "The user said: Not Redis: use Postgres for locks."),
        ),
        (
            (CHANGE, "Icons come from FontAwesome in `nav.tsx`."),
            (DECISION, "The user said: Stop using FontAwesome."),
        ),
        (
            (
                FACT,
                "\u753b\u50cf\u306f\u30b5\u30e0\u30cd\u30a4\u30eb\u5316\u3059\u308b\u3053\u3068\u306b\u3057\u307e\u3057\u305f\u3002",
            ),
            (
                DECISION,
                "The user said: \u30b5\u30e0\u30cd\u30a4\u30eb\u5316\u306f\u3084\u3081\u3066\u3002",
            ),
        ),
        (
            (DECISION, "Consul h\u00e4lt die Sperren, weil es schon da ist."),
            (DECISION, "The user said: Wir nehmen etcd statt Consul."),
        ),
    ],
)
def test_what_the_user_takes_back_in_the_same_session_is_taken_back(
    old: tuple[Category, str], new: tuple[Category, str]
) -> None:
    assert replaced(old, new, session="s")


@pytest.mark.parametrize(
    "said",
    [
        "The user said: No lodash in the frontend.",
        "The user said: not lodash alone, ramda too",
        "The user said: no lodash questions today please?",
    ],
)
def test_what_is_ruled_for_one_place_takes_nothing_back_elsewhere(said: str) -> None:
    assert not replaced((DECISION, "Lodash merges options in the build scripts."), (DECISION, said))


@pytest.mark.parametrize("session", ["", "s"])
def test_a_figure_that_was_named_as_wrong_is_taken_back(session: str) -> None:
    old = (FACT, "Recall is 0.912 on the test set with the new features.")
    new = (FACT, "The feature leaked: recall falls to 0.846; 0.912 was too good.")
    other = (FACT, "The feature leaked: precision falls to 0.846; 0.913 was too good.")

    assert replaced(old, new, session=session)
    assert not replaced(old, other, session=session)


def test_a_figure_that_the_user_calls_worthless_falls_and_a_cause_does_not() -> None:
    said = (FACT, "The user said: ok then. the 0.731 is worthless, half of the boats were twice in")
    given = (FACT, "The forecast runs for 12 ports; the mean error is 0.731.")
    other = (FACT, "The forecast runs for 12 ports; the mean error is 0.713.")
    spoken_of = (FACT, "`score.py` reads all boats, so the 0.731 was measured on them too.")
    caused = (
        CHANGE,
        "The error is 0.731. The leak: `load.py` joined by name, boats were twice.",
    )
    compared = (FACT, "Without tides the error on the boats falls from 0.731 to 0.702.")
    plain = (FACT, "The error on the boats is 0.731 now.")
    by_agent = (FACT, "Ok then, the 0.731 is worthless.")

    assert replaced(given, said)
    assert replaced((FACT, "The error of the boats is 0.731."), said)
    for stands in (other, spoken_of, caused):
        assert not replaced(stands, said)
    assert not replaced(plain, compared)
    assert not replaced(given, by_agent)


def test_decisions_on_two_things_stand_side_by_side_however_alike_they_sound() -> None:
    old = "The user said: We use a ring buffer for export, because tenant 23 needs ranges."
    new = "The user said: We use a ring buffer for upload, because tenant 28 needs ranges."
    again = "The user said: We use a ring buffer for export, because tenant 28 needs ranges."

    first, second = made(1, DECISION, old, issue=7), made(2, DECISION, new, issue=7)
    third = made(3, DECISION, again, issue=7)

    assert find_superseded([first, second]) == []
    assert find_superseded([first, third]) == [(first.id, third.id)]


def test_where_some_are_asked_about_the_same_pairs_are_found_as_among_all() -> None:
    chance = Random(7)
    read = [
        read_memory(
            made(number, FACT, " ".join(chance.choices(("gear", "bolt", "cable", "rotor"), k=2))),
            is_newer=True,
        )
        for number in range(260)
    ]
    newer = range(0, 260, 3)

    for told in ({5}, {5, 120, 259}, {258, 0}, set(range(40, 200))):
        some = {pair for pair in pair_told(read, newer, told) if is_near(read, *pair)}
        assert some == {pair for pair in pair_all(read, newer) if not told.isdisjoint(pair)}


@pytest.mark.parametrize(
    ("old", "new", "falls"),
    [
        (
            (DECISION, "`NOTES.md` is written by hand from now on."),
            (DECISION, "The user said: and towncrier for the notes after all, by hand nobody does"),
            True,
        ),
        (
            (FACT, "The user said: The mock server is on port 8080."),
            (FACT, "The user said: we moved the mock server to 9090, 8080 clashes with Jenkins"),
            True,
        ),
        (
            (DECISION, "The user said: towncrier for the notes, one file a change"),
            (DECISION, "The user said: towncrier for the notes after all"),
            False,
        ),
        (
            (FACT, "The mail server is on port 2525."),
            (FACT, "The user said: we moved the mock server to 9090"),
            False,
        ),
        (
            (DECISION, "The notes, the guide and the site of Emden are checked by Ines each May."),
            (DECISION, "The user said: towncrier for the notes after all"),
            False,
        ),
        (
            (FACT, "The user said: The mock server is on port 8080."),
            (FACT, "We moved the mock server to 9090 in a trial."),
            False,
        ),
    ],
)
def test_what_the_user_takes_for_a_thing_after_all_replaces_its_earlier_choice(
    old: tuple[Category, str], new: tuple[Category, str], falls: bool
) -> None:
    assert replaced(old, new) == falls


def test_what_a_person_decided_no_agent_takes_back() -> None:
    said = "Use Redis for the queue."
    taken_back = "Switch from Redis to Postgres for the queue, instead of Redis."
    by_person = observation(said, agent="human", at_ms=START_MS)
    later = START_MS + 9
    noted = observation(f"The user said: {taken_back}", at_ms=later)
    cases = (
        (observation(said, at_ms=START_MS), observation(taken_back, at_ms=later), True),
        (by_person, observation(taken_back, event_ids=("e1",), at_ms=later), False),
        (by_person, noted, False),
        (by_person, replace(noted, event_ids=("e1",)), True),
        (by_person, observation(taken_back, agent="human", at_ms=later), True),
    )
    for old, new, falls in cases:
        assert (old.id in find_replacing([old, new])) == falls, new


@pytest.mark.parametrize(
    ("old", "new", "is_gone"),
    [
        ("Receipts go to Spool.", "Receipts go to Barn now; `BARN_URL` names it.", True),
        ("Receipts are kept in Spool.", "Receipts are now kept in Barn.", True),
        ("The nightly export runs on cron-2.", "The nightly export runs on Nomad now.", True),
        ("Secrets live in `.env`.", "Secrets live in Vault now.", True),
        ("Receipts go to Spool.", "Receipts go to Barn.", False),  # perhaps to both
        ("Receipts go to Spool.", "Invoices go to Barn now.", False),
        ("Receipts go to Spool.", "Receipts go to the printer by hand.", False),
        ("The worker reads from Kafka.", "The worker reads at most 40 rows now.", False),
        ("Secrets live in Vault.", "Secrets live in Vault now.", False),
        ("Receipts go to Spool.", "Where do receipts go to now?", False),
    ],
)
def test_what_is_elsewhere_now_is_not_where_it_was(old: str, new: str, is_gone: bool) -> None:
    assert replaced((FACT, old), (FACT, new)) is is_gone
