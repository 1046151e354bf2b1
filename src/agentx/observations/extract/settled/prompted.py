"""What of a prompt may tell something by itself: no bare task, no question, no fault alone."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.sentences import ELLIPSIS, is_question, sentences, words
from agentx.prose.settling.asking import CONSTRAINS, is_not_meant, only_asks, only_requests
from agentx.prose.settling.greetings import cut_greeting
from agentx.prose.settling.verdict import SETTLES

_BARE_WORDS = 8
_FAULT_WORDS = 24
_REST_WORDS = 3
_REST_SENTENCES = 2
_LABEL = compile_late(r"\AThe user said: ")
_BABBLE_WORDS = 12
_BABBLE_SHARE = 4  # of so many words one that is new: nobody speaks like that
# "Tell me about the sync": a question, though it ends without a mark.
_WANTS_TOLD = compile_late(
    r"(?i:\W*(?:(?:please|ok|okay|so|and|now|can|could|you)[, ]+)*(?:(?:tell|remind) (?:me|us)"
    r" (?:about|of|how|what|why|where|when|which|who)|explain|describe|walk (?:me|us) through"
    r"|(?:show|give) (?:me|us) (?:how|what|where|why|an overview|a summary))\b"
    r"(?:[^.!;\n]|[.](?=\w))*\W*\Z)"
)
# "The build is red since Monday. Find out why."
_FIND_OUT = compile_late(
    r"(?i:(?:\A|[.!?;,]\s+|\band |\bplease )(?:find out|figure out|look into|investigate|check)"
    r" (?:why|what|where|it|this|that|the reason|how come)\b[^.!?\n]{0,40}\W*\Z)"
)


def may_tell(text: str) -> bool:
    """Tell whether a passage of a prompt may tell something: a fault is told by what was found."""
    is_fault = _FIND_OUT.search(text) and words(text) < _FAULT_WORDS and not CONSTRAINS.search(text)
    if is_not_meant(text) or _is_babble(text) or _wants_told(text):
        return False
    return not (only_asks(text) or _is_bare(text) or is_fault or _leads_to_question(text))


def _wants_told(text: str) -> bool:
    """Tell whether a prompt asks for an explanation alone: what is worth it is in the answer."""
    is_short = words(text) < _FAULT_WORDS
    return is_short and bool(_WANTS_TOLD.match(text)) and not CONSTRAINS.search(text)


def _is_babble(text: str) -> bool:
    """Tell whether a text says the same few words over and over."""
    said = text.casefold().split()
    return len(said) >= _BABBLE_WORDS and len(set(said)) * _BABBLE_SHARE <= len(said)


def _leads_to_question(text: str) -> bool:
    """Tell whether a text is a question, and a few words that lead to it."""
    said = [one.text for one in sentences(text)]
    return is_question(said[-1]) and all(map(_is_bare, said[:-1])) if said else False


def _is_bare(text: str) -> bool:
    """Tell whether a prompt is a few words that name and settle nothing: "make it green"."""
    return (
        words(text) < _BARE_WORDS
        and not code_names(text)
        and not SETTLES.search(text)
        and not cues.DECIDES.search(text)
    )


def leaves_task_only(text: str, told: Sequence[str]) -> bool:
    """Tell whether a passage holds something that is told apart, and a task beside it."""
    said = [one.text for one in sentences(text)]
    rest = [each for each in said if not _is_told(each, told)]
    return len(rest) < len(said) and all(_is_bare(each) or only_requests(each) for each in rest)


def cut_told(text: str, told: Sequence[str]) -> str:
    """Return a passage without the sentences that are told apart, with a mark where one was."""
    said = sentences(text)
    rest = [one for one in said if not _is_told(one.text, told)]
    if len(rest) == len(said) or not rest:
        return text
    cut = text[rest[0].start : rest[0].end]
    for last, one in pairwise(rest):
        is_next = said.index(one) == said.index(last) + 1
        cut += text[last.end : one.end] if is_next else f" {ELLIPSIS} {text[one.start : one.end]}"
    return cut


def _is_told(sentence: str, told: Sequence[str]) -> bool:
    """Tell whether a sentence is told apart, whole or by its halves."""
    own = sentence.rstrip(".!")
    if any(own in each for each in told):
        return True
    halves = [half for each in told if (half := _LABEL.sub("", each).rstrip(".!")) in own]
    for half in halves:
        own = own.replace(half, " ")
    return len(halves) > 1 and not terms(own)


def cut_idle(text: str) -> str:
    """Return what settles something without the greeting before it and the question after it."""
    own = cut_greeting(text)
    said = sentences(own)
    has_rest = len(said) > _REST_SENTENCES and words(said[-1].text) <= _REST_WORDS
    if has_rest and is_question(said[-2].text):
        return own[: said[-3].end]
    return own
