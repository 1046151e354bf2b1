"""What hooks print at session start, prepared beforehand: a hook has no time to think.

One digest an agent CLI, within its cap, for the project as a whole, for each branch that was
worked on lately, where what happened on the branch comes first, and for the role that is played
here and each for which a question or an answer waits. Written only when its text changed. The
hook prints the notice of the role (`recall.section.notices`) before it, so a digest leaves room
for that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

from agentx.adapters.hook_output import OUTPUTS
from agentx.conversation.model import SessionQuery
from agentx.kernel.ids import digest
from agentx.kernel.paths import StorePaths
from agentx.memory.port import Readable
from agentx.recall.section.gather import ORDER, Gathered, Gatherer
from agentx.recall.section.notices import notice_of, put_text
from agentx.recall.section.render import Cap, Section, section
from agentx.recall.section.sources import About, Sources
from agentx.views.sessions.issue_of import of_branch

CAPS = {
    harness: Cap(tokens=output.digest_tokens, chars=output.digest_chars)
    for harness, output in OUTPUTS.items()
}

_DAYS = 10  # more would not fit
_BRANCHES_MAX = 10
_SESSIONS_LOOKED_AT = 40
_MORE = "`agentx toc`, `agentx search WORDS`, `agentx expand ID`."


def prepare_digests(
    sources: Sources,
    store: StorePaths,
    here: Iterable[str] = (),
    played: str = "",
    made_from: str = "",
) -> int:
    """Write the digests that changed; return how many.

    `here` is what is checked out, `played` the role that sessions of the project play. Those that
    were made from the same already, by who could not end it, are left: `made_from` says what that
    is. Without it all are made.
    """
    assert sources.reader is not None, "a digest is made of what is remembered"
    branches = {"": frozenset[str](), **_branches(sources.reader, here)}
    sources = replace(sources, now=replace(sources.now, is_prepared=True))
    gatherer = Gatherer(sources, tokens=max(cap.tokens for cap in CAPS.values()), days=_DAYS)
    roles = dict.fromkeys(("", played, *gatherer.standing.speakers()))
    written, kept = 0, set[Path]()
    begun = _read_begun(store, made_from)
    for name, sessions in branches.items():
        for role in roles:
            paths = {harness: store.digest(harness, name, role) for harness in CAPS}
            kept.update(paths.values())
            if (mark := digest(name, role).hex()) in begun:
                continue
            issue = of_branch(name) or None
            about = About(role=role, issue=issue, sessions=sessions, branch=name)
            found = gatherer.gather(about, with_standing=False)
            notice = notice_of(gatherer.standing, sources.now, role)
            made = {
                cap: _prepare(found, _beside(notice, cap, sources)) for cap in set(CAPS.values())
            }
            written += sum(put_text(paths[harness], made[cap]) for harness, cap in CAPS.items())
            if made_from:
                begun.append(mark)
                put_text(store.digests_begun, "\n".join(begun))
    # What is not made anew may tell what was forgotten.
    gone = set(store.digests.glob("*.txt")) - kept
    for path in gone:
        path.unlink(missing_ok=True)
    return written + len(gone)


def _read_begun(store: StorePaths, made_from: str) -> list[str]:
    """Return what they are made from, and marks of those that were made from it already."""
    if not made_from:  # all are made, whatever lies there
        store.digests_begun.unlink(missing_ok=True)
        return []
    try:
        begun = store.digests_begun.read_text(encoding="ascii").split("\n")
    except (OSError, ValueError):
        begun = []
    return begun if begun[:1] == [made_from] else [made_from]


def make_digest(sources: Sources, harness: str, *, branch: str = "", role: str = "") -> str:
    """Return what a session of an agent CLI that begins now is told: its notice, then its digest.

    It is as hooks read it, and what they would have found prepared, had it been made just now.
    """
    cap, reader = CAPS.get(harness), sources.reader
    if cap is None or reader is None:
        return ""
    sources = replace(sources, now=replace(sources.now, is_prepared=True))
    gatherer = Gatherer(sources, tokens=max(each.tokens for each in CAPS.values()), days=_DAYS)
    sessions = _branches(reader, (branch,)).get(branch, frozenset())
    about = About(role=role, issue=of_branch(branch) or None, sessions=sessions, branch=branch)
    found = gatherer.gather(about, with_standing=False)
    notice = notice_of(gatherer.standing, sources.now, role)
    prepared = _prepare(found, _beside(notice, cap, sources))
    return "\n\n".join(filter(None, (notice.prepared_text.rstrip(), prepared)))


def _prepare(found: Gathered, cap: Cap) -> str:
    more = found.say_more(_MORE)
    made = section(
        found.lines, cap, more=more, order=ORDER, untold=found.untold, told_as=found.told_as
    )
    return made.prepared_text


def _branches(reader: Readable, here: Iterable[str]) -> dict[str, frozenset[str]]:
    """Return the branches that are checked out and those worked on lately, with their sessions."""
    by_branch: dict[str, set[str]] = {name: set() for name in here if name}
    for session in reader.sessions(SessionQuery(limit=_SESSIONS_LOOKED_AT)):
        if session.branch:
            by_branch.setdefault(session.branch, set()).add(session.session_id)
    newest = list(by_branch.items())[:_BRANCHES_MAX]
    return {branch: frozenset(sessions) for branch, sessions in newest}


def _beside(notice: Section, cap: Cap, sources: Sources) -> Cap:
    tokens = min(cap.tokens - notice.tokens, sources.tokens_max)
    return Cap(tokens=tokens, chars=cap.chars - len(notice.text))
