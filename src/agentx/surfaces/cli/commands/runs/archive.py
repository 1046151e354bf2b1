"""`agentx run archive`, `clean`, `restore`: runs that are over, packed away and laid out again."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from agentx.kernel.ids import shorten_run
from agentx.surfaces.cli import render
from agentx.surfaces.cli.commands.runs.options import about_run
from agentx.surfaces.cli.frame import Invocation, Verb

# What packs runs away is imported where it is asked for: every `agentx run` imports this module.
if TYPE_CHECKING:
    from agentx.runs.replies import Archived


@click.command("archive", cls=Verb)
@about_run
@click.option(
    "--promote",
    type=click.Choice(("ask", "confident", "all")),
    default=None,
    help="Which of its lessons are kept (default: the setting ltm.promote).",
)
@click.pass_obj
def archive(invocation: Invocation, run_id: str, promote: str | None) -> None:
    """Keep what a run taught and how it went, then pack its folder away."""
    from agentx.operations.runs.archive import archive_run

    done = archive_run(
        invocation.project,
        run_id,
        policy=promote or "",
        told=lambda step: invocation.talk.print(f"{step} ...", style="dim"),
    )
    invocation.show(done, lambda screen: screen.print(say_archived(done), soft_wrap=True))


@click.command("clean", cls=Verb)
@click.option("--dry-run", is_flag=True, help="Only say which runs are due.")
@click.pass_obj
def clean(invocation: Invocation, dry_run: bool) -> None:
    """Pack away runs completed 30 days ago or failed 7 days ago; those in progress always stay."""
    from agentx.operations.runs.archive import clean_runs

    done, due = clean_runs(invocation.project, dry_run=dry_run)
    data = {"archived": done.archived, "kept": done.kept, "due": due}

    lines = [f"due: {', '.join(due) or 'none'}"] if dry_run else [*map(say_archived, done.archived)]
    lines.append(f"{render.count(done.kept, 'run')} kept")
    invocation.show(data, lambda screen: screen.print("\n".join(lines), soft_wrap=True))


@click.command("restore", cls=Verb)
@click.argument("run_id", metavar="RUN")
@click.pass_obj
def restore(invocation: Invocation, run_id: str) -> None:
    """Lay a packed run out again."""
    from agentx.operations.runs.archive import restore_run

    folder = restore_run(invocation.project, run_id)
    invocation.show(
        {"run_id": run_id, "folder": folder}, lambda screen: screen.print(f"laid out in {folder}")
    )


def say_archived(done: Archived) -> str:
    """Return what came of packing a run away."""
    parts = [f"{done.run_id} is packed in {done.archive_path}"]
    if done.learnt:
        parts.append(f"learnt {', '.join(done.learnt)}")
    if done.confirmed:
        parts.append(f"confirmed {', '.join(done.confirmed)}")
    if done.undecided:
        run = shorten_run(done.run_id)
        parts.append(
            f"{render.count(done.undecided, 'lesson')} nobody decided on went with it: "
            f"`agentx run restore {run}`, then `agentx ltm candidates --run {run}`"
        )
    kept = zip(done.folders_kept, done.folders_why, strict=True)
    parts += [f"{folder} stays: {why}" for folder, why in kept]
    return "; ".join((*parts, *done.remarks))
