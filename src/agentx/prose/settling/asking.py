"""What only asks for an answer or for work, and settles nothing."""

from __future__ import annotations

import re

from agentx.kernel.text import compile_late
from agentx.prose import cues
from agentx.prose.sentences import is_question, once_a_line, sentences
from agentx.prose.settling.errands import cut_reason
from agentx.prose.titles import phrase_title

# People often ask without a mark. "Can we ..." is a wish, "do the migration" is work.
_LEADS = r"\W*(?:(?:and|so|but|ok|okay|also|then|hm+)[, ]+)*"
_ASKS = compile_late(
    _LEADS + r"(?:"
    r"(?:is|are|was|were|has|have|does|did) "
    r"(?:you|we|it|they|he|she|the|this|that|there|these|those|your|our|my|i|a|an)\b(?! to\b)"
    # "does the-cli take a key", and not "did work, keep it"
    r"|(?:does|did) (?!(?:not|nothing|work|help|fix|run|pass|fail|seem|look|make|mean|do|need|go"
    r"|break)\b)[\w./@`-]+ (?!not\b)\w"
    r"|(?:is|are|was|were) [^,.;:]{3,80}? or (?:is|are|was|were|does|do|did|only|just|still|rather"
    r"|in|on|by|with)\b[^,.;:]*\Z"
    r"|(?:do|should|shall) (?:we|i)\b|do (?:you|they)\b"
    r"|(?:how|why|what|where|when|which|who) (?:do|does|did)\b(?! it\b)"
    r"|(?:what|which)(?:'s|'re)\b"
    r"|(?:how|why|where|who)(?:'s|'re| (?:is|are|was|were|can|should))\b"
    r"|(?:what|when|which) (?:now |next )?(?:is|are|was|were|can|should) "
    r"(?:we|i|you|they|it|the|this|that|our|my|your)\b"
    # "which database did we choose", and not "what I want is you to choose"
    r"|(?:what|why|how|where|when|which|whose)"
    r"(?: (?!(?:we|i|you|they|he|she|it|the|this|that)\b)[\w/-]+){0,4}"
    r" (?:do|does|did|are|have|has|had|can|could|should|shall|would|will) (?:we|i|you|they)\b"
    r"|what (?:failed|broke|happened|changed|went wrong)\b(?!.* (?:is|was|were) |.*:)"
    r"|who \w+ .{1,80}[ ,]and (?:why|when|how)\W*\Z"
    r"|(?:was|wie|wo|warum|wieso|weshalb|wann|welche[mnrs]?)(?: \w+){0,2}"
    r" (?:haben|hatten|hat|sollen|sollten|wollen|wollten|m\u00fcssen|ist|sind|war|waren|nutzen"
    r"|verwenden|nehmen|machen|brauchen) (?:wir|ich|ihr|sie|er|es|das|der|die)\b"
    r"|(?:haben|hatten|sollen|wollten) wir\b"
    r"|(?:(?:por )?qu\u00e9|c\u00f3mo|cu\u00e1l(?:es)?|d\u00f3nde|cu\u00e1ndo|qui\u00e9n)\b"
    r"|qu'(?:est|avons|avez|a-t)\b|est-ce qu|avons-nous\b|avez-vous\b"
    r")",
    re.IGNORECASE,
)
# "how it works", "what this means": no more than that, else it is a clause of something said.
_ASKS_SHORTLY = compile_late(
    _LEADS + r"(?:what|why|how|where|which|who)(?:'s|'re)? "
    r"(?:you|we|it|they|he|she|the|this|that|there|these|those|your|our|my|i|a|an)\b"
    r"[^,;:.]*\Z",
    re.IGNORECASE,
)
# "doesn't that mean ..."
_ASKS_IF = compile_late(
    r"\b(?:does|do|is|are|was|were|did|has)n'?t (?:that|this|it|there|they)\b", re.IGNORECASE
)
# "... , right": what its speaker is not sure of.
_ASKS_SO = compile_late(
    r"(?i:(?<!is)(?<!are)(?<!was)(?<!all)(?<!to the)(?<!be)[, ] ?"
    r"(?:right|correct|isn'?t it|or not|oder|no)\W*\Z)"
)
_CLAUSE = compile_late(r"[,;:]\s+(?:so |and |but |then |please )*")
_HEDGES = cues.anywhere(
    r"""
    perhaps | maybe | i guess | i suppose | vielleicht | quiz\u00e1s | peut-\u00eatre
    just (?:thinking|kidding|joking|wondering)(?: aloud| out loud)? | hypothetically
    thought experiment
    """
)
# Not meant: a wink, a game of thought, what somebody else is quoted with.
_PLAYS = compile_late(
    r"(?i:;-?\)|\s/[sj]\W*\Z|\A\W*(?:suppose|imagine|assume) (?:that |we|you|i)\b"
    r"|\b(?:he|she|they|boss|customers?|client|manager|lead|cto|ceo|colleague|some(?:body|one)|people)"
    r" (?:says?|said|claims?|thinks?|wants?)[:,]? [\"\u201c\u201e])"
)
_CALLS = compile_late(r"\s*/[A-Za-z][\w:-]*(?=\s|\Z)")
_WISHES = compile_late(
    r"\b(?:can'?t|couldn'?t|shouldn'?t|why (?:not|don'?t)) (?:we|you)\b", re.IGNORECASE
)


