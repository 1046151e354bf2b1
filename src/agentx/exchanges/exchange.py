"""A session as exchanges: what the user said, and what the agent said and did about it.

Calls and results are joined here, so that no rule has to look for the other half.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

from agentx.exchanges.tools import ToolStep, Use, use_of, waits
from agentx.exchanges.turns import Turn, TurnKind

Item = Turn | ToolStep


@dataclass(slots=True)
class Exchange:
    """A prompt and everything up to the next one."""

    prompt: Turn | None = None
    items: list[Item] = field(default_factory=list)
    reported: list[Turn] = field(default_factory=list)  # by agents that worked beside this one
    before: Exchange | None = None  # what came before it, for what a reply refers to

    @property
    def steps(self) -> list[ToolStep]:
        """What was done."""
        return [item for item in self.items if isinstance(item, ToolStep)]

    @property
    def replies(self) -> list[Turn]:
        """What the agent said."""
        return [item for item in self.items if isinstance(item, Turn) and item.text.strip()]

    @property
    def closing(self) -> Turn | None:
        """The last thing the agent said."""
        replies = self.replies
        return replies[-1] if replies else None


def exchanges(turns: Iterable[Turn]) -> list[Exchange]:
    """Return a session's exchanges, in order."""
    found = [Exchange()]
    waiting: dict[str, tuple[Exchange, int]] = {}
    for turn in turns:
        here = found[-1]
        if turn.kind is TurnKind.PROMPT:
            found.append(Exchange(prompt=turn, before=here))
        elif turn.kind is TurnKind.REPLY:
            here.items += _only_new(here, turn)
        elif turn.kind is TurnKind.REPORT:
            here.reported.append(turn)
        elif turn.kind is TurnKind.CALL:
            # Told twice by a hook that reports a call once more with its result.
            if turn.call_id and turn.call_id in waiting:
                continue
            if turn.call_id:
                waiting[turn.call_id] = (here, len(here.items))
            here.items.append(ToolStep(call=turn, result=None, use=use_of(turn)))
        elif turn.kind is TurnKind.RESULT:
            _answer(waiting.pop(turn.call_id, None), here, turn)
    return [one for one in found if one.prompt is not None or one.items]


def _only_new(here: Exchange, reply: Turn) -> list[Turn]:
    """Return a reply without what was said already.

    Some agent CLIs tell what was said before a call with each call of that moment, and all of
    it once more in the reply that ends the exchange.
    """
    before = [item.text for item in here.items if isinstance(item, Turn)]
    if before and before[-1] == reply.text:
        return []
    left = reply.text
    for said in before:
        if said.strip() and left.startswith((f"{said}\n", f"{said.rstrip()}\n")):
            left = left[len(said.rstrip()) :].lstrip("\n")
    if left == reply.text:
        return [reply]
    return [replace(reply, text=left)] if left.strip() else []


def _answer(place: tuple[Exchange, int] | None, here: Exchange, result: Turn) -> None:
    if place is None:
        here.items.append(ToolStep(call=result, result=result, use=use_of(result)))
        return
    where, index = place
    step = where.items[index]
    if isinstance(step, ToolStep) and step.result is None:
        where.items[index] = ToolStep(call=step.call, result=result, use=step.use)
        if waits(step.call):
            _end_running(where, index, result)


def _end_running(where: Exchange, index: int, result: Turn) -> None:
    """Give a command that was still running what came of it, where only one was."""
    running = [
        at
        for at, item in enumerate(where.items[:index])
        if isinstance(item, ToolStep) and item.is_running
    ]
    step = where.items[running[0]] if len(running) == 1 else None
    if isinstance(step, ToolStep) and result.exit_code is not None:
        before = f"{step.result.text}\n" if step.result and step.result.text else ""
        told = replace(result, text=before + result.text)
        where.items[running[0]] = ToolStep(call=step.call, result=told, use=step.use)


def reports(exchange: Exchange) -> Iterator[Turn]:
    """Yield what other agents reported back to this one."""
    for step in exchange.steps:
        if step.use is Use.DELEGATE and step.result is not None and not step.has_failed:
            yield step.result
    yield from exchange.reported
