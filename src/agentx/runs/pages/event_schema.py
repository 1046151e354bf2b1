"""The schema of a run's events, as data: what every event is checked against, written out."""

from __future__ import annotations

from typing import Any

from agentx.runs.rules.catalogue import KINDS
from agentx.runs.rules.kinds.shapes import EventKind, Field
from agentx.runs.rules.lines import VERSION
from agentx.runs.rules.permits import PERMITS, RunRole

_LINE = {
    "v": "the version of the format",
    "id": "a ULID; events count in the order of (at, id), each id once",
    "at": "when: ISO 8601 in UTC, before the year 2100",
    "run": "the run's id",
    "actor": "who says so: letters, digits, '.', '_' and '-', at most 64",
    "type": "one of the types below",
    "task": "the task it is about, if any",
    "task_of": "the event that made that task",
    "lane": "the lane it is about, if any",
    "lane_of": "the event that made that lane",
    "detail": "the fields of its type; others are kept",
    "writer": "the checkout that signed it, if any",
    "key": "the fingerprint of its key",
    "sig": "the signature",
}


def write_schema() -> dict[str, Any]:
    """Return the schema: the fields of a line, and every type with its own."""
    return {
        "version": VERSION,
        "line": dict(_LINE),
        "events": {name: _write_kind(name, shape) for name, shape in KINDS.items()},
    }


def _write_kind(name: str, shape: EventKind) -> dict[str, Any]:
    about = [what for what, is_so in (("task", shape.of_task), ("lane", shape.of_lane)) if is_so]
    return {
        "group": shape.group,
        "means": shape.about,
        **({"names": about} if about else {}),
        "said_by": [str(role) for role in RunRole if role in PERMITS[name]],
        "needs": {each: _write_field(field) for each, field in shape.needs.items()},
        "may_have": {each: _write_field(field) for each, field in shape.may.items()},
    }


def _write_field(field: Field) -> dict[str, Any]:
    choices = [str(each) for each in field.choices]
    return {"type": field.type, **({"one_of": choices} if choices else {})}
