"""Whose words are kept, which failures are worth it, and that nothing said is lost on the way."""

from __future__ import annotations

import json

import pytest

from agentx.exchanges.turns import TurnKind
from agentx.observations.model import Category
from tests.support.telling import Talk

PASTED = """\
\u276f make deploy
remote: Permission to shop/api.git denied to deploy-bot.
fatal: unable to access 'https://example.com/shop/api.git/': error: 403
Push failed (attempt 1/3). Never push to a fork, always use upstream instead.
"""


def test_what_a_program_printed_is_not_what_the_user_said() -> None:
    talk = Talk().user(
        PASTED + "\nwe must keep the deploy key read-only, use the app token instead"
    )
    talk.agent("The job pushes with the app token now.")

    said = [one for one in talk.kept() if one.startswith("The user said: ")]

    assert said == [
        "The user said: we must keep the deploy key read-only, use the app token instead"
    ]


def test_an_error_that_the_user_pasted_is_told_as_shown_to_them() -> None:
    talk = Talk().user(PASTED).agent("The deploy key has no right to write.")

    (error,) = talk.found(Category.ERROR)

    assert error.content.startswith("The user was shown: ")
    assert "unable to access" in error.content


def test_a_check_that_failed_is_no_stumble_over_the_command() -> None:
    talk = Talk().user("run everything")
    talk.shell("bun run lint", 'Found 2 errors.\nerror: script "lint" exited with code 1', 1)
    talk.shell("bun run lint:fix", "Fixed 2 files.")

    assert not any("worked" in one for one in talk.kept())


def test_another_script_of_the_same_runner_is_not_the_check_that_failed() -> None:
    talk = Talk().user("run everything")
    talk.shell("bun run test", "TypeError: zone is not a function\n 1 fail", 1)
    talk.agent("`zone` is not a function because the mock of `clock.ts` was renamed.")
    talk.shell("bun run lint", "Checked 12 files.")

    (error,) = talk.found(Category.ERROR)

    assert "bun run lint" not in error.content


def test_what_is_printed_in_a_run_that_passed_is_no_failure() -> None:
    printed = "error: Database connection failed\n at src/db.test.ts:12\n\n 1232 pass\n 0 fail\n"
    talk = Talk().user("run the tests").shell("bun run test 2>&1 | tail -30", printed)
    talk.agent("It mocks the database, so the connection error is part of the test.")

    assert talk.found(Category.ERROR) == []


def test_a_count_of_failures_is_one_even_behind_a_pipe() -> None:
    talk = Talk().user("run the tests")
    talk.shell("bun run test 2>&1 | tail -3", "TypeError: no zone\n 11 pass\n 1 fail")
    talk.agent("The zone is missing because `rooms.json` predates the migration: no zone there.")

    assert len(talk.found(Category.ERROR)) == 1


def test_what_was_tried_once_and_given_up_without_a_word_is_left_out() -> None:
    talk = Talk().user("which version is it?")
    talk.shell("node -e \"console.log(require('./x').y.z)\"", "TypeError: y is undefined", 1)
    talk.agent("It is version 4.")

    assert talk.found(Category.ERROR) == []


def test_an_answer_keeps_the_words_of_the_user_however_long_the_question_was() -> None:
    question = "Is this meant for members who may push but work on forks, " * 5 + "or for others?"
    talk = Talk().user("sync the checkpoints of forks").agent(question)
    talk.user("only for people outside, never for members: they must push to the main repository")
    talk.agent("Understood.")

    (decision,) = talk.found(Category.DECISION)

    assert decision.content.startswith("The user said: only for people outside, never for members")


def test_a_plan_that_was_refused_is_told_with_what_the_user_wanted_instead() -> None:
    plan = "# Restore by the file name\n\n" + "Guess the folder from the name of the session. " * 9
    talk = Talk().user("fix the restore")
    talk.add(
        TurnKind.CALL,
        text=f"ExitPlanMode: {plan}",
        tool="ExitPlanMode",
        call_id="p",
        arguments={"plan": plan},
    )
    talk.add(
        TurnKind.RESULT,
        text="The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\n"
        "I want the simplest implementation, the same for both agents: store the path",
        tool="ExitPlanMode",
        call_id="p",
        failed=True,
    )

    (decision,) = talk.found(Category.DECISION)

    assert "Restore by the file name" in decision.content
    assert "the simplest implementation, the same for both agents: store the path" in (
        decision.content
    )


@pytest.mark.parametrize(
    "said",
    [
        "Verified: `git diff --check` and the formatter for the edited page.",
        "All 214 unit tests pass.",
        "The working tree is clean.",
    ],
)
def test_that_all_is_well_at_the_moment_is_not_kept(said: str) -> None:
    talk = Talk().user("tidy `docs/guide.md`").edit("docs/guide.md", "a", "b").agent(said)

    assert not any(said in one for one in talk.kept())


@pytest.mark.parametrize(
    "said",
    [
        "When we deploy, always run the migrations first.",
        "Do the migration with alembic, never by hand.",
    ],
)
def test_a_rule_that_begins_like_a_question_is_heard(said: str) -> None:
    talk = Talk().user(said).agent("Understood, I will keep to that.")

    assert [one.content for one in talk.found(Category.DECISION)] == [f"The user said: {said}"]


