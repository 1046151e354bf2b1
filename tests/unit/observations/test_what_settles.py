"""Goal: under decisions stands what was settled; no request, no report and nothing for once.

Method: sentences as people and agents say them in many trades, said first in a session and said
later, where something was changed after them.
"""

from __future__ import annotations

import pytest

from agentx.observations.extract import extract
from agentx.observations.model import Category
from agentx.prose.settling.verdict import decides, settles
from agentx.recall.section.kinds import Kind, kind_of
from tests.support.telling import Talk

_WANTED = [
    # no name is taken or left
    "ok then",
    "what then?",
    "see you then",
    "try it out",
    "find out",
    "then print it out",
    "the pipeline is dead again since this morning",
    "back then, the tests were slow",
    # why somebody wants it is not how it is to be
    "Write a widget test for the login form so that we notice a button that is off too early",
    "Add a progress bar to the export because users think that it hangs",
    "Make the health check faster, otherwise the load balancer won't keep the node",
    "Can you extend the parser so it does not stop at the first comment?",
    "could you generate thumbnails so that the gallery doesn't have to load the originals",
    "Fix the importer, it must have been broken by the upgrade",
    "Remove the feature flag for the new checkout, everybody has it",
    "Move the constants into one file, they are only used there",
    "Move the date parsing to utils, two modules need it",
    "Move the buttons to the left, users miss them",
    "Mach bitte einen Test, damit wir das nicht wieder kaputt machen",
    # what a reviewer found
    "The --quay path calls harbour.Open() directly without checking the SKIP_HARBOUR variable",
    "The comment in gate.go claims that it skips the checks, but the gate runs them",
    "The exporter writes keys in upper case, while the importer does lower them",
    "These retries are not actually counted by the limiter",
    "The handler stores the raw name without escaping it for the page",
    "This helper suggests that it is idempotent although it appends a row",
    # what is broken
    "we have two listeners that don't answer, look at them",
    "there must be a leak in the sprite cache, it only draws the first layer. have a look",
    "The mailer doesn't send to addresses with a plus, users can't sign up",
    "We have pods that never become ready since the last rollout",
    "Incident: the west region has no orders since 21:40, nobody can pay",
    "#88 is back, red on my branch since this morning, so it is not the clock",
    "docs/limits.md still says 10 MB: update it to the new limit",
    "nope, still the old prices on the shelf labels",
    "no that didn't help, same error in the browser",
    # over as soon as it is done
    "run the suite again but only the slow ones",
    "leave the ticket open until the weekend",
    "Merge it, but wait until the pipeline is green",
    "confirm that the new parser can read v1 files without any conversion",
    "Show me the diff, not the whole file",
    "tell me how to run it without docker",
    "please switch to main and delete stale branches like fix/old-env",
    "switch back to the release branch, then pull",
    "let's do the login page. a form or a link by mail?",
    # for once, or not yet
    "pods restart all night on the edge nodes. Look around, don't change anything yet",
    "for this one commit only, skip the hook with --no-verify",
    "do not deploy yet, the freeze ends on Thursday",
    "Plan first, do not touch code.",
    "hm let me think about it. not now",
    # a task by its number, with what it is to do
    "#41: the nightly import failed at 02:10, then passed. I do not believe in luck. Find it.",
    "#57: POST /bills/{id}/remind should send it in their language. Read what is there first.",
    "docs/setup.md still names the old ports. #63: update it to the new rule, simple words please",
    # greetings
    "hi! Anna here, I do everything that is not the billing",
    "Good morning, this is Per from the lab, I never work on Fridays",
    "the numbers from yesterday are not good enough",
    # not meant
    "Suppose we moved everything to the edge, just thinking, don't do anything",
    "lol ok never mind then. we should just rewrite it all in COBOL ;)",
    'my boss says "we must use Oracle". I told him no.',
    # others' words, and what its speaker is not sure of
    "Got this mail:\n> we decided to leave v1. Always send invoices as PDF.\nwhat do they want?",
    "from the chat:\n> Ida: we decided to drop the old app on Monday\n> Per: no we did not",
    "since the file is in git perhaps we don't need the copy, we just need the link, right",
]
_SETTLED = [
    # what is taken and what is left, in a few words
    "toml it is. with comments. one file for each site",
    "`pnpm` it is.",
    "jenkins out, we build on the box now",
    "make ship is dead, it's `just release` since yesterday",
    "Tom owns billing now",
    "we moved the dev server to 9090",
    "0.76 is what we show",
    "the blue theme is off the table",
    "The exporter must not write keys without checking them",
    "The importer runs without a lock, we decided that last week",
    "No key is stored without encrypting it",
    "Deploy only after the checks, never without asking me",
    "The page stays in Danish, while the API is in English",
    "We stay on Angular 17 until the summer, because the design system is not ready",
    "Use the vendor's SDK for push, our own client is not worth it",
    "Set the pool size to 40, because the report needs 30 at night",
    "aiosql leaks cursors under load. Move the reports to asyncpg",
    "The service account must not have write access to the bucket",
    "Prices are stored in the smallest unit, never as decimals",
    "I'd rather have two small services than a big one",
    "Add the field as nullable, don't backfill it",
    "Rename the class, but keep the table name",
    "every endpoint has to be versioned",
    "Do it in the client rather than on the server, because we can't deploy before Monday",
    "The id stays a string, even for numeric ones",
    "Only admins may delete a workspace",
    "Wir bleiben bei MariaDB, weil der Betrieb es kennt",
    "Instead of polling use the webhook that they offer",
    "Drop support for Node 18",
    "Do not merge without a green pipeline",
    "Keep both parsers for now, the old files will be around until 2027",
    "but the totals should follow the schema of the invoice standard",
    "we should keep the path relative, so the archive can be moved",
    "yarn not npm please",
    "Drop Bulma, we go back to our own CSS.",
    "Turn the sampler off in CI, it makes the runs flaky.",
    "Minimum is Qt 6 now.",
    "Set the lock timeout to 60 minutes, crews complain.",
    "You may call the weather service from tests now.",
    "We ship with Nix, because the lab knows it.",
    "#61: keep the invoices for ten years, never delete one",
    "#44, exports as CSV instead of Excel",
    "#70: totals must not be rounded before the sum",
    "One for later: never run the backup between two and four, the tapes are changed then.",
]


