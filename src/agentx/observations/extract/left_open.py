"""What a session left open, in the words in which its agent said so.

    "Not done: the metric of the queue."      "I have not pushed the branch."
    "Still open: 1. ... 2. ..."               a question at the very end that nobody answered
    "Next: the backfill, I stopped at May."   said last of all: before that it was gone on with

Only what is still open when the session ends is kept: what was agreed to, done or talked of
afterwards is not. A program's own states ("rows that are not committed yet") are no work.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from agentx.exchanges import wording
from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.tools import Use, file_edits
from agentx.exchanges.turns import Turn
from agentx.kernel.text import compile_late
from agentx.observations.extract.put_off import find_put_off
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import coverage, likeness
from agentx.prose.sentences import Block, is_question, shorten, words

LEFT_OPEN = "Left open: "
_SAVED = r"(?:committed|pushed|merged|deployed|released|published|rebased|tagged)"
_WORK = (
    rf"(?:{_SAVED}|done|implemented|tested|fixed|verified|migrated|applied|wired(?: up)?|started"
    r"|built|finished|updated|run|rolled out|cleaned up|written|ported|translated|documented)"
)
# How a sentence begins that says what is left.
_OPENS = cues.at_the_start(
    r"""
    not (?:yet )?(?:started|begun)(?=[:,]) | noch nicht (?:angefangen|begonnen)
    not (?:yet )?(?:done|pushed|committed|merged|deployed|tested|implemented|released|finished)
    (?:for )?(?:tomorrow|later|monday|next week)(?=:) | not yet(?=:)
    still (?:open|to do|to be done|missing|pending|outstanding|undone)
    left (?:open|undone|to do|for (?:later|you|another)) | remaining(?: work| tasks?| items?)?(?=:)
    to-?do(?: for (?:you|later|me))?(?=[:,])
    open(?: questions?| ends?| points?| items?| issues?)?(?=[:,])
    nothing (?:is|was|has been|got) (?:yet )?(?:pushed|committed|merged|deployed|released|applied)
    uncommitted | unpushed | waiting (?:for|on) (?:you|your|the) | offen(?: ist| sind)?\b
    noch (?:offen|zu tun|nicht) | nicht (?:committet|gepusht|gemergt|erledigt|umgesetzt)
    pendiente | faltan? | faltam | (?:ainda|todav\u00eda|a\u00fan) faltan? | ainda faltam
    quedan? (?:por|\d+|dos|tres)
    reste \u00e0 | pas encore
    il reste (?:encore )?(?:\d+|une?|deux|trois|quatre|cinq|des|quelques|\u00e0|les?) (?!possible)
    """,
    after="but | and | however | note | also | ok(?:ay)? | done | aber | und | however",
)
_SAYS = cues.anywhere(
    rf"""
    i (?:have not|haven'?t|did not|didn'?t) (?:yet )?(?:push|commit|merge|deploy|release|publish)\w*
    i (?:have not|haven'?t|did not|didn'?t) (?:yet )?{_WORK}
    i (?:have not|haven'?t|did not|didn'?t) (?:yet )?(?:run|test|fix|migrate|update|apply|finish)\b
    (?<!that )(?<!which )(?:is|are|was|were) (?:still )?not (?:yet )?{_SAVED} yet
    (?:is|are) (?:still |yet )?(?:uncommitted|unpushed|unmerged|undeployed|unreleased)
    (?<!that )(?<!which )(?:has|have) not (?:yet )?been {_WORK}(?: yet)?
    (?<!that )(?<!which )(?:is|are|isn'?t|aren'?t) (?:still )?(?:not )?(?:yet )?{_WORK} yet
    (?:is|are) not yet {_WORK} | nothing (?:is|was|has been) (?:\w+ )?yet
    that (?:i|we) (?:have not|haven'?t|did not|didn'?t) (?:yet )?(?:made|make|do|written|write)\b
    (?:tests?|checks?|builds?|suite|jobs?|pipeline|ci|it|they|\w+_\w+)`? still (?:fails?|crash\w*)
    (?:build|tests|suite|ci|pipeline|branch) (?:is|are) (?:still |now )?(?:broken|red)
    i (?:have not|haven'?t|did not|didn'?t) (?:yet )?(?:added|start(?:ed)?|covered|handled|finish)\b
    not done yet(?=:) | i (?:still )?need (?:the|your|an?|some) [^.;]{{1,60}}? from you
    i (?:have not|haven'?t) (?:yet )?re-?(?:run|trained|built|indexed|tested|measured|written|sent)
    i (?:have not|haven'?t) (?:yet )?(?:measured|benchmarked|backfilled|converted|reviewed)
    (?:nobody|no one) has (?:yet )?(?!ever|complain)[^.;:,\n]{{2,60}}? yet
    hat noch (?:niemand|keiner)
    nadie ha [^.;:,\n]{{2,60}}? (?:todav\u00eda|a\u00fan) | personne n'a encore
    i ran out of time | i'?ll (?:leave|do|finish|take) (?:it|that|this|the rest) (?:for )?tomorrow
    (?:has|have|is|are) yet to be | it did(?: not|n'?t) (?:commit|push|merge|deploy|release)
    (?:is|are) still (?:stale|open|unfixed|broken|red|failing|missing|unpublished|disabled|blocked)
    worth \w+ing (?:separately|later|in a) | should be \w+ (?:separately|later|in a (?:follow|new))
    still (?:needs?|has|have) to (?:be )?\w+ | must still be | still needs? (?:a|an|the|your)\b
    (?:needs?|has|have) to be \w+ (?:by hand|manually|by you)
    never built | left (?:undone|unfixed|unresolved|as (?:a )?follow-?up)
    (?:muss|m\u00fcssen|soll|sollte) noch | (?:ist|sind) noch (?:offen|nicht) | steht noch aus
    todav\u00eda no | a\u00fan no | quedan? pendientes? | n'est pas encore | reste \u00e0 faire
    je n'ai pas (?:encore )?(?:fait|(?:test|pouss|committ?|touch|migr|termin)\u00e9)
    no he (?:hecho|probado|subido|migrado|terminado) | ainda n\u00e3o | ficou (?:pendente|por fazer)
    """,
    r"""
    \u6b8b\u3063\u3066\u3044\u308b\u4f5c\u696d | \u6b8b\u4f5c\u696d | \u672a\u5bfe\u5fdc
    \u672a\u30b3\u30df\u30c3\u30c8 | \u307e\u3060.{0,20}(?:\u307e\u305b\u3093|\u306a\u3044)
    \u05e0\u05e9\u05d0\u05e8(?:\u05d5|\u05d4)? (?:\u05e2\u05d5\u05d3 )?(?:\u05dc|\d)
    \u05e2\u05d3\u05d9\u05d9\u05df \u05dc\u05d0 | \u05d8\u05e8\u05dd
    \uc544\uc9c1 .{0,30}(?:\uc548|\uc54a|\ubabb) | \ub0a8\uc558\uc2b5\ub2c8\ub2e4
    \ub0a8\uc544 ?\uc788\uc2b5\ub2c8\ub2e4 | \ubbf8\uc644\ub8cc
    \u5c1a\u672a | \u8fd8\u6ca1 | \u672a\u5b8c\u6210 | \u5f85\u529e
    """,
)
# What only a person can do: it waits for one.
_FOR_PERSONS = compile_late(
    r"(?i:\b(?:waits?|waiting|is on hold|are on hold) (?:for|on|until) (?:you\b|your\b|approval\b"
    r"|(?:a|an|the|some) (?:review|approval|answer|decision|go-ahead|signature|reply)\b))"
    r"|\b(?:waits|is waiting) for [A-Z][a-z]+(?:'s\b|(?=[.,;:)]|\Z))"
    r"|(?i:\b(?:needs?|requires?|awaits?|lacks?) your (?:\w+ )?(?:review|approval|consent|answer"
    r"|decision|input|signature|password|go-ahead|sign-off|confirmation|word|hand)\b)"
    r"|(?i:(?:\A|[;,:.\u2013\u2014-] |\band )please (?:put|add|send|give|set|create|provide|enter"
    r"|grant|share|upload|rotate|renew|approve|install|move|copy|store|fill|order|buy|register"
    r"|sign|ask|revoke|unlock|enable|invite)\b)"
    r"|(?i:\b(?:secret|key|token|credentials?|access|permissions?|licen[cs]e|certificate|password"
    r"|account|approval|signature|quota)\b[^.;,:\n]{0,40} (?:is|are) (?:still )?"
    r"(?:missing|needed|outstanding)\b(?=[.;,]|\Z))"
    r"|(?i:\bwartet (?:noch )?auf (?:dich|euch|sie|deine?\w*|freigabe)\b"
    r"|\bbitte (?:leg|trag|schick|gib|f\u00fcg|erstell|hinterleg)\w*)"
)
# Said last of all it is where the work stopped; said before, it was gone on with.
_STOPPED = cues.at_the_start(
    r"""
    next(?: up| steps?| on the list| is| comes)?(?=:) | n\u00e4chster schritt(?=:)
    als n\u00e4chstes(?=:) | weiter geht es mit | prochaine \u00e9tape(?=\s?:) | siguiente(?=:)
    """,
    after="but | and | then | so | ok(?:ay)? | done | good",
)
_STOPS = cues.anywhere(
    r"""
    (?:i|we) (?:stopped|paused|broke off|left off) (?:at|after|before|halfway|in the middle of)
    (?:i|we) (?:got|came|am|are) (?:as|only as) far as | (?:i|we) only got (?:to|through|up to)
    (?:is|are|was|were) only (?:half|partly|partially) (?:done|finished|migrated|ported|moved|built)
    (?:is|are) half[ -](?:done|finished|migrated|ported|moved|built)
    (?:is|are|lives?|sits?|lies?|runs?) still (?:in|on|at|under|behind|with|part of|the old)
    still (?:lives?|sits?|lies?|points?|uses?|reads?|writes?|runs?|imports?|depends|refers?|goes)
    (?:ich habe|bin) (?:bei|nach|vor) .{2,40} aufgeh\u00f6rt
    (?:liegt|liegen|steht) noch (?:in|auf|unter)
    """
)
_REASON = cues.anywhere("because | since | so that | so | therefore | weil | damit | daher")
# "The index must be rebuilt before the fair; not started."
_UNBEGUN = compile_late(
    r"(?i:[;,:(\u2013\u2014-]\s?(?:but |and )?(?:(?:it|that|this|which) is )?(?:still )?"
    r"(?:not (?:yet )?(?:started|begun|done)|noch nicht (?:angefangen|begonnen|erledigt))"
    r"(?: yet)?[.!)]*\Z)"
)
# "12 strings of the credits are missing", "two of the pages still lack a title".
_LACKING = "missing|untranslated|untested|undocumented|unhandled"
_LACKS = cues.at_the_start(
    r"(?:\d+|one|two|three|four|five|six|some|several|a few|most) (?:of )?(?:[\w'-]+ ){1,7}?"
    rf"(?:(?:is|are) (?:still )?(?:{_LACKING})|still lacks?)",
    after="but | and | however | only | note",
)
# The words over a list of what is left.
_HEADS = cues.at_the_start(
    r"""
    (?:what(?:'s| is) )?(?:still )?(?:open|left|missing|undone|outstanding)\b
    remaining | not (?:yet )?done | to-?dos? | follow-?ups? | known gaps | unfinished
    (?:noch )?offen | pendiente | \u6b8b\u3063\u3066\u3044\u308b | \u6b8b\u4f5c\u696d | \u5f85\u529e
    """,
    after=r"here(?:'s| is) what(?:'s| is) | these are | the | and",
)
# What holds only in some case, or is no work of this session.
_PERHAPS = cues.anywhere(
    "if you | if we | could | would | unless | in case | until then | when the"
)
_SAVES = compile_late(rf"(?i:{_SAVED}|\b(?:push|commit|merge|deploy|release|gepusht|committet))")
_UNCOMMITTED = compile_late(r"(?i:\b(?:un|not (?:yet )?)committed\b)")
_OFFERS_MORE = cues.at_the_start(
    r"""
    want me | would you | do you want | should i | shall i | may i | anything | ready | let me know
    soll ich | ok\b | sound(?:s)? good | does (?:this|that) (?:look|sound|make)
    """
)
_TALKED = 0.6  # of its words, said again later: it was dealt with
_SAME = 0.6
_LEFT_MAX = 6
_WORDS_MIN = 3
_HEAD_CHARS_MAX = 80
_ASKING_WORDS_MIN = 8
_CHARS_MAX = 225


def find_left_open(found: list[Exchange], boot: Boot) -> Iterator[Finding]:
    """Yield what was left open when a session ended, the newest few."""
    left: list[tuple[Turn, str]] = []
    edited: dict[str, tuple[str, ...]] = {}
    for number, exchange in enumerate(found):
        closing = exchange.closing
        if closing is None or _was_taken_up(found, number):
            continue
        edited[closing.event_id] = _list_edited(exchange)
        left += [
            (closing, own)
            for own in list_open(lines(closing, boot), is_last=exchange is found[-1])
            if not _was_closed(own, found[number + 1 :])
        ]
    left += find_put_off(found, boot)
    last = found[-1] if found else None
    if last is not None:
        left += _find_unanswered(last, boot)
    for turn, own in _keep_last(left)[-_LEFT_MAX:]:
        content = LEFT_OPEN + shorten(own, _CHARS_MAX)
        yield Finding(
            category=Category.KEY_FACT,
            content=content,
            summary=content,
            event_ids=(turn.event_id,),
            at_ms=turn.at_ms,
            # A commit of these closes it.
            files=edited.get(turn.event_id, ()) if _UNCOMMITTED.search(own) else (),
        )


def list_open(said: tuple[Line, ...], *, is_last: bool) -> Iterator[str]:
    """Yield the sentences of a reply that say what is left, and the items of a list of it.

    `is_last`: it is what a session ended with.
    """
    in_list = False
    for line in said:
        own = line.own
        leads = line.block is Block.HEADING or own.endswith((":", "\uff1a"))
        if leads:
            in_list = len(own) <= _HEAD_CHARS_MAX and _HEADS.match(own) is not None
        elif in_list and line.block is Block.ITEM:
            yield own
        else:
            in_list = False
            if says_open(own) or (is_last and says_stopped(own)):
                yield own


def says_stopped(text: str) -> bool:
    """Tell whether a sentence, said last of all, says where the work stopped."""
    if words(text) < _WORDS_MIN or _PERHAPS.search(text) or is_question(text):
        return False
    if _STOPPED.match(text):
        return True
    return _STOPS.search(text) is not None and not _REASON.search(text)


@lru_cache(maxsize=2_048)  # what is left is looked for in what was said, and among what is kept
def says_open(text: str) -> bool:
    """Tell whether a sentence says that work is left."""
    if words(text) < _WORDS_MIN or _PERHAPS.search(text):
        return False
    if any(sign.match(text) for sign in (_OPENS, _LACKS)):
        return True
    return any(sign.search(text) for sign in (_SAYS, _UNBEGUN, _FOR_PERSONS))


def _list_edited(exchange: Exchange) -> tuple[str, ...]:
    paths = (edit.path for step in exchange.steps for edit in file_edits(step))
    return tuple(dict.fromkeys(paths))


def _was_taken_up(found: list[Exchange], number: int) -> bool:
    """Tell whether the user answered a reply by telling the agent to go on."""
    later = found[number + 1].prompt if number + 1 < len(found) else None
    return later is not None and wording.GOES_ON.match(later.text.strip()) is not None


def _was_closed(own: str, later: list[Exchange]) -> bool:
    """Tell whether what was open was dealt with, or talked of, later in the session."""
    if not later:
        return False
    if _SAVES.search(own):
        return any(commit_of(step) for each in later for step in each.steps) or len(later) > 1
    about = terms(own)
    texts = [
        turn.text for each in later for turn in (each.prompt, each.closing) if turn is not None
    ]
    return coverage(about, terms("\n".join(texts))) >= _TALKED


def _find_unanswered(last: Exchange, boot: Boot) -> list[tuple[Turn, str]]:
    """Return what a session asked at its very end: nobody answered it."""
    waiting = [
        (step.call, question)
        for step in last.steps
        if step.use is Use.QUESTION and step.result is None
        for question in _read_questions(step.call)
    ]
    closing = last.closing
    said = lines(closing, boot) if closing is not None else ()
    if not waiting and closing is not None and said:
        own = said[-1].own
        if is_question(own) and _is_telling(own):
            waiting.append((closing, own))
    return waiting


def _read_questions(call: Turn) -> list[str]:
    given = call.arguments if isinstance(call.arguments, dict) else {}
    asked = given.get("questions")
    rows = asked if isinstance(asked, list) else []
    texts = [row.get("question") for row in rows if isinstance(row, dict)]
    return [text for text in texts if isinstance(text, str) and text.strip()]


def _is_telling(question: str) -> bool:
    """Tell whether a question says what it is about: "shall I go on?" does not."""
    if says_open(question):
        return True
    if _OFFERS_MORE.match(question) or cues.COURTESY.match(question):
        return False
    return words(question) >= _ASKING_WORDS_MIN and bool(code_names(question))


def _keep_last(left: list[tuple[Turn, str]]) -> list[tuple[Turn, str]]:
    """Return what is open, each once, as it was said last."""
    kept: list[tuple[Turn, str]] = []
    for turn, own in reversed(left):
        about = terms(own)
        if about and not any(likeness(about, terms(other)) >= _SAME for _, other in kept):
            kept.append((turn, own))
    return kept[::-1]
