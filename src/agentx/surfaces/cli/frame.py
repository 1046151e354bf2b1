"""What every command is given, and how it shows what it did.

stdout is data, stderr is talk. `--json` and `--project` are accepted before and
after the name of the command.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields, is_dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from agentx.surfaces.cli.screen import fit_words, write_json, write_text

if TYPE_CHECKING:
    from rich.console import Console

    from agentx.kernel.errors import AgentXError
    from agentx.memory.port import Behind, Memory
    from agentx.project.config import Environment
    from agentx.project.project import Project
    from agentx.surfaces.dates import Dates


_NAME_CHARS_MAX = 60  # longer is no number, and no id
# What they show lies in files of the repository.
_OF_REPOSITORY = frozenset(
    {"issue", "ready", "deps", "state", "digest", "workflow", "clarify", "run", "ltm"}
)


class Invocation:
    """One call of the command line."""

    def __init__(
        self, *, project_directory: str = "", as_json: bool = False, is_paged: bool = True
    ) -> None:
        self.project_directory = project_directory
        self.as_json = as_json
        self.is_paged = is_paged  # what is longer than the terminal
        self.behind: Behind | None = None  # what was captured; None if level
        self.is_begun = True  # something was ever remembered of this folder
        self.cut_for = ""  # the time zone of the days that answers speak of

    @cached_property
    def environment(self) -> Environment:
        """What the surroundings say."""
        from agentx.project.config import read_environment

        return read_environment()

    @cached_property
    def project(self) -> Project:
        """The project of `--project`, or of this folder."""
        from agentx.project.project import open_project

        project = open_project(Path(self.project_directory or Path.cwd()), self.environment)
        if project.config.faults:
            from agentx.operations.upkeep.strangers import list_news

            for fault in list_news(project):
                write_text(f"agentx: {fault.says}: {fault.mend}\n", to_stderr=True)
        return project

    def memory(self) -> Memory:
        """Open the project's memory: through the daemon if one runs, else the store itself."""
        from agentx.daemon.door import open_memory

        return open_memory(self.project)

    @contextmanager
    def reading(self) -> Iterator[Memory]:
        """Open the project's memory to read; where there is none, say so and begin none."""
        from agentx.daemon.door import has_begun, open_to_read

        has = self.is_begun = has_begun(self.project)
        with open_to_read(self.project, self.say_looked) as memory:
            yield memory
        if self.behind is not None:
            self._say_behind(self.behind)
        if not has and not self.as_json:
            begins = "the next session" if self.project.trust.has_data else "`agentx init`"
            said = f"nothing is remembered of this folder yet: {begins} begins"
            self.talk.print(said, style="dim")

    def say_looked(self, why: AgentXError) -> None:
        """Say why the store is shown as it is now, where a daemon that is there does not answer."""
        from agentx.kernel.errors import DaemonUnavailable

        if isinstance(why, DaemonUnavailable) and not self.as_json:
            said = f"{why.message}; shown is what is stored. {why.hint}"
            self.talk.print(said, style="dim")

    def freshen(self, memory: Memory, *, views: bool = True) -> None:
        """Take in what is new before something is read, for as long as one likes to wait."""
        from agentx.project.settings import StorageSettings

        wait_ms = self.project.config.section(StorageSettings).wait_ms
        found = memory.freshen(wait_ms, views=views)
        self.behind = found if found.is_late else None
        self.cut_for = found.zone
        self._say_recut(found)

    def _say_recut(self, found: Behind) -> None:
        """Say that days are cut anew, where they were cut for another time zone."""
        if found.zone_before not in ("", found.zone) and not self.as_json:
            said = f"the time zone is {found.zone} now, it was {found.zone_before}"
            self.talk.print(f"{said}: days are cut anew", style="dim")

    def _say_elsewhere(self) -> None:
        """Say for which time zone days are cut, where it is not the one they were shown in."""
        if not self.cut_for or "dates" not in vars(self):
            return  # no day was shown
        here = str(self.dates.zone)
        if here != self.cut_for:
            said = f"days are cut for {self.cut_for}, and here it is {here}: `agentx rebuild toc`"
            self.talk.print(said, style="dim")

    def _say_behind(self, behind: Behind) -> None:
        """Say what the answer does not know yet, and see to it that it will."""
        from agentx.daemon.auto.calling import call_daemon
        from agentx.memory.port import MAY_LACK

        if behind.is_unwritable:
            who = "the store cannot be written, `agentx doctor` says why"
        elif behind.is_look:
            who = "another process has the store"
        elif call_daemon(self.project):
            who = "a daemon goes on with them"
        else:
            who = "`agentx sync` takes them in"
        if not self.as_json:
            events = "event" if behind.count == 1 else "events"
            left = f"{behind.count:,} {events} not" if behind.count else MAY_LACK
            self.talk.print(f"{left} taken in yet: {who}", style="dim")

    @cached_property
    def dates(self) -> Dates:
        """The present as the project's days have it."""
        from agentx.project.zone import project_zone
        from agentx.surfaces.dates import Dates

        return Dates(now_ms=self.project.clock.now_ms(), zone=project_zone(self.project))

    @cached_property
    def screen(self) -> Console:
        """Where data goes for a person."""
        from agentx.surfaces.cli.screen import open_console

        return open_console()

    @cached_property
    def talk(self) -> Console:
        """Where talk goes: progress, hints, what is being done."""
        from agentx.surfaces.cli.screen import open_console

        return open_console(stderr=True)

    def show(self, data: object, draw: Callable[[Console], None]) -> None:
        """Write the reply: as JSON for a program, drawn for a person."""
        origin = self._find_origin()
        if self.as_json:
            write_json(self._add_behind(plain(data), origin=origin))
            return
        if origin:
            self.talk.print(f"what follows is {origin}: agentx trust --show")
        if self.is_paged and sys.stdout.isatty():
            with self.screen.capture() as captured:
                draw(self.screen)
            self._page(captured.get())
        else:
            draw(self.screen)
        self._say_elsewhere()

    def _page(self, words: str) -> None:
        """Write what a terminal shows; what is longer than it, page by page."""
        from shutil import get_terminal_size

        from agentx.surfaces.cli.pager import page

        page(words, self.environment.variables, get_terminal_size().lines)

    def _add_behind(self, said: object, *, origin: str = "") -> object:
        """Return what is said with what is to be known of it."""
        if not isinstance(said, dict):
            return said
        beside = {"origin": origin} if origin else {}
        behind = self.behind
        late: dict[str, object] = {} if behind is None else {"behind": behind.count}
        partial = {"partial": True} if behind is not None and behind.is_partial else {}
        return {**beside, **said, **late, **partial}

    def _find_origin(self) -> str:
        """Return what is to be said of what a repository holds; nothing if it is trusted."""
        ctx = click.get_current_context(silent=True)
        words = ctx.command_path.split() if ctx is not None else []
        if words[1:2] and words[1] in _OF_REPOSITORY and "project" in vars(self):
            from agentx.operations.recall.origins import origin_of_data

            return origin_of_data(self.project)
        return ""

    def write(self, data: object, words: str) -> None:
        """Write the reply: as JSON for a program, as plain words for a person."""
        if self.as_json:
            write_json(self._add_behind(plain(data)))
        elif self.is_paged and sys.stdout.isatty():
            self._page(fit_words(words))
        else:
            write_text(words)


