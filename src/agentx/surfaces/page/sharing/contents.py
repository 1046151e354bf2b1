"""What is in a file that would be shared, by name and number: what a person agrees to."""

from __future__ import annotations

from collections import Counter

from agentx.exchanges.turns import TurnKind
from agentx.kernel.text import name_some
from agentx.operations.recall.session.part import SaidTurn, TakenStep
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.pieces import count
from agentx.surfaces.page.sharing.gathering import Shared


def list_contents(shared: Shared, dates: Dates) -> dict[str, str]:
    """Return what is in it, by what it is."""
    sessions = [one.session for one in shared.sessions]
    times = _list_times(shared)
    told = {
        "from": dates.say_span(min(times), max(times)) if times else "",
        "lines": count(len(shared.lines), "line") if shared.lines else "",
        "sessions": count(len(sessions), "session") if sessions else "",
        "words": _say_words(shared),
        "agent CLIs": name_some(sorted({one.harness for one in sessions})),
        "roles": name_some(sorted({one.agent for one in sessions if one.agent})),
        "folders": name_some(sorted({one.working_directory for one in sessions} - {""})),
        "branches": name_some(sorted({one.branch for one in sessions} - {""})),
        "addresses": name_some(shared.addresses),
        "secrets": _say_secrets(shared),
        "left out": _say_left(shared),
    }
    return {name: words for name, words in told.items() if words}


def _list_times(shared: Shared) -> list[int]:
    times: list[int] = [line.at_ms for line in shared.lines]
    for one in shared.sessions:
        times += [item.event.timestamp_ms for item in one.items]
        times += () if one.items else (one.session.first_ms, one.session.last_ms)
    return times


def _say_words(shared: Shared) -> str:
    """Return how much of each kind was said."""
    kinds: Counter[str] = Counter()
    for one in shared.sessions:
        for item in one.items:
            if isinstance(item, TakenStep):
                kinds["call"] += 1
            elif isinstance(item, SaidTurn) and item.turn.kind is TurnKind.PROMPT:
                kinds["prompt"] += 1
            elif isinstance(item, SaidTurn) and item.turn.kind is TurnKind.REPLY:
                kinds["reply"] += 1
    if not kinds:
        return "none of what was said, only what it was about" if shared.sessions else ""
    plurals = {"reply": "replies"}
    said = [count(number, kind, plurals.get(kind, "")) for kind, number in kinds.items()]
    events = sum(one.events for one in shared.sessions)
    return ", ".join((*said, f"out of {count(events, 'event')}"))


def _say_secrets(shared: Shared) -> str:
    known = f"taken out in {count(shared.redacted, 'place')}" if shared.redacted else "none known"
    now = shared.redacted_now
    return f"{known}, {count(now, 'text')} of them only now" if now else known


def _say_left(shared: Shared) -> str:
    cut = sum(one.is_cut and bool(one.events) for one in shared.sessions)
    none = sum(one.is_cut and not one.events for one in shared.sessions)
    left = (
        f"the end of {count(cut, 'session')}" if cut else "",
        f"what was said in {count(none, 'session')}" if none else "",
    )
    said = " and ".join(filter(None, left))
    return f"{said}: a file has a bound" if said else ""
