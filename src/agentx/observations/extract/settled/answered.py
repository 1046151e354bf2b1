"""Several questions that were answered at once: each answer is kept with its own question.

    agent  "1. Double opt-in or single?"   "2. Do you want open tracking?"
    user   "1 double"                      "2 no!! gdpr"

    user   "> Should keys expire?"         "yes, 1 year"

Answers are told apart by the numbers of their questions, or by the question quoted before each; as
many lines as there are questions answer them in their order.
"""

from __future__ import annotations

from collections.abc import Iterator

from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late, without_recall
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.settled.agreements import decision
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import is_question, shorten, show_excerpt, words

_ITEM = compile_late(r"[ \t]*(?:(?P<number>\d{1,2}|[a-h])[.):]|[-*\u2022])[ \t]+(?P<text>\S.*)")
_ANSWER = compile_late(r"[ \t]*(?P<number>\d{1,2}|[a-hA-H])[.):=-]*[ \t]+(?P<text>\S.*)")
_INLINE = compile_late(
    r"(?:(?<=\s)|(?<=\A)|(?<=,)|(?<=;))(?P<number>\d{1,2}|[a-hA-H])[.):=]\s*(?P<text>[^,;\n]{1,80})"
)
_QUOTED = compile_late(r"[ \t]*>+[ \t]?(?P<text>\S.*)")
_MARKS = compile_late(r"\*\*|__")
_CHARS = 110
_SEVERAL = 2
_ANSWER_WORDS_MAX = 40
_WEIGHT = 88


def find_several_answers(prompt: Turn, reply: Turn | None) -> list[Finding]:
    """Return what a person answered to several questions at once, each with its question."""
    if reply is None:
        return []
    text = without_recall(prompt.text).strip()
    asked = _list_asked(reply.text)
    pairs = list(_pair_quoted(text, asked)) or list(_pair_numbered(text, asked))
    if len(pairs) < _SEVERAL:
        return []
    ids = (reply.event_id, prompt.event_id)
    return [
        decision(
            f"{shorten(question, _CHARS)} The user answered: {shorten(said, _CHARS)}",
            f"{shorten(question, _CHARS)} -> {said}",
            prompt,
            ids,
            _WEIGHT,
        )
        for question, said in pairs
    ]


def _list_asked(text: str) -> dict[str, str]:
    """Return the questions of a list, by their numbers; those without one are counted."""
    found: dict[str, str] = {}
    for line in text.split("\n"):
        item = _ITEM.match(line)
        own = show_excerpt(_MARKS.sub("", item["text"])) if item else ""
        if item and "?" in own:
            found[(item["number"] or str(len(found) + 1)).casefold()] = own
    return found


def _pair_numbered(text: str, asked: dict[str, str]) -> Iterator[tuple[str, str]]:
    if len(asked) < _SEVERAL:
        return
    rows = [line for line in text.split("\n") if line.strip()]
    answers = [found for line in rows if (found := _ANSWER.match(line))]
    if len(answers) < _SEVERAL or len(answers) < len(rows):
        answers = list(_INLINE.finditer(text))
    if len(answers) >= _SEVERAL:
        for one in answers:
            question = asked.get(one["number"].casefold())
            if question and _may_answer(one["text"]):
                yield question, " ".join(one["text"].split())
    elif len(rows) == len(asked) and all(map(_may_answer, rows)):
        for question, row in zip(asked.values(), rows, strict=True):
            yield question, " ".join(row.lstrip("-* ").split())


def _pair_quoted(text: str, asked: dict[str, str]) -> Iterator[tuple[str, str]]:
    """Yield each question that is quoted, as it was asked, with what stands under it."""
    question, said = "", list[str]()
    for line in (*text.split("\n"), "> \u2026"):
        quoted = _QUOTED.match(line)
        if quoted is None:
            said += [line.strip()] if line.strip() else []
            continue
        answer = " ".join(said)
        if question and _may_answer(answer):
            yield question, answer
        question, said = _find_asked(quoted["text"], asked), []


def _find_asked(quoted: str, asked: dict[str, str]) -> str:
    """Return the question of which some words are quoted; what was not asked is none."""
    about = terms(quoted)
    for question in asked.values():
        if quoted.strip().casefold() in question.casefold():
            return question
        if about and about <= terms(question):
            return question
    return ""


def _may_answer(text: str) -> bool:
    return 0 < words(text) <= _ANSWER_WORDS_MAX and not is_question(text)
