"""At a prompt: what the daemon finds close to it, within a bound of time; mostly nothing.

Without a daemon nothing is waited for, and only what is prepared is told: questions and answers
that came since the session was last told, which are for it whatever it asks; that they changed,
where something was said since that was prepared.
"""

import os

from agentx.kernel.places import tell_ages
from agentx.surfaces.hooks.payload import session_of, text_at
from agentx.surfaces.hooks.settled import find_digests, find_store_near
from agentx.surfaces.hooks.spool import Caller
from agentx.surfaces.hooks.telling.question import ask_to_tell

_WAIT_MS = 240  # with the start of this program under 300
_TEXT_BYTES_MAX = 16_384
_FENCES = 2  # rows before the first line that tells something


def tell_at_prompt(call: Caller, named: bytes, raw: bytes) -> None:
    """Print what a session should know at this prompt, if anything."""
    session = session_of(named)
    store, project = find_store_near(call.cwd, call.project)
    if not (store and session):
        return
    from agentx.surfaces.hooks.telling.told import list_told, note_told

    made = ""
    if os.environ.get("AGENTX_RECALL_AT_PROMPT", "").strip().lower() != "off":
        made = ask_to_tell(
            call,
            store,
            _WAIT_MS,
            moment="prompt",
            session=session,
            text=_prompt_of(call.harness, raw),
            told=" ".join(list_told(call, session)),
        )
    rows = [line.partition("\t") for line in made.split("\n")[_FENCES:-1]]
    if not rows:
        rows = _list_waiting(call, find_digests(store, project))
    if not rows:
        return
    new = note_told(call, session, [doc_id for doc_id, _, _ in rows])[0]
    lines = [tell_ages(text, call.at_ms) for doc_id, _, text in rows if doc_id in new]
    if lines:
        from agentx.surfaces.hooks.telling.output import NOTICE, tell_once

        tell_once(call, named, "prompt", [NOTICE, *lines], new)


def _list_waiting(call: Caller, folder: str) -> list[tuple[str, str, str]]:
    """Return what is prepared of questions that wait for this session, and of answers to it."""
    from agentx.surfaces.hooks.telling.digest import WAITING, find_notice

    notice = find_notice(call, folder)
    rows = [line.partition("\t") for line in notice[1].split("\n")] if notice else []
    # An id with its stage is new with each answer. One that was told when it had none is not.
    return [row for row in rows if row[0].startswith(WAITING)]


def _prompt_of(harness: str, raw: bytes) -> str:
    """Return the beginning of what was asked."""
    if harness == "opencode":
        # A part that is of the type "text" has a text.
        return text_at(raw[max(raw.find(b'"parts"'), 0) :], b'"text":', _TEXT_BYTES_MAX)
    return text_at(raw, b'"prompt"', _TEXT_BYTES_MAX)
