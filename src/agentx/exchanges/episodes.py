"""A command that failed, from its failing to its passing: what was said and done meanwhile.

    a command fails --> what the agent said about it --> what it changed --> the command passes

Two failures of one command with the same error are one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from agentx.exchanges import wording
from agentx.exchanges.checks import CommandCheck
from agentx.exchanges.commands import (
    error_lines,
    is_routine,
    only_looks,
    plain,
    went_wrong,
)
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.lines import Boot, Line, lines
from agentx.exchanges.passing import (
    counts_as_much,
    list_checks,
    list_passed,
    picks_failed,
    runs_all_again,
    runs_same,
    says_still,
    takes_in,
)
from agentx.exchanges.places import find_folder, is_apart
from agentx.exchanges.tools import ToolStep, Use, file_edits
from agentx.exchanges.turns import Turn
from agentx.prose import cues
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import likeness
from agentx.prose.passages import says_nothing
from agentx.prose.sentences import Block, is_question, words

_SAME_ERROR = 0.7
_CAUSE = cues.anywhere(
    r"""
    root cause | because | due to | caused by | turn(?:s|ed) out | race condition
    the (?:real |actual )?(?:issue|problem|bug|culprit|reason|cause|fix) (?:is|was)
    found (?:it|the (?:issue|problem|bug|cause)) | was missing | is missing | pins? | pulled in
    fails? (?:when|if|since|as) | needs? | requires? | (?:was|were) (?:renamed|removed|moved|not)
    doesn'?t | does not | instead of | exists? only | only (?:from|since|in) | not running
    cannot | can'?t | wraps? | complains? | expects? | is named | has no | ursache | weil
    """
)
# What came out well explains no failure.
_CAME_WELL = cues.at_the_start(r"(?:\S+ ){0,5}(?:pass(?:ed|es)|succeed(?:ed|s))(?: now)?(?=[.:;,])")
_EXPLAINS_WORDS_MIN = 5
_REMEDY_WORDS_MAX = 20
_OF_ONESELF = cues.at_the_start(
    r"""
    i | i'?m | i'?ll | i'?ve | we | let | now | next | first | then | adding | fixing | running
    checking | trying | updating | looking | as (?:expected|intended) | red | good | ok(?:ay)?
    \d+ (?:tests?|errors?|failures?|of) | still
    (?:one|two|three|some|all|both|the) (?:\w+ )?tests?
    """
)
_SAYS_WHY = cues.anywhere(
    "because | due to | found (?:it|the \\w+) | weil | porque | parce que | debido a"
)
# "The test fails because ...", said at once: of what just failed, whatever words it shares with it.
_FAILS_BECAUSE = cues.anywhere(
    r"""
    (?:fails?|failed|failing|breaks|broke|crash(?:es|ed)?|errors? out) (?:\w+ )?(?:because|since|as)
    (?:fails?|failed|failing|breaks|broke|crash(?:es|ed)?) due to
    (?:schl\u00e4gt|schlug) fehl,? weil | \u00e9choue parce que | falla porque
    """
)
# What would mend it, said right after why it broke: the other half of the cause.
_REMEDY = cues.anywhere(
    r"""
    (?:is|are) (?:needed|required|necessary|missing) | needs? | requires? | must | has to | have to
    only works? (?:with|when|if|on)
    """
)


@dataclass(slots=True)
class Episode:
    """One failure, and what became of it."""

    failure: ToolStep
    folder: str  # below the repository's root
    exchange: Exchange
    errors: list[str]
    fresh: frozenset[str]  # files the agent had touched just before
    times: int = 1
    causes: list[Line] = field(default_factory=list)
    said_next: list[Line] = field(default_factory=list)  # before anything was done about it
    fixes: list[ToolStep] = field(default_factory=list)
    mended: ToolStep | None = None
    is_covered: bool = False  # by a wider run, which is not what mended it
    passed: set[CommandCheck] = field(default_factory=set)  # of what it ran, since it failed
    between: int = 0  # steps until it was mended
    acted: int = 0  # those of them that did more than look
    is_of_trial: bool = False  # the last edit before it was taken back
    was_for_nothing: bool = False  # what was done about it was taken back


@dataclass(slots=True)
class _Watch:
    """What went wrong so far."""

    boot: Boot
    made: list[Episode] = field(default_factory=list)
    open_ones: list[Episode] = field(default_factory=list)
    fresh: list[str] = field(default_factory=list)  # files that were edited last
    is_trial: bool = False  # the last edit was taken back later

    def hear(self, said: Turn, exchange: Exchange) -> None:
        """Take in what the agent says."""
        for episode in self.made:
            # An agent may explain only at the end what it had mended on the way.
            late = episode.exchange is exchange and not episode.causes
            if episode in self.open_ones or late:
                between = episode.between if episode.mended is None else None
                command = episode.failure.command
                episode.causes += find_causes(episode.errors, command, between, said, self.boot)
            if episode in self.open_ones and not episode.acted:
                episode.said_next += lines(said, self.boot)
            if episode.mended is not None and _is_said_to_stay(episode, said, self.boot):
                episode.mended = None
                episode.passed.clear()
                self.open_ones.append(episode)

    def see(self, step: ToolStep, exchange: Exchange) -> None:
        """Take in what it does; what was never run, or not heard of again, did nothing."""
        if step.result is None:
            return
        edited = [edit.path for edit in file_edits(step)]
        self.fresh = (self.fresh + edited)[-8:]
        was_undone = self.boot.undone.took_back(step)
        self.is_trial = was_undone if edited else self.is_trial
        for episode in self.open_ones:
            episode.causes = episode.causes or _find_said_of(episode, edited)
            episode.between += 1
            episode.acted += _acts(step)
            episode.was_for_nothing |= was_undone
        failed = went_wrong(step)
        undoes = step in self.boot.undone.by  # what takes back a trial mends nothing
        if not (was_undone or undoes) and (
            step.use is Use.EDIT or (step.use is Use.SHELL and not failed)
        ):
            _note_fix(self.open_ones, step, is_edit=bool(edited))
        if step.use is Use.SHELL:
            self.open_ones = _settle(self.open_ones, step, failed=failed)
            if failed:
                self._take_failure(step, exchange)

    def _take_failure(self, step: ToolStep, exchange: Exchange) -> None:
        told = error_lines(step.output)
        for episode in self.open_ones:
            if _alike(episode, step, told):
                episode.times += 1
                return
        episode = Episode(
            failure=step,
            folder=find_folder(step),
            exchange=exchange,
            errors=told,
            fresh=frozenset(self.fresh),
            is_of_trial=self.is_trial,
        )
        self.made.append(episode)
        self.open_ones.append(episode)


def _acts(step: ToolStep) -> bool:
    """Tell whether a step did more than look."""
    return step.use is Use.EDIT or (step.use is Use.SHELL and not only_looks(step.command))


def find_episodes(found: list[Exchange], boot: Boot) -> list[Episode]:
    """Return what failed in a session, in order."""
    watch = _Watch(boot)
    for exchange in found:
        for item in exchange.items:
            if isinstance(item, Turn):
                watch.hear(item, exchange)
            else:
                watch.see(item, exchange)
    return watch.made


def _settle(open_ones: list[Episode], step: ToolStep, *, failed: bool) -> list[Episode]:
    """Close the episodes whose command was run again and does not fail like that any more."""
    left: list[Episode] = []
    passed = () if failed or not open_ones else list_passed(step)
    folder = find_folder(step) if open_ones else ""
    for episode in open_ones:
        if is_apart(episode.folder, folder):
            closed = False
        elif failed:
            again = runs_all_again(episode.failure, step)
            closed = again and not _alike(episode, step, error_lines(step.output))
        else:
            closed = _has_passed(episode, passed)
            if not closed and counts_as_much(episode.failure, step):
                closed = episode.is_covered = True
        if closed:
            episode.mended = step
            episode.causes = episode.causes or _find_said_before_fix(episode)
        else:
            left.append(episode)
    return left


def _has_passed(episode: Episode, passed: tuple[CommandCheck, ...]) -> bool:
    """Tell whether all that an episode's command checks has passed by now."""
    wanted = list_checks(episode.failure.command)
    output = episode.failure.output
    for one in wanted if passed else ():
        if takes_in(one, passed) or picks_failed(one, passed, output):
            episode.passed.add(one)
    return bool(wanted) and episode.passed.issuperset(wanted)


