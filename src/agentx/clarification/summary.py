"""A thread in fewer words: for the person who is called, for the agent who is asked, for later.

The person gets the topic, each agent's position and what can be done. The agent gets
the newest round whole and the older ones as far as the budget goes. Once a thread is
settled its summary stands for it wherever it is injected; the thread stays on disk.
"""

from __future__ import annotations

from dataclasses import replace

from agentx.clarification.contested import (
    find_contesting,
    find_unconfirmed,
    find_uncounted,
    find_untrusted,
    say_by_whom,
    say_contested,
)
from agentx.clarification.limits import CLARIFY_SUMMARY_CHARS_MAX
from agentx.clarification.model import (
    PARTIAL,
    PERSON,
    UNASKED,
    UNKNOWN,
    Clarification,
    ClarificationStatus,
    Entry,
    EntryType,
    OverruledWord,
    Reason,
)
from agentx.clarification.ways import LET_GO, is_brought, may_let_go, says_let_go
from agentx.kernel.text import compile_late, fold_text, preview, preview_ends, quote_word
from agentx.kernel.tokens import Budget, estimate

_WHY = {
    Reason.MAX_ROUNDS: "{rounds} rounds without agreement",
    Reason.STALE: "{to} did not answer in time{again}",
    Reason.STUCK: "the same is asked over and over",
    Reason.DEADLOCK: "the agents wait for each other; the upstream question stays",
    Reason.AGENT_ERROR: "{to} could not be reached",
    Reason.MANUAL: "a person was called",
}
POSITIONS = "\nPositions:"  # what both say; a settled thread has it anyway
_OPTIONS = "\nOptions:\n"
# What is offered stands in lines of ours; a position or a note may offer whatever it likes.
_OFFERED = compile_late(r"(?m)^(\d\. .*?: agentx clarify resolve )CLR-\d+-\d+(@\w+)?")
_NOTE = "Note: "
_POSITION_CHARS = 400
_OLDER_CHARS = 200
_OVERRULED_CHARS = 200


def escalation_text(state: Clarification, reason: Reason, said: str = "") -> str:
    """Return what the person needs: topic, why, each agent's position, what can be done."""
    why = why_escalated(state, reason)
    asked = said if said and reason is Reason.MAX_ROUNDS else state.question
    lines = [f"Topic: {fold_text(state.topic)}", f"Why: {why}"]
    if said:
        lead = UNASKED if reason is Reason.MAX_ROUNDS else _NOTE
        lines.append(f"{lead}{fold_text(said)}")
    lines += [
        POSITIONS.strip(),
        f"- {state.asker}: {preview_ends(asked, _POSITION_CHARS) or 'no question'}",
        *_say_position(state),
        _OPTIONS.strip(),
        *(f"{number}. {option}" for number, option in enumerate(_options(state, asked), 1)),
    ]
    return "\n".join(lines)


def _say_position(state: Clarification) -> tuple[str, ...]:
    """Return what was answered to what is asked, and what only to what was asked before."""
    word = state.answered
    if word is None:
        return (f"- {state.to}: no answer",)
    said = f"{word.speaker_shown}: {preview_ends(word.body, _POSITION_CHARS) or 'no answer'}"
    asked = state.question_of(word)
    if asked == state.question:
        return (f"- {said}",)
    return f"- {state.to}: no answer", f"- before: {preview_ends(asked, _OLDER_CHARS)} -> {said}"


def rename_options(text: str, name: str) -> str:
    """Return what a person was called with, its options by the name that the question has now.

    What named it for good then does so still.
    """
    said, options, offered = text.rpartition(_OPTIONS)
    if not options:
        return text
    is_for_good = "@" in name
    return f"{said}{options}" + _OFFERED.sub(
        lambda found: f"{found[1]}{name}{'' if is_for_good else found[2] or ''}", offered
    )


def find_body(state: Clarification, entry: Entry) -> str:
    """Return what an entry says; what it offers a person goes by the name that commands take."""
    is_call = entry.type is EntryType.ESCALATION
    return rename_options(entry.body, state.typed) if is_call else entry.body


def ask_again(state: Clarification) -> str:
    """Return what the asker of a question that was given up can do, and why it was."""
    why = "its issue was closed" if state.reason is Reason.ISSUE_CLOSED else "its asker was done"
    return f"{why}, and nobody answered; {state.asker} asks again: {word_ask(state, state.to)}"


