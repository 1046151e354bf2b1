"""What the parts of a driver share: the run, who is told, and when it is to stop."""

from __future__ import annotations

import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field

from agentx.kernel.limits import CLARIFY_TEXT_CHARS_MAX
from agentx.kernel.text import cut, preview
from agentx.operations.driving.asked import DriveNews, DriveRequest, NewsOf, Tell
from agentx.operations.runs.saying import Saying
from agentx.operations.runs.write import record_event
from agentx.project.project import Project
from agentx.runs.model import ORCHESTRATOR, Happening, Run, RunEvent
from agentx.runs.rules.draft import escalation_name
from agentx.wiring.bound.drives import Drive
from agentx.wiring.bound.lane_turns import push_branch
from agentx.wiring.runs import open_runs

_QUESTION_CHARS = CLARIFY_TEXT_CHARS_MAX
_OPTION_CHARS = 200
_MINUTE_MS = 60_000
_TURN_MS_MIN = 1_000


@dataclass(slots=True)
class DriveDesk:
    """A run that is driven."""

    project: Project
    run_id: str
    request: DriveRequest
    drive: Drive
    tell: Tell
    stop: threading.Event = field(default_factory=threading.Event)
    tried: tuple[str, ...] = ()  # what could not be put together, and why
    why: str = ""
    until_ms: int = sys.maxsize  # when the sitting is over
    remote: str = ""  # to which branches are pushed; none where nobody agreed to that

    @property
    def is_late(self) -> bool:
        """Whether the sitting is over."""
        return self.project.clock.now_ms() >= self.until_ms

    @property
    def turn_ms(self) -> int:
        """How long a turn that begins now may take."""
        left_ms = self.until_ms - self.project.clock.now_ms()
        return max(min(self.request.bounds.turn_minutes * _MINUTE_MS, left_ms), _TURN_MS_MIN)

    @property
    def run(self) -> Run:
        """Where it stands now."""
        return self.drive.run

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
        question = cut(question, _QUESTION_CHARS)
        detail = {"question": question, "blocking": True}
        detail |= {"options": [preview(each, _OPTION_CHARS) for each in options]} if options else {}
        by = Saying(run_id=self.run_id, task=task, lane=lane)
        told = record_event(self.project, by, "escalation-raised", detail)
        name = escalation_name(told.added[0].id)
        self.news(NewsOf.ASK, f"{name} asks you: {question}", task=task, lane=lane)
        self.news(NewsOf.ASK, f'answer it: agentx run escalate --resolve {name} "ANSWER"')
        return name

    def push(self, branch: str, *, task: str = "", lane: str = "") -> str:
        """Push a branch of the run, so that another machine can take it up; return why it was not
        possible, after saying so.

        Raises: DriveLost: who woke late pushes nothing.
        """
        if not self.remote:
            return ""
        self.drive.require()
        why = push_branch(self.project, self.remote, branch)
        if why:
            self.news(NewsOf.PUSH, f"{branch} was not pushed: {why}", task=task, lane=lane)
        return why

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
