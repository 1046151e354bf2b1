"""At session start: the recall digest that was prepared beforehand, read from disk and printed.

Which digest is settled by the branch, the role and the agent CLI, in this order of
preference: branch and role, branch, role, neither. Before it stands the notice of the
role, or of everybody: what waits at this moment. What was printed is spooled too, so
that memory knows what the session was told: on every line of a prepared text the id of what
it tells stands before a tab. A line without a tab is told as it is, and names nothing. Times
in a prepared text become the ages they have now.
"""

import os

from agentx.kernel.places import encode_name, origin_of, spool_root, tell_ages
from agentx.surfaces.hooks.checkout import branch_of, read_small
from agentx.surfaces.hooks.output import announcement
from agentx.surfaces.hooks.spool import Caller, deliver, quote

_DIGEST_BYTES_MAX = 262_144
_SESSION_KEYS = (b'"session_id"', b'"sessionId"', b'"sessionID"')
_SESSION_BYTES_MAX = 200
_IDS_MAX = 500


def announce(call: Caller, raw: bytes) -> None:
    """Print the digest for this session, if there is one, and spool that it was printed."""
    top, branch = branch_of(call.cwd)
    found = _digest(call, top, branch)
    if found is None:
        return
    name, prepared = found
    rows = [line.rpartition("\t") for line in prepared.split("\n")]
    text = tell_ages("\n".join([text for _, _, text in rows]), call.at_ms)
    printed, told = announcement(call.harness, text)
    if not printed:
        return
    _print(printed)
    session = session_of(raw)
    note = b"{%b" % (b'"session_id":' + quote(session) + b"," if session else b"")
    ids = b",".join([quote(doc_id) for doc_id, _, _ in rows[:told] if doc_id][:_IDS_MAX])
    shown = len(printed.decode("utf-8", "replace"))
    note += b'"digest":%b,"chars":%d,"ids":[%b]}' % (quote(name), shown, ids)
    deliver(call, note, kind="injected")


def session_of(raw: bytes) -> str:
    """Return the session's id, read from the payload as text; empty when it is not plain."""
    for key in _SESSION_KEYS:
        at = raw.find(key)
        if at < 0:
            continue
        rest = raw[at + len(key) : at + len(key) + _SESSION_BYTES_MAX + 16].lstrip(b" \t\r\n:")
        value, quote, _ = rest[1:].partition(b'"')
        if rest[:1] == b'"' and quote and b"\\" not in value and len(value) <= _SESSION_BYTES_MAX:
            return value.decode("utf-8", "replace")
    return ""


def _digest(call: Caller, top: str, branch: str) -> tuple[str, str] | None:
    """Return the name and the text of the digest that fits best."""
    folder = _folder(call.cwd, call.project) or (_folder(top, call.project) if top else "")
    if not folder:
        return None
    choices = ((branch, call.agent), (branch, ""), ("", call.agent), ("", ""))
    names = [
        f"{encode_name(wanted)}+{encode_name(role)}+{encode_name(call.harness)}.txt"
        for wanted, role in dict.fromkeys(choices)
    ]
    digest = _first(folder, names)
    notice = _first(folder, [f"{encode_name(call.agent)}.notice", f"{encode_name('')}.notice"])
    if digest is None or notice is None:
        return digest or notice
    return digest[0], f"{notice[1].rstrip()}\n\n{digest[1]}"


def _first(folder: str, names: list[str]) -> tuple[str, str] | None:
    """Return the first of some files that says something, with its name."""
    for name in names:
        text = read_small(os.path.join(folder, name), _DIGEST_BYTES_MAX)
        if text is not None and text.strip():
            return name, text
    return None


def _folder(directory: str, named: str) -> str:
    """Return where the digests of a directory's project are, if a drain has settled its store."""
    spool = os.path.join(spool_root(os.environ), encode_name(origin_of(directory, named)))
    settled = read_small(os.path.join(spool, "store"))
    store, _, project = (settled or "").strip().partition("\n")
    if not os.path.isabs(store):
        return ""
    folder = os.path.join(store, "digests")
    own = os.path.join(folder, encode_name(project.strip()))
    # Projects that share a store have a folder each.
    return own if project and os.path.isdir(own) else folder


def _print(output: bytes) -> None:
    rest = memoryview(output)
    while rest:
        rest = rest[os.write(1, rest) :]
