"""Goal: `--run NAME`, as errors advise, names a run at every command that is about one.

Method: the options alone, in a command of the test's own.
"""

from __future__ import annotations

import click
import pytest
from click.testing import CliRunner

from agentx.surfaces.cli.commands.runs.options import about_run
from agentx.surfaces.cli.commands.runs.run import command


@click.command()
@about_run
def _said(run_id: str) -> None:
    click.echo(run_id)


@pytest.mark.parametrize(
    ("words", "run"), [([], ""), (["ab12"], "ab12"), (["--run", "ab12"], "ab12")]
)
def test_a_run_is_named_as_a_word_or_as_an_option(words: list[str], run: str) -> None:
    assert CliRunner().invoke(_said, words).output.strip() == run


@pytest.mark.parametrize("name", ["show", "resume", "pr", "rebuild", "archive"])
def test_commands_about_a_run_know_the_option(name: str) -> None:
    found = command.get_command(click.Context(command), name)

    assert found is not None
    assert "--run" in [option for each in found.params for option in each.opts]
