"""Which toolsets of the MCP server a project uses.

An open run, an open question, issues: what lies in a repository that is not trusted turns
nothing on, so that no stranger makes a user's sessions dearer.
"""

from __future__ import annotations

from agentx.host.files.below.finding import find_files
from agentx.host.files.plain import is_folder
from agentx.project.project import Project
from agentx.project.roles.played import decide_role
from agentx.project.settings import McpSettings
from agentx.project.toolsets import parse_toolsets

_OF_A_ROLE = frozenset({"questions", "issues"})


def list_used(project: Project) -> frozenset[str]:
    """Return the toolsets that the settings name and, where they leave it open, those in use.

    Raises: DataError, UnavailableError.
    """
    chosen, is_open = parse_toolsets(project.config.section(McpSettings).tools)
    return chosen | _find_used(project) if is_open else chosen


def _find_used(project: Project) -> frozenset[str]:
    used = set(_OF_A_ROLE if decide_role(project).role else ())
    if not project.trust.has_data:
        return frozenset(used)
    paths = project.paths
    if any(map(is_folder, project.asked)):
        from agentx.wiring.clarifications import open_clarifications  # noqa: PLC0415  most projects have none

        if open_clarifications(project).survey().active:
            used.add("questions")
    if any(True for _ in find_files(paths.issues, depth=0, suffix=".json")):
        used.add("issues")
    if project.has_runs:
        from agentx.wiring.runs import active_run  # noqa: PLC0415  as above

        if active_run(project):
            used.add("runs")
    return frozenset(used)
