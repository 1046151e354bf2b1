"""Goal: what an edit made otherwise is not told as it was, though nobody said a word of it.

Method: a memory, then a session that edits and says nothing; beside each some that only look alike.
"""

from __future__ import annotations

import pytest

from agentx.kernel.roles import PERSON_ROLE
from agentx.observations.closing.doings import Doings
from agentx.observations.closing.done import find_rest, may_have_changed
from agentx.observations.model import Category
from tests.support.observations import observation
from tests.support.telling import Talk

DECISION, FACT, CHANGE = Category.DECISION, Category.KEY_FACT, Category.CODE_CHANGE
SAID = "The user said: "
_BEFORE_MS = 1_772_000_000_000


def _edit(*edits: tuple[str, str, str]) -> Talk:
    talk = Talk().user("it is too slow, speed it up")
    for path, old, new in edits:
        talk.edit(path, old, new)
    return talk


def _tell(category: Category, text: str, talk: Talk, *, agent: str = "claude-code") -> str:
    """Return what is told of a memory after a session."""
    one = observation(
        text, category=category, at_ms=_BEFORE_MS, agent=agent, files=("conf/train.yaml",)
    )
    deeds = Doings(talk.turns).deeds
    rest = find_rest(one, deeds)
    assert rest == text or may_have_changed(text, deeds)
    return rest


TRAIN = ("conf/train.yaml", "batch_size: 128\nlr: 3e-4", "batch_size: 256\nlr: 3e-4")


@pytest.mark.parametrize(
    ("category", "text", "edit", "since"),
    [
        (DECISION, SAID + "batch size 128 from now on", TRAIN, "`batch_size` is 256"),
        (DECISION, SAID + "use a batch size of 128, seed 42", TRAIN, "`batch_size` is 256"),
        (FACT, "`batch_size` is 128 in `conf/train.yaml`", TRAIN, "`batch_size` is 256"),
        (
            FACT,
            "A send is tried 5 times (`MAX_ATTEMPTS` is 5), then it is spilled",
            ("src/retry.rs", "const MAX_ATTEMPTS: u32 = 5;", "const MAX_ATTEMPTS: u32 = 12;"),
            "`MAX_ATTEMPTS` is 12",
        ),
        (
            DECISION,
            SAID + "session timeout 60 minutes please",
            ("app/auth.py", "SESSION_TIMEOUT_S = 3600", "SESSION_TIMEOUT_S = 7200"),
            "`SESSION_TIMEOUT_S` is 7200",
        ),
        (
            FACT,
            "The `uploadLimit` is 50 MB because the proxy buffers",
            ("src/limits.ts", "uploadLimit: 50,", "uploadLimit: 200,"),
            "`uploadLimit` is 200",
        ),
        (
            FACT,
            "Abaixo de 10 nada \u00e9 chamado (`min_depth` \u00e9 10)",
            ("config.yaml", "min_depth: 10", "min_depth: 6"),
            "`min_depth` is 6",
        ),
        (
            FACT,
            "`CMAKE_CXX_STANDARD` is 17 because of old compilers",
            ("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 17)", "set(CMAKE_CXX_STANDARD 20)"),
            "`CMAKE_CXX_STANDARD` is 20",
        ),
        (
            DECISION,
            SAID + "undo depth of 50, more eats memory",
            ("src/undo.h", "constexpr int kUndoDepth = 50;", "constexpr int kUndoDepth = 200;"),
            "`kUndoDepth` is 200",
        ),
        (
            FACT,
            "The speed is capped at 28 m/s (`maxSpeed` is 28)",
            ("Assets/Ball.cs", "float maxSpeed = 28f;", "float maxSpeed = 36f;"),
            "`maxSpeed` is 36",
        ),
        (
            FACT,
            "`SyncWorker` runs every 15 minutes when there is a network.",
            ("app/Sync.kt", "const val SYNC_INTERVAL_MIN = 15", "const val SYNC_INTERVAL_MIN = 60"),
            "`SYNC_INTERVAL_MIN` is 60",
        ),
        (
            FACT,
            "The tile cache holds at most 200 MB (`MAX_MB`), the oldest go first",
            (
                "app/TileCache.kt",
                "private const val MAX_MB = 200",
                "private const val MAX_MB = 1024",
            ),
            "`MAX_MB` is 1024",
        ),
        (
            DECISION,
            SAID + "Sync der Touren bitte st\u00fcndlich statt alle 15 Minuten",
            ("app/SyncWorker.kt", "const val INTERVAL_MIN = 60", "const val INTERVAL_MIN = 1440"),
            "`INTERVAL_MIN` is 1440",
        ),
    ],
)
def test_a_value_that_was_edited_is_told_with_what_it_is_now(
    category: Category, text: str, edit: tuple[str, str, str], since: str
) -> None:
    assert _tell(category, text, _edit(edit)) == f"{text.rstrip('.')} (since then: {since})"


