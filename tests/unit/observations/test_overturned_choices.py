"""Goal: of choices that were turned round several times only the last stands.

Method: memories in their order, of several sessions; beside them some that only sound like it.
"""

from __future__ import annotations

import pytest

from agentx.observations.model import Category
from agentx.observations.validity.supersede import find_superseded
from tests.support.telling import Talk
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
