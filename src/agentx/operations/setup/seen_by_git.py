"""What git shows of the files that a set-up for one project put into its repository.

They name paths of this machine: whoever commits them breaks the agent CLIs of everybody else.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from agentx.host.git import facts as git
from agentx.kernel.values import frozen
from agentx.operations.setup.setup import SetupReply
from agentx.project.project import Project


@frozen
class SeenByGit:
    """Files of ours in a repository, from its root: those that are new to git, and tracked ones."""

    new: tuple[str, ...] = ()
    tracked: tuple[str, ...] = ()


def look_at_git(project: Project, replies: Iterable[SetupReply]) -> SeenByGit:
    """Return which files of a set-up `git status` would show; none outside of git."""
    if project.trust.common is None:
        return SeenByGit()
    paths = (file.path for reply in replies for file in reply.files if file.changed)
    root = str(project.root)
    names = [os.path.relpath(path, root) for path in paths if path.is_relative_to(root)]
    if not names:
        return SeenByGit()
    new = git.list_untracked(project.root, names) or ()
    tracked = [name for name in names if name in (git.list_tracked(project.root, name) or ())]
    return SeenByGit(new=tuple(new), tracked=tuple(tracked))
