"""Goal: killed at any point of a routed question, the answer arrives or the question is still open,
never both lost and claimed; and who asks once more gets it, once.

Method: a child routes a question to a scripted agent and is ended at its n-th operation on the
disk, for every n (in the suite some), until one comes through; then everything is looked at as the
next command would.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from agentx.clarification.model import ClarificationStatus, EntryType
from agentx.kernel.errors import IllegalTransition
from agentx.operations.questions import ask as clarify_ask
from agentx.operations.questions import read as clarify_read
from agentx.operations.questions.routing import Player, route
from agentx.project.project import Project
from agentx.wiring.clarifications import open_clarifications
from agentx.wiring.hub import open_issues
from agentx.wiring.work import open_agents
from agentx.work.model import AgentState, NewIssue
from tests.support.clarifying import project_at, request

ENDED = 9
OPERATIONS = ("open", "write", "fsync", "replace", "rename", "link", "unlink", "mkdir")
ANSWERS = {ClarificationStatus.ANSWERED: 1, ClarificationStatus.PENDING: 0}


def route_until(project: Project, known: str, script: Path, last: int) -> int:
    """Route in a child that ends at its n-th operation; return what it left with."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    done = 0

    def ending(operation: Any) -> Any:
        def act(*given: Any, **named: Any) -> Any:
            nonlocal done
            done += 1
            if done == last:
                os._exit(ENDED)
            return operation(*given, **named)

        return act

    try:
        for name in OPERATIONS:
            setattr(os, name, ending(getattr(os, name)))
        player = Player(runner="scripted", script=script)
        route(project, known, player=player, told=lambda _entry: None)
    except BaseException:
        os._exit(1)
    os._exit(0)


@pytest.mark.promise("clarify.killed")
def test_killed_on_its_way_the_answer_arrives_or_the_question_is_open(tmp_path: Path) -> None:
    assert kill_on_the_way(tmp_path, step=29) > 3


@pytest.mark.soak
@pytest.mark.timeout(1_800)
def test_killed_at_every_point_the_answer_arrives_or_the_question_is_open(tmp_path: Path) -> None:
    points = kill_on_the_way(tmp_path, step=1)
    print(f"killed at {points} points of a routed question")
    assert points > 100


def kill_on_the_way(tmp_path: Path, step: int) -> int:
    """Kill at every so many operations; return how often."""
    at = 1
    kept = {"answered": 0, "pending": 0}
    made = project_at(tmp_path / "first")
    open_issues(made).create(NewIssue(title="Login", labels=("type:feature",)))
    asked = clarify_ask.ask(made, request(issue=1), told=lambda _entry: None)
    script = tmp_path / "answers.json"
    script.write_text('[{"answer": "PostgreSQL."}]', encoding="utf-8")
    shutil.copytree(tmp_path / "first", tmp_path / "as-asked")
    while True:
        shutil.rmtree(tmp_path / "first")
        shutil.copytree(tmp_path / "as-asked", tmp_path / "first")
        left = route_until(made, asked.id, script, at)
        assert left in (0, ENDED), at
        clarify_read.active(made)  # as the next command
        found = open_clarifications(made).find(asked.id)
        answers = found.entries(EntryType.ANSWER)
        assert len(answers) == ANSWERS[found.status], (at, found.status)
        kept[str(found.status)] += 1
        asker = open_agents(made).get("engineer").state
        is_held = found.status is ClarificationStatus.PENDING
        assert (asker is AgentState.BLOCKED_CLARIFICATION) == is_held, at
        if left == 0:
            break
        try:
            player = Player(runner="scripted", script=script)
            found = route(made, asked.id, player=player, told=lambda _entry: None)
        except IllegalTransition:  # it was answered
            found = open_clarifications(made).find(asked.id)
        assert [entry.body for entry in found.entries(EntryType.ANSWER)] == ["PostgreSQL."], at
        at += step
    assert min(kept.values()) > 0, "killed before it was kept, and after"
    return sum(kept.values()) - 1
