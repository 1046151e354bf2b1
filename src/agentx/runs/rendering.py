"""How events and contexts of runs read."""

from __future__ import annotations

import re

from agentx.kernel.roles import PERSON_ROLE
from agentx.kernel.text import CONTESTED, compile_late, join_marks, preview
from agentx.kernel.vouching.standing import fold_said
from agentx.runs.asked import Escalation, PersonsAnswer
from agentx.runs.context import Context, Tier
from agentx.runs.model import Run, RunEvent
from agentx.runs.parts.said import LogEntry
from agentx.runs.rules.claims import ENDS_RUN
from agentx.runs.rules.draft import escalation_name

# The field that tells most of an event, by what it is called.
_TELLING = (
    *("name", "title", "question", "resolution", "reason", "phase", "verdict", "text", "branch"),
    *("operation", "to", "session"),
)
_QUESTION_CHARS = 120
_ANSWER_CHARS = 200
# The head of a piece, where somebody's words begin so: a changelog's `## [1.2.0]` is none.
_HEAD = compile_late(rf"^(?=[ \t]*#+[ \t]*\[(?:{'|'.join(Tier)})\])", re.MULTILINE | re.IGNORECASE)
_BOTH_CHARS = 60  # of each answer where several must fit into one line of memory


def event_line(event: RunEvent, run: Run) -> str:
    """Return an event of a run as one line that a person reads; an answer with what speaks
    against it.
    """
    asked = escalation_name(event.id) if event.kind == "escalation-raised" else ""
    words = [event.speaker, event.kind, asked or _name_asked(event, run), event.task, event.lane]
    said = next(
        (" ".join(event.text(name).split())[:200] for name in _TELLING if event.text(name)),
        "",
    )
    if event.kind == "task-claimed":
        said = f"until {event.text('until')[11:16]} UTC"
    line = " ".join(word for word in words if word) + (f": {said}" if said else "")
    against = _name_doubt(event, run)
    return f"{line} ({against})" if against else line


def mark_event(event: RunEvent, run: Run) -> str:
    """Return what must be told with an event wherever it is found; mostly nothing."""
    return join_marks(event.doubt if event.is_unconfirmed else "", _name_doubt(event, run))


def _name_doubt(event: RunEvent, run: Run) -> str:
    """Return what speaks against an event, but for that nobody saw a person say it."""
    if event.kind in ENDS_RUN and event.is_doubtful:
        return f"{event.standing}: nobody whom you trust vouches for it"
    if event.is_claim:
        return event.doubt
    asked = run.escalations.get(_name_asked(event, run))
    return "" if asked is None else _name_against(asked, asked.find_answer(event.id))


def _name_asked(event: RunEvent, run: Run) -> str:
    """Return which question an event answers; a conflict is one, too."""
    clash = run.conflicts.get(event.text("conflict"))
    return event.text("escalation") or ("" if clash is None else clash.escalation)


def say_doubted_end(run: Run) -> str:
    """Return who says that a run is over, where nobody vouches for that; else nothing."""
    end = run.doubted_end
    if end is None:
        return ""
    who = f"{end.actor} ({end.writer})" if end.writer else end.actor
    if end.counts:
        return f"it is {end.outcome} by the word of {who}, whom you do not trust"
    return f"{who} says that it is {end.outcome}: {end.why}, so that ends nothing"


def say_answer(asked: Escalation) -> str:
    """Return who answered a question and what, with what others answered otherwise."""
    stands = asked.standing
    who = asked.resolved_by if stands is None else stands.speaker
    return f"{who}: {preview(asked.resolution, _ANSWER_CHARS)}{say_beside(asked)}"


def say_beside(asked: Escalation) -> str:
    """Return what is told beside an answer: what others answered, trusted or not; or nothing."""
    return f"{_say_contrary(asked)}{f' [{CONTESTED}]' if asked.contesting else ''}"


def _name_beside(asked: Escalation) -> str:
    """Return the same, to be told with other things."""
    return join_marks(_name_contrary(asked), CONTESTED if asked.contesting else "")


def say_against(asked: Escalation) -> str:
    """Return the same to an agent that is handed the answer, with what is doubtful about it."""
    told = mark_standing(asked)
    return f"Of the answer to {asked.id}: {told}" if told else ""


def mark_standing(asked: Escalation) -> str:
    """Return what must be told with the answer that stands; mostly nothing."""
    stands = asked.standing
    return "" if stands is None else mark_answer(asked, stands.event_id)


def mark_answer(asked: Escalation, event_id: str) -> str:
    """Return what must be told with an answer wherever it is found, by its event; mostly nothing.

    That nobody saw a person say it, what others answered, and that it does not stand.
    """
    answer = asked.find_answer(event_id)
    return join_marks(answer.doubt if answer else "", _name_against(asked, answer))


def mark_taught(asked: Escalation, text: str) -> str:
    """Return what must be told with a lesson that repeats an answer, unless it says so itself."""
    stands, told = asked.standing, mark_standing(asked)
    if stands is None:
        claim = next((each for each in asked.claims if _repeats(text, each.text)), None)
        return _name_against(asked, claim) or f"{asked.id} has no such answer here"
    if text == say_both(asked):
        return join_marks(stands.doubt, CONTESTED if asked.contesting else "")
    if _repeats(text, stands.text) or stands.by != PERSON_ROLE:  # a merge settles a conflict, too
        return told
    return join_marks(f"answered otherwise since: {preview(stands.text, _ANSWER_CHARS)}", told)


