"""How changes of settings files are shown: a line for each file, all lines of it on request."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from rich.console import Console
from rich.text import Text

from agentx.adapters.port import SetupScope
from agentx.kernel.text import show_name
from agentx.operations.setup.installation import setup_inputs
from agentx.operations.setup.installed import NOT_ON_PATH, is_on_path, list_editors
from agentx.operations.setup.programs.live import LiveReply
from agentx.operations.setup.seen_by_git import SeenByGit
from agentx.operations.setup.setup import SetupReply
from agentx.project.project import Project
from agentx.surfaces.cli import render
from agentx.surfaces.cli.layout import lay, measure, shorten_home

Row = tuple[str, str, str]  # whose file, which one, what becomes of it

_DIFF_STYLES = {"+": "green", "-": "red", "@": "cyan"}
_TITLE_CHARS = 12
_ALIGNED_MAX = 60  # one long path would push all others' words far to the right
_USER_WIDE = (
    "The hooks are yours, not this project's: sessions in every repository you work in are "
    "captured, and kept on this machine."
)
_EDITOR_WIDE = "The entries are yours: every folder that you open in {0} has them."
_EDITOR_HERE = (
    "Who opens this folder in {0} has them, with agentx on the search path. No path of this "
    "machine is in the files: a team may commit them."
)
_EDITOR_GIVES = (
    "In its chat: /mcp.agentx.recall, .standup, .why, .clarify and others. By Tasks: Run Task: "
    "AgentX: what is ready; AgentX: the page. Nothing said in {0} is captured by this: it is no "
    "agent CLI, and has no hooks of ours."
)
_PROJECT_ONLY = (
    "Only sessions in this project are captured. The files lie in the repository and name paths "
    "of this machine: do not commit them."
)


def shorten(path: Path | str, home: Path, root: Path | None = None) -> str:
    """Return a path as one line: below the home with `~`, below a project from there."""
    given = Path(path)
    if root is not None and root != Path("/") and given.is_relative_to(root):
        return show_name(f"./{given.relative_to(root)}")
    return show_name(shorten_home(str(given), str(home)))


def shorten_in(path: Path, project: Project) -> str:
    """Return the same, as the user of a project would write it."""
    return shorten(path, project.environment.homes.home, project.root)


def draw_rows(screen: Console, rows: Sequence[Row]) -> None:
    """Show what becomes of each file, side by side where there is room."""
    longest = max((measure(path) for _, path, _ in rows), default=0)
    said = max((len(says) for *_, says in rows), default=0)
    align = longest <= _ALIGNED_MAX and _TITLE_CHARS + longest + said + 3 <= screen.width
    before = ""
    for title, path, says in rows:
        shown = "" if title == before else title
        place = path + " " * (longest - measure(path)) if align else path
        style = {"+": "green", "-": "red", "~": "yellow"}.get(says[:1], "dim")
        head = render.assemble((f"{shown:<{_TITLE_CHARS}} ", "bold"))
        for row in lay(head, render.assemble(f"{place}  ", (says, style)), screen.width):
            screen.print(row)
        before = title


def list_rows(replies: Iterable[SetupReply], project: Project) -> list[Row]:
    """Return the rows of agent CLIs; one for each that has nothing to do."""
    rows = []
    for reply in replies:
        files = [file for file in reply.files if file.changed] or list(reply.files[:1])
        rows += [(reply.title, shorten_in(file.path, project), file.says) for file in files]
    return rows


def draw_setups(
    screen: Console,
    replies: Sequence[SetupReply],
    project: Project,
    *,
    more: Sequence[Row] = (),
    diff: bool = False,
    is_seen: bool = False,
) -> None:
    """Show what became, or would become, of the settings of agent CLIs; `more` is shown beside.

    Of what a person has seen, and agreed to, only what is new is shown.
    """
    files = [file for reply in replies for file in reply.files]
    if diff:
        draw_diffs(screen, (file.diff for file in files))
    draw_rows(screen, [*(() if is_seen else list_rows(replies, project)), *more])
    for note in list_notes(replies):
        tell(screen, f"note: {note}", indent=2, style="yellow")
    for folder in {file.backup.parent for file in files if file.backup is not None}:
        words = f"Copies of the files as they were: {shorten_in(folder, project)}"
        screen.print(words, style="dim", soft_wrap=True)


def list_notes(replies: Iterable[SetupReply]) -> tuple[str, ...]:
    """Return what the user should know or do, each once."""
    files = (file for reply in replies for file in reply.files)
    return tuple(dict.fromkeys(note for file in files for note in file.notes))


def tell(screen: Console, words: str, *, indent: int = 0, style: str = "") -> None:
    """Show words that may go over several lines, all of them indented."""
    for row in lay(Text(" " * indent), Text(words, style=style), screen.width):
        screen.print(row)


def draw_scope(screen: Console, scope: SetupScope) -> None:
    """Say plainly whose sessions are captured."""
    tell(screen, _USER_WIDE if scope is SetupScope.USER else _PROJECT_ONLY)


def draw_editor(screen: Console, project: Project, reply: SetupReply) -> None:
    """Say plainly what an editor has of it, and that nothing of it is captured."""
    is_here = reply.scope is SetupScope.PROJECT
    tell(screen, (_EDITOR_HERE if is_here else _EDITOR_WIDE).format(reply.title))
    tell(screen, _EDITOR_GIVES.format(reply.title))
    if is_here and not is_on_path(project):
        tell(screen, f"note: {NOT_ON_PATH}", indent=2, style="yellow")
    if len(list_editors(project, setup_inputs(project))) > 1:
        twice = f"{reply.title} has it for this user and in this project, and lists both"
        tell(screen, f"note: {twice}", indent=2, style="yellow")


def draw_seen(screen: Console, seen: SeenByGit) -> None:
    """Say what `git status` shows of files that must not be committed, and how it does not."""
    if seen.new:
        names = " ".join(map(_quote, seen.new))
        shown = ", ".join(map(show_name, seen.new))
        words = f"git shows {shown} as new. So that it does not, for you alone:"
        tell(screen, words, style="yellow")
        hide = f"printf '%s\\n' {names} >> \"$(git rev-parse --git-path info/exclude)\""
        screen.print(f"  {hide}", soft_wrap=True)
    if seen.tracked:
        names = ", ".join(map(show_name, seen.tracked))
        tell(screen, f"git tracks {names}: leave the change uncommitted.", style="yellow")


def _quote(name: str) -> str:
    """Return a name as a shell takes it, from the root of the repository."""
    from shlex import quote

    return quote(f"/{name}")


def draw_live(screen: Console, live: LiveReply, told: Iterable[str] = ()) -> None:
    """Say what came of the test events, and what they cannot show, but for what was told."""
    good = [one.title for one in live.trials if one.arrived]
    if good:
        words = f"Checked: a test event arrived through the hook of {', '.join(good)}"
        tell(screen, f"{words} ({live.hook_ms} ms at most); it was taken away again.")
    for one in live.trials:
        if not one.arrived:
            tell(screen, f"{one.title}: a test event did not arrive: {one.says}", style="red")
        if one.unsure and one.unsure not in told:
            tell(screen, f"note: {one.unsure}", indent=2, style="yellow")
    if live.says:
        tell(screen, f"No test event was sent: {live.says}", style="yellow")
    if good:
        words = "That an agent CLI calls its hook shows its next session: agentx sessions"
        tell(screen, words, style="dim")


def draw_diffs(screen: Console, diffs: Iterable[str]) -> None:
    """Show every line that changes."""
    for row in (row for diff in diffs for row in diff.splitlines()):
        screen.print(Text(row, style=_DIFF_STYLES.get(row[:1], "dim")), soft_wrap=True)
