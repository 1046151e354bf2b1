"""One thread, three looks: the stream of a chat, a terminal, an inbox line.

Each shows every entry that somebody made, in order with its words. What agents wrote is text, not
markup of ours: control characters that would disturb a terminal are replaced.
"""

from __future__ import annotations

from collections.abc import Callable

from agentx.clarification.contested import is_contested, say_contested
from agentx.clarification.model import (
    PARTIAL,
    PERSON,
    UNKNOWN,
    AnswerWorth,
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
    Reason,
    read_question,
)
from agentx.clarification.summary import (
    find_body,
    find_note,
    list_worth,
    mark_begun,
    name_begun,
    name_contrary,
    name_for_answers,
    name_later,
    name_worth,
    preview_said,
    say_before,
    say_begun,
    say_later,
    say_meanwhile,
    say_overruled,
    say_pointed_to,
    tell_meanwhile,
    tell_worth,
    was_called,
    why_escalated,
    word_ask,
)
from agentx.clarification.ways import LET_GO
from agentx.kernel.clock import age, to_iso
from agentx.kernel.roles import speak_role
from agentx.kernel.text import (
    cut,
    hang,
    preview,
    preview_ends,
    printable,
    quote_word,
)

_RESET = "\x1b[0m"
_COLOURS = {
    EntryType.QUESTION: "\x1b[36m",
    EntryType.ANSWER: "\x1b[32m",
    EntryType.RESOLUTION: "\x1b[1;32m",
    EntryType.ESCALATION: "\x1b[1;31m",
}
_STATUS_COLOURS = {
    ClarificationStatus.PENDING: "\x1b[33m",
    ClarificationStatus.ANSWERED: "\x1b[36m",
    ClarificationStatus.RESOLVED: "\x1b[32m",
    ClarificationStatus.STALE: "\x1b[35m",
    ClarificationStatus.ESCALATED: "\x1b[1;31m",
    ClarificationStatus.ABANDONED: "\x1b[2m",
}
_TOPIC_CHARS = 80
_QUESTION_CHARS = 200
_DECIDED_CHARS = 400
_SEVERAL = 2
GO_ON = LET_GO  # what is decided without a word
_WORDS_CHARS = 4_000  # more than anybody may say: files are written by anybody


# --- the stream of a chat -------------------------------------------------------------------


def stream(state: Clarification) -> str:
    """Return a thread as it runs through a chat."""
    said = "\n\n".join(stream_entry(state, entry) for entry in _list_shown(state))
    return f"{said}{say_overruled(state)}{say_later(state)}{say_meanwhile(state)}"


def _list_shown(state: Clarification) -> list[Entry]:
    """Return a thread without the calls for a person that nobody made."""
    return [
        entry
        for entry in state.thread
        if entry.type is not EntryType.ESCALATION or was_called(state, entry)
    ]


def stream_entry(state: Clarification, entry: Entry) -> str:
    """Return one entry as it runs through a chat."""
    asker, target = speak_role(state.asker), speak_role(state.to)
    shown = show_words(find_body(state, entry))
    body = hang(shown)  # what one agent says is nobody else's entry
    match entry.type:
        case EntryType.QUESTION:
            who, late = f"{asker}{_say_proviso(entry)}", say_late(state, entry)
            return f"[{who} -> {target}] Clarification needed: {body}{late}"
        case EntryType.ANSWER:
            asked = _name_question_before(state, entry)
            said = f"[{speak_entry(entry)}{say_worth(entry)}] {body}{say_late(state, entry)}"
            return f"{said}{asked}{mark_begun(state, entry)}"
        case EntryType.RESOLUTION:
            return "\n".join(
                line
                for line in (
                    f"[{asker}] Clarification resolved. Continuing...",
                    f"{_name_settler(state, entry, body)}{mark_begun(state, entry)}",
                )
                if line
            )
        case EntryType.ESCALATION:
            return f"[ESCALATED] {state.id}\n{shown}".replace("\n[", "\n  [")


def _name_question_before(state: Clarification, entry: Entry) -> str:
    """Return what a person's word is said to, where the thread has several questions."""
    question = name_question(state, entry) if entry.speaker == PERSON else ""
    return f" (asked: {printable(question)})" if question else ""


def show_words(body: str) -> str:
    """Return words as they are shown: nothing disturbs a terminal, nor is endless."""
    return printable(cut(body, _WORDS_CHARS))


def say_worth(entry: Entry) -> str:
    """Return how good an answer is, where it was said and is not simply an answer."""
    said = ", ".join(list_worth(entry))
    return f" ({said})" if said else ""


