"""What changes when other memories are borne out."""

from __future__ import annotations

from agentx.host.files.plain import is_folder
from agentx.kernel.errors import AgentXError
from agentx.kernel.ids import digest
from agentx.project.project import Project


def stamp_ledgers(project: Project) -> str:
    """Return what changes when other memories are borne out; nothing where nobody asked."""
    if not any(map(is_folder, project.asked)):
        return ""
    from agentx.clarification.store.files.stamps import list_stamps  # noqa: PLC0415  somebody asked something
    from agentx.wiring.trust.keys import open_keyring  # noqa: PLC0415  as above

    try:
        ledgers = [f"{each.issue} {each}" for each in list_stamps(project.paths)]
    except AgentXError:
        return ""
    return digest(open_keyring(project).stamp(), *ledgers).hex()
