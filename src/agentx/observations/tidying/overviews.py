"""What sums up a session, without what a person dropped: the words go from there too."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from agentx.kernel.text import compile_late, fold_text, preview
from agentx.kernel.tokens import estimate
from agentx.observations.limits import OBSERVATION_SUMMARY_CHARS_MAX
from agentx.observations.model import Category, Observation
from agentx.observations.tidying.lists import word_part
from agentx.observations.tidying.said import read_said, say_same

IsDropped = Callable[[str], bool]  # whether a line says what was dropped

_ALIKE = 0.6
_ASKED = "Asked: "
_BETWEEN = "; "
_ITEM = compile_late(r"- (?:\d{4}-\d\d-\d\d(?:, superseded since)?: )?")
_WHOSE = compile_late(r"^The user [a-z]+(?: [a-z]+)?: ")
_QUOTED_CHARS_MIN = 12  # shorter words stand in many a line by chance


def is_overview(one: Observation) -> bool:
    """Tell whether an observation only sums up what others say."""
    return one.category is Category.COMPACTION_SUMMARY


def recognise(dropped: Iterable[Observation]) -> IsDropped:
    """Return what tells of a line whether it says or quotes one of these."""
    said = {text for one in dropped for text in _list_wordings(one)}
    meanings = [read_said(each) for each in said]
    quotes = [each for each in map(_flatten, said) if len(each) >= _QUOTED_CHARS_MIN]

    def is_dropped(line: str) -> bool:
        if any(each in _flatten(line) for each in quotes):
            return True
        meaning = read_said(line)
        return any(say_same(meaning, each, least=_ALIKE) for each in meanings)

    return is_dropped


def leave_out(overview: Observation, is_dropped: IsDropped) -> Observation | None:
    """Return an overview without the lines that were dropped; None where nothing is left."""
    blocks = [(block, _thin(block, is_dropped)) for block in _list_blocks(overview.content)]
    kept = [now for _, now in blocks if now]
    heads = (overview.summary, *re.split(r"; |: ", overview.summary))
    if kept == [block for block, _ in blocks] and not any(map(is_dropped, heads)):
        return overview
    lines = [each for at, each in enumerate(kept) if not _is_empty_heading(kept, at)]
    if not lines:
        return None
    content = "\n".join(lines)
    first = next((each for each in lines if not _is_heading(each)), lines[0])
    headline = _ITEM.sub("", first.removeprefix(_ASKED).partition(_BETWEEN)[0], count=1)
    summary = preview(headline, OBSERVATION_SUMMARY_CHARS_MAX)
    return replace(overview, content=content, summary=summary, tokens=estimate(content))


def _list_wordings(one: Observation) -> Iterator[str]:
    for text in (one.content, one.summary, word_part(one)):
        yield text
        yield _WHOSE.sub("", text)


def _flatten(text: str) -> str:
    return fold_text(text).casefold().rstrip(" .!\u2026\u3002")


def _list_blocks(content: str) -> Iterator[str]:
    """Yield headings and items, each with the lines that go on with it."""
    block: list[str] = []
    for line in content.split("\n"):
        if block and not line.startswith("  "):
            yield "\n".join(block)
            block = []
        block.append(line)
    yield "\n".join(block)


def _thin(block: str, is_dropped: IsDropped) -> str:
    """Return what is left of a heading or an item."""
    if block.startswith(_ASKED):
        asked = block.removeprefix(_ASKED).split(_BETWEEN)
        left = [each for each in asked if not is_dropped(each)]
        return _ASKED + _BETWEEN.join(left) if left else ""
    if _is_heading(block):
        return block
    return "" if is_dropped(_ITEM.sub("", block, count=1)) else block


def _is_heading(block: str) -> bool:
    return not block.strip() or block.startswith("#") or (block[0] != "-" and block[-1] == ":")


def _is_empty_heading(blocks: list[str], at: int) -> bool:
    """Tell whether nothing stands under a heading any more."""
    if not _is_heading(blocks[at]):
        return False
    below = next((each for each in blocks[at + 1 :] if each.strip()), "")
    return not below or _is_heading(below)
