"""What a session is told of this moment: questions and answers that wait for its role, its issue,
what can be begun.

Hooks print it before the digest. It is made from the files of the rooms alone, so whatever
changes one of them renews it at once, with a daemon or without, and opens no store.

Law: a notice is never older than the last change that was renewed after. Whoever wrote one looks
whether the files changed meanwhile, and writes again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeVar

from agentx.clarification.model import Clarification
from agentx.host.files.atomic import replace_file
from agentx.kernel.errors import AgentXError
from agentx.kernel.paths import NOTICE_SUFFIX
from agentx.kernel.text import preview
from agentx.kernel.tokens import estimate
from agentx.project.project import Project
from agentx.project.settlement import is_settled, settle
from agentx.recall.limits import CLARIFY_INBOX_MAX
from agentx.recall.section.moment import Present, present
from agentx.recall.section.render import Cap, RecallLine, section
from agentx.recall.section.work_lines import WorkLines
from agentx.wiring.clarifications import blocking_among, inbox_among, open_clarifications

QUESTIONS = "Questions that wait for you"
WORK = "Work"
NOTICE_CAP = Cap(tokens=900, chars=3_200)

_MORE = "`agentx clarify`, `agentx ready`."
_TEXT_CHARS_MAX = 280
_COMMAND_CHARS = 60
_RENEWALS_MAX = 3

Thing = TypeVar("Thing")
Active = tuple[Clarification, ...]


def active_questions(project: Project) -> Active:
    """Return the clarifications that are not settled; none where nobody ever asked."""
    if not project.paths.ledgers.is_dir():
        return ()
    return open_clarifications(project).survey().active


def roles_spoken_to(project: Project) -> list[str]:
    """Return the roles for which something waits."""
    return tolerant(project, lambda: _speakers(active_questions(project)))


def notice_lines(project: Project, now: Present, role: str) -> list[RecallLine]:
    """Return what stands for a role at this moment, most urgent first."""
    active = tuple(tolerant(project, lambda: iter(active_questions(project))))
    work = WorkLines(project, blocking_among(active)).of(role)
    return [*_questions(now, active, role), *_work(now, work)]


def renew_notices(project: Project) -> None:
    """Bring every notice up to date; what cannot be told is logged, and holds nobody up."""
    try:
        if not is_settled(project):
            settle(project)  # so that the hook finds the notices
        for _ in range(_RENEWALS_MAX):
            before = _stamp(project)
            _write_all(project)
            if _stamp(project) == before:
                return
    except AgentXError as error:
        project.log.record("warning", "notice-left-out", message=error.message)


def tolerant(project: Project, gather: Callable[[], Iterator[Thing]]) -> list[Thing]:
    """Return what a room gives; nothing, and a line in the log, where it cannot give it."""
    try:
        return list(gather())
    except AgentXError as error:
        project.log.record("warning", "recall-left-out", message=error.message)
        return []


def _write_all(project: Project) -> None:
    active = active_questions(project)
    work = WorkLines(project, blocking_among(active))
    now = present(project)
    kept = set()
    for role in dict.fromkeys(("", *_speakers(active), *work.roles())):
        lines = [*_questions(now, active, role), *_work(now, work.of(role))]
        text = section(lines, NOTICE_CAP, more=_MORE).text
        if text:
            path = project.store.notice(role)
            kept.add(path)
            write_if_changed(path, text)
    for path in project.store.digests.glob(f"*{NOTICE_SUFFIX}"):
        if path not in kept:
            path.unlink(missing_ok=True)


def write_if_changed(path: Path, text: str) -> bool:
    """Make a file hold a text; say whether it held another."""
    try:
        if path.read_text(encoding="utf-8") == text:
            return False
    except (OSError, ValueError):
        pass
    replace_file(path, text.encode("utf-8", "replace"))
    return True


def _stamp(project: Project) -> tuple[object, ...]:
    """Return what changes when one of the files does that notices are made from."""
    paths = project.paths
    files = (*paths.ledgers.glob("*.json"), *paths.issues.glob("*.json"), paths.agent_status)
    return tuple(_stamp_of(path) for path in sorted(files))


def _stamp_of(path: Path) -> tuple[object, ...]:
    try:
        found = path.stat()
    except OSError:
        return (path,)
    return path, found.st_mtime_ns, found.st_size, found.st_ino


def _speakers(active: Active) -> Iterator[str]:
    yield from dict.fromkeys(role for state in active for role in (state.to, state.asker))


def _questions(now: Present, active: Active, role: str) -> Iterator[RecallLine]:
    waiting = inbox_among(active, role)
    for state in waiting[:CLARIFY_INBOX_MAX]:
        yield now.dated(
            group=QUESTIONS,
            text=_question(state, role),
            doc_id=state.id,
            at_ms=state.created_ms,
            source=f"{state.asker if state.to == role else state.to}, issue {state.issue}",
            tokens=estimate(state.question),
        )
    if len(waiting) > CLARIFY_INBOX_MAX:
        yield now.dated(
            group=QUESTIONS,
            text=f"{len(waiting) - CLARIFY_INBOX_MAX} more: agentx clarify inbox {role}",
            doc_id=f"agentx clarify inbox {role}",
            at_ms=now.now_ms,
            source="clarifications",
            tokens=sum(estimate(state.question) for state in waiting[CLARIFY_INBOX_MAX:]),
        )


def _question(state: Clarification, role: str) -> str:
    said = state.question if state.to == role else state.answer
    about = preview(f"{state.topic}: {said}", _TEXT_CHARS_MAX - _COMMAND_CHARS)
    if state.to == role:
        return f"{about} -- answer with: agentx clarify answer {state.id} TEXT"
    return f"answered: {about} -- settle with: agentx clarify resolve {state.id}"


def _work(now: Present, lines: tuple[str, ...]) -> Iterator[RecallLine]:
    for line in lines:
        yield now.dated(
            group=WORK,
            text=line,
            doc_id="agentx ready",
            at_ms=now.now_ms,
            source="issues",
            tokens=estimate(line),
        )
