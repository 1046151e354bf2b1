"""Goal: what was found wrong and mended later in its session is not told as how things are.

Method: diagnoses in many trades, each followed by what mends it, by what removes it, or by
something else.
"""

from __future__ import annotations

import pytest

from agentx.observations.extract import extract
from agentx.observations.model import Category
from tests.support.telling import Talk

_ROUNDS = "Found it.\n\n- `labels.render` takes `week_of` from the year before.\n- It runs daily."
_NEVER = "The importer stalls because the lock of the sidecar is never freed by anybody."
_EARLY = "Because `outbox.flush` is called before the commit, the mail leaves without its order."
_HOLDS = "`hooks.attempt` holds `BEGIN WORK` over the call, so the web never gets its turn."
_STANDS = "One run: the order is put 20 ms after `now()`, so it is not due, for the worker."

# Its file ends with the name of the one that is edited then; and a plain name that stays.
_LONGER = "`queue_rewind.py:25` is too long since the split: the linter will find `Drain()` again."
_PLAIN = "The way by stubs isn't bad: who has `acme` installed never notices that it is one."
_PRAISED = "Honestly, how `deploy.yml` does it isn't terrible: six lines, and the code stays clean."
_THEIRS = "I checked `harbour/kiosk`: their `kiosk.json` only has what all share, no `remote`."


def _diagnose(said: str, *, talks: int = 0) -> Talk:
    talk = Talk().user("Why does it go wrong at the turn of the year?").agent(said)
    for number in range(talks):
        talk.user(f"I see. And what does way {number} cost us?").agent("It costs an hour a week.")
    return talk.user("Do it, the failing test first.")


def _category(talk: Talk, words: str) -> tuple[Category, str]:
    talk.shell('git commit -am "Mend the turn of the year"', "[main 1a2b3c4] Mend the turn").agent(
        "Done."
    )
    (found,) = [
        one for one in extract(talk.turns) if words in one.content and "Asked" not in one.content
    ]
    return found.category, found.content


@pytest.mark.parametrize(
    ("said", "talks", "edit", "is_mended"),
    [
        (_ROUNDS, 0, ("src/labels.py", "week_of(day.year - 1)", "day.isocalendar()"), True),
        (_ROUNDS, 0, ("src/other.py", "week_of(day.year - 1)", "day.isocalendar()"), False),
        (_ROUNDS, 0, ("src/labels.py", "title = 'a'", "title = 'b'"), False),
        (_EARLY, 0, ("src/orders.py", "outbox.flush(db)", "put(db)"), True),
        (_EARLY, 1, ("src/orders.py", "outbox.flush(db)", "put(db)"), True),
        (_EARLY, 1, ("src/orders.py", "outbox.flush(db)", "outbox.flush(db, now)"), False),
        (_HOLDS, 0, ("src/hooks.py", 'db.execute("begin work")', "pass"), True),
        (_HOLDS, 0, ("src/hooks.py", "timeout = 3", "timeout = 5"), False),
        (_HOLDS, 0, ("src/other.py", 'db.execute("begin work")', "pass"), False),
        (_STANDS, 0, ("src/jobs.py", "at <= now()", "at <= clock()"), True),
        (_LONGER, 0, ("src/rewind.py", "return None", "raise Lost(name)"), False),
        (_LONGER, 0, ("src/queue_rewind.py", "return None", "raise Lost(name)"), True),
        (_PLAIN, 0, ("src/acme.py", 'which("acme")', 'self.which("acme")'), False),
        (_PLAIN, 0, ("src/acme.py", 'which("acme")', "self.which(NAME)"), True),
        (_PRAISED, 0, ("deploy.yml", "steps: six", "steps: five"), False),
        (_THEIRS, 0, ("kiosk.json", '"remote": "acme"', '"remote": ""'), False),
    ],
)
def test_what_was_found_wrong_is_told_with_where_it_was_mended(
    said: str, talks: int, edit: tuple[str, str, str], is_mended: bool
) -> None:
    words = said.rsplit("- It", 1)[0].rsplit("- ", maxsplit=1)[-1][:30].strip()
    category, content = _category(_diagnose(said, talks=talks).edit(*edit), words)

    assert (f"(since mended in {edit[0]})" in content) is is_mended
    assert (category is Category.ERROR) is is_mended


def test_how_a_tool_behaves_stays_though_our_code_no_longer_calls_it() -> None:
    said = (
        "Found it.\n\nIn SQLite `strftime('%W')` is the week that begins on Monday, from zero on."
    )
    talk = _diagnose(said).edit("src/labels.py", "strftime('%W')", "strftime('%V')")

    category, content = _category(talk, "In SQLite")
    assert (category, "since" in content) == (Category.KEY_FACT, False)


@pytest.mark.parametrize(
    ("command", "is_gone"),
    [
        ("git rm -rq deploy/sidecar", True),
        ("git rm -q deploy/sidecar.yaml", True),
        ("git rm -q docs/sidecar-notes.md", False),
        ("rm -rf /tmp/sidecar", False),
    ],
)
def test_what_was_wrong_with_a_thing_that_is_removed_then_goes_with_it(
    command: str, is_gone: bool
) -> None:
    category, content = _category(_diagnose(_NEVER).shell(command), "The importer stalls")

    assert ("(since removed: deploy/sidecar" in content) is is_gone
    assert (category is Category.ERROR) >= is_gone
