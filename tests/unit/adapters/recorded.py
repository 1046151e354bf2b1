"""Recorded payloads and transcripts, and how the adapter tests compare them.

Two drafts are one event when they have the same identity: harness, session, kind, and
the source id or else the fingerprint. That is the law the log applies.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from agentx.adapters.port import Damaged, HookCall, Transcript
from agentx.kernel.capture import MACHINE, Draft, EventType, Harness
from agentx.kernel.clock import Millis

FIXTURES = Path(__file__).parents[2] / "fixtures" / "agent-clis"
RECEIVED_MS = Millis(1_794_701_700_000)
MODIFIED_MS = Millis(1_794_800_000_000)

Identity = tuple[str, str, EventType, str, str]


def hook_call(harness: Harness, payload: dict[str, Any], delivery: str = "d-1") -> HookCall:
    """Return a payload as the spool hands it over."""
    return HookCall(
        harness=harness,
        received_ms=RECEIVED_MS,
        working_directory="/home/dev/proj",
        payload=payload,
        delivery=delivery,
    )


def recorded_calls(harness: Harness, name: str) -> list[HookCall]:
    """Return every recorded payload of a fixture."""
    lines = (FIXTURES / name).read_text(encoding="utf-8").splitlines()
    return [
        hook_call(harness, json.loads(line)["payload"], f"delivery-{number}")
        for number, line in enumerate(lines)
    ]


def transcript(harness: Harness, path: Path, session_id: str = "") -> Transcript:
    """Return a file as `discover` would."""
    return Transcript(
        harness=harness,
        path=path,
        size_bytes=path.stat().st_size,
        modified_ms=MODIFIED_MS,
        working_directory="/home/dev/proj",
        session_id=session_id,
    )


def written(path: Path, lines: Sequence[object]) -> Path:
    """Write lines of JSON; a text is written as it is."""
    path.parent.mkdir(parents=True, exist_ok=True)
    texts = (
        line if isinstance(line, str) else json.dumps(line, ensure_ascii=False) for line in lines
    )
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def whole(found: Iterable[Draft | Damaged]) -> list[Draft]:
    """Return the drafts of a file in which nothing is damaged."""
    drafts: list[Draft] = []
    for one in found:
        assert isinstance(one, Draft), one
        drafts.append(one)
    return drafts


def heard(tell: Callable[[HookCall], tuple[Draft, ...]], calls: Iterable[HookCall]) -> list[Draft]:
    """Return what all payloads tell."""
    return [draft for call in calls for draft in tell(call)]


def identity(draft: Draft) -> Identity:
    """Return what makes a draft the same event as another."""
    return (
        draft.harness,
        draft.session_id,
        EventType(draft.known_as or draft.event_type),
        draft.source_id,
        draft.fingerprint,
    )


def said_by_machines(drafts: Iterable[Draft]) -> list[tuple[str, str]]:
    """Return the kind and the words of what an agent CLI itself said in the user's name."""
    return [(draft.metadata[MACHINE], draft.text) for draft in drafts if MACHINE in draft.metadata]


def without_machines(drafts: Iterable[Draft]) -> list[Draft]:
    """Return what people, agents and tools said and did."""
    return [draft for draft in drafts if MACHINE not in draft.metadata]


def of_kind(drafts: Iterable[Draft], event_type: EventType) -> list[Draft]:
    """Return the drafts of one kind."""
    return [draft for draft in drafts if draft.event_type is event_type]


def told(drafts: Iterable[Draft]) -> list[tuple[str, str]]:
    """Return kind and text of each draft."""
    return [(draft.event_type.value, draft.text) for draft in drafts]


scalars = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=12)
    | st.sampled_from(["\ud800", "2026-11-15T00:14:52.338Z", "user", "text", "tool_use", "{", ""])
)
json_values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3)
    ),
    max_leaves=8,
)


def objects_with(*names: str) -> st.SearchStrategy[dict[str, Any]]:
    """Return objects that have some of the given fields, of any value."""
    return st.dictionaries(st.sampled_from(names), json_values, max_size=8)
