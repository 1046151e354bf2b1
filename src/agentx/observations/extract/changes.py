"""What was changed: one finding a purpose.

    edits ... commit | edits ... (end of the exchange)

A purpose ends with a commit, or with the exchange in which it was worked on. Work that a
later commit took in is told with that commit. When very many files were touched at once, a
file and its test are told together, and apart from the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from agentx.exchanges import wording
from agentx.exchanges.commits import (
    Commit,
    commit_of,
    find_hash,
    find_reverted,
)
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, Line, is_claim, is_document, lines
from agentx.exchanges.tools import FileChange, ToolStep, Use, file_edits
from agentx.exchanges.turns import Turn
from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.observations.extract.left.open_words import says_open
from agentx.observations.extract.session.finding import Finding
from agentx.observations.extract.session.names import list_definitions
from agentx.observations.extract.settled.agreements import ANSWERED
from agentx.observations.extract.settled.refuted import Fallen, find_fallen
from agentx.observations.model import Category
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import coverage
from agentx.prose.sentences import Block, shorten, words
from agentx.prose.titles import request
from agentx.prose.whose.pasted import split_pasted

_TOLD_MAX = 5
_NAMES_SHOWN_MAX = 5
_TOLD_CHARS_MAX = 260
_CLAIMER = compile_late(
    r"\A(?:(?:done|fixed|great|perfect)[.!:]\s+)?(?:I|We)(?:'ve| have)?\s+(?=\w+ed\b|made)",
    re.IGNORECASE,
)
_LEADS = compile_late(
    r"(?:I|We)(?:'ve| have)? (?:also |now )?(?:\w+ed|made)\b|(?:what|files?) (?:I )?changed"
    r"|changes?\b|(?:changed|patched|updated|fixed|added|implemented)\b",
    re.IGNORECASE,
)
_WILL = compile_late(
    r"\A(?:(?:now|next|first|then|so|also|good|great|understood)[,.]?\s+)*"
    r"(?:I'?ll|I will|I need to|I'm going to|let me|we need to|let's)\s+(?:now |also |first )?"
    r"(?=(?:add|update|change|remove|replace|rename|move|make|fix|use|convert|extract|delete|write"
    r"|create|implement|extend|wire|switch|drop|keep)\b)",
    re.IGNORECASE,
)
_GENERIC = compile_late(
    r"(?:all|both|the|every)?\s*(?:\d+ )?(?:\w+ )?"
    r"(?:changes?|tests?|checks?|lint\w*|work|files?|issues?)"
    r"(?: \w+){0,3} (?:are|is|pass|passes|fixed|complete\w*|modified|changed|done|clean|and)\b"
    r"|everything|done\b|committed\b|fixed and committed\.",
    re.IGNORECASE,
)
_FILE = compile_late(r"\w\.[a-z]{1,5}\Z")
_REPORTS = compile_late(
    r"(?:fixed|changed|added|updated|removed|implemented|renamed|moved|created|refactored)\b:?\s",
    re.IGNORECASE,
)
_REVERTS = compile_late(r'Revert "(.+)"\Z')
_TAKEN_BACK = compile_late(r"[0-9a-f]{7,40}\Z|(?:HEAD|@)\S*\Z")
_NOW = compile_late(r"\bnow \w+s\b", re.IGNORECASE)
# What somebody says that they did not do.
_DENIES = compile_late(
    r"\b(?:I|we)(?:'ve| have| did)?(?:n'?t| not| never| left)\b(?!\s+only)"
    r"|\b(?:unchanged|untouched|as (?:it|they) (?:is|was|are|were))\b|\bnothing (?:is|was|has|in)\b"
    r"|(?:\A|[.!:]\s+)nothing changed\b",
    re.IGNORECASE,
)
_DETAIL = compile_late(r"\bimports?\b|\blines? \d|\bcomments?\b|\btypo", re.IGNORECASE)


@dataclass(slots=True)
class _Purpose:
    exchange: Exchange
    edits: list[tuple[ToolStep, FileChange]] = field(default_factory=list)
    commit: Commit | None = None
    is_part: bool = False  # of a commit that is named by what was asked for after it

    @property
    def files(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(edit.path for _, edit in self.edits))


def changes(found: list[Exchange], boot: Boot) -> Iterator[Finding]:
    """Yield what was changed, and why as far as it was said."""
    fallen = find_fallen(found, boot)
    purposes = _fold_silent(_purposes(found), boot, fallen)
    undone = boot.undone
    reverted = {
        match[1] for one in purposes if one.commit and (match := _REVERTS.match(one.commit.subject))
    }
    for purpose in purposes:
        commit = purpose.commit
        if commit and (undone.has(commit) or commit.subject in reverted):
            continue
        if purpose.edits and all(undone.took_back(step) for step, _ in purpose.edits):
            continue
        purpose.edits = [each for each in purpose.edits if not undone.took_back(each[0])]
        told = _find_account(purpose, boot, fallen)
        # What was only asked for is told by who asked.
        if commit or told:
            yield _finding(purpose, told)
    for exchange in found:
        yield from _find_reverts(exchange)
        if not any(step.use is Use.EDIT and not step.was_refused for step in exchange.steps):
            yield from _only_told(exchange, boot)


def _find_reverts(exchange: Exchange) -> Iterator[Finding]:
    """Yield the commits that were taken back, and what was said of it."""
    for step in exchange.steps:
        named = find_reverted(step)
        commit = commit_of(step)
        if not named or step.result is None:
            continue
        made = find_hash(step)
        lines_told = [commit.subject] if commit else []
        lines_told += [
            f"Reverted {each}" if _TAKEN_BACK.match(each) else f'Revert "{each}"' for each in named
        ]
        if made:
            lines_told[0] += f" (commit {made})"
        asked = _find_request(exchange)
        yield Finding(
            category=Category.CODE_CHANGE,
            content="\n".join((*lines_told, *([f"Asked: {asked}"] if asked else ()))),
            summary=lines_told[0],
            event_ids=step.event_ids,
            at_ms=step.result.at_ms,
            commit=made,
            weight=ANSWERED,  # it takes something down that was kept: it is never left out
        )


def claims_change(text: str) -> bool:
    """Tell whether a line says that something is otherwise now, and denies nothing."""
    if denies_change(text):
        return False
    return bool(is_claim(text) or cues.CHANGES.search(text) or _NOW.search(text))


def denies_change(text: str) -> bool:
    """Tell whether a line says what was not done."""
    return _DENIES.search(text) is not None


def _only_told(exchange: Exchange, boot: Boot) -> Iterator[Finding]:
    """Yield the changes that were only reported: the agent CLI told of no edit."""
    for reply in exchange.replies:
        for line in lines(reply, boot):
            files = [name for name in code_names(line.own) if _FILE.search(name)]
            if files and words(line.own) > 3 and _REPORTS.match(line.own):
                yield Finding(
                    category=Category.CODE_CHANGE,
                    content=line.own,
                    summary=line.own,
                    event_ids=(reply.event_id,),
                    at_ms=reply.at_ms,
                    files=tuple(dict.fromkeys(files)),
                    weight=50,
                )


def _purposes(found: list[Exchange]) -> list[_Purpose]:
    made: list[_Purpose] = []
    open_from = 0  # purposes from here on are not committed
    for exchange in found:
        purpose = _Purpose(exchange)
        for step in exchange.steps:
            purpose.edits += [(step, edit) for edit in file_edits(step)]
            commit = commit_of(step)
            if commit is None:
                continue
            if purpose.edits or open_from == len(made):
                made.append(purpose)
            for waiting in made[open_from:]:
                waiting.commit = waiting.commit or commit
            open_from = len(made)
            purpose = _Purpose(exchange)
        if purpose.edits:
            made.append(purpose)
    return _coalesce(made)


def _coalesce(made: list[_Purpose]) -> list[_Purpose]:
    """Join what was begun in one exchange and done over in a later one, within one commit."""
    kept: list[_Purpose] = []
    for purpose in made:
        last = kept[-1] if kept else None
        same_commit = last is not None and last.commit is not None and last.commit == purpose.commit
        if last is not None and same_commit and set(last.files) == set(purpose.files):
            purpose.edits = [*last.edits, *purpose.edits]
            kept[-1] = purpose
        else:
            kept.append(purpose)
    return kept


def _fold_silent(made: list[_Purpose], boot: Boot, fallen: Fallen) -> list[_Purpose]:
    """Join what nobody reported with what the same commit took in last: that names the commit."""
    kept: list[_Purpose] = []
    for purpose, after in zip(made, (*made[1:], None), strict=False):
        is_same = (
            after is not None and purpose.commit is not None and after.commit is purpose.commit
        )
        if after is not None and is_same and not _find_account(purpose, boot, fallen):
            after.edits += purpose.edits  # the files of the last request are told first
        else:
            purpose.is_part = is_same
            kept.append(purpose)
    return kept


def _find_account(purpose: _Purpose, boot: Boot, fallen: Fallen) -> list[tuple[Turn, str]]:
    """Return what the agent said of its work: at the end, else on the way."""
    names = _own_names(purpose)
    last = max((step.call.at_ms for step, _ in purpose.edits), default=0)
    after = [one for one in purpose.exchange.replies if one.at_ms >= last]
    # What was announced before the user refused it was not done.
    refused = [step.call.at_ms for step in purpose.exchange.steps if step.was_refused]
    since = max(refused, default=0)
    before = [one for one in purpose.exchange.replies if since <= one.at_ms < last]
    for replies, claims in ((reversed(after), _claims), (reversed(before), _intends)):
        for reply in replies:
            said = lines(reply, boot)
            led = _list_led(said)
            claimed = [
                (number, line)
                for number, line in enumerate(said)
                if _tells(line) and (number in led or claims(line.own, names))
                if line.own not in fallen.get(reply.event_id, ())
            ]
            # What was wrong is told as such.
            causes = {each.paragraph for each in said if claimed and cues.EXPLAINS.search(each.own)}
            here = [
                (reply, shorten(_plain_claim(line.own), _TOLD_CHARS_MAX))
                for number, line in claimed
                if number in led or line.paragraph not in causes
            ]
            if here:
                return here
    return []


def _list_led(said: Sequence[Line]) -> set[int]:
    """Return which lines are items of a list to which a claim leads: "I changed:"."""
    led: set[int] = set()
    is_led = False
    for number, line in enumerate(said):
        if line.block is not Block.ITEM:
            is_led = line.own.endswith(":") and _LEADS.match(line.own) is not None
        elif is_led:
            led.add(number)
    return led


def _own_names(purpose: _Purpose) -> frozenset[str]:
    paths = [name for path in purpose.files for name in (path, path.rsplit("/", 1)[-1])]
    defined = [name for _, edit in purpose.edits for name in list_definitions(edit.added)]
    return frozenset(name.lower() for name in (*paths, *defined) if len(name) > 3)


def _tells(line: Line) -> bool:
    own = line.own
    return not (
        words(own) < 4
        or own.endswith((":", "?"))
        or line.block is Block.HEADING
        or cues.COURTESY.match(own)
        or _GENERIC.match(own)
        or says_open(own)  # told by itself
    )


def _claims(text: str, names: frozenset[str]) -> bool:
    """Tell whether a line of the closing words says what was changed."""
    if wording.POSSIBLE.search(text) or cues.ANNOUNCES.match(text) or cues.INTENDS.match(text):
        return False
    if claims_change(text):
        return True
    return bool(cues.CONCLUDES.search(text)) and any(name in text.lower() for name in names)


def _intends(text: str, _names: frozenset[str]) -> bool:
    """Tell whether a line on the way says what is being changed."""
    return _WILL.match(text) is not None and words(text) > 5 and len(terms(text)) > 2


def _plain_claim(text: str) -> str:
    """Return a claim without who makes it: what was done counts."""
    said = _WILL.sub("", _CLAIMER.sub("", text), count=1)
    return said[:1].upper() + said[1:] if said != text else said


def _finding(purpose: _Purpose, told: list[tuple[Turn, str]]) -> Finding:
    group, edits, commit = purpose.files, purpose.edits, purpose.commit
    asked = _find_request(purpose.exchange)
    is_named = commit is not None and not (purpose.is_part and told)
    lead = commit.subject if commit and is_named else _lead([text for _, text in told])
    parts = [lead + (f" (commit {commit.short})" if commit and commit.hash else "")]
    if commit and is_named and commit.body:
        parts.append(commit.body)
    parts += [f"- {text}" for _, text in told[:_TOLD_MAX] if not _same(text, lead)]
    # What settles something is a decision of its own, which a later one may take back.
    if asked and not _same(asked, lead) and not cues.TAKES_BACK.search(asked):
        parts.append(f"Asked: {asked}")
    if group:
        parts.append("Files: " + "; ".join(_file_line(path, edits) for path in group))
    ids = [name for step, _ in edits for name in step.event_ids]
    ids += commit.event_ids if commit else ()
    ids += [turn.event_id for turn, _ in told[:_TOLD_MAX]]
    at_ms = commit.at_ms if commit else Millis(max(step.call.at_ms for step, _ in edits))
    main = _names(group)
    summary = lead if not main or _mentions(lead, group) else f"{lead} ({main})"
    return Finding(
        category=Category.CODE_CHANGE,
        content="\n".join(parts),
        summary=summary,
        event_ids=tuple(dict.fromkeys(ids)),
        at_ms=at_ms,
        files=group,
        commit=commit.hash if commit else "",
    )


def _lead(told: list[str]) -> str:
    """Return the words that name a change best."""
    return max(told[:_TOLD_MAX], key=_telling)


def _telling(text: str) -> int:
    """Return how well a line names a whole change."""
    return (
        min(len(code_names(text)), 2)
        + 2 * bool(wording.REASONS.search(text))
        + (words(text) > 7)
        - 2 * bool(_DETAIL.search(text))
    )


def _find_request(exchange: Exchange) -> str:
    """Return what the user had asked for, in a line."""
    prompt = exchange.prompt
    if prompt is None:
        return ""
    own = split_pasted(prompt.text)[0]
    if len(own) <= 200 and not is_document(prompt):
        plain = " ".join(own.split())
        return "" if words(plain) < 4 else plain
    return request(own)


def _file_line(path: str, edits: list[tuple[ToolStep, FileChange]]) -> str:
    mine = [edit for _, edit in edits if edit.path == path]
    added = sum(len(edit.added) for edit in mine)
    removed = sum(len(edit.removed) for edit in mine)
    if mine and mine[-1].deleted:
        return f"{path} (deleted)"
    new = [name for edit in mine for name in list_definitions(edit.added)]
    old = {name for edit in mine for name in list_definitions(edit.removed)}
    names = list(dict.fromkeys(new))[:_NAMES_SHOWN_MAX]
    gone = [name for name in old if name not in new][:_NAMES_SHOWN_MAX]
    marks = ["new" if mine and mine[0].created else f"+{added} -{removed}"]
    marks += [", ".join(names)] if names else []
    marks += ["without " + ", ".join(sorted(gone))] if gone else []
    return f"{path} ({'; '.join(marks)})"


def _names(group: tuple[str, ...]) -> str:
    last = [path.rsplit("/", 1)[-1] for path in group]
    shown = ", ".join(dict.fromkeys(last[:3]))
    return f"{shown} and {len(last) - 3} more" if len(last) > 3 else shown


def _mentions(text: str, group: tuple[str, ...]) -> bool:
    return any(path.rsplit("/", 1)[-1] in text for path in group)


def _same(one: str, other: str) -> bool:
    return coverage(terms(one), terms(other)) >= 0.8
