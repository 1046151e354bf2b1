"""What was put off: by the user's word, or left on the agent's own list when the session ended.

    "I would give the map a view of its own."   "ok do that tomorrow"
    "leave the importer for after the upgrade"
    a list of tasks of which some are done, and the last ones are not

A list on which nothing was ever ticked off says nothing: its agent did not keep it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, lines
from agentx.exchanges.turns import Turn
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage
from agentx.prose.sentences import Block, is_question, shorten, words

_WHEN = (
    r"(?:tomorrow|later|next (?:week|time|session|sprint|month)|another (?:day|time)"
    r"|(?:on |next )?(?:mon|tues|wednes|thurs|fri|satur|sun)day|after (?:that|the|we|this|lunch)\b"
    r"|in a (?:follow-?up|later|separate|new)|morgen|sp\u00e4ter|ma\u00f1ana|m\u00e1s tarde|demain"
    r"|plus tard)(?![.\w]\w)"
)
_DOES = "do|finish|fix|handle|continue|take|tackle|look at|add|build|write|make"
_LEAVES = "leave|keep|save|postpone|park|defer|put off|skip"
_PUTS_OFF = cues.at_the_start(
    rf"""
    (?:let'?s |we(?:'ll| can| will)? |i(?:'ll| will)? )?(?:{_DOES}) [^.;!?\n]{{1,60}}? {_WHEN}
    (?:let'?s )?(?:{_LEAVES}) [^.;!?\n]{{1,80}}? (?:(?:for|until|till|to) )?{_WHEN}
    [^.;!?\n]{{2,60}}? can wait(?: until| till| for)?
    (?:das|es) (?:machen wir|mache ich) {_WHEN}
    """,
    after=r"""
    ok(?:ay)? | k | yes | yeah | yep | sure | fine | good | great | nice | right | thanks? | thx
    but | and | no | then | hm+ | well | please | ah | cool | alright | gut | ja | bien
    """,
)
_PRONOUNS = cues.anywhere(
    "that | it | this | these | those | the rest | them | das | es | eso | \u00e7a"
)
_OPEN = frozenset({"pending", "in_progress", "in-progress", "todo", "not_started", "open"})
_TICKED = frozenset({"completed", "done", "complete", "finished"})
_TEXTS = ("content", "step", "description", "title", "task", "text")
_ITEMS_MAX = 20
_DONE = 0.6
_CHARS_MAX = 160
_TASK_CHARS = 80
ON_THE_LIST = "on the agent's list of tasks"
_PROMPT_CHARS = 400


def find_put_off(found: list[Exchange], boot: Boot) -> Iterator[tuple[Turn, str]]:
    """Yield what was put off when a session ended, each with where it was said."""
    for number, exchange in enumerate(found):
        prompt = exchange.prompt
        if prompt is None or len(prompt.text) > _PROMPT_CHARS:
            continue
        for line in lines(prompt, boot):
            own = line.own
            if is_question(own) or not _PUTS_OFF.match(own):
                continue
            is_whole = _has_subject(own)
            proposed = "" if is_whole else _find_proposed(exchange.before, boot)
            about = terms(own if is_whole else proposed)
            if about and not _was_done(about, found[number + 1 :]):
                yield prompt, f"{proposed} The user said: {own}".strip()
    yield from _list_unticked(found)


def _has_subject(own: str) -> bool:
    """Tell whether somebody who puts something off says what."""
    return not _PRONOUNS.search(own) and len(terms(own)) > 1


def _find_proposed(before: Exchange | None, boot: Boot) -> str:
    """Return the last thing that was proposed before: what "that" is."""
    closing = before.closing if before is not None else None
    said = lines(closing, boot) if closing is not None else ()
    told = [line.own for line in said if line.block is not Block.HEADING and words(line.own) > 3]
    while told and is_question(told[-1]):
        told.pop()
    return shorten(told[-1], _CHARS_MAX) if told else ""


def _was_done(about: frozenset[str], later: list[Exchange]) -> bool:
    """Tell whether it was worked on all the same, later in the session."""
    for exchange in later:
        asked = exchange.prompt.text if exchange.prompt is not None else ""
        closing = exchange.closing.text if exchange.closing is not None else ""
        worked = any(step.edits or commit_of(step) for step in exchange.steps)
        if worked and coverage(about, terms(f"{asked}\n{closing}")) >= _DONE:
            return True
    return False


def _list_unticked(found: list[Exchange]) -> Iterator[tuple[Turn, str]]:
    """Yield what is not ticked off on the last list of tasks that an agent kept."""
    last: tuple[Turn, list[tuple[str, str]]] | None = None
    task = ""
    after: list[str] = []
    for exchange in found:
        for step in exchange.steps:
            items = _read_items(step.call.arguments)
            if items and step.result is not None and not step.has_failed:
                last, after = (step.call, items), []
                task = exchange.prompt.text if exchange.prompt is not None else ""
            elif commit := commit_of(step):
                after.append(f"{commit.subject}\n{commit.body}")
        after += [reply.text for reply in exchange.replies if last and reply.at_ms > last[0].at_ms]
    if last is None or not any(status in _TICKED for _, status in last[1]):
        return
    told = terms("\n".join(after))
    for text, status in last[1][-_ITEMS_MAX:]:
        if status in _OPEN and coverage(terms(text), told) < _DONE:
            asked = f" for: {shorten(' '.join(task.split()), _TASK_CHARS)}" if task else ""
            yield last[0], f"{text} ({ON_THE_LIST}{asked})"


def _read_items(arguments: object) -> list[tuple[str, str]]:
    """Return the tasks that a call writes down, each with how far it is."""
    if not isinstance(arguments, Mapping):
        return []
    for listed in arguments.values():
        rows = (
            [row for row in listed if isinstance(row, Mapping)] if isinstance(listed, list) else []
        )
        items = [
            (text.strip(), str(row.get("status")).lower())
            for row in rows
            if "status" in row
            for text in [next((row[name] for name in _TEXTS if isinstance(row.get(name), str)), "")]
            if text.strip()
        ]
        if items:
            return items
    return []
