"""What a text says is given up, and whether another text was for it.

    "Job queue in Postgres replaces Celery and Redis"     gives up: Celery and Redis
    "Celery with Redis delivers signed webhooks"          was for it
    "Redis has the task at once"                          was not: it only speaks of half of it

What is given up is named: a name out of code or of a product, or three words at least. A text was
for it when it says the same words beside each other, in a sentence that is not itself against it;
where it is one name only, when it is what the text is about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import lru_cache

from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.labels import strip_label
from agentx.observations.model import Category
from agentx.prose.cues import DOUBTS, anywhere
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import is_question

# Names out of code, one after the other; or the words up to the end of the phrase.
_THING = (
    r"(?:(?P<listed>`[^`\n]{1,60}`(?:(?:,? (?:and |or )?| ?[+&/] ?)`[^`\n]{1,60}`)*)"
    r"|(?P<thing>[^,.;:()\n`]{2,60}?(?:`[^`\n]{1,60}`)?)"
    r"(?=\s+(?:to|with|for|in|into|on|from|by|because|since|as|so|when|where|which|that|after|before"
    r"|but|via|at|out|was|were|is|are|has|have|had|until|of|now|entirely|altogether|completely)\b"
    r"|\s+(?:and|or)\s+(?:add|use|keep|move|make|now|then|let|write|go|we|i|it|is|\w+(?:ed|ing))\b"
    r"|\s*[,.;:()\n]|\s+-|\s*\Z))"
)
_LEADS = r"(?:(?:to|use|using|the|a|an|our|all|any|last|rest|remains|of|old|its|whole)\s+)*"
# What was done, by whoever says so; and what is ordered, by who may order it.
_DONE = compile_late(
    r"\b(?:replac(?:es|ed|ing)|supersed(?:es|ed)|drop(?:s|ped)|remov(?:es|ed)|delet(?:es|ed)"
    r"|abandon(?:s|ed)|got rid of|(?:mov|migrat)(?:es|ed|ing) (?:away )?from"
    r"|switch(?:es|ed|ing) (?:away )?from|no longer us(?:es?|ing)|gave up|revers(?:es|ed)"
    # of what is replaced by another, that is what came
    rf"|taken out)\s+(?!(?:by|with)\b){_LEADS}{_THING}",
    re.IGNORECASE,
)
_ORDERED = compile_late(
    r"(?:\A|[.!?;:,]\s+|\b(?:and|then|we|please|let'?s|to|should)\s+)"
    r"(?:replace|drop|remove|delete|abandon|get rid of|(?:move|switch|migrate) (?:away )?from"
    rf"|reverse|kill|throw(?: out)?|no more|(?:stop|quit) using|entferne)\s+{_LEADS}{_THING}",
    re.IGNORECASE,
)
# "Move the gateway from httpx to aiohttp": each of the two is a name, whatever it looks like.
_MOVED = compile_late(
    r"\b(?:mov|migrat|switch|port|convert|chang)(?:e|es|ed|ing|s)? "
    r"(?P<what>(?:[^\s,.;:]+ ){0,5}?)(?:away |over )?from "
    r"(?P<thing>(?!(?:the|a|an|its?|our|my|main|master|left|top|here|scratch)\b)"
    r"[A-Za-z][\w.@+-]*\w) to (?!(?:the|a|an|its?|our|use|be)\b)[A-Za-z`]",
    re.IGNORECASE,
)
# What is moved with all there is; and what a choice says beside what was chosen.
_ALL = terms(
    "all everything whole entire rest codebase repo repository project code we us over back"
)
_CHOSEN = _ALL | terms(
    "use uses using take takes go going with pick choose chose recommend prefer let lets ok then"
    " here now please yes instead decision user said everywhere always stick keep want"
)
_SEVERAL = compile_late(
    r"(?i:\b(?:for|in|on|f\u00fcr|pour|para)\b[^.;]*?(?:,|\b(?:and|und|et|y)\b))"
)
# "Not Redis: use Postgres", "kein Redis": all of it, where nothing says of what.
_REFUSED = compile_late(
    r"(?:\A|[.!?]\s+|\b(?:ok|please|no|nein|bitte),?\s+)(?:not|no|kein\w*)\s+"
    r"(?P<thing>[^,.;:()!?\n]{2,40}?)(?=\s*[,.;:!]|\s+(?:then|please|bitte|mehr|anymore)\b|\s*\Z)",
    re.IGNORECASE,
)
# In scripts without spaces what is given up stands before the word that says so, or after it.
_UNSPACED = compile_late(
    r"(?P<thing>[^\s\u3001\u3002,.;:()\u300c\u300d\u306f\u3092]{2,24})[\u306f\u3092]?"
    r"(?:\u3084\u3081|\u5ec3\u6b62|\u64a4\u56de|\u53d6\u308a\u3084\u3081|\u4f7f\u308f\u306a\u3044"
    r"|\u306e\u4ee3\u308f\u308a\u306b)"
    r"|(?:\u4e0d\u518d\u4f7f\u7528|\u5f03\u7528|\u505c\u7528|\u79fb\u9664|\u53bb\u6389|\u4e0d\u8981\u7528|\u522b\u7528)"
    r"(?P<after>[^\s\u3001\u3002\uff0c,.;:()]{2,20})"
)
INSTEAD_OF = (
    r"(?:instead of|rather than|in place of|statt|anstatt|anstelle von|au lieu (?:de|d['\u2019])"
    r"|plut\u00f4t que|en lugar de|en vez de|invece d[ie]l?|em vez d[eo]|in plaats van)"
)
_INSTEAD = compile_late(
    rf"\b{INSTEAD_OF}\s*{_LEADS}{_THING}",
    re.IGNORECASE,
)
_GONE = compile_late(
    r"(?:\A|[.;,]\s+|\band\s+)(?:both\s+)?"
    r"(?:(?P<listed>`[^`\n]{1,60}`(?:(?:,? and |, )`[^`\n]{1,60}`)*)"
    r"|(?P<thing>[^,.;:()\n]{2,60}?))\s+"
    r"(?:(?:gives?|gave|makes?|made) (?:way|room) (?:to|for)"
    r"|(?:is|are|was|were|has been|have been)\s+(?:now\s+|all\s+)?"
    r"(?:gone|removed|dropped|deleted|replaced|retired|abandoned|reverted|dead|history"
    r"|off the table))\b",
    re.IGNORECASE,
)
# "PyJWT can go then": all of it, by who may say so.
_MAY_GO = compile_late(
    r"(?:\A|[.;,]\s+|\band\s+)(?P<thing>[^,.;:()\n]{2,40}?)\s+(?:can|may|must|should)"
    r"\s+(?:go|leave)(?: then| now| too| as well)?\s*(?=[.,;!]|\Z)",
    re.IGNORECASE,
)
# "duckdb then, polars out": a name, whatever it looks like, by who may say so.
_OUT = compile_late(
    r"(?:\A|[.;,]\s+|\band\s+)(?:out with (?P<with>[\w.@+-]+)|(?P<thing>[\w.@+-]+)(?: is)? out)"
    r"(?: then| now)?\s*(?=[.,;!]|\(commit |\Z)",
    re.IGNORECASE,
)
# "Karin left", "Petra ist weg": a person, by who may say so.
_LEFT_US = compile_late(
    r"(?:\A|[.;:,]\s+|\b[Aa]nd\s+)(?P<thing>[A-Z]\w+)\s+"
    r"(?:(?:has |hat uns )?(?:left|quit|verlassen)|is (?:gone|no longer (?:here|with us))"
    r"|ist (?:weg|gegangen)|se fue|est parti\w*|no longer works here)"
    r"(?: us| the company| the team)?\s*(?=[.,;!]|\Z)"
)
# "make ship is dead, it's `just release`": a name, since another is given for it.
_NAMED_ANEW = compile_late(r"(?i:, (?:it'?s|it is|use|we|now)\b)")
# "Jenkins was replaced by Buildkite": so is what has a capital and no article.
_REPLACED_BY = compile_late(r"(?i:.*\b(?:replaced|superseded)\Z)")
_BY_ANOTHER = compile_late(r"(?i:\s+(?:by|with)\s+(?!(?:an?|the|hand|mistake|accident)\b)\S)")
_OWN_NAME = compile_late(
    r"(?!(?:The|A|An|This|That|These|Those|It|All|Both|They|He|She|We|I|No|Some|Each|Every|One)\b)[A-Z]"
)
# "The hook no longer waits for the daemon": both halves together are what is not so any more.
_NO_LONGER = compile_late(
    r"(?P<who>[^,.;:()\n]{2,60}?)\s+no longer\s+(?P<what>[^,.;:()\n]{2,60})", re.IGNORECASE
)
# What may be, or may have been, is not done.
_MAY = anywhere(
    r"""
    would | could | should | can | may | might | if | unless | once | until | options? | propos\w+
    suggest\w* | consider\w* | plan(?:s|ned|ning)? | want(?:s|ed)? | recommend\w* | alternativ\w+
    not | never | didn'?t | don'?t | doesn'?t | isn'?t | wasn'?t | without | either | risk\w*
    will | going to | tests? | asserts?
    """
)
# A sentence with one of these is not for what it names.
_AGAINST = anywhere(
    r"""
    not | no | never | \w+n't | cannot | without | gone | remov\w+ | drop(?:s|ped|ping)? | delet\w+
    replac\w+ | instead | rather | revers\w+ | revert\w* | leav(?:e|es|ing) | left | throw\w*
    threw | out | kill\w* | away | abandon\w* | retir\w+ | against | stop(?:s|ped)? | rid | used to
    took | had | old | former\w* | previous\w* | legacy | deprecated | unused | problems?
    cause[ds]? | fail\w*
    errors? | bugs? | broke\w* | wrong | too | either | or | options? | alternativ\w+ | compar\w+
    versus | vs | between | why | whether | mov(?:e|es|ed|ing) | switch\w* | migrat\w+ | supersed\w+
    statt | anstatt | anstelle | kein\w* | nicht | entfern\w* | en lugar | au lieu
    """,
    r"""
    \u3084\u3081 | \u5ec3\u6b62 | \u64a4\u56de | \u4f7f\u308f\u306a\u3044 | \u4ee3\u308f\u308a\u306b
    \u4e0d\u518d | \u5f03\u7528 | \u505c\u7528 | \u79fb\u9664 | \u53bb\u6389
    \u4e0d\u8981 | \u522b\u7528
    """,
)
_SENTENCE = compile_late(r"(?<=[.!?;])\s+|\n+")
_WORD = compile_late(r"[^\W_](?:[\w'\u2019-]*\w)?")
_MARKED = compile_late(r"`|[a-z][A-Z]|[A-Z]{2}|\d|[_/]|\w\.\w")
_PATH = compile_late(r"(?:[\w.@-]+/)+([\w@-]+(?:\.[\w-]+)+)")
# The labels with which lines begin, and the kinds with which subjects of commits do.
_LABEL = compile_late(
    r"\A(?:Asked: .*\n|[^\n]{5,300}?\? (?=The user (?:answered|chose): ))?"
    r"(?:The user [\w ,]{2,40}:\s*|Decision:\s*|[a-z]+(?:\([^)\n]*\))?!?:\s+)?"
)
_COMMITTED = compile_late(r"\(commit [0-9a-f]+\)")
_CAME_TO = compile_late(
    r"(?i:\b(?:mov|switch|migrat)\w*\b(?=[^;\n]*?\bto (?:the |our )?[`\"']?(.+)))"
)
_USER = compile_late(r"(?:Asked: .*\n)?The user ")
_BESIDE = compile_late(r"(?:;|\n)\s*(?:Asked|Files|Commit|Why asked): ")
# What leaves nothing of it, unless it is only taken out of a part.
_TAKES_AWAY = compile_late(
    r"(?i:\b(?:replac|drop|remov|delet|abandon|retir|kill|throw|rid of|gone|dead|taken out|entfern"
    r"|(?:go|leave)(?: then| now| too| as well)?\s*\Z))"
)
_WHOLE = (
    r"(?! (?:the |our |this )?(?:project|repo(?:sitory)?|code ?base|stack|dependencies|product)\b)"
)
_OF_A_PART = compile_late(rf"(?i:\s+(?:from|of)\b{_WHOLE})")
# "Logs are dropped after 14 days": so it is kept, and nothing is given up.
_IN_TIME = compile_late(
    r"(?i:\s+(?:(?:again )?after (?:an? |\d|one|two|three|some|that long)|older than|every|each"
    r"|once|when(?:ever)?|upon|on (?:expiry|logout|shutdown|exit)|nach \d|\u00e4lter als|alle \d"
    r"|despu\u00e9s de|a los \d|apr\u00e8s \d|au bout de|dopo \d|depois de|na \d)\b)"
)
_MAYBE_OF_A_PART = compile_late(r"(?i:\s+(?:in(?! fav)|on|for(?! good)|to|out of|at)\b)")
_JOINED = compile_late(r",? (?:and|or) |, | ?[+&] ?")
_COMMAND = compile_late(r"\A`([^`]+)` failed\b")
_PLAIN_CODE = compile_late(r"`[a-z]+`")
_PLAIN_WORD = compile_late(r"[a-z][\w+-]{3,}")
_NAME_CHARS_MIN = 3
_SUBJECT_WORDS = 5
_PLAIN_WORDS_MIN = 3
_NAMED_WORDS_MIN = 2
_WORDS_MAX = 8
_HEAD_WORDS = 3


@frozen(kw_only=False)
class Thing:
    """Something that is given up: its words in their order, and whether it is called by a name."""

    words: tuple[str, ...]
    is_name: bool
    said: str  # as it was named
    moved: frozenset[str] = frozenset()  # what left it, where not all did
    is_unspaced: bool = False  # its words are pieces of it, in no order
    is_removed: bool = False  # and not only left for another: nothing of it is there any more


@lru_cache(maxsize=1_500)
def list_given_up(text: str, category: Category) -> tuple[Thing, ...]:
    """Return what a text says is given up; only a decision or a change can order it."""
    orders = category in (Category.DECISION, Category.CODE_CHANGE)
    found: dict[tuple[str, ...], Thing] = {}
    for sentence in _SENTENCE.split(strip_beside(text)):
        if is_question(sentence):
            continue
        for thing in _list_named(sentence, orders=orders):
            enough = _NAMED_WORDS_MIN if thing.is_name else _PLAIN_WORDS_MIN
            if len(thing.words) >= enough or (thing.is_name and thing.words):
                found.setdefault(thing.words, thing)
    return tuple(found.values())


@lru_cache(maxsize=500)
def list_left_plainly(text: str) -> tuple[Thing, ...]:
    """Return what a commit took something instead of, where it is one word that is no name."""
    subject = _COMMITTED.split(strip_beside(text), maxsplit=1)[0]
    named = (match["thing"] or "" for match in _INSTEAD.finditer(subject))
    return tuple(
        _name_thing(said.strip(), 1) for said in named if _PLAIN_WORD.fullmatch(said.strip())
    )


def was_for(thing: Thing, text: str, category: Category) -> bool:
    """Tell whether a text was for something, and nothing in it speaks against that."""
    said, text = text, strip_beside(text)
    if len(thing.words) == 1 and not _is_about(thing.words[0], text, category):
        return False
    # What somebody decided may stand anywhere; of the rest the first sentence says what it is.
    is_decided = category is Category.DECISION or is_said_by_user(said)
    sentences = _SENTENCE.split(text)
    holds = _holds_all if thing.is_unspaced else _holds
    holding = [each for each in sentences if holds(list_words(each), thing.words)]
    if not holding or not (is_decided or holding[0] == sentences[0]):
        return False
    if thing.moved and not any(_is_of_moved(each, thing) for each in holding):
        return False
    return not any(is_spoken_against(each, thing) or is_question(each) for each in holding)


def _is_of_moved(sentence: str, thing: Thing) -> bool:
    """Tell whether a sentence says of what was moved that it was there, or only what was chosen.

    What stays there is not taken back by what left.
    """
    said = terms(_COMMITTED.sub(" ", sentence))
    if said.difference(thing.words) <= _CHOSEN:
        return True
    return thing.moved <= said and not _SEVERAL.search(sentence)


@lru_cache(maxsize=1_500)
def list_removed(things: tuple[Thing, ...]) -> tuple[Thing, ...]:
    """Return what is there no more of what is given up, each by its own name."""
    found = []
    for thing in things:
        at = 0
        for part in _JOINED.split(thing.said) if thing.is_removed else ():
            one = _name_thing(part, 1 if at or not thing.said[:1].isupper() else thing.is_name)
            at += len(part)
            if one.is_name and _is_own_name(part, one):
                found.append(one)
    return tuple(found)


def speaks_of(thing: Thing, text: str, category: Category) -> bool:
    """Tell whether a fact or a failure is of something that is there no more.

    A failure is of what its command names; anything is of what it names first of all.
    """
    command = _COMMAND.match(text) if category is Category.ERROR else None
    if command and _holds_all(list_words(command[1].replace("/", " ")), thing.words):
        return True
    said = strip_beside(strip_label(text))
    first = _SENTENCE.split(said, maxsplit=1)[0].partition(", ")[0]
    if not _holds(list_words(first)[:_SUBJECT_WORDS], thing.words) or _is_longer(thing, first):
        return False
    is_fault = category is Category.ERROR  # and so says that something was wrong with it
    return not is_question(first) and (is_fault or not is_spoken_against(first, thing))


def _is_longer(thing: Thing, text: str) -> bool:
    """Tell whether a text names something else, whose name only holds that of a thing."""
    name = re.escape(thing.said.strip("` "))
    return (
        re.search(rf"\b(?!The|A|Our|All|In|Of)[A-Z]\w+ {name}\b|\b{name} [A-Z]", text) is not None
    )


def _is_own_name(said: str, thing: Thing) -> bool:
    """Tell whether something is called by a name that nothing else has: no word of every day."""
    if len(thing.words) > 1:
        return True
    return len(said.strip("` ")) >= _NAME_CHARS_MIN and not _PLAIN_CODE.fullmatch(said.strip())


def is_spoken_against(sentence: str, thing: Thing) -> bool:
    """Tell whether a sentence speaks against a thing; "switched to X" is for it."""
    came_to = _CAME_TO.search(sentence)
    if came_to and list_words(came_to[1])[: len(thing.words)] == thing.words:
        sentence = sentence[: came_to.start()] + sentence[came_to.end() :]
    return _AGAINST.search(sentence) is not None


def is_said_by_user(text: str) -> bool:
    """Tell whether a memory is what a person said."""
    # Asked of every pair that is compared.
    return text.startswith("The user ") or (
        text.startswith("Asked: ") and _USER.match(text) is not None
    )


def strip_beside(text: str) -> str:
    """Return what a memory says, without its label and without what stands beside it."""
    said = _BESIDE.split(text, maxsplit=1)[0]
    return _LABEL.sub("", said, count=1)


@lru_cache(maxsize=4_000)
def list_words(text: str) -> tuple[str, ...]:
    """Return the words of a text that say what it is about, in their order; of a path its end."""
    plain = _PATH.sub(r"\1", text)
    return tuple(
        each for match in _WORD.finditer(plain) for each in sorted(terms(match[0])) if each
    )


def _list_named(sentence: str, *, orders: bool) -> Iterator[Thing]:
    is_firm = not (_MAY.search(sentence) or DOUBTS.search(sentence))
    patterns = [_DONE, _GONE] if is_firm else []
    if orders:
        patterns += [_ORDERED, _INSTEAD, _REFUSED, _MAY_GO]
        for match in () if sentence.isascii() else _UNSPACED.finditer(sentence):
            kind = "thing" if match["thing"] else "after"
            yield replace(_name_thing(match[kind], match.start(kind)), is_unspaced=True)
    for pattern in patterns:
        for match in pattern.finditer(sentence):
            named = match.groupdict()
            kind = "listed" if named.get("listed") else "thing"
            takes_away, rest = _TAKES_AWAY.search(match[0]), sentence[match.end() :]
            if takes_away and (_OF_A_PART.match(rest) or _IN_TIME.match(rest)):
                continue
            is_removed = bool(takes_away) and not _MAYBE_OF_A_PART.match(rest)
            thing = _name_thing(match[kind], match.start(kind))
            is_anew = pattern is _GONE and bool(_NAMED_ANEW.match(rest))
            is_name = thing.is_name or is_anew or _is_replaced_by(match[0], thing, rest)
            yield replace(thing, is_name=is_name, is_removed=is_removed)
    for match in _LEFT_US.finditer(sentence) if orders else ():
        yield replace(_name_thing(match["thing"], 1), is_name=True)
    for match in _OUT.finditer(sentence) if orders else ():
        kind = "with" if match["with"] else "thing"
        thing = _name_thing(match[kind], match.start(kind))
        yield replace(thing, is_name=True, is_removed=True)
    for match in _MOVED.finditer(sentence) if is_firm or orders else ():
        thing = _name_thing(match["thing"], match.start("thing"))
        yield replace(thing, is_name=True, moved=terms(match["what"]) - _ALL)
    for match in _NO_LONGER.finditer(sentence) if is_firm else ():
        said = f"{match['who']} {match['what']}"
        yield Thing(list_words(said)[:_WORDS_MAX], False, said)


def _is_replaced_by(said: str, thing: Thing, rest: str) -> bool:
    """Tell whether a sentence begins with a name, in whose place another name is now."""
    is_named = _OWN_NAME.match(thing.said) is not None and len(thing.said.split()) <= _HEAD_WORDS
    return is_named and bool(_REPLACED_BY.match(said) and _BY_ANOTHER.match(rest))


def _name_thing(said: str, at: int) -> Thing:
    """Return what is named; a capital at the beginning of a sentence makes no name."""
    words = list_words(said)[:_WORDS_MAX]
    is_name = bool(_MARKED.search(said)) or any(
        word[:1].isupper() and (at or number) for number, word in enumerate(said.split())
    )
    return Thing(words, is_name, said)


def _is_about(word: str, text: str, category: Category) -> bool:
    """Tell whether one name is what a text is about: it says so at once."""
    first = _HEAD_WORDS if category in (Category.DECISION, Category.CODE_CHANGE) else 1
    return word in list_words(text[:200])[:first]


def _holds(held: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether some words stand beside each other among others, in their order."""
    count = len(wanted)
    return any(tuple(held[at : at + count]) == tuple(wanted) for at in range(len(held) - count + 1))


def _holds_all(held: Sequence[str], wanted: Sequence[str]) -> bool:
    return frozenset(held).issuperset(wanted)
