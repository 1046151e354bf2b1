"""Tolerant readers: whatever JSON says, what leaves can be stored.

Method: examples of what agent CLIs write, and any JSON value at all.
"""

from __future__ import annotations

import json

import pytest
from hypothesis import given

from agentx.adapters import shapes
from agentx.adapters.limits import METADATA_TEXT_CHARS_MAX
from agentx.kernel.limits import METADATA_DEPTH_MAX
from tests.unit.adapters.recorded import json_values


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("plain", "plain"),
        ({"type": "text", "text": "block"}, "block"),
        ([{"type": "text", "text": "a"}, "b", {"type": "output_text", "text": "c"}], "a\nb\nc"),
        ([{"type": "image", "source": {"data": "AAAA"}}, {"type": "text", "text": "x"}], "x"),
        ([{"type": "thinking", "thinking": "hm"}], ""),
        ([{"type": "tool_result", "content": [{"type": "text", "text": "deep"}]}], "deep"),
        (None, ""),
        (7, ""),
        ([None, 3, {}], ""),
    ],
)
def test_the_words_of_a_content_are_found(content: object, text: str) -> None:
    assert shapes.text_of(content) == text


@pytest.mark.parametrize(
    ("value", "at_ms"),
    [
        ("2026-11-15T00:14:52.338Z", 1_794_701_692_338),
        ("2026-11-15T01:14:52.338+01:00", 1_794_701_692_338),
        (1_794_701_692_338, 1_794_701_692_338),
        (1_794_701_692, 1_794_701_692_000),
        (1_794_701_692.338, 1_794_701_692_338),
        ("yesterday", None),
        ("", None),
        (None, None),
        (True, None),
        (-5, None),
        (float("nan"), None),
        (10**30, None),
        ([], None),
        (10**400, None),
        (-(10**400), None),
    ],
)
def test_every_way_to_write_a_time_is_read(value: object, at_ms: int | None) -> None:
    assert shapes.millis(value) == at_ms


def test_the_same_value_is_the_same_text_whatever_its_order() -> None:
    assert shapes.json_text({"b": 1, "a": "\u00e9"}) == shapes.json_text({"a": "\u00e9", "b": 1})


def test_long_texts_are_cut_and_say_so() -> None:
    kept = shapes.keep_metadata({"patch": "\u6f22" * (METADATA_TEXT_CHARS_MAX + 1)})

    assert len(kept["patch"]) <= METADATA_TEXT_CHARS_MAX
    assert "cut by agentx" in kept["patch"]


def test_deep_structures_become_text() -> None:
    deep: object = "the bottom"
    for _ in range(METADATA_DEPTH_MAX * 2):
        deep = {"next": deep}
    kept = shapes.keep_metadata({"deep": deep})

    assert "the bottom" in json.dumps(kept)
    assert json.dumps(kept).count("next") == METADATA_DEPTH_MAX * 2


def test_what_is_missing_is_left_out_and_false_is_not_missing() -> None:
    values: dict[str, object] = {"a": None, "b": "", "c": {}, "d": [], "e": False, "f": 0}

    assert shapes.keep_metadata(values) == {"e": False, "f": 0}


def test_sessions_without_a_name_are_told_apart_by_directory() -> None:
    assert shapes.session_of(None, "/a") == shapes.session_of("", "/a")
    assert shapes.session_of(None, "/a") != shapes.session_of(None, "/b")
    assert shapes.session_of("s1", "/a") == "s1"


@given(json_values)
def test_any_value_can_be_stored(value: object) -> None:
    shapes.text_of(value)
    shapes.millis(value)
    json.loads(shapes.json_text(value))
    json.dumps(shapes.keep_metadata({"value": value}), allow_nan=False).encode("utf-8")
