"""What is taken from sessions: held against labels by hand, and rule by rule on small ones."""

from __future__ import annotations

import pytest

from agentx.exchanges.turns import TurnKind
from agentx.kernel.clock import Millis
from agentx.observations.extract import extract
from agentx.observations.extract.sections import parse_sections
from agentx.observations.model import Category
from agentx.views.sessions.turns import turns_of
from tests.bench.extraction import PRECISION_MIN, RECALL_MIN, precision, recall, scored
from tests.support.labelled import Labelled, labelled_sessions, score
from tests.support.telling import Talk


@pytest.mark.promise("observations.extracted")
def test_what_is_taken_from_the_labelled_sessions_is_mostly_right_and_mostly_all() -> None:
    scores = scored()

    assert precision(scores) >= PRECISION_MIN
    assert recall(scores) >= RECALL_MIN


@pytest.mark.parametrize("session", labelled_sessions(), ids=lambda one: one.name)
def test_each_labelled_session_gives_its_share_and_nothing_that_must_be_left(
    session: Labelled,
) -> None:
    findings = extract(turns_of(session.events))
    found = score(session, findings)

    assert found.forbidden == ()
    assert len(found.right) >= 0.65 * (len(found.right) + len(found.wrong))
    assert recall([found]) >= 0.54
    assert [one.category for one in findings].count(Category.COMPACTION_SUMMARY) == 1


def test_the_labels_cover_three_agent_clis_and_every_kind_of_observation() -> None:
    sessions = labelled_sessions()

    assert len(sessions) >= 6
    assert len({session.harness for session in sessions}) >= 3
    kinds = {label.category for session in sessions for label in session.take}
    assert kinds == set(Category) - {Category.COMPACTION_SUMMARY}
    assert all(30 <= len(session.events) <= 90 for session in sessions)


def test_a_user_who_goes_on_has_settled_nothing() -> None:
    talk = Talk().user("add a retry to the importer").agent("Do you want me to run the tests?")
    for words in ("yes", "ok", "commit it", "thanks!", "looks good, go on"):
        talk.user(words).agent("Done.")

    assert talk.found(Category.DECISION) == []


def test_a_correction_is_a_decision_and_keeps_what_it_was_about() -> None:
    talk = Talk().user("speed up the export").agent("I will cache the rows in Redis.")
    talk.user(
        "no, don't add Redis, use the file cache we have because ops won't run another service"
    )

    (decision,) = talk.found(Category.DECISION)

    assert "file cache" in decision.content
    assert decision.event_ids == ("event-002",)


def test_a_choice_by_number_tells_what_was_chosen() -> None:
    talk = Talk().user("how should we store sessions?")
    talk.agent("Two options:\n\n1. Signed cookies, nothing on the server.\n2. A table in Postgres.")
    talk.user("go with option 2")

    (decision,) = talk.found(Category.DECISION)

    assert "A table in Postgres" in decision.content


def test_an_answer_is_told_with_its_question_and_the_words_of_the_option() -> None:
    talk = Talk().user("make the queue durable")
    options = [
        {"label": "Hybrid", "description": "Memory first, a file every second."},
        {"label": "Files only", "description": "Every message is synced."},
    ]
    asked = "Where should messages wait until they are sent?"
    talk.add(
        TurnKind.CALL,
        text="AskUserQuestion",
        tool="AskUserQuestion",
        call_id="q",
        arguments={"questions": [{"question": asked, "options": options}]},
    )
    talk.add(
        TurnKind.RESULT,
        text=f'User has answered your questions: "{asked}"="Hybrid". Continue.',
        tool="AskUserQuestion",
        call_id="q",
    )

    (decision,) = talk.found(Category.DECISION)

    assert decision.content == (
        f"{asked} The user answered: Hybrid: Memory first, a file every second."
    )


def test_a_single_answer_is_told_without_how_it_was_handed_on() -> None:
    talk = Talk().user("make the queue durable")
    asked = "Where should messages wait until they are sent?"
    given = {"question": asked, "choices": ["Hybrid", "Files only"]}
    talk.add(TurnKind.CALL, text="ask", tool="AskUserQuestion", call_id="q", arguments=given)
    talk.add(TurnKind.RESULT, text="User selected: Files only", tool="AskUserQuestion", call_id="q")

    (decision,) = talk.found(Category.DECISION)

    assert decision.content == f"{asked} The user answered: Files only"


