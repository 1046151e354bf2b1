"""Goal: two clones work on one run, commit all of its memory, and merge without conflict.

Method: random histories with real git. Each clone says what its actors do, commits, and
merges the other at random moments, both ways; in the end both hold the same run, every
event of both, and the same files.
"""

from __future__ import annotations

import tempfile
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from agentx.kernel.errors import AgentXError
from agentx.runs.model import Happening
from tests.support.repository import commit, git, repository
from tests.support.run_stories import HAPPENINGS, Team

_STEPS = st.lists(
    st.tuples(st.integers(0, 1), st.one_of(HAPPENINGS, HAPPENINGS, HAPPENINGS, st.none())),
    min_size=6,
    max_size=14,
)
_REALLY = settings(
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.large_base_example],
)


def _merge(into: Team, other: Team, name: str) -> None:
    commit(into.root, "memory")
    git(into.root, "pull", "-q", "--no-rebase", "--no-edit", str(other.root), "main")
    unmerged = git(into.root, "diff", "--name-only", "--diff-filter=U")
    assert unmerged == "", f"{name} has conflicts"


def _play(folder: Path, steps: list[tuple[int, Happening | None]]) -> None:
    first = Team(repository(folder / "one"), folder / "store-one", seed=1)
    run_id = first.runs.start("one run, two clones").id
    for name in ("TASK-001", "TASK-002"):
        first.says(run_id, "task-added", task=name, title=f"do {name}")
    commit(first.root, "planned")
    git(folder, "clone", "-q", str(first.root), "two")
    second = Team(folder / "two", folder / "store-two", seed=2)
    second.clock.advance(first.clock.now_ms() - second.clock.now_ms() - 2_500)
    teams = (first, second)

    for who, said in steps:
        team, other = teams[who], teams[1 - who]
        if said is None:
            commit(other.root, "memory")
            _merge(team, other, f"clone {who}")
            continue
        team.clock.advance(700)
        with suppress(AgentXError):
            team.runs.say(run_id, said)
    known = {event.id for team in teams for event in team.runs.events(run_id)}
    commit(second.root, "memory")
    _merge(first, second, "one")
    _merge(second, first, "two")

    states = [team.runs.run(run_id) for team in teams]
    rebuilt = [team.runs.rebuild(run_id) for team in teams]
    assert states[0] == states[1]
    assert states[0][1] == (), "every line is an event"
    assert {event.id for event in first.runs.events(run_id)} == known
    assert [each.remarks for each in rebuilt] == [(), ()], "nothing was taken for a person's edit"
    assert _memory(first) == _memory(second)


def _memory(team: Team) -> dict[str, bytes]:
    root = team.store.project.run_memory
    return {
        str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()
    }


@pytest.mark.promise("runs.merge")
@settings(_REALLY, max_examples=2)
@given(_STEPS)
def test_two_clones_merge_both_ways_and_agree(steps: list[tuple[int, Happening | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _play(Path(folder), steps)


@pytest.mark.soak
@settings(_REALLY, max_examples=80)
@given(_STEPS)
def test_two_clones_agree_over_many_histories(steps: list[tuple[int, Happening | None]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        _play(Path(folder), steps)
