"""Bring everything up to date, in one shot."""

from __future__ import annotations

from agentx.kernel.bus import HowFar, unheard
from agentx.kernel.errors import UnsafePath
from agentx.memory.port import Drained, Memory
from agentx.project.project import Project
from agentx.wiring.hub import listen_on_github, mirror_threads
from agentx.wiring.keeping.inventory import take_inventory
from agentx.wiring.kept.decided import keep_decisions
from agentx.wiring.kept.said import keep_said
from agentx.wiring.observation_upkeep import settle_observations
from agentx.wiring.work import take_time


def sync(project: Project, memory: Memory, told: HowFar = unheard) -> Drained:
    """Take what hooks captured into the log and bring every view up to date."""
    drained = memory.drain()
    memory.settle(told)
    for room, bring_up in (
        ("decisions", keep_decisions),
        ("said", keep_said),
        ("observations", settle_observations),
        ("replies", listen_on_github),
        ("threads", mirror_threads),
    ):
        try:
            bring_up(take_time(project))
        except UnsafePath as error:  # `doctor` names it too; the rest goes on
            project.log.record("warning", "room-left-out", room=room, message=error.message)
    take_inventory(project, is_due=False)
    if drained.files:
        project.log.record(
            "info",
            "synced",
            files=drained.files,
            stored=drained.stored,
            duplicates=drained.duplicates,
            damaged=drained.damaged,
            refused=drained.refused,
        )
    return drained
