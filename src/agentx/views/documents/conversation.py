"""What is remembered, as documents that can be found.

An event is found by what it says; a node by its title and lines; a grip by its words.
What says nothing (a start, a stop, an end) is no document. A tool's output is found by
itself, but does not colour what was said around it. What was asked of memory, and told
by it, is no document; nor is what an agent CLI puts into every session, like boot files.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agentx.conversation.model import Event
from agentx.conversation.toc_model import Grip, TocNode
from agentx.kernel.capture import EventType, MachineWords
from agentx.kernel.text import compile_late
from agentx.search.document import Document

EVENT, NODE, GRIP = "event", "toc_node", "grip"

_SILENT = frozenset({EventType.SESSION_START, EventType.SESSION_END, EventType.ASSISTANT_STOP})
# The key of a note that a session was told what is remembered.
_TOLD = "injected"
# A tool of our own MCP server, as agent CLIs spell it: mcp__agentx__search, agentx_search.
_OUR_TOOL = compile_late(r"(?:\A|[_.:/-])agentx(?:[_.:/-]|\Z)")
_UNHEARD = frozenset({EventType.TOOL_RESULT, EventType.NOTE})


# Of what machines say in the user's name, what others have not said as well.
_NEWS = frozenset({"", MachineWords.NOTIFICATION, MachineWords.REPORT, MachineWords.DELEGATION})


def event_document(event: Event) -> Document | None:
    """Return an event as a document, or None when there is nothing to find."""
    if event.event_type in _SILENT or not event.text.strip() or _is_our_own(event):
        return None
    if event.machine not in _NEWS:
        return None
    issue = event.metadata.get("issue", "")
    return Document(
        doc_type=EVENT,
        doc_id=event.event_id,
        text=event.text,
        timestamp_ms=event.timestamp_ms,
        project=event.project,
        session=event.session_id,
        agent=event.agent,
        harness=event.harness,
        role=event.role,
        speaker=_text(event.metadata.get("speaker")),
        is_act=event.event_type == EventType.TOOL_CALL,
        issue=str(issue) if isinstance(issue, int | str) else "",
    )


def chapter_documents(events: Iterable[Event]) -> Iterator[Document]:
    """Yield the documents that make up what was said, in order."""
    for event in events:
        document = None if event.event_type in _UNHEARD else event_document(event)
        if document is not None:
            yield document


def node_document(node: TocNode, project: str) -> Document:
    """Return a node of the table of contents as a document."""
    return Document(
        doc_type=NODE,
        doc_id=node.node_id,
        text="\n".join((node.title, *(bullet.text for bullet in node.bullets))),
        timestamp_ms=node.end_ms,
        keywords=node.keywords,
        project=project,
        session=node.sessions[0] if len(node.sessions) == 1 else "",
        agent=node.agents[0] if len(node.agents) == 1 else "",
        harness=node.harnesses[0] if len(node.harnesses) == 1 else "",
    )


def grip_document(grip: Grip, node: TocNode, project: str) -> Document:
    """Return a grip as a document."""
    return Document(
        doc_type=GRIP,
        doc_id=grip.grip_id,
        text=grip.excerpt,
        timestamp_ms=grip.timestamp_ms,
        project=project,
        session=node.sessions[0] if len(node.sessions) == 1 else "",
        harness=node.harnesses[0] if len(node.harnesses) == 1 else "",
    )


def _is_our_own(event: Event) -> bool:
    """Say whether an event is memory being asked or told: it must not feed on itself."""
    tool = event.metadata.get("tool_name")
    return _TOLD in event.metadata or (isinstance(tool, str) and _OUR_TOOL.search(tool) is not None)


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
