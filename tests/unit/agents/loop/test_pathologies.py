"""Goal: whatever a model does wrong, the loop ends at a bound, and says at which.

Method: a table of what models do, played without network and disk; of each: how it ends, the words
that say why, and how many replies and calls it may take until then.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain, count, cycle, repeat

import pytest

from agentx.agents.loop.model import LoopEnd, LoopSession
from agentx.agents.loop.port import ToolOutcome
from agentx.kernel.errors import InvalidValue, ModelUnavailable
from agentx.llm.talk.port import CUT_OFF, CalledTool, TalkReply
from tests.support.loop_play import (
    BOUNDS,
    EndlessDay,
    LoopPlay,
    PlayedModel,
    PlayedTools,
    always_new,
    call,
    fine,
    read,
    reply,
)

pytestmark = pytest.mark.promise("loop.bounds")


def fails(made: CalledTool) -> ToolOutcome:
    raise InvalidValue(f"{made.arguments['path']} is not there")


def raises(error: Exception) -> Iterator[TalkReply]:
    for _ in range(1):
        raise error
    yield reply()


def each_new() -> Iterator[TalkReply]:
    return (reply(read(f"file-{number}.py")) for number in count())


FLIP = call("edit_file", path="a", old_text="x", new_text="y")
FLOP = call("edit_file", path="a", old_text="y", new_text="x")
Does = Callable[[CalledTool], ToolOutcome]


@dataclass
class Case:
    """What a model does, and how that ends."""

    says: Callable[[], Iterable[TalkReply]]
    end: LoopEnd
    why: str
    replies: int  # until it ends
    made: int = 0  # calls that were really made
    does: Callable[[], Does] = lambda: fine


CIRCLE, STOP = LoopEnd.CIRCUIT_BREAKER, LoopEnd.MAX_ITERATIONS
CASES = {
    "the same call, the same result": Case(
        lambda: repeat(reply(read())), CIRCLE, "the same result 15 times", 16, 10
    ),
    "the same call, a new result each time": Case(
        lambda: repeat(reply(read())), CIRCLE, "made 30 times", 31, 20, always_new
    ),
    "two reads in turn": Case(
        lambda: cycle([reply(read("a")), reply(read("b"))]), CIRCLE, "in a row", 27, 20
    ),
    "an edit and its undoing in turn": Case(
        lambda: cycle([reply(FLIP), reply(FLOP)]), CIRCLE, "in a row", 27, 20
    ),
    "two calls in turn with new results": Case(
        lambda: cycle([reply(read("a")), reply(read("b"))]),
        CIRCLE,
        "in turn 15 times",
        31,
        20,
        always_new,
    ),
    "three known calls in turn": Case(
        lambda: cycle([reply(read(name)) for name in "abc"]), CIRCLE, "brought nothing new", 28, 27
    ),
    "calls that all fail": Case(each_new, CIRCLE, "24 calls in a row", 25, 24, lambda: fails),
    "the same edit that fails": Case(
        lambda: repeat(reply(FLIP)), CIRCLE, "the same result 15 times", 16, 10, lambda: fails
    ),
    "the same call many times in one reply": Case(
        lambda: repeat(reply(*[read()] * 16)), CIRCLE, "the same result 15 times", 1, 10
    ),
    "a tool that is not there": Case(
        lambda: repeat(reply(call("fly_away"))), CIRCLE, "there is no tool 'fly_away'", 5
    ),
    "a tool without a name": Case(lambda: repeat(reply(call(""))), CIRCLE, "no tool", 5),
    "arguments that are no JSON": Case(
        lambda: repeat(reply(replace(read(), fault="its arguments are no JSON"))),
        CIRCLE,
        "no JSON",
        5,
    ),
    "arguments that are missing": Case(
        lambda: repeat(reply(call("read_file"))), CIRCLE, "has no path", 5
    ),
    "arguments of the wrong kind": Case(
        lambda: repeat(reply(call("run_command", command="rm -rf /"))), CIRCLE, "type array", 5
    ),
    "arguments that nobody asked for": Case(
        lambda: repeat(reply(call("read_file", path="a", mode="root"))), CIRCLE, "takes no", 5
    ),
    "empty and unreadable in turn": Case(
        lambda: cycle([reply(), reply(call("fly"))]), CIRCLE, "5 calls in a row", 10
    ),
    "replies without a word": Case(
        lambda: repeat(reply()), LoopEnd.EMPTY_RESPONSE, "3 replies in a row", 3
    ),
    "replies of blanks": Case(
        lambda: repeat(reply(text=" \n\t ")), LoopEnd.EMPTY_RESPONSE, "were empty", 3
    ),
    "replies that are cut off": Case(
        lambda: repeat(reply(text="I will now", fault=CUT_OFF)), CIRCLE, "were cut off", 3
    ),
    "calls that are cut off": Case(
        lambda: repeat(reply(FLIP, fault=CUT_OFF)), CIRCLE, "were cut off", 3
    ),
    "a refusal": Case(
        lambda: repeat(reply(fault="the model refused to answer")), LoopEnd.ERROR, "refused", 1
    ),
    "a model that is down": Case(
        lambda: raises(ModelUnavailable("cannot be reached")), LoopEnd.ERROR, "cannot be", 1
    ),
    "ever new reads without an end": Case(each_new, STOP, "100 turns", 100, 100, always_new),
    "ever new edits without an end": Case(
        lambda: (
            reply(call("edit_file", path="a", old_text=str(n), new_text=str(n + 1)))
            for n in count()
        ),
        STOP,
        "100 turns",
        100,
        100,
    ),
    "a hundred calls in one reply": Case(
        lambda: repeat(reply(*(read(f"f-{number}") for number in range(100)))),
        CIRCLE,
        "brought nothing new",
        3,
        37,
    ),
}


def play(case: Case) -> tuple[LoopPlay, LoopSession]:
    staged = LoopPlay(PlayedModel(iter(case.says())), PlayedTools(case.does()))
    return staged, staged.run()


@pytest.mark.parametrize("name", sorted(CASES))
def test_each_ends_at_its_bound_and_says_why(name: str) -> None:
    case = CASES[name]

    staged, ended = play(case)

    assert ended.ended is not None
    assert (ended.ended.kind, len(staged.model.heard)) == (case.end, case.replies)
    assert case.why in ended.ended.reason
    assert len(staged.tools.used) == case.made
    assert ended.open_calls == (), "what is not made is answered, too"
    assert staged.kept[-1] == ended


def test_there_are_enough_of_them() -> None:
    assert len(CASES) >= 25


def test_time_ends_it_between_two_steps() -> None:
    staged = LoopPlay(PlayedModel(each_new()), PlayedTools(always_new()))
    staged.model.before = lambda: staged.clock.advance(25 * 60_000)

    ended = staged.run()

    assert ended.ended is not None
    assert (ended.ended.kind, ended.ended.reason) == (LoopEnd.MAX_TIME, "60 minutes are over")
    assert len(staged.model.heard) == 3


@pytest.mark.parametrize(
    ("bounds", "kind", "replies"),
    [
        (replace(BOUNDS, turns=7), LoopEnd.MAX_ITERATIONS, 7),
        (replace(BOUNDS, tokens=5_500), LoopEnd.MAX_TOKENS, 6),  # the sixth is not sent
        (replace(BOUNDS, micro_usd=3_999), LoopEnd.MAX_COST, 4),
    ],
)
def test_turns_tokens_and_money_hold(bounds: object, kind: LoopEnd, replies: int) -> None:
    assert isinstance(bounds, type(BOUNDS))
    staged = LoopPlay(PlayedModel(each_new()), PlayedTools(always_new()), bounds)

    ended = staged.run()

    assert ended.ended is not None
    assert (ended.ended.kind, len(staged.model.heard)) == (kind, replies)
    assert ended.spent.tokens <= bounds.tokens
    assert ended.spent.micro_usd <= bounds.micro_usd


def test_the_bound_of_the_day_is_another_one() -> None:
    staged = LoopPlay(PlayedModel(each_new()), PlayedTools(always_new()), day=EndlessDay(2))

    ended = staged.run()

    assert ended.ended is not None
    assert (ended.ended.kind, ended.spent.turns) == (LoopEnd.DAY_SPENT, 2)


def test_the_model_is_warned_before_it_is_stopped() -> None:
    staged, ended = play(CASES["the same call, the same result"])

    told = [each.content for each in ended.messages if each.role == "tool"]
    assert [number for number, text in enumerate(told, 1) if "[AgentX: " in text] == [
        6,
        7,
        8,
        9,
        10,
    ]
    assert all(text.startswith("not done") for text in told[10:])
    assert staged.records[-1] == ("read_file", "failed")


def test_who_changes_something_between_may_try_again() -> None:
    tries = (
        (
            reply(call("edit_file", path="a", old_text=str(n), new_text=str(n + 1))),
            reply(call("run_command", command=["make", "test"])),
        )
        for n in range(40)
    )
    script = chain(chain.from_iterable(tries), [reply(text="It is done.")])
    staged = LoopPlay(PlayedModel(script), PlayedTools(fine))

    ended = staged.run()

    assert ended.is_done
    assert len(staged.tools.used) == 80


def test_what_a_result_is_too_long_for_is_cut_in_the_middle() -> None:
    long = "a" * 40_000 + "the end"
    script = iter([reply(read()), reply(text="Done.")])
    staged = LoopPlay(PlayedModel(script), PlayedTools(lambda _call: ToolOutcome(text=long)))

    ended = staged.run()

    (told,) = (each.content for each in ended.messages if each.role == "tool")
    assert len(told) < 31_000
    assert told.endswith("the end")
    assert "characters are left out here" in told
