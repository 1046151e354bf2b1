"""What the user said in a prompt that settles something, in the user's own words.

A line settles by its words, by its place (an answer to what was offered) or by its form (a
ruling). What is left out between two lines that are told together leaves a mark.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from agentx.exchanges import wording
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, Line, is_document, lines
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late, without_recall
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.settled.agreements import ANSWER_CHARS_MAX, ANSWERED, decision
from agentx.prose import cues
from agentx.prose.keyphrases import terms
from agentx.prose.passages import PASSAGE_CHARS_MAX
from agentx.prose.sentences import ELLIPSIS, Block, is_question, shorten, words
from agentx.prose.settling.asking import CONSTRAINS, calls_command, commands, only_requests
from agentx.prose.settling.errands import cut_reason, drop_guesses, is_one_off, wants_a_look
from agentx.prose.settling.greetings import drop_task, greets
from agentx.prose.settling.rulings import only_reports, rules_out
from agentx.prose.settling.verdict import SETTLES, is_order, takes_in_short, wants_work

_LINES_A_PROMPT_MAX = 3
_STOPS = ".!?:;,\u3002\uff01\uff1f\uff1a"
_SHORT_CHARS = 320
_ASIDE_WORDS_MAX = 3
_ASKED_CHARS = 110
_BRIEF_TERMS_MAX = 6
_HEARD_CHARS = 140
_HEARD_LINES_MAX = 3
_QUOTED_CHARS = PASSAGE_CHARS_MAX - len("The user said: ")
_ENGLISH = compile_late(
    r"\b(?:the|a|an|is|are|to|of|and|in|it|that|for|you|we|i|with|on|not)\b", re.IGNORECASE
)
_AND = compile_late(
    r"(?i:(?:,? (?:and|und)|[,;]) (?=(?:always|never|immer|nie)\b)|(?<=[.;!]) (?:and|also|und) )"
)
_JOINED = compile_late(r"\A(?i:(?:and|but|und|aber|y|pero|et|mais|e|ma|mas)\b,? )")
_SPECIFIC = compile_late(r"\d|`|[a-z]+[A-Z]|[\w-]+\.[a-z]{1,4}\b|\b[A-Z][\w-]+")
_WILL = compile_late(r"(?:I['\u2019]?(?:m|ll|ve|d)?|Let me|Now|First|Next|Then)\b", re.IGNORECASE)
_THEN = compile_late(r"\b(?!mind|that|this)\w{3,} then[.!]?\Z|\Aso no \w", re.IGNORECASE)
# What a program wrote, and questions without their mark.
_PASTED = compile_late(
    r"--- FAIL|\bFAIL\b|Traceback|\.\w{2,4}:\d+:|\berror:"
    r"|\A(?:how|what|why|where|when|which|who|does|did|is|are|am)\b",
    re.IGNORECASE,
)
_AFTER_ALL_THIS = compile_late(r"\bafter all (?:this|that|these|those|the|of)\b", re.IGNORECASE)
_NARRATES = compile_late(
    r"\b(?:when i|it seems|right now we|double.?check|i (?:guess|wonder|just|ran|tried|saw|see|got)"
    r"|i (?:think|thought|realized|noticed|can'?t see|don'?t (?:see|get|understand|know)))\b",
    re.IGNORECASE,
)
_RULE = cues.anywhere(
    r"""
    never(?! ?mind) | always
    must(?:n't| not)? | (?:don'?t|do not) (?:use|add|want|touch|change|run|store)
    no (?:new|more|external) \w+ | only (?:use|support|run|when|if) | non-negotiable | from now on
    without (?:adding|changing|breaking|touching|using) | has to (?:be|work|stay)
    """
)


def find_said(
    exchange: Exchange, prompt: Turn, boot: Boot, *, is_first: bool, offered: bool
) -> Iterator[Finding]:
    if calls_command(prompt.text):
        return
    pasted = is_document(prompt)
    is_short = len(prompt.text) <= _SHORT_CHARS
    said = [part for line in lines(prompt, boot) for part in _part_rulings(line)]
    is_look = wants_a_look(prompt.text)  # what is the matter is told, not what is to be
    settling = [
        not (pasted and line.block is not Block.PROSE)
        and _settles(line, is_first=is_first or pasted, offered=offered)
        and not (is_look and not rules_out(line.own))
        for line in said
    ]
    # What is ruled for good is told apart from the task that it came with.
    ruled = _list_ruled(said, settling)
    if is_short and not is_first and not _are_many(ruled, said):
        ruled = []
    apart = {at for stretch in ruled for at in stretch}
    for stretch in ruled:
        text = _quote_lines(said, stretch, is_alone=stretch[0] - 1 in apart)
        yield decision(f"The user said: {text}", text, prompt, (prompt.event_id,), ANSWERED)
    taken = [at for at, settles in enumerate(settling) if settles and at not in apart]
    if not taken:
        return
    whole = [
        at
        for at, line in enumerate(said)
        if at not in apart and not (is_question(line.own) or is_one_off(line.own))
    ]
    chosen = _trim(said, whole, taken) if is_short else taken[:_LINES_A_PROMPT_MAX]
    if not chosen:
        return
    while len(chosen) > 1 and len(_quote_lines(said, chosen)) > _QUOTED_CHARS:
        chosen = chosen[:-1]
    text = _quote_lines(said, chosen)
    if chosen[0] and is_one_off(said[chosen[0] - 1].own):
        text = _JOINED.sub("", text)
    ids = [prompt.event_id]
    before = exchange.before.closing if exchange.before and not is_first else None
    content = f"The user said: {text}"
    if before is not None:
        asked = _last_question(before, boot)
        if asked:
            content = f"{content}\nAsked: {shorten(asked, _ASKED_CHARS)}"
            ids.insert(0, before.event_id)
    heard = _find_heard(text, exchange, boot)
    if heard is not None:
        content = f"{content}\nThe agent: {shorten(heard.own, _HEARD_CHARS)}"
        ids.append(heard.turn.event_id)
    yield decision(content, text, prompt, tuple(ids), 70 + 8 * (not is_first))


def _part_rulings(line: Line) -> tuple[Line, ...]:
    """Return the halves of a sentence that each rule something: "..., and always ..."."""
    halves = _AND.split(line.own, maxsplit=1)
    if len(halves) == 1 or not all(map(rules_out, halves)):
        return (line,)
    first, second = halves
    return replace(line, text=first, own=first), replace(line, text=second, own=second)


def _trim(said: Sequence[Line], whole: Sequence[int], taken: Sequence[int]) -> list[int]:
    """Return the lines of a prompt without greetings, and without the rest of a question."""
    kept = [at for at in whole if at in taken or not greets(said[at].own)]
    while kept and kept[-1] not in taken and _is_rest(said, kept[-1]):
        kept.pop()
    return kept


def _is_rest(said: Sequence[Line], at: int) -> bool:
    """Tell whether a few words only follow a question: "What do we lose? Be honest."."""
    before = said[at - 1].own if at else ""
    return is_question(before) and words(said[at].own) <= _ASIDE_WORDS_MAX


def _find_heard(text: str, exchange: Exchange, boot: Boot) -> Line | None:
    """Return how the agent took a few words that settle something: it says what they are of."""
    about = terms(text)
    reply = exchange.replies[0] if exchange.replies else None
    if reply is None or len(about) > _BRIEF_TERMS_MAX:
        return None
    return next(
        (
            line
            for line in lines(reply, boot)[:_HEARD_LINES_MAX]
            if 2 * len(about & terms(line.own)) >= max(len(about), 2)
            and len(terms(line.own)) > len(about)
            and not (is_question(line.own) or _WILL.match(line.own))
        ),
        None,
    )


_SPEAKS_AGAINST = cues.anywhere(
    r"""
    but | however | slower | worse | fails? | still | larger | bigger | no (?:faster|better|gain)
    aber | langsamer | schlechter | pero | m\u00e1s lento | peor | mais | plus lent | pire
    """
)
_BRIEF_WORDS_MAX = 3


def take_back(text: str, before: Exchange, prompt: Turn, boot: Boot) -> Finding:
    """Return that the user gave something up, with what it was."""
    plain = shorten(" ".join(text.split()), ANSWER_CHARS_MAX)
    why = _find_outcome(before, boot)
    # Who only said to go on means what was asked for before that.
    while before.before is not None and before.prompt is not None and _goes_on(before.prompt):
        before = before.before
    asked = " ".join(without_recall(before.prompt.text).split()) if before.prompt else ""
    content = f"The user said: {plain}"
    if asked:
        content += f"\nGiven up: {shorten(asked, _ASKED_CHARS)}"
    if why and words(plain) <= _BRIEF_WORDS_MAX:  # who says so little does not say why
        content += f"\nThe agent: {shorten(why, _ASKED_CHARS)}"
    said_by = (prompt, *([before.prompt] if before.prompt else ()))
    return decision(content, plain, prompt, tuple(turn.event_id for turn in said_by), 82)


def _goes_on(prompt: Turn) -> bool:
    return wording.GOES_ON.match(without_recall(prompt.text).strip()) is not None


def _find_outcome(before: Exchange, boot: Boot) -> str:
    """Return what came of an attempt that somebody ended: what its agent said against it."""
    said = lines(before.closing, boot) if before.closing is not None else ()
    return next((line.own for line in said if _SPEAKS_AGAINST.search(line.own)), "")


def _list_ruled(said: Sequence[Line], settling: Sequence[bool]) -> list[list[int]]:
    """Return the stretches of lines that rule something, each with what is said of it after."""
    found: list[list[int]] = []
    for at, line in enumerate(said):
        if settling[at] and rules_out(line.own):
            found.append([at])
        elif found and found[-1][-1] == at - 1 and _goes_with(line, said[at - 1]):
            found[-1].append(at)
    return found


def _are_many(ruled: Sequence[Sequence[int]], said: Sequence[Line]) -> bool:
    """Tell whether a prompt is several rulings: each can be taken back without the others."""
    held = {at for stretch in ruled for at in stretch}
    rest = (line.own for at, line in enumerate(said) if at not in held)
    return len(ruled) > 1 and all(words(each) <= _ASIDE_WORDS_MAX for each in rest)


def _goes_with(line: Line, before: Line) -> bool:
    """Tell whether a sentence says more of the one before it, and asks for nothing."""
    return line.paragraph == before.paragraph and not (
        is_question(line.own) or only_requests(line.own)
    )


def _quote_lines(said: Sequence[Line], chosen: Sequence[int], *, is_alone: bool = False) -> str:
    """Return some of the lines that somebody said, with a mark where one is left out.

    The first is quoted with what it leans on, unless that is told by itself.
    """
    text, last = "", -1
    for at in chosen:
        if text:
            near = at == last + 1
            text += _join_with(text, said[last], said[at]) if near else f" {ELLIPSIS} "
            text += said[at].own
        else:
            text = said[at].own if is_alone else said[at].text
        last = at
    return text


def _join_with(text: str, last: Line, line: Line) -> str:
    """Return what stands between two lines: a row ends, with or without a stop."""
    is_one = last.paragraph == line.paragraph or text[-1:] in _STOPS
    return " " if is_one else "; "


def _settles(line: Line, *, is_first: bool, offered: bool) -> bool:
    text = drop_task(line.own)
    is_pasted = cues.LOGS.search(text) or _PASTED.search(text)
    if is_pasted or line.block is Block.HEADING or greets(text) or is_one_off(text):
        return False
    takes = _THEN.search(text) and not only_requests(text)
    if not is_first and (takes or takes_in_short(text)):
        return True
    if rules_out(text):
        return not _NARRATES.search(text)
    if words(text) < 4 or is_question(text) or _settles_nothing(text):
        return False
    told = cut_reason(text) if is_order(text) else drop_guesses(text)
    if cues.DECIDES.search(told) or cues.TAKES_BACK.search(_AFTER_ALL_THIS.sub("", told)):
        return True
    return bool(_RULE.search(told)) if is_first else _answers(text, offered=offered)


def _settles_nothing(text: str) -> bool:
    is_idle = wording.GOES_ON.match(text) or cues.COURTESY.match(text) or _NARRATES.search(text)
    return is_idle is not None or wants_work(text)


def _answers(text: str, *, offered: bool) -> bool:
    """Tell whether a line in the middle of a session settles something."""
    if wording.CORRECTS.match(text) and not only_reports(text):
        return True
    # An order settles how it is to be done only where it says so.
    settling = CONSTRAINS if commands(text) else SETTLES
    if settling.search(text) and len(terms(text)) > 1:
        return True
    # In a language without such words, what is specific in an answer tells.
    foreign = not _ENGLISH.search(text)
    return (offered or foreign) and len(_SPECIFIC.findall(text)) > 1 and words(text) > 4


def _last_question(reply: Turn, boot: Boot) -> str:
    asked = [line.text for line in lines(reply, boot) if is_question(line.own)]
    return asked[-1] if asked and words(asked[-1]) > 4 else ""
