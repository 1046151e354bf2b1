"""Recalling: what an agent should know before it begins, within a budget."""

from __future__ import annotations

from dataclasses import replace

from agentx.host.files.plain import is_folder
from agentx.kernel.errors import InvalidValue
from agentx.kernel.paths import StorePaths
from agentx.memory.port import Memory
from agentx.operations.limits import RECALL_TOKENS_MAX
from agentx.operations.recall.section import RecallReply, RecallRequest, ask_daemon, open_asker
from agentx.project.project import Project
from agentx.project.roles.played import decide_role


def recall(project: Project, memory: Memory | None, request: RecallRequest) -> RecallReply:
    """Return the section, from the rooms alone where there is no memory at hand.

    Raises: InvalidValue for a budget that cannot be.
    """
    tokens = request.budget_tokens
    if not 1 <= tokens <= RECALL_TOKENS_MAX:
        raise InvalidValue(
            f"a budget of {tokens} tokens cannot be", hint=f"use 1 to {RECALL_TOKENS_MAX}"
        )
    request = replace(request, agent=decide_role(project, request.agent).role)
    return ask_daemon(project, memory, request) or _make(project, memory, request)


def recall_for(
    store: StorePaths,
    memory: Memory,
    *,
    directory: str,
    variables: dict[str, str],
    request: RecallRequest,
) -> RecallReply:
    """Return the section for who asks the daemon of a store.

    Raises: InvalidValue, NotFound.
    """
    project = open_asker(store, directory, variables)
    return recall(project, memory.of_project(project.id), request)


def may_remember(project: Project) -> bool:
    """Tell whether anything was ever kept here."""
    return is_folder(project.observations)


def _make(project: Project, memory: Memory | None, request: RecallRequest) -> RecallReply:
    # A daemon has it all at hand; a command that it answers does not wait for these.
    from agentx.recall.section.gather import ORDER, Gatherer  # noqa: PLC0415  see above
    from agentx.recall.section.render import Cap, section  # noqa: PLC0415  see above
    from agentx.recall.section.sources import About  # noqa: PLC0415  see above
    from agentx.wiring.section import section_sources  # noqa: PLC0415  see above

    _follow_ledgers(project)
    about = About(role=request.agent, issue=request.issue, context=request.context)
    search = None if memory is None else memory.search
    with section_sources(project, memory, search) as sources:
        tokens = min(request.budget_tokens, sources.tokens_max)
        found = Gatherer(sources, tokens=tokens).gather(about)
    cap = Cap(tokens=tokens)
    more = found.say_more(request.more)
    made = section(found.lines, cap, more=more, order=ORDER, untold=found.untold)
    return RecallReply(
        text=made.text,
        tokens=made.tokens,
        budget_tokens=tokens,
        lines=made.shown,
        left_out=made.left_out if found.lines else 0,  # what is withheld fits no budget
    )


def _follow_ledgers(project: Project) -> None:
    """Let memory take what questions came to; most projects wait for none of it."""
    if any(map(is_folder, project.asked)):
        from agentx.wiring.kept.following import follow_ledgers  # noqa: PLC0415  somebody asked something

        follow_ledgers(project)
