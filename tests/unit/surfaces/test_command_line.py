"""Goal: the list of commands is whole, and a slip of the finger is met with a suggestion.

Method: click's own runner on the root command.
"""

from __future__ import annotations

import importlib

import pytest
from click.testing import CliRunner

from agentx.surfaces.cli.main import main
from agentx.surfaces.cli.root import CHAPTERS, COMMANDS, agentx


def test_every_command_stands_in_one_chapter_and_every_chapter_names_commands() -> None:
    listed = [name for names in CHAPTERS.values() for name in names]

    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_imported_and_explains_itself(name: str) -> None:
    module = importlib.import_module(f"agentx.surfaces.cli.commands.{COMMANDS[name][0]}")

    assert module.command.help


def test_a_slip_is_met_with_a_suggestion() -> None:
    said = CliRunner().invoke(agentx, ["serch", "x"])

    assert said.exit_code == 2
    assert "Did you mean 'search'?" in said.output


@pytest.mark.parametrize("name", ["issue", "workflow", "run", "ltm", "memory"])
def test_a_group_without_a_verb_explains_itself(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        main([name])

    assert leaving.value.code == 0
    assert capsys.readouterr().out.startswith(f"Usage: agentx {name}")
