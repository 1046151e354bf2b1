"""`agentx run sync`: the branch of runs and that of a remote."""

from __future__ import annotations

import sys

import click

from agentx.surfaces.cli import render
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.options import as_person as as_person_option
from agentx.surfaces.cli.screen import ask


@click.command("sync", cls=Verb)
@click.argument("remote", required=False, default="")
@click.option("--push", "agreed", is_flag=True, help="Say yes to the first push to this remote.")
@as_person_option
@click.pass_obj
def sync(invocation: Invocation, remote: str, agreed: bool, as_person: bool) -> None:
    """Take in the runs that others pushed, and push yours; both are kept, whoever was first."""
    from agentx.operations.runs.sync import sync_runs
    from agentx.project.roles.caller import find_caller

    def agree(where: str) -> bool:
        if agreed:
            return True
        return sys.stdin.isatty() and ask(f"Push the runs of this repository to {where}?")

    caller = find_caller(invocation.project, as_person=as_person)
    done = sync_runs(invocation.project, remote, agrees=agree, says_yes=agreed, caller=caller)
    said = [f"{render.count(len(done.taken_in), 'run')} taken in from {done.remote}"]
    said.append("pushed" if done.is_pushed else "nothing to push")
    lines = ["; ".join(said), *done.remarks]
    invocation.show(done, lambda screen: screen.print("\n".join(lines), soft_wrap=True))