def routing(state: Clarification) -> str:
    """Return what is said while the target thinks."""
    return f"[Routing to {speak_role(state.to)} automatically...]"


def _name_settler(state: Clarification, entry: Entry, body: str) -> str:
    if entry.speaker == PERSON:
        asked = _name_question_before(state, entry)
        return f"[{speak_entry(entry)}] {body or 'settled it.'}{asked}"
    return body


def say_late(state: Clarification, entry: Entry) -> str:
    """Return that something came late, and after what; nothing where it did not."""
    if not entry.late or entry.doubt:  # who says it says what it is worth
        return ""
    is_called = any(was_called(state, each) and not each.late for each in state.thread)
    return " (after the escalation)" if is_called else " (after it was settled)"


def speak_entry(entry: Entry) -> str:
    """Return who says something, as a chat names them."""
    return f"{speak_role(entry.speaker)}{_say_proviso(entry)}"


# --- a terminal -----------------------------------------------------------------------------


def terminal(state: Clarification, *, colour: bool, say_time: Callable[[int], str] = to_iso) -> str:
    """Return a thread for a terminal, or for a file when it has no colours."""
    head = printable(f"{state.id}  {preview(state.topic, 200)}")
    blocks = "blocking" if state.blocking else "not blocking"
    facts = f"{state.status}, round {state.round}/{state.rounds_max}, {blocks}"
    lines = [f"{head}  {_tint(f'[{facts}]', _STATUS_COLOURS[state.status], colour)}"]
    for entry in _list_shown(state):
        lines.extend(_terminal_entry(state, entry, say_time(entry.at_ms), colour=colour))
        if begun := mark_begun(state, entry):
            lines.append(printable(f" {begun}"))
    if told := say_overruled(state):
        disagree = "  people disagree" if state.overruled else " "
        lines.append(printable(f"{disagree}{told}"))
    if told := say_later(state) or say_meanwhile(state):
        lines.append(printable(f" {told}"))
    return "\n".join(lines)


def _terminal_entry(state: Clarification, entry: Entry, at: str, *, colour: bool) -> list[str]:
    tint = _COLOURS[entry.type]
    match entry.type:
        case EntryType.QUESTION:
            who = f"{state.asker}{_say_proviso(entry)}"
            head = f"[Round {entry.round}{_mark_late(entry)}] {who} -> {state.to} ({at})"
            return [_tint(head, tint, colour), *_indent("Q: ", entry.body)]
        case EntryType.ANSWER:
            who = f"{entry.speaker_shown}{say_worth(entry)}"
            head = f"[Round {entry.round}{_mark_late(entry)}] {who} -> {state.asker} ({at})"
            return [_tint(head, tint, colour), *_indent("A: ", entry.body)]
        case EntryType.RESOLUTION | EntryType.ESCALATION:
            word = "RESOLVED" if entry.type is EntryType.RESOLUTION else "ESCALATED"
            head = f"[{word}{_mark_late(entry)}] {entry.speaker_shown} ({at})"
            body = find_body(state, entry)
            return [_tint(head, tint, colour), *(_indent("", body) if body else ())]


def _mark_late(entry: Entry) -> str:
    return " late" if entry.late and not entry.doubt else ""


def _indent(mark: str, body: str) -> list[str]:
    first, *rest = show_words(body).splitlines() or [""]
    return [f"  {mark}{first}", *(f"  {' ' * len(mark)}{line}" for line in rest)]


def _tint(text: str, tint: str, colour: bool) -> str:
    said = printable(text)
    return f"{tint}{said}{_RESET}" if colour else said


# --- lists ----------------------------------------------------------------------------------


def next_actions(state: Clarification, others: tuple[str, ...] = ()) -> tuple[str, ...]:
    """Return what can be done now, as commands, the likeliest first.

    `others` are whom the asker may ask beside who was asked.
    """
    match state.status:
        case ClarificationStatus.PENDING | ClarificationStatus.STALE:
            return (
                f'agentx clarify answer {state.typed} "..."',
                f"agentx clarify escalate {state.typed}",
            )
        case ClarificationStatus.ANSWERED:
            return _order_actions(state, others)
        case ClarificationStatus.ESCALATED:
            return (f'agentx clarify resolve {state.typed} "your decision"',)
        case ClarificationStatus.RESOLVED if is_contested(state):
            return (f"{word_ask(state, PERSON)} --ask-anyway",)
        case ClarificationStatus.RESOLVED | ClarificationStatus.ABANDONED:
            return ()


