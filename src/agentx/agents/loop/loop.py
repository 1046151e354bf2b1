"""The loop itself: ask the model, make its calls, keep every step; until there is an end.

    keep what was heard -> note what is begun -> do it -> keep its outcome -> ...

It is handed everything it touches: the model, the tools, the clock, who keeps the session and who
watches. Killed anywhere it is taken up where it was: what was heard is not asked again, what has
an outcome is not done again, and of what was begun without an outcome the model is told just that.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from agentx.agents.compaction import ContextCompactor, Message, Work
from agentx.agents.loop import wording
from agentx.agents.loop.guards import (
    GuardVerdict,
    digest_call,
    digest_result,
    is_first_change,
    judge,
)
from agentx.agents.loop.limits import (
    LOOP_CALLS_IN_REPLY_MAX,
    LOOP_CHANGED_NAMED_MAX,
    LOOP_CUT_OFF_MAX,
    LOOP_EMPTY_MAX,
    LOOP_MALFORMED_MAX,
    LOOP_RESULT_CHARS_MAX,
    LOOP_TRIED_KEPT_MAX,
)
from agentx.agents.loop.lines import as_call, make_dialogue, read_reply
from agentx.agents.loop.model import (
    Attempt,
    LoopEnd,
    LoopSession,
    SittingBounds,
    SittingEnd,
    Spent,
)
from agentx.agents.loop.port import Keep, LoopStep, See, Toolbox, ToolOutcome
from agentx.agents.loop.purse import Purse, SittingSpent
from agentx.host.crash import CrashPoint, passing
from agentx.kernel.clock import Clock
from agentx.kernel.errors import AgentXError, BudgetExceeded, ModelUnavailable
from agentx.kernel.text import preview, whole_head, whole_tail
from agentx.kernel.values import frozen
from agentx.llm.schema import fault_in
from agentx.llm.talk.port import CUT_OFF, CalledTool, Talker, TalkReply
from agentx.redaction.redact import redact

_BRIEF_CHARS_MAX = 200


@frozen
class LoopWorld:
    """What a loop is handed."""

    talker: Talker
    tools: Toolbox
    purse: Purse
    bounds: SittingBounds
    compactor: ContextCompactor
    clock: Clock
    keep: Keep
    see: See
    made_call: Callable[[CalledTool, str], None]  # a call, and how it stands: for the records


class AgentLoop:
    """One sitting of one session."""

    def __init__(self, world: LoopWorld, session: LoopSession) -> None:
        self._world = world
        self._began_ms = world.clock.now_ms()
        self._before = session.spent
        self.session = session
        # Arguments as they were meant, by call: what is kept has no secrets, and what looks like
        # one may belong into a file. A call that is made after a kill has only what was kept.
        self._meant: dict[str, CalledTool] = {}

    def run(self) -> LoopSession:
        """Go on until there is an end; return the session as it was kept last.

        Raises: UnavailableError where it cannot be kept.
        """
        self._keep(replace(self.session, ended=None, model=self._world.talker.name))
        try:
            while self.session.ended is None:
                self._go_on()
        except KeyboardInterrupt:
            self._end(LoopEnd.ABORTED, "a person stopped it")
        ended = self.session.ended
        if ended is not None and ended.kind not in (LoopEnd.WAITING, LoopEnd.ESCALATED):
            # What was learnt is told at the end of each sitting: what is known already is not kept
            # twice.
            self._world.compactor.compact_conversation(self.session.messages, self._work())
        return self.session

    def _go_on(self) -> None:
        met = self._find_bound()
        if met is not None:
            self._end(*met)
            return
        calls = self.session.open_calls
        if calls:
            self._call(calls[0])
        else:
            self._think()

    # --- bounds ---------------------------------------------------------------------------------

    def _find_bound(self) -> tuple[LoopEnd, str] | None:
        bounds, session = self._world.bounds, self.session
        turns = session.spent.turns - self._before.turns
        if self._left_ms() <= 0:
            return LoopEnd.MAX_TIME, self._say_time()
        if turns >= bounds.turns and not session.open_calls:
            return LoopEnd.MAX_ITERATIONS, f"{turns} turns were taken, as many as it may"
        return None

    def _say_time(self) -> str:
        return f"{self._world.bounds.time_ms / 60_000:g} minutes are over"

    def _left_ms(self) -> int:
        return self._began_ms + self._world.bounds.time_ms - self._world.clock.now_ms()

    # --- the model ------------------------------------------------------------------------------

    def _think(self) -> None:
        self._compact()
        world, session = self._world, self.session
        began_ms = world.clock.now_ms()
        dialogue = make_dialogue(session, world.tools.specs, max(self._left_ms(), 1))
        try:
            reply = world.talker.converse(dialogue, world.purse)
        except SittingSpent as error:
            kind = LoopEnd.MAX_COST if error.is_money else LoopEnd.MAX_TOKENS
            self._end(kind, error.message)
            return
        except BudgetExceeded as error:
            self._end(LoopEnd.DAY_SPENT, error.message)
            return
        except ModelUnavailable as error:
            # What was not heard may have been charged for: it is counted.
            counted = replace(session, spent=self._count())
            if self._left_ms() <= 0:
                self._end(LoopEnd.MAX_TIME, f"{self._say_time()}, before a reply came", counted)
            else:
                self._end(LoopEnd.ERROR, error.message, counted)
            return
        passing(CrashPoint.LOOP_HEARD)
        self._take(reply, world.clock.now_ms() - began_ms)

    def _take(self, reply: TalkReply, took_ms: int) -> None:
        session, now_ms = self.session, self._world.clock.now_ms()
        turn = session.spent.turns + 1
        heard = read_reply(reply, turn, now_ms)
        made = [each for each in heard if each.role == "tool_call"]
        self._meant = {kept.call_id: call for kept, call in zip(made, reply.calls, strict=False)}
        row, faults = session.in_row, list[str]()
        if reply.fault == CUT_OFF:
            # A call that was cut off may be half of what was meant: none of them is made.
            heard = tuple(each for each in heard if each.role == "assistant")
            row = replace(row, cut_off=row.cut_off + 1)
            faults.append(wording.SAY_CUT_OFF)
        elif not heard and not reply.fault:
            row = replace(row, empty=row.empty + 1)
            faults.append(wording.SAY_EMPTY)
        else:
            row = replace(row, empty=0, cut_off=0)
        if len(reply.calls) > LOOP_CALLS_IN_REPLY_MAX:
            left = len(reply.calls) - LOOP_CALLS_IN_REPLY_MAX
            heard = (*heard[:-1], replace(heard[-1], fault=wording.SAY_TOO_MANY.format(left=left)))
        told = tuple(
            Message(role="task", content=words, turn=turn, at_ms=now_ms) for words in faults
        )
        after = replace(
            session,
            messages=(*session.messages, *heard, *told),
            in_row=row,
            spent=self._count(turns=1),
        )
        self._settle_reply(after, reply)
        said = next((each.content for each in heard if each.role == "assistant"), "")
        if said or reply.fault:  # a reply of calls alone is seen by its calls
            self._show(
                "says",
                words=preview(said or reply.fault, _BRIEF_CHARS_MAX),
                tokens=reply.usage.tokens,
                took_ms=took_ms,
                failed=bool(reply.fault),
            )

    def _settle_reply(self, after: LoopSession, reply: TalkReply) -> None:
        """Keep a reply, with the end that it brings."""
        if reply.fault and reply.fault != CUT_OFF:
            self._end(LoopEnd.ERROR, reply.fault, after)
        elif after.in_row.cut_off >= LOOP_CUT_OFF_MAX:
            times = after.in_row.cut_off
            self._end(LoopEnd.CIRCUIT_BREAKER, f"{times} replies in a row were cut off", after)
        elif after.in_row.empty >= LOOP_EMPTY_MAX:
            times = after.in_row.empty
            self._end(LoopEnd.EMPTY_RESPONSE, f"{times} replies in a row were empty", after)
        elif not (reply.calls or reply.fault) and after.messages[-1].role == "assistant":
            self._end(LoopEnd.TEXT_RESPONSE, "the agent says that it is done", after)
        else:
            self._keep(after)

    def _compact(self) -> None:
        world, session = self._world, self.session
        if not world.compactor.needs_compaction(session.messages):
            return
        made = world.compactor.compact_conversation(session.messages, self._work())
        if made.messages == session.messages:
            return
        self._keep(replace(session, messages=made.messages, compactions=session.compactions + 1))
        words = f"{made.original_tokens:,} tokens are {made.compacted_tokens:,} now"
        self._show("compacts", words=words)

    def _work(self) -> Work:
        session = self.session
        return Work(agent=session.agent, session_id=session.id, issue_number=session.issue)

    # --- its calls ------------------------------------------------------------------------------

    def _call(self, message: Message) -> None:
        call = as_call(message)
        if self.session.begun == call.id:
            found = self._world.tools.take_up(call, self.session.waits_for, left_ms=self._left_ms())
            self._answer(call, found or ToolOutcome(text=wording.SAY_UNKNOWN, failed=True))
            return
        fault = self._find_fault(call)
        if fault:
            self._refuse(call, fault)
            return
        key = digest_call(call.name, call.arguments)
        verdict = judge(self.session.tried, key)
        if verdict.stops:
            self._break(call, verdict)
        elif verdict.blocks:
            last = next(each for each in reversed(self.session.tried) if each.call == key)
            text = wording.SAY_BLOCKED.format(why=verdict.says)
            self._answer(call, ToolOutcome(text=text, failed=True), as_before=last)
        else:
            outcome, took_ms = self._make(call)
            self._answer(call, outcome, verdict, took_ms=took_ms)

    def _find_fault(self, call: CalledTool) -> str:
        spec = next((each for each in self._world.tools.specs if each.name == call.name), None)
        if spec is None:
            known = ", ".join(each.name for each in self._world.tools.specs)
            return f"there is no tool {preview(call.name, 60)!r}; there are: {known}"
        unknown = set(call.arguments) - set(spec.schema["properties"])
        said = call.fault or fault_in(dict(call.arguments), spec.schema, "the call")
        if not said and unknown:
            said = f"{call.name} takes no {preview(min(unknown), 60)!r}"
        return said

    def _make(self, call: CalledTool) -> tuple[ToolOutcome, int]:
        """Make a call, and say how long it took; what may change something is noted before."""
        tools, began_ms = self._world.tools, self._world.clock.now_ms()
        if tools.has_effect(call):
            self._keep(replace(self.session, begun=call.id))
            self._world.made_call(call, "begun")
            passing(CrashPoint.LOOP_BEGUN)
        try:
            meant = self._meant.get(call.id, call)
            outcome = tools.use(replace(call, arguments=meant.arguments), left_ms=self._left_ms())
        except (AgentXError, OSError) as error:
            outcome = _explain(error)
        passing(CrashPoint.LOOP_DONE)
        return outcome, self._world.clock.now_ms() - began_ms

    def _answer(
        self,
        call: CalledTool,
        outcome: ToolOutcome,
        verdict: GuardVerdict | None = None,
        *,
        as_before: Attempt | None = None,
        malformed: int = 0,
        took_ms: int = 0,
    ) -> None:
        """Keep what came of a call."""
        session, now_ms = self.session, self._world.clock.now_ms()
        if outcome.waits_for:
            self._wait(call, outcome)
            return
        text = redact(_fit(outcome.text))
        key = digest_call(call.name, call.arguments)
        tried = as_before or Attempt(
            call=key,
            result=digest_result(text, failed=outcome.failed),
            changed=outcome.has_changed and is_first_change(session.tried, key),
            failed=outcome.failed,
        )
        note = (
            f"\n\n[{wording.SAY_WARNED.format(why=verdict.says)}]"
            if verdict and verdict.says
            else ""
        )
        answer = Message(
            role="tool",
            content=text + note,
            tool=call.name,
            call_id=call.id,
            failed=outcome.failed,
            turn=_turn_of(session, call.id),
            at_ms=now_ms,
        )
        changed = dict.fromkeys((*session.changed, *outcome.changed))
        after = replace(
            session,
            messages=(*session.messages, answer),
            tried=(*session.tried, tried)[-LOOP_TRIED_KEPT_MAX:],
            in_row=replace(session.in_row, malformed=malformed),
            changed=tuple(changed)[:LOOP_CHANGED_NAMED_MAX],
            begun="",
            waits_for="",
            spent=self._count(calls=1),
        )
        self._keep(after)
        self._world.made_call(call, "failed" if outcome.failed else "done")
        passing(CrashPoint.LOOP_ANSWERED)
        brief = redact(outcome.brief or preview(outcome.text, _BRIEF_CHARS_MAX))
        self._show("call", call, words=brief, failed=outcome.failed, took_ms=took_ms)

    def _wait(self, call: CalledTool, outcome: ToolOutcome) -> None:
        kind = LoopEnd.ESCALATED if outcome.calls_person else LoopEnd.WAITING
        waiting = replace(self.session, begun=call.id, waits_for=outcome.waits_for)
        self._end(kind, outcome.text, waiting)
        self._show("asks", call, words=outcome.brief)

    def _refuse(self, call: CalledTool, fault: str) -> None:
        """Tell the model of a call that none of the tools can make."""
        count = self.session.in_row.malformed + 1
        self._answer(call, ToolOutcome(text=f"not done: {fault}", failed=True), malformed=count)
        if count >= LOOP_MALFORMED_MAX:
            why = f"{count} calls in a row could not be made: {fault}"
            self._end(LoopEnd.CIRCUIT_BREAKER, why)

    def _break(self, call: CalledTool, verdict: GuardVerdict) -> None:
        """Stop: the calls that are left are not made, and have their answer."""
        for each in self.session.open_calls:
            text = wording.SAY_STOPPED.format(why=verdict.says)
            self._answer(as_call(each), ToolOutcome(text=text, failed=True))
        self._end(LoopEnd.CIRCUIT_BREAKER, f"{verdict.says}: {call.name}")

    # --- keeping --------------------------------------------------------------------------------

    def _count(self, *, turns: int = 0, calls: int = 0) -> Spent:
        spent, before, purse = self.session.spent, self._before, self._world.purse
        return Spent(
            turns=spent.turns + turns,
            calls=spent.calls + calls,
            tokens=before.tokens + purse.tokens,
            micro_usd=before.micro_usd + purse.micro_usd,
        )

    def _end(self, kind: LoopEnd, reason: str, session: LoopSession | None = None) -> None:
        ended = SittingEnd(kind=kind, reason=reason, at_ms=self._world.clock.now_ms())
        self._keep(replace(session or self.session, ended=ended))

    def _keep(self, session: LoopSession) -> None:
        now = replace(session, updated_ms=self._world.clock.now_ms())
        self._world.keep(now)
        self.session = now

    def _show(
        self,
        what: str,
        call: CalledTool | None = None,
        *,
        words: str,
        failed: bool = False,
        tokens: int = 0,
        took_ms: int = 0,
    ) -> None:
        self._world.see(
            LoopStep(
                turn=self.session.spent.turns,
                what=what,
                tool=call.name if call else "",
                words=words,
                failed=failed,
                tokens=tokens,
                micro_usd=self.session.spent.micro_usd,
                took_ms=took_ms,
            )
        )


def _turn_of(session: LoopSession, call_id: str) -> int:
    return next(each.turn for each in session.messages if each.call_id == call_id)


def _fit(text: str) -> str:
    """Return what the model is told of a result: both ends of what is too long."""
    if len(text) <= LOOP_RESULT_CHARS_MAX:
        return text
    half = LOOP_RESULT_CHARS_MAX // 2
    left_out = len(text) - 2 * half
    return (
        f"{whole_head(text, half)}\n[... {left_out:,} characters are left out here ...]\n"
        f"{whole_tail(text, half)}"
    )


def _explain(error: AgentXError | OSError) -> ToolOutcome:
    if isinstance(error, AgentXError):
        hint = f" ({error.hint})" if error.hint else ""
        return ToolOutcome(
            text=f"not done: {error.message}{hint}", brief=error.message, failed=True
        )
    said = error.strerror or str(error)
    return ToolOutcome(text=f"not done: {said}", brief=said, failed=True)