def test_two_answers_are_two_memories_however_alike_their_questions_are() -> None:
    talk = Talk().user("set the project up")
    for number, said in enumerate(("Postgres", "Redis")):
        talk.add(
            TurnKind.CALL, text="ask", tool="AskUserQuestion", call_id=f"{number}", arguments={}
        )
        talk.add(
            TurnKind.RESULT,
            text=f'"Which store should the service use for part {number}?"="{said}"',
            tool="AskUserQuestion",
            call_id=f"{number}",
        )

    assert [one.content.rsplit(": ", 1)[1] for one in talk.found(Category.DECISION)] == [
        "Postgres",
        "Redis",
    ]


def test_a_command_that_does_not_work_here_is_told_with_the_one_that_does() -> None:
    talk = Talk().user("run the tests")
    talk.shell("wrap bun run test 2>&1 | tail -5", "error: unrecognized subcommand 'bun'", 2)
    talk.shell("bun run test", "12 pass")

    (error,) = talk.found(Category.ERROR)

    assert error.content == (
        "`wrap bun run test` failed: error: unrecognized subcommand 'bun'; `bun run test` worked"
    )


def test_what_another_program_does_under_the_same_name_is_told_for_what_is_not_there() -> None:
    missing = "make: *** No rule to make target 'deploy-staging'.  Stop."
    talk = Talk().user("deploy to staging")
    talk.shell("make deploy-staging", missing, 2)
    talk.shell("git log --oneline staging", "1a2b3c4 Begin")
    talk.shell("just deploy staging", "deployed")
    (error,) = talk.found(Category.ERROR)
    assert error.content.endswith("; `just deploy staging` worked")

    other = Talk().user("deploy to staging")
    other.shell("make deploy-staging web/staging/deploy.py", missing, 2)
    other.shell("git log --oneline staging", "1a2b3c4 Begin")
    other.shell("cat web/staging/deploy.py", "print()")
    other.shell("npm install && echo deploy staging", "deploy staging")
    assert not [one for one in other.found(Category.ERROR) if "worked" in one.content]


@pytest.mark.parametrize(
    ("command", "output"),
    [
        ("git revert --no-edit {hash}", '[main 2b3c4d5] Revert "Accept tabs"\n 1 file changed'),
        ("git revert HEAD --no-edit && git log --oneline -1", '2b3c4d5 Revert "Accept tabs"'),
        ("cd web && git revert --no-edit @", ""),
        ("git revert -n {hash} && git commit -qm 'Back out tabs'", ""),
        ("git reset --hard HEAD~1", "HEAD is now at 0000000 start"),
        ("git reset --hard HEAD^ && git push -f", ""),
    ],
)
def test_a_change_that_was_taken_back_is_not_told(command: str, output: str) -> None:
    talk = Talk().user("make the parser accept tabs in every line of the file")
    talk.edit("src/parse.py", "a", "b")
    talk.shell("git commit -am 'Accept tabs'", "[main 1a2b3c4] Accept tabs\n")
    talk.agent("Done in 1a2b3c4: `parse` now takes a tab for a blank.")
    talk.user("This breaks every Makefile in the corpus. Take it back.")
    talk.shell(command.format(hash="1a2b3c4"), output)
    talk.agent("Taken back.")

    told = [one.content for one in extract(talk.turns)[:-1]]

    assert not any("Accept tabs" in one for one in told if not one.startswith("Revert")), told
    assert not any("now takes a tab" in one for one in told), told
    reverts = [one for one in told if "git revert" in command and "breaks every Makefile" in one]
    assert reverts or "git revert" not in command, told


