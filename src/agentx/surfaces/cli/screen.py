"""The one way out to a terminal: whatever is written, it cannot do more than be read.

Words come from agents, tools and strangers' repositories. They never reach the terminal as
they are: control sequences, turned or hidden characters are made visible or dropped, square
brackets are brackets, and what the terminal cannot encode is replaced. Colours are ours.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, TextIO

import click

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import escape_unseen, printable

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.project.project import Project


_EXIT_DECLINED = 2


def prepare_streams() -> None:
    """Let nothing that a terminal cannot encode end a command."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def write_text(words: str, *, to_stderr: bool = False) -> None:
    """Write plain words."""
    stream = sys.stderr if to_stderr else sys.stdout
    stream.write(fit_words(words) if stream.isatty() else printable(words))


def write_drawn(words: str) -> None:
    """Write what was made for a screen already, or is ours to the last character."""
    sys.stdout.write(words)


def fit_words(words: str) -> str:
    """Return plain words as a terminal shows them: in its width."""
    from shutil import get_terminal_size

    from agentx.surfaces.cli.layout import fold_words  # only a screen has a width

    return fold_words(printable(words), get_terminal_size().columns)


def remark(words: str) -> None:
    """Say something beside the data, on stderr: dim, where there are colours."""
    shown = fit_words(words) if sys.stderr.isatty() else printable(words)
    click.secho(shown, dim=True, err=True)


def remark_untold(project: Project) -> None:
    """Say what of the repository is not told, why, and what to type."""
    said = project.private.say_untold()
    if said:
        remark(said)


def write_json(data: object) -> None:
    """Write data as one line of JSON, exactly as it is; what cannot be seen by its number."""
    narrow = not _is_unicode(sys.stdout)
    sys.stdout.write(escape_unseen(json.dumps(data, ensure_ascii=narrow)) + "\n")


def read_words(given: str) -> str:
    """Return what somebody says: what they gave, or for `-` what is piped in."""
    if given != "-":
        return given
    from agentx.kernel.limits import EVENT_TEXT_CHARS_MAX  # most commands read nothing

    words = sys.stdin.read(EVENT_TEXT_CHARS_MAX + 1)  # what writes without end is not waited for
    if len(words) > EVENT_TEXT_CHARS_MAX:
        raise InvalidValue(
            f"what is piped in has more than {EVENT_TEXT_CHARS_MAX:,} characters",
            hint="say it shorter, or put it into a file of the project and name that",
        )
    return words


def ask(question: str, *, or_leave: bool = False) -> bool:
    """Ask a person on stderr, yes or no; with `or_leave` a no ends the command, and says so."""
    agreed = click.confirm(printable(question), err=True)
    if or_leave and not agreed:
        write_text("nothing was changed\n", to_stderr=True)
        raise click.exceptions.Exit(_EXIT_DECLINED)
    return agreed


def ask_which(question: str, keys: str) -> str:
    """Ask a person on stderr for one of some letters; the first is what Return means."""
    while True:
        said = click.prompt(printable(question), default=keys[0], show_default=False, err=True)
        if said and said.strip().lower()[:1] in keys:
            return str(said).strip().lower()[:1]
        write_text(f"type one of {', '.join(keys)}\n", to_stderr=True)


def ask_text(question: str) -> str:
    """Ask a person on stderr for words; empty for none."""
    return str(click.prompt(printable(question), default="", show_default=False, err=True))


def open_console(*, stderr: bool = False) -> Console:
    """Return where drawn things go."""
    from rich.console import Console
    from rich.segment import Segment
    from rich.text import Text

    from agentx.surfaces.cli.layout import CELLS_UNBOUND, Grid, fold

    class Screen(Console):
        """A console that shows words as words: no markup in them, no control of the terminal."""

        def on_broken_pipe(self) -> None:
            raise BrokenPipeError  # the reader has seen enough: no failure of the command

        def render_str(self, text: str, **options: Any) -> Any:
            return super().render_str(printable(text), **options)

        def render(self, renderable: Any, options: Any = None) -> Iterable[Segment]:
            for part in super().render(renderable, options):
                yield Segment(printable(part.text), part.style) if part.control is None else part

        def print(self, *objects: Any, sep: str = " ", end: str = "\n", **options: Any) -> None:
            words = all(isinstance(each, str | Text) for each in objects)
            if words or any(isinstance(each, Grid) for each in objects):
                options["soft_wrap"] = True  # each line has its room already
            if not objects or not words or options.get("no_wrap"):
                super().print(*objects, sep=sep, end=end, **options)
                return
            parts = [each if isinstance(each, Text) else Text(printable(each)) for each in objects]
            lines = fold(Text(sep).join(parts), self.width)
            for number, line in enumerate(lines, 1):
                super().print(line, end=end if number == len(lines) else "\n", **options)

    made = Screen(stderr=stderr, highlight=False, emoji=False, markup=False, soft_wrap=False)
    if not made.is_terminal:
        made.width = CELLS_UNBOUND
    return made


def _is_unicode(stream: TextIO) -> bool:
    return (stream.encoding or "").lower().replace("-", "").startswith("utf")
