"""At session start: the recall digest, fresh from the daemon or as it was prepared beforehand.

A daemon has 100 ms to make it. Without one, or without an answer by then, what was prepared is
read from disk, without what questions came to if anything was said since: a later word may have
come with a pull. Which digest is settled by the branch, the role and the agent CLI, in this order
of preference: branch and role, branch, role, neither. Before it stands the notice of the role, or
of everybody: what waits at this moment. What was printed is spooled too, so that memory knows what
the session was told: on every line of a prepared text the id of what it tells stands before a tab.
A line without a tab is told as it is, and names nothing. Times in a prepared text become the ages
they have now.
"""

import os

from agentx.kernel.places import QUESTIONS_STAMP, encode_name, stamp_questions, tell_ages
from agentx.surfaces.hooks.checkout import branch_of, read_small
from agentx.surfaces.hooks.payload import session_of, text_at
from agentx.surfaces.hooks.settled import find_digests, find_store_near
from agentx.surfaces.hooks.spool import Caller
from agentx.surfaces.hooks.telling.output import announcement, note_printed, print_out
from agentx.surfaces.hooks.telling.question import ask_to_tell
from agentx.surfaces.hooks.telling.told import note_start, sweep_told

_DIGEST_BYTES_MAX = 262_144
_SOURCE_BYTES_MAX = 64
_OF_QUESTION = "[CLR-"
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
    text = tell_ages("\n".join([text for _, _, text in rows]), call.at_ms)
    printed, told = announcement(call.harness, text)
    if not printed:
        return
    ids = [doc_id for doc_id, _, _ in rows[:told] if doc_id]
    goes_on = text_at(raw, b'"source"', _SOURCE_BYTES_MAX) == "resume"
    note_start(call, session, ids, goes_on=goes_on)
    print_out(printed)
    note_printed(call, raw, printed, name, ids)
    sweep_told(call)


def _digest(call: Caller, folder: str, branch: str) -> tuple[str, str] | None:
    """Return the name and the text of the digest that fits best."""
    choices = ((branch, call.agent), (branch, ""), ("", call.agent), ("", ""))
    names = [
        f"{encode_name(wanted)}+{encode_name(role)}+{encode_name(call.harness)}.txt"
        for wanted, role in dict.fromkeys(choices)
    ]
    digest = _first(folder, names)
    if digest is not None:
        digest = digest[0], _leave_out_replaced(call, folder, digest[1])
    notice = find_notice(call, folder)
    if digest is None or notice is None:
        return digest or notice
    return digest[0], f"{notice[1].rstrip()}\n\n{digest[1]}"


def _leave_out_replaced(call: Caller, folder: str, text: str) -> str:
    """Return a prepared text without decisions of questions, if something was said since."""
    rows = text.split("\n")
    told = [at for at, row in enumerate(rows) if _OF_QUESTION in row]
    if not told:
        return text
    stamp = stamp_questions(branch_of(call.cwd)[0] or call.cwd)
    if not stamp or stamp == read_small(os.path.join(folder, QUESTIONS_STAMP), _SOURCE_BYTES_MAX):
        return text
    rows[told[0]] = f"- {len(told)} left out: more was said to questions since: `agentx recall`"
    return "\n".join([row for at, row in enumerate(rows) if at not in told[1:]])


def find_notice(call: Caller, folder: str) -> tuple[str, str] | None:
    """Return the name and the text of what a session is told of this moment."""
    names = (call.agent or _USER, "")
    return _first(folder, [f"{encode_name(name)}.notice" for name in names])


def _first(folder: str, names: list[str]) -> tuple[str, str] | None:
    """Return the first of some files that says something, with its name."""
    for name in names:
        text = read_small(os.path.join(folder, name), _DIGEST_BYTES_MAX)
        if text is not None and text.strip():
            return name, text
    return None