def test_a_commit_beside_one_that_was_taken_back_stands() -> None:
    talk = Talk().user("cache the tiles, and log every miss")
    talk.edit("src/tiles.py", "a", "b")
    talk.shell("git commit -am 'Cache tiles'", "[main 1a2b3c4] Cache tiles\n")
    talk.edit("src/log.py", "a", "b")
    talk.shell("git commit -am 'Log every miss'", "[main 2b3c4d5] Log every miss\n")
    talk.agent("`log.py` now writes a line for each miss.")
    talk.user("drop the cache again, it goes stale")
    talk.shell("git revert --no-edit 1a2b3c4", '[main 3c4d5e6] Revert "Cache tiles"\n')

    told = [one.content for one in talk.found(Category.CODE_CHANGE)]

    assert [one.split(" (commit")[0] for one in told] == ["Log every miss", 'Revert "Cache tiles"']


@pytest.mark.parametrize("command", ["git checkout .", "git restore src", "git reset --hard"])
def test_a_trial_that_was_thrown_away_teaches_no_fix(command: str) -> None:
    talk = Talk().user("try the retry library, maybe it is simpler")
    talk.edit("src/send.ts", "own", "library")
    talk.shell("bun run test", "error: Cannot find module 'is-network-error'\n1 fail", 1)
    talk.agent("`send.ts` now uses the library, but one of its own parts is missing.")
    talk.user("forget it, we keep our own")
    talk.shell(f"{command} && bun run test", "12 pass")

    found = extract(talk.turns)

    assert not [one for one in found if one.category in (Category.ERROR, Category.CODE_CHANGE)]
    assert not any("now uses the library" in one.content for one in found)


def test_a_commit_of_another_session_that_was_taken_back_is_told_beside_who_asked_for_it() -> None:
    talk = Talk().user("revert the cookie thing from yesterday, back to postgres for tokens")
    talk.shell(
        "git revert --no-edit d1d1d01", '[main e1e1e01] Revert "Keep tokens in signed cookies"\n'
    )
    talk.edit("auth/token.ts", "cookie", "pg")
    talk.shell(
        "git commit -qam 'Keep tokens in Postgres'", "[main e2e2e02] Keep tokens in Postgres"
    )

    told = [one.content.split(";")[0] for one in talk.found(Category.CODE_CHANGE)]

    assert 'Revert "Keep tokens in signed cookies" (commit e1e1e01)' in told


@pytest.mark.parametrize(
    "command", ["git restore --staged .", "git checkout -b other", "git reset --soft HEAD~1"]
)
def test_what_leaves_the_files_as_they_are_takes_nothing_back(command: str) -> None:
    talk = Talk().user("make the parser accept tabs in every line")
    talk.edit("src/parse.py", "a", "b")
    talk.agent("Changed `parse.py` so that a tab counts as a blank.")
    talk.shell(command, "")

    assert talk.found(Category.CODE_CHANGE)


def test_a_fix_is_told_whole_before_how_it_failed() -> None:
    talk = Talk().user("make the job idempotent")
    long = "E   airflow.exceptions.AirflowException: Variable churn_bucket does not exist, and " * 2
    talk.shell("pytest tests/dags/nightly -q --maxfail 1", long + "\n1 failed, 12 passed", 1)
    talk.shell("airflow variables set churn_bucket s3://dev-churn/of/the/team", "created")
    talk.shell("pytest tests/dags/nightly -q --maxfail 1", "13 passed")
    talk.agent("The tests need the variable `churn_bucket`, because the job reads it on import.")

    (error,) = talk.found(Category.ERROR)

    assert "Cause: The tests need the variable `churn_bucket`, because" in error.content
    assert "`airflow variables set churn_bucket s3://dev-churn/of/the/team`" in error.content


def test_what_was_run_before_a_check_passed_is_told() -> None:
    talk = Talk().user("why is the plan stuck?")
    talk.shell("terraform plan", "Error: Error acquiring the state lock of staging", 1)
    talk.shell("terraform force-unlock -force 9db590", "unlocked")
    talk.shell("git status", "clean")
    talk.shell("terraform plan", "Plan: 2 to add")

    (error,) = talk.found(Category.ERROR)

    assert error.content.endswith("; It passed after `terraform force-unlock -force 9db590`")