def word_ask(state: Clarification, to: str) -> str:
    """Return the command that asks the same anew: in other words it would be another question."""
    topic, question = (quote_word(fold_text(text)) for text in (state.topic, state.question))
    return (
        f"agentx clarify ask --issue {state.issue} --from {state.asker} --to {to} "
        f"--topic {topic} --question {question}"
    )


def was_called(state: Clarification, entry: Entry) -> bool:
    """Tell whether an entry calls a person; who decides unasked puts it there by that alone."""
    if entry.type is not EntryType.ESCALATION:
        return False
    settled = state.entries(EntryType.RESOLUTION)
    steps_in = any(each.speaker == PERSON and each.at_ms == entry.at_ms for each in settled)
    return not (steps_in and entry.speaker == PERSON)


def why_escalated(state: Clarification, reason: Reason) -> str:
    """Return why a person was called, in words."""
    words = {"rounds": state.round, "to": state.to, "again": _say_retry(state)}
    return _WHY.get(reason, str(reason)).format(**words)


def _say_retry(state: Clarification) -> str:
    """Return what became of asking once more: only what happened."""
    if state.retry is None:
        return "; nobody could be asked in its place"
    asked = f"; {state.retry.runner or 'it'} was asked once more"
    return f"{asked} and failed" if state.retry.outcome == "failed" else f"{asked}, no answer came"


def find_note(state: Clarification) -> str:
    """Return what was said when a person was called, or nothing."""
    lines = (line for line in state.summary.splitlines() if line.startswith(_NOTE))
    return next(lines, "").removeprefix(_NOTE)


def _options(state: Clarification, asked: str) -> tuple[str, ...]:
    resolve = f"agentx clarify resolve {state.typed}"
    options = [f'Decide it yourself: {resolve} "your decision"']
    # What was answered to an earlier round is no answer to this one.
    if state.answered is not None and state.question_of(state.answered) == asked:
        by = state.answered.speaker
        options.insert(0, f'Take the answer of {by}: {resolve} "as {by} says"')
    if may_let_go(f"{state.topic}\n{asked}"):  # else the words would answer it
        options.append(f'Let {state.asker} go on without: {resolve} "{LET_GO}"')
    return tuple(options)


def say_overruled(state: Clarification) -> str:
    """Return who said otherwise than the one whose word stands; nothing where nobody did.

    Also that somebody did who is not trusted.
    """
    said, contested = name_contrary(state), say_contested(state)
    overruled = f" ({said})" if said else ""
    return f"{overruled} [{contested}]" if contested else overruled


def say_later(state: Clarification) -> str:
    """Return what else a person said to the same, which stands; mostly nothing."""
    later = name_later(state)
    return f" ({later})" if later else ""


def name_later(state: Clarification) -> str:
    """Return the same, to be told beside an excerpt."""
    later = f"later decided otherwise: {state.decided_later}" if state.decided_later else ""
    said = "" if _waits(state) else state.stands_beside
    stands = f"a person had said to the same, which stands: {said}" if said else ""
    return "; ".join(filter(None, (later, stands)))


def _waits(state: Clarification) -> bool:
    return state.is_unanswered or state.status is ClarificationStatus.ESCALATED


def tell_meanwhile(state: Clarification) -> str:
    """Return of what waits what people said to the same elsewhere, and that it waits all the same.

    Who is asked the same once more is told what was said before it was asked, too.
    """
    before = state.stands_beside if _waits(state) else ""
    told = [f"a person had said to the same: {before}"] if before else []
    if since := state.decided_meanwhile:
        told.append(f"since it was asked a person said to the same: {since}")
    return f"{'; '.join(told)}; it waits for its own answer" if told else ""


def say_meanwhile(state: Clarification) -> str:
    """Return the same, to be told with what is asked."""
    said = tell_meanwhile(state)
    return f" ({said})" if said else ""


def preview_said(state: Clarification, words: str, chars_max: int) -> str:
    """Return words as both their ends, for a reservation stands last, and where all of them are."""
    shown = preview_ends(words, chars_max)
    is_whole = shown == preview_ends(words, len(words))
    return shown if is_whole else f"{shown} (all of it: agentx clarify --issue {state.issue})"


def name_for_answers(state: Clarification) -> str:
    """Return by which name it is answered, where its own meant another question here before."""
    return f"answered as {state.typed}" if state.goes_by and state.is_active else ""


def name_contrary(state: Clarification) -> str:
    """Return whose word stands, and who said otherwise; nothing where nobody did."""
    said = "; ".join(_word_overruled(each) for each in state.overruled)
    return f"so says {state.word_of or 'a person'}; {said}" if said else ""