def _order_actions(state: Clarification, others: tuple[str, ...]) -> tuple[str, ...]:
    """Return what an asker can do with an answer: the likeliest depends on how good it is."""
    worth = AnswerWorth() if state.answered is None else state.answered.worth
    left = quote_word(preview(worth.remaining, 200) or "...")
    resolve = f"agentx clarify resolve {state.typed}"
    follow_up = f"agentx clarify ask --follow-up {state.typed} --question {left}"
    if is_contested(state):
        return f"agentx clarify escalate {state.typed}", resolve
    if worth.standing == PARTIAL:
        return follow_up, resolve
    if worth.standing != UNKNOWN:
        return resolve, follow_up
    ask = f"agentx clarify ask --issue {state.issue} --from {state.asker}"
    topic, question = (quote_word(preview(text, 200)) for text in (state.topic, state.question))
    asks = (f"{ask} --to {role} --topic {topic} --question {question}" for role in others)
    return (*asks, f"agentx clarify escalate {state.typed}", resolve)


def inbox_line(state: Clarification, who: str, now_ms: int) -> str:
    """Return what a role, or the person, is shown of a clarification in its inbox."""
    head = f"{state.id} (issue {state.issue}, {age(state.created_ms, now_ms=now_ms)}"
    head += f"; {state.issue_now}" if state.issue_now else ""
    about = preview(state.topic, 80)
    if who == PERSON and state.waits_for_person:
        return f"{head}): {_word_for_person(state, about)}"
    if state.to == who and state.is_unanswered:
        return _word_question(state, head, about)
    return f"{head}): {_word_outcome(state, about)}"


def _word_for_person(state: Clarification, about: str) -> str:
    waits = "waits for your decision" if state.holds_its_asker else "would like your decision"
    said = f"{state.asker} {waits} on {about}: {preview_ends(find_asked(state), 400)}"
    return f"{said}{tell_called(state)} -- decide with: {next_actions(state)[0]}"


def _word_question(state: Clarification, head: str, about: str) -> str:
    waits = " and waits for it" if state.holds_its_asker else ""
    overdue = ", overdue" if state.status is ClarificationStatus.STALE or state.retries else ""
    asked = preview_ends(find_asked(state), 400)
    return (
        f"{head}{overdue}): {state.asker} asks{waits}: {about}: {asked}"
        f'{say_meanwhile(state)} -- answer with: agentx clarify answer {state.typed} "..."'
    )


def _word_outcome(state: Clarification, about: str) -> str:
    """Return what became of a question, as its asker is shown it."""
    settled = state.resolution
    if state.status is ClarificationStatus.ESCALATED:
        goes_on = "wait for it" if state.holds_its_asker else "go on with what is known"
        return f"a person was called to decide {about}{tell_called(state)} -- {goes_on}"
    if settled is not None:
        about = name_matter(state, state.decision or settled)
        decided = say_decision(state, named=True, chars_max=_DECIDED_CHARS)
        return f"{name_decider(state)} decided {about}: {decided}"
    about, word = name_matter(state, state.answered), state.answered
    by = "a person" if word is None else f"{name_speaker(word)}{say_worth(word)}"
    said = preview_said(state, state.answer, _DECIDED_CHARS)
    against = f"{say_overruled(state)}{say_later(state)}{say_begun(state)}"
    return f"{by} answered {about}: {said}{against} -- {say_next(state)}"


def tell_called(state: Clarification) -> str:
    """Return what is known of what a person was called for, and has not decided; mostly nothing."""
    said = [(state.answered, "said"), (state.claim, "is said to have said")]
    answer, claim = (
        f"; {name_speaker(word)} {verb}: {preview_said(state, word.body, 200)}" if word else ""
        for word, verb in said
    )
    return f"{answer}{say_begun(state)}{claim}{say_meanwhile(state)}"


def say_next(state: Clarification) -> str:
    """Return what an asker can do with an answer, the likeliest."""
    first = next_actions(state)[0]
    standing = "" if state.answered is None else state.answered.worth.standing
    if is_contested(state):
        return f"call a person with: {first}"
    verb = {PARTIAL: "follow up with", UNKNOWN: "ask somebody else, or call a person with"}
    return f"{verb.get(standing, 'settle with')}: {first}"


def name_speaker(entry: Entry) -> str:
    """Return who said something, in words, with what must be told of that."""
    if entry.speaker == PERSON:
        return f"a person{_say_proviso(entry)}"
    return f"{entry.speaker} ({entry.doubt})" if entry.doubt else entry.speaker


def _say_proviso(entry: Entry) -> str:
    return f" ({entry.proviso})" if entry.proviso else ""


