"""At session start: the recall digest, fresh from the daemon or as it was prepared beforehand.

A daemon has 100 ms to make it. Without one, or without an answer by then, what was prepared is
read from disk, without what questions came to if anything was said since, or others are trusted:
a later word may have come with a pull. Nor is what is remembered told by settings that were
changed since: they may forbid it. Which digest is settled by the branch, the role and the
agent CLI, in this order of preference: branch and role, branch, role, neither. Before it stands
the notice of the role, or of everybody: what waits at this moment. What was printed is spooled
too, so that memory knows what the session was told: on every line of a prepared text the id of
what it tells stands before a tab. A line without a tab is told as it is, and names nothing. Times
in a prepared text become the ages they have now.
"""

import os

from agentx.kernel.places import DIGESTS_STAMP, NOTICES_STAMP, encode_name, find_change, tell_ages
from agentx.surfaces.hooks.checkout import branch_of, read_raw, read_small
from agentx.surfaces.hooks.payload import session_of, text_at
from agentx.surfaces.hooks.settled import are_settings_changed, find_digests, find_store_near
from agentx.surfaces.hooks.spool import Caller
from agentx.surfaces.hooks.telling.output import (
    FENCE_CLOSE,
    FENCE_OPEN,
    announcement,
    note_printed,
    print_out,
)
from agentx.surfaces.hooks.telling.question import ask_to_tell
from agentx.surfaces.hooks.telling.told import list_told, note_start, sweep_told

_DIGEST_BYTES_MAX = 262_144
_SOURCE_BYTES_MAX = 64
_STAMP_BYTES_MAX = 65_536
_HEADING = "### "
# A session of theirs that goes on begins with all it was told; others drop that, and are told anew.
_KEEPS_WHAT_IT_WAS_TOLD = ("codex",)
_OF_QUESTION = "[CLR-"
_QUESTIONS = ("CLR-", "ESC-")  # what the ids of questions and answers begin with
_CHANGED = "questions:"  # and the id of the line that tells that they changed
WAITING = (*_QUESTIONS, _CHANGED)
# In the place of what was prepared by settings that are others now.
_LEFT_OUT = "- what is remembered is left out: settings changed since: `agentx recall`"
_LATE = f"{FENCE_OPEN}\n{_LEFT_OUT}\n{FENCE_CLOSE}\n"
_USER = "human"  # whose session it is that plays no role
_FRESH_WAIT_MS = 100  # with the start of this program under 150


def announce(call: Caller, raw: bytes) -> None:
    """Print the digest for this session, if there is one, and spool that it was printed."""
    store, project = find_store_near(call.cwd, call.project)
    if not store:
        return
    branch, session = branch_of(call.cwd)[1], session_of(raw)
    asked = {"moment": "start", "branch": branch, "session": session}
    fresh = ask_to_tell(call, store, _FRESH_WAIT_MS, **asked)
    found = ("fresh", fresh) if fresh else _digest(call, find_digests(store, project), branch)
    if found is None:
        return
    name, prepared = found
    rows = [line.rpartition("\t") for line in prepared.split("\n")]
    goes_on = text_at(raw, b'"source"', _SOURCE_BYTES_MAX) == "resume"
    if goes_on and call.harness in _KEEPS_WHAT_IT_WAS_TOLD:
        rows = _list_new(rows, list_told(call, session))
        if not rows:
            return
    text = tell_ages("\n".join([text for _, _, text in rows]), call.at_ms)
    printed, told = announcement(call.harness, text)
    if not printed:
        return
    ids = [doc_id for doc_id, _, _ in rows[:told] if doc_id]
    note_start(call, session, ids, goes_on=goes_on)
    print_out(printed)
    note_printed(call, raw, printed, name, ids)
    sweep_told(call)


def _list_new(rows: list[tuple[str, str, str]], told: list[str]) -> list[tuple[str, str, str]]:
    """Return the lines that tell something new, with what stands around them; else nothing."""
    kept: list[tuple[str, str, str]] = []
    is_old = False
    for row in rows:
        goes_on = not row[0] and row[2].startswith(" ")  # a line of the words before it
        is_old = is_old if goes_on else row[0] in told
        if is_old:
            continue
        if not (row[0] or goes_on) and kept and kept[-1][2].startswith(_HEADING):
            kept.pop()  # nothing new stands below it
        kept.append(row)
    return kept if any(doc_id for doc_id, _, _ in kept) else []


def _digest(call: Caller, folder: str, branch: str) -> tuple[str, str] | None:
    """Return the name and the text of the digest that fits best."""
    choices = ((branch, call.agent), (branch, ""), ("", call.agent), ("", ""))
    names = [
        f"{encode_name(wanted)}+{encode_name(role)}+{encode_name(call.harness)}.txt"
        for wanted, role in dict.fromkeys(choices)
    ]
    digest = _first(folder, names)
    if digest is not None:
        is_late = are_settings_changed(folder)
        text = _LATE if is_late else _leave_out_replaced(call, folder, digest[1])
        digest = digest[0], text
    notice = find_notice(call, folder)
    if digest is None or notice is None:
        return digest or notice
    return digest[0], f"{notice[1].rstrip()}\n\n{digest[1]}"


def _leave_out_replaced(call: Caller, folder: str, text: str) -> str:
    """Return a prepared digest without decisions of questions, if something was said since."""
    rows = text.split("\n")
    told = [at for at, row in enumerate(rows) if _OF_QUESTION in row]
    if told and _find_change(call, folder, DIGESTS_STAMP):
        rows = _leave_out(rows, told, "", "agentx recall")
    return "\n".join(rows)


def find_notice(call: Caller, folder: str) -> tuple[str, str] | None:
    """Return the name and the text of what a session is told of this moment.

    Questions and answers are left out if something was said since; that is told once a change.
    """
    names = (call.agent or _USER, "")
    found = _first(folder, [f"{encode_name(name)}.notice" for name in names])
    if found is None:
        return None
    rows = found[1].split("\n")
    told = [at for at, row in enumerate(rows) if row.startswith(_QUESTIONS)]
    changed = _find_change(call, folder, NOTICES_STAMP) if told else ""
    if changed:
        rows = _leave_out(rows, told, f"{_CHANGED}{changed}\t", "agentx clarify inbox")
    return found[0], "\n".join(rows)


def _find_change(call: Caller, folder: str, stamp: str) -> str:
    """Return how questions are now, if something was said since, or others are trusted."""
    noted = read_raw(os.path.join(folder, stamp), _STAMP_BYTES_MAX) or b""
    return find_change(noted, branch_of(call.cwd)[0] or call.cwd)


def _leave_out(rows: list[str], told: list[int], known_as: str, command: str) -> list[str]:
    """Return the rows with one for all those that told of questions."""
    why = "questions, or who is trusted, changed since"
    rows[told[0]] = f"{known_as}- {len(told)} left out: {why}: `{command}`"
    return [row for at, row in enumerate(rows) if at not in told[1:]]


def _first(folder: str, names: list[str]) -> tuple[str, str] | None:
    """Return the first of some files that says something, with its name."""
    for name in names:
        text = read_small(os.path.join(folder, name), _DIGEST_BYTES_MAX)
        if text is not None and text.strip():
            return name, text
    return None
