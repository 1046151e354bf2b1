"""What holds on a branch that is not merged, as it is told elsewhere: marked, after the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from agentx.recall.section.choose import Tellable

_SHARE = 0.6


def say_elsewhere(one: Tellable, elsewhere: Mapping[str, str]) -> Tellable:
    """Return what was said in a session, with where that holds if its session was elsewhere."""
    mark = elsewhere.get(one.session, "")
    if not mark:
        return one
    return replace(one, text=f"{one.text} ({mark})", worth=one.worth * _SHARE, is_elsewhere=True)


def put_elsewhere_last(
    chosen: Sequence[Tellable], group_of: Callable[[Tellable], str]
) -> list[Tellable]:
    """Return what was chosen, in each group first what holds where it is told.

    The places of a group stay where they are: whoever has room for fewer lines leaves out the
    last of each.
    """
    if not any(one.is_elsewhere for one in chosen):
        return list(chosen)
    groups: dict[str, list[Tellable]] = {}
    for one in chosen:
        groups.setdefault(group_of(one), []).append(one)
    turns = {
        name: iter(sorted(members, key=lambda one: one.is_elsewhere))
        for name, members in groups.items()
    }
    return [next(turns[group_of(one)]) for one in chosen]
