"""To ask another agent, to answer, and to see what waits: the clarification protocol for agents.

The same verbs as `agentx clarify`. What other agents wrote is fenced as data. The room is
imported when somebody asks, because every session pays for the server's start.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp.server import MCPServer
from mcp.types import CallToolResult
from pydantic import Field

from agentx.kernel.clock import SECOND_MS
from agentx.kernel.errors import AgentXError, InvalidValue
from agentx.kernel.limits import CLARIFY_TEXT_CHARS_MAX, CLARIFY_TOPIC_CHARS_MAX
from agentx.kernel.text import RECALL_CLOSE, RECALL_OPEN, disarm, preview
from agentx.surfaces.mcp.answer import NOTICE, Row, answer
from agentx.surfaces.mcp.desk import OpenProject
from agentx.surfaces.mcp.offering import offer

if TYPE_CHECKING:
    from agentx.clarification.model import Clarification

_TOKENS_MAX = 6_000
_WAIT_SECONDS_MAX = 300

Role = Annotated[str, Field(description="A role, such as engineer or architect", max_length=60)]


def register(server: MCPServer, opened: OpenProject) -> None:
    """Offer `ask`, `answer`, `inbox` and the prompt `clarify`."""
    _offer_ask(server, opened)
    _offer_answer(server, opened)
    _offer_inbox(server, opened)
    _offer_prompt(server, opened)


def _offer_ask(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="Ask another agent", reads_only=False)
    def ask(
        *,
        question: Annotated[str, Field(max_length=CLARIFY_TEXT_CHARS_MAX)],
        issue: Annotated[int | None, Field(description="The issue you work on", ge=0)] = None,
        asker: Annotated[str, Field(description="Your own role", max_length=60)] = "",
        to: Role = "",
        topic: Annotated[str, Field(max_length=CLARIFY_TOPIC_CHARS_MAX)] = "",
        follow_up: Annotated[str, Field(description="CLR-... to ask further on")] = "",
        blocking: Annotated[bool, Field(description="You cannot go on without it")] = True,
        wait_seconds: Annotated[
            int, Field(description="0 returns at once", ge=0, le=_WAIT_SECONDS_MAX)
        ] = 0,
    ) -> CallToolResult:
        """Ask an upstream agent what its requirement, design or decision means, through the hub.

        Ask one thing, precisely, and name the document. The answer comes at once if somebody can
        be asked, else it waits for that agent: look with `inbox`. Rounds are few; when they are
        used up, a person is called.
        """
        from agentx.clarification.model import NewQuestion  # noqa: PLC0415  see above
        from agentx.operations.questions import ask as clarify_ask  # noqa: PLC0415  see above

        waiting = clarify_ask.Waiting(wait_ms=wait_seconds * SECOND_MS) if wait_seconds else None
        project = opened()
        if follow_up:
            state = clarify_ask.follow_up(
                project, follow_up, question, by=asker, waiting=waiting, told=_nobody
            )
        elif issue is None:
            raise InvalidValue("an issue is missing", hint="give issue, asker, to and topic")
        else:
            request = NewQuestion(
                issue=issue, asker=asker, to=to, topic=topic, question=question, blocking=blocking
            )
            state = clarify_ask.ask(project, request, waiting=waiting, told=_nobody)
        return _say(state)


def _offer_answer(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="Answer another agent", reads_only=False)
    def answer(
        *,
        id: Annotated[str, Field(description="CLR-...", max_length=60)],  # noqa: A002  what the agent reads
        text: Annotated[str, Field(max_length=CLARIFY_TEXT_CHARS_MAX)] = "",
        resolve: Annotated[
            bool, Field(description="Settle it: you asked, and are content")
        ] = False,
        asker: Annotated[str, Field(description="Your own role", max_length=60)] = "",
    ) -> CallToolResult:
        """Answer a question that waits for you, or settle one of yours that was answered.

        Say the answer first, then what it rests on (file and line), then what is still open.
        """
        from agentx.operations.questions import settle as clarify_settle  # noqa: PLC0415  see above

        project = opened()
        verb = clarify_settle.resolve if resolve else clarify_settle.answer
        return _say(verb(project, id, text, by=asker))


def _offer_inbox(server: MCPServer, opened: OpenProject) -> None:
    @offer(server, opened=opened, title="What waits for you")
    def inbox(
        role: Annotated[str, Field(description="Your own role; empty shows all")] = "",
    ) -> CallToolResult:
        """Show questions that wait for your role, and answers to what it asked; empty: all active.

        Look when you begin, and when you waited for an answer.
        """
        from agentx.operations.questions import read as clarify_read  # noqa: PLC0415  see above

        project = opened()
        seen = clarify_read.inbox_of(project, role) if role else clarify_read.active(project)
        return answer_rows(seen.clarifications, seen.now_ms)


def _offer_prompt(server: MCPServer, opened: OpenProject) -> None:
    @server.prompt(
        title="Clarifications",
        description="What agents ask each other: all active ones, or the thread of an issue.",
    )
    def clarify(issue: str = "") -> str:
        try:
            said = _prompt(opened, issue)
        except AgentXError as error:
            said = f"{error.message}\n{error.hint}".strip()
        return f"{RECALL_OPEN} {NOTICE}\n{disarm(said)}\n{RECALL_CLOSE}"


def _prompt(opened: OpenProject, issue: str) -> str:
    from agentx.clarification.rendering import listing, stream  # noqa: PLC0415  see above
    from agentx.operations.questions import read as clarify_read  # noqa: PLC0415  see above

    project = opened()
    wanted = issue.strip().removeprefix("#")
    if not wanted:
        seen = clarify_read.active(project)
        return listing(seen.clarifications, seen.now_ms)
    if not (wanted.isascii() and wanted.isdigit()):
        raise InvalidValue(f"{issue[:40]!r} is no issue number", hint="such as 42")
    threads = tuple(clarify_read.thread(project, int(wanted)))
    if not threads:
        return f"Nobody asked anything about issue {wanted}."
    said = [f"{state.id} [{state.status}]\n\n{stream(state)}" for state in threads]
    open_now = tuple(state for state in threads if state.is_active)
    return "\n\n".join([*said, listing(open_now, project.clock.now_ms())])


def answer_rows(states: tuple[Clarification, ...], now_ms: int) -> CallToolResult:
    """Return clarifications as rows."""
    from agentx.clarification.rendering import as_data, listing  # noqa: PLC0415  see above

    rows = [Row(_line(state), as_data(state)) for state in states]
    head = "" if rows else listing((), now_ms)
    return answer(rows, budget=_TOKENS_MAX, head=head, more="`agentx clarify` shows them all.")


def _say(state: Clarification) -> CallToolResult:
    from agentx.clarification.rendering import as_data  # noqa: PLC0415  see above

    return answer([Row(_line(state), as_data(state))], budget=_TOKENS_MAX)


def _line(state: Clarification) -> str:
    shown = f"- {state.id} [{state.status}] {state.asker} -> {state.to}: {state.topic}"
    shown += f"\n  Q: {preview(state.question, CLARIFY_TEXT_CHARS_MAX)}"
    if state.answer and state.status != "pending":
        shown += f"\n  A: {preview(state.answer, CLARIFY_TEXT_CHARS_MAX)}"
    return shown


def _nobody(_entry: str) -> None:
    """Tell nobody: the reply says it all."""
