"""`agentx mcp`: become the MCP server.

The server is a surface of its own, with imports that cost a second, so this process does
not import it: it turns into it.
"""

from __future__ import annotations

import os
import sys

import click

from agentx.surfaces.cli.frame import Invocation, Verb


@click.command(cls=Verb)
@click.option(
    "--tools",
    default="",
    metavar="LIST",
    help="Toolsets to list: proofs, questions, issues, runs, with commas; all; memory; auto.",
)
@click.pass_obj
def command(invocation: Invocation, tools: str) -> None:
    """Let an agent ask its memory: an MCP server on stdin and stdout.

    Agent CLIs start it by themselves once `agentx init` or `agentx setup` has told them to. It
    lists search, timeline, get, recall and remember, and more where the project uses it: a role,
    an open question or run, issues.
    """
    chosen = []
    if tools:
        from agentx.project.setting_rows import check_toolsets

        chosen = ["--tools", check_toolsets(tools)]
    # -P: a project's own modules must not stand in for ours.
    words = [sys.executable, "-P", "-m", "agentx.surfaces.mcp", *chosen, *_folder(invocation)]
    os.execv(sys.executable, words)  # noqa: S606  the same interpreter, no shell


def _folder(invocation: Invocation) -> list[str]:
    return [invocation.project_directory] if invocation.project_directory else []
