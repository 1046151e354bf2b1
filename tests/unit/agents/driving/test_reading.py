"""Goal: a plan and a report are read as they were meant, and what cannot be is said."""

from __future__ import annotations

import json

import pytest

from agentx.agents.driving.plan import PLAN_TASKS_MAX, read_plan, read_plan_text
from agentx.agents.driving.report import read_report
from agentx.agents.driving.surroundings import choose_variables
from agentx.kernel.capture import Harness
from agentx.kernel.errors import InvalidValue


def _plan(*tasks: dict[str, object]) -> str:
    return f"I looked.\n```json\n{json.dumps({'tasks': tasks})}\n```\nThat is all."


def test_the_last_plan_in_a_text_counts_and_its_tasks_come_after_what_they_wait_for() -> None:
    text = _plan({"title": "the form"}) + _plan(
        {"id": "b", "title": "second", "depends_on": ["a"]}, {"id": "a", "title": "first"}
    )

    assert [task.id for task in read_plan_text(text)] == ["a", "b"]


@pytest.mark.parametrize(
    ("tasks", "says"),
    [
        ([], "needs tasks"),
        ([{"id": "a"}], "task 1 of the plan needs a title"),
        ([{"title": "x", "run": "rm"}], "task 1 of the plan has 'run'"),
        ([{"id": "a", "title": "x", "depends_on": ["z"]}], "waits for 'z', which is no task"),
        ([{"id": "a", "title": "x"}, {"id": "a", "title": "y"}], "are called 'a'"),
        (
            [
                {"id": "a", "title": "x", "depends_on": ["b"]},
                {"id": "b", "title": "y", "depends_on": ["a"]},
            ],
            "wait in a circle: a, b",
        ),
        ([{"title": f"t{number}"} for number in range(PLAN_TASKS_MAX + 1)], "too many"),
        ([{"title": "x", "checks": {"a": 1}}], "checks is no list"),
        (["x"], "task 1 of the plan is no object"),
    ],
)
def test_a_plan_that_cannot_be_says_why(tasks: list[object], says: str) -> None:
    with pytest.raises(InvalidValue, match=says):
        read_plan({"tasks": tasks})


@pytest.mark.parametrize("text", ["", "no plan", "{", "```json\n[1]\n```", "{" * 10_000])
def test_a_text_without_a_plan_says_so(text: str) -> None:
    with pytest.raises(InvalidValue, match="there is no plan in it"):
        read_plan_text(text)


def test_a_report_says_what_was_done_and_learnt() -> None:
    found = read_report(
        "I began.\n**STATUS:** done\nSUMMARY: wrote it\nin two files\nLEARNT:\n"
        "- pattern: one file a verb\n- errors: it fails on CI\n- nothing special\n- none"
    )

    assert found.is_done
    assert found.summary == "wrote it\nin two files"
    assert [(each.kind, each.text) for each in found.learnt] == [
        ("pattern", "one file a verb"),
        ("error-pattern", "it fails on CI"),
        ("learning", "nothing special"),
    ]


def test_a_question_is_one_only_where_it_asks_something() -> None:
    asks = read_report("STATUS: question\nQUESTION: Which?\nOPTIONS:\n- a\n- b")
    assert (asks.is_done, asks.question, asks.options) == (False, "Which?", ("a", "b"))
    assert read_report("STATUS: question\nQUESTION: none").is_done
    assert read_report("STATUS: done\nQUESTION: (not used)").is_done
    assert read_report("I did it all.").summary == "I did it all."


def test_an_agent_is_given_the_keys_of_its_own_model_and_no_others() -> None:
    told = {
        "PATH": "/bin",
        "HOME": "/h",
        "LC_ALL": "C",
        "ANTHROPIC_API_KEY": "a",
        "OPENAI_API_KEY": "o",
        "GITHUB_TOKEN": "g",
        "SSH_AUTH_SOCK": "s",
        "AWS_SECRET": "w",
        "GIT_DIR": "/elsewhere",
        "MY_KEY": "m",
    }
    found = choose_variables(told, Harness.CLAUDE_CODE, "MY_KEY, OTHER")
    kept = {name for name in found if not name.startswith("GIT_")}

    assert kept == {"PATH", "HOME", "LC_ALL", "ANTHROPIC_API_KEY", "MY_KEY"}
    assert "GIT_DIR" not in found
    assert "AWS_SECRET" in choose_variables(
        {**told, "CLAUDE_CODE_USE_BEDROCK": "1"}, Harness.CLAUDE_CODE
    )
    assert "OPENAI_API_KEY" in choose_variables(told, Harness.CODEX)
