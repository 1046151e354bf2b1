"""The repository in which agents carry an issue on: what they changed, and a commit a step.

Agents may leave anything behind: another branch, a merge that is half done, files by the thousand.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from posixpath import normpath

from agentx.host.files.plain import exists
from agentx.host.git.branches import find_default, list_refs
from agentx.host.git.command import NO_HOOKS, read_git
from agentx.host.git.facts import branch as branch_of
from agentx.host.git.work import (
    OUTSIDE,
    as_somebody,
    commit_of,
    git_done,
    git_files,
    is_ancestor,
    list_nested,
    stage_files,
)
from agentx.kernel.text import printable
from agentx.project.project import Project
from agentx.wiring.bound.steering import list_steering_since, look_at_steering

# Ours: agents write their documents elsewhere, and it is committed by its own rules.
_OWN = (".agentx", ".agent-memory")
_LITERAL = "--literal-pathspecs"  # a name of a file means that file
_HALF_DONE = {"MERGE_HEAD": "merge", "CHERRY_PICK_HEAD": "cherry-pick", "REVERT_HEAD": "revert"}


class WalkGit:
    """The repository in which agents work on an issue, if there is one."""

    def __init__(self, project: Project) -> None:
        self._root = project.root
        self.is_there = project.trust.common is not None

    @property
    def branch(self) -> str:
        """What is checked out; empty where that is no branch."""
        return (branch_of(self._root) or "") if self.is_there else ""

    @property
    def head(self) -> str:
        """The commit that is checked out."""
        return commit_of(self._root, "HEAD") if self.is_there else ""

    def is_default(self) -> bool:
        """Tell whether the branch that is checked out is the one that others are merged into."""
        return self.branch == find_default(list_refs(self._root) or ())

    def holds(self, commit: str) -> bool:
        """Tell whether what is checked out has a commit in its history."""
        return not commit or not self.is_there or is_ancestor(self._root, commit, "HEAD")

    def look_at_steering(self) -> dict[str, str]:
        """Return how those files are that agent CLIs go by and that git does not hold."""
        return look_at_steering(self._root) if self.is_there else {}

    def list_steering_since(self, commit: str, before: Mapping[str, str]) -> tuple[str, ...]:
        """Return which files that agent CLIs go by are not as they were at a commit."""
        return list_steering_since(self._root, commit, before) if self.is_there and commit else ()

    def list_nested_since(self, commit: str) -> tuple[str, ...]:
        """Return the repositories in the folder that are no submodules of a commit."""
        return tuple(list_nested(self._root, commit)) if self.is_there and commit else ()

    def find_half_done(self) -> str:
        """Return what git is in the middle of, such as a merge; nothing where it is in none."""
        if not self.is_there:
            return ""
        places = git_files(self._root, tuple(_HALF_DONE))
        return next((_HALF_DONE[path.name] for path in places if exists(path)), "")

    def list_changed(self) -> tuple[str, ...]:
        """Return the files that are not committed; none of ours."""
        if not self.is_there:
            return ()
        # What lies inside of a submodule is committed there, by whose it is.
        words = ("status", "--porcelain", "-z", "--no-renames", "--untracked-files=all", OUTSIDE)
        found = git_done(self._root, *words).names
        return tuple(name[3:] for name in found if _top(name[3:]) not in _OWN)

    def list_since(self, commit: str) -> tuple[str, ...]:
        """Return the files that commits since then changed; none of ours."""
        if not self.is_there or not commit:
            return ()
        words = ("diff", "--name-only", "-z", "--end-of-options", commit, "HEAD")
        found = read_git(self._root, *words).names
        return tuple(name for name in found if _top(name) not in _OWN)

    def find_commit_since(self, commit: str, path: str = "") -> str:
        """Return the newest commit since then, of a file if one is named; or nothing."""
        if not self.is_there or not commit:
            return ""
        named = ("--", path) if path else ("--",)
        words = (_LITERAL, "log", "-1", "--format=%H", "--end-of-options", f"{commit}..HEAD")
        return read_git(self._root, *words, *named).out.strip()

    def read_file(self, commit: str, path: str) -> str:
        """Return a file's text as a commit holds it; nothing where it holds none."""
        said = read_git(self._root, "show", "--end-of-options", f"{commit}:{normpath(path)}")
        return said.out if said.code == 0 else ""

    def commit(self, saying: str, path: str = "") -> str:
        """Commit a file, or all that was changed; return the commit, or nothing if there is none.

        Raises: UnavailableError.
        """
        wanted = normpath(path) if path else ""
        changed = [each for each in self.list_changed() if wanted in ("", each)]
        if not changed:
            return ""
        if wanted:
            stage_files(self._root, (wanted,))
        else:
            self._stage(changed)
        words = (_LITERAL, *as_somebody(self._root), "commit", "--quiet", "--no-verify")
        only = ("--", wanted) if wanted else ()
        git_done(self._root, *words, "-m", printable(saying), *only, settings=NO_HOOKS)
        return self.head

    def _stage(self, names: Sequence[str]) -> None:
        """Put files into the index, however many they are, and take ours out."""
        stage_files(self._root, names)
        git_done(self._root, _LITERAL, "reset", "--quiet", "--", *_OWN, settings=NO_HOOKS)


def _top(name: str) -> str:
    return name.split("/", maxsplit=1)[0]
