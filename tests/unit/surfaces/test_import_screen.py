"""Goal: an import says what came of it, what is still at work, and no rows of nothing."""

from __future__ import annotations

from pathlib import Path

import pytest
from rich.console import Console

from agentx.capture.transcripts import HarnessImport, ImportDone, ImportReply
from agentx.surfaces.cli.commands.begin import import_history
from agentx.surfaces.cli.commands.begin.import_history import draw
from agentx.surfaces.cli.main import main

_READ = HarnessImport(harness="codex", transcripts=2, sessions=2, events=40, stored=40)
_KNOWN = HarnessImport(harness="claude-code", unchanged=3)


def _draw(reply: ImportReply) -> str:
    screen = Console(width=80)
    with screen.capture() as captured:
        draw(screen, reply)
    return captured.get()


def _done(*harnesses: HarnessImport, complete_ms: int | None) -> ImportDone:
    return ImportDone(
        dry_run=False, harnesses=harnesses, searchable_ms=1_000, complete_ms=complete_ms
    )


def test_where_nothing_is_new_one_line_says_so() -> None:
    said = _draw(_done(_KNOWN, complete_ms=5))

    assert said.strip() == "Nothing new: 3 transcripts unchanged since the last import."


def test_only_what_was_read_has_a_row() -> None:
    said = _draw(_done(_READ, _KNOWN, complete_ms=5))

    assert "codex" in said
    assert "claude-code" not in said
    assert "3 transcripts unchanged" in said
    assert "daemon" not in said


def test_what_a_daemon_goes_on_with_is_told() -> None:
    assert "a daemon sums up what is left" in _draw(_done(_READ, complete_ms=None))


@pytest.mark.parametrize(("words", "is_kept"), [([], True), (["--dry-run"], False)])
def test_who_ends_it_is_told_that_the_same_command_goes_on(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    is_kept: bool,
) -> None:
    def end(*_given: object, **_named: object) -> ImportReply:
        raise KeyboardInterrupt

    monkeypatch.setattr(import_history, "import_history", end)
    monkeypatch.setattr(import_history, "give_way", lambda: None)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("XDG_DATA_HOME", raising=False)
    monkeypatch.chdir(tmp_path)

    with pytest.raises(SystemExit) as left:
        main(["import", *words])

    said = capsys.readouterr().err
    assert left.value.code == 130
    assert "agentx: interrupted" in said
    assert ("run the same command again for the rest" in said) == is_kept
