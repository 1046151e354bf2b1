"""Goal: a long page is the same bytes, row by row, as if it were written at once.

Method: rows of every kind of text, laid out by both.
"""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.host.documents.yaml_file import YAML
from agentx.host.documents.yaml_rows import dump_rows

HEX = ("0b" + "1" * 38, "1" * 40, "12e" + "4" * 37, "dead" * 10, "0x" + "a" * 38)
TIMES = (
    "2026-03-02T10:00:00.000Z",
    "2026-03-02T10:00:00Z",
    "2026-03-02T10:00:00",
    "10:30",
    "1.5e3",
)
IDS = ("01KACXYZ0000000000000000AB", "01" + "2" * 24, "20260302-1000-a-0001", "a.b", "v1.2", ".inf")
ODD = (
    *HEX,
    *TIMES,
    *IDS,
    "",
    "yes",
    "Null",
    "12",
    "1e5",
    "2026-03-02",
    "a: b",
    "a #b",
    "- a",
    "a - b",
    'npm test && npm run lint: a:b (it\'s "x", #1)',
    "a::",
    "a :b",
    "y",
    "TRUE",
    "oFF",
    " a",
    "a ",
)
WORDS = (*ODD, "é", "日本語", "T-1", "x" * 150, "word " * 40, "a\nb", "'", '"q"', "~", "=", "off")
TEXTS = st.sampled_from(WORDS) | st.text(
    "".join(map(chr, range(32, 127))) + ": #'", min_size=0, max_size=90
)
ROWS = st.lists(
    st.fixed_dictionaries(
        {"task_id": TEXTS, "title": TEXTS, "depends_on": st.lists(TEXTS, max_size=3)}
    ),
    min_size=50,
    max_size=55,
)


@settings(max_examples=20)  # of fifty rows each
@given(ROWS, st.lists(TEXTS, max_size=5))
def test_rows_are_written_as_the_whole_would_be(
    rows: list[dict[str, object]], names: list[str]
) -> None:
    page = {
        "run_id": "20260302-1000-a",
        "tasks": rows,
        "steps": [[*names], ["T-1"]],
        "ready": names,
    }

    assert dump_rows(page) == YAML.dump(page)


PARTS = st.recursive(
    TEXTS | st.booleans() | st.none() | st.integers(),
    lambda part: st.lists(part, max_size=3) | st.dictionaries(TEXTS, part, max_size=3),
    max_leaves=12,
)


@settings(max_examples=100)
@given(st.dictionaries(TEXTS, PARTS, max_size=5))
def test_a_page_is_written_as_the_library_would(page: dict[str, object]) -> None:
    assert dump_rows(page) == YAML.dump(page)


def test_one_sign_that_takes_long_makes_no_other_row_slow_or_different() -> None:
    page = {"tasks": [{"title": f"task {number}"} for number in range(60)]}
    page["tasks"][7] = {"title": "ship it 🚀"}

    assert dump_rows(page) == YAML.dump(page)
