"""What lies in the spools and why: every record of every one, also of those that stand in."""

from __future__ import annotations

from agentx.capture.spool import SpoolGroup, Why
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.project.settlement import adopt
from agentx.wiring.spool import open_spool

# What is not taken unless a person does something.
STUCK = frozenset({Why.HOME_GONE, Why.DIRECTORY_GONE, Why.FAULTY, Why.REFUSED})


@frozen
class WaitingRecords:
    """Records that wait for one reason, in words."""

    why: Why
    records: int
    says: str
    mend: str

    @property
    def is_stuck(self) -> bool:
        """Whether nobody takes them unless a person does something."""
        return self.why in STUCK


def list_waiting(project: Project) -> tuple[WaitingRecords, ...]:
    """Say of every record in every spool why it lies there; what is alike is told together."""
    told: dict[tuple[Why, str, str], int] = {}
    for group in open_spool(project).survey():
        says, mend = _explain(group)
        told[group.why, says, mend] = told.get((group.why, says, mend), 0) + group.records
    order = list(Why)
    return tuple(
        WaitingRecords(why=why, records=records, says=says, mend=mend)
        for (why, says, mend), records in sorted(
            told.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
        )
    )


def adopt_waiting(project: Project, path: str) -> None:
    """Let what waits for a folder that is gone belong to this project.

    Raises: InvalidValue when the folder is there, NotFound when nothing waits for it.
    """
    adopt(project, path)


def _explain(group: SpoolGroup) -> tuple[str, str]:
    says, mend = _WORDS[group.why]
    told = {"whose": group.says, "directory": group.directory, "folder": group.folder}
    return says.format(**told), mend.format(**told)


_WORDS = {
    Why.NEXT: ("waiting to be taken", "`agentx sync` takes them"),
    Why.OTHER_PROJECT: (
        "of the project {whose}",
        "`agentx sync --project {directory}` takes them, or its daemon",
    ),
    Why.OTHER_HOME: (
        "of another home: they were written for {whose}",
        "`agentx sync` takes them there",
    ),
    Why.HOME_GONE: (
        "written for {whose}, which is not there",
        "`agentx sync --adopt {whose}`, if it was moved here",
    ),
    Why.DIRECTORY_GONE: (
        "of {directory}, which is gone",
        "`agentx sync --adopt {directory}`, in the project it belonged to",
    ),
    Why.FAULTY: (
        "in {folder} cannot be taken: {whose}",
        "mend that; until then they wait, and all others are taken",
    ),
    Why.EXCLUDED: (
        "of {directory}, which is excluded",
        "the next drain throws them away; `agentx exclude --list` shows what is excluded",
    ),
    Why.REFUSED: (
        "were moved aside: {folder}",
        "the faults below say why; move them to `new` to try again, or delete them",
    ),
}
