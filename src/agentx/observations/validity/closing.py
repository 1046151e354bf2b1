"""What a later session did about what an earlier one left open.

    "`go build ./cmd/gateway` failed: ...; Not seen fixed"    later `go build ./...` passes
    "Left open: I have not committed anything yet"            a later session commits all there is
    "Left open: the docs still need an example"               "write the docs example", and it did

Law: an open end falls only by what was done. The same check passed, or a wider one of the same
program, on no other branch; or somebody asked for just that, it was worked on, and what was left
open then is something else.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property

from agentx.exchanges.checks import CommandCheck
from agentx.exchanges.commands import only_looks
from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange, exchanges
from agentx.exchanges.lines import Boot, lines
from agentx.exchanges.passing import (
    list_checks,
    list_passed,
    picks_failed,
    says_still,
    takes_in,
)
from agentx.exchanges.tools import ToolStep, Use, file_edits
from agentx.exchanges.turns import Turn
from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.extract.left_open import LEFT_OPEN, list_open
from agentx.observations.extract.put_off import ON_THE_LIST
from agentx.observations.extract.session.finding import Finding
from agentx.observations.model import Category, Observation, SearchFilters
from agentx.observations.port import ObservationStore
from agentx.observations.validity.open_ends import is_uncommitted
from agentx.prose.cues import anywhere
from agentx.prose.keyphrases import terms
from agentx.prose.likeness import coverage
from agentx.prose.sentences import is_question

_LOOKED_AT_MAX = 500
_FILES_TOLD_MAX = 4
_COMMANDS_MAX = 8
_COMMAND_CHARS = 120
_RECORDS = compile_late(r"\s*git\b")  # what is recorded mends no check
_RUN_AGAIN = "It passed when it was run again."
_PASSES_MAX = 2_000
_FAILED = compile_late(r"\A`(?P<command>.+?)` failed\b")
_UNMENDED = compile_late(r";? ?Not seen fixed in this session\b\.?(?: Tried: [^;\n]*)?")
_BROKEN = anywhere(
    r"""
    (?:build|tests?|suite|checks?|ci|pipeline|lint\w*|it|they|this|that) (?:is|are|still)
    still (?:fails?|failing|broken|red) | (?:is|are|stays?|remains?) (?:broken|red|failing)
    """
)
_ASKS_FOR = 0.6  # of the words of what was open, those of who asked for it
_SAID_AGAIN = 0.5
# Who put it off, and whose list it was on, is not what is open.
_BESIDE = compile_late(rf"\AThe user said: | \({ON_THE_LIST}.*\Z|(?<=.) The user said: .*\Z")
_ABOUT_MIN = 2
_ASKED_CHARS = 1_000
_CLAUSE = compile_late(r"(?:[.;!\n]+|, )\s*(?:and |but |then )?|\s(?:and|but|then)\s")
# What it takes, and by when it must be done, is no part of it.
_SAYS_WHY = compile_late(
    r"(?i:(?:that|it|this|which|they)(?: still)? (?:needs?|takes?|costs?|will|would)\b)"
)
_WHY = compile_late(r"(?i:(?<=\w) (?:before|until|because|since|so that)\b.*)")
_COMMIT = compile_late(r"(?i:commit)")
_PUSHED = compile_late(r"(?i:push)")
_UNSAVED = compile_late(
    r"(?i:\bun(?:committed|pushed)\b|(?:\bnot|n['\u2019]t|\bnothing)\s(?:\w+\s){0,3}(?:commit|push))"
)
_PUSHES = compile_late(r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+push\b(?!.*--dry-run)")
_COMMITS_ALL = compile_late(
    r"\bgit\b[^|;\n]*\bcommit\b[^|;\n]* (?:-\w*a\w*|--all)\b|\bgit add (?:-A|--all|\.|-u)(?:\s|\Z)"
)
_PUT_OFF = anywhere("not now | later | leave (?:it|that|this) | don'?t | no need | skip | forget")
# Words by which something is said to be left; they are not what it is about.
_UNDONE = terms(
    "left open not done yet still todo to do missing remaining needs need must has have be been is"
    " are i anything nothing something by hand it that this and the committed commit pushed push"
    " add added implement implemented write written update updated fix fixed test tested change"
    " started begun"
)


@frozen
class Passed:
    """Checks that passed at some moment of a session, and what had been edited by then."""

    checks: tuple[CommandCheck, ...]
    at_ms: Millis
    files: tuple[str, ...]
    event_ids: tuple[str, ...]
    commands: tuple[str, ...] = ()  # that were run before


class Doings:
    """What a session did; worked out if it is asked for."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self._turns = turns

    @cached_property
    def exchanges(self) -> list[Exchange]:
        return exchanges(self._turns)

    @cached_property
    def steps(self) -> list[ToolStep]:
        return [step for one in self.exchanges for step in one.steps]

    @cached_property
    def passed(self) -> tuple[Passed, ...]:
        """Which checks passed, oldest first."""
        found: list[Passed] = []
        edited: dict[str, None] = {}
        ids: list[str] = []
        run: list[str] = []
        for step in self.steps:
            changed = [edit.path for edit in file_edits(step)]
            edited.update(dict.fromkeys(changed))
            ids += step.event_ids if changed else ()
            checks = list_passed(step) if step.use is Use.SHELL else ()
            if checks and step.result is not None:
                found.append(
                    Passed(
                        checks=checks,
                        at_ms=step.result.at_ms,
                        files=tuple(edited),
                        event_ids=(*step.event_ids, *ids[-6:]),
                        commands=tuple(run[-_COMMANDS_MAX:]),
                    )
                )
            is_run = step.use is Use.SHELL and step.result is not None and not step.has_failed
            if is_run and not _RECORDS.match(step.command) and not only_looks(step.command):
                run.append(step.command)
        return tuple(found[-_PASSES_MAX:])

    @cached_property
    def open_again(self) -> tuple[frozenset[str], ...]:
        """What its last replies say is open."""
        said: list[frozenset[str]] = []
        boot = Boot(self.exchanges)
        for one in self.exchanges[-3:]:
            if one.closing is not None:
                told = lines(one.closing, boot)
                is_last = one is self.exchanges[-1]
                said += [terms(text) for text in list_open(told, is_last=is_last)]
                said += [terms(line.own) for line in told if says_still(line.own)]
        return tuple(said)