def _is_said_to_stay(episode: Episode, said: Turn, boot: Boot) -> bool:
    """Tell whether the agent says of what seems to be mended that it fails as before."""
    if episode.mended is None or not says_still(said.text):
        return False
    about = terms(" ".join(episode.errors))
    command = plain(episode.failure.command)
    # Where the very same command passed, it may be something else that still fails.
    is_same = plain(episode.mended.command) == command
    for line in lines(said, boot):
        if says_still(line.own):
            shared = len(terms(line.own) & about)
            is_of_any = not (is_same or shared or code_names(line.own))
            if f"`{command}`" in line.own or shared > is_same or is_of_any:
                return True
    return False


def _alike(episode: Episode, step: ToolStep, told: list[str]) -> bool:
    if not runs_same(episode.failure.command, step.command):
        return False
    if is_apart(episode.folder, find_folder(step)):
        return False
    before, now = terms(" ".join(episode.errors)), terms(" ".join(told))
    return likeness(before, now) >= _SAME_ERROR or not (before and now)


def _note_fix(open_ones: list[Episode], step: ToolStep, *, is_edit: bool) -> None:
    for episode in open_ones:
        if is_edit or (
            episode.between < 12 and not runs_same(episode.failure.command, step.command)
        ):
            episode.fixes.append(step)


