"""Goal: what is said again and again is one row, and keeps nothing else off the page.

Method: hundreds of copies of one text in a real index, beside the one that answers.
"""

from __future__ import annotations

from datetime import UTC
from pathlib import Path

from agentx.kernel.clock import DAY_MS, Millis, from_iso
from agentx.recall.question.plan import Answer, Question, answer
from agentx.search.document import Document, Filters
from agentx.search.text.alike import find_copies
from agentx.search.text.index import TextIndex
from agentx.search.text.scales import chapters
from tests.support.time_and_chance import FakeClock

NOW = Millis(from_iso("2026-03-18T15:00:00Z"))
COPIES = 330  # more than are looked at of any text
ASKED = "check why the nightly import of the harbour fees is slow, and write what you found"
ANSWERED = "The import is slow because every harbour is looked up by itself: 214 queries."


def _said(day: int, text: str, name: str) -> Document:
    return Document(
        doc_type="event",
        doc_id=f"{name}-{day}",
        text=text,
        timestamp_ms=NOW - day * DAY_MS,
        session=f"s-{day}",
        role="user" if name == "asked" else "assistant",
    )


def _index(folder: Path) -> TextIndex:
    """Return an index of a prompt that was run every day, and answered once."""
    with TextIndex.building(folder, FakeClock()) as fresh:
        for day in range(1, COPIES + 1):
            said = [_said(day, ASKED, "asked")]
            if day == COPIES // 2:
                said.append(_said(day, ANSWERED, "told"))
            fresh.put(said)
            fresh.put_chapters(chapters(f"s-{day}", said))
    return TextIndex.open(folder, FakeClock())


def _ask(index: TextIndex, text: str) -> Answer:
    return answer(index, Question(text=text, zone=UTC, now_ms=NOW, limit=5))


def test_copies_are_one_row_of_the_newest_and_hide_no_answer(tmp_path: Path) -> None:
    index = _index(tmp_path)
    found = _ask(index, "why is the nightly import of the harbour fees slow?").memories
    rows = [group.hit.doc_id for group in found]

    assert sorted(rows[:2]) == ["asked-1", f"told-{COPIES // 2}"]
    copies = found[rows.index("asked-1")]
    assert (copies.alike, copies.also[0]) == (COPIES - 1, "asked-2")
    assert len(copies.also) < COPIES, "all are counted, and few are named"

    # Of a time that is asked for, what was said then stands for the others.
    then = _ask(index, "the import of the harbour fees on 8 March").memories
    assert "asked-10" in [group.hit.doc_id for group in then]

    listed = find_copies(index.reading(), "asked-7", Filters(), 3)
    assert [hit.doc_id for hit in listed] == ["asked-1", "asked-2", "asked-3"]
    index.close()
