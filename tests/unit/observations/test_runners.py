"""The failures of common runners are seen, and told by the error's own line."""

from __future__ import annotations

import pytest

from agentx.exchanges.commands import error_lines, is_routine, went_wrong
from agentx.exchanges.exchange import exchanges
from agentx.observations.model import Category
from tests.support.telling import Talk

_RUNS = {
    "flutter test": (
        (
            "00:03 +11 -1: Tide adds up [E]\n  Expected: <2>\n    Actual: <1>\n"
            "  package:matcher expect\n00:04 +11 -1: Some tests failed."
        ),
        ["Tide adds up", "Expected: <2>, Actual: <1>"],
    ),
    "bundle exec rspec spec/models": (
        (
            "Failures:\n\n  1) Berth rounds its fee\n     Failure/Error: expect(fee)\n\n"
            "       expected: 11.9\n            got: 11.91\n     # ./spec/berth_spec.rb:18\n\n"
            "12 examples, 1 failure"
        ),
        ["Berth rounds its fee", "expected: 11.9, got: 11.91"],
    ),
    "./vendor/bin/phpunit": (
        (
            "There was 1 error:\n\n1) Berth::testFee\nTypeError: Berth::fee(): Argument #1"
            " must be of type DateTimeImmutable, string given\n\nERRORS!\nTests: 40, Errors: 1."
        ),
        ["TypeError: Berth::fee(): Argument #1"],
    ),
    "alembic upgrade head": (
        "alembic.util.exc.CommandError: Multiple head revisions are present for given argument",
        ["Multiple head revisions are present"],
    ),
    "sbt test": (
        (
            "[info] - should retry *** FAILED ***\n[info]   3 was not equal to 4 (R.scala:52)\n"
            "[error] Failed: Total 88, Failed 1, Errors 0, Passed 87\n"
            "[error] (Test / test) sbt.TestsFailedException: Tests unsuccessful"
        ),
        ["should retry", "3 was not equal to 4"],
    ),
    "helm lint charts/quay": (
        (
            "[ERROR] templates/: template: quay/templates/ingress.yaml:14: nil pointer evaluating"
            " interface {}.host\n\nError: 1 chart(s) linted, 1 chart(s) failed"
        ),
        ["ingress.yaml:14: nil pointer evaluating"],
    ),
    "mvn -q verify": (
        (
            "[ERROR] COMPILATION ERROR :\n[ERROR] /app/Quay.java:[12,5] cannot find symbol\n"
            "[ERROR] Failed to execute goal compile\n[ERROR] -> [Help 1]"
        ),
        ["/app/Quay.java:[12,5] cannot find symbol"],
    ),
    "mix test": (
        (
            "  1) test fee of a berth (QuayTest)\n"
            "     ** (MatchError) no match of right hand side\n"
            "3 tests, 1 failure"
        ),
        ["(MatchError) no match of right hand side"],
    ),
    "terraform apply": (
        "\u2502 Error: creating S3 Bucket (logs): BucketAlreadyExists\n\u2502 \n",
        ["Error: creating S3 Bucket (logs): BucketAlreadyExists"],
    ),
    "./gradlew assembleDebug": (
        "e: [ksp] Room: Unsupported element 'Dao_Impl'\nBUILD FAILED in 48s",
        ["Unsupported element 'Dao_Impl'"],
    ),
    "ctest --test-dir build": (
        (
            "67% tests passed, 1 tests failed out of 3\n\nThe following tests FAILED:\n"
            "\t 12 - mooring_knot (Failed)\nErrors while running CTest"
        ),
        ["12 - mooring_knot (Failed)"],
    ),
    "cabal build": (
        "src/Quay.hs:12:5: error:\n    Variable not in scope: fee\n",
        ["src/Quay.hs:12:5: error: Variable not in scope: fee"],
    ),
    "dart analyze": (
        "  error \u2022 The method 'fee' isn't defined \u2022 lib/q.dart:3:5\n\n1 issue found.",
        ["The method 'fee' isn't defined"],
    ),
    "npx jest": (
        (
            "FAIL src/tide.test.ts\n  \u25cf tide \u203a turns\n\n"
            "    expect(received).toBe(expected)\n\n"
            "    Expected: 1\n    Received: 2\n\nTests: 1 failed, 3 passed"
        ),
        ["Expected: 1, Received: 2"],
    ),
    "cargo test": (
        (
            "test tide::turns ... FAILED\n\nthread 'tide::turns' panicked at src/tide.rs:9:5:\n"
            "assertion `left == right` failed\n  left: 1\n right: 2\n\n"
            "test result: FAILED. 3 passed"
        ),
        ["left: 1, right: 2"],
    ),
}

