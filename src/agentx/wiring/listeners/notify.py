"""Tell the person that something waits for them, by a command of theirs (`notify.command`).

The command is split as a shell would and run without one; what is told is its last argument, so
nothing that an agent wrote is ever read as a command or as an option. Nobody waits for it. One that
cannot be run is noted in the log, and said by who asks and by `doctor`: the question waits in the
inbox all the same.
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
from agentx.kernel.errors import AgentXError, InvalidValue, NotFound
from agentx.kernel.text import fold_text, preview, printable
from agentx.project.project import Project
from agentx.project.settings import NotifySettings
from agentx.runs.asked import Escalation
from agentx.wiring.listeners.happenings import tell_news

_TOPIC_CHARS_MAX = 120
_PROGRAM_CHARS_MAX = 80
_MEND = "agentx config set --user notify.command COMMAND, or unset it"


def notify(project: Project, event: ClarificationEvent) -> None:
    """Run the user's command, if one is set, where an event leaves something for a person to do."""
    if _is_for_person(event):
        _run(project, say_notice(project.root.name, event), clarificationId=event.clarification_id)


def notify_of_run(project: Project, asked: Escalation) -> None:
    """Run the user's command, if one is set, where a run asks a person something."""
    question = preview(printable(fold_text(asked.question)), _TOPIC_CHARS_MAX)
    waits = "waits for your decision" if asked.blocking else "asks for your decision"
    where = f"{asked.id} in {printable(project.root.name)}"
    notice = f"AgentX: {asked.actor} {waits} on {question} ({where}). agentx clarify inbox"
    _run(project, notice, escalationId=asked.id)


def _run(project: Project, notice: str, **about: str) -> None:
    """Run the user's command, if one is set, with what they are told; nobody waits for it."""
    try:
        command = check_command(project)
        if not command:
            return
        begin_apart(
            (*command, notice),
            folder=project.environment.homes.home,
            environment=project.environment.variables,
        )
        at = project.clock.now_ms()
        tell_news(
            project,
            ChannelMessage(timestamp=at, channel_id="notify", direction="out", content=notice),
        )
    except (OSError, AgentXError) as error:
        message = error.message if isinstance(error, AgentXError) else f"notify.command: {error}"
        project.log.record("warning", "notify", message=message, **about)


def check_command(project: Project) -> tuple[str, ...]:
    """Return the user's command with its program as it is found here; nothing where none is set.

    Raises: InvalidValue for what is no command, NotFound for a program that is not there.
    """
    said = project.config.section(NotifySettings).command.strip()
    try:
        command = tuple(shlex.split(said))
    except ValueError as error:
        raise InvalidValue(f"notify.command is no command: {error}", hint=_MEND) from error
    if not command:
        return ()
    found = shutil.which(command[0], path=project.environment.search_path)
    if found is None:
        missing = printable(preview(command[0], _PROGRAM_CHARS_MAX))
        raise NotFound(f"notify.command: there is no program {missing!r} here", hint=_MEND)
    return (found, *command[1:])


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