def find_causes(
    errors: Sequence[str], command: str, between: int | None, reply: Turn, boot: Boot
) -> list[Line]:
    """Return what a reply says of why something went wrong.

    `between` is how many steps were taken since; None once it was mended.
    """
    about = terms(" ".join(errors)) - terms(command)
    names = {name.lower() for name in code_names(" ".join(errors))}
    told = " ".join(errors).lower()
    kept: list[Line] = []
    said = lines(reply, boot)
    for number, line in enumerate(said):
        own = line.own
        if words(own) < 6 or is_question(own) or own.endswith(":") or line.block is Block.HEADING:
            continue
        if cues.ANNOUNCES.match(own) or cues.INTENDS.match(own) or wording.POSSIBLE.search(own):
            continue
        fails_so = bool(_FAILS_BECAUSE.search(own))
        says_so = bool(fails_so or cues.EXPLAINS.search(own) or _SAYS_WHY.search(own))
        explains = says_so or bool(_CAUSE.search(own))
        soon = between is not None and between <= (3 if says_so else 1)
        shared = len(terms(own) & about)
        enough = 1 if soon else 2
        related = shared >= enough or any(name in own.lower() for name in names)
        # "The linker can't find zstd", said at once of "cannot find -lzstd".
        related |= soon and any(len(word) > 3 and word in told for word in terms(own))
        related |= fails_so and soon and not between
        if explains and related and not says_nothing(own) and not _CAME_WELL.match(own):
            kept.append(_join_remedy(line, said[number + 1 : number + 2]))
    return kept


def _join_remedy(line: Line, after: Sequence[Line]) -> Line:
    """Return a cause with what is said right after it to be needed."""
    for one in after:
        is_stated = not (is_question(one.own) or one.own.endswith(":"))
        intends = cues.ANNOUNCES.match(one.own) or cues.INTENDS.match(one.own)
        is_brief = one.paragraph == line.paragraph and words(one.own) <= _REMEDY_WORDS_MAX
        if is_brief and is_stated and not intends and _REMEDY.search(one.own):
            return replace(line, text=f"{line.text} {one.own}")
    return line


def _find_said_before_fix(episode: Episode) -> list[Line]:
    """Return what was said at once of a failure that an edit mended: why it failed."""
    is_edited = any(step.use is Use.EDIT for step in episode.fixes)
    if not is_edited or not is_routine(episode.failure.command):
        return []
    return [line for line in episode.said_next if _may_explain(line)][:1]


def _may_explain(line: Line) -> bool:
    """Tell whether a line states something: it is not announced, asked or guessed."""
    own = line.own
    if words(own) < _EXPLAINS_WORDS_MIN or own.endswith(":") or line.block is Block.HEADING:
        return False
    if is_question(own) or says_nothing(own) or says_still(own) or _OF_ONESELF.match(own):
        return False
    if _CAME_WELL.match(own):
        return False
    return not (
        cues.ANNOUNCES.match(own)
        or cues.INTENDS.match(own)
        or cues.COURTESY.match(own)
        or wording.POSSIBLE.search(own)
    )


def _find_said_of(episode: Episode, edited: list[str]) -> list[Line]:
    """Return what was said between a failure and the edit of what it names: the cause."""
    names = [path.rsplit("/", 1)[-1] for path in edited if not episode.acted]
    return [
        line
        for line in episode.said_next
        if any(name in line.own for name in names)
        and not (is_question(line.own) or says_nothing(line.own) or line.block is Block.HEADING)
    ][:1]
