"""A phrase by which a person recognises a stretch of work.

Best is what the user asked for, said as one would say it to a third person: without
greeting, politeness and markdown, in the imperative. Where nobody asked for anything that
can be recognised ("yes", "go on"), it is the weightiest line of the summary.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.prose import cues, limits
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import (
    ELLIPSIS,
    Block,
    Sentence,
    is_question,
    sentences,
    shorten,
    words,
)
from agentx.prose.whose.pasted import cut_placeholders

_GREETING = cues.at_the_start(
    r"""
    (?:first|second|last|one) thing | first up | one more(?: thing)? | quick question
    (?:hi|hello|hey)(?: there| all| team| everyone| everybody| folks| guys)?
    ok(?:ay)? | so | well | yes | yeah | yep | thanks | thank you | alright | sure | now | also
    and | but | then | actually | hmm+ | please | pls | kindly | just
    bitte | por favor | hola | hallo | bonjour
    """
)
# What greets before a comma or a command, and otherwise belongs to what is said: "first row".
_MAY_GREET = cues.at_the_start(
    r"""
    great | good | cool | nice | perfect | awesome | right | next | first
    claude | codex | gemini | copilot
    """
)
_ASKING = cues.at_the_start(
    r"""
    (?:can|could|would|will) (?:you|we|i)(?: please| also| just| now| maybe| help me)*
    i(?:'d| would) (?:like|love)(?: you| us)? to | i (?:want|need)(?: you| us)? to
    (?:i think |maybe |perhaps )?(?:we|you) (?:should|need to|have to|must|want to|could|can)
    let'?s | let us | help me(?: to)? | please | is it possible to | would it be possible to
    go ahead and | try to | (?:your|the) task is to | make sure (?:to|that) | i was wondering if
    k\u00f6nntest du | kannst du | puedes | podr\u00edas | peux-tu | pourrais-tu
    """
)
_QUESTION_WORD = cues.at_the_start(
    "what | why | how | when | where | which | who | is | are | does?"
)
_ASKING_SIGNS = compile_late(r"(?:[\u8bf7\u8acb]\u4f60?)?(?:[\u5e2e\u5e6b]\u6211)|[\u8bf7\u8acb]")
# A mark inside a word is no end of an opening: "right-to-left", "Next.js".
_BETWEEN = compile_late(r"(?:,|[.!:;-]+(?=\s)|\s)[\s,.!:;-]*")
_LABEL = compile_late(
    r"(?:plan|task|goal|title|summary|context|request|issue|feature|bug)(?=\s*:)", re.IGNORECASE
)
_LEADS_ON = cues.anywhere("following | below | attached | this (?:plan|task|issue|prompt)")
_GOES_ON = cues.at_the_start(
    r"""
    continue | go on | go ahead | proceed | do it | try again | retry | resume | keep going
    carry on | again | next | fix (?:it|this|that) | looks? good | lgtm | sounds good | ship it
    weiter | sigue | contin[u\u00fa]a
    """
)
# Thanks, and what only refers to something else.
_NAMES_NOTHING = compile_late(
    r"(?:thanks?|thank you|thx|danke\w*|merci|gracias|grazie|obrigad[oa])\b[^.,;:!]{0,24}\Z"
    r"|(?:see also|cf\.?|for reference|related(?: issues?)?|duplicate of)\b"
    r"|(?:\u3042\u308a\u304c\u3068|\u8c22\u8c22|\u8b1d\u8b1d|\u611f\u8c22|\uac10\uc0ac).{0,12}\Z",
    re.IGNORECASE,
)
# What somebody heard, and from whom: what is to be done about it stands after it.
_HEARD = compile_late(
    r"(?:(?!i\b|we\b)[\w'\u2019-]+ ){1,4}?(?:told|mailed|wrote|called|phoned|texted|warned|informed"
    r"|emailed) (?:me|us)\b(?! to\b)"
    r"|i (?:just |also )?(?:talked|spoke|chatted) (?:to|with)\b"
    r"|i(?:['\u2019]m| am| was) (?:just )?(?:on the phone|in a (?:call|meeting)|back from)\b"
    r"|(?:i )?(?:just )?got [\w' -]{2,30} on the (?:phone|line)\b"
    r"|(?:ich habe|hab) (?:eben |gerade )?mit [\w' -]{2,30} (?:gesprochen|telefoniert)\b",
    re.IGNORECASE,
)
_MACHINE = compile_late(
    r"\s*(?:<[a-z][\w-]*>|\[Request interrupted|\[Image: |Caveat: The messages below"
    r"|This session is being continued|/\w[\w:-]*\s*\Z)",
    re.IGNORECASE,
)
# A wish can be known by what it names: an issue, a duty, something out of code.
_ASKS_FOR = compile_late(r"(?<!\w)#\d+\b|\b(?:must|should|please)\b|`|/\w+\.\w", re.IGNORECASE)
_RAISED = compile_late(
    r"^[ \t]*((?:\w+\.)*\w*(?:Error|Exception|Panic): \S.{3,160})$", re.MULTILINE
)
_AFTERTHOUGHT = compile_late(
    r"[,;]?\s(?:so that|because|since|which|such that|in order to|as (?:you|we|it)|but|if possible"
    r"|like for example|for example|e\.g\.)\s",
    re.IGNORECASE,
)
_PLEASE = compile_late(
    r"(?:,? (?:please|pls|thanks|thank you|first|bitte|por favor))+\Z", re.IGNORECASE
)
# How commits say what they are: `fix(parser)!: accept tabs`.
_CONVENTIONAL = compile_late(r"(?:[a-z]{2,10})(?:\((?P<scope>[^()]{1,30})\))?!?:\s+(?=\S)")
_PULL_URL = compile_late(r"https?://[^\s/]+/\S+?/(?:pull|merge_requests)/(\d+)[^\s)>\]]*")
_ISSUE_URL = compile_late(r"https?://[^\s/]+/\S+?/issues/(\d+)[^\s)>\]]*")
_URL = compile_late(r"\(?<?https?://[^\s)>\]]+[)>]?")
# A file as agent CLIs have it named: its last name will do.
_MENTION = compile_late(r"(?<!\S)@(?:[\w.-]+/)*([\w.-]*\w)/?")
_COMMAND = compile_late(r"\A\s*/[a-z][\w:-]*\s+(?=\S)")
_TRAILING = " \t,;:.!-\u2013\u2014\u3002\uff01\uff0c\u3001\uff1a"
_SENTENCES_READ_MAX = 4


def is_written_by_machine(prompt: str) -> bool:
    """Tell whether an agent CLI wrote a prompt: a command, a reminder, an interruption."""
    rest = cut_placeholders(prompt)
    return _MACHINE.match(rest) is not None or (rest != prompt and not rest)


def request(prompt: str) -> str:
    """Return what a prompt asks for as a title; empty when it asks for nothing of its own."""
    return _request(prompt)[0]


def best_request(prompts: Iterable[str]) -> str:
    """Return the title of the prompt that asks for something most recognisable."""
    best, best_score = "", 0
    for prompt in prompts:
        phrase, score = _request(prompt)
        # The first prompt says what the work is about; later ones steer it.
        if score - 3 * bool(best) > best_score:
            best, best_score = phrase, score
    return best


@lru_cache(maxsize=64)  # of a session that runs, again and again
def _request(prompt: str) -> tuple[str, int]:
    if is_written_by_machine(prompt):
        return "", 0
    head = _COMMAND.sub("", cut_placeholders(prompt)[: limits.SUMMARY_HEAD_CHARS_MAX], count=1)
    raised = _RAISED.findall(head)
    best, best_score = (phrase_title(raised[-1]), 4) if raised else ("", 0)
    read = [found for found in sentences(head) if not cues.LOGS.search(found.text)]
    for index, sentence in enumerate(_openings(read)):
        phrase = phrase_title(sentence.text)
        score = _score(phrase)
        asks = _asks(sentence.text) or bool(cues.COMMANDS.match(phrase))
        score += 2 * asks - index if score else 0
        if score > best_score:
            best, best_score = phrase, score
    return best, best_score


@lru_cache(maxsize=2_048)  # a line is tried as the title of its segment, its session and its day
def phrase_title(line: str) -> str:
    """Return a line as a title: the imperative, one clause, without marks."""
    phrase = _name_links(line.replace("`", "")).strip().strip("\"'*_").strip()
    asks = is_question(phrase)
    phrase = _without(_LABEL, phrase)
    before = ""
    while before != phrase:
        before = phrase
        phrase = _without(_GREETING, _without_address(phrase))
        asked = _without(_ASKING, phrase)
        asked = _ASKING_SIGNS.sub("", asked, count=1) if _ASKING_SIGNS.match(asked) else asked
        if asked != phrase:
            asks = False  # "can you add a test?" asks for a test, not for an answer
            phrase = asked
    return _capitalise(_one_clause(phrase, asks=asks))


def name_commit(subject: str) -> str:
    """Return the subject of a commit as a title: its scope behind what was done."""
    found = _CONVENTIONAL.match(subject)
    if not found:
        return _capitalise(shorten(subject.strip(), limits.TITLE_CHARS_MAX))
    done = subject[found.end() :].strip()
    scope = found["scope"] or ""
    if scope and scope.lower() not in done.lower():
        done = f"{shorten(done, limits.TITLE_CHARS_MAX - len(scope) - 3)} ({scope})"
    return _capitalise(shorten(done, limits.TITLE_CHARS_MAX))


def _name_links(text: str) -> str:
    """Return a text with the issues and pull requests that links lead to, and no other link."""
    if "@" in text:
        text = _MENTION.sub(r"\1", text)
    if "://" not in text:
        return text
    named = _ISSUE_URL.sub(r"#\1", _PULL_URL.sub(r"PR #\1", text))
    return " ".join(_URL.sub(" ", named).split())


def _without(opening: cues.Cue, phrase: str) -> str:
    """Take an opening off a phrase, unless it is all there is."""
    found = opening.match(phrase)
    gap = _BETWEEN.match(phrase, found.end()) if found else None
    return phrase[gap.end() :] if gap and gap.end() < len(phrase) else phrase


def _without_address(phrase: str) -> str:
    """Take off what greets or names somebody, where what follows is said by itself."""
    rest = _without(_MAY_GREET, phrase)
    if rest == phrase:
        return phrase
    gap = phrase[: len(phrase) - len(rest)].rstrip()
    is_apart = not gap[-1].isalnum()
    return rest if is_apart or _ASKING.match(rest) or cues.COMMANDS.match(rest) else phrase


def _openings(read: list[Sentence]) -> list[Sentence]:
    """Return the sentences that may say what is asked, the likeliest first."""
    read = read[: 2 * _SENTENCES_READ_MAX]
    if read and (read[0].text.endswith((":", "\uff1a")) or _LEADS_ON.search(read[0].text)):
        # "Implement the following plan:" says nothing; the plan's heading does.
        headings = [found for found in read[1:] if found.block is Block.HEADING]
        return [*headings[:1], *read[1:_SENTENCES_READ_MAX], read[0]]
    return read[:_SENTENCES_READ_MAX]


def _asks(line: str) -> bool:
    """Tell whether a line asks for something, rather than greeting or telling a story."""
    return is_question(line) or any(
        (_ASKING.match(line), _QUESTION_WORD.match(line), _ASKS_FOR.search(line))
    )


def _score(phrase: str) -> int:
    """Return how recognisable a phrase is."""
    going_on = _GOES_ON.match(phrase)
    if (
        not phrase
        or _NAMES_NOTHING.match(phrase)
        or (_HEARD.match(phrase) and not cues.COMMANDS.match(phrase))
        or (going_on and going_on.end() > len(phrase) - 3)
    ):
        return 0
    telling = len(terms(phrase))
    return 0 if telling == 0 or words(phrase) < 2 else min(telling, 5)


def _one_clause(phrase: str, *, asks: bool) -> str:
    """Shorten a phrase to what fits a line, at the end of a thought if there is one."""
    ended = phrase.removesuffix(ELLIPSIS).rstrip(_TRAILING + "?\uff1f\u061f")
    ended = _PLEASE.sub("", ended)
    while ended and unicodedata.category(ended[-1]) in ("So", "Sk", "Mn", "Cf"):
        ended = ended[:-1].rstrip(_TRAILING)
    if len(ended) > limits.TITLE_CHARS_MAX:
        aside = _AFTERTHOUGHT.search(ended, 20, limits.TITLE_CHARS_MAX)
        if aside and not cues.DENIES.search(ended, aside.start()):
            return ended[: aside.start()].rstrip(_TRAILING)
        return shorten(ended, limits.TITLE_CHARS_MAX)
    return ended + ("?" if asks else "")


def _capitalise(phrase: str) -> str:
    """Raise the first letter, unless the first word is a name out of code."""
    first = phrase.split(" ", 1)[0]
    is_word = first.rstrip(",:").isalpha() and first.islower()
    return phrase[:1].upper() + phrase[1:] if is_word else phrase
