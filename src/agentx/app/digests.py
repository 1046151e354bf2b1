"""What hooks print at session start, prepared beforehand: a hook has no time to think.

One digest an agent CLI, within its cap, for the project as a whole and for each branch
that was worked on lately, where what happened on the branch comes first. Written only
when its text changed.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from agentx.app.memory import Memory, SessionQuery, TocNode
from agentx.app.project import Project
from agentx.app.zone import project_zone
from agentx.host.atomic import replace_file
from agentx.kernel.capture import Harness
from agentx.kernel.tokens import estimate
from agentx.kernel.when import age
from agentx.recall.section import Cap, RecallLine, section

_DAYS = 10
_BRANCHES_MAX = 10
_SESSIONS_LOOKED_AT = 40
_MORE = "`agentx toc`, `agentx search WORDS`, `agentx expand ID`."
# What each agent CLI takes in at session start, with room for the JSON around it.
CAPS = {
    Harness.CLAUDE_CODE: Cap(tokens=2_400, chars=9_000),
    Harness.CODEX: Cap(tokens=2_200, chars=7_000),
    Harness.GEMINI: Cap(tokens=2_400, chars=9_000),
    Harness.OPENCODE: Cap(tokens=2_400, chars=9_000),
    Harness.COPILOT: Cap(tokens=2_400, chars=8_000),
}
_GROUPS = {
    "decision": "Decisions",
    "answer": "Decisions",
    "problem": "Problems met",
    "outcome": "Outcomes",
    "change": "Changes",
}
_ORDER = ("Decisions", "Problems met", "Outcomes", "Changes")


def refresh(project: Project, memory: Memory) -> int:
    """Write the digests that changed; return how many."""
    days = list(_newest_days(memory))
    branches = _branches(memory)
    written = 0
    for branch in ("", *branches):
        on_branch = branches.get(branch, frozenset())
        lines = list(_lines(project, days, on_branch))
        for harness, cap in CAPS.items():
            text = section(lines, cap, more=_MORE).text
            written += _write(project, harness, branch, text)
    return written


def _newest_days(memory: Memory) -> Iterator[TocNode]:
    """Yield the newest days on which something happened, newest first."""
    left = list(reversed(memory.toc_roots()))
    count = 0
    while left and count < _DAYS:
        node = left.pop()
        if node.level == "day":
            count += 1
            yield node
        else:
            left += memory.browse(node.node_id).nodes


def _lines(
    project: Project, days: list[TocNode], on_branch: frozenset[str]
) -> Iterator[RecallLine]:
    """Yield what is worth recalling, best first."""
    now_ms = project.clock.now_ms()
    zone = project_zone(project)
    found = []
    for rank, day in enumerate(days):
        for bullet in day.bullets:
            group = _GROUPS.get(bullet.kind)
            if group is None:
                continue
            elsewhere = bool(on_branch) and not on_branch & frozenset(day.sessions)
            order = (elsewhere, rank // 3, _ORDER.index(group), -bullet.weight, bullet.timestamp_ms)
            at = datetime.fromtimestamp(bullet.timestamp_ms / 1000, tz=zone)
            line = RecallLine(
                group=group,
                text=bullet.text,
                doc_id=bullet.grip_ids[0],
                when=f"{at:%Y-%m-%d}",
                age=age(bullet.timestamp_ms, now_ms=now_ms),
                source=", ".join(day.harnesses),
                tokens=estimate(bullet.text) * 4,
            )
            found.append((order, line))
    found.sort(key=lambda each: each[0])
    yield from (line for _, line in found)


def _branches(memory: Memory) -> dict[str, frozenset[str]]:
    """Return the branches that were worked on lately, with their sessions."""
    by_branch: dict[str, set[str]] = {}
    for session in memory.sessions(SessionQuery(limit=_SESSIONS_LOOKED_AT)):
        if session.branch:
            by_branch.setdefault(session.branch, set()).add(session.session_id)
    newest = list(by_branch.items())[:_BRANCHES_MAX]
    return {branch: frozenset(sessions) for branch, sessions in newest}


def _write(project: Project, harness: str, branch: str, text: str) -> int:
    path = project.store.digest(harness, branch)
    try:
        before = path.read_text(encoding="utf-8")
    except OSError:
        before = ""
    if before == text:
        return 0
    if text:
        replace_file(path, text.encode("utf-8", "replace"))
    else:
        path.unlink(missing_ok=True)
    return 1