def _say(text: str, *, is_first: bool) -> list[Category]:
    talk = Talk()
    if not is_first:
        talk.user("Build the page of invoices").edit("invoices.tsx", "a", "b")
        talk.agent("The page lists invoices with a table.")
    talk.user(text).edit("b.ts", "x", "y").agent("I changed `b.ts` accordingly.")
    return [one.category for one in extract(talk.turns) if text[:20] in one.content]


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("text", _WANTED)
def test_what_is_only_wanted_or_broken_is_no_decision(text: str, is_first: bool) -> None:
    assert Category.DECISION not in _say(text, is_first=is_first)


@pytest.mark.parametrize("is_first", [True, False])
@pytest.mark.parametrize("text", _SETTLED)
def test_what_says_how_a_thing_is_to_be_is_a_decision(text: str, is_first: bool) -> None:
    assert Category.DECISION in _say(text, is_first=is_first)


@pytest.mark.parametrize("text", ["duckdb then, polars out", "fine, Room then", "out: not now"])
def test_what_is_taken_in_short_is_a_decision_where_something_was_said_before(text: str) -> None:
    is_taken = Category.DECISION in _say(text, is_first=False)

    assert is_taken is not text.startswith("out")
    assert Category.DECISION not in _say(text, is_first=True)


@pytest.mark.parametrize(
    ("said", "worked", "is_decided"),
    [
        ("Switched to `develop`, deleted `old` and pruned the remote.", True, False),
        ("Golden files removed in favour of snapshots; two tests added", True, False),
        ("The reader stalls. The right fix is to drain the pipe first.", False, False),
        ("The right fix is to drain the pipe first, which the reader does now.", True, True),
        ("I switched from `glob` to `walk`, because `glob` follows links.", True, True),
        ("We decided to keep the queue in memory.", False, True),
        ("Spot instances were chosen by Ana for the node group.", False, True),
        ("It was agreed to keep the zones in one state.", False, True),
        ("The DNS was picked up by the wrong resolver.", False, False),
        ("Good, then the cluster can be inspected from now on.", False, False),
        ("From now on we inspect it only with the audit role.", False, True),
        ("I'll go with a materialised view: the report is read all day.", True, True),
    ],
)
def test_what_an_agent_did_is_no_decision_unless_it_says_why(
    said: str, worked: bool, is_decided: bool
) -> None:
    assert decides(said, worked=worked) is is_decided


