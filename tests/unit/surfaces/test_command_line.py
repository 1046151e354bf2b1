"""Goal: the list of commands is whole, and a slip of the finger is met with a suggestion.

Method: click's own runner on the root command.
"""

from __future__ import annotations

import importlib
import io

import click
import pytest
from click.testing import CliRunner

from agentx.conversation.toc_model import BulletKind
from agentx.kernel.errors import InvalidValue
from agentx.surfaces.cli import CHAPTERS, COMMANDS
from agentx.surfaces.cli.commands.said.contents import KIND_SIGNS
from agentx.surfaces.cli.main import main
from agentx.surfaces.cli.root import agentx
from agentx.surfaces.cli.screen import ask, read_words


def test_every_command_stands_in_one_chapter_and_every_chapter_names_commands() -> None:
    listed = [name for names in CHAPTERS.values() for name in names]

    assert sorted(listed) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_can_be_imported_and_explains_itself(name: str) -> None:
    module = importlib.import_module(f"agentx.surfaces.cli.commands.{COMMANDS[name][0]}")

    assert module.command.help


def test_every_kind_of_line_has_a_word_of_its_own() -> None:
    assert set(KIND_SIGNS) == {str(kind) for kind in BulletKind}
    assert len({word for word, _ in KIND_SIGNS.values()}) == len(KIND_SIGNS)


def test_what_is_piped_in_without_end_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    class Endless(io.StringIO):
        def read(self, size: int | None = -1) -> str:
            assert 0 < (size or 0) < 2_000_000
            return "y" * (size or 0)

    monkeypatch.setattr("sys.stdin", Endless())
    with pytest.raises(InvalidValue, match="more than 1,000,000 characters"):
        read_words("-")


@pytest.mark.parametrize(
    ("slip", "meant"),
    [
        (["serch", "x"], "Did you mean 'search'?"),
        (["clarify", "1"], "clarify --issue 1`?"),
        (["clarify", "CLR-12-001"], "clarify --issue 12`?"),
        (["issue", "7"], "issue show 7`?"),
        (["memory", "obs-1"], "memory show obs-1`?"),
        (["memory", "1 or 2"], "No such command '1 or 2'."),
        (["daemon", "1"], "No such command '1'."),
    ],
)
def test_a_slip_is_met_with_a_suggestion(slip: list[str], meant: str) -> None:
    said = CliRunner().invoke(agentx, slip)

    assert said.exit_code == 2
    assert meant in said.output
    assert ("Did you mean" in said.output) == meant.endswith("?")


def test_a_command_that_left_is_met_with_what_became_of_it() -> None:
    said = CliRunner().invoke(agentx, ["vectors", "status"])

    assert said.exit_code == 2
    assert "search goes by words" in said.output
    assert "Did you mean" not in said.output


@pytest.mark.parametrize("name", ["issue", "workflow", "run", "ltm", "memory"])
def test_a_group_without_a_verb_explains_itself(
    name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as leaving:
        main([name])

    assert leaving.value.code == 0
    assert capsys.readouterr().out.startswith(f"Usage: agentx {name}")


def test_a_no_ends_the_command_and_says_that_nothing_was_changed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("n\n"))

    with pytest.raises(click.exceptions.Exit) as left:
        ask("Erase \x1b[8mit?", or_leave=True)

    said = capsys.readouterr().err
    assert left.value.exit_code == 2
    assert said.endswith("nothing was changed\n")
    assert "\x1b" not in said
