"""What a later session did closes what an earlier one left open, and nothing else does."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest

from agentx.kernel.clock import Millis
from agentx.observations.closing.doings import Doings, WorkedOut
from agentx.observations.closing.done import find_done, find_rest, mark_done
from agentx.observations.closing.failures import find_mending, tell_mended
from agentx.observations.labels import LEFT_OPEN, WAITS
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.observations.store.files.store import JsonObservationStore
from tests.support.observations import observation
from tests.support.telling import Talk
from tests.support.time_and_chance import CountingEntropy, FakeClock

_BEFORE = Millis(1_772_000_000_000)
_FAILED = "`swift test --filter Feed` failed (exit 1): Feed.swift:31:22: error: no member 'author'"
_OPEN = f"{_FAILED}; Not seen fixed in this session. Tried: Package.swift"


def _mend(command: str, output: str = "ok", code: int = 0, failed: str = _OPEN) -> str:
    talk = Talk().user("go on").edit("Sources/Feed.swift", "a", "b").shell(command, output, code)
    by = find_mending(failed, _BEFORE, Doings(talk.turns).passed)
    return "" if by is None else tell_mended(failed, by)


@pytest.mark.parametrize(
    "command", ["swift test --filter Feed", "swift test", "cd ios && swift test -v && git status"]
)
def test_the_same_check_or_a_wider_one_that_passes_mends_a_failure(command: str) -> None:
    assert _mend(command) == f"{_FAILED}; Fixed by: Sources/Feed.swift"


@pytest.mark.parametrize(
    ("command", "code"),
    [
        ("swift test --filter Login", 0),
        ("swift build", 0),
        ("swift test", 1),
        ("swift test || true", 0),
        ("swift test --skip Feed", 0),
        ("make docs", 0),
    ],
)
def test_what_does_not_run_it_or_fails_mends_nothing(command: str, code: int) -> None:
    assert _mend(command, "", code) == ""


def test_what_was_worked_out_elsewhere_is_what_would_be_worked_out_here() -> None:
    talk = Talk().user("write the docs example").edit("Sources/Feed.swift", "a", "b")
    talk = talk.shell("git commit -am 'add the docs example' && git push", "[main 1a2b3c4] add")
    talk = talk.shell("swift test", "ok").agent("The docs example is in now. PGSSLMODE=verify-full")
    did = Doings(talk.turns).work_out()

    told = msgspec.msgpack.decode(msgspec.msgpack.encode(did), type=WorkedOut)

    assert told == did
    assert Doings((), told).work_out() == did
    assert did.passed
    assert did.last_prompt_ms
    assert did.deeds.asked
    assert did.deeds.told
    assert did.deeds.states


def test_what_was_mended_or_is_cut_or_came_first_is_left_alone() -> None:
    assert _mend("swift test", failed=f"{_FAILED}; Fixed by: a.swift") == ""
    assert _mend("swift test", failed=_OPEN.replace("--filter", "--fil\u2026")) == ""
    talk = Talk().shell("swift test", "ok")
    assert find_mending(_OPEN, Millis(1_900_000_000_000), Doings(talk.turns).passed) is None


def test_a_check_that_passes_without_an_edit_says_only_so() -> None:
    talk = Talk().user("try again").shell("swift test", "ok")
    (by,) = Doings(talk.turns).passed

    assert tell_mended(_OPEN, by) == f"{_FAILED}; It passed when it was run again."


def test_a_check_that_passes_after_a_command_about_what_failed_says_which() -> None:
    failed = "`npx playwright test` failed (exit 1): Executable doesn't exist; Cause: no Chromium"
    talk = Talk().user("fix it").shell("ls node_modules", "a")
    talk.shell("npx playwright install chromium", "done").shell("npm run seed", "ok")
    talk.shell("npx playwright test", "22 passed (41s)")
    content = f"{failed}; Not seen fixed in this session."
    by = find_mending(content, _BEFORE, Doings(talk.turns).passed)

    assert by is not None
    told = tell_mended(content, by)
    assert told == f"{failed}; It passed after `npx playwright install chromium`"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[JsonObservationStore]:
    made = JsonObservationStore(
        tmp_path / "memory",
        clock=FakeClock(),
        entropy=CountingEntropy(),
        view_folder=tmp_path / "words",
    )
    yield made
    made.close()


def _left(store: JsonObservationStore, said: str, branch: str = "") -> None:
    text = LEFT_OPEN + said
    fact = observation(text, category=Category.KEY_FACT, at_ms=_BEFORE)
    store.store([replace(fact, summary=text, session_id="before", branch=branch)])


def _done(store: JsonObservationStore, talk: Talk, **more: object) -> list[str]:
    given: dict[str, object] = {"branch": "", "session_id": "now", **more}
    return [one.content for one, rest in find_done(store, Doings(talk.turns), **given) if not rest]  # type: ignore[arg-type]


def _find(
    store: JsonObservationStore, talk: Talk, session_id: str = "now"
) -> list[tuple[Observation, str]]:
    return list(find_done(store, Doings(talk.turns), branch="", session_id=session_id))


@pytest.mark.parametrize(
    ("left", "asked"),
    [
        ("Thumbnails are not done yet.", "do the thumbnails now please"),
        ("The metric of the queue is not implemented.", "add the metric of the queue"),
        ("The tide table of Bremen is still missing.", "and now the tide table of Bremen"),
        (
            "I haven't committed anything yet, and the docs need a sample.",
            "write the sample for the docs, commit",
        ),
        ("Nothing is committed yet.", "commit it"),
        (
            "I have not rerun the load test with two nodes; that needs a night.",
            "rerun the load test with two nodes",
        ),
        (
            "The index of quotes must be rebuilt before the fair; not started.",
            "rebuild the index of quotes",
        ),
        ("I would give the map a view. The user said: ok do that tomorrow", "give the map a view"),
        ("The user said: leave the tide importer for later", "do the tide importer"),
        ("Shard the lint (on the agent's list of tasks for: a fast build)", "shard the lint"),
    ],
)
def test_what_was_asked_for_and_done_is_not_open_any_more(
    store: JsonObservationStore, left: str, asked: str
) -> None:
    _left(store, left)
    talk = Talk().user(asked).edit("src/a.py", "a", "b")
    talk.shell("git commit -qm 'Go on'", "[main 1a2b3c4] Go on").agent("That is in.")

    assert len(_done(store, talk)) == 1


@pytest.mark.parametrize(
    ("left", "asked", "said"),
    [
        ("Thumbnails are not done yet.", "move the thumbnails folder to S3", "Moved."),
        ("Thumbnails are not done yet.", "are the thumbnails done?", "No."),
        ("Thumbnails are not done yet.", "rename the zones", "Renamed."),
        ("The metric of the queue is not implemented.", "add a colour to the queue", "Added."),
        (
            "The metric of the queue is not implemented.",
            "add the metric of the queue",
            "The label is in. Still open: the metric of the queue.",
        ),
        ("I have not rerun the load test with two nodes.", "rerun the unit tests", "Green."),
        ("The login form is not tested yet.", "leave the login form for later, rename it", "Ok."),
        ("The release is not pushed yet.", "rename the zones", "Renamed."),
    ],
)
def test_what_was_not_asked_for_or_stayed_open_is_open(
    store: JsonObservationStore, left: str, asked: str, said: str
) -> None:
    _left(store, left)
    talk = Talk().user(asked).edit("src/a.py", "a", "b").agent(said)

    assert _done(store, talk) == []


def test_what_was_asked_for_and_not_worked_on_is_open(store: JsonObservationStore) -> None:
    _left(store, "The metric of the queue is not implemented.")

    assert _done(store, Talk().user("add the metric of the queue").agent("I will.")) == []


@pytest.mark.parametrize(
    ("left", "command"),
    [
        ("I have not committed it yet.", "git add -A && git commit -m 'Take tabs'"),
        ("I have not pushed it.", "git push origin main"),
        ("Nothing is committed.", "git commit -am 'Take tabs'"),
    ],
)
def test_what_was_left_unsaved_is_saved_by_who_saves_all(
    store: JsonObservationStore, left: str, command: str
) -> None:
    _left(store, left)
    talk = Talk().user("go on").shell(command, "[main 1a2b3c4] Take tabs")

    assert len(_done(store, talk)) == 1
    assert _done(store, Talk().user("go on").shell("git status", "clean")) == []


def test_what_is_open_on_another_branch_or_in_this_session_stays(
    store: JsonObservationStore,
) -> None:
    _left(store, "Nothing is committed.", branch="feature/a")
    talk = Talk().user("go on").shell("git commit -am 'Take tabs'", "[main 1a2b3c4] Take tabs")

    assert _done(store, talk, branch="feature/b") == []
    assert _done(store, talk, session_id="before") == []
    assert len(_done(store, talk, branch="feature/a")) == 1


def test_what_was_left_to_do_on_one_branch_may_be_done_on_another(
    store: JsonObservationStore,
) -> None:
    _left(store, "The retry docs still need an example.", branch="feature/a")
    _left(store, "The test suite still fails.", branch="feature/a")
    fine = "I timed nothing; this is fine until somebody asks for a list of all quays."
    _left(store, fine, branch="feature/a")
    talk = Talk().user("write the example for the retry docs").edit("docs/retry.md", "a", "b")
    talk.shell("make test", "22 passed").agent("The example is in the retry docs now.")
    talk.user("The list of quays takes a second.").edit("quays.py", "a", "b").agent("It is fast.")

    assert sorted(_done(store, talk, branch="feature/b")) == [
        f"{LEFT_OPEN}{fine}",
        f"{LEFT_OPEN}The retry docs still need an example.",
    ]


def test_that_the_build_is_broken_falls_with_the_failure(store: JsonObservationStore) -> None:
    _left(store, "I ran out of time; the build is broken on this branch.")
    talk = Talk().user("go on").edit("a.go", "a", "b")

    assert _done(store, talk) == []
    assert len(_done(store, talk, mended={"before"})) == 1


@pytest.mark.parametrize(
    ("left", "asked", "said", "rest"),
    [
        (
            "Open: rotate the key (from 9 May, 00:00), put `MODE` back, a bucket, an alarm",
            "ana here. rotate the key and put MODE back",
            "Both done. Staging still shares the old one.",
            "Open: a bucket, an alarm",
        ),
        (
            "Still to do: purging drafts older than 30 days, and compressing the backups (zstd).",
            "purge drafts older than 30 days",
            "Drafts go after 30 days.",
            "Still to do: compressing the backups (zstd).",
        ),
        (
            "Not done: the tide chart; the harbour of Emden is missing from the export.",
            "go on with the colours",
            "The tide chart is in the report now too.",
            "Not done: the harbour of Emden is missing from the export.",
        ),
        (
            "Not done: the tide chart; the harbour of Emden is missing from the export.",
            "the harbour of Emden is there now. run it again",
            "It ran.",
            "Not done: the tide chart.",
        ),
        (
            "Offen: Zertifikat erneuern, Backup der Rechnungen testen",
            "erneuere bitte das Zertifikat",
            "Das Zertifikat gilt bis Mai.",
            "Offen: Backup der Rechnungen testen",
        ),
        (
            "Remaining: smoke tests for login, signup, reset.",
            "write the smoke tests for login",
            "They are in.",
            "Remaining: smoke tests for login, signup, reset (since done: smoke tests for login).",
        ),
    ],
)
def test_of_a_list_what_was_done_falls_and_the_rest_stays(
    store: JsonObservationStore, left: str, asked: str, said: str, rest: str
) -> None:
    _left(store, left)
    talk = Talk().user(asked).shell("kubectl -n prod set env deploy/api A=b", "updated").agent(said)

    ((one, told),) = _find(store, talk)
    assert told == LEFT_OPEN + rest
    assert one.content == LEFT_OPEN + left


def test_a_list_is_closed_item_by_item_until_nothing_is_left(store: JsonObservationStore) -> None:
    _left(store, "Still to do: purging old drafts, compressing the backups, a page of tides.")
    for number, (asked, left) in enumerate(
        [
            ("purge the old drafts", "compressing the backups, a page of tides."),
            ("compress the backups", "a page of tides."),
            ("write a page of tides", ""),
        ]
    ):
        talk = Talk().user(asked).edit("src/a.py", "a", "b").agent("That is in.")
        for one, rest in _find(store, talk, session_id=f"later-{number}"):
            mark_done(store, [(one, rest)], "obs-closer")
        standing = store.search_by_filters(SearchFilters(superseded=False))
        assert [row.summary for row in standing] == (
            [f"{LEFT_OPEN}Still to do: {left}"] if left else []
        )


# What was left, what the user says in a later session, and what is left of it.
TOLD_DONE = [
    ("You have to rotate the key of the bank in their portal.", "bank key is rotated. go on", ""),
    ("DNS of the shop must point to the new balancer.", "dns is switched. next: a check", ""),
    ("approve the build of the app.", "the build got approved. raise the version", ""),
    ("Please run `make seed` on staging.", "ran the seed on staging, worked", ""),
    ("Freigabe f\u00fcr Port 5432.", "die Freigabe ist da. bitte weiter", ""),
    ("crear la cuenta del banco.", "cuenta creada. sigue", ""),
    ("ask Ruth whether the trial flag can go.", "ruth says the flag can go", ""),
    (
        "Du musst `kubectl apply` ausf\u00fchren, danach `VACUUM` laufen lassen.",
        "apply lief durch, VACUUM auch. aber die App startet nicht",
        "",
    ),
    (
        "Node 7 is silent; someone has to go there. The user said: will replace the fuse on Monday",
        "fuse of node 7 replaced, try again",
        "",
    ),
    (
        "the reply has no `Retry-After` header, and a load test.",
        "add Retry-After",
        "",
    ),
    ("la migraci\u00f3n de las rutas que est\u00e1n en CSV.", "haz la migraci\u00f3n de CSV", ""),
    ("The docs need an example.", "the docs are deployed", "The docs need an example."),
    (
        "DNS of the shop must point to it.",
        "dns is broken again",
        "DNS of the shop must point to it.",
    ),
    ("rename the zones of the bank.", "the page is done", "rename the zones of the bank."),
]


def test_what_the_user_says_is_done_is_not_open_any_more(store: JsonObservationStore) -> None:
    for number, (left, said, rest) in enumerate(TOLD_DONE):
        text = LEFT_OPEN + left
        fact = observation(text, category=Category.KEY_FACT, at_ms=_BEFORE)
        one = replace(fact, summary=text, session_id=f"before-{number}")
        reply = "Done. The load test is still missing." if "load test" in left else "Done."
        talk = Talk().user(said).edit("src/a.py", "a", "b").agent(reply)
        told = find_rest(one, Doings(talk.turns).deeds)
        assert told == (LEFT_OPEN + rest if rest else ""), (left, said, told)


def test_a_run_of_the_part_that_failed_mends_a_run_of_all() -> None:
    failed = "`./tools/ota.sh all` failed (exit 1): node4 timeout; Not seen fixed in this session."

    assert _mend("./tools/ota.sh node4", failed=failed).endswith("Fixed by: Sources/Feed.swift")
    assert _mend("./tools/ota.sh node3", failed=failed) == ""
    assert _mend("./tools/ota.sh node4", "", 1, failed=failed) == ""


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("look at the tide chart", "The tide chart could be in the report now."),
        ("go on", "The tide chart is not in the report."),
        ("go on", "The report has a table now; the tide chart of 2019 showed the wrong harbour."),
        ("is the tide chart there?", "No, that is still open: the tide chart."),
        ("go on", "I will add the tide chart tomorrow."),
    ],
)
def test_what_is_only_talked_of_closes_no_item(
    store: JsonObservationStore, asked: str, said: str
) -> None:
    _left(store, "Not done: the tide chart; the harbour of Emden is missing from the export.")

    assert _find(store, Talk().user(asked).edit("a.py", "a", "b").agent(said)) == []


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("Should I drop the old table, or keep it for a month?", "drop the old table, yes"),
        ("Should I drop the old table, or keep it for a month?", "keep it a month"),
        ("Which way do you want to go? (a token / an app of the org)", "take the app of the org"),
        ("Which way do you want to go? (a token / an app of the org)", "a token then"),
        ("The column `vat` is empty. Should I fill it?", "fill the column vat with 19"),
        ("You need to add `RATES_KEY` to the secrets.", "RATES_KEY is in the secrets now"),
    ],
)
def test_what_waited_for_the_user_falls_with_their_answer(
    store: JsonObservationStore, asked: str, answer: str
) -> None:
    fact = observation(WAITS + asked, category=Category.KEY_FACT, at_ms=_BEFORE)
    store.store([replace(fact, summary=WAITS + asked, session_id="before")])

    assert _find(store, Talk().user("rename the zones").agent("Renamed.")) == []
    ((_, rest),) = _find(store, Talk().user(answer).agent("Understood."))
    assert rest == ""


def test_what_a_session_asked_is_answered_when_its_user_goes_on(
    store: JsonObservationStore,
) -> None:
    talk = Talk().user("add a table").agent("Done. Should I drop the old table?")
    asked = f"{WAITS}Should I drop the old table?"
    fact = observation(asked, category=Category.KEY_FACT, at_ms=talk.turns[-1].at_ms)
    store.store([replace(fact, summary=asked, session_id="now")])

    assert _find(store, talk) == []
    assert len(_find(store, talk.user("yes"))) == 1


@pytest.mark.parametrize(
    ("left", "command", "said", "is_closed"),
    [
        ("npm is still stale: `next=4.39.0`.", "npm publish", "`next` -> `4.41.0`.", True),
        ("npm is still stale: `next=4.39.0`.", "npm publish", "`next=4.39.0` as before.", False),
        ("npm is still stale: `next=4.39.0`.", "npm publish", "`beta` -> `4.41.0`.", False),
        (
            "`MODE=open` is a stopgap, it must go back to `strict`.",
            "kubectl set env deploy/api MODE=strict",
            "The api is up.",
            True,
        ),
        ("`MODE=open` is a stopgap.", "grep MODE=strict env", "The api is up.", False),
    ],
)
def test_a_state_is_over_when_the_same_name_has_another_value(
    store: JsonObservationStore, left: str, command: str, said: str, is_closed: bool
) -> None:
    _left(store, left)
    talk = Talk().user("go on").shell(command, "ok").agent(said)

    assert bool(_find(store, talk)) == is_closed
