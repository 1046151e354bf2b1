"""What lies in the spools and why: every record of every one, also of those that stand in."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from agentx.capture.spool import SpoolGroup, Why
from agentx.kernel.values import frozen
from agentx.project.project import Project
from agentx.project.settlement import adopt
from agentx.wiring.spool import open_spool

# What is not taken unless a person does something.
STUCK = frozenset({Why.HOME_GONE, Why.DIRECTORY_GONE, Why.FAULTY, Why.REFUSED})
_EXAMPLES_SHOWN = 3


@frozen
class WaitingRecords:
    """Records that wait for one reason, in words."""

    why: Why
    records: int
    says: str
    mend: str
    where: str = ""  # what is different about them among those of the same reason

    @property
    def is_stuck(self) -> bool:
        """Whether nobody takes them unless a person does something."""
        return self.why in STUCK


def list_waiting(project: Project) -> tuple[WaitingRecords, ...]:
    """Say of every record in every spool why it lies there; what is alike is told together."""
    told: dict[tuple[Why, str, str, str], int] = {}
    for group in open_spool(project).survey():
        says, mend, where = _explain(group)
        alike = (group.why, says, mend, where)
        told[alike] = told.get(alike, 0) + group.records
    order = list(Why)
    return tuple(
        WaitingRecords(why=why, records=records, says=says, mend=mend, where=where)
        for (why, says, mend, where), records in sorted(
            told.items(), key=lambda item: (order.index(item[0][0]), item[0][1])
        )
    )


def sum_up(waiting: Iterable[WaitingRecords]) -> tuple[WaitingRecords, ...]:
    """Tell what waits for one reason in one line, with a few examples, however many there are."""
    summed: list[WaitingRecords] = []
    for why, alike in groupby(waiting, key=lambda one: one.why):
        group = list(alike)
        if len(group) == 1:
            summed += group
            continue
        shown = ", ".join(one.where for one in group[:_EXAMPLES_SHOWN])
        more = f" and {len(group) - _EXAMPLES_SHOWN:,} more" if group[_EXAMPLES_SHOWN:] else ""
        says, mend = _WORDS_FOR_MANY[why]
        summed.append(
            WaitingRecords(
                why=why,
                records=sum(one.records for one in group),
                says=f"{says.format(count=f'{len(group):,}')}: {shown}{more}",
                mend=mend,
            )
        )
    return tuple(summed)


def adopt_waiting(project: Project, path: str) -> None:
    """Let what waits for a folder that is gone belong to this project.

    Raises: InvalidValue when the folder is there, NotFound when nothing waits for it.
    """
    adopt(project, path)


def _explain(group: SpoolGroup) -> tuple[str, ...]:
    told = {"whose": group.says, "directory": group.directory, "folder": group.folder}
    return tuple(words.format(**told) for words in _WORDS[group.why])


# Of each reason: what is said, what is to be done, and what tells one from the other.
_WORDS = {
    Why.NEXT: ("waiting to be taken", "`agentx sync` takes them", ""),
    Why.OTHER_PROJECT: (
        "of the project {whose}",
        "`agentx sync --project {directory}` takes them, or its daemon",
        "{whose}",
    ),
    Why.OTHER_HOME: (
        "of another home: they were written for {whose}",
        "`agentx sync` takes them there",
        "{whose}",
    ),
    Why.HOME_GONE: (
        "written for {whose}, which is not there",
        "`agentx sync --adopt {whose}`, if it was moved here",
        "{whose}",
    ),
    Why.DIRECTORY_GONE: (
        "of {directory}, which is gone",
        "`agentx sync --adopt {directory}`, in the project it belonged to",
        "{directory}",
    ),
    Why.FAULTY: (
        "in {folder} cannot be taken: {whose}",
        "mend that; until then they wait, and all others are taken",
        "{folder} ({whose})",
    ),
    Why.EXCLUDED: (
        "of {directory}, which is excluded",
        "the next drain throws them away; `agentx exclude --list` shows what is excluded",
        "{directory}",
    ),
    Why.REFUSED: (
        "were moved aside: {folder}",
        "the faults below say why; move them to `new` to try again, or delete them",
        "{folder}",
    ),
}
_ALL = "; `agentx status --json` lists them all"
_WORDS_FOR_MANY = {
    Why.NEXT: ("waiting to be taken", "`agentx sync` takes them"),
    Why.OTHER_PROJECT: (
        "of {count} other projects",
        f"`agentx sync --project DIRECTORY` takes them, or their daemons{_ALL}",
    ),
    Why.OTHER_HOME: ("of {count} other homes", f"`agentx sync` takes them there{_ALL}"),
    Why.HOME_GONE: (
        "written for {count} homes that are not there",
        f"`agentx sync --adopt HOME` for one that was moved here{_ALL}",
    ),
    Why.DIRECTORY_GONE: (
        "of {count} folders that are gone",
        f"`agentx sync --adopt FOLDER`, in the project it belonged to{_ALL}",
    ),
    Why.FAULTY: (
        "in {count} folders cannot be taken",
        f"mend that; until then they wait, and all others are taken{_ALL}",
    ),
    Why.EXCLUDED: (
        "of {count} folders that are excluded",
        "the next drain throws them away; `agentx exclude --list` shows what is excluded",
    ),
    Why.REFUSED: (
        "were moved aside in {count} folders",
        f"the faults say why; move them to `new` to try again, or delete them{_ALL}",
    ),
}
