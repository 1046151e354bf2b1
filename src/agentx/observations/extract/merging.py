"""Findings made fit to be kept: like ones merged, within every bound, in their order.

What two rules found twice is kept once, with the events of both. Where there are too many,
the lightest go. Nothing leaves here that is private, too long, or without an event.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from agentx.kernel.limits import OBSERVATION_CHARS_MAX
from agentx.kernel.text import compile_late, cut, without_recall
from agentx.kernel.tokens import estimate
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.session.names import list_paths
from agentx.observations.limits import (
    OBSERVATION_EVENTS_MAX,
    OBSERVATION_FILES_MAX,
    OBSERVATION_SUMMARY_CHARS_MAX,
)
from agentx.observations.model import Category
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import adds_reason, likeness
from agentx.prose.sentences import shorten
from agentx.redaction.redact import redact

_ALIKE = 0.75
_OTHER_KIND_ALIKE = 0.85
_REVERT = compile_late(r"(?:\A|; |\n)Revert(?:ed [0-9a-f]{4}| \")")
_SUMMARY_TOKENS_MAX = 50
_SUMMARY_CHARS_MIN = 60


def settle(found: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return findings, each once, oldest first."""
    kept: list[Finding] = []
    about: list[frozenset[str]] = []
    for finding in _rank(_tell_once(list(found))):
        clean = _clean(finding)
        if clean is None:
            continue
        mine = terms(_core(clean))
        twin = _twin(clean, mine, kept, about)
        if twin is None:
            kept.append(clean)
            about.append(mine)
        else:
            kept[twin] = _merge(kept[twin], clean)
    return _order(kept)


def keep_worthiest(settled: Iterable[Finding], limit: int) -> tuple[Finding, ...]:
    """Return at most so many of settled findings, oldest first."""
    return _order(_rank(settled)[:limit])


def _rank(found: Iterable[Finding]) -> list[Finding]:
    return sorted(found, key=lambda one: (-one.weight, one.at_ms))


def _order(kept: Iterable[Finding]) -> tuple[Finding, ...]:
    return tuple(sorted(kept, key=lambda one: (one.at_ms, one.category, one.summary)))


def _tell_once(found: list[Finding]) -> list[Finding]:
    """Leave out the facts that a change or an error tells already."""
    tellers = [
        one.content for one in found if one.category in (Category.CODE_CHANGE, Category.ERROR)
    ]
    return [
        one
        for one in found
        if one.category is not Category.KEY_FACT or not any(one.content in text for text in tellers)
    ]


def summary_line(text: str) -> str:
    """Return a text as one line of about fifty tokens at most."""
    line = " ".join(text.split())
    chars = OBSERVATION_SUMMARY_CHARS_MAX
    short = shorten(line, chars)
    while estimate(short) > _SUMMARY_TOKENS_MAX and chars > _SUMMARY_CHARS_MIN:
        chars -= 20
        short = shorten(line, chars)
    return short


def _clean(finding: Finding) -> Finding | None:
    told = redact(without_recall(finding.content))
    content = cut(told.strip(), OBSERVATION_CHARS_MAX)
    if finding.summary != finding.content:
        told = redact(without_recall(finding.summary))
    summary = summary_line(told)
    if not content or not summary or not finding.event_ids:
        return None
    return replace(
        finding,
        content=content,
        summary=summary,
        event_ids=finding.event_ids[:OBSERVATION_EVENTS_MAX],
        files=(finding.files or list_paths(content))[:OBSERVATION_FILES_MAX],
    )


def _core(finding: Finding) -> str:
    return finding.summary if finding.category is Category.CODE_CHANGE else finding.content


def _twin(
    finding: Finding, mine: frozenset[str], kept: list[Finding], about: list[frozenset[str]]
) -> int | None:
    for index, (other, theirs) in enumerate(zip(kept, about, strict=True)):
        same_kind = other.category is finding.category
        if Category.COMPACTION_SUMMARY in (other.category, finding.category):
            continue
        changed = Category.CODE_CHANGE in (other.category, finding.category)
        if changed and not (same_kind and other.files == finding.files):
            continue
        if {other.category, finding.category} == {Category.DECISION, Category.ERROR}:
            continue  # a failure quotes who gave up, and is not what they settled
        if _is_revert(finding) is not _is_revert(other):
            continue  # who asked for it tells not what it took back
        is_like = likeness(mine, theirs) >= (_ALIKE if same_kind else _OTHER_KIND_ALIKE)
        if is_like and not adds_reason(finding.content, other.content):
            return index
    return None


def _is_revert(one: Finding) -> bool:
    return one.category is Category.CODE_CHANGE and _REVERT.search(one.content) is not None


def _merge(kept: Finding, twin: Finding) -> Finding:
    ids = tuple(dict.fromkeys((*kept.event_ids, *twin.event_ids)))
    files = tuple(dict.fromkeys((*kept.files, *twin.files)))
    return replace(
        kept,
        event_ids=ids[:OBSERVATION_EVENTS_MAX],
        files=files[:OBSERVATION_FILES_MAX],
        commit=kept.commit or twin.commit,
    )
