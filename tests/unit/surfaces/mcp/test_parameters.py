"""Goal: an agent that writes its arguments a little differently is understood, and else told how.

Method: examples of what models send, and any JSON at all.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentx.surfaces.mcp.offered.parameters import (
    WrongArgument,
    fields,
    flag,
    number,
    read_arguments,
    text,
    texts,
)
from agentx.surfaces.mcp.offered.tools import TOOLS

PARAMETERS = (
    text("query", required=True, at_most=20),
    number("limit", at_least=1, at_most=100, default=10),
    flag("wide"),
    texts("files", at_most=3),
    fields("detail"),
    text("status", choices=("Ready", "In Progress"), default=""),
)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


def read(**given: Any) -> dict[str, Any]:
    """Read the arguments of a call that asks something."""
    return read_arguments(PARAMETERS, {"query": "x", **given})


def test_what_is_left_out_or_null_has_its_default() -> None:
    expected = {
        "query": "x",
        "limit": 10,
        "wide": False,
        "files": (),
        "detail": None,
        "status": "",
    }

    assert read() == read(limit=None, wide=None, files=None, detail=None) == expected


@pytest.mark.parametrize(
    ("name", "given", "meant"),
    [
        ("limit", "7", 7),
        ("limit", "#7", 7),
        ("limit", 7.0, 7),
        ("wide", "True", True),
        ("files", "a.py", ("a.py",)),
        ("files", '["a.py", "b.py"]', ("a.py", "b.py")),
        ("detail", '{"reason": "no"}', {"reason": "no"}),
        ("query", 42, "42"),
        ("query", "half \ud800", "half \ufffd"),
        ("detail", {"a": ["\udfff"]}, {"a": ["\ufffd"]}),
        ("status", "in_progress", "In Progress"),
    ],
)
def test_what_can_be_meant_in_one_way_only_is_taken(name: str, given: Any, meant: Any) -> None:
    assert read(**{name: given})[name] == meant


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"limit": 0}, "limit must be a whole number from 1 to 100"),
        ({"limit": "1e9"}, "limit must be"),
        ({"limit": True}, "limit must be"),
        ({"limit": "9" * 5_000}, "limit must be"),
        ({"wide": "perhaps"}, "wide must be true or false"),
        ({"files": ["a"] * 4}, "files must be a list of at most 3, not 4"),
        ({"files": [1]}, "files must be a list of texts"),
        ({"files": "[1"}, "files must be a list of texts"),
        ({"detail": "no"}, "detail must be an object"),
        ({"query": ["x"]}, "query must be a text"),
        ({"query": "x" * 21}, "query must be at most 20 characters, not 21"),
        ({"status": "Done"}, "status is one of Ready, In Progress"),
        ({"quary": "x"}, "'quary': no such parameter; it takes query, limit"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_would_be_right(
    given: dict[str, Any], says: str
) -> None:
    with pytest.raises(WrongArgument, match=says.replace("(", r"\(")):
        read(**given)


def test_a_call_without_what_it_needs_is_told() -> None:
    with pytest.raises(WrongArgument, match="query is missing"):
        read_arguments(PARAMETERS, None)
    with pytest.raises(WrongArgument, match="arguments must be an object"):
        read_arguments(PARAMETERS, ["x"])


@given(JSON | st.dictionaries(st.sampled_from([each.name for each in PARAMETERS]), JSON))
def test_any_arguments_are_read_or_refused(given: Any) -> None:
    for parameters in (PARAMETERS, TOOLS["run_event"].parameters):
        with suppress(WrongArgument):
            read = read_arguments(parameters, given)
            assert list(read) == [each.name for each in parameters]
