"""Observations that read like those of a real project, and stores to keep them in."""

from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from random import Random

from agentx.host.system import system_entropy
from agentx.kernel.clock import DAY_MS, Clock, Millis
from agentx.kernel.tokens import estimate
from agentx.observations.ids import observation_id
from agentx.observations.model import Category, Observation
from agentx.observations.port import ObservationStore
from agentx.observations.store.files.store import JsonObservationStore
from agentx.observations.store.sqlite.store import SqliteObservationStore
from tests.support.time_and_chance import START_MS, CountingEntropy

_SUBJECTS = (
    "retry queue|payment webhook|search index|login form|cache layer|export job|rate limiter|"
    "audit trail|image resizer|session token|migration script|feature flag|billing report|"
    "upload endpoint|notification mailer|tenant router|metrics collector|job scheduler|"
    "password reset|currency converter|invoice renderer|permission check|backup routine|"
    "websocket gateway|timezone parser|address validator|discount engine|shipping label|"
    "thumbnail cache|locale switcher|csv importer|graph query"
).split("|")
_REASONS = (
    "because the old one lost entries under load|after the load test showed 300 ms stalls|"
    "so that a crash leaves nothing half-written|since two workers wrote the same row|"
    "because the vendor drops connections after 30 s|to keep the hot path free of disk waits|"
    "after a customer reported duplicated charges|so that old clients keep working|"
    "because the index grew past memory|since the lock was held across the network call"
).split("|")
_ACTIONS = {
    Category.DECISION: ("Chose", "Decided to replace", "Agreed to keep", "Settled on"),
    Category.CODE_CHANGE: ("Rewrote", "Extracted", "Added tests for", "Moved"),
    Category.ERROR: ("Timeout in", "Crash of", "Wrong total from", "Deadlock in"),
    Category.KEY_FACT: ("Measured", "Documented", "Found the owner of", "Learnt the limits of"),
}
_PARTS = "parser|writer|adapter|planner|buffer|handler|loader|encoder|watcher|registry".split("|")
_SYLLABLES = (
    "ba co di fu ge hi jo ka lu me no pa ri so tu ve wi xa yo ze bra clo dri fle gru".split()
)
# As in any language: few words make most of the text, most words are rare.
_VOCABULARY = [
    one + two + three for one in _SYLLABLES for two in _SYLLABLES for three in _SYLLABLES
]
_COMMON = list(accumulate(1 / (rank + 10) for rank in range(len(_VOCABULARY))))


def observation(
    content: str = "Chose JSON files because people can read them.",
    *,
    issue: int = 29,
    agent: str = "engineer",
    category: Category = Category.DECISION,
    at_ms: int = START_MS,
    entropy: CountingEntropy | None = None,
    **more: object,
) -> Observation:
    """Return one observation; its summary is the first sentence."""
    plain: dict[str, object] = {
        "id": observation_id(agent, issue, at_ms, entropy or system_entropy),
        "agent": agent,
        "issue_number": issue,
        "category": category,
        "content": content,
        "summary": content.split(". ", maxsplit=1)[0][:200],
        "tokens": estimate(content),
        "timestamp_ms": Millis(at_ms),
        "session_id": "session-1",
    }
    return Observation(**{**plain, **more})  # type: ignore[arg-type]  # fields by name


def generated(
    count: int, *, seed: int = 7, issues: int = 20, words: int = 40, now_ms: int = START_MS
) -> list[Observation]:
    """Return observations spread over issues and a year, the same in every run."""
    chance = Random(seed)
    entropy = CountingEntropy()
    found = []
    for number in range(count):
        category = chance.choice(list(_ACTIONS))
        subject = chance.choice(_SUBJECTS)
        head = f"{chance.choice(_ACTIONS[category])} the {subject} {chance.choice(_PARTS)} {number}"
        body = f"{head} {chance.choice(_REASONS)}."
        more = max(words - len(body.split()), 0)
        if more:
            body += f" {' '.join(chance.choices(_VOCABULARY, cum_weights=_COMMON, k=more))}."
        found.append(
            observation(
                body[:2000],
                issue=number % issues + (0 if issues == 1 else 1),
                agent=chance.choice(("engineer", "architect", "reviewer")),
                category=category,
                at_ms=now_ms - chance.randrange(365 * DAY_MS),
                entropy=entropy,
                summary=body[:160],
            )
        )
    return found


def opened_store(backend: str, folder: Path, clock: Clock) -> ObservationStore:
    """Return a store of either kind over a folder."""
    if backend == "json":
        return JsonObservationStore(
            folder, clock=clock, entropy=system_entropy, view_folder=folder.parent / "views"
        )
    return SqliteObservationStore(
        folder / "observations.db", clock=clock, view_folder=folder.parent / "views"
    )
