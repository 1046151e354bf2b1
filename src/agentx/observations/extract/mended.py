"""What was found wrong and mended in the same session: told as what it was, with what mended it.

    agent  "`Queue.push` enqueues the item twice when `retry` is set, because ..."
    edits  src/queue.ts

Said in the present, it would be false from the edit on.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, is_claim
from agentx.exchanges.tools import file_edits
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import code_names
from agentx.prose.passages import PASSAGE_CHARS_MAX
from agentx.prose.salience import Occasion, Speech
from agentx.prose.sentences import shorten

_CHARS_MAX = PASSAGE_CHARS_MAX - 40
_TOLD_BY_AGENT = (Occasion.STEP, Occasion.CLOSING, Occasion.REPORT)
_FOUND_WRONG = (Category.KEY_FACT, Category.ERROR)
_IS_DONE = cues.anywhere("now | i (?:fixed|added|changed|made|moved|removed|replaced) | i'?ve")
# What is wrong, and why.
_WRONG = cues.anywhere(
    r"""
    because | since | due to | silently | twice | never | wrong(?:ly)? | bugs? | fails? | missing
    (?:doesn'?t|does not|don'?t|isn'?t|is not|cannot|can'?t|no) | root cause | causes? | leaks?
    hangs? | crash(?:es)? | throws? | breaks? | ignores? | races? | too (?:early|late|many|long)
    """
)


def tell_mended(finding: Finding, said: Speech, later: Iterable[Exchange], boot: Boot) -> Finding:
    """Return what an agent found, with where it was mended if it was by what followed."""
    text = said.text
    if said.source not in _TOLD_BY_AGENT or finding.category not in _FOUND_WRONG:
        return finding
    if not _WRONG.search(text) or is_claim(text) or _IS_DONE.search(text):
        return finding
    names = [name.rsplit(".", 1)[-1] for name in code_names(text)]
    for step in (step for each in later for step in each.steps):
        if step.call.at_ms < finding.at_ms or boot.undone.took_back(step):
            continue
        for edit in file_edits(step):
            removed = "\n".join(edit.removed)
            if edit.path.rsplit("/", 1)[-1] in text or any(name in removed for name in names):
                content = f"{shorten(text, _CHARS_MAX)} (since mended in {edit.path})"
                return replace(finding, category=Category.ERROR, content=content, summary=content)
    return finding
