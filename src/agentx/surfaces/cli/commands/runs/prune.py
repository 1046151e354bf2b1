"""`agentx run prune`: branches and folders that are left of runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.surfaces.cli.frame import Invocation, Verb

if TYPE_CHECKING:
    from agentx.operations.runs.prune import PrunedRow


@click.command("prune", cls=Verb)
@click.option("--dry-run", is_flag=True, help="Only list what is left.")
@click.pass_obj
def prune(invocation: Invocation, dry_run: bool) -> None:
    """Take away branches and folders of runs that are over, where nothing is lost with them."""
    from agentx.operations.runs.prune import prune_runs

    done = prune_runs(invocation.project, dry_run=dry_run)
    verb = "would go" if dry_run else "gone"
    lines = [f"{verb}: {_name(row)} ({row.why})" for row in done.gone]
    lines += [f"stays: {_name(row)} ({row.why}): {row.stays}" for row in done.kept]
    lines = lines or ["nothing is left of runs that are over"]
    invocation.show(done, lambda screen: screen.print("\n".join(lines), soft_wrap=True))


def _name(row: PrunedRow) -> str:
    kind = "folder" if row.is_folder else "commit" if row.name.startswith("refs/") else "branch"
    return f"{kind} {row.name}"
