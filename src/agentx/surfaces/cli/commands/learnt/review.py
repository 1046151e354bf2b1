"""`agentx memory review`: the newest memories one by one, to keep, mend, pin or drop.

What is said of one is on disk before the next is shown, so that leaving in the middle, in
whatever way, loses nothing; what was answered is not asked again.
"""

from __future__ import annotations

import sys
from collections import Counter
from typing import TYPE_CHECKING

import click

from agentx.kernel.clock import age
from agentx.kernel.errors import ConflictError, InputError, InvalidValue
from agentx.kernel.text import preview, printable
from agentx.operations.limits import REVIEW_MAX
from agentx.surfaces.cli.commands.learnt.curate import has_editor, write_anew
from agentx.surfaces.cli.frame import Invocation, Verb
from agentx.surfaces.cli.screen import ask_text, ask_which

if TYPE_CHECKING:
    from agentx.operations.memory.review import ReviewItem, ReviewList

_ASKED = "[k]eep [m]end [p]in [d]rop [s]kip [q]uit"
_KEYS = "skmpdq"  # Return skips: nobody keeps or drops by leaning on a key
_DONE = {"k": "kept", "m": "mended", "p": "pinned", "d": "dropped", "s": "skipped"}


@click.command("review", cls=Verb)
@click.option(
    "--limit",
    type=click.IntRange(1, 1_000),
    default=REVIEW_MAX,
    show_default=True,
    metavar="N",
    help="How many at most.",
)
@click.pass_obj
def review(invocation: Invocation, limit: int) -> None:
    """Go through the newest memories one by one: keep, mend, pin or drop.

    What you kept, mended or pinned is not shown again. Without a terminal: --json lists what is
    to review, and `agentx memory keep|edit|pin|drop ID` say the same.
    """
    from agentx.daemon.door import prepare_next
    from agentx.operations.memory.review import memory_review

    if not invocation.as_json and not sys.stdin.isatty():
        raise InvalidValue(
            "a review asks in a terminal, and there is none",
            hint="`agentx memory review --json` lists what is to review;"
            " then `agentx memory keep|edit|pin|drop ID`",
        )
    with invocation.reading() as memory:
        invocation.freshen(memory, views=False)
        found = memory_review(invocation.project, memory, limit)
    if invocation.as_json:
        invocation.show(found, lambda _screen: None)
        return
    _go_through(invocation, found)
    prepare_next(invocation.project)


def _go_through(invocation: Invocation, found: ReviewList) -> None:
    talk = invocation.talk
    done: Counter[str] = Counter()
    for number, item in enumerate(found.items, 1):
        _show(invocation, item, f"{number} of {len(found.items)}")
        said = _ask(invocation, item)
        if said == "q":
            break
        done[said] += 1
    left = found.waiting - sum(count for said, count in done.items() if said != "s")
    told = ", ".join(f"{done[key]} {word}" for key, word in _DONE.items() if done[key])
    talk.print(f"{told or 'nothing was changed'}; {left} left to review")


def _ask(invocation: Invocation, item: ReviewItem) -> str:
    """Ask until something was done or nothing is to be done; return the letter."""
    while True:
        said = ask_which(_ASKED, _KEYS)
        try:
            if said in "sq" or _do(invocation, item, said):
                return said
        except (ConflictError, InputError) as error:
            # Another process, or another terminal, was faster.
            invocation.talk.print(printable(f"{error.message}. {error.hint}"))
            if isinstance(error, ConflictError):
                return "s"


def _do(invocation: Invocation, item: ReviewItem, said: str) -> bool:
    """Do what a person said; tell whether it is done."""
    from agentx.operations.memory import curate

    project, name = invocation.project, item.observation.id
    if said == "k":
        curate.memory_keep(project, name)
    elif said == "p":
        done = curate.memory_pin(project, name)
        if done.total > done.told_max:
            invocation.talk.print(
                f"{done.total} are pinned and only the newest {done.told_max} are told"
            )
    elif said == "d":
        curate.memory_drop(project, name, why=ask_text("why (Return for no reason)"))
    else:
        before = item.observation.content
        if has_editor(invocation):
            text = write_anew(invocation, before)
        else:
            text = ask_text("new text (Return leaves it)")
        if text in ("", before):
            return False
        curate.memory_edit(project, name, text)
    return True


def _show(invocation: Invocation, item: ReviewItem, where: str) -> None:
    talk, one = invocation.talk, item.observation
    now_ms = invocation.project.clock.now_ms()
    issue = f"issue {one.issue_number}" if one.issue_number else ""
    session = f"session {preview(one.session_id, 12)}" if one.session_id else ""
    source = (one.category, age(one.timestamp_ms, now_ms=now_ms), issue, one.agent, session)
    # The agent is the agent CLI itself where nobody had a role.
    told = [*source, *([item.harness] if item.harness != one.agent else [])]
    talk.print()
    talk.print(printable(f"{where}  " + "  ".join(filter(None, told))), style="dim")
    talk.print(printable(one.content))
    if one.against:
        talk.print(printable(f"  ({one.against})"), style="yellow", soft_wrap=True)
    if item.quote and item.quote not in one.content:
        talk.print(printable(f'  "{item.quote}"'), style="dim")
    talk.print(printable(f"  {one.id}"), style="dim", soft_wrap=True)