@pytest.mark.parametrize(
    ("text", "edit"),
    [
        (SAID + "batch size 128 for the small model", TRAIN),
        (SAID + "eval batch size 128", TRAIN),
        (SAID + "batch size 64 from now on", TRAIN),
        (SAID + "at most 128 files in a batch", TRAIN),
        (SAID + "batch size 128 from now on", ("tests/train.yaml", *TRAIN[1:])),
        (SAID + "batch size 128 from now on", ("docs/guide.md", *TRAIN[1:])),
        (
            SAID + "batch size 128 from now on",
            ("conf/train.yaml", "batch_size: 128", "bs: 128"),
        ),
        (
            SAID + "batch size 128 from now on",
            ("conf/a.yaml", "batch_size: 128\nbatch_size: 64", "batch_size: 256\nbatch_size: 32"),
        ),
        (SAID + "timeout 30 s for the mailer", ("app/a.py", "timeout = 30", "timeout = 60")),
        (
            "`BackupWorker` runs every 15 minutes.",
            ("app/Sync.kt", "const val SYNC_INTERVAL_MIN = 15", "const val SYNC_INTERVAL_MIN = 60"),
        ),
        (
            "`SyncWorker` runs every 15 seconds.",
            ("app/Sync.kt", "const val SYNC_INTERVAL_MIN = 15", "const val SYNC_INTERVAL_MIN = 60"),
        ),
        ("Left open: batch size 128 is not tried", TRAIN),
    ],
)
def test_what_is_of_another_thing_or_value_stands(text: str, edit: tuple[str, str, str]) -> None:
    assert _tell(DECISION, text, _edit(edit)) == text


def test_what_was_edited_back_in_the_same_session_stands() -> None:
    path, old, new = TRAIN

    assert (
        _tell(FACT, "`batch_size` is 128", _edit(TRAIN, (path, new, old))) == "`batch_size` is 128"
    )


def test_what_git_took_back_stands() -> None:
    talk = _edit(TRAIN).shell("git checkout conf/train.yaml", "Updated 1 path from the index")

    assert _tell(FACT, "`batch_size` is 128", talk) == "`batch_size` is 128"


def test_a_value_that_is_edited_again_is_told_with_the_last() -> None:
    text = SAID + "batch size 128 from now on"
    path, old, new = TRAIN
    told = _tell(DECISION, text, _edit(TRAIN))

    again = _tell(DECISION, told, _edit((path, "batch_size: 256", "batch_size: 512")))

    assert again == f"{text} (since then: `batch_size` is 512)"
    assert _tell(DECISION, told, _edit((path, new, old))) == text


def test_what_a_person_had_kept_no_edit_changes() -> None:
    text = "batch size 128"

    assert _tell(DECISION, text, _edit(TRAIN), agent=PERSON_ROLE) == text


GEMS = ("Gemfile", 'gem "puma"\ngem "sidekiq"', 'gem "puma"\ngem "good_job"')
REDUX = ("package.json", '"@reduxjs/toolkit": "^2.3.0"', '"zustand": "^5.0.0"')
CRATES = ("Cargo.toml", 'tokio-native-tls = "0.3"', 'tokio-rustls = "0.26"')


@pytest.mark.parametrize(
    ("category", "text", "edit"),
    [
        (CHANGE, "Export invoices in a Sidekiq job (commit a1b2c3d)", GEMS),
        (DECISION, "Which job backend? The user answered: Sidekiq: fast, needs Redis", GEMS),
        (FACT, "Sidekiq retries a job 25 times.", GEMS),
        (DECISION, "Which state library? The user answered: Redux Toolkit: known", REDUX),
        (CHANGE, "Dashboard with state in Redux Toolkit (commit 1a2b3c4)", REDUX),
        (FACT, "TLS goes through native-tls. It reads the system's certificates.", CRATES),
        (CHANGE, "Ship over TLS with native-tls (commit 1a2b3c4)", CRATES),
        (
            CHANGE,
            "Dates with Moment (commit 1a2b3c4)",
            ("package.json", '"moment": "^2"', '"luxon": "^3"'),
        ),
    ],
)
def test_what_took_a_library_goes_with_it(
    category: Category, text: str, edit: tuple[str, str, str]
) -> None:
    assert _tell(category, text, _edit(edit)) == ""


def test_a_ruling_is_told_with_what_became_of_its_library() -> None:
    text = SAID + "use native-tls, the box has openssl. MSRV stays 1.74"

    told = _tell(DECISION, text, _edit(CRATES))

    assert told == f"{text} (since then: `native-tls` is no longer in Cargo.toml)"
    assert (
        _tell(DECISION, told, _edit((CRATES[0], CRATES[2], CRATES[1].replace("tokio-", ""))))
        == text
    )


