"""To answer what a run asks as one was shown it just then, and nothing that it asks since."""

from __future__ import annotations

from agentx.kernel.errors import StaleVersion
from agentx.operations.runs.read import RunOverview
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event
from agentx.project.project import Project
from agentx.project.roles.caller import WhoCalls
from agentx.wiring.runs import find_shown_asks


def answer_asked(
    project: Project, run: RunOverview, name: str, text: str, *, shown: str, caller: WhoCalls
) -> None:
    """Answer as a person what a run asks, where it is what they were `shown` (its digest).

    Raises: StaleVersion where it asks otherwise by now, or waits no more; and as `record_event`.
    """
    asked = next((one for one in run.blockers if one.id == name), None)
    if asked is None:
        raise StaleVersion(f"{name} waits for nobody any more", hint="this is where the run stands")
    if asked.digest != shown:
        raise StaleVersion(f"{name} asks otherwise than you were shown", hint="it asks this now")
    find_shown_asks(project).note_told(((run.run_id, asked),))
    detail = {"escalation": name, "resolution": text}
    record_event(project, Saying(run_id=run.run_id), "escalation-resolved", detail, caller=caller)