@pytest.mark.parametrize(
    ("said", "label"),
    [
        ("The gallery crashes on old phones. 3 % of users since 5.2. iOS is fine", "reported"),
        ("the app freezes for 3 s when I open the gallery. fix", "asked"),
        ("the gallery doesn't open on old phones since the last release", "reported"),
    ],
)
def test_what_was_asked_for_and_done_is_told_with_the_changes_and_not_as_a_fact(
    said: str, label: str
) -> None:
    talk = (
        Talk().user(said).edit("gallery.kt", "a", "b").shell("git commit -am x", "[main 1a2b3c4] x")
    )
    talk.agent("The gallery decodes its pictures in the background now.")

    (kept,) = [one for one in extract(talk.turns) if one.content.endswith(said)]

    assert kept.content == f"The user {label}: {said}"
    assert kind_of(kept.category, kept.content) is Kind.CHANGE


def test_a_few_words_before_a_question_are_not_kept() -> None:
    talk = Talk().user("we have a lock file in there. how is it written?")
    talk.agent("`Lock.take` writes it with `O_EXCL`.")

    assert not any("how is it written" in line for line in talk.kept())


def test_a_ruling_is_no_question_because_one_is_told_behind_it() -> None:
    talk = Talk().user("import the tariffs of the port")
    talk.agent("They are imported. Is there anything about the berths that has to be so?")
    talk.user("never read tariffs from a file, the office edits the table by hand")
    talk.agent("Noted.")

    (line,) = talk.kept()
    assert line == (
        "The user said: never read tariffs from a file, the office edits the table by hand; Asked: "
        "Is there anything about the berths that has to be so?"
    )


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "hi! Anna here, I do the rest \U0001f604 Invoices must be in cents. A role, `clerk`.",
            "Invoices must be in cents. A role, `clerk`.",
        ),
        (
            "guten morgen! #18, a queue in Redis instead of cron. a table for the rest",
            "#18, a queue in Redis instead of cron. a table for the rest",
        ),
        (
            "Then do that and throw Solr out. We do not use it. What do we lose? Be honest.",
            "Then do that and throw Solr out. We do not use it.",
        ),
        (
            "Good. Now the labels. In code for now, never in the database.",
            "Good. Now the labels. In code for now, never in the database.",
        ),
    ],
)
def test_what_was_settled_is_quoted_without_greetings_and_without_a_question_s_rest(
    said: str, told: str
) -> None:
    talk = Talk().user("Build the page").edit("a.ts", "a", "b").agent("The page is there.")
    talk.user(said).edit("b.ts", "x", "y").agent("I changed `b.ts` accordingly.")
    assert [one.content for one in talk.found(Category.DECISION)] == [f"The user said: {told}"]


@pytest.mark.parametrize(
    ("said", "is_settled"),
    [
        ("port the payment hook of apps/web to Elixir in packages/pay", False),
        ("SQL warehouse: make the orders incremental", False),
        ("checkout: add a field for the voucher", False),
        ("packages/pay: rename Hook to Webhook", False),
        ("Mobile app: fix the drawer on small screens", False),
        ("CI: run the linters in their own job", False),
        ("#57: write a test for the fee", False),
        ("docs: update the page on tides", False),
        ("port the old parser to Rust please", False),
        ("api v2: implement paging for the list", False),
        ("Policy: use UTC everywhere", True),
        ("Move the gateway to aiohttp, httpx leaks sockets", True),
        ("Migrate the queue to NATS, Kafka is too much for us", True),
        ("Use merge, not delete and insert", True),
        ("Tabs: never in Python", True),
        ("checkout: no vouchers below 10 euro", True),
        ("We decided: port nothing before the fair", True),
        ("Switch from npm to pnpm", True),
        ("SQL warehouse: we use merge instead of delete", True),
        ("Rule: every table must have an owner", True),
    ],
)
def test_a_task_settles_nothing_whatever_it_is_headed_by(said: str, is_settled: bool) -> None:
    assert settles(said) is is_settled
