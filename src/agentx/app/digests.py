"""What hooks print at session start, prepared beforehand: a hook has no time to think.

One digest an agent CLI, within its cap, for the project as a whole, for each branch that was
worked on lately, where what happened on the branch comes first, and for each role for which a
question or an answer waits. Written only when its text changed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from agentx.app.memory import Memory, SessionQuery
from agentx.app.project import Project
from agentx.app.recalling import Wanted, newest_days, present, recent_lines
from agentx.app.room_lines import OBSERVATIONS, RoomLines, roles_spoken_to
from agentx.host.atomic import replace_file
from agentx.kernel.capture import Harness
from agentx.kernel.ids import digest
from agentx.recall.section import Cap, RecallLine, section

_DAY_MS = 24 * 60 * 60 * 1000
# A line that shares so much of its words with an observation says the same.
_SAME = 0.8
_WORD = re.compile(r"\w+")

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


def refresh(project: Project, memory: Memory) -> int:
    """Write the digests that changed; return how many."""
    days = list(newest_days(memory, _DAYS))
    now = present(project)
    branches = _branches(memory)
    written = 0
    roles = roles_spoken_to(project)
    written = _remove_all_but(project, frozenset(("", *branches)), frozenset(("", *roles)))
    with RoomLines(project, now) as rooms:
        for branch in ("", *branches):
            wanted = Wanted(sessions=branches.get(branch, frozenset()))
            recent = list(recent_lines(now, days, wanted))
            for role in ("", *roles):
                told = rooms.of(branch=branch, role=role)
                lines = [*told, *_unsaid(recent, told)]
                for harness, cap in CAPS.items():
                    text = section(lines, cap, more=_MORE).text
                    written += _write(project.store.digest(harness, branch, role), text)
    return written


def refresh_if_changed(project: Project, memory: Memory, stamp: str) -> int:
    """Write the digests anew when what they are made from changed, or a day went by."""
    day = project.clock.now_ms() // _DAY_MS
    noted = digest(stamp, str(day)).hex()
    path = project.store.digest_stamp
    try:
        if path.read_text(encoding="ascii") == noted:
            return 0
    except (OSError, ValueError):
        pass
    written = refresh(project, memory)
    replace_file(path, noted.encode())
    return written


def _unsaid(recent: list[RecallLine], told: list[RecallLine]) -> Iterator[RecallLine]:
    """Yield the lines that say something the rooms have not said."""
    said = [_words(line.text) for line in told if line.group == OBSERVATIONS]
    for line in recent:
        words = _words(line.text)
        if not any(len(words & other) >= _SAME * len(words) for other in said):
            yield line


def _words(text: str) -> frozenset[str]:
    return frozenset(_WORD.findall(text.casefold()))


def _branches(memory: Memory) -> dict[str, frozenset[str]]:
    """Return the branches that were worked on lately, with their sessions."""
    by_branch: dict[str, set[str]] = {}
    for session in memory.sessions(SessionQuery(limit=_SESSIONS_LOOKED_AT)):
        if session.branch:
            by_branch.setdefault(session.branch, set()).add(session.session_id)
    newest = list(by_branch.items())[:_BRANCHES_MAX]
    return {branch: frozenset(sessions) for branch, sessions in newest}


def _remove_all_but(project: Project, branches: frozenset[str], roles: frozenset[str]) -> int:
    """Remove digests of roles that nothing waits for any more; those of old branches may stay."""
    kept = {
        project.store.digest(harness, branch, role)
        for harness in CAPS
        for branch in branches
        for role in roles
    }
    old = {project.store.digest(harness, branch) for harness in CAPS for branch in branches}
    gone = 0
    for path in project.store.digests.glob("*.txt"):
        is_of_a_role = path.name.split("+")[1:2] not in ([], [""])
        if path not in kept and path not in old and is_of_a_role:
            path.unlink(missing_ok=True)
            gone += 1
    return gone


def _write(path: Path, text: str) -> int:
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
