"""From a session to the dialogue that a model is sent, and from its reply to messages.

Law: in a dialogue each call has its answer, and each answer its call: what compaction parted is
left out on both sides.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from agentx.agents.compaction import Message
from agentx.agents.loop.limits import LOOP_CALLS_IN_REPLY_MAX, LOOP_REPLY_TOKENS_MAX
from agentx.agents.loop.model import LoopSession
from agentx.kernel.clock import Millis
from agentx.llm.talk.port import (
    CalledTool,
    Dialogue,
    Line,
    ModelSays,
    PersonSays,
    TalkReply,
    ToolAnswer,
    ToolSpec,
    ToolsSay,
)
from agentx.redaction.redact import redact, redact_value

# What the model is told: by a person, or by AgentX, whose words teach nobody anything.
_TOLD = frozenset({"user", "task"})


def make_dialogue(session: LoopSession, specs: Sequence[ToolSpec], within_ms: int) -> Dialogue:
    """Return what the model is sent next, and how long its reply may take."""
    return Dialogue(
        system=session.system,
        lines=tuple(_join(_lines(session.messages))),
        tools=tuple(specs),
        max_output_tokens=LOOP_REPLY_TOKENS_MAX,
        within_ms=within_ms,
    )


def read_reply(reply: TalkReply, turn: int, at_ms: Millis) -> tuple[Message, ...]:
    """Return a reply as messages, without secrets; calls beyond the bound are left out."""
    said = redact(reply.text).strip()
    text = Message(role="assistant", content=said, turn=turn, at_ms=at_ms)
    calls = (
        Message(
            role="tool_call",
            content=call.name,
            tool=call.name,
            call_id=f"call-{turn}-{number}",
            arguments=redact_value(dict(call.arguments)),
            fault=call.fault,
            mark=call.mark,
            turn=turn,
            at_ms=at_ms,
        )
        for number, call in enumerate(reply.calls[:LOOP_CALLS_IN_REPLY_MAX], start=1)
    )
    return (*((text,) if said else ()), *calls)


def as_call(message: Message) -> CalledTool:
    """Return a message of a call as that call."""
    return CalledTool(
        id=message.call_id,
        name=message.tool,
        arguments=message.arguments,
        fault=message.fault,
        mark=message.mark,
    )


def _lines(messages: Sequence[Message]) -> Iterable[Line]:
    made = {each.call_id for each in messages if each.role == "tool_call"}
    answers = {each.call_id: each for each in messages if each.role == "tool"}
    whole = made & answers.keys()
    place = 0
    while place < len(messages):
        first = messages[place]
        if first.role in _TOLD:
            yield PersonSays(text=first.content)
            place += 1
            continue
        end = place
        while end < len(messages) and messages[end].role not in _TOLD:
            if messages[end].turn != first.turn:
                break
            end += 1
        group = messages[place:end]
        calls = tuple(
            as_call(each) for each in group if each.role == "tool_call" and each.call_id in whole
        )
        text = "\n\n".join(each.content for each in group if each.role == "assistant")
        if calls or text:
            yield ModelSays(text=text, calls=calls)
        if calls:
            yield ToolsSay(answers=tuple(_answer(answers[call.id]) for call in calls))
        place = end


def _answer(message: Message) -> ToolAnswer:
    return ToolAnswer(
        id=message.call_id, name=message.tool, text=message.content, failed=message.failed
    )


def _join(lines: Iterable[Line]) -> Iterable[Line]:
    """Yield lines of a person in a row as one."""
    before: PersonSays | None = None
    for line in lines:
        if isinstance(line, PersonSays):
            text = f"{before.text}\n\n{line.text}" if before else line.text
            before = PersonSays(text=text)
            continue
        if before:
            yield before
        before = None
        yield line
    if before:
        yield before
