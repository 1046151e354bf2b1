"""Whether what was observed may still be believed: files change, and decisions are taken back.

An observation about files is stale when one of them was changed after the commit it speaks
of, or after it was made where it speaks of none. It stays true of its time, so it is marked
and shown, never taken away.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen
from agentx.observations.model import Observation
from agentx.observations.port import ObservationStore
from agentx.observations.validity.marking import find_replacing

# A file is written, then told of: the clocks of both may differ by this much.
_SLACK_MS = 5_000
_AMENDED_AT_ONCE_MAX = 200
_TOLD_AFTER = 50  # observations


class FileHistory(Protocol):
    """What is known of when files changed."""

    def find_changed_ms(self, path: str) -> Millis | None:
        """Return when a file last changed; None when it is not known to have."""
        ...

    def commit_ms(self, commit: str) -> Millis | None:
        """Return when a commit was made; None when there is no such commit."""
        ...


@frozen
class Verified:
    """What a check of every observation found."""

    checked: int
    stale: int  # a file they speak of has changed since
    superseded: int  # a newer one replaced them
    amended: int  # where something is known now that was not before
    unverified: tuple[str, ...] = ()  # that claim a person and that nothing bears out
    missing: tuple[str, ...] = ()  # that a person had kept, and that are not there as they were
    damaged: tuple[str, ...] = ()  # what had to be stepped over, and where


def list_changed_since(observation: Observation, history: FileHistory) -> tuple[str, ...]:
    """Return the files of an observation that changed after it was true."""
    since_ms = int(observation.timestamp_ms)
    if observation.commit:
        since_ms = max(since_ms, history.commit_ms(observation.commit) or 0)
    found = []
    for path in observation.files:
        at_ms = history.find_changed_ms(path)
        if at_ms is not None and at_ms > since_ms + _SLACK_MS:
            found.append(path)
    return tuple(found)


def verify(store: ObservationStore, history: FileHistory, told: HowFar = unheard) -> Verified:
    """Check every observation against its files and against newer ones, and mark them.

    Raises: LockHeld, UnavailableError.
    """
    known = {issue: store.get_by_issue(issue) for issue in store.issues()}
    by_old = find_replacing(one for observations in known.values() for one in observations)
    checked = stale = replaced = amended = 0
    total = sum(map(len, known.values()))
    for observations in known.values():
        fresh: list[Observation] = []
        for one in observations:
            fresh.append(_check(one, history, by_old.get(one.id, "")))
            if len(fresh) % _TOLD_AFTER == 0 or len(fresh) == len(observations):
                told(checked + len(fresh), total)
        checked += len(fresh)
        stale += sum(bool(one.changed_files) for one in fresh)
        replaced += sum(bool(one.superseded_by) for one in fresh)
        news = [now for now, was in zip(fresh, observations, strict=True) if now != was]
        amended += len(news)
        for begin in range(0, len(news), _AMENDED_AT_ONCE_MAX):
            store.amend(news[begin : begin + _AMENDED_AT_ONCE_MAX])
    return Verified(checked=checked, stale=stale, superseded=replaced, amended=amended)


def _check(observation: Observation, history: FileHistory, replaced_by: str) -> Observation:
    changed = list_changed_since(observation, history)
    if changed == observation.changed_files and not replaced_by:
        return observation
    return replace(
        observation,
        changed_files=changed,
        superseded_by=replaced_by or observation.superseded_by,
    )
