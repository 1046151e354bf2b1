"""Goal: an error tells an agent of tools, and the user of commands."""

from __future__ import annotations

import pytest

from agentx.surfaces.mcp.hints import speak_hint


@pytest.mark.parametrize(
    ("hint", "said"),
    [
        ("see `agentx memory list`", "see `observations`"),
        ("`agentx toc NODE` shows grips", "`timeline` shows grips"),
        ("`agentx events --json` shows ids", "`timeline` shows ids"),
        (
            "they look like CLR-42-001; `agentx clarify` lists the active ones",
            "they look like CLR-42-001; `inbox` lists the active ones",
        ),
        (
            "agentx clarify resolve CLR-1-001 TEXT",
            "for the user: agentx clarify resolve CLR-1-001 TEXT",
        ),
        (
            "engineer asks again: agentx clarify ask --issue 1 --to architect",
            "engineer asks again: ask with issue 1 to architect",
        ),
        (
            "`agentx run task list` shows them; name one with --task",
            "`run_status` shows them; name one with task",
        ),
        (
            "`agentx run event --type run-reopened` takes it up again",
            "`run_event with type run-reopened` takes it up again",
        ),
        (
            '`agentx run start "TITLE"` begins one; `--run` names one',
            "`run_do with action start` begins one; `run` names one",
        ),
        (
            "`agentx run task list` shows them, `agentx run task add TITLE` makes one",
            "`run_status` shows them, `run_do with action add-task, title` makes one",
        ),
        (
            'agentx run task add "TITLE" --run y8mm',
            "run_do with action add-task, title run y8mm",
        ),
        ("`agentx run lane open` makes it", "`run_do with action open-lane` makes it"),
        (
            "`agentx run lane open --task TASK-001 --run q3qx` makes it",
            "`run_do with action open-lane, task TASK-001 run q3qx` makes it",
        ),
        (
            "merge it first: agentx run lane merge lane-001-6aff",
            "merge it first: run_do with action finish-lane, merge, lane lane-001-6aff",
        ),
        ("agentx run task take TASK-001", "run_do with action take, task TASK-001"),
        ("say who found it out with --agent ROLE", "say who found it out with agent"),
        ("remove one of them first: --remove-label a", "remove one of them first: remove_label a"),
        ("run `agentx doctor`", "for the user: run `agentx doctor`"),
        (
            "agentx config set --user search.all_projects true",
            "for the user: agentx config set --user search.all_projects true",
        ),
        ("use 2026-03-02 or 7d", "use 2026-03-02 or 7d"),
    ],
)
def test_a_command_is_the_tool_that_does_the_same_or_the_users(hint: str, said: str) -> None:
    assert speak_hint(hint) == said