_REQUESTS = compile_late(
    r"(?:(?:ok(?:ay)?|and|so|also|now|then|hm+|i think)[, ]+)*"
    r"(?:please|(?:can|could|would) (?:you|we)|we need to|you need to|(?:\w+ )?bitte|kannst du"
    r"|k\u00f6nntest du|por favor|puedes|podr\u00edas|peux-tu|pourrais-tu|s'il te pla\u00eet)\b",
    re.IGNORECASE,
)


# What says how.
CONSTRAINS = cues.anywhere(
    r"""
    but | instead | rather than | (?:don'?t|do not|doesn'?t) | never | always | must | without
    keep | not | except | only (?:if|when|for|on) | because | so that | no longer | should be
    after all | go(?:ing)? back | statt | sondern | ohne | en lugar de | sino | sin | au lieu de
    sans
    """
)


# "Move the gateway to aiohttp" chooses; "move it to the other file" is work.
_TO_ANOTHER = (
    r"(?:move|migrate|switch) \S.{0,60}? (?:over )?to (?!(?:an?|the|its?|their|our|his|her|my"
    r"|this|that|these|those|another|one|use|be|top|bottom|left|right|end|start|front|main|master"
    r"|utils?|helpers?|shared|common|separate|own|\S*[/:(_]\S*|\S+\.[a-z]{1,4})\b)[\w@`]+"
)
# An order that names what is to be used, or what a value is to be: a choice, whatever its reason.
CHOOSES = cues.at_the_start(
    r"""
    use | adopt | prefer | stick (?:to|with) | stay (?:on|with) | switch (?:back )?(?:to|from)
    go (?:back to|with) | standardi[sz]e on | drop support | pin | default to | limit | keep | avoid
    (?:set|raise|lower|increase|reduce|cap|limit) \S.{2,60}? (?:to|at) \S+
    turn \S.{1,40}? (?:off|on) | turn (?:off|on) | enable | disable
    """
    + _TO_ANOTHER
)


# What is to be, said of all: "I think we should rename it".
_LAYS_DOWN = cues.at_the_start(
    r"we (?:should|must|have to|will|won'?t|are going to|do not|don'?t)",
    after="ok(?:ay)? | so | and | but | then | i think | also | no | yes | well | in that case",
)


@once_a_line
def only_asks(text: str) -> bool:
    """Tell whether a text asks for information; "can't we use X?" is a wish."""
    said = sentences(text)
    if not said or _WISHES.search(text):
        return False
    return all(
        asks(one.text) or _ASKS_SHORTLY.match(one.text) or _ASKS_IF.search(one.text) for one in said
    )


def asks(sentence: str) -> bool:
    """Tell whether a person asks for information, with a mark or without.

    Who says beside it what to do ("was the wrong one, use X") only begins like that.
    """
    if is_question(sentence):
        return True
    return _ASKS.match(sentence) is not None and not any(
        commands(each) for each in _CLAUSE.split(sentence)[1:]
    )


def is_not_meant(sentence: str) -> bool:
    """Tell whether a person jokes, plays with a thought, or quotes somebody else."""
    return _PLAYS.search(sentence) is not None


@once_a_line
def is_unsure(sentence: str) -> bool:
    """Tell whether a person says something to hear whether it is so."""
    return bool(_ASKS_SO.search(sentence) or _HEDGES.search(sentence) or is_not_meant(sentence))


def calls_command(text: str) -> bool:
    """Tell whether a prompt calls a command of the agent CLI: its arguments are of that turn."""
    return _CALLS.match(text) is not None


@once_a_line
def only_requests(text: str) -> bool:
    """Tell whether a text wants something done and does not say how: a request settles nothing."""
    said = [one.text for one in sentences(text)]
    asked = [one for one in said if _asks_for_work(one)]
    how = (cut_reason(one) if one in asked else one for one in said)
    return bool(asked) and not any(CONSTRAINS.search(one) for one in how)


@once_a_line
def commands(sentence: str) -> bool:
    """Tell whether a sentence is an order to do some work."""
    is_order = cues.COMMANDS.match(phrase_title(sentence)) is not None
    return is_order and not _LAYS_DOWN.match(sentence)


def _asks_for_work(sentence: str) -> bool:
    is_asked = _REQUESTS.match(sentence) is not None or commands(sentence)
    return is_asked and not CHOOSES.match(phrase_title(sentence))
