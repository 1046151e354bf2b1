"""A project in which the loop works, with a scripted model on the loopback."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from agentx.operations.agents.assignment import RunReply, RunRequest
from agentx.operations.agents.loop import ResumeRequest, resume_loop
from agentx.operations.agents.run import run_agent
from agentx.project.config import read_environment
from agentx.project.project import Project, open_project
from agentx.wiring.hub import open_issues
from agentx.wiring.memory import open_store
from agentx.work.model import Edit, NewIssue, Status
from tests.support.scripted_llm import KEY, ScriptedLlm, Step
from tests.support.time_and_chance import FakeClock
from tests.support.trusting import trusted

KEYS = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY")
PATH = "/usr/local/bin:/usr/bin:/bin"


def variables_for(home: Path, url: str, **more: str) -> dict[str, str]:
    """Return an environment in which the loop has a model at an address."""
    return {
        "HOME": str(home),
        "PATH": PATH,
        "AGENTX_LLM_PROVIDER": "anthropic",
        "AGENTX_LLM_BASE_URL": url,
        "AGENTX_LLM_DAILY_USD_MAX": "100",
        "AGENTX_LLM_DAILY_TOKENS_MAX": "100000000",
        "AGENTX_AGENTS_COMMANDS": "python3 check.py, echo, sleep",
        **dict.fromkeys(KEYS, KEY),
        **more,
    }


@dataclass
class LoopStage:
    """One project, its model, and what a person saw."""

    project: Project
    llm: ScriptedLlm
    seen: list[str] = field(default_factory=list)

    @property
    def root(self) -> Path:
        return self.project.root

    def script(self, *steps: Step) -> None:
        self.llm.steps = list(steps)

    def run(self, **more: Any) -> RunReply:
        request = RunRequest(role="engineer", issue=1, runner="loop", **more)
        return run_agent(self.project, request, self._memory, self.seen.append)

    def resume(self, session: str = "", said: str = "", **more: Any) -> RunReply:
        request = ResumeRequest(session_id=session, said=said, **more)
        return resume_loop(self.project, request, self._memory, self.seen.append)

    def saved(self) -> dict[str, Any]:
        (path,) = (self.root / ".agentx" / "sessions").glob("*.json")
        found: dict[str, Any] = json.loads(path.read_text("utf-8"))
        return found

    def heard(self, turn: int = -1) -> str:
        """Return what the model was sent."""
        return json.dumps(self.llm.asked[turn].body, ensure_ascii=False)

    def _memory(self) -> Any:
        return open_store(self.project)


@contextmanager
def staging(
    folder: Path,
    *steps: Step,
    said: bool = True,
    clock: bool = True,
    git: bool = False,
    **variables: Any,
) -> Iterator[LoopStage]:
    """Lend a stage with an issue that is ready."""
    root = folder / "shop"
    (root / ".agentx").mkdir(parents=True)
    (root / "app.py").write_text("def add(a, b):\n    return a - b\n", encoding="utf-8")
    if git:
        subprocess.run(["git", "init", "-q", str(root)], check=True)
    llm = ScriptedLlm(*steps)
    with llm.serving():
        environment = read_environment(variables_for(folder, llm.url, **variables))
        project = open_project(root, environment)
        if clock:
            project = replace(project, clock=FakeClock())
        project = trusted(project) if said else project
        issues = open_issues(project)
        issues.create(NewIssue(title="Mend add", body="It subtracts.", labels=("type:story",)))
        issues.edit(1, Edit(status=Status.READY))
        yield LoopStage(project, llm)
