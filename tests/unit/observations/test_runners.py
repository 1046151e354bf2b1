"""The failures of common runners are seen, and told by the error's own line."""

from __future__ import annotations

import pytest

from agentx.exchanges.commands import error_lines, is_routine
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