_RUNS |= {
    "dbt run -s fct_orders": (
        (
            "12:00:01  Running with dbt=1.9.0\n"
            "12:00:04  Completed with 1 error and 0 warnings:\n"
            "12:00:04    Database Error in model fct_orders"
            " (models/fct_orders.sql)\n"
            '  column "updated_at" does not exist\n'
            "  LINE 12: o.updated_at\n"
            "12:00:04  Done. PASS=0 WARN=0 ERROR=1 SKIP=0 TOTAL=1"
        ),
        ['column "updated_at" does not exist'],
    ),
    "dbt test": (
        (
            "09:12:44  Failure in test not_null_fct_berths_id (models/schema.yml)\n"
            "09:12:44    Got 3 results, configured to fail if != 0\n"
            "09:12:44  Done. PASS=11 WARN=0 ERROR=1 SKIP=0 TOTAL=12"
        ),
        ["not_null_fct_berths_id"],
    ),
    "docker build -t quay .": (
        (
            "#9 [4/6] RUN npm ci\n"
            "#9 2.331 npm error code ERESOLVE\n"
            "#9 2.332 npm error Could not resolve dependency: peer react@18 from"
            " tide-ui@4.0.0\n"
            '#9 ERROR: process "/bin/sh -c npm ci" did not complete successfully:'
            " exit code: 1\n"
            'ERROR: failed to solve: process "/bin/sh -c npm ci" did not complete'
            " successfully: exit code: 1"
        ),
        ["Could not resolve dependency: peer react@18"],
    ),
    "pnpm install --frozen-lockfile": (
        (
            ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"'
            " because pnpm-lock.yaml is not up to date with package.json\n"
            "\n"
            "Note that in CI environments this setting is true by default."
        ),
        ["ERR_PNPM_OUTDATED_LOCKFILE"],
    ),
    "npm run build": (
        (
            "> quay@1.0.0 build\n"
            "> vite build\n"
            "\n"
            "npm error code ELIFECYCLE\n"
            "x Build failed in 112ms\n"
            "error during build:\n"
            'RollupError: Could not resolve "./tide" from "src/quay.ts"'
        ),
        ['RollupError: Could not resolve "./tide"'],
    ),
    "make firmware": (
        ("make: *** No rule to make target 'tide.o', needed by 'firmware'.  Stop."),
        ["No rule to make target 'tide.o'"],
    ),
    "xcodebuild test -scheme Quay": (
        (
            "Test Case '-[QuayTests.FeeTests testFee]' started.\n"
            "/app/FeeTests.swift:18: error: -[QuayTests.FeeTests testFee] :"
            ' XCTAssertEqual failed: ("11.9") is not equal to ("11.91")\n'
            "** TEST FAILED **"
        ),
        ['XCTAssertEqual failed: ("11.9")'],
    ),
    "xcodebuild test -scheme Pier": (
        (
            "Test Case '-[PierTests.FeeTests testFee]' failed (0.412 seconds).\n"
            "Executed 41 tests, with 1 failure (0 unexpected) in 12.3 seconds\n"
            "** TEST FAILED **"
        ),
        ["Test Case '-[PierTests.FeeTests testFee]' failed"],
    ),
    "jupyter nbconvert --to notebook --execute fees.ipynb": (
        (
            "nbclient.exceptions.CellExecutionError: An error occurred while executing the"
            " following cell:\nMemoryError: Unable to allocate 3.2 GiB for an array"
        ),
        ["MemoryError: Unable to allocate 3.2 GiB for an array"],
    ),
    "swift test": (
        (
            "/app/Tests/TideTests.swift:9: error: TideTests.testTurns :"
            " XCTAssertTrue failed\n"
            "Executed 12 tests, with 1 failure (0 unexpected) in 0.1 seconds"
        ),
        ["TideTests.testTurns : XCTAssertTrue failed"],
    ),
    "dotnet test": (
        (
            "  Failed Quay.Tests.FeeTests.Rounds [12 ms]\n"
            "  Error Message:\n"
            "   Assert.Equal() Failure: Values differ\n"
            "Expected: 11.9\n"
            "Actual:   11.91\n"
            "Failed!  - Failed:     1, Passed:    40"
        ),
        ["Expected: 11.9, Actual: 11.91"],
    ),
    "./gradlew test": (
        (
            "> Task :app:test FAILED\n"
            "\n"
            "FeeTest > rounds() FAILED\n"
            "    org.opentest4j.AssertionFailedError: expected: <11.9> but was:"
            " <11.91>\n"
            "\n"
            "* What went wrong:\n"
            "Execution failed for task ':app:test'.\n"
            "\n"
            "BUILD FAILED in 9s"
        ),
        ["AssertionFailedError: expected: <11.9> but was: <11.91>"],
    ),
    "ansible-playbook site.yml": (
        (
            "TASK [quay : install] ***\n"
            'fatal: [web-1]: FAILED! => {"changed": false, "msg": "No package'
            " matching 'tided' is available\"}\n"
            "\n"
            "PLAY RECAP ***\n"
            "web-1 : ok=3 changed=1 unreachable=0 failed=1"
        ),
        ["No package matching 'tided' is available"],
    ),
    "helm upgrade quay charts/quay": (
        ("Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress"),
        ["another operation (install/upgrade/rollback) is in progress"],
    ),
    "deno test": (
        (
            "tide turns => ./tide_test.ts:3:6\n"
            "error: AssertionError: Values are not equal.\n"
            "\n"
            "    -   1\n"
            "    +   2\n"
            "\n"
            "FAILED | 3 passed | 1 failed (12ms)\n"
            "\n"
            "error: Test failed"
        ),
        ["AssertionError: Values are not equal"],
    ),
    "zig build test": (
        (
            "src/tide.zig:12:9: error: expected type 'u32', found 'i64'\n"
            "    return level;\n"
            "           ^~~~~\n"
            "error: the following build command failed with exit code 1"
        ),
        ["expected type 'u32', found 'i64'"],
    ),
    "python manage.py migrate": (
        (
            "Operations to perform:\n"
            "  Apply all migrations: quay\n"
            "Running migrations:\n"
            "Traceback (most recent call last):\n"
            '  File "manage.py", line 9, in <module>\n'
            'django.db.utils.ProgrammingError: relation "quay_berth" already exists'
        ),
        ['relation "quay_berth" already exists'],
    ),
    "npx prisma migrate deploy": (
        (
            "2 migrations found in prisma/migrations\n"
            "\n"
            "Error: P3009\n"
            "\n"
            "migrate found failed migrations in the target database, new"
            " migrations will not be applied."
        ),
        ["migrate found failed migrations in the target database"],
    ),
    "composer install": (
        (
            "Your requirements could not be resolved to an installable set of"
            " packages.\n"
            "\n"
            "  Problem 1\n"
            "    - tide/ui 4.0 requires php >=8.3 -> your php version (8.1.2) does"
            " not satisfy that requirement."
        ),
        ["does not satisfy that requirement"],
    ),
    "terraform plan": (
        (
            "\u2577\n"
            "\u2502 Error: Unsupported argument\n"
            "\u2502 \n"
            '\u2502   on main.tf line 12, in resource "aws_instance" "quay":\n'
            "\u2502   12:   tide = 3\n"
            "\u2502 \n"
            '\u2502 An argument named "tide" is not expected here.\n'
            "\u2575"
        ),
        ['An argument named "tide" is not expected here'],
    ),
    "mix ecto.migrate": (
        (
            "10:12:01.123 [info] == Running 20261101"
            " Quay.Repo.Migrations.AddTide.change/0 forward\n"
            '** (Postgrex.Error) ERROR 42P07 (duplicate_table) relation "tides"'
            " already exists"
        ),
        ['relation "tides" already exists'],
    ),
    "bazel test //quay/...": (
        (
            "FAIL: //quay:fee_test (see /root/.cache/bazel/fee_test/test.log)\n"
            "INFO: Build completed, 1 test FAILED, 2 total actions\n"
            "//quay:fee_test  FAILED in 0.3s"
        ),
        ["//quay:fee_test"],
    ),
}


