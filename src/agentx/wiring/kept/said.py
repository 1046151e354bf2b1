"""What people told memory themselves, in its place again where a file lost or changed it."""

from __future__ import annotations

from contextlib import closing

from agentx.host.files.plain import look
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.wiring.observations import open_vouched, prepare_observations


def keep_said(project: Project) -> int:
    """Bring back what is not there as a person had it kept; return how many.

    What a person took away stays away.

    Raises: LockHeld, UnavailableError.
    """
    is_kept = project.trust.has_data and project.config.section(MemorySettings).enabled
    if not is_kept or look(project.store.persons) is None:
        return 0
    with closing(open_vouched(project)) as store:
        missing = store.list_missing()
        if missing:
            prepare_observations(project)
        back = [each for each in missing if store.bring_back_said(each)]
        store.keep_words()
    if back:
        project.log.record("warning", "memory-brought-back", ids=back)
    return len(back)


def leave_unsaid(project: Project) -> None:
    """Note that a person had memory replaced by one that has not all they had told it.

    Raises: LockHeld, UnavailableError.
    """
    if look(project.store.persons) is None:
        return
    with closing(open_vouched(project)) as store:
        missing = store.list_missing()
        there = {one.id for one in store.plain.get_by_ids(missing)}
        store.leave_away(each for each in missing if each not in there)