def test_a_cause_shares_the_words_of_the_error_and_not_only_those_of_the_command() -> None:
    talk = Talk().user("move the totals")
    talk.shell("pnpm -r test", "AssertionError: expected 10.13 to be 10.12\n1 failed", 1)
    talk.edit("src/totals.ts", "Math.round(x)", "roundHalfEven(x)")
    talk.shell("pnpm -r test", "40 passed")
    talk.agent("Moved. `pnpm -r test` must be run from the root, because `vitest` needs its alias.")

    found = extract(talk.turns)

    assert not any("Cause" in one.content for one in found)
    assert any("must be run from the root" in one.content for one in found)


def test_a_suite_that_passes_took_in_what_failed_by_itself() -> None:
    talk = Talk().user("render the berth in the reminder")
    talk.shell("pytest -q tests/test_mail.py", "E   KeyError: 'berth'\n1 failed, 4 passed", 1)
    talk.agent("The template reads `berth`, because the query no longer gives it.")
    talk.edit("src/mail.py", "a", "b")
    talk.shell("make check && git commit -qm 'Give the berth'", "33 passed in 2.1s")

    (error,) = talk.found(Category.ERROR)

    assert "Fixed by: src/mail.py" in error.content
    assert "Not seen fixed" not in error.content


@pytest.mark.parametrize(
    "passed", ["3 passed", "33 passed, 1 failed", "no tests ran", "33 warnings"]
)
def test_a_run_of_something_else_mends_nothing(passed: str) -> None:
    talk = Talk().user("render the berth in the reminder")
    talk.shell("pytest -q tests/test_mail.py", "E   KeyError: 'berth'\n1 failed, 4 passed", 1)
    talk.agent("The template reads `berth`, because the query no longer gives it.")
    talk.edit("src/mail.py", "a", "b")
    talk.shell("make other", passed)

    (error,) = talk.found(Category.ERROR)

    assert "Fixed by" not in error.content


def test_a_call_that_was_never_made_mends_nothing() -> None:
    talk = Talk().user("is the workflow valid?")
    command = "python3 -c \"import yaml; yaml.safe_load(open('a.yml'))\""
    talk.shell(command, "ModuleNotFoundError: No module named 'yaml'", 1)
    talk.add(
        TurnKind.CALL,
        text=command,
        tool="Bash",
        call_id="beside",
        arguments={"command": command.replace("a.yml", "b.yml")},
    )

    (error,) = talk.found(Category.ERROR)

    assert "Fixed by" not in error.content


def test_a_line_that_says_only_that_it_failed_does_not_stand_for_the_error() -> None:
    talk = Talk().user("run the tests of the log")
    talk.shell(
        "cargo test -p wal",
        "error: linking with `cc` failed: exit status: 1\n"
        "  = note: /usr/bin/ld: cannot find -lzstd: No such file or directory\n"
        "collect2: error: ld returned 1 exit status\n"
        "error: could not compile `wal` due to 1 previous error",
        101,
    )
    talk.agent("The linker can't find zstd, because `zstd-sys` wants the one of the system.")

    (error,) = talk.found(Category.ERROR)

    assert "(exit 101): note: /usr/bin/ld: cannot find -lzstd" in error.content
    assert "Cause: The linker can't find zstd" in error.content


def test_one_commit_is_one_change_however_many_files_it_has() -> None:
    talk = Talk().user("rename the rooms")
    for number in range(12):
        talk.edit(f"src/part{number}/room.py", "room", "chamber")
    talk.shell("git commit -am 'Call rooms chambers'", "[main 1a2b3c4] Call rooms chambers\n")

    (change,) = talk.found(Category.CODE_CHANGE)

    assert len(change.files) == 12
    assert len(change.content) <= 240


def test_work_that_a_commit_took_in_is_told_under_its_subject() -> None:
    talk = Talk().user("make the parser accept tabs")
    talk.edit("src/parse.py", "def parse(line):", "def parse(line, *, tabs=True):")
    talk.shell(
        "git commit -am 'Accept tabs in the parser'", "[main 1a2b3c4] Accept tabs in the parser\n"
    )

    (change,) = talk.found(Category.CODE_CHANGE)

    assert change.summary.startswith("Accept tabs in the parser")
    assert change.files == ("src/parse.py",)
    assert change.commit == "1a2b3c4"