@pytest.mark.parametrize("command", _RUNS)
def test_what_a_runner_says_went_wrong_is_told_in_its_own_words(command: str) -> None:
    printed, wanted = _RUNS[command]
    talk = Talk().user("raise the version of the quay").shell(command, printed, 1)
    talk.agent("The fee was computed before the tide was known.")
    talk.edit("lib/fee.x", "a", "b").shell(command, "all is well").agent("It works.")

    (error,) = talk.found(Category.ERROR)

    assert all(any(text in row for row in error_lines(printed)) for text in wanted)
    assert wanted[-1] in error.content or wanted[0] in error.content
    assert "There was 1 error" not in error.content
    assert "Cause: The fee was computed before the tide was known" in error.content
    assert "Fixed by: lib/fee.x" in error.content


@pytest.mark.parametrize("command", [*_RUNS, "xcodebuild test -scheme Quay", "dotnet build"])
def test_these_are_commands_that_people_run_again(command: str) -> None:
    assert is_routine(command)


def test_of_a_long_error_the_end_is_told_too() -> None:
    talk = Talk().user("deploy it")
    talk.shell(
        "kubectl apply -f deploy/",
        'error: resource mapping not found for name: "web" namespace: "" from "deploy/hpa.yaml":'
        ' no matches for kind "HorizontalPodAutoscaler" in version "autoscaling/v2beta2"',
        1,
    )
    talk.agent("`autoscaling/v2beta2` was removed in Kubernetes 1.26.")
    talk.edit("deploy/hpa.yaml", "v2beta2", "v2").shell("kubectl apply -f deploy/", "configured")

    (error,) = talk.found(Category.ERROR)

    assert "error: resource mapping not found" in error.content
    assert 'in version "autoscaling/v2beta2"' in error.content
    assert "Fixed by: deploy/hpa.yaml" in error.content


