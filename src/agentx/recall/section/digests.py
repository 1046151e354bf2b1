"""What hooks print at session start, prepared beforehand: a hook has no time to think.

One digest an agent CLI, within its cap, for the project as a whole, for each branch that was
worked on lately, where what happened on the branch comes first, and for each role for which a
question or an answer waits. Written only when its text changed. The hook prints the notice of
the role (`recall.section.notices`) before it, so a digest leaves room for that.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from agentx.conversation.model import SessionQuery
from agentx.host.git import facts as git
from agentx.kernel.capture import Harness
from agentx.kernel.tokens import estimate
from agentx.memory.port import Readable
from agentx.project.project import Project
from agentx.recall.section.gather import Wanted, newest_days, recent_lines
from agentx.recall.section.moment import present
from agentx.recall.section.notices import renew_notices, roles_spoken_to, write_if_changed
from agentx.recall.section.render import Cap, RecallLine, section
from agentx.recall.section.room_lines import OBSERVATIONS, RoomLines

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


def refresh(project: Project, memory: Readable) -> int:
    """Write the digests that changed; return how many."""
    renew_notices(project)
    days = list(newest_days(memory, _DAYS))
    now = present(project)
    branches = _branches(project, memory)
    written = 0
    roles = roles_spoken_to(project)
    written = _remove_all_but(project, frozenset(("", *branches)), frozenset(("", *roles)))
    with RoomLines(project, now) as rooms:
        for branch in ("", *branches):
            wanted = Wanted(sessions=branches.get(branch, frozenset()))
            recent = list(recent_lines(now, days, wanted))
            for role in ("", *roles):
                told = rooms.known(branch=branch, role=role)
                lines = [*told, *_unsaid(recent, told)]
                notice = _notice(project, role)
                texts = {
                    cap: section(lines, _beside(notice, cap), more=_MORE).text
                    for cap in set(CAPS.values())
                }
                for harness, cap in CAPS.items():
                    written += _write(project.store.digest(harness, branch, role), texts[cap])
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


def _branches(project: Project, memory: Readable) -> dict[str, frozenset[str]]:
    """Return the branch that is checked out and those worked on lately, with their sessions."""
    here = git.branch(project.directory)
    by_branch: dict[str, set[str]] = {here: set()} if here else {}
    for session in memory.sessions(SessionQuery(limit=_SESSIONS_LOOKED_AT)):
        if session.branch:
            by_branch.setdefault(session.branch, set()).add(session.session_id)
    newest = list(by_branch.items())[:_BRANCHES_MAX]
    return {branch: frozenset(sessions) for branch, sessions in newest}


def _remove_all_but(project: Project, branches: frozenset[str], roles: frozenset[str]) -> int:
    """Remove every other digest: what is not made anew may tell what was forgotten."""
    kept = {
        project.store.digest(harness, branch, role)
        for harness in CAPS
        for branch in branches
        for role in roles
    }
    gone = set(project.store.digests.glob("*.txt")) - kept
    for path in gone:
        path.unlink(missing_ok=True)
    return len(gone)


def _notice(project: Project, role: str) -> str:
    """Return what the hook will print before the digest of a role."""
    for path in (project.store.notice(role), project.store.notice()):
        try:
            return path.read_text(encoding="utf-8")
        except (OSError, ValueError):
            continue
    return ""


def _beside(notice: str, cap: Cap) -> Cap:
    return Cap(tokens=cap.tokens - estimate(notice), chars=cap.chars - len(notice))


def _write(path: Path, text: str) -> int:
    if text:
        return int(write_if_changed(path, text))
    there = path.exists()
    path.unlink(missing_ok=True)
    return int(there)
