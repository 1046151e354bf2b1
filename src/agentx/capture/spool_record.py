"""One file of the spool: a line that says who sent what and when, then the payload.

    {"v":1,"harness":"codex","at":1794701880330,"cwd":"/src/app","agent":"","bytes":312,"cut":false}
    ...the payload, as many bytes as the line says...

Reading never fails. What has no such line is a payload of which nothing is known,
so that whoever drains the spool can keep it as a note.
"""

from __future__ import annotations

import json
from typing import Any

from agentx.capture.limits import HEADER_BYTES_MAX
from agentx.kernel.clock import Millis
from agentx.kernel.values import frozen

UNKNOWN_HARNESS = "unknown"
TRIAL_SESSION = "agentx-doctor-"  # how a session is called that never was: `doctor` tries a hook
_VERSION = 1
_TRIAL_BYTES_MAX = 32_768


@frozen
class SpoolRecord:
    """What a hook captured.

    `cut` says that the hook kept less than it was given; `whole` that the file holds all the bytes
    that its first line promised.
    """

    harness: str
    received_ms: Millis
    working_directory: str
    agent: str
    kind: str  # "payload", or "injected" for what the hook itself printed
    payload: bytes
    cut: bool = False
    whole: bool = True
    project: str = ""  # that `MEMORY_PROJECT_ID` named
    branch: str = ""  # what was checked out there
    is_role_open: bool = False  # the hook could not know which role is played there
    data: str = ""  # the data folder that could not be written; empty where it lies in one


def parse(raw: bytes, name: str = "") -> SpoolRecord:
    """Read a file of the spool; its name tells the time if the file itself does not."""
    line, newline, payload = raw.partition(b"\n")
    header = _header(line) if newline and len(line) <= HEADER_BYTES_MAX else {}
    version = header.get("v")
    if type(version) is not int or version != _VERSION:
        return SpoolRecord(
            harness=UNKNOWN_HARNESS,
            received_ms=_ms_of(name),
            working_directory="",
            agent="",
            kind="payload",
            payload=raw,
            whole=False,
        )
    at_ms = header.get("at")
    return SpoolRecord(
        harness=_text(header, "harness") or UNKNOWN_HARNESS,
        received_ms=Millis(at_ms) if type(at_ms) is int and at_ms > 0 else _ms_of(name),
        working_directory=_text(header, "cwd"),
        agent=_text(header, "agent"),
        kind=_text(header, "kind") or "payload",
        payload=payload,
        cut=header.get("cut") is True,
        whole=header.get("bytes") == len(payload),
        project=_text(header, "project"),
        branch=_text(header, "branch"),
        is_role_open=header.get("agent", "") is None,
        data=_text(header, "data"),
    )


def is_trial(raw: bytes) -> bool:
    """Tell whether a file of the spool is of a session that never was, sent to try a hook."""
    if len(raw) > _TRIAL_BYTES_MAX or TRIAL_SESSION.encode() not in raw:
        return False
    payload = _header(raw.partition(b"\n")[2])
    named = _text(payload, "session_id") or _text(payload, "sessionId")
    return named.startswith(TRIAL_SESSION)


def _header(line: bytes) -> dict[str, Any]:
    try:
        header = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return header if isinstance(header, dict) else {}


def _text(header: dict[str, Any], key: str) -> str:
    value = header.get(key)
    return value if isinstance(value, str) else ""


def _ms_of(name: str) -> Millis:
    stamp = name.partition("-")[0]
    return (
        Millis(int(stamp))
        if stamp.isascii() and stamp.isdigit() and len(stamp) <= 15
        else Millis(0)
    )
