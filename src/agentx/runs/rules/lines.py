"""An event as a line of JSON, and back. Whatever else a line has is left alone: others use it."""

from __future__ import annotations

from typing import Any

from agentx.kernel.clock import Millis, from_iso, to_iso
from agentx.kernel.errors import InvalidValue
from agentx.kernel.ids import is_ulid
from agentx.runs.model import RunEvent
from agentx.runs.rules.catalogue import KINDS, actor_named, detail_checked, name_checked

VERSION = 1
# 2100-01-01. What claims to be later is of no clock, and whatever is written next would have to be
# later still: it is named and left out.
LATEST_MS = Millis(4_102_444_800_000)


def event_of(raw: object) -> RunEvent:
    """Return the event that a line of JSON holds.

    Raises: InvalidValue, saying what is wrong with it.
    """
    if not isinstance(raw, dict):
        raise InvalidValue("an object was expected")
    if raw.get("v") != VERSION:
        raise InvalidValue(f"version {raw.get('v')!r} is unknown")
    event_id, at = raw.get("id"), raw.get("at")
    if not isinstance(event_id, str) or not is_ulid(event_id):
        raise InvalidValue("`id` is not an id")
    kind = raw.get("type")
    if not isinstance(kind, str) or kind not in KINDS:
        raise InvalidValue(f"`type` {kind!r} is unknown")
    detail = raw.get("detail", {})
    if not isinstance(detail, dict):
        raise InvalidValue("`detail` is not an object")
    return RunEvent(
        id=event_id,
        at_ms=_time(at),
        run=_text(raw, "run"),
        actor=actor_named(_text(raw, "actor")),
        kind=kind,
        task=_check_name(raw, "task"),
        task_of=_text(raw, "task_of"),
        lane=_check_name(raw, "lane"),
        lane_of=_text(raw, "lane_of"),
        # A detail without fields is the common case.
        detail=detail_checked(kind, detail) if detail or KINDS[kind].needs else detail,
        writer=_read_plainly(raw, "writer"),
        key=_read_plainly(raw, "key"),
        signature=_read_plainly(raw, "sig"),
    )


def line_of(event: RunEvent) -> dict[str, Any]:
    """Return an event as it is written."""
    line: dict[str, Any] = {
        "v": VERSION,
        "id": event.id,
        "at": to_iso(event.at_ms),
        "run": event.run,
        "actor": event.actor,
        "type": event.kind,
    }
    for name in ("task", "task_of", "lane", "lane_of"):
        if getattr(event, name):
            line[name] = getattr(event, name)
    if event.detail:
        line["detail"] = dict(event.detail)
    signed = {"writer": event.writer, "key": event.key, "sig": event.signature}
    return line | {name: value for name, value in signed.items() if value}


def _read_plainly(raw: dict[str, Any], name: str) -> str:
    """Return a field that others may use for something else; nothing where it is no text."""
    found = raw.get(name)
    return found if isinstance(found, str) else ""


def _time(at: object) -> Millis:
    if not isinstance(at, str):
        raise InvalidValue("`at` is not a time")
    try:
        # As written by us; anything else that is a time is read more slowly.
        found = from_iso(at)
    except (ValueError, OverflowError):
        raise InvalidValue(f"`at` {at[:40]!r} is not a time") from None
    if found >= LATEST_MS:
        raise InvalidValue(f"`at` {at[:40]!r} is too far in the future")
    return found


def _text(raw: dict[str, Any], name: str) -> str:
    found = raw.get(name, "")
    if not isinstance(found, str):
        raise InvalidValue(f"`{name}` is not a text")
    return found


def _check_name(raw: dict[str, Any], name: str) -> str:
    found = _text(raw, name)
    return name_checked(found, f"a {name}") if found else ""
