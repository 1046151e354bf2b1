"""What a session did and took back: a commit that was reverted or left behind, edits thrown away.

    git revert HASH          the commit goes, another one says so
    git reset --hard HEAD~1  the commit goes, and what was not committed
    git checkout . ; git restore PATH    what was not committed goes

Only what the session itself did is known here. Law: nothing is called undone that no command of
the session took back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from agentx.exchanges.commits import Commit, commit_of, find_reverted
from agentx.exchanges.exchange import Exchange
from agentx.exchanges.tools import FileChange, ToolStep, file_edits
from agentx.kernel.text import compile_late

_PART = compile_late(r"\s*(?:&&|\|\||;|\n)\s*")
_GIT = compile_late(r"\Agit\b(?:\s+-[cC]\s+\S+)*\s+(?P<verb>\w[\w-]*)\s*(?P<rest>.*)\Z")
_HASH = compile_late(r"[0-9a-f]{4,40}")
_BACK = compile_late(r"(?:HEAD|@)(?P<steps>(?:\^|~\d*)*)")
_STEP = compile_late(r"\^|~(\d*)")
_BY_PARTS = frozenset({"-p", "--patch"})  # nobody can tell which parts were chosen
_EVERYTHING = frozenset({".", "./", ":/", "*", "-f", "--force"})


@dataclass(slots=True)
class _Made:
    commit: Commit
    edits: list[ToolStep]


@dataclass(slots=True)
class Undone:
    """What did not last."""

    commits: list[Commit] = field(default_factory=list)
    by: list[ToolStep] = field(default_factory=list)  # what took something back
    _steps: set[int] = field(default_factory=set)

    def has(self, commit: Commit) -> bool:
        """Tell whether a commit was taken back."""
        return commit in self.commits

    def took_back(self, step: ToolStep) -> bool:
        """Tell whether what a step edited was taken back."""
        return id(step) in self._steps

    def take(self, steps: Iterable[ToolStep], by: ToolStep) -> None:
        """Note that edits were taken back."""
        self._steps.update(map(id, steps))
        if by not in self.by:
            self.by.append(by)


def find_undone(found: Iterable[Exchange]) -> Undone:
    """Return what a session took back of what it did."""
    undone = Undone()
    made: list[_Made] = []
    pending: list[ToolStep] = []
    for exchange in found:
        for step in exchange.steps:
            if next(iter(file_edits(step)), None) is not None:
                pending.append(step)
            if not _may_undo(step):
                commit = commit_of(step)
            else:
                _revert(undone, made, step)
                pending = _throw_away(undone, made, pending, step)
                commit = None if find_reverted(step) else commit_of(step)
            if commit is not None:
                made.append(_Made(commit, pending))
                pending = []
    return undone


def list_lasting(steps: Iterable[ToolStep]) -> list[FileChange]:
    """Return the edits of some steps, without those that one of them put back word for word."""
    lasting: list[FileChange] = []
    for change in (change for step in steps for change in file_edits(step)):
        before = next(
            (
                each
                for each in reversed(lasting)
                if each.path == change.path
                and (each.added, each.removed) == (change.removed, change.added)
            ),
            None,
        )
        if before is None or not change.removed:
            lasting.append(change)
        else:
            lasting.remove(before)
    return lasting


def _may_undo(step: ToolStep) -> bool:
    command = step.command
    return (
        "git" in command
        and step.result is not None
        and not step.has_failed
        and not step.was_refused
        and any(verb in command for verb in ("revert", "reset", "checkout", "restore"))
    )


def _revert(undone: Undone, made: list[_Made], step: ToolStep) -> None:
    """Take back the commits that a step reverted, by what git said or by how they are named."""
    for name in find_reverted(step):
        named = _BACK.fullmatch(name)
        standing = [one for one in made if not undone.has(one.commit)]
        if named:
            back = _count_back(named["steps"])
            hit = standing[-1 - back : len(standing) - back] if back < len(standing) else []
        elif _HASH.fullmatch(name):
            hit = [one for one in standing if one.commit.hash and _is_same(one.commit.hash, name)]
        else:
            hit = [one for one in standing if one.commit.subject == name][-1:]
        for one in hit:
            undone.commits.append(one.commit)
            undone.take(one.edits, step)


def _throw_away(
    undone: Undone, made: list[_Made], pending: list[ToolStep], step: ToolStep
) -> list[ToolStep]:
    """Take back what a reset or a checkout threw away; return the edits that are left."""
    for verb, words in _list_verbs(step.command):
        if verb == "reset" and "--hard" in words:
            undone.take(pending, step)
            pending = []
            for one in _list_left(made, undone, words):
                undone.commits.append(one.commit)
                undone.take(one.edits, step)
        elif verb in ("checkout", "restore") and not _BY_PARTS.intersection(words):
            gone = [each for each in pending if _is_thrown(each, verb, words)]
            if gone:
                undone.take(gone, step)
                pending = [each for each in pending if each not in gone]
    return pending


def _list_left(made: list[_Made], undone: Undone, words: list[str]) -> list[_Made]:
    """Return the commits that a reset leaves behind."""
    standing = [one for one in made if not undone.has(one.commit)]
    for word in words:
        back = _BACK.fullmatch(word)
        if back:
            count = _count_back(back["steps"])
            return standing[len(standing) - count :] if count <= len(standing) else standing
        if _HASH.fullmatch(word):
            for index, one in enumerate(standing):
                if one.commit.hash and _is_same(one.commit.hash, word):
                    return standing[index + 1 :]
    return []


def _is_thrown(step: ToolStep, verb: str, words: list[str]) -> bool:
    """Tell whether a checkout or a restore brought back every file that a step edited."""
    if verb == "restore" and "--staged" in words and "--worktree" not in words:
        return False
    paths = [word.strip("'\"") for word in words if not word.startswith("-")]
    if _EVERYTHING.intersection((*words, *paths)):
        return True
    paths = [path.removeprefix("./") for path in paths]
    edited = {edit.path for edit in file_edits(step)}
    return bool(edited) and all(
        any(path == each or path.startswith(f"{each.rstrip('/')}/") for each in paths)
        for path in edited
    )


def _list_verbs(command: str) -> Iterator[tuple[str, list[str]]]:
    for part in _PART.split(command):
        found = _GIT.match(part.strip())
        if found:
            yield found["verb"], found["rest"].split()


def _count_back(steps: str) -> int:
    return sum(int(number or 1) for number in _STEP.findall(steps))


def _is_same(one: str, other: str) -> bool:
    return one.startswith(other) or other.startswith(one)
