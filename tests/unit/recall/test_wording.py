"""Goal: what is told of a memory is what it says: whole sentences, no character less."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agentx.kernel.clock import Millis
from agentx.kernel.text import fold_text
from agentx.observations.model import Category, Observation
from agentx.observations.tidying.lists import list_parts
from agentx.recall.section.choose import choose
from agentx.recall.section.kinds import Kind
from agentx.recall.section.learnt import WeighedMemory, weigh
from agentx.recall.section.wording import (
    LINE_CHARS_MAX,
    WRITTEN_CHARS_MAX,
    word_kept,
    word_line,
    word_memory,
)
from tests.support.observations import observation

DAY_MS = 86_400_000
NOTED = 1_790_000_000_000  # 21 September 2026


def keep(
    content: str,
    *,
    category: Category = Category.KEY_FACT,
    events: tuple[str, ...] = ("e1",),
    sources: tuple[str, ...] = (),
    repeats: tuple[str, ...] = (),
    mended_ms: int = 0,
) -> Observation:
    return Observation(
        id=f"obs-codex-0-{NOTED}-aaaaaa",
        agent="codex",
        issue_number=0,
        category=category,
        content=content,
        summary=content,
        tokens=1,
        timestamp_ms=Millis(NOTED),
        session_id="s",
        event_ids=events,
        sources=sources,
        repeats=repeats,
        mended_ms=mended_ms,
    )


@given(st.text(max_size=3_000))
@settings(max_examples=200, deadline=None)
def test_a_line_is_never_too_long_and_stays_one(text: str) -> None:
    line = word_line(text)

    assert len(line) <= LINE_CHARS_MAX
    assert "\n" not in line


@given(st.text(alphabet="ab .!?`()\"'*e;:\u2026\u3002", max_size=900))
@settings(max_examples=300, deadline=None)
def test_a_line_says_what_was_said_to_the_last_character(text: str) -> None:
    said = fold_text(text)
    for line in (word_line(said.lstrip("*- ")), word_memory(keep(text, events=()))):
        whole = line.removesuffix("\u2026").rstrip()
        assert said.lstrip("*- ").startswith(whole) or said.startswith(whole)


def test_a_line_is_made_of_whole_sentences() -> None:
    said = "The lock is held for 30 s, since the vendor is slow to answer. " * 4

    assert word_line(said).endswith("slow to answer.")


def test_nothing_that_was_said_is_changed() -> None:
    assert word_line("`10**400` overflows; `a && b` runs.") == "`10**400` overflows; `a && b` runs."


def test_a_sentence_that_is_too_long_by_itself_is_cut_and_shows_it() -> None:
    line = word_line("word " * 200)

    assert line.endswith("\u2026")
    assert 100 < len(line) <= LINE_CHARS_MAX


def test_what_only_says_where_a_change_comes_from_is_left_out() -> None:
    said = "Harden the release (commit 1a2b3c4)\nAsked: do it\nFiles: a.py (+1 -2)"

    for text in (said, said.replace("\n", "; ")):
        assert word_kept(Category.CODE_CHANGE, text) == "Harden the release (commit 1a2b3c4)"
    quoted = "The user said: vendored code stays as it is; Files: only those under lib/ count."
    assert word_kept(Category.DECISION, quoted) == quoted


HAND_WRITTEN = (
    (
        "The exporter needs 6 GB, because the index is held whole in memory, "
        "approx. 4.1 GB of it for"
        " the catalogue alone, and the rest for the pages that are read ahead of the cursor."
    ),
    (
        "Der Lagerdienst nimmt je Aufruf vierzig Posten und antwortet sonst mit 429, z. B. am"
        " Monatsende; deshalb teilt der Client die Liste, bevor er sie "
        "schickt, und wartet dazwischen."
    ),
    (
        "Three emulators cannot run at once on one laptop, i.e. Queues, "
        "Tables and the one for Blobs;"
        " start them one after another with tools/emulators.sh and wait for its last line."
    ),
    (
        'The linter says "line-length = 110." Files under vendor/ are exempt '
        "(see `.lintignore`.) Do"
        " not format them, since the upstream diff would be lost and nobody could read it again."
    ),
    (
        "Before a release: 1. run `go vet ./...` 2. then `go test ./pkg/...` and only then"
        " `go build ./cmd/...`, because the build caches what vet complains of and hides it."
    ),
    (
        "Snapshots are made by the nightly job; Files: made by hand must "
        "never be committed, because"
        " the job compares all of them and fails on the first that it did not write itself."
    ),
    (
        "Backups go to the bucket in Frankfurt, since no data may leave the EU. Refused: Virginia,"
        " which would be a third cheaper. Asked: by the auditor in May."
    ),
    "<details> must not be used in the handbook: the PDF has no way to open it.",
    "| port | service |\n|---|---|\n| 7001 | mail |\n| 7002 | search |",
)


@pytest.mark.parametrize("text", HAND_WRITTEN)
def test_what_was_written_by_hand_is_told_as_it_was_written(text: str) -> None:
    told = word_memory(keep(text, events=()))

    if "\n" not in text:
        assert told == text
    else:
        assert [part.strip() for part in told.split("; ")] == text.split("\n")
    assert told == word_memory(keep(text, mended_ms=1)), "and so is what a person mended"


def test_more_than_fits_of_what_was_written_is_left_out_by_the_sentence_and_shown() -> None:
    text = "Queues are drained at noon, e.g. the one of the billing job. " * 20

    told = word_memory(keep(text, events=()))

    assert told.endswith("billing job. \u2026")
    assert WRITTEN_CHARS_MAX / 2 < len(told) <= WRITTEN_CHARS_MAX


def test_lines_of_a_list_do_not_run_together() -> None:
    text = "# Deploys\n- freeze the queue\n- drain it\n1. then deploy."

    assert word_line(text) == "Deploys; freeze the queue; drain it; 1. then deploy."


@pytest.mark.parametrize(
    ("begun", "ended"),
    [
        (("The cache is warmed at five by `warm.*` jobs of the night shift, all "
          "of them in turn, and"
         " the payload `event.order_line.*` holds what each of them has to fetch from the store."),
         "Nobody else writes to it."),
        (("The old page told of types (`Cart`, `Basket`, etc.) that never were in the code, and of"
         " a table that the migration had dropped two years before anybody wrote it down there."),
         "It is gone."),
        (("Entries are counted from nought (`0/`, `1/`, `2/`...) which is what the reader expects"
         " of a folder, and rules are scoped by path (`paths: [...]`) and apply to all below it."),
         "It was so before."),
    ],
)  # fmt: skip
def test_a_line_does_not_end_within_a_sentence(begun: str, ended: str) -> None:
    padding = " " + "The rest is about something else that would not fit on the line at all." * 2

    told = word_line(f"{begun} {ended}{padding}")

    assert told in (begun, f"{begun} {ended}")


@pytest.mark.parametrize("chars", [60, 160, 230])
def test_how_often_and_when_an_error_was_seen_again_is_always_told(chars: int) -> None:
    failed = ("`make dags` failed (exit 1): Variable bucket is not set" + " in any scope" * 20)[
        :chars
    ].rstrip()
    again = "Again on 6 November 2026, 10 November 2026 and 12 November 2026: the fourth time."
    seen = tuple(f"obs-gemini-0-{NOTED + day * DAY_MS}-bbbbb{day}" for day in (3, 7, 9))
    one = keep(f"{failed}\n{again}", category=Category.ERROR, repeats=seen)

    (told,) = weigh([WeighedMemory(observation=one, score=0.5)])

    assert told.text == f"{failed}; {again}"
    assert (told.author, told.at_ms) == ("gemini", NOTED + 9 * DAY_MS), "who saw it last, and when"


def test_each_line_of_a_list_is_told_as_who_said_it_by_its_own_id() -> None:
    content = (
        "- 2026-09-07: the cache read 49 rows one by one\n"
        "- 2026-09-01, superseded since: the cache is off\n"
        "- 2026-09-21: the cache read 189 rows one by one"
    )
    sources = (f"obs-claude-code-0-{NOTED - 14 * DAY_MS}-cccccc", f"obs-gemini-0-{NOTED}-dddddd")

    parts = list_parts(keep(content, sources=sources))
    told = weigh([WeighedMemory(observation=one, score=0.5) for one in parts])

    assert [(one.doc_id, one.author, one.text) for one in told] == [
        (sources[0], "claude-code", "the cache read 49 rows one by one"),
        (sources[1], "gemini", "the cache read 189 rows one by one"),
    ]


def test_an_open_end_is_told_beside_the_ruling_whose_words_it_ends_with() -> None:
    said = "The user said: the build for the phone I do on the mac on Monday."
    left = f"Left open: compile `app` for the phone (no tools here) {said}"
    parts = [
        replace(observation(text, category=kind), summary=text, session_id="s")
        for text, kind in (
            (f"{said} publish nothing until I say so", Category.DECISION),
            (left, Category.KEY_FACT),
        )
    ]
    told = weigh([WeighedMemory(observation=one, score=0.5) for one in parts])

    assert {one.kind for one in choose(told, 5)} == {Kind.OPEN_END, Kind.PREFERENCE}


def test_what_was_put_off_is_told_with_the_words_of_who_put_it_off_however_long_it_is() -> None:
    long = "Left open: " + "the ledger of the island is still to be moved to the new store, " * 3
    line = word_kept(Category.KEY_FACT, f"{long.rstrip(', ')}. The user said: ask Ana first")

    assert line.endswith("The user said: ask Ana first")
