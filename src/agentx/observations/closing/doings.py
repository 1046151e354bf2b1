"""What a session did, as far as it bears on what was left open before it.

    checks that passed      what was asked for and worked on      what it says is so now

Worked out if it is asked for; `Deeds` is as much of it as is worth remembering. What follows from
the turns alone may have been worked out elsewhere, and is handed over as `WorkedOut`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

from agentx.exchanges.checks import CommandCheck
from agentx.exchanges.commands import only_looks, plain
from agentx.exchanges.commits import commit_of
from agentx.exchanges.exchange import Exchange, exchanges
from agentx.exchanges.lines import Boot, lines
from agentx.exchanges.passing import list_passed, says_still
from agentx.exchanges.places import find_folder
from agentx.exchanges.tools import ToolStep, Use, file_edits
from agentx.exchanges.turns import Turn
from agentx.kernel.clock import Millis
from agentx.kernel.text import compile_late
from agentx.kernel.values import frozen
from agentx.observations.closing.edits import PATH_SIGN, Edited, read_edited
from agentx.observations.extract.left.left_open import ends_with, list_open
from agentx.observations.extract.left.open_words import is_open, says_open
from agentx.observations.extract.left.settled import SpokenWords
from agentx.prose.cues import anywhere, at_the_start
from agentx.prose.keyphrases import terms
from agentx.prose.sentences import is_question, sentences
from agentx.prose.titles import is_written_by_machine
from agentx.prose.whose.pasted import split_pasted

_COMMANDS_MAX = 8
_RECORDS = compile_late(r"\s*git\b")  # what is recorded mends no check
_PASSES_MAX = 2_000
_ASKED_CHARS = 1_000
_SAID_CHARS = 4_000
_TOLD_MAX = 400
_ANSWERS_MAX = 40
CLAUSE = compile_late(r"(?:[.!](?=\s|\Z)|[;\n]|, )\s*(?:and |but |then )?|\s(?:and|but|then)\s")
_PUT_OFF = anywhere(
    r"""
    not now | later | leave (?:it|that|this) | don'?t | no need | skip | forget
    look at | show me | explain | tell me | what about | remind me | zeig | erkl\u00e4r\w*
    """
)
# How a sentence says that something is so by now.
_DONE = (
    r"(?:\w{2,}ed|in|there|on|live|up|ready|back|gone|done|written|built|run|sent|set|put|valid"
    r"|available|online|complete|green)"
)
_IS_SO = anywhere(
    rf"""
    now | again | done | finished
    (?:is|are|was|were|has been|have been|got) (?:now |already |all )?{_DONE}
    i (?:have |also |now |just )?(?:\w{{2,}}ed|wrote|put|set|ran|built|made|sent)
    jetzt | nun | wieder | erledigt | fertig | ist (?:da|drin) | sind (?:da|drin)
    ya | ahora | hech[oa]s? | list[oa]s? | d\u00e9sormais
    maintenant | est (?:en place|fait|l\u00e0)
    agora | feito | pronto
    """,
    r"""
    \u5df2 | \u5b8c\u4e86 | \u6e08\u307f | \u307e\u3057\u305f | \u5b8c\u6210
    \ud588\uc2b5\ub2c8\ub2e4 | \uc644\ub8cc
    """,
)
_CLAIMS = at_the_start(r"\w{2,}ed | wrote | built | made | ran | sent", after="done | also | and")
_NOT_SO = anywhere(
    r"""
    no | not | never | none | nothing | neither | \w+n't | still | needs? | must | should | will
    would | could | can | may | might | once | if | unless | before | tomorrow | later | next
    (?:do|does|did|is|are|was|were|has|have|had|ca|could|should|would|wo)nt
    nicht | noch | kein\w* | nie | muss | soll\w* | wenn | falls | sin | nunca | falta\w*
    pas | jamais | encore | si | n\u00e3o | ainda
    """,
    r"\u672a | \u6ca1 | \u4e0d | \u307e\u3060 | \u306a\u3044 | \uc544\uc9c1",
)
_CHECKS = compile_late(
    r"(?i:(?<![\w-])(?:tests?|pytest|vitest|jest|mocha|rspec|lint\w*|checks?|mypy|ruff|eslint|tsc"
    r"|clippy|fmt|prettier|build)\b)"
)
# Who asks for a run has it when it ran.
_RUNS = at_the_start(
    "re-?run | run | re-?test | test | re-?check | check | measure | benchmark | build | rebuild",
    after="please | ok(?:ay)? | now | and | then | so",
)
# "`next=4.39.0`", "`next` -> `4.41.0`", "PGSSLMODE=verify-full".
_STATE = compile_late(
    r"(?<![\w-])(?P<name>[A-Za-z_][\w.-]{1,40})`?\s?(?:=|->|\u2192)\s?[`'\"]?(?P<value>[\w./:@+-]*\w)"
)
_PARTED = compile_late(
    r"(?i:\A\W*(?:bitte |jetzt |dann |nun )*(?P<verb>[a-z\u00e4\u00f6\u00fc]{3,}?)e?"
    r" (?P<what>(?:bitte |jetzt |noch )*(?:die|das|den|dem|der|es|sie|alle|eine?n?)\b.{0,80}?)"
    r" (?P<by>ein|aus|auf|ab|an|zu|um|vor|nach|hin|los|weg|fest|zur\u00fcck|frei|hoch|durch|mit)"
    r"(?: bitte)?\W*\Z)"
)
ISSUE = compile_late(r"(?<![\w&])#(\d{1,6})\b")
_TESTS = compile_late(r"(?i:test|spec|jest|mocha|check|tox|nox)")
_COMMIT = compile_late(r"(?i:commit)")
_PUSHES = compile_late(r"\bgit\b(?:\s+-[cC]\s+\S+)*\s+push\b(?!.*--dry-run)")
_COMMITS_ALL = compile_late(
    r"\bgit\b[^|;\n]*\bcommit\b[^|;\n]* (?:-\w*a\w*|--all)\b|\bgit add (?:-A|--all|\.|-u)(?:\s|\Z)"
)


@frozen
class Passed:
    """Checks that passed at some moment of a session, and what had been edited by then."""

    checks: tuple[CommandCheck, ...]
    at_ms: Millis
    files: tuple[str, ...]
    event_ids: tuple[str, ...]
    commands: tuple[str, ...] = ()  # that were run before
    folder: str = ""  # below the repository's root
    ran: str = ""  # the run itself


class Doings:
    """What a session did; worked out if it is asked for."""

    def __init__(self, turns: Sequence[Turn], known: WorkedOut | None = None) -> None:
        self._turns = turns
        self._known = known

    def work_out(self) -> WorkedOut:
        """Return all of it, for who asks in another process."""
        return WorkedOut(passed=self.passed, deeds=self.deeds, last_prompt_ms=self.last_prompt_ms)

    @cached_property
    def exchanges(self) -> list[Exchange]:
        return exchanges(self._turns)

    @cached_property
    def steps(self) -> list[ToolStep]:
        return [step for one in self.exchanges for step in one.steps]

    @cached_property
    def passed(self) -> tuple[Passed, ...]:
        """Which checks passed, oldest first."""
        if self._known is not None:
            return self._known.passed
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
                        folder=find_folder(step),
                        ran=plain(step.command),
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
        for number, one in list(enumerate(self.exchanges))[-3:]:
            if one.closing is not None:
                told = lines(one.closing, boot)
                is_last = ends_with(self.exchanges, number)
                said += [terms(text) for text in list_open(told, is_last=is_last)]
                said += [terms(line.own) for line in told if says_still(line.own)]
        return tuple(said)

    @cached_property
    def last_prompt_ms(self) -> Millis:
        """When the user spoke last."""
        if self._known is not None:
            return self._known.last_prompt_ms
        return max((one.prompt.at_ms for one in self.exchanges if one.prompt), default=Millis(0))

    @cached_property
    def deeds(self) -> Deeds:
        """What it did about anything that was open."""
        if self._known is not None:
            return self._known.deeds
        first = self.exchanges[0] if self.exchanges else None
        has_run = [step for step in self.steps if _went_well(step)]
        commits = [made for step in has_run if (made := commit_of(step))]
        return Deeds(
            begun_ms=Millis(0) if first is None else _find_begun_ms(first),
            asked=tuple(dict.fromkeys(self._list_asked())),
            answers=tuple(self._list_answers())[:_ANSWERS_MAX],
            spoken=tuple(dict.fromkeys(self._list_spoken()))[-_TOLD_MAX:],
            told=tuple(dict.fromkeys(self._list_told()))[-_TOLD_MAX:],
            committed=tuple(terms(made.subject) for made in commits),
            open_again=self.open_again,
            work=tuple(self._list_work()),
            passes_whole=any(
                not check.scopes and _TESTS.search(" ".join((check.program, *check.does)))
                for one in self.passed
                for check in one.checks
            ),
            issues=frozenset(self._list_issues()),
            states=self._read_states(),
            edited=read_edited(self.exchanges),
            pushes=any(_PUSHES.search(step.command) for step in has_run),
            commits_all=any(
                _COMMITS_ALL.search(step.command) and commit_of(step) for step in has_run
            ),
            commits_as_asked=any(
                one.prompt is not None
                and _COMMIT.search(one.prompt.text)
                and any(_went_well(step) and commit_of(step) for step in one.steps)
                for one in self.exchanges
            ),
        )

    def _list_asked(self) -> Iterator[frozenset[str]]:
        """Yield the words of each thing that was asked for and worked on."""
        for one in self.exchanges:
            if one.prompt is None:
                continue
            has_worked = any(map(_is_work, one.steps))
            has_run = has_worked or any(map(_went_well, one.steps))
            for part in CLAUSE.split(one.prompt.text[:_ASKED_CHARS]):
                is_wanted = part and not is_question(part) and not _PUT_OFF.search(part)
                if is_wanted and (has_worked or (has_run and _RUNS.match(part))):
                    yield terms(_join_parted(part))

    def _list_work(self) -> Iterator[WorkDone]:
        """Yield each thing that was asked for and worked on, with what is told of the work."""
        for one in self.exchanges:
            if one.prompt is None or not any(map(_is_work, one.steps)):
                continue
            said = [one.prompt.text[:_ASKED_CHARS]]
            if one.closing is not None:
                told = sentences(one.closing.text[-_SAID_CHARS:])
                said += [each.text for each in told if not is_open(each.text)]
            for step in one.steps:
                said += [edit.path for edit in file_edits(step)]
                commit = commit_of(step)
                said += [f"{commit.subject} {commit.body}"] if commit and _went_well(step) else ()
            parts = (part for part in CLAUSE.split(said[0]) if part and not _PUT_OFF.search(part))
            about = (terms(PATH_SIGN.sub(" ", each)) | terms(each) for each in said)
            yield WorkDone(
                asked=frozenset[str]().union(*map(terms, parts)),
                about=frozenset[str]().union(*about),
            )

    def _list_issues(self) -> Iterator[str]:
        """Yield the number of each issue that the user named with what was then worked on."""
        for one in self.exchanges:
            if one.prompt is not None and any(map(_is_work, one.steps)):
                for part in CLAUSE.split(one.prompt.text[:_ASKED_CHARS]):
                    yield from () if _PUT_OFF.search(part) else ISSUE.findall(part)

    def _read_states(self) -> dict[str, str]:
        """Return the last value of each name that a command set, or a reply gave at its end."""
        found: dict[str, str] = {}
        for one in self.exchanges:
            for step in one.steps:
                if _is_work(step) and step.use is Use.SHELL:
                    found |= read_states(step.command)
            found |= read_states(one.closing.text[-_SAID_CHARS:]) if one.closing else {}
        return found

    def _list_spoken(self) -> Iterator[frozenset[str]]:
        """Yield the words of each sentence of the user that is no question."""
        for one in self.exchanges:
            said = sentences(one.prompt.text[:_ASKED_CHARS]) if one.prompt is not None else ()
            yield from (terms(each.text) for each in said if not is_question(each.text))

    def _list_answers(self) -> Iterator[SpokenWords]:
        """Yield what the user said, as far as it may settle what was open."""
        for one in self.exchanges:
            if one.prompt is not None and not is_written_by_machine(one.prompt.text):
                yield SpokenWords(text=split_pasted(one.prompt.text)[0][:_ASKED_CHARS])

    def _list_told(self) -> Iterator[frozenset[str]]:
        """Yield the words of each sentence that says that something is so by now."""
        for one in self.exchanges:
            for turn in (one.prompt, one.closing):
                said = turn.text[-_SAID_CHARS:] if turn is not None else ""
                yield from (terms(each.text) for each in sentences(said) if _says_so(each.text))


@frozen
class WorkDone:
    """What somebody asked for, and all that was then said, made and saved about it."""

    asked: frozenset[str]
    about: frozenset[str]


@frozen
class Deeds:
    """What a session did about anything that may have been open, in words that are compared."""

    begun_ms: Millis
    asked: tuple[frozenset[str], ...]  # and worked on
    answers: tuple[SpokenWords, ...]  # the user's words, whole
    spoken: tuple[frozenset[str], ...]  # by the user, whatever came of it
    told: tuple[frozenset[str], ...]  # what is said to be so by now
    committed: tuple[frozenset[str], ...]
    open_again: tuple[frozenset[str], ...]
    work: tuple[WorkDone, ...]
    issues: frozenset[str]  # that the user named and that were worked on
    states: Mapping[str, str]  # to what it set or saw something, by its name
    edited: Edited
    pushes: bool
    commits_all: bool
    commits_as_asked: bool
    passes_whole: bool  # a suite of tests, and not a part of it


@frozen
class WorkedOut:
    """What a session did, as far as it follows from its turns."""

    passed: tuple[Passed, ...]
    deeds: Deeds
    last_prompt_ms: Millis


def read_states(text: str) -> dict[str, str]:
    """Return the values that a text gives to names: `next=4.39.0`, `next` -> `4.41.0`."""
    return {match["name"]: match["value"] for match in _STATE.finditer(text)}


def _join_parted(part: str) -> str:
    """Return what is asked with a verb in one word: "spiel die Liste ein" is "einspiel"."""
    return _PARTED.sub(lambda found: f"{found['by']}{found['verb']} {found['what']}", part)


def _says_so(text: str) -> bool:
    """Tell whether a sentence says that something is so by now, without an if or a but."""
    if is_question(text) or _NOT_SO.search(text) or says_open(text):
        return False
    return _IS_SO.search(text) is not None or _CLAIMS.match(text) is not None


def _went_well(step: ToolStep) -> bool:
    return step.use is Use.SHELL and step.result is not None and not step.has_failed


def _is_work(step: ToolStep) -> bool:
    """Tell whether a step did something: it edited, committed, or ran what does not only check."""
    if next(iter(file_edits(step)), None) is not None:
        return True
    if not _went_well(step):
        return False
    if commit_of(step):
        return True
    command = step.command
    return not (only_looks(command) or _CHECKS.search(command) or _RECORDS.match(command))


def _find_begun_ms(first: Exchange) -> Millis:
    if first.prompt is not None:
        return first.prompt.at_ms
    item = first.items[0]
    return item.at_ms if isinstance(item, Turn) else item.call.at_ms
