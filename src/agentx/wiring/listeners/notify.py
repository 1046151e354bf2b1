"""Tell the person that something waits for them, by a command of theirs (`notify.command`).

The command is split as a shell would and run without one; what is told is its last argument, so
nothing that an agent wrote is ever read as a command or as an option. Nobody waits for it, and one
that cannot be run is noted in the log: the question waits in the inbox all the same.
"""

from __future__ import annotations

import shlex
import shutil

from agentx.agents.happenings import ChannelMessage
from agentx.clarification.events import (
    ClarificationEscalated,
    ClarificationEvent,
    ClarificationRequested,
)
from agentx.clarification.model import ASKER_GOES_ON, PERSON, ClarificationStatus
from agentx.host.program import begin_apart
from agentx.kernel.text import fold_text, preview, printable
from agentx.project.project import Project
from agentx.project.settings import NotifySettings
from agentx.wiring.listeners.happenings import tell_news

_TOPIC_CHARS_MAX = 120


def notify(project: Project, event: ClarificationEvent) -> None:
    """Run the user's command, if one is set, where an event leaves something for a person to do."""
    command = project.config.section(NotifySettings).command.strip()
    if not command or not _is_for_person(event):
        return
    try:
        program, *arguments = shlex.split(command)
        found = shutil.which(program, path=project.environment.search_path)
        if found is None:
            raise FileNotFoundError(f"no `{program}` on the PATH")
        notice = say_notice(project.root.name, event)
        begin_apart(
            (found, *arguments, notice),
            folder=project.environment.homes.home,
            environment=project.environment.variables,
        )
        at = project.clock.now_ms()
        tell_news(
            project,
            ChannelMessage(timestamp=at, channel_id="notify", direction="out", content=notice),
        )
    except (OSError, ValueError) as error:
        message = f"notify.command: {error}"
        project.log.record(
            "warning", "notify", clarificationId=event.clarification_id, message=message
        )


def say_notice(project_name: str, event: ClarificationEvent) -> str:
    """Return what the person is told, in one line that begins with our own words."""
    topic = preview(printable(fold_text(event.topic)), _TOPIC_CHARS_MAX)
    goes_on = isinstance(event, ClarificationEscalated) and event.reason in ASKER_GOES_ON
    is_held = event.blocking and not goes_on
    waits = "waits for your decision" if is_held else "asks for your decision"
    where = f"{event.clarification_id} in {printable(project_name)}"
    return f"AgentX: {event.asker} {waits} on {topic} ({where}). agentx clarify inbox"


def _is_for_person(event: ClarificationEvent) -> bool:
    if isinstance(event, ClarificationEscalated):
        return event.status == ClarificationStatus.ESCALATED  # else a person settled it at once
    return isinstance(event, ClarificationRequested) and event.to == PERSON