def find_mending(content: str, at_ms: Millis, passed: Iterable[Passed]) -> Passed | None:
    """Return the first run after a failure that shows that it is mended."""
    failed = _FAILED.match(content)
    if failed is None or not _UNMENDED.search(content):
        return None
    # What was cut is not known whole: it is compared with nothing.
    wanted = () if "\u2026" in failed["command"] else list_checks(failed["command"])
    rows = content.replace("; ", "\n").split(" failed", 1)[-1].replace(": ", "\n")
    left = set(wanted)
    for one in passed if wanted else ():
        if one.at_ms > at_ms:
            left -= {
                check
                for check in left
                if takes_in(check, one.checks) or picks_failed(check, one.checks, rows)
            }
            if not left:
                return one
    return None


def tell_mended(content: str, by: Passed) -> str:
    """Return what failed with what mended it."""
    head = _UNMENDED.split(content, maxsplit=1)[0].rstrip(" .;")
    if not by.files:
        after = _find_helping(head, by.commands)
        return f"{head}; It passed after `{after}`" if after else f"{head}; {_RUN_AGAIN}"
    return f"{head}; Fixed by: {', '.join(by.files[-_FILES_TOLD_MAX:])}"


def _find_helping(failed: str, commands: Sequence[str]) -> str:
    """Return the last command before a check passed that is about what had failed."""
    own = _FAILED.match(failed)
    about = terms(failed[own.end() :]) - terms(own["command"]) if own else frozenset[str]()
    helping = (each for each in reversed(commands) if about & terms(each))
    found = next(helping, "")
    return found if len(found) <= _COMMAND_CHARS and "\n" not in found else ""


def find_mended(store: ObservationStore, doings: Doings) -> dict[str, tuple[Observation, Finding]]:
    """Return by their ids the failures that a session mended, each with what tells so now."""
    filters = SearchFilters(
        category=Category.ERROR, superseded=False, pinned=False, limit=_LOOKED_AT_MAX
    )
    ids = [row.id for row in store.search_by_filters(filters) if _FAILED.match(row.summary)]
    if not ids or not doings.passed:
        return {}
    found: dict[str, tuple[Observation, Finding]] = {}
    for one in store.get_by_ids(ids):
        by = find_mending(one.content.split("\n", 1)[0], one.timestamp_ms, doings.passed)
        if by is not None:
            content = tell_mended(one.content.split("\n", 1)[0], by)
            found[one.id] = (
                one,
                Finding(
                    category=Category.ERROR,
                    content=content,
                    summary=content,
                    event_ids=by.event_ids,
                    at_ms=by.at_ms,
                    files=by.files[-_FILES_TOLD_MAX:],
                ),
            )
    return found


