"""`agentx recall`: what an agent should know before it begins."""

from __future__ import annotations

import click
from rich.console import Console
from rich.text import Text

from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.operations.limits import RECALL_TOKENS_DEFAULT, RECALL_TOKENS_MAX
from agentx.operations.recall.recall import RecallReply, RecallRequest, recall
from agentx.surfaces.cli.frame import Invocation, Verb


@click.command(cls=Verb)
@click.option("--agent", default="", metavar="ROLE", help="First what was done in this role.")
@click.option(
    "--issue",
    type=click.IntRange(0, ISSUE_NUMBER_MAX),
    metavar="N",
    help="First what was done for this issue.",
)
@click.option(
    "--context", default="", metavar="TEXT", help="First what is close to this: what is to be done."
)
@click.option(
    "--budget",
    type=click.IntRange(1, RECALL_TOKENS_MAX),
    default=RECALL_TOKENS_DEFAULT,
    show_default=True,
    metavar="TOKENS",
)
@click.pass_obj
def command(
    invocation: Invocation, agent: str, issue: int | None, context: str, budget: int
) -> None:
    """Write what an agent should know before it begins: decisions, problems, outcomes, changes.

    It is what sessions are given at their start, only longer. Paste it, or pipe it to an agent.
    """
    with invocation.memory() as memory:
        memory.drain()
        memory.catch_up()
        reply = recall(
            invocation.project,
            memory,
            RecallRequest(agent=agent, issue=issue, context=context, budget_tokens=budget),
        )
    invocation.show(reply, lambda screen: _draw(screen, invocation, reply))


def _draw(screen: Console, invocation: Invocation, reply: RecallReply) -> None:
    if not reply.text:
        reason = "no line fits the budget" if reply.left_out else "nothing is remembered yet"
        invocation.talk.print(f"Nothing to recall: {reason}.")
        return
    screen.print(Text(reply.text), soft_wrap=True)
    said = f"{reply.tokens:,} of {reply.budget_tokens:,} tokens"
    invocation.talk.print(said, style="dim")
