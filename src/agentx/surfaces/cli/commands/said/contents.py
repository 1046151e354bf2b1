"""How the table of contents looks: a period, what it was about, its lines, its parts.

Nothing is told twice on one screen. What a period was about stands with the deepest part that
is shown; a line that was told above is not told again below.
"""

from __future__ import annotations

from rich.console import Console
from rich.text import Text

from agentx.conversation.model import Session
from agentx.operations.recall.toc import TocTree
from agentx.surfaces.cli import render
from agentx.surfaces.cli.layout import flatten, lay, lay_facts
from agentx.surfaces.dates import Dates

_STEP = 2
_PROVEN_LEVELS = ("day", "segment")  # whose lines come with what proves them
_TITLE_LINES_MAX = 2
_LEVEL_STYLES = {"year": "bold", "month": "bold", "week": "bold cyan", "day": "cyan", "segment": ""}
KIND_SIGNS = {
    "decision": ("decided", "green"),
    "change": ("changed", "blue"),
    "problem": ("problem", "red"),
    "outcome": ("outcome", "magenta"),
    "answer": ("answer", "green"),
    "question": ("asked", "yellow"),
    "request": ("wanted", "yellow"),
    "open": ("open", "yellow"),
    "fact": ("noted", "dim"),
}


def draw_trees(screen: Console, trees: tuple[TocTree, ...], dates: Dates, *, whole: bool) -> None:
    """Draw periods with their parts; `whole` gives the lines of the outermost too."""
    told: set[str] = set()
    for tree in trees:
        _draw_tree(screen, tree, dates, told, bullets=whole or not tree.children, depth=0)


def _draw_tree(
    screen: Console, tree: TocTree, dates: Dates, told: set[str], *, bullets: bool, depth: int
) -> None:
    margin = " " * (_STEP * depth)
    label, about = _split_title(tree)
    if tree.level == "segment":
        label = dates.say_clock(tree.start_ms)
    cells: tuple[Text, ...] = (
        Text(margin + label, style=_LEVEL_STYLES.get(tree.level, "")),
        Text(tree.node_id, style="dim"),
        Text(_count(tree), style="dim"),
    )
    if len(tree.children) == 1 and tree.children[0].event_count == tree.event_count:
        cells = cells[:-1]  # it is counted below

    for line in lay_facts(cells, screen.width, indent=len(margin) + 2 * _STEP):
        screen.print(line)
    if about and not tree.children:
        for line in lay(Text(margin + "  "), Text(about, style="bold"), screen.width):
            screen.print(line)
    if bullets:
        for bullet in tree.bullets:
            if bullet.text in told:
                continue
            told.add(bullet.text)
            word, style = KIND_SIGNS.get(bullet.kind, ("noted", "dim"))
            lead = Text(margin + "  ").append(f"{word:<9}", style=style)
            said = Text(flatten(bullet.text))
            if tree.level in _PROVEN_LEVELS:
                said.append(f"  {bullet.grip_ids[0]}", style="dim")
            for line in lay(lead, said, screen.width):
                screen.print(line)
    for part in tree.children:
        _draw_tree(screen, part, dates, told, bullets=not part.children, depth=depth + 1)


def _split_title(tree: TocTree) -> tuple[str, str]:
    """Return what a period is called, and what it was about."""
    title = flatten(tree.title)
    if tree.level == "segment":
        return "", title
    label, _, about = title.partition(": ")
    return label, about


def _count(tree: TocTree) -> str:
    facts = [render.count(tree.event_count, "event")]
    if tree.session_count > 1:
        facts.append(render.count(tree.session_count, "session"))
    facts.append(", ".join(tree.harnesses))
    if tree.agents:
        facts.append("as " + ", ".join(tree.agents))
    if tree.provisional:
        facts.append("going on")
    return ", ".join(fact for fact in facts if fact)


def find_deepest(tree: TocTree) -> TocTree:
    """Return the last of the parts that are shown."""
    while tree.children:
        tree = tree.children[-1]
    return tree


def draw_sessions(screen: Console, found: tuple[Session, ...], dates: Dates) -> None:
    """Draw sessions, newest first."""
    table = render.table(
        *("SESSION", "AGENT CLI", "LAST", ">EVENTS", "BRANCH", "~ABOUT"),
        lines_max=_TITLE_LINES_MAX,
    )
    for session in found:
        table.add_row(
            session.short_id or session.session_id,
            render.harness(session.harness),
            dates.say(session.last_ms) + (" *" if session.is_live(dates.now_ms) else ""),
            f"{session.events:,}",
            session.branch or "-",
            session.title or "-",
        )
    screen.print(table)
    if any(session.is_live(dates.now_ms) for session in found):
        screen.print("\n* going on, or its end was not seen", style="dim")
