"""Questions that people ask, most of time and place, and what of the sample answers them."""

from __future__ import annotations

from dataclasses import dataclass

from agentx.kernel.clock import Millis, from_iso
from agentx.memory.found import SearchReply, SearchRequest

FIRST_ROWS = 3
MONDAY = "2026-03-23T09:00:00Z"  # after the three weeks of the sample


@dataclass(frozen=True)
class AskedOfSample:
    """A question, the moment it is asked, and a word that an answer to it has."""

    text: str
    answered_by: tuple[str, ...]  # any of them
    now: str = MONDAY
    only: str = ""  # the agent CLI that every row is of
    note: str = ""  # what must be said beside the rows
    within: int = FIRST_ROWS

    @property
    def request(self) -> SearchRequest:
        """The question as it is asked."""
        return SearchRequest(query=self.text, now_ms=Millis(from_iso(self.now)))

    def is_answered(self, reply: SearchReply) -> bool:
        """Tell whether one of the first rows answers, and nothing else is among them."""
        rows = reply.hits[: self.within]
        said = "\n".join(hit.snippet for hit in rows).lower()
        return (
            any(word.lower() in said for word in self.answered_by)
            and all(hit.harness == self.only for hit in rows if self.only)
            and any(self.note in note for note in reply.notes or ("",))
        )


QUESTIONS = (
    AskedOfSample("What was I doing last week?", ("rate limit", "1.1.0", "retry"), note="16 March"),
    AskedOfSample("yesterday", ("1.1.0",), note="Nothing"),
    AskedOfSample("5 March", ("write lock", "locked", "BEGIN IMMEDIATE"), note="Thursday 5 March"),
    AskedOfSample("where did we stop?", ("Issue 37",)),
    AskedOfSample("what is left to do?", ("30 minutes",)),
    AskedOfSample(
        "what did Codex do on Friday?",
        ("certificate", "Caddy"),
        now="2026-03-16T12:00:00Z",
        only="codex",
        note="Friday 13 March 2026, only codex",
    ),
    AskedOfSample("what happened this morning?", ("postmortem",), now="2026-03-18T12:30:00Z"),
    AskedOfSample("what did we do two days ago?", ("jitter",), now="2026-03-20T18:00:00Z"),
    AskedOfSample(
        "what have we been working on since Tuesday?",
        ("1.1.0", "jitter", "72 hours"),
        now="2026-03-20T18:00:00Z",
        note="Tuesday 17 March",
    ),
    AskedOfSample("what did we decide last week?", ("jitter", "buckets", "7 days", "decision 1")),
    AskedOfSample("what went wrong on 5 March?", ("lock", "BEGIN IMMEDIATE")),
    AskedOfSample(
        "what did Gemini do last month?",
        ("guide", "410", "\u53c2\u8003", "Retry-After"),
        now="2026-04-10T09:00:00Z",
        only="gemini",
        note="March to Tuesday 31 March 2026",
    ),
    AskedOfSample("summarize 2026-03-11", ("61 ms", "order")),
    AskedOfSample("05.03.", ("write lock", "BEGIN IMMEDIATE", "locked")),
    AskedOfSample("where did we leave off on 17 March?", ("298 jobs", "paused")),
    AskedOfSample("what happened between 9 and 11 March?", ("61 ms", "calendar", "session", "#26")),
    AskedOfSample(
        "what did we do last night?", ("storm", "late", "paused"), now="2026-03-18T09:00:00Z"
    ),
    AskedOfSample("what happened the week of 10 March?", ("certificate", "#26", "61 ms")),
    AskedOfSample("what did Codex do on 9 March?", ("reminder",), only="codex"),
    AskedOfSample(
        "what did we do the day before yesterday?", ("jitter",), now="2026-03-20T18:00:00Z"
    ),
    AskedOfSample("was haben wir letzte Woche entschieden?", ("7 days", "full jitter")),
    AskedOfSample("\u00bfqu\u00e9 hicimos la semana pasada?", ("7 days", "BK-2307")),
    # why it was so then: in other words than the question's
    AskedOfSample("why was the calendar slow on 11 March?", ("215 queries",), within=1),
    AskedOfSample("why did the webhooks fail on 17 March?", ("503", "five tries"), within=1),
    AskedOfSample("why was staging locked on 5 March?", ("transaction over",), within=1),
    AskedOfSample("why did we give up Celery?", ("two per cent",)),
    AskedOfSample("when did Marstal go live?", ("10:00",)),
    AskedOfSample("which database do we use?", ("PostgreSQL",)),
)
# Of what was settled.
SETTLED_QUESTIONS = (
    AskedOfSample("what broke on Monday?", ("KeyError",), now="2026-03-10T09:00:00Z"),
    AskedOfSample("why did we move from SQLite to Postgres?", ("has one writer",), within=1),
    AskedOfSample("how do we deploy?", ("Caddy",)),
    AskedOfSample("how many requests may one API key send?", ("60 requests a minute",)),
)
