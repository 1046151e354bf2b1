"""Which run of a check tells that one which failed before is mended, and which does not."""

from __future__ import annotations

import pytest

from agentx.exchanges.checks import RunExtent, compare_checks, read_check
from agentx.observations.model import Category
from tests.support.telling import Talk


@pytest.mark.parametrize(
    ("failed", "later", "reach"),
    [
        ("pytest", "pytest -q", RunExtent.SAME),
        ("uv run pytest -x", ".venv/bin/python -m pytest -p no:cacheprovider", RunExtent.SAME),
        ("DEBUG=1 npx vitest run", "pnpm vitest --reporter dot", RunExtent.SAME),
        ("npm run build", "yarn build", RunExtent.SAME),
        ("npm test", "npm run test -- --silent", RunExtent.SAME),
        ("./gradlew test", "gradle test --info", RunExtent.SAME),
        ("docker compose run --rm web rspec", "bundle exec rspec", RunExtent.SAME),
        ("ruff format --check .", "ruff format", RunExtent.SAME),
        ("eslint .", "npx eslint --fix .", RunExtent.SAME),
        ("go build ./cmd/gateway", "go build ./...", RunExtent.WIDER),
        ("go build ./cmd/gateway", "go test ./...", RunExtent.WIDER),
        ("pytest tests/api/test_a.py::test_b", "pytest tests/api", RunExtent.WIDER),
        ("pytest -k refund", "pytest", RunExtent.WIDER),
        ("cargo test -p wal", "cargo test", RunExtent.WIDER),
        ("cargo check", "cargo build", RunExtent.WIDER),
        ("make lint", "make lint test", RunExtent.WIDER),
        ("mvn -q compile", "mvn verify", RunExtent.WIDER),
        ("gradle :app:test", "gradle test", RunExtent.WIDER),
        ("tsc -p apps/web", "tsc -p apps/web --noEmit", RunExtent.SAME),
        ("pytest", "pytest tests/unit", RunExtent.NARROWER),
        ("go test ./...", "go test ./pkg/util", RunExtent.NARROWER),
        ("cargo build", "cargo build -p cli", RunExtent.NARROWER),
        ("gradle test", "gradle test --tests CartTest", RunExtent.NARROWER),
        ("eslint .", "eslint src/b.js", RunExtent.NARROWER),
        ("tsc -p apps/web", "tsc -p apps/admin", RunExtent.NARROWER),
        ("pytest tests/api", "pytest tests/apix", RunExtent.NARROWER),
        ("npm run build", "npm run build:css", RunExtent.OTHER),
        ("make", "make docs", RunExtent.OTHER),
        ("make test", "make", RunExtent.OTHER),
        ("terraform apply", "terraform fmt", RunExtent.OTHER),
        ("cargo test", "cargo build", RunExtent.OTHER),
        ("go test -race ./...", "go test ./...", RunExtent.OTHER),
        ("pytest tests/api", "pytest tests/api -k 'not slow_report'", RunExtent.OTHER),
        ("pytest", "pytest -m 'not network'", RunExtent.OTHER),
        ("pytest", "pytest --ignore=tests/slow", RunExtent.OTHER),
        ("pytest", "pytest --deselect tests/a.py::test_b", RunExtent.OTHER),
        ("ctest", "ctest -E codec", RunExtent.OTHER),
        ("gradle build", "gradle build -x test", RunExtent.OTHER),
        ("pytest", "pytest --collect-only", RunExtent.OTHER),
        ("pytest", "vitest run", RunExtent.OTHER),
        ("./deploy.sh staging", "./deploy.sh production", RunExtent.OTHER),
        ("bash ci/run.sh", "bash ci/other.sh", RunExtent.OTHER),
    ],
)
def test_what_a_later_run_tells_of_a_check(failed: str, later: str, reach: RunExtent) -> None:
    assert compare_checks(read_check(failed), read_check(later)) is reach


@pytest.mark.parametrize(
    "text", ["", "   ", "|", "-", "--", "'", '"a', "npx", "docker exec", "npm"]
)
def test_any_text_is_read(text: str) -> None:
    assert compare_checks(read_check(text), read_check("pytest")) is RunExtent.OTHER


