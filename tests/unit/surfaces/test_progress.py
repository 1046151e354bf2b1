"""Goal: who waits for over a second sees what is done, how fast and until when; nobody else does.

Method: the line on terminals of several widths that write into a text; work that tells what the
test says. How long work takes is what the test says, too; what is waited for is that it is drawn.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable
from functools import partial

import pytest
from rich.console import Console

from agentx.capture.transcripts import ImportPhase, ImportProgress
from agentx.kernel.bus import HowFar
from agentx.surfaces.cli.commands.begin.import_history import follow
from agentx.surfaces.cli.frame import Invocation
from agentx.surfaces.cli.layout import measure
from agentx.surfaces.cli.progress import ProgressLine, behind_progress, say_duration
from tests.support.company import until

_CONTROL = re.compile(r"\x1b\[[?0-9;]*[A-Za-z]")


class Watch:
    """Time as the line sees it, which stands still but where a test lets it pass."""

    def __init__(self) -> None:
        self.now_s = 1_000.0

    def monotonic(self) -> float:
        return self.now_s


@pytest.fixture(autouse=True)
def watch(monkeypatch: pytest.MonkeyPatch) -> Watch:
    made = Watch()
    monkeypatch.setattr("agentx.surfaces.cli.progress.time", made)
    return made


class Screen(io.StringIO):
    """A text that says it is a terminal."""

    def isatty(self) -> bool:
        return True


def invocation_at(columns: int = 80, *, terminal: bool = True, as_json: bool = False) -> Invocation:
    made = Invocation(as_json=as_json)
    written = Screen() if terminal else io.StringIO()
    vars(made)["talk"] = Console(
        file=written, force_terminal=terminal or None, width=columns, color_system=None
    )
    return made


def read(invocation: Invocation) -> list[str]:
    """Return the lines that were drawn."""
    written: str = invocation.talk.file.getvalue()  # type: ignore[attr-defined]  # it is a text here
    parts = re.split(r"[\r\n]", _CONTROL.sub("", written))
    return [part.rstrip() for part in parts if part.strip()]


def await_drawing(line: ProgressLine) -> None:
    """Wait until what was told is drawn: by the second drawing, as one may be under way."""
    for _ in range(2):
        seen = line._talk.file.tell()
        until(partial(_is_written_beyond, line, seen))


def _is_written_beyond(line: ProgressLine, seen: int) -> bool:
    return line._talk.file.tell() > seen


def draw(work: Callable[[ProgressLine], None], columns: int = 80) -> list[str]:
    invocation = invocation_at(columns)
    with ProgressLine(invocation, "reading the log", after_s=0) as line:
        await_drawing(line)
        work(line)
        await_drawing(line)
    return read(invocation)


def _tell_at_once(told: HowFar) -> int:
    told(5, 5)
    return 7


def test_what_is_done_at_once_draws_nothing() -> None:
    for invocation in (invocation_at(), invocation_at(terminal=False), invocation_at(as_json=True)):
        assert behind_progress(invocation, _tell_at_once) == 7
        assert read(invocation) == []


def test_a_pipe_and_a_program_see_nothing_however_long_it_takes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")  # a file of a build machine may have colours
    assert invocation_at(terminal=False).talk.is_terminal
    for invocation in (invocation_at(terminal=False), invocation_at(as_json=True)):
        with ProgressLine(invocation, "reading the log", after_s=0) as line:
            assert not line._timer.is_alive(), "nobody is to look"
            line.tell(1, 2)
            line.say("something")
        assert read(invocation) == []


def test_work_that_does_not_say_how_far_it_is_is_named_with_how_long_it_takes() -> None:
    lines = draw(lambda _line: None)

    assert lines
    assert all(line.startswith("reading the log") and line.endswith("0:00") for line in lines)


def test_nothing_to_do_is_never_told_as_nothing_of_nothing() -> None:
    lines = draw(lambda line: line.tell(0, 0))

    assert not any("0/0" in line for line in lines)


@pytest.mark.parametrize("columns", [60, 80, 140])
def test_amount_rate_and_end_stand_on_one_line(watch: Watch, columns: int) -> None:
    def work(line: ProgressLine) -> None:
        line.tell(0, 987_654)
        watch.now_s += 0.55
        line.tell(123_456, 987_654)

    lines = draw(work, columns)

    assert max(map(measure, lines)) <= columns
    last = next(line for line in reversed(lines) if "/s" in line)
    assert "123,456/987,654  224,465/s  0:03 left" in last


def test_parts_that_are_told_in_turns_are_summed_and_go_never_back() -> None:
    def work(line: ProgressLine) -> None:
        for done, total in ((10, 100), (5, 50), (20, 100), (15, 100), (25, 50)):
            line.tell(done, total)

    assert "45/150" in draw(work)[-1]


def test_what_is_all_told_and_goes_on_has_no_end_that_is_over(watch: Watch) -> None:
    def work(line: ProgressLine) -> None:
        line.tell(1, 9)
        watch.now_s += 0.55
        line.tell(9, 9)

    last = draw(work)[-1]

    assert "9/9" in last
    assert "left" not in last


@pytest.mark.parametrize("columns", [60, 80])
def test_an_import_tells_bytes_then_events(watch: Watch, columns: int) -> None:
    def work(line: ProgressLine) -> None:
        tell = follow(line)
        step = partial(ImportProgress, total=42, harness="codex", events=7)
        tell(step(done=0, bytes_done=0, bytes_total=2_000_000_000))
        watch.now_s += 0.55
        tell(step(done=41, bytes_done=1_234_500_000, bytes_total=2_000_000_000))
        await_drawing(line)
        tell(step(done=5, phase=ImportPhase.INDEXING))
        await_drawing(line)
        tell(step(done=6, phase=ImportPhase.SUMMING))

    lines = draw(work, columns)

    assert max(map(measure, lines)) <= columns
    read_line = next(line for line in reversed(lines) if "MB/s" in line)
    assert "1,234.5/2,000.0 MB" in read_line
    assert ("41/42" in read_line) == (columns >= 80)
    assert any(line.startswith("indexing") and "5/42" in line for line in lines)
    assert "every word can be found; Ctrl-C leaves the rest for later" in lines
    assert lines[-1].startswith("summing up")


def test_what_fails_leaves_no_line_behind() -> None:
    invocation = invocation_at()

    def work(told: HowFar) -> None:
        told(1, 2)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        behind_progress(invocation, work)
    assert read(invocation) == []


def test_a_time_is_counted_down_as_clocks_do() -> None:
    assert [say_duration(each) for each in (0.9, 5, 65, 3_599, 3_723)] == [
        *("0:00", "0:05", "1:05", "59:59", "1:02:03")
    ]