def mark_begun(state: Clarification, entry: Entry | None) -> str:
    """Return what speaks by now against a word that was said before more was asked; or nothing."""
    return next((f" ({mark})" for word, mark in state.begun_with if word == entry), "")


def say_begun(state: Clarification) -> str:
    """Return what was said before more was asked, and stands no longer; mostly nothing."""
    told = name_begun(state)
    return f" ({told})" if told else ""


def name_begun(state: Clarification) -> str:
    """Return the same, to be told beside an excerpt."""
    return "; ".join(
        f'before: "{preview_ends(fold_text(word.body), _OVERRULED_CHARS)}" ({mark})'
        for word, mark in state.begun_with
    )


def say_pointed_to(state: Clarification) -> str:
    """Return what somebody answered whom a decision names: "as architect says"."""
    word, said = state.decision, state.answered
    if word is None or said is None or said is word:
        return ""
    is_named = said.speaker.casefold() in word.body.casefold()
    is_to_same = state.question_of(said) == state.question_of(word)
    told = f" ({said.speaker_shown} had answered: {preview_ends(said.body, _OVERRULED_CHARS)})"
    return told if is_named and is_to_same else ""


def say_before(state: Clarification) -> str:
    """Return what a person had surely answered who decided otherwise; mostly nothing.

    To the same question; who lets one go that its words may answer is told beside all they said.
    """
    word = state.decision
    if word is None or not word.is_persons_word or word is not state.resolution:
        return ""
    told = [find_contesting(state), *(each.entry for each in state.overruled)]
    said = [
        each
        for each in state.thread
        if each.is_persons_word
        and not each.doubt
        and each.body.split() not in ([], word.body.split())
        and state.is_own(each)
        and not (each.late or state.lets_go(each) or any(each is one for one in told))
    ]
    asked = state.question_of(word)
    before = [each for each in said if says_let_go(word.body) or state.question_of(each) == asked]
    if not before:
        return ""
    last = before[-1]
    to = "" if state.question_of(last) == asked else f' to "{preview(state.question_of(last), 80)}"'
    words = preview_ends(last.body, _OVERRULED_CHARS)
    return f" (a person had answered{to}: {words})"


def tell_overruled(state: Clarification) -> str:
    """Return to who said something that another person's word replaced it; nothing to others."""
    word = state.persons_word
    if word is None or not any(each.is_own for each in state.overruled):
        return ""
    verb = "decided" if word.type is EntryType.RESOLUTION else "answered"
    stands = (
        f"{state.word_of or 'another person'} {verb}: {preview_ends(word.body, _OVERRULED_CHARS)}"
    )
    own = "; ".join(
        _word_overruled(replace(each, by="you")) for each in state.overruled if each.is_own
    )
    return f"{state.id} ({preview(state.topic, 80)}): {stands}, which stands; {own}"


def tell_contested(state: Clarification, writer: str) -> str:
    """Return to the person who contests an answer, and what they can do about it."""
    word = find_untrusted(state)
    if word is None:
        return _tell_in_doubt(state)
    verb = "decided" if word.type is EntryType.RESOLUTION else "answered"
    otherwise = "it" if find_uncounted(state) is None else "otherwise"
    who = f"{writer or 'a writer'}, whom you do not trust, has {verb} {otherwise}"
    believe = f"; or believe it: agentx trust --writer {writer or 'NAME'}"
    if is_brought(word.via):
        said = f"brought {word.account}'s reply on GitHub, which says {otherwise}, unverified"
        who = f"{writer or 'a writer'}, whom you do not trust, {said}"
    elif word.account:
        who, believe = f"{word.account} said {otherwise} on GitHub, which was not taken", ""
    return (
        f"{state.id}: {who}. Read it: agentx clarify --issue {state.issue}; say what holds"
        f"{_word_anew(state) if state.asked_on else _word_resolve(state)}{believe}"
    )


def _word_resolve(state: Clarification) -> str:
    return f': agentx clarify resolve {state.typed} "..."'


def _word_anew(state: Clarification) -> str:
    """Return how what a thread asked before, or what is settled, is decided once more."""
    return f", asked anew: {word_ask(state, PERSON)} --ask-anyway"


def tell_unconfirmed(state: Clarification) -> str:
    """Return to the person what only a program said for them; nothing where none did."""
    word = find_unconfirmed(state)
    if word is None or state.lets_go(word):  # which takes nothing back that a person said
        return ""
    return (
        f"{state.id} ({preview(state.topic, 80)}): a program said it for a person, unconfirmed: "
        f"{preview_ends(word.body, _OVERRULED_CHARS)}; say what holds{_word_resolve(state)}"
    )


