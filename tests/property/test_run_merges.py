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
from agentx.lessons.promotion import Policy
from agentx.runs.model import Happening
from tests.fault.run_child import afterwards
from tests.support.clones import files_below, merge
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
            merge(team.root, other.root)
            continue
        team.clock.advance(700)
        with suppress(AgentXError):
            team.runs.say(run_id, said)
    known = {event.id for team in teams for event in team.runs.events(run_id)}
    merge(first.root, second.root)
    merge(second.root, first.root)

    states = [team.runs.run(run_id) for team in teams]
    rebuilt = [team.runs.rebuild(run_id) for team in teams]
    assert states[0] == states[1]
    assert states[0][1] == (), "every line is an event"
    assert {event.id for event in first.runs.events(run_id)} == known
    assert [each.remarks for each in rebuilt] == [(), ()], "nothing was taken for a person's edit"
    memories = [files_below(team.store.paths.project.run_memory) for team in teams]
    assert memories[0] == memories[1]


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


@pytest.mark.promise("runs.merge")
def test_two_clones_that_pack_the_same_run_away_do_not_conflict(tmp_path: Path) -> None:
    first = Team(repository(tmp_path / "one"), tmp_path / "store-one", seed=1)
    run_id = first.runs.start("over in both").id
    first.says(run_id, "candidate-proposed", kind="pattern", text="Close files", evidence=["a.py"])
    first.says(run_id, "run-failed", reason="enough")
    commit(first.root, "ended")
    git(tmp_path, "clone", "-q", str(first.root), "two")
    clones = [(first.root, tmp_path / "store-one"), (tmp_path / "two", tmp_path / "store-two")]

    places = [
        afterwards(root, store, days=days)
        for (root, store), days in zip(clones, (8, 9), strict=True)
    ]
    for place in places:
        place.archiving.archive(run_id, Policy.ALL, actor="retention")
    merge(clones[0][0], clones[1][0])
    merge(clones[1][0], clones[0][0])
    for place in places:
        place.learning.refresh()
        place.store.index.rebuild({})

    memories = [files_below(place.store.paths.project.run_memory) for place in places]
    assert memories[0] == memories[1]
    (line,) = places[0].store.index.list_archived()
    assert (line["run_id"], line["archived_at"][:10]) == (run_id, "2026-03-10")
    (lesson,) = places[0].learning.read().known.lessons.values()
    assert (lesson.id, lesson.learned_from) == ("PAT-001", (run_id,))