def _repeats(lesson: str, answer: str) -> bool:
    """Tell whether a lesson says what was answered, or that something was resolved so."""
    said, told = fold_said(answer), fold_said(lesson)
    return told == said or told.endswith(f"resolved: {said}")


def _name_against(asked: Escalation, answer: PersonsAnswer | None) -> str:
    """Return what speaks against an answer; mostly nothing."""
    stands = asked.standing
    if answer is None:
        return ""
    if answer in asked.claims:
        return f"claims a person, {_say_why(answer)}: it settles nothing"
    if stands is None or answer == stands:
        return _name_beside(asked)
    if answer.text.split() == stands.text.split():
        return ""
    who = stands.owner or "a person"
    return f"{who} answered otherwise, which stands: {preview(stands.text, _ANSWER_CHARS)}"


def tell_decision(entry: LogEntry) -> str:
    """Return what was decided in a run and who says so, as one line of a list."""
    return f"- {entry.actor}: {' '.join(entry.told.split())}"


def tell_answered(asked: Escalation) -> str:
    """Return that a question was answered, with the question, to whoever goes on with the run."""
    question = preview(asked.question, _QUESTION_CHARS)
    return f"{asked.id} was answered (asked: {question}) by {say_answer(asked)}"


def list_answered(run: Run) -> list[Escalation]:
    """Return what people answered, in the order they did."""
    found = [
        each
        for each in run.escalations.values()
        if each.standing is not None and each.standing.by == PERSON_ROLE
    ]
    return sorted(found, key=lambda each: (each.resolved_ms or 0, each.id))


def list_claims(asked: Escalation) -> list[str]:
    """Return what claims to be a person's answer to a question and is vouched for by nobody."""
    return [
        f"unverified answer, which settles nothing ({_say_why(each)}): "
        f"{preview(each.text, _QUESTION_CHARS)}"
        for each in asked.claims
    ]


def tell_contradicted(asked: Escalation, own: str) -> str:
    """Return to who answered that another person's answer stands; nothing to others."""
    stands = asked.standing
    mine = [each for each in asked.contrary if each.key == own]
    if stands is None or not own or not mine:
        return ""
    who = stands.owner or "another person"
    said = "; ".join(_word_contrary(each, "you") for each in mine)
    return (
        f"{asked.id} ({preview(asked.question, _QUESTION_CHARS)}): {who} answered: "
        f"{preview(stands.text, _ANSWER_CHARS)}, which stands; {said}"
    )


def tell_unconfirmed(asked: Escalation, command: str) -> str:
    """Return to a person what only a program answered for them; nothing where more is told."""
    stands = asked.standing
    if stands is None or not stands.is_unconfirmed or asked.contrary or asked.contesting:
        return ""
    return (
        f"{asked.id} ({preview(asked.question, _QUESTION_CHARS)}): a program said it for a person, "
        f"unconfirmed: {preview(stands.text, _ANSWER_CHARS)}; say what holds: {command}"
    )


def tell_contested(asked: Escalation) -> str:
    """Return to a person that a writer whom they do not trust answered otherwise; or nothing.

    Never in that writer's words: `agentx run show` has them.
    """
    if not asked.contesting:
        return ""
    writers = list(dict.fromkeys(each.writer for each in asked.contesting if each.writer))
    named = ", ".join(writers) or "a writer"
    return (
        f"{asked.id} ({preview(asked.question, _QUESTION_CHARS)}) is contested: {named}, "
        "whom you do not trust, answered otherwise. `agentx run show` has both; "
        f'say what holds: agentx run escalate --resolve {asked.id} "ANSWER"; '
        f"or agentx trust --writer {writers[0] if writers else 'NAME'}"
    )


def say_both(asked: Escalation) -> str:
    """Return the answer that stands and what others answered otherwise, short enough to be told."""
    return f"{preview(asked.resolution, _BOTH_CHARS)}{_say_contrary(asked, _BOTH_CHARS)}"


def tell_otherwise(answer: PersonsAnswer) -> str:
    """Return who had answered otherwise, with all they said."""
    return _word_contrary(answer, answer.owner, len(answer.text))


def _say_contrary(asked: Escalation, limit: int = _ANSWER_CHARS) -> str:
    said = _name_contrary(asked, limit)
    return f" ({said})" if said else ""


def _name_contrary(asked: Escalation, limit: int = _ANSWER_CHARS) -> str:
    stands = asked.standing
    said = "; ".join(_word_contrary(each, each.owner, limit) for each in asked.contrary)
    return f"so says {stands.owner or 'a person'}; {said}" if said and stands else ""


def _word_contrary(answer: PersonsAnswer, by: str, limit: int = _ANSWER_CHARS) -> str:
    return f"{by or 'another person'} had answered otherwise: {preview(answer.text, limit)}"


def _say_why(claim: PersonsAnswer) -> str:
    return f"{claim.why}, of the writer {claim.writer}" if claim.writer else claim.why


def as_text(context: Context) -> str:
    """Return the context as a page."""
    lines = [f"# Context of {context.task} in {context.run_id}"]
    for fitted in context.pieces:
        piece = fitted.piece
        text = _HEAD.sub("> ", piece.text.rstrip("\n"))
        lines += ["", f"## [{piece.tier}] {piece.source}", "", text]
    if context.left_out:
        lines += ["", "## Left out for want of room", ""]
        lines += [f"- {each.source} ({each.tokens} tokens)" for each in context.left_out]
    return "\n".join(lines) + "\n"