@pytest.mark.parametrize(
    "asked",
    [
        "so if the support for base urls is closed doesn't that mean we can use the default one",
        "+what's the purpose of the second run, I don't see the point of it",
        "what did we decide about the second run",
        "should we use PostgreSQL or MySQL for the runs",
        "what do we use for the runs, PostgreSQL or SQLite",
    ],
)
def test_a_doubt_put_as_a_question_settles_nothing(asked: str) -> None:
    talk = Talk().user("look at the runs").agent("There are two runs of each case.")
    talk.user(asked).agent("It guards against flaky cases.")

    assert talk.found(Category.DECISION) == []


def test_what_another_agent_gave_as_the_task_is_told_as_its_words() -> None:
    talk = Talk().add(
        TurnKind.PROMPT,
        text="Use protobuf instead of JSON between the gateway and the meter, because of size.",
        sender="architect",
    )
    talk.agent("The gateway speaks protobuf now.")

    (decided,) = talk.found(Category.DECISION)

    assert decided.content == (
        "architect said: Use protobuf instead of JSON between the gateway and the meter,"
        " because of size."
    )


def test_what_another_agent_reported_names_who_did() -> None:
    talk = Talk().user("audit the meter").agent("I asked for it.")
    talk.add(
        TurnKind.REPORT,
        text="`meter/cache.go` has a data race: `hits` is incremented without a lock in `Get`.",
        sender="auditor",
    )

    assert any(one.startswith("auditor reported: `meter/cache.go` has") for one in talk.kept())


HANDED_OVER = (
    "A previous agent produced the plan below to accomplish the user's task. Implement the plan in"
    " a fresh context. Treat the plan as the source of user intent, re-read files as needed, and"
    " carry the work through implementation and verification.\n\n"
)


@pytest.mark.parametrize("opening", ["Implement the following plan:\n", HANDED_OVER])
def test_a_plan_that_was_handed_over_is_an_approved_plan_with_its_content(opening: str) -> None:
    talk = Talk().user(
        f"{opening}# Store readings in Parquet\n\nWrite with pyarrow instead of fastparquet,"
        " because the meter sends nested rows.\n"
    )
    talk.agent("Implemented with pyarrow.")

    said = talk.kept()

    assert not any("previous agent" in one for one in said)
    assert any(
        one.startswith("The user approved a plan: Store readings in Parquet")
        and "pyarrow instead of fastparquet" in one
        for one in said
    )


PARKING = """# Tariffs of the car park (replaces the flat rate)

| | before | after | why |
|---|---|---|---|
| first hour | 2.00 | free | short stops block the street |
| day | 9.00 | 14.50 | the cinema fills it |
| lost ticket | 40.00 | 14.50, by number plate | cameras know the car |

Not in this change: season tickets (#71).
"""
LISTED = """# Move the parcel labels to the printer service

- render ZPL in `labels/zpl.py` instead of PDF, because the printers jam on PDF
- one queue a warehouse, never one a printer
- retry a jammed printer after 90 s, three times, then tell the foreman by mail and page
"""


HEADED = """# Ferries at night

What can go wrong, first
- two ferries at one berth: the second waits outside, and its captain is told by radio

## Steps
1. `berths.py`: one row for each night, and a constraint that refuses a second ferry in it, with
   the number of the ferry that is there in the message, so that who is refused knows whom to ask
"""


def test_what_only_stands_over_the_items_of_a_plan_is_not_told() -> None:
    talk = Talk().user(f"Implement the following plan:\n{HEADED}").agent("Implemented.")

    (kept,) = (one for one in talk.kept() if one.startswith("The user approved a plan"))

    assert "two ferries at one berth" in kept
    assert "Steps" not in kept
    assert "What can go wrong" not in kept


@pytest.mark.parametrize(
    ("plan", "told"),
    [
        (PARKING, ["first hour: free", "day: 14.50", "lost ticket: 14.50, by number plate"]),
        (LISTED, ["instead of PDF, because the printers jam", "one queue a warehouse, never one"]),
    ],
)
def test_an_approved_plan_is_kept_with_what_its_tables_and_lists_say(
    plan: str, told: list[str]
) -> None:
    talk = Talk().user(f"Implement the following plan:\n{plan}")
    talk.agent("Implemented.")

    (kept,) = (one for one in talk.kept() if one.startswith("The user approved a plan"))

    assert all(one in kept for one in told), kept
    assert kept.index(told[0]) < (kept + "Not in this").index("Not in this")