def plain(value: object) -> Any:
    """Return a value as JSON can hold it."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(item) for item in value]
    if isinstance(value, Path):
        return str(value)
    return value


def _take_json(ctx: click.Context, _option: click.Parameter, given: bool) -> None:
    if given:
        ctx.find_object(Invocation).as_json = True  # type: ignore[union-attr]  # set by the root command


def _take_project(ctx: click.Context, _option: click.Parameter, given: str) -> None:
    if given:
        ctx.find_object(Invocation).project_directory = given  # type: ignore[union-attr]  # as above


def _take_no_pager(ctx: click.Context, _option: click.Parameter, given: bool) -> None:
    if given:
        ctx.find_object(Invocation).is_paged = False  # type: ignore[union-attr]  # as above


class Verb(click.Command):
    """A command that takes `--json` and `--project` too."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.params.extend(
            (
                click.Option(
                    ["--json"],
                    is_flag=True,
                    expose_value=False,
                    callback=_take_json,
                    help="Write data as JSON on stdout.",
                ),
                click.Option(
                    ["--project"],
                    metavar="DIR",
                    default="",
                    expose_value=False,
                    callback=_take_project,
                    help="The project's folder (default: here).",
                ),
                click.Option(
                    ["--no-pager"],
                    is_flag=True,
                    hidden=True,
                    expose_value=False,
                    callback=_take_no_pager,
                ),
            )
        )


def _may_be_name(word: str) -> bool:
    """Tell whether a word may be the number or the id of a thing."""
    is_word = word.isprintable() and not word.startswith("-") and len(word.split()) == 1
    return is_word and len(word) <= _NAME_CHARS_MAX and any(map(str.isdigit, word))


class VerbGroup(click.Group):
    """A group of verbs; `elsewhere` are imported when they are called: name -> module:attribute.

    `shown_by` says how one thing is shown, for who names it where a verb belongs.
    """

    command_class = Verb

    def __init__(
        self,
        *args: Any,
        elsewhere: Mapping[str, str] | None = None,
        shown_by: Callable[[str], str] = "show {}".format,
        **kwargs: Any,
    ) -> None:
        super().__init__(*args, **kwargs)
        self._elsewhere = elsewhere or {}
        self._shown_by = shown_by

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names, in order."""
        return sorted({*super().list_commands(ctx), *self._elsewhere})

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a verb, imported by now."""
        if cmd_name in self._elsewhere and cmd_name not in self.commands:
            module, _, attribute = self._elsewhere[cmd_name].partition(":")
            self.add_command(getattr(importlib.import_module(module), attribute), cmd_name)
        return super().get_command(ctx, cmd_name)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the verb; who names a thing in its place is told how that is shown."""
        word, known = args[0], self.list_commands(ctx)
        if word not in known and _may_be_name(word):
            meant = self._shown_by(word)
            if meant.startswith("-") or meant.partition(" ")[0] in known:
                ctx.fail(f"No such command {word!r}. Did you mean `{ctx.command_path} {meant}`?")
        return super().resolve_command(ctx, args)
