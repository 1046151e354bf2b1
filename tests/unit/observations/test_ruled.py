"""Goal: what a person ruled falls only by a person's word or an act that undoes it, part by part.

Method: a ruling and what came after it, both as they are kept; then the same in a store.
"""

from __future__ import annotations

from agentx.kernel.clock import Millis
from agentx.observations.model import Category
from agentx.observations.validity.choices.ruled import find_standing
from agentx.observations.validity.reading import Comparable
from agentx.observations.validity.supersede import find_superseded

FACT, CHANGE, DECISION = Category.KEY_FACT, Category.CODE_CHANGE, Category.DECISION
# A ruling, and what an agent said or did that fulfils or only mentions it.
FULFILLED = (
    (
        "Logs go to Loki, never to disk. Keep logs for 14 days.",
        FACT,
        "Logs in Loki are dropped after 14 days.",
    ),
    (
        "Uploads must be scanned, and audio uploads are kept for 30 days.",
        CHANGE,
        "Retention of audio uploads (commit c0c0c00); Audio uploads are deleted after 30 days.",
    ),
    (
        "Backups nightly, and we must be able to restore 60 days.",
        CHANGE,
        "Remove backups after 60 days (commit c0c0c01); Backups run nightly.",
    ),
    (
        "Sessions live in Redis and must survive a restart.",
        FACT,
        "Sessions are no longer kept in memory but in Redis.",
    ),
    ("never delete the audit table", FACT, "The audit table was removed from the export list."),
    ("use `ky` for all calls", FACT, "Removed `ky` from the lockfile by mistake, and put it back."),
    ("Stay on Node 22.", DECISION, "We moved from Node 22 to Node 24 because 22 is slower."),
    ("Die Logs bleiben 14 Tage.", FACT, "Logs werden nach 14 Tagen entfernt."),
)
UNDONE = (
    ("use `ky` for all calls", DECISION, "The user said: drop `ky`, use fetch"),
    ("ok, axios", CHANGE, "Use fetch instead of axios (commit c0c0c00)"),
    ("Redis for the cache", CHANGE, "Replace Redis by Valkey (commit c0c0c00)"),
)  # fmt: skip
PARTED = (
    (
        "ok, Redis for the cache. Sessions stay in Postgres, never in the cache",
        "redis is too expensive. replace Redis by Valkey",
        "Sessions stay in Postgres, never in the cache",
    ),
    (
        "deploy with Fly. staging always gets its own database",
        "we move from Fly to Hetzner",
        "staging always gets its own database",
    ),
    ("so BRIN on the column. let's use that", "no BRIN, a plain btree instead of BRIN", ""),
    ("use axios. it is small", "drop axios, use fetch", ""),
    ("use axios for all calls", "drop axios, use fetch", ""),
)


def _of(text: str, at: int, category: Category = DECISION) -> Comparable:
    return Comparable(
        id=f"obs-{at}", at_ms=Millis(at), text=text, category=category, session_id=f"s{at}"
    )


def _falls(old: str, new: str, category: Category) -> bool:
    return bool(find_superseded([_of(f"The user said: {old}", 1), _of(new, 2, category)]))


def test_no_agents_sentence_takes_a_ruling_back() -> None:
    for ruled, category, said in FULFILLED:
        assert not _falls(ruled, said, category), (ruled, said)


def test_a_persons_word_and_a_commit_that_undoes_it_do() -> None:
    for ruled, category, said in UNDONE:
        assert _falls(ruled, said, category), (ruled, said)


def test_of_a_ruling_only_the_sentence_that_is_meant_falls() -> None:
    for ruled, said, stands in PARTED:
        new = _of(f"The user said: {said}", 2)

        def falls(part: str, new: Comparable = new) -> bool:
            return bool(find_superseded([_of(part, 1), new]))

        rest = find_standing(f"The user said: {ruled}", falls, new.text)
        assert rest == (f"The user said: {stands}" if stands else ""), (ruled, said)
