"""Everything of a session that might be kept: each a line, with where it was said.

    prompts, replies, reports, plans --> passages
    answers, edits, failures         --> what the rules made of them

What is worth it is decided elsewhere (`choice.py`), by weights that see all of them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from math import log1p

from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange, reports
from agentx.exchanges.lines import Boot, is_echo, lead_in, lines
from agentx.exchanges.overwritten import find_taken_out, list_taken_out
from agentx.exchanges.passing import says_still
from agentx.exchanges.tools import file_edits, plan_of
from agentx.exchanges.turns import Turn
from agentx.kernel.clock import Millis
from agentx.kernel.text import without_recall
from agentx.kernel.values import frozen
from agentx.observations.extract.changes import changes, claims_change, denies_change
from agentx.observations.extract.errors import OPEN_FAILURE, errors, names_cause
from agentx.observations.extract.left.left_open import ends_with, find_left_open, list_open
from agentx.observations.extract.mended import tell_mended
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.session.moment import cut_moment
from agentx.observations.extract.session.one_line import cut_hash, is_of_commit, put_on_line
from agentx.observations.extract.session.words import count_words, list_written
from agentx.observations.extract.settled.decisions import APPROVED_PLAN, PLAN_PROMPT, decisions
from agentx.observations.extract.settled.given_up import was_given_up
from agentx.observations.extract.settled.options import lists_options
from agentx.observations.extract.settled.prompted import (
    cut_idle,
    cut_told,
    leaves_task_only,
    may_tell,
)
from agentx.observations.extract.settled.refuted import Fallen, find_fallen
from agentx.observations.extract.shown import find_shown
from agentx.observations.extract.stumbles import stumbles
from agentx.observations.labels import BY_USER, strip_label
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import coverage
from agentx.prose.passages import PASSAGE_CHARS_MAX, Stretch, cut_passages
from agentx.prose.salience import Occasion, Speech, weigh
from agentx.prose.sentences import Block, shorten, show_excerpt
from agentx.prose.settling.asking import only_asks
from agentx.prose.settling.greetings import cut_greeting
from agentx.prose.settling.verdict import (
    asks_for_something,
    chooses,
    decides,
    reports_broken,
    settles,
)
from agentx.prose.support import count_support
from agentx.prose.titles import is_written_by_machine
from agentx.prose.whose.pasted import is_statement, split_pasted

_USER = "The user "
_SENDER_CHARS = 40
# What was wanted, or found broken: told as such, and never as what is so.
_ASKED, _REPORTED = f"{_USER}asked: ", f"{_USER}reported: "
_PLANNED = "Planned: "
_SPOKEN = (Occasion.CLOSING, Occasion.STEP, Occasion.REPORT)
_SPEAKERS = {Occasion.PROMPT: BY_USER, Occasion.PLAN: _PLANNED}
_DONE = 0.6  # of the words of what was planned, those of what was done
_DONE_MAX = 300
_TOLD = 0.5  # of the words of a passage, those of what was settled in the same prompt
_RULES = {
    Occasion.DECISION: decisions,
    Occasion.CHANGE: changes,
    Occasion.ERROR: errors,
}


@frozen
class Keepable:
    """Something that might be kept."""

    finding: Finding
    said: Speech
    about: frozenset[str]
    worth: float = 0.0


def gather_candidates(found: list[Exchange], boot: Boot) -> list[Keepable]:
    """Return every candidate of a session with its worth, in the order of their sources."""
    gathered = _gather_said(found, boot)
    at = _find_places(found)
    ruled = [
        _take_ruled(one, source, found, at)
        for source, rule in _RULES.items()
        for one in rule(found, boot)
        if not only_asks(one.content.removeprefix(BY_USER).split("\nAsked: ")[0])
    ]
    ruled += [_take_ruled(one, Occasion.SHOWN, found, at) for one in find_shown(found, boot)]
    unmended = "\n".join(
        one.finding.content for one in ruled if OPEN_FAILURE in one.finding.content
    )
    ruled += [
        _take_ruled(one, Occasion.LEFT, found, at)
        for one in find_left_open(found, boot)
        # The failure itself says more than that something still fails.
        if not (unmended and says_still(one.content))
        or any(name not in unmended for name in code_names(one.content))
    ]
    stumbled = [_take_ruled(one, Occasion.STUMBLE, found, at) for one in stumbles(found)]
    known = {one.finding.event_ids[0] for one in stumbled}
    ruled = [
        one
        for one in ruled
        if one.said.source is not Occasion.ERROR or one.finding.event_ids[0] not in known
    ] + stumbled
    # What an error tells as its cause is not told again without it.
    whole = "\n".join(one.said.text for one in ruled if one.said.source is Occasion.ERROR)
    gathered = [one for one in gathered if one.said.text.rstrip(".;") not in whole]
    settled = [one for one in ruled if one.said.source is Occasion.DECISION]
    answered = _list_answered(found, settled)
    gathered = [
        _leave_told(one, settled)
        for one in gathered
        if not _is_told(one, settled)
        and not lists_options(one.said.text, answered.get(one.finding.event_ids[0], ""))
    ]
    chosen = [one for one in gathered if chooses(one.said.text)]
    gathered = [one for one in gathered if not _is_chosen(one, chosen, at)]
    named = _name_senders([*gathered, *ruled], found)
    weighed = _weigh_all(named, count_words(found), list_written(found))
    return [_tell_committed(one, found, boot) for one in _drop_done(weighed)]


def _gather_said(found: list[Exchange], boot: Boot) -> list[Keepable]:
    """Return the passages of what was said, but for what did not last in the session."""
    gathered: list[Keepable] = []
    taken_out = list_taken_out(found, boot.undone)
    fallen = find_fallen(found, boot)
    for number, exchange in enumerate(found):
        given_up = was_given_up(found, number)
        is_end = ends_with(found, number)
        for said, turn in _passages(
            exchange, boot, fallen, is_last=number == len(found) - 1, is_end=is_end
        ):
            if given_up and said.source is Occasion.PROMPT:
                continue
            if not _was_taken_back(said.text, turn, exchange, boot):
                made = _candidate(said, turn.event_id, turn.at_ms)
                told = tell_mended(made.finding, said, turn.text[:80], found[number:], boot)
                gathered.append(replace(made, finding=told))
    return [
        one
        for one in gathered
        if one.finding.category is not Category.KEY_FACT
        or one.said.source in (Occasion.PROMPT, Occasion.PLAN)
        or not find_taken_out(one.said.text, one.finding.at_ms, taken_out)
    ]


def _is_told(one: Keepable, settled: list[Keepable]) -> bool:
    """Tell whether what was settled tells what the user said in a passage of the prompt.

    So it does if it tells most of it, or all but the task that it came with.
    """
    if one.said.source is not Occasion.PROMPT:
        return False
    same = [each for each in settled if one.finding.event_ids[0] in each.finding.event_ids]
    if any(coverage(one.about, each.about) >= _TOLD for each in same):
        return True
    return leaves_task_only(one.said.text, [each.said.text for each in same])


def _is_chosen(one: Keepable, chosen: list[Keepable], at: dict[str, int]) -> bool:
    """Tell whether a reply says what was taken, and why, of what a prompt only asked for."""
    if one.said.source is not Occasion.PROMPT or one.finding.category is Category.DECISION:
        return False
    here = at.get(one.finding.event_ids[0])
    near = [each for each in chosen if at.get(each.finding.event_ids[0]) == here]
    return any(each is not one and coverage(one.about, each.about) >= _TOLD for each in near)


def _leave_told(one: Keepable, settled: list[Keepable]) -> Keepable:
    """Return a passage of a prompt without the rulings that are told apart from it."""
    said, finding = one.said, one.finding
    if said.source is not Occasion.PROMPT:
        return one
    same = [each for each in settled if finding.event_ids[0] in each.finding.event_ids]
    text = cut_told(said.text, [each.said.text for each in same])
    if text == said.text:
        return one
    return _candidate(replace(said, text=text), finding.event_ids[0], finding.at_ms)


def _list_answered(found: list[Exchange], settled: list[Keepable]) -> dict[str, str]:
    """Return the replies to which the user said what is to be: what they offered is over."""
    ids = {name for each in settled for name in each.finding.event_ids}
    return {
        one.before.closing.event_id: one.before.closing.text
        for one in found
        if one.prompt is not None
        and one.prompt.event_id in ids
        and one.before is not None
        and one.before.closing is not None
    }


def _name_senders(kept: list[Keepable], found: list[Exchange]) -> list[Keepable]:
    """Tell what another agent said as its words: it is not the user who gave the task."""
    turns = (turn for one in found for turn in (one.prompt, *one.reported) if turn is not None)
    senders = {
        turn.event_id: show_excerpt(turn.sender)[:_SENDER_CHARS] for turn in turns if turn.sender
    }
    if not senders:
        return kept
    return [_name_sender(one, senders) for one in kept]


def _name_sender(one: Keepable, senders: dict[str, str]) -> Keepable:
    finding = one.finding
    sender = next((senders[name] for name in finding.event_ids if name in senders), "")
    own = finding.content.removeprefix(_USER)
    is_told = one.said.source is Occasion.REPORT
    if not sender or (own == finding.content and not is_told):
        return one
    content = f"{sender} {own}" if own != finding.content else f"{sender} reported: {own}"
    return replace(one, finding=replace(finding, content=content, summary=content))


def _tell_committed(one: Keepable, found: list[Exchange], boot: Boot) -> Keepable:
    """Tell what was planned as what it is once a commit followed: not planned any more."""
    finding = one.finding
    if one.said.source is not Occasion.PLAN or not finding.content.startswith(_PLANNED):
        return one
    made = (commit_of(step) for each in found for step in each.steps)
    commit = next(
        (c for c in made if c and c.at_ms > finding.at_ms and not boot.undone.has(c)), None
    )
    if commit is None:
        return one
    which = f", then committed as {commit.short}" if commit.hash else " and committed"
    content = f"Planned{which}: {finding.content.removeprefix(_PLANNED)}"
    return replace(one, finding=replace(finding, content=content, summary=content))


def _drop_done(weighed: list[Keepable]) -> list[Keepable]:
    """Leave out what was planned and done: what was done tells it."""
    done = [
        one.about
        for one in weighed
        if one.said.has_edits and one.said.source in (Occasion.CLOSING, Occasion.CHANGE)
    ][-_DONE_MAX:]
    return [
        one
        for one in weighed
        if one.said.source is not Occasion.PLAN
        or not any(coverage(one.about, each) >= _DONE for each in done)
    ]


def _passages(
    exchange: Exchange, boot: Boot, fallen: Fallen, *, is_last: bool, is_end: bool
) -> Iterator[tuple[Speech, Turn]]:
    has_edits = any(next(iter(file_edits(step)), None) is not None for step in exchange.steps)
    for source, turn, text in _texts(exchange):
        said = boot.cut(text)
        left = fallen.get(turn.event_id, frozenset())
        if source is Occasion.CLOSING:  # what is left open is told by itself
            left |= frozenset(list_open(lines(turn, boot), is_last=is_end))
        if left:
            said = [one for one in said if show_excerpt(text[one.start : one.end]) not in left]
        passages = [one for one in cut_passages(text, said) if not boot.restates(one.text)]
        passages = [one for one in passages if not is_statement(one.text)]
        if source is Occasion.PROMPT:  # an answer tells what was asked; a wish may be put so
            passages = [one for one in passages if may_tell(one.text)]
            passages = [one for one in passages if not is_echo(one.text, exchange)]
        for index, passage in enumerate(passages):
            own = _fit(passage, text if source is Occasion.PROMPT else "")
            if source is not Occasion.PROMPT:
                own = cut_hash(cut_greeting(own))
                own = lead_in(cut_moment(own) or own, said, passage.start, exchange.prompt)
            yield (
                Speech(
                    text=own,
                    source=source,
                    index=index,
                    count=len(passages),
                    turn_chars=len(text),
                    turn_lines=text.count("\n") + 1,
                    is_last=is_last,
                    has_edits=has_edits,
                    steps=len(exchange.steps),
                    items=passage.items,
                ),
                turn,
            )


def _was_taken_back(text: str, turn: Turn, exchange: Exchange, boot: Boot) -> bool:
    """Tell whether a line says what was done, and it was undone."""
    undone = boot.undone
    if not undone.by or turn is exchange.prompt:
        return False
    if any(commit.hash and commit.hash in text for commit in undone.commits):
        return True
    edits = [step for step in exchange.steps if next(iter(file_edits(step)), None) is not None]
    return (
        bool(edits)
        and all(map(undone.took_back, edits))
        and turn.at_ms >= edits[0].call.at_ms
        and claims_change(text)
    )


def _texts(exchange: Exchange) -> Iterator[tuple[Occasion, Turn, str]]:
    prompt = exchange.prompt
    if prompt is not None and not is_written_by_machine(prompt.text):
        handed = PLAN_PROMPT.match(prompt.text)
        if handed:  # written by an agent, and handed over by the user
            yield Occasion.PLAN, prompt, without_recall(prompt.text[handed.end() :])
        else:
            yield Occasion.PROMPT, prompt, split_pasted(without_recall(prompt.text))[0]
    for reply in exchange.replies:
        source = Occasion.CLOSING if reply is exchange.closing else Occasion.STEP
        yield source, reply, without_recall(reply.text)
    for report in reports(exchange):
        yield Occasion.REPORT, report, without_recall(report.text)
    told: set[str] = set()
    for step in exchange.steps:
        # Who stops a plan without a word may take it up elsewhere; who says why wants another.
        plan = "" if step.words_of_user else plan_of(step)
        if plan and plan not in told:
            told.add(plan)
            yield Occasion.PLAN, step.call, plan


def _fit(passage: Stretch, quoted: str) -> str:
    """Return a passage on a line; of what is quoted nothing is left out without a mark."""
    whole = show_excerpt(quoted[passage.start : passage.end])
    joins = quoted and passage.block is Block.PROSE and whole != passage.text
    return shorten(whole if joins else passage.text, PASSAGE_CHARS_MAX)


def _candidate(said: Speech, event_id: str, at_ms: Millis) -> Keepable:
    category = _categorise(said)
    if category is Category.DECISION and said.source is Occasion.PROMPT:
        said = replace(said, text=cut_idle(said.text))
    label = _SPEAKERS.get(said.source, "")
    if label == BY_USER and category is not Category.DECISION:
        is_asked = asks_for_something(said.text)
        if is_asked or reports_broken(said.text):
            label = _ASKED if is_asked else _REPORTED
            category = Category.CODE_CHANGE if said.has_edits else category
    content = label + said.text
    finding = Finding(
        category=category,
        content=content,
        summary=content,
        event_ids=(event_id,),
        at_ms=at_ms,
    )
    return Keepable(finding=finding, said=said, about=terms(said.text))


def _categorise(said: Speech) -> Category:
    """Return the category under which a passage is kept."""
    text = said.text
    if said.source is Occasion.PROMPT:
        return Category.DECISION if settles(text) else Category.KEY_FACT
    if names_cause(text) or (cues.EXPLAINS.search(text) and cues.COMPLAINS.search(text)):
        return Category.ERROR
    if is_of_commit(text):
        return Category.CODE_CHANGE
    if decides(text, worked=said.has_edits):
        return Category.DECISION
    is_report = said.source is Occasion.CLOSING and said.has_edits
    if is_report and cues.CHANGES.search(text) and not denies_change(text):
        return Category.CODE_CHANGE
    return Category.KEY_FACT


def _find_places(found: list[Exchange]) -> dict[str, int]:
    """Return in which exchange each event lies."""
    at: dict[str, int] = {}
    for index, exchange in enumerate(found):
        turns = [exchange.prompt, *exchange.replies] if exchange.prompt else exchange.replies
        at.update((turn.event_id, index) for turn in turns if turn is not None)
        at.update((name, index) for step in exchange.steps for name in step.event_ids)
    return at


def _take_ruled(
    finding: Finding, source: Occasion, found: list[Exchange], at: dict[str, int]
) -> Keepable:
    index = max((at.get(name, 0) for name in finding.event_ids), default=0)
    # What somebody put off is told with the words by which it was.
    is_long = finding.content.startswith(APPROVED_PLAN) or source is Occasion.LEFT
    content = put_on_line(finding.content, is_long=is_long)
    exchange = found[index]
    said = Speech(
        text=content,
        source=source,
        turn_chars=len(content),
        is_last=index == len(found) - 1,
        has_edits=bool(finding.files),
        steps=len(exchange.steps),
    )
    kept = replace(finding, content=content, summary=content)
    # What was asked for is told by who asked: a change is compared by what was done.
    said_alone = strip_label(content.removeprefix(BY_USER))
    own = said_alone.split("; Asked: ")[0]
    if source is Occasion.ERROR:  # who gave it up, in which words, is told by itself
        own = own.split("; Given up: ")[0]
    about = terms(own)
    return Keepable(finding=kept, said=said, about=about)


def _weigh_all(
    gathered: list[Keepable], common: Counter[str], written: frozenset[str]
) -> list[Keepable]:
    support = count_support([(one.finding.event_ids, one.about) for one in gathered])
    weighed: list[Keepable] = []
    for one, supported in zip(gathered, support, strict=True):
        size = max(1, len(one.about))
        said = replace(
            one.said,
            support=supported,
            frequency=sum(log1p(common[word]) for word in one.about) / size,
            written=len(one.about & written) / size,
        )
        # It counts as said, so that no more room is made for the rest, and is never kept.
        is_idle = said.source in _SPOKEN and not cut_moment(said.text)
        weighed.append(replace(one, said=said, worth=0.0 if is_idle else weigh(said)))
    return weighed
