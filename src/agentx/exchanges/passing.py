"""Whether a step shows that a command which failed before does not fail any more."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator
from functools import lru_cache

from agentx.exchanges.checks import (
    CommandCheck,
    RunExtent,
    compare_checks,
    is_fixing_form,
    may_count_for,
    names_all,
    names_part,
    read_check,
    same_kind,
)
from agentx.exchanges.commands import (
    counts_none_failed,
    find_errors,
    is_covered,
    only_looks,
    parts_of,
    went_wrong,
)
from agentx.exchanges.tools import ToolStep, Use
from agentx.kernel.text import compile_late
from agentx.prose import cues

# What gets things ready for a check: where that passes, they are.
_PREPARES = compile_late(
    r"(?:\S+ )*?(?:install|ci|sync|add|up|restore|pull|download|tidy|clean|configure)(?![\w:-])"
)
_RECORDS = compile_late(r"\A(?:git|gh|cp|mv|rm|touch|chmod|ln|tar|unzip|mkdir)\b")
_SIGN = compile_late(r"\s*(&&|\|\||;|\n)\s*")
_STARTED = compile_late(r"\A(?:Command|Process) (?:is )?running in (?:the )?background")
# A row that says which test or file failed.
_FAILING = compile_late(
    r"^\s*(?:FAILED\s+\S+|--- FAIL: \S+|FAIL\s+\S*[./]\S*|ERROR\s+\S+\.\w+|\d+\) \S.*"
    r"|[\u00d7\u2715-\u2718\u25cf]\s+\S.*|\S+ > .* FAILED|\S+\.\w{1,5}[:(]\d+[:,)].*"
    r"|test \S+ \.\.\. FAILED|\[ +FAILED +\] \S+)",
    re.MULTILINE,
)
_SKIPPED = compile_late(r"FAIL\s+\S+\s+\[(?:setup|build) failed\]")
_ROWS_MAX = 40
_STILL = cues.anywhere(
    r"""
    still (?:fails?|failing|red|broken|breaks?|errors?|crash\w*|hangs?|times? out)
    still (?:has|have|shows?|gives?|prints?) (?:[\w'`.-]+ ){0,4}(?:errors?|failures?|bugs?)
    (?:not|never|n'?t) (?:yet )?(?:been )?(?:fixed|resolved|solved|green|mended)
    (?:could not|couldn'?t|did not|didn'?t|unable to) (?:find out|figure out|work out)
    (?:could not|couldn'?t|did not|didn'?t|unable to) (?:fix|resolve|solve) (?:it|this|that|the)
    left (?:it|this|that|them) (?:as (?:it|they|is)|failing|broken|red|alone|there|unfixed)
    (?:and|,|;|but) left (?:it|that|this)\b | (?:remains?|stays?) (?:broken|red|unfixed|failing)
    keeps? (?:failing|crashing) | schl\u00e4gt (?:immer )?noch fehl | sigue fallando
    \u00e9choue (?:encore|toujours)
    """,
    "\u307e\u3060\u5931\u6557 | \u4ecd\u7136\u5931\u8d25 | \u8fd8\u662f\u5931\u8d25",
)
_PERHAPS = cues.anywhere("if | unless | would | might | could have | whether | no longer")


@lru_cache(maxsize=256)
def list_checks(command: str) -> tuple[CommandCheck, ...]:
    """Return what a command checks: of several parts those that are not only there to prepare."""
    parts = [part for part in parts_of(command) if not only_looks(part)]
    working = [part for part in parts if not _RECORDS.match(part)] or parts
    checking = [part for part in working if not _PREPARES.match(part)] or working
    found = (read_check(part) for part in checking)
    return tuple(dict.fromkeys(one for one in found if one.program))


def runs_same(one: str, other: str) -> bool:
    """Tell whether two commands run the same check, on whatever part of the code."""
    mine, theirs = list_checks(one), list_checks(other)
    return any(same_kind(first, second) for first in mine for second in theirs)


def list_passed(step: ToolStep) -> tuple[CommandCheck, ...]:
    """Return the checks that a step shows to have passed."""
    if step.use is not Use.SHELL or step.result is None or step.was_refused:
        return ()
    if went_wrong(step) or step.has_failed or _STARTED.match(step.output):
        return ()
    return tuple(check for check in list_checks(step.command) if _speaks(step, check))


def _speaks(step: ToolStep, check: CommandCheck) -> bool:
    """Tell whether it is known how a check ended: the last command alone gives the exit code."""
    pieces = _split_signs(step.command)
    at = next(
        (number for number in range(0, len(pieces), 2) if read_check(pieces[number]) == check), 0
    )
    after = pieces[at + 1 :: 2]
    if "||" in after:
        return counts_none_failed(step.output)
    hidden = any(sign != "&&" for sign in after) and any(
        each.strip() for each in pieces[at + 2 :: 2]
    )
    return not hidden or counts_none_failed(step.output) or not find_errors(step.output)


@lru_cache(maxsize=256)
def _split_signs(command: str) -> tuple[str, ...]:
    """Return the commands of a line, each but the first after the sign that joins it."""
    return tuple(_SIGN.split(command))


def takes_in(failed: CommandCheck, passed: Iterable[CommandCheck]) -> bool:
    """Tell whether one of the checks that passed ran all that failed."""
    return any(
        compare_checks(failed, one) in (RunExtent.SAME, RunExtent.WIDER)
        or is_fixing_form(failed, one)
        for one in passed
    )


def runs_all_again(failed: ToolStep, later: ToolStep) -> bool:
    """Tell whether a step runs all that failed before, however it ends."""
    theirs = list_checks(later.command)
    mine = list_checks(failed.command)
    return bool(mine) and all(takes_in(one, theirs) for one in mine)


def picks_failed(failed: CommandCheck, passed: Collection[CommandCheck], output: str) -> bool:
    """Tell whether a narrower run that passed picked by name all that had failed."""
    if any(names_part(failed, one, output) for one in passed):
        return True
    narrower = [one for one in passed if compare_checks(failed, one) is RunExtent.NARROWER]
    rows = list(list_failing(output)) if narrower else []
    return any(names_all(one, rows) for one in narrower)


def counts_as_much(failed: ToolStep, later: ToolStep) -> bool:
    """Tell whether a suite passed that took in the tests of which some had failed."""
    if not is_covered(failed, later):
        return False
    theirs = list_passed(later)
    return any(may_count_for(one, two) for one in list_checks(failed.command) for two in theirs)


def list_failing(output: str) -> Iterator[str]:
    """Yield the rows of an output that name a test or a file that failed."""
    for number, match in enumerate(_FAILING.finditer(output)):
        if number == _ROWS_MAX:
            return
        if not _SKIPPED.search(match[0]):
            yield match[0]


def says_still(text: str) -> bool:
    """Tell whether a sentence says that something fails as before, in whatever case."""
    return _STILL.search(text) is not None and not _PERHAPS.search(text)
