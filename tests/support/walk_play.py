"""A house in which an issue is carried along its workflow: git, a scripted model that plays roles.

The model goes by what it is told: which role it has, how many of its calls were answered.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from agentx.project.project import Project
from agentx.wiring.hub import open_issues
from agentx.work.model import Edit, Status
from tests.support.looping import LoopStage, staging, variables_for
from tests.support.scripted_llm import Asked, ScriptedLlm, Step, says
from tests.support.terminal import converse_in
from tests.support.zygote import zygote

WAIT_S = 200
_ROLE = re.compile(r"You are the ([A-Za-z ]+?)(?: on issue|\.)")


@dataclass(frozen=True)
class Told:
    """What a model was told at one time."""

    role: str
    text: str  # all of it
    answered: int  # calls that have an answer
    is_question: bool


Play = Callable[[Told], Step]


class PlayedRoles(ScriptedLlm):
    """A model that plays every role, each by a function."""

    roles: Mapping[str, Play]
    heard: list[Told]
    _minding = threading.Lock()

    def next_step(self, asked: Asked) -> Step:
        text = json.dumps(asked.body, ensure_ascii=False)
        found = _ROLE.search(text)
        told = Told(
            role=found[1].strip().lower().replace(" ", "-") if found else "",
            text=text,
            answered=text.count('"tool_result"'),
            is_question="## The question" in text,
        )
        with self._minding:
            self.heard.append(told)
            self.steps = [self.roles.get(told.role, _idle)(told)]
            return super().next_step(asked)


def _idle(_told: Told) -> Step:
    return says("Verdict: approved\n\nDone.")


@dataclass
class WalkStage:
    """One repository, and commands in it."""

    stage: LoopStage
    llm: PlayedRoles
    environment: dict[str, str]
    project: Project = field(init=False)

    def __post_init__(self) -> None:
        self.project = self.stage.project

    @property
    def root(self) -> Path:
        return self.stage.root

    def begin(self, *words: str) -> subprocess.Popen[str]:
        return subprocess.Popen(
            [sys.executable, "-m", "agentx.surfaces.cli.main", *words],
            cwd=self.root,
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL,
            text=True,
        )

    def run(self, *words: str) -> tuple[int, str, str]:
        done = zygote().run(list(words), cwd=self.root, env=self.environment, timeout_s=WAIT_S)
        return done.returncode, done.stdout, done.stderr

    def walk(self, *words: str) -> tuple[int, dict[str, Any], str]:
        """Carry issue 1 on; return the exit code, the reply, and what was told."""
        code, out, err = self.run(
            *("workflow", "run", "--issue", "1", "--runner", "loop", "--json", *words)
        )
        return code, json.loads(out), err

    def type(self, *words: str) -> tuple[int, str]:
        """Be a person at a terminal."""
        return converse_in(self.root, self.environment, words)

    def git(self, *words: str) -> str:
        done = subprocess.run(
            ["git", *words], cwd=self.root, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def events(self) -> list[dict[str, Any]]:
        path = self.project.store.walks / "1.jsonl"
        return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


@contextmanager
def walking(
    folder: Path,
    roles: Mapping[str, Play],
    *labels: str,
    git: bool = True,
    **variables: str,
) -> Iterator[WalkStage]:
    """Lend a stage on a branch of its own: a story that is ready, or what labels make of it."""
    with staging(folder, git=git, clock=False) as stage:
        llm = stage.llm
        llm.__class__ = PlayedRoles
        assert isinstance(llm, PlayedRoles)
        llm.roles, llm.heard = roles, []
        asked = Edit(
            status=Status.BACKLOG,
            add_labels=labels,
            remove_labels=("type:story",) if labels else (),
        )
        open_issues(stage.project).edit(1, asked if labels else Edit())
        made = WalkStage(stage, llm, variables_for(folder, llm.url, **variables))
        if git:
            made.git("config", "user.name", "Dev")
            made.git("config", "user.email", "dev@example.org")
            (stage.root / ".gitignore").write_text("__pycache__/\n.agentx/\n", encoding="utf-8")
            made.git("add", "--all")
            made.git("commit", "-q", "-m", "begin")
            made.git("branch", "-M", "main")
            made.git("switch", "-q", "-c", "issue-1")
        yield made
