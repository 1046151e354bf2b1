"""The words by which a decision, a change, a problem or an outcome is known. A table.

Each entry is a piece of a regular expression; entries stand between word boundaries and
capitals do not matter. The second table of a cue is for scripts that have no word
boundaries or that have them elsewhere. English has most entries because agents speak it;
a sentence of a language that is missing here is weighed by what it holds instead.
"""

from __future__ import annotations

import re
import sys
from functools import cached_property
from typing import Any, cast

from agentx.kernel.text import compile_late

Cue = re.Pattern[str]


# A capital of a cue, but for those that are part of how an expression is written.
_CAPITAL = compile_late(r"\\.|\(\?P|[A-Z]")


def _lower(found: re.Match[str]) -> str:
    return found[0].lower() if len(found[0]) == 1 else found[0]


# Small letters that count as another one, and are not lowered to it.
_OTHER_FORMS = compile_late(r"[\u0131\u017f\u1c80-\u1c88]")


def _lower_text(text: str) -> str | None:
    """Return a text in small letters, each in its place; None where that is not possible."""
    lowered = text.lower()
    if text.isascii():
        return lowered
    # Some capitals are written with two small letters.
    is_other = len(lowered) != len(text) or _OTHER_FORMS.search(lowered)
    return None if is_other else lowered


_KNOWN_MAX = 2_000
_KNOWN_CHARS_MAX = 2_000


def _remember(texts: set[str], text: str) -> None:
    if len(text) > _KNOWN_CHARS_MAX:
        return
    if len(texts) >= _KNOWN_MAX:
        texts.clear()
    texts.add(text)


