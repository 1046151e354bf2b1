"""Goal: each promise has a test, and each promised test names a promise.

Method: the tests are read as syntax trees; `@pytest.mark.promise("id")` claims one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from tests.promises import DEFERRED, PROMISES

TESTS = Path(__file__).parent


def _claims() -> Iterator[tuple[str, str]]:
    for path in TESTS.rglob("test_*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func) == "pytest.mark.promise":
                for argument in node.args:
                    assert isinstance(argument, ast.Constant), f"{path}: name it by its id"
                    yield str(argument.value), path.name


def test_every_promise_is_kept_or_says_why_not() -> None:
    claimed = {promise for promise, _ in _claims()}

    assert set(PROMISES) - set(DEFERRED) == claimed & set(PROMISES) - set(DEFERRED)
    assert claimed.isdisjoint(DEFERRED)


def test_no_test_claims_a_promise_that_nobody_made() -> None:
    assert {promise for promise, _ in _claims()} <= set(PROMISES)
    assert set(DEFERRED) <= set(PROMISES)
