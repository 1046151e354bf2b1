"""`agentx trust`: let a repository's files act and its data be told, or no longer."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from agentx.kernel.errors import InvalidValue
from agentx.kernel.text import fold_text, preview, show_name
from agentx.operations.setup.trust import (
    ActingView,
    TrustReply,
    give_trust,
    look_at_trust,
    require_person_to_trust,
    revoke_trust,
)
from agentx.operations.setup.writers import (
    WriterView,
    find_writer,
    trust_writer,
    withdraw_writer,
)
from agentx.project.roles.caller import find_caller
from agentx.surfaces.cli import render, screen
from agentx.surfaces.cli.frame import Invocation, Verb

_NAME_CHARS_SHOWN = 40
_NAMED_MAX = 3
_EVERYWHERE = ", here and in every other checkout that goes by this repository's cards"

if TYPE_CHECKING:
    from rich.console import Console

_EXIT_UNDECIDED = 2
_SAYS = {
    "trusted": "trusted",
    "new": "not trusted",
    "changed": "changed since you trusted it",
    "unreadable": "no plain file of a sensible size: it never acts",
}


@click.command(cls=Verb)
@click.option("--show", is_flag=True, help="Only show what is trusted and what would be.")
@click.option("--revoke", is_flag=True, help="Make the repository a stranger's again.")
@click.option(
    "--writer",
    metavar="NAME",
    default="",
    help="Believe this writer of questions where it says what a person said: its id, its key, or "
    "the name it gives itself where it alone has that.",
)
@click.option("--yes", "-y", is_flag=True, help="Do not ask: for scripts and CI.")
@click.pass_context
def command(ctx: click.Context, show: bool, revoke: bool, writer: str, yes: bool) -> None:
    """Trust this repository: let its settings, workflows and role texts act, and its data be told.

    A cloned repository is a stranger's: until you trust it nothing in .agentx/ or .agent-memory/
    is obeyed or told to an agent. A file that acts is trusted with its present content; when it
    changes you are asked again. Worktrees share trust; a new clone has none.

    Writers of questions sign what they write. What a person said counts where you trust its
    writer: compare the fingerprint with what they see as theirs.
    """
    invocation: Invocation = ctx.obj
    if writer:
        _change_writer(invocation, writer, revoke=revoke, yes=yes, show=show)
        return
    if show + revoke + yes > 1:
        raise InvalidValue("--show, --revoke and --yes are three things", hint="give one of them")
    project = invocation.project
    if revoke:
        was_trusted = revoke_trust(project)
        says = "no longer trusted" if was_trusted else "was not trusted"
        reply = {"root": str(project.root), "revoked": was_trusted}
        invocation.show(reply, lambda screen: screen.print(f"{show_name(project.root)}: {says}"))
        return
    looked, files = look_at_trust(project)
    if show or (looked.is_complete and looked.by == "trust"):
        invocation.show(looked, lambda screen: _draw(screen, looked))
        return
    if not yes:
        if invocation.as_json or not sys.stdin.isatty():
            invocation.show(looked, lambda screen: _draw(screen, looked))
            invocation.talk.print("nothing was trusted: say so with `agentx trust --yes`")
            ctx.exit(_EXIT_UNDECIDED)
        require_person_to_trust(project)
        _draw(invocation.talk, looked)
        screen.ask("Trust it?", or_leave=True)
    done = give_trust(project, files)
    invocation.show(done, lambda screen: _say_done(screen, done))


def _change_writer(
    invocation: Invocation, writer: str, *, revoke: bool, yes: bool, show: bool
) -> None:
    if show:
        raise InvalidValue("--show and --writer are two things", hint="give one of them")
    project = invocation.project
    caller = find_caller(project)
    if not (yes or revoke or invocation.as_json) and sys.stdin.isatty() and not caller.is_agent:
        _draw_writer(invocation.talk, find_writer(project, writer))
        screen.ask("Believe what it says that a person said?", or_leave=True)
    verb = withdraw_writer if revoke else trust_writer
    done = verb(project, writer, caller=caller)
    says = "trusted no longer" + _EVERYWHERE if revoke else "trusted"
    invocation.show(done, lambda page: page.print(f"{done.writer}: {says}", soft_wrap=True))


def _draw_writer(screen: Console, each: WriterView) -> None:
    who = _name(each)
    if not each.fingerprint:
        screen.print(f"    {who}: unsigned, never believed where it claims a person")
        return
    groups = [each.fingerprint[at : at + 4] for at in range(0, len(each.fingerprint), 4)]
    state = "yours" if each.own else "trusted" if each.trusted else "not trusted"
    state += ", yours with a key that is gone" if each.was_own else ""
    since = f" since {each.since[:10]}" if each.since else ""
    screen.print(f"    {who}: {state}", soft_wrap=True)
    came = ", came with runs" if each.is_brought else ""
    screen.print(f"      key {' '.join(groups)}{since}{came}", style="dim", soft_wrap=True)
    for other in each.refused:
        line = f"      somebody shows another key as {each.writer}; it is not taken: {other}"
        screen.print(line, style="yellow", soft_wrap=True)


def _list_strangers(reply: TrustReply) -> list[WriterView]:
    """Return who shows a key that the user does not trust."""
    return [each for each in reply.writers if each.fingerprint and not each.trusted]


def _say_how(screen: Console, strangers: list[WriterView]) -> None:
    screen.print(f"    believe one: agentx trust --writer {strangers[0].writer}", style="dim")


def _name(each: WriterView) -> str:
    return f"{each.writer}, calls itself {_quote(each.name)}" if each.name else each.writer


def _quote(name: str) -> str:
    """Return a name that a stranger chose, so that it cannot be read as more than a name."""
    plain = show_name(preview(fold_text(name), _NAME_CHARS_SHOWN)).replace('"', "'")
    return f'"{plain}"'


def _draw(screen: Console, reply: TrustReply) -> None:
    screen.print(show_name(reply.root), style="bold", soft_wrap=True)
    if not (reply.acting or reply.data or reply.never_ours or reply.runs):
        screen.print(
            "  nothing of it asks for trust: it has no data of AgentX and no file that acts"
        )
    for file in reply.acting:
        _draw_file(screen, file)
    for held in reply.data:
        by = f", by {', '.join(held.authors)}" if held.authors else ""
        odd = f", {held.unreadable:,} files unreadable" if held.unreadable else ""
        says = "trusted" if reply.data_trusted else "not trusted"
        line = f"  {held.kind}: {held.count:,} ({says}){by}{odd}"
        screen.print(line, soft_wrap=True)
    for name in reply.runs:
        says = f"  runs of others: {name}, which `agentx run sync` takes in once this is trusted;"
        screen.print(f"{says} look at it: `git log -p {name}`", soft_wrap=True)
    for name in reply.never_ours:
        line = f"  .agentx/{name}: git tracks it, so it is never taken for yours"
        screen.print(line, soft_wrap=True)
    if reply.writers:
        screen.print("  writers of questions and runs:")
    for each in reply.writers:
        _draw_writer(screen, each)
    strangers = _list_strangers(reply)
    if strangers:
        _say_how(screen, strangers)
    when = f"last trusted {reply.at} ({reply.by})" if reply.at else "never trusted"
    screen.print(f"  {when}", style="dim")


def _draw_file(screen: Console, file: ActingView) -> None:
    screen.print(f"  {show_name(file.path)}: {_SAYS[file.state]}", soft_wrap=True)
    for line in file.text.splitlines():
        screen.print(f"    | {line}", soft_wrap=True)


def _say_done(screen: Console, reply: TrustReply) -> None:
    acts = render.count(sum(each.state == "trusted" for each in reply.acting), "file")
    screen.print(f"{show_name(reply.root)}: trusted, {acts} may act", soft_wrap=True)
    if reply.adopted:
        moved = render.count(reply.adopted, "observation")
        screen.print(f"  {moved} of yours moved to .agentx/memory")
    for each in reply.writers:
        if each.trusted and not each.own:
            screen.print(f"  {_name(each)}: believed, as you said before", soft_wrap=True)
    strangers = _list_strangers(reply)
    if strangers:
        named = ", ".join(map(_name, strangers[:_NAMED_MAX]))
        more = f" and {len(strangers) - _NAMED_MAX:,} more" if len(strangers) > _NAMED_MAX else ""
        screen.print(f"  not believed where they claim a person: {named}{more}", soft_wrap=True)
        _say_how(screen, strangers)