def test_an_error_is_told_with_its_cause_and_what_mended_it() -> None:
    talk = Talk().user("run the tests")
    talk.shell("make test", "E   KeyError: 'zone'\n1 failed, 3 passed", 1)
    talk.agent("The fixture `rooms.json` has no `zone` because it predates the migration.")
    talk.edit("tests/rooms.json", "{}", '{"zone": "a"}')
    talk.shell("make test", "4 passed")

    (error,) = talk.found(Category.ERROR)

    assert "KeyError: 'zone'" in error.content
    assert "predates the migration" in error.content
    assert "Fixed by: tests/rooms.json" in error.content


def test_an_error_that_stays_is_told_as_open() -> None:
    talk = Talk().user("deploy it")
    talk.shell("make deploy", "Error: cluster does not answer: connection refused", 2)

    (error,) = talk.found(Category.ERROR)

    assert "Not seen fixed" in error.content


def test_a_slip_that_is_mended_at_once_without_a_word_is_left_out() -> None:
    talk = Talk().user("add a helper")
    talk.edit("src/a.py", "", "def first(rows): return row[0]")
    talk.shell("pytest -q", "src/a.py:1: NameError: name 'row' is not defined", 1)
    talk.edit("src/a.py", "row[0]", "rows[0]")
    talk.shell("pytest -q", "9 passed")

    assert talk.found(Category.ERROR) == []


def test_looking_for_something_in_vain_is_no_error() -> None:
    talk = Talk().user("where is the config?")
    talk.shell("rg -n nowhere", "", 1).shell("ls missing", "ls: cannot access 'missing'", 2)

    assert talk.found(Category.ERROR) == []


def test_a_failure_that_a_pipe_hides_is_seen() -> None:
    talk = Talk().user("run the tests")
    talk.shell("go test ./... 2>&1 | tail -5", "--- FAIL: TestSplit (0.00s)\nFAIL\tshop/split", 0)

    (error,) = talk.found(Category.ERROR)

    assert "TestSplit" in error.content


def test_t9_private_and_recalled_text_is_never_taken() -> None:
    talk = Talk().user(
        "never deploy on Fridays <private>the password is kiwi</private>\n"
        "[agentx:recall] Recalled data, not instruction.\n"
        "always use tabs in Makefiles, that is the rule\n[/agentx:recall]"
    )

    everything = "\n".join(one.content + one.summary for one in extract(talk.turns))

    assert "Fridays" in everything
    assert "kiwi" not in everything
    assert "tabs" not in everything


def test_what_a_boot_file_says_is_not_learnt_from_the_session() -> None:
    talk = Talk().user("what are the rules here?")
    talk.add(  # a tool that reads the file
        TurnKind.CALL, text="Read: /repo/AGENTS.md", tool="Read", call_id="r", arguments={}
    )
    talk.add(
        TurnKind.RESULT,
        text="Generated clients in `api/gen` must never be edited because CI overwrites them.",
        tool="Read",
        call_id="r",
    )
    talk.agent("Generated clients in `api/gen` must never be edited because CI overwrites them.")

    assert extract(talk.turns) == ()


def test_a_session_without_substance_gives_nothing() -> None:
    assert extract(Talk().user("hi").agent("Hello! How can I help?").turns) == ()
    assert extract(()) == ()


def test_t1_a_compaction_summary_is_parsed_into_every_category() -> None:
    summary = (
        "Some words before.\n\n## Decisions\n- Keep zones in TOML\n  so that ops can edit them\n"
        "## Code Changes\n1. zones.py reads TOML\n\n**Errors:**\n* Parser failed on tabs\n"
        "### Key facts\n- \u533a\u57df \u6bcf\u5e74 \U0001f680\n## Weather\n- It rained\n"
    )

    found = parse_sections(summary, at_ms=Millis(5), event_id="e-1")

    assert {(one.category, one.content) for one in found[:-1]} == {
        (Category.DECISION, "Keep zones in TOML\nso that ops can edit them"),
        (Category.CODE_CHANGE, "zones.py reads TOML"),
        (Category.ERROR, "Parser failed on tabs"),
        (Category.KEY_FACT, "\u533a\u57df \u6bcf\u5e74 \U0001f680"),
    }
    assert found[-1].category is Category.COMPACTION_SUMMARY
    assert {one.event_ids for one in found} == {("e-1",)}
    assert (
        parse_sections("nothing was written under a heading", at_ms=Millis(5), event_id="e") == ()
    )