def list_done(
    store: ObservationStore,
    doings: Doings,
    *,
    branch: str,
    session_id: str,
    mended: Collection[str] = (),
) -> Iterator[Observation]:
    """Yield the open ends that a session did something about; `mended`: whose failures it mended.

    Only what was open before the session began is looked at.
    """
    rows = store.search_by_filters(
        SearchFilters(superseded=False, pinned=False, limit=_LOOKED_AT_MAX)
    )
    ids = [
        row.id for row in rows if row.summary.startswith(LEFT_OPEN) or is_uncommitted(row.summary)
    ]
    begun = doings.exchanges[0] if doings.exchanges else None
    if not ids or begun is None:
        return
    begun_ms = _find_begun_ms(begun)
    for one in store.get_by_ids(ids):
        if one.superseded_by or one.session_id == session_id or one.timestamp_ms >= begun_ms:
            continue
        if one.branch and branch and one.branch != branch:
            continue
        own = _BESIDE.sub("", one.content.removeprefix(LEFT_OPEN))
        is_of_failure = one.session_id in mended and _BROKEN.search(own)
        is_committed = is_uncommitted(own) and _commits_all(doings)
        if is_of_failure or is_committed or _is_done(own, doings):
            yield one


def _is_done(own: str, doings: Doings) -> bool:
    """Tell whether each part of what was open was saved, or asked for and done."""
    if not (terms(own) - _UNDONE or _UNSAVED.search(own)):
        return False
    parts = [_WHY.sub("", each) for each in _CLAUSE.split(own) if not _SAYS_WHY.match(each)]
    parts = [each for each in parts if terms(each) - _UNDONE or _UNSAVED.search(each)]
    return bool(parts) and all(
        _is_saved(each, doings) or _was_asked_for(terms(each) - _UNDONE, doings) for each in parts
    )


def _is_saved(own: str, doings: Doings) -> bool:
    """Tell whether all that was left uncommitted, or unpushed, was committed or pushed."""
    if not _UNSAVED.search(own) or len(terms(own) - _UNDONE) > 1:
        return False
    for one in doings.exchanges:
        asked = one.prompt is not None and _COMMIT.search(one.prompt.text)
        for step in one.steps:
            if step.use is not Use.SHELL or step.has_failed or step.result is None:
                continue
            if _PUSHED.search(own) and _PUSHES.search(step.command):
                return True
            whole = asked or _COMMITS_ALL.search(step.command)
            if _COMMIT.search(own) and whole and commit_of(step):
                return True
    return False


def _commits_all(doings: Doings) -> bool:
    """Tell whether all there was to commit was committed."""
    return any(
        _COMMITS_ALL.search(step.command) and commit_of(step) and not step.has_failed
        for step in doings.steps
        if step.use is Use.SHELL
    )


def _was_asked_for(about: frozenset[str], doings: Doings) -> bool:
    """Tell whether somebody asked for just what was open, and it was done."""
    if not about or any(coverage(about, other) >= _SAID_AGAIN for other in doings.open_again):
        return False
    for one in doings.exchanges:
        asked = one.prompt.text[:_ASKED_CHARS] if one.prompt is not None else ""
        if not any(file_edits(step) or commit_of(step) for step in one.steps):
            continue
        for part in _CLAUSE.split(asked):
            if is_question(part) or _PUT_OFF.search(part):
                continue
            wanted = terms(part) - _UNDONE
            # One word is a subject that many share: nothing else may be wanted of it.
            enough = len(about) >= _ABOUT_MIN or wanted <= about
            if wanted and enough and coverage(about, wanted) >= _ASKS_FOR:
                return True
    return False


def _find_begun_ms(first: Exchange) -> Millis:
    if first.prompt is not None:
        return first.prompt.at_ms
    item = first.items[0]
    return item.at_ms if isinstance(item, Turn) else item.call.at_ms


def mark_done(store: ObservationStore, done: Iterable[Observation], by: str) -> int:
    """Mark open ends as closed by what a session taught; return how many."""
    marked = [replace(one, superseded_by=by) for one in done]
    store.amend(marked)
    return len(marked)
