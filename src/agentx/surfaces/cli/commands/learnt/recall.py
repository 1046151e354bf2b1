"""`agentx recall`: what an agent should know before it begins."""

from __future__ import annotations

from typing import Any

import click

from agentx.kernel.limits import ISSUE_NUMBER_MAX
from agentx.operations.limits import RECALL_TOKENS_DEFAULT, RECALL_TOKENS_MAX
from agentx.operations.recall.recall import may_remember, recall
from agentx.operations.recall.section import RecallReply, RecallRequest
from agentx.surfaces.cli.frame import Invocation, Verb, plain
from agentx.surfaces.cli.screen import remark, remark_untold


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
    with invocation.reading() as memory:
        invocation.freshen(memory)
        reply = recall(
            invocation.project,
            memory,
            RecallRequest(agent=agent, issue=issue, context=context, budget_tokens=budget),
        )
    invocation.write(_list_told(reply), f"{reply.text}\n" if reply.text else "")
    if invocation.as_json:
        return
    if invocation.is_begun:
        is_behind = invocation.behind is not None
        has_memory = not reply.text and may_remember(invocation.project)
        remark(_count_tokens(reply, is_behind=is_behind, has_memory=has_memory))
    remark_untold(invocation.project)


def _list_told(reply: RecallReply) -> dict[str, Any]:
    """Return the section for a program, without scores: these are of one moment and version."""
    told: dict[str, Any] = plain(reply)
    for line in told["lines"]:
        del line["score"]
    return told


def _count_tokens(reply: RecallReply, *, is_behind: bool, has_memory: bool) -> str:
    if not reply.text:
        nothing = "nothing is summed up yet" if is_behind else "nothing is remembered yet"
        if has_memory:
            nothing = "nothing that may be told now is remembered (`agentx memory list` shows all)"
        reason = "no line fits the budget" if reply.left_out else nothing
        if not reply.budget_tokens:
            reason = "`memory.enabled` or `memory.maxTokens` lets nothing be recalled"
        return f"Nothing to recall: {reason}."
    return f"{reply.tokens:,} of {reply.budget_tokens:,} tokens"