def find_asked(state: Clarification) -> str:
    """Return what is to be decided, or was: what could not be asked any more, or the question.

    Where clones that did not know of each other asked several things, all of them.
    """
    word = state.decision
    if state.reason is not Reason.MAX_ROUNDS or state.status is not ClarificationStatus.ESCALATED:
        return state.question if word is None else state.question_of(word)
    asked: list[str] = []
    for entry in (each for each in state.thread if not each.late):
        if entry.type is EntryType.RESOLUTION:
            asked = []
        words = read_question(entry)
        if words and (asked or entry.type is EntryType.ESCALATION):
            asked.append(words)
    return " / ".join(asked) or state.question


def name_matter(state: Clarification, word: Entry | None) -> str:
    """Return what something was said to: the topic, and the question where there were several."""
    topic, question = preview(state.topic, _TOPIC_CHARS), name_question(state, word)
    return f"{topic} ({question})" if question else topic


def name_question(state: Clarification, word: Entry | None) -> str:
    """Return the question that something was said to; nothing where there was only one."""
    asked = sum(bool(read_question(each)) for each in state.thread if not each.late)
    if word is None or asked < _SEVERAL:
        return ""
    return preview_ends(state.question_of(word), _QUESTION_CHARS)


def explain_escalation(state: Clarification) -> str:
    """Return why a person was called, and what was said then."""
    why = why_escalated(state, state.reason) if state.reason is not None else ""
    return "; ".join(filter(None, (why, find_note(state))))


def name_decider(state: Clarification) -> str:
    """Return whose word settled it: the person's who said so, else who said what was taken."""
    settled, word = state.resolution, state.decision
    is_persons = settled is not None and settled.speaker == PERSON
    is_doubtful = settled is not None and bool(settled.doubt)
    if is_persons and not (is_doubtful and word is not None and word.is_persons_word):
        word = settled  # who only lets it go, in doubt, makes what was said no less sure
    return "" if word is None else name_speaker(word)


def say_decision(state: Clarification, *, named: bool = False, chars_max: int = 0) -> str:
    """Return what was decided: what was said then, else the answer that was taken.

    What is doubtful about an answer stays so, whoever takes it; who is `named` beside says it.
    Words beyond `chars_max` are cut, and never what must be told with them.
    """
    word = state.decision
    is_taken = word is not None and word is not state.resolution
    if named and word is not None:
        is_taken &= word.doubt not in name_decider(state)
    doubt = f" ({word.doubt})" if word is not None and is_taken and word.doubt else ""
    before = say_pointed_to(state) or say_before(state)
    told = f"{before}{say_overruled(state)}{say_later(state)}{say_begun(state)}"
    words = find_decided(state)
    worth = "" if word is None else tell_worth(word)
    return f"{preview_said(state, words, chars_max) if chars_max else words}{doubt}{worth}{told}"


def say_against(state: Clarification) -> str:
    """Return what speaks against what stands, to be told beside an excerpt; mostly nothing.

    Also by which name it is answered, where its own meant another question here before.
    """
    against = (say_contested(state), name_contrary(state), name_begun(state))
    told = (name_later(state), *against, name_worth(state))
    return "; ".join(filter(None, (name_for_answers(state), *told, tell_meanwhile(state))))


def say_doubts(state: Clarification) -> str:
    """Return that a person's word in a thread is in doubt: an excerpt cuts off who said it."""
    doubts = dict.fromkeys(each.doubt for each in state.thread if each.is_reserved)
    return "; ".join(f"a person's word in it is {doubt}" for doubt in doubts if doubt)


def say_contrary(state: Clarification) -> str:
    """Return who answered otherwise, or later; once it is decided, `say_decision` says so."""
    begun = mark_begun(state, state.answered)
    if state.resolution is not None:
        return begun
    return f"{say_overruled(state)}{say_later(state)}{begun or say_begun(state)}"


def find_decided(state: Clarification) -> str:
    """Return the words that settled it, or that it was let go."""
    word = state.decision
    return (word.body if word is not None else "") or LET_GO


def listing(states: tuple[Clarification, ...], now_ms: int) -> str:
    """Return the active clarifications for a chat, with what can be done about each."""
    if not states:
        return "No active clarifications."
    lines = [f"{len(states)} active clarification{'s' if len(states) > 1 else ''}:", ""]
    for state in states:
        lines.append(
            f"- **{state.typed}** [{state.status}] "
            f"{speak_role(state.asker)} -> {speak_role(state.to)}, "
            f"round {state.round}/{state.rounds_max}, {age(state.created_ms, now_ms=now_ms)}: "
            f"{preview(state.topic, 100)}"
        )
        who = "the user, in a terminal" if state.waits_for_person else "next"
        lines.extend(f"  - {who}: `{action}`" for action in next_actions(state)[:1])
    return "\n".join(lines)