@pytest.mark.parametrize(
    ("response", "is_approved"),
    [
        ({"plan": PARKING, "isAgent": False, "filePath": "/w/.claude/plans/a.md"}, True),
        ({"plan": PARKING, "isAgent": True, "awaitingLeaderApproval": True}, False),
    ],
)
def test_a_plan_that_a_hook_was_told_of_is_approved_as_one_of_a_transcript(
    response: dict[str, object], is_approved: bool
) -> None:
    talk = Talk().user("Propose new tariffs, with reasons.")
    talk.add(TurnKind.CALL, tool="ExitPlanMode", call_id="p", arguments={"plan": PARKING})
    talk.add(
        TurnKind.RESULT,
        text=json.dumps(response, sort_keys=True),
        tool="ExitPlanMode",
        call_id="p",
        response=response,
    )
    talk.agent("I begin with the tables.")

    told = [one for one in talk.kept() if one.startswith("The user approved a plan: Tariffs")]
    assert bool(told) is is_approved


@pytest.mark.parametrize(
    "asked",
    [
        "The nightly import is red since Monday. Find out why.",
        "Orders from Norway get no VAT, please look into it",
    ],
)
def test_a_fault_that_is_to_be_looked_into_is_told_by_what_was_found(asked: str) -> None:
    talk = Talk().user(asked).agent("The `vat` table has no row for NO, so the join drops it.")

    assert talk.kept() == ["The `vat` table has no row for NO, so the join drops it."]


def test_what_the_agent_says_after_a_refusal_is_told_with_it_only_if_it_is_of_it() -> None:
    plan = "# Stream the archive\n\n- Write rows in batches\n- Lower the number of workers to two"
    refused = (
        "The user doesn't want to proceed with this tool use. The tool use was rejected. "
        "To tell you how to proceed, the user said:\n"
    )
    for reply, is_told in (
        ("The fixture of the login page also opens a socket that nobody closes.", False),
        ("Then the number of workers stays at eight, and only the batches are new.", True),
    ):
        talk = Talk().user("the archive job runs out of memory")
        given = {"plan": plan}
        talk.add(TurnKind.CALL, tool="ExitPlanMode", call_id="p", arguments=given)
        talk.add(
            TurnKind.RESULT,
            text=f"{refused}the workers stay at eight, we need them in December. rest is ok",
            tool="ExitPlanMode",
            call_id="p",
            failed=True,
        )
        talk.agent(reply)

        (decision,) = talk.found(Category.DECISION)

        assert ("The agent: " in decision.content) is is_told


@pytest.mark.parametrize(
    "denied",
    [
        "I haven't changed it; it is set in the web console, so you need to do that.",
        "I did not update the Helm chart.",
        "The importer is unchanged.",
        "Nothing changed in the schema.",
    ],
)
def test_what_was_not_done_is_not_told_of_a_commit(denied: str) -> None:
    talk = (
        Talk().user("use the shared clock in the ledger too").edit("ledger/clock.py", "old", "new")
    )
    talk.shell("git commit -am 'Use the shared clock'", "[main 1d2e3f4] Use the shared clock")
    talk.agent(f"The ledger is done (`1d2e3f4`).\n\nFor the nightly export: it is slow. {denied}")

    (change,) = talk.found(Category.CODE_CHANGE)

    assert denied.rstrip(".") not in change.content


def test_a_line_that_points_back_is_told_behind_what_it_points_to() -> None:
    talk = Talk().user("what does AGE 14d mean in the list of leases?")
    talk.agent("It counts from when the `lease` was renewed. It is reset when the broker restarts.")

    assert any(
        line.startswith("what does AGE 14d mean in the list of leases? It counts from when")
        for line in talk.kept()
    )


def test_a_brief_ruling_is_told_with_how_the_agent_took_it() -> None:
    talk = Talk().user("move the exports to the new folder").agent("Moved.")
    talk.user("and we don't need the old redirects, they make it complicated")
    talk.agent(
        "I agree. The old redirects pull complexity into the router, the sitemap and the tests."
    )

    (ruled,) = [each.content for each in talk.found(Category.DECISION)]

    assert ruled.endswith(
        "The agent: The old redirects pull complexity into the router, the sitemap and the tests."
    )


def test_what_somebody_pasted_of_the_last_reply_is_nothing_new() -> None:
    talk = Talk().user("how do contributors publish their maps?")
    talk.agent(
        "Two ways:\n\n1. **Maps stay on the fork** - A job copies `maps/v1` when it is merged. The "
        "`Map-Id` trailer links to the data.\n2. Maps are mailed."
    )
    talk.user(
        "Can you build that? 1. Maps stay on the fork - A job copies maps/v1 when it is merged. "
        "The Map-Id trailer links to the data."
    )
    talk.edit("ci/copy.yml", "old", "new").agent("The job is in `ci/copy.yml`.")

    assert not any(line.startswith("The user said: The Map-Id trailer") for line in talk.kept())


def test_an_error_that_the_user_pasted_is_told_with_why() -> None:
    talk = Talk().user(
        "the release job is red:\n\n"
        "remote: Permission to shop/prices.git denied to release-bot.\n"
        "fatal: unable to access 'https://git.example/shop/prices.git/': error: 403\n\n"
        "what is it?"
    )
    talk.agent(
        "The 403 comes because the token of the job has no write access: "
        "an owner has to give it that."
    )
    talk.user("ok, I ask Karin")

    (error,) = talk.found(Category.ERROR)

    assert error.content.startswith("The user was shown: fatal: unable to access")
    assert "Cause: The 403 comes because the token of the job has no write access" in error.content
