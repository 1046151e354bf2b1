"""What the parts of a driver share: the run, who is told, and when it is to stop."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from agentx.operations.driving.asked import DriveNews, DriveRequest, NewsOf, Tell
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event
from agentx.project.project import Project
from agentx.runs.model import ORCHESTRATOR, Happening, Run, RunEvent
from agentx.wiring.bound.drives import Drive
from agentx.wiring.runs import open_runs


@dataclass(slots=True)
class DriveDesk:
    """A run that is driven."""

    project: Project
    run_id: str
    request: DriveRequest
    drive: Drive
    tell: Tell
    stop: threading.Event = field(default_factory=threading.Event)
    remote: str = ""  # to which branches are pushed; none where nobody agreed to that

    @property
    def run(self) -> Run:
        """Where it stands now."""
        return open_runs(self.project).run(self.run_id)[0]

    def say(
        self, kind: str, detail: Mapping[str, object], *, task: str = "", lane: str = ""
    ) -> RunEvent:
        """Record what the driver did."""
        said = Happening(kind=kind, actor=ORCHESTRATOR, task=task, lane=lane, detail=detail)
        return open_runs(self.project).say(self.run_id, said).added[0]

    def ask(
        self, question: str, *, task: str = "", lane: str = "", options: tuple[str, ...] = ()
    ) -> str:
        """Ask a person; return how the question is called."""
        before = set(self.run.escalations)
        detail = {"question": question, "blocking": True}
        detail |= {"options": list(options)} if options else {}
        by = Saying(run_id=self.run_id, task=task, lane=lane)
        told = record_event(self.project, by, "escalation-raised", detail)
        name = next((each for each in told.run.escalations if each not in before), "")
        self.news(NewsOf.ASK, f"{name} asks you: {question}", task=task, lane=lane)
        self.news(NewsOf.ASK, f'answer it: agentx run escalate --resolve {name} "ANSWER"')
        return name

    def news(
        self,
        doing: NewsOf,
        text: str,
        *,
        task: str = "",
        lane: str = "",
        runner: str = "",
        tokens: int = 0,
        usd: float = 0.0,
    ) -> None:
        """Say what happens."""
        at_ms = self.project.clock.now_ms()
        self.tell(
            DriveNews(
                at_ms=at_ms,
                doing=doing,
                text=text,
                task=task,
                lane=lane,
                runner=runner,
                tokens=tokens,
                usd=usd,
            )
        )