@pytest.mark.parametrize(
    "said",
    [
        "Let me look at the reader of the tides first.",
        "I'll give the tide a default and run it again.",
        "Perhaps the tide is not known at this moment.",
        "Is the tide known at that moment at all?",
        "One test still fails, I don't know why that is.",
        "The rehearsal passed: the registry was found and the connection was not refused.",
    ],
)
def test_what_is_announced_or_guessed_after_a_failure_is_no_cause(said: str) -> None:
    talk = Talk().user("raise the version of the quay")
    talk.shell("npm ci", "npm ERR! ENOTFOUND registry.example: connection refused", 1)
    talk.agent(said).edit("lib/fee.x", "a", "b").shell("npm ci", "added 12 packages")

    (error,) = talk.found(Category.ERROR)

    assert "Cause" not in error.content


_FAILED_IN_A_PIPE = [
    "Done. PASS=11 WARN=0 ERROR=1 SKIP=0 TOTAL=12",
    "web-1 : ok=3 changed=1 unreachable=0 failed=1 skipped=0",
    'fatal: [web-1]: UNREACHABLE! => {"msg": "no route"}',
    "Executed 12 tests, with 1 failure (0 unexpected) in 0.1 seconds",
    "Failed!  - Failed:     1, Passed:    40",
    "FAILED | 3 passed | 1 failed (12ms)",
    "** TEST FAILED **",
    "BUILD FAILED in 9s",
    "12 tests, 1 failure",
    "test result: FAILED. 3 passed",
]
_PASSED_IN_A_PIPE = [
    "Done. PASS=12 WARN=1 ERROR=0 SKIP=0 TOTAL=13",
    "web-1 : ok=3 changed=1 unreachable=0 failed=0 skipped=0",
    "Executed 12 tests, with 0 failures (0 unexpected) in 0.1 seconds",
    "Passed!  - Failed:     0, Passed:    41",
    "ok | 4 passed | 0 failed (12ms)",
    "** TEST SUCCEEDED **",
    "BUILD SUCCESSFUL in 9s",
    "12 tests, 0 failures",
    "the column does not exist yet, it is made\nOK (12 tests)",
    "ERROR=0 SKIP=2 after the retry of a failed upload",
]