def _tell_in_doubt(state: Clarification) -> str:
    """Return to the person what was decided surely, otherwise than an unconfirmed word says."""
    by = say_by_whom(state)
    if not by:
        return ""
    stands = state.persons_word
    is_sure = stands is not None and not stands.doubt
    what = "what a person decided" if is_sure else "a person's unconfirmed word"
    is_decided = state.is_active or (find_contesting(state) is not None and not state.asked_on)
    return (
        f"{state.id}: its answer is {what}, and {by.rstrip('.')}. "
        f"Read it: agentx clarify --issue {state.issue}; say what holds at a terminal"
        f"{_word_resolve(state) if is_decided else _word_anew(state)}"
    )


def _word_overruled(word: OverruledWord) -> str:
    verb = "decided" if word.entry.type is EntryType.RESOLUTION else "answered"
    how = f"{verb} otherwise, too late" if word.entry.late else f"had {verb} otherwise"
    return f"{word.by or 'another person'} {how}: {preview_ends(word.entry.body, _OVERRULED_CHARS)}"


def tell_worth(entry: Entry) -> str:
    """Return how good an answer is, where it is not simply one, and what it leaves open."""
    left = preview(entry.worth.remaining, _OVERRULED_CHARS)
    said = "; ".join(filter(None, (", ".join(list_worth(entry)), left and f"leaves open: {left}")))
    return f" ({said})" if said else ""


def name_worth(state: Clarification) -> str:
    """Return how good the answer is that settled a thread, or is there; mostly nothing."""
    word = state.decision if state.resolution is not None else state.answered
    return "" if word is None else tell_worth(word).removeprefix(" (").removesuffix(")")


def list_worth(entry: Entry) -> list[str]:
    """Return how good its speaker says an answer is."""
    worth = entry.worth
    standing = {PARTIAL: "partly", UNKNOWN: "does not know"}.get(worth.standing, "")
    return [*filter(None, (standing, worth.confidence and f"{worth.confidence} confidence"))]


def resolution_summary(state: Clarification) -> str:
    """Return what a settled thread came to: each round in a line, and the decision."""
    settled = state.entries(EntryType.RESOLUTION)
    decision = settled[-1].body if settled else ""
    doubt = f" ({settled[-1].doubt})" if settled and settled[-1].doubt else ""
    by_person = bool(settled) and settled[-1].speaker == PERSON
    said = [
        entry
        for entry in state.thread
        if entry.type in {EntryType.QUESTION, EntryType.ANSWER}
        and not (entry.is_claim or (entry.late and entry.type is EntryType.QUESTION))
    ]
    each = CLARIFY_SUMMARY_CHARS_MAX // (len(said) + bool(decision) + 1)
    lines = [f"Topic: {preview(state.topic, each)}"]
    for entry in said:
        # What a settled thread keeps the beginning of alone is told so at once (`shortening`).
        is_whole = entry.type is EntryType.QUESTION or entry.speaker == PERSON
        show = preview_ends if is_whole or entry is state.answered else preview
        lines.append(show(f"{entry.speaker_shown}{tell_worth(entry)}: {entry.body}", each))
    if decision:
        head = f"Decided by a person{doubt}" if by_person else "Resolution"
        lines.append(preview_ends(f"{head}: {decision}", each))
    return "\n".join(lines)


def fit_thread(state: Clarification, budget_tokens: int) -> tuple[Entry, ...]:
    """Return the thread as an agent is shown it: within the budget, the newest round whole.

    Older rounds are shortened, then left out from the oldest on; a settled thread is its
    summary alone.
    """
    if state.status is ClarificationStatus.RESOLVED and state.summary:
        newest = state.resolution or state.thread[-1]
        return (
            Entry(
                round=newest.round,
                speaker=newest.speaker,
                type=EntryType.RESOLUTION,
                body=state.summary,
                at_ms=newest.at_ms,
                via=newest.via,
            ),
        )
    if sum(estimate(entry.body) for entry in state.thread) <= budget_tokens:
        return state.thread
    budget = Budget(budget_tokens)
    kept: list[Entry] = []
    for entry in reversed(state.thread):
        current = entry.round >= state.round
        body = entry.body if current else preview_ends(entry.body, _OLDER_CHARS)
        if estimate(body) > budget.left:
            body = preview_ends(body, _OLDER_CHARS)
        if estimate(body) > budget.left:
            break
        budget.take(estimate(body))
        kept.append(replace(entry, body=body))
    return tuple(reversed(kept))
