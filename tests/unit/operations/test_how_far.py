"""Goal: who looks at everything, checks or moves memories says how far that is, and where it ends.

Method: each of them in a project with a little memory; what it tells is listened to.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from agentx.kernel.capture import Draft
from agentx.operations.memory.check import memory_verify
from agentx.operations.memory.write import memory_migrate
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.upkeep.doctor import diagnose
from agentx.operations.upkeep.mend import plan_mending
from agentx.wiring.memory import open_store
from agentx.wiring.observations import open_observations, prepare_observations
from tests.support.desk import talk
from tests.support.observations import generated
from tests.support.remembering import project_in
from tests.support.time_and_chance import START_MS


def test_each_says_how_far_it_is_up_to_its_end(tmp_path: Path) -> None:
    project = project_in(tmp_path)
    said: list[Draft] = [*talk("s-1"), *talk("s-2", begin=10_000_000)]
    with open_store(project) as memory:
        memory.append(said)
    prepare_observations(project)
    room = open_observations(project)
    room.store.store(generated(120, issues=2, now_ms=START_MS))
    room.close()
    told: list[tuple[int, int]] = []

    def hear(done: int, total: int) -> None:
        assert 0 < done <= total
        told.append((done, total))

    diagnose(project, lambda: open_store(project), setup_inputs(project), deep=True, told=hear)
    assert (len(said), len(said)) in told  # every event was opened
    assert told[-1][0] == told[-1][1]

    works: dict[str, Callable[[], object]] = {
        "mending": lambda: plan_mending(project, deep=True, told=hear),
        "verify": lambda: memory_verify(project, hear),
        "migrate": lambda: memory_migrate(project, "sqlite", hear),
    }
    for name, work in works.items():
        told.clear()
        work()
        assert told, name
        assert told[-1][0] == told[-1][1], name
        assert told == sorted(told, key=lambda one: (one[1], one[0])), name


def test_memories_that_are_moved_before_there_are_any_are_hidden_from_git_too(
    tmp_path: Path,
) -> None:
    project = project_in(tmp_path)
    memory_migrate(project, "sqlite")
    assert (project.observations / ".gitignore").read_text("utf-8") == "*\n"
