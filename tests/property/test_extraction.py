"""Extraction keeps its bounds, its order and its silence about private text, whatever comes."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.exchanges.turns import Turn, TurnKind
from agentx.kernel.clock import Millis
from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.observations.extract import extract
from agentx.observations.extract.sections import parse_sections, render_sections
from agentx.observations.limits import (
    OBSERVATION_EVENTS_MAX,
    OBSERVATION_FILES_MAX,
    OBSERVATION_SUMMARY_CHARS_MAX,
    OBSERVATIONS_PER_CAPTURE_MAX,
)
from agentx.observations.model import Category
from agentx.observations.validity.reading import Comparable
from agentx.observations.validity.supersede import find_superseded

PRIVATE = "kiwi-private-word"
_PIECES = st.sampled_from(
    [
        "never run migrations on Fridays because the fleet uploads then.",
        "we will use Redis instead of Memcached for `cache.py`.",
        "The root cause is that `load()` in `src/a.py` returns None when the file is empty.",
        "Fixed: `src/a.py` now returns an empty list.",
        "which option do you prefer? 1. tabs 2. spaces",
        "option 1",
        "## Decisions\n- keep it",
        "```python\nraise ValueError('x')\n```",
        "E   KeyError: 'zone'\n1 failed, 3 passed",
        "[main 1a2b3c4] Accept tabs",
        "| a | b |\n|---|---|",
        "\U0001f469\u200d\U0001f4bb statt dessen 8Gi \u6211\u4eec\u51b3\u5b9a\u7528 Postgres",
        f"<private>{PRIVATE}</private> and <private>{PRIVATE} again</private>",
        f"[agentx:recall]\n## Memory Recall\nalways {PRIVATE}\n[/agentx:recall]",
    ]
)
_TEXTS = st.one_of(
    st.lists(_PIECES, max_size=8).map(" ".join),
    st.text(max_size=300),
    st.tuples(_PIECES, st.integers(min_value=1, max_value=60)).map(lambda two: two[0] * two[1]),
)
_ARGUMENTS = st.one_of(
    st.none(),
    st.text(max_size=80),
    st.fixed_dictionaries(
        {},
        optional={
            "command": st.sampled_from(
                ["make test", "git commit -m 'x'", "rg a | head", "ls;;", ""]
            ),
            "file_path": st.sampled_from(["/repo/src/a.py", "b.py", "", "/tmp/x"]),
            "old_string": _TEXTS,
            "new_string": _TEXTS,
            "content": _TEXTS,
            "plan": _TEXTS,
            "edits": st.one_of(st.none(), st.lists(st.integers(), max_size=2)),
            "question": _TEXTS,
        },
    ),
    st.just("*** Begin Patch\n*** Update File: src/a.py\n-x\n+def y():\n*** End Patch"),
)
_FIELDS = ("kind", "text", "tool", "call_id", "arguments", "failed", "exit_code")
_TURNS = st.lists(
    st.builds(
        lambda *fields: dict(zip(_FIELDS, fields, strict=True)),
        st.sampled_from(list(TurnKind)),
        _TEXTS,
        st.sampled_from(
            [
                "Bash",
                "Edit",
                "Write",
                "apply_patch",
                "AskUserQuestion",
                "ExitPlanMode",
                "Task",
                "Read",
                "",
            ]
        ),
        st.sampled_from(["", "c-1", "c-2", "c-3"]),
        _ARGUMENTS,
        st.booleans(),
        st.sampled_from([None, 0, 1, 127]),
    ),
    max_size=30,
)


def _session(drawn: list[dict[str, object]]) -> list[Turn]:
    return [
        Turn(
            event_id=f"e-{number:03}",
            at_ms=Millis(1_772_445_600_000 + number),
            directory="/repo",
            **fields,  # type: ignore[arg-type]  # the fields of a turn
        )
        for number, fields in enumerate(drawn)
    ]


@settings(max_examples=40)
@given(_TURNS)
def test_whatever_a_session_holds_extraction_keeps_its_bounds(
    drawn: list[dict[str, object]],
) -> None:
    turns = _session(drawn)
    known = {turn.event_id for turn in turns}

    found = extract(turns)

    assert len(found) <= OBSERVATIONS_PER_CAPTURE_MAX
    assert found == extract(turns)
    times = [one.at_ms for one in found[:-1]]
    assert times == sorted(times)
    assert all(one.category is Category.COMPACTION_SUMMARY for one in found[-1:])
    for one in found:
        assert 0 < len(one.content) <= OBSERVATION_CHARS_MAX
        assert 0 < len(one.summary) <= OBSERVATION_SUMMARY_CHARS_MAX
        assert "\n" not in one.summary
        assert one.event_ids
        assert known.issuperset(one.event_ids)
        assert len(one.event_ids) <= OBSERVATION_EVENTS_MAX
        assert len(one.files) <= OBSERVATION_FILES_MAX
        assert PRIVATE not in one.content + one.summary


@settings(max_examples=40)
@given(_TURNS)
def test_a_summary_in_sections_is_read_back_with_the_categories_it_was_written_with(
    drawn: list[dict[str, object]],
) -> None:
    found = [one for one in extract(_session(drawn)) if one.category in _TOLD]

    read = parse_sections(render_sections(found), at_ms=Millis(1), event_id="e")

    told = {one.category for one in found}
    assert {one.category for one in read} - {Category.COMPACTION_SUMMARY} <= told
    assert bool(read) == bool(found)


_TOLD = (Category.DECISION, Category.CODE_CHANGE, Category.ERROR, Category.KEY_FACT)


@settings(max_examples=40)
@given(st.lists(_TEXTS, max_size=6))
def test_a_decision_is_superseded_once_and_only_by_a_newer_one(texts: list[str]) -> None:
    decisions = [
        Comparable(id=f"d-{number}", at_ms=Millis(number), text=text)
        for number, text in enumerate(texts)
    ]

    pairs = find_superseded(decisions)

    assert len({old for old, _ in pairs}) == len(pairs)
    assert all(int(old[2:]) < int(new[2:]) for old, new in pairs)
    assert pairs == find_superseded(reversed(decisions))


@given(_TEXTS)
def test_no_decision_replaces_itself(text: str) -> None:
    assert (
        find_superseded(
            [
                Comparable(id="d-1", at_ms=Millis(1), text=text),
                Comparable(id="d-2", at_ms=Millis(2), text=text),
            ]
        )
        == []
    )