def _run(failed: str, printed: str, later: str, passed: str = "ok", said: str = "Done.") -> str:
    talk = Talk().user("raise the version of the broker").shell(failed, printed, 1)
    talk.agent("The broker refuses the old handshake because `hello` has no version in it.")
    talk.edit("src/broker/hello.py", "a", "b").shell(later, passed).agent(said)
    (error,) = (one for one in talk.found(Category.ERROR) if " failed" in one.content)
    return error.content


_TWO = (
    "FAILED tests/test_hello.py::test_version - AssertionError: hello\n"
    "FAILED tests/test_codec.py::test_frame - AssertionError: hello\n2 failed, 40 passed"
)
_ONE = "FAILED tests/test_hello.py::test_version - AssertionError: hello\n1 failed, 40 passed"


@pytest.mark.parametrize(
    ("failed", "printed", "later", "passed"),
    [
        ("pytest", _ONE, "pytest tests/test_hello.py", "3 passed"),
        ("pytest", _ONE, "pytest tests/test_hello.py::test_version", "1 passed"),
        ("pytest", _ONE, "pytest -k test_version", "1 passed"),
        ("pytest", _TWO, "pytest tests/test_hello.py tests/test_codec.py", "9 passed"),
        ("pytest", _TWO, "pytest --lf", "2 passed"),
        ("pytest tests/test_hello.py", _ONE, "make check", "200 passed"),
        ("go test ./...", "--- FAIL: TestHello (0.1s)\nhello", "go test -run TestHello ./a", "ok"),
        ("npm run lint", "error: hello is not defined", "npm run lint:fix", "Fixed 1 file"),
        ("ruff check && pytest", _ONE, "ruff check . && pytest -q", "41 passed"),
        ("npm ci && npm test", "FAIL src/hello.test.ts\nTests: 1 failed", "npm test", "ok"),
    ],
)
def test_a_run_of_what_failed_shows_what_mended_it(
    failed: str, printed: str, later: str, passed: str
) -> None:
    told = _run(failed, printed, later, passed)

    assert "Fixed by: src/broker/hello.py" in told or "lint:fix" in told


@pytest.mark.parametrize(
    ("failed", "printed", "later", "passed"),
    [
        ("pytest", _TWO, "pytest tests/test_hello.py", "3 passed"),
        ("pytest", _ONE, "pytest tests/test_codec.py", "3 passed"),
        ("pytest", "E   OSError: hello\n3 failed, 88 passed", "pytest tests/unit", "80 passed"),
        ("pytest", _ONE, "pytest -k 'not test_version'", "40 passed"),
        ("pytest", _ONE, "vitest run", "900 passed"),
        ("pytest", _ONE, "pytest || true", ""),
        ("pytest", _ONE, "pytest --ignore tests/test_hello.py", "77 passed"),
        ("ruff check && pytest", _ONE, "ruff check", "All checks passed!"),
        ("npm test", "TypeError: hello is not defined\n1 failed", "npm start", "listening"),
        ("npm run build", "Error: hello was not found", "npm run build:icons", "done"),
        ("make", "hello.c:12: undefined reference to `hello'", "make docs", "done"),
        ("pytest", _ONE, "pytest tests/test_other.py; echo done", "done"),
    ],
)
def test_a_run_of_something_else_shows_nothing(
    failed: str, printed: str, later: str, passed: str
) -> None:
    told = _run(failed, printed, later, passed)

    assert "Fixed by" not in told
    assert "It passed" not in told
    assert "Not seen fixed" in told


@pytest.mark.parametrize(
    "said",
    [
        "The hello test still fails; I couldn't find out why and left it.",
        "`pytest` still has the hello error, I left it as it is.",
        "The assertion on hello is not fixed yet.",
    ],
)
def test_who_says_that_it_still_fails_is_believed(said: str) -> None:
    assert "Not seen fixed" in _run("pytest", _ONE, "pytest tests/test_hello.py", "3 passed", said)


def test_what_was_said_to_fail_before_it_passed_is_mended() -> None:
    talk = Talk().user("raise the version of the broker").shell("pytest", _ONE, 1)
    talk.agent("The hello test still fails because `hello` has no version in it.")
    talk.edit("src/broker/hello.py", "a", "b").shell("pytest", "41 passed").agent("It is green.")

    (error,) = talk.found(Category.ERROR)

    assert "Fixed by: src/broker/hello.py" in error.content
