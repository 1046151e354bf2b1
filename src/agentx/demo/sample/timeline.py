"""A script with the times filled in: what happened when, to the millisecond.

Hooks and transcripts are both rendered from this, so they agree. Where a script
gives no time, a step waits and lasts as long as such a step does; the odd
milliseconds are drawn from a hash of the place in the script, never from a clock
or a die, so the sample is the same every time.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from agentx.demo.sample.script import (
    Action,
    Choice,
    Compact,
    Delegate,
    Find,
    Mark,
    Patch,
    PlanShown,
    Read,
    Say,
    Script,
    Search,
    Shell,
    Write,
    WrittenStep,
    WrittenTurn,
    whole,
)
from agentx.kernel.capture import Harness
from agentx.kernel.clock import Millis, from_iso
from agentx.kernel.errors import CorruptRecord
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen

_SPEAKING_CHARS_PER_SECOND = 60
_THINKING_SECONDS = 7.0  # before a tool call


@frozen
class Said:
    """Words of the agent between two tool calls."""

    at_ms: Millis
    key: str
    text: str


@frozen
class ToolCall:
    """One tool call; `key` is its place in the session, from which ids are made."""

    at_ms: Millis
    done_ms: Millis
    key: str
    action: Action


@frozen
class Delegated:
    """A sub-agent at work, from its start to its reply."""

    at_ms: Millis
    done_ms: Millis
    key: str
    kind: str
    why: str
    prompt: str
    steps: tuple[Said | ToolCall, ...]
    reply: str
    replied_ms: Millis


@frozen
class Summarised:
    """The conversation gave way to its summary."""

    at_ms: Millis
    done_ms: Millis
    key: str
    trigger: str
    summary: str
    tokens: int


Step = Said | ToolCall | Delegated | Summarised


@frozen
class PromptTurn:
    """One prompt and all that it led to."""

    at_ms: Millis
    key: str
    prompt: str
    mode: str
    steps: tuple[Step, ...]
    reply: str  # empty when the person interrupted
    replied_ms: Millis

    @property
    def is_interrupted(self) -> bool:
        """Whether the person stopped the agent."""
        return not self.reply


@frozen
class SampleSession:
    """One session of the sample."""

    number: int
    slug: str
    title: str
    harness: Harness
    session_id: str
    person: str
    role: str
    branch: str
    directory: str
    story: tuple[Mark, ...]
    planted: tuple[str, ...]
    start_ms: Millis
    turns: tuple[PromptTurn, ...]
    end_ms: Millis
    end_reason: str


def time_script(name: str, script: Script) -> SampleSession:
    """Fill in the times of a script; `name` is its file's, such as `07-locked`.

    Raises: CorruptRecord when a turn begins before the one before it is over.
    """
    number, _, slug = name.partition("-")
    start_ms = from_iso(script.start)
    turns: list[PromptTurn] = []
    over_ms = start_ms
    for index, written in enumerate(script.turns):
        turn = _turn(f"{name}/{index}", start_ms, written)
        if turn.at_ms <= over_ms:
            raise CorruptRecord(
                f"{name}: turn {index} at {written.at} begins before the last ended"
            )
        over_ms = turn.replied_ms
        turns.append(turn)
    end_ms = Millis(start_ms + _offset_ms(script.end.at))
    if end_ms <= over_ms:
        raise CorruptRecord(f"{name}: ends at {script.end.at}, before its last turn is over")
    return SampleSession(
        number=int(number),
        slug=slug,
        title=script.title,
        harness=Harness(script.harness),
        session_id=script.session_id,
        person=script.person,
        role=script.role,
        branch=script.branch,
        directory=script.directory,
        story=script.story,
        planted=script.planted,
        start_ms=start_ms,
        turns=tuple(turns),
        end_ms=end_ms,
        end_reason=script.end.reason,
    )


def _turn(key: str, start_ms: Millis, written: WrittenTurn) -> PromptTurn:
    at_ms = Millis(start_ms + _offset_ms(written.at) + _odd_ms(key, 900))
    steps, now_ms = _steps(key, at_ms, written.steps)
    reply = whole(written.reply)
    return PromptTurn(
        at_ms=at_ms,
        key=key,
        prompt=whole(written.prompt),
        mode=written.mode,
        steps=steps,
        reply=reply,
        replied_ms=_time_words(now_ms, f"{key}/reply", reply),
    )


def _steps(
    key: str, begin_ms: Millis, written: Iterable[WrittenStep]
) -> tuple[tuple[Step, ...], Millis]:
    steps: list[Step] = []
    now_ms = begin_ms
    for index, step in enumerate(written):
        made = _step(f"{key}/{index}", now_ms, step)
        now_ms = made.at_ms if isinstance(made, Said) else made.done_ms
        steps.append(made)
    return tuple(steps), now_ms


def _step(key: str, before_ms: Millis, step: WrittenStep) -> Step:
    if isinstance(step, Say):
        text = whole(step.text)
        if step.after is None:
            return Said(at_ms=_time_words(before_ms, key, text), key=key, text=text)
        return Said(at_ms=_later(before_ms, key, step.after), key=key, text=text)
    at_ms = _later(before_ms, key, _THINKING_SECONDS if step.after is None else step.after)
    if isinstance(step, Delegate):
        return _time_delegation(key, at_ms, step)
    if isinstance(step, Compact):
        done_ms = _later(at_ms, f"{key}/took", 38.0 if step.took is None else step.took)
        return Summarised(
            at_ms=at_ms,
            done_ms=done_ms,
            key=key,
            trigger=step.trigger,
            summary=whole(step.summary),
            tokens=step.tokens,
        )
    took = _usual_seconds(step) if step.took is None else step.took
    done_ms = Millis(at_ms + max(round(took * 1000), 1) + _odd_ms(f"{key}/took", 40))
    return ToolCall(at_ms=at_ms, done_ms=done_ms, key=key, action=step)


def _time_delegation(key: str, at_ms: Millis, step: Delegate) -> Delegated:
    started_ms = Millis(at_ms + 120)
    steps, now_ms = _steps(key, started_ms, step.steps)
    assert all(isinstance(inner, Said | ToolCall) for inner in steps), "a script's type says so"
    reply = whole(step.reply)
    replied_ms = _time_words(now_ms, f"{key}/reply", reply)
    return Delegated(
        at_ms=at_ms,
        done_ms=Millis(replied_ms + 90),
        key=key,
        kind=step.kind,
        why=step.why,
        prompt=whole(step.prompt),
        steps=tuple(inner for inner in steps if isinstance(inner, Said | ToolCall)),
        reply=reply,
        replied_ms=replied_ms,
    )


def _usual_seconds(action: Action) -> float:
    match action:
        case Shell():
            return 0.4
        case Patch() | Write():
            return 0.06
        case Read() | Search() | Find():
            return 0.03
        case PlanShown() | Choice():
            return 45.0
        case _:
            assert_never(action)


def _time_words(before_ms: Millis, key: str, text: str) -> Millis:
    return _later(before_ms, key, 2 + len(text) / _SPEAKING_CHARS_PER_SECOND)


def _later(before_ms: Millis, key: str, seconds: float) -> Millis:
    return Millis(before_ms + round(seconds * 1000) + _odd_ms(key, 1500))


def _odd_ms(key: str, below: int) -> int:
    return 1 + int.from_bytes(digest("sample", key, size=4)) % below


def _offset_ms(text: str) -> int:
    hours, minutes, seconds = (int(part) for part in text.split(":"))
    return ((hours * 60 + minutes) * 60 + seconds) * 1000