@pytest.mark.parametrize(
    ("category", "text", "edit"),
    [
        (
            CHANGE,
            "Export invoices in a Sidekiq job",
            ("Gemfile", 'gem "sidekiq"', 'gem "sidekiq", "~> 7"'),
        ),
        (CHANGE, "Drop Sidekiq from the mailer (commit a1b2c3d)", GEMS),
        (DECISION, SAID + "not Sidekiq, it needs Redis", GEMS),
        (FACT, "The toolkit of the team is old.", REDUX),
        (FACT, "GoodJob is slower than Sidekiq but needs no Redis.", GEMS),
        (FACT, "Exports run at night because sidekiq ate the memory.", GEMS),
        (
            CHANGE,
            "Export invoices in a Sidekiq job",
            ("lib/a.rb", 'gem "sidekiq"', 'gem "good_job"'),
        ),
        (
            FACT,
            "The name of the project is shop.",
            ("package.json", '"name": "shop"', '"main": "a"'),
        ),
    ],
)
def test_what_only_names_a_library_stands(
    category: Category, text: str, edit: tuple[str, str, str]
) -> None:
    assert _tell(category, text, _edit(edit)) == text


@pytest.mark.parametrize(
    "command", ["npm uninstall moment", "pnpm remove -D moment", "yarn remove moment && yarn test"]
)
def test_a_library_may_go_by_a_command(command: str) -> None:
    talk = Talk().user("get rid of it").shell(command, "removed 1 package")

    assert _tell(CHANGE, "Dates with Moment (commit 1a2b3c4)", talk) == ""


STORE = ("deploy/sessions.yml", "store: redis", "store: postgres")


@pytest.mark.parametrize(
    ("category", "text", "rest"),
    [
        (FACT, "Sessions are in Redis. Nothing is on disk.", ""),
        (CHANGE, "Keep sessions in Redis (commit 1a2b3c4)", ""),
        (DECISION, "Where do sessions go? The user chose: Redis: fast", ""),
        (
            DECISION,
            SAID + "use redis for the sessions",
            SAID + "use redis for the sessions (since then: `store` is postgres)",
        ),
        (
            DECISION,
            SAID + "usiamo redis per le sessions",
            SAID + "usiamo redis per le sessions (since then: `store` is postgres)",
        ),
        (DECISION, SAID + "use redis for the cache", SAID + "use redis for the cache"),
        (FACT, "The cache is in Redis.", "The cache is in Redis."),
        (
            FACT,
            "Sessions are not in Redis, it forgets them.",
            "Sessions are not in Redis, it forgets them.",
        ),
    ],
)
def test_what_a_setting_named_goes_with_the_word(category: Category, text: str, rest: str) -> None:
    assert _tell(category, text, _edit(STORE)) == rest


RATES = ("jobs/rates.py", 'REFRESH = "0 * * * *"', 'REFRESH = "0 4 * * *"')
_SINCE_RATES = " (since then: `REFRESH` is 0 4 * * *)"


@pytest.mark.parametrize(
    ("text", "since"),
    [
        ("Rates are a table, refreshed by cron at `0 * * * *`", _SINCE_RATES),
        ("Rates are refreshed hourly, invoices are sent once a day", _SINCE_RATES),
        ("Invoices are sent every hour", ""),
        ("Invoices are sent by cron at `0 * * * *`", ""),
        ("Rates are a table, refreshed by cron at `30 * * * *`", ""),
    ],
)
def test_when_something_runs_is_told_as_it_is_since(text: str, since: str) -> None:
    assert _tell(FACT, text, _edit(RATES)) == text + since
    path, old, new = RATES
    assert _tell(FACT, text + since, _edit((path, new, old))) == text
    pipeline = (".github/workflows/rates.yml", '    - cron: "0 * * * *"', '    - cron: "0 4 * * *"')
    told = _tell(FACT, text, _edit(pipeline))
    assert told == text + since.replace("REFRESH", "cron")


def test_a_setting_that_names_the_first_again_takes_nothing_back() -> None:
    text = SAID + "use redis for the sessions"
    path, old, new = STORE
    told = _tell(DECISION, text, _edit(STORE))

    assert _tell(DECISION, told, _edit((path, new, old))) == text
    assert _tell(DECISION, text, _edit(STORE, (path, new, old))) == text
    assert _tell(DECISION, text, _edit((path, "store: off", "store: redis"))) == text


@pytest.mark.parametrize(
    ("more", "rest"),
    [
        (
            "A send is tried five times, then the batch is spilled to disk.",
            "A send is tried five times, then the batch is spilled to disk.",
        ),
        (
            "A send is tried five times, then it is spilled (since then: `MAX_TRIES` is 12)",
            "A send is tried five times, then it is spilled (since then: `MAX_TRIES` is 12)",
        ),
        ("It reads the certificates of the system.", ""),
        ("The certificates of the system are read by native-tls at its start.", ""),
        ("Nothing is logged.", ""),
    ],
)
def test_what_a_fact_says_beside_a_library_stands(more: str, rest: str) -> None:
    assert _tell(FACT, f"TLS goes through native-tls. {more}", _edit(CRATES)) == rest
