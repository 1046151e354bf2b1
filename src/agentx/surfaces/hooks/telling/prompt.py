"""At a prompt: what the daemon finds close to it, within a bound of time; mostly nothing.

Without a daemon nothing is told, and nothing is waited for.
"""

from agentx.kernel.places import tell_ages
from agentx.surfaces.hooks.payload import session_of, text_at
from agentx.surfaces.hooks.settled import find_store_near
from agentx.surfaces.hooks.spool import Caller
from agentx.surfaces.hooks.telling.question import ask_to_tell

_WAIT_MS = 240  # with the start of this program under 300
_TEXT_BYTES_MAX = 16_384
_FENCES = 2  # rows before the first line that tells something


def tell_at_prompt(call: Caller, named: bytes, raw: bytes) -> None:
    """Print what a session should know at this prompt, if anything."""
    session = session_of(named)
    store, _ = find_store_near(call.cwd, call.project)
    if not (store and session):
        return
    from agentx.surfaces.hooks.telling.told import list_told, note_told

    known = " ".join(list_told(call, session))
    made = ask_to_tell(
        call,
        store,
        _WAIT_MS,
        moment="prompt",
        session=session,
        text=_prompt_of(call.harness, raw),
        told=known,
    )
    if not made:
        return
    rows = [line.partition("\t") for line in made.split("\n")[_FENCES:-1]]
    new = note_told(call, session, [doc_id for doc_id, _, _ in rows])[0]
    lines = [tell_ages(text, call.at_ms) for doc_id, _, text in rows if doc_id in new]
    if lines:
        from agentx.surfaces.hooks.telling.output import NOTICE, tell_once

        tell_once(call, named, "prompt", [NOTICE, *lines], new)


def _prompt_of(harness: str, raw: bytes) -> str:
    """Return the beginning of what was asked."""
    if harness == "opencode":
        # A part that is of the type "text" has a text.
        return text_at(raw[max(raw.find(b'"parts"'), 0) :], b'"text":', _TEXT_BYTES_MAX)
    return text_at(raw, b'"prompt"', _TEXT_BYTES_MAX)
