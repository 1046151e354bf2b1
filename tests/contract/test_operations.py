"""Goal: one list names every verb, and says truly where each of them stands.

Method: the list is held against the command line, the MCP server and the gRPC service as they
are built, both ways, and against the page that is made from it.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import click
import pytest

from agentx.memory.wire._generated import memory_pb2
from agentx.operations.table import OPERATIONS, Operation
from agentx.surfaces.cli.root import agentx
from agentx.surfaces.mcp.offered.prompts import PROMPTS
from agentx.surfaces.mcp.offered.tools import TOOLS

REPOSITORY = Path(__file__).resolve().parents[2]


def commands(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yield every command that can be called, as it is typed."""
    if path and group.invoke_without_command:
        yield " ".join(path)
    context = click.Context(group)
    for name in group.list_commands(context):
        found = group.get_command(context, name)
        if isinstance(found, click.Group):
            yield from commands(found, (*path, name))
        else:
            yield " ".join((*path, name))


@pytest.mark.parametrize("operation", OPERATIONS, ids=lambda each: each.name)
def test_every_verb_of_the_list_is_there_and_says_what_it_does(operation: Operation) -> None:
    module, _, path = operation.verb.partition(":")

    found: object = import_module(f"agentx.{module}")
    for name in path.split("."):
        found = getattr(found, name)

    assert found.__doc__
    assert any((operation.cli, operation.mcp, operation.grpc, operation.hook, operation.page))


def test_no_operation_is_named_twice() -> None:
    for names in ((each.name for each in OPERATIONS), (each.verb for each in OPERATIONS)):
        assert [name for name, count in Counter(names).items() if count > 1] == []


def test_the_list_names_every_command_and_no_other() -> None:
    assert {name for each in OPERATIONS for name in each.cli} == set(commands(agentx))


def test_the_list_names_every_tool_and_prompt_and_no_other() -> None:
    assert {name for each in OPERATIONS for name in each.mcp} == {*TOOLS, *PROMPTS}


def test_the_list_names_every_call_of_the_service_and_no_other() -> None:
    service = memory_pb2.DESCRIPTOR.services_by_name["MemoryService"]

    assert {name for each in OPERATIONS for name in each.grpc} == {
        method.name for method in service.methods
    }


def test_reading_the_list_imports_none_of_the_verbs() -> None:
    told = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys, agentx.operations.table; print(*sorted(sys.modules))",
        ],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )

    ours = {name for name in told.stdout.split() if name.startswith("agentx.")}
    above = {name for name in ours if not name.startswith("agentx.kernel")}
    assert above == {"agentx.operations", "agentx.operations.table"}


def test_the_page_of_operations_is_made_from_the_list() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "scripts.operations_page", "--check"],
        cwd=REPOSITORY,
        capture_output=True,
        text=True,
        timeout=60,
    )

    assert done.returncode == 0, done.stderr