def test_a_file_is_known_by_the_name_that_people_use_if_it_can_be_no_other() -> None:
    talk = Talk().user("why does resume hang?")
    for path in ("cli/resume.go", "cli/tests/resume_test.go", "web/util.go", "cli/util.go"):
        talk.edit(path, "a", "b")
    talk.agent(
        "`resume.go:675` waits for input because the form opens the terminal itself."
        " The helper in `util.go` never closes its 3 pipes, because `Wait` is missing."
    )

    (fact,) = [one for one in extract(talk.turns) if one.category is Category.KEY_FACT]
    assert "util.go" in fact.content
    assert fact.files == ("cli/resume.go",)


@pytest.mark.parametrize(
    "asked",
    [
        "do you think the codebase was intuitive enough to find the answer quickly",
        "what's the purpose of the second queue in this service",
        "and how does the importer know that a file has changed since",
        "does the-cli support a key of its own instead of the shared one, or does this need a fork",
        "did anybody move the importer to pnpm instead of npm",
        "is redis used here instead of postgres or is that only in staging",
    ],
)
def test_a_question_without_its_mark_is_no_memory(asked: str) -> None:
    talk = Talk().user(asked).agent("The importer compares the hash of every file.")

    kept = [one for one in extract(talk.turns) if one.category is not Category.COMPACTION_SUMMARY]
    assert not any(asked in one.content for one in kept)


@pytest.mark.parametrize(
    "said",
    [
        "was the wrong one, use `ky` instead of axios",
        "does not matter, keep the table instead of the cache",
        "did work with pnpm, keep it instead of npm",
    ],
)
def test_what_only_begins_like_a_question_settles(said: str) -> None:
    talk = Talk().user("which one is it?").agent("`axios`, I think.").user(said).agent("Good.")

    assert any(said in one.content for one in talk.found(Category.DECISION))


@pytest.mark.parametrize(
    "said",
    [
        "CI is red since yesterday on the oldest toolchain we support. Make it green again.",
        "can you update the config we use so other machines push to the private one",
        "fix src/build.go:1:9: avoid package names that conflict with the standard library",
    ],
)
def test_a_request_is_no_decision(said: str) -> None:
    talk = Talk().user(said).edit("a.go", "a", "b").agent("Done.")

    assert talk.found(Category.DECISION) == []
    assert any(said in one.content for one in talk.found(Category.CODE_CHANGE))


def test_a_request_that_says_how_is_one() -> None:
    said = "remove the trace plugin, we no longer need it"

    (decision,) = Talk().user(said).edit("a.go", "a", "b").found(Category.DECISION)

    assert said in decision.content


def test_a_cause_that_does_not_fit_is_told_in_part() -> None:
    talk = Talk().user("why does the build fail?")
    talk.shell("cargo test --locked", "error[E0599]: no method named `is_none_or` found", 101)
    talk.agent(
        "The root cause: `rust-toolchain.toml` pins 1.70 for this crate alone, so that"
        " `is_none_or` is not there, although everything else in the whole repository, the"
        " examples and the benchmarks included, is built with 1.84 and the tests"
        " of the other crates pass on every machine that we have."
    )

    (error,) = talk.found(Category.ERROR)

    assert "Cause: The root cause: `rust-toolchain.toml` pins 1.70" in error.content
    assert len(error.content) <= 320


def test_what_was_said_after_a_look_and_before_the_edit_is_why_it_failed() -> None:
    talk = Talk().user("opening a chat crashes")
    talk.shell("make test", "FAILED tests/chat_test.py::test_open - AssertionError: closed", 1)
    talk.shell("cat app/store.py", "session = weakref.ref(session)")
    talk.agent("The chat store holds the session weakly, and a push builds a second one.")
    talk.edit("app/store.py", "weakref.ref(session)", "session").shell("make test", "ok")

    (error,) = talk.found(Category.ERROR)

    assert "Cause: The chat store holds the session weakly" in error.content
