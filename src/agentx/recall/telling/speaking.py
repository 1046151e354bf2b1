"""What is said at a prompt: what waits for the role, what happened meanwhile, what is close.

As hooks read it, fenced as recalled data, within 400 tokens; nothing where nothing is worth it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentx.kernel.errors import AgentXError
from agentx.kernel.text import RECALL_CLOSE, RECALL_NOTICE, RECALL_OPEN
from agentx.kernel.tokens import estimate
from agentx.recall.section.choose import Tellable
from agentx.recall.section.learnt import WeighedMemory
from agentx.recall.section.render import RecallLine, say_line
from agentx.recall.section.sources import About, Sources
from agentx.recall.section.standing import PERSONS, QUESTIONS
from agentx.recall.telling.bar import Bar
from agentx.recall.telling.meanwhile import choose_meanwhile, find_here
from agentx.recall.telling.prompt import PROMPT_CHARS_MAX, AskedNow, choose_close

TOKENS_MAX = 400

Said = tuple[str, str]  # the id of what is told, and the line

_LOOKED_AT = 200
_WAITING_MAX = 3
_NOTICE = f"{RECALL_NOTICE} [who, when, id]"


def tell_prompt(
    sources: Sources, prompt: AskedNow, bar: Bar | None, *, role: str = "", branch: str = ""
) -> str:
    """Return what a session is told at a prompt, an id, a tab and a line each; mostly nothing.

    Without a bar nothing of what is remembered: only what is asked of it, or was answered.
    """
    now = replace(sources.now, is_prepared=True)
    sources = replace(sources, now=now)
    said = [*_find_waiting(sources, prompt, role)]
    if bar is None:
        return _fence(said)
    about = About(role=role, context=prompt.text[:PROMPT_CHARS_MAX], branch=branch or None)
    known = sources.memories(about, _LOOKED_AT).weighed
    chosen = {one.doc_id: one for one in _find_meanwhile(sources, known, prompt, bar)}
    for one in choose_close(known, prompt, bar):
        chosen.setdefault(one.doc_id, one)
    said += [(one.told_as or one.doc_id, say_line(_tell(sources, one))) for one in chosen.values()]
    return _fence(said)


def _find_meanwhile(
    sources: Sources, known: Sequence[WeighedMemory], prompt: AskedNow, bar: Bar
) -> list[Tellable]:
    if sources.reader is None:
        return []
    try:
        here = find_here(sources.reader, prompt.session_id, sources.now.now_ms, prompt.harness)
        return choose_meanwhile(sources.reader, known, prompt, here, bar)
    except AgentXError as error:
        sources.report(error)
        return []


def _find_waiting(sources: Sources, prompt: AskedNow, role: str) -> Iterator[Said]:
    """Yield what waits for a role, or for the user, and came after it was last told."""
    try:
        standing = sources.standing()
    except AgentXError as error:
        sources.report(error)
        return
    stages = standing.stages()
    lines = standing.lines(sources.now, role)
    asked = [line for line in lines if line.group in (QUESTIONS, PERSONS)]
    new = [line for line in asked if stages.get(line.doc_id, "") not in prompt.told]
    for line in [line for line in new if line.doc_id in stages][:_WAITING_MAX]:
        yield stages[line.doc_id], say_line(line)


def _tell(sources: Sources, one: Tellable) -> RecallLine:
    return sources.now.line(
        group=one.kind,
        text=one.text,
        doc_id=one.doc_id,
        at_ms=one.at_ms,
        source=one.author,
        tokens=estimate(one.text),
    )


def _fence(said: list[Said]) -> str:
    """Return as many lines as fit, as recalled data."""
    while said:
        texts = (RECALL_OPEN, _NOTICE, *(text for _, text in said), RECALL_CLOSE)
        if estimate("\n".join(texts)) <= TOKENS_MAX:
            rows = (("", RECALL_OPEN), ("", _NOTICE), *said, ("", RECALL_CLOSE))
            return "\n".join(f"{doc_id}\t{text}" for doc_id, text in rows)
        said.pop()
    return ""
