"""What a message begins with before it says anything: greetings, who is there, which task it is.

"hi! Anna here, I do everything but the billing"      greets
"#57: the reminder should be short"                   is of a task, by its number
"""

from __future__ import annotations

from itertools import dropwhile

from agentx.kernel.text import compile_late
from agentx.prose.cues import COMMANDS
from agentx.prose.sentences import once_a_line, sentences

_HELLO = (
    r"(?:hi|hey|hello|hallo|moin|servus|ciao|salut|bonjour|hola|yo|(?:good |guten )?morning"
    r"|good (?:afternoon|evening|day|night)|guten (?:morgen|tag|abend)"
    r"|buen[oa]s (?:d\u00edas|tardes)"
    r"|sch\u00f6nes wochenende|gute nacht|have a (?:good|nice|great) \w+"
    r"|thx|thanks|thank you|cheers|merci|danke|gracias)"
)
_INTRODUCES = (
    r"(?:(?i:it'?s |this is )?[A-Z]\w+ (?i:here)\b|\w+ (?i:here)\W*\Z"
    r"|(?i:this is |my name is )[A-Z]\w+ (?i:from|of|again|speaking)\b|(?i:my name is) [A-Z]\w+)"
)
_GREETS = compile_late(rf"\W*(?i:{_HELLO}\b(?: \w+){{0,3}})?\W*(?:\Z|{_INTRODUCES})")
_TASK = compile_late(r"\W*(?i:(?:issue|task|bug|story) )?#\d{1,7}(?:[:,.]|\s+[-\u2013\u2014])\s+")
# "SQL warehouse: make the orders incremental": what it is about, before what is wanted of it.
_TOPIC = compile_late(
    r"\W*(?!(?:rule|policy|decision|decided|note|remember|important|always|never|lesson|convention)\b)(?![^:\n]*\b(?i:decid|agree))"
    r"[\w./#-]+(?: [\w./#-]+){0,3}: (?=[a-z])"
)
_FORBIDS = compile_late(r"(?i:no|never|always|don'?t|do not)\b")
_SHOULD = compile_late(r"(?i:\bshould )")


def greets(sentence: str) -> bool:
    """Tell whether a sentence only greets, thanks, or says who is there."""
    return _GREETS.match(sentence) is not None


@once_a_line
def cut_greeting(text: str) -> str:
    """Return a text without the greetings that it begins with, if it says more than these."""
    said = sentences(text)
    rest = list(dropwhile(lambda one: greets(one.text), said))
    return text[rest[0].start :] if rest else text


def drop_task(sentence: str) -> str:
    """Return a sentence without the number of its task: what that should do is no ruling."""
    named = _TASK.match(sentence)
    if named:
        return _SHOULD.sub("", sentence[named.end() :])
    topic = _TOPIC.match(sentence)
    rest = sentence[topic.end() :] if topic else ""
    return rest if rest and (COMMANDS.match(rest) or _FORBIDS.match(rest)) else sentence
