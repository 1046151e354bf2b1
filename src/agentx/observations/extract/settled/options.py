"""What an agent offered, and what the user took of it: "2", "plan b", "the second one", "yes".

Such an answer says nothing by itself: it is told with its question and the words of what was
chosen. An offer is a list, a table, headings, alternatives in a sentence, or one thing to do.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

from agentx.exchanges import wording
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.settled.agreements import ANSWERED, decision
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.sentences import Block, is_question, sentences, shorten, show_excerpt, words
from agentx.prose.settling.errands import is_errand, is_one_off
from agentx.prose.settling.next_step import NEXT_STEP
from agentx.prose.settling.verdict import wants_work

_READ_CHARS_MAX = 12_000
_END_CHARS = 3_000
_ASKED_CHARS = 160
_OPTION_CHARS = 200
_ANSWER_WORDS_MAX = 20
_NAMED_WORDS_MAX = 7
_ASKING_WORDS = 5
_NAME_CHARS_MIN = 3
_SAME_CHARS = 40
_LEAVE_WORDS_MAX = 3
_YES_WEIGHT = 70
_KIND = r"(?:option|plan|variant|approach|alternative|choice|version|variante)"
_MARK = r"(?:\d|[a-e])"
# `2. x`, `b) x`, `**Option 2: x** - y`, `### Plan B`, `| B | x |`: a label, and what it stands for.
_LISTED = compile_late(
    rf"^[ \t]*(?:[-*+] +)?(?:#+ +)?(?:\*\*)? *(?:{_KIND} +)?\(?(?P<label>{_MARK})"
    r"(?:[.):]|\*\*:?| *$| +[-\u2013\u2014])(?P<said>.*)$",
    re.MULTILINE | re.IGNORECASE,
)
# Where each is called an option, the numbers below it are its steps.
_CALLED = compile_late(
    rf"^[ \t]*(?:[-*+] +)?(?:#+ +)?(?:\*\*)? *{_KIND} +\(?(?P<label>{_MARK})"
    r"(?:[.):]|\*\*:?| *$| +[-\u2013\u2014])(?P<said>.*)$",
    re.MULTILINE | re.IGNORECASE,
)
_ROW = compile_late(
    rf"^[ \t]*\|[ \t*]*(?:{_KIND} +)?(?P<label>{_MARK})[ \t*.:)]*\|(?P<said>.+?)\|?[ \t]*$",
    re.MULTILINE | re.IGNORECASE,
)
_INLINE = compile_late(
    rf"\((?P<label>{_MARK})\) *(?P<said>.+?)(?=[,;]?\s*(?:or|and|oder)?\s*\({_MARK}\)|[?]|$)",
    re.IGNORECASE | re.MULTILINE,
)
_NAMED = compile_late(
    r"^[ \t]*[-*+] +(?:\[[ x]\] +)?\*\*(?P<label>[^*\n]{2,40}?):?\*\*"
    r"[:\s\u2013\u2014-]+(?P<said>\S.*)$",
    re.MULTILINE,
)
_PICKS = compile_late(
    rf"\b{_KIND} +#?(?P<kind>{_MARK})\b|#(?P<hash>\d)\b"
    r"|(?:\A|\band |, |& )(?P<bare>\d|[b-e]|a(?=\W*\Z|[.,;:!)]|\s+(?:pl(?:ea)?se?|is|but|and)\b))"
    r"(?![\w%'])"
    r"|\b(?:the )?(?P<word>first|second|third|former|latter|last)"
    r"(?: one| option| approach| way)?\b",
    re.IGNORECASE,
)
_LABELLED = compile_late(rf"(?i:\A(?P<label>(?:{_KIND} )?{_MARK}[.):,]) +(?P<rest>\S.*)\Z)")
_WORDS = {"first": 0, "former": 0, "second": 1, "third": 2, "latter": -1, "last": -1}
# What an answer begins with before it names its choice.
_AGREEING = compile_late(
    r"\s*(?:(?:ok(?:ay)?|yes|yep|yeah|fine|good|sure|right|alright|then|i'?d|i|we|let'?s|lets|go|going"
    r"|take|use|with|for|the|do|implement|pick|choose|prefer|like|ja|gut|dann|nimm|wir|nehmen)\b"
    r"[\s,:.!-]+)*",
    re.IGNORECASE,
)
_IS_FINE = compile_late(
    r"(?i:,? (?:then|it is|(?:is|sounds|looks) (?:fine|good|ok(?:ay)?|right|great)"
    r"|works(?: for me)?|please|pls|passt|ist (?:gut|ok(?:ay)?))\Z)"
)
_BRIEF_NAME = compile_late(r"[A-Z][A-Z0-9]|[A-Z][a-z]")  # "S3", "Go": a name for all that
_EITHER = cues.anywhere(r"either | \w+ or \w+ | oder | versus | vs\.?")
# A question that says nothing of what it is about.
_VAGUE = compile_late(
    r"(?:which(?: one| of (?:these|those|them))?|ok(?:ay)?|(?:shall|should) (?:i|we)|right|thoughts"
    r"|any (?:preference|objection)s?|sounds? (?:good|ok(?:ay)?)|agreed)\W*\Z"
    r"|which (?:one )?(?:do|would|should) (?:you|i|we) (?:prefer|want|like|go|take|use|pick)\b"
    r"|what do you (?:prefer|think|say|want)\b|your call\b|(?:does|is) (?:this|that)\b",
    re.IGNORECASE,
)
_WANTS_TO = cues.at_the_start(
    r"""
    shall i | should i | do you want me to | want me to | would you like me to | may i | can i
    shall we | should we | soll ich | sollen wir
    """,
    after="so | or | and | now | also",
)
_YES = compile_late(
    r"\s*(?:y|yes|yep|yeah|yup|sure|ok(?:ay)?|ja|si|oui|go ahead|do (?:it|that)|please do|agreed"
    r"|fine|go for it|lgtm|sounds good|makes sense)\b",
    re.IGNORECASE,
)
_NO = compile_late(r"\s*(?:no|nope|nah|nein|non|not? needed|don'?t)\b", re.IGNORECASE)
_BUT = compile_late(
    r"\b(?:but|only|except|instead|because|since|until|still|aber|nur|weil|bis)\b", re.IGNORECASE
)
_CHOICES = cues.at_the_start(
    r"""
    (?:the )?(?:options?|alternatives?|possibilities|choices)(?= ?:| are)
    (?:there are )?(?:two|three|four|several|a few) (?:ways|options|alternatives|approaches)
    either | we could (?:either)? | m\u00f6glichkeiten
    (?:es gibt|ich sehe) (?:zwei|drei|mehrere) (?:wege|optionen|m\u00f6glichkeiten|varianten)
    (?:hay|tenemos|veo) (?:dos|tres|varias) (?:opciones|formas|maneras|alternativas|v\u00edas)
    (?:il y a|je vois|on a) (?:deux|trois|plusieurs)
    (?:ci sono|vedo) (?:due|tre|varie) (?:opzioni|modi|strade|possibilit\u00e0)
    (?:h\u00e1|temos) (?:duas|tr\u00eas|v\u00e1rias) (?:op\u00e7\u00f5es|formas|maneiras)
    """
)
# "To shrink it, we'd need to either: ...": what is said of it, and the words that only lead on.
_TORN = compile_late(
    r"(?i:(?:(?P<lead>(?:to|for|when|if|before|after|about|um|f\u00fcr|para|pour|per)"
    r" [^,:\n]{3,90}?)"
    r"(?:,|(?= (?:we|you|i|one|there|wir|man|on|nous|podemos|si pu\u00f2)\b)) )?"
    r"[^,:\n]{0,40}\b(?:either|entweder|soit|o bien) ?:\s*\Z)"
)
_LEADS_ON = compile_late(r"(?i:\b(?:either|entweder) ?:(?=\s|\Z))")
_BULLET = compile_late(r"^[ \t]*[-*+\u2022] +(?P<said>\S.*)$", re.MULTILINE)
_JOINS = compile_late(r"(?i:[,;]?\s*\b(?:or|and|oder|und|ou|et|o|y|e)\W*\Z|[,;]\s*\Z)")
# The other way, behind one that was named before: nobody took it by that.
_OR = compile_late(
    r"\W*(?:Or|Alternatively|Another (?:option|way|possibility) (?:is|would be)|Oder|Alternativ"
    r"|O bien|Ou bien|Oppure|In alternativa)\b(?=[ ,:])"
)
_DECIDE = cues.anywhere("your call | up to you | let me know | you decide | sag mir")


@frozen
class OfferedOption:
    """One of several things that were offered."""

    label: str
    said: str


def find_offer(reply: Turn | None) -> Turn | None:
    """Return a reply in which something was offered."""
    if reply is None:
        return None
    end = reply.text[-_END_CHARS:]
    asks = is_question(end.strip()) or _DECIDE.search(end) is not None
    is_offer = wording.OFFERS.search(end) or (asks and list_options(reply.text[-_READ_CHARS_MAX:]))
    return reply if is_offer else None


def find_choice(
    text: str, before: Exchange, offer: Turn, prompt: Turn, boot: Boot
) -> Finding | None:
    """Return what an answer to an offer settled, with its question and the words it took."""
    if is_question(text) or words(text) > _ANSWER_WORDS_MAX:
        return None
    said = lines(offer, boot)
    options = list_options(offer.text[-_READ_CHARS_MAX:])
    picked = _pick(text, options)
    plain = _leave_one_offs(" ".join(text.split()))
    if picked:
        meant = [": ".join(filter(None, (each.label, each.said))) for each in picked]
        return _settle(f"The user chose: {plain}", meant, (offer, prompt), asked=_find_asked(said))
    named = _find_named(plain, said, (offer, prompt), _list_questions(before, boot))
    return named or _find_consent(plain, said, offer, prompt)


def _leave_one_offs(text: str) -> str:
    """Return an answer without what is only of the moment: "2. no need for a doc"."""
    labelled = _LABELLED.match(text)
    lead, said = (labelled["label"], labelled["rest"]) if labelled else ("", text)
    kept = [one.text for one in sentences(said) if not is_one_off(one.text)]
    return " ".join(filter(None, (lead, *kept))) if kept or lead else text


def list_options(text: str) -> tuple[OfferedOption, ...]:
    """Return the options that a reply lists, by their labels; the last list of several."""
    for pattern in (_ROW, _CALLED, _LISTED, _INLINE, _NAMED):
        found: list[OfferedOption] = []
        for match in pattern.finditer(text):
            label = show_excerpt(match["label"])
            if len(label) == 1:
                label = label.upper()
            if any(each.label == label for each in found):
                found = []
            said = _read_option(match["said"], text[match.end() :])
            found.append(OfferedOption(label=label, said=said))
        if len(found) > 1:
            return tuple(found)
    return tuple(_list_bulleted(text))


def _list_bulleted(text: str) -> Iterator[OfferedOption]:
    """Yield the bullets below a line that says that there is something to choose from."""
    lines_of = text.split("\n")
    for at, row in enumerate(lines_of):
        if not row.rstrip().endswith(":") or not _leads_to_choices(row.strip()):
            continue
        below = [each for each in lines_of[at + 1 :] if each.strip()]
        said = list(takewhile(_BULLET.match, below))
        if len(said) > 1:
            told = (_read_option(each.strip().lstrip("-*+\u2022 "), "") for each in said)
            yield from (OfferedOption(label="", said=each) for each in told)
            return


def _leads_to_choices(row: str) -> bool:
    return bool(_CHOICES.match(row) or _LEADS_ON.search(row))


def lists_options(passage: str, offer: str) -> bool:
    """Tell whether a passage of an offer says only what there is to choose from."""
    if not offer:
        return False
    if is_question(passage) or _OR.match(passage) or _leads_to_choices(passage):
        return True
    low = passage.casefold()
    options = list_options(offer[-_READ_CHARS_MAX:])
    return sum(each.said[:_SAME_CHARS].casefold() in low for each in options if each.said) > 1


def _read_option(said: str, after: str) -> str:
    """Return the words of an option; where a heading has none, those of the line below it."""
    own = show_excerpt(said.replace("|", " ").replace("**", "")).strip(" :-\u2013\u2014")
    if not own:
        below = next((row for row in after.split("\n")[1:4] if row.strip()), "")
        own = show_excerpt(below).strip(" :-")
    return shorten(_JOINS.sub("", own), _OPTION_CHARS).rstrip(":")


def _pick(text: str, options: tuple[OfferedOption, ...]) -> list[OfferedOption]:
    """Return the options that an answer names, by label, by place or by their names."""
    if not options:
        return []
    first = _AGREEING.sub("", text, count=1)
    picked: list[OfferedOption] = []
    for match in _PICKS.finditer(first):
        label = (match["kind"] or match["hash"] or match["bare"] or "").upper()
        place = _WORDS.get((match["word"] or "").lower())
        if place is not None and place < len(options):
            picked.append(options[place])
        picked += [each for each in options if label and each.label == label]
    if not picked:
        low = first.casefold()
        picked = [
            each
            for each in options
            if len(each.label) >= _NAME_CHARS_MIN and each.label.casefold() in low
        ]
        picked = picked if len(picked) == 1 else []
    return list(dict.fromkeys(picked))


def _list_questions(before: Exchange, boot: Boot) -> list[str]:
    """Return what somebody had asked, to which something was offered."""
    said = lines(before.prompt, boot) if before.prompt is not None else ()
    return [shorten(line.own, _ASKED_CHARS) for line in said if is_question(line.own)]


def _find_named(
    plain: str, said: tuple[Line, ...], turns: tuple[Turn, Turn], questions: list[str]
) -> Finding | None:
    """Return the choice that an answer makes by its name: "ok, the outbox then"."""
    answered = [one.text for one in sentences(plain)]
    own = "".join(answered[:1])
    if is_question(own) or words(own) > _NAMED_WORDS_MAX:
        return None
    bare = _AGREEING.sub("", own, count=1).strip(" .,!;:")
    if any(_offers_to(bare, line.own) for line in said):
        return None
    name = _IS_FINE.sub("", bare).strip("`\"' ,")
    is_long = len(name) >= _NAME_CHARS_MIN or bool(_BRIEF_NAME.fullmatch(name))
    if not is_long or not (terms(name) or _BRIEF_NAME.fullmatch(name)):
        return None
    sought = re.compile(rf"(?<!\w){re.escape(name)}", re.IGNORECASE)
    naming = [line for line in said if sought.search(line.own)]
    meant = [line.own for line in naming if not is_question(line.own)]
    if not naming:
        return None
    asked = _find_asked(said) or "".join(questions[-1:])
    telling = [each for each in meant if len(terms(each) - terms(plain)) > 1] or meant
    why = next((each for each in telling if wording.REASONS.search(each)), (telling or [""])[-1])
    told = [f"The agent: {shorten(why, 240)}"] if why and why not in asked else []
    if not told and not asked:
        return None
    more = [each for each in answered[1:] if not (is_question(each) or wants_work(each))]
    return _settle(f"The user chose: {' '.join((own, *more))}", told, turns, asked=asked)


def _offers_to(verb: str, asked: str) -> bool:
    """Tell whether somebody asks for leave to do just what an answer says: "May I propose it?"."""
    wants = _WANTS_TO.match(asked)
    offered = asked[wants.end() :].split()[:1] if wants and " " not in verb else []
    return offered == [verb.lower()]


def only_gives_leave(asked: str, said: str) -> bool:
    """Tell whether an answer lets an agent run or save something, or not, and says no more."""
    wants = _WANTS_TO.match(asked)
    if wants is None or words(said) > _LEAVE_WORDS_MAX or not (_YES.match(said) or _NO.match(said)):
        return False
    return is_errand(asked[wants.end() :]) or NEXT_STEP.search(asked) is not None


def _find_consent(plain: str, said: tuple[Line, ...], offer: Turn, prompt: Turn) -> Finding | None:
    """Return a yes or a no to one thing that was proposed, where it is more than a next step."""
    is_no = _NO.match(plain) is not None
    asked = next((line.own for line in reversed(said) if is_question(line.own)), "")
    if not asked or not (is_no or _YES.match(plain)) or only_gives_leave(asked, plain):
        return None
    if _VAGUE.match(asked):
        before = [line.own for line in said if not is_question(line.own)][-1:]
        is_proposal = not is_no and any(wording.OFFERS.search(each) for each in before)
        if not is_proposal or not code_names(before[0]):
            return None
        return _settle(f"The user agreed: {plain}", before, (offer, prompt), weight=_YES_WEIGHT)
    has_reason = words(plain) > 3 and _BUT.search(plain) is not None
    is_telling = code_names(asked) and not NEXT_STEP.search(asked)
    if not _WANTS_TO.match(asked) or words(asked) < _ASKING_WORDS or not (has_reason or is_telling):
        return None
    return _settle(
        f"The user answered: {plain}",
        [],
        (offer, prompt),
        asked=shorten(asked, _ASKED_CHARS),
        weight=ANSWERED if has_reason else _YES_WEIGHT,
    )


def _find_asked(said: tuple[Line, ...]) -> str:
    """Return what was asked: the last question that tells, else the alternatives it was about."""
    for line in reversed(said):
        if is_question(line.own) and not _VAGUE.match(line.own) and terms(line.own):
            return shorten(line.own, _ASKED_CHARS)
    for line in reversed(said):
        if _EITHER.search(line.own) and line.block is not Block.ITEM:
            return shorten(_mend_torn(line.own), _ASKED_CHARS)
    return ""


def _mend_torn(asked: str) -> str:
    """Return of words that lead to a list what they are about, and not where they break off."""
    torn = _TORN.fullmatch(asked.strip())
    if torn is None:
        return asked
    return f"{torn['lead']}:" if torn["lead"] else ""


def _settle(
    said: str,
    meant: list[str],
    turns: tuple[Turn, Turn],
    *,
    asked: str = "",
    weight: int = ANSWERED,
) -> Finding:
    head = f"{asked} {said}" if asked else said
    told = [shorten(each, 240) for each in meant]
    ids = tuple(turn.event_id for turn in turns)
    return decision("\n".join((head, *told)), "; ".join((head, *told)), turns[-1], ids, weight)