class _Blind:
    """A pattern to which capitals do not matter, in a third of the time.

    Alternatives are told apart by their first letter, unless that may be of either case: so a
    text is lowered before it is looked through, and only what is found is read again.
    """

    def __init__(self, source: str) -> None:
        self.pattern = source
        self._blind = compile_late(source, re.IGNORECASE)
        # Many rules ask for the same of the same lines, and most lines do not have it.
        self._lacking: set[str] = set()
        self._not_begun: set[str] = set()

    @cached_property
    def _lowered(self) -> re.Pattern[str]:
        return re.compile(_CAPITAL.sub(_lower, self.pattern))

    def is_in(self, text: str, *, at_start: bool = False) -> bool:
        """Tell whether it is found, without looking again for where: in half the time."""
        known = self._not_begun if at_start else self._lacking
        if text in known:
            return False
        lowered = _lower_text(text)
        if lowered is None:
            return (self._blind.match(text) if at_start else self._blind.search(text)) is not None
        look = self._lowered.match if at_start else self._lowered.search
        if look(lowered) is not None:
            return True
        _remember(known, text)
        return False

    def search(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        if endpos == sys.maxsize and text in self._lacking:
            return None
        lowered = _lower_text(text)
        if lowered is not None:
            found = self._lowered.search(lowered, pos, endpos)
            if found is None:
                if pos == 0 and endpos == sys.maxsize:
                    _remember(self._lacking, text)
                return None
            pos = found.start()
        return self._blind.search(text, pos, endpos)

    def match(self, text: str, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[str] | None:
        if pos == 0 and endpos == sys.maxsize and text in self._not_begun:
            return None
        lowered = _lower_text(text)
        if lowered is not None and not self._lowered.match(lowered, pos, endpos):
            if pos == 0 and endpos == sys.maxsize:
                _remember(self._not_begun, text)
            return None
        return self._blind.match(text, pos, endpos)

    def __getattr__(self, part: str) -> Any:
        return getattr(self._blind, part)


def finds(cue: Cue, text: str) -> bool:
    """Tell whether a cue is found in a text."""
    return cast("_Blind", cue).is_in(text)


def begins(cue: Cue, text: str) -> bool:
    """Tell whether a text begins with a cue."""
    return cast("_Blind", cue).is_in(text, at_start=True)


def _compile_blind(source: str) -> Cue:
    return cast("Cue", _Blind(source))


def anywhere(words: str, signs: str = "") -> Cue:
    """Return a cue for entries wherever they stand."""
    listed = "|".join(_entries(words))
    beyond = "".join(f"|{sign}" for sign in _entries(signs))
    return _compile_blind(rf"\b(?:{listed})\b{beyond}")


def at_the_start(words: str, *, after: str = "") -> Cue:
    """Return a cue for entries that begin a line, after any number of others."""
    skipped = "|".join(_entries(after))
    opening = rf"(?:(?:{skipped})[\s,.!:-]+)*" if after else ""
    return _compile_blind(rf"{opening}(?:{'|'.join(_entries(words))})\b")


def _entries(table: str) -> list[str]:
    return [entry for line in table.splitlines() for entry in line.strip().split(" | ") if entry]


DECIDES = anywhere(
    r"""
    decided | decision(?= ?\d*(?: is| was| ?:)) | agreed | settled on | chose | opt(?:ed|ing)? for
    revers(?:e|es|ed|ing) (?:it|that|the|our|my|decision|\d)
    go(?:ing)? with | from now on | in favou?r of | switch(?:ed|ing)? (?:to|from) | trade-?off
    the plan is | approved | stick(?:ing)? (?:to|with)
    let'?s (?:use|keep|go|stick|switch|drop|adopt|avoid|not|move|make|call|skip|leave)
    let'?s (?:do|have) (?!(?:it|that|this|them|so|an?|the)\b)[a-z]\w+
    (?:we|i)(?:'ll| will| should) (?:use|keep|stick|switch|adopt|avoid|drop|store|treat|support)
    (?:right|better|best|cleanest|simplest|safest) (?:approach|choice|option|fix|way) (?:is|here)
    (?:is|are) the (?:right|better|best|cleanest|simplest|safest) (?:approach|choice|option|fix|way)
    entschieden | entscheidung | decidimos | decidido | decisi\u00f3n | d[e\u00e9]cid[e\u00e9]
    """,
    r"""
    \u51b3\u5b9a | \u6c7a\u5b9a | \u6539\u7528 | \u91c7\u7528 | \u63a1\u7528 | \uacb0\uc815
    \u0440\u0435\u0448\u0438\u043b\u0438 | \u0642\u0631\u0631\u0646\u0627
    \u05d4\u05d7\u05dc\u05d8\u05e0\u05d5
    """,
)
# What was settled, in the words of those who settled it.
DECIDED = anywhere(
    r"""
    (?:we|they|i|team) (?:have |had |all )?(?:decided|agreed|chose|settled)
    (?:was|is|were|been) (?:decided|agreed|chosen) | (?:was|were|been) picked(?! up)
    decision(?= ?\d*(?: is| was| ?:))
    settled on | (?:is|was|were) approved | decided (?:to|against)
    entschieden | entscheidung | decidimos | decidido | wurden? (?:beschlossen|vereinbart)
    se (?:decidi\u00f3|acord\u00f3|eligi\u00f3)
    (?:il )?a \u00e9t\u00e9 (?:d\u00e9cid\u00e9|choisi)
    """,
    r"""
    \u51b3\u5b9a | \u6c7a\u5b9a | \uacb0\uc815 | \u0440\u0435\u0448\u0438\u043b\u0438
    \u0642\u0631\u0631\u0646\u0627 | \u05d4\u05d7\u05dc\u05d8\u05e0\u05d5
    """,
)
PRESCRIBES = anywhere(
    r"""
    instead of | rather than | prefer(?:red|s)? | by default | must(?:n't)? | never | always
    no longer | won'?t | should (?:be|not|only|always|never) | convention | policy | approach
    (?:don'?t|do not) (?:use|add|want|need|touch|store|log) | keep | requires?
    only (?:when|if|for) | statt | en lugar de | au lieu de
    """
)
EXPLAINS = anywhere(
    r"""
    root cause | caused? (?:is|was|by) | turn(?:s|ed) out | race condition | dead-?lock(?:s|ed)?
    the (?:real |actual |underlying )?(?:issue|problem|bug|culprit|reason)s? (?:is|was|are|were)
    regression | memory leak | data loss | vulnerab\w+ | ursache | la causa | la cause
    """,
    r"""
    \u539f\u56e0 | \uc6d0\uc778 | \u043f\u0440\u0438\u0447\u0438\u043d\u0430
    \u0627\u0644\u0633\u0628\u0628
    """,
)
COMPLAINS = anywhere(
    r"""
    because | due to | bugs? | fail(?:s|ed|ing|ures?)? | errors? | exceptions? | broken? | breaks?
    crash(?:es|ed|ing)? | leak(?:s|ed|ing)? | tim(?:es?|ed|ing)[ -]?outs? | flaky | hangs? | hanging
    hung | incorrect(?:ly)? | missing | doesn'?t | didn'?t | cannot | can'?t | stale | problems?
    corrupt(?:ed|s|ion)? | conflicts? | rejected | denied | unexpected(?:ly)? | duplicate[ds]?
    lost | loses | fehler | errores | erreur | falla
    """,
    r"""
    \u9519\u8bef | \u5931\u8d25 | \u5931\u6557 | \u30a8\u30e9\u30fc | \ubc84\uadf8 | \uc624\ub958
    \u043e\u0448\u0438\u0431\u043a | \u062e\u0637\u0623 | \u05e9\u05d2\u05d9\u05d0\u05d4
    """,
)
CONCLUDES = anywhere(
    r"""
    (?:tests?|checks?|suite|build|ci|lint\w*)\b.{0,60}?\b(?:pass(?:es|ed|ing)?|clean)
    now pass(?:es)? | pass(?:es)? now | fix(?:ed|es) | works now | now works | deployed | released
    shipped | published | resolved | verified | confirmed | measured
    succe(?:ss|ssful|ssfully|eds?|eded) | faster | slower | reduc(?:ed|es) | improv(?:ed|es)
    drop(?:s|ped) (?:from|to) | (?:down|up) (?:from|to) | p9[59] | landed | green | merged
    completed? | behoben | erledigt | resuelto | corregido | corrig[e\u00e9]
    """,
    r"""
    \u4fee\u590d | \u4fee\u6b63 | \u901a\u8fc7 | \u5b8c\u6210 | \uc644\ub8cc
    \u0438\u0441\u043f\u0440\u0430\u0432
    """,
)
CHANGES = anywhere(
    r"""
    add(?:ed|s) | implement(?:ed|s) | creat(?:ed|es) | renam(?:ed|es) | remov(?:ed|es)
    delet(?:ed|es) | updated | refactored | moved | migrat(?:ed|es)
    replac(?:ed|es) | rewrote | rewritten | wrote | written | introduc(?:ed|es) | extract(?:ed|s)
    split | committed | pushed | bump(?:ed|s) | upgrad(?:ed|es) | downgraded
    configured | wired | reverted | changed | modif(?:ied|ies) | install(?:ed|s) | documented
    now (?:uses?|returns?|reads?|writes?|handles?|supports?|rejects?|runs?|waits?|checks?)
    now (?:has|is|are)
    hinzugef\u00fcgt | ge\u00e4ndert | a\u00f1adi(?:do|mos) | ajout[e\u00e9]
    """,
    r"""
    \u6dfb\u52a0 | \u8ffd\u52a0 | \u5220\u9664 | \u524a\u9664 | \u5909\u66f4 | \u4fee\u6539
    \ucd94\uac00 | \u0434\u043e\u0431\u0430\u0432
    """,
)
LEAVES_OPEN = anywhere(
    r"""
    to-?do | follow-?ups? | still (?:needs?|open|missing|has to|have to|fails?|stale|to be done)
    not yet | yet to | left (?:undone|open|out|to do|unresolved|as is)
    uncommitted | unpushed
    (?:not|never) (?:been )?(?:committed|pushed|merged|deployed|implemented|tested|fixed)
    did(?:n'?t| not) run | (?:is|are) waiting (?:for|on) | blocked (?:on|by) | pending | untested
    needs? to be | will need to | out of scope | for later | noch offen | queda pendiente
    remain(?:s|ing)(?![^.;]{0,80}\b(?:is|are) (?:right|correct|fine|intended|expected|wanted|ok)\b)
    """,
    r"\u5f85\u529e | \u672a\u5b8c\u6210 | \u672a\u89e3\u51b3",
)
# What an agent is about: over as soon as it was said.
NARRATES = anywhere(
    r"""
    i'?m | i am | i'?ll | i will | i(?:'d| would) | let me | is (?:still |now |actively )?running
    i (?:captured|inspected|checked|looked|read|searched|found|started|can now)
    """
)
# How things stand at this moment: true of every day.
PASSES = anywhere(
    r"""
    working tree (?:is )?(?:otherwise )?clean
    (?:commits? )?(?:behind|ahead of|up[ -]to[ -]date with) `?origin
    (?:on|switched to) branch | nothing to commit
    (?:all )?(?:tests|checks) (?:pass|passed|are green)
    no (?:code |local )?(?:changes|modifications)
    """
)
# A whole line that counts the tests of one run: nothing of what they are, or why.
COUNTS_TESTS = compile_late(
    r"(?i:\W*(?:tests?:|test result: \w+)?\W*(?:\d+ (?:(?:tests?|checks?|suites?|files?) )?"
    r"(?:passed|failed|passing|failing|skipped|pending|total|errors?|warnings?|deselected)\W*)+"
    r"(?:(?:in|finished in) [\d.]+ ?\w+\W*(?:\([\d:]+\)\W*)?)?\Z)"
)
TAKES_BACK = anywhere(
    r"""
    instead(?: of)? | no longer | revert(?:ed|s|ing)? | roll(?:ed|ing)? back | go(?:ing)? back to
    switch(?:ed|ing)? (?:back )?(?:to|from) | replac(?:ed|es|ing) | drop(?:ped|ping)?
    chang(?:ed|ing) (?:our|my) minds? | abandon(?:ed|ing)? | rather than | supersed\w+
    in favou?r of | revers(?:e|es|ed|ing|al)
    mov(?:ed?|ing) from | away from | won'?t | undo | undid | scrap(?:ped)?
    after all | anstatt | statt | doch (?:nicht|lieber) | nicht mehr | en lugar de | au lieu de
    """,
    r"""
    \u6539\u7528 | \u6539\u4e3a | \u5909\u66f4 | \u3084\u3081\u3066 | \u306e\u4ee3\u308f\u308a\u306b
    \u4e0d\u518d\u4f7f\u7528
    """,
)
# What must not be lost of a line that is said shorter.
DENIES = anywhere(
    r"""
    no | not | never | none | nothing | neither | nor | without | cannot | except | unless | \w+n't
    nicht | kein\w* | nie | ohne | nunca | jamais
    """
)
DOUBTS = anywhere(r"might | maybe | perhaps | probably | could be | not sure | seems? | possibly")

# Lines that a program wrote for a person to paste.
LOGS = compile_late(
    r"Traceback \(most|File \"|\d\d:\d\d:\d\d|\b(?:ERROR|WARN|INFO|DEBUG)\b"
    r"|--- (?:FAIL|PASS|SKIP)\b|\bexit status \d"
)
# A sentence that begins so leans on the one before it.
LEANS = at_the_start("it | this | that | they | these | those | so | then | he | she | there")

# What will be looked at next is over as soon as it was said.
ANNOUNCES = at_the_start(
    r"""
    let me | i'?m (?:about|now) | i am (?:about|now) | now i
    (?:i'?ll|i will) (?:now|start|first|check|look|read|run|explore|search|examine|verify|also)
    let(?:'?s| us) (?:see|look|check|start|run|verify|read|find|try|take|examine|explore|test)
    i (?:can see|see|need to|want to|should|notice|now|understand|have (?:enough|all))
    here(?:'s| is| are) | looking at | looks like i | time to | the following | below (?:is|are)
    checking | reading | searching | running | exploring | examining | starting
    as (?:follows|you can see) | summary | next steps?
    """,
    after=r"""
    ok(?:ay)? | great(?: news)? | good(?: news)? | perfect | excellent | alright | now | next
    first | then | so | sure | yes | right | got it | of course | i see | hmm+ | interesting
    finally | also | and | but | wonderful | nice | done
    """,
)
INTENDS = at_the_start(
    r"i'?ll | i will | i'?m going to | i am going to | we'?ll | we can | could | option",
    after="now | next | then | so | first | also | done | great | perfect | ok(?:ay)? | and",
)
COMMANDS = at_the_start(
    r"""
    add | fix | write | make | build | create | implement | remove | delete | drop | rename | move
    refactor | update | upgrade | migrate | port | replace | split | merge | extract | run | test
    check | review | find | debug | investigate | explain | show | list | compare | measure | plan
    design | document | deploy | release | set up | configure | change | use | try | copy | revert
    reverse | rework | rewrite | improve | speed up | clean | look into | figure out | ensure
    renew | restart | restore | rerun | bump | reproduce
    """
)
COURTESY = at_the_start(
    r"""
    you(?:'re| are) (?:absolutely |completely |quite )?(?:right|welcome|correct)
    (?:great|good|excellent|nice) (?:question|point|catch|idea|insight|work|job|call)
    excellent | perfect | awesome | thank(?:s| you) | sounds? good | looks good | hello | hi | hey
    certainly | absolutely | sorry | apologies | my apologies | let me know | feel free | i hope
    (?:would you|do you) (?:like|want) (?:me|to) | shall i | should i (?:proceed|continue|go)
    want me to | is there anything | anything else | ready (?:when|to) | happy to | no problem
    understood | noted | got it | of course | please (?:let|confirm|review) | how can i
    if you(?:'d| would)? (?:like|want|need|have) | what would you like
    """
)
