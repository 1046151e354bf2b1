"""Goal: the table that lists are answered from says of every tool what is true of it.

Method: each row is held against the verb that it names, and what it writes out of other rooms
against those rooms; what the list costs is counted as the product counts tokens.
"""

from __future__ import annotations

import inspect
import json
import subprocess
import sys
from importlib import import_module

import pytest

from agentx.clarification import model as clarification
from agentx.kernel.tokens import estimate
from agentx.memory.found import KINDS
from agentx.observations.model import Category
from agentx.operations.runs.write import EVENT_TYPES
from agentx.project.toolsets import MEMORY, TOOLSETS
from agentx.runs.model import CANDIDATE_KINDS, CONFIDENCES
from agentx.surfaces.mcp.offered import tools
from agentx.surfaces.mcp.offered.prompts import PROMPTS, SlashCommand
from agentx.surfaces.mcp.offered.tools import TOOLS, Tool, list_tools
from agentx.surfaces.mcp.offered.words import INSTRUCTIONS
from agentx.surfaces.mcp.tools.run_acts import ACTS
from agentx.work.model import Status

ALWAYS = ("search", "timeline", "get", "recall", "remember")
# What lists are answered with must not have imported any of these.
HEAVY = ("agentx.kernel.text", "agentx.project.project", "asyncio", "dataclasses", "mcp", "pathlib")


def verb_of(row: Tool | SlashCommand) -> inspect.Signature:
    """Return how the verb of a row is called."""
    module, _, name = row.verb.partition(":")
    return inspect.signature(getattr(import_module(f"agentx.surfaces.mcp.tools.{module}"), name))


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda each: each.name)
def test_a_tool_takes_what_its_verb_takes_with_the_same_defaults(tool: Tool) -> None:
    _desk, *taken = verb_of(tool).parameters.values()

    assert [each.name for each in taken] == [each.name for each in tool.parameters]
    for verb, row in zip(taken, tool.parameters, strict=True):
        assert verb.kind is inspect.Parameter.KEYWORD_ONLY
        assert row.required is (verb.default is inspect.Parameter.empty)
        assert row.required or row.default == verb.default


@pytest.mark.parametrize("prompt", PROMPTS.values(), ids=lambda each: each.name)
def test_a_prompt_takes_what_its_verb_takes(prompt: SlashCommand) -> None:
    _desk, *taken = verb_of(prompt).parameters

    assert taken == [each.name for each in prompt.arguments]


def test_the_words_of_rooms_are_those_of_the_rooms() -> None:
    assert tools.KINDS == KINDS
    assert tuple(Category) == tools.CATEGORIES
    assert tools.CANDIDATES == CANDIDATE_KINDS
    assert tools.CONFIDENCES == CONFIDENCES
    assert tools.STANDINGS == clarification.STANDINGS
    assert tools.SURENESS == clarification.CONFIDENCES
    assert tuple(Status) == tools.STATUSES
    assert tuple(ACTS) == tools.RUN_ACTS
    assert {tool.toolset for tool in TOOLS.values()} == set(TOOLSETS)
    for kind in ("task-started", "decision-made", "checkpoint-made", "note"):
        assert kind in EVENT_TYPES
        assert kind in TOOLS["run_event"].about


@pytest.mark.promise("mcp.light")
def test_what_every_session_pays_for_is_five_tools_below_a_thousand_tokens() -> None:
    listed = list_tools(frozenset({MEMORY}))
    cost = estimate(json.dumps(listed, separators=(",", ":")))

    assert tuple(tool["name"] for tool in listed) == ALWAYS
    assert cost < 1_000
    assert estimate(INSTRUCTIONS) < 150
    assert len(INSTRUCTIONS) < 2_000, "Claude Code cuts there"


@pytest.mark.promise("mcp.light")
def test_who_works_on_a_run_pays_less_than_a_thousand_tokens_more() -> None:
    listed = list_tools(frozenset({"runs"}))

    assert len(listed) == 5
    assert estimate(json.dumps(listed, separators=(",", ":"))) < 1_000


def test_a_tool_says_of_itself_whether_it_only_reads() -> None:
    writing = {"remember", "ask", "answer", "issue_create", "issue_update", "run_event"}
    writing |= {"propose_lesson", "run_do"}
    for tool in list_tools(frozenset(TOOLSETS)):
        hints = tool["annotations"]
        assert hints["readOnlyHint"] is (tool["name"] not in writing)
        assert hints["openWorldHint"] is False
        assert "  " not in tool["description"]
        assert set(tool["inputSchema"]) <= {"type", "properties", "required"}


@pytest.mark.promise("mcp.light")
def test_the_lists_are_there_before_anything_heavy_is_imported() -> None:
    code = (
        "import sys, agentx.surfaces.mcp.__main__\n"
        "from agentx.surfaces.mcp.offered.tools import list_tools\n"
        "list_tools(frozenset({'memory'}))\n"
        "print(*sorted(sys.modules))"
    )
    ran = subprocess.run(
        [sys.executable, "-P", "-c", code],
        env={},  # what measures coverage would import on its own behalf
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    assert not set(ran.stdout.split()) & set(HEAVY)
