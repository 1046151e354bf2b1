"""A command that failed, from its failing to its passing: what was said and done meanwhile.

    a command fails --> what the agent said about it --> what it changed --> the command passes

Two failures of one command with the same error are one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from agentx.exchanges.checks import CommandCheck
from agentx.exchanges.commands import (
    error_lines,
    is_routine,
    only_looks,
    plain,
    went_wrong,
)
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.failing.causes import (
    find_causes,
    find_fixed_causes,
    is_action,
    is_guess,
    may_explain,
)
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
from agentx.exchanges.tools import FileChange, ToolStep, Use, file_edits
from agentx.exchanges.turns import Turn
from agentx.exchanges.undone import list_lasting
from agentx.prose.keyphrases import code_names, terms
from agentx.prose.likeness import likeness
from agentx.prose.passages import says_nothing
from agentx.prose.sentences import Block, is_question

_SAME_ERROR = 0.7


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
    heard: list[Line] = field(default_factory=list)  # since it failed last
    doubted: list[Line] = field(default_factory=list)  # causes: what was done about them did not do
    is_weak: bool = False  # the cause was never said outright
    was_tried: bool = False  # something was done about it since it failed last
    fixes: list[ToolStep] = field(default_factory=list)
    mended: ToolStep | None = None
    is_covered: bool = False  # by a wider run, which is not what mended it
    passed: set[CommandCheck] = field(default_factory=set)  # of what it ran, since it failed
    between: int = 0  # steps until it was mended
    acted: int = 0  # those of them that did more than look
    is_of_trial: bool = False  # the last edit before it was taken back
    was_for_nothing: bool = False  # what was done about it was taken back

    @property
    def changes(self) -> list[FileChange]:
        """What was changed meanwhile, and not put back."""
        return list_lasting(self.fixes)

    def fail_again(self) -> None:
        """Take in that it failed once more: what was said of it before is less likely to be why."""
        self.times += 1
        if self.was_tried:
            self.doubted = [line for line in (*self.doubted, *self.causes) if not is_guess(line)]
            self.causes, self.said_next, self.heard = [], [], []
            self.acted, self.was_tried = 0, False

    def close(self, by: ToolStep) -> None:
        """Take in that it passed."""
        self.mended = by
        self.causes = self.causes or find_fixed_causes(self.heard, self.changes)
        self.is_weak = all(map(is_guess, self.causes))
        if not self.causes:
            self.causes = _find_said_before_fix(self) or self.doubted


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
            late = episode.exchange is exchange and (not episode.causes or episode.is_weak)
            if episode in self.open_ones or late:
                self._hear_of(episode, said)
            if episode in self.open_ones and not episode.acted:
                episode.said_next += lines(said, self.boot)
            is_near = episode.exchange is exchange
            if _is_said_to_stay(episode, said, self.boot, is_near=is_near):
                episode.mended = None
                episode.passed.clear()
                self.open_ones.append(episode)

    def _hear_of(self, episode: Episode, said: Turn) -> None:
        between = episode.between if episode.mended is None else None
        command = episode.failure.command
        found = find_causes(episode.errors, command, between, said, self.boot)
        if episode.mended is None:
            episode.causes += found
            episode.heard += lines(said, self.boot)
            return
        found = find_fixed_causes(lines(said, self.boot), episode.changes) or found
        if found:
            episode.causes, episode.is_weak = found, False

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
                episode.fail_again()
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
            episode.close(step)
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


def _is_said_to_stay(episode: Episode, said: Turn, boot: Boot, *, is_near: bool) -> bool:
    """Tell whether the agent says of what seems to be mended that it fails as before.

    What names nothing is near it, or is of something else.
    """
    if episode.mended is None or not says_still(said.text):
        return False
    about = terms(" ".join(episode.errors))
    command = plain(episode.failure.command)
    # Where the very same command passed, it may be something else that still fails.
    is_same = plain(episode.mended.command) == command
    for line in lines(said, boot):
        if says_still(line.own):
            shared = len(terms(line.own) & about)
            is_of_any = is_near and not (is_same or shared or code_names(line.own))
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
            episode.was_tried = episode.was_tried or is_edit or not only_looks(step.command)


def _find_said_before_fix(episode: Episode) -> list[Line]:
    """Return what was said at once of a failure that an edit mended: why it failed."""
    is_edited = any(step.use is Use.EDIT for step in episode.fixes)
    if not is_edited or not is_routine(episode.failure.command):
        return []
    return [line for line in episode.said_next if may_explain(line)][:1]


def _find_said_of(episode: Episode, edited: list[str]) -> list[Line]:
    """Return what was said between a failure and the edit of what it names: the cause."""
    names = [path.rsplit("/", 1)[-1] for path in edited if not episode.acted]
    return [
        line
        for line in episode.said_next
        if any(name in line.own for name in names)
        and not (is_question(line.own) or says_nothing(line.own) or line.block is Block.HEADING)
        and not is_action(line)
    ][:1]
