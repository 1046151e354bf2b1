"""What is shared, as one Markdown file that no viewer can be made to do more with than show.

What was typed stands behind `>`, what a tool was given and said in fences that it cannot close.
A reply stands as it was written, unless it holds something that a viewer would obey: HTML, a
picture, an address that is not of the web. Then it stands in a fence too.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.exchanges.rewrites import list_rewrites
from agentx.exchanges.turns import TurnKind
from agentx.kernel.text import compile_late, cut, printable, show_name
from agentx.operations.recall.session.part import SaidTurn, SessionItem, TakenStep
from agentx.surfaces.dates import Dates
from agentx.surfaces.page.sharing.contents import list_contents
from agentx.surfaces.page.sharing.gathering import Shared, SharedSession
from agentx.surfaces.page.words.diffs import list_lines

_TEXT_CHARS_MAX = 12_000
_OUTPUT_CHARS_MAX = 4_000
_DIFF_LINES_MAX = 400
_TICKS = compile_late(r"`+")
_OBEYED = compile_late(r"<[A-Za-z/!?]|!\[|&#|\]\((?!https?://)|^ {0,3}\[[^\]\n]*\]:", 8)
_HEADING = compile_late(r"^( {0,3})(#{1,6})(?=[ \t])", 8)
_SIGNS = compile_late(r"([\\`*_{}\[\]<>#|])")


def write_markdown(shared: Shared, dates: Dates, project: str) -> str:
    """Return the file."""
    return "\n\n".join(_write(shared, dates, project)) + "\n"


def _write(shared: Shared, dates: Dates, project: str) -> Iterator[str]:
    yield f"# {_say(shared.title)}"
    facts = list_contents(shared, dates)
    yield "\n".join(f"- {name}: {_say(words)}" for name, words in facts.items())
    if shared.lines:
        yield "\n".join(
            f"- **{_say(line.kind)}** {_say(line.text)} ({dates.say(line.at_ms)})"
            for line in shared.lines
        )
    for one in shared.sessions:
        yield from _write_session(one, dates)
    yield f"From the memory of {_say(project)}, {dates.say_iso(dates.now_ms)}, by AgentX."


def _write_session(one: SharedSession, dates: Dates) -> Iterator[str]:
    session = one.session
    yield f"## {_say(session.title) or 'A session without words'}"
    yield f"{_say(session.harness)}, {dates.say_span(session.first_ms, session.last_ms)}"
    for item in one.items:
        yield from _write_item(item, dates)


def _write_item(item: SessionItem, dates: Dates) -> Iterator[str]:
    at = dates.say(item.event.timestamp_ms)
    if isinstance(item, TakenStep):
        yield from _write_step(item, at)
        return
    text = printable(item.turn.text).strip()[:_TEXT_CHARS_MAX]
    if not text or not isinstance(item, SaidTurn):
        return
    if item.event.machine or item.turn.kind is TurnKind.OTHER:
        return
    yield f"### {item.turn.kind.value}, {at}"
    if item.turn.kind is TurnKind.PROMPT:
        yield "\n".join(f"> {_escape(line)}  " for line in text.split("\n"))
    elif _OBEYED.search(text):
        yield _fence(text)
    else:
        yield _HEADING.sub(r"\1####", text)


def _write_step(item: TakenStep, at: str) -> Iterator[str]:
    step = item.step
    ended = f", exit {step.exit_code}" if step.exit_code is not None else ""
    yield f"### {_say(show_name(step.call.tool) or 'tool')}, {at}{ended}"
    changes = list_rewrites(step)
    for change in changes:
        rows = [f"{mark.value} {line}" for mark, line in list_lines(change)[:_DIFF_LINES_MAX]]
        told = printable(cut("\n".join(rows), _TEXT_CHARS_MAX))
        yield f"{_say(change.path)}\n\n{_fence(told)}"
    if step.command:
        yield _fence(printable(cut(step.command, _OUTPUT_CHARS_MAX)))
    if step.output.strip() and (not changes or item.is_wrong):
        yield _fence(printable(cut(step.output.strip(), _OUTPUT_CHARS_MAX)))
    if item.commit is not None:
        yield f"commit {_say(item.commit.short)} {_say(item.commit.subject)}"


def _fence(text: str) -> str:
    longest = max(map(len, _TICKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}\n{text}\n{fence}"


def _say(text: str) -> str:
    """Return words as one line that means nothing to Markdown."""
    return _escape(" ".join(printable(text).split()))


def _escape(text: str) -> str:
    return _SIGNS.sub(r"\\\1", text).replace("&", "&amp;")
