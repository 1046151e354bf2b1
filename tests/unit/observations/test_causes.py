"""Goal: an error is told with the cause that was found, not with a guess that led nowhere, and
with what mended it, not with what was tried and put back.

Method: sessions told turn by turn; the guesses and findings are worded in several ways.
"""

from __future__ import annotations

import pytest

from agentx.observations.model import Category
from tests.support.telling import Talk

_FAILS = (
    'F\n\n  1) pays\n     expected to find text "Thank you" in "Processing"\n\n1 example, 1 failure'
)
_CHECK = "bundle exec rspec spec/checkout_spec.rb"


def tell(guess: str, finding: str, closing: str) -> str:
    talk = Talk().user("the checkout spec is red, please look").shell(_CHECK, _FAILS, 1)
    talk.agent(guess).edit("spec/rails_helper.rb", "wait = 2", "wait = 10")
    talk.shell(_CHECK, _FAILS, 1).agent(finding)
    talk.edit("config/test.rb", "queue_adapter = :solid_queue", "queue_adapter = :inline")
    talk.edit("spec/rails_helper.rb", "wait = 10", "wait = 2")
    talk.shell(_CHECK, "1 example, 0 failures").agent(closing)
    (found,) = talk.found(Category.ERROR)
    return found.content


@pytest.mark.parametrize(
    "guess",
    [
        "My first thought is the wait time of the browser. Let me raise it to 10.",
        "I think it's the wait time: 2 seconds are not enough for the page.",
        "The wait time is too short because the page needs longer than 2 seconds.",
        "Raising the wait in `rails_helper.rb` to 10 seconds.",
    ],
)
@pytest.mark.parametrize(
    ("finding", "closing"),
    [
        (
            "It is not the wait time.",
            "## Fixed\n\nThe job is put on `solid_queue`, and nothing runs a worker there.",
        ),
        ("Found it: with `solid_queue` nothing works the job off in tests.", "Green now."),
        ("No.", "**Root cause:** jobs go to `solid_queue`, which has no worker in tests."),
        ("That was not it.", "It failed because `solid_queue` has no worker in the tests."),
    ],
)
def test_the_cause_is_what_was_found_and_no_guess_that_did_not_help(
    guess: str, finding: str, closing: str
) -> None:
    told = tell(guess, finding, closing)

    cause = next(part for part in told.split("; ") if part.startswith("Cause: "))
    assert "solid_queue" in cause
    assert "wait" not in told
    assert "Fixed by: config/test.rb" in told
    assert "rails_helper" not in told


def test_a_guess_that_the_next_run_bears_out_is_the_cause() -> None:
    talk = Talk().user("the spec is red").shell(_CHECK, _FAILS, 1)
    talk.agent('The page needs longer to find its "Thank you" text, I think.')
    talk.edit("spec/rails_helper.rb", "wait = 2", "wait = 10")
    (found,) = talk.shell(_CHECK, "1 example, 0 failures").found(Category.ERROR)

    assert "Cause: The page needs longer" in found.content
    assert "Fixed by: spec/rails_helper.rb" in found.content


def test_a_cause_stands_though_its_first_fix_was_not_enough() -> None:
    talk = Talk().user("the spec is red").shell(_CHECK, _FAILS, 1)
    talk.agent('The text is missing because the job that renders "Thank you" is never worked off.')
    talk.edit("config/test.rb", "adapter = :queue", "adapter = :async")
    talk.shell(_CHECK, _FAILS, 1).agent("One more place.")
    talk.edit("config/ci.rb", "adapter = :queue", "adapter = :async")
    (found,) = talk.shell(_CHECK, "1 example, 0 failures").found(Category.ERROR)

    assert "never worked off" in found.content
    assert "Fixed by: config/test.rb, config/ci.rb" in found.content


@pytest.mark.parametrize(
    "said",
    ["The terms page still says otherwise; I left it alone.", "The docs are not yet fixed."],
)
def test_what_is_left_elsewhere_does_not_open_what_was_mended(said: str) -> None:
    talk = Talk().user("build it").shell("bin/rails db:migrate", "Error: connection refused", 1)
    talk.shell("docker compose up -d db && bin/rails db:migrate", "== Create: migrated")
    talk.agent("The tables are there.").user("and the shipping costs?")
    (found,) = talk.agent(said).found(Category.ERROR)

    assert "Fixed by: `docker compose up -d db" in found.content


def test_however_long_the_cause_is_what_mended_it_is_told() -> None:
    talk = Talk().user("the admin page is red").shell(_CHECK, _FAILS, 1)
    talk.agent(
        "It fails because `Field::Deferred` shows up where the type is given with options and is"
        " not resolved: the types need `Field::Number.with_options` on a real attribute, and the"
        " balance is a method, so that the collection page tries to sort by it, which it cannot,"
        " and the partial that it then looks for does not exist in this version of the gem."
    )
    talk.edit("app/dashboards/gift_card_dashboard.rb", "sortable: true", "sortable: false")
    (found,) = talk.shell(_CHECK, "3 examples, 0 failures").found(Category.ERROR)

    assert found.content.endswith("Fixed by: app/dashboards/gift_card_dashboard.rb")
    assert "Cause: It fails because" in found.content
