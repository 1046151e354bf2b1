"""What people and agents need to ask each other: names, a key, a command, who looks after it."""

from __future__ import annotations

from collections.abc import Iterator

from agentx.kernel.errors import AgentXError
from agentx.operations.questions.held import HOLDS, WRITES_BACK, tell_missing, tell_unheld
from agentx.operations.setup.writers import say_lost_key
from agentx.operations.upkeep.health import Health, HealthCheck
from agentx.project.project import Project
from agentx.wiring.listeners.notify import check_command
from agentx.wiring.runners import role_texts
from agentx.wiring.trust.persons_word import require_person


def require_person_to_pause(project: Project, job: str) -> None:
    """Refuse an agent that would stop what looks after questions and memory by itself.

    Raises: NotThePerson.
    """
    what, hint = f"that the job {job} runs no more", f"agentx scheduler pause {job}"
    require_person(project, what, hint=hint, about=job)


def require_person_out(project: Project, what: str, words: str) -> None:
    """Refuse an agent that would take a part of AgentX out.

    Raises: NotThePerson.
    """
    require_person(project, f"that {what}", hint=f"agentx {words}", about="uninstall")


def check_people(project: Project) -> Iterator[HealthCheck]:
    """Yield what keeps people's words from arriving, or agents' from being taken for theirs."""
    for path in role_texts(project).list_refused():
        yield HealthCheck(
            name="roles",
            health=Health.WRONG,
            says=f"{path} is not used: no project has a role called {path.stem}",
            mend="rename the file, and the role in workflows",
        )
    lost, _, mend = say_lost_key(project).partition("; ")
    if lost:
        yield HealthCheck(name="key", health=Health.WRONG, says=lost, mend=mend)
    missing = tell_missing(project)
    if missing:
        yield HealthCheck(name="questions", health=Health.NOTE, says=missing, mend=WRITES_BACK)
    unheld = tell_unheld(project)
    if unheld:
        yield HealthCheck(name="questions", health=Health.WRONG, says=unheld, mend=HOLDS)
    try:
        check_command(project)
    except AgentXError as error:
        yield HealthCheck(name="notify", health=Health.WRONG, says=error.message, mend=error.hint)
