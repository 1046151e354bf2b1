"""The observations of a span, by the kind that a question asks for.

The table of contents has room for a few lines of each session; what was decided, changed or went
wrong then is kept as observations besides. Whoever asks for a kind is answered from both, and
what both say is told once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from agentx.conversation.model import SessionQuery
from agentx.conversation.toc_model import BulletKind
from agentx.kernel.clock import Millis
from agentx.kernel.text import fold_text, preview
from agentx.kernel.values import frozen
from agentx.memory.found import SearchHit
from agentx.memory.port import Readable
from agentx.observations.ids import parse_observation_id
from agentx.observations.labels import strip_label
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import Words, coverage
from agentx.recall.history.calendar import Wanted
from agentx.recall.limits import NOW_MS_MAX
from agentx.recall.section.kinds import Kind, kind_of

_KEPT_AS = {
    Category.DECISION: frozenset({BulletKind.DECISION, BulletKind.ANSWER}),
    Category.CODE_CHANGE: frozenset({BulletKind.CHANGE, BulletKind.OUTCOME}),
    Category.ERROR: frozenset({BulletKind.PROBLEM}),
}
_END_MS = NOW_MS_MAX  # of every calendar
_LOOKED_AT = 60
_SESSIONS_LOOKED_AT = 1_000
_ROW_CHARS_MAX = 400
_SAME = 0.7  # of the shorter of two lines

ListLearnt = Callable[[SearchFilters], tuple[Observation, ...]]


def list_learnt(
    learnt: ListLearnt, reader: Readable, wanted: Wanted, kinds: frozenset[BulletKind], limit: int
) -> list[SearchHit]:
    """Return the observations of a span that are of some kinds, newest first."""
    asked = [category for category, told in _KEPT_AS.items() if not told.isdisjoint(kinds)]
    return [_show(each, wanted) for each in _list_of(learnt, reader, wanted, asked)[:limit]]


def _list_of(
    learnt: ListLearnt, reader: Readable, wanted: Wanted, categories: Iterable[Category]
) -> list[Observation]:
    found: list[Observation] = []
    for category in categories:
        found += learnt(
            SearchFilters(
                category=category,
                issue_number=wanted.issue,
                since_ms=wanted.since_ms,
                until_ms=min(wanted.until_ms, _END_MS),
                limit=_LOOKED_AT,
            )
        )
    if wanted.session:
        found = [each for each in found if each.session_id == wanted.session]
    if wanted.who:
        by = _sessions_by(reader, wanted)
        found = [each for each in found if each.agent in wanted.who.names or each.session_id in by]
    return sorted(found, key=lambda each: -_find_seen_ms(each, wanted))


def _find_seen_ms(observation: Observation, wanted: Wanted) -> Millis:
    """Return when something was last seen in a span: it may have been seen again in it."""
    again = (parse_observation_id(each).timestamp_ms for each in observation.repeats)
    seen = (each for each in again if wanted.since_ms <= each < wanted.until_ms)
    return max(seen, default=observation.timestamp_ms)


@frozen
class KeptOpen:
    """What is kept as open: what still is, newest first, and the words of what was closed since."""

    rows: list[SearchHit]
    closed: list[Words]
    captured: frozenset[str]  # the sessions of which is known what they left open


def list_open_ends(learnt: ListLearnt, reader: Readable, wanted: Wanted, limit: int) -> KeptOpen:
    """Return the memories of a span that are told as open ends."""
    kinds = (Category.KEY_FACT, Category.ERROR, Category.DECISION)
    found = [each for each in _list_of(learnt, reader, wanted, kinds) if _is_open_end(each)]
    standing = [each for each in found if not each.superseded_by]
    gone = [strip_label(each.content) for each in found if each.superseded_by]
    summed_up = _list_of(learnt, reader, wanted, (Category.COMPACTION_SUMMARY,))
    return KeptOpen(
        rows=[_show(each, wanted) for each in standing][:limit],
        closed=[*map(terms, gone)],
        captured=frozenset(each.session_id for each in summed_up),
    )


def _is_open_end(observation: Observation) -> bool:
    said = observation.content.split("; Asked: ", 1)[0]
    return kind_of(observation.category, said) is Kind.OPEN_END


def join_rows(learnt: list[SearchHit], lines: Iterable[SearchHit], limit: int) -> list[SearchHit]:
    """Return observations and the lines that say something beside them, newest first."""
    rows = list(learnt)
    about = [terms(row.snippet) for row in rows]
    for line in lines:
        own = terms(line.snippet)
        if not any(_says_the_same(own, other) for other in about):
            rows.append(line)
            about.append(own)
    return sorted(rows[:limit], key=lambda row: -row.timestamp_ms)


def _says_the_same(one: Words, other: Words) -> bool:
    fewer, more = sorted((one, other), key=len)
    return coverage(fewer, more) >= _SAME


def _sessions_by(reader: Readable, wanted: Wanted) -> set[str]:
    """Return the sessions of a span that the agent CLIs had that are asked about."""
    return {
        session.session_id
        for harness in wanted.who.harnesses
        for session in reader.sessions(
            SessionQuery(
                harness=harness,
                since_ms=wanted.since_ms,
                until_ms=Millis(min(wanted.until_ms, _END_MS)),
                limit=_SESSIONS_LOOKED_AT,
            )
        )
    }


def _show(observation: Observation, wanted: Wanted) -> SearchHit:
    said = fold_text(observation.content)
    mark = " (replaced since)" if observation.superseded_by else ""
    text = preview(f"{observation.category}{mark}: {said}", _ROW_CHARS_MAX)
    return SearchHit(
        doc_id=observation.id,
        kind="observation",
        score=0.0,
        snippet=text,
        marks=(),
        timestamp_ms=_find_seen_ms(observation, wanted),
        project="",
        session_id=observation.session_id,
        harness="",
        agent=observation.agent,
        role="",
        issue=str(observation.issue_number or ""),
        tokens=observation.tokens,
    )
