"""A message that is several rulings, of several things: each is kept by itself.

    "port 8080 from now on. Karin signs releases. use make ship, never npm publish"

Each can be taken back without the others. What does not lay something down by itself is said of
the ruling before it: a reason, a rest. A message that asks, wants work or says what is broken is
left whole.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late, without_recall
from agentx.observations.extract.settled.standing import ANSWERS, PartedPrompt
from agentx.prose import cues
from agentx.prose.sentences import Block, is_question, words
from agentx.prose.settling.asking import (
    CHOOSES,
    CONSTRAINS,
    calls_command,
    is_unsure,
    only_requests,
)
from agentx.prose.settling.errands import (
    cut_reason,
    is_errand,
    is_for_once,
    reports_fault,
    wants_a_look,
)
from agentx.prose.settling.greetings import greets
from agentx.prose.settling.norms import states_norm
from agentx.prose.settling.rulings import only_tries, rules_out
from agentx.prose.settling.verdict import is_order, takes_in_short
from agentx.prose.titles import phrase_title

_CHARS_MAX = 600
_SEVERAL = 2
_ASIDE_WORDS_MAX = 2
_AND = compile_late(r"\A(?:(?:and|also|und|y|et):? )+")
_STOP = compile_late(r"(?<=[.;!]) +")
# What is said of what came before it.
_LEANS = compile_late(
    r"(?i:\W*(?:and |but |so |also )?(?:it|its|it's|that|this|these|those|they|them|he|she|because"
    r"|since|otherwise|else|never ?mind|so|then|which|both|there|same|meaning|i|denn|weil|sonst|das"
    r"|dies|er|sie|es|porque|eso|esto|parce|sinon|cela|c'est|perch\u00e9|altrimenti)\b)"
)
# "We stay with X", "wir nehmen X": what is so from now on, for all.
_WE = cues.at_the_start(
    r"""
    we(?:'ll| will)? (?:only |always |now )?(?:use|keep|take|store|ship|write|run|stay|stick)
    we(?:'ll| will)? (?:only |always |now )?(?:go with|deploy|build|release|move|switch|drop)
    we(?:'ve| have)? (?:moved|switched|migrated|dropped)
    wir (?:bleiben|nehmen|nutzen|verwenden|benutzen|behalten|wechseln|schreiben|bauen)
    (?:nimm|nehmt|nutze|verwende|benutze|bleib|lass) \S+
    usamos | usaremos | nos quedamos | seguimos con | usa | us\u00e1
    on (?:utilise|garde|reste|prend|passe) | nous (?:utilisons|gardons) | utilise[zr]?
    usiamo | restiamo | teniamo | usate
    """,
    after="ok(?:ay)? | so | and | but | then | also | yes | und | dann | ja | y | et | e",
)
# "Tom owns billing now", "X is dead, it's Y".
_CHANGED = cues.anywhere(
    r"""
    (?:owns|handles|maintains|is responsible for|is in charge of) [^.;?]{1,40} (?:now|from now on)
    (?:is|are) (?:dead|history|retired|off the table)
    (?:is|are|goes|go|lives?|belongs?) [^,.;?]{2,60}, not (?!yet|now|here|there|sure|that|this)\w+
    nur noch | ist (?:jetzt|ab jetzt) (?:zust\u00e4ndig|verantwortlich)
    """
)
_ASKS = compile_late(r"(?i:\W*(?:and |also |please )*(?:ask|tell|ping|frag|pregunta|demande) \w)")
# "Let a sub-agent collect it": work, whoever does it.
_LETS_OTHERS = compile_late(r"(?i:\W*(?:let|have|get) (?!us\b|me\b)\w+)")
_EVERY = cues.anywhere(
    "before any | before every | before each | after every | after each | for every | for all"
    " | vor jed\\w+ | nach jed\\w+ | antes de cada | avant chaque | prima di ogni"
)


def part_several(prompt: Turn, boot: Boot) -> PartedPrompt | None:
    """Return the rulings of a message that is several, and what it answers; None if it is not."""
    text = without_recall(prompt.text).strip()
    if len(text) > _CHARS_MAX or calls_command(text) or wants_a_look(text):
        return None
    said = [part for line in lines(prompt, boot) for part in _cut(line)]
    if len(said) < _SEVERAL or any(map(_keeps_whole, said)):
        return None
    answer = said[0].own if ANSWERS.match(said[0].own) else ""
    if not any(_rules(line.own) for line in said):
        return None  # so it is, and nobody rules it
    ruled = _join_rulings(said[bool(answer) :])
    if len(ruled) + bool(answer and lays_down(answer)) < _SEVERAL:
        return None
    return PartedPrompt(
        ruled=tuple(ruled),
        rest=replace(prompt, text=answer),
        may_settle=bool(answer) and lays_down(answer),
    )


def lays_down(text: str) -> bool:
    """Tell whether a sentence says by itself how something is to be."""
    return _rules(text) or (states_norm(text) and not _LEANS.match(text))


def _rules(text: str) -> bool:
    if words(text) <= 1 or greets(text) or is_for_once(text) or _LEANS.match(text):
        return False
    if rules_out(text) or takes_in_short(text) or _WE.match(text) or _CHANGED.search(text):
        return True
    if _EVERY.search(text) and (is_order(text) or _ASKS.match(text)):
        return True
    if not is_order(text) or is_errand(text) or _LETS_OTHERS.match(text):
        return False
    return bool(CHOOSES.match(phrase_title(text)) or CONSTRAINS.search(cut_reason(text)))


def _cut(line: Line) -> list[Line]:
    """Return the rulings that stand in one line: small letters follow a stop, or `;`."""
    found: list[str] = []
    for piece in _STOP.split(line.own):
        if found and not (lays_down(piece) and (lays_down(found[-1]) or _is_aside(found[-1]))):
            found[-1] = f"{found[-1]} {piece}"
        else:
            found.append(piece)
    if len(found) == 1:
        return [line]
    return [replace(line, text=piece, own=piece) for piece in found]


def _is_aside(text: str) -> bool:
    return words(text) <= _ASIDE_WORDS_MAX


def _keeps_whole(line: Line) -> bool:
    """Tell whether a sentence asks, wants something done, or is not the user's own."""
    own = line.own
    if line.block is Block.HEADING or is_question(own) or is_unsure(own) or only_tries(own):
        return True
    if lays_down(own):
        return False
    return only_requests(own) or reports_fault(own) or is_order(own) or is_for_once(own)


def _join_rulings(said: Sequence[Line]) -> list[str]:
    """Return the rulings, each with what is said of it after; what leads to one is told with it."""
    found: list[str] = []
    leading = ""
    for line in said:
        if lays_down(line.own):
            found.append(f"{leading}{_AND.sub('', line.own)}")
            leading = ""
        elif found:
            found[-1] = f"{found[-1]}{_join(line)}{line.own}"
        elif not _is_aside(line.own):
            leading = f"{leading}{line.own}{_join(line)}"
    return found


def _join(line: Line) -> str:
    return "; " if line.block is Block.ITEM else " "
