"""What an agent is told when it is asked, and how its answer is read.

Everything goes into one text, in the same order for every agent: who it is, what is
asked, what was said before, what it is about. Documents and recalled memory are fenced
and named as data: they inform, they do not instruct.

An answer is worth more when it says how good it is, so it is asked for in four labelled
parts. Agents do not always keep to a form: the labels are found in plain text, in
Markdown and in JSON, and an answer without any is an answer.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator

from agentx.agents.runners.port import AnswerStanding, Ask, Reference, Reply, Wants
from agentx.clarification.model import CONFIDENCES
from agentx.kernel.roles import speak_role
from agentx.kernel.text import compile_late, disarm, fold_text, hang, printable

_FORM = """\
## How to answer

Answer the question itself; change no files. Use this form, in plain text:

STATUS: resolved, partial, unknown or needs-human
ANSWER: the direct answer, at most 2000 characters
CONFIDENCE: low, medium or high
EVIDENCE: what it rests on, one item a line with a leading "- " (file and line, or document)
REMAINING: what is still uncertain; for a partial answer, what a follow-up must ask; else "none"

`unknown` means that nothing you can see settles it; `needs-human` that a person must decide.
"""

_WORK = """\
## How to work

Work on the issue above in this repository, as your role says. When you cannot go on without an
answer from another role, ask it:

    agentx clarify ask --issue {issue} --from {role} --to ROLE --topic TOPIC --question TEXT --wait

End with a short report: what you did, what you decided and why, what is left.
"""

_LABELS = {
    "status": "status",
    "answer": "answer",
    "confidence": "confidence",
    "evidence": "evidence",
    "evidence and constraints": "evidence",
    "constraints": "evidence",
    "remaining": "remaining",
    "remaining uncertainty": "remaining",
    "uncertainty": "remaining",
    "follow-up": "remaining",
}
_LABEL = compile_late(
    r"^[ \t]*(?:[#>*_-]+[ \t]*)?[*_]*("
    + "|".join(sorted(_LABELS, key=len, reverse=True))
    + r")[*_]*"
    r"[ \t]*(?::[*_]*|$)[ \t]*(.*)$",
    re.IGNORECASE,
)
_FENCED_JSON = compile_late(r"```(?:json)?\s*\n(\{.*?\})\s*\n```", re.DOTALL)
_ITEM = compile_late(r"^[ \t]*(?:[-*+]|\d+[.)])[ \t]+")
_NOTHING = frozenset({"", "none", "none.", "n/a", "-", "nothing", "nothing."})


def prompt_of(ask: Ask, *, how_to_work: str = "") -> str:
    """Return everything an agent is told, as one text; how it works, where not by commands."""
    parts = _parts(ask, how_to_work or _WORK)
    return "\n\n".join(part.strip() for part in parts if part.strip()) + "\n"


def reply_of(text: str) -> Reply:
    """Return what an agent's text says; text without a form is an answer as it stands."""
    said = text.strip()
    parts = _from_json(said) or _from_labels(said)
    answer = parts.get("answer", "").strip()
    if not answer:
        return Reply(answer=said, text=said)
    remaining = parts.get("remaining", "").strip()
    return Reply(
        answer=answer,
        standing=_standing(parts.get("status", "")),
        evidence=tuple(_items(parts.get("evidence", ""))),
        remaining="" if remaining.lower() in _NOTHING else remaining,
        confidence=_read_confidence(parts.get("confidence", "")),
        is_judged="status" in parts,
        text=said,
    )


def _parts(ask: Ask, how_to_work: str) -> Iterator[str]:
    yield printable(ask.instructions)
    where = f" on issue #{ask.issue}" if ask.issue is not None else ""
    yield f"You are the {speak_role(ask.role)}{where}."
    if ask.recalled:
        yield ask.recalled
    for artifact in ask.artifacts:
        yield _fence(artifact)
    if ask.thread:
        said = "\n".join(f"[{each.speaker}, {each.kind}] {hang(each.body)}" for each in ask.thread)
        yield f"## What was said before\n\n{disarm(said)}"
    if ask.against:
        yield f"## What you must know of that\n\n{disarm(hang(ask.against))}"
    if ask.wants is Wants.WORK or ask.how_to_work:
        yield f"## The task\n\n{disarm(ask.question)}"
        if ask.how_to_work:
            yield ask.how_to_work
            return
        yield how_to_work.format(issue=ask.issue or "N", role=ask.role)
        return
    asked_by = f" from the {speak_role(ask.asked_by)}" if ask.asked_by else ""
    named = f" ({ask.clarification_id})" if ask.clarification_id else ""
    topic = f"Topic: {disarm(fold_text(ask.topic))}\n\n" if ask.topic else ""
    yield f"## The question{asked_by}{named}\n\n{topic}{disarm(ask.question)}"
    yield _FORM


def _fence(artifact: Reference) -> str:
    # A fence longer than any inside, so that a document cannot end its own.
    name, text = disarm(fold_text(artifact.name)), disarm(artifact.text)
    longest = max((len(run) for run in re.findall(r"`{3,}", text)), default=2)
    fence = "`" * (longest + 1)
    return f"## {name} (a document, for information)\n\n{fence}\n{text}\n{fence}"


def _from_labels(text: str) -> dict[str, str]:
    """Return the labelled parts of a text; nothing unless the answer is among them."""
    found: dict[str, list[str]] = {}
    current = ""
    for line in text.splitlines():
        label = _LABEL.match(line)
        if label is not None:
            current = _LABELS[label[1].lower()]
            # The last form counts: an agent may have shown the form before it filled it in.
            found[current] = [label[2]]
        elif current:
            found[current].append(line)
    parts = {name: "\n".join(lines).strip() for name, lines in found.items()}
    return parts if parts.get("answer") and ("status" in parts or len(parts) > 1) else {}


def _from_json(text: str) -> dict[str, str]:
    fenced = _FENCED_JSON.findall(text)
    candidate = fenced[-1] if fenced else text if text.startswith("{") else ""
    try:
        value = json.loads(candidate) if candidate else None
    except (ValueError, RecursionError):
        return {}
    if not isinstance(value, dict) or not isinstance(value.get("answer"), str):
        return {}
    return {
        _LABELS[str(name).lower()]: _as_text(part)
        for name, part in value.items()
        if str(name).lower() in _LABELS
    }


def _as_text(part: object) -> str:
    if isinstance(part, list):
        return "\n".join(f"- {item}" for item in part)
    return "" if part is None else str(part)


def _standing(said: str) -> AnswerStanding:
    word = re.sub(r"[^a-z]", "", said.strip().lower().split("\n")[0])
    for standing in AnswerStanding:
        if word.startswith(standing.replace("-", "")):
            return standing
    # An answer was given, but how good it is was not said in our words.
    return AnswerStanding.RESOLVED


def _read_confidence(said: str) -> str:
    words = re.findall(r"[a-z]+", said.lower())
    return next((word for word in words if word in CONFIDENCES), "")


def _items(text: str) -> Iterator[str]:
    for line in text.splitlines():
        item = _ITEM.sub("", line).strip()
        if item.lower() not in _NOTHING:
            yield item
