"""Memory follows the ledgers: whoever looks at it has it take first what questions came to since.

A pull brings a colleague's decision, and `agentx trust` makes one count, while nobody keeps it.
What is said here is kept when it is said: a look reads no ledger where others said nothing new.
"""

from __future__ import annotations

from contextlib import closing

from agentx.host.files.plain import is_folder
from agentx.kernel.errors import AgentXError
from agentx.observations.settings import MemorySettings
from agentx.project.project import Project
from agentx.wiring.kept.looked_at import LOOKS, look_at_others, read_note


def follow_ledgers(project: Project) -> None:
    """Keep what questions came to before memory is told; what cannot be kept now is kept later."""
    try:
        if _is_behind(project):
            from agentx.wiring.kept.decided import keep_decisions  # noqa: PLC0415  few looks find news

            keep_decisions(project)
    except AgentXError as error:
        project.log.record("warning", "decisions-left-out", message=error.message)


def _is_behind(project: Project) -> bool:
    if not (project.trust.has_data and any(map(is_folder, project.asked))):
        return False
    if not project.config.section(MemorySettings).enabled:
        return False
    note = read_note(project)
    if note.looks and note.by != LOOKS and _has_cut(project):
        return True
    now = look_at_others(project)
    return any(note.others.get(issue) != each for issue, each in now.items())


def _has_cut(project: Project) -> bool:
    """Tell whether memory has what an earlier version kept without what was asked: too long."""
    from agentx.observations.labels import read_asked  # noqa: PLC0415  once, after an upgrade
    from agentx.wiring.observations import open_vouched  # noqa: PLC0415  as above
    from agentx.wiring.vouched.outcomes import find_question  # noqa: PLC0415  as above

    with closing(open_vouched(project)) as store:
        named = (one for one in store.plain.everything() if find_question(one))
        return any(not (one.mended_ms or read_asked(one.content)) for one in named)
