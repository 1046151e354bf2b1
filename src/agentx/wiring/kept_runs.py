"""Whether a project has runs, also where the checkout lost them: who opens them has them back."""

from __future__ import annotations

from agentx.host.files.plain import exists, is_folder
from agentx.project.project import Project
from agentx.runs.paths import RunNotes


def has_runs(project: Project) -> bool:
    """Tell whether there are runs, in the folder or on the branch that keeps them."""
    if is_folder(project.paths.runs):
        return True
    return exists(RunNotes(project.store.root).kept(str(project.root)) / "note.json")