@pytest.mark.parametrize(
    ("printed", "is_seen"),
    [(each, True) for each in _FAILED_IN_A_PIPE] + [(each, False) for each in _PASSED_IN_A_PIPE],
)
def test_where_a_pipe_hides_the_exit_code_the_runner_s_sum_tells(
    printed: str, is_seen: bool
) -> None:
    talk = Talk().user("raise the version").shell("make test | tail -5", printed)

    (run,) = (step for one in exchanges(talk.turns) for step in one.steps)

    assert went_wrong(run) is is_seen


@pytest.mark.parametrize(
    ("said", "is_cause"),
    [
        ("The test fails because the owner is the worker. `allow/3` is needed.", True),
        ("It crashed since the pool is shared by both. Each needs its own.", True),
        ("This breaks because two runs share a port. It must be free.", True),
        ("The run failed due to a stale lock of the other host.", True),
        ("The build fails because the cache is keyed by the day.", True),
        ("Now I look at the next file, which needs a test.", False),
        ("It may fail because of the pool. Each needs its own.", False),
        ("Does it fail because of the pool?", False),
        ("I'll rerun it, since it failed because of me.", False),
        ("Let me see why the other job failed last week.", False),
    ],
)
def test_why_it_fails_is_told_with_what_is_needed_and_once(said: str, is_cause: bool) -> None:
    talk = Talk().user("raise the version").shell("mix test", "** (Quay.NoBerth) none left", 2)
    talk.agent(said).edit("lib/fee.x", "a", "b").shell("mix test", "3 tests, 0 failures")
    talk.agent("It works.")

    kept = talk.kept()

    assert any(f"Cause: {said.rstrip('.')}" in line for line in kept) is is_cause
    assert sum(said.partition(". ")[0] in line for line in kept) <= 1


def test_a_wider_selection_of_models_takes_in_the_one_that_failed() -> None:
    talk = Talk().user("make it incremental").shell("dbt run -s fct_fee", "Database Error in x", 1)
    talk.agent("`stg_fee` drops the column of the day.").edit("stg.sql", "a", "b")
    talk.shell("dbt run -s +fct_fee", "Done. PASS=2 WARN=0 ERROR=0 SKIP=0 TOTAL=2").agent("Done.")

    (error,) = talk.found(Category.ERROR)

    assert "Cause: `stg_fee` drops the column of the day" in error.content
    assert "Fixed by: stg.sql" in error.content
