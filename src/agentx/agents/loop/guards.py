"""When a model goes round in circles: pure rules over what it called and what came back.

    repeated     the same call, since something was changed for the first time
    same result  the same call with the same result, as long
    ping-pong    two calls in turn, whatever they change
    fruitless    calls in a row that failed, or brought what was known

Each rule has three counts: from the first the model is told, from the second the call is not
made, at the third the sitting ends.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from agentx.agents.loop.limits import (
    LOOP_FRUITLESS,
    LOOP_PAIRS,
    LOOP_REPEATS,
    LOOP_SAME_RESULTS,
)
from agentx.agents.loop.model import Attempt
from agentx.kernel.ids import digest
from agentx.kernel.values import frozen


@frozen
class GuardVerdict:
    """What the guards say of a call; without a word all is well."""

    says: str = ""
    blocks: bool = False
    stops: bool = False


def digest_call(name: str, arguments: Mapping[str, Any]) -> str:
    """Return by what the same call is known again."""
    said = json.dumps(dict(arguments), sort_keys=True, ensure_ascii=True, default=str)
    return digest(name, said, size=8).hex()


def digest_result(text: str, *, failed: bool) -> str:
    """Return by what the same result is known again."""
    return digest("failed" if failed else "done", text, size=8).hex()


def judge(tried: Sequence[Attempt], call: str) -> GuardVerdict:
    """Say whether a call should be made, given what was tried before it."""
    since = _since_change(tried)
    last = next((each.result for each in reversed(tried) if each.call == call), "")
    same = sum(each.call == call and each.result == last for each in since) if last else 0
    counts = (
        (same, LOOP_SAME_RESULTS, "the same call brought the same result {} times"),
        (
            sum(each.call == call for each in since),
            LOOP_REPEATS,
            "the same call was made {} times, and nothing was changed between",
        ),
        (_count_pairs(tried, call), LOOP_PAIRS, "the same two calls were made in turn {} times"),
        (count_fruitless(tried), LOOP_FRUITLESS, "{} calls in a row brought nothing new"),
    )
    worst = GuardVerdict()
    for count, (warns, blocks, stops), words in counts:
        found = GuardVerdict(
            says=words.format(count) if count >= warns else "",
            blocks=count >= blocks,
            stops=count >= stops,
        )
        if (found.stops, found.blocks, bool(found.says)) > (
            worst.stops,
            worst.blocks,
            bool(worst.says),
        ):
            worst = found
    return worst


def count_fruitless(tried: Sequence[Attempt]) -> int:
    """Return how many calls in a row, up to the last, brought nothing new."""
    seen: set[tuple[str, str]] = set()
    count = 0
    for each in tried:
        pair = (each.call, each.result)
        is_new = each.changed or (pair not in seen and not each.failed)
        count = 0 if is_new else count + 1
        seen.add(pair)
    return count


def is_first_change(tried: Sequence[Attempt], call: str) -> bool:
    """Tell whether a call that changed something did so for the first time."""
    return not any(each.call == call for each in tried)


def _since_change(tried: Sequence[Attempt]) -> Sequence[Attempt]:
    """Return what was tried since something was changed for the first time in its way."""
    at = max((place for place, each in enumerate(tried) if each.changed), default=-1)
    return tried[at + 1 :]


def _count_pairs(tried: Sequence[Attempt], call: str) -> int:
    """Return how often the last two calls were made in turn; the call comes next."""
    if not tried or tried[-1].call == call:
        return 0
    other, count = tried[-1].call, 0
    for place, each in enumerate(reversed(tried)):
        if each.call != (other if place % 2 == 0 else call):
            break
        count += 1
    return count // 2
