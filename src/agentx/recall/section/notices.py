"""What a session is told of this moment: questions and answers that wait for its role, its issue,
what can be begun.

Hooks print it before the digest: the notice of the role that is played, or that of the user, who is
asked what only a person decides; where there is none, the one for anybody. It is made from the
files of the rooms alone, so whatever changes one of them renews it at once, with a daemon or
without, and opens no store.

Law: a notice is never older than the last change that was renewed after. Whoever wrote one looks
whether the files changed meanwhile, and writes again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path

from agentx.host.files.atomic import write_if_changed
from agentx.host.files.below.finding import find_files
from agentx.host.files.disk import look_at
from agentx.host.files.plain import read_text
from agentx.kernel.paths import NOTICE_SUFFIX, ProjectPaths, StorePaths
from agentx.kernel.places import NOTICES_STAMP
from agentx.kernel.roles import PERSON_ROLE
from agentx.observations.model import name_told
from agentx.recall.section.moment import Present
from agentx.recall.section.render import Cap, RecallLine, Section, section
from agentx.recall.section.sources import Sources
from agentx.recall.section.standing import PERSONS, QUESTIONS, WORK, Standing

NOTICE_CAP = Cap(tokens=900, chars=3_200)

_MORE = "`agentx clarify`, `agentx ready`."
_RENEWALS_MAX = 3


def renew_notices(
    gather: Callable[[], Sources],
    paths: ProjectPaths,
    statuses: Path,
    store: StorePaths,
    stamp: Callable[[], bytes],
) -> None:
    """Bring every notice up to date; `gather` says what there is now, `stamp` as of what.

    Raises: UnavailableError, DataError.
    """
    for _ in range(_RENEWALS_MAX):
        before, said = _stamp(paths, statuses), stamp()
        _write_all(gather(), store)
        put_bytes(store.digests / NOTICES_STAMP, said)
        if _stamp(paths, statuses) == before:
            return


def notice_of(standing: Standing, now: Present, role: str) -> Section:
    """Return what a session of a role, or without one, is told of this moment."""
    return _write(standing, standing.lines(now, role))


def _write(standing: Standing, lines: Iterable[RecallLine]) -> Section:
    order = (QUESTIONS, PERSONS, WORK)
    return section(list(lines), NOTICE_CAP, more=_MORE, order=order, told_as=standing.stages())


def put_text(path: Path, text: str) -> bool:
    """Make a file hold a text, or be gone without one; say whether it held another."""
    return put_bytes(path, text.encode("utf-8", "replace"))


def put_bytes(path: Path, data: bytes) -> bool:
    """Do the same with bytes."""
    if data:
        return write_if_changed(path, data)
    was_there = path.exists()
    path.unlink(missing_ok=True)
    return was_there


def leave_out(store: StorePaths, doc_id: str) -> None:
    """Take a memory out of what was prepared: what a person took back is told by no hook.

    The digests that are made next are made without it; this is for until then.
    """
    for path in (*store.digests.glob("*.txt"), store.cautions):
        try:
            rows = read_text(path).split("\n")
        except (OSError, ValueError):
            continue  # gone by now, or none of ours
        kept = [row for row in rows if doc_id not in map(name_told, row.split("\t")[:-1])]
        if len(kept) < len(rows):
            tells = any(row.partition("\t")[0] for row in kept if "\t" in row)
            put_text(path, "\n".join(kept) if tells else "")


def _write_all(sources: Sources, store: StorePaths) -> None:
    standing, now = sources.standing(), replace(sources.now, is_prepared=True)
    users = list(standing.lines(now, ""))
    # A role for which nothing is prepared reads what is for anybody: not what the user is asked.
    made = {"": _write(standing, (line for line in users if line.group != PERSONS))}
    made |= {role: notice_of(standing, now, role) for role in standing.roles()}
    if any(line.group == PERSONS for line in users):
        made[PERSON_ROLE] = _write(standing, users)
    kept = set()
    for role, notice in made.items():
        path = store.notice(role)
        kept.add(path)
        put_text(path, notice.prepared_text)
    for path in store.digests.glob(f"*{NOTICE_SUFFIX}"):
        if path not in kept:
            path.unlink(missing_ok=True)


def _stamp(paths: ProjectPaths, statuses: Path) -> tuple[object, ...]:
    """Return what changes when one of the files does that notices are made from."""
    folders = (paths.ledgers, paths.issues)
    listed = [path for folder in folders for path in find_files(folder, depth=0, suffix=".json")]
    files = (*listed, *find_files(paths.questions, depth=1, suffix=".jsonl"), statuses)
    return tuple((path, look_at(path)) for path in sorted(files))
